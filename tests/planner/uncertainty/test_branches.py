"""Which branch measures best: symmetric branches are equal, longer levers are worse, a note."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from planner.findings import Severity, pages
from planner.job import UncertaintySettings
from planner.uncertainty.job_uncertainty import branch_findings, branch_sigmas, point_uncertainties
from planner.uncertainty.measuring import measuring_of
from planner.uncertainty.types import BranchSigma

QUICK = UncertaintySettings(encoder=1e-4, samples=0)


@pytest.fixture(scope="module")
def quick(corrected):
    return replace(corrected, job=replace(corrected.job, uncertainty=QUICK))


def test_every_point_has_its_planned_branch(quick):
    found = branch_sigmas(quick, measuring_of(quick))
    for point, plain in zip(quick.planned_points, point_uncertainties(quick), strict=True):
        planned = [b for b in found[point.name] if b.planned]
        assert [b.branch for b in planned] == [point.branch]
        assert planned[0].sigma_normal == pytest.approx(plain.sigma_normal, rel=1e-9)
        assert planned[0].allowed


def test_the_best_allowed_branch_comes_first(quick):
    for branches in branch_sigmas(quick, measuring_of(quick)).values():
        allowed = [b.allowed for b in branches]
        assert allowed == sorted(allowed, reverse=True)
        assert len({b.branch for b in branches}) == len(branches)
        for keeps in (True, False):
            sigmas = [b.sigma_normal for b in branches if b.allowed is keeps]
            assert sigmas == sorted(sigmas)


def test_a_turn_of_the_wrist_changes_nothing_but_its_own_joint(quick):
    """The ball sits at the wrist's centre in this job: the last two joints do not move it."""
    for branches in branch_sigmas(quick, measuring_of(quick)).values():
        by_name = {b.branch: b.sigma_normal for b in branches}
        for name, sigma in by_name.items():
            other = name[:-1] + ("-" if name[-1] == "+" else "+")
            assert by_name.get(other, sigma) == pytest.approx(sigma, rel=1e-9)


def point_with(*branches, uncertain):
    return replace(point_uncertainties(uncertain, branches=False)[0], branches=branches)


def test_a_note_where_another_branch_is_clearly_better(quick):
    here = BranchSigma(branch="elbow+", sigma_normal=4e-5, planned=True, allowed=True)
    good = BranchSigma(branch="elbow-", sigma_normal=2.5e-5, planned=False, allowed=True)
    (note,) = branch_findings([point_with(good, here, uncertain=quick)])
    assert (note.code, note.severity, note.where) == ("P150", Severity.NOTE, "P1")
    assert "of 40 µm along its normal by elbow+; elbow- would measure with 25 µm" in note.message
    assert note.code in [page.code for page in pages()]


@pytest.mark.parametrize(("sigma", "allowed"), [(3.8e-5, True), (1e-5, False)])
def test_no_note_for_little_gain_or_a_branch_beyond_limits(quick, sigma, allowed):
    here = BranchSigma(branch="elbow+", sigma_normal=4e-5, planned=True, allowed=True)
    other = BranchSigma(branch="elbow-", sigma_normal=sigma, planned=False, allowed=allowed)
    assert branch_findings([point_with(other, here, uncertain=quick)]) == ()


def test_points_without_branches_give_no_note(quick):
    assert branch_findings(point_uncertainties(quick, branches=False)) == ()


def test_a_plan_that_reaches_nothing(quick):
    none = [replace(p, reachable=False, q_contact=np.full(5, np.nan)) for p in quick.planned_points]
    plan = replace(quick, planned_points=tuple(none))
    assert branch_sigmas(plan, measuring_of(plan)) == {}
    assert point_uncertainties(plan) == ()
