"""Vectors as tuples of three numbers, for compiled loops: they live in registers."""

from __future__ import annotations

Vec = tuple[float, float, float]


def minus(a: Vec, b: Vec) -> Vec:
    """Difference."""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def dot(a: Vec, b: Vec) -> float:
    """Scalar product."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a: Vec, b: Vec) -> Vec:
    """Vector product."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def along(a: Vec, u: Vec, s: float) -> Vec:
    """The point a + s·u."""
    return (a[0] + s * u[0], a[1] + s * u[1], a[2] + s * u[2])


def unit_share(value: float) -> float:
    """The value, held between 0 and 1."""
    return min(max(value, 0.0), 1.0)
