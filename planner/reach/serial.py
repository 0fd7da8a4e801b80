"""How any serial robot reaches points: all branches or a search, spare motion used for margin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product

import numpy as np

from planner.plan import PlacedPoints
from planner.reach.branches import BranchSearch, Postures
from planner.reach.margins import Margins, rough_margins
from planner.reach.reach import Candidates, Shortfall, Wording, some_points
from planner.reach.serial_path import (
    Straight,
    Tasks,
    between,
    corrected,
    follow,
    improved,
    line_values,
    rates,
)
from planner.reach.serial_search import (
    ROUGH_STARTS,
    STARTS,
    Attempts,
    SerialSearch,
    SerialTask,
)
from robots.arm.inverse import ROUNDING
from robots.core.arrays import Array, Indices, Mask
from robots.core.mechanism import Mechanism
from robots.core.model import Model
from robots.core.motion.joint_motion import PathState
from robots.core.rounding import at_least, readable

_AT_PLACE = 1e-5  # [m] from which a place counts as missed
_BLOCK = 256  # points worked on at once
_IMPROVED, _ROUGHLY_IMPROVED = 10, 5  # postures of a point whose spare motion is used
_KEPT, _ROUGHLY_KEPT = 8, 3  # of a point that become candidates, where there is spare motion
_KEPT_ALL = 16  # where there is none: the branches of five joints
_KEPT_WIDE = 8  # of a point, of all branches, where it is looked at for itself
_TURNS = 3  # whole-turn equivalents of each
_SAME = 1e-4  # joint units: one posture
_NEAR = 0.05  # joint units: one posture, for a search that may end anywhere on a ridge
_WORDING = Wording(
    branch="branch",
    singular_hint="shift or turn the part, or change the approach, so that no two axes line up",
    search="found by a numerical search from many starts: every one is proven, but a branch, or a "
    "point that only just can be reached, may have been missed",
)
_WORDING_OF_BRANCHES = replace(
    _WORDING,
    search="found by a numerical search, and beside it every branch is taken at turns about the "
    "probe a few degrees apart: every one is proven, but a point that is reached only between two "
    "of them may have been missed",
)
_BY_LINE = ("starts", "ends", "axes", "rotations", "path_of", "turns")
_TURN = 2.0 * np.pi
_TURNED = 2  # joints at once


class SerialReach:
    """Reach of a serial robot of five joints or more.

    Args:
        mechanism: the robot.
        seed: of the search; another one starts it elsewhere.
        rough: whether fewer starts are taken and fewer postures kept, as where poses of a part are
            compared: less than half the time, and almost never a point less.

    Raises:
        InverseError: the robot cannot bring a ball to a place along a direction.
    """

    def __init__(self, mechanism: Mechanism, *, seed: int = 1, rough: bool = False) -> None:
        self.task = SerialTask(mechanism)
        self._search = SerialSearch(self.task, seed, ROUGH_STARTS if rough else STARTS)
        self._improved = _ROUGHLY_IMPROVED if rough else _IMPROVED
        self._most = _ROUGHLY_KEPT if rough else _KEPT

    @cached_property
    def _branches(self) -> BranchSearch | None:
        return BranchSearch.of(self.task)

    @property
    def complete(self) -> bool:
        """Whether all branches are known."""
        return self._branches is not None and self._branches.complete

    @property
    def wording(self) -> Wording:
        """Words for its findings."""
        return _WORDING if self._branches is None else _WORDING_OF_BRANCHES

    @property
    def model(self) -> Model:
        """Of the robot."""
        return self.task.model

    def candidates(self, placed: PlacedPoints, *, wide: bool = False) -> Candidates:
        """Postures found for each point, spread over the branches, those of most margin first."""
        firsts = range(0, max(len(placed), 1), _BLOCK)
        blocks = [np.arange(first, min(first + _BLOCK, len(placed))) for first in firsts]
        found = _joined([self._block(placed, points) for points in blocks], ~self.task.angular)
        more = self.branches(placed) if wide else Postures.none(self.model.dof)
        if len(more.point) == 0:
            return found
        value = line_values(self.task, more.q, _tasks(placed, more.point))
        rows = spread(more.point, signatures(self.task, more.q), value, _KEPT_WIDE)
        return self.with_more(found, placed, more.take(rows))[0]

    def shortfalls(self, placed: PlacedPoints, points: Indices) -> list[Shortfall]:
        """How near the best attempt came to each point, or how far along its line."""
        firsts = range(0, len(points), _BLOCK)
        blocks = [some_points(placed, points[first : first + _BLOCK]) for first in firsts]
        return [shortfall for block in blocks for shortfall in self._missed(block)]

    def _missed(self, some: PlacedPoints) -> list[Shortfall]:
        """Why points have no candidate, from a second look at all that was tried for them."""
        tried = self._search.attempts(some.clearances, some.axes)
        point, start = np.nonzero(tried.reached)
        q = tried.q[point, start]
        if self._branches is not None:
            told = self._branches.postures(some.clearances, some.axes)
            point, q = np.concatenate([point, told.point]), np.concatenate([q, told.q])
        followed = follow(self.task, q, _tasks(some, point).straight(self.task.posed(q)))
        reached = np.isin(np.arange(len(some)), point)
        farthest = np.zeros(len(some))
        np.maximum.at(farthest, point, followed.reached)
        length = np.linalg.norm(some.line_ends - some.clearances, axis=1)
        return [
            _stopped(farthest[k], length[k]) if near else _too_far(tried, k)
            for k, near in enumerate(reached.tolist())
        ]

    def _block(self, placed: PlacedPoints, points: Indices) -> Candidates:
        """Candidates of some points."""
        some = some_points(placed, points)
        kept = self._kept(some).of(points)
        point, lines = self._lines(placed, kept)
        row, lines = self._turned(lines)
        return Candidates(lines=lines, point=point[row], margins=rough_margins(lines))

    def _lines(self, placed: PlacedPoints, kept: Postures) -> tuple[Indices, SerialLines]:
        """Lines from postures, those that can be followed to their end, with their points."""
        tasks = _tasks(placed, kept.point)
        straight = tasks.straight(self.task.posed(kept.q))
        followed = follow(self.task, kept.q, straight)
        whole = np.nonzero(followed.whole)[0]
        lines = SerialLines(
            task=self.task,
            starts=tasks.starts[whole],
            ends=placed.line_ends[kept.point[whole]],
            axes=tasks.axes[whole],
            rotations=straight.rotations[whole],
            path_of=np.arange(whole.size),
            turns=np.zeros((whole.size, self.model.dof)),
            knots=followed.knots[whole],
        )
        return kept.point[whole], lines

    def branches(self, placed: PlacedPoints) -> Postures:
        """Every branch of the points at close turns about the probe, by whole turns near mid-range.

        Of a robot without motion to spare, or without a derived inverse, there is none: all that is
        known of it is among the candidates.
        """
        if not self.task.spare or self._branches is None:
            return Postures.none(self.model.dof)
        found = self._branches.fine(placed.clearances, placed.axes)
        return Postures(point=found.point, q=self.task.centred(found.q))

    def with_more(
        self, found: Candidates, placed: PlacedPoints, more: Postures
    ) -> tuple[Candidates, Indices]:
        """Candidates with others that begin at postures, point by point; where the former are now.

        Args:
            found: candidates of this robot.
            placed: the points.
            more: postures of clearance points, whole turns settled.
        """
        point, lines = self._lines(placed, more)
        extra = Candidates(lines=lines, point=point, margins=rough_margins(lines))
        both = _joined([found, extra], ~self.task.angular)
        order = np.argsort(both.point, kind="stable")
        taken = Candidates(
            lines=both.lines.take(order),
            point=both.point[order],
            margins=both.margins.take(order),
        )
        return taken, np.flatnonzero(order < found.point.size)

    def _kept(self, some: PlacedPoints) -> Postures:
        """The postures worth keeping, by point.

        Where there is spare motion, the search begins at the same starts at all points, which makes
        for short travels between them that are free of collisions; the branches, at rolls all
        round, are for points that it does not reach. Where there is none, the branches miss
        nothing, and the search, which shares nothing with them, is asked for what they do not
        reach.
        """
        ways = [self._searched, self._told] if self.task.spare else [self._told, self._searched]
        parts: list[Postures] = []
        missing = np.arange(len(some))
        for way in ways:
            if missing.size or not parts:
                parts.append(way(some_points(some, missing)).of(missing))
                missing = np.setdiff1d(missing, parts[-1].point)
        gained = [self._gained(some, part) for part in parts]
        point = np.concatenate([part.point for part in gained])
        order = np.argsort(point, kind="stable")
        return Postures(point=point[order], q=np.concatenate([part.q for part in gained])[order])

    def _told(self, some: PlacedPoints) -> Postures:
        if self._branches is None:
            return Postures.none(self.model.dof)
        return self._branches.postures(some.clearances, some.axes)

    def _searched(self, some: PlacedPoints) -> Postures:
        tried = self._search.attempts(some.clearances, some.axes)
        point, start = np.nonzero(tried.reached)
        return Postures(point=point, q=tried.q[point, start])

    def _gained(self, some: PlacedPoints, found: Postures) -> Postures:
        """The postures worth keeping, after their spare motion has been used."""
        task, spare = self.task, self.task.spare > 0
        point, q = found.point, task.centred(found.q)
        rows = distinct(task, point, q, _SAME)
        point, q = point[rows], q[rows]
        value = line_values(task, q, _tasks(some, point))
        rows = spread(point, signatures(task, q), value, self._improved if spare else _KEPT_ALL)
        point, q = point[rows], q[rows]
        if not spare:
            return Postures(point=point, q=q)
        q = improved(task, q, _tasks(some, point))
        value = line_values(task, q, _tasks(some, point))
        best = np.lexsort((-value, point))
        rows = best[distinct(task, point[best], q[best], _NEAR)]
        point, q, value = point[rows], q[rows], value[rows]
        rows = spread(point, signatures(task, q), value, self._most)
        return Postures(point=point[rows], q=q[rows])

    def _turned(self, lines: SerialLines) -> tuple[Indices, SerialLines]:
        """Lines with their whole-turn equivalents, and which line each of them was."""
        n = self.model.dof
        ways = turned(self.task, lines.knots[:, :, :n], _TURNS)
        return ways.row, replace(lines.take(ways.row), turns=ways.shift)


def _tasks(some: PlacedPoints, point: Indices) -> Tasks:
    starts = some.clearances[point]
    return Tasks(starts=starts, tangents=some.line_ends[point] - starts, axes=some.axes[point])


def _joined(parts: list[Candidates], sliding: Mask) -> Candidates:
    lines = [part.lines for part in parts if isinstance(part.lines, SerialLines)]
    return Candidates(
        lines=joined(lines),
        point=np.concatenate([part.point for part in parts]),
        margins=Margins(
            limit=np.concatenate([part.margins.limit for part in parts]),
            singularity=np.concatenate([part.margins.singularity for part in parts]),
            sliding=sliding,
        ),
    )


def _too_far(tried: Attempts, k: int) -> Shortfall:
    best = int(np.argmin(tried.gap[k]))
    position, angle = float(tried.position[k, best]), float(np.degrees(tried.angle[k, best]))
    return Shortfall(
        message=f"none of {tried.gap.shape[1]} attempts brings the ball to the clearance point "
        f"along the normal; the nearest leaves {readable(position * 1e3, 3)} mm and "
        f"{readable(angle, 3)} deg",
        hint=f"move or turn the part towards the robot's reach; {_missing(position, angle)}",
    )


def _missing(position: float, angle: float) -> str:
    """What the nearest attempt lacks: a distance, or only the direction of the probe."""
    if position > _AT_PLACE:
        return f"the nearest attempt is {at_least(position * 1e3, 1)} mm short"
    return f"the place is reached, but the probe is {readable(angle, 1)} deg off the normal there"


def _stopped(reached: float, length: float) -> Shortfall:
    where = (
        f"; the one that carries the ball farthest goes {reached * length * 1e3:.1f} mm of "
        f"{length * 1e3:.1f} mm from the clearance point, until the robot is stretched or two of "
        "its axes line up"
    )
    return Shortfall(
        code="P103",
        message=f"every branch found passes a singularity{where if reached < 1.0 else ''}",
        hint="move the part towards the middle of the robot's reach, turn it, or shorten the "
        "approach",
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class SerialLines:
    """Straight lines of the ball, each with the branch that the robot keeps along it.

    Args:
        task: of the robot.
        starts: clearance points. # (k, 3) [m]
        ends: contacts or search ends. # (k, 3) [m]
        axes: probe axes. # (k, 3) unit
        rotations: tool orientation held along each. # (k, 3, 3)
        path_of: which of the paths each line follows. # (k,)
        turns: whole turns added to its joints. # (k, n) [rad]
        knots: joints and their derivatives by λ at equal steps of each path.
            # (paths, KNOTS, 3n) [rad or m]
    """

    task: SerialTask
    starts: Array
    ends: Array
    axes: Array
    rotations: Array
    path_of: Indices
    turns: Array
    knots: Array

    def __len__(self) -> int:
        """Number of lines."""
        return len(self.starts)

    def take(self, chosen: Indices) -> SerialLines:
        """Some of the lines, in the order given."""
        arrays = {name: getattr(self, name)[chosen] for name in _BY_LINE}
        return SerialLines(task=self.task, knots=self.knots, **arrays)

    @property
    def model(self) -> Model:
        """Of the robot."""
        return self.task.model

    @property
    def q_starts(self) -> Array:
        """Joints at the clearance points. # (k, n) [rad or m]."""
        first = self.knots[self.path_of, 0, : self.model.dof]
        return np.asarray(first + self.turns)

    def joints(self, index: Indices, lam: Array) -> Array:
        """Joints at λ, without a jump of whole turns from the line's start. # (m, n)."""
        return self._found(index, lam) + self.turns[index]

    def path(self, index: Indices, lam: Array) -> PathState:
        """Joints and exact derivatives by λ. # (m, n) each."""
        q = self._found(index, lam)
        tangents = self.ends[index] - self.starts[index]
        dq, ddq = rates(self.task, self.task.posed(q), tangents)
        return PathState(q=q + self.turns[index], dq=dq, ddq=ddq)

    def singularity_margins(self, q: Array) -> Array:
        """Distance of the square system from singular: rows / (|A|·|A⁻¹|), 0 to 1. # (m,)."""
        return np.abs(self.task.condition(self.task.posed(q)))

    def branch(self, row: int) -> str:
        """Signs of the turning joints at the clearance point, such as "q1+ q2- q3+"."""
        signs = positive(self.q_starts[row]).tolist()
        return " ".join(
            f"{joint.name}{'+' if sign else '-'}"
            for joint, sign in zip(self.task.mechanism.movable, signs, strict=True)
            if joint.kind.angular
        )

    def inverse_branch(self, row: int) -> str:
        """Signs of the inverse's roots, such as "q1+ q3- q5+"; empty where it has no such name."""
        names = self.task.branch_names
        return "" if names is None else names.of(self.q_starts[row])

    def _found(self, index: Indices, lam: Array) -> Array:
        starts = self.starts[index]
        lines = Straight(
            starts=starts, tangents=self.ends[index] - starts, rotations=self.rotations[index]
        )
        guess = between(self.knots, self.path_of[index], lam)
        found = corrected(self.task, guess, lines, lam)
        # Next to a singularity a place may be lost: no posture, and no margin, is better than some.
        return np.where(found.settled[:, None], found.q, np.nan)


def joined(parts: Sequence[SerialLines]) -> SerialLines:
    """Lines of one robot, one part after another."""
    arrays = {
        name: np.concatenate([getattr(part, name) for part in parts])
        for name in (*_BY_LINE, "knots")
    }
    paths = np.cumsum([0, *(len(part.knots) for part in parts[:-1])])
    lines = [len(part) for part in parts]
    arrays["path_of"] = arrays["path_of"] + np.repeat(paths, lines)
    return SerialLines(task=parts[0].task, **arrays)


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


def distinct(task: SerialTask, point: Indices, q: Array, apart: float) -> Indices:
    """Rows that differ from every earlier one of their point, whole turns aside.

    Args:
        task: for the joints' units and kinds.
        point: rising. # (m,)
        q: # (m, n) [rad or m]
        apart: least difference of some joint, in joint units.
    """
    first = np.searchsorted(point, point)
    rank = np.arange(point.size) - first
    kept = np.ones(point.size, dtype=np.bool_)
    for back in range(1, int(np.max(rank, initial=0)) + 1):
        # Row by row against the one ``back`` places before it, of the same point.
        rows = np.nonzero(rank >= back)[0]
        away = np.abs(q[rows] - q[rows - back])
        turned = np.abs(away - 2.0 * np.pi * np.round(away / (2.0 * np.pi)))
        away = np.where(task.angular, turned, away) / task.units
        kept[rows[np.max(away, axis=1) < apart]] = False
    return np.nonzero(kept)[0]


def signatures(task: SerialTask, q: Array) -> Indices:
    """Which joints turn to the positive side, as bits: a coarse name of the branch. # (m,)."""
    bits = 1 << np.arange(q.shape[1], dtype=np.int64)
    return np.asarray(np.sum((task.angular & positive(q)) * bits, axis=1))


def positive(q: Array) -> Mask:
    """Angles in [0, π), whole turns aside. # (..., n)."""
    return np.asarray(np.floor(q / np.pi).astype(np.int64) % 2 == 0)


def spread(point: Indices, signature: Indices, value: Array, most: int) -> Indices:
    """At most so many rows of each point: the best of every signature, then the second best.

    Args:
        point: # (m,)
        signature: of the branch. # (m,)
        value: higher is better. # (m,)
        most: per point.

    Returns:
        Rows, by point and then best first.
    """
    order = np.lexsort((-value, signature, point))
    turn = _places(point[order], signature[order])
    order = order[np.lexsort((-value[order], turn, point[order]))]
    place = _places(point[order], np.zeros_like(point))
    return order[place < most]


def _places(*keys: Indices) -> Indices:
    """Place of each row in its run of equal keys. # (m,)."""
    m = keys[0].size
    new = np.ones(m, dtype=np.bool_)
    new[1:] = np.any([key[1:] != key[:-1] for key in keys], axis=0)
    starts = np.nonzero(new)[0]
    return np.arange(m) - starts[np.cumsum(new) - 1] if m else np.zeros(0, dtype=np.int64)
