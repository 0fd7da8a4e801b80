"""Vectors, rotations and symmetric tensors over generic scalars, and their functions.

A scalar is whatever the reading puts there: a float, an array, a recorded node, a SymPy
expression. Nothing here compares or branches on one; constants 0 and 1 are left to the reading to
fold.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from robots.core.errors import EquationError

Scalar = Any
Vec3 = tuple[Scalar, Scalar, Scalar]
Mat3 = tuple[Vec3, Vec3, Vec3]  # rows
ZERO: Vec3 = (0.0, 0.0, 0.0)
IDENTITY: Mat3 = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


class Sym3(NamedTuple):
    """Symmetric (3, 3) tensor by its six entries."""

    xx: Scalar
    xy: Scalar
    xz: Scalar
    yy: Scalar
    yz: Scalar
    zz: Scalar


NO_TENSOR = Sym3(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


def add(a: Vec3, b: Vec3) -> Vec3:
    """Sum a + b."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


def subtract(a: Vec3, b: Vec3) -> Vec3:
    """Difference a - b."""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def scale(k: Scalar, a: Vec3) -> Vec3:
    """k·a."""
    return (k * a[0], k * a[1], k * a[2])


def dot(a: Vec3, b: Vec3) -> Scalar:
    """Scalar product a · b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a: Vec3, b: Vec3) -> Vec3:
    """Vector product a × b."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def apply(M: Mat3, a: Vec3) -> Vec3:
    """M·a."""
    return (dot(M[0], a), dot(M[1], a), dot(M[2], a))


def transpose(M: Mat3) -> Mat3:
    """Mᵀ."""
    return ((M[0][0], M[1][0], M[2][0]), (M[0][1], M[1][1], M[2][1]), (M[0][2], M[1][2], M[2][2]))


def column(M: Mat3, j: int) -> Vec3:
    """Column j of M."""
    return (M[0][j], M[1][j], M[2][j])


def from_columns(x: Vec3, y: Vec3, z: Vec3) -> Mat3:
    """Matrix with the columns x, y, z."""
    return transpose((x, y, z))


def product(A: Mat3, B: Mat3) -> Mat3:
    """A·B."""
    columns = transpose(B)
    return (apply_row(A[0], columns), apply_row(A[1], columns), apply_row(A[2], columns))


def apply_row(row: Vec3, columns: Mat3) -> Vec3:
    """Dot products of one row with three columns."""
    return (dot(row, columns[0]), dot(row, columns[1]), dot(row, columns[2]))


def turn(c: Scalar, s: Scalar, a: Vec3) -> Vec3:
    """Rz·a for a rotation about z with cosine c and sine s."""
    return (c * a[0] - s * a[1], s * a[0] + c * a[1], a[2])


def turn_back(c: Scalar, s: Scalar, a: Vec3) -> Vec3:
    """Rzᵀ·a."""
    return (c * a[0] + s * a[1], c * a[1] - s * a[0], a[2])


def turn_columns(c: Scalar, s: Scalar, M: Mat3) -> Mat3:
    """M·Rz: the frame M after a rotation about its own z axis."""
    x, y, z = column(M, 0), column(M, 1), column(M, 2)
    return from_columns(add(scale(c, x), scale(s, y)), subtract(scale(c, y), scale(s, x)), z)


def sym_add(A: Sym3, B: Sym3) -> Sym3:
    """A + B."""
    return Sym3(*(a + b for a, b in zip(A, B, strict=True)))


def sym_apply(A: Sym3, v: Vec3) -> Vec3:
    """A·v."""
    return (
        A.xx * v[0] + A.xy * v[1] + A.xz * v[2],
        A.xy * v[0] + A.yy * v[1] + A.yz * v[2],
        A.xz * v[0] + A.yz * v[1] + A.zz * v[2],
    )


def sym_turn(c: Scalar, s: Scalar, A: Sym3) -> Sym3:
    """Rz·A·Rzᵀ with one product fewer than the sandwich: the trace in the xy plane is kept."""
    w = s * (A.xx - A.yy) + c * (A.xy + A.xy)
    moved = s * w
    return Sym3(
        A.xx - moved, c * w - A.xy, c * A.xz - s * A.yz, A.yy + moved, s * A.xz + c * A.yz, A.zz
    )


def sym_rotate(R: Mat3, A: Sym3) -> Sym3:
    """R·A·Rᵀ."""
    rows = ((A.xx, A.xy, A.xz), (A.xy, A.yy, A.yz), (A.xz, A.yz, A.zz))
    x, y, z = (apply(rows, row) for row in R)
    return Sym3(dot(R[0], x), dot(R[0], y), dot(R[0], z), dot(R[1], y), dot(R[1], z), dot(R[2], z))


# ---------------------------------------------------------------------------- Functions of scalars


def _not_in_this_reading(a: Scalar, b: Scalar) -> Scalar:
    """Stand in where a reading, such as exact polynomials, has no such function."""
    raise EquationError(f"This reading of the equations has no atan2 or maximum of {a!r}, {b!r}.")


# Lost beside any length or cosine, but divides.
NOTHING = 1e-150


def _nonzero(a: Scalar) -> Scalar:
    return a + NOTHING


@dataclass(frozen=True, slots=True, kw_only=True)
class Functions:
    """Functions of a scalar that equations may use besides sums and products.

    ``nonzero`` is a value that divides in place of zero, and any other as it is; where signs are
    carried, that of -a is the opposite of that of a, so that mirrored branches share it.
    """

    sin: Callable[[Scalar], Scalar]
    cos: Callable[[Scalar], Scalar]
    sign: Callable[[Scalar], Scalar]
    sqrt: Callable[[Scalar], Scalar]
    atan2: Callable[[Scalar, Scalar], Scalar] = _not_in_this_reading
    maximum: Callable[[Scalar, Scalar], Scalar] = _not_in_this_reading
    nonzero: Callable[[Scalar], Scalar] = _nonzero


def numbers() -> Functions:
    """Floats and NumPy arrays."""
    import numpy as np

    return Functions(
        sin=np.sin, cos=np.cos, sign=np.sign, sqrt=np.sqrt, atan2=np.arctan2, maximum=np.maximum
    )


def symbols() -> Functions:
    """SymPy expressions."""
    import sympy

    return Functions(
        sin=sympy.sin,
        cos=sympy.cos,
        sign=sympy.sign,
        sqrt=sympy.sqrt,
        atan2=sympy.atan2,
        maximum=sympy.Max,
    )
