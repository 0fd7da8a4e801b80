"""A robot on two feet as a closed chain: rates against differences, soles that stay."""

from __future__ import annotations

import numpy as np
import pytest

from robots.biped.biped_file import open_biped
from robots.biped.errors import PostureError
from robots.biped.scenarios.scenario import base_over_feet, standing_feet
from robots.biped.scenarios.tilt import lowered_posture
from robots.biped.stabiliser.two_feet_stabiliser import TwoFeet
from robots.biped.walking.legged_robot import LeggedRobot

BIPED = open_biped("bip2000")
ROBOT = LeggedRobot(biped=BIPED)
STEP = 1e-5


@pytest.fixture(scope="module")
def chain():
    return TwoFeet(robot=ROBOT, T_ground_feet=standing_feet(BIPED))


@pytest.fixture(scope="module")
def posture(chain):
    """Bent, turned and leaning, both soles on the ground."""
    bent = lowered_posture(ROBOT, 0.1) + 0.05 * np.random.default_rng(4).standard_normal(15)
    return chain.closed(bent)


def test_a_closed_posture_has_both_soles_where_the_robot_stands(chain, posture):
    # It raises where the feet are off each other by more than a nanometre.
    np.testing.assert_allclose(
        base_over_feet(BIPED, posture[None])[0], chain.base(posture), atol=1e-12
    )
    np.testing.assert_allclose(chain.closed(posture), posture, atol=1e-12)


def test_the_centre_of_mass_moves_as_the_jacobian_says(chain, posture):
    rates = chain.rates(posture)
    free = np.linalg.svd(rates.parting)[2][6:]
    assert len(free) == 9
    for qd in free:
        there, back = (chain.closed(posture + s * qd) for s in (STEP, -STEP))
        # Such joint speeds keep the second foot to first order: closing moves no joint.
        np.testing.assert_allclose((there - back) / (2 * STEP), qd, atol=1e-8)
        moved = (chain.rates(there).com - chain.rates(back).com) / (2 * STEP)
        np.testing.assert_allclose(rates.com_jacobian @ qd, moved, atol=1e-8)


def test_the_second_foot_parts_as_the_rows_say(chain, posture):
    """Every joint alone, against differences of the second foot seen from the first."""
    rates = chain.rates(posture)
    second = chain.models[1]
    R = (chain.base(posture) @ second.forward(posture))[:3, :3]
    for number in range(15):
        qd = np.eye(15)[number]
        there, back = (
            chain.base(posture + s * qd) @ second.forward(posture + s * qd) for s in (STEP, -STEP)
        )
        turning = (there[:3, :3] - back[:3, :3]) / (2 * STEP) @ R.T
        spin = [turning[2, 1], turning[0, 2], turning[1, 0]]
        sliding = (there[:3, 3] - back[:3, 3]) / (2 * STEP)
        np.testing.assert_allclose(rates.parting[:, number], [*sliding, *spin], atol=1e-8)


def test_the_centre_of_mass_is_that_of_the_standing_robot(chain):
    np.testing.assert_allclose(
        chain.rates(np.zeros(15)).com, [-0.02185, -0.00412, 1.01097], atol=5e-6
    )


def test_a_foot_out_of_reach_is_refused(chain):
    straight = np.zeros(15)
    straight[5] = 0.1  # the right ankle leans the robot to its side: the left leg is too short
    with pytest.raises(PostureError, match="left leg would need"):
        chain.closed(straight)
