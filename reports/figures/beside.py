"""Names beside marks, each where it covers no other name and no mark."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from robots.core.arrays import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_Box = tuple[float, float, float, float]  # left, bottom, right, top [pt]

_POINTS = 72.0  # an inch
_WIDE, _TALL = 0.58, 1.15  # a sign of DejaVu Sans beside its size
_GAP = 4.0  # between a mark and its name [pt]
_MARK = 4.0  # half a mark [pt]


def write_beside(
    axis: Axes,
    places: Array,
    names: Sequence[str],
    *,
    size: float,
    others: Array | None = None,
) -> None:
    """Write each name near its mark: above to the right, or where there is most room.

    Args:
        axis: with all it shows, its limits and margins; they are settled now.
        places: of the marks, in the axis' units. # (k, 2)
        names: one for each.
        size: of the letters. [pt]
        others: more places that no name should cover. # (m, 2)
    """
    figure = axis.get_figure(root=True)
    if figure is None or not len(names):
        return
    axis.apply_aspect()
    seen = np.asarray(places) if others is None else np.concatenate([places, others])
    at = axis.transData.transform(seen) * (_POINTS / figure.dpi)
    taken = [(x - _MARK, y - _MARK, x + _MARK, y + _MARK) for x, y in at.tolist()]
    for name, place, (x, y) in zip(names, places.tolist(), at[: len(places)].tolist(), strict=True):
        boxes = _boxes(x, y, _WIDE * size * len(name), _TALL * size)
        box = min(boxes, key=lambda one: sum(_shared(one, other) for other in taken))
        taken.append(box)
        axis.annotate(
            name, place, (box[0] - x, box[1] - y), textcoords="offset points", fontsize=size
        )


def _boxes(x: float, y: float, width: float, height: float) -> Iterator[_Box]:
    """Where a name may stand, the liked places first."""
    rows = (y + _GAP, y - _GAP - height, y - 0.5 * height)
    for bottom in rows:
        beside = bottom == rows[2]
        for left in (x + _GAP + _MARK * beside, x - _GAP - _MARK * beside - width):
            yield left, bottom, left + width, bottom + height
    for bottom in (y + _GAP + _MARK, y - _GAP - _MARK - height):
        yield x - 0.5 * width, bottom, x + 0.5 * width, bottom + height


def _shared(a: _Box, b: _Box) -> float:
    """Area that two boxes share. [pt²]."""
    across = min(a[2], b[2]) - max(a[0], b[0])
    up = min(a[3], b[3]) - max(a[1], b[1])
    return max(across, 0.0) * max(up, 0.0)
