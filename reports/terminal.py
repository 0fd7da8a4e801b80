"""A plan as a reader sees it in the terminal; plain text where it is no terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, TextIO

import numpy as np

from planner.findings import Finding, Severity
from planner.plan import Plan, PlannedPoint, SegmentKind, Totals
from planner.touch.summary import touch_summary
from reports.console import Cell, Console, Table, console_on
from reports.verdict import (
    aspect_text,
    clearance_proven,
    meaning,
    measured_to,
    not_checked,
    touch_sentence,
)
from robots.core.rounding import apart_digits, balance

if TYPE_CHECKING:
    from planner.proof import Proof


_COLOUR = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.NOTE: "cyan"}


def print_summary(proof: Proof, file: TextIO) -> None:
    """Print what was planned, what limits it, what is doubtful, and how it was checked.

    Colour and the width of the window are used where ``file`` is a terminal; ``NO_COLOR`` is kept.
    """
    console, plan = console_on(file), proof.plan
    _print_verdict(console, proof)
    _print_joints(console, plan)
    _print_margins(console, plan)
    _print_findings(console, plan.finding_list)
    _print_validation(console, proof)


def _print_verdict(console: Console, proof: Proof) -> None:
    """Green only where everything was checked and held."""
    plan, totals = proof.plan, proof.plan.totals
    reached = sum(point.reachable for point in plan.planned_points)
    console.print(plan.job.name, style="bold")
    missing = not_checked(plan.unchecked)
    if not proof.passed:
        console.print("FAILED ITS OWN VALIDATION: nothing of it may be used", style="bold red")
    elif not plan.feasible:
        console.print("NOT FEASIBLE", style="bold red", end="; " if missing else "\n")
        console.print(missing, style="yellow", end="\n" if missing else "", soft_wrap=True)
    elif missing:
        console.print(f"feasible; {missing}", style="yellow", soft_wrap=True)
    else:
        console.print("feasible", style="green")
    console.print(
        f"{reached} of {len(plan.planned_points)} points reached by {plan.job.robot_model}"
    )
    _print_unchecked(console, plan)
    console.print(f"duration {totals.duration:.4f} s, {_loads(totals)}")
    console.print(_segment_line(plan))
    console.print(f"touch: {touch_sentence(touch_summary(plan))}", soft_wrap=True)


def _loads(totals: Totals) -> str:
    if totals.energy is None or totals.net_work is None:
        return "energy, work and power not evaluated"
    return (
        f"energy {totals.energy:.5g} J, "
        f"net work {balance(totals.net_work, totals.energy, 5):.5g} J, "
        f"power {totals.min_power:.5g} to {totals.peak_power:.5g} W"
    )


def _print_unchecked(console: Console, plan: Plan) -> None:
    """What it means that something was not checked, and what would change it."""
    for one in plan.unchecked:
        console.print(f"  {aspect_text(one)}: {meaning(one)}", style="yellow", soft_wrap=True)


def _segment_line(plan: Plan) -> str:
    """How many segments of each kind there are, and the time they take."""
    counts = Counter(segment.kind for segment in plan.timeline)
    if not counts:
        return "no motion"
    times = {kind: sum(s.duration for s in plan.timeline if s.kind is kind) for kind in counts}
    told = (f"{counts[k]} {k.value} ({times[k]:.4g} s)" for k in SegmentKind if counts[k])
    return "segments: " + ", ".join(told)


def _print_joints(console: Console, plan: Plan) -> None:
    mechanism, limits = plan.job.mechanism, plan.job.effort_limits
    headers = ("", "speed", "of", "acceleration", "of", "torque", "of")
    units = ("joint", "rad/s", "limit", "rad/s²", "limit", "N m", "limit", "N m", "W", "J")
    rows: list[Sequence[Cell]] = [[(unit, "dim") for unit in units]]
    rows += [
        (
            load.name,
            f"{load.peak_velocity:.4g}",
            _share(load.peak_velocity, mechanism.max_speed[k]),
            f"{load.peak_acceleration:.4g}",
            _share(load.peak_acceleration, mechanism.max_acceleration[k]),
            _number(load.peak_torque, 5),
            _share(load.peak_torque, limits[k]),
            *(_number(value, 4) for value in (load.rms_torque, load.peak_power, load.energy)),
        )
        for k, load in enumerate(plan.joint_loads)
    ]
    console.print("\nPeaks of each joint, over the exact motion", style="bold")
    console.table(Table(headers=(*headers, "rms torque", "power", "energy"), rows=rows))


def _number(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:.{digits}g}"


def _share(value: float | None, limit: float) -> str:
    if value is None or not np.isfinite(limit):
        return "-"
    return f"{100.0 * value / limit:.1f} %"


def _print_margins(console: Console, plan: Plan) -> None:
    reached = [point for point in plan.planned_points if point.reachable]
    if not reached:
        return
    console.print("\nSmallest margins along the probing lines", style="bold")
    least = _least(reached, lambda point: point.joint_margin)
    if least is not None:
        turning = {joint.name: joint.kind.angular for joint in plan.job.mechanism.movable}
        turns = turning.get(least.margin_joint, True)
        margin = np.degrees(least.joint_margin) if turns else 1e3 * least.joint_margin
        console.print(
            f"  joint limit   {margin:.3g} {'deg' if turns else 'mm'}, {least.margin_joint} at "
            f"{least.name}"
        )
    least = _least(reached, lambda point: point.singularity_margin)
    if least is not None:
        console.print(f"  singularity   {least.singularity_margin:.3g} of 1, at {least.name}")
    least = _least(reached, _clearance)
    told = f"{1e3 * _clearance(least):.4g} mm, at {least.name}, proven" if least else "not checked"
    console.print(f"  clearance     {told}")
    _print_nearest(console, plan)


def _print_nearest(console: Console, plan: Plan) -> None:
    """The number that report and batch tell, too: of all motions."""
    if plan.nearest is None:
        return
    clearance, segment = plan.nearest
    required = plan.job.checks.clearance
    kept = clearance.kept(required)
    value = f"{1e3 * clearance.known(required):.2f} mm"
    value = value if kept or clearance.depth_known else "contact, depth not known"
    console.print(
        f"Minimum clearance, {'proven' if kept else 'found'}, of all motions: {value}, "
        f"{segment.kind.value} of {segment.point}; {measured_to(plan)}",
        style="red" if not kept else None if clearance_proven(plan) else "yellow",
        soft_wrap=True,
    )


def _clearance(point: PlannedPoint) -> float:
    return np.nan if point.min_clearance is None else point.min_clearance


def _least(
    points: Sequence[PlannedPoint], margin: Callable[[PlannedPoint], float]
) -> PlannedPoint | None:
    known = [point for point in points if np.isfinite(margin(point))]
    return min(known, key=margin, default=None)


def _print_findings(console: Console, findings: Iterable[Finding]) -> None:
    found = list(findings)
    counts = Counter(finding.severity for finding in found)
    told = ", ".join(f"{counts[s]} {s.value}" for s in Severity if counts[s]) or "none"
    console.print(f"\nFindings: {told}", style="bold")
    for finding in found:
        console.print(
            f"  {finding.code} {finding.severity.value}", style=_COLOUR[finding.severity], end=" "
        )
        console.print(f"{finding.where}: {finding.message}", soft_wrap=True)
        if finding.hint:
            console.print(f"      {finding.hint}", soft_wrap=True)


def _print_validation(console: Console, proof: Proof) -> None:
    rows = []
    for check in proof.check_list:
        verdict = "ok" if check.passed else "FAILED"
        unit = "" if check.unit == "1" else check.unit
        found, limit = f"{check.value:.2e}", f"{check.limit:.2g}"
        if not check.passed:
            found, limit = apart_digits(check.value, check.limit, 3)
        rows.append((check.name, found, limit, unit, verdict))
    passed = "passed" if proof.passed else "FAILED, nothing is exported"
    console.print(f"\nValidation by independent methods: {passed}", style="bold")
    console.table(Table(headers=("check", "found", "limit", "unit", ""), rows=rows, text=(0, 3, 4)))
    for check in proof.failures:
        console.print(f"  {check.name}: {check.explanation}", soft_wrap=True)


# --- The published nine points -------------------------------------------------------------------

_STORY = (
    "Both jobs touch the same nine points of an inclined plane with the same five-joint arm. The "
    "first one repeats the numbers printed in the thesis [LAMMARI12], errors included; the second "
    "does what its text describes. Three things differ.",
    "1. Where the part stands. The text turns it by +30 degrees and moves it by (0, 1.5, 0.84) m. "
    "The printed points come from the inverse rotation, -30 degrees, and 0.33 m along x that the "
    "text never mentions.",
    "2. How the probe is held. The printed program uses the plane's normal in the part's own axes, "
    "not turned with the part, so the probe leans {lean:.1f} degrees away from the surface. The "
    "corrected job turns the normal with the part.",
    "3. How the probe approaches. The text retracts 50 mm along the normal. The printed points are "
    "50 mm higher along z instead: the two planes are only {apart:.2f} mm apart, and the approach "
    "is {off:.2f} degrees off the normal.",
    "In both jobs the duration of a probing line is the minimum that the joints allow, computed "
    "exactly. As published that makes joint 5 reach its 25 rad/s² in every probing line, which is "
    "what the thesis reports, and the job takes about 3 s, as it says.",
)


def difference_paragraphs(published: Plan) -> Iterator[str]:
    """Yield what differs between the two jobs, with the figures of the published one."""
    facts = _facts(published)
    for paragraph in _STORY:
        yield paragraph.format(**facts)


def difference_rows(published: Plan, corrected: Plan) -> list[tuple[str, str, str]]:
    """Quantity, as published, corrected."""
    mine, other = _figures(published), _figures(corrected)
    return [(name, mine[name], other[name]) for name in mine]


def _facts(published: Plan) -> dict[str, float]:
    """How far the published job is from its own surface; the normal is taken from its points."""
    placed = published.placed
    centred = placed.surfaces - placed.surfaces.mean(axis=0)
    normal = np.linalg.svd(centred)[2][2]
    cosines = np.abs([placed.normals[0] @ normal, placed.directions[0] @ normal])
    lean, off = np.degrees(np.arccos(np.minimum(cosines, 1.0)))
    apart = 1e3 * published.job.approach.distance * cosines[1]
    return {"lean": float(lean), "off": float(off), "apart": float(apart)}


def _figures(plan: Plan) -> dict[str, str]:
    """What to compare, in the order of the table."""
    travel = sum(s.duration for s in plan.timeline if s.kind is SegmentKind.TRAVEL)
    totals = plan.totals
    torques = " / ".join(f"{load.peak_torque:.2f}" for load in plan.joint_loads[:3])
    least = min(plan.planned_points, key=lambda point: point.joint_margin)
    return {
        "duration": f"{totals.duration:.4f} s",
        "  in probing lines": f"{totals.duration - travel:.4f} s",
        "  in travel": f"{travel:.4f} s",
        "peak torques of joints 1 to 3": f"{torques} N m",
        "peak acceleration of joint 5": f"{plan.joint_loads[4].peak_acceleration:.2f} rad/s²",
        "total power": f"{totals.min_power:.1f} to {totals.peak_power:.1f} W",
        "net work": f"{totals.net_work:.3f} J",
        "smallest joint margin": (
            f"{np.degrees(least.joint_margin):.2f} deg, {least.margin_joint} at {least.name}"
        ),
    }
