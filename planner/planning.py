"""plan(job): from a job to a motion that is reachable, clear, timed and loaded, doubts listed."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from planner.findings import Finding, Severity
from planner.findings.point_findings import (
    approach_findings,
    causes_first,
    hurried_findings,
    law_findings,
    overrun_findings,
    point_file_findings,
    point_findings,
    reach_finding,
    surface_findings,
    told_once,
    torque_findings,
    touch_findings,
)
from planner.findings.robot_findings import robot_findings
from planner.job import Job
from planner.motion.assembly import Assembly, SegmentClearances, assemble
from planner.motion.loads import total_loads
from planner.motion.timing import travels
from planner.order.quicker import KnownTour, on_few_sheets, planned_points, worth_following
from planner.order.visiting import Start, Visit, visit
from planner.plan import Miss, PlacedPoints, Plan
from planner.processes import return_memory
from planner.progress import Progress, silent
from planner.reach.branches import Postures
from planner.reach.placement import place as place_points
from planner.reach.reach import Candidates, Reach, some_points
from planner.reach.robot import reach_of
from planner.reach.serial import SerialReach
from planner.touch.limits import TouchLimits
from planner.touch.timing import Timings, timings
from robots.core.arrays import Array, Indices
from robots.core.motion.joint_limits import JointLimits

if TYPE_CHECKING:
    from planner.clearance.safety import Safety
    from planner.findings.clearance_findings import VisitFindings
    from planner.proof import Proof

_BETTERED = 2  # times that branches beside a tour's candidates are looked for
_WORTH = 0.99  # of a duration: where the first time gains less, there is no second
_UNSERVED = ("P101", "P102", "P103", "P131", "P132", "P133", "P107")


def plan(job: Job, progress: Progress = silent) -> Plan:
    """Plan a measuring job.

    Points that cannot be measured are findings; the remaining points are still planned.

    Args:
        job: to be planned.
        progress: told what is being done; it may interrupt.

    Raises:
        InverseError: the robot cannot bring a ball to a place along a direction.
        JobError: a joint without a speed or acceleration limit.
        TypeError: no job, such as the path of one.
    """
    if not isinstance(job, Job):
        raise TypeError(
            f"plan takes a Job, not a {type(job).__name__}; read_job(path) reads a job file."
        )
    reach = reach_of(job)
    limits = _limits(job)
    placed = place_points(job)
    tour = _tour(job, reach, limits, placed, progress)
    candidates, safety, touch, visited = tour.candidates, tour.safety, tour.touch, tour.visited
    choice = visited.choice
    lines = candidates.lines.take(choice.chosen)
    motions = travels(lines, limits, job, visited.detours)
    stops = None if touch is None else touch.decelerations[choice.chosen]
    timed = timings(lines, some_points(placed, choice.visits), limits, job, motions, stops)

    clearances, about_visit = SegmentClearances(), None
    if safety is not None:
        from planner.findings.clearance_findings import VisitFindings

        near = safety.line_clearances(lines, choice.visits), safety.travel_clearances(motions)
        clearances = safety.of_segments(*near)
        about_visit = VisitFindings(
            job, placed, candidates, safety, visited, motions.duration, *near
        )
    assembly = assemble(job, placed, choice.visits, timed.cycle, timed.travel, clearances)
    loads = [batch.loads for batch in timed.batches]
    joints, totals = total_loads(
        assembly.trajectory, loads, _rest_loads(assembly), list(limits.names)
    )
    return Plan(
        job=job,
        placed=placed,
        planned_points=planned_points(
            job, placed, candidates, choice, timed.overruns, clearances.lines
        ),
        timeline=assembly.segments,
        trajectory=assembly.trajectory,
        miss=_miss(job, placed, choice.visits, timed, clearances),
        joint_loads=joints,
        totals=totals,
        finding_list=_findings(
            job, limits, reach, placed, candidates, visited, timed, touch, about_visit
        ),
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Tour:
    """A visit of the points with the candidates that it was chosen among.

    Args:
        candidates: of all points.
        safety: of lines and travels; None where there is nothing to touch.
        touch: of the cycle; None where it comes to rest at contact.
        visited: order, branches and ways.
    """

    candidates: Candidates
    safety: Safety | None
    touch: TouchLimits | None
    visited: Visit


def _tour(
    job: Job, reach: Reach, limits: JointLimits, placed: PlacedPoints, progress: Progress
) -> _Tour:
    """The best tour: of the reach's candidates first, then with the branches that shorten it."""
    candidates = reach.candidates(placed)
    safety = None  # where there is nothing to touch
    if job.cell.solids or reach.model.mechanism.self_pairs:
        from planner.clearance.safety import Safety

        safety = Safety(job, reach.model, limits, placed, candidates, progress=progress)
    every = reach.branches(placed) if isinstance(reach, SerialReach) else None
    if isinstance(reach, SerialReach) and every is not None and job.travel.order == "fastest":
        usable = candidates.margins.keep(job.checks.joint_margin)
        usable[usable] = safety is None or safety.clear(candidates.lines.q_starts[usable])
        more = on_few_sheets(
            np.setdiff1d(np.arange(len(placed)), candidates.point[usable]),
            every,
            reach.task,
            limits,
            law=job.travel.law,
            margin=job.checks.joint_margin,
            clear=None if safety is None else safety.clear,
        )
        if len(more.point):
            candidates, rows = reach.with_more(candidates, placed, more)
            safety = safety and safety.extended(candidates, rows, searched=True)
    touch = TouchLimits(placed, candidates, limits, job.touch) if job.touch.searching else None
    visited = visit(job, candidates, limits, safety, touch, progress)
    tour = _Tour(candidates=candidates, safety=safety, touch=touch, visited=visited)
    if not isinstance(reach, SerialReach) or every is None:
        return tour
    for _ in range(_BETTERED if len(every.point) else 0):
        other = _with_branches(job, reach, limits, placed, tour, every, progress)
        before, now = tour.visited.rank, other.visited.rank
        if now >= before:
            break
        tour = other
        if now[:2] == before[:2] and now[2] > _WORTH * before[2]:
            break
    return tour


def _with_branches(
    job: Job,
    reach: SerialReach,
    limits: JointLimits,
    placed: PlacedPoints,
    tour: _Tour,
    every: Postures,
    progress: Progress,
) -> _Tour:
    """A tour chosen anew with the branches that may shorten it or serve what it leaves out."""
    choice, safety, touch = tour.visited.choice, tour.safety, tour.touch
    more = worth_following(
        KnownTour(
            placed=placed,
            visits=choice.visits,
            q=tour.candidates.lines.q_starts[choice.chosen],
            hard=tour.visited.hard,
            home=tour.visited.chooser.costs.home,
        ),
        every,
        reach.task,
        limits,
        law=job.travel.law,
        margin=job.checks.joint_margin,
        clear=None if safety is None else safety.clear,
    )
    candidates, rows = reach.with_more(tour.candidates, placed, more)
    # Where all is well, a gain is not worth a long search for ways around.
    safety = safety and safety.extended(candidates, rows, searched=any(tour.visited.rank[:2]))
    touch = None if touch is None else touch.extended(candidates, rows)
    start = Start(visit=tour.visited, rows=rows)
    visited = visit(job, candidates, limits, safety, touch, progress, start)
    return _Tour(candidates=candidates, safety=safety, touch=touch, visited=visited)


def plan_and_prove(job: Job, progress: Progress = silent) -> Proof:
    """Plan a job and prove the plan: what every command that shows or writes a plan does.

    Args:
        job: to be planned.
        progress: told what is being done; it may interrupt.

    Raises:
        InverseError: the robot cannot bring a ball to a place along a direction.
        JobError: a joint without a speed or acceleration limit; more samples than are drawn.
    """
    from planner.proof import prove

    planned = plan(job, progress)
    return_memory()
    progress("validation", 0, 1)
    proof = prove(planned)
    progress("validation", 1, 1)
    return proof


def _miss(
    job: Job,
    placed: PlacedPoints,
    visits: Indices,
    timed: Timings,
    clearances: SegmentClearances,
) -> Miss | None:
    """The searches that find nothing; None where there is no search, or no point is reached."""
    if not timed.miss or visits.size == 0:
        return None
    assembly = assemble(job, placed, visits, timed.miss, None, clearances)
    return Miss(timeline=assembly.segments, trajectory=assembly.trajectory)


def _limits(job: Job) -> JointLimits:
    """The robot's limits, torque limits tightened by the job's."""
    limits = job.joint_limits()
    return replace(limits, max_effort=job.effort_limits)


def _rest_loads(assembly: Assembly) -> Array:
    """Integral of tau² and peak |tau| over the segments at rest. # (2, n)."""
    trajectory = assembly.trajectory
    resting = assembly.resting
    n = trajectory.model.dof
    if resting.size == 0 or not trajectory.model.mechanism.masses_known:
        return np.zeros((2, n))
    tau = trajectory.model.gravity_torques(assembly.rests[resting])
    seconds = trajectory.durations[resting, None]
    return np.stack([np.sum(tau * tau * seconds, axis=0), np.max(np.abs(tau), axis=0)])


def _findings(
    job: Job,
    limits: JointLimits,
    reach: Reach,
    placed: PlacedPoints,
    candidates: Candidates,
    visited: Visit,
    timed: Timings,
    touch: TouchLimits | None,
    about_visit: VisitFindings | None,  # None where there is nothing to touch
) -> tuple[Finding, ...]:
    """All findings: causes in the points first, then the gravest, then in the job's order."""
    choice = visited.choice
    colliding = np.zeros(0, dtype=np.int64)
    refused: list[Finding] = []
    met: list[Finding] = []
    watched: list[Finding] = []
    if about_visit is not None:
        colliding, refused = about_visit.colliding(), about_visit.points()
        met = [*about_visit.travels(limits), *about_visit.unproven()]
        watched = about_visit.cell()
    unserved = np.nonzero(choice.candidate < 0)[0]
    slow = touch_findings(placed, candidates, touch, unserved[~np.isin(unserved, colliding)])
    too_fast = [placed.names.index(one.subject.point) for one in slow]
    told = np.append(colliding, too_fast).astype(np.int64)
    failing = unserved[~np.isin(unserved, told)]
    left_out = frozenset(placed.names[k] for k in unserved)
    findings = [
        *_of_left_out(
            point_findings(reach, placed, candidates, failing, job.checks.joint_margin),
            left_out,
        ),
        *_of_left_out(refused, left_out),
        *_of_left_out(slow, left_out),
        *overrun_findings(job, placed, choice.visits, timed.overruns),
        *met,
        *_of_left_out(approach_findings(placed), left_out),
        *point_file_findings(job),
        *told_once(job, _of_left_out(surface_findings(job, placed), left_out)),
        *hurried_findings(placed, choice.visits, timed),
        *torque_findings(placed, choice, timed),
        *_order_notes(job, visited),
        *watched,
        *law_findings(job),
        *reach_finding(reach),
        *robot_findings(job),
    ]
    names = frozenset(placed.names)
    gravest = sorted((_with_way_on(finding, names) for finding in findings), key=_gravity)
    return tuple(causes_first(gravest))


def _of_left_out(findings: list[Finding], left_out: Collection[str]) -> list[Finding]:
    """Findings about single points; those about points without motion are marked as such."""
    return [
        replace(one, left_out=True) if one.subject.point in left_out else one for one in findings
    ]


def _order_notes(job: Job, visited: Visit) -> list[Finding]:
    if visited.ordered is None:
        return []
    from planner.order.fastest import order_note

    controller = job.controller
    with_home = (
        controller is not None and controller.home is not None and visited.choice.visits.size > 0
    )
    return [order_note(visited.ordered, visited.home_legs, with_home=with_home)]


def _with_way_on(finding: Finding, names: Collection[str]) -> Finding:
    """A point that is not served is worth a search for the smallest fix."""
    if finding.code not in _UNSERVED or finding.subject.point not in names:
        return finding
    return replace(
        finding, hint=f"{finding.hint}; palpeur explain JOB POINT searches the smallest fix"
    )


def _gravity(finding: Finding) -> int:
    return (Severity.ERROR, Severity.WARNING, Severity.NOTE).index(finding.severity)
