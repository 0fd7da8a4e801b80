"""Which rolls a robot of six or seven joints allows: intervals with exact ends.

A probe leaves the turn of the tool about its own axis free: the roll, a seventh joint beside six.
Seven joints whose tool stands still have the same freedom: the last one is a roll about its own
axis, at which the six others hold a pose. On the way once round the roll each branch is within the
joints' limits over some intervals. These end where a joint is at its limit, or at a fold, where two
branches meet.

With a joint locked at its limit and the roll in its place the chain is one of six joints again,
whose inverse misses no root: so all rolls at which a limit is met are known, and a sample stands
between any two of them. Between samples every posture is followed by Newton steps to the next one;
where one has no follower, or follows by less than its tangents foretell, samples are added until
the end is known to rounding. What begins and ends at folds between two of the samples that are
always made, within 0.7°, may be missed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from robots.core.arrays import Array, Indices, Mask, freeze_fields
from robots.core.chain_inverse.chain import distinct, path_of, wrapped
from robots.core.chain_inverse.solver import ChainInverse, Status
from robots.core.errors import InverseError
from robots.core.inverse.task import Task
from robots.core.kernels import Engine
from robots.core.mechanism import Mechanism
from robots.core.pose import inverse_pose, rotation_z

_TURN = 2.0 * np.pi
SIX = 6  # joints beside the roll
_SAMPLES = 512  # of a turn, where nothing asks for more
_END = 1e-10  # [rad] width at which an end is known
_SAME = 1e-6  # [rad] two postures that are one
_NEAR = 1e-3  # [rad] two postures of one branch, as near to an end as it is known
_BENT = 0.1  # of a step: what the mean of both tangents may miss it by
_AT_LIMIT = 1e-6  # [rad or m] from a limit, where a branch ends
_LEAST = 1e-9  # [rad] length of an interval
_WITHIN = 1e-9  # [rad or m] beyond a limit that is rounding
_APART = 0.1  # [rad] from the samples beside it: a posture of another branch


@dataclass(frozen=True, slots=True, kw_only=True)
class RollEnd:
    """What ends an interval.

    Args:
        joint: that is at its limit; empty at a fold.
        limit: of the joint; NaN at a fold. [rad or m]
    """

    joint: str = ""
    limit: float = np.nan

    @property
    def fold(self) -> bool:
        """Whether two branches meet here: beyond, neither exists."""
        return not self.joint


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RollInterval:
    """Rolls over which one branch is within the limits.

    Args:
        rolls: from where it begins to where it ends, rising, with samples between; a branch may go
            on for more than a turn. # (m,) [rad]
        q: postures there, angles in (-π, π]. # (m, n) [rad or m]
        ends: what it ends with, at the first and at the last roll; none of a closed way.
    """

    rolls: Array
    q: Array
    ends: tuple[RollEnd, RollEnd] | None

    def __post_init__(self) -> None:
        freeze_fields(self, "rolls", "q")

    @property
    def low(self) -> float:
        """Where it begins. [rad]."""
        return float(self.rolls[0])

    @property
    def high(self) -> float:
        """Where it ends. [rad]."""
        return float(self.rolls[-1])

    def place(self, roll: float, q: Array, revolute: tuple[bool, ...]) -> RollPlace:
        """Where a posture stands on it, or next to it.

        Args:
            roll: of the posture, whole turns aside. [rad]
            q: its joints. # (n,)
            revolute: whether each of them turns. # (n,)
        """
        turns = np.arange(1 + int((self.high - self.low) / _TURN))
        rolls = self.low + (roll - self.low) % _TURN + _TURN * turns
        rolls = rolls[rolls <= self.high]
        if rolls.size == 0:
            return RollPlace(interval=self, back=0.0, on=0.0, away=np.inf)
        after = np.clip(np.searchsorted(self.rolls, rolls), 1, len(self.rolls) - 1)
        step = self.rolls[after] - self.rolls[after - 1]
        share = ((rolls - self.rolls[after - 1]) / np.maximum(step, _END))[:, None]
        before = self.q[after - 1]
        there = before + share * wrapped(self.q[after] - before, revolute)
        away = np.max(np.abs(wrapped(there - q, revolute)), axis=1)
        k = int(np.argmin(away))
        back, on = float(rolls[k]) - self.low, self.high - float(rolls[k])
        return RollPlace(interval=self, back=back, on=on, away=float(away[k]))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RollPlace:
    """A posture's place on an interval.

    Args:
        interval: the interval.
        back: roll to its beginning. [rad]
        on: roll to its end. [rad]
        away: from its samples; infinite where its rolls end before. [rad or m]
    """

    interval: RollInterval
    back: float
    on: float
    away: float


class FeasibleRolls:
    """Intervals of the roll of one robot.

    Args:
        mechanism: serial, of six joints; or of seven of which the last one turns: it is the roll.
        engine: how the steps are run.

    Raises:
        InverseError: another number of joints, or a joint at whose limit the chain has no inverse.
    """

    def __init__(self, mechanism: Mechanism, engine: Engine = "auto") -> None:
        if mechanism.dof not in (SIX, SIX + 1) or not mechanism.movable[-1].kind.angular:
            raise InverseError(
                f"Intervals of the roll are those of six joints, or of seven of which the last one "
                f"turns; {mechanism.name!r} has {mechanism.dof}.",
                robot=mechanism.name,
            )
        self._last = mechanism.movable[-1] if mechanism.dof > SIX else None
        self.six, self._behind = _without_last(mechanism) if self._last else (mechanism, np.eye(4))
        self.inverse = ChainInverse.of(self.six, engine=engine)
        self._locked = [
            one for joint in self.six.movable for one in _at_limits(self.six, joint.name, engine)
        ]

    def intervals(self, T: Array) -> tuple[RollInterval, ...]:
        """All intervals of a pose.

        Args:
            T: pose of the tool: at roll zero, of six joints; of seven it is held. # (4, 4)

        Returns:
            None where no roll brings any branch within the limits: the place is out of reach along
            its axis.
        """
        pose = T @ inverse_pose(self._behind)
        limits = np.sort(np.concatenate([self._limit_rolls(pose), self._own_limits]) % _TURN)
        between = 0.5 * (limits + np.roll(limits, -1)) if limits.size else limits
        between[-1:] += 0.5 * _TURN
        even = _TURN * np.arange(_SAMPLES) / _SAMPLES
        samples = np.unique(np.concatenate([even, between % _TURN]))
        return _Ways(self, pose, samples, limits).intervals()

    def on(self, T: Array, q: Array, intervals: tuple[RollInterval, ...]) -> RollPlace | None:
        """Where a posture stands among the intervals of its pose.

        Args:
            T: the pose they are of. # (4, 4)
            q: all joints of the robot. # (n,) [rad or m]
            intervals: of the pose.
        """
        own = q[:SIX]
        if self._last is None:
            R = T[:3, :3].T @ self.inverse.chain.forward(own[None])[0, :3, :3]
            roll = float(np.arctan2(R[1, 0], R[0, 0]))
        else:
            roll = -float(q[SIX])
        places = [one.place(roll, own, self.inverse.chain.revolute) for one in intervals]
        best = min(places, key=lambda one: one.away, default=None)
        return None if best is None or best.away > _APART else best

    def within(self, rolls: Array, q: Array) -> Mask:
        """Which postures are within all limits by whole turns.

        Args:
            rolls: # (m,) [rad]
            q: # (m, 6) [rad or m]
        """
        good = np.all(self.beyond(q) <= _WITHIN, axis=-1)
        if self._last is not None:
            good &= _over(-rolls, self._last.q_min, self._last.q_max) <= _WITHIN
        return np.asarray(good)

    def beyond(self, q: Array) -> Array:
        """How far each joint is beyond its nearer limit, by the best whole turn. # (m, 6)."""
        low, high = self.six.q_min, self.six.q_max
        turned = _over(q, low, high)
        return np.where(self.inverse.chain.revolute, turned, np.maximum(low - q, q - high))

    def end(self, roll: float, q: Array) -> RollEnd:
        """What ends a way at a posture: the joint that is at its limit, or a fold."""
        over = self.beyond(q)
        joints, limits = list(self.six.movable), (self.six.q_min, self.six.q_max)
        low, high = (np.array(one) for one in limits)
        if self._last is not None:
            last = self._last
            over = np.append(over, _over(np.array(-roll), last.q_min, last.q_max))
            joints.append(last)
            low, high = np.append(low, last.q_min), np.append(high, last.q_max)
            q = np.append(q, -roll)
        worst = int(np.argmax(over))
        if over[worst] < -_AT_LIMIT:
            return RollEnd()
        joint, value = joints[worst], float(q[worst])
        away = [abs(value - one) for one in (low[worst], high[worst])]
        if joint.kind.angular:
            away = [abs(float(wrapped(np.array([one]), (True,))[0])) for one in away]
        return RollEnd(joint=joint.name, limit=float((low, high)[int(np.argmin(away))][worst]))

    @property
    def _own_limits(self) -> Array:
        """Rolls at which the seventh joint is at a limit. # (0 or 2,) [rad]."""
        last = self._last
        if last is None or not last.q_max - last.q_min < _TURN:
            return np.zeros(0)
        return -np.array([last.q_min, last.q_max])

    def _limit_rolls(self, T: Array) -> Array:
        """Rolls at which some joint is at a limit and the others are within. # (e,) [rad]."""
        rolls = [np.zeros(0)]
        for inverse, joint, limit in self._locked:
            found = inverse.solve(T)
            q = np.insert(found.q[found.solved], joint, limit, axis=1)
            R = T[:3, :3].T @ self.inverse.chain.forward(q)[:, :3, :3]
            there = np.arctan2(R[:, 1, 0], R[:, 0, 0])
            rolls.append(there[np.all(self.beyond(q) <= _AT_LIMIT, axis=1)])
        return np.concatenate(rolls)


class _Ways:
    """Postures of a pose at rolls all round, each linked with the one that follows it.

    Args:
        rolls: of the robot.
        T: pose at roll zero. # (4, 4)
        samples: rolls to begin with, rising within a turn. # (k,) [rad]
        limits: rolls at which a joint is at a limit. # (e,) [rad]
    """

    def __init__(self, rolls: FeasibleRolls, T: Array, samples: Array, limits: Array) -> None:
        self._of, self._T, self._chain = rolls, T, rolls.inverse.chain
        self._limits = limits
        self._rolls = np.zeros(0)  # of the samples
        self._first = np.zeros(1, dtype=np.int64)  # posture of each sample, and of one more
        self._at = np.zeros(0)  # roll of each posture
        self._q, self._slope = np.zeros((0, SIX)), np.zeros((0, SIX))
        self._positive = np.zeros(0, dtype=np.bool_)  # determinant of each posture
        self._sample(samples)
        self._next: dict[int, int] = {}
        begin = np.arange(len(samples))
        cells = np.stack([begin, np.roll(begin, -1)], axis=1)
        while len(cells):
            cells = self._linked(cells)

    def intervals(self) -> tuple[RollInterval, ...]:
        """The ways along the links, open ones first."""
        found: list[RollInterval] = []
        followed = set(self._next.values())
        left = dict(self._next)
        for start in [one for one in range(len(self._q)) if one not in followed]:
            way = [start]
            while way[-1] in left:
                way.append(left.pop(way[-1]))
            found += self._interval(way, closed=False)
        while left:
            way = [next(iter(left))]
            while way[-1] in left:
                way.append(left.pop(way[-1]))
            found += self._interval(way, closed=True)
        return tuple(found)

    def _interval(self, way: list[int], *, closed: bool) -> list[RollInterval]:
        rolls, q = self._at[way], self._q[way]
        rolls = rolls + _TURN * np.cumsum(np.diff(rolls, prepend=rolls[0]) < 0.0)
        if rolls[-1] - rolls[0] <= _LEAST:
            return []
        if closed:
            return [RollInterval(rolls=rolls, q=q, ends=None)]
        ends = (self._of.end(rolls[0], q[0]), self._of.end(rolls[-1], q[-1]))
        low, high = (
            float(roll) if end.fold else self._exact(float(roll))
            for roll, end in zip((rolls[0], rolls[-1]), ends, strict=True)
        )
        rolls = np.clip(rolls, low, high)
        rolls[0], rolls[-1] = low, high
        return [RollInterval(rolls=rolls, q=q, ends=ends)]

    def _exact(self, roll: float) -> float:
        """The roll at which a limit is met, for one that the followed postures end at."""
        away = wrapped(self._limits - roll, (True,))
        nearest = float(away[np.argmin(np.abs(away))]) if away.size else np.inf
        return roll + nearest if abs(nearest) < _AT_LIMIT else roll

    def _sample(self, rolls: Array) -> None:
        """Solve at more rolls."""
        poses = _rolled(self._T, rolls)
        found = self._of.inverse.solve(poses)
        # A posture at a fold is certified some rounding beyond it, too.
        sample, branch = np.nonzero(found.status == Status.REACHED)
        q = found.q[sample, branch]
        # From a seed just beyond a fold, Newton steps lead to a posture that another branch has.
        good = self._of.within(rolls[sample], q) & distinct(self._chain, sample, q)
        sample, q = sample[good], q[good]
        J = self._chain.jacobian(q)
        determinants = np.linalg.det(J)
        singular = determinants == 0.0
        J[singular] = np.eye(SIX)
        turn = np.append(np.zeros(3), self._T[:3, 2])[:, None]
        slope = np.linalg.solve(J, np.broadcast_to(turn, (len(q), SIX, 1)))[..., 0]
        slope[singular] = np.nan
        counts = np.bincount(sample, minlength=len(rolls))
        self._first = np.append(self._first, self._first[-1] + np.cumsum(counts))
        self._rolls = np.append(self._rolls, rolls)
        self._at = np.append(self._at, rolls[sample])
        self._q, self._slope = np.vstack([self._q, q]), np.vstack([self._slope, slope])
        self._positive = np.append(self._positive, determinants > 0.0)

    def _linked(self, cells: Indices) -> Indices:
        """Link the postures of neighbouring samples; cells that have to be looked at closer.

        Args:
            cells: pairs of samples. # (c, 2)
        """
        width = (self._rolls[cells[:, 1]] - self._rolls[cells[:, 0]]) % _TURN
        cell, before = self._postures(cells[:, 0])
        after = self._followers(cells, width, cell, before)
        linked = after >= 0
        doubled = np.bincount(after[linked], minlength=len(self._q)) > 1
        linked &= ~doubled[after]
        good = np.bincount(cell[linked], minlength=len(cells))
        sizes = self._first[cells + 1] - self._first[cells]
        whole = np.all(sizes == good[:, None], axis=1)
        split = ~whole & (width > _END)
        kept = linked & ~split[cell]
        self._next.update(zip(before[kept].tolist(), after[kept].tolist(), strict=True))
        if not np.any(split):
            return np.zeros((0, 2), dtype=np.int64)
        new = len(self._rolls) + np.arange(int(np.sum(split)))
        self._sample((self._rolls[cells[split, 0]] + 0.5 * width[split]) % _TURN)
        halves = [np.stack([cells[split, 0], new], 1), np.stack([new, cells[split, 1]], 1)]
        return np.concatenate(halves)

    def _postures(self, samples: Indices) -> tuple[Indices, Indices]:
        """Place of each sample's postures in the list of samples, and the postures."""
        counts = self._first[samples + 1] - self._first[samples]
        place = np.repeat(np.arange(len(samples)), counts)
        within = np.arange(len(place)) - np.repeat(np.cumsum(counts) - counts, counts)
        return place, self._first[samples][place] + within

    def _followers(self, cells: Indices, width: Array, cell: Indices, before: Indices) -> Indices:
        """The posture that each one becomes across its cell; -1 where that is not sure.

        Args:
            cells: pairs of samples. # (c, 2)
            width: of the cells. # (c,) [rad]
            cell: of each posture, rising. # (m,)
            before: postures at the first samples. # (m,)
        """
        found = np.full(len(before), -1, dtype=np.int64)
        if len(before) == 0:
            return found
        turning, step = self._chain.revolute, width[cell, None]
        T = _rolled(self._T, self._rolls[cells[:, 1]])
        there = self._chain.polished(self._q[before] + step * self._slope[before], T, pose=cell)
        first, last = self._first[cells[cell, 1]], self._first[cells[cell, 1] + 1]
        for k in range(int(np.max(last - first, initial=0))):
            other = np.minimum(first + k, len(self._q) - 1)
            away = np.max(np.abs(wrapped(self._q[other] - there.q, turning)), axis=1)
            same = there.certified & (away < _SAME) & (first + k < last)
            same &= self._positive[other] == self._positive[before]
            moved = wrapped(self._q[other] - self._q[before], turning)
            foretold = 0.5 * step * (self._slope[before] + self._slope[other])
            missed, size = np.max(np.abs([moved - foretold, moved]), axis=2)
            same &= (missed <= _BENT * size + _SAME) | ((step[:, 0] <= _END) & (size <= _NEAR))
            found[same] = other[same]
        return found


def _over(q: Array, low: Array | float, high: Array | float) -> Array:
    """How far angles are beyond the nearer limit by their best whole turn; negative within."""
    with np.errstate(invalid="ignore"):
        middle = 0.5 * (np.asarray(low) + np.asarray(high))
        half = 0.5 * (np.asarray(high) - np.asarray(low))
        nearest = q - _TURN * np.round((q - middle) / _TURN)
        over = np.abs(nearest - middle) - half
    return np.asarray(np.where(np.isfinite(half) & (half < 0.5 * _TURN), over, -np.inf))


def _without_last(mechanism: Mechanism) -> tuple[Mechanism, Array]:
    """A chain up to the frame in which its last joint turns, and the tool behind that joint."""
    path = [mechanism.joints[k] for k in path_of(mechanism)]
    last = max(k for k, joint in enumerate(path) if joint.movable)
    behind = mechanism.tool
    for joint in reversed(path[last + 1 :]):
        behind = joint.placement @ behind
    before = [k for k, joint in enumerate(path[:last]) if joint.movable][-1]
    tool = np.eye(4)
    for joint in path[before + 1 : last + 1]:
        tool = tool @ joint.placement
    joints = tuple(replace(joint, parent=k - 1) for k, joint in enumerate(path[: before + 1]))
    return Mechanism(name=mechanism.name, joints=joints, tool=tool), behind


def _at_limits(
    mechanism: Mechanism, joint: str, engine: Engine
) -> list[tuple[ChainInverse, int, float]]:
    """Inverses with a joint locked at its limits; none of a joint that has a whole turn.

    Where the chain can move on with the joint locked, the roll moves another joint alone: this one
    does not depend on it.
    """
    place = [one.name for one in mechanism.movable].index(joint)
    one = mechanism.movable[place]
    if one.kind.angular and one.q_max - one.q_min >= _TURN:
        return []
    found = []
    for limit in (one.q_min, one.q_max):
        if not np.isfinite(limit):
            continue
        try:
            locked = {joint: float(limit)}
            inverse = ChainInverse.of(mechanism, Task.POSITION_AND_AXIS, locked, engine)
        except InverseError as error:
            if error.fact("spare", int) is None:
                raise
            continue
        found.append((inverse, place, float(limit)))
    return found


def _rolled(T: Array, rolls: Array) -> Array:
    """A pose turned about its own z axis. # (4, 4), (k,) -> (k, 4, 4)."""
    poses = np.repeat(T[None], rolls.size, axis=0)
    poses[:, :3, :3] = T[:3, :3] @ rotation_z(rolls)
    return poses
