"""Measured speed of kernels: every contender is timed, and agrees with Pinocchio."""

from __future__ import annotations

import pytest

from robots.core.benchmark.kernels import benchmark, try_compiler, why_without_peer
from robots.core.benchmark.pinocchio_peer import PinocchioPeer
from robots.core.kernels.machine import this_machine
from robots.library import load


def test_a_small_benchmark():
    arm = load("measuring-arm")
    reason = why_without_peer(arm)
    found = benchmark(arm, 50, range(2), peer=None if reason else PinocchioPeer(arm))
    assert (found.samples, found.runs) == (50, 2)
    assert set(found.kernels) == {
        *("forward", "jacobian", "torques", "mass_matrix", "forward_dynamics")
    }
    assert all(time > 0.0 for time in found.nanoseconds.values())
    assert found.agrees
    assert bool(found.differences) == (not reason)


@pytest.mark.skipif(this_machine() is None, reason="machine code is not made here")
def test_the_compiler_agrees_with_numpy():
    trial = try_compiler(load("measuring-arm"))
    assert trial.difference < 1e-12
    assert trial.seconds > 0.0
