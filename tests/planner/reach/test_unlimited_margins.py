"""Joints without limits: an infinite margin, and no number that is not one on the way to it."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np

from planner.job import read_job
from planner.library import path_of
from planner.reach.margins import exact_margins, rough_margins
from planner.reach.placement import place
from planner.reach.robot import reach_of


def test_margins_of_joints_without_limits():
    job = read_job(path_of("nine-points-corrected"))
    first, second, *others = job.mechanism.joints
    first, second = replace(first, q_min=-np.inf, q_max=np.inf), replace(second, q_max=np.inf)
    free = replace(job, mechanism=replace(job.mechanism, joints=(first, second, *others)))
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        lines = reach_of(free).candidates(place(free)).lines.take(np.arange(3))
        exact, rough = exact_margins(lines), rough_margins(lines)
    low, high = free.mechanism.q_min, free.mechanism.q_max
    grid = np.linspace(0.0, 1.0, 1001)
    for row in range(3):
        q = lines.joints(np.full(grid.size, row), grid)
        seen = np.minimum(q - low, high - q).min(axis=0)
        assert np.all(np.isposinf(seen[:1]))
        np.testing.assert_allclose(exact.limit[row], seen, atol=1e-6)
        assert np.all(exact.limit[row] <= seen)
        assert np.all(rough.limit[row] >= exact.limit[row])
