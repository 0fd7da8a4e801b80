"""One sample of a programme at a time, as fast as Python can call: for the cycles of a controller.

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
from robots.core.errors import StateError
from robots.core.kernels.llvm import llvm_text
from robots.core.kernels.machine import text_code, this_machine
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
