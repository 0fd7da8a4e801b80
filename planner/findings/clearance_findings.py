"""Findings about clearance: what comes too near to what, where, and what goes around it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from planner.clearance.certify import Clearance, Tolerance
from planner.clearance.links import MEETING
from planner.clearance.paths import LinePaths
from planner.clearance.safety import Safety
from planner.clearance.surroundings import BodyPair, Nearest
from planner.detours.find import Blocked, Detours
from planner.detours.motions import DetourKind
from planner.findings import Finding, Quantity, Severity
from planner.findings.finding import Aspect, Motion, Point, Robot, Solid, Travel
from planner.findings.unchecked import Unchecked, unchecked_aspects
from planner.job import Job
from planner.job.settings import Probe
from planner.job.settings import Travel as TravelTable
from planner.job.solids import Cell
from planner.job.stylus import BALL, SHANK, STYLUS
from planner.motion.travel import TravelMotions
from planner.order.visiting import Visit
from planner.plan import PlacedPoints
from planner.reach.reach import Candidates
from robots.core.arrays import Array, Indices
from robots.core.mechanism import Mechanism
from robots.core.motion.joint_limits import JointLimits
from robots.core.motion.motion_law import straight_law
from robots.core.rounding import apart, at_least, at_most, readable

_DEPTH = 1e-6  # [mm] less says only that bodies cross, not how deep
_THINNER = {BALL: ("ball", "smaller"), SHANK: ("shank", "thinner")}
_WITHOUT_DIAMETER = {BALL: "stylus tip", SHANK: "stylus axis"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Watch:
    """What clearances mean in words.

    Args:
        pairs: of the checker.
        cell: the cell.
        required: clearance that the job asks for. [m]
        diameters: of the stylus, by the name of its capsule: no advice takes away more, and what
            has none is a point or a line. [m]
    """

    pairs: Sequence[BodyPair]
    cell: Cell
    required: float
    diameters: Mapping[str, float] = field(default_factory=dict)

    def own(self, pair: BodyPair) -> bool:
        """Whether both bodies are the robot's."""
        return all(solid.name != pair.against for solid in self.cell.solids)

    def name(self, body: str) -> str:
        """What a reader calls a body."""
        return _WITHOUT_DIAMETER.get(body, body) if self.diameters.get(body) == 0.0 else body

    def gap(self, pair: BodyPair, value: float, certified: float) -> str:
        """How near a pair comes, against what is required."""
        moving, against = self.name(pair.moving), self.name(pair.against)
        if -MEETING <= value < 0.0:  # their cores meet: no depth is known
            return f"{moving} and {against} intersect"
        if value < 0.0:
            return f"{moving} enters {against} by {readable(-1e3 * value, 2)} mm or more"
        proven = value >= self.required
        found, asked = apart(1e3 * (certified if proven else value), 1e3 * self.required, 2)
        if proven:
            return (
                f"{moving} comes to {1e3 * value:.2f} mm from {against}, of which only "
                f"{found} mm are proven (required {asked} mm)"
            )
        return f"{moving} comes to {found} mm from {against} (required {asked} mm)"

    def top(self, name: str) -> float:
        """Height of a solid's highest point, base frame. [m]."""
        return max(float(s.mesh.bounds[1, 2]) for s in self.cell.solids if s.name == name)


def travel_findings(
    found: Clearance, watch: Watch, *, origins: Sequence[str], goals: Sequence[str]
) -> list[Finding]:
    """Travels that do not keep the clearance.

    Args:
        found: one row per travel.
        watch: pairs, cell and what is required.
        origins: points that they come from.
        goals: points that they go to.
    """
    findings = []
    for k in _failed(found, watch):
        pair = watch.pairs[found.pair[k]]
        gap = watch.gap(pair, float(found.seen[k]), float(found.certified[k]))
        own = watch.own(pair)
        findings.append(
            Finding(
                code="P133" if own else "P130",
                severity=Severity.ERROR,
                subject=Travel(origins[k], goals[k], by_goal=True),
                message=f"travel from {origins[k]}: {gap}, {100.0 * found.lam[k]:.1f} % of the way "
                f"on, at {_place(found.place[k])}",
                quantities=_gap_of(found, k),
                hint=_own_hint() if own else _travel_hint(watch, pair),
            )
        )
    return findings


def line_findings(
    found: Clearance, watch: Watch, *, names: Sequence[str], approach: float, depth: float
) -> list[Finding]:
    """Probing lines that do not keep the clearance.

    Args:
        found: one row per line.
        watch: pairs, cell and what is required.
        names: points that they serve.
        approach: from clearance point to contact. [m]
        depth: from contact to the line's end. [m]
    """
    findings = []
    for k in _failed(found, watch):
        pair = watch.pairs[found.pair[k]]
        before = approach - float(found.lam[k]) * (approach + depth)
        gap = watch.gap(pair, float(found.seen[k]), float(found.certified[k]))
        own = watch.own(pair)
        side = "before" if before >= 0.0 else "beyond"
        findings.append(
            Finding(
                code="P133" if own else "P131",
                severity=Severity.ERROR,
                subject=Point(names[k]),
                message=f"probing line: {gap}, {1e3 * abs(before):.1f} mm {side} contact, at "
                f"{_place(found.place[k])}",
                quantities=_gap_of(found, k),
                hint=_own_hint() if own else _line_hint(watch, pair, float(found.seen[k])),
            )
        )
    return findings


def point_clearance_findings(found: Nearest, watch: Watch, names: Sequence[str]) -> list[Finding]:
    """Clearance points that do not keep the clearance, whatever the travel.

    Args:
        found: one row per posture at a clearance point.
        watch: pairs, cell and what is required.
        names: points that they serve.
    """
    findings = []
    for k in np.nonzero((found.value < watch.required) & (found.pair >= 0))[0].tolist():
        pair, value = watch.pairs[found.pair[k]], float(found.value[k])
        own = watch.own(pair)
        missing = 1e3 * (watch.required - value)
        findings.append(
            Finding(
                code="P133" if own else "P132",
                severity=Severity.ERROR,
                subject=Point(names[k]),
                message=f"clearance point: {watch.gap(pair, value, value)}, at "
                f"{_place(found.place[k])}",
                quantities=(Quantity("clearance", 1e3 * value, "mm"),),
                hint=_own_hint()
                if own
                else f"change distance_mm or direction of [approach], or move {pair.against}"
                + (f": {at_least(missing, 1)} mm are missing" if missing >= _DEPTH else ""),
            )
        )
    return findings


def open_solid_findings(cell: Cell) -> list[Finding]:
    """Solids without an inside."""
    return [
        Finding(
            code="P134",
            severity=Severity.WARNING,
            subject=Solid(solid.name),
            message=f"the {solid.kind.value} is not closed; a link that is swallowed whole would "
            "not be seen, crossings of its surface are",
            hint="export a closed solid",
        )
        for solid in cell.solids
        if not solid.closed
    ]


def certified_finding(
    motions: Iterable[tuple[str, Sequence[str], Clearance]], watch: Watch, tolerance: Tolerance
) -> list[Finding]:
    """The least certified clearance of a plan; none where nothing is near enough to be measured.

    Args:
        motions: what they are ("travel to", "probing line of"), the points they serve, and their
            clearances.
        watch: pairs, cell and what is required.
        tolerance: of the certificate.
    """
    rows = [
        (float(found.certified[k]), int(found.pair[k]), f"{what} {names[k]}")
        for what, names, found in motions
        for k in np.nonzero(found.pair >= 0)[0].tolist()
    ]
    if not rows:
        return []
    least, pair, motion = min(rows)
    if least < watch.required:
        return []
    bodies = watch.pairs[pair]
    slack = f"{1e3 * tolerance.absolute:g} mm + {100.0 * tolerance.relative:g} %"
    return [
        Finding(
            code="P135",
            severity=Severity.NOTE,
            subject=Motion(),
            message=f"{len(rows)} motions are certified to keep {at_most(1e3 * least, 2)} mm "
            f"(required {1e3 * watch.required:g} mm, tolerance {slack}); nearest are "
            f"{watch.name(bodies.moving)} and {watch.name(bodies.against)} on the {motion}",
            quantities=(Quantity("least clearance", 1e3 * least, "mm"),),
        )
    ]


def shape_findings(mechanism: Mechanism, unchecked: Sequence[Unchecked]) -> list[Finding]:
    """Links that take no room.

    Args:
        mechanism: the robot.
        unchecked: what the plan did not check.
    """
    bare = next((one for one in unchecked if one.aspect is Aspect.LINK_SHAPES), None)
    if bare is None:
        return []
    which = f"the links of {', '.join(bare.of)}" if bare.of else "its links"
    kept = "the other links and the probe are" if bare.of else "the probe is"
    return [
        Finding(
            code="P136",
            severity=Severity.NOTE,
            subject=Robot(mechanism.name),
            message=f"the robot's file gives no capsules for {which}; only {kept} kept clear",
            hint="add [[joint.capsule]] tables to the robot file",
        )
    ]


def _gap_of(found: Clearance, row: int) -> tuple[Quantity, ...]:
    """The clearance that was seen, and the one that is certified."""
    return (
        Quantity("clearance", 1e3 * float(found.seen[row]), "mm"),
        Quantity("certified clearance", 1e3 * float(found.certified[row]), "mm"),
    )


def _failed(found: Clearance, watch: Watch) -> list[int]:
    return [int(k) for k in np.nonzero(~found.keeps(watch.required) & (found.pair >= 0))[0]]


def _place(place: Array) -> str:
    x, y, z = (round(1e3 * float(value), 1) + 0.0 for value in place)  # no -0.0
    return f"({x:.1f}, {y:.1f}, {z:.1f}) mm"


def _own_hint() -> str:
    return "move the part so that the arm stretches, or correct the capsules in the robot file"


def _travel_hint(watch: Watch, pair: BodyPair) -> str:
    height = 1e3 * (watch.top(pair.against) + watch.required)
    return (
        f"clearance_plane_mm = {np.ceil(height):.0f} or more in [travel] lifts the ball over "
        f"{pair.against}; or move {pair.against}"
    )


def stylus_diameters(probe: Probe) -> dict[str, float]:
    """Diameters of ball and shank by the names of their capsules. [m]."""
    return {BALL: probe.ball_diameter, SHANK: probe.shank_diameter}


def _line_hint(watch: Watch, pair: BodyPair, seen: float) -> str:
    missing = max(watch.required - seen, 0.0)
    if pair.moving not in STYLUS:
        longer = at_least(1e3 * missing, 1)
        return f"a stylus longer by {longer} mm or more, or another pose of the part"
    if 2.0 * missing >= watch.diameters.get(pair.moving, np.inf):
        return f"another approach direction; no {_THINNER[pair.moving][0]} is small enough"
    what, word = _THINNER[pair.moving]
    return f"a {what} {at_least(2e3 * missing, 2)} mm {word}, or another approach direction"


class VisitFindings:
    """What there is to say of a visit.

    Args:
        job: for names and what it asks for.
        placed: the points.
        found: the candidates.
        safety: that checked them.
        visited: order, branches and detours.
        durations: least ones of the travels. # (k,) [s]
        near_lines: clearances of the probing lines, in visiting order.
        near_travels: clearances of the travels between them.
    """

    def __init__(
        self,
        job: Job,
        placed: PlacedPoints,
        found: Candidates,
        safety: Safety,
        visited: Visit,
        durations: Array,
        near_lines: Clearance,
        near_travels: Clearance,
    ) -> None:
        self._job, self._placed, self._found = job, placed, found
        self._safety, self._visited, self._durations = safety, visited, durations
        self._near_lines, self._near_travels = near_lines, near_travels
        self._watch = Watch(
            pairs=safety.checker.pairs,
            cell=job.cell,
            required=safety.required,
            diameters=stylus_diameters(job.probe),
        )

    def colliding(self) -> Indices:
        """Points that a branch could serve, were nothing in its way. # (m,)."""
        refused = np.zeros(len(self._placed), dtype=bool)
        refused[self._found.point[self._safety.refused]] = True
        return np.nonzero(refused & (self._visited.choice.candidate < 0))[0]

    def points(self) -> list[Finding]:
        """What stands in the way of colliding points, by the branch that comes nearest to clear."""
        findings: list[Finding] = []
        for point in self.colliding().tolist():
            findings += self._point(point)
        return findings

    def _point(self, point: int) -> list[Finding]:
        rows = np.nonzero((self._found.point == point) & self._safety.refused)[0]
        lines = self._found.lines.take(rows)
        checker = self._safety.checker
        start = checker.nearest(lines.q_starts)
        # A line comes at least as near as its ends: what these rule out need not be followed.
        ends = LinePaths(lines).joints(np.arange(rows.size), np.ones(rows.size))
        bounds = np.minimum(start.value, checker.nearest(ends, touching=False).value)
        followed: dict[int, Clearance] = {}
        reached: dict[int, float] = {}
        for row in np.argsort(-bounds, kind="stable").tolist():
            if bounds[row] < max(reached.values(), default=-np.inf):
                break
            one_line = (lines.take(np.array([row])), np.array([point]))
            followed[row] = self._safety.line_clearances(*one_line)
            reached[row] = min(float(followed[row].seen[0]), float(start.value[row]))
        best = min(reached, key=lambda row: (-reached[row], row))
        name = [self._placed.names[point]]
        if start.value[best] < self._safety.required:
            one = Nearest(
                value=start.value[[best]], pair=start.pair[[best]], place=start.place[[best]]
            )
            return point_clearance_findings(one, self._watch, name)
        return line_findings(
            followed[best],
            self._watch,
            names=name,
            approach=float(self._placed.distances[point]),
            depth=float(self._placed.depths[point]),
        )

    def travels(self, limits: JointLimits) -> list[Finding]:
        """Travels that go around, or find no way."""
        detours, choice = self._visited.detours, self._visited.choice
        if detours is None:
            return []
        names = [self._placed.names[k] for k in choice.visits]
        q = self._found.lines.q_starts[choice.chosen]
        law = straight_law(self._job.travel.law)
        straight = TravelMotions(q[:-1], q[1:], law, limits).duration
        pairs = list(pairwise(names))
        more = self._durations - straight
        return detour_findings(detours, pairs, more, self._job.travel, self._watch)

    def unproven(self) -> list[Finding]:
        """Motions of the plan whose certificate falls short of what is required.

        Each was proven when it was chosen; one that is not as a whole is not called safe. Travels
        that are known to be blocked have a finding of their own.
        """
        names = [self._placed.names[k] for k in self._visited.choice.visits]
        detours = self._visited.detours
        blocked: set[int] = set()
        if detours is not None:
            blocked = {item.travel for item in detours.blocked}
        open_ = [k for k in range(len(names) - 1) if k not in blocked]
        return [
            *(
                finding
                for k, point in enumerate(self._visited.choice.visits.tolist())
                for finding in line_findings(
                    _row(self._near_lines, k),
                    self._watch,
                    names=[names[k]],
                    approach=float(self._placed.distances[point]),
                    depth=float(self._placed.depths[point]),
                )
            ),
            *(
                finding
                for k in open_
                for finding in travel_findings(
                    _row(self._near_travels, k),
                    self._watch,
                    origins=[names[k]],
                    goals=[names[k + 1]],
                )
            ),
        ]

    def cell(self) -> list[Finding]:
        """What was certified, and what could not be looked at."""
        job, visits = self._job, self._visited.choice.visits
        names = [self._placed.names[k] for k in visits]
        if not job.cell.solids:
            return []
        findings = open_solid_findings(job.cell)
        findings += shape_findings(job.mechanism, unchecked_aspects(job))
        motions = [
            ("probing line of", names, self._near_lines),
            ("travel to", names[1:], self._near_travels),
        ]
        return findings + certified_finding(motions, self._watch, Tolerance())


def _row(found: Clearance, k: int) -> Clearance:
    return Clearance(
        certified=found.certified[[k]],
        seen=found.seen[[k]],
        pair=found.pair[[k]],
        lam=found.lam[[k]],
        place=found.place[[k]],
        judged=found.judged[[k]],
    )


# --- Detours -------------------------------------------------------------------------------------


def detour_findings(
    detours: Detours,
    names: Sequence[tuple[str, str]],
    more: Array,
    travel: TravelTable,
    watch: Watch,
) -> list[Finding]:
    """One finding for each travel of a request, in its order.

    Args:
        detours: what was found.
        names: points that each travel of the request leaves and goes to.
        more: time that the travels take beside straight joint motions. # (k,) [s]
        travel: settings of the job.
        watch: names of the bodies.
    """
    found = {
        int(k): _around(names[k], way, float(more[k]), travel)
        for k, way in zip(detours.travels, detours.ways, strict=True)
    }
    found |= {
        item.travel: _blocked(names[item.travel], item, travel, watch) for item in detours.blocked
    }
    return [found[k] for k in sorted(found)]


def _around(names: tuple[str, str], way: DetourKind, more: float, travel: TravelTable) -> Finding:
    where = _DETOURS[way]
    if way is DetourKind.PLANE and travel.clearance_plane is not None:
        where += f" (z = {1e3 * travel.clearance_plane:g} mm)"
    if way is DetourKind.CUBE and travel.clearance_cube is not None:
        where += f" ({1e3 * travel.clearance_cube:g} mm)"
    return Finding(
        code="P138",
        severity=Severity.NOTE,
        subject=Travel(*names),
        message=f"direct path violates the clearance; {where} adds {more:.3f} s",
        quantities=(Quantity("extra time", more, "s"),),
        hint="No action needed. A different visiting order may avoid the detour.",
    )


_DETOURS = {
    DetourKind.PLANE: "detour over the clearance plane",
    DetourKind.CUBE: "detour around the clearance cube",
    DetourKind.LIFTED: "detour lifted over the obstacle",
    DetourKind.EARLIER: "detour along an earlier one",
    DetourKind.SEARCHED: "detour found by search",
}


def _blocked(
    names: tuple[str, str], blocked: Blocked, travel: TravelTable, watch: Watch
) -> Finding:
    return Finding(
        code="P137",
        severity=Severity.ERROR,
        subject=Travel(*names),
        message=f"no collision-free travel was found: {_in_the_way(blocked, watch)}"
        f"{_tried(blocked)}",
        quantities=()
        if blocked.pair is None
        else (Quantity("clearance", 1e3 * blocked.clearance, "mm"),),
        hint=_hint(blocked, travel),
    )


def _in_the_way(blocked: Blocked, watch: Watch) -> str:
    if blocked.pair is None:
        return "something is in the way"
    x, y, z = (1e3 * float(value) for value in blocked.place)
    near = (
        f"is {-1e3 * blocked.clearance:.1f} mm deep in"
        if blocked.clearance < 0.0
        else f"comes within {1e3 * blocked.clearance:.1f} mm of"
    )
    where = "at one of its ends" if blocked.end else "on the direct path"
    return (
        f"{where} {watch.name(blocked.pair.moving)} {near} {watch.name(blocked.pair.against)} at "
        f"({x:.0f}, {y:.0f}, {z:.0f}) mm"
    )


def _tried(blocked: Blocked) -> str:
    return f"; {blocked.motions} motions were looked at" if blocked.motions else ""


def _hint(blocked: Blocked, travel: TravelTable) -> str:
    if blocked.end:
        return "choose another approach distance or direction for the point that is too near"
    if travel.detour == "none":
        return 'detours are switched off: set detour = "auto" in [travel]'
    if travel.detour == "plane":
        return 'raise the clearance plane or enlarge the cube, or set detour = "auto" in [travel]'
    return (
        "let another visiting order avoid this travel, or set a clearance plane above the obstacle"
    )
