"""A programme as machine code: compiled once per machine, then loaded from the disk cache."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise
from pathlib import Path

import numpy as np

from robots.core.arrays import Array
from robots.core.kernels import llvm
from robots.core.kernels.address import address_of
from robots.core.kernels.llvm import llvm_text
from robots.core.kernels.machine import Loaded, Machine, kept_code, load
from robots.core.kernels.recordings import keep
from robots.core.recording import Programme


@dataclass(frozen=True, slots=True, eq=False)
class _This:
    """A programme as itself: comparing instructions takes longer than it is worth."""

    programme: Programme

    def __hash__(self) -> int:
        return id(self.programme)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _This) and other.programme is self.programme


def compiled_form(programme: Programme, target: Machine) -> CompiledForm:
    """Machine code of a programme; the same for a programme that was recorded once.

    Args:
        programme: what to compute.
        target: the machine to compile for.
    """
    return _made(_This(programme), target)


@lru_cache(maxsize=128)
def _made(this: _This, target: Machine) -> CompiledForm:
    return CompiledForm(this.programme, target)


class CompiledForm:
    """Machine code of one programme for one machine.

    Args:
        programme: what to compute.
        target: the machine to compile for.
    """

    def __init__(self, programme: Programme, target: Machine) -> None:
        self.target = target
        content = f"{_writer()} {programme.digest} {target.lanes}"
        code = kept_code(content, target, lambda: llvm_text(programme, target.lanes))
        self.loaded: Loaded = load(code, len(programme.arguments))
        keep(programme)

    def run(self, inputs: Sequence[Array], out: Array, threads: int) -> None:
        """Fill ``out`` (N, result size) from ``inputs``, each (N, argument size), C order."""
        lanes = self.target.lanes
        whole = len(out) // lanes
        if threads > 1 and whole >= threads:
            bounds = [whole * k // threads * lanes for k in range(threads + 1)]
            pool = _kept_pool(os.getpid())
            list(pool.map(lambda span: self._rows(inputs, out, *span), pairwise(bounds)))
        else:
            self._rows(inputs, out, 0, whole * lanes)
        self._remainder(inputs, out, whole * lanes)

    def _rows(self, inputs: Sequence[Array], out: Array, start: int, stop: int) -> None:
        """Whole blocks; the call releases the interpreter lock."""
        addresses = [address_of(a) + start * a.strides[0] if a.size else 0 for a in (*inputs, out)]
        self.loaded.call((stop - start) // self.target.lanes, *addresses)

    def _remainder(self, inputs: Sequence[Array], out: Array, start: int) -> None:
        """The last samples, padded to one block."""
        left = len(out) - start
        if left == 0:
            return
        lanes = self.target.lanes
        padded = [np.zeros((lanes, a.shape[1])) for a in inputs]
        for block, array in zip(padded, inputs, strict=True):
            block[:left] = array[start:]
        result = np.empty((lanes, out.shape[1]))
        self._rows(padded, result, 0, lanes)
        out[start:] = result[:left]


@cache
def _writer() -> str:
    """The module that writes the assembly, in place of the assembly, which takes longer."""
    return hashlib.sha256(Path(str(llvm.__file__)).read_bytes()).hexdigest()


@lru_cache(maxsize=1)
def _kept_pool(process: int) -> ThreadPoolExecutor:
    """Threads for all kernels of a process: never more at work than it has processors.

    A child that was forked has none of its parent's threads, so it makes its own.
    """
    del process
    return ThreadPoolExecutor(_processors(), thread_name_prefix="palpeur-kernel")


def _processors() -> int:
    """How many this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
