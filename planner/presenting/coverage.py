"""Measurable points for many poses of the platform at once.

Joint limits, singularities and the ends of a line against obstacles are looked at; a plan of the
poses that are chosen has the last word.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from planner.clearance.checker import Checker
from planner.job import Job
from planner.job.elements import Presenter
from planner.job.part import examined
from planner.job.solids import Cell, Solid, SolidKind
from planner.part_pose.moved import moved, moved_points
from planner.part_pose.pose_space import PartClearance
from planner.part_pose.rating import AdmissibleLines, possible_ways, worst_margin
from planner.presenting.presentation import presenter_of
from planner.reach.closed_form import ArmReach
from planner.reach.margins import joint_units
from planner.reach.placement import place
from planner.reach.reach import Reach
from planner.reach.robot import reach_of
from robots.core.arrays import Array, Indices, Mask
from robots.core.pose import inverse_pose, make_pose, rotation_exp, transform_points
from robots.stewart.errors import PlatformError
from robots.stewart.limits import PoseLimits, pose_limits, violations
from robots.stewart.platform import Leg, Platform

_ROWS = 4096  # points judged at a time
_NUMERICAL = 0.05  # part of the poses that are tried where the inverse is a numerical search
PLATE = "hexapod platform"
_THINNEST = 1e-3  # of what has no radius [m]
_SIDES = 8  # of the prism about a leg


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PointCoverage:
    """Measurable points in poses of the platform.

    Args:
        margins: best worst margin of every point by its ways, the angle to the nearest joint limit
            or singularity; 0 where the point is not measurable. # (p, k) [rad]
        measurable: # (p, k)
    """

    margins: Array
    measurable: Mask


class Coverage:
    """Judges poses of one job's platform.

    Args:
        job: with a presenter.
    """

    def __init__(self, job: Job) -> None:
        self.job, self.presenter = job, presenter_of(job)
        self.reach: Reach = reach_of(job)
        self.placed = place(job)
        self._room = PartClearance(job)
        self._units = joint_units(job.mechanism)
        self._back = inverse_pose(job.part.T_base_part)
        still = tuple(s for s in job.cell.solids if s.kind is not SolidKind.PART)
        watched = bool(still) and bool(job.mechanism.capsules)
        self._obstacles = Checker(self.reach.model, Cell(solids=still)) if watched else None

    @property
    def effort(self) -> float:
        """How much a search may ask of it: 1 for a closed form, little for a numerical search."""
        return 1.0 if isinstance(self.reach, ArmReach) else _NUMERICAL

    def __call__(self, poses: Array) -> PointCoverage:
        """Judge poses T_hexapod_platform. # (p, 4, 4)."""
        size = max(1, _ROWS // len(self.placed))
        parts = [self._block(poses[k : k + size]) for k in range(0, len(poses), size)]
        margins = np.concatenate([np.zeros((0, len(self.placed))), *parts])
        return PointCoverage(margins=margins, measurable=margins > 0.0)

    def _block(self, poses: Array) -> Array:
        parts = self.presenter.T_base_part(poses)
        placed = moved_points(self.placed, parts @ self._back)
        found = self._clear(possible_ways(self.reach, placed, self.job.checks.joint_margin))
        best = np.zeros(len(placed))
        if found.point.size:
            joint = np.min(found.margins.limit / self._units, axis=1)
            worth = worst_margin(joint, found.margins.singularity)
            np.maximum.at(best, found.point, worth)
        return np.where(self._room.free(parts)[:, None], best.reshape(len(poses), -1), 0.0)

    def _clear(self, found: AdmissibleLines) -> AdmissibleLines:
        """Ways that keep clear of obstacles at both ends of the line."""
        if self._obstacles is None or not found.point.size:
            return found
        ends = found.lines.joints(np.arange(found.point.size), np.ones(found.point.size))
        required, check = self.job.checks.clearance, self._obstacles.collides
        clear = ~(check(found.lines.q_starts, required) | check(ends, required))
        return found.take(np.nonzero(clear)[0])


# --- Candidates ----------------------------------------------------------------------------------
# Every pose that is returned keeps the platform's strokes, cones, clearances and singularities.

_STEPS = 256  # along each axis, in search of the end of the workspace
_WIDEST = 2.0  # times the width of the base: no workspace is wider about home
_MOST_TURN = np.pi / 2
_DRAWN = 16  # times as many as are wanted: the box is larger than the workspace
_PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71)
_AIMS = (1.0, 0.75, 0.5, 0.25)  # parts of the largest tilt
_SHIFTS = 12  # translations tried with each tilt
_SPARE = 1e-3  # of the least margin, relative to home: a pose is not taken on the very limit


class PoseSource:
    """Draws poses of a platform.

    Args:
        platform: its geometry and limits.
        seed: of what is drawn.

    Raises:
        PlatformError: its home pose breaks one of its own limits.
    """

    def __init__(self, platform: Platform, seed: int) -> None:
        self.platform, self._seed = platform, seed
        self._limits: PoseLimits = pose_limits(platform)
        broken = violations(platform, platform.home)
        if broken:
            raise PlatformError(
                f"Platform {platform.name!r}: its home pose breaks a limit: {broken[0].sentence} "
                "Correct the home pose or the limit in the platform file.",
                platform=platform.name,
            )
        home = np.minimum(self._limits.margins(platform.home), 1.0)
        self._floor = _SPARE * np.maximum(home, 0.0)
        self._spans = self._box()

    def allowed(self, poses: Array) -> Array:
        """Those of some poses that keep every limit. # (p, 4, 4) -> (q, 4, 4)."""
        inside = np.all(self._limits.margins(poses) >= self._floor, axis=-1)
        return np.asarray(poses[inside])

    def home(self) -> Array:
        """The home pose. # (1, 4, 4)."""
        return self.platform.home[None]

    def spread(self, count: int) -> Array:
        """Poses over the workspace about home, by a Halton sequence. # (at most count, 4, 4)."""
        low, high = self._spans
        units = halton(_DRAWN * count, 6, self._seed)
        return self.allowed(self._moved(low + units * (high - low)))[:count]

    def aimed(self, normals: Array, towards: Array) -> Array:
        """Poses tilted so that normals turn towards a direction, as far as the limits let them.

        Args:
            normals: at home, hexapod frame. # (k, 3) unit
            towards: hexapod frame. # (3,) unit
        """
        axes = np.cross(normals, towards)
        sizes = np.linalg.norm(axes, axis=1)
        low, high = self._spans
        shifts = low[:3] + halton(_SHIFTS, 3, self._seed) * (high - low)[:3]
        shifts = np.concatenate([np.zeros((1, 3)), 0.5 * shifts])
        moves: list[Array] = []
        for axis in axes[sizes > 1e-6] / sizes[sizes > 1e-6, None]:
            reach = _farthest(self._inside, np.concatenate([np.zeros(3), axis]), _MOST_TURN)
            for part in _AIMS:
                turn = np.tile(part * reach * axis, (len(shifts), 1))
                moves.append(np.concatenate([shifts, turn], axis=1))
        return self.allowed(self._moved(np.concatenate([np.zeros((0, 6)), *moves])))

    def _box(self) -> tuple[Array, Array]:
        """Least and greatest moves along and about each axis alone that keep the limits. # (6,)."""
        size = float(np.max(np.ptp(self.platform.base_points, axis=0)))
        most = np.array([_WIDEST * size] * 3 + [_MOST_TURN] * 3)
        axes = np.eye(6)
        low = [-_farthest(self._inside, -axes[k], most[k]) for k in range(6)]
        high = [_farthest(self._inside, axes[k], most[k]) for k in range(6)]
        return np.array(low), np.array(high)

    def _inside(self, moves: Array) -> Mask:
        margins = self._limits.margins(self._moved(moves))
        return np.asarray(np.all(margins >= self._floor, axis=-1))

    def _moved(self, moves: Array) -> Array:
        """Home, shifted and turned about its own origin, hexapod axes. # (m, 6) -> (m, 4, 4)."""
        home = self.platform.home
        R = rotation_exp(moves[:, 3:]) @ home[:3, :3]
        return np.asarray(make_pose(R, home[:3, 3] + moves[:, :3]))


def halton(count: int, dimensions: int, seed: int) -> Array:
    """A Halton sequence, shifted at random in the unit cube. # (count, dimensions <= 20)."""
    index = np.arange(1, count + 1)
    columns = [_radical_inverse(index, base) for base in _PRIMES[:dimensions]]
    shift = np.random.default_rng(seed).random(dimensions)
    return np.asarray((np.stack(columns, axis=1) + shift) % 1.0)


def _radical_inverse(index: Indices, base: int) -> Array:
    """Digits of whole numbers mirrored about the point. # (m,) -> (m,)."""
    left, place, total = index.copy(), 1.0, np.zeros(index.size)
    while np.any(left):
        place /= base
        total += place * (left % base)
        left //= base
    return total


def _farthest(inside: Callable[[Array], Mask], direction: Array, most: float) -> float:
    """How far home may go along a move before a limit is met, to a step."""
    sizes = np.linspace(0.0, most, _STEPS + 1)
    good = inside(sizes[:, None] * direction)
    stops = np.nonzero(~good)[0]
    return float(sizes[max(stops[0] - 1, 0)] if stops.size else most)


def posed(job: Job, T_hexapod_platform: Array) -> Job:
    """The job with the platform in a pose: an ordinary job, the hexapod among its obstacles.

    Args:
        job: with a presenter.
        T_hexapod_platform: the pose. # (4, 4)
    """
    presenter = presenter_of(job)
    there = moved(job, presenter.T_base_part(T_hexapod_platform))
    solids = (*there.cell.solids, *hexapod_solids(presenter, T_hexapod_platform))
    return replace(there, cell=Cell(solids=solids), presenter=None, point_source=None)


def only(job: Job, points: Indices) -> Job:
    """The job with some of its points; lists that are visited in one order keep it.

    Args:
        job: whose points are in the part's frame.
        points: indices, rising. # (k,)
    """
    some = job.points.take(points)
    lists = (tuple(n for n in names if n in some.names) for names in job.travel.locked)
    locked = tuple(names for names in lists if len(names) > 1)
    return replace(
        job,
        points=some,
        travel=replace(job.travel, locked=locked),
        surface=examined(job.geometry, some, job.part, job.frame),
    )


def hexapod_solids(presenter: Presenter, T_hexapod_platform: Array) -> tuple[Solid, ...]:
    """Legs and plate of the platform as obstacles, base frame of the robot.

    The plate is the hull of the platform's joints, as thick as a leg, below them; a leg is a prism
    about its capsule, without the rounded ends.
    """
    platform, T_base = presenter.platform, presenter.T_base_hexapod
    thick = 2.0 * max(*(leg.radius for leg in platform.legs), _THINNEST)
    points = platform.platform_points
    plate = np.concatenate([points, points - [0.0, 0.0, thick]])
    solids = [_solid(PLATE, transform_points(T_base @ T_hexapod_platform, plate))]
    for leg in platform.legs:
        end = transform_points(T_hexapod_platform, leg.platform[None])[0]
        ring = np.concatenate(list(_rings(leg, end)))
        solids.append(_solid(f"hexapod leg {leg.name}", transform_points(T_base, ring)))
    return tuple(solids)


def _rings(leg: Leg, end: Array) -> Iterator[Array]:
    """Corners about both ends of a leg; the prism holds the cylinder. # (sides, 3) [m]."""
    along = (end - leg.base) / np.linalg.norm(end - leg.base)
    side = np.cross(along, np.eye(3)[np.argmin(np.abs(along))])
    side /= np.linalg.norm(side)
    angles = 2.0 * np.pi * np.arange(_SIDES) / _SIDES
    radius = max(leg.radius, _THINNEST) / np.cos(np.pi / _SIDES)
    round_ = np.cos(angles)[:, None] * side + np.sin(angles)[:, None] * np.cross(along, side)
    yield leg.base + radius * round_
    yield end + radius * round_


def _solid(name: str, points: Array) -> Solid:
    """The convex hull of points as an obstacle."""
    from scipy.spatial import ConvexHull

    from parts.geometry import TriangleMesh

    hull = ConvexHull(points)
    faces = np.array(hull.simplices, dtype=np.int64)
    corners = points[faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    inward = np.sum(normals * hull.equations[:, :3], axis=1) < 0.0
    faces[inward] = faces[inward][:, ::-1]
    used, compact = np.unique(faces, return_inverse=True)
    mesh = TriangleMesh(vertices=points[used], faces=compact.reshape(faces.shape))
    return Solid(name=name, kind=SolidKind.OBSTACLE, mesh=mesh, closed=True)


def carried_points(job: Job) -> Array:
    """Vertices of the part's skin on the platform; its points where there is no geometry.

    Returns:
        Platform frame. # (v, 3) [m]
    """
    T = presenter_of(job).T_platform_part
    given = job.points.positions if job.geometry is None else job.geometry.mesh.vertices
    return transform_points(T, given)
