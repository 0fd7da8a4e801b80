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

from planner.reach.serial_task import Posed, SerialTask
from robots.core.arrays import Array, Indices, Mask

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
