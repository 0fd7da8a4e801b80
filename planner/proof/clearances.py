"""Clearances that a plan states, checked posture by posture by an independent method.

The plan proves them for whole motions with segments and pieces against triangles. Here points of
the capsules' axes, and of their pieces where the capsules alone come too near, are measured at
single postures; none may be nearer than what was proven.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from planner.job.stylus import BALL, SHANK, STYLUS
from planner.plan import Plan, SegmentClearance, SegmentKind
from planner.proof.chebyshev import basis, coefficients
from planner.proof.check import Check, check
from planner.proof.evidence import CheckGroup, Evidence
from planner.proof.line_rests import LineRests
from planner.proof.resolved_motion import by_blocks
from planner.proof.surface_distance import SurfaceDistance, surface_of
from robots.core.arrays import Array, Indices, Mask
from robots.core.capsule import Capsule
from robots.core.model import Model
from robots.core.motion.motion_law import LAW_NAMES, Side
from robots.core.self_pairs import self_clearances

if TYPE_CHECKING:
    from planner.job.solids import Cell


from parts.geometry import TriangleMesh
from planner.job.solids import Solid, SolidKind

CERTIFIED = 1e-9  # [m]
STATED = 1e-6  # [m]
TOUCH = 2e-5  # [m] facets: the plan lets a stylus touch the rim of a surface by half of this
_KEPT = (
    "clearance required less that certified of every segment, unless the plan itself reports an "
    "error; a segment without any fails where bodies have one"
)
_CERTIFIED = (
    "certified clearance less the distance stated, and less distances of points of all capsules' "
    "axes from all solids, by the nearest triangles, and of capsules from each other, at {} and at "
    "the places stated, also on rests of lines; of a capsule that is nearer, "
    "the distance of its convex piece; stylus against part only in travels"
)
_STATED = (
    "distance stated as least of every segment, against the nearest triangle or capsule at the "
    "place and posture stated, and that place against the capsule's axis, or against its convex "
    "piece where that is what keeps the distance; of a body inside a solid "
    "only that the distance is not larger; of a stylus beside the surface it probes that the part "
    "is not farther, and that some triangle of it is as far; and whether all segments of one line "
    "state the same, those of its miss included"
)
_TOUCH = (
    "how deep ball or shank are in the part before contact, the probed surface included; where the "
    "ball is nearer than its radius at the contact itself, how much nearer than there"
)
POSTURES = 12_000  # looked at in all
_MOST = 16  # on one segment
_GOLDEN = 0.6180339887498949  # multiples of it spread evenly, whatever is left out
_HALVINGS = 30
_SAME = 1e-9  # of a line: an end of a segment is part of it
_ROWS = 4096  # postures looked at at once


class ClearanceCheck(CheckGroup):
    """Clearances of segments, where a plan states any.

    Args:
        evidence: the plan and forward geometry.
        rests: of the lines that the motion does not follow to their ends.
    """

    def __init__(self, evidence: Evidence, rests: LineRests | None = None) -> None:
        self._plan, self._model, self._rests = evidence.plan, evidence.model, rests

    def checks(self) -> list[Check]:
        """None where nothing moves; of distances none where no two bodies have one to state."""
        plan = self._plan
        segments = watched_segments(plan)
        if segments.size == 0:
            return []
        room = CapsuleScene(self._model, plan.job.cell)
        spread = spread_postures(plan, segments)
        found = []
        if room.watched(touching=True) or any(s.clearance for s in plan.timeline):
            stated, near = stated_postures(plan, self._model, segments), spread
            if self._rests is not None:
                middles, places = _of_rests(plan, self._rests, segments)
                near, stated = _together(near, middles), _together(stated, places)
            found = _distances(plan, room, near, stated, len(segments))
        if plan.job.cell.part is not None:
            finite = spread.finite()
            touch = np.maximum(approach_shortfalls(plan, room, finite), 0.0)
            nowhere = np.full(len(spread.q) - len(finite.q), np.nan)
            touch = np.concatenate([touch, nowhere])
            found.append(check("approach to contact", touch, TOUCH, "m", _TOUCH))
        return found


def _distances(
    plan: Plan,
    room: CapsuleScene,
    spread: ClearancePostures,
    stated: ClearancePostures,
    segments: int,
) -> list[Check]:
    """Distances required, certified and stated, at postures of so many segments."""
    finite, places = spread.finite(), stated.finite()
    claimed = _claiming(plan, finite)
    below = [_below_certified(plan, room, some) for some in (claimed, places)]
    if len(spread.q) > len(finite.q) or len(stated.q) > len(places.q):
        below.append(np.array([np.nan]))  # where the robot is nowhere, nothing is certain
    looked = f"{len(claimed.q)} postures spread over {segments} segments"
    return [
        check("clearance kept", _not_kept(plan, room), 0.0, "m", _KEPT),
        check(
            "certified clearance",
            np.concatenate(below),
            CERTIFIED,
            "m",
            _CERTIFIED.format(looked),
        ),
        check(
            "stated clearance",
            np.concatenate(
                [stated_residuals(plan, room, places), _disagreements(plan), _beyond_ends(plan)]
            ),
            STATED,
            "m",
            _STATED,
        ),
    ]


def _claiming(plan: Plan, postures: ClearancePostures) -> ClearancePostures:
    """Those on segments that state a clearance."""
    rows = np.array([plan.timeline[i].clearance is not None for i in postures.segment], dtype=bool)
    return ClearancePostures(segment=postures.segment[rows], q=postures.q[rows])


def _below_certified(plan: Plan, room: CapsuleScene, postures: ClearancePostures) -> Array:
    """What postures come nearer than certified; NaN where nothing comparable is. # (m,) [m]."""
    certified = np.array([s.clearance.certified if s.clearance else np.nan for s in plan.timeline])
    seen = np.array([s.clearance.seen if s.clearance else np.nan for s in plan.timeline])
    claims, seen = certified[postures.segment], seen[postures.segment]
    kinds = [plan.timeline[i].kind for i in postures.segment]
    travel = np.array([kind is SegmentKind.TRAVEL for kind in kinds], dtype=bool)
    found = room.shortfalls(postures.q, claims, travel)
    with np.errstate(invalid="ignore"):  # no pair at all: both are infinite
        found = np.maximum(found, np.where(claims == seen, 0.0, claims - seen))
    return np.where(np.isnan(claims), np.nan, np.maximum(found, 0.0))


def _not_kept(plan: Plan, room: CapsuleScene) -> Array:
    """What segments that move lack of the clearance required, of a plan called feasible. [m].

    NaN for a segment that states none, unless no two bodies have a distance to state on it: a
    stylus alone has none from the part that it probes.
    """
    if not plan.feasible:
        return np.zeros(0)
    due = {True: room.watched(touching=True), False: room.watched(touching=False)}
    stated = [
        np.nan if s.clearance is None else s.clearance.certified
        for s in plan.timeline
        if s.duration > 0.0 and (s.clearance is not None or due[s.kind is SegmentKind.TRAVEL])
    ]
    return np.maximum(plan.job.checks.clearance - np.array(stated), 0.0)


def stated_residuals(plan: Plan, room: CapsuleScene, postures: ClearancePostures) -> Array:
    """How far stated distances and places are from those at the stated postures. # (...) [m].

    A place must lie on the axis of the moving capsule. There the other body is as near as stated.
    Where convex pieces keep more than the capsules, the place lies in the piece, and the other
    body's piece is as near as stated: of the two readings one must hold as a whole.
    Two exceptions: of a body inside a solid the depth is an estimate, so the place only has to
    touch; of the stylus near the part in a probing line the probed surface is left out, so that
    the part may be nearer than stated, not farther, and some triangle is as near as stated.
    """
    stated = [plan.timeline[i].clearance for i in postures.segment]
    axes, T = capsule_axes(room.model, postures.q), room.poses(postures.q)
    groups: dict[tuple[str, str], list[int]] = {}
    for row, one in enumerate(stated):
        if one is not None and one.moving:
            groups.setdefault((one.moving, one.against), []).append(row)
    found = [np.zeros(0)]
    for (moving, against), members in groups.items():
        rows = np.array(members, dtype=np.int64)
        own = [one for one in (stated[row] for row in members) if one is not None]
        kinds = [plan.timeline[i].kind for i in postures.segment[rows]]
        lines = np.array([kind is not SegmentKind.TRAVEL for kind in kinds], dtype=bool)
        pair = _Pair(room, moving, against)
        found.append(pair.residuals(own, axes[rows], T[rows], lines))
    return np.concatenate(found)


def _disagreements(plan: Plan) -> Array:
    """What segments along one line state differently; NaN for other bodies. # (...) [m].

    The place stated is passed by some of them only, and that of a deep search by its miss alone.
    """
    missed = () if plan.miss is None else plan.miss.timeline
    first: dict[int, SegmentClearance | None] = {}
    found = [np.zeros(0)]
    for segment in (*plan.timeline, *missed):
        if segment.kind is SegmentKind.TRAVEL:
            continue
        own, length = segment.clearance, float(plan.placed.lengths[segment.point_index])
        other = first.setdefault(segment.point_index, own)
        found.append(_apart(own, other, length))
    return np.concatenate(found)


def _beyond_ends(plan: Plan) -> Array:
    """Zero for each place that is a part of its motion's way, NaN for one that is none. # (...)."""
    stated = [s.clearance for s in plan.timeline if s.clearance is not None]
    at = np.array([one.at for one in stated if one.moving])
    return np.where((at >= -_SAME) & (at <= 1.0 + _SAME), 0.0, np.nan)


def _apart(own: SegmentClearance | None, other: SegmentClearance | None, length: float) -> Array:
    """Distance, place and part of the way of two statements about a line of some length. # [m]."""
    if own == other:
        return np.zeros(1)
    if own is None or other is None or own.pair != other.pair:
        return np.full(1, np.nan)
    seen = 0.0 if own.seen == other.seen else own.seen - other.seen
    place = np.subtract(own.place, other.place)
    return np.array([seen, *place.tolist(), length * (own.at - other.at)])


class _Pair:
    """Two bodies by name.

    Args:
        room: that holds them.
        moving: a capsule.
        against: a solid, or another capsule.
    """

    def __init__(self, room: CapsuleScene, moving: str, against: str) -> None:
        self._room = room
        self._moving, self._other, self._solid = -1, -1, -1
        for k, capsule in enumerate(room.capsules):
            for s, solid in enumerate(room.cell.solids):
                if (moving, against) == (capsule.name, solid.name):
                    self._moving, self._solid = k, s
            for other, second in enumerate(room.capsules):
                if (moving, against) == (capsule.name, second.name):
                    self._moving, self._other = k, other

    def residuals(
        self, stated: list[SegmentClearance], axes: Array, T: Array, lines: Mask
    ) -> Array:
        """Of some postures. # -> (...) [m]; NaN for a pair that does not exist."""
        if self._moving < 0:
            return np.full(1, np.nan)
        seen = np.array([one.seen for one in stated])
        places = np.array([one.place for one in stated], dtype=np.float64).reshape(-1, 3)
        found = self._by_capsules(places, axes, seen, lines)
        pieces = self._room.pieces
        if pieces[self._moving] is None and (self._other < 0 or pieces[self._other] is None):
            return found.ravel()
        other = self._by_pieces(places, axes, T, seen)
        worse = np.abs(other).max(axis=0) >= np.abs(found).max(axis=0)
        return np.asarray(np.where(worse, found, other).ravel())

    def _by_capsules(self, places: Array, axes: Array, seen: Array, lines: Mask) -> Array:
        """Places off the capsule's axis, and how far distances are off. # (2, m) [m]."""
        off_axis = axis_distance(places, axes[:, self._moving])
        gap = self._gap(places, axes)
        off = gap - seen
        if self._solid >= 0:
            solid = self._room.cell.solids[self._solid]
            beside = solid is self._room.cell.part and self._capsule.name in STYLUS
            if beside:
                off[lines] = self._off_part(places[lines], seen[lines], off[lines])
            off = np.where(seen < 0.0, np.maximum(gap, 0.0), off)
        return np.stack([off_axis, off])

    def _by_pieces(self, places: Array, axes: Array, T: Array, seen: Array) -> Array:
        """Places out of the piece, or off the axis without one, and distances off. # (2, m)."""
        piece, radius = self._room.pieces[self._moving], 0.0
        if piece is not None:
            off_core = np.maximum(piece.outside(places, self._room.carrier(T, self._moving)), 0.0)
        else:
            off_core, radius = axis_distance(places, axes[:, self._moving]), self._capsule.radius
        if self._solid >= 0:
            gap = self._room.surfaces[self._solid].signed(places)
        elif (other := self._room.pieces[self._other]) is not None:
            gap = other.outside(places, self._room.carrier(T, self._other))
        else:
            gap = axis_distance(places, axes[:, self._other])
            radius += self._room.capsules[self._other].radius
        gap = gap - radius
        return np.stack([off_core, np.where(seen < 0.0, np.maximum(gap, 0.0), gap - seen)])

    def _off_part(self, places: Array, seen: Array, off: Array) -> Array:
        """Of the stylus in lines: not farther, and as far as some triangle of the part. # (m,)."""
        surface, radius = self._room.surfaces[self._solid], self._capsule.radius
        return np.maximum(np.maximum(off, 0.0), surface.off_any(places, seen + radius))

    @property
    def _capsule(self) -> Capsule:
        return self._room.capsules[self._moving]

    def _gap(self, places: Array, axes: Array) -> Array:
        """From places on the moving body's axis to the other body, less their radii. # (m,)."""
        if self._solid >= 0:
            return self._room.surfaces[self._solid].signed(places) - self._capsule.radius
        other = self._room.capsules[self._other].radius + self._capsule.radius
        return axis_distance(places, axes[:, self._other]) - other


# -------------------------------------------------------------------------------- Contact approach
# The plan leaves out the probed surface there, and decides what that is. Here nothing is left out:
# before its contact the ball stands off from the whole part by its radius, or, where it does not
# even at the contact (a point that is not on the surface, a ball that does not fit), by what it has
# there. Behind the ball the shank does not touch the part before contact.

_MOVING = tuple(kind for kind in SegmentKind if kind not in (SegmentKind.TRAVEL, SegmentKind.DWELL))
_SHORT = (SegmentKind.SEARCH, SegmentKind.STOP, SegmentKind.BACK_OFF)


def approach_shortfalls(plan: Plan, room: CapsuleScene, postures: ClearancePostures) -> Array:
    """How deep ball and shank are in what they must not touch; below zero for not at all. [m]."""
    names = [capsule.name for capsule in room.capsules]
    part = room.cell.part
    if part is None or BALL not in names:
        return np.zeros(0)
    surface = room.surfaces[room.cell.solids.index(part)]
    rows, points = _before_contact(plan, room, postures)
    axes = capsule_axes(room.model, postures.q[rows])
    ball = axes[:, names.index(BALL), 1]
    radius = room.capsules[names.index(BALL)].radius
    touched, place = np.unique(points, return_inverse=True)
    kept = np.minimum(surface.signed(plan.placed.contacts[touched]), radius)[place]
    found = [surface.shortfalls(ball, ball, kept)]
    if SHANK in names:
        shank = axes[:, names.index(SHANK)]
        thickness = room.capsules[names.index(SHANK)].radius
        length = np.linalg.norm(shank[:, 1] - shank[:, 0], axis=1)
        behind = np.maximum(length - max(radius, thickness), 0.0) / length
        end = shank[:, 0] + behind[:, None] * (shank[:, 1] - shank[:, 0])
        found.append(surface.shortfalls(shank[:, 0], end, np.full(len(rows), thickness)))
    return np.concatenate(found)


def _before_contact(
    plan: Plan, room: CapsuleScene, postures: ClearancePostures
) -> tuple[Indices, Indices]:
    """Postures of lines between clearance point and contact, and the points they serve."""
    placed, segments = plan.placed, plan.timeline
    rows = np.array(
        [k for k, i in enumerate(postures.segment) if _claims(plan, int(i))], dtype=np.int64
    )
    points = np.array([segments[i].point_index for i in postures.segment[rows]], dtype=np.int64)
    start, way = placed.clearances[points], (placed.contacts - placed.clearances)[points]
    ball = room.model.forward(postures.q[rows])[:, :3, 3]
    before = np.sum((ball - start) * way, axis=1) <= np.sum(way * way, axis=1)
    return rows[before], points[before]


def _claims(plan: Plan, index: int) -> bool:
    """Whether a segment is a line that the plan does not itself report to collide."""
    segment = plan.timeline[index]
    stated = segment.clearance
    return segment.kind in _MOVING and (stated is None or stated.seen >= 0.0)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ClearancePostures:
    """Some postures of a plan.

    Args:
        segment: that each belongs to. # (m,)
        q: # (m, n) [rad or m]
    """

    segment: Indices
    q: Array

    def finite(self) -> ClearancePostures:
        """Those that are numbers."""
        rows = np.all(np.isfinite(self.q), axis=1)
        return ClearancePostures(segment=self.segment[rows], q=self.q[rows])


def watched_segments(plan: Plan) -> Indices:
    """Segments that take time; of very many an even choice."""
    postures = _postures(plan)
    rows = np.array([i for i, s in enumerate(plan.timeline) if s.duration > 0.0], dtype=np.int64)
    share = min(1.0, postures / (2.0 * max(len(rows), 1)))
    return np.asarray(rows[(_GOLDEN * np.arange(len(rows))) % 1.0 < share])


def _postures(plan: Plan) -> int:
    """Without solids only the robot itself is near, and it moves little from one to the next."""
    return POSTURES if plan.job.cell.solids else POSTURES // 4


def spread_postures(plan: Plan, segments: Indices) -> ClearancePostures:
    """Postures at other parts of the duration on every segment; one where the robot rests."""
    each = int(np.clip(_postures(plan) // max(len(segments), 1), 1, _MOST))
    rests = np.array([plan.timeline[i].kind is SegmentKind.DWELL for i in segments], dtype=bool)
    short = np.array([plan.timeline[i].kind in _SHORT for i in segments], dtype=bool)
    counts = np.where(rests, 1, np.where(short, max(1, each // 4), each))
    segment = np.repeat(segments, counts)
    place = np.arange(len(segment)) - np.repeat(np.cumsum(counts) - counts, counts)
    s = (place + (_GOLDEN * segment) % 1.0) / np.repeat(counts, counts)
    start, duration = _times(plan, segment)
    return ClearancePostures(segment=segment, q=plan.trajectory.state(start + s * duration).q)


def stated_postures(plan: Plan, model: Model, segments: Indices) -> ClearancePostures:
    """Where segments that move say that they come nearest.

    A place is a part of the way of the ball from clearance point to line end, also of a retract; it
    is looked at in the segments that pass it. Of a straight travel it is a part of the joints' way;
    of any other travel, a part of its duration.
    """
    own = [plan.timeline[i] for i in segments]
    moving = [s.kind is not SegmentKind.DWELL and s.clearance is not None for s in own]
    segments = segments[np.array(moving, dtype=bool)]
    stated = [plan.timeline[i].clearance for i in segments]
    at = np.array([np.nan if one is None else one.at for one in stated])
    start, duration = _times(plan, segments)
    progress = _Progress(plan, model, segments)
    ends = np.sort([progress.at(start), progress.at(start + duration, "left")], axis=0)
    passed = progress.travel | ((at >= ends[0] - _SAME) & (at <= ends[1] + _SAME)) | np.isnan(at)
    segments, at = segments[passed], at[passed]
    start, duration = _times(plan, segments)
    progress = _Progress(plan, model, segments)
    low, high = np.zeros(len(segments)), np.ones(len(segments))
    back = progress.at(start + duration, "left") < progress.at(start)
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        later = (progress.at(start + middle * duration) < at) != back
        low, high = np.where(later, middle, low), np.where(later, high, middle)
    s = np.where(progress.timed, at, 0.5 * (low + high))
    return ClearancePostures(segment=segments, q=plan.trajectory.state(start + s * duration).q)


def _of_rests(
    plan: Plan, rests: LineRests, segments: Indices
) -> tuple[ClearancePostures, ClearancePostures]:
    """Middles and ends of the rests of lines, and places stated there, on the stops before them."""
    own = np.flatnonzero(np.isin(rests.stop, segments))
    stop = rests.stop[own]
    stated = [plan.timeline[i].clearance for i in stop]
    at = np.array([np.nan if one is None else one.at for one in stated])
    x = 2.0 * (at - rests.first[own]) / (rests.last[own] - rests.first[own]) - 1.0
    inside = np.abs(x) <= 1.0
    c = coefficients(rests.q[own])
    spread = np.einsum("xk,pkn->pxn", basis([0.0, 1.0]), c)
    places = np.einsum("pk,pkn->pn", basis(x[inside]), c[inside])
    return (
        ClearancePostures(segment=np.repeat(stop, 2), q=spread.reshape(-1, c.shape[2])),
        ClearancePostures(segment=stop[inside], q=places),
    )


def _together(some: ClearancePostures, more: ClearancePostures) -> ClearancePostures:
    return ClearancePostures(
        segment=np.concatenate([some.segment, more.segment]), q=np.concatenate([some.q, more.q])
    )


class _Progress:
    """How far segments are on their way, from 0 to 1.

    Args:
        plan: that holds them.
        model: of the robot.
        segments: that move. # (m,)
    """

    def __init__(self, plan: Plan, model: Model, segments: Indices) -> None:
        own = [plan.timeline[i] for i in segments]
        self._plan, self._model = plan, model
        self.travel = np.array([s.kind is SegmentKind.TRAVEL for s in own], dtype=bool)
        straight = np.array([s.law in LAW_NAMES for s in own], dtype=bool)
        self.timed = self.travel & ~straight
        start, duration = _times(plan, segments)
        first = plan.trajectory.state(start, "right").q
        last = plan.trajectory.state(start + duration, "left").q
        point = np.array([s.point_index for s in own], dtype=np.int64)
        self._q = _StraightPaths(first, last)
        self._ball = _StraightPaths(plan.placed.clearances[point], plan.placed.line_ends[point])

    def at(self, t: Array, side: Side = "right") -> Array:
        """At an instant of each segment, seen from one side. # (m,)."""
        q = self._plan.trajectory.state(t, side).q
        ball = self._model.forward(q)[:, :3, 3]
        return np.where(self.travel, self._q.share(q), self._ball.share(ball))


class _StraightPaths:
    """Straight ways between places of any number of coordinates. # (m, d) each."""

    def __init__(self, start: Array, end: Array) -> None:
        self._start, self._along = start, end - start
        self._square = np.sum(self._along * self._along, axis=1)

    def share(self, places: Array) -> Array:
        """Parts of the ways that are behind. # (m, d) -> (m,)."""
        gone = np.sum((places - self._start) * self._along, axis=1)
        return np.asarray(gone / np.where(self._square > 0.0, self._square, 1.0))


def _times(plan: Plan, segments: Indices) -> tuple[Array, Array]:
    """Starts and durations. # (m,) [s]."""
    own = [plan.timeline[i] for i in segments]
    return np.array([s.start for s in own]), np.array([s.duration for s in own])


class CapsuleScene:
    """Capsules with their pieces, and solids.

    Args:
        model: of the robot.
        cell: what stands around it.
    """

    def __init__(self, model: Model, cell: Cell) -> None:
        self.model, self.cell = model, cell
        self.capsules = model.mechanism.capsules

    @cached_property
    def surfaces(self) -> tuple[SurfaceDistance, ...]:
        """Of the solids, in their order."""
        return tuple(surface_of(solid) for solid in self.cell.solids)

    @cached_property
    def pieces(self) -> tuple[PieceDistance | None, ...]:
        """Of the capsules, in their order; None for one without."""
        return tuple(
            PieceDistance(capsule) if len(capsule.corners) else None for capsule in self.capsules
        )

    def poses(self, q: Array) -> Array:
        """Poses of all links, and of the base as the last one. # (m, links + 1, 4, 4)."""
        T = self.model.transforms(q)
        still = np.broadcast_to(np.eye(4), (len(T), 1, 4, 4))
        return np.concatenate([T, still], axis=1)

    def carrier(self, T: Array, capsule: int) -> Array:
        """Poses of a capsule's link. # (m, links + 1, 4, 4) -> (m, 4, 4)."""
        return np.asarray(T[:, self.capsules[capsule].joint])

    def watched(self, *, touching: bool) -> bool:
        """Whether some pair of bodies has a distance to state.

        Args:
            touching: whether the stylus against the part counts.
        """
        if self.model.mechanism.self_pairs:
            return True
        one = np.array([touching])
        return any(
            self._watched(one, of_part=solid is self.cell.part)[0].size
            for solid in self.cell.solids
        )

    def shortfalls(self, q: Array, claims: Array, touching: Mask) -> Array:
        """What postures come nearer to anything than claimed; below zero where they do not.

        Args:
            q: postures. # (m, n)
            claims: clearances; a plan never claims an infinite one. # (m,) [m]
            touching: whether the stylus against the part counts. # (m,)
        """

        def some(rows: slice) -> Array:
            worst = self._of_solids(q[rows], claims[rows], touching[rows])
            return np.maximum(worst, self._of_itself(q[rows], claims[rows]))

        return by_blocks(some, len(q), _ROWS)

    def _of_itself(self, q: Array, claims: Array) -> Array:
        """What two bodies come nearer to each other than claimed. # (m,) [m]."""
        pairs = self.model.mechanism.self_pairs
        gaps = self_clearances(self.model.mechanism, pairs, q)
        with np.errstate(invalid="ignore"):  # an infinite claim where nothing is stays NaN
            short = claims[:, None] - gaps
        for column, (a, b) in enumerate(pairs):
            rows = np.flatnonzero(short[:, column] > 0.0)
            if rows.size and (self.pieces[a] is not None or self.pieces[b] is not None):
                cores = self._of_cores((a, b), q[rows], claims[rows])
                short[rows, column] = np.minimum(short[rows, column], cores)
        return np.asarray(np.max(short, axis=1, initial=-np.inf))

    def _of_cores(self, pair: tuple[int, int], q: Array, claims: Array) -> Array:
        """The same of two pieces, or of a piece and a capsule. # (m,) [m]."""
        a, b = pair
        T, axes = self.poses(q), capsule_axes(self.model, q)
        one, other = self.pieces[a], self.pieces[b]
        if one is not None and other is not None:
            return one.piece_shortfalls(self.carrier(T, a), other, self.carrier(T, b), claims)
        for piece, own, capsule in ((one, a, b), (other, b, a)):
            if piece is not None:
                needs = claims + self.capsules[capsule].radius
                return piece.axis_shortfalls(self.carrier(T, own), axes[:, capsule], needs)
        return np.full(len(q), np.inf)

    def _of_solids(self, q: Array, claims: Array, touching: Mask) -> Array:
        worst = np.full(len(q), -np.inf)
        axes, T = capsule_axes(self.model, q), self.poses(q)
        radii = np.array([capsule.radius for capsule in self.capsules])
        for solid, surface in zip(self.cell.solids, self.surfaces, strict=True):
            rows, capsules = self._watched(touching, of_part=solid is self.cell.part)
            own = axes[rows, capsules]
            found = surface.shortfalls(own[:, 0], own[:, 1], claims[rows] + radii[capsules])
            for k in np.unique(capsules[found > 0.0]).tolist():
                piece = self.pieces[k]
                if piece is not None:
                    near = np.flatnonzero((capsules == k) & (found > 0.0))
                    at = rows[near]
                    short = piece.solid_shortfalls(surface, self.carrier(T[at], k), claims[at])
                    found[near] = np.minimum(found[near], short)
            np.maximum.at(worst, rows, found)
        return worst

    def _watched(self, touching: Mask, *, of_part: bool) -> tuple[Indices, Indices]:
        """Postures and capsules that are looked at against a solid; the base's do not move."""
        count = len(touching)
        wanted = np.zeros((count, len(self.capsules)), dtype=bool)
        for k, capsule in enumerate(self.capsules):
            beside = of_part and capsule.name in STYLUS
            wanted[:, k] = (capsule.joint >= 0) & (touching | (not beside))
        rows, capsules = np.nonzero(wanted)
        return rows, capsules


def capsule_axes(model: Model, q: Array) -> Array:
    """Ends of the axes of all capsules. Base frame. # (m, n) -> (m, capsules, 2, 3) [m]."""
    T, capsules = model.transforms(q), model.mechanism.capsules
    axes = np.empty((len(q), len(capsules), 2, 3))
    for k, capsule in enumerate(capsules):
        for side, end in enumerate((capsule.start, capsule.end)):
            if capsule.joint < 0:
                axes[:, k, side] = end
            else:
                pose = T[:, capsule.joint]
                axes[:, k, side] = pose[:, :3, :3] @ end + pose[:, :3, 3]
    return axes


def axis_distance(points: Array, axes: Array) -> Array:
    """Distance of each point from its own axis. # (m, 3), (m, 2, 3) -> (m,) [m]."""
    along = axes[:, 1] - axes[:, 0]
    square = np.maximum(np.sum(along * along, axis=1), np.finfo(np.float64).tiny)
    share = np.clip(np.sum((points - axes[:, 0]) * along, axis=1) / square, 0.0, 1.0)
    return np.asarray(np.linalg.norm(points - axes[:, 0] - share[:, None] * along, axis=1))


# ------------------------------------------------------------------------------------ convex pieces
# Where two polyhedra are nearest, an edge of one is, or a corner of one beside a face of the
# other. So the edges of a piece are measured against the skin of a solid, as axes of capsules are,
# and the corners of the solid against the skin of the piece. Nothing of the planner's search is
# used.

_PIECE_ROWS = 64  # postures looked at once


class PieceDistance:
    """The skin of a capsule's piece, in the frame of its link.

    Args:
        capsule: with corners.
    """

    def __init__(self, capsule: Capsule) -> None:
        from scipy.spatial import ConvexHull

        hull = ConvexHull(capsule.corners)
        inner = capsule.corners[hull.vertices].mean(axis=0)
        faces = np.asarray(hull.simplices, dtype=np.int64)
        a, b, c = (capsule.corners[faces[:, k]] for k in range(3))
        turned = np.einsum("ij,ij->i", np.cross(b - a, c - a), a - inner) < 0.0
        faces[turned] = faces[turned][:, ::-1]
        self._mesh = TriangleMesh(vertices=capsule.corners, faces=faces)
        sides = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
        edges = np.unique(np.sort(sides, axis=1), axis=0)
        self._edges = capsule.corners[edges]  # (e, 2, 3)
        self._centre = inner
        self._size = float(np.linalg.norm(capsule.corners - inner, axis=1).max())

    @cached_property
    def surface(self) -> SurfaceDistance:
        """The skin and the inside."""
        solid = Solid(name="piece", kind=SolidKind.OBSTACLE, mesh=self._mesh, closed=True)
        return surface_of(solid)

    def outside(self, places: Array, T: Array) -> Array:
        """Signed distances of places from the piece, each in its own posture. # (m,) [m]."""
        return self.surface.signed(_seen_from(T, places[:, None])[:, 0])

    def solid_shortfalls(self, surface: SurfaceDistance, T: Array, needs: Array) -> Array:
        """What the piece comes nearer to a solid than it may, in postures of its link.

        Args:
            surface: of the solid.
            T: poses of the link. # (m, 4, 4)
            needs: distances to be kept. # (m,) [m]

        Returns:
            Below zero where it does not. # (m,) [m]
        """
        worst = np.empty(len(T))
        for first in range(0, len(T), _PIECE_ROWS):
            rows = slice(first, first + _PIECE_ROWS)
            edges = _placed(T[rows], self._edges.reshape(-1, 3)).reshape(-1, len(self._edges), 2, 3)
            worst[rows] = _most(surface, edges, needs[rows])
        for row, (pose, need) in enumerate(zip(T, needs, strict=True)):
            centre = pose[:3, :3] @ self._centre + pose[:3, 3]
            corners = surface.corners_near(centre, self._size + max(need, 0.0))
            own = _seen_from(pose[None], corners[None])[0]
            if len(own):
                found = self.surface.shortfalls(own, own, np.full(len(own), need))
                worst[row] = max(worst[row], float(found.max()))
        return worst

    def axis_shortfalls(self, T: Array, axes: Array, needs: Array) -> Array:
        """The same of segments in the base frame, in place of a solid. # axes (m, 2, 3) [m]."""
        own = _seen_from(T, axes)
        return self.surface.shortfalls(own[:, 0], own[:, 1], needs)

    def piece_shortfalls(
        self, T: Array, other: PieceDistance, other_T: Array, needs: Array
    ) -> Array:
        """The same of another piece in place of a solid. # (m,) [m]."""
        worst = np.full(len(T), -np.inf)
        for one, pose, against, frame in (
            (self, T, other, other_T),
            (other, other_T, self, T),
        ):
            for first in range(0, len(T), _PIECE_ROWS):
                rows = slice(first, first + _PIECE_ROWS)
                edges = _placed(pose[rows], one._edges.reshape(-1, 3))
                edges = _seen_from(frame[rows], edges).reshape(-1, len(one._edges), 2, 3)
                worst[rows] = np.maximum(worst[rows], _most(against.surface, edges, needs[rows]))
        return worst


def _most(surface: SurfaceDistance, edges: Array, needs: Array) -> Array:
    """The greatest shortfall of the edges of each row. # (m, e, 2, 3) -> (m,)."""
    count = edges.shape[1]
    flat = edges.reshape(-1, 2, 3)
    found = surface.shortfalls(flat[:, 0], flat[:, 1], np.repeat(needs, count))
    return np.asarray(found.reshape(-1, count).max(axis=1))


def _placed(T: Array, points: Array) -> Array:
    """Points of a link in the base frame. # (m, 4, 4), (k, 3) -> (m, k, 3)."""
    return np.asarray(np.einsum("mij,kj->mki", T[:, :3, :3], points) + T[:, None, :3, 3])


def _seen_from(T: Array, points: Array) -> Array:
    """Points of the base frame in that of a link. # (m, 4, 4), (m, k, 3) -> (m, k, 3)."""
    return np.asarray(np.einsum("mij,mki->mkj", T[:, :3, :3], points - T[:, None, :3, 3]))
