"""Characteristics that tolerances bound: size, form, orientation, location, angle, distance."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from parts.errors import EvaluationError
from parts.evaluation.association import FeaturePoints, Measurable, sizes_of
from parts.evaluation.results import Characteristic
from parts.evaluation.tolerance import FORM_KINDS, ToleranceSpec
from parts.fits.curves import SpaceCircle, SpaceLine
from parts.fits.fit_result import Fit, Fitted, FittedShape
from parts.geometry.surfaces import Cone, Cylinder, Plane, Sphere, Torus, across
from robots.core.arrays import Array

FORM_OF = {
    "plane": "flatness",
    "line3d": "straightness",
    "circle3d": "roundness",
    "cylinder": "cylindricity",
}
_KIND_OF = {form: kind for kind, form in FORM_OF.items()}
_WORDS = {"line3d": "line", "circle3d": "circle"}
PlaceKind = Literal["plane", "axis", "point"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Measurement:
    """The measured value of a tolerance.

    Args:
        value: [m]
        nominal: 0 for zones. [m]
        worst: name of the point that decides; empty where no single one does.
        method: a few words.
    """

    value: float
    nominal: float = 0.0
    worst: str = ""
    method: str = ""


def characteristic_of(spec: ToleranceSpec, subjects: Mapping[str, FeaturePoints]) -> Characteristic:
    """A toleranced characteristic of measured features, form by least squares.

    Args:
        spec: the tolerance.
        subjects: all features by name.

    Raises:
        EvaluationError: a feature that was not measured, has no fit, or is not of a kind that has
            such a characteristic.
    """
    found = measurement_of(spec.kind, _subject(spec.feature, subjects), _datum(spec, subjects))
    return _named(spec.feature, spec.kind, found, tolerance=spec.value, datum=spec.datum)


def measurement_of(kind: str, subject: Measurable, datum: Measurable | None = None) -> Measurement:
    """The number alone. Args: kind: of ``TOLERANCE_KINDS``.

    Raises:
        EvaluationError: as for ``characteristic_of``.
    """
    if kind in FORM_KINDS:
        return _form(kind, subject)
    if datum is not None:
        return _distance(subject, datum) if kind == "distance" else _oriented(kind, subject, datum)
    plain: dict[str, Callable[[Measurable], Measurement]] = {
        "profile": _profile,
        "position": _position,
        "diameter": _diameter,
    }
    return plain[kind](subject)


def usual_characteristics(subject: FeaturePoints) -> tuple[Characteristic, ...]:
    """What is told of a feature without being asked: form, diameter, profile."""
    kinds = ["profile"]
    if subject.fit is not None:
        seen = subject.fit.has_redundancy and subject.fit.kind in FORM_OF
        kinds += [FORM_OF[subject.fit.kind]] if seen else []
        kinds += ["diameter"] if "diameter" in sizes_of(subject.fit.shape) else []
    return tuple(
        _named(subject.name, kind, measurement_of(kind, subject)) for kind in sorted(kinds)
    )


def _named(
    feature: str, kind: str, found: Measurement, *, tolerance: float | None = None, datum: str = ""
) -> Characteristic:
    to = f" to {datum}" if datum else ""
    return Characteristic(
        name=f"{feature} {kind}{to}",
        feature=feature,
        kind=kind,
        nominal=found.nominal,
        measured=found.value,
        tolerance=tolerance,
        datum=datum,
        worst=found.worst,
        method=found.method,
    )


def _subject(name: str, subjects: Mapping[str, FeaturePoints]) -> FeaturePoints:
    if name not in subjects:
        raise EvaluationError(f"No point of the feature {name!r} was measured.", value=name)
    return subjects[name]


def _datum(spec: ToleranceSpec, subjects: Mapping[str, FeaturePoints]) -> FeaturePoints | None:
    return _subject(spec.datum, subjects) if spec.datum else None


def _fit_of(subject: Measurable) -> Fitted:
    """The fit that a characteristic needs.

    Raises:
        EvaluationError: there is none.
    """
    if subject.fit is None:
        reason = subject.refusal or (
            f"the {len(subject)} nominal points lie on no plane, line, circle, sphere, "
            "cylinder, cone or torus."
        )
        raise EvaluationError(
            f"The feature {subject.name!r} has no fit: {reason}", value=subject.name
        )
    return subject.fit


def _nominal_of(subject: Measurable) -> FittedShape:
    _fit_of(subject)
    if subject.nominal.shape is None:
        raise EvaluationError(f"The nominal feature {subject.name!r} has no shape.")
    return subject.nominal.shape


def _places(subject: Measurable) -> tuple[FeatureLocation, FeatureLocation]:
    """As it should be, and as it was measured."""
    return (
        location_of(_nominal_of(subject), subject.targets),
        location_of(_fit_of(subject).shape, subject.points),
    )


def _form(kind: str, subject: Measurable) -> Measurement:
    found = _fit_of(subject)
    if found.kind != _KIND_OF[kind]:
        needed, is_ = (_WORDS.get(word, word) for word in (_KIND_OF[kind], found.kind))
        raise EvaluationError(
            f"The feature {subject.name!r} is a {is_}, but {kind} is that of a {needed}; "
            + (
                "measure one section as a feature of its own."
                if kind == "roundness"
                else "use the form of the feature that it is."
            ),
            value=found.kind,
            limit=_KIND_OF[kind],
        )
    if isinstance(found, Fit) and not found.has_redundancy:
        raise EvaluationError(
            f"The feature {subject.name!r} has {len(found.residuals)} points, which hold its "
            f"{_WORDS.get(found.kind, found.kind)} without one to spare, so that every form fits "
            f"them and its {kind} cannot be evaluated; measure more points.",
            value=len(found.residuals),
        )
    worst = int(np.argmax(np.abs(found.residuals)))
    return Measurement(value=found.form_error, worst=subject.names[worst], method="least squares")


def _profile(subject: Measurable) -> Measurement:
    away = np.abs(subject.profile)
    worst = int(np.argmax(away))
    return Measurement(
        value=float(2.0 * away[worst]), worst=subject.names[worst], method="2 × largest deviation"
    )


def _diameter(subject: Measurable) -> Measurement:
    sizes = sizes_of(_fit_of(subject).shape)
    if "diameter" not in sizes:
        raise EvaluationError(
            f"The feature {subject.name!r} is a {_fit_of(subject).kind}, which has no diameter.",
            value=_fit_of(subject).kind,
        )
    return Measurement(
        value=sizes["diameter"],
        nominal=sizes_of(_nominal_of(subject))["diameter"],
        method="least squares",
    )


def _position(subject: Measurable) -> Measurement:
    """Diameter of the zone about the nominal place that just holds the measured one."""
    nominal, found = _places(subject)
    if nominal.kind == "plane":
        away = nominal.away(subject.points)
        worst = int(np.argmax(away))
        return Measurement(
            value=float(2.0 * away[worst]),
            worst=subject.names[worst],
            method="2 × distance of the farthest point from the nominal plane",
        )
    if nominal.kind == "axis":
        away = nominal.away(found.ends)
        return Measurement(
            value=float(2.0 * away.max()), method="2 × distance of the axis's farther end"
        )
    offset = found.point - nominal.point
    if subject.nominal.kind == "circle3d":  # its height is that of the probing, not the bore's
        offset = offset - (offset @ nominal.direction) * nominal.direction
    return Measurement(
        value=float(2.0 * np.linalg.norm(offset)), method="2 × distance of the centres"
    )


def _distance(subject: Measurable, datum: Measurable) -> Measurement:
    (nominal, found), (nominal_datum, found_datum) = _places(subject), _places(datum)
    return Measurement(
        value=distance_between(found, found_datum),
        nominal=distance_between(nominal, nominal_datum),
        method="least squares",
    )


def _oriented(kind: str, subject: Measurable, datum: Measurable) -> Measurement:
    (nominal, found), (nominal_datum, found_datum) = _places(subject), _places(datum)
    angle = nominal_angle(kind, nominal, nominal_datum)
    zone = orientation_zone(found, found_datum, angle, subject.points)
    if not np.isfinite(zone.normal).all():
        return Measurement(value=zone.width, method="of the fitted axis, beside its points")
    heights = subject.points @ zone.normal
    worst = int(np.argmax(np.abs(heights - np.median(heights))))
    return Measurement(
        value=zone.width, worst=subject.names[worst], method="zone of the points to the datum"
    )


# ------------------------------------------------------------------------------- Orientation zones

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


def nominal_angle(kind: str, feature: FeatureLocation, datum: FeatureLocation) -> float:
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
            f"{kind}; use angularity, or another datum.",
            value=float(np.radians(shown)),
            limit=_SAME,
            unit="rad",
        )
    return wanted


def orientation_zone(
    feature: FeatureLocation, datum: FeatureLocation, angle: float, points: Array
) -> OrientationZone:
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


# ----------------------------------------------------------------------- Reference points and axes


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FeatureLocation:
    """Location of a feature, without its sizes.

    Args:
        kind: "plane", "axis" or "point".
        point: the centre, or the foot of the measured points' middle on plane or axis. # (3,) [m]
        direction: normal of the plane, or direction of the axis, unit; NaN for a point. # (3,)
        ends: of the piece of the axis beside the measured points; both ``point`` for others.
            # (2, 3) [m]
    """

    kind: PlaceKind
    point: Array
    direction: Array
    ends: Array

    @property
    def length(self) -> float:
        """Of the piece of the axis. [m]."""
        return float(np.linalg.norm(self.ends[1] - self.ends[0]))

    def away(self, points: Array) -> Array:
        """Distances from the plane, the axis or the point. # (k, 3) -> (k,) [m]."""
        offset = points - self.point
        if self.kind == "point":
            return np.asarray(np.linalg.norm(offset, axis=1))
        along = offset @ self.direction
        if self.kind == "plane":
            return np.abs(along)
        return np.asarray(np.linalg.norm(offset - along[:, None] * self.direction, axis=1))


def location_of(shape: FittedShape, points: Array) -> FeatureLocation:
    """The place of a feature beside points that were measured on it.

    Args:
        shape: of the feature.
        points: # (k, 3) [m]

    Raises:
        TypeError: a feature of a plane, not of space.
    """
    middle = points.mean(axis=0)
    if isinstance(shape, Plane):
        foot = shape.project(middle[None])[0]
        normal = -shape.axis if shape.reversed else shape.axis
        return FeatureLocation(
            kind="plane", point=foot, direction=normal, ends=np.stack([foot, foot])
        )
    if isinstance(shape, Sphere | SpaceCircle | Torus):
        centre = shape.centre
        axis = np.full(3, np.nan) if isinstance(shape, Sphere) else shape.axis
        return FeatureLocation(
            kind="point", point=centre, direction=axis, ends=np.stack([centre, centre])
        )
    if isinstance(shape, Cylinder | SpaceLine | Cone):
        base = shape.apex if isinstance(shape, Cone) else shape.point
        along = (points - base) @ shape.axis
        ends = base + np.outer([along.min(), along.max()], shape.axis)
        foot = base + ((middle - base) @ shape.axis) * shape.axis
        return FeatureLocation(kind="axis", point=foot, direction=shape.axis, ends=ends)
    raise TypeError(f"A {type(shape).__name__} has no place in space.")


def angle_between(one: FeatureLocation, other: FeatureLocation) -> float:
    """Angle between the lines of two directions, from 0 to π/2. [rad]."""
    sine = float(np.linalg.norm(np.cross(one.direction, other.direction)))
    return float(np.arctan2(sine, abs(float(one.direction @ other.direction))))


def distance_between(one: FeatureLocation, other: FeatureLocation) -> float:
    """Distance of two places: a plane's or an axis's to the point that stands for the other. [m].

    Of two planes, or two axes, the point of the first is taken, so that small errors of their
    directions count over no more than the distance between their measured points.
    """
    planes = (one.kind == "plane", other.kind == "plane")
    if planes == (True, False) or (other.kind == "point" and one.kind == "axis"):
        one, other = other, one
    return float(other.away(one.point[None])[0])
