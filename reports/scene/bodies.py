"""Bodies of a scene besides solids: the robot, capsules, marks of points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from planner.job.stylus import BALL, STYLUS
from reports.scene import model
from reports.scene.model import Body, DrawnShape, MeshBody, RoundBody, SceneLink
from reports.scene.solids import creased, decimated, fair_shares
from robots.core.arrays import Array, Indices
from robots.core.capsule import Capsule
from robots.core.mechanism import BASE, Mechanism
from robots.core.pose import transform_points
from robots.core.urdf import DrawnLink

if TYPE_CHECKING:
    from planner.job import Job

LEAST_RADIUS = 0.003  # a thinner body would not be seen [m]
LEAST_BALL = 0.005  # [m]
LINK_TRIANGLES = 60_000  # of all links together
_SLENDER = 0.03  # radius of a stick over the length of the longest one
_SHORT = 1e-9  # [m]
_AROUND = 32  # sides of a circle
_RINGS = 8  # of half a ball
_MARK_AROUND, _MARK_RINGS = 12, 3
_STEM = 0.16  # thickness of a mark's stem and arms, over its radius
_STEM_LENGTH = 5.0
_ARM_LENGTH = 2.1
_SIDES = np.array([[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]], float)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SceneRobot:
    """Bodies of the base, links, and what a reader should know of them; shapes as of links."""

    base: tuple[Body, ...]
    base_shapes: tuple[RoundBody, ...]
    links: tuple[SceneLink, ...]
    notes: tuple[str, ...]


def scene_robot(job: Job) -> SceneRobot:
    """The robot of a job with its probe."""
    of_probe = {*STYLUS, *(body.name for body in job.probe.bodies)}
    return mechanism_bodies(job.mechanism, of_probe, job.robot.drawn_links)


def mechanism_bodies(
    mechanism: Mechanism, of_probe: Set[str] = frozenset(), drawn: Sequence[DrawnLink] = ()
) -> SceneRobot:
    """Bodies of a mechanism: meshes where there are some, else capsules, else sticks.

    Args:
        mechanism: with or without a probe.
        of_probe: names of the probe's capsules.
        drawn: meshes of its links.
    """
    known = bool(drawn) or any(capsule.name not in of_probe for capsule in mechanism.capsules)
    capsules = mechanism.capsules if known else (*mechanism.capsules, *_sticks(mechanism))
    meshes = _link_meshes(drawn)
    meshed = {link.joint for link in drawn}
    every = range(BASE, len(mechanism.joints))
    bodies: dict[int, list[Body]] = {joint: [] for joint in every}
    shapes: dict[int, list[RoundBody]] = {joint: [] for joint in every}
    for link, mesh in zip(drawn, meshes.bodies, strict=True):
        bodies[link.joint].append(mesh)
    thicker = 0
    for one in capsules:
        body = _body(one, of_probe)
        thicker += body.radius > one.radius
        if one.joint in meshed and one.name not in of_probe:
            shapes[one.joint].append(replace(body, paint=model.SHAPE))
        else:
            bodies[one.joint].append(body)
    return SceneRobot(
        base=tuple(bodies[BASE]),
        base_shapes=tuple(shapes[BASE]),
        links=_links(mechanism, bodies, shapes),
        notes=(*_notes(thicker, known=known), *meshes.notes),
    )


def _links(
    mechanism: Mechanism,
    bodies: Mapping[int, Sequence[Body]],
    shapes: Mapping[int, Sequence[RoundBody]],
) -> tuple[SceneLink, ...]:
    variables = np.cumsum([joint.movable for joint in mechanism.joints]) - 1
    return tuple(
        SceneLink(
            name=joint.name,
            parent=joint.parent,
            kind=joint.kind,
            variable=int(variable) if joint.movable else -1,
            placement=joint.placement,
            bodies=tuple(bodies[index]),
            shapes=tuple(shapes[index]),
        )
        for index, (joint, variable) in enumerate(zip(mechanism.joints, variables, strict=True))
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _LinkMeshes:
    """Meshes of links made light enough to be drawn, and what was simplified."""

    bodies: tuple[MeshBody, ...]
    notes: tuple[str, ...]


def _link_meshes(drawn: Sequence[DrawnLink]) -> _LinkMeshes:
    counts = [len(link.faces) for link in drawn]
    shares = fair_shares(counts, LINK_TRIANGLES)
    light = [
        decimated(link.vertices, link.faces, share)
        for link, share in zip(drawn, shares, strict=True)
    ]
    bodies = tuple(
        MeshBody(
            name=link.link,
            shape=creased(mesh.vertices, mesh.faces),
            paint=_link_paint(link.joint),
        )
        for link, mesh in zip(drawn, light, strict=True)
    )
    notes = []
    if drawn:
        notes.append(
            "Links are drawn by the meshes of the robot's file. Contact is checked with the shapes "
            "about them, which can be shown as well."
        )
    moved = max((mesh.moved for mesh in light), default=0.0)
    if moved > 0.0:
        notes.append(
            f"The links are drawn with {sum(len(mesh.faces) for mesh in light):,} of "
            f"{sum(counts):,} triangles; no corner of them is moved by more than "
            f"{1e3 * moved:.2g} mm."
        )
    return _LinkMeshes(bodies=bodies, notes=tuple(notes))


def _body(capsule: Capsule, of_probe: Set[str]) -> RoundBody:
    ball = capsule.name == BALL
    return RoundBody(
        name=capsule.name,
        start=capsule.start,
        end=capsule.end,
        radius=max(capsule.radius, LEAST_BALL if ball else LEAST_RADIUS),
        paint=_paint(capsule, of_probe),
        corners=capsule.corners,
    )


def _paint(capsule: Capsule, of_probe: Set[str]) -> model.Paint:
    if capsule.name == BALL:
        return model.BALL
    if capsule.name in of_probe:
        return model.STYLUS
    return _link_paint(capsule.joint)


def _link_paint(joint: int) -> model.Paint:
    return model.BASE_COLOUR if joint == BASE else model.LINKS[joint % len(model.LINKS)]


def _sticks(mechanism: Mechanism) -> tuple[Capsule, ...]:
    """One capsule from every joint's origin to each joint that it carries, and to the ball."""
    ends = [(joint.parent, joint.name, joint.placement[:3, 3]) for joint in mechanism.joints]
    ends.append((mechanism.tool_joint, "tool", mechanism.tool[:3, 3]))
    lengths = [float(np.linalg.norm(end)) for _, _, end in ends]
    radius = max(_SLENDER * max(lengths), LEAST_RADIUS)
    return tuple(
        Capsule(name=f"to {name}", joint=carrier, start=np.zeros(3), end=end, radius=radius)
        for (carrier, name, end), length in zip(ends, lengths, strict=True)
        if length > _SHORT
    )


def _notes(thicker: int, *, known: bool) -> list[str]:
    notes = []
    if not known:
        notes.append(
            "The robot's file gives its links no shape: they are drawn as sticks between joints."
        )
    if thicker:
        one = thicker == 1
        notes.append(
            f"{thicker} {'body' if one else 'bodies'} of the probe or the robot would be too thin "
            f"to be seen; {'it is' if one else 'they are'} drawn thicker."
        )
    return notes


def robot_extent(robot: SceneRobot, transforms: Array) -> Array:
    """Corners of boxes that hold all bodies in the base frame.

    Args:
        robot: its bodies.
        transforms: of its links in some postures. # (k, links, 4, 4)

    Returns:
        # (m, 3) [m]
    """
    places = [_corners(body) for body in (*robot.base, *robot.base_shapes)]
    for index, link in enumerate(robot.links):
        for body in (*link.bodies, *link.shapes):
            corners = _corners(body)
            places += [transform_points(T, corners) for T in transforms[:, index]]
    return np.concatenate(places) if places else np.zeros((0, 3))


def _corners(body: Body) -> Array:
    """Corners of a body's box. # (8, 3)."""
    if isinstance(body, RoundBody):
        ends, thick = np.vstack([body.start, body.end, body.corners]), body.radius
    else:
        ends, thick = body.shape.vertices, 0.0
    sides = np.stack([ends.min(axis=0) - thick, ends.max(axis=0) + thick])
    return np.stack(np.meshgrid(*sides.T), axis=-1).reshape(-1, 3)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PlacedShape:
    """A shape and where it stands. Args: wxyz: # (4,); position: # (3,) [m]."""

    shape: DrawnShape
    wxyz: Array
    position: Array


def placed_shape(body: Body, swell: float = 1.0) -> PlacedShape:
    """A body as it is drawn: a round one along z from the origin, then laid along its axis.

    Args:
        body: of a link or the base.
        swell: what the radius of a round one is multiplied by.
    """
    if isinstance(body, MeshBody):
        return PlacedShape(shape=body.shape, wxyz=np.eye(4)[0], position=np.zeros(3))
    if len(body.corners):  # a convex piece, about the body's start as it lies
        piece = _faceted(body.corners - body.start, swell)
        return PlacedShape(shape=piece, wxyz=np.eye(4)[0], position=body.start)
    axis = body.end - body.start
    length = float(np.linalg.norm(axis))
    along = axis / length if length > 0.0 else np.array([0.0, 0.0, 1.0])
    return PlacedShape(
        shape=capsule(length, swell * body.radius),
        wxyz=model.from_z(along[None])[0],
        position=body.start,
    )


def _faceted(corners: Array, swell: float) -> DrawnShape:
    """The convex hull of some corners, with flat sides."""
    from scipy.spatial import ConvexHull

    hull = ConvexHull(corners)
    middle = corners[hull.vertices].mean(axis=0)
    sides = middle + swell * (corners[hull.simplices] - middle)
    out = hull.equations[:, :3]
    across = np.cross(sides[:, 1] - sides[:, 0], sides[:, 2] - sides[:, 0])
    turned = np.einsum("ij,ij->i", across, out) < 0.0
    sides[turned] = sides[turned][:, ::-1]
    return DrawnShape(
        vertices=sides.reshape(-1, 3),
        faces=np.arange(3 * len(sides)).reshape(-1, 3),
        normals=np.repeat(out, 3, axis=0),
    )


def capsule(length: float, radius: float) -> DrawnShape:
    """A capsule whose axis runs from the origin along z; a ball for length 0. [m]."""
    return _revolved(length, radius, _AROUND, _RINGS)


def reached_mark(size: float) -> DrawnShape:
    """A ball with a thin stem along z: a point that is reached. Args: size, its radius. [m]."""
    ball = _revolved(0.0, size, _MARK_AROUND, _MARK_RINGS)
    return _joined(ball, _stem(size))


def failed_mark(size: float) -> DrawnShape:
    """Three crossed bars with a thin stem along z: a point that is not reached."""
    thin, far = 0.42 * size, _ARM_LENGTH * size
    # Turned, so that from every side at least one pair of bars is seen as a cross.
    arms = [_box(np.where(np.arange(3) == axis, far, thin)) for axis in range(3)]
    return _joined(*(_tilted(arm) for arm in arms), _stem(size))


def _stem(size: float) -> DrawnShape:
    half = _STEM_LENGTH * size / 2.0
    box = _box(np.array([_STEM * size, _STEM * size, half]))
    return DrawnShape(
        vertices=box.vertices + np.array([0.0, 0.0, half]), faces=box.faces, normals=box.normals
    )


def _revolved(length: float, radius: float, around: int, rings: int) -> DrawnShape:
    """Two half balls; the skin between their rims is the cylinder."""
    quarter = np.linspace(0.0, np.pi / 2.0, rings + 1)[1:]
    latitude = (
        np.concatenate([-quarter[:-1][::-1], [0.0]])
        if length == 0.0
        else np.concatenate([-quarter[:-1][::-1], [0.0, 0.0]])
    )
    latitude = np.concatenate([latitude, quarter[:-1]])
    raised = np.arange(latitude.size) >= latitude.size // 2
    angle = 2.0 * np.pi * np.arange(around) / around
    out = np.stack([np.cos(angle), np.sin(angle)], axis=-1)
    flat = np.cos(latitude)[:, None, None] * out
    high = np.broadcast_to(np.sin(latitude)[:, None, None], (latitude.size, around, 1))
    skin = np.concatenate([flat, high], axis=-1).reshape(-1, 3)
    normals = np.concatenate([[[0.0, 0.0, -1.0]], skin, [[0.0, 0.0, 1.0]]])
    lift = np.concatenate([[0.0], np.repeat(raised, around), [1.0]])
    vertices = radius * normals
    vertices[:, 2] += length * lift
    return DrawnShape(vertices=vertices, faces=_skin(latitude.size, around), normals=normals)


def _skin(rings: int, around: int) -> Indices:
    """Triangles between rings of vertices that lie between two poles."""
    here = np.arange(around)
    next_ = (here + 1) % around
    last = 1 + (rings - 1) * around
    faces = [np.stack([np.zeros_like(here), 1 + next_, 1 + here], axis=1)]
    for ring in range(rings - 1):
        low, high = 1 + ring * around, 1 + (ring + 1) * around
        faces.append(np.stack([low + here, low + next_, high + next_], axis=1))
        faces.append(np.stack([low + here, high + next_, high + here], axis=1))
    faces.append(np.stack([last + here, last + next_, np.full_like(here, last + around)], axis=1))
    return np.concatenate(faces)


def _box(half: Array) -> DrawnShape:
    """A box about the origin with flat sides. Args: half, of its edges. # (3,) [m]."""
    vertices, normals, faces = [], [], []
    for place, out in enumerate(_SIDES):
        side = np.roll(np.abs(out), 1)
        other = np.cross(out, side)
        square = [out - side - other, out + side - other, out + side + other, out - side + other]
        vertices += square
        normals += [out] * 4
        faces += [
            [4 * place, 4 * place + 1, 4 * place + 2],
            [4 * place, 4 * place + 2, 4 * place + 3],
        ]
    return DrawnShape(
        vertices=np.array(vertices) * half, faces=np.array(faces), normals=np.array(normals)
    )


def _tilted(shape: DrawnShape) -> DrawnShape:
    """Turned so that the corner of a cube points along z."""
    third, half, sixth = 1.0 / np.sqrt(3.0), 1.0 / np.sqrt(2.0), 1.0 / np.sqrt(6.0)
    turn = np.array([[half, -half, 0.0], [sixth, sixth, -2.0 * sixth], [third, third, third]])
    return DrawnShape(
        vertices=shape.vertices @ turn.T, faces=shape.faces, normals=shape.normals @ turn.T
    )


def _joined(*shapes: DrawnShape) -> DrawnShape:
    starts = np.cumsum([0, *(len(shape.vertices) for shape in shapes)])
    return DrawnShape(
        vertices=np.concatenate([shape.vertices for shape in shapes]),
        faces=np.concatenate([s.faces + start for s, start in zip(shapes, starts, strict=False)]),
        normals=np.concatenate([shape.normals for shape in shapes]),
    )
