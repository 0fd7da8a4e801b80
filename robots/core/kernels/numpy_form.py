"""A programme run on NumPy: a few thousand samples at a time, in registers that stay in the cache.

Every call writes into a register of its own or one whose value is no longer needed, so a chunk's
whole working set stays in the second-level cache.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from robots.core.arrays import Array
from robots.core.recording import Operation, Programme

CHUNK = 4096  # samples: 50 registers of 32 kB, about the second-level cache of current cores
Operand = int | float  # index of an earlier call, or a constant


@dataclass(frozen=True, slots=True)
class _Step:
    """One ufunc call: operands are registers (int) or constants (float)."""

    ufunc: Any
    operands: tuple[Operand, ...]
    target: int


class NumpyForm:
    """A programme with its registers assigned.

    Args:
        programme: what to compute.
    """

    def __init__(self, programme: Programme) -> None:
        low = lowered(programme)
        self._columns = low.columns
        self._register: dict[int, int] = {}
        self._inputs: list[tuple[int, int, int]] = []
        self._steps: list[_Step] = []
        self._registers = 0
        self._assign(low)

    def run(self, inputs: Sequence[Array], out: Array) -> None:
        """Fill ``out`` (N, result size) from ``inputs``, each (N, argument size)."""
        total = len(out)
        registers = np.empty((self._registers, min(CHUNK, total)))
        for start in range(0, total, CHUNK):
            stop = min(start + CHUNK, total)
            chunk = [row[: stop - start] for row in registers]
            for argument, column, register in self._inputs:
                np.copyto(chunk[register], inputs[argument][start:stop, column])
            for step in self._steps:
                operands = [chunk[o] if isinstance(o, int) else o for o in step.operands]
                step.ufunc(*operands, out=chunk[step.target])
            self._store(chunk, out[start:stop])

    def _store(self, chunk: Sequence[Array], out: Array) -> None:
        for place, column in enumerate(self._columns):
            if column.call < 0:
                out[:, place] = column.constant
            elif column.negative:
                np.negative(chunk[self._register[column.call]], out=out[:, place])
            else:
                out[:, place] = chunk[self._register[column.call]]

    def _assign(self, low: NumpyCalls) -> None:
        """Give every call a register, reusing those whose value has been read for the last time."""
        last = _last_use(low)
        free: list[int] = []
        for index, call in enumerate(low.calls):
            reads = () if call.ufunc is None else call.operands
            registers = tuple(self._register[o] if isinstance(o, int) else o for o in reads)
            # Elementwise ufuncs may write over an operand, so a dying one is free at once.
            free.extend(
                self._register[o] for o in set(reads) if isinstance(o, int) and last[o] == index
            )
            target = self._take(free)
            self._register[index] = target
            if call.ufunc is None:
                argument, column = call.operands
                self._inputs.append((int(argument), int(column), target))
            else:
                self._steps.append(_Step(call.ufunc, registers, target))

    def _take(self, free: list[int]) -> int:
        if free:
            return free.pop()
        self._registers += 1
        return self._registers - 1


def _last_use(low: NumpyCalls) -> list[int]:
    """Index of the call that reads each value last; outputs are never released."""
    never = len(low.calls)
    last = [-1] * never
    for index, call in enumerate(low.calls):
        for operand in call.operands if call.ufunc is not None else ():
            if isinstance(operand, int):
                last[operand] = index
    for column in low.columns:
        if column.call >= 0:
            last[column.call] = never
    return last


# ---------------------------------------------------------------------------------- Numpy lowering
# Sine and cosine of one angle come from the tangent of its half, sin x = t·w and cos x = w - 1 with
# w = 2/(1 + t²): NumPy has a vector tangent where its sine is scalar (8 times slower on AVX-512),
# and the two together stay within 4e-16 of the library's.

_UFUNC: dict[Operation, Any] = {
    Operation.ADD: np.add,
    Operation.SUBTRACT: np.subtract,
    Operation.MULTIPLY: np.multiply,
    Operation.DIVIDE: np.true_divide,
    Operation.SIGN: np.sign,
    Operation.SQRT: np.sqrt,
    Operation.ATAN2: np.arctan2,
    Operation.MAXIMUM: np.maximum,
}


@dataclass(frozen=True, slots=True)
class Call:
    """One ufunc call; ``ufunc`` is None for an input, whose operands are (argument, column)."""

    ufunc: Any
    operands: tuple[Operand, ...]


@dataclass(frozen=True, slots=True)
class Column:
    """One output column: a call's value (perhaps negated), or a constant when ``call`` is -1."""

    call: int
    negative: bool
    constant: float


@dataclass(frozen=True, slots=True)
class NumpyCalls:
    """NumPy calls in order, and the columns of the outputs."""

    calls: tuple[Call, ...]
    columns: tuple[Column, ...]


def lowered(programme: Programme) -> NumpyCalls:
    """Translate a programme to NumPy calls."""
    builder = _Builder(programme)
    values = [builder.translate(index) for index in range(len(programme.instructions))]
    columns = [_column(values[out.value], out.negative) for out in programme.outputs]
    return NumpyCalls(calls=tuple(builder.calls), columns=tuple(columns))


def _column(value: Operand, negative: bool) -> Column:
    if isinstance(value, float):
        return Column(-1, False, -value if negative else value)
    return Column(value, negative, 0.0)


class _Builder:
    def __init__(self, programme: Programme) -> None:
        self.calls: list[Call] = []
        self._programme = programme
        self._place: list[Operand] = []
        self._half_angles: dict[Operand, tuple[Operand, Operand]] = {}

    def translate(self, index: int) -> Operand:
        """Emit the calls of one instruction and remember where its value is."""
        item = self._programme.instructions[index]
        if item.operation is Operation.CONSTANT:
            place: Operand = item.number
        elif item.operation is Operation.INPUT:
            place = self._call(None, item.a, item.b)
        elif item.operation is Operation.SIN:
            place = self._call(np.multiply, *self._half_angle(self._place[item.a]))
        elif item.operation is Operation.COS:
            place = self._call(np.subtract, self._half_angle(self._place[item.a])[1], 1.0)
        elif item.operation is Operation.OPPOSITE:
            x = self._place[item.a]
            place = self._call(np.subtract, x, self._call(np.copysign, np.pi, x))
        else:
            operands = (item.a, item.b)[: item.operation.operands]
            place = self._call(_UFUNC[item.operation], *(self._place[k] for k in operands))
        self._place.append(place)
        return place

    def _half_angle(self, x: Operand) -> tuple[Operand, Operand]:
        """(t, w) of an angle, shared by its sine and cosine."""
        if x not in self._half_angles:
            t = self._call(np.tan, self._call(np.multiply, x, 0.5))
            squared = self._call(np.add, self._call(np.multiply, t, t), 1.0)
            self._half_angles[x] = (t, self._call(np.true_divide, 2.0, squared))
        return self._half_angles[x]

    def _call(self, ufunc: Any, *operands: Operand) -> int:
        self.calls.append(Call(ufunc, operands))
        return len(self.calls) - 1
