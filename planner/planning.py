"""plan(job): from a job to a motion that is reachable, timed and loaded, every doubt listed."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from planner.assembly import Assembly, assemble
from planner.branches import Candidates, Choice, candidates, choose, end_solutions
from planner.effort import Timed, slow_for_torque
from planner.extremes import Scope
from planner.findings import Finding, Severity
from planner.job import Job
from planner.loads import StretchLoads, stretch_loads, total_loads
from planner.motions import Motions
from planner.placement import PlacedPoints
from planner.placement import place as place_points
from planner.plan_types import Plan, PlannedPoint
from planner.probing_lines import LineMotions, Lines, least_line_times, rough_line_times
from planner.reasons import approach_findings, point_findings, torque_findings
from planner.travel import TravelMotions
from robots.arm.inverse import ArmInverse
from robots.arm.solutions import branch_name
from robots.core.joint_limits import JointLimits

Array = NDArray[np.float64]
Indices = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Timing:
    """A batch of motions with durations, loads and what could not be kept."""

    motions: Motions
    timed: Timed
    loads: StretchLoads
    impossible: dict[int, str]


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
    rough = rough_line_times(LineMotions(found.lines, job.approach.law), limits)
    choice = choose(found, rough, limits, job.checks.joint_margin, len(placed))
    lines = found.lines.take(choice.candidate[choice.served])
    probe, retract, travel = _motions(lines, limits, job)
    assembly = assemble(job, placed, choice.served, (probe, retract, travel))
    parts = [timing.loads for timing in (probe, retract, travel)]
    joints, totals = total_loads(
        assembly.trajectory, parts, _rest_loads(assembly), list(limits.names)
    )
    impossible = [*probe.impossible.values(), *travel.impossible.values()]
    findings = [
        *point_findings(placed, ends, found, choice, job.checks.joint_margin),
        *approach_findings(placed),
        *torque_findings(impossible),
    ]
    return Plan(
        job=job,
        placed=placed,
        points=_points(placed, found, choice, job),
        segments=assembly.segments,
        trajectory=assembly.trajectory,
        joints=joints,
        totals=totals,
        findings=tuple(sorted(findings, key=_gravity)),
    )


def _limits(job: Job) -> JointLimits:
    """The robot's limits, torque limits tightened by the job's."""
    limits = JointLimits.of(job.mechanism)
    return replace(limits, max_effort=np.minimum(limits.max_effort, job.checks.torque_limits))


def _motions(lines: Lines, limits: JointLimits, job: Job) -> tuple[_Timing, _Timing, _Timing]:
    """Probing lines, their retracts and the travel between them."""
    probe = LineMotions(lines, job.approach.law)
    retract = LineMotions(lines, job.approach.law, backward=True)
    times = least_line_times(probe, limits)
    line_times = Timed(duration=times.duration, bindings=times.bindings)
    travel = TravelMotions(lines.q_starts[:-1], lines.q_starts[1:], job.travel.law, limits)
    travel_times = Timed(duration=travel.duration, bindings=travel.bindings)
    return (
        _timing(lines, probe, line_times, limits),
        _timing(lines, retract, line_times, limits),
        _timing(lines, travel, travel_times, limits),
    )


def _timing(lines: Lines, motions: Motions, timed: Timed, limits: JointLimits) -> _Timing:
    """Loads of a batch, after slowing down what passes a torque limit."""
    model = lines.inverse.model
    # Where torques are limited every motion's own peak decides; else only the largest of all.
    scope = Scope.EACH if np.any(np.isfinite(limits.max_effort)) else Scope.FUNCTION
    loads = stretch_loads(model, motions, timed.duration, scope)
    slowed = slow_for_torque(model, motions, timed, loads.torque, limits)
    if np.any(slowed.duration != timed.duration):
        loads = stretch_loads(model, motions, slowed.duration, scope)
    return _Timing(
        motions=motions,
        timed=Timed(duration=slowed.duration, bindings=slowed.bindings),
        loads=loads,
        impossible=slowed.impossible,
    )


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


def _points(
    placed: PlacedPoints, found: Candidates, choice: Choice, job: Job
) -> tuple[PlannedPoint, ...]:
    names = [joint.name for joint in job.mechanism.movable]
    unknown = np.full(job.mechanism.dof, np.nan)
    points = [
        PlannedPoint(
            name=name,
            reachable=False,
            branch="",
            q_clearance=unknown,
            q_contact=unknown,
            joint_margin=np.nan,
            margin_joint="",
            singularity_margin=np.nan,
        )
        for name in placed.names
    ]
    rows = choice.candidate[choice.served]
    contacts = found.lines.joints(rows, np.full(rows.size, _contact_parameter(job)))
    for place_in_order, (k, row) in enumerate(zip(choice.served, rows, strict=True)):
        margins = choice.margins.limit[place_in_order]
        joint = int(np.argmin(margins))
        points[k] = replace(
            points[k],
            reachable=True,
            branch=branch_name(int(found.lines.families[row])),
            q_clearance=found.lines.q_starts[row],
            q_contact=contacts[place_in_order],
            joint_margin=float(margins[joint]),
            margin_joint=names[joint],
            singularity_margin=float(choice.margins.singularity[place_in_order]),
        )
    return tuple(points)


def _contact_parameter(job: Job) -> float:
    """Where contact lies on the line from clearance point to search end."""
    length = job.approach.distance + job.approach.overtravel
    return job.approach.distance / length if length > 0.0 else 1.0


def _gravity(finding: Finding) -> int:
    return (Severity.ERROR, Severity.WARNING, Severity.NOTE).index(finding.severity)
