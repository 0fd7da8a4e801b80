"""A programme run on its own result: thousands of cycles of a simulation in one call.

The rows of the run lie in one array; the machine code reads the state in row k and writes row k + 1
as if it were the next sample of a batch of one lane.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from robots.core.arrays import Array
from robots.core.errors import EquationError, StateError
from robots.core.kernels.llvm import llvm_text
from robots.core.kernels.machine import Loaded, text_code, this_machine
from robots.core.kernels.numpy_form import NumpyForm
from robots.core.recording import Programme


class Recurrence:
    """Steps of a programme whose result is its own first argument one step later.

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
