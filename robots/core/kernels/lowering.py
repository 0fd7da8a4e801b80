"""Numba without its linker: functions stay as they were lowered until a loop is whole.

Numba optimises every function with all that it calls, and maps it into memory: what is called four
levels deep passes the optimiser five times and the code generator as often. Nobody calls the
functions of a loop but the loop. So here their modules are kept as they are; a loop links each of
them once, keeps nothing visible but its entry, and is optimised once.

This module imports Numba; only a loop of which nothing was compiled ahead imports it.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from llvmlite.binding import (
    create_new_module_pass_manager,
    create_pass_builder,
    create_pipeline_tuning_options,
)
from numba import types
from numba.core.codegen import JITCodeLibrary, JITCPUCodegen
from numba.core.compiler import CompilerBase
from numba.core.compiler_lock import global_compiler_lock
from numba.core.compiler_machinery import PassManager
from numba.core.registry import CPUDispatcher
from numba.core.typed_passes import (
    NativeLowering,
    NoPythonBackend,
    NopythonTypeInference,
    PreLowerStripPhis,
)
from numba.core.untyped_passes import (
    DeadBranchPrune,
    FixupArgs,
    GenericRewrites,
    IRProcessing,
    ReconstructSSA,
    RewriteSemanticConstants,
    TranslateByteCode,
)

from robots.core.kernels.machine import LOOP_ENTRY, baseline, target_machine

# What a function of numbers and arrays needs of Numba's passes. It has no closures, generators,
# allocated arrays or parallel loops; and as nothing is allocated, no variable's end is of interest.
_PASSES = (
    *(TranslateByteCode, FixupArgs, IRProcessing),
    *(RewriteSemanticConstants, DeadBranchPrune, GenericRewrites, ReconstructSSA),
    *(NopythonTypeInference, PreLowerStripPhis, NativeLowering, NoPythonBackend),
)


class Function(CPUDispatcher):  # type: ignore[misc]
    """A function that loops call; Python does not.

    Args:
        function: plain Python.
    """

    def __init__(self, function: Any) -> None:
        options = {
            **{"nopython": True, "error_model": "numpy", "_nrt": False},
            **{"no_cpython_wrapper": True, "no_cfunc_wrapper": True},
        }
        super().__init__(function, targetoptions=options, pipeline_class=Lowering)

    def get_call_template(self, kinds: Any, named: Any) -> Any:
        """Types of a call; a constant is a number like others, not a function of its own."""
        return super().get_call_template(
            tuple(types.unliteral(kind) for kind in kinds),
            {name: types.unliteral(kind) for name, kind in named.items()},
        )


class Lowering(CompilerBase):  # type: ignore[misc]
    """Numba's pipeline, for ``pipeline_class``, into a ``LoweredLibrary``."""

    def __init__(self, typing: Any, target: Any, library: Any, *others: Any) -> None:
        super().__init__(typing, target, library, *others)
        if self.state.library is None:
            self.state.library = _code_generator().create_library("lowered")

    def define_pipelines(self) -> list[Any]:
        """List the passes, in one pipeline."""
        manager = PassManager("palpeur")
        for item in _PASSES:
            manager.add_pass(item, item.__name__)
        manager.finalize()
        return [manager]


class LoweredLibrary(JITCodeLibrary):  # type: ignore[misc]
    """A function's module as lowered, and the libraries that it calls."""

    def add_llvm_module(self, module: Any) -> None:
        """Take a module in, as it is."""
        self._final_module.link_in(module)

    def finalize(self) -> None:
        """Let nothing more be added."""
        self._raise_if_finalized()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """Tell that the process holds no machine code of the function."""
        del name
        return 0

    def optimised_code(self, entry: str) -> bytes:
        """A function, as ``LOOP_ENTRY``, and all that it calls: LLVM's bitcode, optimised.

        Args:
            entry: the name that Numba gave it.
        """
        with global_compiler_lock:
            whole = self._final_module.clone()
            for library in _called(self):
                whole.link_in(library._final_module, preserve=True)
            for item in (*whole.functions, *whole.global_variables):
                if not item.is_declaration and item.name != entry:
                    item.linkage = "internal"
            whole.get_function(entry).name = LOOP_ENTRY
            target = target_machine(baseline())
            whole.data_layout = str(target.target_data)
            tuning = create_pipeline_tuning_options(speed_level=3)
            tuning.loop_vectorization = True
            builder = create_pass_builder(target, tuning)
            builder.getModulePassManager().run(whole, builder)
            names = create_new_module_pass_manager()
            names.add_strip_symbols_pass()  # of values inside: half of the code
            names.run(whole, builder)
            return bytes(whole.as_bitcode())


class _CodeGenerator(JITCPUCodegen):  # type: ignore[misc]
    """Numba's target and passes; nothing that it makes is mapped into this process."""

    _library_class = LoweredLibrary

    def set_env(self, name: str, environment: Any) -> None:
        """Leave a function without the objects that it would raise errors with."""


@cache
def _code_generator() -> _CodeGenerator:
    return _CodeGenerator("palpeur.loops")


@contextmanager
def without_collection() -> Iterator[None]:
    """Let the garbage collector rest: it takes a seventh of the time that a loop is compiled in."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


def _called(library: Any) -> list[Any]:
    """Libraries that a library calls, directly or not, each once."""
    found: dict[Any, None] = {}
    waiting = list(library._linking_libraries)
    while waiting:
        called = waiting.pop()
        if called not in found and called is not library:
            found[called] = None
            waiting += called._linking_libraries
    return list(found)
