"""Feet that stay on the ground while the body moves."""

import numpy as np
import pytest

from robots.biped.biped_file import open_biped
from robots.biped.errors import BipedError
from robots.biped.posture.standing import stand
from robots.biped.scenarios.scenario import base_over_feet, standing_feet, standing_support

ROBOT = open_biped("bip2000")


def test_agrees_with_standing_on_the_ground():
    q = np.zeros((4, 15))
    bend = np.array([0.0, 0.3, 0.6, 0.9])
    for column, part in ((2, -1.0), (3, 2.0), (4, -1.0)):
        q[:, column] = q[:, column + 6] = part * bend
    np.testing.assert_allclose(base_over_feet(ROBOT, q), stand(ROBOT, q).T_world_base, atol=1e-12)


def test_feet_and_support_of_the_standing_robot():
    right, left = standing_feet(ROBOT)
    np.testing.assert_allclose(right[:3, 3], [0, -0.11, 0.083], atol=1e-12)
    np.testing.assert_allclose(left[:3, 3], [0, 0.11, 0.083], atol=1e-12)
    corners = standing_support(ROBOT).corners
    np.testing.assert_allclose(corners[:, 0].max(), 0.17)
    np.testing.assert_allclose(corners[:, 0].min(), -0.12)
    np.testing.assert_allclose(np.abs(corners[:, 1]).max(), 0.2)


def test_feet_that_move_against_each_other():
    q = np.zeros((2, 15))
    q[1, 3] = 0.1
    with pytest.raises(BipedError, match="move its feet against each other"):
        base_over_feet(ROBOT, q)
