"""Stylus whose ball lies beside its axis: postures by root search and Newton's method.

``StylusRoll`` finds where the postures are; Newton's method on the five-row task makes them exact.
Along a line a posture is followed from the line's start, so that it keeps its own branch.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields

import numpy as np

from robots.arm.equations import newton_programme, rates_programme
from robots.arm.family import ArmFamily
from robots.core.arrays import Array, Indices, Mask
from robots.core.kernels.kernel import Engine, Kernel
from robots.core.mechanism import Mechanism

_ITERATIONS = 12  # from a bracketed zero three are enough; near a double one it goes slower
_LARGEST_STEP = 0.2  # [rad] keeps an iterate in its own branch
_EXACT = 1e-14  # what is missing [m, rad] below which rounding decides
_STRIDES = 8  # of a line, start to end
_HIT = 1e-9  # [m, rad] what may be missing
_SAME = 1e-6  # [rad] postures nearer than this are one
_TARGETS = 256  # searched at a time; more costs memory and gains nothing
Branches = Callable[[Array, Array], Array]  # wrist centre, direction -> (..., 8, 5) angles


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BentSolutions:
    """Postures of a batch of targets, one per family.

    Args:
        q: joints; those of the straight stylus where the family has none. # (N, 8, 5) [rad]
        expected: families in which the search saw a posture. # (N, 8)
        crowded: targets with a second posture of the same signs, which is left out. # (N,)
    """

    q: Array
    expected: Mask
    crowded: Mask


class BentStylus:
    """The numerical part of an arm's inverse.

    Args:
        mechanism: the arm with its tool.
        family: its dimensions.
        branches: closed form of the straight stylus.
        engine: how the equations are run.
    """

    def __init__(
        self, mechanism: Mechanism, family: ArmFamily, branches: Branches, engine: Engine
    ) -> None:
        self._family = family
        self._branches = branches
        self._newton = Kernel(newton_programme(mechanism), engine)
        self._rates = Kernel(rates_programme(mechanism, bent=True), engine)

    def solve(self, position: Array, axis: Array, straight: Array) -> BentSolutions:
        """All postures at positions with stylus directions.

        Args:
            position: ball centres. # (N, 3) [m]
            axis: unit directions. # (N, 3)
            straight: joints of the straight stylus, which tell two postures of a family apart.
                # (N, 8, 5) [rad]
        """
        parts = [
            self._solve_some(position[part], axis[part], straight[part])
            for part in (slice(k, k + _TARGETS) for k in range(0, len(position), _TARGETS))
        ]
        if not parts:
            return self._solve_some(position, axis, straight)
        return BentSolutions(
            q=np.concatenate([part.q for part in parts]),
            expected=np.concatenate([part.expected for part in parts]),
            crowded=np.concatenate([part.crowded for part in parts]),
        )

    def follow(self, lines: Array, lam: Array) -> Array:
        """Postures along lines, each followed from its line's start.

        Args:
            lines: as in ``ArmInverse.along_lines``; the signs are not needed. # (m, 17)
            lam: place on each line. # (m,)

        Returns:
            q, dq/dλ, d²q/dλ²; NaN where the branch ends before. # (m, 15) [rad]
        """
        start, tangent, axis, q = lines[:, :3], lines[:, 3:6], lines[:, 6:9], lines[:, 12:]
        stride = (lam / _STRIDES)[:, None]
        with np.errstate(all="ignore"):  # a branch that ends gives NaN, which is the answer
            for k in range(1, _STRIDES + 1):
                rates = self._rates(q, tangent)
                guess = q + stride * rates[:, :5] + 0.5 * stride**2 * rates[:, 5:]
                q = self._polished(guess, start + k * stride * tangent, axis, keep=False)
            return np.concatenate([q, self._rates(q, tangent)], axis=1)

    def _solve_some(self, position: Array, axis: Array, straight: Array) -> BentSolutions:
        """One block of targets."""
        offsets = self._family.offsets
        roll = StylusRoll(self._family, self._branches, position, axis)
        found = roll.brackets()
        zero = roll.zeros(found)
        reached = self._family.shortfall(roll.centers(found.target, zero)) <= 0.0
        target, zero, sheet = found.target[reached], zero[reached], found.sheet[reached]
        family = roll.families(target, sheet, zero)
        seeds = roll.postures(target, zero)[np.arange(len(zero)), family] - offsets
        q = self._polished(seeds, position[target], axis[target], keep=True)
        return _sorted(q, target, family, straight)

    def _polished(self, q: Array, position: Array, axis: Array, *, keep: bool) -> Array:
        """Newton's method; rows that do not arrive keep their best iterate or become NaN."""
        best, least = q, np.full(len(q), np.inf)
        for _ in range(_ITERATIONS):
            step = self._newton(q, position, axis)
            missing = np.max(step[:, 5:], axis=1)
            better = missing < least
            best, least = np.where(better[:, None], q, best), np.where(better, missing, least)
            if not np.any(better & (missing > _EXACT)):
                break
            longest = np.max(np.abs(step[:, :5]), axis=1, keepdims=True)
            q = q + step[:, :5] * np.minimum(1.0, _LARGEST_STEP / np.maximum(longest, _EXACT))
        return best if keep else np.where((least <= _HIT)[:, None], best, np.nan)


def _sorted(q: Array, target: Indices, family: Indices, straight: Array) -> BentSolutions:
    """Postures found, in any order and perhaps twice, into their families."""
    chosen, expected = straight.copy(), np.zeros(straight.shape[:2], dtype=np.bool_)
    # The farthest first, so that the nearest to the straight stylus's posture stays.
    order = np.argsort(-_apart(q, straight[target, family]), kind="stable")
    q, target, family = q[order], target[order], family[order]
    chosen[target, family] = q
    expected[target, family] = True
    other = _apart(q, chosen[target, family]) > _SAME
    return BentSolutions(
        q=chosen, expected=expected, crowded=np.isin(np.arange(len(chosen)), target[other])
    )


def _apart(a: Array, b: Array) -> Array:
    """Largest difference of joints, whole turns not counted. # (..., 5) -> (...)."""
    return np.asarray(2.0 * np.max(np.abs(np.sin(0.5 * (a - b))), axis=-1))


# ------------------------------------------------------------------------------ Roll of the stylus
# With position and direction given, such an arm can only still turn the stylus about itself. Every
# roll puts the wrist centre at one place of a circle, which the arm reaches with four combinations
# of shoulder and elbow; a posture exists where the forearm comes out normal to the last axis. So
# every posture is a zero, over one turn, of one of four functions of the roll: none can hide in
# five dimensions, and what the functions do not have does not exist.
#
# The straight stylus is the case where the circle is a point and the zeros of each function are
# half a turn apart: wrist + and wrist -. None of the sources treats the bent one.

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
