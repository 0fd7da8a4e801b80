"""The moving robot as a checker sees it: where capsules are, how far they may go."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from planner.clearance.segments import Vec, cross, dot, minus, segment_segment
from robots.core.arrays import Array
from robots.core.kernels.kernel import Kernel
from robots.core.kernels.loop import Loop
from robots.core.mechanism import JointKind, Mechanism
from robots.core.quantities import quantity

FIXED, REVOLUTE, PRISMATIC = 0, 1, 2  # kinds of joints in a table
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


def bound_motion(
    transforms: Any,
    axes: Any,
    joints: Any,
    carriers: Any,
    movers: Any,
    spread: Any,
    motion: Any,
) -> None:
    """How far capsules go at most; see the module.

    Args:
        transforms: of all links, each by rows. # (m, 16·links)
        axes: of all capsules: start, vector to the end. # (m, c, 6) [m]
        joints: kind, variable and parent of each. # (links, 3)
        carriers: link of each capsule, -1 for the base. # (c,)
        movers: capsules, and for each the joint that counts no more. # (k, 2)
        spread: largest change of each variable. # (m, n) [rad or m]
        motion: filled. # (m, k) [m]
    """
    for row in range(len(axes)):
        for k in range(len(movers)):
            capsule, last = movers[k, 0], movers[k, 1]
            x = axes[row, capsule]
            start = (x[0], x[1], x[2])
            end = (x[0] + x[3], x[1] + x[4], x[2] + x[5])
            path = (carriers[capsule], last)
            most = _point_motion(transforms[row], joints, path, spread[row], start)
            if x[3] != 0.0 or x[4] != 0.0 or x[5] != 0.0:
                most = max(most, _point_motion(transforms[row], joints, path, spread[row], end))
            motion[row, k] = most * ROUNDING


_MOTION = Loop(bound_motion, "f8[2] f8[3] i8[2] i8[1] i8[2] f8[2] f8[2]")


def self_gaps(axes: Any, pairs: Any, gaps: Any, shares: Any) -> None:
    """Distances between axes of capsules, and the share of the first where it is nearest.

    Args:
        axes: of all capsules. # (m, c, 6) [m]
        pairs: of capsules. # (p, 2)
        gaps: filled. # (m, p) [m]
        shares: filled. # (m, p)
    """
    for row in range(len(axes)):
        for k in range(len(pairs)):
            a, b = axes[row, pairs[k, 0]], axes[row, pairs[k, 1]]
            square, share = segment_segment(
                (a[0], a[1], a[2]), (a[3], a[4], a[5]), (b[0], b[1], b[2]), (b[3], b[4], b[5])
            )
            gaps[row, k], shares[row, k] = math.sqrt(square), share


_GAPS = Loop(self_gaps, "f8[3] i8[2] f8[2] f8[2]")


class Links:
    """Tables of a mechanism's capsules.

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
        self._joints = np.array(
            [(_KINDS[j.kind], v, j.parent) for j, v in zip(joints, variables, strict=True)],
            dtype=np.int64,
        )
        movers = [(c, -1) for c in range(len(capsules))]
        for a, b in self.pairs.tolist():
            shared = _shared(capsules[a].joint, capsules[b].joint, [j.parent for j in joints])
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

    def motion(self, transforms: Array, axes: Array, spread: Array) -> tuple[Array, Array]:
        """How far capsules go against the base (m, c), and against each other (m, pairs). [m]."""
        motion = np.empty((len(axes), len(self._movers)))
        _MOTION(transforms, axes, self._joints, self.carriers, self._movers, spread, motion)
        count = len(self.radii)
        between = motion[:, count::2] + motion[:, count + 1 :: 2]
        return np.ascontiguousarray(motion[:, :count]), between

    def self_clearances(self, axes: Array) -> tuple[Array, Array]:
        """Clearance of every self pair (m, pairs) [m], and the share of the first one's axis."""
        gaps = np.empty((len(axes), len(self.pairs)))
        shares = np.empty_like(gaps)
        _GAPS(axes, self.pairs, gaps, shares)
        return gaps - self.radii[self.pairs].sum(axis=1), shares


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
# How far a capsule may move. Let every joint variable change by at most its spread δ. Written with
# the screws of the joints at q, a point P of a link goes to e^{S1·δ1} … e^{Sk·δk} P, the joint next
# to the link first. A screw motion keeps distances: for the point P' where the other joints left P,
# |e^{S1·δ1} P' - P| ≤ |P' - P| + |e^{S1·δ1} P - P|, and so on outwards. So P goes no farther than
# the sum of what each joint alone would move it at q, an arc of the radius ρ_j, its distance from
# the axis: Σ |δ_j|·ρ_j, with ρ_j = 1 for a sliding joint. Nothing of second order is left out. A
# point of a capsule's axis goes no farther than the end that goes farther, since it divides the
# axis in a constant ratio. Between two links only the joints that do not carry both count: the
# others move both alike.

ROUNDING = 1.0 + 1e-12


def _point_motion(
    transforms: Any, joints: Any, path: tuple[int, int], spread: Any, point: Vec
) -> float:
    joint, moved = path[0], 0.0
    while joint != path[1] and joint >= 0:
        change = abs(spread[joints[joint, 1]]) if joints[joint, 0] != FIXED else 0.0
        if joints[joint, 0] == PRISMATIC:
            moved += change
        elif joints[joint, 0] == REVOLUTE:
            base = 16 * joint
            axis = (transforms[base + 2], transforms[base + 6], transforms[base + 10])
            origin = (transforms[base + 3], transforms[base + 7], transforms[base + 11])
            arm = cross(axis, minus(point, origin))
            moved += change * math.sqrt(dot(arm, arm))
        joint = joints[joint, 2]
    return moved
