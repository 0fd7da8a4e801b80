"""Findings of a plan: every point that fails, with the number that makes it fail."""

from __future__ import annotations

import numpy as np

from planner.findings import Finding, Quantity, Severity
from planner.findings.subjects import Point, Robot, Segments
from planner.job import Job
from planner.motion.timing import Timings
from planner.order.chooser import Choice
from planner.plan_types import PlacedPoints
from planner.reach.candidates import Candidates
from planner.reach.lines import Lines
from planner.reach.margins import SINGULAR, exact_margins, joint_units, required_margins
from planner.reach.reach import Reach, Shortfall
from robots.core.arrays import Array, Indices
from robots.core.rounding import at_least, readable


def point_findings(
    reach: Reach,
    placed: PlacedPoints,
    found: Candidates,
    failing: Indices,
    required: float,
) -> list[Finding]:
    """One error per point that no posture serves.

    Args:
        reach: of the robot.
        placed: the points.
        found: the candidates.
        failing: the points that nothing serves, collisions left aside. # (m,)
        required: joint margin that the job asks for. [rad]
    """
    margin = required_margins(reach.model.mechanism, required)
    rows = [np.nonzero(found.point == k)[0] for k in failing]
    empty = [int(k) for k, own in zip(failing, rows, strict=True) if own.size == 0]
    reasons = dict(
        zip(empty, reach.shortfalls(placed, np.array(empty, dtype=np.int64)), strict=True)
    )
    return [
        _refused(reach, placed.names[k], found.lines.take(own), margin)
        if own.size
        else _unreachable(placed.names[k], reasons[int(k)])
        for k, own in zip(failing, rows, strict=True)
    ]


def reach_finding(reach: Reach) -> list[Finding]:
    """What the way of finding postures cannot promise."""
    if reach.complete:
        return []
    return [
        Finding(
            code="P106",
            severity=Severity.NOTE,
            subject=Robot(),
            message="the postures of this robot are found by a numerical search from many starts: "
            "every one is proven, but a branch, or a point that only just can be reached, may "
            "have been missed",
            hint="another seed in [travel] starts the search elsewhere",
        )
    ]


def approach_findings(placed: PlacedPoints) -> list[Finding]:
    """Points approached from inside the material."""
    return [
        Finding(
            code="P104",
            severity=Severity.ERROR,
            subject=Point(placed.names[k]),
            message=f"the approach direction leans {_degrees(placed.approach_cosines[k]):.1f} deg "
            "from the outgoing normal: the probe would come through the material (limit 90 deg)",
            quantities=(Quantity("lean", _degrees(placed.approach_cosines[k]), "deg"),),
            hint="turn the normal around if it points into the material, or approach along it",
        )
        for k in np.nonzero(placed.approach_cosines <= 0.0)[0]
    ]


def torque_findings(placed: PlacedPoints, choice: Choice, timings: Timings) -> list[Finding]:
    """Motions that no duration keeps within the torque limits, by the point they serve."""
    visits = choice.visits.tolist()
    probe, retract, travel = (batch.impossible for batch in timings.batches)
    # A retract that fails like its line is not reported a second time.
    retract = {k: reason for k, reason in retract.items() if probe.get(k) != reason}
    reasons = [
        *((visits[k], "probing line", reason) for k, reason in probe.items()),
        *((visits[k], "retract", reason) for k, reason in retract.items()),
        *((visits[k + 1], "travel to it", reason) for k, reason in travel.items()),
    ]
    return [
        Finding(
            code="P105",
            severity=Severity.ERROR,
            subject=Point(placed.names[point]),
            message=f"{motion}: {reason[:1].lower()}{reason[1:].rstrip('.')}",
            hint="raise the torque limit if the drive allows it, or bring the part nearer",
        )
        for point, motion, reason in sorted(reasons)
    ]


def law_findings(job: Job) -> list[Finding]:
    """Laws whose speed jumps: what the jump asks for is in no load."""
    laws = (("probing lines", "approach", job.approach.law), ("travel", "travel", job.travel.law))
    return [
        Finding(
            code="P111",
            severity=Severity.NOTE,
            subject=Segments(where),
            message="the linear law jumps to its speed and back to rest; the accelerations and "
            "torques of these jumps are unbounded and not counted",
            hint=f'another law in [{table}], such as "quintic", starts and ends at rest',
        )
        for where, table, law in laws
        if law == "linear"
    ]


def _degrees(cosine: float) -> float:
    return float(np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0))))


def _unreachable(name: str, reason: Shortfall) -> Finding:
    return Finding(
        code=reason.code,
        severity=Severity.ERROR,
        subject=Point(name),
        message=reason.message,
        hint=reason.hint,
    )


def _refused(reach: Reach, name: str, lines: Lines, required: Array) -> Finding:
    """The branch that comes nearest to being valid tells what is missing."""
    margins = exact_margins(lines)
    # A line may lose its branch on the way: no margin at all there.
    spare = np.nan_to_num(margins.limit - required, nan=-np.inf)
    lost = np.isnan(margins.singularity) | np.any(np.isnan(margins.limit), axis=1)
    singular = np.where(lost, 0.0, margins.singularity)
    within = np.nonzero(np.all(lost) | (np.min(spare, axis=1) >= 0.0))[0]
    if within.size:
        best = int(within[np.argmax(singular[within])])
        return Finding(
            code="P103",
            severity=Severity.ERROR,
            subject=Point(name),
            message=f'{reach.wording.branch} "{lines.branch(best)}" passes a singularity: '
            f"margin {singular[best]:.2e}, at least {SINGULAR:g} is needed",
            quantities=(Quantity("singularity margin", float(singular[best]), "1"),),
            hint=reach.wording.singular_hint,
        )
    best = int(np.argmax(np.min(spare / joint_units(lines.model.mechanism), axis=1)))
    return _limit_passed(reach, name, lines.take(np.array([best])), (spare[best], required))


def _limit_passed(
    reach: Reach, name: str, line: Lines, spare_and_required: tuple[Array, Array]
) -> Finding:
    """P102 of the line that passes its limits least."""
    spare, required = spare_and_required
    mechanism = line.model.mechanism
    joint = int(np.argmin(spare / joint_units(mechanism)))
    kind, joint_name = mechanism.movable[joint].kind, mechanism.movable[joint].name
    factor, unit = (180.0 / np.pi, "deg") if kind.angular else (1e3, "mm")
    beyond, margin = -spare[joint] * factor, required[joint] * factor
    asked = f" less the margin of {margin:g} {unit}" if margin else ""
    return Finding(
        code="P102",
        severity=Severity.ERROR,
        subject=Point(name),
        message=f'every {reach.wording.branch} passes a joint limit; nearest is "{line.branch(0)}" '
        f"with {joint_name} {readable(beyond, 3)} {unit} beyond its limit{asked}",
        quantities=(Quantity("beyond limit", float(beyond), unit),),
        hint=f"move or turn the part so that {joint_name} gains {at_least(beyond, 1)} {unit}",
    )
