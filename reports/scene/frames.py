"""Frames of a player that shows one posture until the next: in real time, not too many."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reports.scene.model import SceneMotion
from robots.core.arrays import Array

RATE = 60.0  # frames per second, at most
MOST = 6_000
_RATE_STEP = 0.05


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Frames:
    """Postures and when they are shown.

    Args:
        t: rising, from 0 to the end of the motion. # (k,) [s]
        q: # (k, n) [rad or m]
        rate: of frames between the borders of segments; a longer motion has a lower one. [1/s]
        whole: whether every border of a segment, so every contact, has its frame.
    """

    t: Array
    q: Array
    rate: float
    whole: bool


def frames(motion: SceneMotion, most: int = MOST) -> Frames:
    """Frames of a motion: one at every border of a segment, others evenly between.

    Args:
        motion: of the scene.
        most: frames.
    """
    borders = motion.borders
    whole = len(borders) <= most
    if not whole:
        borders = borders[np.unique(np.linspace(0, len(borders) - 1, most).astype(np.int64))]
    rate = _rate(borders, most)
    t = _instants(borders, rate)
    return Frames(t=t, q=motion.at(t), rate=rate, whole=whole)


def _rate(borders: Array, most: int) -> float:
    """The highest rate, up to ``RATE``, that keeps to so many frames."""
    if len(_instants(borders, RATE)) <= most:
        return RATE
    low, high = 0.0, RATE
    while high - low > _RATE_STEP:
        middle = (low + high) / 2.0
        low, high = (middle, high) if len(_instants(borders, middle)) <= most else (low, middle)
    return low


def _instants(borders: Array, rate: float) -> Array:
    """Borders, and between each two as many instants as the rate asks for."""
    counts = np.maximum(np.ceil(np.diff(borders) * rate - 1e-9).astype(np.int64), 1)
    first = np.repeat(borders[:-1], counts)
    step = np.repeat(np.diff(borders) / counts, counts)
    place = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.append(first + place * step, borders[-1])
