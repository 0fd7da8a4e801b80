"""A batch function from a programme: machine code, or NumPy.

What runs depends only on the programme and the engine, never on what ran before, and machine code
gives a sample the same bits in a batch of any size: so does every call, in any process of this
machine.

Compiling takes some tens of milliseconds, once per machine, for most quantities. Optimising takes
time with the square of a programme's length: Lagrange's coefficients of fifteen joints would take
half a minute. So a long programme is compiled without it, and runs at half the speed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from robots.core.arrays import Array
from robots.core.errors import EquationError, StateError
from robots.core.kernels.compiled import CompiledForm, compiled_form
from robots.core.kernels.direct_call import Function, block_fits, direct_call
from robots.core.kernels.machine import Machine, this_machine
from robots.core.kernels.numpy_form import NumpyForm
from robots.core.recording import Programme

Engine = Literal["auto", "single-use", "numpy", "compiled"]
ENGINES = ("auto", "single-use", "numpy", "compiled")

# Samples times instructions from which one call alone repays compiling (tens of milliseconds, and
# importing llvmlite), beside NumPy (about 0.4 ns for each).
COMPILATION_PAYS = 20_000_000
# Length from which a programme is not optimised: below, that takes less than 0.1 s.
LONG = 2000


class Kernel:
    """A programme as a function of arrays with any leading batch shape.

    Args:
        programme: what to compute.
        engine: "auto" is machine code, or NumPy where this machine has none; "single-use" compiles
            only for a call that is large enough to repay it, which suits a process that evaluates
            one table; "numpy" and "compiled" are always the one or the other.

    Raises:
        EquationError: "compiled" on a machine without fused multiply-add.
    """

    def __init__(self, programme: Programme, engine: Engine = "auto") -> None:
        if engine not in ENGINES:
            names = ", ".join(f'"{name}"' for name in ENGINES)
            raise EquationError(f"There is no engine {engine!r}; there are {names}.")
        self.programme = programme
        self.engine = engine
        self._numpy: NumpyForm | None = None
        self._compiled: CompiledForm | None = None
        self._function: Function | None = None

    def __reduce__(self) -> tuple[type[Kernel], tuple[Programme, Engine]]:
        """Machine code stays in its process; another one loads its own."""
        return Kernel, (self.programme, self.engine)

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
        if out is None and threads == 1:
            return self.function(*arrays)
        return self._general(arrays, out, threads)

    @property
    def function(self) -> Function:
        """The kernel as a function of its arrays alone; the fastest way to call it.

        Asking for it compiles, unless the engine says otherwise.
        """
        if self._function is None:
            self._function = self._made_function()
        return self._function

    def _made_function(self) -> Function:
        if self._always_compiled_for() is None:
            return self._any_arrays
        made = direct_call(self.programme, self._machine_code(), self._any_arrays)
        return self._any_arrays if made is None else made

    def _any_arrays(self, *arrays: object) -> Array:
        return self._general(arrays)

    def _general(
        self, arrays: Sequence[object], out: Array | None = None, threads: int = 1
    ) -> Array:
        """Whatever the arrays are, with a message for those that do not fit."""
        rows, lead = self._rows(arrays)
        shape = (*lead, *self.programme.result.shape)
        result = np.empty(shape) if out is None else _checked_out(out, shape)
        flat = result.reshape(-1, self.programme.result.size)
        if self._compiled_for(len(flat)) is None:
            self._numpy_form().run(rows, flat)
        else:
            self._machine_code().run(rows, flat, threads)
        return result

    def _always_compiled_for(self) -> Machine | None:
        """The machine that calls of every size are compiled for; None where there is none."""
        if self.engine == "compiled":
            return _required_machine()
        return this_machine() if self.engine == "auto" else None

    def _compiled_for(self, samples: int) -> Machine | None:
        """The machine to compile this many samples for; None where NumPy runs them."""
        if self.engine != "single-use":
            return self._always_compiled_for()
        pays = samples * self.programme.work >= COMPILATION_PAYS
        return this_machine() if pays else None

    def _machine_code(self) -> CompiledForm:
        if self._compiled is None:
            programme, target = self.programme, _required_machine()
            # Results are transposed lane by lane: each number counts as some instructions.
            if programme.work + 8 * programme.result.size > LONG:
                target = replace(target, effort=0)
            if not block_fits(programme, target.lanes):
                target = replace(target, lanes=1)
            self._compiled = compiled_form(programme, target)
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
