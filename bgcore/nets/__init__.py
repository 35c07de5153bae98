"""Files of nets: their format, and the nets that come with bgcore.

A file is an `.npz` archive with the arrays below and one text, `meta`, a JSON object. Arrays are
read without pickle, and everything is checked before it is used.

| name             | type, shape             | unit                                              |
|------------------|-------------------------|---------------------------------------------------|
| `value_rows`     | int16 (28, 31, 128)     | hidden: row ``[c, v + 15]`` for value v of cell c |
| `value_bias`     | int16 (128,)            | hidden                                            |
| `value_out`      | int16 (10, 5, 128)      | 2^-20 / hidden                                    |
| `value_out_bias` | int32 (10, 5)           | 2^-20                                             |
| `luck_rows`      | int16 (28, 31, 128)     | hidden                                            |
| `luck_bias`      | int16 (128,)            | hidden                                            |
| `luck_pair_rows` | int16 (3150, 128)       | hidden: what a pair of start and target adds      |
| `luck_pair_out`  | int16 (3150, 112)       | 2^-13: what it adds to the outputs                |
| `luck_out`       | int16 (2, 105, 128)     | 2^-22 / hidden                                    |
| `luck_out_bias`  | int32 (2, 105)          | 2^-22                                             |
| `rolls_rows`     | int16 (28, 31, R)       | hidden                                            |
| `rolls_bias`     | int16 (R,)              | hidden                                            |
| `rolls_moves`    | int16 (4243, R)         | hidden: what a thing that a roll can do adds      |
| `rolls_out`      | int16 (10, 2, 5, R)     | 2^-22 / hidden                                    |
| `rolls_out_bias` | int32 (10, 21, 5)       | 2^-22                                             |
| `strong_rows`    | int16 (28, 31, H)       | hidden                                            |
| `strong_bias`    | int16 (H,)              | hidden                                            |
| `strong_second`  | int16 (10, S, H)        | 2^-20 / hidden                                    |
| `strong_second_bias` | int32 (10, S)       | 2^-20                                             |
| `strong_third`   | int16 (10, 32, S)       | 2^-10                                             |
| `strong_third_bias` | int32 (10, 32)       | 2^-22                                             |
| `strong_out`     | int16 (10, 5, 32)       | 2^-10                                             |
| `strong_out_bias` | int32 (10, 5)          | 2^-22                                             |
| `strong_relations` | int16 (1152, H)       | hidden: what a relation of two cells adds         |
| `strong_reach`   | int16 (1,)              | hidden: where the sum of those is cut             |

The four `value` arrays are the fast net, the first eight `strong` ones a strong net of H hidden
units (a multiple of 128) and S units of its second layer (a multiple of 32); `strong_relations`
(src/deep.h has their order) and `strong_reach` are optional; a file has one of them or
both. With both, the strong net plays and the fast one makes a first choice among the plays. A roll
net is optional: the six `luck` arrays, or the five `rolls` arrays of one that looks at one roll at
a time, with R hidden units (128 or 256; src/rolls.h has the order of the moves).
`meta` holds `format` (1), `hidden` and `heads` of
the fast net, and what is known of the training: recipe, games, seed. `game` in it, as
`bgcore.variants.rules_to_dict` writes rules, is what the net plays if that is not backgammon.
"""

import json
import os
import threading
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bgcore._core.network import HEADS, HIDDEN, DeepNet, LuckNet, RollNet, ValueNet
from bgcore.checks import UNREADABLE_ARCHIVE, shown
from bgcore.errors import NetError, VariantError
from bgcore.variants import VariantRules
from bgcore.variants.games import rules_from_dict
from bgcore.whole_files import check_place, whole_file

__all__ = [
    "DEFAULT",
    "FORMAT",
    "SHIPPED",
    "NetFile",
    "load_net",
    "read_npz",
    "save_net",
    "shipped_net",
    "writable_place",
    "write_npz",
]

#: Version of the file format.
FORMAT = 1

#: The arrays of each net, in the order in which its class takes them.
_PARTS = {
    "value": ("rows", "bias", "out", "out_bias"),
    "strong": (
        "rows", "bias", "second", "second_bias", "third", "third_bias", "out", "out_bias",
    ),
    "luck": ("rows", "bias", "pair_rows", "pair_out", "out", "out_bias"),
    "rolls": ("rows", "bias", "moves", "out", "out_bias"),
}  # fmt: skip
#: Arrays that a net may have after those.
_OPTIONAL = {"strong": ("relations", "reach")}
#: numpy reads the head of an array with Python's parser, which fails now and then in CPython 3.11
#: when several threads are in it.
_ONE_AT_A_TIME = threading.Lock()
_MAX_BYTES = 64 * 2**20
#: Names that `numpy.savez_compressed` or the format takes for itself.
_NAMES_TAKEN = ("meta", "file", "allow_pickle")


@dataclass(frozen=True)
class NetFile:
    """A file of nets in memory.

    Attributes
    ----------
    value : ValueNet or None
        The fast net, as the core uses it, if the file has one.
    strong : DeepNet or None
        The strong net, if the file has one.
    luck : LuckNet, RollNet or None
        The roll net, if the file has one.
    meta : dict
        What the file tells about itself.
    arrays : dict of str to array
        The integers of the nets as they stand in the file.
    game : VariantRules or None
        What the nets were trained for, if that is not backgammon.
    """

    value: ValueNet | None
    strong: DeepNet | None
    luck: LuckNet | RollNet | None
    meta: dict[str, Any]
    arrays: Mapping[str, NDArray[Any]] = field(repr=False)
    game: VariantRules | None = None

    @property
    def n_checkers(self) -> int:
        """Checkers of one side in the game that the nets know."""
        return 15 if self.game is None else self.game.n_checkers

    @property
    def net(self) -> DeepNet | ValueNet:
        """The net that evaluates: the strong one if there is one."""
        found = self.strong or self.value
        assert found is not None, "load_net has seen to it"
        return found


def writable_place(path: str | os.PathLike[str]) -> Path:
    """Return where a file would be written if this path is; a link is followed.

    Raises
    ------
    NetError
        If no file can be written there: no such folder, not allowed, or there is something else
        than a file, such as a folder or a device.
    """
    name = _shown(path)
    try:
        return check_place(path)
    except (OSError, RuntimeError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise NetError(f"cannot write {name}: {reason}") from error


def _shown(path: object) -> str:
    """Write a path for a message, or refuse what is none."""
    try:
        name = os.fspath(path)  # type: ignore[call-overload]
        if not isinstance(name, str):
            raise TypeError
    except TypeError:
        raise NetError(f"a file is named by a text or a path, not {path!r}") from None
    return repr(name)


def write_npz(
    path: str | os.PathLike[str], arrays: Mapping[str, NDArray[Any]], meta: Mapping[str, Any]
) -> None:
    """Write arrays and a JSON text to an `.npz` file: the whole of it or nothing.

    A link is followed.

    Raises
    ------
    NetError
        If it cannot be written, see `writable_place`, or these are no such arrays and values.
    """
    place = writable_place(path)
    text = np.array(_json(meta))
    if not isinstance(arrays, Mapping):
        raise NetError(f"arrays are a mapping of names and arrays, not {shown(arrays)}")
    for name, array in arrays.items():
        if not isinstance(name, str) or name in _NAMES_TAKEN:
            raise NetError(f"an array cannot be called {shown(name)}")
        if not isinstance(array, np.ndarray) or array.dtype.hasobject:
            raise NetError(f"{name} must be an array of numbers, not {shown(array)}")
    try:
        with whole_file(place) as file:
            np.savez_compressed(file, allow_pickle=False, meta=text, **arrays)
    except OSError as error:
        raise NetError(f"cannot write {_shown(path)}: {error.strerror}") from error


def _json(meta: object) -> str:
    """Write meta as JSON, or refuse what is none."""
    try:
        return json.dumps(meta, sort_keys=True, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise NetError(f"meta must be JSON values, not {shown(meta)}: {error}") from error


def read_npz(
    path: str | os.PathLike[str],
) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Read what `write_npz` wrote.

    Raises
    ------
    NetError
        If the file cannot be read, is too large, or is not such a file.
    """
    name = _shown(path)
    place = Path(path)
    try:
        # a device or a pipe may have no end
        if place.exists() and not place.is_file():
            raise NetError(f"cannot read {name}: it is not a file")
        with zipfile.ZipFile(place) as archive:
            if sum(entry.file_size for entry in archive.infolist()) > _MAX_BYTES:
                raise NetError(f"{name} holds more than {_MAX_BYTES >> 20} MB")
        with _ONE_AT_A_TIME, np.load(place, allow_pickle=False) as data:
            arrays = {key: data[key] for key in data.files}
        for key, array in arrays.items():
            if not isinstance(array, np.ndarray):  # bytes: a member of another kind
                raise NetError(f"{name} is damaged: {key!r} in it is no array")
        meta = json.loads(str(arrays.pop("meta")[()]))
    except NetError:
        raise
    except (MemoryError, RuntimeError) as error:
        raise NetError(f"{name} is damaged: {type(error).__name__}") from error
    except UNREADABLE_ARCHIVE as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise NetError(f"{name} cannot be read as a file of nets: {reason}") from error
    if not isinstance(meta, dict):
        raise NetError(f"{name}: meta is not a JSON object")
    return arrays, meta


def load_net(path: str | os.PathLike[str]) -> NetFile:
    """Read nets from a file.

    Parameters
    ----------
    path : path

    Returns
    -------
    NetFile

    Raises
    ------
    NetError
        If the file cannot be read, has another format, or its nets are not usable.
    """
    return _nets(path, *read_npz(path))


def _nets(
    path: str | os.PathLike[str], arrays: Mapping[str, NDArray[Any]], meta: dict[str, Any]
) -> NetFile:
    """Make nets of what stands, or is to stand, in a file."""
    if meta.get("format") != FORMAT:
        raise NetError(f"{path} has format {meta.get('format')!r}; {FORMAT} can be read")
    for key, value in (("hidden", HIDDEN), ("heads", HEADS)):
        if meta.get(key) != value:
            raise NetError(f"{path} has {key} {meta.get(key)!r}; this version uses {value}")
    present = {name: [f"{name}_{part}" for part in parts] for name, parts in _PARTS.items()}
    present = {name: keys for name, keys in present.items() if set(keys) & set(arrays)}
    for name, parts in _OPTIONAL.items():
        if name in present:
            present[name] += [f"{name}_{part}" for part in parts if f"{name}_{part}" in arrays]
    wanted = sorted(key for keys in present.values() for key in keys)
    if sorted(arrays) != wanted or not {"value", "strong"} & set(present):
        expected = wanted if {"value", "strong"} & set(present) else "those of a value net"
        raise NetError(f"{path} holds the arrays {sorted(arrays)}, not {expected}")
    if {"luck", "rolls"} <= set(present):
        raise NetError(f"{path} holds two roll nets; one can be used")
    nets: dict[str, Any] = {"value": None, "strong": None, "luck": None}
    kinds: dict[str, Any] = {
        "value": ValueNet, "strong": DeepNet, "luck": LuckNet, "rolls": RollNet
    }  # fmt: skip
    try:
        for name, keys in present.items():
            net = kinds[name](*(arrays[key] for key in keys))
            nets["luck" if name == "rolls" else name] = net
        game = None if "game" not in meta else rules_from_dict(meta["game"])
    except (NetError, VariantError) as error:
        raise NetError(f"{path}: {error}") from error
    return NetFile(**nets, meta=meta, arrays=arrays, game=game)


def save_net(
    path: str | os.PathLike[str], arrays: Mapping[str, NDArray[Any]], meta: Mapping[str, Any]
) -> None:
    """Write nets to a file, the whole of it or nothing.

    They are checked first: what stands there is not replaced by nets that could not be read.

    Parameters
    ----------
    path : path
    arrays : mapping of str to array
        As in the table above.
    meta : mapping
        JSON values; `format`, `hidden` and `heads` are added.

    Raises
    ------
    NetError
        If the arrays do not make usable nets, meta is no JSON, or the file cannot be written.
    """
    fixed = {"format": FORMAT, "hidden": HIDDEN, "heads": HEADS}
    if not isinstance(meta, Mapping):
        raise NetError(f"meta is a mapping of names and JSON values, not {shown(meta)}")
    full: dict[str, Any] = {**json.loads(_json(dict(meta))), **fixed}
    if not isinstance(arrays, Mapping):
        raise NetError(f"arrays are a mapping of names and arrays, not {shown(arrays)}")
    _nets(path, arrays, full)
    write_npz(path, arrays, full)


#: The nets that come with bgcore, and the one that is meant where none is named.
SHIPPED = ("fast", "strong")
DEFAULT = "strong"


@cache
def shipped_net(name: str = DEFAULT) -> NetFile:
    """Return nets that come with bgcore, by their name in `SHIPPED`."""
    return load_net(Path(__file__).with_name(f"{name}.npz"))
