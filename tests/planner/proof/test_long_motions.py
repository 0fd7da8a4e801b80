"""Motions that pass by in parts: the parts change nothing, and every sample is looked at."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from planner.motion.sampled_motion import InMemory, sampled
from planner.proof import evidence as module
from planner.proof import prove
from planner.proof.evidence import gather, passages

NAMES = ("t", "segment", "q", "qd", "qdd", "tau", "position")


class InParts:
    """Samples in blocks of any size."""

    def __init__(self, samples, size):
        self.samples, self.size = samples, size
        self.count = len(samples.t)

    def blocks(self):
        for first in range(0, self.count, self.size):
            rows = slice(first, first + self.size)
            yield type(self.samples)(**{n: getattr(self.samples, n)[rows] for n in NAMES})


@pytest.fixture
def in_bits(monkeypatch):
    monkeypatch.setattr(module, "SEGMENTS", 2)
    monkeypatch.setattr(module, "ROWS", 37)


def test_parts_change_nothing(plan, monkeypatch):
    whole = prove(plan)
    monkeypatch.setattr("planner.motion.sampled_motion.BLOCK", 700)
    monkeypatch.setattr(module, "SEGMENTS", 2)
    monkeypatch.setattr(module, "ROWS", 37)
    parts = prove(plan)
    assert [one.name for one in parts.check_list] == [one.name for one in whole.check_list]
    for one, other in zip(whole.check_list, parts.check_list, strict=True):
        # Sums are added in another order: rounding of the residuals, far below every limit.
        assert other.value == pytest.approx(one.value, rel=1e-9, abs=1e-4 * one.limit + 1e-15)


@pytest.mark.usefixtures("in_bits")
def test_every_sample_passes_by_once_and_in_its_time(plan, samples):
    seen, end = [], 0.0
    for passage, drawn in passages(gather(plan), InParts(samples, 101)):
        for some in drawn:
            assert len(some.t) <= 37
            assert np.all(some.t >= end)
            seen.append(some.t)
        end = passage.end
        assert len(np.unique(passage.motion.pieces.segment)) <= 2
    assert np.array_equal(np.concatenate(seen), samples.t)
    assert end == pytest.approx(plan.totals.duration, rel=1e-15)


@pytest.mark.usefixtures("in_bits")
@pytest.mark.parametrize("row", [0, 700, -1])
def test_one_wrong_sample_in_any_block_is_found(plan, samples, failures, row):
    q = np.array(samples.q)
    q[row, 1] += 1e-7
    found = prove(plan, InParts(replace(samples, q=q), 350))
    assert "sample joints" in failures(found)


@pytest.mark.usefixtures("in_bits")
def test_a_gap_between_two_blocks_is_found(plan, samples, failures):
    keep = np.arange(len(samples.t)) != 350  # the first of the second block
    fewer = type(samples)(**{name: getattr(samples, name)[keep] for name in NAMES})
    assert failures(prove(plan, InParts(fewer, 350))) == {"sample times"}


@pytest.mark.usefixtures("in_bits")
@pytest.mark.parametrize("wrong", [np.nan, np.inf, -1.0])
def test_samples_without_a_sensible_time_do_not_slip_through(plan, samples, failures, wrong):
    t = np.array(samples.t)
    t[400] = wrong
    found = failures(prove(plan, InParts(replace(samples, t=t), 350)))
    assert "sample times" in found
    assert found & {"sample joints", "sample rates"}


def test_a_motion_without_samples_does_not_pass(plan, samples, failures):
    none = type(samples)(**{name: getattr(samples, name)[:0] for name in NAMES})
    assert failures(prove(plan, InMemory(samples=none))) == {"sample times"}


def test_samples_are_drawn_when_none_are_given(plan, samples):
    drawn = next(iter(sampled(plan).blocks()))
    assert np.array_equal(drawn.q, samples.q)
    given, own = prove(plan, InMemory(samples=samples)), prove(plan)
    assert [one.value for one in given.check_list] == [one.value for one in own.check_list]
