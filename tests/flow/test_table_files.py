"""Files of tables: whole, checked, safe against other processes, and dispensable."""

import errno
import os
import signal
import subprocess
import sys
import time
import warnings
import zlib
from pathlib import Path

import numpy as np
import platformdirs
import pytest
from cpu_levels import said_on_each_level

from bgcore import bearoff, table_files, whole_files
from bgcore.errors import BgcoreWarning, TableError

LAYOUT = {"a": ("u4", (None, 3)), "b": ("f8", (5,)), "c": ("u2", (None,))}
NAME = "table-1.bin"


def arrays():
    return {
        "a": np.arange(120, dtype=np.uint32).reshape(40, 3),
        "b": np.linspace(0, 1, 5),
        "c": np.zeros(0, dtype=np.uint16),
    }


def same(found):
    return all((found[name] == array).all() for name, array in arrays().items())


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("BGCORE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(table_files, "_warned", set())
    return tmp_path / "cache"


@pytest.fixture
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


class Build:
    def __init__(self):
        self.calls = 0

    def __call__(self):
        self.calls += 1
        return arrays()


def load(build):
    return table_files.load_or_build(NAME, LAYOUT, build)


# ---- files ----


@pytest.mark.usefixtures("quiet")
def test_a_table_is_built_once_and_read_from_then_on(folder):
    build = Build()
    assert same(load(build))
    assert same(load(build))
    assert build.calls == 1
    assert os.listdir(folder) == [NAME]


@pytest.mark.usefixtures("quiet")
def test_arrays_from_a_file_are_mapped_aligned_and_read_only(folder):
    load(Build())
    found = load(Build())
    for array in found.values():
        assert not array.flags.writeable
        assert array.flags.c_contiguous
        assert array.ctypes.data % 64 == 0 or array.size == 0
        assert array.dtype.isnative
    assert found["c"].shape == (0,)


def test_numbers_in_a_file_are_little_endian(folder):
    swapped = {
        name: array.astype(array.dtype.newbyteorder(">")) for name, array in arrays().items()
    }
    table_files.write(folder / "swapped", swapped)
    table_files.write(folder / "native", arrays())
    assert (folder / "swapped").read_bytes() == (folder / "native").read_bytes()
    data = (folder / "native").read_bytes()
    assert data.endswith(np.linspace(0, 1, 5).astype("<f8").tobytes() + bytes(24))
    assert data[8:12] == bytes([1, 0, 0, 0])


def test_every_flipped_byte_is_found(folder):
    table_files.write(folder / NAME, arrays())
    data = bytearray((folder / NAME).read_bytes())
    for place in range(len(data)):
        data[place] ^= 0x10
        (folder / NAME).write_bytes(data)
        with pytest.raises(TableError):
            table_files.read(folder / NAME, LAYOUT)
        data[place] ^= 0x10
    (folder / NAME).write_bytes(data)
    assert same(table_files.read(folder / NAME, LAYOUT))


def test_every_cut_and_every_addition_is_found(folder):
    table_files.write(folder / NAME, arrays())
    data = (folder / NAME).read_bytes()
    for size in [*range(200), len(data) - 1, len(data) // 2]:
        (folder / NAME).write_bytes(data[:size])
        with pytest.raises(TableError):
            table_files.read(folder / NAME, LAYOUT)
    (folder / NAME).write_bytes(data + b"\0")
    with pytest.raises(TableError):
        table_files.read(folder / NAME, LAYOUT)


@pytest.mark.parametrize(
    "layout",
    [
        LAYOUT | {"d": ("u4", (1,))},
        {"a": LAYOUT["a"]},
        LAYOUT | {"a": ("i4", (None, 3))},
        LAYOUT | {"a": ("u4", (None, 4))},
        LAYOUT | {"b": ("f8", (5, 1))},
    ],
)
def test_a_file_with_other_arrays_is_refused(folder, layout):
    table_files.write(folder / NAME, arrays())
    with pytest.raises(TableError):
        table_files.read(folder / NAME, layout)


def test_another_format_is_refused(folder, monkeypatch):
    monkeypatch.setattr(table_files, "FORMAT", 2)
    table_files.write(folder / NAME, arrays())
    monkeypatch.undo()
    with pytest.raises(TableError, match="format 2"):
        table_files.read(folder / NAME, LAYOUT)


@pytest.mark.parametrize("damage", [lambda d: d[:-7], lambda d: d[:600] + b"?" + d[601:]])
def test_a_damaged_file_is_built_again_and_replaced(folder, damage):
    load(Build())
    path = folder / NAME
    good = path.read_bytes()
    path.write_bytes(damage(good))
    build = Build()
    with pytest.warns(BgcoreWarning, match="made again"):
        assert same(load(build))
    assert build.calls == 1
    assert path.read_bytes() == good


def test_an_empty_file_is_built_again(folder):
    folder.mkdir()
    (folder / NAME).touch()
    with pytest.warns(BgcoreWarning, match="cut short"):
        assert same(load(Build()))
    assert same(table_files.read(folder / NAME, LAYOUT))


def test_a_mapped_table_outlives_its_replacement(folder):
    load(Build())
    found = load(Build())
    table_files.write(folder / NAME, {"a": np.zeros((1, 3), dtype=np.uint32)})
    assert same(found)


# ---- folders that cannot be used ----


def warned_once(match):
    """Load twice: one warning, both right."""
    build = Build()
    with pytest.warns(BgcoreWarning, match=match) as record:
        found = [load(build) for _ in range(2)]
    assert all(map(same, found))
    assert len(record) == 1
    assert build.calls == 2


def test_a_file_in_place_of_the_folder_is_no_failure(folder):
    folder.write_text("not a folder")
    warned_once("cannot be used")
    assert folder.read_text() == "not a folder"


def test_a_file_above_the_folder_is_no_failure(folder, monkeypatch):
    folder.write_text("not a folder")
    monkeypatch.setenv("BGCORE_CACHE", str(folder / "below" / "it"))
    warned_once("cannot be used")


def test_a_folder_that_cannot_be_written_is_no_failure(folder, monkeypatch):
    folder.mkdir()
    real_open = open

    def refuse(path, mode="r", *args, **kwargs):
        if "x" in mode:
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return real_open(path, mode, *args, **kwargs)

    monkeypatch.setattr(whole_files, "open", refuse, raising=False)
    warned_once("Permission denied")
    assert os.listdir(folder) == []


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="needs a folder closed to root too")
def test_a_read_only_folder_is_no_failure(monkeypatch):
    monkeypatch.setenv("BGCORE_CACHE", "/proc/self")
    warned_once("cannot be used")


def test_a_full_disk_leaves_nothing_behind(folder, monkeypatch):
    def full(_source, _target):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    warned_once("No space left")
    assert os.listdir(folder) == []


def test_a_file_that_cannot_be_read_is_no_failure(folder):
    (folder / NAME).mkdir(parents=True)
    warned_once("cannot be used")


@pytest.mark.usefixtures("quiet")
def test_the_folder_is_made_when_it_is_missing(folder, monkeypatch):
    monkeypatch.setenv("BGCORE_CACHE", str(folder / "a" / "b"))
    load(Build())
    assert (folder / "a" / "b" / NAME).is_file()


def test_the_users_cache_folder_is_the_default(monkeypatch):
    platformdirs = pytest.importorskip("platformdirs")
    for value in ("", None):
        if value is None:
            monkeypatch.delenv("BGCORE_CACHE")
        else:
            monkeypatch.setenv("BGCORE_CACHE", value)
        assert table_files.cache_folder() == Path(platformdirs.user_cache_dir("bgcore"))


@pytest.mark.usefixtures("quiet")
def test_leftovers_of_killed_writers_are_removed_when_they_are_old(folder):
    folder.mkdir()
    old, new, other = (
        folder / name
        for name in (f".{NAME}-1-aa.tmp", f".{NAME}-2-bb.tmp", ".another.bin-1-cc.tmp")
    )
    for path in (old, new, other):
        path.write_text("half a table")
    past = time.time() - whole_files.STALE_AFTER - 10
    os.utime(old, (past, past))
    os.utime(other, (past, past))
    load(Build())
    assert not old.exists()
    assert new.exists()
    assert other.exists()


# ---- processes ----

LOAD = """
import zlib
from bgcore import bearoff
one, two = bearoff.one_sided(), bearoff.two_sided()
print(zlib.crc32(two.arrays["equities"]), zlib.crc32(one.arrays["rows"]), one.mean([0] * 5 + [1]))
"""
DIE_BEFORE_THE_MOVE = """
import os, signal
os.replace = lambda source, target: os.kill(os.getpid(), signal.SIGKILL)
"""
DIE_IN_THE_MIDDLE = """
import os, signal
from bgcore import whole_files
class File:
    def __init__(self, path, mode):
        self.file = open(path, mode)
    def __enter__(self):
        return self
    def __exit__(self, *error):
        self.file.close()
    def writelines(self, pieces):
        for piece in pieces:
            self.file.write(piece[: len(piece) // 2])
            self.file.flush()
            if len(piece) > 1000000:
                os.kill(os.getpid(), signal.SIGKILL)
whole_files.open = lambda path, mode: open(path, mode) if "x" not in mode else File(path, mode)
"""
WRITE_FOREVER = """
import sys
from pathlib import Path
import numpy as np
from bgcore import table_files
print("go", flush=True)
while True:
    table_files.write(Path(sys.argv[1]), {"a": np.arange(3_000_000, dtype=np.uint32)})
"""


def run(code, folder):
    return subprocess.run(
        [sys.executable, "-P", "-W", "error", "-c", code],
        env={**os.environ, "BGCORE_CACHE": str(folder)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def expected():
    one, two = bearoff.one_sided(), bearoff.two_sided()
    return f"{zlib.crc32(two.arrays['equities'])} {zlib.crc32(one.arrays['rows'])} 1.25\n"


needs_signals = pytest.mark.skipif(os.name == "nt", reason="no SIGKILL on Windows")


@needs_signals
@pytest.mark.parametrize(
    "trap", [DIE_BEFORE_THE_MOVE, DIE_IN_THE_MIDDLE], ids=["before the move", "in the middle"]
)
def test_a_process_killed_while_it_writes_leaves_no_bad_table(tmp_path, trap):
    killed = run(trap + LOAD, tmp_path)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    leftovers = os.listdir(tmp_path)
    assert leftovers
    assert all(name.endswith(".tmp") for name in leftovers)
    again = run(LOAD, tmp_path)
    assert again.returncode == 0, again.stderr
    assert again.stdout == expected()
    assert run(LOAD, tmp_path).stdout == expected()


@needs_signals
def test_a_process_killed_at_any_time_leaves_a_whole_table_or_none(tmp_path):
    path = tmp_path / NAME
    rng = np.random.default_rng(1)
    for _ in range(8):
        writer = subprocess.Popen(
            [sys.executable, "-P", "-c", WRITE_FOREVER, str(path)], stdout=subprocess.PIPE
        )
        assert writer.stdout is not None
        writer.stdout.readline()
        time.sleep(rng.uniform(0, 0.1))
        writer.kill()
        writer.communicate()
        if path.exists():
            found = table_files.read(path, {"a": ("u4", (3_000_000,))})
            assert found["a"][-1] == 2_999_999


def test_processes_that_build_at_once_all_get_the_table(tmp_path):
    builders = [
        subprocess.Popen(
            [sys.executable, "-P", "-W", "error", "-c", LOAD],
            env={**os.environ, "BGCORE_CACHE": str(tmp_path)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(4)
    ]
    for builder in builders:
        out, error = builder.communicate(timeout=240)
        assert builder.returncode == 0, error
        assert out == expected()
    assert sorted(os.listdir(tmp_path)) == [bearoff.ONE_SIDED_FILE, bearoff.TWO_SIDED_FILE]


def test_a_damaged_bear_off_table_is_not_trusted(tmp_path):
    assert run(LOAD, tmp_path).returncode == 0
    path = tmp_path / bearoff.TWO_SIDED_FILE
    with open(path, "r+b") as file:
        file.seek(20_000_000)
        file.write(b"wrong")
    done = run(LOAD, tmp_path)
    assert done.returncode == 1
    assert "damaged" in done.stderr
    # -W error makes the warning an exception; without it the table is replaced
    env = {**os.environ, "BGCORE_CACHE": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-P", "-c", LOAD], env=env, capture_output=True, text=True, check=True
    )
    assert "BgcoreWarning" in done.stderr
    assert done.stdout == expected()
    assert run(LOAD, tmp_path).stdout == expected()


def test_a_process_works_without_any_cache(tmp_path):
    (tmp_path / "file").write_text("")
    env = {**os.environ, "BGCORE_CACHE": str(tmp_path / "file")}
    done = subprocess.run(
        [sys.executable, "-P", "-c", LOAD], env=env, capture_output=True, text=True, check=True
    )
    assert done.stdout == expected()
    assert done.stderr.count("BgcoreWarning") == 1


CHECKSUMS = """
import zlib
from bgcore import CPU_LEVEL
from bgcore._core.bearoff import build_one_sided, build_two_sided
print(CPU_LEVEL)
print({name: zlib.crc32(a) for name, a in (build_one_sided() | build_two_sided()).items()})
"""


def test_tables_have_the_same_bits_on_all_processors():
    found = [said.splitlines() for said in said_on_each_level(CHECKSUMS)]
    assert found[0][0] == "baseline"
    assert len(found) > 1
    assert len({checksums for _, checksums in found}) == 1


@pytest.mark.parametrize("folder", ["~/.cache/bgcore", "cache/bgcore"])
def test_a_user_without_a_home_gets_no_folder_where_he_stands(folder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("BGCORE_CACHE", raising=False)
    monkeypatch.setattr(platformdirs, "user_cache_dir", lambda _: folder)
    monkeypatch.setattr(table_files, "_warned", set())
    with pytest.warns(BgcoreWarning, match="cannot be used"):
        arrays = table_files.load_or_build("t", {"a": ("u4", (3,))}, lambda: {"a": np.arange(3)})
    assert arrays["a"].tolist() == [0, 1, 2]
    assert not list(tmp_path.iterdir())
