"""Findings about the point file: what of it was not taken, how it was read, what is doubtful."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum
from typing import TYPE_CHECKING

import numpy as np

from parts.points import SkippedItem
from planner.findings import Finding, Quantity, Severity
from planner.findings.finding import Geometry, PartOfFile, Point, Points, Robot, Segments
from planner.job import Job
from planner.motion.timing import Timing
from planner.order.chooser import Choice
from planner.plan import PlacedPoints, SegmentKind
from planner.reach.lines import Lines
from planner.reach.margins import SINGULAR, exact_margins, joint_units, required_margins
from planner.reach.reach import Candidates, Reach, Shortfall
from robots.core.arrays import Array, Indices, Mask
from robots.core.pose import inverse_pose, transform_points
from robots.core.rounding import apart, apart_digits, at_least, readable

if TYPE_CHECKING:
    from parts.geometry import Audit
    from parts.geometry import Geometry as PartGeometry
    from planner.touch.limits import TouchLimits
    from planner.touch.timing import Timings

FAR = 1e-3  # [m] a probe point farther from the surface was meant for another part or pose
_ALL = 0.9  # of the points: from here on it is the list that is turned round, not its points
_LIST = 3  # points that make a list
_NAMED = 5  # points that one message names
_ROUNDING = 1e-7  # [m] of distances: a ball of no size meets a skin where it crosses it
_PLACES = 9  # along a search, where the ball's distance from the part is asked for


def point_file_findings(job: Job) -> list[Finding]:
    """What the points of a job leave to say, before any of them is planned."""
    source = job.point_source
    origin = "points" if source is None else source.origin
    return [
        *untaken_findings("P123", () if source is None else source.untaken),
        *doubt_findings("P125", origin, job.points.warnings),
        *read_findings("P124", origin, () if source is None else source.told()),
    ]


def untaken_findings(code: str, untaken: Sequence[SkippedItem]) -> Iterator[Finding]:
    """One finding for each part of a file that gives no points, by its name."""
    for one in untaken:
        yield Finding(
            code=code,
            severity=Severity.WARNING if one.lost else Severity.NOTE,
            subject=PartOfFile(one.name),
            message=f"not taken from the file: {one.sentence()}",
            hint=one.advice,
        )


def doubt_findings(code: str, origin: str, doubts: Sequence[str]) -> Iterator[Finding]:
    """What is doubtful about points that were taken."""
    for doubt in doubts:
        yield Finding(code=code, severity=Severity.WARNING, subject=Points(origin), message=doubt)


def read_findings(code: str, origin: str, told: Sequence[str]) -> Iterator[Finding]:
    """How a file was read, as one note."""
    if told:
        yield Finding(
            code=code, severity=Severity.NOTE, subject=Points(origin), message=" ".join(told)
        )


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
            message=f"the postures of this robot are {reach.wording.search}",
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
    reasons: list[tuple[int, str, str]] = []
    told: set[int] = set()
    # What fails first along a point's line is enough to know.
    cycles = ((timings.cycle, ""), (timings.miss, " of a search that finds nothing"))
    for kind, batch, of in ((k, b, of) for cycle, of in cycles for k, b in cycle.items()):
        if not isinstance(batch, Timing):
            continue
        for k, reason in batch.impossible.items():
            if k not in told:
                told.add(k)
                reasons.append((visits[k], f"{_MOTIONS[kind]}{of}", reason))
    reasons += [
        (visits[k + 1], "travel to it", reason) for k, reason in timings.travel.impossible.items()
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


_MOTIONS = {
    SegmentKind.PROBE: "probing line",
    SegmentKind.SEARCH: "search",
    SegmentKind.STOP: "stop",
    SegmentKind.BACK_OFF: "back-off",
    SegmentKind.RETRACT: "retract",
}


def touch_findings(
    placed: PlacedPoints, found: Candidates, touch: TouchLimits | None, points: Indices
) -> list[Finding]:
    """Points that no branch can touch at the speed of the search, with the speed that works."""
    if touch is None:
        return []
    findings = []
    for point in points.tolist():
        rows = np.flatnonzero((found.point == point) & touch.refused)
        if rows.size == 0:
            continue
        asked, speeds = float(placed.touch_speeds[point]), touch.speeds[rows]
        best = int(rows[np.argmax(speeds)])
        fastest = float(touch.speeds[best])
        quantity: Quantity | None = None
        if fastest == 0.0:
            message = "every branch is lost on the way of its approach or search"
            hint = "approach along another direction, or move the part"
        elif fastest < asked:
            told, limit = apart_digits(1e3 * asked, 1e3 * fastest, 3)
            message = f"the joints do not allow a touch at {told} mm/s: at most {limit} mm/s"
            hint = (
                f"give touch.speed_mm_s = {_lower(1e3 * fastest)}, for its feature if not for all"
            )
            quantity = Quantity("largest touch speed", 1e3 * fastest, "mm/s")
        else:
            hardest = float(touch.decelerations[best])
            message = f"the joints stop the ball with at most {1e3 * hardest:.4g} mm/s²"
            hint = f"give touch.deceleration_mm_s2 = {_lower(1e3 * hardest)}, or leave it out"
            quantity = Quantity("hardest stop", 1e3 * hardest, "mm/s²")
        findings.append(
            Finding(
                code="P107",
                severity=Severity.ERROR,
                subject=Point(placed.names[point]),
                message=message,
                hint=hint,
                quantities=() if quantity is None else (quantity,),
            )
        )
    return findings


def hurried_findings(placed: PlacedPoints, visits: Indices, timings: Timings) -> list[Finding]:
    """Planned points whose approach cannot end at the touch speed within the joints' limits."""
    return [
        Finding(
            code="P107",
            severity=Severity.ERROR,
            subject=Point(placed.names[point]),
            message="no duration of the approach ends at the touch speed of "
            f"{1e3 * placed.touch_speeds[point]:.4g} mm/s within the limits of the joints",
            hint="touch more slowly (touch.speed_mm_s, for its feature if not for all), or give a "
            "longer approach.distance_mm",
        )
        for point in visits[list(timings.hurried)].tolist()
    ]


def _lower(value: float) -> str:
    """Three digits, rounded down."""
    from decimal import ROUND_FLOOR, Context

    return f"{Context(prec=3, rounding=ROUND_FLOOR).create_decimal(value):f}"


def overrun_findings(
    job: Job, placed: PlacedPoints, visits: Indices, overruns: Array
) -> list[Finding]:
    """Points where the ball goes on farther after a trigger than the stylus can give."""
    allowed = job.probe.overtravel
    findings = []
    for point, overrun in zip(visits.tolist(), overruns.tolist(), strict=True):
        if overrun <= allowed:
            continue
        gone, most = apart_digits(1e3 * overrun, 1e3 * allowed, 3)
        findings.append(
            Finding(
                code="P108",
                severity=Severity.ERROR,
                subject=Point(placed.names[point]),
                message=f"the ball goes on for {gone} mm after the trigger, the stylus gives "
                f"{most} mm (probe.overtravel_mm)",
                hint="touch more slowly (touch.speed_mm_s), or with less latency",
                quantities=(Quantity("overrun", 1e3 * overrun, "mm"),),
            )
        )
    return findings


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


def surface_findings(job: Job, placed: PlacedPoints | None = None) -> list[Finding]:
    """What the geometry and its comparison with the points leave to say; none without geometry.

    Args:
        job: the job.
        placed: all of its points; without them nobody asks whether a search meets the surface.
    """
    if job.surface is None:
        return []
    report = job.surface.normals
    return [
        *_adapted(job, job.surface.audit),
        *(_doubt(job, sentence) for sentence in job.surface.audit.warnings),
        *(_inward(name) for name in report.inward_names()),
        *_off(job, placed),
    ]


def told_once(job: Job, findings: Sequence[Finding]) -> list[Finding]:
    """Findings about the surface, those of a list of normals that is turned round as one of them.

    Args:
        job: that they are about.
        findings: as ``surface_findings`` has them.
    """
    inward = [finding for finding in findings if finding.code == "P121"]
    total = len(job.points)
    if total < _LIST or len(inward) < _ALL * total:
        return list(findings)
    rest = [finding for finding in findings if finding.code != "P121"]
    return [_turned_round(job, [finding.subject.point for finding in inward]), *rest]


def causes_first(findings: Sequence[Finding]) -> list[Finding]:
    """The same, what is wrong with the points before what follows from it.

    A warning that a point lies off the surface goes before the errors where the same point fails.
    """
    failing = {one.subject.point for one in findings if one.severity is Severity.ERROR}

    def rank(finding: Finding) -> int:
        if finding.code == "P121":
            return 0
        return 1 if finding.code == "P122" and finding.subject.point in failing else 2

    return sorted(findings, key=rank)


def _adapted(job: Job, audit: Audit) -> list[Finding]:
    """What of the geometry is not as its file has it."""
    found: list[Finding] = []
    if audit.sheet_faces:
        sheets = "sheet" if audit.sheets == 1 else "sheets"
        found.append(
            Finding(
                code="P126",
                severity=Severity.NOTE,
                subject=Geometry(job.part.geometry),
                message=f"{audit.sheets} {sheets} beside the solids left out ({audit.sheet_faces} "
                "of the file's faces): neither measured nor avoided",
                hint='supplementary geometry needs no action; sheets = "include" in [part] makes '
                "them part",
            )
        )
    if audit.turned:
        found.append(
            Finding(
                code="P126",
                severity=Severity.NOTE,
                subject=Geometry(job.part.geometry),
                message=f"{audit.turned} of {audit.triangles} triangles turned round: their closed "
                "pieces were inside out",
                hint="no action needed; normals point out of the material",
            )
        )
    return found


def _doubt(job: Job, sentence: str) -> Finding:
    return Finding(
        code="P120",
        severity=Severity.WARNING,
        subject=Geometry(job.part.geometry),
        message=sentence,
        hint="correct the geometry where it was made, or its unit",
    )


def _inward(name: str) -> Finding:
    return Finding(
        code="P121",
        severity=Severity.ERROR,
        subject=Point(name),
        message="the normal points into the material of the part",
        hint="turn the normal round, or check the part's orientation",
    )


def _turned_round(job: Job, names: Sequence[str]) -> Finding:
    inward = set(names)
    right = [name for name in job.points.names if name not in inward]
    more = f" and {len(right) - _NAMED} more" if len(right) > _NAMED else ""
    others = f" (all but {', '.join(right[:_NAMED])}{more})" if right else ""
    return Finding(
        code="P121",
        severity=Severity.ERROR,
        subject=Points(),
        message=f"{len(names)} of {len(job.points)} normals point into the material of the part"
        f"{others}",
        hint="turn them round: change the sign of nx, ny and nz of these points; what else is said "
        "of them follows from it",
    )


class _Met(Enum):
    """Where the ball meets the part of a point that lies off its surface."""

    IN_SEARCH = "in the search, or it cannot be told"
    BEFORE = "before the search, at the speed of the approach"
    NOWHERE = "nowhere in the search"


def _off(job: Job, placed: PlacedPoints | None) -> list[Finding]:
    """Points off the surface, on which side of it, and whether the search meets it all the same."""
    if job.surface is None:
        return []
    report = job.surface.normals
    rows = np.flatnonzero(report.distances > FAR)
    sides = _sides(job, rows)
    met = [_Met.IN_SEARCH] * rows.size
    if placed is not None and job.geometry is not None and job.touch.searching and rows.size:
        met = _met(job, job.geometry, placed, rows)
    return [
        _far(report.names[k], float(report.distances[k]), side, one, placed, k)
        for k, side, one in zip(rows.tolist(), sides, met, strict=True)
    ]


def _met(job: Job, geometry: PartGeometry, placed: PlacedPoints, rows: Indices) -> list[_Met]:
    """Where the ball meets the part, by the distance of its centre along the search.

    Between two places the distance changes by no more than the way between them: what half of
    their sum less that way leaves is kept by every place.
    """
    shares = np.linspace(0.0, 1.0, _PLACES)
    before, after = placed.search_before[rows], placed.search_after[rows]
    along = before[:, None] - shares * (before + after)[:, None]
    centres = placed.contacts[rows, None] + along[..., None] * placed.directions[rows, None]
    centres = transform_points(inverse_pose(job.part.T_base_part), centres.reshape(-1, 3))
    distances = geometry.closest(centres).distances.reshape(len(rows), -1)
    kept = 0.5 * (distances[:, 1:] + distances[:, :-1] - (before + after)[:, None] / (_PLACES - 1))
    radius = job.probe.ball_radius
    nowhere = np.min(kept, axis=1) > radius + _ROUNDING
    early = distances[:, 0] < radius
    if geometry.audit.watertight:
        inside = geometry.inside(centres).reshape(len(rows), -1)
        nowhere &= ~inside.any(axis=1)
        early |= inside[:, 0]
    return [
        _Met.BEFORE if one else _Met.NOWHERE if none else _Met.IN_SEARCH
        for one, none in zip(early.tolist(), nowhere.tolist(), strict=True)
    ]


def _sides(job: Job, rows: Indices) -> list[str]:
    """Where points lie, in words; a skin that is open has no inside."""
    if not rows.size or job.geometry is None or not job.geometry.audit.watertight:
        return ["from the part's surface"] * rows.size
    positions = job.points.positions[rows]
    if job.frame == "base":
        positions = transform_points(inverse_pose(job.part.T_base_part), positions)
    inside: Mask = job.geometry.inside(positions)
    return [
        "inside the part, below its surface" if one else "outside the part, off its surface"
        for one in inside.tolist()
    ]


def _far(
    name: str, distance: float, side: str, met: _Met, placed: PlacedPoints | None, row: int
) -> Finding:
    far, _ = apart(1e3 * distance, 1e3 * FAR, 3)
    what, fix = f" (limit {1e3 * FAR:g} mm)", ""
    if placed is not None and met is _Met.NOWHERE:
        past = 1e3 * placed.search_after[row]
        what = f"; the search goes {past:g} mm past the point and does not meet the surface"
        fix = "; or search farther (touch.search_after_mm)"
    elif placed is not None and met is _Met.BEFORE:
        start = 1e3 * placed.search_before[row]
        what = (
            f"; the ball meets the surface before the search, which starts {start:g} mm before "
            "the point"
        )
        fix = "; or start the search earlier (touch.search_before_mm)"
    return Finding(
        code="P122",
        severity=Severity.WARNING if met is _Met.IN_SEARCH else Severity.ERROR,
        subject=Point(name),
        message=f"the point lies {far} mm {side}{what}",
        quantities=(Quantity("distance", 1e3 * distance, "mm"),),
        hint=f"check that points and geometry share one frame and one revision{fix}",
    )
