"""Islands of a UR5e and a UR10e: the upper arm does not pass through its own base."""

import numpy as np
import pytest

from planner.clearance.checker import Checker
from planner.clearance.safety import islands
from planner.job.solids import Cell
from robots.core.model import Model
from robots.library import load

ABOVE = [162, -51, 109, -149, -90, -3]  # [deg]
BELOW = [-14, 134, 81, -125, 90, 0]  # under the base
ROUND = [-14, 134 - 360, 81, -125, 90, 0]  # the same posture, over the top


@pytest.fixture(scope="module", params=["ur5e", "ur10e"])
def island_of(request):
    arm = load(request.param)
    checker = Checker(Model(arm, engine="numpy"), Cell())
    assert not np.any(checker.collides(np.radians([ABOVE, BELOW, ROUND])))
    return lambda *q: islands(checker, np.radians(q), np.full(6, np.pi), 0.0).tolist()


def test_the_base_separates_what_a_whole_turn_joins(island_of):
    near = np.random.default_rng(0).uniform(-3, 3, (6, 6))
    above, below, round_ = (posture + near for posture in (ABOVE, BELOW, ROUND))
    numbers = island_of(*above, *below, *round_)
    assert len(set(numbers[:6] + numbers[12:])) == 1
    assert len(set(numbers[6:12])) == 1
    assert numbers[0] != numbers[6]


def test_few_postures(island_of):
    assert island_of(ABOVE) == [0]
    assert island_of(ABOVE, ABOVE) == [0, 0]
