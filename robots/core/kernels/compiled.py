"""A programme as machine code: compiled once per machine, then loaded from the disk cache."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np

from robots.core.arrays import Array
from robots.core.kernels import cache, machine
from robots.core.kernels.address import address_of
from robots.core.kernels.llvm_text import llvm_text
from robots.core.recording import Programme

# Raise when the generated code changes in a way its text does not show.
_GENERATION = "1"


@dataclass(frozen=True, slots=True, eq=False)
class _This:
    """A programme as itself: comparing instructions takes longer than it is worth."""

    programme: Programme

    def __hash__(self) -> int:
        return id(self.programme)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _This) and other.programme is self.programme


def compiled_form(programme: Programme, target: machine.Machine) -> CompiledForm:
    """Machine code of a programme; the same for a programme that was recorded once.

    Args:
        programme: what to compute.
        target: the machine to compile for.
    """
    return _made(_This(programme), target)


@lru_cache(maxsize=128)
def _made(this: _This, target: machine.Machine) -> CompiledForm:
    return CompiledForm(this.programme, target)


class CompiledForm:
    """Machine code of one programme for one machine.

    Args:
        programme: what to compute.
        target: the machine to compile for.
    """

    def __init__(self, programme: Programme, target: machine.Machine) -> None:
        self._lanes = target.lanes
        text = llvm_text(programme, target.lanes)
        key = _key(text, target)
        code = cache.read(key)
        if code is None:
            code = machine.object_code(text, target)
            cache.write(key, code)
        self._loaded = machine.load(code, target, len(programme.arguments))

    def run(self, inputs: Sequence[Array], out: Array, threads: int) -> None:
        """Fill ``out`` (N, result size) from ``inputs``, each (N, argument size), C order."""
        whole = len(out) // self._lanes
        if threads > 1 and whole >= threads:
            bounds = [whole * k // threads * self._lanes for k in range(threads + 1)]
            with ThreadPoolExecutor(threads) as pool:
                list(
                    pool.map(
                        lambda span: self._rows(inputs, out, *span),
                        pairwise(bounds),
                    )
                )
        else:
            self._rows(inputs, out, 0, whole * self._lanes)
        self._remainder(inputs, out, whole * self._lanes)

    def _rows(self, inputs: Sequence[Array], out: Array, start: int, stop: int) -> None:
        """Whole blocks; the call releases the interpreter lock."""
        addresses = [address_of(a) + start * a.strides[0] if a.size else 0 for a in (*inputs, out)]
        self._loaded.call((stop - start) // self._lanes, *addresses)

    def _remainder(self, inputs: Sequence[Array], out: Array, start: int) -> None:
        """The last samples, padded to one block."""
        left = len(out) - start
        if left == 0:
            return
        padded = [np.zeros((self._lanes, a.shape[1])) for a in inputs]
        for block, array in zip(padded, inputs, strict=True):
            block[:left] = array[start:]
        result = np.empty((self._lanes, out.shape[1]))
        self._rows(padded, result, 0, self._lanes)
        out[start:] = result[:left]


def _key(text: str, target: machine.Machine) -> str:
    import llvmlite

    parts = (_GENERATION, llvmlite.__version__, target.cpu, target.features, text)
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()
