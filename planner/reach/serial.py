"""How any serial robot reaches points: all branches or a search, spare motion used for margin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import product

import numpy as np

from planner.plan import PlacedPoints
from planner.reach.branches import BranchSearch, Postures
from planner.reach.margins import Margins, rough_margins
from planner.reach.reach import Candidates, Shortfall, Wording, some_points
from planner.reach.serial_search import (
    ROUGH_STARTS,
    STARTS,
    Attempts,
    Posed,
    SerialSearch,
    SerialTask,
    polished,
)
from robots.arm.inverse import ROUNDING
from robots.core.arrays import Array, Indices, Mask
from robots.core.joint_samples import unit_samples
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


# -------------------------------------------------------------------------------------------- Lines
# Following the ball along straight lines, the tool's orientation held.
#
# Along λ the equations are: the ball is on its line, the tool keeps the orientation it started with
# (or, where a robot cannot hold the turn about the probe axis, the axis alone), the locked joints
# keep their values. They are as many as there are joints, so while the square system stays regular
# there is exactly one path from a posture, whatever steps it is followed by. It is followed once,
# from knot to knot; places between are found by Newton from the quintic between two knots, so they
# depend on the line and λ alone.
#
# Source: [LAMMARI12] §II.6.2 eqs. (II.31)-(II.34) (Newton); derivatives from J·q'' = a - J̇·q'

KNOTS = 17
_CORRECTIONS = 6
_SETTLED = 1e-9  # correction, in joint units, after which rounding is all that is left
_LARGEST = 0.3  # correction of a joint at a knot, in units: beyond, another branch may be caught
_SMOOTH = 0.03  # correction between knots, likewise


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Straight:
    """Lines of the ball, with the orientation held along each.

    Args:
        starts: # (k, 3) [m]
        tangents: from start to end. # (k, 3) [m]
        rotations: orientation of the tool; where the turn about the axis is not held, only z
            counts. # (k, 3, 3)
    """

    starts: Array
    tangents: Array
    rotations: Array

    def take(self, rows: Indices) -> Straight:
        """Some of the lines, in the order given."""
        return Straight(**{f.name: getattr(self, f.name)[rows] for f in fields(self)})


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Followed:
    """Lines as far as they could be followed.

    Args:
        knots: q, dq/dλ, d²q/dλ² at equal steps of λ. # (k, KNOTS, 3n)
        reached: λ of the last knot that was reached; below 0 where the start failed. # (k,)
    """

    knots: Array
    reached: Array

    @property
    def whole(self) -> Mask:
        """Lines followed to their end. # (k,)."""
        return np.asarray(self.reached >= 1.0)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Corrected:
    """Postures on their lines, and whether the corrections came to an end. # (m, n), (m,)."""

    q: Array
    settled: Mask


def held_rotations(at: Posed, axes: Array) -> Array:
    """Orientations of postures, their z axes put exactly on given ones. # (m, 3, 3)."""
    x = at.rotations[:, :, 0]
    x = x - np.sum(x * axes, axis=1, keepdims=True) * axes
    x = x / np.linalg.norm(x, axis=1, keepdims=True)
    return np.stack([x, np.cross(axes, x), axes], axis=2)


def corrected(task: SerialTask, q: Array, lines: Straight, lam: Array) -> Corrected:
    """Newton's corrections of postures on lines at λ, each row as often as it needs itself.

    Args:
        task: of the robot.
        q: postures near by. # (m, n) [rad or m]
        lines: one for each. # (m,)
        lam: # (m,)
    """
    q, size = q.copy(), np.zeros(len(q))
    active = np.arange(len(q))
    balls = lines.starts + lam[:, None] * lines.tangents
    for _ in range(_CORRECTIONS):
        at = task.posed(q[active])
        step = task.square(at, _twist(task, at, balls[active], lines.rotations[active]))
        q[active] += step
        size[active] = np.max(np.abs(step) / task.units, axis=1)
        # What is left is of the order of the step's square.
        active = active[size[active] > _SETTLED]
        if active.size == 0:
            break
    return Corrected(q=q, settled=size <= _SETTLED)


def rates(task: SerialTask, at: Posed, tangents: Array) -> tuple[Array, Array]:
    """dq/dλ and d²q/dλ² of postures on their lines. # (m, n) each."""
    twists = np.zeros((len(at.q), 6))
    twists[:, :3] = tangents
    dq = task.square(at, twists)
    return dq, task.square(at, -task.model.bias_acceleration(at.q, dq))


def follow(task: SerialTask, q: Array, lines: Straight) -> Followed:
    """Follow lines from postures at their starts, all at once.

    A line ends early where a correction fails or is too large, or where the determinant changes
    its sign: there two branches meet, and the path beyond is not unique.
    """
    n = task.model.dof
    knots = np.full((len(q), KNOTS, 3 * n), np.nan)
    reached = np.full(len(q), -1.0)
    active, side = np.arange(len(q)), np.zeros(len(q))
    step = 1.0 / (KNOTS - 1)
    guess = q
    for k in range(KNOTS):
        own = lines.take(active)
        with np.errstate(invalid="ignore"):  # singular postures give NaN, and are left behind
            after = corrected(task, guess, own, np.full(active.size, k * step))
            off = np.max(np.abs(after.q - guess) / task.units, axis=1)
            at = task.posed(after.q)
            sign = np.sign(task.condition(at))
            good = after.settled & (off <= _LARGEST) & (sign * side[active] >= 0.0)
            dq, ddq = rates(task, at, own.tangents)
        good &= np.all(np.isfinite(ddq), axis=1) & (sign != 0.0)
        side[active] = sign
        active, at_q, dq, ddq = active[good], at.q[good], dq[good], ddq[good]
        knots[active, k] = np.concatenate([at_q, dq, ddq], axis=1)
        reached[active] = k * step
        guess = at_q + step * dq + (0.5 * step * step) * ddq
    return Followed(knots=knots, reached=_resolved(task, lines, knots, reached))


def _resolved(task: SerialTask, lines: Straight, knots: Array, reached: Array) -> Array:
    """What of the lines is smooth enough that places between knots are found for certain."""
    cells = KNOTS - 1
    line, cell = np.nonzero((np.arange(cells) + 1) <= reached[:, None] * cells)
    lam = (cell + 0.5) / cells
    guess = between(knots, line, lam)
    with np.errstate(invalid="ignore"):
        found = corrected(task, guess, lines.take(line), lam)
        off = np.max(np.abs(found.q - guess) / task.units, axis=1)
    bad = ~(found.settled & (off <= _SMOOTH))
    resolved = reached.copy()
    np.minimum.at(resolved, line[bad], cell[bad] / cells)
    return resolved


def between(knots: Array, index: Indices, lam: Array) -> Array:
    """Joints by the quintic through the knots on both sides. # (m, n)."""
    n = knots.shape[2] // 3
    step = 1.0 / (KNOTS - 1)
    cell = np.clip((lam / step).astype(np.int64), 0, KNOTS - 2)
    t = lam / step - cell
    both = np.stack([knots[index, cell], knots[index, cell + 1]], axis=1)
    terms = both.reshape(-1, 2, 3, n)
    return np.asarray(np.einsum("msd,msdn->mn", _quintic(t, step), terms))


def _quintic(t: Array, step: float) -> Array:
    """Weights of value, slope and curvature at both ends of a step. # (m, 2, 3)."""
    u = 1.0 - t
    weights = np.empty((t.size, 2, 3))
    for side, (a, b, sign) in enumerate(((t, u, 1.0), (u, t, -1.0))):
        b3 = b * b * b
        weights[:, side, 0] = b3 * (1.0 + 3.0 * a + 6.0 * a * a)
        weights[:, side, 1] = sign * step * b3 * a * (1.0 + 3.0 * a)
        weights[:, side, 2] = 0.5 * step * step * b3 * a * a
    return weights


def _twist(task: SerialTask, at: Posed, balls: Array, rotations: Array) -> Array:
    """What is missing to a place and an orientation, right for small turns. # (m, 6) [m, rad]."""
    found = at.rotations
    turn = np.cross(found[:, :, 2], rotations[:, :, 2])
    if task.holds_roll:
        for column in (0, 1):
            turn = turn + np.cross(found[:, :, column], rotations[:, :, column])
        turn = 0.5 * turn
    return np.concatenate([balls - at.balls, turn], axis=1)


# ------------------------------------------------------------------------------------ Spare motion
# With six joints the tool may turn about the probe axis; with more the arm may swing besides. What
# is raised is the least of the distance to a joint limit (in joint units, a radian each) and of the
# distance from a singularity, over three places of the line. That least has kinks, so no gradient
# is followed: steps along directions of the free motion are tried both ways, and shrink where none
# helps.

_PLACES = (0.5, 1.0)  # of the line, beside its start
_FAILED = -100.0  # value of a line that is not followed: below any joint limit
_ROUNDS = 14  # for one free motion
_MORE_ROUNDS = 10  # for each further one
_FIRST = 0.4  # step, in joint units
_LONGER, _SHORTER = 1.3, 0.5
_GAIN = 1e-6
_OFF = 1e-10  # squared gap of a posture that did not come back to its task
_LEAST_FREE = 1e-6  # length of a unit direction's free part


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Tasks:
    """What postures shall do: run a straight line along an axis.

    Args:
        starts: # (m, 3) [m]
        tangents: from start to end. # (m, 3) [m]
        axes: # (m, 3) unit
    """

    starts: Array
    tangents: Array
    axes: Array

    def take(self, rows: Indices) -> Tasks:
        """Some of them, in the order given."""
        return Tasks(starts=self.starts[rows], tangents=self.tangents[rows], axes=self.axes[rows])

    def straight(self, at: Posed) -> Straight:
        """The lines, with the orientation that postures at their starts have."""
        return Straight(
            starts=self.starts, tangents=self.tangents, rotations=held_rotations(at, self.axes)
        )


def line_values(task: SerialTask, q: Array, tasks: Tasks) -> Array:
    """Least margin of lines from postures at their starts, at three places each. # (m,)."""
    at = task.posed(q)
    lines = tasks.straight(at)
    side = task.condition(at)
    value = np.minimum(task.limit_margin(q), np.abs(side))
    worth, failed, before = value, np.zeros(len(q), dtype=np.bool_), 0.0
    for lam in _PLACES:
        twists = np.zeros((len(q), 6))
        twists[:, :3] = (lam - before) * tasks.tangents
        with np.errstate(invalid="ignore"):  # singular postures give NaN and count as failed
            guess = at.q + task.square(at, twists)
            found = corrected(task, guess, lines, np.full(len(q), lam))
            at = task.posed(found.q)
            there = task.condition(at)
            good = found.settled & (there * side > 0.0)
            value = np.minimum(task.limit_margin(at.q), np.abs(there))
        failed |= ~good
        worth = np.where(failed, np.where(good, worth, worth + _FAILED), np.minimum(worth, value))
        before = lam
    return np.asarray(worth)


def improved(task: SerialTask, q: Array, tasks: Tasks) -> Array:
    """Postures moved within their task to where their line has more margin. # (m, n)."""
    if task.spare == 0 or len(q) == 0:
        return q
    q, value = task.centred(q), line_values(task, task.centred(q), tasks)
    step = np.full(len(q), _FIRST)
    rounds = _ROUNDS + _MORE_ROUNDS * (task.spare - 1)
    for wish in unit_samples(rounds, task.model.dof, skip=1) - 0.5:
        way = _free_direction(task, task.posed(q), wish)
        trials = [_trial(task, q + sign * step[:, None] * way, tasks) for sign in (1.0, -1.0)]
        values = [line_values(task, trial, tasks) for trial in trials]
        first = values[0] >= values[1]
        trial = np.where(first[:, None], trials[0], trials[1])
        best = np.where(first, values[0], values[1])
        off = task.gap(task.posed(trial), tasks.starts, tasks.axes)
        better = (best > value + _GAIN) & (task.without_units(off) <= _OFF)
        q, value = np.where(better[:, None], trial, q), np.where(better, best, value)
        step *= np.where(better, _LONGER, _SHORTER if task.spare == 1 else _SHORTER**0.5)
    return polished(task, q, tasks.starts, tasks.axes)


def _trial(task: SerialTask, q: Array, tasks: Tasks) -> Array:
    return task.centred(polished(task, q, tasks.starts, tasks.axes))


def _free_direction(task: SerialTask, at: Posed, wish: Array) -> Array:
    """The part of a direction that moves neither ball nor axis, of length one. # (m, n)."""
    m = len(at.q)
    step = np.tile(wish / np.linalg.norm(wish) * task.units, (m, 1))
    twists = np.einsum("mij,mj->mi", at.jacobians, step)
    free = step - task.damped(at, twists, np.full(m, 1e-12))
    length = np.linalg.norm(free / task.units, axis=1, keepdims=True)
    return np.where(length > _LEAST_FREE, free / np.maximum(length, _LEAST_FREE), 0.0)
