"""Approaches of single features, and plans whose points are approached otherwise than said."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from planner.job import FeatureApproach
from planner.motion.sampled_motion import InMemory
from planner.proof import prove
from planner.proof.geometry import placed_approach
from planner.reach.placement import place


def with_approach(plan, placed=True, **values):
    job = replace(plan.job, approach=replace(plan.job.approach, **values))
    return replace(plan, job=job, placed=place(job) if placed else plan.placed)


@pytest.fixture
def featured(plan):
    """The plan's job with a feature for each point, turned with the part."""
    points = replace(plan.job.points, features=("a", "b", "c"))
    return replace(plan, job=replace(plan.job, points=points))


EVERY = (
    FeatureApproach(name="a", distance=0.02, direction="normal"),
    FeatureApproach(name="b", axis=np.array([0.0, 0.6, -0.8]), direction=np.array([0.0, 3.0, 4.0])),
    FeatureApproach(name="c", axis="normal"),
)


@pytest.mark.parametrize("frame", ["part", "base"])
@pytest.mark.parametrize("axis", [None, np.array([1.0, 0.0, -2.0])])
@pytest.mark.parametrize("direction", [None, np.array([0.0, 0.0, 1.0])])
def test_every_kind_of_approach_is_placed_as_said(featured, frame, axis, direction):
    featured = replace(featured, job=replace(featured.job, frame=frame))
    usual = {"axis": axis, "direction": direction, "overtravel": 0.003}
    for features in ((), EVERY):
        assert placed_approach(with_approach(featured, **usual, features=features)).passed


@pytest.mark.parametrize(
    "change",
    [
        {"distance": 0.05 + 1e-8},
        {"overtravel": 1e-8},
        {"axis": np.array([0.0, 0.0, -1.0])},
        {"direction": np.array([0.0, 0.0, 1.0])},
        {"features": (FeatureApproach(name="b", distance=0.05 + 1e-8),)},
        {"features": (FeatureApproach(name="b", axis=np.array([0.0, 0.0, -1.0])),)},
    ],
)
def test_another_approach_than_the_job_says(featured, samples, failures, change):
    other = with_approach(featured, placed=False, **change)
    assert failures(prove(other, InMemory(samples=samples))) == {"placed approach"}
