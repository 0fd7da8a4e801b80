"""LLVM assembly as machine code of this machine, out of the cache where it lies there."""

from __future__ import annotations

import hashlib

from robots.core.kernels import cache, machine

# Raise when the generated code changes in a way its text does not show.
_GENERATION = "2"


def text_code(text: str, target: machine.Machine, inputs: int) -> machine.Loaded:
    """The entry of LLVM assembly, callable.

    Args:
        text: assembly that defines the entries of ``llvm_text``.
        target: the machine to compile for.
        inputs: number of input arrays of the entry.
    """
    return machine.load(object_of(text, target), target, inputs)


def object_of(text: str, target: machine.Machine) -> bytes:
    """The relocatable object of LLVM assembly."""
    import llvmlite

    parts = (
        *(_GENERATION, llvmlite.__version__),
        *(target.cpu, target.features, str(target.effort), text),
    )
    key = hashlib.sha256("\0".join(parts).encode()).hexdigest()
    code = cache.read(key)
    if code is None:
        code = machine.object_code(text, target)
        cache.write(key, code)
    return code
