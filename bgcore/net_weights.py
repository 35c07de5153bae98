"""The float weights of the nets: their shapes, their first values, growth, and quantisation."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bgcore._core import network, training
from bgcore.errors import NetError

__all__ = [
    "FAST",
    "NetShape",
    "check_weights",
    "first_rolls_weights",
    "first_weights",
    "quantise_luck",
    "quantise_rolls",
    "seed_key",
]

# Fraction bits of the roll net's hidden sums.
_LUCK_HIDDEN_BITS = 10
# Rows of cells, relations, bias and outputs of the hidden units, and b of their unit 2**-b.
_FixedHidden = tuple[
    NDArray[np.int16], NDArray[np.int16], NDArray[np.int16], NDArray[np.int16], int
]
# Units of the third layer.
_WIDTH = network.DEEP_THIRD_UNITS


def seed_key(seed: int, purpose: int = 0) -> tuple[int, int]:
    """Return the two words of a seed; each purpose has random numbers of its own."""
    return seed & (2**64 - 1), seed >> 64 ^ purpose


def _random_units(seed: int, n: int) -> NDArray[np.float32]:
    """Return n numbers in [-1, 1) that depend on the seed alone."""
    bits = np.random.Philox(key=list(seed_key(seed, 0x1217))).random_raw(n)
    return (bits >> np.uint64(40)).astype(np.float32) * np.float32(2.0**-23) - np.float32(1)


@dataclass(frozen=True)
class NetShape:
    """The numbers of units of a value net.

    Attributes
    ----------
    hidden : int
        128 for the fast net; a multiple of 128 up to 1,024 for a strong one.
    second : int
        0: the fast net, whose outputs follow the hidden units. Else a strong net with a second
        layer of so many units, a multiple of 32 up to 128, and a third of 32.
    relations : bool
        Whether a strong net sees relations of two cells (shots, blocks, guards, see src/deep.h) beside
        the cells.

    Raises
    ------
    NetError
        If there is no such net.
    """

    hidden: int
    second: int
    relations: bool = False

    def __post_init__(self) -> None:
        if self.relations and not self.second:
            raise NetError("only a strong net, with a second layer, sees relations")
        if self.second:
            network.check_deep_shape(self.hidden, self.second)
        elif self.hidden != network.HIDDEN:
            raise NetError(
                f"without a second layer a net has {network.HIDDEN} hidden units, not {self.hidden}"
            )

    @property
    def size(self) -> int:
        """Number of weights."""
        if not self.second:
            return int(training.VALUE_PARAMETERS)
        return int(training.deep_parameters(self.hidden, self.second, self.relations)[0])

    @property
    def inputs(self) -> int:
        """Number of inputs, each with a row of weights of its own."""
        return int(training.FEATURES) + (int(training.RELATIONS) if self.relations else 0)

    def fits_into(self, other: "NetShape") -> bool:
        """Whether the other one has at least as many units and inputs."""
        return (
            self.hidden <= other.hidden
            and self.second <= other.second
            and self.relations <= other.relations
        )

    def initial(self, seed: int) -> NDArray[np.float32]:
        """Return random first weights, all of them functions of the seed."""
        if not self.second:
            return first_weights(seed, self.hidden, network.HEADS * 5)
        h, s = self.hidden, self.second
        # Uniform with the variances of He et al. (2015), a little less in the tails, which begin
        # alike for all heads.
        parts = (
            ("features", training.FEATURES * h, 0.2),
            ("second", h * s, 0.7 * math.sqrt(6 / h)),
            ("third", s * _WIDTH, 0.8 * math.sqrt(6 / s)),
            ("out", _WIDTH * 5, 0.2),
        )
        unit = _random_units(seed, sum(n for _, n, _ in parts))
        values, at = {}, 0
        for name, n, bound in parts:
            values[name] = unit[at : at + n] * np.float32(bound)
            at += n
        weights = np.zeros(self.size, np.float32)
        weights[: training.FEATURES * h] = values["features"]  # relations begin with 0
        common = self.tails(weights)[0]
        self.part(common, "second")[:] = values["second"].reshape(h, s)
        self.part(common, "third")[:] = values["third"].reshape(s, _WIDTH)
        self.part(common, "out")[:, :5] = values["out"].reshape(_WIDTH, 5)
        return weights

    def tails(self, weights: NDArray[Any]) -> NDArray[Any]:
        """Return the tails of a strong net, (11, n): the common one, then those of the heads."""
        start = (self.inputs + 1) * self.hidden
        return weights[start:].reshape(network.HEADS + 1, -1)

    def part(self, tails: NDArray[Any], name: str) -> NDArray[Any]:
        """Return one layer's weights of tails (..., n) as an array of (..., inputs, outputs)."""
        h, s = self.hidden, self.second
        layers = {
            "second": (h, s),
            "second_bias": (s,),
            "third": (s, _WIDTH),
            "third_bias": (_WIDTH,),
            "out": (_WIDTH, 8),
            "out_bias": (8,),
        }
        at = 0
        for layer, shape in layers.items():
            n = math.prod(shape)
            if layer == name:
                return tails[..., at : at + n].reshape(*tails.shape[:-1], *shape)
            at += n
        raise KeyError(name)

    def grown(
        self, weights: NDArray[np.float32], shape: "NetShape", seed: int | None
    ) -> NDArray[np.float32]:
        """Return the weights of a wider net that says the same.

        Parameters
        ----------
        weights : (size,) float32 array
            Of this shape: weights, or moments of Adam.
        shape : NetShape
            With at least as many units.
        seed : int or None
            New units get random inputs, and outputs of weight 0. None, for moments: all 0.
        """
        h, s = self.hidden, self.second
        if seed is None:
            result = np.zeros(shape.size, np.float32)
        else:
            result = shape.initial(seed)
            # the new ones alone stay random, and nothing behind them listens yet
            common = shape.tails(result)[0]
            shape.part(common, "second")[h:] = 0
            shape.part(common, "third")[s:] = 0
            shape.tails(result)[1:] = 0
        rows = weights[: (self.inputs + 1) * h].reshape(-1, h)
        grown = result[: (shape.inputs + 1) * shape.hidden].reshape(-1, shape.hidden)
        grown[: self.inputs, :h] = rows[:-1]
        grown[-1, :h] = rows[-1]
        old, new = self.tails(weights), shape.tails(result)
        shape.part(new, "second")[:, :h, :s] = self.part(old, "second")
        shape.part(new, "second_bias")[:, :s] = self.part(old, "second_bias")
        shape.part(new, "third")[:, :s] = self.part(old, "third")
        for name in ("third_bias", "out", "out_bias"):
            shape.part(new, name)[:] = self.part(old, name)
        return result

    def active(self, weights: NDArray[np.float32], boards: NDArray[np.int8]) -> NDArray[np.int64]:
        """Count for each hidden unit on how many boards it is active.

        Parameters
        ----------
        weights : (size,) float32 array
        boards : (n, 32) int8 array
            Unfinished, after a play, in the core's layout.

        Returns
        -------
        (hidden,) int64 array
        """
        active: NDArray[np.int64] = training.hidden_active(
            self.hidden, self.second, self.relations, weights, boards
        )
        return active

    def renewed(
        self, weights: NDArray[np.float32], dead: NDArray[np.bool_], seed: int | None
    ) -> NDArray[np.float32]:
        """Return the weights of a strong net with some hidden units begun anew.

        Parameters
        ----------
        weights : (size,) float32 array
            Weights, or moments of Adam.
        dead : (hidden,) bool array
            The units to begin anew.
        seed : int or None
            They get random inputs, and outputs of weight 0. None, for moments: all 0.
        """
        result = weights.copy()
        n = (self.inputs + 1) * self.hidden
        rows = result[:n].reshape(-1, self.hidden)
        if seed is None:
            rows[:, dead] = 0
        else:
            rows[:, dead] = self.initial(seed)[:n].reshape(-1, self.hidden)[:, dead]
        self.part(self.tails(result), "second")[:, dead] = 0
        return result

    def quantised(self, weights: NDArray[np.float32]) -> dict[str, NDArray[Any]]:
        """Turn float weights into the integers of a file of nets (see `bgcore.nets`).

        Raises
        ------
        NetError
            If they are not (size,) floats, or a weight is not finite or too large.
        """
        check_weights(weights, self.size)
        return self._quantised_deep(weights) if self.second else _quantised_value(weights)

    def _quantised_deep(self, weights: NDArray[np.float32]) -> dict[str, NDArray[Any]]:
        x = weights.astype(np.float64)
        rows, relations, bias, scaled, bits = self._fixed_deep_hidden(x)
        tails = self._joined_tails(x)
        layer, output = network.DEEP_LAYER_WEIGHT_BITS, network.DEEP_LAYER_BITS
        parts: dict[str, tuple[NDArray[Any], int, type[np.signedinteger[Any]]]] = {
            "third": (self.part(tails, "third").transpose(0, 2, 1), layer, np.int16),
            "out": (self.part(tails, "out")[..., :5].transpose(0, 2, 1), layer, np.int16),
            "second_bias": (self.part(tails, "second_bias"), network.DEEP_SUM_BITS, np.int32),
            "third_bias": (self.part(tails, "third_bias"), layer + output, np.int32),
            "out_bias": (self.part(tails, "out_bias")[..., :5], layer + output, np.int32),
        }
        fixed = {name: _fixed_point(name, *part) for name, part in parts.items()}
        return {
            "strong_rows": rows,
            "strong_bias": bias,
            "strong_second": scaled,
            "strong_second_bias": fixed["second_bias"],
            "strong_third": fixed["third"],
            "strong_third_bias": fixed["third_bias"],
            "strong_out": fixed["out"],
            "strong_out_bias": fixed["out_bias"],
        } | (
            {
                "strong_relations": relations,
                "strong_reach": np.array([_reach(bits)], np.int16),
            }
            if self.relations
            else {}
        )

    def _joined_tails(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        tails = self.tails(x)
        joined: NDArray[np.float64] = tails[1:] + tails[0]
        return joined

    def _fixed_deep_hidden(self, x: NDArray[np.float64]) -> _FixedHidden:
        n, bias_at = training.FEATURES * self.hidden, self.inputs * self.hidden
        return _fixed_hidden(
            _rows_of(x[:n], self.hidden),
            x[n:bias_at].reshape(-1, self.hidden),
            x[bias_at : bias_at + self.hidden],
            self.part(self._joined_tails(x), "second").transpose(0, 2, 1),
            network.DEEP_SUM_BITS,
            12,
        )

    def net(self, weights: NDArray[np.float32]) -> "network.ValueNet | network.DeepNet":
        """Return the net of float weights, as integers."""
        kind = network.DeepNet if self.second else network.ValueNet
        return kind(*self.quantised(weights).values())

    def learn(
        self,
        weights: NDArray[np.float32],
        first: NDArray[np.float32],
        second: NDArray[np.float32],
        powers: NDArray[np.float64],
        boards: NDArray[np.int8],
        targets: NDArray[np.float32],
        order: NDArray[np.int64],
        batch: int,
        rate: float,
        *,
        rounded: bool = False,
    ) -> float:
        """Take steps of Adam; changes the first four. See `bgcore._core.training.train`.

        rounded: the passes see the weights as the file has them, with the unit of hidden sums that
        fits the weights at the start; they must be such that a file can hold them (NetError).
        """
        bits = self.hidden_bits(weights) if rounded else 0
        if self.second:
            return training.train_deep(
                self.hidden, self.second, self.relations, weights, first, second, powers, boards,
                targets, order, batch, rate, hidden_bits=bits,
            )  # fmt: skip
        return training.train(
            weights, first, second, powers, boards, targets, order, batch, rate, kind="value",
            hidden_bits=bits,
        )  # fmt: skip

    def hidden_bits(self, weights: NDArray[np.float32]) -> int:
        """Return b for the unit of hidden sums in a file of these weights, 2**-b: 5 to 12.

        Raises
        ------
        NetError
            As `quantised`.
        """
        check_weights(weights, self.size)
        if self.second:
            return self._fixed_deep_hidden(weights.astype(np.float64))[4]
        rows, bias, out, _ = _split(weights, network.HIDDEN, network.HEADS, 5)
        return _fixed_value_hidden(rows, bias, out)[4]


#: The shape of the fast net.
FAST = NetShape(network.HIDDEN, 0)


def first_weights(seed: int, hidden: int, outputs: int) -> NDArray[np.float32]:
    """Random first weights: features uniform in +-0.2, outputs in +-0.1, biases 0."""
    n = training.FEATURES * hidden
    unit = _random_units(seed, n + outputs * hidden)
    zeros = np.zeros
    return np.concatenate(
        [
            unit[:n] * np.float32(0.2),
            zeros(hidden, np.float32),
            unit[n:] * np.float32(0.1),
            zeros(outputs, np.float32),
        ]
    )


def first_rolls_weights(seed: int, hidden: int) -> NDArray[np.float32]:
    """Random first weights of a roll net that looks at one roll at a time.

    Features uniform in +-0.2, steps of checkers in +-0.1, outputs, which begin alike for all
    heads, in +-0.05; the rest 0.
    """
    n = training.FEATURES * hidden
    steps, out = network.ROLL_STEPS * hidden, network.ROLL_KINDS * 5 * hidden
    unit = _random_units(seed, n + steps + out)
    weights = np.zeros(training.rolls_parameters(hidden), np.float32)
    weights[:n] = unit[:n] * np.float32(0.2)
    moves = n + hidden
    weights[moves : moves + steps] = unit[n : n + steps] * np.float32(0.1)
    first = moves + network.ROLL_MOVES * hidden
    heads = weights[first : first + network.HEADS * out].reshape(network.HEADS, out)
    heads[:] = unit[n + steps :] * np.float32(0.05)
    return weights


def _rows_of(features: NDArray[np.float64], hidden: int) -> NDArray[np.float64]:
    """Turn weights of features into (28, 31, hidden) rows."""
    parts = features.reshape(network.CELLS, 2, -1, hidden)
    # (28, 31, 2, 4) x (28, 2, 4, H): einsum without BLAS, its sums have at most 4 terms
    rows = np.zeros((network.CELLS, network.VALUES, hidden))
    matrix = training.feature_matrix().astype(np.float64)
    for side in range(2):
        for f in range(parts.shape[2]):
            rows += matrix[:, :, side, f, None] * parts[:, None, side, f]
    return rows


def _split(
    parameters: NDArray[np.float32], hidden: int, heads: int, outputs: int
) -> tuple[NDArray[np.float64], ...]:
    x = parameters.astype(np.float64)
    n = training.FEATURES * hidden
    end = n + hidden + heads * outputs * hidden
    return (
        _rows_of(x[:n], hidden),
        x[n : n + hidden],
        x[n + hidden : end].reshape(heads, outputs, hidden),
        x[end:].reshape(heads, outputs),
    )


def _fixed_hidden(
    rows: NDArray[np.float64],
    relations: NDArray[np.float64],
    bias: NDArray[np.float64],
    out: NDArray[np.float64],
    sum_bits: int,
    finest: int,
) -> _FixedHidden:
    """Choose the finest unit of hidden sums, 2**-bits, that fits on every board: 5 bits or more."""
    for bits in range(finest, 4, -1):
        scaled = [np.rint(part * 2.0**bits) for part in (rows, relations, bias)]
        if max(np.abs(part).max(initial=0) for part in scaled) > 32767:
            continue
        short_rows, short_relations, short_bias = (part.astype(np.int16) for part in scaled)
        low, high = network.hidden_range(short_rows, short_bias)
        if len(relations):
            less, more = network.relation_range(short_relations)
            if less.min() < -32768 or max(more.max(), _reach(bits)) > 32767:
                continue
            low, high = low - _reach(bits), high + _reach(bits)
        if low.min() < -32768 or high.max() > 32767:
            continue
        fixed_out = np.rint(out * 2.0 ** (sum_bits - bits))
        if np.abs(fixed_out).max() > 32767:
            break
        return short_rows, short_relations, short_bias, fixed_out.astype(np.int16), bits
    raise NetError("the weights are too large for 16 bits: the training has diverged")


def _reach(bits: int) -> int:
    """Where the sum of the relations is cut, in hidden units of 2**-bits."""
    return int(training.RELATION_LIMIT * 2.0**bits)


def _fixed_value_hidden(
    rows: NDArray[np.float64], bias: NDArray[np.float64], out: NDArray[np.float64]
) -> _FixedHidden:
    none = np.zeros((0, network.HIDDEN))
    return _fixed_hidden(rows, none, bias, out, network.Z_BITS, 11)


def _quantised_value(weights: NDArray[np.float32]) -> dict[str, NDArray[Any]]:
    rows, bias, out, out_bias = _split(weights, network.HIDDEN, network.HEADS, 5)
    fixed_rows, _, fixed_bias, fixed_out, _ = _fixed_value_hidden(rows, bias, out)
    fixed_out_bias = np.clip(np.rint(out_bias * 2.0**network.Z_BITS), -(2**30), 2**30)
    return {
        "value_rows": fixed_rows,
        "value_bias": fixed_bias,
        "value_out": fixed_out,
        "value_out_bias": fixed_out_bias.astype(np.int32),
    }


def check_weights(weights: object, n: int) -> None:
    """Refuse what are not n finite floats.

    Raises
    ------
    NetError
    """
    array = np.asarray(weights)
    if array.shape != (n,) or array.dtype.kind != "f":
        raise NetError(f"the weights are {array.dtype} {array.shape}, not float32 ({n},)")
    if not np.isfinite(array).all():
        raise NetError("the weights are not finite: the training has diverged")


def _fixed_point(
    name: str, values: NDArray[Any], bits: int, dtype: type[np.signedinteger[Any]]
) -> NDArray[Any]:
    """Round to a multiple of 2**-bits."""
    fixed = np.rint(values.astype(np.float64) * 2.0**bits)
    if np.abs(fixed).max() > np.iinfo(dtype).max:
        raise NetError(f"{name}: the weights are too large: the training has diverged")
    return np.ascontiguousarray(fixed.astype(dtype))


def quantise_luck(parameters: NDArray[np.float32]) -> dict[str, NDArray[Any]]:
    """Turn the float weights of a roll net into the integers of a file of nets.

    Parameters
    ----------
    parameters : (LUCK_PARAMETERS,) float32 array

    Returns
    -------
    dict of str to array
        The arrays whose names begin with `luck_`, see `bgcore.nets`.

    Raises
    ------
    NetError
        If they are not such an array, or a weight is not finite or too large.
    """
    check_weights(parameters, training.LUCK_PARAMETERS)
    h, outputs, pairs = network.ROLL_HIDDEN, network.ROLL_OUTPUTS, network.ROLL_PAIRS
    first = (training.FEATURES + 1) * h
    second = first + pairs * h
    third = second + pairs * network.ROLL_WIDTH
    core = np.concatenate([parameters[:first], parameters[third:]])
    rows, bias, out, out_bias = _split(core, h, network.ROLL_HEADS, outputs)
    bits = _LUCK_HIDDEN_BITS
    parts: dict[str, tuple[NDArray[Any], int, type[np.signedinteger[Any]]]] = {
        "luck_rows": (rows, bits, np.int16),
        "luck_bias": (bias, bits, np.int16),
        "luck_pair_rows": (parameters[first:second].reshape(pairs, h), bits, np.int16),
        "luck_pair_out": (
            parameters[second:third].reshape(pairs, -1),
            network.ROLL_PAIR_BITS,
            np.int16,
        ),
        "luck_out": (out, network.ROLL_Z_BITS - bits, np.int16),
        "luck_out_bias": (out_bias, network.ROLL_Z_BITS, np.int32),
    }
    return {name: _fixed_point(name, *part) for name, part in parts.items()}


def quantise_rolls(weights: NDArray[np.float32], hidden: int) -> dict[str, NDArray[Any]]:
    """Turn the float weights of a roll net that looks at one roll at a time into integers.

    The hidden units get the finest unit that fits on every board.

    Parameters
    ----------
    weights : (n,) float32 array
        As many as `training.rolls_parameters` says.
    hidden : int
        The number of hidden units.

    Returns
    -------
    dict of str to array
        The arrays whose names begin with `rolls_`, see `bgcore.nets`.

    Raises
    ------
    NetError
        If they are not such an array, or a weight is not finite or too large.
    """
    check_weights(weights, training.rolls_parameters(hidden))
    x = weights.astype(np.float64)
    features = training.FEATURES * hidden
    moves_at = features + hidden
    out_at = moves_at + network.ROLL_MOVES * hidden
    bias_at = out_at + network.HEADS * network.ROLL_KINDS * 5 * hidden
    rows = _rows_of(x[:features], hidden)
    bias = x[features:moves_at]
    moves = x[moves_at:out_at].reshape(-1, hidden)
    out = x[out_at:bias_at].reshape(network.HEADS, network.ROLL_KINDS, 5, hidden)
    for bits in range(12, 4, -1):
        scaled = [np.rint(part * 2.0**bits) for part in (rows, bias, moves)]
        if max(np.abs(part).max() for part in scaled) > 32767:
            continue
        short_rows, short_bias, short_moves = (part.astype(np.int16) for part in scaled)
        low, high = network.hidden_range(short_rows, short_bias)
        less, more = network.moves_range(short_moves)
        if (low + less).min() >= -32768 and (high + more).max() <= 32767:
            break
    else:
        raise NetError("the weights are too large for 16 bits: the training has diverged")
    unit = network.ROLL_Z_BITS
    return {
        "rolls_rows": short_rows,
        "rolls_bias": short_bias,
        "rolls_moves": short_moves,
        "rolls_out": _fixed_point("rolls_out", out, unit - bits, np.int16),
        "rolls_out_bias": _fixed_point(
            "rolls_out_bias", x[bias_at:].reshape(network.HEADS, 21, 5), unit, np.int32
        ),
    }
