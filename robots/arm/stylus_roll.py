"""A stylus whose ball lies beside its own axis: its postures as zeros of one function.

With position and direction given, such an arm can only still turn the stylus about itself. Every
roll puts the wrist centre at one place of a circle, which the arm reaches with four combinations of
shoulder and elbow; a posture exists where the forearm comes out normal to the last axis. So every
posture is a zero, over one turn, of one of four functions of the roll: none can hide in five
dimensions, and what the functions do not have does not exist.

The straight stylus is the case where the circle is a point and the zeros of each function are half
a turn apart: wrist + and wrist -. None of the sources treats the bent one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields

import numpy as np

from robots.arm.family import ArmFamily
from robots.core.arrays import Array, Indices, Mask

Branches = Callable[[Array, Array], Array]  # wrist centre, direction -> (..., 8, 5) angles

SHEETS = 4  # shoulder x elbow: every second family
_COARSE = 64  # places of one turn that are looked at first
_STEP = 2.0 * np.pi / _COARSE  # [rad]
_WINDOW = 17  # places of a window that is looked into again
_LEVELS = 5  # of windows: zeros 2e-5 rad apart are told apart
_STEEP = 0.3  # change from place to place; an ordinary function's is 0.1 at most
_HALVINGS = 20  # of a bracket: enough for Newton's method to take over


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Brackets:
    """Intervals of the roll over which a function changes sign. # each (b,)."""

    target: Indices
    sheet: Indices
    low: Array  # [rad]
    high: Array  # [rad]


_FIELDS = fields(Brackets)


class StylusRoll:
    """The four functions of the roll, for a batch of targets.

    Args:
        family: the arm.
        branches: closed form of the straight stylus, without joint offsets.
        position: ball centres. # (N, 3) [m]
        axis: unit stylus directions. # (N, 3)
    """

    def __init__(self, family: ArmFamily, branches: Branches, position: Array, axis: Array) -> None:
        self._family = family
        self._branches = branches
        self._middle = position - family.stylus_length * axis
        self._axis = axis
        self._basis = _normals(axis)

    def centers(self, target: Indices, roll: Array) -> Array:
        """Wrist centres. # (m,), (m,) -> (m, 3) [m]."""
        z5 = self._last_axis(target, roll)
        along, across = self._family.side
        beside = along * z5 + across * np.cross(z5, self._axis[target])
        return np.asarray(self._middle[target] - beside)

    def postures(self, target: Indices, roll: Array) -> Array:
        """Angles of all families of the wrist centre at a roll. # (m, 8, 5) [rad]."""
        return self._branches(self.centers(target, roll), self._axis[target])

    def values(self, target: Indices, roll: Array) -> Array:
        """Cosine between forearm and last axis, per sheet. # (m, 4)."""
        forearm = _forearm(self.postures(target, roll)[:, ::2])
        z5 = self._last_axis(target, roll)
        return np.asarray(np.einsum("msk,mk->ms", forearm, z5))

    def brackets(self) -> Brackets:
        """Sign changes over one turn, for all targets; one zero may be bracketed twice.

        Windows in which a zero may hide are looked into again, eight times finer each time.
        """
        target = np.arange(len(self._axis))
        # A step beyond the turn at both ends, so that every place has two neighbours.
        roll = np.broadcast_to(_STEP * np.arange(-1, _COARSE + 2), (len(target), _COARSE + 3))
        parts, half = [], _STEP
        for _ in range(_LEVELS):
            value = self._sampled(target, roll)
            parts.append(_sign_changes(target, roll, value))
            doubtful = np.any(_hollow(value) | _steep(value), axis=2) | self._edge(target, roll)
            row, place = np.nonzero(doubtful)
            target, middle = target[row], roll[row, place + 1]
            roll = middle[:, None] + half * np.linspace(-1.0, 1.0, _WINDOW)
            half *= 2.0 / (_WINDOW - 1)
        return Brackets(
            **{f.name: np.concatenate([getattr(part, f.name) for part in parts]) for f in _FIELDS}
        )

    def _sampled(self, target: Indices, roll: Array) -> Array:
        """Values along rows of rolls. # (k,), (k, p) -> (k, p, 4)."""
        rows = np.repeat(target, roll.shape[1])
        return self.values(rows, roll.ravel()).reshape(*roll.shape, SHEETS)

    def _edge(self, target: Indices, roll: Array) -> Mask:
        """Places next to which the wrist centre crosses the edge of reach. # -> (k, p - 2)."""
        rows = np.repeat(target, roll.shape[1])
        beyond = self._family.shortfall(self.centers(rows, roll.ravel())).reshape(roll.shape) > 0.0
        return np.asarray(_inner(beyond[:, 1:] != beyond[:, :-1]))

    def zeros(self, found: Brackets) -> Array:
        """Roll of the zero in every bracket. # (b,) [rad]."""
        low, high, pick = found.low.copy(), found.high.copy(), np.arange(len(found.low))
        at_low = self.values(found.target, low)[pick, found.sheet]
        for _ in range(_HALVINGS):
            middle = 0.5 * (low + high)
            value = self.values(found.target, middle)[pick, found.sheet]
            same = np.signbit(value) == np.signbit(at_low)
            low, high = np.where(same, middle, low), np.where(same, high, middle)
        return np.asarray(0.5 * (low + high))

    def families(self, target: Indices, sheet: Indices, roll: Array) -> Indices:
        """Family of each zero: its wrist is the side that the last axis points to. # (b,)."""
        q = self.postures(target, roll)[np.arange(len(roll)), 2 * sheet]
        z5, d = self._last_axis(target, roll), self._axis[target]
        wrist = np.sum(z5 * np.cross(_forearm(q), d), axis=-1)
        return np.asarray(2 * sheet + (wrist < 0.0))

    def _last_axis(self, target: Indices, roll: Array) -> Array:
        u, v = self._basis[0][target], self._basis[1][target]
        return np.asarray(np.cos(roll)[:, None] * u + np.sin(roll)[:, None] * v)


def _forearm(theta: Array) -> Array:
    """Direction of the forearm in the base frame. # (..., 5) -> (..., 3)."""
    s1, c1 = np.sin(theta[..., 0]), np.cos(theta[..., 0])
    q23 = theta[..., 1] + theta[..., 2]
    return np.stack([c1 * np.sin(q23), s1 * np.sin(q23), -np.cos(q23)], axis=-1)


def _normals(axis: Array) -> tuple[Array, Array]:
    """Two unit vectors normal to a direction and to each other. # (N, 3) each."""
    smallest = np.eye(3)[np.argmin(np.abs(axis), axis=-1)]
    u = np.cross(axis, smallest)
    u /= np.linalg.norm(u, axis=-1, keepdims=True)
    return u, np.cross(axis, u)


def _sign_changes(target: Indices, roll: Array, value: Array) -> Brackets:
    """Sign changes between neighbours. # (k,), (k, p), (k, p, 4)."""
    row, place, sheet = np.nonzero(np.signbit(value[:, 1:]) != np.signbit(value[:, :-1]))
    return Brackets(
        target=target[row], sheet=sheet, low=roll[row, place], high=roll[row, place + 1]
    )


def _hollow(value: Array) -> Mask:
    """Inner places where a function turns back before zero, near enough to hide two zeros.

    A parabola through three neighbours tells how near; half its height is allowed for what the
    function has beyond a parabola. # (k, p, 4) -> (k, p - 2, 4)
    """
    sign = np.sign(value[:, 1:-1])
    before, here, after = (value[:, k : k + value.shape[1] - 2] * sign for k in range(3))
    bottom = (here <= before) & (here <= after)
    bend = np.maximum(before - 2.0 * here + after, np.finfo(float).tiny)
    return np.asarray(bottom & (here - (after - before) ** 2 / (8.0 * bend) <= 0.5 * here))


def _steep(value: Array) -> Mask:
    """Inner places next to which a function runs fast: the wrist centre is near the first axis."""
    return np.asarray(_inner(np.abs(np.diff(value, axis=1)) > _STEEP))


def _inner(interval: Mask) -> Mask:
    """Places with a marked interval on either side. # (k, p - 1, ...) -> (k, p - 2, ...)."""
    return np.asarray(interval[:, 1:] | interval[:, :-1])
