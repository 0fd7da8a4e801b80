"""Proof that a motion stays within the pose limits between samples as well.

Every margin is a continuous function of s whose slope is bounded by the speeds of the course. So a
margin at the middle of a span of s settles the whole span when it exceeds slope times half the
span; spans that are not settled are halved. What still touches a limit at the finest span is named
as open: it is neither proven nor broken.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robots.core.arrays import Array, Mask
from robots.stewart.inverse import lengths
from robots.stewart.limits import Column, Limit, PoseLimits
from robots.stewart.motion import Course, SpeedBound
from robots.stewart.platform import LegEnd
from robots.stewart.singularity import characteristic_length

_FIRST_SPANS = 64
_MOST_HALVINGS = 22  # spans of 4e-9
_MOST_SPANS = 4096  # at once; beyond them the motion grazes a limit all along


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Proof:
    """What was proven of every column.

    Args:
        columns: the limits.
        least: lowest margin that was seen. # (columns,)
        broken: whether a margin below zero was seen. # (columns,)
        open: whether some span is neither proven nor broken: the limit is grazed. # (columns,)
        evaluations: how many poses it took.
    """

    columns: tuple[Column, ...]
    least: Array
    broken: Mask
    open: Mask
    evaluations: int

    @property
    def holds(self) -> bool:
        """Whether every limit is respected at every instant."""
        return not (self.broken.any() or self.open.any())


def prove(limits: PoseLimits, course: Course) -> Proof:
    """Judge a whole course against all pose limits.

    Args:
        limits: of the platform.
        course: its shape; the duration is of no importance.
    """
    slopes = _Slopes(limits, course.speed_bound())
    middles = (np.arange(_FIRST_SPANS) + 0.5) / _FIRST_SPANS
    half = 0.5 / _FIRST_SPANS
    ends = limits.margins(course.state(np.array([0.0, 1.0])).T)
    least, evaluations = ends.min(axis=0), 2
    unsettled = np.zeros(len(limits.columns), dtype=bool)
    for _ in range(_MOST_HALVINGS):
        T = course.state(middles).T
        margins = limits.margins(T)
        evaluations += len(middles)
        least = np.minimum(least, margins.min(axis=0))
        # A column that is broken somewhere needs no more proof.
        left = (margins < slopes.at(T, half) * half) & (least >= 0.0)
        unsettled = left.any(axis=0)
        rows = left.any(axis=1)
        if not rows.any() or 2 * np.count_nonzero(rows) > _MOST_SPANS:
            break
        half /= 2.0
        middles = np.concatenate([middles[rows] - half, middles[rows] + half])
    broken = least < 0.0
    return Proof(
        columns=limits.columns,
        least=least,
        broken=broken,
        open=unsettled & ~broken,
        evaluations=evaluations,
    )


class _Slopes:
    """Bounds of |d margin/ds| about given poses."""

    def __init__(self, limits: PoseLimits, bound: SpeedBound) -> None:
        platform = limits.platform
        points = platform.platform_points
        self.limits = limits
        self.turn = bound.angular
        self.tips = bound.linear + bound.angular * np.linalg.norm(points, axis=-1)
        arms = np.linalg.norm(points - points.mean(axis=0), axis=-1)
        self.arms = arms / characteristic_length(platform)
        self.cardan = np.array([leg.end is LegEnd.CARDAN for leg in platform.legs])

    def at(self, T: Array, half: float) -> Array:
        """Slopes within ``half`` of the poses in s. # (n, columns)."""
        shortest = lengths(self.limits.platform, T) - self.tips * half
        with np.errstate(divide="ignore"):
            swing = np.where(shortest > 0.0, self.tips / shortest, np.inf)
        rows = np.hypot(swing, self.arms * (swing + self.turn))
        jacobian = np.linalg.norm(rows, axis=-1)
        return np.stack(
            [self._column(column, swing, jacobian) for column in self.limits.columns], axis=-1
        )

    def _column(self, column: Column, swing: Array, jacobian: Array) -> Array:
        legs = list(column.legs)
        match column.limit:
            case Limit.SHORTEST | Limit.LONGEST | Limit.LEGS:
                return np.full(len(swing), self.tips[legs].sum())
            case Limit.BASE_CONE | Limit.BASE_PLATE:
                return np.asarray(swing[:, legs[0]])
            case Limit.PLATFORM_CONE | Limit.PLATFORM_PLATE:
                return np.asarray(swing[:, legs[0]] + self.turn)
            case Limit.TYPE_1:
                return np.asarray(swing[:, legs[0]] + self.turn * self.cardan[legs[0]])
            case Limit.TYPE_2:
                return jacobian
            case Limit.CONDITION:
                return np.asarray(jacobian * (1.0 + 1.0 / column.value))
