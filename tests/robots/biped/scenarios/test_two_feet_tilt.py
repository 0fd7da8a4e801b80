"""The whole robot on a ground that tilts: it stands with its stabiliser, it falls when frozen."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import brentq

from robots.biped.biped_file import open_biped
from robots.biped.errors import BipedError, PostureError
from robots.biped.posture.ground import Ground
from robots.biped.posture.standing import sole_in_world
from robots.biped.posture.verdict import Stance
from robots.biped.posture.zero_moment import CentroidalState, centroidal_zero_moment_point
from robots.biped.scenarios.scenario import foot_poses, standing_support
from robots.biped.scenarios.tilt import lowered_posture, tilt
from robots.biped.stabiliser.fields import Fields
from robots.biped.stabiliser.leg_stabiliser import ON_TWO_FEET
from robots.biped.stabiliser.tilting_ground import ThereAndBack
from robots.biped.walking.free_base import FREE, FreeBase, FreeState
from robots.biped.walking.legged_robot import LeggedRobot
from robots.core.model import Model
from tests.cases import cases, some

ROBOT = open_biped("bip2000")
NO_LEAN = np.zeros(15)


def degrees(*angles):
    return tuple(float(np.radians(a)) for a in angles)


@pytest.fixture(scope="module")
def thesis():
    """(0, 0) → (10°, 20°) → (0, 0), 7 s each way."""
    return tilt(ROBOT, *degrees(10, 20))


@pytest.fixture(scope="module")
def beyond():
    """A roll that ankles, knees and lumbar cannot follow."""
    return tilt(ROBOT, *degrees(40, 0))


def soles(motion, k):
    q, T = motion.q[k], motion.T_world_base[k]
    return np.concatenate(
        [sole_in_world(ROBOT, foot.name, T @ foot_poses(ROBOT, foot, q)) for foot in ROBOT.feet]
    )


def test_stands_with_its_stabiliser(thesis):
    assert thesis.verdict.stance is Stance.STANDING
    # The starting posture's own margin is the least one: the fields bring it to the middle.
    assert thesis.margin.min() == pytest.approx(thesis.verdict.margin)
    assert thesis.margin.min() > 0.115
    assert thesis.curves["com_margin_m"].min() == pytest.approx(0.1219, abs=1e-4)
    assert np.degrees(thesis.ground[350]) == pytest.approx([10.0, 20.0])


@pytest.mark.parametrize("name", ["thesis", "beyond"])
def test_soles_stay_on_the_ground(name, request):
    motion = request.getfixturevalue(name)
    level = soles(motion, 0)
    assert np.abs(level[:, 2]).max() < 1e-12
    for k in range(0, len(motion.t), 25):
        ground = Ground(alpha=motion.ground[k, 0], beta=motion.ground[k, 1])
        there = soles(motion, k)
        assert np.abs(ground.clearance(there)).max() < 1e-9
        np.testing.assert_allclose(there, level @ ground.rotation.T, atol=1e-9)


@pytest.mark.parametrize("name", ["thesis", "beyond"])
def test_joints_stay_within_their_stops(name, request):
    motion = request.getfixturevalue(name).until_fall()
    lower, upper = np.asarray(ROBOT.q_stops)
    assert (motion.q >= lower).all()
    assert (motion.q <= upper).all()
    assert np.abs(motion.qd).max() <= 1.0


def test_beyond_its_limits_it_falls_and_says_which(beyond):
    assert (beyond.verdict.stance, beyond.verdict.edge) == (Stance.FALLEN, "right")
    roll = np.interp(beyond.verdict.time, beyond.t, beyond.ground[:, 0])
    assert 35.0 < np.degrees(roll) < 40.0
    text = "\n".join(beyond.remarks)
    for limit in ("q1 is at its limit of -20.0", "q5 is at its limit of 20.0", "q14 is at its"):
        assert limit in text
    assert f"roll {np.degrees(roll):.2f}, pitch 0.00 deg" in beyond.remedy


@pytest.mark.parametrize(("roll", "pitch"), some([(-30, 30), (25, 0), (0, -45)], gate=1))
def test_joints_at_their_limits_are_relieved_by_the_others(roll, pitch):
    motion = tilt(ROBOT, *degrees(roll, pitch), duration=cases(gate=4, soak=7))
    assert any("is at its limit" in remark for remark in motion.remarks)
    assert motion.verdict.stance is Stance.STANDING
    assert motion.margin.min() > 0.03


@pytest.mark.soak  # in the gate a walk is mirrored
def test_mirrored_ground_mirrors_the_motion(thesis):
    mirrored = tilt(ROBOT, *degrees(-10, 20))
    # The robot is nearly symmetric; its centre of mass is 4 mm to the right.
    np.testing.assert_allclose(mirrored.com[:, 1], -thesis.com[:, 1], atol=9e-3)
    np.testing.assert_allclose(mirrored.com[:, 0], thesis.com[:, 0], atol=2e-3)


@pytest.mark.parametrize("straight", some([True, False], gate=1))
@pytest.mark.parametrize(("pitch", "edge"), some([(20, "toe"), (-20, "heel")], gate=1))
def test_a_frozen_posture_falls_at_its_tip_angle(straight, pitch, edge):
    """By hand from the centre of mass; straight legs have the published 10.75° and 5.55°."""
    q = NO_LEAN if straight else lowered_posture(LeggedRobot(biped=ROBOT))
    motion = tilt(ROBOT, *degrees(0, pitch), stabilised=False, posture=q)
    lower = 0.0 if straight else 0.06
    com = ROBOT.T_world_base[:3, :3] @ Model(ROBOT.mechanism).center_of_mass(q)
    x, z = com[0], com[2] + ROBOT.T_world_base[2, 3] - lower
    tip = np.arctan2(0.170 - x if pitch > 0 else 0.120 + x, z)
    if straight:
        published = 10.75 if pitch > 0 else 5.55
        assert np.degrees(tip) == pytest.approx(published, abs=0.01)
    ground = ThereAndBack(alpha=0.0, beta=float(np.radians(pitch)))
    time = brentq(lambda t: abs(ground.samples(np.array([t]))[0, 1]) - tip, 0.0, 7.0)
    assert (motion.verdict.stance, motion.verdict.edge) == (Stance.FALLEN, edge)
    # Between samples of 20 ms the margin is taken as straight.
    assert motion.verdict.time == pytest.approx(time, abs=1e-4)
    assert f"{np.degrees(tip):.2f}" in motion.remarks[0]
    assert (motion.qd == 0.0).all()
    assert motion.until_fall().t[-1] - motion.verdict.time < 0.02


def test_the_zero_moment_point_is_that_of_the_momentum(thesis):
    """The wrench of the full dynamics against the rate of the momentum, to 1e-6 m."""
    free, h = FreeBase(biped=ROBOT), 1e-4
    x = free.coordinates(thesis.q, thesis.T_world_base)
    step = thesis.t[1]
    for k in (100, 333, 500):
        # Fourth-order differences over 20 ms samples of the base's way.
        near, far = (x[k + n] - x[k - n] for n in (1, 2))
        xd = (8.0 * near - far) / (12.0 * step)
        sides = [x[k + n] + x[k - n] - 2.0 * x[k] for n in (1, 2)]
        xdd = (16.0 * sides[0] - sides[1]) / (12.0 * step**2)
        xd[FREE:], xdd[FREE:] = thesis.qd[k], thesis.qdd[k]

        def momentum(s, x=x[k], xd=xd, xdd=xdd):
            return free.model.centroidal_momentum(x + s * xd + 0.5 * s * s * xdd, xd + s * xdd)

        rate = (momentum(h) - momentum(-h)) / (2.0 * h)
        mass = ROBOT.mechanism.total_mass
        state = CentroidalState(
            mass=mass, com=thesis.com[k], acceleration=rate[:3] / mass, momentum_rate=rate[3:]
        )
        plane = Ground(alpha=thesis.ground[k, 0], beta=thesis.ground[k, 1])
        found = centroidal_zero_moment_point(state, plane)
        np.testing.assert_allclose(found, thesis.zmp[k], atol=1e-6)


def test_power_of_joints_and_ground_is_the_rate_of_energy(thesis):
    """The ground turns about the origin: its power is the push's moment times its angular speed."""
    free, h = FreeBase(biped=ROBOT), thesis.t[1]
    x = free.coordinates(thesis.q, thesis.T_world_base)
    xd = np.gradient(x, h, axis=0)
    state = FreeState(x=x, xd=xd, xdd=np.gradient(xd, h, axis=0))
    energies = free.model.energies(x, xd)
    rate = np.gradient(energies.kinetic + energies.potential, h)
    alpha, turns = thesis.ground[:, 0], np.gradient(thesis.ground, h, axis=0)
    rolled = np.stack([0.0 * alpha, np.cos(alpha), np.sin(alpha)], axis=-1)
    omega = turns[:, :1] * [1.0, 0.0, 0.0] + turns[:, 1:] * rolled
    by_ground = np.sum(free.push(state, free.efforts(state)).moment * omega, axis=1)
    power = np.sum(thesis.tau * thesis.qd, axis=1) + by_ground
    assert np.abs(power).max() > 3.0
    # Central differences over 20 ms; where the ground turns back its jerk jumps.
    np.testing.assert_allclose(rate[3:-3], power[3:-3], atol=2e-2 * np.abs(power).max())


def test_the_ankle_bears_its_foot_s_part_of_the_load(thesis):
    """Balance of the right foot alone: its weight and the push on the tilted sole, by hand."""
    k, mechanism = 350, ROBOT.mechanism
    ground = Ground(alpha=thesis.ground[k, 0], beta=thesis.ground[k, 1])
    right, left = (ground.rotation @ [0.0, side, 0.0] for side in (-0.11, 0.11))
    zmp = thesis.zmp[k]
    share = 1.0 - (zmp - right) @ (left - right) / 0.22**2
    pressed = zmp - (1.0 - share) * (left - right)
    foot = mechanism.joints[mechanism.index("q1")]
    T = thesis.T_world_base[k] @ foot_poses(ROBOT, ROBOT.foot("right"), thesis.q[k])
    weight, mass = foot.body.mass * 9.81, mechanism.total_mass
    moment = np.cross(pressed - T[:3, 3], [0.0, 0.0, share * mass * 9.81])
    moment -= np.cross(T[:3, :3] @ foot.body.com, [0.0, 0.0, weight])
    names = [joint.name for joint in mechanism.movable]
    # The ground turns back at this instant: accelerations are some mm/s².
    assert abs(T[:3, 2] @ moment) > 5.0
    assert thesis.tau[k, names.index("q1")] == pytest.approx(-T[:3, 2] @ moment, abs=0.2)


@pytest.mark.soak  # of any polygon the gate holds margins and supports: tests/robots/biped/posture
def test_any_convex_polygon():
    """Triangular soles, without their outer heels: a trapezoid with slanted sides."""
    cut = (np.array([0, 1, 2]), np.array([0, 1, 3]))
    feet = [replace(foot, sole=foot.sole[rows]) for foot, rows in zip(ROBOT.feet, cut, strict=True)]
    odd = replace(ROBOT, feet=tuple(feet))
    assert len(standing_support(odd).corners) == 4
    assert not np.allclose(standing_support(odd).corners, standing_support(ROBOT).corners)
    motion = tilt(odd, *degrees(10, 20))
    assert motion.verdict.stance is Stance.STANDING
    assert motion.margin.min() > 0.08


def test_an_attractor_draws_the_robot_to_its_place():
    target = (0.08, 0.05)
    fields = Fields(attraction=0.03, attraction_softening=0.1, target=target)
    gains = replace(ON_TWO_FEET, fields=fields)
    drawn = tilt(ROBOT, 0.0, 0.0, duration=2.0, gains=gains)
    free = tilt(ROBOT, 0.0, 0.0, duration=2.0)
    away = [np.linalg.norm(motion.com[-1, :2] - target) for motion in (drawn, free)]
    assert drawn.verdict.stance is Stance.STANDING
    assert away[0] < 0.75 * away[1]


def test_what_cannot_start_is_refused():
    with pytest.raises(PostureError, match=r"'q3' of bip2000 starts at 0.000 deg, past its limit"):
        tilt(ROBOT, *degrees(10, 20), posture=NO_LEAN)
    apart = lowered_posture(LeggedRobot(biped=ROBOT))
    apart[3] += 0.1
    with pytest.raises(BipedError, match="move its feet against each other"):
        tilt(ROBOT, *degrees(10, 20), posture=apart)
    with pytest.raises(BipedError, match=r"shape \(4,\); give 15"):
        tilt(ROBOT, *degrees(10, 20), stabilised=False, posture=np.zeros(4))
    with pytest.raises(BipedError, match="so fast that the feet leave it; give it more time"):
        tilt(ROBOT, *degrees(10, 20), 0.1)
