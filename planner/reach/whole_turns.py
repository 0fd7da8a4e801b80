"""Whole turns of joints that change nothing but how near a limit, or the next point, is."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np

from planner.reach.serial_task import SerialTask
from robots.arm.inverse import ROUNDING
from robots.core.arrays import Array, Indices

_TURN = 2.0 * np.pi
_TURNED = 2  # joints at once


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Turned:
    """Lines with the whole turns that limits allow.

    Args:
        row: which line of the input each one is. # (c,)
        shift: added to its joints. # (c, n) [rad]
    """

    row: Indices
    shift: Array


def turned(task: SerialTask, q: Array, most: int) -> Turned:
    """The whole turns that keep each line within its limits, widest margins first.

    A line that no turn brings within limits is kept once, as it is least beyond them.

    Args:
        task: for the limits.
        q: joints at places along each line. # (k, places, n) [rad or m]
        most: offered of each line.
    """
    shifts = _shifts(task)
    low, high = np.min(q, axis=1)[:, None] + shifts, np.max(q, axis=1)[:, None] + shifts
    mechanism = task.mechanism
    margins = np.minimum(low - mechanism.q_min, mechanism.q_max - high)
    margin = np.min(margins / task.units, axis=2)
    order = np.argsort(-margin, axis=1, kind="stable")[:, :most]
    good = np.take_along_axis(margin, order, axis=1) >= -ROUNDING
    good[:, :1] = True
    rows, columns = np.nonzero(good)
    return Turned(row=rows, shift=shifts[order[rows, columns]])


def _shifts(task: SerialTask) -> Array:
    """Combinations of turns of the joints that can go round; none first. # (s, n) [rad]."""
    mechanism = task.mechanism
    wide = task.angular & (mechanism.q_max - mechanism.q_min > _TURN)
    choices = [(0.0, -_TURN, _TURN) if can else (0.0,) for can in wide.tolist()]
    every = [turns for turns in product(*choices) if np.count_nonzero(turns) <= _TURNED]
    return np.array(sorted(every, key=np.count_nonzero))
