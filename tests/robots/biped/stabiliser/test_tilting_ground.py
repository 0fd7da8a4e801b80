"""The leg on its tilting ground: places against the leg's own model, the ground's speed, errors."""

from __future__ import annotations

import numpy as np
import pytest

from robots.biped.biped_file import open_biped
from robots.biped.errors import BipedError
from robots.biped.posture.ground import Ground
from robots.biped.stabiliser.tilting_ground import (
    ThereAndBack,
    Tilt,
    ground_axes,
    on_tilting_ground,
    standing_points,
    tip_of,
)
from robots.core.equations.algebra import numbers
from robots.core.equations.tree import tree_of
from robots.core.model import Model

Q = np.array([0.1, -0.2, 0.5, -0.3])


@pytest.fixture(scope="module")
def biped():
    return open_biped("bip-leg")


def test_the_leg_turns_with_the_ground(biped):
    ground = Ground(alpha=0.2, beta=-0.3)
    whole = Model(on_tilting_ground(biped))
    own = Model(biped.mechanism)
    base = ground.T_world_ground @ biped.T_world_base
    tilted = np.hstack([0.2, -0.3, Q])
    np.testing.assert_allclose(whole.forward(tilted), base @ own.forward(Q), atol=1e-14)
    com = base[:3, :3] @ own.center_of_mass(Q) + base[:3, 3]
    np.testing.assert_allclose(whole.center_of_mass(tilted), com, atol=1e-14)
    axes = ground_axes((0.2, -0.3), numbers())
    np.testing.assert_allclose(axes, ground.rotation, atol=1e-15)


def test_gravity_and_torques_at_rest_are_those_of_the_leg(biped):
    tau = Model(on_tilting_ground(biped)).gravity_torques(np.hstack([0.0, 0.0, Q]))
    np.testing.assert_allclose(tau[2:], Model(biped.mechanism).gravity_torques(Q), atol=1e-12)


def test_the_tip_moves_as_the_jacobian_and_the_ground_say(biped):
    tree, fn, h = tree_of(on_tilting_ground(biped)), numbers(), 1e-6
    speed, qd = np.array([0.4, -0.7]), np.array([0.3, 0.2, -0.6, 0.9])

    def place(t):
        angle = np.array([0.1, 0.2]) + t * speed
        return np.array(tip_of(tree, Tilt(angle, speed, (0, 0)), Q + t * qd, fn).position)

    tip = tip_of(tree, Tilt((0.1, 0.2), speed, (0, 0)), Q, fn)
    found = np.array(tip.jacobian) @ qd + np.array(tip.carried)
    # Central differences of a motion of size one.
    np.testing.assert_allclose(found, (place(h) - place(-h)) / (2.0 * h), atol=1e-9)


def test_the_sole_stands_on_the_ground(biped):
    points = np.array(standing_points(biped))
    np.testing.assert_allclose(points[:, 2], 0.0, atol=1e-15)
    np.testing.assert_allclose(points[:, 0].max(), 0.170, atol=1e-15)
    np.testing.assert_allclose(points[:, 0].min(), -0.120, atol=1e-15)


def test_two_feet_are_refused():
    with pytest.raises(BipedError, match="bip2000 does not stand on its base"):
        on_tilting_ground(open_biped("bip2000"))


def test_the_ground_goes_there_and_back():
    ground = ThereAndBack(alpha=0.1, beta=0.3)
    rows = ground.samples(np.array([0.0, 3.5, 7.0, 10.5, 14.0, 20.0]))
    np.testing.assert_allclose(rows[:, 1], [0.0, 0.15, 0.3, 0.15, 0.0, 0.0], atol=1e-15)
    # The quintic's peak rate is 15/8 of the mean; [LAMMARI12] §V.
    np.testing.assert_allclose(
        rows[:, 3], 0.3 / 7.0 * 1.875 * np.array([0, 1, 0, -1, 0, 0]), atol=1e-15
    )
    t = np.linspace(0.1, 13.9, 50)
    rates = (ground.samples(t + 1e-6) - ground.samples(t - 1e-6)) / 2e-6
    np.testing.assert_allclose(ground.samples(t)[:, 2:], rates[:, :4], atol=1e-8)
    assert ground.duration == 14.0


def test_impossible_grounds_are_refused():
    with pytest.raises(BipedError, match="beta = 90 deg"):
        ThereAndBack(alpha=0.0, beta=np.pi / 2.0)
    with pytest.raises(BipedError, match="tilts in 0"):
        ThereAndBack(alpha=0.0, beta=0.1, each_way=0.0)
