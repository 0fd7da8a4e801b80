"""How far a posture of six or seven joints may turn while its tool is held.

A probe leaves the turn of the tool about its own axis free: the roll, a seventh joint beside six.
Seven joints whose tool stands still have the same freedom, told by the last one. Either way seven
joints hold one pose, and the postures that do are curves. A branch is a piece of one: it ends where
a joint is at its limit, or at a fold, where the roll turns back and two branches meet.

The curve is followed by its length, which passes folds as any other place, so no inverse is needed.
A step counts when its tangents foretell it and no joint can have met a limit, nor the roll turned
back, between its ends as far as the change of the tangents tells; else it is halved. Where a step
meets an end, the end is bisected to rounding.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robots.core.arrays import Array, Indices, Mask
from robots.core.chain_inverse.chain import chain_of, wrapped
from robots.core.chain_inverse.solver import ChainInverse
from robots.core.errors import InverseError
from robots.core.inverse.task import Task
from robots.core.mechanism import Mechanism
from robots.core.pose import rotation_z

_TURN = 2.0 * np.pi
SIX = 6  # joints beside the roll
SAMPLES = 512  # of a turn, where postures within the limits are looked for
# Of curves, in radians or scale lengths:
_WITHIN = 1e-9  # beyond a limit that is rounding
_FIRST, _LONGEST, _SHORTEST = 0.02, 0.3, 1e-9  # steps
_GRAZING = 1e-7  # a step that touches a limit by less than its square is no end
_BENT = 0.2  # change of the tangent within a step
_MISSED = 0.05  # of a step: what the mean of both tangents may miss it by
_CLOSED = 1e-6  # from the beginning, after whole turns
_REGULAR = 1e-8  # ratio of singular values below which postures are no curve
_CONVERGED = 1e-12  # gap to the pose
_MOST_STEPS = 20_000
_HALVINGS = 48


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
        """Whether two branches meet here: beyond, neither goes on."""
        return not self.joint


@dataclass(frozen=True, slots=True, kw_only=True)
class RollInterval:
    """Turns that a posture's branch allows, about the probe or, of seven joints, of the last one.

    Args:
        joint: that turns while the tool is held; empty of turns about the tool's axis.
        back: against the axis; a branch may go on for more than a turn. [rad]
        on: about it. [rad]
        ends: what stops it, back and on; none of a branch that comes round to where it began.
    """

    joint: str = ""
    back: float
    on: float
    ends: tuple[RollEnd, ...]


class FeasibleRolls:
    """Intervals of the roll of one robot.

    A joint whose range is a whole turn or more stops nothing: it may be led a turn back.

    Args:
        mechanism: serial, of six joints; or of seven of which the last one turns: it is the roll.

    Raises:
        InverseError: another number of joints, or one that does not carry the tool.
    """

    def __init__(self, mechanism: Mechanism) -> None:
        if mechanism.dof not in (SIX, SIX + 1) or not mechanism.movable[-1].kind.angular:
            raise InverseError(
                f"Intervals of the roll are those of six joints, or of seven of which the last one "
                f"turns; {mechanism.name!r} has {mechanism.dof}.",
                robot=mechanism.name,
            )
        self.mechanism = mechanism
        self._task = Task.POSE if mechanism.dof > SIX else Task.POSITION_AND_AXIS
        self._chain = chain_of(mechanism, self._task)
        low, high = np.full(SIX + 1, -np.inf), np.full(SIX + 1, np.inf)
        low[: mechanism.dof], high[: mechanism.dof] = mechanism.q_min, mechanism.q_max
        round_about = np.array(self._chain.revolute) & (high - low >= _TURN)
        self._low = np.where(round_about, -np.inf, low) / self._chain.units
        self._high = np.where(round_about, np.inf, high) / self._chain.units

    def around(self, q: Array) -> list[RollInterval | None]:
        """The interval of each posture, all followed at once.

        Args:
            q: postures, whole turns aside. # (m, n) [rad or m]

        Returns:
            None of a posture beyond its limits, or next to which the postures of its pose are no
            curve, or that is followed to such a place.
        """
        x = np.zeros((len(q), SIX + 1))
        x[:, : q.shape[1]] = self._unwound(q)
        # Six joints turn about the tool's axis as the roll's joint turns back.
        forth = 1.0 if self._task is Task.POSE else -1.0
        curves = _Curves(self, np.repeat(x, 2, axis=0), np.tile([-forth, forth], len(x)))
        curves.follow()
        travelled = np.abs(curves.x[:, SIX] - np.repeat(x[:, SIX], 2))
        joint = self.mechanism.movable[-1].name if self._task is Task.POSE else ""
        found: list[RollInterval | None] = []
        for k in range(0, 2 * len(x), 2):
            back, on = travelled[k : k + 2].tolist()
            if np.any(curves.state[k : k + 2] == _LOST):
                found.append(None)
                continue
            closed = curves.state[k] == _ROUND
            ends = () if closed else (curves.end(k), curves.end(k + 1))
            found.append(RollInterval(joint=joint, back=back, on=on, ends=ends))
        return found

    def any_within(self, T: Array) -> bool:
        """Whether any posture at ``SAMPLES`` even turns about the tool's axis is within all limits.

        Args:
            T: pose of the tool at one of the turns. # (4, 4)

        Raises:
            InverseError: no inverse can be derived, or seven joints.
        """
        poses = np.repeat(T[None], SAMPLES, axis=0)
        poses[:, :3, :3] = T[:3, :3] @ rotation_z(_TURN * np.arange(SAMPLES) / SAMPLES)
        found = ChainInverse.of(self.mechanism, engine="numpy").solve(poses)
        x = np.zeros((int(np.sum(found.solved)), SIX + 1))
        x[:, :SIX] = self._unwound(found.q[found.solved])
        return bool(np.any(np.max(self.beyond(x), axis=1, initial=-np.inf) <= _WITHIN))

    def beyond(self, x: Array) -> Array:
        """How far each joint is beyond its nearer limit; negative within. # (m, 7)."""
        return np.asarray(np.maximum(self._low - x, x - self._high))

    def _unwound(self, q: Array) -> Array:
        """Joints without units, angles by the whole turn nearest to the middle of their range."""
        n = q.shape[1]
        x = q / self._chain.units[:n]
        ends = np.stack([self._low, self._high])[:, :n]
        middle = np.mean(np.where(np.isfinite(ends), ends, 0.0), axis=0)
        near = middle + wrapped(x - middle, self._chain.revolute[:n])
        return np.where(self._chain.revolute[:n], near, x)


_GOING, _ENDED, _ROUND, _LOST = range(4)


class _Curves:
    """Postures that are followed along the curves of their poses, each to its end.

    Args:
        rolls: of the robot.
        x: where each begins, without units. # (m, 7)
        forth: sign of the roll's change. # (m,)
    """

    def __init__(self, rolls: FeasibleRolls, x: Array, forth: Array) -> None:
        self._rolls, self._chain = rolls, rolls._chain
        self.x, self._start = x.copy(), x
        self._T = self._chain.forward(x * self._chain.units)
        J = self._jacobian(x)
        _, values, right = np.linalg.svd(J)
        self._t = right[:, SIX]
        self._t = self._t * np.sign(self._t[:, SIX] * forth)[:, None]
        self._side = np.sign(np.linalg.det(J[:, :, :SIX]))
        self._h = np.full(len(x), _FIRST)
        self._new = x.copy()  # ends of the steps that meet an end
        regular = values[:, -1] > _REGULAR * values[:, 0]
        regular &= np.abs(self._t[:, SIX]) > _REGULAR
        within = np.max(rolls.beyond(x), axis=1, initial=-np.inf) <= _WITHIN
        self.state = np.where(regular & within, _GOING, _LOST)

    def follow(self) -> None:
        """Lead each posture to the end of its branch."""
        for _ in range(_MOST_STEPS):
            rows = np.flatnonzero(self.state == _GOING)
            if rows.size == 0:
                break
            self._step(rows)
        self.state[self.state == _GOING] = _LOST
        self._bisect(np.flatnonzero(self.state == _ENDED))

    def end(self, row: int) -> RollEnd:
        """What ended one."""
        over = self._rolls.beyond(self._new[row])
        joint = int(np.argmax(over))
        if not over[joint] > 0.0:
            return RollEnd()
        one = self._rolls.mechanism.movable[joint]
        above = self._new[row, joint] > self._rolls._high[joint]
        return RollEnd(joint=one.name, limit=float(one.q_max if above else one.q_min))

    def _step(self, rows: Indices) -> None:
        """Try one step of each row; what is not sure is tried again half as long."""
        x, t, h = self.x[rows], self._t[rows], self._h[rows]
        new, near, J = self._corrected(rows, x + h[:, None] * t, t)
        after = self._tangents(J, t)
        bent = np.max(np.abs(after - t), axis=1)
        missed = np.max(np.abs(new - x - 0.5 * h[:, None] * (t + after)), axis=1)
        good = near & (bent <= _BENT) & (missed <= _MISSED * h)
        # At a fold the roll turns back and the side changes. One without the other is a crossing of
        # two curves, or a step from one to another close by.
        turned = after[:, SIX] * t[:, SIX] < 0.0
        crossed = np.sign(np.linalg.det(J[:, :, :SIX])) != self._side[rows]
        met = np.any(self._rolls.beyond(new) > 0.0, axis=1) | (turned & crossed)
        clear = self._clear(x, new, (t, after), h)
        sure = good & (turned == crossed) & (met | clear)
        tiny = h <= _SHORTEST
        ended = (sure & met) | (tiny & good & crossed)
        self.state[rows[tiny & ~good]] = _LOST
        self.state[rows[ended]] = _ENDED
        self._new[rows[ended]] = new[ended]
        gone = (sure | (good & (h <= _GRAZING) & (turned == crossed))) & ~ended
        halved = rows[~gone & ~ended]
        self._h[halved] *= 0.5
        went = rows[gone]
        before = self.x[went]
        self.x[went], self._t[went] = new[gone], after[gone]
        self._h[went] = np.minimum(1.5 * self._h[went], _LONGEST)
        self._come_round(went, before)

    def _clear(self, x: Array, new: Array, tangents: tuple[Array, Array], h: Array) -> Mask:
        """Whether nothing can be met between the ends of steps that meet nothing there."""
        change = np.max(np.abs(tangents[1] - tangents[0]), axis=1, keepdims=True)
        least = np.minimum(*tangents) - change
        most = np.maximum(*tangents) + change
        rising = (least > 0.0) | (most < 0.0)
        farthest = h[:, None] * np.maximum(np.abs(least), np.abs(most))
        over = np.maximum(self._rolls.beyond(x), self._rolls.beyond(new)) + farthest
        return np.asarray(rising[:, SIX] & np.all(rising | (over <= _WITHIN), axis=1))

    def _come_round(self, rows: Indices, before: Array) -> None:
        """Stop where the roll has made whole turns and the posture is the first one again."""
        begun = self._start[rows, SIX]
        turns = [
            np.floor(np.abs(one - begun) / _TURN) for one in (before[:, SIX], self.x[rows, SIX])
        ]
        passing = turns[1] > turns[0]
        rows, before = rows[passing], before[passing]
        if rows.size == 0:
            return
        step = self.x[rows] - before
        there = begun[passing] + np.sign(step[:, SIX]) * _TURN * turns[1][passing]
        x = before + ((there - before[:, SIX]) / step[:, SIX])[:, None] * step
        roll = np.zeros_like(x)
        roll[:, SIX] = 1.0
        x, near, _ = self._corrected(rows, x, roll)
        away = np.max(np.abs(wrapped(x - self._start[rows], self._chain.revolute)), axis=1)
        same = near & (away < _CLOSED)
        self.x[rows[same]] = x[same]
        self.state[rows[same]] = _ROUND

    def _bisect(self, rows: Indices) -> None:
        """Bring the steps that meet an end to it."""
        if rows.size == 0:
            return
        t = self._t[rows]
        low, high = self.x[rows], self._new[rows]
        for _ in range(_HALVINGS):
            middle, near, J = self._corrected(rows, 0.5 * (low + high), t)
            beyond = ~near | np.any(self._rolls.beyond(middle) > 0.0, axis=1)
            beyond |= np.sign(np.linalg.det(J[:, :, :SIX])) != self._side[rows]
            high = np.where((beyond & near)[:, None], middle, high)
            low = np.where(beyond[:, None], low, middle)
        self.x[rows], self._new[rows] = low, high

    def _corrected(self, rows: Indices, x: Array, normals: Array) -> tuple[Array, Mask, Array]:
        """Postures of the poses in the planes across some directions; which are, and Jacobians."""
        T = self._T[rows]
        for _ in range(6):
            frames = self._chain.forward(x * self._chain.units)
            gap = self._chain.gap(frames, T)
            J = self._jacobian(x)
            if np.all(np.abs(gap) <= _CONVERGED):
                break
            x = x + self._solved(J, normals, np.pad(gap, ((0, 0), (0, 1))))
        return x, np.max(np.abs(gap), axis=1) <= 10.0 * _CONVERGED, J

    def _tangents(self, J: Array, before: Array) -> Array:
        """Unit tangents of the curves, on as before. # (m, 7)."""
        right = np.zeros((len(J), SIX + 1))
        right[:, SIX] = 1.0
        t = self._solved(J, before, right)
        return np.asarray(t / np.linalg.norm(t, axis=1, keepdims=True))

    def _solved(self, J: Array, normals: Array, right: Array) -> Array:
        """Solutions beside a normal; zero where the postures are no curve. # (m, 7)."""
        A = np.concatenate([J, normals[:, None]], axis=1)
        singular = np.linalg.det(A) == 0.0
        A[singular] = np.eye(SIX + 1)
        return np.where(singular[:, None], 0.0, np.linalg.solve(A, right[..., None])[..., 0])

    def _jacobian(self, x: Array) -> Array:
        """Of poses without units by joints without units. # (m, 6, 7)."""
        J = self._chain.jacobian(x * self._chain.units) * self._chain.units
        J[:, :3] /= self._chain.length
        return J
