"""Kernels are tested with a cache of their own, and on machines that can compile only."""

from __future__ import annotations

import pytest

from robots.core.kernels.machine import this_machine
from robots.core.recording import Recorder, recording_functions


@pytest.fixture(autouse=True)
def cache_dir(tmp_path, monkeypatch):
    """An empty cache folder for each test."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("PALPEUR_CACHE_DIR", str(folder))
    return folder


@pytest.fixture
def machine():
    """The machine to compile for."""
    found = this_machine()
    if found is None:
        pytest.skip("this processor has no fused multiply-add: kernels are not compiled")
    return found


def all_operations():
    """A programme with every operation: five outputs of x (3) and y (2)."""
    fn, recorder = recording_functions(), Recorder()
    x, y = recorder.argument("x", (3,)), recorder.argument("y", (2,))
    root = fn.sqrt(x[0] * x[0] + 0.25)
    outputs = [
        fn.sin(x[1]) * root - y[0],
        -(fn.cos(x[1] + x[2]) / root),
        fn.sign(y[1]) * (x[2] + 1.5),
        2.5,
        -y[1],
    ]
    return recorder.programme("all_operations", outputs, (5,))


def directly(x, y):
    """The same by NumPy alone."""
    import numpy as np

    root = np.sqrt(x[..., 0] ** 2 + 0.25)
    return np.stack(
        [
            np.sin(x[..., 1]) * root - y[..., 0],
            -np.cos(x[..., 1] + x[..., 2]) / root,
            np.sign(y[..., 1]) * (x[..., 2] + 1.5),
            np.full(root.shape, 2.5),
            -y[..., 1],
        ],
        axis=-1,
    )


@pytest.fixture(scope="session")
def example():
    """(programme, the same computed directly)."""
    return all_operations(), directly
