"""Robots as users hold them: what is no number is told, with the argument's name."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from robots.core.errors import StateError
from robots.robot import load_robot


def test_values_that_are_no_numbers_are_refused_by_name():
    robot = load_robot("planar-3r")
    with pytest.raises(StateError, match=r"forward of 'planar-3r': q is \['a', 'a', 'a'\]"):
        robot.forward(["a"] * 3)
    with pytest.raises(StateError, match="velocity of 'planar-3r': qd is"):
        robot.velocity([0.0] * 3, [[1.0], 2.0, 3.0])
    again = pickle.loads(pickle.dumps(robot))
    assert np.array_equal(again.forward(np.zeros(3)), robot.forward(np.zeros(3)))
