"""Alignment to datums: 3-2-1, and reference point systems (RPS)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from parts.alignment.alignment import (
    Alignment,
    checked_weights,
    directions,
    inverse,
    move_points,
    pose_of,
    vectors,
    weighted_rms,
)
from parts.alignment.best_fit import best_fit_points
from parts.alignment.refinement import Contacts, constraints_of, refine, require_full_rank
from parts.errors import AlignmentError
from robots.core.arrays import Array, freeze_field

_SQUARE = 1e-9  # cosine between primary and secondary normal that still counts as square
_LEAST_SPREAD = 1e-6  # across over along: thinner, the points are on one line
_LEAST_STOP = 1e-6  # volume of the three normals


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DatumPlane:
    """A plane of the part, and points that were measured on it.

    Args:
        name: for messages.
        normal: of the plane, out of the material, in the part frame. # (3,)
        point: any point of the plane, in the part frame. # (3,) [m]
        measured: surface points in the base frame. # (k, 3) [m]
        outward: roughly out of the material there, in the base frame: against the direction of
            probing. Only its side counts. # (3,)

    Raises:
        AlignmentError: other shapes, numbers that are not finite, vectors without length.
    """

    name: str
    normal: Array
    point: Array
    measured: Array
    outward: Array

    def __post_init__(self) -> None:
        checked = {
            "normal": directions([self.normal], f"normal of {self.name}", 1)[0],
            "point": vectors([self.point], f"point of {self.name}", 1)[0],
            "measured": vectors(self.measured, f"measured points of {self.name}"),
            "outward": directions([self.outward], f"outward side of {self.name}", 1)[0],
        }
        for field, array in checked.items():
            freeze_field(self, field, array)

    @property
    def offset(self) -> float:
        """Distance of the plane from the part's origin along its normal. [m]."""
        return float(self.normal @ self.point)


def three_two_one(primary: DatumPlane, secondary: DatumPlane, tertiary: DatumPlane) -> Alignment:
    """The primary takes three motions, the secondary two of the rest, the tertiary the last.

    The primary normal is that of the least-squares plane of its points. The secondary is the
    least-squares line of its points seen along that normal. Each plane then goes through the
    centroid of its points. With 3, 2 and 1 points all residuals are zero.

    Raises:
        AlignmentError: too few points, primary points on one line, secondary points on one normal
            of the primary, planes that are not square or do not meet in a point.
    """
    _check_counts(primary, secondary, tertiary)
    _check_square(primary, secondary)
    volume = float(abs(np.linalg.det([d.normal for d in (primary, secondary, tertiary)])))
    if volume < _LEAST_STOP:
        raise AlignmentError(
            f"The tertiary plane {tertiary.name!r} stops no motion that is left (volume of the "
            f"three normals {volume:.3g}, limit {_LEAST_STOP:g}): the normals are coplanar. "
            "Choose a plane across the other two.",
            volume=volume,
            limit=_LEAST_STOP,
        )
    first = _plane_normal(primary)
    second = _line_normal(secondary, first)
    seen = np.column_stack([first, second, np.cross(first, second)])
    part = np.column_stack(
        [primary.normal, secondary.normal, np.cross(primary.normal, secondary.normal)]
    )
    R = seen @ part.T
    U, _, Vt = np.linalg.svd(R)  # the part's normals are square to 1e-9 only
    R = U @ Vt
    planes = (primary, secondary, tertiary)
    walls = np.array([R @ plane.normal for plane in planes])
    gaps = [n @ p.measured.mean(axis=0) - p.offset for n, p in zip(walls, planes, strict=True)]
    return _answer(pose_of(R, np.linalg.solve(walls, gaps)), planes)


def _answer(T: Array, planes: tuple[DatumPlane, ...]) -> Alignment:
    back = inverse(T)
    points = np.vstack([move_points(back, plane.measured) for plane in planes])
    normals = np.vstack([np.tile(plane.normal, (len(plane.measured), 1)) for plane in planes])
    offsets = np.concatenate([np.full(len(plane.measured), plane.offset) for plane in planes])
    residuals = np.sum(points * normals, axis=1) - offsets
    weights = np.ones(len(points))
    held = constraints_of(points, normals, weights)
    require_full_rank(held, "the datum points")
    return Alignment(
        T_base_part=T,
        residuals=residuals,
        rms=weighted_rms(residuals, weights),
        condition=held.condition,
        method="3-2-1",
    )


def _check_counts(*planes: DatumPlane) -> None:
    ranks = ("primary", "secondary", "tertiary")
    for plane, rank, least in zip(planes, ranks, (3, 2, 1), strict=True):
        if len(plane.measured) < least:
            raise AlignmentError(
                f"The {rank} plane {plane.name!r} has {len(plane.measured)} measured points; it "
                f"needs at least {least}.",
                found=len(plane.measured),
                limit=least,
            )


def _check_square(primary: DatumPlane, secondary: DatumPlane) -> None:
    cosine = float(primary.normal @ secondary.normal)
    if abs(cosine) > _SQUARE:
        angle = float(np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0))))
        raise AlignmentError(
            f"The planes {primary.name!r} and {secondary.name!r} are {angle:.6g} deg to each other "
            "on the drawing; 3-2-1 needs 90 deg. Choose planes that are square to each other, or "
            "align by RPS or by a best fit, which take any directions.",
            angle_deg=angle,
        )


def _plane_normal(plane: DatumPlane) -> Array:
    centred = plane.measured - plane.measured.mean(axis=0)
    _, spread, Vt = np.linalg.svd(centred)
    if spread[1] <= _LEAST_SPREAD * spread[0]:
        raise AlignmentError(
            f"The points of the primary plane {plane.name!r} are collinear (they spread "
            f"{spread[1]:.3g} m across a line, {spread[0]:.3g} m along it): the plane can turn "
            "about that line. Move one point off it.",
            across=float(spread[1]),
            along=float(spread[0]),
        )
    return _towards(Vt[2], plane)


def _line_normal(plane: DatumPlane, first: Array) -> Array:
    centred = plane.measured - plane.measured.mean(axis=0)
    flat = centred - np.outer(centred @ first, first)
    _, spread, Vt = np.linalg.svd(flat)
    if spread[0] <= _LEAST_SPREAD * np.linalg.norm(centred) or spread[0] == 0.0:
        raise AlignmentError(
            f"The points of the secondary plane {plane.name!r} stand above each other along the "
            f"primary normal (apart from it by {spread[0]:.3g} m): they give no direction. Move "
            "them apart along the primary plane.",
            across=float(spread[0]),
        )
    return _towards(np.cross(first, Vt[0]), plane)


def _towards(normal: Array, plane: DatumPlane) -> Array:
    side = float(normal @ plane.outward)
    if abs(side) < 0.1:
        raise AlignmentError(
            f"The outward side of {plane.name!r} lies along its own measured plane (cosine "
            f"{side:.3g}): it cannot tell which side the material is on. Give the direction "
            "against the probing.",
            cosine=side,
        )
    return np.asarray(np.sign(side) * normal / np.linalg.norm(normal))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ReferencePoints:
    """Targets of a reference point system; one that holds two directions is given twice.

    Args:
        nominal: points in the part frame. # (k, 3) [m]
        directions: in which each holds the part, in the part frame. # (k, 3)
        weights: of the squared misses; a weight of zero only watches. # (k,)
        names: for messages.

    Raises:
        AlignmentError: other shapes, numbers that are not finite, weights that cannot be used.
    """

    nominal: Array
    directions: Array
    weights: Array | None = None
    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        nominal = vectors(self.nominal, "nominal points")
        checked = {
            "nominal": nominal,
            "directions": directions(self.directions, "directions", len(nominal)),
            "weights": checked_weights(self.weights, len(nominal)),
        }
        for name, array in checked.items():
            freeze_field(self, name, array)

    def __len__(self) -> int:
        """Number of targets k."""
        return len(self.nominal)


def reference_points(
    targets: ReferencePoints, measured: ArrayLike, *, start: ArrayLike | None = None
) -> Alignment:
    """Minimise Σ w (n·(T_part_base p − x))² over the pose.

    Six targets that hold all six motions are met exactly; more are balanced by their weights.

    Args:
        targets: of the part.
        measured: the targets in the base frame. # (k, 3) [m]
        start: first guess of T_base_part; otherwise the best fit of the point pairs. # (4, 4)

    Raises:
        AlignmentError: fewer than six targets with weight, or targets that leave a motion free:
            collinear points, directions that are parallel or lie in one plane.
    """
    seen = vectors(measured, "measured points", len(targets))
    weights = checked_weights(targets.weights, len(targets))
    used = int(np.count_nonzero(weights))
    if used < 6:
        raise AlignmentError(
            f"{used} reference directions with weight cannot hold the six motions of a part; give "
            "at least 6.",
            found=used,
            limit=6,
        )
    held = constraints_of(targets.nominal, targets.directions, weights)
    require_full_rank(held, "the reference points")
    T = (
        best_fit_points(targets.nominal, seen, weights).T_base_part
        if start is None
        else np.array(start, dtype=np.float64)
    )

    def meet(points: Array) -> Contacts:
        misses = np.sum(targets.directions * (points - targets.nominal), axis=1)
        return Contacts(normals=targets.directions, residuals=misses)

    return refine(meet, seen, weights, T, what="the reference points", method="rps")
