"""The smallest fixes of failing points, every one judged again in the changed job."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from planner.fixes import changes
from planner.fixes.bench import Bench, changed_bench
from planner.fixes.branch import limits_for_branch
from planner.fixes.fix import Fix, Kind, Others
from planner.fixes.kinds import Distances, Shifts, Styluses, Tilts, row_of
from planner.fixes.search import Changes, Found, smallest
from planner.job import Job
from planner.placement import PlacedPoints, place
from planner.reach.reach import some_points

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

LIMIT = 3  # points of one plan that are worked on
OFFERED_CONE = np.radians(15.0)  # of tilts that are offered though the job allows none
_MOST_OTHERS = 100  # other points that are looked at
# What was found is rounded, and the part may be in the way: the next larger amounts are tried.
_LARGER = (1.0, 1.005, 1.02, 1.05, 1.15, 1.4, 2.0, 3.0)

Makes = Callable[[Found, float], Fix]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Search:
    """What was found for one point.

    Args:
        fixes: the preferred one first.
        without: for each kind that gave none, why, in the order of kinds.
    """

    fixes: tuple[Fix, ...]
    without: tuple[tuple[Kind, str], ...]


def smallest_fixes(
    job: Job, points: Sequence[str], limit: int = LIMIT, *, others: bool = True
) -> dict[str, tuple[Fix, ...]]:
    """The fixes of failing points, the preferred one of each first.

    Args:
        job: as it was planned.
        points: names of points that fail.
        limit: how many of them are worked on: the first ones.
        others: whether it is told what a fix does to the other points.
    """
    finder = Finder(job)
    return {name: finder.search(name, others=others).fixes for name in points[:limit]}


class Finder:
    """Looks for fixes of one job's points.

    Args:
        job: to be fixed.
        bench: of the job, where there is one.
    """

    def __init__(self, job: Job, bench: Bench | None = None) -> None:
        self.job = job
        self.bench = Bench(job) if bench is None else bench

    def search(self, name: str, *, others: bool = True) -> Search:
        """The smallest fix of every kind for one point.

        Args:
            name: of the point; one that is served needs none.
            others: whether it is told what a fix does to the other points.
        """
        one = row_of(self.job, name)
        row = self.job.points.index(name)
        fixes: list[Fix] = []
        without: list[tuple[Kind, str]] = []
        if self.serves(name):
            return Search(fixes=(), without=())
        for kind in Kind:
            found, reason = self._of_kind(kind, one, row)
            fixes += found
            if not found:
                without.append((kind, reason))
        if others:
            fixes = [self._with_others(fix, row) for fix in fixes]
        ranked = sorted(fixes, key=lambda fix: fix.rank)
        return Search(fixes=tuple(ranked), without=tuple(without))

    def serves(self, name: str) -> bool:
        """Whether a point needs no fix: its line can be run by every branch a plan may take."""
        one, row = row_of(self.job, name), self.job.points.index(name)
        return self._holds(self.bench, one, inside=inward(self.job, row))

    def _of_kind(self, kind: Kind, one: PlacedPoints, row: int) -> tuple[list[Fix], str]:
        """Verified fixes of one kind, or why there are none."""
        if kind is Kind.BRANCH:
            return self._verified(limits_for_branch(self.bench, one), row), (
                "no other branch serves the point as the job stands"
            )
        if kind is Kind.APPROACH:
            return self._approach(one, row)
        if not self._ahead(one, row):
            return [], "the probe comes through the material, whatever else is changed"
        if kind is Kind.SHIFT and self.job.frame != "part":
            return [], "the points are given in the base frame and do not move with the part"
        searched, makes = self._searched(kind, one, row)
        found = smallest(searched)
        if found is None:
            return [], f"nothing was found {_scope(kind, searched)}"
        most = float(searched.longest(found.ray[None])[0])
        amounts = [found.amount * more for more in _LARGER if found.amount * more <= most]
        fixes = self._verified((makes(found, amount) for amount in amounts or [most]), row)
        return fixes, f"what was found {_scope(kind, searched)} did not hold in the changed job"

    def _searched(self, kind: Kind, one: PlacedPoints, row: int) -> tuple[Changes, Makes]:
        job, bench = self.job, self.bench.of_variations(one)
        if kind is Kind.DISTANCE:
            return Distances(bench=bench, one=one), lambda found, amount: changes.other_distance(
                job, job.approach.distance + float(found.ray[0]) * amount
            )
        if kind is Kind.STYLUS:
            return Styluses(bench=bench, one=one), lambda found, amount: changes.other_stylus(
                job, job.probe.stylus_length + float(found.ray[0]) * amount
            )
        if kind is Kind.SHIFT:
            return Shifts(bench=bench, one=one), lambda found, amount: changes.shifted_part(
                job, amount * found.ray
            )
        tilts = Tilts(bench=bench, one=one, cone=job.approach.tilt or OFFERED_CONE)
        return tilts, lambda found, amount: changes.leaning_axis(
            job, row, tilts.normals(found.ray[None], np.array([amount]))[0], one.normals[0]
        )

    def _approach(self, one: PlacedPoints, row: int) -> tuple[list[Fix], str]:
        """For a point that is approached through the material."""
        if self._ahead(one, row):
            return [], "the approach comes from outside"
        fixes = [changes.turned_normal(self.job, row, one.normals[0])]
        if not self.job.approach.along_normal:
            fixes.append(changes.along_the_normals(self.job))
        good = [fix for fix in fixes for fix in self._verified([fix], row)]
        return good, "neither the normal turned around nor an approach along it serves the point"

    def _ahead(self, one: PlacedPoints, row: int) -> bool:
        """Whether the approach comes from outside, and the normal points there."""
        return bool(one.approach_cosines[0] > 0.0) and not inward(self.job, row)

    def _verified(self, fixes: Iterable[Fix], row: int) -> list[Fix]:
        """The first fix whose job serves the point, if any does."""
        for fix in fixes:
            bench = changed_bench(self.bench, fix.job)
            one = some_points(place(fix.job), np.array([row]))
            if self._holds(bench, one, inside=inward(fix.job, row)):
                return [replace(fix, verified=True)]
        return []

    @staticmethod
    def _holds(bench: Bench, one: PlacedPoints, *, inside: bool) -> bool:
        return not inside and bool(bench.serves(one)[0]) and bench.movable(one)

    def _with_others(self, fix: Fix, row: int) -> Fix:
        """A fix with what it does to other points; one of a single point's normal does nothing."""
        if fix.place.startswith("point "):
            return fix
        rows = np.array([k for k in self._chosen.tolist() if k != row], dtype=np.int64)
        if rows.size == 0:
            return replace(fix, others=Others())
        before = self._served[np.isin(self._chosen, rows)]
        after = changed_bench(self.bench, fix.job).serves(some_points(place(fix.job), rows))
        names = self.job.points.names
        others = Others(
            looked_at=rows.size,
            lost=tuple(names[k] for k in rows[before & ~after]),
            gained=tuple(names[k] for k in rows[~before & after]),
        )
        return replace(fix, others=others)

    @cached_property
    def _chosen(self) -> NDArray[np.int64]:
        """Points that stand for all others: all, or an even choice."""
        count = len(self.job.points)
        return np.unique(np.linspace(0, count - 1, min(count, _MOST_OTHERS)).round().astype(int))

    @cached_property
    def _served(self) -> Mask:
        return self.bench.serves(some_points(place(self.job), self._chosen))


def inward(job: Job, row: int) -> bool:
    """Whether the part's surface says that a point's normal points into the material."""
    return job.surface is not None and job.points.names[row] in job.surface.normals.inward_names()


def _scope(kind: Kind, searched: Changes) -> str:
    """Among what was looked for."""
    most = searched.longest(searched.rays)
    if kind is Kind.TILT:
        return f"within {np.degrees(most[0]):g} deg of the normal"
    if kind is Kind.SHIFT:
        return f"within {1e3 * most[0]:g} mm"
    return f"from {1e3 * max(most[0], 0.0):.0f} mm shorter to {1e3 * most[1]:.0f} mm longer"
