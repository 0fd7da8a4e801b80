"""Tips, and the ball's centres over a surface."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from parts.errors import ProbeError
from parts.probe import Tip, uncompensate


@given(arrays(np.float64, (5, 3), elements=st.floats(-10, 10)), st.floats(0, 0.05))
def test_balls_stand_one_radius_out(points, radius):
    normals = np.random.default_rng(3).normal(size=(5, 3))
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    centres = uncompensate(points, normals, radius)
    assert np.abs(centres - radius * normals - points).max() < 4e-15  # rounding of 10 m
    assert np.allclose(np.linalg.norm(centres - points, axis=1), radius, atol=1e-14)


def test_a_ball_on_a_sphere_stands_on_a_larger_sphere():
    normals = np.array([[0, 0, 1.0], [0.6, 0.8, 0]])
    assert np.linalg.norm(uncompensate(0.01 * normals, normals, 0.002), axis=1) == pytest.approx(
        [0.012, 0.012], abs=1e-17
    )


def test_a_tip_has_a_direction_of_length_one_that_nobody_changes():
    tip = Tip(direction=[3, 0, 4])
    assert np.linalg.norm(tip.direction) == 1.0
    with pytest.raises(ValueError, match="read-only"):
        tip.direction[0] = 1.0


def test_faults():
    with pytest.raises(ProbeError, match=r"shank .* is thicker than its ball"):
        Tip(ball_radius=0.001, shank_radius=0.002)
    with pytest.raises(ProbeError, match="its length is -1 m"):
        Tip(length=-1)
    with pytest.raises(ProbeError, match="its ball radius is nan m"):
        Tip(ball_radius=float("nan"))
    with pytest.raises(ProbeError, match="has no length"):
        Tip(direction=[0, 0, 0])
