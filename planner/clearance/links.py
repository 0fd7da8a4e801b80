"""The moving robot as a checker sees it: where its bodies are, how far they may go."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from planner.clearance.convex import PLACE, new_simplex, piece_distance
from planner.clearance.segments import Vec, along, cross, dot, minus, segment_segment
from robots.core.arrays import Array, Indices
from robots.core.capsule import MOST_CORNERS
from robots.core.kernels.kernel import Kernel
from robots.core.kernels.loop import Loop
from robots.core.mechanism import JointKind, Mechanism
from robots.core.quantities import quantity

FIXED, REVOLUTE, PRISMATIC = 0, 1, 2  # kinds of joints in a table
SPREAD = "f8[2] f8[2]"
MEETING = 1e-12  # depth that is stated of two cores that meet; how deep they do is not told [m]
_KINDS = {
    JointKind.FIXED: FIXED,
    JointKind.REVOLUTE: REVOLUTE,
    JointKind.PRISMATIC: PRISMATIC,
}


def place_axes(transforms: Any, carriers: Any, ends: Any, axes: Any) -> None:
    """Axes of capsules in the base frame.

    Args:
        transforms: of all links, each by rows. # (m, 16·links)
        carriers: link of each capsule, -1 for the base. # (c,)
        ends: start, and vector to the end, in the link's frame. # (c, 6) [m]
        axes: filled: the same in the base frame. # (m, c, 6) [m]
    """
    for row in range(len(axes)):
        for c in range(len(carriers)):
            for k in range(3):
                if carriers[c] < 0:
                    axes[row, c, k], axes[row, c, k + 3] = ends[c, k], ends[c, k + 3]
                    continue
                base = 16 * carriers[c] + 4 * k
                x, y = transforms[row, base], transforms[row, base + 1]
                z = transforms[row, base + 2]
                axes[row, c, k] = (
                    x * ends[c, 0] + y * ends[c, 1] + z * ends[c, 2] + transforms[row, base + 3]
                )
                axes[row, c, k + 3] = x * ends[c, 3] + y * ends[c, 4] + z * ends[c, 5]


_AXES = Loop(place_axes, "f8[2] i8[1] f8[2] f8[3]")


class Spread(NamedTuple):
    """How far joint variables go from some postures.

    They go to t·along with one t in [-1, 1], and each at most |t|·(most - |along|) beside it.

    Args:
        most: largest change of each variable. # (m, n) [rad or m]
        along: where they go together; zero where each goes its own way. # (m, n) [rad or m]
    """

    most: NDArray[np.float64]
    along: NDArray[np.float64]


def bound_motion(
    transforms: Any,
    axes: Any,
    joints: Any,
    carriers: Any,
    movers: Any,
    spread: Spread,
    motion: Any,
) -> None:
    """How far capsules go at most; see the module.

    Args:
        transforms: of all links, each by rows. # (m, 16·links)
        axes: of all capsules: start, vector to the end. # (m, c, 6) [m]
        joints: kind, variable and parent of each. # (links, 3)
        carriers: link of each capsule, -1 for the base. # (c,)
        movers: capsules, and for each the joint that counts no more. # (k, 2)
        spread: of the joints.
        motion: filled. # (m, k) [m]
    """
    for row in range(len(axes)):
        for k in range(len(movers)):
            capsule, last = movers[k, 0], movers[k, 1]
            x = axes[row, capsule]
            start = (x[0], x[1], x[2])
            end = (x[0] + x[3], x[1] + x[4], x[2] + x[5])
            path = (carriers[capsule], last)
            most = _point_motion(transforms, row, joints, path, spread, start)
            if x[3] != 0.0 or x[4] != 0.0 or x[5] != 0.0:
                most = max(most, _point_motion(transforms, row, joints, path, spread, end))
            motion[row, k] = most * ROUNDING


_MOTION = Loop(bound_motion, f"f8[2] f8[3] i8[2] i8[1] i8[2] ({SPREAD}) f8[2]")


class Bodies(NamedTuple):
    """The robot's bodies in some postures: what lies in a capsule and, if it has one, its piece.

    Args:
        axes: of all capsules: start, vector to the end. Base frame. # (m, c, 6) [m]
        radii: of all capsules. # (c,) [m]
        transforms: of all links, each by rows. # (m, 16·links)
        corners: of all pieces, in the frames of their links. # (k, 3) [m]
        table: of each capsule: its link, -1 for the base; where the corners of its piece begin, and
            how many there are. # (c, 3)
    """

    axes: NDArray[np.float64]
    radii: NDArray[np.float64]
    transforms: NDArray[np.float64]
    corners: NDArray[np.float64]
    table: NDArray[np.int64]


LINK, START, COUNT = 0, 1, 2  # columns of the table


class PieceWork(NamedTuple):
    """Work of one call.

    Args:
        placed: corners of two pieces in the base frame. # (2, MOST_CORNERS, 3) [m]
        simplex: of the distances, see ``planner.clearance.convex``. # (12, 4)
    """

    placed: NDArray[np.float64]
    simplex: NDArray[np.float64]


BODIES = "f8[3] f8[1] f8[2] f8[2] i8[2]"
PIECES = "f8[3] f8[2]"


def new_piece_work() -> PieceWork:
    """Work arrays of one call."""
    return PieceWork(placed=np.empty((2, MOST_CORNERS, 3)), simplex=new_simplex())


def self_collide(bodies: Bodies, pairs: Any, required: float, work: PieceWork, found: Any) -> None:
    """Mark the postures where two bodies come nearer than required.

    Args:
        bodies: of the robot.
        pairs: of capsules. # (p, 2)
        required: clearance. [m]
        work: of this call.
        found: filled with 1 where two are nearer. # (m,)
    """
    for row in range(len(found)):
        for k in range(len(pairs)):
            if found[row] == 0:
                gap, _ = _capsule_gap(bodies, row, pairs[k, 0], pairs[k, 1])
                if gap < required and _has_piece(bodies, pairs[k, 0], pairs[k, 1]):
                    lower, _ = _piece_gap(bodies, row, (pairs[k, 0], pairs[k, 1]), required, work)
                    gap = max(gap, lower)
                if gap < required:
                    found[row] = 1


_SELF_COLLIDE = Loop(self_collide, f"({BODIES}) i8[2] f8 ({PIECES}) u1[1]")


def self_nearest(
    bodies: Bodies, pairs: Any, first: int, work: PieceWork, value: Any, pair: Any, place: Any
) -> None:
    """The nearest approach of two bodies in every posture.

    Args:
        bodies: of the robot.
        pairs: of capsules. # (p, 2)
        first: number of the first pair among all pairs of the checker.
        work: of this call.
        value: filled: the nearest approach. # (m,) [m]
        pair: filled: which pair it is of. # (m,)
        place: filled: where on the axis of the first capsule, or in its piece. # (m, 3) [m]
    """
    for row in range(len(value)):
        value[row] = math.inf
        for k in range(len(pairs)):
            gap, share = _capsule_gap(bodies, row, pairs[k, 0], pairs[k, 1])
            if gap >= value[row]:
                continue
            axis = axis_of(bodies.axes, row, pairs[k, 0])
            x = along(axis[0], axis[1], share)
            if _has_piece(bodies, pairs[k, 0], pairs[k, 1]):
                both = (pairs[k, 0], pairs[k, 1])
                lower, _ = _piece_gap(bodies, row, both, value[row], work)
                if lower >= value[row]:
                    continue
                if lower > gap:
                    at = work.simplex[PLACE]
                    gap, x = lower, (at[0], at[1], at[2])
            value[row], pair[row] = gap, first + k
            place[row, 0], place[row, 1], place[row, 2] = x[0], x[1], x[2]


_SELF_NEAREST = Loop(self_nearest, f"({BODIES}) i8[2] i8 ({PIECES}) f8[1] i8[1] f8[2]")


def self_lower(
    bodies: Bodies,
    pairs: Any,
    shared: Any,
    joints: Any,
    between: Any,
    spread: Spread,
    floors: Any,
    work: PieceWork,
    bound: Any,
    pair: Any,
    here: Any,
) -> None:
    """What two bodies keep of each other while no joint leaves its spread.

    Args:
        bodies: of the robot.
        pairs: of capsules. # (p, 2)
        shared: the last joint that carries both of each pair, -1 for none. # (p,)
        joints: kind, variable and parent of each. # (links, 3)
        between: how far the capsules of each pair go against each other. # (m, p) [m]
        spread: of the joints.
        floors: what reaches them is not looked at closer. # (m,) [m]
        work: of this call.
        bound: filled: of the motion. # (m,) [m]
        pair: filled: which pair it is of, from 0. # (m,)
        here: filled: of this posture. # (m,) [m]
    """
    for row in range(len(bound)):
        bound[row] = here[row] = math.inf
        for k in range(len(pairs)):
            gap, _ = _capsule_gap(bodies, row, pairs[k, 0], pairs[k, 1])
            keeps = gap - between[row, k]
            if keeps < floors[row] and _has_piece(bodies, pairs[k, 0], pairs[k, 1]):
                both = (pairs[k, 0], pairs[k, 1])
                lower, _ = _piece_gap(bodies, row, both, math.inf, work)
                moved = _core_motion(bodies, row, both[0], joints, shared[k], spread, work, 0)
                moved += _core_motion(bodies, row, both[1], joints, shared[k], spread, work, 1)
                gap, keeps = max(gap, lower), max(keeps, lower - moved)
            here[row] = min(here[row], gap)
            if keeps < bound[row]:
                bound[row], pair[row] = keeps, k


_SELF_LOWER = Loop(
    self_lower,
    f"({BODIES}) i8[2] i8[1] i8[2] f8[2] ({SPREAD}) f8[1] ({PIECES}) f8[1] i8[1] f8[1]",
)


class Links:
    """Tables of a mechanism's bodies.

    Args:
        mechanism: with its capsules and self pairs.
    """

    def __init__(self, mechanism: Mechanism) -> None:
        self._transforms = Kernel(quantity("transforms").record(mechanism))
        capsules, joints = mechanism.capsules, mechanism.joints
        self.radii = np.array([c.radius for c in capsules])
        self.carriers = np.array([c.joint for c in capsules], dtype=np.int64)
        self.pairs = np.array(mechanism.self_pairs, dtype=np.int64).reshape(-1, 2)
        self._ends = np.array([[*c.start, *(c.end - c.start)] for c in capsules]).reshape(-1, 6)
        variables = np.cumsum([joint.movable for joint in joints]) - 1
        self.joints = np.array(
            [(_KINDS[j.kind], v, j.parent) for j, v in zip(joints, variables, strict=True)],
            dtype=np.int64,
        )
        sizes = [len(c.corners) for c in capsules]
        starts = np.cumsum([0, *sizes], dtype=np.int64)[:-1]
        self._table = np.stack([self.carriers, starts, np.array(sizes, dtype=np.int64)], axis=1)
        self._corners = np.concatenate([np.zeros((0, 3)), *(c.corners for c in capsules)])
        movers = [(c, -1) for c in range(len(capsules))]
        parents = [j.parent for j in joints]
        self._shared = np.array(
            [_shared(capsules[a].joint, capsules[b].joint, parents) for a, b in self.pairs],
            dtype=np.int64,
        )
        for (a, b), shared in zip(self.pairs.tolist(), self._shared.tolist(), strict=True):
            movers += [(a, shared), (b, shared)]
        self._movers = np.array(movers, dtype=np.int64).reshape(-1, 2)

    def transforms(self, q: Array) -> Array:
        """Poses of all links, each by rows. # (m, n) -> (m, 16·links)."""
        return self._transforms(q).reshape(len(q), -1)

    def axes(self, transforms: Array) -> Array:
        """Axes of all capsules: start, vector to the end. Base frame. # -> (m, c, 6) [m]."""
        axes = np.empty((len(transforms), len(self.radii), 6))
        _AXES(transforms, self.carriers, self._ends, axes)
        return axes

    def motion(self, transforms: Array, axes: Array, spread: Spread) -> tuple[Array, Array]:
        """How far capsules go against the base (m, c), and against each other (m, pairs). [m]."""
        motion = np.empty((len(axes), len(self._movers)))
        _MOTION(transforms, axes, self.joints, self.carriers, self._movers, spread, motion)
        count = len(self.radii)
        between = motion[:, count::2] + motion[:, count + 1 :: 2]
        return np.ascontiguousarray(motion[:, :count]), between

    def bodies(self, transforms: Array) -> Bodies:
        """All bodies in some postures. # (m, 16·links)."""
        return Bodies(
            axes=self.axes(transforms),
            radii=self.radii,
            transforms=transforms,
            corners=self._corners,
            table=self._table,
        )

    def collide(self, bodies: Bodies, required: float, found: NDArray[np.uint8]) -> None:
        """Mark postures where two bodies come nearer than required. # found (m,)."""
        _SELF_COLLIDE(bodies, self.pairs, required, new_piece_work(), found)

    def nearest(self, bodies: Bodies, first: int, found: tuple[Array, Indices, Array]) -> None:
        """Fill nearest approaches (m,) [m], their pairs from ``first`` on (m,), places (m, 3)."""
        _SELF_NEAREST(bodies, self.pairs, first, new_piece_work(), *found)

    def lower(
        self,
        bodies: Bodies,
        allowed: tuple[Array, Spread, Array],
        found: tuple[Array, Indices, Array],
    ) -> None:
        """Fill bounds of motions (m,) [m], their pairs from 0 on (m,), bounds of here (m,) [m].

        Args:
            bodies: in some postures.
            allowed: what ``motion`` gives between pairs (m, p), spread, floors (m,).
            found: see above.
        """
        tables = (self.pairs, self._shared, self.joints)
        _SELF_LOWER(bodies, *tables, *allowed, new_piece_work(), *found)


def _shared(a: int, b: int, parents: Sequence[int]) -> int:
    """The last joint that carries both of two links, -1 for none."""
    above = {a}
    while a >= 0:
        a = parents[a]
        above.add(a)
    while b not in above:
        b = parents[b]
    return b


# -------------------------------------------------------------------------------------- Link loops
# How far a capsule may move. Let every joint variable change by at most δ. Written with the screws
# of the joints at q, a point P of a link goes to e^{S1·δ1} … e^{Sk·δk} P, the joint next to the
# link first. A screw motion keeps distances: for the point P' where the other joints left P,
# |e^{S1·δ1} P' - P| ≤ |P' - P| + |e^{S1·δ1} P - P|, and so on outwards. So P goes no farther than
# the sum of what each joint alone would move it at q, an arc of the radius ρ_j, its distance from
# the axis: Σ |δ_j|·ρ_j, with ρ_j = 1 for a sliding joint. Nothing of second order is left out.
#
# Joints that go together mostly undo a part of each other's motion: a ball that follows a face goes
# a fifth of that sum. Where the change is t·a and a rest r with |r_j| ≤ |t|·(δ_j - |a_j|), P goes
# |J·a| and Σ (δ_j - |a_j|)·ρ_j, both of them times |t|, and by Taylor's theorem half of what the
# second derivatives allow on the way. That by variables i and j, of which i is nearer to the base,
# is the arm of j turned by i: nothing where i slides, else at most ρ_j as it is then, at most
# ρ_j + Σ δ_k·ρ_k of the joints k between j and P; and 1 for a j that slides. The lesser of the two
# bounds holds. Both are at most in proportion to t.
#
# A point of a capsule's axis goes no farther than the end that goes farther, since it divides the
# axis in a constant ratio. Between two links only the joints that do not carry both count: the
# others move both alike.

ROUNDING = 1.0 + 1e-12


def _point_motion(
    transforms: Any, row: int, joints: Any, path: tuple[int, int], spread: Spread, point: Vec
) -> float:
    joint = path[0]
    apart = 0.0  # Σ δ·ρ of the joints so far
    x = y = z = aside = 0.0  # J·a; Σ (δ - |a|)·ρ
    bend = arms = 0.0  # Σ δ_i·δ_j of the second derivatives; Σ δ_j of the arms that i would turn
    while joint != path[1] and joint >= 0:
        if joints[joint, 0] != FIXED:
            change, along = spread.most[row, joints[joint, 1]], spread.along[row, joints[joint, 1]]
            base = 16 * joint
            axis = (
                transforms[row, base + 2],
                transforms[row, base + 6],
                transforms[row, base + 10],
            )
            if joints[joint, 0] == REVOLUTE:
                origin = (
                    transforms[row, base + 3],
                    transforms[row, base + 7],
                    transforms[row, base + 11],
                )
                way = cross(axis, minus(point, origin))
                radius = math.sqrt(dot(way, way))
                arm = change * (radius + apart)
                bend += change * (arm + 2.0 * arms)
            else:
                way, radius, arm = axis, 1.0, change
            apart += change * radius
            aside += (change - abs(along)) * radius
            arms += arm
            x, y, z = x + along * way[0], y + along * way[1], z + along * way[2]
        joint = joints[joint, 2]
    together = math.sqrt(x * x + y * y + z * z) + aside + 0.5 * bend
    return min(apart, together + 1e-12 * apart)


def axis_of(axes: Any, row: int, capsule: int) -> tuple[Vec, Vec]:
    """Start of a capsule's axis, and the vector to its end."""
    return (
        (axes[row, capsule, 0], axes[row, capsule, 1], axes[row, capsule, 2]),
        (axes[row, capsule, 3], axes[row, capsule, 4], axes[row, capsule, 5]),
    )


def _capsule_gap(bodies: Bodies, row: int, a: int, b: int) -> tuple[float, float]:
    """Clearance of two capsules, and the share of the first one's axis where it is nearest."""
    one, other = axis_of(bodies.axes, row, a), axis_of(bodies.axes, row, b)
    square, share = segment_segment(one[0], one[1], other[0], other[1])
    return math.sqrt(square) - (bodies.radii[a] + bodies.radii[b]), share


def piece_count(bodies: Bodies, capsule: int) -> int:
    """Number of corners of a capsule's piece; zero for none."""
    return int(bodies.table[capsule, COUNT])


def _has_piece(bodies: Bodies, a: int, b: int) -> bool:
    return piece_count(bodies, a) + piece_count(bodies, b) > 0


def place_piece(bodies: Bodies, row: int, capsule: int, placed: Any) -> int:
    """Bring the corners of a capsule's piece into the base frame; their number."""
    start, count = bodies.table[capsule, START], piece_count(bodies, capsule)
    link = bodies.table[capsule, LINK]
    for i in range(count):
        x, y, z = (
            bodies.corners[start + i, 0],
            bodies.corners[start + i, 1],
            bodies.corners[start + i, 2],
        )
        if link < 0:
            placed[i, 0], placed[i, 1], placed[i, 2] = x, y, z
            continue
        for k in range(3):
            base = 16 * link + 4 * k
            placed[i, k] = (
                bodies.transforms[row, base] * x
                + bodies.transforms[row, base + 1] * y
                + bodies.transforms[row, base + 2] * z
                + bodies.transforms[row, base + 3]
            )
    return count


def piece_motion(
    bodies: Bodies,
    row: int,
    capsule: int,
    joints: Any,
    last: int,
    spread: Spread,
    placed: Any,
    count: int,
) -> float:
    """How far the corners of a piece go at most, and with them all of it; see below."""
    most = 0.0
    path = (bodies.table[capsule, LINK], last)
    for i in range(count):
        point = (placed[i, 0], placed[i, 1], placed[i, 2])
        moved = _point_motion(bodies.transforms, row, joints, path, spread, point)
        most = max(most, moved)
    return most * ROUNDING


# Two bodies are as far apart as their capsules are, and as their cores are: the core of a body is
# its piece or, where it has none, its capsule, a piece of two corners with a radius.


def _place_core(bodies: Bodies, row: int, capsule: int, placed: Any) -> int:
    count = place_piece(bodies, row, capsule, placed)
    if count == 0:
        axis = axis_of(bodies.axes, row, capsule)
        end = along(axis[0], axis[1], 1.0)
        for k in range(3):
            placed[0, k], placed[1, k] = axis[0][k], end[k]
        return 2
    return count


def _piece_gap(
    bodies: Bodies, row: int, pair: tuple[int, int], limit: float, work: PieceWork
) -> tuple[float, float]:
    """Bounds of the distance of two cores less radii, a hair below zero where pieces meet."""
    a, b = pair
    counts = (
        _place_core(bodies, row, a, work.placed[0]),
        _place_core(bodies, row, b, work.placed[1]),
    )
    radii = 0.0
    if piece_count(bodies, a) == 0:
        radii += bodies.radii[a]
    if piece_count(bodies, b) == 0:
        radii += bodies.radii[b]
    lower, upper = piece_distance(
        work.placed[0], counts[0], work.placed[1], counts[1], limit + radii, work.simplex
    )
    if upper <= 0.0:
        return -MEETING, -MEETING
    return lower - radii, upper - radii


def _core_motion(
    bodies: Bodies,
    row: int,
    capsule: int,
    joints: Any,
    last: int,
    spread: Spread,
    work: PieceWork,
    which: int,
) -> float:
    """How far the core of a body goes at most that has been placed."""
    count = piece_count(bodies, capsule)
    count = count if count > 0 else 2
    return piece_motion(bodies, row, capsule, joints, last, spread, work.placed[which], count)
