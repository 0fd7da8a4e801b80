"""Uncertainty of a whole job, planned on the way."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from planner.errors import JobError
from planner.job import UncertaintySettings
from planner.uncertainty.job_uncertainty import (
    joint_covariance,
    point_uncertainties,
    uncertainty_of,
)
from planner.uncertainty.monte_carlo import monte_carlo


@pytest.fixture(scope="module")
def known(uncertain):
    return uncertainty_of(uncertain.job)


def test_it_is_that_of_the_plan(known, uncertain):
    assert known.missing == 0
    apart = point_uncertainties(uncertain)
    assert [one.name for one in known.points] == [one.name for one in apart]
    assert [one.sigma_normal for one in known.points] == [one.sigma_normal for one in apart]
    assert known.points[known.worst].sigma_normal == max(one.sigma_normal for one in known.points)


def test_errors_of_all_points_have_their_covariance(known):
    names = tuple(reversed(known.job.points.names))
    errors = known.errors(names)
    assert errors.shape[1:] == (len(names), 3)
    # To 10,000 draws a standard deviation is known to 0.7 %; five times that is no chance.
    whole = joint_covariance(known.measuring)
    k = known.measuring.names.index(names[0])
    block = whole[3 * k : 3 * k + 3, 3 * k : 3 * k + 3]
    expected = np.sqrt(np.diag(block))
    assert errors[:, 0].std(axis=0) == pytest.approx(expected, rel=5 / np.sqrt(2 * len(errors)))


def test_draws_of_the_worst_point_only_where_they_are_asked_for(known):
    settings = replace(known.measuring.settings, samples=0, digits=0)
    quiet = replace(known, measuring=replace(known.measuring, settings=settings))
    assert quiet.worst_draws() is None
    asked = replace(known.measuring, settings=replace(settings, samples=500))
    drawn = replace(known, measuring=asked).worst_draws()
    expected = list(monte_carlo(asked))[known.worst]
    assert drawn is not None
    assert np.array_equal(drawn.along, expected.along)


def test_a_job_that_says_nothing_is_refused(corrected_job):
    with pytest.raises(JobError, match=r"\[uncertainty\]"):
        uncertainty_of(corrected_job)
    silent = replace(corrected_job, uncertainty=UncertaintySettings())
    with pytest.raises(JobError, match="names nothing that is wrong"):
        uncertainty_of(silent)
