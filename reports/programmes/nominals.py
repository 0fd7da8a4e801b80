"""What surface the points of a feature lie on, as their positions and normals tell it.

A job names features without saying what they are. A feature is called a plane, circle, cylinder
or sphere only where its points leave no doubt; otherwise its points stay points.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

import numpy as np

from robots.core.arrays import Array

_NEAR = 1e-6  # [m] of positions from the surface
_PARALLEL = 1e-5  # of unit normals from theirs
_SPREAD = 1e-4  # [m] least extent of points that tell a surface
_LEAST = {"circle": 3, "cylinder": 5, "sphere": 4, "plane": 3}


class NominalKind(Enum):
    """Kinds of surfaces and lines."""

    POINT = "point"
    PLANE = "plane"
    CIRCLE = "circle"
    CYLINDER = "cylinder"
    SPHERE = "sphere"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Nominal:
    """A nominal feature.

    Args:
        kind: what it is.
        location: a point of it, or its centre. # (3,) [m]
        axis: normal of a point or plane, axis of a circle or cylinder. # (3,) unit
        diameter: of what is round. [m]
        inner: whether the material is around it.
    """

    kind: NominalKind
    location: Array
    axis: Array = field(default_factory=lambda: np.array([0.0, 0.0, 1.0]))
    diameter: float = 0.0
    inner: bool = False


def nominal_of(points: Array, normals: Array) -> Nominal | None:
    """The surface that points lie on; None where they leave doubt.

    Args:
        points: # (k, 3) [m]
        normals: out of the material. # (k, 3) unit
    """
    centre = points.mean(axis=0)
    about = points - centre
    if len(points) < _LEAST["plane"] or np.linalg.svd(about, compute_uv=False)[1] < _SPREAD:
        return None  # one line tells no surface
    normal = normals.mean(axis=0)
    if np.abs(normals - normal).max() < _PARALLEL:
        axis = normal / np.linalg.norm(normal)
        if np.abs(about @ axis).max() < _NEAR:
            return Nominal(kind=NominalKind.PLANE, location=centre, axis=axis)
        return None
    return _round(points, normals)


def _round(points: Array, normals: Array) -> Nominal | None:
    """A sphere, cylinder or circle: all normals run through one centre, or one axis."""
    turns = np.linalg.svd(normals)
    flat = bool(turns.S[-1] < _PARALLEL)
    if flat and turns.S[1] < 0.1:
        return None  # all on one side: the axis is not told well
    axis = _upward(turns.Vh[-1])
    middle = points.mean(axis=0)
    about = points - middle
    along = about @ axis
    if flat:
        about = about - along[:, None] * axis
    across = np.eye(3) - normals[:, :, None] * normals[:, None, :]
    offset = np.linalg.lstsq(across.sum(axis=0), (across @ about[..., None]).sum(axis=0)[:, 0])[0]
    if flat:
        offset = offset - (offset @ axis) * axis
    out = about - offset
    radius = float(np.linalg.norm(out, axis=1).mean())
    sense = float(np.sign(np.sum(out * normals)))
    if radius < _SPREAD or np.abs(out - sense * radius * normals).max() > _NEAR:
        return None
    in_plane = bool(np.abs(along).max() < _NEAR)
    kind = NominalKind.SPHERE if not flat else NominalKind.CYLINDER
    kind = NominalKind.CIRCLE if flat and in_plane else kind
    if len(points) < _LEAST[kind.value]:
        return None
    return Nominal(
        kind=kind,
        location=middle + offset,
        axis=axis,
        diameter=2.0 * radius,
        inner=sense < 0.0,
    )


def _upward(axis: Array) -> Array:
    """The one of two opposite directions whose largest component is above zero."""
    largest = int(np.argmax(np.abs(axis) > np.abs(axis).max() - 1e-9))
    return np.asarray(axis if axis[largest] > 0.0 else -axis)
