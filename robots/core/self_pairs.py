"""Default pairs of capsules checked for self-collision.

Neighbours overlap by nature: a pair is left out when its carriers are one rigid body, when one
joint alone stands between them, or when all joints between them turn about axes through one frame
origin, as in a spherical wrist; there capsules are too wide to tell contact from none, so that the
last rule holds only where neither has a convex piece. Two bodies may still overlap for good by how
they were drawn; a pair that touches in every one of a set of postures spread over the joint ranges
is left out as well, so a pair that touches whatever the posture is never watched.

Of a pair that is not watched it is said why, and whether that leaves anything open: capsules that
are proven apart in every posture within the joint ranges need no watching.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from itertools import combinations

import numpy as np

from robots.core.arrays import Array
from robots.core.capsule import Capsule
from robots.core.joint_samples import joint_ranges, joint_samples
from robots.core.mechanism import BASE, Joint, JointKind, Mechanism
from robots.core.pose import make_pose, rotation_z

_POSTURES = 64
_ROWS = 4096  # postures times pairs that are measured at once
# Frames nearer than this are one place; capsules nearer than this touch. [m]
_COINCIDENT = 1e-9


class PairReason(Enum):
    """Why a pair of capsules is not watched."""

    ONE_BODY = "on one rigid body"
    ONE_JOINT = "a single joint between them"
    ROUND = "drawn into each other, and round about the joints between them but one"
    NEVER_TOUCHING = "proven apart in every posture within the joint ranges"
    COMMON_POINT = "all joints between them turn about axes through one point"
    ALWAYS_TOUCHING = f"they touch in each of {_POSTURES} postures over the joint ranges"
    NOT_NAMED = "left out of the pairs that the robot's file names"

    @property
    def open(self) -> bool:
        """Whether contact of the two is neither ruled out nor left to the range of one joint."""
        return self in (
            PairReason.COMMON_POINT,
            PairReason.ALWAYS_TOUCHING,
            PairReason.NOT_NAMED,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class UnwatchedPair:
    """A pair of capsules whose contact no check would notice.

    Args:
        a: name of one.
        b: name of the other.
        reason: why it is not watched.
    """

    a: str
    b: str
    reason: PairReason


@lru_cache(maxsize=16)  # a verdict, a report and a page of one robot ask for the same
def unwatched_pairs(mechanism: Mechanism) -> tuple[UnwatchedPair, ...]:
    """Every pair of capsules that is not among the mechanism's ``self_pairs``, with the reason."""
    capsules = mechanism.capsules
    watched = {frozenset(pair) for pair in mechanism.self_pairs}
    left = [
        pair for pair in combinations(range(len(capsules)), 2) if frozenset(pair) not in watched
    ]
    if not left:
        return ()
    origins = _poses(mechanism, np.zeros((1, mechanism.dof)))[:, 0, :3, 3]
    reasons = [
        _kinship(mechanism, origins, capsules[a], capsules[b]) or PairReason.NOT_NAMED
        for a, b in left
    ]
    unsure = [pair for pair, reason in zip(left, reasons, strict=True) if reason.open]
    gaps = self_clearances(mechanism, unsure, joint_samples(mechanism, _POSTURES, slide=1.0))
    for pair, gap in zip(unsure, gaps.T, strict=True):
        place = left.index(pair)
        if gap.min() > _COINCIDENT:
            if _apart(mechanism, *pair):
                reasons[place] = PairReason.NEVER_TOUCHING
        elif reasons[place] is PairReason.COMMON_POINT:
            if np.ptp(gap) <= _COINCIDENT and _about_one_joint(mechanism, *pair):
                reasons[place] = PairReason.ROUND
        elif gap.max() <= _COINCIDENT:
            reasons[place] = PairReason.ALWAYS_TOUCHING
    return tuple(
        UnwatchedPair(a=capsules[a].name, b=capsules[b].name, reason=reason)
        for (a, b), reason in zip(left, reasons, strict=True)
    )


def default_self_pairs(mechanism: Mechanism) -> tuple[tuple[int, int], ...]:
    """Pairs of capsules, by index, that must not touch each other unless a file says otherwise.

    Args:
        mechanism: with its capsules; its own ``self_pairs`` are not looked at.
    """
    capsules = mechanism.capsules
    origins = _poses(mechanism, np.zeros((1, mechanism.dof)))[:, 0, :3, 3]
    apart = [
        (a, b)
        for a, b in combinations(range(len(capsules)), 2)
        if _kinship(mechanism, origins, capsules[a], capsules[b]) is None
    ]
    if not apart:
        return ()
    q = joint_samples(mechanism, _POSTURES, slide=1.0)
    free: set[tuple[int, int]] = set()
    for measured in (_capsule_clearances, self_clearances):  # pieces where capsules never part
        rest = [pair for pair in apart if pair not in free]
        gaps = measured(mechanism, rest, q).max(axis=0, initial=-np.inf)
        free |= {pair for pair, gap in zip(rest, gaps, strict=True) if gap > _COINCIDENT}
    return tuple(pair for pair in apart if pair in free)


def self_clearances(
    mechanism: Mechanism, pairs: Sequence[tuple[int, int]], q: Array, required: float = 0.0
) -> Array:
    """Distances between bodies, negative by how deep their capsules overlap.

    Where two capsules are nearer than required, their bodies are at least as far apart as a gap
    between their cores (the convex piece, or without one the capsule) says that was found.

    Args:
        mechanism: with its capsules.
        pairs: of capsules, by index.
        q: postures. # (m, n) [rad or m]
        required: distance that is asked for; how much more there is may not be told. [m]

    Returns:
        # (m, pairs) [m]
    """
    found = _capsule_clearances(mechanism, pairs, q)
    capsules = mechanism.capsules
    told = [k for k, pair in enumerate(pairs) if any(len(capsules[c].corners) for c in pair)]
    if told:
        T = _link_poses(mechanism, q)
        for column in told:
            rows = np.flatnonzero(found[:, column] <= required)
            one, other = (_Core.of(T[:, rows], capsules[c]) for c in pairs[column])
            found[rows, column] = np.maximum(found[rows, column], _gap(one, other))
    return found


def _capsule_clearances(mechanism: Mechanism, pairs: Sequence[tuple[int, int]], q: Array) -> Array:
    """Distances between capsules, negative by how deep they overlap. # (m, pairs) [m]."""
    found = np.empty((len(q), len(pairs)))
    if not pairs:
        return found
    T = _link_poses(mechanism, q)
    ends = [_axis_ends(T[capsule.joint], capsule) for capsule in mechanism.capsules]
    starts, tips = (np.stack(side) for side in zip(*ends, strict=True))
    radii = np.array([capsule.radius for capsule in mechanism.capsules])
    at_once = max(1, _ROWS // max(1, len(q)))
    for k in range(0, len(pairs), at_once):
        a, b = np.array(pairs[k : k + at_once]).T
        apart = segment_distance(starts[a], tips[a], starts[b], tips[b])
        found[:, k : k + at_once] = (apart - radii[a, None] - radii[b, None]).T
    return found


def _link_poses(mechanism: Mechanism, q: Array) -> Array:
    """Poses of all links; the base comes last: its index is -1. # (links + 1, m, 4, 4)."""
    still = np.broadcast_to(np.eye(4), (1, len(q), 4, 4))
    return np.concatenate([_poses(mechanism, q), still])


def self_pair_names(mechanism: Mechanism) -> list[tuple[str, str]]:
    """The pairs of capsules that must not touch each other, by name."""
    names = [capsule.name for capsule in mechanism.capsules]
    return [(names[a], names[b]) for a, b in mechanism.self_pairs]


def segment_distance(a: Array, b: Array, c: Array, d: Array) -> Array:
    """Least distance between the segments ab and cd. # (..., 3) each → (...) [m].

    The square of the distance is convex in the two places along the segments: its least value
    stands at an end of one of them, or inside both where the lines come nearest.
    """
    ends = [_point_distance(p, *other) for p, other in ((a, (c, d)), (b, (c, d)))]
    ends += [_point_distance(p, *other) for p, other in ((c, (a, b)), (d, (a, b)))]
    u, v, w = b - a, d - c, a - c
    normal = np.cross(u, v)
    area = np.sum(normal * normal, axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):  # parallel: the ends decide
        s = np.sum(np.cross(v, w) * normal, axis=-1) / area
        t = np.sum(np.cross(u, w) * normal, axis=-1) / area
        # Between points of both, so never below the truth: of segments that are parallel but for
        # rounding, s and t are anything, and the distance of the lines would be zero on one line.
        apart = np.linalg.norm(w + s[..., None] * u - t[..., None] * v, axis=-1)
    inside = (s >= 0.0) & (s <= 1.0) & (t >= 0.0) & (t <= 1.0)
    return np.asarray(np.minimum(np.min(ends, axis=0), np.where(inside, apart, np.inf)))


def _point_distance(p: Array, a: Array, b: Array) -> Array:
    """Distance of points from segments ab."""
    u = b - a
    length = np.sum(u * u, axis=-1)
    along = np.sum((p - a) * u, axis=-1) / np.where(length > 0.0, length, 1.0)
    foot = a + np.clip(along, 0.0, 1.0)[..., None] * u
    return np.asarray(np.linalg.norm(p - foot, axis=-1))


def _axis_ends(T: Array, capsule: Capsule) -> tuple[Array, Array]:
    """Ends of a capsule's segment in the base frame. # (m, 3) each."""
    R, p = T[:, :3, :3], T[:, :3, 3]
    return R @ capsule.start + p, R @ capsule.end + p


def _poses(mechanism: Mechanism, q: Array) -> Array:
    """Joint frames in the base frame. # (joints, m, 4, 4)."""
    found: list[Array] = []
    variables = iter(q.T)
    for joint in mechanism.joints:
        parent = np.eye(4) if joint.parent == BASE else found[joint.parent]
        found.append(parent @ joint.placement @ _motion(joint, variables, len(q)))
    return np.array(found)


def _motion(joint: Joint, variables: Iterator[Array], count: int) -> Array:
    """Displacement of a joint along or about its z axis. # (m, 4, 4)."""
    if joint.kind is JointKind.FIXED:
        return np.broadcast_to(np.eye(4), (count, 4, 4))
    value = next(variables)
    if joint.kind is JointKind.REVOLUTE:
        return make_pose(rotation_z(value))
    return make_pose(None, value[:, None] * np.array([0.0, 0.0, 1.0]))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Core:
    """A convex piece, or a capsule's axis with its radius. # corners (m, k, 3) [m]."""

    corners: Array
    radius: float

    @classmethod
    def of(cls, T: Array, capsule: Capsule) -> _Core:
        """In the base frame. Args: T: poses of all links. # (links + 1, m, 4, 4)."""
        own = capsule.corners
        radius = 0.0
        if len(own) == 0:
            own, radius = np.stack([capsule.start, capsule.end]), capsule.radius
        pose = T[capsule.joint]
        placed = np.einsum("mij,kj->mki", pose[:, :3, :3], own) + pose[:, None, :3, 3]
        return cls(corners=placed, radius=radius)


_TRIED = 64  # directions of a gap


def _gap(one: _Core, other: _Core) -> Array:
    """The widest gap found between two cores along a direction: a lower bound of their distance.

    The directions are those of Gilbert's search for the nearest point of their differences. # (m,)
    """
    a, b = one.corners, other.corners
    rows = np.arange(len(a))
    v = a.mean(axis=1) - b.mean(axis=1)
    widest = np.full(len(a), -np.inf)
    for _ in range(_TRIED):
        length = np.linalg.norm(v, axis=1)
        n = v / np.where(length > 0.0, length, 1.0)[:, None]
        first = np.einsum("mki,mi->mk", a, n).argmin(axis=1)
        second = np.einsum("mki,mi->mk", b, n).argmax(axis=1)
        w = a[rows, first] - b[rows, second]
        widest = np.maximum(widest, np.einsum("mi,mi->m", n, w))
        back = v - w
        square = np.einsum("mi,mi->m", back, back)
        share = np.einsum("mi,mi->m", v, back) / np.where(square > 0.0, square, 1.0)
        v = v - np.clip(share, 0.0, 1.0)[:, None] * back
    return widest - one.radius - other.radius


def _kinship(
    mechanism: Mechanism, origins: Array, one: Capsule, other: Capsule
) -> PairReason | None:
    """Why two bodies are neighbours, which overlap by nature; None where they are none."""
    moving = _between(mechanism, one.joint, other.joint)
    if len(moving) < 2:
        return PairReason.ONE_JOINT if moving else PairReason.ONE_BODY
    if len(one.corners) or len(other.corners):
        return None
    if any(mechanism.joints[index].kind is not JointKind.REVOLUTE for index in moving):
        return None
    gaps = np.linalg.norm(origins[moving] - origins[moving[0]], axis=1)
    return PairReason.COMMON_POINT if gaps.max() <= _COINCIDENT else None


def _between(mechanism: Mechanism, a: int, b: int) -> list[int]:
    """Movable joints on the way from one carrier to the other through the tree."""
    on_the_way = set(_to_base(mechanism, a)) ^ set(_to_base(mechanism, b))
    return sorted(index for index in on_the_way if mechanism.joints[index].movable)


def _to_base(mechanism: Mechanism, index: int) -> list[int]:
    found = []
    while index != BASE:
        found.append(index)
        index = mechanism.joints[index].parent
    return found


# ------------------------------------------------------------------------ Pairs that need no watch
# The joints between two capsules span a box of values. At its middle the capsules are measured; to
# any other posture of the box a point goes no farther than the sum, over the joints that carry it,
# of half the box's width times its distance from the joint's axis at the middle, as bounds of whole
# motions have it (``planner/clearance/links.py``). Where the gap is wider, the box is clear;
# otherwise it is halved along the joint that may move the two most.

_BOXES = 1 << 14  # judged for one pair at most; then nothing is said
_ROUNDING = 1e-9  # [m] of a distance and its bound


def _about_one_joint(mechanism: Mechanism, a: int, b: int) -> bool:
    """Whether one joint alone, at most, changes how two capsules stand, as between neighbours.

    A capsule that lies on a joint's axis is carried to itself as the joint turns.
    """
    sides = _Side.both(mechanism, a, b, np.zeros((1, mechanism.dof)))
    axes = [*reversed(sides[0].axes), *sides[1].axes]  # from one capsule to the other
    for side, inner in ((sides[0], 0), (sides[1], -1)):
        while axes and _arms(axes[inner], side.ends).max() <= _COINCIDENT:
            axes.pop(inner)
    return len(axes) < 2


def _apart(mechanism: Mechanism, a: int, b: int) -> bool:
    """Whether two capsules are proven apart whatever the joints between them do."""
    moving = _between(mechanism, mechanism.capsules[a].joint, mechanism.capsules[b].joint)
    columns = [sum(joint.movable for joint in mechanism.joints[:index]) for index in moving]
    for index in moving:
        joint = mechanism.joints[index]
        if joint.kind is JointKind.PRISMATIC and not np.isfinite(joint.q_max - joint.q_min):
            return False
    low, high = joint_ranges(mechanism, 1.0)
    middles, halves = [
        np.atleast_2d(share * (high + sign * low)[columns]) for share, sign in ((0.5, 1), (0.5, -1))
    ]
    radii = mechanism.capsules[a].radius + mechanism.capsules[b].radius
    judged = 0
    while len(middles):
        judged += len(middles)
        q = np.zeros((len(middles), mechanism.dof))
        q[:, columns] = middles
        one, other = _Side.both(mechanism, a, b, q)
        gap = segment_distance(*one.ends, *other.ends) - radii
        if judged > _BOXES or gap.min() <= _COINCIDENT:
            return False
        arms = {**one.arms, **other.arms}
        moved = halves * np.column_stack([arms[index] for index in moving])
        doubtful = np.flatnonzero(gap - moved.sum(axis=1) <= _COINCIDENT + _ROUNDING)
        chosen = moved[doubtful].argmax(axis=1)
        rows = np.arange(len(doubtful))
        halves = halves[doubtful]
        halves[rows, chosen] *= 0.5
        step = np.zeros_like(halves)
        step[rows, chosen] = halves[rows, chosen]
        middles = np.concatenate([middles[doubtful] - step, middles[doubtful] + step])
        halves = np.concatenate([halves, halves])
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class _Axis:
    """A joint's axis seen from the last body that carries both capsules; # (m, 3) each."""

    joint: int
    kind: JointKind
    origin: Array
    direction: Array


@dataclass(frozen=True, slots=True, kw_only=True)
class _Side:
    """A capsule, seen from the last body that carries another one as well.

    Args:
        ends: of its segment. # (m, 3) each [m]
        axes: of the joints that carry it and not the other, the outermost last.
    """

    ends: tuple[Array, Array]
    axes: tuple[_Axis, ...]

    @classmethod
    def both(cls, mechanism: Mechanism, a: int, b: int, q: Array) -> tuple[_Side, _Side]:
        """Of two capsules, by index, in postures. # (m, n)."""
        ways = [_to_base(mechanism, mechanism.capsules[c].joint) for c in (a, b)]
        shared = set(ways[0]) & set(ways[1])
        first, second = (
            cls._of(mechanism, c, [index for index in reversed(way) if index not in shared], q)
            for c, way in zip((a, b), ways, strict=True)
        )
        return first, second

    @classmethod
    def _of(cls, mechanism: Mechanism, c: int, way: Sequence[int], q: Array) -> _Side:
        capsule, axes = mechanism.capsules[c], list[_Axis]()
        T = np.broadcast_to(np.eye(4), (len(q), 4, 4))
        for index in way:
            joint = mechanism.joints[index]
            T = T @ joint.placement
            if joint.movable:
                axes.append(
                    _Axis(joint=index, kind=joint.kind, origin=T[:, :3, 3], direction=T[:, :3, 2])
                )
                column = sum(other.movable for other in mechanism.joints[:index])
                T = T @ _motion(joint, iter([q[:, column]]), len(q))
        return cls(ends=_axis_ends(T, capsule), axes=tuple(axes))

    @property
    def arms(self) -> dict[int, Array]:
        """How far the capsule's axis goes for a unit of each joint at most, by joint. # (m,)."""
        return {axis.joint: _arms(axis, self.ends) for axis in self.axes}


def _arms(axis: _Axis, ends: tuple[Array, Array]) -> Array:
    """Greatest distance of two points from an axis; one for an axis to slide along. # (m,)."""
    if axis.kind is JointKind.PRISMATIC:
        return np.ones(len(axis.origin))
    off = [np.linalg.norm(np.cross(axis.direction, end - axis.origin), axis=1) for end in ends]
    return np.asarray(np.maximum(*off))
