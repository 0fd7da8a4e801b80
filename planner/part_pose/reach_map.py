"""Reach map over shifts of the part along x and y: points within reach, worst margin.

Within reach is less than measurable: some branch keeps joint limits and singularities along the
line of the point, and clears the obstacles at both of its ends. What the part itself, the travels
and the torques forbid only a plan says; those of the two poses stand beside their maps.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.part_pose.best_pose import Placing, PlannedPose
from planner.part_pose.moved import visiting_order
from planner.part_pose.rating import PoseRating
from planner.progress import Progress, silent
from robots.core.arrays import Array

_CELLS = 41  # along x and y
_EVALUATIONS = 40_000  # points of poses judged for one map, at most
_FEWEST = 9
_LEAST = 0.1  # what a map shows about the poses at least [m]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ReachMap:
    """A grid of places of the part's origin, everything else as in one pose.

    Args:
        standing: the pose that is shifted.
        x: base x of the part's origin. # (nx,) [m]
        y: base y. # (ny,) [m]
        points: part of the judged points that is within reach. # (ny, nx)
        judged: points that were judged; of a large job they stand for all.
        margin: worst margin of what is within reach; NaN where nothing is. # (ny, nx) [rad]
        allowed: least and greatest x, then y, that the job allows. # (2, 2) [m]
    """

    standing: PlannedPose
    x: Array
    y: Array
    points: Array
    judged: int
    margin: Array
    allowed: Array


def reach_maps(placing: Placing, progress: Progress = silent) -> tuple[ReachMap, ReachMap]:
    """Maps around the given and the best pose, over the same places.

    Args:
        placing: what was found.
        progress: told how far the work is.
    """
    judge = PoseRating(placing.job, visiting_order(placing.best.plan))
    cells = int(
        np.clip(np.sqrt(judge.effort * _EVALUATIONS / max(judge.points, 1)), _FEWEST, _CELLS)
    )
    x, y = (_places(placing, axis, cells) for axis in (0, 1))
    maps = []
    for done, standing in enumerate((placing.given, placing.best)):
        progress("maps", done, 2)
        maps.append(_map(judge, placing, standing, (x, y)))
    progress("maps", 2, 2)
    return maps[0], maps[1]


def _places(placing: Placing, axis: int, cells: int) -> Array:
    """Allowed places along an axis, widened to hold both poses with something about them."""
    given = placing.space.T_given[axis, 3]
    low, high = given + placing.space.low[axis], given + placing.space.high[axis]
    for standing in (placing.given, placing.best):
        place = standing.pose.T[axis, 3]
        low, high = min(low, place - _LEAST), max(high, place + _LEAST)
    return np.linspace(low, high, cells)


def _map(
    judge: PoseRating, placing: Placing, standing: PlannedPose, places: tuple[Array, Array]
) -> ReachMap:
    x, y = places
    space = placing.space
    poses = np.tile(standing.pose.T, (y.size * x.size, 1, 1))
    poses[:, 0, 3], poses[:, 1, 3] = np.tile(x, y.size), np.repeat(y, x.size)
    scores = judge(poses)
    shape = (y.size, x.size)
    margin = np.where(scores.points > 0.0, scores.margin, np.nan)
    return ReachMap(
        standing=standing,
        x=x,
        y=y,
        points=(scores.points / max(judge.points, 1)).reshape(shape),
        judged=judge.points,
        margin=margin.reshape(shape),
        allowed=space.T_given[:2, 3, None] + np.stack([space.low[:2], space.high[:2]], axis=1),
    )
