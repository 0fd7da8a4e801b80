"""The smallest fixes of failing points, every one judged again in the changed job."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from planner.fixes import changes
from planner.fixes.bench import PointCheck, changed_bench
from planner.fixes.branch import limits_for_branch
from planner.fixes.feature_axis import FeatureAxes
from planner.fixes.fix import Fix, FixKind, Others
from planner.fixes.kinds import Distances, Shifts, Styluses, Tilts, row_of
from planner.fixes.search import ChangeCandidate, ChangeSpace, smallest
from planner.job import Job
from planner.reach.placement import place
from planner.reach.reach import some_points
from robots.core.arrays import Indices, Mask

LIMIT = 3  # points of one plan that are worked on
OFFERED_CONE = np.radians(15.0)  # of tilts that are offered though the job allows none
_MOST_OTHERS = 100  # other points that are looked at
# What was found is rounded, and the part may be in the way: the next larger amounts are tried.
_LARGER = (1.0, 1.005, 1.02, 1.05, 1.15, 1.4, 2.0, 3.0)

Makes = Callable[[ChangeCandidate, float], Fix]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FixSearch:
    """What was found for one point.

    Args:
        fixes: the preferred one first.
        without: for each kind that gave none, why, in the order of kinds.
    """

    fixes: tuple[Fix, ...]
    without: tuple[tuple[FixKind, str], ...]


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

    def __init__(self, job: Job, bench: PointCheck | None = None) -> None:
        self.job = job
        self.bench = PointCheck(job) if bench is None else bench

    def search(self, name: str, *, others: bool = True) -> FixSearch:
        """The smallest fix of every kind for one point.

        Args:
            name: of the point; one that is served needs none.
            others: whether it is told what a fix does to the other points.
        """
        return FixSearch(fixes=(), without=()) if self.serves(name) else self._search(name, others)

    def _search(self, name: str, others: bool) -> FixSearch:
        point = _Point(self, name, others=others)
        fixes: list[Fix] = []
        without: list[tuple[FixKind, str]] = []
        for kind in FixKind:
            found, reason = point.of_kind(kind)
            fixes += found
            if not found:
                without.append((kind, reason))
        ranked = sorted(fixes, key=lambda fix: fix.rank)
        return FixSearch(fixes=tuple(ranked), without=tuple(without))

    def serves(self, name: str) -> bool:
        """Whether a point needs no fix: its line can be run by every branch a plan may take."""
        row = self.job.points.index(name)
        return not inward(self.job, row) and self.bench.holds(row_of(self.job, name))

    def others(self, fix: Fix, bench: PointCheck, row: int) -> Others:
        """What a fix does to the points but one.

        Args:
            fix: that is judged.
            bench: of its job.
            row: of the point that it serves.
        """
        rows = self._chosen[self._chosen != row]
        if rows.size == 0:
            return Others()
        before = self._served[self._chosen != row]
        after = bench.serves(some_points(place(fix.job), rows))
        names = self.job.points.names
        return Others(
            looked_at=rows.size,
            lost=tuple(names[k] for k in rows[before & ~after]),
            gained=tuple(names[k] for k in rows[~before & after]),
        )

    @cached_property
    def _chosen(self) -> Indices:
        """Points that stand for all others: all, or an even choice."""
        count = len(self.job.points)
        return np.unique(np.linspace(0, count - 1, min(count, _MOST_OTHERS)).round().astype(int))

    @cached_property
    def _served(self) -> Mask:
        return self.bench.serves(some_points(place(self.job), self._chosen))


class _Point:
    """The search for one point."""

    def __init__(self, finder: Finder, name: str, *, others: bool) -> None:
        self._finder, self._others = finder, others
        self._job, self._bench = finder.job, finder.bench
        self._row, self._one = finder.job.points.index(name), row_of(finder.job, name)

    @cached_property
    def _ahead(self) -> bool:
        """Whether the approach comes from outside, and the normal points there."""
        outside = bool(self._one.approach_cosines[0] > 0.0)
        return outside and not inward(self._job, self._row)

    @cached_property
    def _variations(self) -> PointCheck:
        return self._bench.of_variations(self._one)

    def of_kind(self, kind: FixKind) -> tuple[list[Fix], str]:
        """Verified fixes of one kind, or why there are none."""
        if kind is FixKind.BRANCH:
            found = self._verified(limits_for_branch(self._bench, self._one))
            return found, "no other branch serves the point as the job stands"
        if kind is FixKind.APPROACH:
            return self._approach()
        if not self._ahead:
            return [], "the probe comes through the material, whatever else is changed"
        if kind is FixKind.AXIS:
            return self._axis()
        if kind is FixKind.SHIFT and self._job.frame != "part":
            return [], "the points are given in the base frame and do not move with the part"
        searched, makes = self._searched(kind)
        change = smallest(searched)
        if change is None:
            return [], f"nothing was found {_scope(kind, searched)}"
        most = float(searched.longest(change.ray[None])[0])
        amounts = [change.amount * more for more in _LARGER if change.amount * more <= most]
        fixes = self._verified(makes(change, amount) for amount in amounts or [most])
        return fixes, f"what was found {_scope(kind, searched)} did not hold in the changed job"

    def _searched(self, kind: FixKind) -> tuple[ChangeSpace, Makes]:
        job, row, bench, one = self._job, self._row, self._variations, self._one
        if kind is FixKind.DISTANCE:
            return Distances(bench=bench, one=one), lambda found, amount: changes.other_distance(
                job, row, float(one.distances[0] + found.ray[0] * amount)
            )
        if kind is FixKind.STYLUS:
            return Styluses(bench=bench, one=one), lambda found, amount: changes.other_stylus(
                job, job.probe.stylus_length + float(found.ray[0]) * amount
            )
        if kind is FixKind.SHIFT:
            return Shifts(bench=bench, one=one), lambda found, amount: changes.shifted_part(
                job, amount * found.ray
            )
        tilts = Tilts(bench=bench, one=one, cone=job.approach.tilt or OFFERED_CONE)
        return tilts, lambda found, amount: changes.leaning_axis(
            job, row, tilts.backs(found.ray[None], np.array([amount]))[0], -one.axes[0]
        )

    def _axis(self) -> tuple[list[Fix], str]:
        """One axis for the feature of the point, or for all points where it is of none."""
        axes = FeatureAxes(self._bench, self._job, self._row)
        before = self._one.axes[0]
        fixes = (changes.feature_axis(self._job, self._row, one, before) for one in axes.found())
        whom = f"the points of {axes.feature}" if axes.feature else "all points"
        return self._verified(fixes), f"no direction of the stylus that is one for {whom} was found"

    def _approach(self) -> tuple[list[Fix], str]:
        """For a point that is approached through the material."""
        if self._ahead:
            return [], "the approach comes from outside"
        fixes = [changes.turned_normal(self._job, self._row, self._one.normals[0])]
        if not self._one.along_normal[0]:
            fixes.append(changes.along_the_normals(self._job, self._row))
        good = [kept for fix in fixes for kept in self._verified([fix])]
        return good, "neither the normal turned around nor an approach along it serves the point"

    def _verified(self, fixes: Iterable[Fix]) -> list[Fix]:
        """The first fix whose job serves the point, if any does."""
        for fix in fixes:
            bench = changed_bench(self._bench, fix.job)
            one = some_points(place(fix.job), np.array([self._row]))
            if inward(fix.job, self._row) or not bench.holds(one):
                continue
            alone = fix.alone or not self._others
            others = None if alone else self._finder.others(fix, bench, self._row)
            return [replace(fix, verified=True, others=others)]
        return []


def inward(job: Job, row: int) -> bool:
    """Whether the part's surface says that a point's normal points into the material."""
    return job.surface is not None and job.points.names[row] in job.surface.normals.inward_names()


def _scope(kind: FixKind, searched: ChangeSpace) -> str:
    """Among what was looked for."""
    most = searched.longest(searched.rays)
    if kind is FixKind.TILT:
        return f"within {np.degrees(most[0]):g} deg of the probe axis"
    if kind is FixKind.SHIFT:
        return f"within {1e3 * most[0]:g} mm"
    return f"from {1e3 * max(most[0], 0.0):.0f} mm shorter to {1e3 * most[1]:.0f} mm longer"
