"""Default pairs of capsules checked for self-collision.

Neighbours overlap by nature: a pair is left out when its carriers are one rigid body, when one
joint alone stands between them, or when all joints between them turn about axes through one frame
origin, as in a spherical wrist. Two capsules may still overlap for good by how they were drawn; a
pair that touches in every one of a set of postures spread over the joint ranges is left out as
well, so a pair that touches whatever the posture is never watched.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import combinations

import numpy as np

from robots.core.arrays import Array
from robots.core.capsule import Capsule
from robots.core.joint_samples import joint_samples
from robots.core.mechanism import BASE, Joint, JointKind, Mechanism
from robots.core.pose import make_pose, rotation_z

_POSTURES = 64
# Frames nearer than this are one place; capsules nearer than this touch. [m]
_COINCIDENT = 1e-9


class PairReason(Enum):
    """Why a pair of capsules is not watched."""

    ONE_BODY = "on one rigid body"
    ONE_JOINT = "a single joint between them"
    COMMON_POINT = "all joints between them turn about axes through one point"
    ALWAYS_TOUCHING = f"they touch in each of {_POSTURES} postures over the joint ranges"
    NOT_NAMED = "left out of the pairs that the robot's file names"


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


def unwatched_pairs(mechanism: Mechanism) -> tuple[UnwatchedPair, ...]:
    """Every pair of capsules that is not among the mechanism's ``self_pairs``, with the reason."""
    capsules = mechanism.capsules
    watched = {frozenset(pair) for pair in mechanism.self_pairs}
    left = [
        pair for pair in combinations(range(len(capsules)), 2) if frozenset(pair) not in watched
    ]
    origins = _poses(mechanism, np.zeros((1, mechanism.dof)))[:, 0, :3, 3]
    reasons = [_kinship(mechanism, origins, capsules[a].joint, capsules[b].joint) for a, b in left]
    q = joint_samples(mechanism, _POSTURES, slide=1.0)
    distances = np.max(self_clearances(mechanism, left, q), axis=0, initial=-np.inf)
    return tuple(
        UnwatchedPair(
            a=capsules[a].name,
            b=capsules[b].name,
            reason=reason
            or (PairReason.NOT_NAMED if apart > _COINCIDENT else PairReason.ALWAYS_TOUCHING),
        )
        for (a, b), reason, apart in zip(left, reasons, distances, strict=True)
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
        if _kinship(mechanism, origins, capsules[a].joint, capsules[b].joint) is None
    ]
    if not apart:
        return ()
    q = joint_samples(mechanism, _POSTURES, slide=1.0)
    free = np.max(self_clearances(mechanism, apart, q), axis=0) > _COINCIDENT
    return tuple(pair for pair, sometimes in zip(apart, free, strict=True) if sometimes)


def self_clearances(mechanism: Mechanism, pairs: Sequence[tuple[int, int]], q: Array) -> Array:
    """Distances between capsules, negative by how deep they overlap.

    Args:
        mechanism: with its capsules.
        pairs: of capsules, by index.
        q: postures. # (m, n) [rad or m]

    Returns:
        # (m, pairs) [m]
    """
    still = np.broadcast_to(np.eye(4), (1, len(q), 4, 4))
    T = np.concatenate([_poses(mechanism, q), still])  # the base comes last: its index is -1
    ends = [_axis_ends(T[capsule.joint], capsule) for capsule in mechanism.capsules]
    radii = [capsule.radius for capsule in mechanism.capsules]
    found = np.empty((len(q), len(pairs)))
    for column, (a, b) in enumerate(pairs):
        found[:, column] = segment_distance(*ends[a], *ends[b]) - radii[a] - radii[b]
    return found


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
        lines = np.abs(np.sum(w * normal, axis=-1)) / np.sqrt(area)
    inside = (s >= 0.0) & (s <= 1.0) & (t >= 0.0) & (t <= 1.0)
    return np.asarray(np.minimum(np.min(ends, axis=0), np.where(inside, lines, np.inf)))


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


def _kinship(mechanism: Mechanism, origins: Array, a: int, b: int) -> PairReason | None:
    """Why two carriers are neighbours, which overlap by nature; None where they are none."""
    moving = _between(mechanism, a, b)
    if len(moving) < 2:
        return PairReason.ONE_JOINT if moving else PairReason.ONE_BODY
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
