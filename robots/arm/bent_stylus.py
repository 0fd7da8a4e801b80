"""Stylus whose ball lies beside its axis: postures by the roots of a polynomial.

With position and direction given, such an arm can only still turn the stylus about itself. This
roll is a sixth joint of the chain, whose derived inverse has every posture as a root of one
trigonometric polynomial; Newton's method on the five-row task makes them exact. Along a line a
posture is followed from the line's start, so that it keeps its own branch. None of the sources
treats the bent stylus.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robots.arm.equations import newton_programme, rates_programme
from robots.arm.family import ArmFamily
from robots.core.arrays import Array, Indices, Mask
from robots.core.chain_inverse.solver import ChainInverse
from robots.core.inverse.task import Target, Task
from robots.core.kernels.kernel import Engine, Kernel
from robots.core.mechanism import Mechanism

_ITERATIONS = 12  # from a root one is enough; near a double one it goes slower
_LARGEST_STEP = 0.2  # [rad] keeps an iterate in its own branch
_EXACT = 1e-14  # what is missing [m, rad] below which rounding decides
_STRIDES = 8  # of a line, start to end
_HIT = 1e-9  # [m, rad] what may be missing
_SAME = 1e-6  # [rad] postures nearer than this are one


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BentSolutions:
    """Postures of a batch of targets, one per family.

    Args:
        q: joints; those of the straight stylus where the family has none. # (N, 8, 5) [rad]
        expected: families in which there is a posture. # (N, 8)
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
        engine: how the equations are run.
    """

    def __init__(self, mechanism: Mechanism, family: ArmFamily, engine: Engine) -> None:
        self._family = family
        self._inverse = ChainInverse.of(mechanism, Task.POSITION_AND_AXIS, engine=engine)
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
        found = self._inverse.solve(Target.position_and_axis(position, axis).T)
        target, root = np.nonzero(found.solved)
        q = self._polished(found.q[target, root], position[target], axis[target], keep=True)
        return _sorted(q, target, self._families(q), straight)

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

    def _families(self, q: Array) -> Indices:
        """Family of each posture, by its signs. # (m,)."""
        theta = q + self._family.offsets
        shoulder = self._family.radius(theta) < 0.0
        elbow, wrist = np.cos(theta[:, 2]) < 0.0, self._family.wrist_sine(theta) < 0.0
        return np.asarray(4 * shoulder + 2 * elbow + wrist, dtype=np.int64)

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
