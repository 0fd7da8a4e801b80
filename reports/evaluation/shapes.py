"""Sizes and places of fitted shapes, which have them by several names."""

from __future__ import annotations

import numpy as np

from parts.fits import FittedShape
from robots.core.arrays import Array

_PLACES = ("centre", "apex", "point")


def place_of(shape: FittedShape) -> Array:
    """Centre, apex, or a point of the shape. # (3,) [m]."""
    name = next(name for name in _PLACES if hasattr(shape, name))
    return np.asarray(getattr(shape, name))


def axis_of(shape: FittedShape) -> Array:
    """Axis, normal or direction; z for a sphere, which has none. # (3,) unit."""
    return np.asarray(getattr(shape, "axis", (0.0, 0.0, 1.0)), dtype=np.float64)


def size_of(shape: FittedShape, name: str) -> float:
    """A radius or a half angle by its name. [m] or [rad]."""
    return float(getattr(shape, name))


def is_hole(shape: FittedShape) -> bool:
    """Whether the material is around it."""
    return bool(getattr(shape, "reversed", False))
