"""A trial of the kernel compiler: compile a small kernel anew and compare it with NumPy."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from robots.core.joint_samples import joint_samples
from robots.core.kernels import Kernel
from robots.core.quantities import quantity
from robots.library import load

_SAMPLES = 64
_VARIABLE = "PALPEUR_CACHE_DIR"


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """How the trial went.

    Args:
        seconds: from the recorded programme to the first result, nothing being cached. [s]
        difference: largest absolute difference from NumPy.
    """

    seconds: float
    difference: float


def kernel_trial() -> Trial:
    """Compile the measuring arm's torques.

    Raises:
        EquationError: machine code is not made on this machine.
    """
    mechanism = load("measuring-arm")
    programme = quantity("torques").record(mechanism)
    q = joint_samples(mechanism, _SAMPLES, slide=1.0)
    with tempfile.TemporaryDirectory() as folder, _cache_in(folder):
        start = time.perf_counter()
        compiled = Kernel(programme, "compiled")(q, q, q)
        seconds = time.perf_counter() - start
    expected = Kernel(programme, "numpy")(q, q, q)
    return Trial(seconds=seconds, difference=float(np.abs(compiled - expected).max()))


@contextmanager
def _cache_in(folder: str) -> Iterator[None]:
    """A kernel cache of its own for as long as the block lasts."""
    before = os.environ.get(_VARIABLE)
    os.environ[_VARIABLE] = folder
    try:
        yield
    finally:
        if before is None:
            del os.environ[_VARIABLE]
        else:
            os.environ[_VARIABLE] = before
