"""Scene: what is seen of a plan, and how it moves, without a file format.

Base frame, z up, metres and radians. Names are as the job has them: untrusted, to be shown through
``reports.visible_text`` only.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from planner.job.solids import SolidKind
from robots.core.arrays import Array, Indices, Mask
from robots.core.mechanism import BASE, JointKind

Rgb = tuple[int, int, int]  # sRGB, 0 to 255


@dataclass(frozen=True, slots=True, kw_only=True)
class Paint:
    """Appearance of a surface.

    Args:
        colour: sRGB.
        opacity: 1 for a solid one.
        name: what wears it.
    """

    colour: Rgb
    name: str
    opacity: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RoundBody:
    """A capsule, a ball where both ends are one, or the convex piece in it.

    Args:
        name: of the capsule.
        start: one end of the axis, in the frame of the link. # (3,) [m]
        end: the other one. # (3,) [m]
        radius: as it is drawn. [m]
        paint: how it looks.
        corners: of the convex piece that is drawn instead; none where there is no piece.
            # (k, 3) [m]
    """

    name: str
    start: Array
    end: Array
    radius: float
    paint: Paint
    corners: Array = field(default_factory=lambda: np.zeros((0, 3)))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DrawnShape:
    """Triangles with normals.

    Args:
        vertices: # (v, 3) [m]
        faces: counter-clockwise from outside. # (f, 3)
        normals: # (v, 3) unit
    """

    vertices: Array
    faces: Indices
    normals: Array


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MeshBody:
    """A body of any form.

    Args:
        name: of the link; untrusted.
        shape: in the frame of what carries it.
        paint: how it looks.
    """

    name: str
    shape: DrawnShape
    paint: Paint


Body = RoundBody | MeshBody


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SceneLink:
    """A joint with what it carries; its pose in its parent follows from its own variable.

    Args:
        name: of the joint.
        parent: index of the link that carries it, ``BASE`` for the base.
        kind: how it moves along its z axis.
        variable: its place in q; -1 where it is fixed.
        placement: in the parent at q = 0. # (4, 4)
        bodies: that it carries.
        shapes: what stands for them when contact is checked, where that is something else: a page
            shows it on request.
    """

    name: str
    parent: int
    kind: JointKind
    variable: int
    placement: Array
    bodies: tuple[Body, ...]
    shapes: tuple[RoundBody, ...] = ()

    def rotations(self, q: Array) -> Array:
        """Quaternions in the parent, w first. # (k, n) [rad or m] -> (k, 4)."""
        fixed = of_rotation(self.placement[:3, :3])
        if self.kind is not JointKind.REVOLUTE:
            return np.broadcast_to(fixed, (len(q), 4))
        return product(fixed, about_z(q[:, self.variable]))

    def translations(self, q: Array) -> Array:
        """Origins in the parent. # (k, n) -> (k, 3) [m]."""
        origin = self.placement[:3, 3]
        if self.kind is not JointKind.PRISMATIC:
            return np.broadcast_to(origin, (len(q), 3))
        return np.asarray(origin + q[:, self.variable, None] * self.placement[:3, 2])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SceneSolid:
    """The part, an obstacle or a keep-out volume, fit to be drawn.

    Args:
        name: of the solid.
        kind: what it is to the robot.
        closed: whether its skin has an inside.
        vertices: split where the skin has an edge. # (v, 3) [m]
        faces: counter-clockwise from outside. # (f, 3)
        normals: smooth within a face of the solid. # (v, 3) unit
        triangles: how many the geometry has; more than ``faces`` where it was made coarser.
        moved: how far a corner was moved for that. [m]
    """

    name: str
    kind: SolidKind
    closed: bool
    vertices: Array
    faces: Indices
    normals: Array
    triangles: int
    moved: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ScenePoints:
    """Probe points on the surface.

    Args:
        names: of the points; untrusted.
        positions: # (k, 3) [m]
        normals: out of the material. # (k, 3) unit
        reached: whether each is part of the motion. # (k,)
        size: radius of the mark at a point. [m]
    """

    names: tuple[str, ...]
    positions: Array
    normals: Array
    reached: Mask
    size: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SceneMotion:
    """Joints at instants between which they go evenly.

    Args:
        t: rising, from 0 to the end of the motion. # (k,) [s]
        q: # (k, n) [rad or m]
        borders: instants where a segment begins or ends. # (b,) [s]
        deviation: largest distance that was seen between the ball so moved and the true one. [m]
        turn: largest deviation of a revolute joint that was seen. [rad]
    """

    t: Array
    q: Array
    borders: Array
    deviation: float
    turn: float

    @property
    def duration(self) -> float:
        """When it ends. [s]."""
        return float(self.t[-1])

    def at(self, t: Array) -> Array:
        """Joints at any instants. # (m,) [s] -> (m, n)."""
        return np.stack([np.interp(t, self.t, column) for column in self.q.T], axis=1)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SceneGuides:
    """What a page that moves the robot draws beside its bodies, and may hide.

    Args:
        names: of the joints, short, in the order of q.
        size: length of the arrows of a frame; a joint's axis goes twice as far to both sides. [m]
        tool: T_link_tool. # (4, 4)
        tool_link: index of the link that carries the tool.
        reach: positions of the tool on the border of its workspace. # (k, 3) [m]
        reach_size: of such a point, as it is drawn. [m]
    """

    names: tuple[str, ...]
    size: float
    tool: Array
    tool_link: int
    reach: Array
    reach_size: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Scene:
    """All of it.

    Args:
        title: name of the job; untrusted.
        base: bodies that stand still with the robot's base.
        links: parents before children.
        rest: joints that are shown where there is no motion. # (n,)
        solids: part first.
        points: of the job.
        probing: ball's way along probing lines, as straight pieces. # (m, 2, 3) [m]
        travel: the same between them. # (m, 2, 3) [m]
        motion: of the robot; None where nothing is reached.
        bounds: least and greatest corner of everything, at any time. # (2, 3) [m]
        notes: what was simplified for drawing, one sentence each.
        guides: of a page that moves the robot; None for none.
        base_shapes: of the bodies of the base, as ``SceneLink.shapes``.
    """

    title: str
    base: tuple[Body, ...]
    links: tuple[SceneLink, ...]
    rest: Array
    solids: tuple[SceneSolid, ...]
    points: ScenePoints
    probing: Array
    travel: Array
    motion: SceneMotion | None
    bounds: Array
    notes: tuple[str, ...]
    guides: SceneGuides | None = None
    base_shapes: tuple[RoundBody, ...] = ()

    @property
    def first(self) -> Array:
        """Joints at the beginning. # (n,)."""
        return self.rest if self.motion is None else np.asarray(self.motion.q[0])

    def shown(self) -> tuple[bool, ...]:
        """Of every link: whether it, or a link that it carries, has a body or a guide."""
        shown = [bool(link.bodies or link.shapes) or self.guides is not None for link in self.links]
        for index in reversed(range(len(shown))):
            parent = self.links[index].parent
            if shown[index] and parent != BASE:
                shown[parent] = True
        return tuple(shown)


# ----------------------------------------------------------------------------------------- Palette
# They are a little darker than the originals: bright light falls on everything.

BASE_COLOUR = Paint(name="robot base", colour=(62, 71, 82))
LINKS = (
    Paint(name="robot link", colour=(214, 219, 226)),
    Paint(name="robot link, every other one", colour=(122, 138, 158)),
)
SHAPE = Paint(name="shape that is checked", colour=(225, 110, 30), opacity=0.4)
STYLUS = Paint(name="stylus", colour=(52, 58, 66))
BALL = Paint(name="stylus ball", colour=(190, 20, 70))
REACHED = Paint(name="point that is reached", colour=(0, 106, 70))
FAILED = Paint(name="point that is not reached", colour=(176, 36, 0))
PROBING = Paint(name="probing line", colour=(0, 114, 178))
TRAVEL = Paint(name="travel", colour=(214, 140, 0))
AXIS = Paint(name="joint axis", colour=(213, 94, 0))
REACH = Paint(name="border of the tool's workspace", colour=(0, 114, 178))
SOLIDS = {
    SolidKind.PART: Paint(name="part", colour=(84, 124, 164)),
    SolidKind.OBSTACLE: Paint(name="obstacle", colour=(150, 144, 134), opacity=0.55),
    SolidKind.KEEP_OUT: Paint(name="keep-out volume", colour=(204, 121, 167), opacity=0.25),
}


def linear(paint: Paint) -> list[float]:
    """The paint as glTF wants it: light, not signal. # RGBA, 0 to 1."""
    signal = [channel / 255.0 for channel in paint.colour]
    light = [s / 12.92 if s <= 0.04045 else ((s + 0.055) / 1.055) ** 2.4 for s in signal]
    return [*(round(channel, 6) for channel in light), paint.opacity]


def of_rotation(R: Array) -> Array:
    """The quaternion of a rotation matrix, w not negative. # (3, 3) -> (4,)."""
    from scipy.spatial.transform import Rotation

    return np.roll(Rotation.from_matrix(R).as_quat(canonical=True), 1)


def about_z(angles: Array) -> Array:
    """Turns about z; neighbours in angle are neighbours in sign. # (k,) [rad] -> (k, 4)."""
    zero = np.zeros_like(angles)
    return np.stack([np.cos(angles / 2.0), zero, zero, np.sin(angles / 2.0)], axis=-1)


def product(a: Array, b: Array) -> Array:
    """First b, then a. # (..., 4) each."""
    w, v = a[..., :1], a[..., 1:]
    u, s = b[..., :1], b[..., 1:]
    scalar = w * u - np.sum(v * s, axis=-1, keepdims=True)
    return np.concatenate([scalar, w * s + u * v + np.cross(v, s)], axis=-1)


def from_z(directions: Array) -> Array:
    """The shortest turn of z to each direction. # (k, 3) unit -> (k, 4)."""
    x, y, z = np.moveaxis(directions, -1, 0)
    found = np.stack([1.0 + z, -y, x, np.zeros_like(z)], axis=-1)
    found[z < -1.0 + 1e-12] = [0.0, 1.0, 0.0, 0.0]
    return np.asarray(found / np.linalg.norm(found, axis=-1, keepdims=True))


def link(
    name: str,
    parent: int,
    moved: tuple[JointKind, int],
    placement: Array,
    bodies: tuple[RoundBody, ...] = (),
) -> SceneLink:
    """A link; ``moved`` is the kind of its joint and the place of its variable."""
    kind, variable = moved
    return SceneLink(
        name=name, parent=parent, kind=kind, variable=variable, placement=placement, bodies=bodies
    )


def axis_frame(axis: int) -> Array:
    """The axes in another order, so that one of them is z. # (4, 4)."""
    frame = np.eye(4)
    frame[:3, :3] = np.roll(np.eye(3), 2 - axis, axis=1)
    return frame
