"""plan(job): from a job to a motion that is reachable, timed and loaded, every doubt listed."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from planner.assembly import Assembly, assemble
from planner.findings import Finding, Severity
from planner.job import Job
from planner.loads import total_loads
from planner.order.chooser import Choice, Chooser, Costs
from planner.order.fastest import fastest
from planner.placement import PlacedPoints
from planner.placement import place as place_points
from planner.plan_types import Plan
from planner.planned_points import planned_points
from planner.probing_lines import LineMotions, rough_line_times
from planner.reach.candidates import Candidates, EndSolutions, candidates, end_solutions
from planner.reasons import (
    approach_findings,
    law_findings,
    order_finding,
    point_findings,
    torque_findings,
)
from planner.surface_findings import surface_findings
from planner.timing import Timings, timings
from robots.arm.inverse import ArmInverse
from robots.core.motion.joint_limits import JointLimits

Array = NDArray[np.float64]
Indices = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Visit:
    """Points in their order with branches and times, and what there is to say about the order."""

    choice: Choice
    timings: Timings
    findings: tuple[Finding, ...] = ()


def plan(job: Job) -> Plan:
    """Plan a measuring job.

    Points that cannot be served are findings; the rest is planned all the same.

    Raises:
        ArmFamilyError: the robot is not a measuring arm.
        MotionError: a joint without a speed or acceleration limit.
    """
    inverse = ArmInverse(job.mechanism, engine="compiled")
    limits = _limits(job)
    placed = place_points(job)
    ends = end_solutions(inverse, placed)
    found = candidates(inverse, placed, ends)
    visit = _visit(found, limits, job)
    assembly = assemble(job, placed, visit.choice.visits, visit.timings.batches)
    loads = [batch.loads for batch in visit.timings.batches]
    joints, totals = total_loads(
        assembly.trajectory, loads, _rest_loads(assembly), list(limits.names)
    )
    return Plan(
        job=job,
        placed=placed,
        points=planned_points(job, placed, found, visit.choice),
        segments=assembly.segments,
        trajectory=assembly.trajectory,
        joints=joints,
        totals=totals,
        findings=_findings(job, placed, ends, found, visit),
    )


def _limits(job: Job) -> JointLimits:
    """The robot's limits, torque limits tightened by the job's."""
    limits = JointLimits.of(job.mechanism)
    return replace(limits, max_effort=np.minimum(limits.max_effort, job.checks.torque_limits))


def _visit(found: Candidates, limits: JointLimits, job: Job) -> _Visit:
    """Branches for the job's order or, if it may be changed and that gains, for a faster one."""
    chooser = Chooser(found, _costs(found, limits, job))
    choice = chooser.choose(np.arange(len(job.points)))
    given = _Visit(choice=choice, timings=timings(found.lines.take(choice.chosen), limits, job))
    if job.travel.order == "as-given":
        return given
    choice = fastest(chooser, given.choice)
    other = _Visit(choice=choice, timings=timings(found.lines.take(choice.chosen), limits, job))
    best = min(given, other, key=lambda visit: visit.timings.duration)
    note = order_finding(given.timings.duration, best.timings.duration)
    return replace(best, findings=(note,))


def _costs(found: Candidates, limits: JointLimits, job: Job) -> Costs:
    """Costs of the candidates; those that the grid refuses already are not timed."""
    required = job.checks.joint_margin
    usable = np.nonzero(found.margins.keep(required))[0]
    lines = np.full(found.point.size, np.inf)
    motions = LineMotions(found.lines.take(usable), job.approach.law)
    lines[usable] = rough_line_times(motions, limits)
    return Costs(lines=lines, limits=limits, travel_law=job.travel.law, required=required)


def _rest_loads(assembly: Assembly) -> Array:
    """Integral of tau² and peak |tau| over the segments at rest. # (2, n)."""
    trajectory = assembly.trajectory
    resting = assembly.resting
    n = trajectory.model.dof
    if resting.size == 0:
        return np.zeros((2, n))
    tau = trajectory.model.gravity_torques(assembly.rests[resting])
    seconds = trajectory.durations[resting, None]
    return np.stack([np.sum(tau * tau * seconds, axis=0), np.max(np.abs(tau), axis=0)])


def _findings(
    job: Job, placed: PlacedPoints, ends: EndSolutions, found: Candidates, visit: _Visit
) -> tuple[Finding, ...]:
    """All findings, the gravest first, otherwise in the order of the job."""
    findings = [
        *point_findings(placed, ends, found, visit.choice, job.checks.joint_margin),
        *approach_findings(placed),
        *surface_findings(job),
        *torque_findings(placed, visit.choice, visit.timings),
        *visit.findings,
        *law_findings(job),
    ]
    return tuple(sorted(findings, key=_gravity))


def _gravity(finding: Finding) -> int:
    return (Severity.ERROR, Severity.WARNING, Severity.NOTE).index(finding.severity)
