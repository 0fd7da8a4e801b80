"""One joint left: all its values from a trigonometric polynomial.

Where every joint but one follows in steps from that one, a relation left over is zero at its
solutions only. Multiplied over the sheets that its steps' roots make, and by the denominators of
those steps, it is a polynomial in sine and cosine of the joint. Its degree is read off the Fourier
transform of samples at build; its real roots are isolated by bounds, so none is lost between two
samples.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from robots.core.arrays import Array
from robots.core.chain_inverse.chain import Chain
from robots.core.chain_inverse.circle_roots import Zeros, real_zeros, sample_angles
from robots.core.chain_inverse.derivation import Plan, needed
from robots.core.chain_inverse.relations import Known, Loop, Pair, Reading, Relation, relation_of
from robots.core.equations.algebra import Functions, Scalar
from robots.core.recording import Programme, Recorder

_TRIALS = 24
_FEW = 6  # of them tell the degree
_MOST_PLANS = 60  # that are tried
_FOUND = 1e-4  # [rad] from a posture to its root: more, and the polynomial has lost it
_SHARP = 1e-9  # [rad] likewise: good enough to stop
_SMALL_DEGREE = 8  # sixteen roots, as many as there can be
_SEED = 8
_SAMPLES = 64  # at build: tells degrees up to a quarter of it
_MOST_DEGREE = 12  # beyond, the pencil is the smaller problem
_BANDED = 1e-10  # of the largest coefficient: beyond the degree there is rounding only
_VANISHES = 1e-9  # of a relation without units: it holds whatever the joint is
# Values of a residual at poses and pairs of sine and cosine. # (N, 4, 4), (N, 2) -> (N,)
Values = Callable[[Array, Array], Array]


@dataclass(frozen=True, slots=True, kw_only=True)
class Residual:
    """The polynomial of an assumed joint.

    Args:
        chain: whose.
        plan: with one joint assumed.
        powers: of the weights of the plan's needed steps, that clear the denominators.
        degree: harmonics of the polynomial.
    """

    chain: Chain
    plan: Plan
    powers: tuple[int, ...]
    degree: int

    def zeros(self, T: Array, values: Values) -> Zeros:
        """Angles of the assumed joint that may be solutions.

        Args:
            T: poses of the target. # (N, 4, 4)
            values: of the residual, by its programme.
        """
        angles = sample_angles(self.degree)
        pairs = np.stack([np.sin(angles), np.cos(angles)], axis=1)
        shape = (len(T), len(angles))
        found = values(
            np.broadcast_to(T[:, None], (*shape, 4, 4)), np.broadcast_to(pairs, (*shape, 2))
        )
        return real_zeros(found.reshape(shape))

    @property
    def programme(self) -> Programme:
        """The residual of a pose and a pair of sine and cosine."""
        recorder = Recorder()
        pose, pair = recorder.argument("T_base_tool", (4, 4)), recorder.argument("pair", (2,))
        value = _residual(self.chain, self.plan, self.powers, pose, (pair[0], pair[1]))
        return recorder.programme("residual", [value], ())

    def values(self, T: Array, pairs: Array) -> Array:
        """The same on arrays, at build. # (..., 4, 4), (..., 2) -> (...)."""
        pose = [T[..., r, c] for r in range(3) for c in range(4)]
        pair = (pairs[..., 0], pairs[..., 1])
        return np.asarray(_residual(self.chain, self.plan, self.powers, pose, pair))


def polynomial(chain: Chain, plans: list[Plan]) -> Residual | None:
    """The relation left over of some plans that is the best polynomial; None where there is none.

    Best is the lowest degree, then the roots that come nearest to the postures of trial poses: in
    some joints, several postures always share one value, and a double root has half the digits.
    """
    q = np.random.default_rng(_SEED).uniform(-np.pi, np.pi, (_TRIALS, chain.size)) * chain.units
    T = chain.forward(q)
    best: Residual | None = None
    rank = (_MOST_DEGREE + 1, np.inf)
    for plan in plans[:_MOST_PLANS]:
        if not all(chain.revolute[joint] for joint in plan.assumed):
            continue
        residual = _cleared(chain, plan, T[:_FEW])
        if residual is None or residual.degree > rank[0]:
            continue
        error = _largest_error(residual, T, q[:, plan.assumed[0]])
        if error < _FOUND and (residual.degree, error) < rank:
            best, rank = residual, (residual.degree, error)
            if residual.degree <= _SMALL_DEGREE and error < _SHARP:
                break
    return best


def _largest_error(residual: Residual, T: Array, angles: Array) -> float:
    """Largest distance of a posture's angle from the nearest root of its pose. [rad]."""
    found = residual.zeros(T, residual.values)
    away = np.full(len(T), np.pi)
    apart = (found.angle - angles[found.row] + np.pi) % (2.0 * np.pi) - np.pi
    np.minimum.at(away, found.row, np.abs(apart))
    return float(np.max(away))


def _cleared(chain: Chain, plan: Plan, T: Array) -> Residual | None:
    """Clear denominators until the spectrum ends; None where it does not."""
    steps = needed(plan)
    powers = [0] * len(steps)
    with np.errstate(all="ignore"):  # a sheet may divide by zero: then it is not this relation
        bare = _sampled(chain, plan, T, tuple(powers))
    if not np.all(np.isfinite(bare)) or np.max(np.abs(bare)) < _VANISHES:
        return None
    for power in range(7):
        powers = [power] * len(steps)
        degree = _degree(chain, plan, T, tuple(powers))
        if degree is not None:
            break
    else:
        return None
    # Each step's power as low as it may be: what is too much adds roots that mean nothing.
    for place in range(len(powers)):
        while powers[place] > 0:
            powers[place] -= 1
            lower = _degree(chain, plan, T, tuple(powers))
            if lower is None:
                powers[place] += 1
                break
            degree = lower
    if degree > _MOST_DEGREE or degree == 0:
        return None
    return Residual(chain=chain, plan=plan, powers=tuple(powers), degree=degree)


def _degree(chain: Chain, plan: Plan, T: Array, powers: tuple[int, ...]) -> int | None:
    """Harmonics of the residual, where there are few; None otherwise."""
    with np.errstate(all="ignore"):
        values = _sampled(chain, plan, T, powers)
    if not np.all(np.isfinite(values)):
        return None
    spectrum = np.abs(np.fft.fft(values, axis=1))
    size = np.max(spectrum, axis=1, keepdims=True)
    present = np.any(spectrum > _BANDED * size, axis=0)
    harmonics = np.minimum(np.arange(_SAMPLES), _SAMPLES - np.arange(_SAMPLES))
    degree = int(np.max(harmonics[present], initial=0))
    return degree if degree <= _SAMPLES // 4 else None


def _sampled(chain: Chain, plan: Plan, T: Array, powers: tuple[int, ...]) -> Array:
    """The residual at equal angles. # (N, samples)."""
    angles = 2.0 * np.pi * np.arange(_SAMPLES) / _SAMPLES
    pose = [T[:, r, c, None] for r in range(3) for c in range(4)]
    value = _residual(chain, plan, powers, pose, (np.sin(angles), np.cos(angles)))
    return np.asarray(np.broadcast_to(value, (len(T), _SAMPLES)))


def _residual(
    chain: Chain, plan: Plan, powers: tuple[int, ...], pose: list[Scalar], pair: Pair
) -> Scalar:
    """What the relation left over differs by between its arcs, over all sheets, denominators off.

    Args:
        chain: whose.
        plan: with one joint assumed.
        powers: of the weights of its needed steps.
        pose: rows of T_base_target, twelve scalars.
        pair: sine and cosine of the assumed joint.
    """
    (assumed,) = plan.assumed
    loop = Loop(chain, [Sheet(entry) for entry in pose[:12]])
    reading = Reading(fn=sheet_functions(), real=False)
    known: dict[int, Pair] = {assumed: (Sheet(pair[0]), Sheet(pair[1]))}
    factor = Sheet(1.0)
    for step, power in zip(needed(plan), powers, strict=True):
        root = loop.solve(step, known, reading)[0]
        known[step.joint] = root.value
        for _ in range(power):
            factor = factor * _norm(root.weight)
    return (factor * _norm(imbalance(loop, plan, known))).a


def imbalance(loop: Loop, plan: Plan, known: Known) -> Scalar:
    """What the relation left over differs by between its two arcs, without units."""
    check = plan.check
    if check is None:
        raise ValueError("a plan without a relation left over")
    inside = loop.after(check.second, check.first.home, known, check.arc | {check.joint})
    around = loop.before(check.second, check.first.home, known, check.rest)
    left = relation_of(check.relation, check.first, inside)
    right = relation_of(check.relation, check.first, around)
    return (left - right) * loop.chain.length ** -_LENGTHS.get(check.relation, 0)


# Powers of a length that relations have.
_LENGTHS = {Relation.HEIGHT: 1, Relation.MOMENT: 1, Relation.DISTANCE: 2}


def _norm(value: Scalar) -> Scalar:
    return value.norm if isinstance(value, Sheet) else value


# --------------------------------------------------------------------------- Sheets of square roots
#
# Numbers with square roots in them that are never taken: a + b·w, where w² is known. A step with
# two roots puts its joint on two sheets, +w and -w. Calculating with the pair (a, b) instead of a
# value holds both at once, and their product, a² - b²·w², is free of the root: it is a polynomial
# wherever the equations are. Roots may stand in later roots.


@dataclass(frozen=True, slots=True, eq=False)
class Root:
    """A root that is not taken.

    Args:
        level: 1 of the first.
        square: of it, in roots of lower levels.
    """

    level: int
    square: Sheet


class Sheet:
    """One number: a + b·root, both in roots of lower levels; a scalar where there is no root."""

    __slots__ = ("a", "b", "root")
    a: Any
    b: Any
    root: Root | None
    __array_ufunc__ = None  # arrays leave their products with a sheet to it

    def __init__(self, a: Any, root: Root | None = None, b: Any = 0.0) -> None:
        self.a = a
        self.root, self.b = root, b

    @property
    def level(self) -> int:
        """Level of its last root; zero of a scalar."""
        return 0 if self.root is None else self.root.level

    @property
    def norm(self) -> Scalar:
        """Product over all its sheets."""
        return self.a if self.root is None else self._both_signs(self.root).norm

    def __neg__(self) -> Sheet:
        return Sheet(-self.a, self.root, -self.b)

    def __add__(self, other: Any) -> Sheet:
        low, high = _by_level(self, other)
        if high.root is None:
            return Sheet(_sum(low.a, high.a))
        if low.level < high.level:
            return Sheet(high.a + low, high.root, high.b)
        return _with_root(low.a + high.a, high.root, low.b + high.b)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Sheet:
        return self + -_number(other)

    def __rsub__(self, other: Any) -> Sheet:
        return -self + _number(other)

    def __mul__(self, other: Any) -> Sheet:
        low, high = _by_level(self, other)
        if high.root is None:
            return Sheet(_product(low.a, high.a))
        if low.level < high.level:
            return _with_root(high.a * low, high.root, high.b * low)
        a = low.a * high.a + low.b * high.b * high.root.square
        return _with_root(a, high.root, low.a * high.b + low.b * high.a)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Sheet:
        return self * _number(other)._inverse()

    def __rtruediv__(self, other: Any) -> Sheet:
        return self._inverse() * _number(other)

    def _inverse(self) -> Sheet:
        if self.root is None:
            return Sheet(1.0 / self.a)
        return Sheet(self.a, self.root, -self.b) * self._both_signs(self.root)._inverse()

    def _both_signs(self, root: Root) -> Sheet:
        """Product with the other sign of the last root: free of it."""
        product: Sheet = self.a * self.a - self.b * self.b * root.square
        return product


def sheet_functions() -> Functions:
    """Functions of equations over sheets: roots are not taken, nothing is clamped, no angles."""
    count = 0

    def root(square: Any) -> Sheet:
        nonlocal count
        count += 1
        return Sheet(Sheet(0.0), Root(count, _number(square)), Sheet(1.0))

    def none(_: Any) -> Any:
        raise TypeError("a number on sheets has no sine, cosine or sign")

    return Functions(sin=none, cos=none, sign=none, sqrt=root, maximum=lambda value, _: value)


def _by_level(one: Sheet, other: Any) -> tuple[Sheet, Sheet]:
    """Two numbers, the one of the lower level first."""
    number = _number(other)
    return (one, number) if one.level <= number.level else (number, one)


def _number(value: Scalar | Sheet) -> Sheet:
    return value if isinstance(value, Sheet) else Sheet(value)


def _with_root(a: Sheet, root: Root, b: Sheet) -> Sheet:
    return a if _is(b.a, 0.0) and b.root is None else Sheet(a, root, b)


def _sum(a: Scalar, b: Scalar) -> Scalar:
    return b if _is(a, 0.0) else a if _is(b, 0.0) else a + b


def _product(a: Scalar, b: Scalar) -> Scalar:
    """Product in which constants 0 and 1 fold, as they do where it is recorded."""
    if _is(a, 0.0) or _is(b, 0.0):
        return 0.0
    return b if _is(a, 1.0) else a if _is(b, 1.0) else a * b


def _is(value: Scalar, constant: float) -> bool:
    return isinstance(value, float) and value == constant
