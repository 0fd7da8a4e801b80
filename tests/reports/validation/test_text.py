"""The table of residuals, and the values behind it."""

from __future__ import annotations

import numpy as np
import pytest

from planner.sampled_motion import InMemory
from reports.validation import validate, validation_text
from reports.validation.check import check, scales, validation


def test_every_check_has_its_line(plan, samples):
    found = validate(plan, InMemory(samples=samples))
    text = validation_text(found)
    count = len(found.checks)
    assert text.startswith(f"Validation by independent roads: all {count} checks passed.\n")
    for one in found.checks:
        assert any(line.startswith(f"ok    {one.name} ") for line in text.splitlines())
    assert max(map(len, validation_text(found, explain=True).splitlines())) <= 100


def test_a_failure_explains_itself():
    bad = check("held axis", [1e-3, -2e-3], 1e-9, "rad", "angle between stylus and normal")
    text = validation_text(validation([bad, check("time", [0.0], 1e-12, "s", "no gap")]))
    assert "1 of 2 checks FAILED: held axis." in text
    assert "FAIL  held axis        0.002 of at most 1e-09 rad" in text
    assert "angle between stylus and normal" in text
    assert "no gap" not in text


def test_a_ratio_to_a_limit_shows_where_it_differs():
    one = check("speed limits", [1.0000004], 1.000001, "1", "")
    assert "1.000000400 of at most 1.000001000" in validation_text(validation([one]))


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
