"""Where the motion is smooth: segments cut where their law switches.

Switches of known laws are told by the motion itself (``switches``); those of any other law are
searched where a piece turns out not to be smooth (``kinks``).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from planner.plan import Plan
from planner.proof.switches import switches
from robots.core.arrays import Array, Indices, Mask
from robots.core.model import Model


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SmoothPieces:
    """Stretches of time without a switch inside.

    A piece's place is kept relative to its segment: absolute time has lost digits by then.

    Args:
        segment: that each lies in. # (P,)
        origin: start of that segment. # (P,) [s]
        offset: of the piece's start from it. # (P,) [s]
        length: # (P,) [s]
    """

    segment: Indices
    origin: Array
    offset: Array
    length: Array

    def __len__(self) -> int:
        """Number of pieces P."""
        return len(self.segment)

    @property
    def start(self) -> Array:
        """Absolute starts. # (P,) [s]."""
        return self.origin + self.offset

    def take(self, rows: Mask | Indices | slice) -> SmoothPieces:
        """Some of the pieces."""
        return SmoothPieces(
            segment=self.segment[rows],
            origin=self.origin[rows],
            offset=self.offset[rows],
            length=self.length[rows],
        )

    def parts(self, x: Array) -> SmoothPieces:
        """Every piece cut at its own place x in (-1, 1); left parts, then right parts."""
        left = self.length * 0.5 * (x + 1.0)
        return SmoothPieces(
            segment=np.concatenate([self.segment, self.segment]),
            origin=np.concatenate([self.origin, self.origin]),
            offset=np.concatenate([self.offset, self.offset + left]),
            length=np.concatenate([left, self.length - left]),
        )


def moving_segments(plan: Plan) -> Indices:
    """Segments that take time, in order."""
    rows = [i for i, segment in enumerate(plan.timeline) if segment.duration > 0.0]
    return np.array(rows, dtype=np.int64)


def smooth_pieces(plan: Plan, model: Model, segments: Indices | None = None) -> SmoothPieces:
    """The pieces of segments that take time, in order; of all of them when none are named."""
    rows: list[tuple[int, float, float, float]] = []
    segments = moving_segments(plan) if segments is None else segments
    for index, inside in zip(segments.tolist(), switches(plan, model, segments), strict=True):
        segment = plan.timeline[index]
        edges = [0.0, *inside.tolist(), 1.0]
        rows += [
            (index, segment.start, a * segment.duration, (b - a) * segment.duration)
            for a, b in pairwise(edges)
        ]
    table = np.array(rows, dtype=np.float64).reshape(-1, 4)
    return SmoothPieces(
        segment=table[:, 0].astype(np.int64),
        origin=table[:, 1],
        offset=table[:, 2],
        length=table[:, 3],
    )


def states_at(plan: Plan, pieces: SmoothPieces, x: Array) -> tuple[Array, Array, Array]:
    """q, qd, qdd at places x of every piece. # (m,) or (P, m) -> (P, m, n) each.

    An instant late in a long job is a multiple of a coarse step of floating point; the state is
    carried over the small rest of time, so that differences are not spoiled by it.
    """
    if len(pieces) == 0:  # a plan without segments has no state to ask for
        nothing = np.zeros((0, x.shape[-1], plan.job.mechanism.dof))
        return nothing, nothing, nothing
    t, late = _instants(pieces, x)
    state = plan.trajectory.state(t.ravel())
    shape = (*t.shape, plan.job.mechanism.dof)
    q, qd, qdd = (np.asarray(a).reshape(shape) for a in (state.q, state.qd, state.qdd))
    return q - qd * late[..., None], qd - qdd * late[..., None], qdd


def lateness(pieces: SmoothPieces, x: Array) -> Array:
    """How much later than meant ``states_at`` asks, for want of digits. # (P, m) [s]."""
    return _instants(pieces, x)[1]


def _instants(pieces: SmoothPieces, x: Array) -> tuple[Array, Array]:
    local = pieces.offset[:, None] + pieces.length[:, None] * (0.5 * (x + 1.0))
    t = pieces.origin[:, None] + local
    return t, (t - pieces.origin[:, None]) - local
