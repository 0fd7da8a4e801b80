"""Samples that are drawn: a short motion whole, of a long one every extreme and both ends."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from planner.motion.sampled_motion import InMemory, sampled
from reports import drawn_samples as module
from reports.drawn_samples import drawn_samples


@pytest.fixture(scope="module")
def fine(plan):
    """The synthetic motion at 0.02 ms."""
    return replace(plan, job=replace(plan.job, sampling_period=2e-5))


def test_a_short_motion_is_drawn_whole(samples):
    drawn = drawn_samples(InMemory(samples=samples))
    assert drawn.run == 1
    assert drawn.count == len(drawn.samples.t) == len(samples.t)


def test_of_a_long_motion_no_extreme_and_no_end_is_lost(fine, monkeypatch):
    monkeypatch.setattr(module, "WHOLE", 1000)
    whole = fine.trajectory.sample(2e-5)
    drawn = drawn_samples(sampled(fine), buckets=50)
    kept = drawn.samples
    assert drawn.count == len(whole.t)
    assert len(kept.t) < 0.1 * len(whole.t)
    assert kept.t[[0, -1]].tolist() == whole.t[[0, -1]].tolist()
    assert np.all(np.diff(kept.t) > 0.0)
    bucket = np.arange(drawn.count) // drawn.run
    at = np.searchsorted(whole.t, kept.t)
    for values, shown in ((whole.qd, kept.qd), (whole.power[:, None], kept.power[:, None])):
        for b in np.unique(bucket):
            mine, theirs = values[bucket == b], shown[bucket[at] == b]
            assert np.array_equal(mine.max(axis=0), theirs.max(axis=0))
            assert np.array_equal(mine.min(axis=0), theirs.min(axis=0))


def test_blocks_change_nothing(corrected_plan, monkeypatch):
    whole = corrected_plan.trajectory.sample(1e-3)
    monkeypatch.setattr("planner.motion.sampled_motion.BLOCK", 700)
    motion = sampled(corrected_plan)
    parts = list(motion.blocks())
    assert len(parts) == -(-motion.count // 700)
    for name in ("t", "segment", "q", "qd", "qdd", "tau", "position"):
        joined = np.concatenate([getattr(part, name) for part in parts])
        assert np.array_equal(joined, getattr(whole, name))


@pytest.fixture(scope="module")
def corrected_plan():
    from planner.job import read_job
    from planner.library import path_of
    from planner.planning import plan

    return plan(read_job(path_of("nine-points-corrected")))
