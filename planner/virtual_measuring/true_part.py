"""The part as it truly is: the nominal one with stated offsets, form errors, and a moved pose.

Every feature that the evaluation recognises (plane, cylinder, sphere, cone, torus, circle of a
bore) is that surface; where there is none a point's surroundings are its tangent plane.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np

from parts.evaluation.association import nominal_feature
from parts.fits.curves import SpaceCircle
from parts.fits.fit_result import FittedShape
from parts.geometry.surfaces import Cylinder
from parts.points import ProbePoints
from planner.errors import JobError
from robots.core.arrays import Array, Indices
from robots.core.schema_problems import nearest

_FORM = 3  # kind of this random stream; planner.uncertainty.monte_carlo has 0 to 2
_CURVES = ("line3d",)
FARTHEST = 0.1  # [m]: a part that is more than that off is another part


@dataclass(frozen=True, slots=True, kw_only=True)
class PartErrors:
    """What is wrong with the part itself.

    Args:
        offsets: of features, by name, along their outgoing normals: +5e-6 on the wall of a bore
            makes its diameter 1e-5 smaller. [m]
        form: standard deviation of the surface along its normal, point by point. [m]

    Raises:
        JobError: a number that is not finite or beyond 0.1 m, or a form error below zero.
    """

    offsets: Mapping[str, float] = field(default_factory=dict)
    form: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "offsets", MappingProxyType(dict(self.offsets)))
        if not 0.0 <= self.form <= FARTHEST:
            raise JobError(
                f"The form error is {self.form} m; expected a standard deviation from 0 to "
                f"{FARTHEST:g} m.",
                found=self.form,
                limit=FARTHEST,
            )
        for name, value in self.offsets.items():
            if not abs(value) <= FARTHEST:
                raise JobError(
                    f"The offset of {name!r} is {value} m; expected at most {FARTHEST:g} m either "
                    "way.",
                    found=value,
                    limit=FARTHEST,
                )


class TruePart:
    """Signed distances from the true surface, each point of the job asking its own feature.

    Args:
        points: nominal, on the surface, in the part frame.
        errors: of the part.
        seed: of the form errors.

    Raises:
        JobError: an offset of a feature that the points do not have.
    """

    def __init__(self, points: ProbePoints, errors: PartErrors, seed: int) -> None:
        self.points = points
        self.heights = _heights(points, errors, seed)
        self._shapes = list(_shapes(points))
        self._nominal = np.zeros(len(points))
        self._nominal = self.distances(points.positions) + self.heights

    def distances(self, positions: Array) -> Array:
        """Distances from the surface of each point's feature, positive outside the material.

        A nominal point that is printed with few digits still lies on its surface: what it is off
        the ideal feature is taken to be the feature's own shape there.

        Args:
            positions: one place per point of the job, part frame. # (..., k, 3) [m]

        Returns:
            # (..., k) [m]
        """
        away = positions - self.points.positions
        found = np.einsum("...ki,ki->...k", away, self.points.normals)
        for rows, shape in self._shapes:
            asked = positions[..., rows, :]
            flat = shape.distance(asked.reshape(-1, 3))
            found[..., rows] = np.reshape(flat, asked.shape[:-1])
        return np.asarray(found - self._nominal - self.heights)


def check_features(points: ProbePoints, errors: PartErrors) -> None:
    """Refuse offsets of what no point belongs to.

    Raises:
        JobError: an offset of a feature that the points do not have, with the nearest one.
    """
    known = tuple(dict.fromkeys(filter(None, points.features)))
    for name in errors.offsets:
        if name not in known:
            told = nearest(name, known) if known else "their column feature is empty."
            raise JobError(
                f"The feature {name!r} has an offset, but no point of the job belongs to it; "
                f"{told}",
                found=name,
                expected=known,
            )


def _heights(points: ProbePoints, errors: PartErrors, seed: int) -> Array:
    """How much higher than nominal the surface is at each point. # (k,) [m]."""
    check_features(points, errors)
    heights = np.array([errors.offsets.get(name, 0.0) for name in points.features])
    if errors.form > 0.0:
        sequence = np.random.SeedSequence(seed, spawn_key=(_FORM, 0))
        heights += errors.form * np.random.default_rng(sequence).standard_normal(len(points))
    return heights


def _shapes(points: ProbePoints) -> list[tuple[Indices, FittedShape]]:
    """Rows of the points of every feature that is a surface, with it."""
    features = np.array(points.features, dtype=object)
    found = []
    for name in dict.fromkeys(points.features):
        rows = np.flatnonzero(features == name)
        if not name and any(points.features):
            continue  # what belongs to no feature is judged by no feature
        nominal = nominal_feature(points.positions[rows], points.normals[rows])
        if nominal.shape is not None and nominal.kind not in _CURVES:
            found.append((rows, _wall(nominal.shape)))
    return found


def _wall(shape: FittedShape) -> FittedShape:
    """A circle is a section of a wall that stands square on its plane."""
    if not isinstance(shape, SpaceCircle):
        return shape
    return Cylinder(
        point=shape.centre, axis=shape.axis, radius=shape.radius, reversed=shape.reversed
    )
