"""Segments behind the curves: one path per kind, shared by all panels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from planner.plan import Segment, SegmentKind

WIDTH = 100_000  # of a plot, in its own units
HEIGHT = 1_000
_STRIPS = 1_500  # more are narrower than a pixel


@dataclass(frozen=True, slots=True, kw_only=True)
class Shade:
    """All that is shaded in one colour.

    Args:
        kind: of the segments.
        path: in the units of a plot.
    """

    kind: str
    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Shading:
    """What stands behind every curve.

    Args:
        shades: one per kind that occurs.
        strips: how many strips of equal time stand for the segments; 0 where each is drawn.
    """

    shades: tuple[Shade, ...]
    strips: int


def shading(segments: Sequence[Segment], duration: float) -> Shading:
    """Draw every segment, or where they are too many, the kind that fills most of each strip.

    Args:
        segments: in order of time.
        duration: of the whole motion. [s]
    """
    kinds = tuple(SegmentKind)
    codes = np.array([kinds.index(s.kind) for s in segments], dtype=np.int64)
    ends = np.array([s.end for s in segments]) / duration * WIDTH
    starts = np.array([s.start for s in segments]) / duration * WIDTH
    strips = 0
    if len(segments) > _STRIPS:
        strips = _STRIPS
        starts, ends, codes = _stripped(starts, ends, codes)
    shades = []
    for code, kind in enumerate(kinds):
        path = "".join(_boxes(starts[codes == code], ends[codes == code]))
        if path:
            shades.append(Shade(kind=kind.value, path=path))
    return Shading(shades=tuple(shades), strips=strips)


def _boxes(starts: np.ndarray, ends: np.ndarray) -> Iterator[str]:
    for start, end in zip(np.rint(starts).astype(int), np.rint(ends).astype(int), strict=True):
        if end > start:
            yield f"M{start} 0h{end - start}v{HEIGHT}h{start - end}z"


def _stripped(
    starts: np.ndarray, ends: np.ndarray, codes: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Strips of equal width with the kind that fills most; equal neighbours are one."""
    edges = np.linspace(0.0, WIDTH, _STRIPS + 1)
    filled = np.zeros((_STRIPS, int(codes.max()) + 1))
    for code in range(filled.shape[1]):
        chosen = codes == code
        corners = np.stack([starts[chosen], ends[chosen]], axis=1).ravel()
        lengths = np.diff(corners, prepend=0.0)
        lengths[0::2] = 0.0  # nothing of this kind before its next start
        if len(corners):
            so_far = np.interp(edges, corners, np.cumsum(lengths))
            filled[:, code] = np.diff(so_far)
    most = np.argmax(filled, axis=1)
    change = np.flatnonzero(np.diff(most, prepend=-1))
    return edges[change], edges[np.append(change[1:], _STRIPS)], most[change]
