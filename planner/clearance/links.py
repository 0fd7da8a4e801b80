"""The moving robot as a checker sees it: where capsules are, how far they may go."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from planner.clearance import link_loops
from robots.core.arrays import Array
from robots.core.kernels.kernel import Kernel
from robots.core.kernels.loop import Loop
from robots.core.mechanism import JointKind, Mechanism
from robots.core.quantities import quantity

_KINDS = {
    JointKind.FIXED: link_loops.FIXED,
    JointKind.REVOLUTE: link_loops.REVOLUTE,
    JointKind.PRISMATIC: link_loops.PRISMATIC,
}
_AXES = Loop(link_loops.place_axes, "f8[2] i8[1] f8[2] f8[3]")
_MOTION = Loop(link_loops.bound_motion, "f8[2] f8[3] i8[2] i8[1] i8[2] f8[2] f8[2]")
_GAPS = Loop(link_loops.self_gaps, "f8[3] i8[2] f8[2] f8[2]")


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
