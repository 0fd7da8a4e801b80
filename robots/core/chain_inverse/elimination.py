"""Elimination in the closed loop of six revolute joints, as compiled loops.

The loop reads J1·B1·J2·B2·J3·B3·J4·B4·J5·B5·J6·B6 = 1 with the pose in one of the B. Columns z and
p of J3·B3·J4·B4·J5·B5 are those of B2⁻¹·J2⁻¹·B1⁻¹·J1⁻¹·B6⁻¹, as J6 moves neither: fourteen
equations. They are multilinear in (1, cos, sin) of every joint, so three samples of each angle give
all coefficients, whatever the constant transforms between the joints are. Reflections take the
eight products of joints 1 and 2 out of six of them; these six, and the same times the half tangent
of joint 4, are twelve linear equations in twelve monomials of the half tangents of joints 4 and 5.
Their determinant is a trigonometric polynomial of joint 3, of degree eight.

Source: Raghavan and Roth 1993, J. Mechanical Design 115(3), for the fourteen equations and the
    twelve. The coefficients by sampling, and the determinant on the circle, where the factor
    (1 + x²)⁴ of the polynomial in x = tan(θ/2) drops out, are own.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from robots.core.kernels.loop import Loop

DEGREE = 8  # of the determinant
EQUATIONS, PRODUCTS, ELIMINATED, MONOMIALS = 14, 8, 6, 12
_TINY = 1e-300
_DEPENDENT = 1e-9  # of the largest product's factor: less, and the product is not determined
_FARTHEST = 1e16  # half tangent of half a turn
_THIRD = 2.0 * math.pi / 3.0
# Annotations stay out of the loops' way: these are arrays of doubles and numbers.
A = Any


class Cut(NamedTuple):
    """Where the loop of a chain begins, and from where angles are counted."""

    links: A  # (7, 3, 4) of the chain, lengths in scale lengths
    before: A  # (1,) joint of the chain that is joint 1 here
    offsets: A  # (3,) of joints 3, 4 and 5: half tangents are of the angle less this


class Systems(NamedTuple):
    """Eliminated equations of a batch of poses."""

    links: A  # (N, 6, 3, 4): B1 … B6
    # Triangle of the eight products, then the factors of (1, cos, sin) of joints 3, 4 and 5.
    rows: A  # (N, 14, 8 + 27)
    # By (1, cos, sin) of joint 3: factors of the powers of the half tangents of joints 4 and 5.
    powers: A  # (N, 3, 6, 9)


class Scratch(NamedTuple):
    """Memory of one pose."""

    frames: A  # (6, 3, 4)
    lines: A  # (4, 3, 2): columns z and p
    samples: A  # (14, 3, 3, 3)
    M: A  # (12, 12)
    order: A  # (12,)
    vectors: A  # (2, 12)


class Seeds(NamedTuple):
    """Angles of joint 3, and the postures that they lead to."""

    row: A  # (m,) system of each
    middle: A  # (m, 3): angles of joints 3, 4 and 5, less the offsets
    q: A  # (m, 6) by the chain's own count of joints


def scratch() -> Scratch:
    """Memory for one pose."""
    return Scratch(
        frames=np.zeros((6, 3, 4)),
        lines=np.zeros((4, 3, 2)),
        samples=np.zeros((EQUATIONS, 3, 3, 3)),
        M=np.zeros((MONOMIALS, MONOMIALS)),
        order=np.zeros(MONOMIALS, dtype=np.int64),
        vectors=np.zeros((2, MONOMIALS)),
    )


def systems(count: int) -> Systems:
    """Memory for the systems of a batch."""
    return Systems(
        links=np.zeros((count, 6, 3, 4)),
        rows=np.zeros((count, EQUATIONS, PRODUCTS + 27)),
        powers=np.zeros((count, 3, ELIMINATED, 9)),
    )


def eliminate(cut: Cut, T: A, found: Systems, work: Scratch) -> None:
    """The systems of a batch of poses.

    Args:
        cut: of the loop.
        T: poses, lengths in scale lengths. # (N, 4, 4)
        found: filled.
        work: memory.
    """
    for n in range(T.shape[0]):
        B, rows = found.links[n], found.rows[n]
        _place_links(cut, T[n], B, work.frames)
        _sample_right(B, work)
        for e in range(EQUATIONS):
            for k in range(PRODUCTS):
                rows[e, k] = work.samples[e, 0, (k + 1) // 3, (k + 1) % 3]
            rows[e, PRODUCTS] = work.samples[e, 0, 0, 0]
        _sample_left(cut, B, work)
        for e in range(EQUATIONS):
            constant = rows[e, PRODUCTS]
            for k in range(27):
                rows[e, PRODUCTS + k] = work.samples[e, k // 9, k // 3 % 3, k % 3]
            rows[e, PRODUCTS] -= constant
        _triangulate(rows)
        _half_tangent_powers(rows, found.powers[n])


def determinants(angles: A, found: Systems, work: Scratch, values: A) -> None:
    """Determinants of the twelve equations.

    Args:
        angles: of joint 3, less the offset. # (S,)
        found: systems.
        work: memory.
        values: filled. # (N, S)
    """
    for s in range(angles.shape[0]):
        cosine, sine = math.cos(angles[s]), math.sin(angles[s])
        for n in range(values.shape[0]):
            _place_twelve(found.powers[n], cosine, sine, work.M)
            value = _factor(work.M, work.order)
            for k in range(MONOMIALS):
                value *= work.M[k, k]
            values[n, s] = value


def postures_at(cut: Cut, found: Systems, work: Scratch, seeds: Seeds) -> None:
    """Joints from angles of joint 3 where the determinant is zero.

    Args:
        cut: of the loop.
        found: systems.
        work: memory.
        seeds: joint 3 in ``middle``, the rest filled.
    """
    for k in range(seeds.row.shape[0]):
        angle = seeds.middle[k, 0]
        _place_twelve(found.powers[seeds.row[k]], math.cos(angle), math.sin(angle), work.M)
        _factor(work.M, work.order)
        _null_vector(work)
        _tangents(work.vectors[0], seeds.middle[k])
    close_loops(cut, found, work, seeds)


def close_loops(cut: Cut, found: Systems, work: Scratch, seeds: Seeds) -> None:
    """Joints from angles of joints 3, 4 and 5.

    Args:
        cut: of the loop.
        found: systems.
        work: memory.
        seeds: ``middle`` known, ``q`` filled.
    """
    for k in range(seeds.row.shape[0]):
        row = seeds.row[k]
        _close_loop(cut, found.links[row], found.rows[row], work, seeds.middle[k], seeds.q[k])


# ------------------------------------------------------------------------------------- Equations


def _place_links(cut: Cut, T: A, B: A, frames: A) -> None:
    """Transforms between the joints, from the cut on."""
    _invert(T, frames[0])
    _compose(cut.links[6], frames[0], frames[1])
    _compose(frames[1], cut.links[0], frames[2])
    for k in range(6):
        place = (k - cut.before[0]) % 6
        for i in range(3):
            for j in range(4):
                B[place, i, j] = frames[2, i, j] if k == 5 else cut.links[k + 1, i, j]


def _sample_left(cut: Cut, B: A, work: Scratch) -> None:
    """Factors of the equations in (1, cos, sin) of joints 3, 4 and 5. # -> (14, 3, 3, 3)."""
    lines = work.lines
    for i in range(3):
        lines[0, i, 0], lines[0, i, 1] = B[4, i, 2], B[4, i, 3]
    for c in range(3):
        _turn(lines[0], _THIRD * c + cut.offsets[2], lines[1])
        _move(B[3], lines[1], lines[3])
        for b in range(3):
            _turn(lines[3], _THIRD * b + cut.offsets[1], lines[1])
            _move(B[2], lines[1], lines[2])
            for a in range(3):
                _turn(lines[2], _THIRD * a + cut.offsets[0], lines[1])
                _equations(lines[1], work.samples, a, b, c)
    for e in range(EQUATIONS):
        for x in range(3):
            for y in range(3):
                _from_samples(work.samples[e, x, y])
        for x in range(3):
            for y in range(3):
                _from_samples(work.samples[e, x, :, y])
        for x in range(3):
            for y in range(3):
                _from_samples(work.samples[e, :, x, y])


def _sample_right(B: A, work: Scratch) -> None:
    """Factors of the equations in (1, cos, sin) of joints 1 and 2. # -> (14, [0], 3, 3)."""
    lines = work.lines
    _invert(B[5], work.frames[0])
    _invert(B[0], work.frames[1])
    _invert(B[1], work.frames[2])
    for i in range(3):
        lines[0, i, 0], lines[0, i, 1] = work.frames[0, i, 2], work.frames[0, i, 3]
    for a in range(3):
        _turn(lines[0], -_THIRD * a, lines[1])
        _move(work.frames[1], lines[1], lines[2])
        for b in range(3):
            _turn(lines[2], -_THIRD * b, lines[1])
            _move(work.frames[2], lines[1], lines[3])
            _equations(lines[3], work.samples, 0, a, b)
    for e in range(EQUATIONS):
        for x in range(3):
            _from_samples(work.samples[e, 0, x])
        for x in range(3):
            _from_samples(work.samples[e, 0, :, x])


def _equations(line: A, samples: A, a: int, b: int, c: int) -> None:
    """The fourteen functions of a direction and a point."""
    square, along = 0.0, 0.0
    for i in range(3):
        square += line[i, 1] * line[i, 1]
        along += line[i, 1] * line[i, 0]
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        z, p = line[i, 0], line[i, 1]
        samples[i, a, b, c], samples[3 + i, a, b, c] = p, z
        samples[8 + i, a, b, c] = line[j, 1] * line[k, 0] - line[k, 1] * line[j, 0]
        samples[11 + i, a, b, c] = square * z - 2.0 * along * p
    samples[6, a, b, c], samples[7, a, b, c] = square, along


def _from_samples(values: A) -> None:
    """Factors of (1, cos, sin) from values at 0 and both thirds of a turn."""
    x, y, z = values[0], values[1], values[2]
    values[0] = (x + y + z) / 3.0
    values[1] = (2.0 * x - y - z) / 3.0
    values[2] = (y - z) / math.sqrt(3.0)


def _triangulate(rows: A) -> None:
    """Reflect the rows so that the eight products stand in a triangle (Householder)."""
    size, width = rows.shape
    for k in range(PRODUCTS):
        norm = 0.0
        for i in range(k, size):
            norm += rows[i, k] * rows[i, k]
        norm = math.sqrt(norm)
        if not norm > _TINY:
            continue
        if rows[k, k] > 0.0:
            norm = -norm
        # The reflection's vector is the column with `norm` taken off its first entry.
        first = rows[k, k] - norm
        scale = 1.0 / (norm * first)  # negative: -2 over the vector's square
        rows[k, k] = first
        for j in range(k + 1, width):
            value = 0.0
            for i in range(k, size):
                value += rows[i, k] * rows[i, j]
            value *= scale
            for i in range(k, size):
                rows[i, j] += value * rows[i, k]
        rows[k, k] = norm
        for i in range(k + 1, size):
            rows[i, k] = 0.0


def _half_tangent_powers(rows: A, powers: A) -> None:
    """Six equations in powers of the half tangents x of joints 4 and 5, times their 1 + x²."""
    for e in range(ELIMINATED):
        for a in range(3):
            for b in range(3):
                place = PRODUCTS + 9 * a + 3 * b
                one, cosine, sine = (
                    rows[PRODUCTS + e, place],
                    rows[PRODUCTS + e, place + 1],
                    rows[PRODUCTS + e, place + 2],
                )
                powers[a, e, 3 * b] = one + cosine
                powers[a, e, 3 * b + 1] = 2.0 * sine
                powers[a, e, 3 * b + 2] = one - cosine
            for c in range(3):
                one, cosine, sine = powers[a, e, c], powers[a, e, 3 + c], powers[a, e, 6 + c]
                powers[a, e, c] = one + cosine
                powers[a, e, 3 + c] = 2.0 * sine
                powers[a, e, 6 + c] = one - cosine


def _place_twelve(powers: A, cosine: float, sine: float, M: A) -> None:
    """The six equations, and the same times the half tangent of joint 4. # -> (12, 12)."""
    for e in range(ELIMINATED):
        for k in range(9):
            value = powers[0, e, k] + cosine * powers[1, e, k] + sine * powers[2, e, k]
            M[e, k] = value
            M[ELIMINATED + e, 3 + k] = value
        for k in range(3):
            M[e, 9 + k], M[ELIMINATED + e, k] = 0.0, 0.0


# ---------------------------------------------------------------------------------------- Solving


def _factor(M: A, order: A) -> float:
    """Factors L·U in place, and the sign of the rows' order; a zero pivot stays."""
    sign = 1.0
    for i in range(MONOMIALS):
        order[i] = i
    for k in range(MONOMIALS):
        pivot = k
        for i in range(k + 1, MONOMIALS):
            if abs(M[i, k]) > abs(M[pivot, k]):
                pivot = i
        if not abs(M[pivot, k]) > 0.0:
            continue
        if pivot != k:
            sign = -sign
            order[k], order[pivot] = order[pivot], order[k]
            for j in range(MONOMIALS):
                above = M[k, j]
                M[k, j] = M[pivot, j]
                M[pivot, j] = above
        inverse = 1.0 / M[k, k]
        for i in range(k + 1, MONOMIALS):
            share = M[i, k] * inverse
            M[i, k] = share
            for j in range(k + 1, MONOMIALS):
                M[i, j] -= share * M[k, j]
    return sign


def _null_vector(work: Scratch) -> None:
    """Vector that the factored matrix takes nearly to zero, by inverse iteration."""
    M, y, x = work.M, work.vectors[0], work.vectors[1]
    least = 0.0
    for k in range(MONOMIALS):
        least = max(least, abs(M[k, k]))
        y[k] = 1.0
    least = max(1e-17 * least, _TINY)
    for _ in range(2):
        for i in range(MONOMIALS):
            value = y[work.order[i]]
            for j in range(i):
                value -= M[i, j] * x[j]
            x[i] = value
        largest = 0.0
        for i in range(MONOMIALS - 1, -1, -1):
            value = x[i]
            for j in range(i + 1, MONOMIALS):
                value -= M[i, j] * x[j]
            pivot = M[i, i]
            if abs(pivot) < least:
                pivot = least
            x[i] = value / pivot
            largest = max(largest, abs(x[i]))
        for i in range(MONOMIALS):
            y[i] = x[i] / largest


def _tangents(y: A, middle: A) -> None:
    """Angles of joints 4 and 5 from the monomials of their half tangents."""
    place = 0
    for k in range(1, MONOMIALS):
        if abs(y[k]) > abs(y[place]):
            place = k
    i, j = place // 3, place % 3
    # Quotients of neighbours, of which one is the largest of all.
    above, below = (y[place], y[place - 3]) if i > 0 else (y[place + 3], y[place])
    middle[1] = 2.0 * math.atan(_quotient(above, below))
    above, below = (y[place], y[place - 1]) if j > 0 else (y[place + 1], y[place])
    middle[2] = 2.0 * math.atan(_quotient(above, below))


def _quotient(above: float, below: float) -> float:
    if abs(below) * _FARTHEST <= abs(above):
        return _FARTHEST
    return above / below


def _close_loop(cut: Cut, B: A, rows: A, work: Scratch, middle: A, q: A) -> None:
    """All joints of the chain from joints 3, 4 and 5 of the loop."""
    F, lines = work.frames, work.lines
    for i in range(3):
        for j in range(4):
            F[0, i, j] = 1.0 if i == j else 0.0
    for k in range(3):
        _spin(F[0], middle[k] + cut.offsets[k])
        _compose(F[0], B[2 + k], F[1])
        for i in range(3):
            for j in range(4):
                F[0, i, j] = F[1, i, j]
    _compose(B[1], F[0], F[1])  # what joint 2 turns
    _invert(B[5], F[2])
    _invert(B[0], F[3])
    for i in range(3):
        lines[0, i, 0], lines[0, i, 1] = F[1, i, 2], F[1, i, 3]
        lines[1, i, 0], lines[1, i, 1] = F[2, i, 2], F[2, i, 3]
    best = np.inf
    for way in range(2):
        if way == 0:
            first = _first_by_products(rows, middle, work)
        else:
            first = _first_by_heights(B[0], lines[0], lines[1])
        _turn(lines[1], -first, lines[2])
        _move(F[3], lines[2], lines[3])
        # J2·(B2·…) = B1⁻¹·J1⁻¹·B6⁻¹ in z and p, by least squares.
        sine, cosine = 0.0, 0.0
        for j in range(2):
            sine += lines[0, 0, j] * lines[3, 1, j] - lines[0, 1, j] * lines[3, 0, j]
            cosine += lines[0, 0, j] * lines[3, 0, j] + lines[0, 1, j] * lines[3, 1, j]
        second = math.atan2(sine, cosine)
        _turn(lines[0], second, lines[2])
        away = 0.0
        for i in range(3):
            for j in range(2):
                away += (lines[2, i, j] - lines[3, i, j]) ** 2
        if away < best or way == 0:
            best = away
            q[cut.before[0] % 6] = first
            q[(1 + cut.before[0]) % 6] = second
    for k in range(3):
        q[(2 + k + cut.before[0]) % 6] = middle[k] + cut.offsets[k]
    # B6·(J1·B1·J2·B2·…) undoes joint 6.
    for i in range(3):
        for j in range(4):
            F[4, i, j] = B[5, i, j]
    _spin(F[4], q[cut.before[0] % 6])
    _compose(F[4], B[0], F[5])
    _spin(F[5], q[(1 + cut.before[0]) % 6])
    _compose(F[5], F[1], F[4])
    q[(5 + cut.before[0]) % 6] = math.atan2(F[4, 0, 1] - F[4, 1, 0], F[4, 0, 0] + F[4, 1, 1])


def _first_by_products(rows: A, middle: A, work: Scratch) -> float:
    """Joint 1 from the products that were eliminated, unless axes 1 and 2 make them dependent."""
    largest = 0.0
    products = work.vectors[1]
    for k in range(PRODUCTS):
        largest = max(largest, abs(rows[k, k]))
    c3, s3 = math.cos(middle[0]), math.sin(middle[0])
    c4, s4 = math.cos(middle[1]), math.sin(middle[1])
    c5, s5 = math.cos(middle[2]), math.sin(middle[2])
    for k in range(PRODUCTS - 1, -1, -1):
        value = 0.0
        for a in range(3):
            third = 1.0 if a == 0 else (c3 if a == 1 else s3)
            for b in range(3):
                fourth = third * (1.0 if b == 0 else (c4 if b == 1 else s4))
                place = PRODUCTS + 9 * a + 3 * b
                value += fourth * (
                    rows[k, place] + c5 * rows[k, place + 1] + s5 * rows[k, place + 2]
                )
        for j in range(k + 1, PRODUCTS):
            value -= rows[k, j] * products[j]
        sure = abs(rows[k, k]) > _DEPENDENT * largest
        products[k] = value / rows[k, k] if sure else 0.0
    # In the order 3·a + b - 1 of (1, cos, sin) of joints 1 and 2.
    return math.atan2(products[5], products[2])


def _first_by_heights(B: A, wanted: A, target: A) -> float:
    """Joint 1 from heights along axis 2, unless that axis is parallel to axis 1."""
    x, y, z = B[0, 2], B[1, 2], B[2, 2]  # axis 2 in the frame of joint 1: row z of B1⁻¹
    along = x * B[0, 3] + y * B[1, 3] + z * B[2, 3]
    c0 = target[0, 0] * x + target[1, 0] * y
    c1 = target[0, 1] * x + target[1, 1] * y
    s0 = target[1, 0] * x - target[0, 0] * y
    s1 = target[1, 1] * x - target[0, 1] * y
    h0 = wanted[2, 0] - z * target[2, 0]
    h1 = wanted[2, 1] + along - z * target[2, 1]
    determinant = c0 * s1 - c1 * s0
    sign = 1.0 if determinant >= 0.0 else -1.0
    return math.atan2(sign * (c0 * h1 - c1 * h0), sign * (h0 * s1 - h1 * s0))


# ------------------------------------------------------------------------------ Transforms, lines


def _compose(a: A, b: A, out: A) -> None:
    """Product of two transforms. # (3, 4)."""
    for i in range(3):
        for j in range(4):
            value = a[i, 0] * b[0, j] + a[i, 1] * b[1, j] + a[i, 2] * b[2, j]
            out[i, j] = value + a[i, 3] if j == 3 else value


def _invert(T: A, out: A) -> None:
    """Inverse of a transform. # (3 or 4, 4) -> (3, 4)."""
    for i in range(3):
        shift = 0.0
        for j in range(3):
            out[i, j] = T[j, i]
            shift -= T[j, i] * T[j, 3]
        out[i, 3] = shift


def _spin(T: A, angle: float) -> None:
    """Turn a transform about its own z axis, in place."""
    cosine, sine = math.cos(angle), math.sin(angle)
    for i in range(3):
        x, y = T[i, 0], T[i, 1]
        T[i, 0] = x * cosine + y * sine
        T[i, 1] = y * cosine - x * sine


def _turn(line: A, angle: float, out: A) -> None:
    """Direction and point turned about z. # (3, 2)."""
    cosine, sine = math.cos(angle), math.sin(angle)
    for j in range(2):
        x, y = line[0, j], line[1, j]
        out[0, j], out[1, j] = cosine * x - sine * y, sine * x + cosine * y
        out[2, j] = line[2, j]


def _move(T: A, line: A, out: A) -> None:
    """Direction and point in another frame. # (3, 2)."""
    for i in range(3):
        for j in range(2):
            value = T[i, 0] * line[0, j] + T[i, 1] * line[1, j] + T[i, 2] * line[2, j]
            out[i, j] = value + T[i, 3] if j == 1 else value


_CUT = "(f8[3] i8[1] f8[1])"
_SYSTEMS = "(f8[4] f8[3] f8[4])"
_SCRATCH = "(f8[3] f8[3] f8[4] f8[2] i8[1] f8[2])"
_SEEDS = "(i8[1] f8[2] f8[2])"
ELIMINATE = Loop(eliminate, f"{_CUT} f8[3] {_SYSTEMS} {_SCRATCH}")
DETERMINANTS = Loop(determinants, f"f8[1] {_SYSTEMS} {_SCRATCH} f8[2]")
POSTURES_AT = Loop(postures_at, f"{_CUT} {_SYSTEMS} {_SCRATCH} {_SEEDS}")
CLOSE_LOOPS = Loop(close_loops, f"{_CUT} {_SYSTEMS} {_SCRATCH} {_SEEDS}")
