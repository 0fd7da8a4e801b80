"""Findings of a plan: every point that fails, with the number that makes it fail."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from planner.findings import Finding, Severity
from planner.job import Job
from planner.order.chooser import Choice
from planner.placement import PlacedPoints
from planner.reach.candidates import Candidates, EndSolutions
from planner.reach.lines import Lines
from planner.reach.margins import SINGULAR, exact_margins
from planner.timing import Timings
from robots.arm.solutions import branch_name

Array = NDArray[np.float64]
Indices = NDArray[np.int64]


def point_findings(
    placed: PlacedPoints,
    ends: EndSolutions,
    found: Candidates,
    choice: Choice,
    required: float,
) -> list[Finding]:
    """One error per point that no family serves.

    Args:
        placed: the points.
        ends: inverse solutions at both ends of every line.
        found: the candidates.
        choice: what was chosen.
        required: joint margin that the job asks for. [rad]
    """
    findings: list[Finding] = []
    for k in np.nonzero(choice.candidate < 0)[0]:
        rows = np.nonzero(found.point == k)[0]
        if rows.size == 0:
            findings.append(_unreachable(placed, ends, int(k)))
        else:
            findings.append(_refused(placed.names[k], found.lines.take(rows), required))
    return findings


def approach_findings(placed: PlacedPoints) -> list[Finding]:
    """Points approached from inside the material."""
    return [
        Finding(
            code="P104",
            severity=Severity.ERROR,
            where=placed.names[k],
            message=f"the approach direction leans {_degrees(placed.approach_cosines[k]):.1f} deg "
            "from the outgoing normal: the probe would come through the material (limit 90 deg)",
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
            where=placed.names[point],
            message=f"{motion}: {reason[:1].lower()}{reason[1:].rstrip('.')}",
            hint="raise the torque limit if the drive allows it, or bring the part nearer",
        )
        for point, motion, reason in sorted(reasons)
    ]


def order_finding(given: float, chosen: float) -> Finding:
    """What a free visiting order has gained.

    Args:
        given: duration of the motions in the job's order. [s]
        chosen: in the order that is planned. [s]
    """
    if chosen < given:
        gain = f"{given - chosen:.3f} s ({100.0 * (1.0 - chosen / given):.1f} %) faster than"
    else:
        gain = "the job's own, as none that was found is faster than"
    return Finding(
        code="P110",
        severity=Severity.NOTE,
        where="motion",
        message=f"the visiting order is {gain} the order of the job ({given:.3f} s of motion)",
        hint='order = "as-given" in [travel] keeps the order of the job',
    )


def law_findings(job: Job) -> list[Finding]:
    """Laws whose speed jumps: what the jump asks for is in no load."""
    laws = (("probing lines", "approach", job.approach.law), ("travel", "travel", job.travel.law))
    return [
        Finding(
            code="P111",
            severity=Severity.NOTE,
            where=where,
            message="the linear law jumps to its speed and back to rest; the accelerations and "
            "torques of these jumps are unbounded and not counted",
            hint=f'another law in [{table}], such as "quintic", starts and ends at rest',
        )
        for where, table, law in laws
        if law == "linear"
    ]


def _degrees(cosine: float) -> float:
    return float(np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0))))


def _unreachable(placed: PlacedPoints, ends: EndSolutions, k: int) -> Finding:
    """Neither a limit nor a singularity: the arm is too short, or the point too near."""
    outside = max(
        (float(ends.start.shortfall[k]), "clearance point"),
        (float(ends.end.shortfall[k]), "contact"),
    )
    if outside[0] > 0.0:
        message = f"the {outside[1]} is {outside[0] * 1e3:.3f} mm out of reach of the wrist"
        hint = f"move the part {outside[0] * 1e3:.1f} mm or more towards the robot's reach"
    elif not np.any(ends.start.lost[k] | ends.end.lost[k]):
        message = "no branch of the arm carries the bent stylus along the whole line"
        hint = "shift the part, turn the stylus, or use one whose ball lies on its axis"
    else:
        lost = ends.start.lost[k] | ends.end.lost[k]
        names = ", ".join(branch_name(int(f)) for f in np.nonzero(lost)[0])
        message = f"the triangle rule says it is within reach but no root was found for {names}"
        hint = "this is a fault in Palpeur; please report the job"
    return Finding(
        code="P101",
        severity=Severity.ERROR,
        where=placed.names[k],
        message=message,
        hint=hint,
    )


def _refused(name: str, lines: Lines, required: float) -> Finding:
    """The family that comes nearest to being valid tells what is missing."""
    margins = exact_margins(lines)
    # A bent stylus may lose its branch on the way: no margin at all there.
    spare = np.nan_to_num(np.min(margins.limit, axis=1) - required, nan=-np.inf)
    within = np.nonzero(spare >= 0.0)[0]
    if within.size:
        best = within[np.argmax(margins.singularity[within])]
        return Finding(
            code="P103",
            severity=Severity.ERROR,
            where=name,
            message=f"family {_family(lines, best)} passes a singularity: margin "
            f"{margins.singularity[best]:.2e}, at least {SINGULAR:g} is needed",
            hint="shift the part or change the approach, so that the wrist stays bent and the "
            "wrist centre off the first axis",
        )
    best = int(np.argmax(spare))
    joint = int(np.argmin(margins.limit[best]))
    joint_name = lines.model.mechanism.movable[joint].name
    beyond = np.degrees(required - margins.limit[best, joint])
    asked = f" less the margin of {np.degrees(required):g} deg" if required else ""
    return Finding(
        code="P102",
        severity=Severity.ERROR,
        where=name,
        message=f"every family passes a joint limit; nearest is {_family(lines, best)} with "
        f"{joint_name} {beyond:.3f} deg beyond its limit{asked}",
        hint=f"move or turn the part so that {joint_name} gains {beyond:.1f} deg",
    )


def _family(lines: Lines, row: int) -> str:
    return f'"{lines.branch(int(row))}"'
