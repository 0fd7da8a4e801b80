"""All real zeros of trigonometric polynomials, by arcs on which bounds prove what they hold.

On an arc a trigonometric polynomial of degree m is a polynomial of degree 2m in the half tangent,
times a positive factor. In Bernstein's form its values lie between its smallest and its largest
coefficient, and it has as many zeros as its coefficients have changes of sign, or fewer by an even
number (Descartes). So an arc without a change holds no zero, an arc with one change holds one, and
every other arc is halved. Coefficients within the noise of the samples count as either sign: what
is left of an arc when it is too short to halve is a candidate, two zeros that meet or nearly do. A
polynomial of which a whole wide arc is noise says nothing, and is called undecided.

Samples are taken two more than the degree needs: what they show beyond it is the noise, pose by
pose, and a pose whose residual is no polynomial of the degree is undecided too.

Source: Rouillier and Zimmermann 2004, J. Computational and Applied Mathematics 162, for the
    isolation of real zeros by Bernstein's form; the form on arcs and the noise are own.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from robots.core.arrays import Array, Indices, Mask
from robots.core.kernels.loop import Loop
from robots.core.paul import Complex

_ARCS = 8
# Samples and arcs begin here: zeros, and poles that samples must keep off, lie at right angles.
_BEGIN = 0.37  # [rad]
_DEEPEST = 20  # halvings of an arc: what is left is shorter than 1e-6 rad
_WIDE = 12  # halvings from which an arc that is all noise is a candidate, not undecided
_MOST_ARCS = 500  # looked at for one polynomial
_SPARE = 24  # candidates beside as many zeros as there can be
_MOST_NOISE = 1e-6  # beside the largest sample: more, and zeros are not told from none
_NOISES = 30.0  # a coefficient is certain beyond this many times what shows beyond the degree
_MOST_STEPS = 60  # of the iteration for a zero on its arc
_SHARP = 1e-15  # [rad] a shorter step is the last
# Annotations stay out of the loops' way: these are arrays of doubles and numbers.
A = Any


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Zeros:
    """Real zeros of a batch of polynomials, candidates among them.

    Args:
        row: polynomial of each zero, rising. # (z,)
        angle: # (z,) [rad]
        touching: polynomials of which two zeros meet or nearly do, or one may be none. # (N,)
        undecided: polynomials of which more zeros may exist. # (N,)
    """

    row: Indices
    angle: Array
    touching: Mask
    undecided: Mask


def sample_angles(degree: int) -> Array:
    """Angles of the samples that polynomials of a degree are told by. # (2 degree + 3,) [rad]."""
    count = 2 * degree + 3
    return np.asarray(_BEGIN + 2.0 * np.pi * np.arange(count) / count)


def real_zeros(samples: Array, noise: float = 1e-13) -> Zeros:
    """All real zeros.

    Args:
        samples: of each polynomial at ``sample_angles``. # (N, 2 degree + 3)
        noise: of the samples that a polynomial of the degree may hide, beside the largest one.
    """
    rows, width = samples.shape
    degree = (width - 3) // 2
    most = 2 * degree + _SPARE
    found = Found(
        angle=np.zeros((rows, most)),
        count=np.zeros(rows, dtype=np.int64),
        touching=np.zeros(rows, dtype=np.uint8),
        undecided=np.zeros(rows, dtype=np.uint8),
    )
    work = Work(
        samples=np.zeros(width),
        harmonics=np.zeros((2, degree + 2)),
        arcs=np.zeros((_DEEPEST + 3, 2 * degree + 1)),
        start=np.zeros(_DEEPEST + 3),
        halvings=np.zeros(_DEEPEST + 3, dtype=np.int64),
    )
    FIND_ZEROS(_form(degree), np.ascontiguousarray(samples), noise, work, found)
    place = np.arange(most) < found.count[:, None]
    return Zeros(
        row=np.repeat(np.arange(rows), found.count),
        angle=found.angle[place] + _BEGIN,
        touching=found.touching != 0,
        undecided=found.undecided != 0,
    )


class Form(NamedTuple):
    """Constants of one degree."""

    bernstein: A  # (arcs, 2 degree + 1 harmonics, 2 degree + 1): cosines 0…m, then sines 1…m
    waves: A  # (2 degree + 3, 2 degree + 3 harmonics) from samples to cosines and sines 0…m + 1
    half: A  # (1,) tangent of a quarter of an arc


class Work(NamedTuple):
    """Memory of one polynomial."""

    samples: A  # (2 degree + 3,)
    harmonics: A  # (2, degree + 2): of cosines and sines
    arcs: A  # (depth, 2 degree + 1): Bernstein coefficients of arcs to look at
    start: A  # (depth,) of each, as a share of the first arc
    halvings: A  # (depth,)


class Found(NamedTuple):
    """Zeros of every polynomial."""

    angle: A  # (N, most)
    count: A  # (N,)
    touching: A  # (N,) bytes
    undecided: A  # (N,) bytes


@cache
def _form(degree: int) -> Form:
    """Constants of a degree: from samples to harmonics, and from these to Bernstein's form."""
    m, width = degree, 2 * degree + 3
    angles = sample_angles(degree) - _BEGIN
    orders = np.arange(m + 2)
    cosines = np.cos(np.outer(angles, orders)) * np.where(orders == 0, 1.0, 2.0) / width
    sines = 2.0 * np.sin(np.outer(angles, orders[1:])) / width
    beta = np.pi / (2 * _ARCS)
    up = np.array([np.exp(-1j * beta), np.exp(1j * beta)])  # of (1 + i tan(φ/2)) cos β
    binomials = np.array([math.comb(2 * m, k) for k in range(2 * m + 1)])
    bernstein = np.zeros((_ARCS, 2 * m + 1, 2 * m + 1))
    for arc in range(_ARCS):
        centre = 2.0 * np.pi * (arc + 0.5) / _ARCS
        for k in range(m + 1):
            power: Complex = np.array([np.exp(1j * k * centre)])
            for _ in range(m + k):
                power = np.convolve(power, up)
            for _ in range(m - k):
                power = np.convolve(power, up.conj())
            bernstein[arc, k] = power.real / binomials
            if k > 0:
                bernstein[arc, m + k] = power.imag / binomials
    waves = np.concatenate([cosines, sines], axis=1)
    return Form(bernstein=bernstein, waves=waves, half=np.array([np.tan(beta)]))


def find_zeros(form: Form, samples: A, least: float, work: Work, found: Found) -> None:
    """Zeros of every polynomial, arc by arc.

    Args:
        form: of the degree.
        samples: # (N, 2 degree + 3)
        least: noise of every polynomial.
        work: memory.
        found: filled.
    """
    for row in range(samples.shape[0]):
        noise = _harmonics(form, samples[row], least, work)
        if not noise >= 0.0:
            found.undecided[row] = 1
            continue
        looked_at = 0
        for arc in range(form.bernstein.shape[0]):
            looked_at = _search_arc(form, arc, noise, work, found, row, looked_at)


def _harmonics(form: Form, samples: A, least: float, work: Work) -> float:
    """Cosines and sines of one polynomial, and its noise; -1 where it is none of the degree."""
    m, width = (samples.shape[0] - 3) // 2, samples.shape[0]
    largest = 0.0
    for s in range(width):
        largest = max(largest, abs(samples[s]))
    if not (largest > 0.0 and math.isfinite(largest)):
        return -1.0
    for k in range(width):
        work.samples[k] = 0.0
    for s in range(width):
        value = samples[s] / largest
        for k in range(width):
            work.samples[k] += value * form.waves[s, k]
    work.harmonics[1, 0] = 0.0
    for k in range(m + 1):
        work.harmonics[0, k] = work.samples[k]
        if k > 0:
            work.harmonics[1, k] = work.samples[m + 1 + k]
    beyond = math.hypot(work.samples[m + 1], work.samples[2 * m + 2])
    noise = max(least, _NOISES * beyond)
    return noise if noise < _MOST_NOISE else -1.0


def _search_arc(
    form: Form, arc: int, noise: float, work: Work, found: Found, row: int, looked_at: int
) -> int:
    """Zeros on one arc; how many arcs have been looked at since."""
    size = form.bernstein.shape[2]
    m = (size - 1) // 2
    for j in range(size):
        work.arcs[0, j] = work.harmonics[0, 0] * form.bernstein[arc, 0, j]
    for k in range(1, m + 1):
        cosine, sine = work.harmonics[0, k], work.harmonics[1, k]
        for j in range(size):
            work.arcs[0, j] += (
                cosine * form.bernstein[arc, k, j] + sine * form.bernstein[arc, m + k, j]
            )
    work.start[0], work.halvings[0] = 0.0, 0
    waiting = 1
    while waiting > 0:
        waiting -= 1
        looked_at += 1
        b, start, halvings = work.arcs[waiting], work.start[waiting], work.halvings[waiting]
        changes, noisy = _changes(b, noise)
        if changes == 0 and noisy == 0:
            continue
        length = 0.5**halvings
        if changes == 1 and noisy == 0:
            low, high = _angle(form, arc, start), _angle(form, arc, start + length)
            _add(found, row, _zero_between(work.harmonics, low, high))
            continue
        if halvings >= _DEEPEST or noisy == size or looked_at > _MOST_ARCS:
            if halvings < _WIDE or looked_at > _MOST_ARCS:
                found.undecided[row] = 1
            _add_candidate(found, row, _angle(form, arc, start + 0.5 * length))
            continue
        # De Casteljau: the second half takes the place of the whole, the first half the next one.
        first, second = work.arcs[waiting + 1], work.arcs[waiting]
        for j in range(size):
            first[j] = second[0]
            for i in range(size - 1 - j):
                second[i] = 0.5 * (second[i] + second[i + 1])
        work.start[waiting], work.start[waiting + 1] = start + 0.5 * length, start
        work.halvings[waiting] = work.halvings[waiting + 1] = halvings + 1
        waiting += 2
    return looked_at


def _changes(b: A, noise: float) -> tuple[int, int]:
    """Changes of sign among certain coefficients, and how many are not certain.

    One uncertain coefficient between two of opposite signs adds no change, whatever its sign: it
    does not count.
    """
    changes, noisy, waiting, last = 0, 0, 0, 0
    for j in range(b.shape[0]):
        if abs(b[j]) <= noise or not math.isfinite(b[j]):
            waiting += 1
            continue
        sign = 1 if b[j] > 0.0 else -1
        turned = last == -sign
        if turned:
            changes += 1
        if not (turned and waiting == 1):
            noisy += waiting
        waiting, last = 0, sign
    return changes, noisy + waiting


def _angle(form: Form, arc: int, share: float) -> float:
    """Angle of a share of an arc."""
    centre: float = 2.0 * math.pi * (arc + 0.5) / form.bernstein.shape[0]
    return centre + 2.0 * math.atan(form.half[0] * (2.0 * share - 1.0))


def _zero_between(harmonics: A, low: float, high: float) -> float:
    """The one zero between two angles of opposite sign: Newton steps, halves where they fail."""
    below, _ = _value_and_slope(harmonics, low)
    above, _ = _value_and_slope(harmonics, high)
    rising = above > below
    angle = low - below * (high - low) / (above - below) if above != below else 0.5 * (low + high)
    for _ in range(_MOST_STEPS):
        value, slope = _value_and_slope(harmonics, angle)
        if (value > 0.0) == rising:
            high = angle
        else:
            low = angle
        step = -value / slope if slope != 0.0 else np.inf
        following = angle + step
        if not (low <= following <= high):
            following = 0.5 * (low + high)
        if abs(following - angle) <= _SHARP:
            return following
        angle = following
    return angle


def _value_and_slope(harmonics: A, angle: float) -> tuple[float, float]:
    """A polynomial and its derivative, by powers of e^{iθ} (Horner)."""
    cosine, sine = math.cos(angle), math.sin(angle)
    m = harmonics.shape[1] - 2
    x, y, dx, dy = 0.0, 0.0, 0.0, 0.0  # Σ (a - i b) e^{ikθ}, and Σ k (a - i b) e^{ikθ}
    for k in range(m, 0, -1):
        a, b = harmonics[0, k], harmonics[1, k]
        x, y = x + a, y - b
        dx, dy = dx + k * a, dy - k * b
        x, y = x * cosine - y * sine, x * sine + y * cosine
        dx, dy = dx * cosine - dy * sine, dx * sine + dy * cosine
    return x + harmonics[0, 0], -dy


def _add(found: Found, row: int, angle: float) -> None:
    count = found.count[row]
    if count < found.angle.shape[1]:
        found.angle[row, count] = angle
        found.count[row] = count + 1
    else:
        found.undecided[row] = 1


def _add_candidate(found: Found, row: int, angle: float) -> None:
    """Add an angle near which there may be zeros, unless the one before is the same place."""
    count = found.count[row]
    found.touching[row] = 1
    if count == 0 or abs(found.angle[row, count - 1] - angle) > 4e-6:
        _add(found, row, angle)


FIND_ZEROS = Loop(
    find_zeros,
    "(f8[3] f8[2] f8[1]) f8[2] f8 (f8[1] f8[2] f8[2] f8[1] i8[1]) (f8[2] i8[1] u1[1] u1[1])",
)
