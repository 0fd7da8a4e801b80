"""place(job): where the part should stand, how far off it may be fixtured, and what is in reach."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from planner.job import Job
from planner.part_pose.best_pose import Placing, PlannedPose, best_pose
from planner.part_pose.bounds import FixturingErrorKind
from planner.part_pose.moved import visiting_order
from planner.part_pose.rating import PoseRating
from planner.part_pose.tolerance import MisFixturing, has_closed_form, mis_fixturing
from planner.plan import or_nan
from planner.progress import Progress, silent
from robots.core.arrays import Array

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Placement:
    """The place of a part before its robot.

    Args:
        placing: the given and the best pose, each with its plan.
        tolerances: of the best pose, one for each kind of error; none where the work was
            interrupted before, or where they would take many plans of a job that fails anyway.
        maps: of the reach around the given and the best pose; None where none was asked for.
    """

    placing: Placing
    tolerances: tuple[MisFixturing, ...]
    maps: tuple[ReachMap, ReachMap] | None

    @property
    def feasible(self) -> bool:
        """Whether every point is measured from the best pose."""
        return self.placing.feasible

    @property
    def pose(self) -> Array:
        """T_base_part of the best pose, as ``Job`` takes it. # (4, 4)."""
        return self.placing.best.pose.T

    @property
    def poses(self) -> DataFrame:
        """The given and the best pose: translation, measurable points, margins, time, energy."""
        import pandas as pd

        rows = [_pose_cells(standing) for standing in (self.placing.given, self.placing.best)]
        return pd.DataFrame(rows, index=pd.Index(["given", "best"], name="pose"))

    def to_frame(self) -> DataFrame:
        """The tolerances: how far the part may be off, and what fails first; in m and rad."""
        import pandas as pd

        rows = [
            {
                "kind": found.kind.value,
                "size": found.size,
                "proven": np.nan if found.proven is None else found.proven,
                "unit": "m" if found.kind is FixturingErrorKind.TRANSLATION else "rad",
                "first_point": "" if found.first is None else found.first.point,
                "first_limit": "" if found.first is None else found.first.limit,
            }
            for found in self.tolerances
        ]
        columns = ("kind", "size", "proven", "unit", "first_point", "first_limit")
        return pd.DataFrame(rows, columns=list(columns))

    def __repr__(self) -> str:
        """Verdict, pose, what it gains."""
        return "\n".join(self._lines())

    def _repr_html_(self) -> str:
        """The same with both poses, for notebooks."""
        head = "<br>".join(escape(line) for line in self._lines())
        return f"<div><p>{head}</p>{self.poses.T.to_html()}</div>"

    def _lines(self) -> Iterator[str]:
        found, given = self.placing, len(self.placing.given.measurable)
        measurable = f"{len(found.best.measurable)} of {len(found.job.points)} points measurable"
        yield f"Placement of {found.job.name[:80]!r}: {measurable} ({given} as given)"
        yield f"  {found.best.pose.line}"
        stopped = "; interrupted: the best so far" if found.interrupted else ""
        yield f"  {found.tried} poses judged, {found.planned} planned{stopped}"


def place(job: Job, progress: Progress = silent, *, maps: bool = False) -> Placement:
    """Search for the best pose of a job's part, and compute the tolerance of its plan.

    An interrupt ends the work with what there is by then.

    Args:
        job: with points in the part's frame; its ``place`` says where to look.
        progress: told how far the work is; it may interrupt.
        maps: whether the reach is mapped, which takes most of the time.

    Raises:
        JobError: the points are given in the base frame.
        RobotError: the robot cannot do such a job.
        KeyboardInterrupt: before any pose was judged and planned.
    """
    placing = best_pose(job, progress)
    tolerances: tuple[MisFixturing, ...] = ()
    found_maps: tuple[ReachMap, ReachMap] | None = None
    if not placing.interrupted:
        with suppress(KeyboardInterrupt):  # the pose itself is found
            if placing.feasible or has_closed_form(placing.best.plan):
                tolerances = tuple(
                    mis_fixturing(placing.best.plan, kind, progress) for kind in FixturingErrorKind
                )
            if maps:
                found_maps = reach_maps(placing, progress)
    return Placement(placing=placing, tolerances=tolerances, maps=found_maps)


def _pose_cells(standing: PlannedPose) -> dict[str, object]:
    x, y, z = standing.pose.translation_mm
    rz, ry, rx = standing.pose.rotation_zyx_deg
    clearance = standing.clearance
    return {
        **{"x_mm": x, "y_mm": y, "z_mm": z},
        **{"rotation_z_deg": rz, "rotation_y_deg": ry, "rotation_x_deg": rx},
        "points_served": len(standing.measurable),
        "feasible": standing.plan.feasible,
        "worst_margin_deg": float(np.degrees(standing.margin)),
        "singularity_margin": standing.singularity_margin,
        "min_clearance_mm": np.nan if clearance is None else 1e3 * clearance,
        "duration_s": standing.plan.totals.duration,
        "energy_j": or_nan(standing.plan.totals.energy),
    }


# --- what is in reach ----------------------------------------------------------------------------

_CELLS = 41  # along x and y
_EVALUATIONS = 40_000  # points of poses judged for one map, at most
_FEWEST = 9
_LEAST = 0.1  # what a map shows about the poses at least [m]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ReachMap:
    """A grid of places of the part's origin, everything else as in one pose.

    Within reach is less than measurable: some branch keeps joint limits and singularities along
    the line of the point, and clears the obstacles at both of its ends. What the part itself, the
    travels and the torques forbid only a plan says; those of the two poses stand beside their maps.

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
