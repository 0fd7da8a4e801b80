"""The fewest poses that serve all points: greedy, then improved by exchange."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from robots.core.arrays import Array, Indices, Mask

_WIDE = np.radians(10.0)  # margins beyond it are equally good [rad]


def cover(margins: Array, most: int) -> tuple[int, ...]:
    """Poses by which as many points as possible are served, as few of them as can be found.

    Args:
        margins: of every point by every pose; 0 where it is not served. # (p, k) [rad]
        most: poses that may be used.
    """
    served = margins > 0.0
    worth = np.minimum(margins, _WIDE)
    chosen = _greedy(served, worth, most)
    while len(chosen) > 1:
        fewer = _exchanged(served, worth, chosen)
        if fewer is None:
            break
        chosen = fewer
    return tuple(_wider(served, worth, chosen))


def assigned(margins: Array, chosen: tuple[int, ...]) -> Indices:
    """Which of the chosen poses serves each point: that with the largest margin, -1 for none.

    Args:
        margins: as for ``cover``. # (p, k) [rad]
        chosen: poses.
    """
    if not chosen:
        return np.full(margins.shape[1], -1, dtype=np.int64)
    rows = np.array(chosen)
    best = np.argmax(np.minimum(margins[rows], _WIDE), axis=0)
    return np.where(np.any(margins[rows] > 0.0, axis=0), best, -1)


def _greedy(served: Mask, worth: Array, most: int) -> list[int]:
    """Pose after pose, each the one that serves the most of what is left."""
    left = np.ones(served.shape[1], dtype=bool)
    chosen: list[int] = []
    while len(chosen) < most:
        gains = np.sum(served & left, axis=1)
        if not gains.size or gains.max() == 0:
            break
        pick = _best(gains == gains.max(), np.sum(np.where(left, worth, 0.0), axis=1))
        chosen.append(pick)
        left &= ~served[pick]
    return chosen


def _exchanged(served: Mask, worth: Array, chosen: list[int]) -> list[int] | None:
    """One pose fewer for the same points: one left out, or two replaced by one; None: neither."""
    reached = np.any(served[chosen], axis=0)
    for out in (*combinations(chosen, 1), *combinations(chosen, 2)):
        kept = [k for k in chosen if k not in out]
        need = reached & ~np.any(served[kept], axis=0)
        if not need.any():
            return kept
        able = np.all(served[:, need], axis=1)
        if len(out) == 2 and able.any():
            return [*kept, _best(able, np.sum(worth[:, need], axis=1))]
    return None


def _wider(served: Mask, worth: Array, chosen: list[int]) -> list[int]:
    """Each pose exchanged for the one with the largest margins at what only it serves."""
    chosen = list(chosen)
    reached = np.any(served[chosen], axis=0) if chosen else np.zeros(served.shape[1], dtype=bool)
    for place in range(len(chosen)):
        others = chosen[:place] + chosen[place + 1 :]
        need = reached & ~np.any(served[others], axis=0)
        able = np.all(served[:, need], axis=1)
        least = np.min(np.where(need, worth, np.inf), axis=1)
        chosen[place] = _best(able, np.minimum(least, _WIDE) + 1e-3 * np.mean(worth, axis=1))
    return chosen


def _best(able: Mask, worth: Array) -> int:
    """The pose of the largest worth among the able; the first of equals."""
    return int(np.argmax(np.where(able, worth, -np.inf)))
