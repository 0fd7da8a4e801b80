"""The published nine-point job and its correction: the figures that the issue must show.

Source: [LAMMARI12] §VI, annex A, Tableau 2; figures recomputed without sampling (sources.md,
decisions 1 to 4). Tolerances are half a unit of the last digit that is printed.
"""

import numpy as np
import pytest

from planner.plan import SegmentKind

# Tableau 2 of annex A: joints at the clearance points P'1 … P'9. [deg]
TABLEAU_2 = np.array(
    [
        [75.300622, 86.454360, -1.5858521, 1.8695438, -99.825592],
        [73.977965, 77.956864, 6.2499197, 1.5198251, -99.203436],
        [72.862224, 69.265693, 15.141096, 1.2278874, -99.429901],
        [66.734614, 71.136464, 12.087946, -0.38460870, -98.293011],
        [67.335344, 79.947839, 3.2438710, -0.22678370, -98.263511],
        [68.052965, 88.660045, -4.6144154, -0.038341430, -99.118641],
        [60.537795, 89.391589, -6.1158172, -2.0068593, -98.215790],
        [60.489319, 80.581360, 1.7760261, -2.0150777, -97.296751],
        [60.448860, 71.717099, 10.621187, -2.0255005, -97.276259],
    ]
)


def seconds(plan, *kinds):
    return sum(s.duration for s in plan.timeline if s.kind.value in kinds)


def joint(plan, number, name):
    return getattr(plan.joint_loads[number - 1], name)


def test_published_times(published):
    assert published.feasible
    assert published.totals.duration == pytest.approx(2.72082, abs=5e-6)
    assert seconds(published, "probe", "retract") == pytest.approx(1.55997, abs=5e-6)
    assert seconds(published, "travel") == pytest.approx(1.16085, abs=5e-6)


def test_the_published_plan_differs_from_tableau_2_by_the_mistyped_normal(published):
    """The table was made with a normal that is no unit vector; it moves q5 alone."""
    q = np.degrees([point.q_clearance for point in published.planned_points])
    apart = np.abs(q - TABLEAU_2).max(axis=0)
    assert apart[:4].max() <= 2e-5
    assert apart[4] == pytest.approx(4.0e-3, abs=5e-5)
    assert {point.branch for point in published.planned_points} == {"shoulder+ elbow+ wrist-"}


def test_corrected_times(corrected):
    assert corrected.feasible
    assert corrected.totals.duration == pytest.approx(2.7931, abs=5e-5)
    assert seconds(corrected, "probe", "retract") == pytest.approx(1.6780, abs=5e-5)
    assert seconds(corrected, "travel") == pytest.approx(1.1151, abs=5e-5)


def test_joint_5_is_at_its_limit_in_all_probing_segments(published):
    lines = [s for s in published.timeline if s.kind is not SegmentKind.TRAVEL]
    assert len(lines) == 18
    assert {s.binding for s in lines} == {"q5 acceleration"}
    for line in lines:
        # Dense samples around the whole line come within 1e-6 of the exact peak, never above it.
        t = np.linspace(line.start, line.end, 4001)[1:-1]
        index = np.full(t.size, published.timeline.index(line))
        peak = np.abs(published.trajectory.segment_state(index, t).qdd[:, 4]).max()
        assert peak == pytest.approx(25.0, rel=1e-6)
        assert peak <= 25.0 * (1.0 + 1e-12)
    assert joint(published, 5, "peak_acceleration") == pytest.approx(25.0, rel=1e-12)


def test_one_travel_has_no_plateau(published):
    """P'3 to P'4: its acceleration alone binds."""
    travels = [s for s in published.timeline if s.kind is SegmentKind.TRAVEL]
    assert len(travels) == 8
    short = [s.point for s in travels if "velocity" not in s.binding]
    assert short == ["P4"]


@pytest.mark.parametrize(("which", "torques"), [
    ("published", (178.58, 240.00, 90.35)),
    ("corrected", (175.90, 240.28, 81.68)),
])  # fmt: skip
def test_peak_torques(which, torques, request):
    plan = request.getfixturevalue(which)
    found = [joint(plan, k, "peak_torque") for k in (1, 2, 3)]
    assert found == pytest.approx(torques, abs=5e-3)


@pytest.mark.parametrize(("which", "low", "high", "work"), [
    ("published", -357.3, 358.0, -4.555),
    ("corrected", -513.3, 456.3, -10.879),
])  # fmt: skip
def test_power_and_net_work(which, low, high, work, request):
    plan = request.getfixturevalue(which)
    assert plan.totals.min_power == pytest.approx(low, abs=0.05)
    assert plan.totals.peak_power == pytest.approx(high, abs=0.05)
    assert plan.totals.net_work == pytest.approx(work, abs=5e-4)


def test_corrected_margins(corrected):
    """Smallest distance of each joint to its limits, over all lines."""
    q = np.concatenate([
        corrected.trajectory.segment_state(
            np.full(201, k), np.linspace(s.start, s.end, 201)
        ).q
        for k, s in enumerate(corrected.timeline)
        if s.kind is SegmentKind.PROBE
    ])  # fmt: skip
    arm = corrected.job.mechanism
    margins = np.degrees(np.minimum(q - arm.q_min, arm.q_max - q).min(axis=0))
    assert margins[1] == pytest.approx(3.8, abs=0.05)
    assert margins[4] == pytest.approx(4.0, abs=0.05)
    assert min(margins) == pytest.approx(margins[1], abs=1e-12)
    least = min(corrected.planned_points, key=lambda point: point.joint_margin)
    assert least.margin_joint == "q2"
    assert np.degrees(least.joint_margin) == pytest.approx(margins[1], abs=1e-9)


@pytest.mark.parametrize("which", ["published", "corrected"])
def test_the_motion_is_a_serpentine_of_probe_retract_and_travel(which, request):
    plan = request.getfixturevalue(which)
    kinds = [s.kind.value for s in plan.timeline]
    assert kinds == (["probe", "retract", "travel"] * 9)[:-1]
    assert [s.point for s in plan.timeline if s.kind is SegmentKind.PROBE] == [
        f"P{k}" for k in range(1, 10)
    ]
    assert all(point.reachable for point in plan.planned_points)
