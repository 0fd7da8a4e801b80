"""A tree of boxes around triangles, asked for many queries at once, level by level."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from robots.core.arrays import Array, Indices

FAN = 4  # boxes under a box
PAIRS = 1_000_000  # pairs of query and box kept at once; bounds the memory
_SLACK = 1e-12  # boxes are compared with distances that carry rounding; too many is harmless


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Pairs:
    """Triangles that may be near queries.

    Args:
        queries: rows of the queries. # (p,)
        items: rows of the boxes that were given. # (p,)
        gaps: squared distances of the boxes from the queries. # (p,) [m²]
    """

    queries: Indices
    items: Indices
    gaps: Array


class BoxTree:
    """Boxes sorted along a space-filling curve and grouped by fours, up to one root.

    Args:
        low: least corners of the boxes. # (n, 3) [m]
        high: greatest corners. # (n, 3) [m]
    """

    __slots__ = ("_levels", "_order")

    def __init__(self, low: Array, high: Array) -> None:
        self._order = np.argsort(_morton((low + high) / 2.0), kind="stable")
        levels = [np.stack([low[self._order], high[self._order]], axis=1)]
        while len(levels[-1]) > 1:
            below = levels[-1]
            starts = np.arange(0, len(below), FAN)
            least = np.minimum.reduceat(below[:, 0], starts)
            most = np.maximum.reduceat(below[:, 1], starts)
            levels.append(np.stack([least, most], axis=1))
        self._levels = levels[::-1]

    def near(self, points: Array, reach: Array) -> Iterator[Pairs]:
        """All boxes within reach of points, in chunks that follow the order of the points.

        Args:
            points: queries. # (k, 3) [m]
            reach: of each query. # (k,) [m]

        Yields:
            Pairs; those of one query are all in one chunk.
        """
        square = reach * reach * (1.0 + _SLACK) + 1e-30
        stack = [(0, np.arange(len(points)), np.zeros(len(points), dtype=np.int64))]
        while stack:
            level, queries, boxes = stack.pop()
            gaps = _gaps(points[queries], self._levels[level][boxes])
            keep = gaps <= square[queries]
            queries, boxes, gaps = queries[keep], boxes[keep], gaps[keep]
            if level == len(self._levels) - 1:
                yield Pairs(queries=queries, items=self._order[boxes], gaps=gaps)
            else:
                stack.extend(self._below(level + 1, queries, boxes))

    def _below(
        self, level: int, queries: Indices, boxes: Indices
    ) -> list[tuple[int, Indices, Indices]]:
        """Pairs with the boxes under boxes, cut between queries where they are too many."""
        cuts = _cuts(queries, PAIRS // FAN)
        parts = []
        for start, end in zip(cuts[-2::-1], cuts[:0:-1], strict=True):  # the first is popped first
            children = (boxes[start:end, None] * FAN + np.arange(FAN)).ravel()
            owners = np.repeat(queries[start:end], FAN)
            real = children < len(self._levels[level])
            parts.append((level, owners[real], children[real]))
        return parts


def _cuts(queries: Indices, most: int) -> list[int]:
    """Places to cut a sorted list of owners so that no owner is split and parts stay small."""
    cuts = [0]
    while len(queries) - cuts[-1] > most:
        place = cuts[-1] + most
        before = int(np.searchsorted(queries, queries[place], side="left"))
        after = int(np.searchsorted(queries, queries[place], side="right"))
        cuts.append(before if before > cuts[-1] else after)
    if cuts[-1] < len(queries) or len(cuts) == 1:
        cuts.append(len(queries))
    return cuts


def _gaps(points: Array, boxes: Array) -> Array:
    """Squared distances of points from boxes, 0 inside. # (p,) [m²]."""
    outside = np.maximum(boxes[:, 0] - points, points - boxes[:, 1])
    np.maximum(outside, 0.0, out=outside)
    return np.asarray(np.einsum("ij,ij->i", outside, outside))


def _morton(centres: Array) -> NDArray[np.uint64]:
    """Interleaved bits of grid coordinates: near numbers are near places."""
    low = centres.min(axis=0)
    span = float((centres.max(axis=0) - low).max()) or 1.0
    grid = ((centres - low) * ((2**21 - 1) / span)).astype(np.uint64)
    code = np.zeros(len(centres), dtype=np.uint64)
    for axis in range(3):
        code |= _spread(grid[:, axis]) << np.uint64(axis)
    return code


def _spread(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Put two zero bits between the bits of 21-bit numbers."""
    steps = (
        (32, 0x1F00000000FFFF),
        (16, 0x1F0000FF0000FF),
        (8, 0x100F00F00F00F00F),
        (4, 0x10C30C30C30C30C3),
        (2, 0x1249249249249249),
    )
    for shift, mask in steps:
        values = (values | (values << np.uint64(shift))) & np.uint64(mask)
    return values
