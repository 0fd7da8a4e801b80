"""Turns between nearly equal directions: no gap between 'parallel' and 'has a direction'."""

from __future__ import annotations

import numpy as np
import pytest

from robots.core.pose import turn_between


@pytest.mark.parametrize("angle", [0.0, 1e-15, 5e-13, 1e-12, 1.2e-12, 1.7e-12, 2e-12, 5e-12, 1e-9])
def test_tiny_turns_are_answered(angle):
    start = np.array([1.0, 1.0, 1.0]) / np.sqrt(3.0)
    side = np.array([1.0, -1.0, 0.0]) / np.sqrt(2.0)
    turn = turn_between(start, start + angle * side)
    assert float(turn.angle) == pytest.approx(angle, abs=3e-16)
