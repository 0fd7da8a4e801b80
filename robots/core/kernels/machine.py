"""LLVM's code as callable machine code of this machine; recorded kernels out of the cache."""

from __future__ import annotations

import ctypes
import hashlib
import os
import platform
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import count
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

from robots.core.kernels import cache as code_cache

# Names of a kernel: with its pointers one by one, and with them in a list.
ENTRY = "palpeur_kernel"
ENTRY_BY_LIST = "palpeur_kernel_by_list"
# Name of a loop.
LOOP_ENTRY = "palpeur_loop"
# Functions of Numba's runtime, as an object's table of names holds them.
_RUNTIME = re.compile(rb"(?<=\0)_?((?:NRT_|numba_)[A-Za-z0-9_]*)(?=\0)")
_NUMBERS = count()  # of objects in memory
_LINKING = Lock()  # threads may load their kernels at once; there is one linker
# What x86-64-v3 has beyond every 64-bit processor, as LLVM calls it.
_V3 = ("avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "popcnt", "sse4.2", "xsave")
# Raise when the generated code changes in a way its text does not show.
_GENERATION = "2"


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """Target of code generation: processor, doubles per vector, optimisation level."""

    cpu: str
    features: str
    lanes: int
    effort: int = 3  # LLVM's level of optimisation, 0…3


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """Machine code in memory; ``engine`` keeps it there as long as this object lives."""

    call: Any  # ctypes function: (blocks, in pointers…, out pointer) -> None
    by_list: int  # address of the same with its pointers in a list
    engine: Any


@cache
def this_machine() -> Machine | None:
    """The machine this process runs on; None where vectors have no fused multiply-add.

    Without it the range reduction of sine and cosine would lose digits: NumPy is used instead.
    """
    binding = _binding()
    features = binding.get_host_cpu_features()
    if features.get("avx512f") and features.get("avx512dq"):
        lanes = 8
    elif features.get("fma") and features.get("avx2"):
        lanes = 4
    elif binding.get_process_triple().startswith(("aarch64", "arm64")):
        lanes = 2
    else:
        return None
    return Machine(cpu=binding.get_host_cpu_name(), features=features.flatten(), lanes=lanes)


def processor() -> str:
    """Name of the processor and the number of cores this process may use."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return f"{_processor_name()}, {usable} usable cores"


def _processor_name() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in text.splitlines() if "model name" in line]
    return names[0] if names else platform.machine()


def text_code(text: str, target: Machine, inputs: int) -> Loaded:
    """The entry of LLVM assembly, callable.

    Args:
        text: assembly that defines the entries of ``llvm_text``.
        target: the machine to compile for.
        inputs: number of input arrays of the entry.
    """
    return load(object_of(text, target), inputs)


def object_of(text: str, target: Machine) -> bytes:
    """The relocatable object of LLVM assembly."""
    return kept_code(text, target, lambda: text)


def kept_code(content: str, target: Machine, text: Callable[[], str]) -> bytes:
    """The relocatable object of LLVM assembly out of the cache, or compiled and kept there.

    Args:
        content: what the assembly follows from.
        target: the machine to compile for.
        text: the assembly.
    """
    import llvmlite

    parts = (
        *(_GENERATION, llvmlite.__version__),
        *(target.cpu, target.features, str(target.effort), content),
    )
    key = hashlib.sha256("\0".join(parts).encode()).hexdigest()
    code = code_cache.read(key)
    if code is None:
        code = object_code(text(), target)
        code_cache.write(key, code)
    return code


def object_code(text: str, machine: Machine) -> bytes:
    """Compile LLVM assembly to a relocatable object."""
    binding = _binding()
    module = binding.parse_assembly(text)
    module.verify()
    target = target_machine(Processor(machine.cpu, machine.features), machine.effort)
    return bytes(target.emit_object(module))


def load(code: bytes, inputs: int) -> Loaded:
    """Map an object into memory and find its entry.

    Args:
        code: what ``object_code`` gave, on this machine.
        inputs: number of input arrays.
    """
    engine = mapped(code, ENTRY, ENTRY_BY_LIST)
    signature = ctypes.CFUNCTYPE(None, ctypes.c_int64, *[ctypes.c_void_p] * (inputs + 1))
    return Loaded(call=signature(engine[ENTRY]), by_list=engine[ENTRY_BY_LIST], engine=engine)


def mapped(code: bytes, *entries: str) -> Any:
    """Map an object into memory.

    Branches for errors of what Numba made call its runtime, which need not be here: no loop raises,
    so these names lead to ``abort``.

    Returns:
        What gives the address of each entry by name, and keeps the object in memory.
    """
    builder = _binding().JITLibraryBuilder().add_object_img(code).add_current_process()
    for name in set(_RUNTIME.findall(code)):
        builder.import_symbol(name.decode(), _abort())
    for entry in entries:
        builder.export_symbol(entry)
    with _LINKING:
        return builder.link(_linker(), f"palpeur {next(_NUMBERS)}")


class Processor(NamedTuple):
    """What machine code is made for, as LLVM writes it; without a name, for every one of a kind."""

    name: str = ""
    features: str = ""


_ANY = Processor()


def host() -> Processor:
    """The processor of this machine."""
    binding = _binding()
    return Processor(binding.get_host_cpu_name(), binding.get_host_cpu_features().flatten())


@cache
def baseline() -> Processor:
    """The processor that loops are made for wherever it can be.

    Loops gain nothing from wider vectors (the search for an order loses a fifth), so one object
    serves every machine of the last decade.
    """
    return Processor("generic" if _is_arm() else "x86-64-v3")


@cache
def runs_baseline() -> bool:
    """Whether this machine runs machine code made for the baseline."""
    features = _binding().get_host_cpu_features()
    return _is_arm() or all(features.get(name) for name in _V3)


def _is_arm() -> bool:
    triple: str = _binding().get_process_triple()
    return triple.startswith(("aarch64", "arm64"))


def bitcode_kind() -> str:
    """What bitcode is read by: a kind of processor, and the version of LLVM that wrote it."""
    architecture, _, _ = _binding().get_process_triple().partition("-")
    return f"{architecture} {'.'.join(map(str, _binding().llvm_version_info))}"


def object_of_bitcode(code: bytes, processor: Processor) -> bytes:
    """The relocatable object of a loop.

    Args:
        code: LLVM's bitcode, optimised.
        processor: to make machine code for.
    """
    target = target_machine(processor)
    module = _binding().parse_bitcode(code)
    module.triple, module.data_layout = target.triple, str(target.target_data)
    return bytes(target.emit_object(module))


@cache
def _linker() -> Any:
    """LLVM's linker: one for all objects, which takes a tenth of the time of one for each."""
    return _binding().create_lljit_compiler()


@cache
def _abort() -> int:
    """Where this process holds the function that ends it."""
    abort = ctypes.cast(ctypes.CDLL(None).abort, ctypes.c_void_p).value
    if abort is None:
        raise OSError("This process has no function abort.")
    return abort


@cache
def _binding() -> Any:
    """llvmlite, with the native target ready; imported only when compilation pays."""
    from llvmlite import binding

    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    return binding


def target_machine(processor: Processor = _ANY, effort: int = 3) -> Any:
    """LLVM's code generator for a processor."""
    target = _binding().Target.from_default_triple()
    return target.create_target_machine(
        cpu=processor.name,
        features=processor.features,
        opt=effort,
        reloc="static",
        codemodel="jitdefault",
    )
