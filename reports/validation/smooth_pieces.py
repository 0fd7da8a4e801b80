"""Where the motion is smooth: segments cut where their law switches.

Switches are found from the motion itself, not from the planner's tables.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from planner.plan_types import Plan, SegmentKind
from robots.core.model import Model

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

_NEAR_START = 1e-6  # of the duration: inside the first piece of any trapezoid worth the name
_MIDDLE = 1e-9  # two switches closer to the middle than this are one


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Pieces:
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

    def take(self, rows: NDArray[np.bool_] | Indices | slice) -> Pieces:
        """Some of the pieces."""
        return Pieces(
            segment=self.segment[rows],
            origin=self.origin[rows],
            offset=self.offset[rows],
            length=self.length[rows],
        )

    def halves(self, x: Array) -> Pieces:
        """Every piece cut at its own place x in (-1, 1); left parts, then right parts."""
        left = self.length * 0.5 * (x + 1.0)
        return Pieces(
            segment=np.concatenate([self.segment, self.segment]),
            origin=np.concatenate([self.origin, self.origin]),
            offset=np.concatenate([self.offset, self.offset + left]),
            length=np.concatenate([left, self.length - left]),
        )


def smooth_pieces(plan: Plan, model: Model) -> Pieces:
    """The pieces of all segments that take time, in order."""
    fractions = _acceleration_fractions(plan, model)
    rows: list[tuple[int, float, float, float]] = []
    for index, segment in enumerate(plan.segments):
        if not segment.duration > 0.0:
            continue
        edges = [0.0, *_switches(segment.law, fractions[index]), 1.0]
        rows += [
            (index, segment.start, a * segment.duration, (b - a) * segment.duration)
            for a, b in pairwise(edges)
        ]
    table = np.array(rows, dtype=np.float64).reshape(-1, 4)
    return Pieces(
        segment=table[:, 0].astype(np.int64),
        origin=table[:, 1],
        offset=table[:, 2],
        length=table[:, 3],
    )


def _switches(law: str, fraction: float) -> list[float]:
    if law == "bang-bang":
        return [0.5]
    if law != "trapezoid" or not 0.0 < fraction <= 0.5 + _MIDDLE:
        return []
    return [0.5] if fraction >= 0.5 - _MIDDLE else [fraction, 1.0 - fraction]


def _acceleration_fractions(plan: Plan, model: Model) -> Array:
    """Time a trapezoid needs to reach its plateau's speed, over its duration. # (segments,).

    Speed at mid-time over the first acceleration: of the ball on a probing line, of the joint that
    moves most in a travel.
    """
    found = np.full(len(plan.segments), np.nan)
    rows = [i for i, s in enumerate(plan.segments) if s.law == "trapezoid" and s.duration > 0.0]
    if not rows:
        return found
    start = np.array([plan.segments[i].start for i in rows])
    T = np.array([plan.segments[i].duration for i in rows])
    first = plan.trajectory.state(start + _NEAR_START * T)
    middle = plan.trajectory.state(start + 0.5 * T)
    travel = np.array([plan.segments[i].kind is SegmentKind.TRAVEL for i in rows])
    most = np.argmax(np.abs(middle.qd), axis=1)[:, None]
    joint_speed = np.abs(np.take_along_axis(middle.qd, most, axis=1)[:, 0])
    joint_push = np.abs(np.take_along_axis(first.qdd, most, axis=1)[:, 0])
    twist = model.velocity(middle.q, middle.qd)[:, :3]
    push = model.acceleration(first.q, first.qd, first.qdd)[:, :3]
    speed = np.where(travel, joint_speed, np.linalg.norm(twist, axis=1))
    acceleration = np.where(travel, joint_push, np.linalg.norm(push, axis=1))
    moving = acceleration > 0.0
    found[rows] = np.where(moving, speed / np.where(moving, acceleration * T, 1.0), np.nan)
    return found
