"""Checks: the worst residual decides."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from planner.motion.sampled_motion import sampled
from planner.proof import Proof
from planner.proof.check import check, scales


def test_a_proof_passes_if_every_check_does(plan):
    good, bad = check("time", [0.0], 1e-12, "s", ""), check("held axis", [1e-3], 1e-9, "rad", "")
    proof = Proof(plan=plan, motion=sampled(plan), check_list=(good, bad))
    assert not proof.passed
    assert proof.failures == (bad,)
    assert replace(proof, check_list=(good,)).passed


@pytest.mark.parametrize(
    ("residuals", "value", "passed"),
    [([], 0.0, True), ([-2.0], 2.0, False), ([1.0], 1.0, True), ([np.nan, 0.0], np.nan, False)],
)
def test_the_worst_residual_decides(residuals, value, passed):
    found = check("name", residuals, 1.0, "m", "")
    assert found.value == pytest.approx(value, nan_ok=True)
    assert found.passed is passed
    assert isinstance(found.value, float)


def test_a_quiet_joint_is_measured_against_the_busiest():
    assert scales(np.array([100.0, 0.0])) == pytest.approx([100.0001, 1e-4])
    assert scales(np.zeros(2)).min() > 0.0
