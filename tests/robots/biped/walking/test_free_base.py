"""A body on six virtual joints: its wrench is what the ground gives."""

import numpy as np
import pytest

from robots.biped.biped_file import open_biped
from robots.biped.posture.standing import stand
from robots.biped.posture.zero_moment import ground_wrench
from robots.biped.scenarios.scenario import base_over_feet, foot_poses
from robots.biped.walking.free_base import FREE, FreeBase, FreeState, moment_about
from robots.core.pose import rotation_zyx

ROBOT, LEG = open_biped("bip2000"), open_biped("bip-leg")
FREED = FreeBase(biped=ROBOT)


def random_state(seed, k=20, spread=0.4):
    rng = np.random.default_rng(seed)
    x, xd, xdd = rng.uniform(-spread, spread, (3, k, FREE + 15))
    return FreeState(x=x, xd=xd, xdd=xdd)


def test_coordinates_are_the_base_pose():
    state = random_state(1)
    T = np.repeat(np.eye(4)[None], 20, axis=0)
    T[:, :3, :3] = rotation_zyx(state.x[:, 3:6]) @ ROBOT.T_world_base[:3, :3]
    T[:, :3, 3] = state.x[:, :3]
    np.testing.assert_allclose(FREED.coordinates(state.q, T), state.x, atol=1e-14)
    # The pelvis' fixed frame is the same seen from both descriptions.
    link = ROBOT.mechanism.index("q15")
    before = T @ foot_poses(
        ROBOT, ROBOT.feet[0].__class__(name="top", link="q15", sole=ROBOT.feet[0].sole), state.q
    )
    np.testing.assert_allclose(FREED.model.transforms(state.x)[:, FREE + link], before, atol=1e-13)


def test_push_moves_the_centre_of_mass():
    """Newton: the push is mass times (acceleration − gravity), by finite differences in time."""
    state, h = random_state(2), 1e-3
    com = [
        FREED.model.center_of_mass(state.x + t * state.xd + 0.5 * t * t * state.xdd)
        for t in (-2 * h, -h, 0.0, h, 2 * h)
    ]
    second = (-com[0] + 16 * com[1] - 30 * com[2] + 16 * com[3] - com[4]) / (12 * h * h)
    push = FREED.push(state, FREED.efforts(state))
    gravity = np.array([0.0, 0.0, -9.81])
    mass = ROBOT.mechanism.total_mass
    assert mass == pytest.approx(104.81)
    # Rounding of a second difference: 1e-15 m / (1e-3 s)², a few of them, times 105 kg.
    np.testing.assert_allclose(push.force, mass * (second - gravity), atol=2e-6)


def test_push_agrees_with_the_robot_seen_from_its_foot():
    """Another road: the mechanism rerooted on the standing foot."""
    t = np.linspace(-2e-3, 2e-3, 5)
    rng = np.random.default_rng(4)
    q0, qd, qdd = rng.uniform(-0.3, 0.3, (3, 15))
    names = [joint.name for joint in ROBOT.mechanism.movable]
    q0[names.index("q3")], q0[names.index("q7")] = 0.2, 1.2  # the left foot is in the air
    q = q0 + t[:, None] * qd + 0.5 * t[:, None] ** 2 * qdd
    standing = stand(ROBOT, q)
    assert set(standing.foot) == {"right"}
    x = FREED.coordinates(q, standing.T_world_base)
    h = t[1] - t[0]
    xd = (x[0] - 8 * x[1] + 8 * x[3] - x[4]) / (12 * h)
    xdd = (-x[0] + 16 * x[1] - 30 * x[2] + 16 * x[3] - x[4]) / (12 * h * h)
    state = FreeState(x=x[2:3], xd=xd[None], xdd=xdd[None])
    push = FREED.push(state, FREED.efforts(state))
    other = ground_wrench(stand(ROBOT, q[2]), qd, qdd)
    np.testing.assert_allclose(push.force, other.force, atol=2e-5)
    np.testing.assert_allclose(push.moment, other.moment, atol=2e-5)


def test_resting_robot_weighs_on_the_ground():
    x = FREED.coordinates(np.zeros((1, 15)), ROBOT.T_world_base[None])
    still = np.zeros_like(x)
    state = FreeState(x=x, xd=still, xdd=still)
    push = FREED.push(state, FREED.efforts(state))
    np.testing.assert_allclose(push.force, [[0, 0, 104.81 * 9.81]], atol=1e-9)
    # bip2000.md: COM(0) = (−0.02185, 1.01097, 0.00412) in the source's axes.
    com = np.array([[-0.02185, -0.00412, 1.01097]])
    np.testing.assert_allclose(moment_about(push, com), 0.0, atol=1e-5 * 1030)


def test_feet_efforts_balance_the_base():
    """A push shared among the feet in any way leaves no effort to the joints of the base."""
    state = random_state(6, k=3)
    efforts = FREED.efforts(state)
    push = FREED.push(state, efforts)
    part = type(push)(force=0.3 * push.force + 7.0, moment=0.3 * push.moment - 5.0)
    rest = type(push)(force=push.force - part.force, moment=push.moment - part.moment)
    tau = efforts - FREED.feet_efforts(state, (part, rest))
    np.testing.assert_allclose(tau[:, :FREE], 0.0, atol=1e-9)


def test_leg_that_is_its_base():
    leg = FreeBase(biped=LEG)
    q = np.random.default_rng(7).uniform(-0.3, 0.3, (5, 4))
    T = base_over_feet(LEG, q)
    np.testing.assert_allclose(T, np.broadcast_to(LEG.T_world_base, (5, 4, 4)), atol=1e-12)
    x = leg.coordinates(q, T)
    state = FreeState(x=x, xd=np.zeros_like(x), xdd=np.zeros_like(x))
    push = leg.push(state, leg.efforts(state))
    np.testing.assert_allclose(push.force[:, 2], 23.25 * 9.81)
