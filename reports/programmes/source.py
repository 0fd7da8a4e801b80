"""What all programmes of a plan are written from: steps in time, features, nominal surfaces."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from importlib.metadata import version
from itertools import groupby, pairwise, takewhile

import numpy as np

from planner.findings import Severity
from planner.findings.finding import Aspect
from planner.plan import Plan, Segment, SegmentKind
from reports.programmes.interpolation import (
    Departures,
    Intervals,
    JointPosts,
    joint_paths,
    linear_posts,
    quintic_posts,
    refined,
    whole_segments,
)
from reports.programmes.text import ascii_text, labels
from reports.verdict import aspect_text, clearance_scope
from robots.core.arrays import Array

_OF_TORQUES = {Aspect.TORQUE_LIMITS, Aspect.MASSES, Aspect.DYNAMICS, Aspect.ACCELERATIONS}
_LINE = 120  # characters of a comment


class ProgrammeSource:
    """A plan as the writers of programmes see it.

    Args:
        plan: with motion.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan

    @cached_property
    def steps(self) -> Steps:
        """What a measuring machine does."""
        return steps_of(self.plan)

    @cached_property
    def features(self) -> tuple[MeasuredFeature, ...]:
        """What it measures."""
        return measured_features(self.steps.touches)

    @cached_property
    def linear(self) -> JointPosts:
        """Joints for controllers that join them by straight lines."""
        return linear_posts(self.plan)

    @cached_property
    def quintic(self) -> JointPosts:
        """Joints for controllers that use speeds and accelerations, too."""
        return quintic_posts(self.plan)

    @property
    def made_by(self) -> str:
        """What wrote the programme."""
        return f"Palpeur {version('palpeur')}"

    @property
    def feasibility(self) -> str:
        """Whether the whole job can be done."""
        plan = self.plan
        if plan.feasible:
            return "feasible: yes" + (", as far as was checked" if plan.unchecked else "")
        if plan.motion_proven:
            return "feasible: NO, points are left out; the motions of the others are proven"
        errors = sum(finding.severity is Severity.ERROR for finding in plan.finding_list)
        return f"feasible: NO, {errors} errors; read the report first"

    def about(self, *, hidden: str = "") -> list[str]:
        """First lines of every file: what is left out, who made it from what, what is proven.

        Args:
            hidden: characters that must not stand in a comment of the format.
        """
        plan = self.plan
        missing = [f"  {ascii_text(name, hidden=hidden)}" for name in plan.left_out]
        count = f"PARTIAL: {len(missing)} of {len(plan.planned_points)} points are NOT MEASURED:"
        return [
            *([count, *missing] if missing else []),
            f"Made by {self.made_by}",
            f"job: {ascii_text(plan.job.name, hidden=hidden)}",
            f"job sha256: {plan.job.sha256}",
            self.feasibility,
            *(ascii_text(line, hidden=hidden, longest=_LINE) for line in self._certificate()),
        ]

    def _certificate(self) -> Iterator[str]:
        """What is proven of every motion, and what nobody looked at."""
        plan = self.plan
        aspects = {one.aspect for one in plan.unchecked}
        kept = ["positions", "speeds"]
        kept += [] if Aspect.ACCELERATIONS in aspects else ["accelerations"]
        kept += [] if aspects & _OF_TORQUES else ["torques"]
        yield f"proven: {', '.join(kept)} within the limits of job and robot"
        if plan.nearest is None:
            yield "clearance: NOT CHECKED"
        else:
            floor = np.floor(1e5 * plan.nearest[0].certified) / 100.0
            yield f"proven: clearance of {floor:.2f} mm, {clearance_scope(plan)}"
        yield from (f"NOT CHECKED: {aspect_text(one)}" for one in plan.unchecked)

    def about_joints(
        self,
        posts: JointPosts,
        joined: str = "straight lines",
        *,
        labels: Mapping[str, int] | None = None,
    ) -> list[str]:
        """What a reader of joint values must know.

        Args:
            posts: that are written.
            joined: how the controller goes from one to the next.
            labels: index of the joint in each axis, by the controller's name of the axis; "joint 1"
                and so on when None.
        """
        joints = self.plan.job.mechanism.movable
        if labels is None:
            labels = {f"joint {k}": k - 1 for k in range(1, len(joints) + 1)}
        lines = [
            f"{label} is {ascii_text(joints[k].name, longest=24)}" for label, k in labels.items()
        ]
        slides = "" if all(joint.kind.angular for joint in joints) else " (mm where it slides)"
        return [
            f"{len(posts)} points, {self.plan.trajectory.duration:.6f} s",
            "proven is the plan's motion: the joints at these instants, and between them;",
            f"  a controller that joins them by {joined}",
            f"  keeps every joint within {_rounded(posts.error)} deg of it{slides}",
            "zero and sign of every joint are those of the robot file of the job;",
            "  compare them with the controller's before the first run",
            *lines,
        ]


def _rounded(error: float) -> str:
    """Two digits, rounded up."""
    from decimal import ROUND_CEILING, Context

    return str(Context(prec=2, rounding=ROUND_CEILING).create_decimal(f"{error:.6g}"))


# ------------------------------------------------------------------------------------------- Steps
# A travel is a polyline of the ball's centre that stays near the certified path; a probing line is
# a touch with all its places. Programmes that measure are written from these.

CHORD = 1e-3  # [m] between the ball's path and its polyline
MOST_POINTS = 50_000  # of all travels together; beyond it the chords grow, and the files say so
_FIRST_CHORDS = 2  # per travel, before the error is looked at
# Of a touch that the plan leaves to the machine: it comes to rest at contact, machines search.
DEFAULT_SPEED = 5e-3  # [m/s]
DEFAULT_SEARCH = 3e-3  # [m]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Move:
    """The ball goes from rest to rest; the places between are passed.

    Args:
        point: name of the point whose clearance point is at the end.
        duration: in the plan; 0 for the place where the programme begins. [s]
        speed: largest of the ball. [m/s]
        centres: of the ball, without the place it comes from; the last is a rest. # (m, 3) [m]
        joints: there. # (m, n) [rad] or [m]
        path: corners of the same way as straight joint moves, without the posture it comes from;
            one row where the joints run straight. # (p, n) [rad] or [m]
    """

    point: str
    duration: float
    speed: float
    centres: Array
    joints: Array
    path: Array


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Touch:
    """From the clearance point to the surface and back along one straight line, the stylus held.

    All places are those of the ball's centre in the base frame; poses have the stylus along z, from
    wrist to ball. A plan whose motion comes to rest at contact has no search: its distances and
    speed are then those of a machine's own cycle, and its joints there are not numbers.

    Args:
        name: of the point.
        feature: that the point belongs to; empty where there is none.
        surface: nominal point of the surface. # (3,) [m]
        normal: out of the material. # (3,) unit
        axis: of the stylus, towards the ball. # (3,) unit
        direction: from contact to the clearance point. # (3,) unit
        clearance: where the line begins and ends. # (3,) [m]
        search_start: from here on the ball goes at touch speed. # (3,) [m]
        contact: with the nominal surface. # (3,) [m]
        search_end: where a search that found nothing ends. # (3,) [m]
        back_off: where the ball goes at touch speed after a hit. # (3,) [m]
        approach: from the clearance point to contact; the ball retracts as far. [m]
        search_before: from search start to contact. [m]
        search_after: from contact to search end. [m]
        speed: of the ball in the search. [m/s]
        overrun: of the ball after a trigger, at most. [m]
        settle: rest after the stop. [s]
        approach_time: from the clearance point to the search start. [s]
        retract_time: from the back-off point to the clearance point. [s]
        q_clearance: joints there, and so on. # (n,) [rad] or [m]
        q_search_start: # (n,)
        q_contact: # (n,)
        q_search_end: # (n,)
        q_back_off: # (n,)
        T_base_clearance: pose of the ball there, and so on. # (4, 4) [m]
        T_base_search_start: # (4, 4)
        T_base_contact: # (4, 4)
        T_base_search_end: # (4, 4)
        T_base_back_off: # (4, 4)
    """

    name: str
    feature: str
    surface: Array
    normal: Array
    axis: Array
    direction: Array
    clearance: Array
    search_start: Array
    contact: Array
    search_end: Array
    back_off: Array
    approach: float
    search_before: float
    search_after: float
    speed: float
    overrun: float
    settle: float
    approach_time: float
    retract_time: float
    q_clearance: Array
    q_search_start: Array
    q_contact: Array
    q_search_end: Array
    q_back_off: Array
    T_base_clearance: Array
    T_base_search_start: Array
    T_base_contact: Array
    T_base_search_end: Array
    T_base_back_off: Array

    @property
    def cosine(self) -> float:
        """Between the approach direction and the normal."""
        return float(self.direction @ self.normal)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Steps:
    """All that the machine does.

    Args:
        steps: in order of time; the first is a move to the first clearance point.
        chord: largest distance between the ball's certified path and its polyline. [m]
        left_out: names of points that are not touched.
    """

    steps: tuple[Move | Touch, ...]
    chord: float
    left_out: tuple[str, ...]

    @property
    def touches(self) -> tuple[Touch, ...]:
        """In order of time."""
        return tuple(step for step in self.steps if isinstance(step, Touch))


def steps_of(plan: Plan) -> Steps:
    """The steps of a plan's motion; none where no point is reached."""
    departures = Departures(plan)
    travels = np.array(
        [k for k, s in enumerate(plan.timeline) if s.kind is SegmentKind.TRAVEL], dtype=np.int64
    )
    chords, chord = _chords(departures, whole_segments(plan, travels))
    moves = _moves(plan, departures, chords)
    steps: list[Move | Touch] = []
    for k, segment in enumerate(plan.timeline):
        if segment.kind is SegmentKind.PROBE:
            if not steps:
                steps.append(_first(plan, segment))
            steps.append(_touch(plan, _cycle(plan, k)))
        elif segment.kind is SegmentKind.TRAVEL:
            steps.append(moves[k])
    touched = {plan.timeline[k].point_index for k in range(len(plan.timeline))}
    left_out = tuple(p.name for k, p in enumerate(plan.planned_points) if k not in touched)
    return Steps(steps=tuple(steps), chord=chord, left_out=left_out)


def _chords(departures: Departures, travels: Intervals) -> tuple[Intervals, float]:
    """Travels cut into chords, and the error that these keep. [m]."""
    first = travels.split(np.full(len(travels), _FIRST_CHORDS))
    tolerance = CHORD
    chords = refined(first, departures.chord, tolerance=tolerance, order=2)
    while len(chords) > max(MOST_POINTS, len(first)):
        tolerance *= 2.0
        chords = refined(first, departures.chord, tolerance=tolerance, order=2)
    return chords, tolerance


def _moves(plan: Plan, departures: Departures, chords: Intervals) -> dict[int, Move]:
    """One move per travel, by the place of its segment."""
    centres = departures.ball(chords.segment, chords.end)
    joints = departures.state(chords.segment, chords.end, "left").q
    speeds = departures.ball_speed(chords)
    borders = np.flatnonzero(np.diff(chords.segment, prepend=-1))
    paths = joint_paths(plan, departures, chords.segment[borders])
    found = {}
    for first, after in pairwise([*borders.tolist(), len(chords)]):
        rows, k = slice(first, after), int(chords.segment[first])
        found[k] = Move(
            point=plan.timeline[k].point,
            duration=plan.timeline[k].duration,
            speed=float(speeds[rows].max()),
            centres=centres[rows],
            joints=joints[rows],
            path=paths[k],
        )
    return found


def _first(plan: Plan, segment: Segment) -> Move:
    """Where the programme begins: the way there is not of the plan."""
    index = segment.point_index
    joints = plan.planned_points[index].q_clearance[None]
    return Move(
        point=segment.point,
        duration=0.0,
        speed=0.0,
        centres=plan.placed.clearances[index : index + 1],
        joints=joints,
        path=joints,
    )


def _cycle(plan: Plan, first: int) -> dict[SegmentKind, Segment]:
    """Segments of one touch, from its probing line on."""
    after = (plan.timeline[k] for k in range(first, len(plan.timeline)))  # no copy of the rest
    return {s.kind: s for s in takewhile(lambda s: s.kind is not SegmentKind.TRAVEL, after)}


def _touch(plan: Plan, cycle: Mapping[SegmentKind, Segment]) -> Touch:
    probe = cycle[SegmentKind.PROBE]
    index, placed, point = probe.point_index, plan.placed, plan.planned_points[probe.point_index]
    contact, direction = placed.contacts[index], placed.directions[index]
    distance = float(placed.distances[index])
    joints = {"clearance": point.q_clearance, "contact": point.q_contact}
    if plan.job.touch.searching:
        start, end = placed.search_starts[index], placed.search_ends[index]
        back, speed = placed.back_offs[index], float(placed.touch_speeds[index])
        joints |= {
            "search_start": point.q_search_start,
            "search_end": point.q_search_end,
            "back_off": point.q_back_off,
        }
    else:
        before = min(DEFAULT_SEARCH, 0.5 * distance)
        start, end = contact + before * direction, contact - DEFAULT_SEARCH * direction
        back, speed = start, DEFAULT_SPEED
        nowhere = np.full_like(point.q_contact, np.nan)
        joints |= dict.fromkeys(("search_start", "search_end", "back_off"), nowhere)
    poses = plan.trajectory.model.forward(np.array(list(joints.values())))
    rest, retract = cycle.get(SegmentKind.DWELL), cycle.get(SegmentKind.RETRACT)
    return Touch(
        name=probe.point,
        feature=plan.job.points.features[index],
        surface=placed.surfaces[index],
        normal=placed.normals[index],
        axis=placed.axes[index],
        direction=direction,
        clearance=placed.clearances[index],
        search_start=start,
        contact=contact,
        search_end=end,
        back_off=back,
        approach=distance,
        search_before=float(np.linalg.norm(start - contact)),
        search_after=float(np.linalg.norm(end - contact)),
        speed=speed,
        overrun=float(point.overrun),
        settle=0.0 if rest is None else rest.duration,
        approach_time=probe.duration,
        retract_time=0.0 if retract is None else retract.duration,
        **{f"q_{name}": q for name, q in joints.items()},
        **{f"T_base_{name}": T for name, T in zip(joints, poses, strict=True)},
    )


class NominalKind(Enum):
    """Kinds of surfaces and lines."""

    POINT = "point"
    PLANE = "plane"
    CIRCLE = "circle"
    CYLINDER = "cylinder"
    SPHERE = "sphere"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Nominal:
    """A nominal feature.

    Args:
        kind: what it is.
        location: a point of it, or its centre. # (3,) [m]
        axis: normal of a point or plane, axis of a circle or cylinder. # (3,) unit
        diameter: of what is round. [m]
        inner: whether the material is around it.
    """

    kind: NominalKind
    location: Array
    axis: Array = field(default_factory=lambda: np.array([0.0, 0.0, 1.0]))
    diameter: float = 0.0
    inner: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MeasuredFeature:
    """A feature and the touches that measure it, in order of time.

    Args:
        name: of the feature, or of the point where it stands alone; untrusted.
        label: safe and unique.
        nominal: what it is.
        touches: at least one, none between them of another feature.
    """

    name: str
    label: str
    nominal: Nominal
    touches: tuple[Touch, ...]


def measured_features(touches: Sequence[Touch]) -> tuple[MeasuredFeature, ...]:
    """Features in order of time.

    Points stay together where they carry a feature's name, are touched one after another, and tell
    what the feature is; every other point is a feature of its own.
    """
    runs = [(name, tuple(run)) for name, run in groupby(touches, key=lambda t: t.feature)]
    visits = Counter(name for name, _ in runs)
    found: list[tuple[str, Nominal, tuple[Touch, ...]]] = []
    for name, run in runs:
        whole = nominal_of(*_columns(run)) if name and visits[name] == 1 else None
        if whole is not None:
            found.append((name, whole, run))
        else:
            found += [(touch.name, _point(touch), (touch,)) for touch in run]
    safe = labels((name for name, _, _ in found), "P")
    return tuple(
        MeasuredFeature(name=name, label=label, nominal=nominal, touches=run)
        for label, (name, nominal, run) in zip(safe, found, strict=True)
    )


def _columns(run: Sequence[Touch]) -> tuple[np.ndarray, np.ndarray]:
    return np.array([t.surface for t in run]), np.array([t.normal for t in run])


def _point(touch: Touch) -> Nominal:
    return Nominal(kind=NominalKind.POINT, location=touch.surface, axis=touch.normal)


# ---------------------------------------------------------------------------------------- Nominals
# A job names features without saying what they are. A feature is called a plane, circle, cylinder
# or sphere only where its points leave no doubt; otherwise its points stay points.

_NEAR = 1e-6  # [m] of positions from the surface
_PARALLEL = 1e-5  # of unit normals from theirs
_SPREAD = 1e-4  # [m] least extent of points that tell a surface
_LEAST = {"circle": 3, "cylinder": 5, "sphere": 4, "plane": 3}


def nominal_of(points: Array, normals: Array) -> Nominal | None:
    """The surface that points lie on; None where they leave doubt.

    Args:
        points: # (k, 3) [m]
        normals: out of the material. # (k, 3) unit
    """
    centre = points.mean(axis=0)
    about = points - centre
    if len(points) < _LEAST["plane"] or np.linalg.svd(about, compute_uv=False)[1] < _SPREAD:
        return None  # one line tells no surface
    normal = normals.mean(axis=0)
    if np.abs(normals - normal).max() < _PARALLEL:
        axis = normal / np.linalg.norm(normal)
        if np.abs(about @ axis).max() < _NEAR:
            return Nominal(kind=NominalKind.PLANE, location=centre, axis=axis)
        return None
    return _round(points, normals)


def _round(points: Array, normals: Array) -> Nominal | None:
    """A sphere, cylinder or circle: all normals run through one centre, or one axis."""
    turns = np.linalg.svd(normals)
    flat = bool(turns.S[-1] < _PARALLEL)
    if flat and turns.S[1] < 0.1:
        return None  # all on one side: the axis is not told well
    axis = _upward(turns.Vh[-1])
    middle = points.mean(axis=0)
    about = points - middle
    along = about @ axis
    if flat:
        about = about - along[:, None] * axis
    across = np.eye(3) - normals[:, :, None] * normals[:, None, :]
    offset = np.linalg.lstsq(across.sum(axis=0), (across @ about[..., None]).sum(axis=0)[:, 0])[0]
    if flat:
        offset = offset - (offset @ axis) * axis
    out = about - offset
    radius = float(np.linalg.norm(out, axis=1).mean())
    sense = float(np.sign(np.sum(out * normals)))
    if radius < _SPREAD or np.abs(out - sense * radius * normals).max() > _NEAR:
        return None
    in_plane = bool(np.abs(along).max() < _NEAR)
    kind = NominalKind.SPHERE if not flat else NominalKind.CYLINDER
    kind = NominalKind.CIRCLE if flat and in_plane else kind
    if len(points) < _LEAST[kind.value]:
        return None
    return Nominal(
        kind=kind,
        location=middle + offset,
        axis=axis,
        diameter=2.0 * radius,
        inner=sense < 0.0,
    )


def _upward(axis: Array) -> Array:
    """The one of two opposite directions whose largest component is above zero."""
    largest = int(np.argmax(np.abs(axis) > np.abs(axis).max() - 1e-9))
    return np.asarray(axis if axis[largest] > 0.0 else -axis)
