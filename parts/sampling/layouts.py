"""Layouts of points in the unit square, by name.

The square stands for the patch by equal areas; a layout only asks for the patch's proportions, and
whether u is an angle. All of them are deterministic and give exactly the count that is asked.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from parts.errors import SamplingError
from parts.features.patch import Patch
from robots.core.arrays import Array

Layout = Callable[[int, "Shape"], Array]

CURVATURE = "stratified-by-curvature"


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """What a layout must know of a patch.

    Args:
        width: along u. [m]
        height: along v; zero on a curve. [m]
        round: u is an angle about an axis.
    """

    width: float
    height: float
    round: bool

    @classmethod
    def of(cls, patch: Patch) -> Shape:
        """That of a patch."""
        return cls(width=patch.width, height=patch.height, round=patch.round)

    def rows(self, count: int) -> int:
        """Number of rows along v that makes the spacing the same both ways."""
        return int(np.clip(round(np.sqrt(count * self.height / self.width)), 1, count))


def lay_out(strategy: str, count: int, shape: Shape) -> Array:
    """Points of a strategy. # (count, 2) in the unit square.

    Raises:
        SamplingError: no such strategy, or one that the patch cannot take.
    """
    if strategy not in LAYOUTS:
        raise SamplingError(
            f"There is no strategy {strategy!r}; choose one of {', '.join(STRATEGIES)}.",
            strategy=strategy,
        )
    if shape.height == 0.0:
        if strategy not in ("grid", "hammersley"):
            raise SamplingError(
                f"A line or circle cannot take the strategy {strategy!r}; choose grid or "
                "hammersley, which space its points evenly.",
                strategy=strategy,
            )
        return np.column_stack([_centres(count), np.full(count, 0.5)])
    return LAYOUTS[strategy](count, shape)


def grid(count: int, shape: Shape) -> Array:
    """Rows of cells, a point in the middle of each; rows differ by at most one point."""
    factors = [k for k in range(1, count + 1) if count % k == 0]
    wanted = shape.rows(count)
    rows = min(factors, key=lambda k: abs(np.log(k / wanted)))
    if abs(np.log(rows / wanted)) > np.log(1.5):  # no good divisor: uneven rows are more even
        rows = wanted
    return _in_rows(_shared(count, np.ones(rows)), _centres(rows), stagger=False)


def hammersley(count: int, shape: Shape) -> Array:
    """(i + ½)/n and the bits of i in reverse: the lowest discrepancy for a known count."""
    del shape
    bits = max(int(count - 1).bit_length(), 1)
    index = np.arange(count)
    reverse = np.zeros(count)
    for bit in range(bits):
        reverse += ((index >> bit) & 1) / 2.0 ** (bit + 1)
    return np.column_stack([_centres(count), reverse + 0.5 / 2.0**bits])


def star(count: int, shape: Shape) -> Array:
    """Straight arms: through the middle of a plane, along the meridians of what is round."""
    arms = min(8 if count >= 16 else 4, count)
    lengths = _shared(count, np.ones(arms))
    angles = np.repeat(np.arange(arms) / arms, lengths)
    out = np.concatenate([_centres(n) for n in lengths])
    if shape.round:
        return np.column_stack([angles, out])
    return _around_middle(2.0 * np.pi * angles, np.concatenate([np.arange(1, n + 1) / (n + 0.5)
                                                                for n in lengths]))  # fmt: skip


def helix(count: int, shape: Shape) -> Array:
    """One line that winds about the axis; a spiral on a plane. Its turns are as far apart as its
    points.
    """  # noqa: D205 one sentence
    share = _centres(count)
    if shape.round:
        turns = max(shape.rows(count), 1)
        return np.column_stack([(turns * share) % 1.0, share])
    turns = max(np.sqrt(count) / 2.0, 1.0)
    radius = np.sqrt(share)
    return _around_middle(2.0 * np.pi * turns * radius, radius)


def circles(count: int, shape: Shape) -> Array:
    """Parallel circles, each turned by half a step against the last; concentric on a plane."""
    if shape.round:
        rows = min(max(shape.rows(count), 2 if count >= 6 else 1), count)
        return _in_rows(_shared(count, np.ones(rows)), _centres(rows), stagger=True)
    rings = max(round(np.sqrt(count / np.pi)), 1)
    radii = _centres(rings)
    numbers = _shared(count, radii)
    places = [
        _around_middle(2.0 * np.pi * (np.arange(n) + 0.5 * (k % 2)) / max(n, 1), np.full(n, radius))
        for k, (n, radius) in enumerate(zip(numbers, radii, strict=True))
    ]
    return np.vstack(places)


def _centres(count: int) -> Array:
    """Middles of equal pieces of the unit interval. # (count,)."""
    return np.asarray((np.arange(count) + 0.5) / count)


def _shared(count: int, weights: Array) -> list[int]:
    """The count as whole numbers in proportion to weights."""
    ends = np.rint(np.cumsum(weights) / weights.sum() * count).astype(int)
    return [int(n) for n in np.diff(ends, prepend=0)]


def _in_rows(numbers: list[int], heights: Array, *, stagger: bool) -> Array:
    rows = []
    for place, (n, v) in enumerate(zip(numbers, heights, strict=True)):
        shift = 0.25 if place % 2 else -0.25
        u = (np.arange(n) + 0.5 + (shift if stagger else 0.0)) / max(n, 1)
        rows.append(np.column_stack([u, np.full(n, v)]))
    return np.vstack(rows)


def _around_middle(angles: Array, radii: Array) -> Array:
    """Polar coordinates about the middle of the square; radius 1 touches its sides."""
    return np.column_stack([0.5 + 0.5 * radii * np.cos(angles), 0.5 + 0.5 * radii * np.sin(angles)])


LAYOUTS: dict[str, Layout] = {
    "grid": grid,
    "hammersley": hammersley,
    "star": star,
    "helix": helix,
    "circles": circles,
}
STRATEGIES = (*LAYOUTS, CURVATURE)
