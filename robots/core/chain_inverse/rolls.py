"""Which turns about a probe's axis a robot of six joints allows: intervals with exact ends.

A probe leaves the turn of the tool about its own axis free: the roll, a seventh joint. On the way
once round it each branch of the robot is within the joints' limits over some intervals. These end
where a joint is at its limit, or at a fold, where two branches meet. With a joint locked at its
limit and the roll in its place the chain is one of six joints again, whose inverse misses no root;
so no limit can hide between two samples. Folds are zeros of the branches' reserves, functions of
the roll that are sampled until their spectrum ends, and then eight times as close.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from robots.core.arrays import Array, Mask, freeze_field
from robots.core.chain_inverse.relations import Loop, Reading
from robots.core.chain_inverse.solver import ChainInverse, Method, evaluated
from robots.core.equations.algebra import Functions
from robots.core.errors import InverseError
from robots.core.inverse.task import Task
from robots.core.kernels import Engine
from robots.core.mechanism import Mechanism
from robots.core.pose import rotation_z

# Sheets of the branches go on where their roots are imaginary: nothing is clamped.
_COMPLEX = Reading(
    fn=Functions(
        sin=np.sin, cos=np.cos, sign=np.sign, sqrt=np.sqrt, maximum=lambda value, _: value
    ),
    real=False,
)
_TURN = 2.0 * np.pi
_LEAST_SAMPLES, _MOST_SAMPLES = 32, 512
_SPECTRUM = 1e-10  # of the largest coefficient: beyond it there is rounding only
_CLOSER = 8  # samples of the reserves for each that their spectrum needs
_BISECTIONS = 44  # of a sample's width: down to rounding
_BESIDE = 1e-7  # [rad] from an end, where what ends a branch is looked at
_SAME = 1e-9  # [rad] two ends that are one
_WITHIN = 1e-9  # [rad or m] beyond a limit that is rounding


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
        branch: its name.
        low: where it begins; a whole turn is ``low + 2π`` long and has no ends. [rad]
        high: where it ends, ``low`` or more. [rad]
        q: posture in its middle, angles in (-π, π]. # (n,) [rad or m]
        ends: what it ends with, at low and at high; none of a whole turn.
    """

    branch: str
    low: float
    high: float
    q: Array
    ends: tuple[RollEnd, RollEnd] | None

    def __post_init__(self) -> None:
        freeze_field(self, "q", self.q)

    def to_ends(self, roll: float) -> tuple[float, float] | None:
        """How far a roll is from low and from high; None outside, or of a whole turn. [rad]."""
        from_low = (roll - self.low) % _TURN
        if self.ends is None or from_low > self.high - self.low:
            return None
        return from_low, self.high - self.low - from_low


class FeasibleRolls:
    """Intervals of the roll of one robot.

    Args:
        mechanism: serial, of six joints.
        engine: how the steps are run.

    Raises:
        InverseError: no closed form, or a joint at whose limit the chain has no inverse.
    """

    def __init__(self, mechanism: Mechanism, engine: Engine = "auto") -> None:
        self._mechanism = mechanism
        self._inverse = ChainInverse.of(mechanism, engine=engine)
        if mechanism.dof != 6 or self._inverse.method is not Method.CLOSED:
            raise InverseError(
                f"Exact intervals of the roll need six joints in closed form; {mechanism.name!r} "
                f"has {mechanism.dof}, by the {self._inverse.method.value}.",
                robot=mechanism.name,
            )
        self._locked = [
            one for joint in mechanism.movable for one in _at_limits(mechanism, joint.name, engine)
        ]
        movable = mechanism.movable
        self._turning = np.array([joint.kind.angular for joint in movable])

    @cached_property
    def _branches(self) -> int:
        """Branches that the steps tell."""
        return int(self._inverse.programme.result.shape[0])

    def intervals(self, T: Array) -> tuple[RollInterval, ...]:
        """All intervals, branch by branch.

        Args:
            T: pose of the tool at roll zero. # (4, 4)

        Returns:
            None where no roll brings any branch within the limits: the place is out of reach along
            its axis.
        """
        edges = np.unique(np.concatenate([self._limit_rolls(T), self._fold_rolls(T)]) % _TURN)
        edges = edges[np.diff(edges, prepend=-1.0) > _SAME]
        if edges.size == 0:
            edges = np.zeros(1)
        closed = np.append(edges, edges[0] + _TURN)
        q, reserve = self._at(T, 0.5 * (closed[:-1] + closed[1:]))
        good = self._feasible(q, reserve)
        found: list[RollInterval] = []
        for branch in range(self._branches):
            found += self._of_branch(T, branch, closed, good[:, branch])
        return tuple(found)

    def _of_branch(self, T: Array, branch: int, edges: Array, good: Mask) -> list[RollInterval]:
        """Neighbouring pieces between edges joined; one that spans the first edge is one too."""
        name, pieces = self._inverse.names[branch], good.size
        if np.all(good):
            middle = float(edges[0]) + np.pi
            q = self._at(T, np.array([middle]))[0][0, branch]
            low, high = float(edges[0]), float(edges[0]) + _TURN
            return [RollInterval(branch=name, low=low, high=high, q=q, ends=None)]
        found = []
        for first in np.flatnonzero(good & ~np.roll(good, 1)).tolist():
            count = int(np.argmin(np.roll(good, -first)))
            last = first + count
            low, high = float(edges[first]), float(edges[last % pieces])
            high += _TURN if last >= pieces else 0.0
            q = self._at(T, np.array([0.5 * (low + high)]))[0][0, branch]
            ends = self._end(T, branch, low - _BESIDE), self._end(T, branch, high + _BESIDE)
            found.append(RollInterval(branch=name, low=low, high=high, q=q, ends=ends))
        return found

    def _end(self, T: Array, branch: int, beyond: float) -> RollEnd:
        """What a branch fails by just beyond an end: its worst joint, or no posture at all."""
        q, reserve = self._at(T, np.array([beyond]))
        if reserve[0, branch] < 0.0:
            return RollEnd()
        low, high = self._mechanism.q_min, self._mechanism.q_max
        there = self._nearest_turn(q[0, branch])
        over = np.maximum(low - there, there - high)
        worst = int(np.argmax(over))
        limit = low if low[worst] - there[worst] > there[worst] - high[worst] else high
        return RollEnd(joint=self._mechanism.movable[worst].name, limit=float(limit[worst]))

    def _at(self, T: Array, rolls: Array) -> tuple[Array, Array]:
        """Joints of all branches at rolls, and their reserves. # (k, B, n), (k, B)."""
        raw = self._inverse.angles(_rolled(T, rolls))
        return raw[..., :-1], raw[..., -1]

    def _nearest_turn(self, q: Array) -> Array:
        """Angles by the whole turns within their limits, or nearest to them. # (..., n)."""
        low, high = self._mechanism.q_min, self._mechanism.q_max
        up = np.where(np.isfinite(low), np.ceil((low - _WITHIN - q) / _TURN), 0.0)
        down = np.where(np.isfinite(high), np.floor((high + _WITHIN - q) / _TURN), 0.0)
        # Between ``up`` and ``down`` all turns are within; where none is, the nearer of the two.
        turns = np.where(up <= down, np.clip(0.0, up, np.maximum(up, down)), 0.0)
        outside = up > down
        nearer = np.where(low - (q + _TURN * down) <= (q + _TURN * up) - high, down, up)
        turns = np.where(outside, nearer, turns)
        return np.where(self._turning, q + _TURN * turns, q)

    def _feasible(self, q: Array, reserve: Array) -> Mask:
        """Branches that exist within the limits. # (k, B)."""
        there = self._nearest_turn(q)
        low, high = self._mechanism.q_min - _WITHIN, self._mechanism.q_max + _WITHIN
        with np.errstate(invalid="ignore"):
            return np.asarray((reserve >= 0.0) & np.all((there >= low) & (there <= high), axis=-1))

    def _limit_rolls(self, T: Array) -> Array:
        """Rolls at which some joint is at a limit, on whatever branch. # (e,) [rad]."""
        rolls = [np.zeros(0)]
        for inverse, joint, limit in self._locked:
            found = inverse.solve(T)
            q = np.insert(found.q[found.solved], joint, limit, axis=1)
            R = np.swapaxes(T[None, :3, :3], 1, 2) @ self._inverse.chain.forward(q)[:, :3, :3]
            rolls.append(np.arctan2(R[:, 1, 0], R[:, 0, 0]))
        return np.concatenate(rolls)

    def _fold_rolls(self, T: Array) -> Array:
        """Rolls at which a branch begins or ends. # (e,) [rad]."""
        count = _CLOSER * self._samples(T)
        at = _TURN * np.arange(count) / count
        step = _TURN / count
        reserve = self._at(T, at)[1]
        rolls = [np.zeros(0)]
        for branch in range(self._branches):
            there = reserve[:, branch] >= 0.0
            low = at[there != np.roll(there, -1)]
            inside = there[there != np.roll(there, -1)]
            high = low + step
            for _ in range(_BISECTIONS if low.size else 0):
                middle = 0.5 * (low + high)
                same = (self._at(T, middle)[1][:, branch] >= 0.0) == inside
                low, high = np.where(same, middle, low), np.where(same, high, middle)
            rolls.append(0.5 * (low + high))
        return np.concatenate(rolls)

    def _samples(self, T: Array) -> int:
        """Samples of one turn that hold all there is of the branches' reserves.

        The product of a step's discriminants over all sheets of the steps before it has no roots
        left in it, so it is smooth once round, and its spectrum ends.
        """
        plan = self._inverse.plan
        count = _LEAST_SAMPLES
        while plan is not None and count < _MOST_SAMPLES:
            poses = _rolled(T, _TURN * np.arange(count) / count)
            pose = [poses[:, r, c] + 0.0j for r in range(3) for c in range(4)]
            with np.errstate(all="ignore"):
                states = evaluated(Loop(self._inverse.chain, pose), plan, _COMPLEX)
            sheets = np.array(
                [
                    np.prod([np.broadcast_to(one.reserves[k], count) for one in states], axis=0)
                    for k in range(len(states[0].reserves))
                ]
            )
            spectrum = np.abs(np.fft.fft(sheets, axis=1))
            top = spectrum[:, count // 4 : count - count // 4]
            if np.all(top <= _SPECTRUM * np.max(spectrum, axis=1, keepdims=True)):
                break
            count *= 2
        return count


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
