"""One joint left: all its values from a trigonometric polynomial.

Where every joint but one follows in steps from that one, a relation left over is zero at its
solutions only. Multiplied over the sheets that its steps' roots make, and by the denominators of
those steps, it is a polynomial in sine and cosine of the joint. Its degree is read off the Fourier
transform of samples at build; its roots are eigenvalues of a companion matrix, so none is lost
between two samples.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robots.core.arrays import Array, Indices
from robots.core.chain_inverse.chain import Chain
from robots.core.chain_inverse.derivation import Plan, needed
from robots.core.chain_inverse.relations import Loop, Pair, Reading, relation_of
from robots.core.equations.algebra import Functions
from robots.core.paul import Complex

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
# Share of its own size by which a root may be off the unit circle: two real roots that met leave it
# by the root of the rounding. The certificate decides.
_OFF_CIRCLE = 2e-2


def _same(value: Complex, _: object) -> Complex:
    """Stand in for a maximum: complex sheets clamp nothing."""
    return value


_COMPLEX = Reading(
    fn=Functions(sin=np.sin, cos=np.cos, sign=np.sign, sqrt=np.sqrt, maximum=_same), real=False
)


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

    def roots(self, T: Array) -> tuple[Indices, Array]:
        """Angles of the assumed joint that may be solutions, with the pose of each.

        Args:
            T: poses of the target. # (N, 4, 4)
        """
        m = self.degree
        # An odd number of samples has no half frequency to share.
        values = _sampled(self.chain, self.plan, T, 2 * m + 1, self.powers)
        spectrum = np.fft.fft(values, axis=1) / (2 * m + 1)
        # z^m times the polynomial: coefficients from harmonic -m to m.
        coefficients = np.concatenate([spectrum[:, m + 1 :], spectrum[:, : m + 1]], axis=1)
        z = _zeros(coefficients)
        pose, which = np.nonzero(np.abs(np.abs(z) - 1.0) <= _OFF_CIRCLE)
        return pose, np.angle(z[pose, which])


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
    pose, roots = residual.roots(T)
    away = np.full(len(T), np.pi)
    np.minimum.at(away, pose, np.abs((roots - angles[pose] + np.pi) % (2.0 * np.pi) - np.pi))
    return float(np.max(away))


def _cleared(chain: Chain, plan: Plan, T: Array) -> Residual | None:
    """Clear denominators until the spectrum ends; None where it does not."""
    steps = needed(plan)
    powers = [0] * len(steps)
    with np.errstate(all="ignore"):  # a sheet may divide by zero: then it is not this relation
        bare = _sampled(chain, plan, T, _SAMPLES, tuple(powers))
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
        values = _sampled(chain, plan, T, _SAMPLES, powers)
    if not np.all(np.isfinite(values)):
        return None
    spectrum = np.abs(np.fft.fft(values, axis=1))
    size = np.max(spectrum, axis=1, keepdims=True)
    present = np.any(spectrum > _BANDED * size, axis=0)
    harmonics = np.minimum(np.arange(_SAMPLES), _SAMPLES - np.arange(_SAMPLES))
    degree = int(np.max(harmonics[present], initial=0))
    return degree if degree <= _SAMPLES // 4 else None


def _sampled(chain: Chain, plan: Plan, T: Array, samples: int, powers: tuple[int, ...]) -> Complex:
    """The residual at equal angles, all sheets multiplied. # (N, samples)."""
    angles = 2.0 * np.pi * np.arange(samples) / samples
    pose = [T[:, r, c, None] + 0.0j for r in range(3) for c in range(4)]
    loop = Loop(chain, pose)
    (assumed,) = plan.assumed
    states: list[dict[int, Pair]] = [{assumed: (np.sin(angles) + 0.0j, np.cos(angles) + 0.0j)}]
    factor: Complex = np.ones((len(T), samples), dtype=np.complex128)
    for step, power in zip(needed(plan), powers, strict=True):
        following = []
        for known in states:
            roots = loop.solve(step, known, _COMPLEX)
            following += [{**known, step.joint: root.value} for root in roots]
            # Steps on several sheets have weights of several sheets: all multiply.
            factor = factor * roots[0].weight ** power
        states = following
    for known in states:
        factor = factor * _imbalance(loop, plan, known)
    return factor


def _imbalance(loop: Loop, plan: Plan, known: dict[int, Pair]) -> Complex:
    """What the relation left over differs by between its two arcs."""
    check = plan.check
    if check is None:
        raise ValueError("a plan without a relation left over")
    arc = check.arc | {check.joint}
    inside = loop.after(check.second, check.first.home, known, arc)
    around = loop.before(check.second, check.first.home, known, check.rest)
    left = relation_of(check.relation, check.first, inside)
    right = relation_of(check.relation, check.first, around)
    return np.asarray(left - right)


def _zeros(coefficients: Complex) -> Complex:
    """Zeros of polynomials, lowest power first. # (N, 2m + 1) -> (N, 2m)."""
    n, size = coefficients.shape
    degree = size - 1
    scaled = coefficients / np.max(np.abs(coefficients), axis=1, keepdims=True)
    # A leading coefficient of zero sends a zero to infinity, which is off the circle anyhow.
    leading = scaled[:, -1:]
    leading = np.where(np.abs(leading) < 1e-14, 1e-14, leading)
    companion = np.zeros((n, degree, degree), dtype=np.complex128)
    companion[:, range(1, degree), range(degree - 1)] = 1.0
    companion[:, :, -1] = -scaled[:, :-1] / leading
    return np.asarray(np.linalg.eigvals(companion))
