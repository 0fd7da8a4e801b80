"""Following the ball along straight lines, the tool's orientation held.

Along λ the equations are: the ball is on its line, the tool keeps the orientation it started with
(or, where a robot cannot hold the turn about the probe axis, the axis alone), the locked joints
keep their values. They are as many as there are joints, so while the square system stays regular
there is exactly one path from a posture, whatever steps it is followed by. It is followed once,
from knot to knot; places between are found by Newton from the quintic between two knots, so they
depend on the line and λ alone.

Source: [LAMMARI12] §II.6.2 eqs. (II.31)-(II.34) (Newton); derivatives from J·q'' = a - J̇·q'
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from planner.reach.serial_search import Posed, SerialTask, polished
from robots.core.arrays import Array, Indices, Mask
from robots.core.joint_samples import unit_samples

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
