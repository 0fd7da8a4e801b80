"""P107 and P108: touches that the joints cannot do, and that the stylus does not bear."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from planner.findings import Severity, page
from planner.job.settings import FeatureTouch
from planner.planning import plan
from planner.touch.limits import TouchLimits
from tests.planner.touching import with_touch


def named(made, code):
    return [finding for finding in made.finding_list if finding.code == code]


def value(text):
    """The number of a key in a hint."""
    return float(re.search(r"= ([0-9.]+)", text).group(1))


@pytest.fixture(scope="module")
def weak(corrected_job):
    """The job with a search, its joints slowed down: ``weak(max_speed=0.01, speed=0.02)``."""

    def made(speed=0.02, **limits):
        arm = corrected_job.mechanism
        joints = tuple(replace(joint, **limits) for joint in arm.joints)
        job = replace(corrected_job, mechanism=replace(arm, joints=joints))
        return with_touch(job, mode="search", speed=speed)

    return made


@pytest.mark.parametrize("limits", [{"max_speed": 0.01}, {"max_acceleration": 0.1}])
def test_a_touch_faster_than_the_joints_allow_says_the_largest_that_works(weak, limits):
    made = plan(weak(**limits))
    found = named(made, "P107")
    assert [f.where for f in found] == [f"P{k}" for k in range(1, 10)] == list(made.left_out)
    largest = []
    for finding in found:
        assert finding.severity is Severity.ERROR
        assert finding.left_out
        (quantity,) = finding.quantities
        assert (quantity.name, quantity.unit) == ("largest touch speed", "mm/s")
        message = re.fullmatch(
            r"the joints do not allow a touch at 20 mm/s: at most ([0-9.]+) mm/s", finding.message
        )
        assert float(message.group(1)) == pytest.approx(quantity.value, rel=5e-3)
        assert "give touch.speed_mm_s = " in finding.hint
        assert 0.99 * quantity.value < value(finding.hint) <= quantity.value
        largest.append(value(finding.hint))
    # The nearest value that works for all works, and 2 % more than what any can do works for none.
    served = plan(weak(speed=1e-3 * min(largest), **limits))
    assert served.feasible
    assert named(served, "P107") == []
    none = plan(weak(speed=1.02e-3 * max(f.quantities[0].value for f in found), **limits))
    assert len(named(none, "P107")) == 9


def test_a_stop_harder_than_the_joints_can_says_the_hardest_that_works(corrected_job):
    job = with_touch(corrected_job, mode="search", speed=0.1, deceleration=100.0)
    found = named(plan(job), "P107")
    assert len(found) == 9
    for finding in found:
        (quantity,) = finding.quantities
        assert (quantity.name, quantity.unit) == ("hardest stop", "mm/s²")
        assert "the joints stop the ball with at most" in finding.message
        assert "give touch.deceleration_mm_s2 = " in finding.hint
        assert "or leave it out" in finding.hint
    hardest = 1e-3 * min(value(finding.hint) for finding in found)
    for deceleration in (hardest, None):
        other = replace(job, touch=replace(job.touch, deceleration=deceleration))
        assert named(plan(other), "P107") == []


def test_only_the_points_of_a_fast_feature_fail(corrected_job):
    features = ("", "fast", "") * 3
    job = replace(corrected_job, points=replace(corrected_job.points, features=features))
    own = FeatureTouch(name="fast", speed=1.0, search_before=0.02)
    made = plan(with_touch(job, mode="search", features=(own,)))
    assert [f.where for f in named(made, "P107")] == ["P2", "P5", "P8"] == list(made.left_out)
    assert len(made.timeline) == 6 * 5 + 5


@pytest.mark.parametrize("overtravel", [1e-4, 1.03e-4])
def test_an_overrun_beyond_what_the_stylus_gives(corrected_job, overtravel):
    """20 mm/s for 5 ms are 0.1 mm, and the stop of 20 ms that its deceleration takes 0.2 mm."""
    job = with_touch(corrected_job, mode="search", speed=0.02, latency=0.005, deceleration=1.0)
    job = replace(job, probe=replace(job.probe, overtravel=overtravel))
    made = plan(job)
    assert not made.feasible
    found = named(made, "P108")
    assert [f.where for f in found] == [f"P{k}" for k in range(1, 10)]
    assert made.left_out == ()
    for finding, point in zip(found, made.planned_points, strict=True):
        assert finding.severity is Severity.ERROR
        (quantity,) = finding.quantities
        assert (quantity.name, quantity.unit) == ("overrun", "mm")
        assert quantity.value == pytest.approx(1e3 * point.overrun, rel=1e-15)
        assert quantity.value == pytest.approx(0.3, rel=1e-9)
        assert (
            f"goes on for 0.3 mm after the trigger, the stylus gives {1e3 * overtravel:.3g} mm"
            in (finding.message)
        )
        assert "probe.overtravel_mm" in finding.message
        assert "touch.speed_mm_s" in finding.hint


@pytest.mark.parametrize("overtravel", [3.001e-4, np.inf])
def test_a_stylus_that_gives_enough_is_no_finding(corrected_job, overtravel):
    job = with_touch(corrected_job, mode="search", speed=0.02, latency=0.005, deceleration=1.0)
    made = plan(replace(job, probe=replace(job.probe, overtravel=overtravel)))
    assert made.feasible
    assert named(made, "P108") == []


def test_a_touch_to_rest_has_neither(corrected_job):
    job = replace(corrected_job, probe=replace(corrected_job.probe, overtravel=1e-9))
    codes = {finding.code for finding in plan(job).finding_list}
    assert codes.isdisjoint({"P107", "P108"})


@pytest.mark.parametrize("code", ["P107", "P108"])
def test_pages(code):
    found = page(code)
    assert found.code == code
    assert all((found.title, found.meaning, found.cause, found.fix))


def test_an_approach_that_only_its_timing_finds_too_fast_is_an_error(corrected_job, monkeypatch):
    """Were its branch let through, by a grid that misses a peak, the plan would not be proven."""
    monkeypatch.setattr(
        TouchLimits, "_approach_speeds", lambda _, rows, __: np.full(len(rows), np.inf)
    )
    near = replace(corrected_job.approach, distance=0.0008)
    arm = corrected_job.mechanism
    joints = tuple(replace(joint, max_acceleration=1.4) for joint in arm.joints)
    job = replace(corrected_job, approach=near, mechanism=replace(arm, joints=joints))
    made = plan(with_touch(job, mode="search", speed=0.02, search_before=0.0007))
    found = named(made, "P107")
    assert found
    assert all(one.severity is Severity.ERROR and not one.left_out for one in found)
    assert "no duration of the approach ends at the touch speed of 20 mm/s" in found[0].message
    assert not made.motion_proven
