"""The changes that are searched: distance, tilt, part shift, stylus length."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property

import numpy as np

from planner.fixes.bench import PointCheck
from planner.job import Job
from planner.job.settings import Probe
from planner.job.solids import Cell
from planner.job.stylus import probe_capsules, with_probe
from planner.part_pose.moved import moved_points
from planner.part_pose.pose_space import PartClearance, directions_around, even_directions
from planner.plan import PlacedPoints
from planner.reach.lines import Lines
from planner.reach.placement import place
from planner.reach.reach import some_points
from robots.core.arrays import Array, Indices, Mask
from robots.core.mechanism import Body, Mechanism
from robots.core.model import Model
from robots.core.motion.joint_motion import PathState
from robots.core.pose import make_pose, transform_points

SHORTEST = 1e-3  # [m] distance, stylus: below it nothing is left
STEP = 1e-4  # [m] smallest change of a length that is worth writing
AT_ONCE = (7, 3)  # amounts between two that are judged at once, and how often
ONE_BY_ONE = (1, 6)  # where each takes a checker of its own
LEAST_TILT = np.radians(0.1)
LONGER = 0.2  # [m] beyond what the job has: as far as distances are tried
LONGEST_STYLUS = 0.3  # [m] likewise for styli: longer ones bend
LONGEST_SHIFT = 1.0  # [m]
_SPIRAL = 58  # directions of a shift beside the six axes
_AZIMUTHS = 24
_AROUND = 8


@dataclass(frozen=True, kw_only=True, eq=False)
class _Lengths:
    """Shorter or longer: a length of the job, changed either way.

    Args:
        bench: of the job.
        one: the point.
    """

    bench: PointCheck
    one: PlacedPoints

    rays = np.array([[-1.0], [1.0]])

    def around(self, ray: Array, angle: float) -> Array:
        """No other ways."""
        del angle
        return np.zeros((0, ray.size))


class Distances(_Lengths):
    """Another distance of the clearance point."""

    finer = AT_ONCE

    @property
    def steps(self) -> Array:
        """Rising. # (s,) [m]."""
        return np.geomspace(STEP, 2.0, self.bench.many(44))

    def longest(self, rays: Array) -> Array:
        """Down to the shortest, up to twice the job's or some more. # (m,) [m]."""
        distance = float(self.one.distances[0])
        up, down = max(distance, LONGER), distance - SHORTEST
        return np.where(rays[:, 0] > 0.0, up, down)

    def possible(self, rays: Array, amounts: Array) -> Mask:
        """By a quick look. # (m,)."""
        return self.bench.possible(self._rows(rays, amounts))

    def serves(self, rays: Array, amounts: Array) -> Mask:
        """Proven. # (m,)."""
        return self.bench.serves(self._rows(rays, amounts))

    def _rows(self, rays: Array, amounts: Array) -> PlacedPoints:
        return with_distances(self.one, self.one.distances[0] + rays[:, 0] * amounts)


class Styluses(_Lengths):
    """Another stylus length; every length is a robot of its own to the clearance check."""

    finer = ONE_BY_ONE
    steps = np.geomspace(2e-3, 0.6, 10)

    def longest(self, rays: Array) -> Array:
        """Down to the probe's other bodies, or a quarter. # (m,) [m]."""
        probe = self.bench.job.probe
        tips = [max(body.start[2], body.end[2]) + body.radius for body in probe.bodies]
        least = max([probe.stylus_length / 4.0, SHORTEST, *tips])
        down = probe.stylus_length - least
        return np.where(rays[:, 0] > 0.0, max(probe.stylus_length, LONGEST_STYLUS), down)

    def possible(self, rays: Array, amounts: Array) -> Mask:
        """By reach, limits and weight alone. # (m,)."""
        return self._bare.possible(drawn_back(self.one, rays[:, 0] * amounts))

    def serves(self, rays: Array, amounts: Array) -> Mask:
        """Proven, the smallest first until one serves; those beyond it are not judged. # (m,)."""
        served = np.zeros(amounts.size, dtype=bool)
        longer = rays[:, 0] * amounts
        usable = self._bare.usable(drawn_back(self.one, longer))
        found, rows = usable.found, usable.rows
        light = ~self._bare.heavy(found.lines, rows)
        for k in np.argsort(amounts, kind="stable").tolist():
            own = found.point[rows] == k
            if own.any() and light[own].all() and self._clear(found.lines, rows[own], longer[k]):
                served[k] = True
                break
        return served

    def _clear(self, lines: Lines, rows: Indices, longer: float) -> bool:
        """Whether one of some lines is clear with a stylus that is so much longer."""
        if self.bench.checker.empty:
            return True
        job = self.bench.job
        bench = self.bench.with_stylus(with_stylus_length(job, job.probe.stylus_length + longer))
        ball = LongerLines(lines=lines.take(rows), longer=longer)
        return bool(bench.clear(ball, self.one, np.zeros(rows.size, dtype=np.int64)).any())

    @cached_property
    def _bare(self) -> PointCheck:
        job = replace(self.bench.job, cell=Cell())
        bare = replace(job.mechanism, self_pairs=())
        return PointCheck(replace(job, mechanism=bare), self.bench.reach)


@dataclass(frozen=True, kw_only=True, eq=False)
class Tilts:
    """A probe axis that leans from where it is; a ray is the direction across that it leans to.

    Args:
        bench: of the job.
        one: the point.
        cone: half angle. [rad]
    """

    bench: PointCheck
    one: PlacedPoints
    cone: float

    finer = AT_ONCE

    @property
    def steps(self) -> Array:
        """Rising. # (s,) [rad]."""
        return np.geomspace(LEAST_TILT, np.pi / 2.0, self.bench.many(16))

    @property
    def rays(self) -> Array:
        """Evenly around the axis. # (r, 3)."""
        count = self.bench.many(_AZIMUTHS)
        return np.asarray(directions_around(-self.one.axes, np.pi / 2.0, count)[0])

    def longest(self, rays: Array) -> Array:
        """The cone. # (m,) [rad]."""
        return np.full(len(rays), self.cone)

    def possible(self, rays: Array, amounts: Array) -> Mask:
        """By a quick look. # (m,)."""
        rows = self._rows(rays, amounts)
        return self.bench.possible(rows) & self._outside(rows)

    def serves(self, rays: Array, amounts: Array) -> Mask:
        """Proven. # (m,)."""
        rows = self._rows(rays, amounts)
        return self.bench.serves(rows) & self._outside(rows)

    def around(self, ray: Array, angle: float) -> Array:
        """To either side. # (2, 3)."""
        across = np.cross(-self.one.axes[0], ray)
        sides = np.array([1.0, -1.0])[:, None]
        return np.asarray(np.cos(angle) * ray + np.sin(angle) * sides * across)

    def backs(self, rays: Array, amounts: Array) -> Array:
        """Directions from ball to wrist that lean. # (m, 3)."""
        c, s = np.cos(amounts)[:, None], np.sin(amounts)[:, None]
        return np.asarray(s * rays - c * self.one.axes)

    def _rows(self, rays: Array, amounts: Array) -> PlacedPoints:
        return with_backs(self.one, self.bench.job, self.backs(rays, amounts))

    def _outside(self, rows: PlacedPoints) -> Mask:
        """Whether approach and stylus stay on the surface's own side. # (m,)."""
        normal = self.one.normals[0]
        return np.asarray((rows.directions @ normal > 0.0) & (rows.axes @ normal < 0.0))


@dataclass(frozen=True, kw_only=True, eq=False)
class Shifts:
    """The part moved without turning. What the part itself stands in the way of comes later.

    Args:
        bench: of the job.
        one: the point.
    """

    bench: PointCheck
    one: PlacedPoints

    finer = AT_ONCE

    @property
    def steps(self) -> Array:
        """Rising. # (s,) [m]."""
        return np.geomspace(STEP, LONGEST_SHIFT, self.bench.many(20))

    @property
    def rays(self) -> Array:
        """Evenly over the sphere. # (r, 3)."""
        return even_directions(self.bench.many(_SPIRAL))

    def longest(self, rays: Array) -> Array:
        """As far as any. # (m,) [m]."""
        return np.full(len(rays), LONGEST_SHIFT)

    def possible(self, rays: Array, amounts: Array) -> Mask:
        """By a quick look. # (m,)."""
        room = self._roomy(rays, amounts)
        room[room] = self._without_part.possible(self._rows(rays[room], amounts[room]))
        return room

    def serves(self, rays: Array, amounts: Array) -> Mask:
        """Proven for all but the part. # (m,)."""
        room = self._roomy(rays, amounts)
        room[room] = self._without_part.serves(self._rows(rays[room], amounts[room]))
        return room

    def around(self, ray: Array, angle: float) -> Array:
        """On a cone. # (8, 3)."""
        return np.asarray(directions_around(ray[None], angle, self.bench.many(_AROUND))[0])

    def _rows(self, rays: Array, amounts: Array) -> PlacedPoints:
        return moved_points(self.one, make_pose(translation=_vectors(rays, amounts)))

    def _roomy(self, rays: Array, amounts: Array) -> Mask:
        """Where the part meets no obstacle. # (m,)."""
        if amounts.size == 0:
            return np.zeros(0, dtype=bool)
        moved = make_pose(translation=_vectors(rays, amounts))
        return self._room.free(moved @ self.bench.job.part.T_base_part)

    @cached_property
    def _room(self) -> PartClearance:
        return PartClearance(self.bench.job)

    @cached_property
    def _without_part(self) -> PointCheck:
        job = self.bench.job
        solids = tuple(solid for solid in job.cell.solids if solid is not job.cell.part)
        return PointCheck(replace(job, cell=Cell(solids=solids)), self.bench.reach)


def _vectors(rays: Array, amounts: Array) -> Array:
    return np.asarray(rays * amounts[:, None])


def row_of(job: Job, name: str) -> PlacedPoints:
    """One point of a job, placed."""
    return some_points(place(job), np.array([job.points.index(name)]))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LongerLines:
    """Lines of the ball of a longer stylus.

    Args:
        lines: of the tip of the stylus as it was.
        longer: by how much; negative for a shorter one. [m]
    """

    lines: Lines
    longer: float

    @property
    def model(self) -> Model:
        """Of the robot with the stylus as it was."""
        return self.lines.model

    @property
    def starts(self) -> Array:
        """Clearance points. # (k, 3) [m]."""
        return np.asarray(self.lines.starts + self.longer * self.lines.axes)

    @property
    def ends(self) -> Array:
        """Contacts or search ends. # (k, 3) [m]."""
        return np.asarray(self.lines.ends + self.longer * self.lines.axes)

    @property
    def axes(self) -> Array:
        """Stylus directions. # (k, 3)."""
        return self.lines.axes

    @property
    def q_starts(self) -> Array:
        """Joints at the clearance points. # (k, n) [rad]."""
        return self.lines.q_starts

    def __len__(self) -> int:
        """Number of lines."""
        return len(self.lines)

    def take(self, chosen: Indices) -> LongerLines:
        """Some of the lines, in the order given."""
        return LongerLines(lines=self.lines.take(chosen), longer=self.longer)

    def joints(self, index: Indices, lam: Array) -> Array:
        """Joints at λ. # (m, n) [rad]."""
        return self.lines.joints(index, lam)

    def path(self, index: Indices, lam: Array) -> PathState:
        """Joints and exact derivatives by λ. # (m, n) each."""
        return self.lines.path(index, lam)

    def singularity_margins(self, q: Array) -> Array:
        """Least distance of postures from a singularity, 0 to 1. # (m,)."""
        return self.lines.singularity_margins(q)

    def branch(self, row: int) -> str:
        """Name of the branch of a line."""
        return self.lines.branch(row)

    def inverse_branch(self, row: int) -> str:
        """Name that the robot's inverse gives it."""
        return self.lines.inverse_branch(row)


def with_stylus_length(job: Job, length: float) -> Job:
    """The job as it would be read with another ``stylus_length_mm``.

    A centre of mass in the middle of the stylus stays in its middle, any other one where it is.

    Args:
        job: as it was read.
        length: wrist centre to ball centre. [m]
    """
    probe, mechanism = job.probe, job.mechanism
    wrist = mechanism.tool @ make_pose(translation=[0.0, 0.0, -probe.stylus_length])
    middle = probe.com == probe.stylus_length / 2.0
    changed = replace(probe, stylus_length=length, com=length / 2.0 if middle else probe.com)
    bare = _without_probe(mechanism, wrist, probe)
    return replace(job, mechanism=with_probe(bare, wrist, changed), probe=changed)


def _without_probe(mechanism: Mechanism, wrist: Array, probe: Probe) -> Mechanism:
    """The mechanism before it was given its probe."""
    own = [capsule.name for capsule in probe_capsules(mechanism.tool_joint, wrist, probe)]
    known = len(mechanism.capsules)
    if [capsule.name for capsule in mechanism.capsules[-len(own) :]] == own:
        known -= len(own)
    pairs = tuple((a, b) for a, b in mechanism.self_pairs if max(a, b) < known)
    joints = list(mechanism.joints)
    place = mechanism.tool_joint
    center = transform_points(wrist, [0.0, 0.0, probe.com])
    joints[place] = replace(joints[place], body=_lighter(joints[place].body, probe.mass, center))
    return replace(
        mechanism,
        joints=tuple(joints),
        tool=wrist,
        capsules=mechanism.capsules[:known],
        self_pairs=pairs,
    )


def _lighter(body: Body, mass: float, center: Array) -> Body:
    """A body without a point mass that it carries."""
    if mass == 0.0:
        return body
    left = max(body.mass - mass, 0.0)
    com = (body.first_moment - mass * center) / left if left else np.zeros(3)
    tensor = mass * (np.dot(center, center) * np.eye(3) - np.outer(center, center))
    return Body(mass=left, com=com, inertia=body.inertia_at_origin - tensor, at="origin")


def repeated(one: PlacedPoints, count: int) -> PlacedPoints:
    """One point, so many times."""
    arrays = {f.name: np.repeat(getattr(one, f.name), count, axis=0) for f in fields(one)[1:]}
    return replace(one, names=one.names * count, **arrays)


def with_distances(one: PlacedPoints, distances: Array) -> PlacedPoints:
    """The point with other distances of its clearance point. # (m,) [m]."""
    rows = repeated(one, distances.size)
    clearances = rows.contacts + distances[:, None] * rows.directions
    return replace(
        rows,
        clearances=clearances,
        distances=distances,
        search_before=np.minimum(rows.search_before, 0.5 * distances),
        back_off=np.minimum(rows.back_off, distances),
    )


def with_normals(one: PlacedPoints, job: Job, normals: Array) -> PlacedPoints:
    """The point as it stands when its normal is written differently. # (m, 3) unit."""
    rows, radius = repeated(one, len(normals)), job.probe.ball_radius
    contacts, surfaces = rows.contacts, rows.surfaces
    if job.probe.compensated:
        contacts = surfaces + radius * normals
    else:
        surfaces = contacts - radius * normals
    directions = np.where(rows.along_normal[:, None], normals, rows.directions)
    return replace(
        rows,
        surfaces=surfaces,
        normals=normals,
        contacts=contacts,
        directions=directions,
        clearances=contacts + rows.distances[:, None] * directions,
        axes=np.where(rows.fixed_axis[:, None], rows.axes, -normals),
    )


def with_backs(one: PlacedPoints, job: Job, backs: Array) -> PlacedPoints:
    """The point with its stylus standing up along other directions, from ball to wrist.

    Where the stylus stands along the normal, the normal is written differently.

    Args:
        one: the point.
        job: for its probe and its approach.
        backs: # (m, 3) unit
    """
    if not one.fixed_axis[0]:
        return with_normals(one, job, backs)
    return replace(repeated(one, len(backs)), axes=-backs)


def drawn_back(one: PlacedPoints, lengths: Array) -> PlacedPoints:
    """The point moved away along the normal: what a longer stylus is to the joints. # (m,) [m].

    Contacts are then no longer where the ball is, so only reach and limits can be judged.
    """
    rows = repeated(one, lengths.size)
    back = lengths[:, None] * rows.axes
    return replace(rows, contacts=rows.contacts - back, clearances=rows.clearances - back)
