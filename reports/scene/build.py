"""From a plan to its scene."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from planner.plan import SegmentKind
from reports.scene.bodies import SceneRobot, mechanism_bodies, robot_extent, scene_robot
from reports.scene.model import Scene, SceneGuides, SceneMotion, ScenePoints, SceneSolid
from reports.scene.solids import scene_solids
from robots.core.arrays import Array
from robots.core.mechanism import JointKind

if TYPE_CHECKING:
    from planner.motion.trajectory import Trajectory
    from planner.plan import Plan
    from robots.robot import Robot

_POSTURES = 64  # of the motion, that the size of the scene is taken from
_MARK_SHARE = 0.2  # radius of a mark over the distance of near points
_MARK_SEEN = 0.006  # at most, over the diagonal of the scene
_LEAST_MARK = 0.0015  # [m]
_FRAME, _DOT = 0.05, 0.004  # arrows and points of guides, over the diagonal of the scene
_ROWS = 4096  # intervals looked at at once
_ROOM = 0.7  # share of its reach that a robot's picture holds room for


def scene_of(plan: Plan) -> Scene:
    """What is seen of a plan.

    Args:
        plan: as planned; it need not be feasible.
    """
    robot, cell, motion = scene_robot(plan.job), scene_solids(plan.job.cell), scene_motion(plan)
    rest = np.clip(0.0, plan.job.mechanism.q_min, plan.job.mechanism.q_max)
    notes = [*robot.notes, *cell.notes]
    if motion is None:
        notes.append("No point is reached, so nothing moves; the robot stands at its zero.")
    else:
        notes.append(_motion_note(motion))
    probing, travel = _ways(plan, motion)
    bounds = _bounds(plan, robot, cell.solids, motion, rest)
    return Scene(
        title=plan.job.name,
        base=robot.base,
        base_shapes=robot.base_shapes,
        links=robot.links,
        rest=rest,
        solids=cell.solids,
        points=_points(plan, bounds),
        probing=probing,
        travel=travel,
        motion=motion,
        bounds=bounds,
        notes=tuple(notes),
    )


def scene_of_robot(robot: Robot, q: Array, reach: Array) -> Scene:
    """What is seen of a robot alone: its bodies in a posture, axes, frames and reach.

    Args:
        robot: with or without meshes or capsules.
        q: its posture. # (n,) [rad or m]
        reach: positions of the tool on the border of its workspace. # (k, 3) [m]
    """
    bodies = mechanism_bodies(robot.mechanism, drawn=robot.drawn_links)
    transforms = robot.transforms(q[None])
    origins = transforms[0, :, :3, 3]
    places = np.concatenate(
        [robot_extent(bodies, transforms), origins, robot.forward(q)[None, :3, 3], np.zeros((1, 3))]
    )
    bounds = np.stack([places.min(axis=0), places.max(axis=0)])
    if len(reach):  # the ball within its box; the floor stays below the robot as it stands
        middle, half = np.ptp(reach, axis=0) / 2.0 + reach.min(axis=0), np.ptp(reach, axis=0) / 2.0
        low, high = middle - _ROOM * half, middle + _ROOM * half
        bounds = np.stack([np.minimum(bounds[0], [*low[:2], np.inf]), np.maximum(bounds[1], high)])
    size = max(float(np.linalg.norm(bounds[1] - bounds[0])), 1e-3)
    guides = SceneGuides(
        names=tuple(f"q{number}" for number in robot.mechanism.numbers),
        size=_FRAME * size,
        tool=robot.mechanism.tool,
        tool_link=robot.mechanism.tool_joint,
        reach=reach,
        reach_size=_DOT * size,
    )
    scene = _still(robot.mechanism.name, bodies, (), bounds, rest=q)
    return replace(scene, guides=guides)


def _still(
    title: str, robot: SceneRobot, solids: tuple[SceneSolid, ...], bounds: Array, *, rest: Array
) -> Scene:
    """A scene without points and motion."""
    none = np.zeros((0, 3))
    return Scene(
        title=title,
        base=robot.base,
        base_shapes=robot.base_shapes,
        links=robot.links,
        rest=rest,
        solids=solids,
        points=ScenePoints(
            names=(), positions=none, normals=none, reached=np.zeros(0, dtype=bool), size=0.0
        ),
        probing=np.zeros((0, 2, 3)),
        travel=np.zeros((0, 2, 3)),
        motion=None,
        bounds=bounds,
        notes=robot.notes,
    )


def _motion_note(motion: SceneMotion) -> str:
    return (
        f"The motion is shown by {len(motion.t):,} postures with even joints between them: the "
        f"ball is never more than {1e3 * motion.deviation:.2g} mm, a joint never more than "
        f"{np.degrees(motion.turn):.2g}° from where it was seen in the plan at the same instant."
    )


def _points(plan: Plan, bounds: Array) -> ScenePoints:
    placed = plan.placed
    return ScenePoints(
        names=placed.names,
        positions=placed.surfaces,
        normals=placed.normals,
        reached=np.array([point.reachable for point in plan.planned_points], dtype=bool),
        size=_mark_size(placed.surfaces, float(np.linalg.norm(bounds[1] - bounds[0]))),
    )


def _mark_size(positions: Array, diagonal: float) -> float:
    """Radius of marks: seen from afar, but neighbours do not hide each other."""
    from scipy.spatial import cKDTree

    largest = _MARK_SEEN * diagonal
    if len(positions) < 2:
        return largest
    near = cKDTree(positions).query(positions, k=2)[0][:, 1]
    return float(min(max(_MARK_SHARE * np.median(near), _LEAST_MARK), largest))


def _ways(plan: Plan, motion: SceneMotion | None) -> tuple[Array, Array]:
    """The ball's way: along probing lines, and in travel. # (m, 2, 3) [m] each."""
    nothing = np.zeros((0, 2, 3))
    if motion is None:
        return nothing, nothing
    ball = plan.trajectory.model.forward(motion.q)[:, :3, 3]
    pieces = np.stack([ball[:-1], ball[1:]], axis=1)
    middles = (motion.t[:-1] + motion.t[1:]) / 2.0
    kinds = np.array([segment.kind is SegmentKind.TRAVEL for segment in plan.timeline])
    travel = kinds[plan.trajectory.segment_at(middles)]
    starts = np.array([s.start for s in plan.timeline if s.kind is SegmentKind.PROBE])
    ends = np.array([s.end for s in plan.contact_segments])
    # A probing line is straight, and the way back is the way there.
    ends_of_lines = [
        plan.trajectory.model.forward(plan.trajectory.state(t, "left").q)[:, :3, 3]
        for t in (starts, ends)
    ]
    moving = np.any(pieces[:, 0] != pieces[:, 1], axis=1)
    return np.stack(ends_of_lines, axis=1), pieces[travel & moving]


def _bounds(
    plan: Plan,
    robot: SceneRobot,
    solids: tuple[SceneSolid, ...],
    motion: SceneMotion | None,
    rest: Array,
) -> Array:
    """The box that holds everything. # (2, 3) [m]."""
    from robots.core.model import Model

    postures = (
        rest[None] if motion is None else motion.at(np.linspace(0.0, motion.duration, _POSTURES))
    )
    transforms = Model(plan.job.mechanism).transforms(postures)
    places = [
        robot_extent(robot, transforms),
        plan.placed.surfaces,
        *(solid.vertices for solid in solids),
    ]
    everything = np.concatenate([*places, np.zeros((1, 3))])
    return np.stack([everything.min(axis=0), everything.max(axis=0)])


# ------------------------------------------------------------------------------------------ Motion
# Between two neighbours joints go evenly in time. An interval is halved until, a quarter, a half
# and three quarters along it, the ball is where it should be, its way is straight, and every joint
# is right; but not to less than a 240th of a second, four times what a screen shows.

CHORD = 0.5e-3  # of the ball and of sliding joints [m]
TURN = np.radians(1.0)
SHORTEST = 1.0 / 240.0  # [s]
MOST = 40_000  # instants
# Between neighbours a turn must have one shorter way, whoever interpolates.
_QUARTER = np.pi / 2.0
_INNER = np.array([0.25, 0.5, 0.75])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Errors:
    """Of intervals: distances [m], turns [rad], whole turns between the ends [rad]. # (m,)."""

    chord: Array
    turn: Array
    whole: Array

    @property
    def score(self) -> Array:
        """Above 1 where the interval is too coarse."""
        return np.asarray(np.maximum(self.chord / CHORD, self.turn / TURN))


def scene_motion(plan: Plan, most: int = MOST) -> SceneMotion | None:
    """The motion of a plan to be shown; None where no point is reached.

    Args:
        plan: with its trajectory.
        most: instants at most; the worst intervals are halved first when they do not suffice.
    """
    if not plan.timeline:
        return None
    trajectory = plan.trajectory
    borders = _borders(trajectory)
    kept = borders if len(borders) <= most else _thinned(borders, most)
    t = _halved(trajectory, kept, most)
    errors = _errors(trajectory, t[:-1], t[1:])
    return SceneMotion(
        t=t,
        q=trajectory.state(t).q,
        borders=kept,
        deviation=float(errors.chord.max(initial=0.0)),
        turn=float(errors.turn.max(initial=0.0)),
    )


def _borders(trajectory: Trajectory) -> Array:
    """Instants where segments begin or end, each once."""
    t = np.unique(np.append(trajectory.starts, trajectory.duration))
    # Sums of times may miss each other by rounding.
    apart = np.append(True, np.diff(t) > 1e-9)
    t = t[apart]
    return np.asarray(t) if len(t) > 1 else np.array([0.0, max(trajectory.duration, 1e-3)])


def _thinned(t: Array, most: int) -> Array:
    chosen = np.unique(np.linspace(0, len(t) - 1, most).round().astype(np.int64))
    return np.asarray(t[chosen])


def _halved(trajectory: Trajectory, t: Array, most: int) -> Array:
    """The instants with as many between them as the motion needs, or may have."""
    starts, ends, count, found = t[:-1], t[1:], len(t), [t]
    while starts.size and count < most:
        errors = _errors(trajectory, starts, ends)
        wanted = (errors.score > 1.0) & (ends - starts > SHORTEST) | (errors.whole > _QUARTER)
        rows = np.nonzero(wanted)[0]
        if rows.size > most - count:
            urgency = np.maximum(errors.score, errors.whole / _QUARTER)[rows]
            rows = np.sort(rows[np.argsort(-urgency, kind="stable")[: most - count]])
        middles = (starts[rows] + ends[rows]) / 2.0
        found.append(middles)
        count += rows.size
        starts, ends = (
            np.concatenate([starts[rows], middles]),
            np.concatenate([middles, ends[rows]]),
        )
    return np.asarray(np.sort(np.concatenate(found)))


def _errors(trajectory: Trajectory, starts: Array, ends: Array) -> _Errors:
    """What goes wrong between instants when joints go evenly from one to the next."""
    parts = [
        _some_errors(trajectory, starts[k : k + _ROWS], ends[k : k + _ROWS])
        for k in range(0, max(starts.size, 1), _ROWS)
    ]
    chord, turn, whole = (
        np.concatenate([getattr(part, name) for part in parts])
        for name in ("chord", "turn", "whole")
    )
    return _Errors(chord=chord, turn=turn, whole=whole)


def _some_errors(trajectory: Trajectory, starts: Array, ends: Array) -> _Errors:
    share = np.concatenate([[0.0], _INNER, [1.0]])
    t = starts[:, None] + (ends - starts)[:, None] * share
    q = trajectory.state(t.ravel()).q.reshape(*t.shape, -1)
    first, last = q[:, :1], q[:, -1:]
    even = first + (last - first) * share[:, None]
    ball, shown = (trajectory.model.forward(each)[..., :3, 3] for each in (q, even))
    angular = np.array([j.kind is JointKind.REVOLUTE for j in trajectory.model.mechanism.movable])
    gaps, steps = np.abs(q - even), np.abs(last - first)[:, 0]
    slides = np.where(angular, 0.0, gaps).max(axis=(1, 2))
    away = np.linalg.norm(ball - shown, axis=-1).max(axis=1)
    return _Errors(
        chord=np.maximum(np.maximum(away, slides), _bends(ball)),
        turn=np.where(angular, gaps, 0.0).max(axis=(1, 2)),
        whole=np.where(angular, steps, 0.0).max(axis=1),
    )


def _bends(ball: Array) -> Array:
    """How far places are from the straight line between first and last. # (m, s, 3) -> (m,)."""
    along = ball[:, -1:] - ball[:, :1]
    square = np.sum(along * along, axis=-1)
    rest = ball - ball[:, :1]
    share = np.sum(rest * along, axis=-1) / np.where(square > 0.0, square, 1.0)
    share = np.clip(share, 0.0, 1.0)[..., None]
    return np.asarray(np.linalg.norm(rest - share * along, axis=-1).max(axis=1))
