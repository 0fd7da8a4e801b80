"""Orientation: the zone of a feature that keeps a nominal angle to its datum."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from parts.evaluation.errors import EvaluationError
from parts.evaluation.places import Place, angle_between
from parts.geometry.surfaces.surface import across
from robots.core.arrays import Array

RIGHT = 0.5 * np.pi
_SAME = 2e-3  # [rad]: nominal directions come from points with rounded coordinates
_SPAN = 0.2  # [rad] about the fitted normal within which the zone's is sought
_FINE = 1e-12  # [rad]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OrientationZone:
    """The narrowest zone at the nominal angle to the datum.

    Args:
        width: of two planes, or diameter of a round zone. [m]
        normal: of the two planes; NaN of a round zone. # (3,)
    """

    width: float
    normal: Array


def nominal_angle(kind: str, feature: Place, datum: Place) -> float:
    """The angle between the directions of feature and datum that a tolerance asks for. [rad].

    Args:
        kind: "parallelism", "perpendicularity" or "angularity".
        feature: as it should be.
        datum: as it should be.

    Raises:
        EvaluationError: no direction, or a feature that is not meant to be so.
    """
    for place, what in ((feature, "feature"), (datum, "datum")):
        if place.kind == "point":
            raise EvaluationError(
                f"The {what} is a point or a circle, which has no direction; take the {kind} from "
                "a plane, a line, a cylinder or a cone.",
                value=place.kind,
            )
    angle = angle_between(feature, datum)
    if kind == "angularity":
        return angle
    lying = (feature.kind == "plane") == (datum.kind == "plane")  # an angle of 0 is parallel
    wanted = 0.0 if (kind == "parallelism") == lying else RIGHT
    if abs(angle - wanted) > _SAME:
        shown = np.degrees(angle if lying else RIGHT - angle)
        raise EvaluationError(
            f"Feature and datum are {shown:.4g} deg to each other on the drawing, which is no "
            f"{kind}; ask for angularity, or another datum.",
            value=float(np.radians(shown)),
            limit=_SAME,
            unit="rad",
        )
    return wanted


def orientation_zone(feature: Place, datum: Place, angle: float, points: Array) -> OrientationZone:
    """The narrowest zone that holds the feature and keeps the angle to the datum exactly.

    Of a plane, the zone of its points between two planes that may only turn about the datum's
    direction; of an axis, that of its piece beside the measured points.

    Args:
        feature: as it was measured.
        datum: as it was measured.
        angle: between their directions, nominal. [rad]
        points: measured, of the feature. # (k, 3) [m]

    Source: [ISO1101] §18
    """
    if feature.kind == "axis":
        turn = abs(angle_between(feature, datum) - angle)
        return OrientationZone(width=feature.length * np.sin(turn), normal=np.full(3, np.nan))
    d = datum.direction if feature.direction @ datum.direction >= 0.0 else -datum.direction
    if np.sin(angle) < _FINE:
        return OrientationZone(width=float(np.ptp(points @ d)), normal=d)
    return _turned(feature.direction, d, angle, points)


def _turned(n: Array, d: Array, angle: float, points: Array) -> OrientationZone:
    """Normals on a cone about d: the narrowest zone near the fitted normal n."""
    from scipy.optimize import minimize_scalar

    flat = n - (n @ d) * d
    length = float(np.linalg.norm(flat))
    u = flat / length if length > _FINE else across(d)
    v = np.cross(d, u)
    q = (points - points.mean(axis=0)) @ np.stack([d, u, v], axis=1)

    def width(phi: float) -> float:
        heights = np.cos(angle) * q[:, 0] + np.sin(angle) * (
            np.cos(phi) * q[:, 1] + np.sin(phi) * q[:, 2]
        )
        return float(np.ptp(heights))

    best = minimize_scalar(
        width, bounds=(-_SPAN, _SPAN), method="bounded", options={"xatol": _FINE, "maxiter": 200}
    )
    phi = float(best.x) if best.fun <= width(0.0) else 0.0
    normal = np.cos(angle) * d + np.sin(angle) * (np.cos(phi) * u + np.sin(phi) * v)
    return OrientationZone(width=width(phi), normal=normal)
