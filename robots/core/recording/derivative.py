"""Derivative of a programme, as a programme: the chain rule along the recorded straight line.

Values and tangents are recorded anew, so constants fold, equal terms are shared (a product and its
derivative use the same sines and cosines) and tangents that are zero cost nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from robots.core.errors import EquationError
from robots.core.recording.programme import Instruction, Operation, Output, Programme
from robots.core.recording.recorder import Recorder

Tangent = Mapping[int, Any]  # place in the argument -> partial derivative; absent is zero


@dataclass(frozen=True, slots=True, kw_only=True)
class _Value:
    """A recorded value and its partial derivatives."""

    primal: Any
    tangent: Tangent


def derivative(programme: Programme, argument: str) -> Programme:
    """Partial derivatives of every number of the result by every number of one argument.

    The derivative of a sign is taken as zero, which it is wherever it exists; a square root has
    none at zero and gives a division by zero there.

    Args:
        programme: what to differentiate.
        argument: name of the argument to differentiate by, of ``size`` numbers.

    Returns:
        A programme of the same arguments, result shape (*result, size): its last index is the place
        in the argument, row-major.

    Raises:
        EquationError: the programme has no such argument; the message lists those it has. Or it
            takes an arc tangent or the larger of two values.
    """
    place = _place(programme, argument)
    recorder = Recorder()
    inputs = [recorder.argument(given.name, given.shape) for given in programme.arguments]
    values: list[_Value] = []
    for item in programme.instructions:
        values.append(_step(recorder, item, values, inputs, place))
    size = programme.arguments[place].size
    outputs = [x for out in programme.outputs for x in _row(values[out.value], out, size)]
    name = f"{programme.name}_by_{argument}"
    return recorder.programme(name, outputs, (*programme.result.shape, size))


def _place(programme: Programme, argument: str) -> int:
    names = [given.name for given in programme.arguments]
    if argument not in names:
        raise EquationError(
            f"{programme.name} has no argument {argument!r} to differentiate by; "
            f"it has {', '.join(names)}.",
            argument=argument,
        )
    return names.index(argument)


def _row(value: _Value, out: Output, size: int) -> list[Any]:
    row = [value.tangent.get(k, 0.0) for k in range(size)]
    return [-x for x in row] if out.negative else row


def _step(
    recorder: Recorder,
    item: Instruction,
    values: Sequence[_Value],
    inputs: Sequence[Sequence[Any]],
    place: int,
) -> _Value:
    """One instruction with its derivative."""
    if item.operation is Operation.CONSTANT:
        return _Value(primal=item.number, tangent={})
    if item.operation is Operation.INPUT:
        tangent = {item.b: 1.0} if item.a == place else {}
        return _Value(primal=inputs[item.a][item.b], tangent=tangent)
    if item.operation.operands == 1:
        return _unary(recorder, item.operation, values[item.a])
    return _binary(recorder, item.operation, values[item.a], values[item.b])


def _unary(recorder: Recorder, operation: Operation, a: _Value) -> _Value:
    primal = recorder.unary(operation, a.primal)
    slope: Any = 0.0
    if a.tangent and operation is Operation.SIN:
        slope = recorder.unary(Operation.COS, a.primal)
    elif a.tangent and operation is Operation.COS:
        slope = -recorder.unary(Operation.SIN, a.primal)
    elif a.tangent and operation is Operation.SQRT:
        slope = recorder.divide(0.5, primal)
    elif operation is Operation.OPPOSITE:
        slope = 1.0
    return _Value(primal=primal, tangent=_scaled(recorder, slope, a.tangent))


def _binary(recorder: Recorder, operation: Operation, a: _Value, b: _Value) -> _Value:
    if operation is Operation.ADD:
        primal = recorder.add(a.primal, b.primal)
        return _Value(primal=primal, tangent=_sum(recorder, a.tangent, b.tangent))
    if operation is Operation.SUBTRACT:
        minus = {k: -x for k, x in b.tangent.items()}
        primal = recorder.add(a.primal, -b.primal)
        return _Value(primal=primal, tangent=_sum(recorder, a.tangent, minus))
    if operation is Operation.MULTIPLY:
        left = _scaled(recorder, b.primal, a.tangent)
        right = _scaled(recorder, a.primal, b.tangent)
        primal = recorder.multiply(a.primal, b.primal)
        return _Value(primal=primal, tangent=_sum(recorder, left, right))
    if operation is not Operation.DIVIDE:
        raise EquationError(
            f"A programme with {operation.value} has no derivative here; differentiate what stands "
            "before it.",
            operation=operation.value,
        )
    # (a/b)' = (a' - (a/b)·b')/b: one division more per partial derivative, no square of b.
    primal = recorder.divide(a.primal, b.primal)
    rest = _sum(recorder, a.tangent, _scaled(recorder, -primal, b.tangent))
    return _Value(primal=primal, tangent={k: recorder.divide(x, b.primal) for k, x in rest.items()})


def _scaled(recorder: Recorder, factor: Any, tangent: Tangent) -> Tangent:
    return {k: recorder.multiply(factor, x) for k, x in tangent.items()}


def _sum(recorder: Recorder, left: Tangent, right: Tangent) -> Tangent:
    both = dict(left)
    for k, x in right.items():
        both[k] = recorder.add(both[k], x) if k in both else x
    return both
