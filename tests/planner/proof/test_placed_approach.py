"""Approaches of single features, and plans whose points are approached otherwise than said."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from planner.job import FeatureApproach
from planner.job.settings import FeatureTouch
from planner.motion.sampled_motion import InMemory
from planner.planning import plan as planned
from planner.proof import prove
from planner.proof.geometry import placed_approach
from planner.reach.placement import place
from tests.planner.touching import with_touch


def with_approach(plan, placed=True, **values):
    job = replace(plan.job, approach=replace(plan.job.approach, **values))
    return replace(plan, job=job, placed=place(job) if placed else plan.placed)


@pytest.fixture(scope="module")
def searched(job):
    """The same points, searched."""
    points = replace(job.points, features=("a", "b", "b"))
    return planned(with_touch(replace(job, points=points), mode="search"))


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

CYCLES = (
    FeatureTouch(name="a", speed=0.002, search_before=0.001),
    FeatureTouch(name="c", search_after=0.007, back_off=0.015),
)


@pytest.mark.parametrize("frame", ["part", "base"])
@pytest.mark.parametrize("axis", [None, np.array([1.0, 0.0, -2.0])])
@pytest.mark.parametrize("direction", [None, np.array([0.0, 0.0, 1.0])])
def test_every_kind_of_approach_is_placed_as_said(featured, frame, axis, direction):
    featured = replace(featured, job=replace(featured.job, frame=frame))
    usual = {"axis": axis, "direction": direction}
    for features in ((), EVERY):
        assert placed_approach(with_approach(featured, **usual, features=features)).passed
        for cycle in ({"search_after": 0.004}, {"deceleration": 0.5, "features": CYCLES}):
            job = with_touch(featured.job, mode="search", **cycle)
            other = with_approach(replace(featured, job=job), **usual, features=features)
            assert placed_approach(other).passed


@pytest.mark.parametrize(
    "change",
    [
        {"distance": 0.05 + 1e-8},
        {"axis": np.array([0.0, 0.0, -1.0])},
        {"direction": np.array([0.0, 0.0, 1.0])},
        {"features": (FeatureApproach(name="b", distance=0.05 + 1e-8),)},
        {"features": (FeatureApproach(name="b", axis=np.array([0.0, 0.0, -1.0])),)},
    ],
)
def test_another_approach_than_the_job_says(featured, samples, failures, change):
    other = with_approach(featured, placed=False, **change)
    assert failures(prove(other, InMemory(samples=samples))) == {"placed approach"}


@pytest.mark.parametrize(
    ("change", "others"),
    [
        ({"search_before": 0.003 + 1e-8}, set()),
        ({"search_after": 0.003 + 1e-8}, set()),
        ({"back_off": 0.002 + 1e-8}, set()),
        # The 20 ms of no value are 0.25 m/s²: 2e-8 m. The joints stop the ball harder.
        ({"deceleration": 0.2499}, {"overrun", "miss: overrun"}),
        ({"speed": 0.005 + 1e-7}, {"touch speed", "miss: touch speed"}),
        ({"features": (FeatureTouch(name="b", search_after=0.003 + 1e-8),)}, set()),
        ({"features": (FeatureTouch(name="a", back_off=0.002 + 1e-8),)}, set()),
    ],
)
def test_another_cycle_than_the_job_says(searched, failures, change, others):
    job = replace(searched.job, touch=replace(searched.job.touch, **change))
    found = failures(prove(replace(searched, job=job)))
    assert found == {"placed approach"} | others


def test_a_plan_that_searches_where_its_job_comes_to_rest(searched, plan, failures):
    """And the other way round."""
    for one, mode in ((searched, "to-rest"), (plan, "search")):
        found = failures(prove(replace(one, job=with_touch(one.job, mode=mode))))
        assert {"placed approach", "visits"} <= found
