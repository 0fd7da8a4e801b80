"""What makes a tree a robot with two legs, and the errors where it is none."""

import numpy as np
import pytest

from robots.biped.biped_file import open_biped
from robots.biped.errors import BipedError, PostureError
from robots.biped.walking.legged_robot import LeggedRobot
from robots.core.model import Model

ROBOT = LeggedRobot(biped=open_biped("bip2000"))


def test_stands_where_the_file_says():
    placed = ROBOT.postures(ROBOT.biped.T_world_base[:3, 3], ROBOT.ankles)
    np.testing.assert_allclose(placed.q, 0.0, atol=1e-12)
    np.testing.assert_array_equal(placed.T_world_base, ROBOT.biped.T_world_base)
    # bip2000.md: COM(0) = (−0.02185, 1.01097, 0.00412) m; x forward, y up, z right.
    com = ROBOT.center_of_mass(placed)
    np.testing.assert_allclose(com, [-0.02185, -0.00412, 1.01097], atol=5e-6)


def test_centre_of_mass_goes_where_it_is_wanted():
    rng = np.random.default_rng(8)
    com = np.array([0.0, 0.0, 0.93]) + rng.uniform(-0.05, 0.05, (50, 3)) * [1, 1, 0.4]
    ankles = ROBOT.ankles + rng.uniform(0.0, 0.06, (50, 2, 3))
    placed = ROBOT.over(com, ankles)
    np.testing.assert_allclose(ROBOT.center_of_mass(placed), com, atol=1e-11)
    model = Model(ROBOT.biped.mechanism)
    for number, link in enumerate(("q1", "q5")):
        T = placed.T_world_base @ model.transforms(placed.q)[:, model.mechanism.index(link)]
        np.testing.assert_allclose(T[:, :3, 3], ankles[:, number], atol=1e-11)
        wanted = np.broadcast_to(ROBOT.legs[number].foot_zero, (50, 3, 3))
        np.testing.assert_allclose(T[:, :3, :3], wanted, atol=1e-11)
    np.testing.assert_array_equal(placed.q[:, 12:], 0.0)


def test_out_of_reach():
    with pytest.raises(PostureError, match="leg would need"):
        ROBOT.over(np.array([[0.0, 0.0, 1.05]]), ROBOT.ankles[None])


def test_a_single_leg_is_no_legged_robot():
    with pytest.raises(BipedError, match="bip-leg does not hang on two legs"):
        LeggedRobot(biped=open_biped("bip-leg"))
