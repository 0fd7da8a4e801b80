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
from robots.core.kernels.numpy_lowering import Lowered, Operand, lowered
from robots.core.recording import Programme

CHUNK = 4096  # samples: 50 registers of 32 kB, about the second-level cache of current cores


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

    def _assign(self, low: Lowered) -> None:
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


def _last_use(low: Lowered) -> list[int]:
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
