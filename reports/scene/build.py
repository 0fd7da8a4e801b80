"""From a plan to its scene."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from planner.job.solids import Cell, Solid, SolidKind
from planner.plan import SegmentKind
from reports.scene.model import Scene, SceneMotion, ScenePoints, SceneSolid
from reports.scene.motion import scene_motion
from reports.scene.robot import SceneRobot, link_ends, mechanism_bodies, scene_robot
from reports.scene.solids import scene_solids
from robots.core.arrays import Array

if TYPE_CHECKING:
    from parts.part import Part
    from planner.plan import Plan
    from robots.robot import Robot


_POSTURES = 64  # of the motion, that the size of the scene is taken from
_MARK_SHARE = 0.2  # radius of a mark over the distance of near points
_MARK_SEEN = 0.006  # at most, over the diagonal of the scene
_LEAST_MARK = 0.0015  # [m]


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


def scene_of_robot(robot: Robot, q: Array) -> Scene:
    """What is seen of a robot that stands still.

    Args:
        robot: with or without capsules.
        q: its posture. # (n,) [rad or m]
    """
    from robots.core.pose import transform_points

    bodies = mechanism_bodies(robot.mechanism, set())
    transforms = robot.transforms(q[None])
    tool = robot.forward(q)[:3, 3]
    radius = max(
        [body.radius for link in bodies.links for body in link.bodies]
        + [body.radius for body in bodies.base],
        default=0.0,
    )
    ends = link_ends(bodies.base, bodies.links, transforms)
    origins = [transform_points(T, np.zeros((1, 3))) for T in transforms[0]]
    places = np.concatenate([ends, *origins, tool[None], np.zeros((1, 3))])
    bounds = np.stack([places.min(axis=0) - radius, places.max(axis=0) + radius])
    return _still(robot.name, bodies, (), bounds, rest=q)


def scene_of_part(part: Part) -> Scene:
    """What is seen of a part in its own frame."""
    mesh = part.geometry.mesh
    solid = Solid(
        name=part.name,
        kind=SolidKind.PART,
        mesh=mesh,
        closed=part.geometry.audit.watertight,
    )
    drawn = scene_solids(Cell(solids=(solid,)))
    nothing = SceneRobot(base=(), links=(), notes=drawn.notes)
    return _still(part.name, nothing, drawn.solids, mesh.bounds, rest=np.zeros(0))


def _still(
    title: str, robot: SceneRobot, solids: tuple[SceneSolid, ...], bounds: Array, *, rest: Array
) -> Scene:
    """A scene without points and motion."""
    none = np.zeros((0, 3))
    return Scene(
        title=title,
        base=robot.base,
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
    ends = np.array([s.end for s in plan.timeline if s.kind is SegmentKind.PROBE])
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
    thick = max(
        [body.radius for link in robot.links for body in link.bodies]
        + [body.radius for body in robot.base],
        default=0.0,
    )
    places = [
        link_ends(robot.base, robot.links, transforms),
        plan.placed.surfaces,
        *(solid.vertices for solid in solids),
    ]
    everything = np.concatenate([*places, np.zeros((1, 3))])
    return np.stack([everything.min(axis=0) - thick, everything.max(axis=0) + thick])
