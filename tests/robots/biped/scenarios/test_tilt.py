"""The tilting ground: standing with the stabiliser, falling when frozen, at the analytic time."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq

from robots.biped.biped_file import open_biped, open_drives
from robots.biped.posture.ground import Ground
from robots.biped.posture.verdict import Stance
from robots.biped.posture.zero_moment import CentroidalState, centroidal_zero_moment_point
from robots.biped.scenarios.tilt import tilt
from robots.biped.stabiliser.tilting_ground import ThereAndBack, on_tilting_ground, standing_points
from robots.core.model import Model
from tests.cases import some


@pytest.fixture(scope="module")
def biped():
    return open_biped("bip-leg")


def degrees(*angles):
    return (float(np.radians(a)) for a in angles)


@pytest.fixture(scope="module")
def thesis(biped):
    return tilt(biped, *degrees(10, 20))


@pytest.mark.parametrize(
    ("roll", "pitch"), some([(10, -20), (0, 20), (0, -20), (-10, 20), (10, 20)], gate=1)
)
def test_the_stabiliser_keeps_the_leg_standing(biped, roll, pitch):
    motion = tilt(biped, *degrees(roll, pitch), drives=open_drives("bip-leg"))
    assert motion.verdict.stance is Stance.STANDING
    assert motion.margin.min() > 0.02
    assert motion.curves["com_margin_m"].min() > 0.04
    assert motion.remarks == ()
    leg = biped.mechanism
    count = 2.6e-5  # [rad] one count of the knee's encoder
    assert (motion.q >= leg.q_min - count).all()
    assert (motion.q <= leg.q_max + count).all()
    np.testing.assert_allclose(motion.ground[350], np.radians([roll, pitch]), atol=1e-12)


@pytest.mark.parametrize(
    ("pitch", "angle", "edge"), some([(20, 17.9, "toe"), (-20, 9.3, "heel")], gate=1)
)
def test_a_frozen_leg_falls_when_its_tip_angle_is_crossed(biped, pitch, angle, edge):
    """Tip angles of the leg alone, 17.9 and 9.3 degrees, from bip2000.md."""
    motion = tilt(biped, *degrees(0, pitch), stabilised=False)
    com = Model(biped.mechanism).center_of_mass(np.zeros(4))
    x, _, z = biped.T_world_base[:3, :3] @ com + biped.T_world_base[:3, 3]
    reach = 0.170 - x if pitch > 0 else 0.120 + x
    tip = np.arctan2(reach, z)
    assert np.degrees(tip) == pytest.approx(angle, abs=0.05)
    ground = ThereAndBack(alpha=0.0, beta=float(np.radians(pitch)))
    time = brentq(lambda t: abs(ground.samples(np.array([t]))[0, 1]) - tip, 0.0, 7.0)
    assert motion.verdict.stance is Stance.FALLEN
    assert motion.verdict.edge == edge
    # Samples every 20 ms, joints within 2e-5 rad of their set-points.
    assert motion.verdict.time == pytest.approx(time, abs=2e-3)
    assert any("falls over its " + edge in remark for remark in motion.remarks)


def test_without_the_stabiliser_the_thesis_tilt_is_a_fall(biped):
    motion = tilt(biped, *degrees(10, 20), stabilised=False)
    assert motion.verdict.stance is Stance.FALLEN
    assert motion.margin.min() < 0.0


def test_the_zero_moment_point_is_that_of_the_momentum(biped, thesis):
    """The wrench of the full dynamics against the rate of the momentum, to 1e-6 m."""
    motion = thesis
    ground = ThereAndBack(alpha=np.radians(10.0), beta=np.radians(20.0))
    whole, mass, h = Model(on_tilting_ground(biped)), biped.mechanism.total_mass, 1e-4
    own = np.hstack([motion.q, motion.qd, motion.qdd]).reshape(-1, 3, 4)
    for k in (0, 120, 333, 500):
        tilted = ground.samples(motion.t[k : k + 1]).reshape(3, 2)
        q, qd, qdd = np.hstack([tilted, own[k]])

        def momentum(s, q=q, qd=qd, qdd=qdd):
            return whole.centroidal_momentum(q + s * qd + 0.5 * s * s * qdd, qd + s * qdd)

        rate = (momentum(h) - momentum(-h)) / (2.0 * h)
        state = CentroidalState(
            mass=mass, com=motion.com[k], acceleration=rate[:3] / mass, momentum_rate=rate[3:]
        )
        plane = Ground(alpha=motion.ground[k, 0], beta=motion.ground[k, 1])
        found = centroidal_zero_moment_point(state, plane)
        np.testing.assert_allclose(found, motion.zmp[k], atol=1e-6)


def test_what_a_sample_holds(biped, thesis):
    motion = thesis
    assert motion.t[-1] == pytest.approx(14.0)
    assert motion.q.shape == motion.tau.shape == (len(motion.t), 4)
    turn = Ground(alpha=motion.ground[350, 0], beta=motion.ground[350, 1]).rotation
    corners = np.array(standing_points(biped)) @ turn.T
    found = motion.support[350]
    for corner in corners[:, :2]:
        assert np.linalg.norm(found - corner, axis=1).min() < 1e-12
    assert set(motion.curves) >= {"com_margin_m", "zmp_margin_m", "q3_goal_rad", "q3_error_rad"}
