"""Loads of many short motions from one set of samples: maxima and integrals.

Along a straight line of the ball speeds, torques and powers are smooth functions of time: at
Chebyshev points of a piece their series of cosines end well before the points do, and then the
series are the functions. Maxima are tops of the series, integrals their terms', positive parts the
areas between their roots. Motions whose series do not end are named, not guessed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from planner.motion import cosine_series
from planner.motion.extremes import Evaluate, Scope, highest
from planner.motion.integrals import FITS_POINTWISE, rounding_noise
from robots.core.arrays import Array, Indices, Mask

_ROWS = 8192  # evaluations held in memory at once: they stay in the processor's cache
# A hill of a series rises above its highest sample by a quarter of the second difference at most.
_RISE = 0.5
_NOTHING = 1e-12  # of a joint's largest power: less than a positive part is stated to
_FLAT = 0.1  # of the second difference at an end of a function that does not come to rest there
# Of the angle between an end and the next point: where a power that starts from zero has the sign
# that it starts with.
_INSIDE = 0.25
_DIP = 0.25  # of the second differences beside two samples: twice what a parabola comes down by
_RISING = 3  # cells next to an end that are all speeding up
# Powers of time with which a power rises from rest: torque constant, or as an acceleration that
# rises itself; speed as time, or as its square.
_RISES = (1, 2, 3)
_FINER = 8  # of samples, where two of them leave a doubt


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SampledLoads:
    """Loads of motions, but for the rough ones.

    Args:
        peaks: maxima, absolute ones of joints; exact within the scope. # (k, 4n + 2)
        sums: integrals of each power, of each squared torque, of each positive power. # (k, 3n)
        rough: motions whose functions are not resolved by their samples. # (k,)
    """

    peaks: Array
    sums: Array
    rough: Mask


def sampled_loads(
    sizes: Evaluate, joints: int, lengths: Array, points: int, scope: Scope
) -> SampledLoads:
    """Sample every piece of every motion once.

    Args:
        sizes: speeds, accelerations, torques and powers of the joints, the total power and its
            negative. # (m,) -> (m, 4n + 2)
        joints: n.
        lengths: how long each piece lasts. # (k, pieces) [s]
        points: on each piece.
        scope: FUNCTION makes the maxima over all motions exact, EACH those of every motion.
    """
    k, pieces = lengths.shape
    n, columns, rule = joints, 4 * joints + 2, _rule(points)
    peaks, sums = _Peaks((k, columns), 4 * n, rule, scope), _Sums(k, n, pieces, rule)
    tails = np.zeros((k, columns + n))
    block = max(1, _ROWS // points)
    for start in range(0, k, block):
        rows = np.arange(start, min(start + block, k))
        index, places = np.repeat(rows, points), np.tile(rule.x, rows.size)
        for piece in range(pieces):
            values = sizes(index, np.full(index.size, piece), places)
            values = values.reshape(rows.size, points, columns)
            second = _second(values)
            peaks.add(rows, values, second)
            squares = np.square(values[..., 2 * n : 3 * n])
            sums.add(rows, piece, values[..., 3 * n : 4 * n], squares)
            both = np.concatenate([values, squares], axis=2)
            last = np.max(np.abs(np.matmul(rule.to_series[-2:], both)), axis=1)
            tails[rows] = np.maximum(tails[rows], last)
    largest = peaks.largest()
    largest = np.concatenate([largest, np.square(largest[2 * n : 3 * n])])
    kinds = (*(slice(j * n, (j + 1) * n) for j in range(3)), slice(3 * n, columns))
    noise = rounding_noise(largest, (*kinds, slice(columns, None)))
    unresolved = ~np.all(tails <= FITS_POINTWISE * largest + noise, axis=1)  # NaN, too
    return SampledLoads(
        peaks=peaks.exact(noise[:columns]),
        sums=sums.over(lengths),
        rough=unresolved | sums.doubtful,
    )


def magnitudes(functions: Evaluate, motions: int, kinds: Sequence[slice], points: int) -> Array:
    """Largest absolute values of smooth functions over motions of one piece. # (motions, C).

    Args:
        functions: # (m,) -> (m, C)
        motions: how many.
        kinds: columns of one unit each, C in all.
        points: on each motion.

    Returns:
        NaN in the rows of motions that are lost anywhere, in no other.
    """
    rule, every = _rule(points), np.arange(motions)
    index = np.repeat(every, points)
    values = functions(index, np.zeros_like(index), np.tile(rule.x, motions))
    columns = values.shape[1]
    values = values.reshape(motions, points, columns)
    lost = np.isnan(values).any(axis=(1, 2))
    values[lost] = 0.0  # one would be the noise of all
    peaks = _Peaks((motions, columns), columns, rule, Scope.EACH)
    peaks.add(every, values, _second(values))
    largest = peaks.largest()
    noise = rounding_noise(largest, kinds)
    tails = np.max(np.abs(np.matmul(rule.to_series[-2:], values)), axis=1)
    found = peaks.exact(noise)
    rough = np.flatnonzero(~np.all(tails <= FITS_POINTWISE * largest + noise, axis=1))
    if rough.size:
        exact = highest(
            lambda i, piece, x: functions(rough[i], piece, x), rough.size, 1, magnitudes=columns
        )
        found[rough] = exact.value
    found[lost] = np.nan
    return found


def _second(values: Array) -> Array:
    """Second differences by the angle; a series of cosines goes on mirrored at both ends."""
    second = np.empty_like(values)
    np.subtract(values[:, 2:], values[:, 1:-1], out=second[:, 1:-1])
    second[:, 1:-1] -= values[:, 1:-1]
    second[:, 1:-1] += values[:, :-2]
    second[:, 0] = 2.0 * (values[:, 1] - values[:, 0])
    second[:, -1] = 2.0 * (values[:, -2] - values[:, -1])
    return second


# ------------------------------------------------------------------------------------------- Maxima


class _Peaks:
    """Maxima of the functions of some motions; hills that may pass what is known are kept."""

    def __init__(self, shape: tuple[int, int], magnitudes: int, rule: _Rule, scope: Scope) -> None:
        self._rule, self._scope, self._magnitudes = rule, scope, magnitudes
        self._top = np.full(shape, -np.inf)
        self._hills: list[_Hills] = []

    def add(self, rows: Indices, values: Array, second: Array) -> None:
        """Samples of a piece of some motions. # (m, points, C) each."""
        size = values.copy()
        joints = size[..., : self._magnitudes]
        np.abs(joints, out=joints)
        self._top[rows] = np.maximum(self._top[rows], np.max(size, axis=1))
        bound = _RISE * np.abs(second)
        bound += size
        floor = self._floor(rows)
        m, c = np.nonzero(np.max(bound, axis=1) > floor)
        if m.size == 0:
            return
        size, bound = size[m, :, c], bound[m, :, c]
        hill = bound > floor[m, c][:, None]
        hill[:, 1:] &= size[:, 1:] >= size[:, :-1]
        hill[:, :-1] &= size[:, :-1] > size[:, 1:]
        pair, place = np.nonzero(hill)
        samples, m, c = values[m[pair], :, c[pair]], m[pair], c[pair]
        falls = (c < self._magnitudes) & (samples[np.arange(pair.size), place] < 0.0)
        samples[falls] *= -1.0
        self._hills.append(
            _Hills(
                motion=rows[m],
                column=c,
                angle=self._rule.angles[place],
                samples=samples,
                bound=bound[pair, place],
            )
        )

    def _floor(self, rows: Indices) -> Array:
        """What a hill has to pass. # (m, C)."""
        if self._scope is Scope.EACH:
            return np.asarray(self._top[rows])
        return np.broadcast_to(np.max(self._top, axis=0), (rows.size, self._top.shape[1]))

    def largest(self) -> Array:
        """Absolute samples. # (C,)."""
        signed = np.max(self._top[:, self._magnitudes :], axis=0, initial=0.0)  # and its negative
        joints = np.max(self._top[:, : self._magnitudes], axis=0, initial=0.0)
        return np.concatenate([joints, np.full(signed.size, np.max(signed, initial=0.0))])

    def exact(self, noise: Array) -> Array:
        """The maxima, tops of hills included. # (motions, C)."""
        for hills in self._hills:
            floor = self._floor(hills.motion)[np.arange(hills.motion.size), hills.column]
            worth = hills.bound > floor + noise[hills.column]
            tops = _tops(hills.samples[worth], hills.angle[worth], self._rule)
            np.maximum.at(self._top, (hills.motion[worth], hills.column[worth]), tops)
        return np.asarray(self._top)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Hills:
    """Samples of functions with a hill, made positive there. # (h,), samples (h, points)."""

    motion: Indices
    column: Indices
    angle: Array
    samples: Array
    bound: Array


def _tops(samples: Array, angle: Array, rule: _Rule) -> Array:
    """The tops of hills next to whose highest samples they stand. # (h, points), (h,) -> (h,)."""
    series = samples @ rule.to_series.T
    step = np.pi / (series.shape[1] - 1)
    low, high = angle - step, angle + step
    # A function that comes to rest is flat at its end: a hill beside it is looked for from inside.
    end = np.flatnonzero((angle == 0.0) | (angle == np.pi))
    last = angle[end] == 0.0
    curves = series[end] @ rule.end_curves
    curve = np.where(last, curves[:, 1], curves[:, 0])
    edge = samples[end][:, [0, 1, -2, -1]]
    fall = np.where(last, edge[:, 3] - edge[:, 2], edge[:, 0] - edge[:, 1])
    flat = end[curve * step * step < _FLAT * fall]
    low[flat], high[flat] = np.maximum(low[flat], 0.0), np.minimum(high[flat], np.pi)
    angle = angle.copy()
    angle[flat] = 0.5 * (low[flat] + high[flat])
    highest_sample = np.max(samples, axis=1, initial=-np.inf)
    return np.asarray(np.maximum(highest_sample, cosine_series.tops(series, angle, low, high)))


# ---------------------------------------------------------------------------------------- Integrals


class _Sums:
    """Integrals of powers, of squared torques and of positive powers.

    Attributes:
        doubtful: motions whose power may touch zero twice between two samples. # (motions,)
    """

    def __init__(self, motions: int, joints: int, pieces: int, rule: _Rule) -> None:
        self._n, self._rule = joints, rule
        self._means = np.zeros((motions, pieces, 3 * joints))
        self.doubtful = np.zeros(motions, dtype=bool)
        self._mixed: list[tuple[Indices, Indices, Indices, Array]] = []  # of samples of both signs

    def add(self, rows: Indices, piece: int, power: Array, squares: Array) -> None:
        """Samples of a piece of some motions. # (m, points, n) each."""
        n, weights = self._n, self._rule.weights
        means = np.matmul(weights, power)
        self._means[rows, piece, :n] = means
        self._means[rows, piece, n : 2 * n] = np.matmul(weights, squares)
        self._means[rows, piece, 2 * n :] = np.maximum(means, 0.0)
        inside = np.matmul(self._rule.inside, power)
        self.doubtful[rows] |= _dips(power, inside, self._rule)
        signs = _with_inside(power, inside)
        slack = _slack(power)
        mixed = (np.max(signs, axis=1) > slack) & (np.min(signs, axis=1) < -slack)
        row, joint = np.nonzero(mixed)
        which = np.full(row.size, piece)
        self._mixed.append((rows[row], which, joint, signs[row, :, joint]))

    def over(self, lengths: Array) -> Array:
        """Integrals over the motions. # (motions, 3n)."""
        if self._mixed:
            motion, piece, joint = (
                np.concatenate([part[column] for part in self._mixed]) for column in range(3)
            )
            absolute = _absolute_means(
                np.concatenate([part[3] for part in self._mixed]), self._rule
            )
            work = self._means[motion, piece, joint]
            self._means[motion, piece, 2 * self._n + joint] = 0.5 * (work + absolute)
        return np.asarray(np.einsum("kpc,kp->kc", self._means, lengths))


def _with_inside(power: Array, inside: Array) -> Array:
    """Samples, and those just inside both ends. # (m, points, n), (m, 2, n) -> points + 2."""
    ends = power[:, :1], inside[:, :1], inside[:, 1:], power[:, -1:]
    return np.concatenate([*ends[:2], power[:, 1:-1], *ends[2:]], axis=1)


def _slack(power: Array) -> Array:
    """Below it a power of some motions has no sign. # (m, points, n) -> (n,)."""
    largest = np.max(np.abs(power), axis=(0, 1), initial=0.0)
    return np.asarray(_NOTHING * largest + rounding_noise(largest, (slice(None),)))


def _dips(power: Array, inside: Array, rule: _Rule) -> Mask:
    """Motions whose power may touch zero twice between two samples. # (m,).

    Args:
        power: # (m, points, n)
        inside: just inside both ends. # (m, 2, n)
        rule: of the samples.
    """
    # What samples do not tell from rounding has no turns either.
    slack = _slack(power) + FITS_POINTWISE * np.max(np.abs(power), axis=(0, 1), initial=0.0)
    found = np.zeros(len(power), dtype=bool)
    row, joint = np.nonzero(_doubts(power, inside, rule.x, slack, _RISING))
    if row.size:  # a closer look, at what the series says between the samples
        known = _with_inside(power, inside)[row, :, joint]
        power, slack = power[row, :, joint], slack[joint]
        looks = power @ rule.to_finer
        fine = np.delete(looks, (1, -2), axis=1)
        turned = _turns(fine, slack) > _turns(known, slack)
        fine, ends = fine.T[None], looks[:, (1, -2)].T[None]  # as columns of one motion
        doubt = _doubts(fine, ends, rule.finer_x, slack, _FINER * _RISING)
        found[row[turned | doubt[0]]] = True
    return found


def _turns(values: Array, slack: Array) -> Array:
    """How often functions change sign, what has none left out. # (h, points) -> (h,)."""
    row, place = np.nonzero(np.abs(values) > slack[:, None])
    below = values[row, place] < 0.0
    turns = (row[1:] == row[:-1]) & (below[1:] != below[:-1])
    return np.asarray(np.bincount(row[1:][turns], minlength=len(values)))


def _doubts(power: Array, inside: Array, x: Array, slack: Array, rising: int) -> Mask:
    """Powers that may touch zero twice between two samples, at x. # (m, n).

    Args:
        power: # (m, points, n)
        inside: just inside both ends. # (m, 2, n)
        x: of the samples. # (points,)
        slack: of each power. # (n,)
        rising: cells next to an end in which a power that rises from rest hides all else.
    """
    dips = _may_dip(power, slack)
    reduced, just = x[1 : rising + 2, None], _just_inside(len(x))
    for end, step in ((0, 1), (-1, -1)):
        resting = np.abs(power[:, end]) <= slack
        first = power[:, end + step : end + step * (rising + 2) : step]
        doubt = np.ones((len(power), rising, power.shape[2]), dtype=bool)
        for rise in _RISES:
            near, row = inside[:, end] / just**rise, first / reduced**rise
            # An even parabola of the angle, through the first two, tells what is at the end.
            at_end = row[:, 0] - (row[:, 0] - near) / (1.0 - _INSIDE**2)
            row = np.concatenate([at_end[:, None], row], axis=1)
            found = _may_dip(row, slack)[:, :-1]
            found[:, 0] |= at_end * near < 0.0
            doubt &= found
        cells = slice(0, rising) if step > 0 else slice(-1, -rising - 1, -1)
        dips[:, cells] = np.where(resting[:, None], doubt, dips[:, cells])
    return np.asarray(np.any(dips, axis=1))


def _may_dip(values: Array, slack: Array) -> Mask:
    """Cells of one sign at both ends in which a function may come down to zero. # (m, cells, n).

    Between two samples a parabola comes down by an eighth of its second difference, and not at all
    where it falls, or rises, by more than that difference at a sample.
    """
    second, slope = (
        _second(values),
        np.zeros_like(values),
    )  # at its ends a series of cosines is flat
    slope[:, 1:-1] = 0.5 * (values[:, 2:] - values[:, :-2])
    bend = np.maximum(np.abs(second[:, 1:]), np.abs(second[:, :-1]))
    left, right = values[:, :-1], values[:, 1:]
    sign = np.sign(left)
    turning = (sign * slope[:, :-1] < bend) & (sign * slope[:, 1:] > -bend)
    low = np.minimum(np.abs(left), np.abs(right))
    return np.asarray((left * right > 0.0) & turning & (low < _DIP * bend) & (bend > slack))


def _absolute_means(signs: Array, rule: _Rule) -> Array:
    """Integrals of |p| for x from 0 to 1; each change of sign is one root.

    Args:
        signs: samples, those just inside the ends among them. # (h, points + 2)
        rule: of the samples.
    """
    series = np.delete(signs, (1, -2), axis=1) @ rule.to_series.T
    below = signs < 0.0
    # A power starts from zero and ends there: what rounding leaves has no sign.
    zero = np.abs(signs) <= _NOTHING * np.max(np.abs(signs), axis=1, keepdims=True, initial=0.0)
    for end, inner in ((1, 2), (0, 1), (-2, -3), (-1, -2)):
        below[:, end] = np.where(zero[:, end], below[:, inner], below[:, end])
    row, cell = np.nonzero(below[:, 1:] != below[:, :-1])
    high, low = rule.looks[cell], rule.looks[cell + 1]  # angles fall
    before, after = signs[row, cell], signs[row, cell + 1]
    crossing = series[row]
    crossing[before < 0.0] *= -1.0  # angles fall: now all rise with the angle
    straight = high + (low - high) * (before / (before - after))
    angle = cosine_series.rising_roots(crossing, straight, low, high)
    areas = series @ rule.to_area
    at = cosine_series.values(areas[row], angle)
    # Areas up to each root and to the end, in order of the row: |differences| make the integral.
    every = np.arange(len(signs))
    owner = np.concatenate([every, row, every])
    area = np.concatenate([np.zeros(len(signs)), at, np.sum(areas, axis=1)])
    order = np.argsort(owner, kind="stable")
    owner, area = owner[order], area[order]
    parts = np.where(owner[1:] == owner[:-1], np.abs(np.diff(area)), 0.0)
    return np.asarray(np.bincount(owner[1:], weights=parts, minlength=len(signs)))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Rule:
    """Chebyshev points with their ends on [0, 1].

    Args:
        angles: from π at x = 0 to 0 at x = 1. # (p,)
        x: # (p,)
        inside: what turns samples into values just inside both ends. # (2, p)
        looks: all angles, those inside among them. # (p + 2,)
        weights: of the mean. # (p,)
        to_series: what turns samples into coefficients of cosines. # (p, p)
        to_finer: what turns samples into eight times as many, with those just inside both ends
            of these. # (p, 8 (p - 1) + 3)
        finer_x: places of these, but for the two. # (8 (p - 1) + 1,)
        end_curves: of coefficients: -d²/dangle² at x = 0 and at x = 1. # (p, 2)
        to_area: what turns these into coefficients of the integral from x = 0. # (p, p + 1)
    """

    angles: Array
    x: Array
    inside: Array
    looks: Array
    weights: Array
    to_series: Array
    to_finer: Array
    finer_x: Array
    end_curves: Array
    to_area: Array


def _looks(angles: Array) -> Array:
    """Even angles, and those just inside both ends. # (p,) -> (p + 2,)."""
    just = _INSIDE * angles[-2]
    return np.concatenate([angles[:1], [np.pi - just], angles[1:-1], [just], angles[-1:]])


def _just_inside(points: int) -> float:
    """Where the first of them is on [0, 1]."""
    return float(np.sin(0.5 * _INSIDE * np.pi / (points - 1)) ** 2)


@cache
def _rule(points: int) -> _Rule:
    last = points - 1
    angles = np.pi * np.arange(last, -1, -1) / last
    to_series = np.cos(np.outer(np.arange(points), angles)) * (2.0 / last)
    to_series[:, [0, -1]] /= 2.0
    to_series[[0, -1]] /= 2.0
    just, finer = (
        _looks(angles)[[1, -2]],
        _looks(np.pi * np.arange(_FINER * last, -1, -1) / (_FINER * last)),
    )
    orders = np.arange(points)
    squares = (orders * orders).astype(np.float64)
    to_area = np.zeros((points, points + 1))
    for order in range(points):
        unit = np.zeros(order + 1)
        unit[order] = 0.5  # dx = du / 2
        area = np.polynomial.chebyshev.chebint(unit, lbnd=-1)
        to_area[order, : len(area)] = area
    return _Rule(
        angles=angles,
        x=0.5 * (1.0 + np.cos(angles)),
        inside=np.cos(np.outer(just, np.arange(points))) @ to_series,
        looks=_looks(angles),
        weights=np.asarray(np.sum(to_area, axis=1) @ to_series),
        to_series=to_series,
        to_finer=(np.cos(np.outer(finer, orders)) @ to_series).T,
        finer_x=0.5 * (1.0 + np.cos(np.delete(finer, (1, -2)))),
        end_curves=np.stack([squares * (-1.0) ** orders, squares], axis=1),
        to_area=to_area,
    )
