"""A batch function from a programme: NumPy at once, machine code where it pays.

Which of the two runs depends only on the programme and the batch size, never on what ran before, so
the same call gives the same bits in any process.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from robots.core.arrays import Array
from robots.core.errors import EquationError, StateError
from robots.core.kernels.compiled import CompiledForm, compiled_form
from robots.core.kernels.machine import Machine, this_machine
from robots.core.kernels.numpy_form import NumpyForm
from robots.core.recording import Programme

Engine = Literal["auto", "numpy", "compiled"]

# Samples times instructions from which compiling (tens of milliseconds, and importing llvmlite) is
# cheaper than NumPy (about 0.4 ns for each).
COMPILATION_PAYS = 20_000_000


class Kernel:
    """A programme as a function of arrays with any leading batch shape.

    Args:
        programme: what to compute.
        engine: "numpy", "compiled", or "auto" to choose by the size of each call.

    Raises:
        EquationError: "compiled" on a machine without fused multiply-add.
    """

    def __init__(self, programme: Programme, engine: Engine = "auto") -> None:
        if engine not in ("auto", "numpy", "compiled"):
            raise EquationError(
                f'There is no engine {engine!r}; there are "auto", "numpy" and "compiled".'
            )
        self.programme = programme
        self.engine = engine
        self._numpy: NumpyForm | None = None
        self._compiled: CompiledForm | None = None

    def __call__(self, *arrays: object, out: Array | None = None, threads: int = 1) -> Array:
        """Evaluate for every sample.

        Args:
            *arrays: one per argument, shape (..., *argument shape); leading shapes broadcast.
            out: C-contiguous float64 array of the full result shape to fill.
            threads: processor cores to use for compiled code.

        Returns:
            The result. # (..., *result shape)

        Raises:
            StateError: wrong number or shape of arrays.
        """
        rows, lead = self._rows(arrays)
        shape = (*lead, *self.programme.result.shape)
        result = np.empty(shape) if out is None else _checked_out(out, shape)
        flat = result.reshape(-1, self.programme.result.size)
        if self._compile_for(len(flat)):
            self._machine_code().run(rows, flat, threads)
        else:
            self._numpy_form().run(rows, flat)
        return result

    def _compile_for(self, samples: int) -> bool:
        if self.engine != "auto":
            return self.engine == "compiled"
        pays = samples * self.programme.work >= COMPILATION_PAYS
        return pays and this_machine() is not None

    def _machine_code(self) -> CompiledForm:
        if self._compiled is None:
            self._compiled = compiled_form(self.programme, _required_machine())
        return self._compiled

    def _numpy_form(self) -> NumpyForm:
        if self._numpy is None:
            self._numpy = NumpyForm(self.programme)
        return self._numpy

    def _rows(self, arrays: Sequence[object]) -> tuple[list[Array], tuple[int, ...]]:
        """Arguments as (N, size) float64 rows in C order, and the common leading shape."""
        arguments = self.programme.arguments
        if len(arrays) != len(arguments):
            names = ", ".join(a.name for a in arguments)
            raise StateError(
                f"{self.programme.name} takes {len(arguments)} arrays ({names}), "
                f"but {len(arrays)} were given."
            )
        given = [np.asarray(a, dtype=np.float64) for a in arrays]
        leads = []
        for array, argument in zip(given, arguments, strict=True):
            depth = len(argument.shape)
            if array.ndim < depth or array.shape[array.ndim - depth :] != argument.shape:
                raise StateError(
                    f"{self.programme.name}: {argument.name} has shape {array.shape}; its last "
                    f"dimensions must be {argument.shape}.",
                    argument=argument.name,
                    found=array.shape,
                    expected=argument.shape,
                )
            leads.append(array.shape[: array.ndim - depth])
        lead = _common(self.programme.name, leads)
        rows = [
            _filled(array, (*lead, *argument.shape)).reshape(-1, argument.size)
            for array, argument in zip(given, arguments, strict=True)
        ]
        return rows, lead


def _filled(array: Array, shape: tuple[int, ...]) -> Array:
    """The array broadcast to a shape, in C order."""
    return np.ascontiguousarray(array if array.shape == shape else np.broadcast_to(array, shape))


def _common(name: str, leads: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    if all(lead == leads[0] for lead in leads):
        return leads[0] if leads else ()
    try:
        return np.broadcast_shapes(*leads)
    except ValueError:
        raise StateError(
            f"{name}: the arrays have {', '.join(map(str, leads))} samples; give the same number "
            "of samples to each.",
            found=leads,
        ) from None


def _checked_out(out: Array, shape: tuple[int, ...]) -> Array:
    if out.shape != shape or out.dtype != np.float64 or not out.flags.c_contiguous:
        raise StateError(
            f"out must be a C-contiguous float64 array of shape {shape}, not {out.dtype} "
            f"of shape {out.shape}."
        )
    return out


def _required_machine() -> Machine:
    found = this_machine()
    if found is None:
        raise EquationError(
            "This processor has no fused multiply-add, so kernels cannot be compiled for it; "
            'use the "numpy" engine.'
        )
    return found
