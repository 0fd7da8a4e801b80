"""States with known results, printed into every export so that it can test itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from robots.core.arrays import Array
from robots.core.errors import EquationError
from robots.core.kernels import Kernel
from robots.core.recording import Operation, Programme

Bounds = Mapping[str, tuple[Array, Array]]  # argument name -> lowest and highest, per number

LIMIT = 1e-12  # relative to the largest number of a result
STATES = 3
_DRAWS = 64
# States whose rounding errors are larger are too badly conditioned to blame an export for.
_STABLE = 0.05 * LIMIT


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedState:
    """Arguments, one flat list each, and the flat result."""

    arguments: tuple[tuple[float, ...], ...]
    expected: tuple[float, ...]


def checked_states(programme: Programme, bounds: Bounds) -> tuple[CheckedState, ...]:
    """States within bounds whose results, by the NumPy form, do not hinge on rounding.

    Args:
        programme: what to evaluate.
        bounds: of arguments; those not named lie within ±1.

    Raises:
        EquationError: no states can be found whose results are stable to the test's limit.
    """
    # The same programme always gets the same states, so that exports are reproducible.
    rng = np.random.default_rng(int(programme.digest[:15], 16))
    kernel = Kernel(programme, "numpy")
    found: list[CheckedState] = []
    for _ in range(_DRAWS):
        arguments = [_drawn(rng, a.size, bounds.get(a.name)) for a in programme.arguments]
        shaped = zip(arguments, programme.arguments, strict=True)
        with np.errstate(all="ignore"):  # states without a result are not used
            expected = kernel(*(np.reshape(x, a.shape) for x, a in shaped)).ravel()
            exact = _evaluated(programme, arguments)
        if _stable(expected, exact):
            # Fifteen digits: what differs between machines is rounded away.
            digits = tuple(float(f"{x:.15g}") for x in expected)
            found.append(CheckedState(arguments=tuple(arguments), expected=digits))
        if len(found) == STATES:
            return tuple(found)
    raise EquationError(
        f"{programme.name}: in {_DRAWS} random states fewer than {STATES} have results that are "
        f"stable to {LIMIT:g}, so an export could not test itself; the mechanism is singular or its"
        " numbers differ by too many orders of magnitude.",
        name=programme.name,
    )


def _drawn(
    rng: np.random.Generator, size: int, bounds: tuple[Array, Array] | None
) -> tuple[float, ...]:
    low, high = bounds if bounds is not None else (np.full(size, -1.0), np.full(size, 1.0))
    values = low + (high - low) * rng.random(size)
    return tuple(float(f"{x:.4g}") for x in values)


def _stable(a: Array, b: Array) -> bool:
    if not np.all(np.isfinite(a)):
        return False
    scale = float(np.abs(a).max(initial=0.0)) or 1.0
    return bool(np.all(np.abs(a - b) <= _STABLE * scale))


def _evaluated(programme: Programme, arguments: Sequence[Sequence[float]]) -> Array:
    """The programme in extended precision where the machine has it: an evaluation of its own."""
    values: list[np.longdouble] = []
    for item in programme.instructions:
        if item.operation is Operation.CONSTANT:
            values.append(np.longdouble(item.number))
        elif item.operation is Operation.INPUT:
            values.append(np.longdouble(arguments[item.a][item.b]))
        else:
            operands = [values[k] for k in (item.a, item.b)[: item.operation.operands]]
            values.append(_PLAIN[item.operation](*operands))
    signed = [(-1.0 if out.negative else 1.0, values[out.value]) for out in programme.outputs]
    return np.array([sign * value for sign, value in signed], dtype=np.float64)


_PLAIN: dict[Operation, Callable[..., np.longdouble]] = {
    Operation.ADD: np.add,
    Operation.SUBTRACT: np.subtract,
    Operation.MULTIPLY: np.multiply,
    Operation.DIVIDE: np.divide,
    Operation.SIN: np.sin,
    Operation.COS: np.cos,
    Operation.SQRT: np.sqrt,
    Operation.SIGN: np.sign,
}
