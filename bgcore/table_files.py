"""Files of arrays that can be made again: checked, mapped into memory, never half-written.

A file is a header of 32 bytes, a list of its arrays (JSON), and the arrays, each from a multiple
of 64 bytes; all numbers are little-endian:

    8 bytes   b"bgtable" and a zero
    uint32    format of the file, 1
    uint32    bytes of the JSON text
    uint64    bytes of the whole file
    uint32    CRC-32 of everything behind the header
    uint32    CRC-32 of the 28 bytes before this one

A file is written beside its place and moved there, so that a reader sees a whole file or none.
A file with a wrong sum or length is made again.
"""

import errno
import json
import mmap
import os
import struct
import threading
import warnings
import zlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bgcore.errors import BgcoreWarning, TableError
from bgcore.whole_files import whole_file

Arrays = dict[str, NDArray[Any]]
#: What a file must hold: name -> (dtype, shape; None is any length).
Layout = Mapping[str, tuple[str, tuple[int | None, ...]]]

MAGIC = b"bgtable\0"
FORMAT = 1
HEADER = struct.Struct("<8sIIQII")
ALIGN = 64

_lock = threading.Lock()
_warned: set[str] = set()


def cache_folder() -> Path:
    """Give the folder where tables are kept.

    The environment variable BGCORE_CACHE if it is set and not empty, otherwise the user's cache
    folder of this platform. The folder need not exist.

    Raises
    ------
    OSError
        The user has no home folder.
    """
    chosen = os.environ.get("BGCORE_CACHE")
    if chosen:
        return Path(chosen)
    import platformdirs

    folder = Path(platformdirs.user_cache_dir("bgcore"))
    if not folder.is_absolute():
        # without a home "~" stays as it is, and would be made where the process happens to be
        raise FileNotFoundError(errno.ENOENT, "it is not an absolute path", str(folder))
    return folder


def load_or_build(name: str, layout: Layout, build: Callable[[], Arrays]) -> Arrays:
    """Give the arrays of a table: from its file in the cache folder, or made and stored there.

    Parameters
    ----------
    name : str
        Of the file; it should change whenever the contents do.
    layout : mapping
        Names, dtypes and shapes of the arrays.
    build : callable
        Makes the arrays.

    Returns
    -------
    dict of arrays
        Read-only where they come from a file.

    Warns
    -----
    BgcoreWarning
        The file was damaged (it is made again), or the folder cannot be used (the arrays are
        kept in memory and made again in the next process). Once for each file or folder.
    """
    try:
        path = cache_folder() / name
    except OSError as error:
        _warn_once(str(error.filename), _unusable(error.filename, error))
        return build()
    try:
        return read(path, layout)
    except FileNotFoundError:
        pass
    except TableError as error:
        _warn_once(str(path), f"{error}; it is made again")
    except OSError as error:
        _warn_once(str(path.parent), _unusable(path.parent, error))
    return build_anew(name, build)


def build_anew(name: str, build: Callable[[], Arrays]) -> Arrays:
    """Make the arrays of a table and store them in the cache folder, whatever is there.

    Warns
    -----
    BgcoreWarning
        The folder cannot be used: the arrays are in memory alone. Once for each folder.
    """
    arrays = build()
    try:
        path = cache_folder() / name
    except OSError as error:
        _warn_once(str(error.filename), _unusable(error.filename, error))
        return arrays
    try:
        write(path, arrays)
    except OSError as error:
        _warn_once(str(path.parent), _unusable(path.parent, error))
    return arrays


def is_kept(name: str) -> bool:
    """Tell whether the cache folder has a file of this name."""
    try:
        return (cache_folder() / name).is_file()
    except OSError:
        return False


# ---- work that was broken off ----


def keep_part(name: str, arrays: Mapping[str, NDArray[Any]]) -> bool:
    """Store what a build has done so far in the cache folder; False if it cannot be used."""
    try:
        write(cache_folder() / name, arrays)
    except OSError:
        return False
    return True


def kept_part(name: str, layout: Layout) -> Arrays | None:
    """Give what `keep_part` stored; None if there is nothing, or nothing that is whole."""
    try:
        return read(cache_folder() / name, layout)
    except (OSError, TableError):
        return None


def drop_part(name: str) -> None:
    """Remove what `keep_part` stored."""
    with suppress(OSError):
        (cache_folder() / name).unlink()


# ---- files ----


def read(path: Path, layout: Layout) -> Arrays:
    """Map a file into memory and check it.

    Returns
    -------
    dict of arrays
        Read-only; they keep the mapping alive.

    Raises
    ------
    TableError
        The file is cut short or changed, or holds something else.
    OSError
        The file cannot be opened.
    """
    with open(path, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        if size < HEADER.size:
            raise TableError(f"the table {path} is cut short")
        data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    magic, version, toc_size, file_size, checksum, header_checksum = HEADER.unpack_from(data)
    if magic != MAGIC or zlib.crc32(data[: HEADER.size - 4]) != header_checksum:
        raise TableError(f"{path} is not a table, or its header is damaged")
    if version != FORMAT:
        raise TableError(f"the table {path} has the format {version}, not {FORMAT}")
    if len(data) != file_size:
        raise TableError(f"the table {path} has {len(data)} bytes instead of {file_size}")
    with memoryview(data) as view, view[HEADER.size :] as body:
        if zlib.crc32(body) != checksum:
            raise TableError(f"the table {path} is damaged (wrong checksum)")
    try:
        found = json.loads(data[HEADER.size : HEADER.size + toc_size])
        arrays = {
            entry["name"]: _view(data, entry["dtype"], entry["shape"], entry["offset"])
            for entry in found
        }
    except (ValueError, KeyError, TypeError) as error:
        raise TableError(f"the table {path} cannot be read: {error}") from error
    if set(arrays) != set(layout):
        raise TableError(f"the table {path} holds {sorted(arrays)}, not {sorted(layout)}")
    for name, (dtype, shape) in layout.items():
        array = arrays[name]
        fits = len(shape) == array.ndim and all(
            want in (None, got) for want, got in zip(shape, array.shape, strict=True)
        )
        if array.dtype != np.dtype(dtype) or not fits:
            raise TableError(
                f"array {name} of the table {path} is {array.dtype} {array.shape}, "
                f"not {dtype} {shape}"
            )
    return arrays


def write(path: Path, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write a file of arrays so that it appears whole or not at all.

    Raises
    ------
    OSError
        The folder cannot be made or written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    pieces = _pieces(arrays)
    body_checksum = 0
    for piece in pieces[1:]:
        body_checksum = zlib.crc32(piece, body_checksum)
    toc_size, total = len(pieces[1]), HEADER.size + sum(len(piece) for piece in pieces[1:])
    header = HEADER.pack(MAGIC, FORMAT, toc_size, total, body_checksum, 0)
    pieces[0] = header[:-4] + struct.pack("<I", zlib.crc32(header[:-4]))
    with whole_file(path) as file:
        file.writelines(pieces)


def _pieces(arrays: Mapping[str, NDArray[Any]]) -> list[bytes | memoryview]:
    """Room for the header, the list of arrays, padding and arrays by turns."""
    entries: list[dict[str, object]] = []
    blocks: list[bytes | memoryview] = []
    # Offsets count from the end of the list, whose own length they must not change.
    offset = 0
    for name, array in arrays.items():
        dtype = array.dtype.newbyteorder("<")
        block = np.ascontiguousarray(array, dtype=dtype).data.cast("B")
        entries.append(
            {"name": name, "dtype": dtype.str, "shape": list(array.shape), "offset": offset}
        )
        blocks += [block, bytes(-len(block) % ALIGN)]
        offset += len(block) + len(blocks[-1])
    toc = json.dumps(entries).encode()
    return [b"", toc, bytes(-(HEADER.size + len(toc)) % ALIGN), *blocks]


def _view(data: mmap.mmap, dtype: str, shape: list[int], offset: int) -> NDArray[Any]:
    toc_size = HEADER.unpack_from(data)[2]
    start = -(-(HEADER.size + toc_size) // ALIGN) * ALIGN
    count = int(np.prod(shape, dtype=np.int64))
    stored = np.frombuffer(data, dtype=np.dtype(dtype), count=count, offset=start + offset)
    # the processor's own order: nothing to do on a little-endian one
    return stored.astype(stored.dtype.newbyteorder("="), copy=False).reshape(shape)


def _unusable(folder: Path | str, error: OSError) -> str:
    return (
        f"the cache folder {folder} cannot be used ({error.strerror or error}); tables are made "
        "in memory in every process. Set BGCORE_CACHE to a folder that can be written"
    )


def _warn_once(key: str, text: str) -> None:
    with _lock:
        if key in _warned:
            return
        _warned.add(key)
    warnings.warn(text, BgcoreWarning, stacklevel=4)
