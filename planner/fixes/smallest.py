"""The smallest fixes of failing points, every one judged again in the changed job."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

import numpy as np

from planner.fixes.bench import PointCheck, changed_bench
from planner.fixes.feature_axis import FeatureAxes
from planner.fixes.fix import (
    Fix,
    FixKind,
    Others,
    along_the_normals,
    feature_axis,
    leaning_axis,
    other_distance,
    other_stylus,
    shifted_part,
    turned_normal,
)
from planner.fixes.kinds import Distances, Shifts, Styluses, Tilts, row_of
from planner.job import Job
from planner.plan import PlacedPoints
from planner.reach.lines import Lines
from planner.reach.margins import required_margins
from planner.reach.placement import place
from planner.reach.reach import some_points
from robots.core.arrays import Array, Indices, Mask
from robots.core.file_units import degrees_text, millimetres_text
from robots.core.mechanism import Joint

OFFERED_CONE = np.radians(15.0)  # of tilts that are offered though the job allows none
_MOST_OTHERS = 100  # other points that are looked at
# What was found is rounded, and the part may be in the way: the next larger amounts are tried.
_LARGER = (1.0, 1.005, 1.02, 1.05, 1.15, 1.4, 2.0, 3.0)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ChangeCandidate:
    """A change.

    Args:
        ray: which way. # (d,)
        amount: how far.
    """

    ray: Array
    amount: float


Makes = Callable[[ChangeCandidate, float], Fix]
_PLACES = np.linspace(0.0, 1.0, 17)
_APART = np.radians(1.0)  # [rad or m] branches nearer than this are not told apart by a limit


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FixSearch:
    """What was found for one point.

    Args:
        fixes: the preferred one first.
        without: for each kind that gave none, why, in the order of kinds.
    """

    fixes: tuple[Fix, ...]
    without: tuple[tuple[FixKind, str], ...]


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
            return Distances(bench=bench, one=one), lambda found, amount: other_distance(
                job, row, float(one.distances[0] + found.ray[0] * amount)
            )
        if kind is FixKind.STYLUS:
            return Styluses(bench=bench, one=one), lambda found, amount: other_stylus(
                job, job.probe.stylus_length + float(found.ray[0]) * amount
            )
        if kind is FixKind.SHIFT:
            return Shifts(bench=bench, one=one), lambda found, amount: shifted_part(
                job, amount * found.ray
            )
        tilts = Tilts(bench=bench, one=one, cone=job.approach.tilt or OFFERED_CONE)
        return tilts, lambda found, amount: leaning_axis(
            job, row, tilts.backs(found.ray[None], np.array([amount]))[0], -one.axes[0]
        )

    def _axis(self) -> tuple[list[Fix], str]:
        """One axis for the feature of the point, or for all points where it is of none."""
        axes = FeatureAxes(self._bench, self._job, self._row)
        before = self._one.axes[0]
        fixes = (feature_axis(self._job, self._row, one, before) for one in axes.found())
        whom = f"the points of {axes.feature}" if axes.feature else "all points"
        return self._verified(fixes), f"no direction of the stylus that is one for {whom} was found"

    def _approach(self) -> tuple[list[Fix], str]:
        """For a point that is approached through the material."""
        if self._ahead:
            return [], "the approach comes from outside"
        fixes = [turned_normal(self._job, self._row, self._one.normals[0])]
        if not self._one.along_normal[0]:
            fixes.append(along_the_normals(self._job, self._row))
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


# ------------------------------------------------------------------------------------------ Search
# A change is a ray (which way) and an amount (how far). Nothing proves that there is no smaller
# one: what serves may lie between the steps that are tried.

_ANGLES = np.radians([25.0, 12.0, 6.0, 3.0, 1.5])  # of rays beside the best one
_SHORTER = np.array([0.7, 0.85, 0.93, 0.97, 0.99])  # of the best amount, tried beside it
_TURNS = 4  # at one angle, while it helps
_FOLLOWED = 6  # rays from the coarse grid
_PER_STEP = 4


class ChangeSpace(Protocol):
    """Changes of one kind."""

    @property
    def finer(self) -> tuple[int, int]:
        """Amounts tried between two at once, and in how many rounds."""

    @property
    def rays(self) -> Array:
        """Ways to change. # (r, d)."""

    @property
    def steps(self) -> Array:
        """Amounts that are tried first, rising. # (s,)."""

    def longest(self, rays: Array) -> Array:
        """Largest amount along rays. # (m, d) -> (m,)."""

    def possible(self, rays: Array, amounts: Array) -> Mask:
        """Changes that a quick look does not rule out. # (m, d), (m,) -> (m,)."""

    def serves(self, rays: Array, amounts: Array) -> Mask:
        """Changes that serve the point. # (m, d), (m,) -> (m,)."""

    def around(self, ray: Array, angle: float) -> Array:
        """Rays at an angle from one; none where there are no others. # (d,) -> (m, d)."""


def smallest(changes: ChangeSpace, *, per_step: int = _PER_STEP) -> ChangeCandidate | None:
    """The smallest change found that serves; None where none does.

    Args:
        changes: of one kind.
        per_step: rays that are judged of those that pass the quick look, at every amount.
    """
    grid = _grid(changes)
    some = grid.thinned(per_step)
    served = some[changes.serves(grid.rays[some], grid.amounts[some])]
    if served.size == 0:
        return None
    # At that amount every ray gets its chance, not only those that stood for the others.
    least = grid.amounts[served[0]]
    same = np.nonzero(grid.amounts == least)[0]
    rest = np.setdiff1d(same, some)
    others = rest[changes.serves(grid.rays[rest], grid.amounts[rest])]
    follow = np.concatenate([served[grid.amounts[served] == least], others])[:_FOLLOWED]
    return _beside(changes, _finer(changes, grid.rays[follow], grid.amounts[follow]))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Grid:
    """Changes that pass the quick look, by rising amount. # (m, d), (m,)."""

    rays: Array
    amounts: Array

    def thinned(self, most: int) -> Indices:
        """Rows with at most so many of every amount, spread evenly over them."""
        _, first, count = np.unique(self.amounts, return_index=True, return_counts=True)
        rows = [
            start + np.unique(np.linspace(0, size - 1, min(size, most)).round().astype(np.int64))
            for start, size in zip(first.tolist(), count.tolist(), strict=True)
        ]
        return np.concatenate([np.zeros(0, dtype=np.int64), *rows])


def _grid(changes: ChangeSpace) -> _Grid:
    rays, steps = changes.rays, changes.steps
    ray = np.tile(np.arange(len(rays)), steps.size)
    amount = np.repeat(steps, len(rays))
    short = amount <= changes.longest(rays)[ray]
    ray, amount = ray[short], amount[short]
    good = changes.possible(rays[ray], amount)
    return _Grid(rays=rays[ray[good]], amounts=amount[good])


def _finer(changes: ChangeSpace, rays: Array, amounts: Array) -> ChangeCandidate:
    """The smallest change along some rays, between what serves and the step before it."""
    before = np.searchsorted(changes.steps, amounts * (1.0 - 1e-12)) - 1
    low = np.where(before >= 0, changes.steps[np.maximum(before, 0)], 0.0)
    high = amounts.copy()
    count, rounds = changes.finer
    shares = np.arange(1, count + 1) / (count + 1)
    for _ in range(rounds):
        tried = low[:, None] + (high - low)[:, None] * shares
        good = changes.serves(np.repeat(rays, count, axis=0), tried.ravel()).reshape(tried.shape)
        tried = np.concatenate([low[:, None], tried, high[:, None]], axis=1)
        first = np.argmax(np.concatenate([good, np.ones((len(good), 1), bool)], axis=1), axis=1) + 1
        each = np.arange(len(rays))
        low, high = tried[each, first - 1], tried[each, first]
        # Rays that cannot win any more are left.
        keep = low < high.min()
        rays, low, high = rays[keep], low[keep], high[keep]
    best = int(np.argmin(high))
    return ChangeCandidate(ray=rays[best], amount=float(high[best]))


def _beside(changes: ChangeSpace, best: ChangeCandidate) -> ChangeCandidate:
    """A smaller change along rays beside the best one."""
    for angle in _ANGLES:
        for _ in range(_TURNS):
            rays = changes.around(best.ray, float(angle))
            if len(rays) == 0:
                return best
            amounts = np.tile(best.amount * _SHORTER, len(rays))
            rays = np.repeat(rays, _SHORTER.size, axis=0)
            amounts = np.where(amounts <= changes.longest(rays), amounts, np.inf)
            rows = np.nonzero(np.isfinite(amounts))[0]
            served = rows[changes.serves(rays[rows], amounts[rows])]
            if served.size == 0:
                break
            k = served[np.argmin(amounts[served])]
            best = ChangeCandidate(ray=rays[k], amount=float(amounts[k]))
    return best


def limits_for_branch(bench: PointCheck, one: PlacedPoints) -> Iterator[Fix]:
    """Limits that shut out the branches whose torque no speed keeps within bounds.

    A plan chooses branches by time, and only then sees that a joint is too weak for one.

    Args:
        bench: of the job.
        one: the point.
    """
    usable = bench.usable(one)
    lines, rows = usable.found.lines, usable.rows
    heavy = bench.heavy(lines, rows)
    bad, good = rows[heavy], rows[~heavy]
    if bad.size == 0 or good.size == 0:
        return
    low, high = _ranges(lines, bad)
    asked = required_margins(bench.job.mechanism, bench.job.checks.joint_margin)
    for row in good.tolist():
        own_low, own_high = (ends[0] for ends in _ranges(lines, np.array([row])))
        above = np.min(high, axis=0) - own_high
        below = own_low - np.max(low, axis=0)
        for joint in np.argsort(-np.maximum(above, below), kind="stable").tolist():
            if max(above[joint], below[joint]) < _APART:
                break
            upper = above[joint] >= below[joint]
            edge = own_high[joint] + asked[joint] + above[joint] / 2.0
            if not upper:
                edge = own_low[joint] - asked[joint] - below[joint] / 2.0
            yield _fix(bench.job, lines.branch(row), joint, (bool(upper), float(edge)))


def _ranges(lines: Lines, rows: Indices) -> tuple[Array, Array]:
    """Least and greatest joints along lines. # (m, n) each."""
    q = lines.joints(np.repeat(rows, _PLACES.size), np.tile(_PLACES, rows.size))
    q = q.reshape(rows.size, _PLACES.size, -1)
    return np.min(q, axis=1), np.max(q, axis=1)


def _fix(job: Job, branch: str, joint: int, limit: tuple[bool, float]) -> Fix:
    upper, edge = limit
    movable = job.mechanism.movable[joint]
    angular = movable.kind.angular
    shown = round(float(np.degrees(edge)) if angular else 1e3 * edge, 1) + 0.0
    value = float(np.radians(shown)) if angular else shown / 1e3
    limited = replace(movable, q_max=value) if upper else replace(movable, q_min=value)
    line = f"limits.{movable.name} = {{ {_limits(limited)} }}"
    joints = tuple(limited if item is movable else item for item in job.mechanism.joints)
    return Fix(
        kind=FixKind.BRANCH,
        amount=0.0,
        unit="deg" if angular else "mm",
        sentence=f'branch "{branch}" keeps everything; {line} in [robot] leaves it to the plan',
        place="[robot]",
        line=line,
        job=replace(job, mechanism=replace(job.mechanism, joints=joints)),
    )


def _limits(joint: Joint) -> str:
    """Both limits of a joint as a job file writes them; one that is infinite is left out."""
    text, unit = (degrees_text, "deg") if joint.kind.angular else (millimetres_text, "mm")
    ends = (("min", joint.q_min), ("max", joint.q_max))
    return ", ".join(f"{key}_{unit} = {text(end)}" for key, end in ends if np.isfinite(end))
