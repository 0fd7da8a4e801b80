"""B-spline paths of the joints, such as detours: exact, with bounds from their control points.

Every span of a spline is a polynomial. Written in Bernstein's form it stays within the range of its
control points, and so do its derivatives: bounds of a span are proven, whatever the degree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from robots.core.arrays import Array, Indices
from robots.core.errors import MotionError

_ROUNDING = 1e-9  # relative: what is added to bounds found in floating point


class SplinePaths:
    """Paths that are B-splines of one degree; λ runs evenly over each one's knots.

    Args:
        knots: of each path, rising, degree + 1 more than control points. # k of (c + degree + 1,)
        controls: control points of each path; their number may differ. # k of (c, n) [rad or m]

    Raises:
        MotionError: knots and control points that do not make a continuous spline.
    """

    def __init__(self, knots: Sequence[Array], controls: Sequence[Array]) -> None:
        degrees = {len(u) - len(c) - 1 for u, c in zip(knots, controls, strict=True)}
        if len(degrees) > 1 or min(degrees, default=1) < 1:
            raise MotionError(
                f"Spline paths of degrees {sorted(degrees)}: give all the same one, at least 1, "
                "with degree + 1 more knots than control points.",
                degrees=sorted(degrees),
            )
        self.degree = min(degrees, default=1)
        spans = [_spans(k, u, self.degree) for k, u in enumerate(knots)]
        counts = [len(s.place) for s in spans]
        self._first = np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])
        self._bernstein = _bernstein(spans, controls, self.degree)
        self._start = np.concatenate([np.zeros(0), *(s.start for s in spans)])
        self._width = np.concatenate([np.zeros(0), *(s.width for s in spans)])
        owner = np.repeat(np.arange(len(spans)), counts)
        self._keys = 2.0 * owner + self._start
        self._slopes = self._derived(self._bernstein, self.degree)
        self._bends = self._derived(self._slopes, self.degree - 1)
        self._speed, self._bend = _largest(self._slopes), _largest(self._bends)

    @property
    def count(self) -> int:
        """Number of paths."""
        return len(self._first) - 1

    def joints(self, index: Indices, lam: Array) -> Array:
        """Joints at λ. # (m, n)."""
        return self._value(self._bernstein, self._span(index, lam), lam)

    def slopes(self, index: Indices, lam: Array) -> Array:
        """Derivatives of the joints by λ. # (m, n)."""
        return self._value(self._slopes, self._span(index, lam), lam)

    def spread(self, index: Indices, low: Array, high: Array) -> Array:
        """Bound by the spans that the interval meets. # (m, n)."""
        first, last = self._span(index, low), self._span(index, high, side="left")
        last = np.maximum(first, last)
        d, middle = 0.5 * (high - low)[:, None], 0.5 * (low + high)
        ranges = np.stack([first, last + 1], axis=1).ravel()
        speed = np.maximum.reduceat(self._speed, ranges, axis=0)[::2]
        bound = speed * d
        one = np.nonzero(first == last)[0]  # a polynomial: its curvature has a bound
        span = first[one]
        at = np.abs(self._value(self._slopes, span, middle[one]))
        bound[one] = np.minimum(bound[one], at * d[one] + 0.5 * self._bend[span] * d[one] ** 2)
        return np.asarray(bound * (1.0 + _ROUNDING))

    def along(self, index: Indices, low: Array, high: Array) -> Array:
        """Zero: the spread is all that is known. # (m, n)."""
        return np.zeros_like(self.spread(index, low, high))

    def _span(
        self, index: Indices, lam: Array, side: Literal["left", "right"] = "right"
    ) -> Indices:
        """Span of a path that holds λ; at a knot the one after it, or before it ("left")."""
        place = np.searchsorted(self._keys, 2.0 * index + lam, side=side) - 1
        return np.asarray(np.clip(place, self._first[index], self._first[index + 1] - 1))

    def _value(self, points: Array, span: Indices, lam: Array) -> Array:
        """De Casteljau's scheme. # (m, n)."""
        u = ((lam - self._start[span]) / self._width[span])[:, None, None]
        values = points[span]
        while values.shape[1] > 1:
            values = values[:, :-1] + u * (values[:, 1:] - values[:, :-1])
        return np.asarray(values[:, 0])

    def _derived(self, points: Array, degree: int) -> Array:
        """Bernstein points of the derivative by λ, of a degree one lower (at least 0)."""
        if degree == 0:
            return np.zeros_like(points)
        return np.asarray(degree / self._width[:, None, None] * np.diff(points, axis=1))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Spans:
    """Spans of one path that are not empty."""

    place: Indices  # (s,) index of the knot that starts it
    start: Array  # (s,) in λ
    width: Array  # (s,) in λ
    knots: Array  # (s, 2p) those that matter to it


def _spans(path: int, given: Array, degree: int) -> _Spans:
    knots = np.asarray(given, dtype=np.float64)
    inner = knots[degree : len(knots) - degree]
    whole = len(inner) >= 2 and inner[-1] > inner[0] and np.all(np.diff(knots) >= 0.0)
    if not whole or np.any(knots[degree + 1 : -1] <= knots[1 : -degree - 1]):
        raise MotionError(
            f"Spline path {path} has knots {knots.tolist()}; they must rise, and at most {degree} "
            "may coincide inside, so that the path does not jump.",
            path=path,
        )
    place = degree + np.nonzero(np.diff(inner) > 0.0)[0]
    scale = inner[-1] - inner[0]
    around = place[:, None] + np.arange(1 - degree, degree + 1)
    return _Spans(
        place=place,
        start=(knots[place] - inner[0]) / scale,
        width=(knots[place + 1] - knots[place]) / scale,
        knots=knots[around],
    )


def _bernstein(spans: Sequence[_Spans], controls: Sequence[Array], degree: int) -> Array:
    """Bernstein points of every span: blossoms at its two ends. # (S, degree + 1, n)."""
    if not spans:
        return np.zeros((0, degree + 1, 0))
    knots = np.concatenate([s.knots for s in spans])
    local = np.arange(-degree, 1)
    points = np.concatenate(
        [
            np.asarray(c, dtype=np.float64)[s.place[:, None] + local]
            for s, c in zip(spans, controls, strict=True)
        ]
    )
    low, high = knots[:, degree - 1], knots[:, degree]
    ends = [[low] * (degree - m) + [high] * m for m in range(degree + 1)]
    return np.stack([_blossom(knots, points, at) for at in ends], axis=1)


def _blossom(knots: Array, points: Array, at: Sequence[Array]) -> Array:
    """Polar form of each span's polynomial at ``degree`` arguments (de Boor). # (S, n)."""
    degree, values = len(at), points.copy()
    for r, t in enumerate(at, start=1):
        for a in range(degree, r - 1, -1):
            left, right = knots[:, a - 1], knots[:, a + degree - r]
            share = ((t - left) / (right - left))[:, None]
            values[:, a] = values[:, a - 1] + share * (values[:, a] - values[:, a - 1])
    return np.asarray(values[:, degree])


def _largest(points: Array) -> Array:
    """Largest |value| of each span, and a row that ends the last range. # (S + 1, n)."""
    most = np.max(np.abs(points), axis=1)
    return np.concatenate([most, np.zeros((1, most.shape[1]))])
