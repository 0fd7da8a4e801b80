"""Postures found from near by: they are where they should be, on the branch they came from."""

from __future__ import annotations

import numpy as np
import pytest

from planner.virtual_measuring.layout import ball_gaps, follow, inverse_rates
from robots.core.model import Model
from robots.library import open_robot


@pytest.fixture(scope="module")
def nine(corrected):
    q = np.array([point.q_contact for point in corrected.planned_points])
    return Model(corrected.job.mechanism), q


def test_known_posture_is_found_again_from_beside_it(nine):
    model, q = nine
    T = model.forward(q)
    found = follow(model, q + 0.05, T[:, :3, 3], T[:, :3, 2])
    assert found.there.all()
    # The branch does not change within 3 degrees; the measuring arm has no spin to be free.
    np.testing.assert_allclose(found.q, q, atol=1e-9)


def test_steps_are_those_of_finite_differences(nine):
    model, q = nine
    rates = inverse_rates(model, q)
    T = model.forward(q)
    shift = 1e-6 * np.array([1.0, -2.0, 0.5])
    moved = model.forward(q + rates[:, :, :3] @ shift)
    left = ball_gaps(moved, T[:, :3, 3] + shift, T[:, :3, 2])
    assert np.abs(left).max() < 1e-10  # second order of 2e-6


def test_out_of_reach_and_out_of_limits_are_marked(nine):
    model, q = nine
    T = model.forward(q)
    far = T[:, :3, 3].copy()
    far[0] += [50.0, 0.0, 0.0]
    there = follow(model, q, far, T[:, :3, 2]).there
    assert not there[0]
    assert there[1:].all()


def test_opposite_axis_is_not_there(nine):
    """The turn back is zero for an axis that points the wrong way."""
    model, q = nine
    T = model.forward(q)
    assert not follow(model, q, T[:, :3, 3], -T[:, :3, 2]).there.any()


def test_six_joints_keep_the_spin_that_costs_least():
    model = Model(open_robot("industrial-6r"))
    q = np.array([[0.1, -0.4, 0.6, 0.2, 0.7, 0.3]])
    T = model.forward(q)
    found = follow(model, q, T[:, :3, 3] + 0.01, T[:, :3, 2])
    assert found.there.all()
    assert np.abs(found.q - q).max() < 0.1


def test_nothing_to_find(nine):
    model, _ = nine
    found = follow(model, np.zeros((0, 5)), np.zeros((0, 3)), np.zeros((0, 3)))
    assert found.q.shape == (0, 5)
