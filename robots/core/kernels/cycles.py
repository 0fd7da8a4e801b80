"""Programmes cycle by cycle: one call per sample, or thousands of steps on their own result.

A ``Kernel`` checks and lays out the arrays of every call, which costs ten times the arithmetic of a
small robot. A bound call owns its arrays, made once; a call copies the arguments in and jumps into
machine code of one lane. It belongs to one thread.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from robots.core.arrays import Array
from robots.core.errors import EquationError, StateError
from robots.core.kernels.llvm import llvm_text
from robots.core.kernels.machine import Loaded, text_code, this_machine
from robots.core.kernels.numpy_form import NumpyForm
from robots.core.recording import Programme


class BoundCall:
    """A programme with its arguments and its result at fixed places.

    ``call = BoundCall(programme); call(q, qd)`` answers with ``call.result``, which the next call
    overwrites. Who writes into ``call.arguments`` in place runs it by ``call.run()`` and saves the
    copies.

    Args:
        programme: what to compute.
    """

    def __init__(self, programme: Programme) -> None:
        self.programme = programme
        self.arguments: tuple[Array, ...] = tuple(np.zeros(a.shape) for a in programme.arguments)
        self.result: Array = np.zeros(programme.result.shape)
        self._engine: object = None  # keeps the machine code in memory
        self.run: Callable[[], None] = self._bound()

    def __call__(self, *values: ArrayLike) -> Array:
        """Evaluate once.

        Args:
            *values: one per argument, of its shape.

        Returns:
            The result's own array. # (*result shape)

        Raises:
            StateError: another number of values than arguments.
            ValueError: a value that does not fit its argument (NumPy's message).
        """
        if len(values) != len(self.arguments):
            names = ", ".join(a.name for a in self.programme.arguments)
            raise StateError(
                f"{self.programme.name} takes {len(self.arguments)} arrays ({names}), but "
                f"{len(values)} were given."
            )
        for place, value in zip(self.arguments, values, strict=True):
            place[...] = np.asarray(value)
        self.run()
        return self.result

    def _bound(self) -> Callable[[], None]:
        """The call without arguments; machine code, or NumPy where none can be made."""
        target = this_machine()
        if target is None:
            rows = [place.reshape(1, -1) for place in self.arguments]
            return partial(NumpyForm(self.programme).run, rows, self.result.reshape(1, -1))
        lane = replace(target, lanes=1)
        code = text_code(llvm_text(self.programme, 1), lane, len(self.arguments))
        self._engine = code.engine
        kinds = code.call.argtypes
        values = (1, *(a.ctypes.data for a in (*self.arguments, self.result)))
        return partial(code.call, *(kind(v) for kind, v in zip(kinds, values, strict=True)))


# --- many cycles in one call ---------------------------------------------------------------------


class Recurrence:
    """Steps of a programme whose result is its own first argument one step later.

    The rows of the run lie in one array; the machine code reads the state in row k and writes row
    k + 1 as if it were the next sample of a batch of one lane.

    Args:
        programme: first argument and result of one size; further arguments drive the steps.

    Raises:
        EquationError: the result does not fit the first argument.
    """

    def __init__(self, programme: Programme) -> None:
        state = programme.arguments[0].size if programme.arguments else 0
        if state != programme.result.size:
            raise EquationError(
                f"{programme.name} answers with {programme.result.size} numbers and starts from "
                f"{state}; a recurrence needs the same number of both.",
                result=programme.result.size,
                state=state,
            )
        self.programme = programme
        self._code: Loaded | None = None
        target = this_machine()
        if target is not None:
            # The rows overlap by one step: the kernel's promise that they do not is withdrawn.
            text = llvm_text(programme, 1).replace(" noalias", "")
            lane = replace(target, lanes=1)
            self._code = text_code(text, lane, len(programme.arguments))

    def __call__(self, start: object, *driving: object, steps: int) -> Array:
        """Run ``steps`` steps.

        Args:
            start: state before the first step. # (state size,)
            *driving: one per further argument, a row per step or one row for all.
                # (steps, size) or (size,)
            steps: how many.

        Returns:
            States, the start first. # (steps + 1, state size)

        Raises:
            StateError: wrong number or shape of arrays.
        """
        states = np.empty((steps + 1, self.programme.result.size))
        states[0] = self._rows(0, start, 1)[0]
        if len(driving) != len(self.programme.arguments) - 1:
            raise StateError(
                f"{self.programme.name} is driven by {len(self.programme.arguments) - 1} arrays, "
                f"but {len(driving)} were given."
            )
        rows = [self._rows(k + 1, value, steps) for k, value in enumerate(driving)]
        if self._code is None:
            form = NumpyForm(self.programme)
            for k in range(steps):
                row = [states[k : k + 1], *(r[k : k + 1] for r in rows)]
                form.run(row, states[k + 1 : k + 2])
        else:
            given = [states[:-1], *rows, states[1:]]
            self._code.call(steps, *(a.ctypes.data for a in given))
        return states

    def _rows(self, place: int, value: object, steps: int) -> Array:
        argument = self.programme.arguments[place]
        array = np.asarray(value, dtype=np.float64)
        if array.shape not in ((argument.size,), (steps, argument.size)):
            raise StateError(
                f"{self.programme.name}: {argument.name} has shape {array.shape}; expected "
                f"({argument.size},) or ({steps}, {argument.size}).",
                argument=argument.name,
                found=array.shape,
            )
        return np.ascontiguousarray(np.broadcast_to(array, (steps, argument.size)))
