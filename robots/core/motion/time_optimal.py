"""Time-optimal traversal of joint paths, with a proven bound of how much faster a motion can be.

Speeds, accelerations and efforts keep their limits everywhere on the path, not at samples. Jerk is
not limited: the acceleration jumps where another limit takes over, as the trapezoid's does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from threading import local
from typing import NamedTuple

import numpy as np

from robots.core.arrays import Array, Indices, Mask
from robots.core.errors import MotionError, OverloadError
from robots.core.model import Model
from robots.core.motion.joint_limits import JointLimits
from robots.core.motion.joint_path import JointPath
from robots.core.motion.path_efforts import Panels, efforts_of, no_efforts
from robots.core.motion.phase_plane import BOUND, ROWS, SHAPE, SOLVE, Paths, Scratch, Shapes
from robots.core.rounding import apart_digits

GAP = 5e-3  # to the bound, at which cells are fine enough
# Cells of a piece to begin with: enough for the gap in most paths. Where efforts are limited, of
# a straight one and of a corner, powers of two: enough to say where finer ones are needed; those at
# rest, where friction may have either sign and x rises from zero, are halved again.
_FIRST_CELLS = 64
_FIRST_STRAIGHT, _FIRST_CURVED = 16, 32
_HALVED = 3
_AT_ONCE = 8  # paths worked on together: they stay in the processor's cache
_REFINEMENTS = 8
_BEARABLE = 2  # refinements after which an effort that no cell could bear is none to be borne
_FEW, _SPARED = 128, 0.4  # cells of a path; part of the gap that is asked of it then
_PARTS = 32  # that a cell is divided into at once
_UNSOLVED = 4  # where cells are too coarse for any motion
_UNEXPLAINED = 0.3  # of the time by which motion and bound differ on a cell
_PREDICTED = 1.8  # times the gap: bounds gain more from finer cells than motions do
_ROUNDS = 4  # in which √x of viscous friction settles
_OPEN = 1.1  # times a bound of x at coarse nodes: room for x between them
_SETTLED = 1e-4  # relative change of a duration


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Traversal:
    """A path from rest to rest in its least time, as arcs of constant r̈.

    Args:
        path: that is traversed.
        duration: [s]
        shortest: bound of the duration of every motion along the path that keeps the limits. [s]
        piece: of the path that each arc lies in. # (m,)
        place: where each arc starts, from the start of its piece. # (m,)
        rate: ṙ at its start. # (m,) [1/s]
        push: r̈. # (m,) [1/s²]
        seconds: how long it lasts. # (m,) [s]
    """

    path: JointPath
    duration: float
    shortest: float
    piece: Indices
    place: Array
    rate: Array
    push: Array
    seconds: Array

    @property
    def gap(self) -> float:
        """What the duration may be above the least one at most, relative to it."""
        return self.duration / self.shortest - 1.0


def time_optimal(
    paths: Sequence[JointPath],
    limits: JointLimits,
    model: Model | None = None,
    *,
    gap: float = GAP,
) -> list[Traversal]:
    """Traverse paths from rest to rest, each as fast as the limits allow within a proven gap.

    Args:
        paths: each with as many joints as the limits.
        limits: of speed and acceleration, and of efforts where they are finite.
        model: of the robot; needed where an effort is limited.
        gap: relative, to the bound of the least time; cells are made finer until it is kept, or
            until they are as fine as they get.

    Raises:
        MotionError: another number of joints; limited efforts without a model whose masses are
            known.
        OverloadError: an effort limit that does not even bear the robot at rest somewhere.
    """
    for path in paths:
        if path.dof != limits.dof:
            raise MotionError(
                f"The path has {path.dof} joints; there are limits for {limits.dof}.",
                found=path.dof,
                expected=limits.dof,
            )
    limited = bool(np.any(np.isfinite(limits.max_effort)))
    if limited and (model is None or not model.mechanism.masses_known):
        raise MotionError(
            "Efforts are limited but the robot's masses are not known; give a model with masses, "
            "or limits without max_effort."
        )
    model = model if limited else None
    some = [paths[first : first + _AT_ONCE] for first in range(0, len(paths), _AT_ONCE)]
    return [one for part in some for one in _traversed(part, limits, model, gap)]


def _traversed(
    paths: Sequence[JointPath], limits: JointLimits, model: Model | None, gap: float
) -> list[Traversal]:
    """Traverse some paths; efforts count where there is a model."""
    found: dict[int, Traversal] = {}
    waiting = list(range(len(paths)))
    panels = [] if model is None else [Panels.of(path, model) for path in paths]
    divisions = [
        _even(path, np.diff(panels[k].first) if panels else None) for k, path in enumerate(paths)
    ]
    for refinement in range(_REFINEMENTS):
        batch = _Batch(
            [paths[k] for k in waiting],
            limits,
            model,
            [panels[k] for k in waiting] if panels else [],
            [divisions[k] for k in waiting],
        )
        batch.solve(gap)
        if refinement >= _BEARABLE and np.any(batch.unsolved):
            raise batch.overload(int(np.argmax(batch.unsolved)))
        rough = batch.rough(gap)
        if refinement == _REFINEMENTS - 1 or not np.all(rough):
            found.update(zip(waiting, batch.traversals(), strict=True))
        if not np.any(rough):
            break
        waiting = [waiting[k] for k in np.flatnonzero(rough)]
        for k, division in zip(waiting, batch.finer(rough, gap), strict=True):
            divisions[k] = division
    return [found[k] for k in range(len(paths))]


class _Division(NamedTuple):
    """Cells of a path.

    Args:
        cells: of each piece. # (p,)
        nodes: the cells' ends from the start of each piece; x that is near that of the motion, and
            a bound of it, NaN where they are not known. # (3, nodes)
    """

    cells: Indices
    nodes: Array


def _even(path: JointPath, panels: Indices | None) -> _Division:
    """Cells to begin with.

    Args:
        path: to be divided.
        panels: of each piece, where efforts are limited: a cell lies in one of them.
    """
    if panels is None:
        count = np.where(path.straight, 1, _FIRST_CELLS)
        more = np.zeros((2, len(count)), dtype=np.int64)
    else:
        count = np.maximum(panels, np.where(path.straight, _FIRST_STRAIGHT, _FIRST_CURVED))
        rests = np.append(path.stops, True)
        more = np.where([rests[:-1], rests[1:]], _HALVED, 0)
    total = count + more[0] + more[1]
    p = np.repeat(np.arange(len(count)), total + 1)
    # Of a node the cells before it and after it, those that were halved at the end counted as none.
    before = np.arange(len(p)) - (np.cumsum(total + 1) - total - 1 + more[0])[p]
    after = (count[p] - before).astype(np.float64)
    place = before.astype(np.float64)
    near = np.flatnonzero(place < 0.5)
    place[near] = np.where(before[near] == -more[0, p[near]], 0.0, 0.5 ** (1.0 - place[near]))
    far = np.flatnonzero(after < 0.5)
    place[far] = count[p[far]] - np.where(
        after[far] == -more[1, p[far]], 0.0, 0.5 ** (1.0 - after[far])
    )
    nodes = np.full((3, len(p)), np.nan)
    nodes[0] = place * (path.length / count)[p]
    nodes[0, np.cumsum(total + 1) - 1] = path.length
    return _Division(total, nodes)


class _Batch:
    """Paths divided into cells, and what they are traversed in.

    Args:
        paths: to be traversed.
        limits: of the joints.
        model: None where no effort is limited.
        panels: of each path its efforts', where they are limited.
        divisions: of each path.
    """

    def __init__(
        self,
        paths: Sequence[JointPath],
        limits: JointLimits,
        model: Model | None,
        panels: Sequence[Panels],
        divisions: Sequence[_Division],
    ) -> None:
        self._paths, self._limits = paths, limits
        count = np.concatenate([one.cells for one in divisions])
        nodes = np.concatenate([one.nodes for one in divisions], axis=1)
        self.table = Paths(
            first=np.cumsum([0, *(len(path.length) for path in paths)]),
            length=np.concatenate([path.length for path in paths]),
            powers=np.ascontiguousarray(np.concatenate([path.powers for path in paths])),
            straight=np.concatenate([path.straight for path in paths]).astype(np.int64),
            stops=np.concatenate([path.stops for path in paths]).astype(np.int64),
            cells=np.concatenate([[0], np.cumsum(count)]),
            place=nodes[0].copy(),
        )
        n = limits.dof
        # Of every cell: its piece and path, its first node, its length; of every node: its piece.
        self._piece = np.repeat(np.arange(len(count)), count)
        self._path = np.repeat(np.arange(len(paths)), np.diff(self.table.first))[self._piece]
        self._node = np.arange(len(self._piece)) + self._piece
        self._h = self.table.place[self._node + 1] - self.table.place[self._node]
        self._piece_of_node = np.repeat(np.arange(len(count)), count + 1)
        self.efforts = no_efforts(n)
        if model is not None:
            self.efforts = efforts_of(self.table, Panels.together(panels), model, limits)
        most = int(np.max(np.bincount(self._path)))  # cells of one path
        cells = len(self._piece)
        self._shapes = Shapes(
            P=np.empty((cells, n, 4)), Q=np.empty((cells, n, 3)), ranges=np.empty((cells, n, 3))
        )
        fastest = np.empty(len(self.table.place))
        SHAPE(self.table, limits.max_speed, self._shapes, fastest)
        self._scratch = Scratch(
            rows=np.empty((ROWS * n, 2)),
            source=np.empty(ROWS * n, dtype=np.int64),
            made=np.empty(3 * n, dtype=np.int64),
            needed=np.empty(3 * n, dtype=np.int64),
            wide=_MEMORY.wide(4 * n * most),
            kept=np.empty((cells, 2), dtype=np.int64),
            falls=np.empty(len(self._piece)),
        )
        first = nodes[1:]
        self._near, self._trusted = np.where(np.isnan(first), fastest, np.minimum(first, fastest))
        self._above = fastest
        self._x = self._top = self._duration = self._shortest = np.zeros(0)
        self._bounds, self._seconds = np.zeros((2, len(fastest))), np.zeros(len(self._piece))

    def rough(self, gap: float) -> Mask:
        """Paths that are not solved, or not traversed as well as they should be. # (k,) bool."""
        return ~(self._duration <= (1.0 + self._goal(gap)) * self._shortest)

    def _goal(self, gap: float) -> Array:
        """Gaps at which cells are fine enough; few cells may be finer at little cost. # (k,)."""
        return np.where(np.bincount(self._path) < _FEW, _SPARED * gap, gap)

    @property
    def unsolved(self) -> Mask:
        """Paths whose cells are too coarse for any motion, if not overloaded. # (k,) bool."""
        return np.isnan(self._duration)

    def finer(self, rough: Mask, gap: float) -> list[_Division]:
        """Cells of the paths that are not yet traversed within the gap.

        Cells are divided where they cost most: where r̈ switches, where the bounds of x at nodes
        depart from x, and where those between the nodes are loose.

        Args:
            rough: paths. # (k,) bool
            gap: that is to be reached.
        """
        h, losses = self._h, self._losses()
        # Losses of a part fall with its length, so that those of n parts are 1/n of the cell's; the
        # fewest cells within a budget are as many as the roots of the losses. Where these say that
        # it is kept, though it is not, they are to be halved.
        budget = _PREDICTED * self._goal(gap) * self._duration
        budget = np.minimum(budget, 0.5 * np.bincount(self._path, weights=losses))
        cost = np.sqrt(losses)
        share = np.bincount(self._path, weights=cost) / np.maximum(budget, _LEAST)
        wanted = cost * share[self._path]
        wanted[self.unsolved[self._path]] = _UNSOLVED
        parts = np.clip(np.ceil(wanted), 1, _PARTS).astype(np.int64)
        if self.efforts.a.size == 0:
            parts[self.table.straight[self._piece] == 1] = 1
        old = np.repeat(np.arange(len(h)), parts)
        inner = np.arange(len(old)) - (np.cumsum(parts) - parts)[old]
        share = inner / parts[old]
        count = np.add.reduceat(parts, self.table.cells[:-1])
        nodes = np.empty((3, len(old) + len(count)))
        new, ends = np.arange(len(old)) + self._piece[old], np.cumsum(count + 1) - 1
        start = self._node[old]
        for row, values in enumerate((self.table.place, self._x, _OPEN * self._above)):
            nodes[row, new] = values[start] + share * (values[start + 1] - values[start])
            nodes[row, ends] = values[self.table.cells[1:] + np.arange(len(count))]
        borders = np.concatenate([[0], ends + 1])[self.table.first]
        for k in np.flatnonzero(self.unsolved):
            nodes[1:, borders[k] : borders[k + 1]] = np.nan
        return [
            _Division(
                count[self.table.first[k] : self.table.first[k + 1]],
                nodes[:, borders[k] : borders[k + 1]],
            )
            for k in np.flatnonzero(rough)
        ]

    def _losses(self) -> Array:
        """What each cell adds to the gap, nearly. # (cells,) [s]."""
        x0, x1, h = self._x[self._node], self._x[self._node + 1], self._h
        seconds = _seconds(h, x0, x1)
        # A switch inside the cell.
        jump = np.abs(np.diff((x1 - x0) / (2.0 * h)))
        jump = np.maximum(np.append(jump, 0.0), np.append(0.0, jump))
        switch = 0.25 * jump * h * seconds / np.maximum(np.maximum(x0, x1), _LEAST)
        # What x and its bound part by: on the cell, and until the end of F or B, which they follow.
        above = np.min(self._bounds, axis=0)
        known = self._x > 0.0
        ratio = np.where(known, above / np.where(known, self._x, 1.0), 1.0)
        growth = ratio[self._node + 1] - ratio[self._node]
        falling = self._bounds[0, self._node] >= self._bounds[1, self._node]
        growth[falling] *= -1.0
        clock = np.concatenate([[0.0], np.cumsum(seconds)])
        ends = np.flatnonzero(np.diff(falling) | (np.diff(self._path) != 0)) + 1
        borders = np.concatenate([[0], ends, [len(h)]])
        run = np.repeat(np.arange(len(borders) - 1), np.diff(borders))
        rest = np.where(
            falling, clock[1:] - clock[borders[run]], clock[borders[run + 1]] - clock[:-1]
        )
        parting = 0.5 * np.maximum(growth, 0.0) * rest
        # The bound between the nodes; and what no cell before it explains.
        inside = _seconds(h, above[self._node], above[self._node + 1]) - self._seconds
        own = seconds - self._seconds
        return np.asarray(
            switch + parting + np.maximum(inside, 0.0) + _UNEXPLAINED * np.maximum(own, 0.0)
        )

    def solve(self, gap: float) -> None:
        """Durations and bounds, as good as the cells allow or within the gap."""
        k, limits = len(self._paths), self._limits
        nodes = len(self.table.place)
        x, top = np.zeros(nodes), np.zeros(len(self._piece))
        duration, shortest = np.zeros(k), np.zeros(k)
        near, trusted, above, bounds = self._near, self._trusted, self._above, self._bounds
        common = (self.table, limits.max_speed, limits.max_acceleration, self.efforts)
        memory = (self._shapes, self._scratch)
        viscous = bool(np.any(self.efforts.viscous[np.isfinite(self.efforts.limit)] > 0.0))
        for _ in range(_ROUNDS if viscous else 1):
            last = duration.copy()
            SOLVE(*common, *memory, near, trusted, x, top, duration)
            BOUND(*common, *memory, x, above, bounds[0], bounds[1], self._seconds, shortest)
            near, trusted = x.copy(), above
            settled = np.isnan(duration) | (np.abs(duration - last) <= _SETTLED * duration)
            if np.all(settled | (duration <= (1.0 + gap) * shortest)):
                break
        self._x, self._top, self._duration, self._shortest = x, top, duration, shortest

    def traversals(self) -> list[Traversal]:
        """Motions of the cells: one arc each, or up, along and down on a piece exact in one."""
        x, top, duration, shortest = self._x, self._top, self._duration, self._shortest
        table, cells = self.table, len(self._piece)
        h, start = self._h, table.place[self._node]
        x0, x1, peak = x[self._node], x[self._node + 1], top
        r0, r1 = np.sqrt(x0), np.sqrt(x1)
        exact = np.flatnonzero(table.straight[self._piece] == 1)
        arcs = 3 if exact.size and self.efforts.a.size == 0 else 1
        place, rate, push, seconds = np.zeros((4, cells, arcs))
        place[:, 0], rate[:, 0] = start, r0
        push[:, 0], seconds[:, 0] = (x1 - x0) / (2.0 * h), _seconds(h, x0, x1)
        if arcs == 3:
            x0, x1, peak, r0, r1 = (values[exact] for values in (x0, x1, peak, r0, r1))
            h, start, rp = h[exact], start[exact], np.sqrt(peak)
            slope = np.abs(table.powers[self._piece[exact], :, 1])
            with np.errstate(divide="ignore"):
                most = np.min(self._limits.max_acceleration / slope, axis=1)
            rising, falling = (peak - x0) / (2.0 * most), (peak - x1) / (2.0 * most)
            push[exact, 0], seconds[exact, 0] = most, (rp - r0) / most
            place[exact, 1], rate[exact, 1] = start + rising, rp
            seconds[exact, 1] = np.maximum(h - rising - falling, 0.0) / rp
            place[exact, 2], rate[exact, 2] = start + h - falling, rp
            push[exact, 2], seconds[exact, 2] = -most, (rp - r1) / most
        kept = seconds > _SLIVER * duration[self._path, None]
        row, _ = np.nonzero(kept)
        ends = np.searchsorted(self._path[row], np.arange(len(duration) + 1))
        piece = (self._piece - table.first[self._path])[row]
        place, rate, push, seconds = (values[kept] for values in (place, rate, push, seconds))
        return [
            Traversal(
                path=self._paths[k],
                duration=float(duration[k]),
                shortest=float(shortest[k]),
                piece=piece[a:b],
                place=place[a:b],
                rate=rate[a:b],
                push=push[a:b],
                seconds=seconds[a:b],
            )
            for k, (a, b) in enumerate(pairwise(ends.tolist()))
        ]

    def overload(self, k: int) -> OverloadError:
        """Which joint cannot bear the robot at rest, and where."""
        piece = self._piece_of_node
        own = np.flatnonzero((piece >= self.table.first[k]) & (piece < self.table.first[k + 1]))
        limits = self._limits
        borne = np.abs(self.efforts.d[own]) + self.efforts.coulomb
        node, joint = np.unravel_index(np.argmax(borne / limits.max_effort), borne.shape)
        unit = "N" if limits.units[int(joint)] == "m" else "N m"
        path, place = self._paths[k], self.table.place[own[node]]
        s = float((path.starts[piece[own[node]] - self.table.first[k]] + place) / path.span)
        held, allowed = apart_digits(float(borne[node, joint]), float(limits.max_effort[joint]), 4)
        return OverloadError(
            f"No duration keeps the efforts within their limits: joint {limits.names[int(joint)]} "
            f"bears {held} {unit} at the lowest speeds at s = {s:.6g}, its limit is {allowed} "
            f"{unit}; choose another path or posture, or a stronger drive.",
            joint=int(joint),
            name=limits.names[int(joint)],
            s=s,
            static=float(borne[node, joint]),
            limit=float(limits.max_effort[joint]),
            unit=unit,
        )


class _Memory(local):
    """Rows of a path at most, of each thread: far more than are filled, so they are kept.

    The system would clear them for every path again, which takes as long as a pass.
    """

    def __init__(self) -> None:
        self._wide = np.empty((0, 14))

    def wide(self, count: int) -> Array:
        """As many rows of the relaxed problem."""
        if len(self._wide) < count:
            self._wide = np.empty((count, 14))
        return self._wide


_MEMORY = _Memory()


def _seconds(h: Array, x0: Array, x1: Array) -> Array:
    """Time over cells on which x is linear."""
    return np.asarray(2.0 * h / np.maximum(np.sqrt(x0) + np.sqrt(x1), _LEAST))


_SLIVER = 1e-13  # of a motion
_LEAST = 1e-12  # of x: slower it goes for an instant only
