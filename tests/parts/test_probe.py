"""Tips, star styli, and the way between ball centres and the surface."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from parts.errors import ProbeError
from parts.probe import Probe, Tip, compensate, star_probe, straight_probe, uncompensate


@given(arrays(np.float64, (5, 3), elements=st.floats(-10, 10)), st.floats(0, 0.05))
def test_compensation_both_ways(points, radius):
    normals = np.random.default_rng(3).normal(size=(5, 3))
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    centres = uncompensate(points, normals, radius)
    assert np.abs(compensate(centres, normals, radius) - points).max() < 4e-15  # rounding of 10 m
    assert np.allclose(np.linalg.norm(centres - points, axis=1), radius, atol=1e-14)


def test_a_ball_on_a_sphere_stands_on_a_larger_sphere():
    normals = np.array([[0, 0, 1.0], [0.6, 0.8, 0]])
    assert np.linalg.norm(uncompensate(0.01 * normals, normals, 0.002), axis=1) == pytest.approx(
        [0.012, 0.012], abs=1e-17
    )


def test_star():
    probe = star_probe(
        reach=0.02, ball_diameter=0.003, shank_diameter=0.002, hub=0.03, straight=0.015
    )
    assert [tip.name for tip in probe.tips] == ["T1", "T2", "T3", "T4", "T5"]
    expected = [[20, 0, 30], [0, 20, 30], [-20, 0, 30], [0, -20, 30], [0, 0, 45]]
    found = np.array([tip.ball_centre for tip in probe.tips]) * 1000
    assert np.abs(found - expected).max() < 1e-12
    assert probe.best_tip([0, 0, -1]).name == "T5"
    assert probe.best_tip([0.9, 0.1, -0.3]).name == "T3"
    assert probe.tip("T2").shank_radius == 0.001


def test_straight():
    tip = straight_probe(length=0.05, ball_diameter=0.004, shank_diameter=0.003).tip("T1")
    assert (tip.ball_radius, tip.shank_radius) == (0.002, 0.0015)
    assert tip.ball_centre.tolist() == [0, 0, 0.05]
    with pytest.raises(ValueError, match="read-only"):
        tip.direction[0] = 1.0
    assert np.linalg.norm(Tip(direction=[3, 0, 4]).direction) == 1.0


def test_faults():
    with pytest.raises(ProbeError, match=r"shank .* is thicker than its ball"):
        Tip(ball_radius=0.001, shank_radius=0.002)
    with pytest.raises(ProbeError, match="its length is -1 m"):
        Tip(length=-1)
    with pytest.raises(ProbeError, match="its ball radius is nan m"):
        Tip(ball_radius=float("nan"))
    with pytest.raises(ProbeError, match="has no length"):
        Tip(direction=[0, 0, 0])
    with pytest.raises(ProbeError, match="each with its own name"):
        Probe(tips=(Tip(), Tip()))
    with pytest.raises(ProbeError, match="no tip 'T9'; it has T1"):
        Probe(tips=(Tip(),)).tip("T9")
    with pytest.raises(ProbeError, match="A star has 0 arms"):
        star_probe(reach=0.02, ball_diameter=0.003, arms=0)
