"""Characteristics that tolerances bound: size, form, orientation, location, angle, distance."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

import numpy as np

from parts.alignment.alignment import move_points, rotate
from parts.alignment.datum_system import DatumAlignment, HeldDatum
from parts.alignment.refinement import free_motions
from parts.errors import EvaluationError
from parts.evaluation.association import FeaturePoints, Measurable, sizes_of
from parts.evaluation.material import GaugedPoints, SizeLimits, mating_envelope
from parts.evaluation.results import Characteristic
from parts.evaluation.tolerance import (
    FORM_KINDS,
    ORIENTATION_KINDS,
    RUNOUT_KINDS,
    Material,
    ToleranceKind,
    ToleranceSpec,
)
from parts.fits.curves import SpaceCircle, SpaceLine
from parts.fits.fit_result import Fit, Fitted, FittedShape
from parts.fits.opposed_planes import OpposedPlanes
from parts.geometry.surfaces import Cone, Cylinder, Plane, Sphere, Torus, across
from robots.core.arrays import Array, Indices

FORM_OF: dict[str, ToleranceKind] = {
    "plane": "flatness",
    "line3d": "straightness",
    "circle3d": "roundness",
    "cylinder": "cylindricity",
}
_KIND_OF: dict[str, str] = {form: kind for kind, form in FORM_OF.items()}
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
        size: mating diameter of a feature with a material requirement; NaN for others. [m]
        bonus: that its zone grows by. [m]
    """

    value: float
    nominal: float = 0.0
    worst: str = ""
    method: str = ""
    size: float = float("nan")
    bonus: float = 0.0

    @property
    def excess(self) -> float:
        """What is compared with the tolerance as it is stated. [m]."""
        return self.value - self.bonus


def characteristic_of(
    spec: ToleranceSpec,
    subjects: Mapping[str, FeaturePoints],
    frame: DatumAlignment | None = None,
    mating: MatingFeature | None = None,
) -> Characteristic:
    """A toleranced characteristic of measured features, form by least squares.

    Args:
        spec: the tolerance.
        subjects: all features by name; in the frame of its datums where it has some.
        frame: of its datums.
        mating: what stands for the feature where it has a material requirement.

    Raises:
        EvaluationError: a feature that was not measured, has no fit, or is not of a kind that has
            such a characteristic; datums that leave it free.
    """
    subject = _subject(spec.feature, subjects)
    datum = _datum(spec, subjects)
    if mating is None:
        return _named(spec, measurement_of(spec, subject, datum, frame))
    found = measurement_of(spec, subject, datum, frame, mating.place)
    return _named(spec, replace(found, size=mating.size, bonus=mating.bonus))


def measurement_of(
    spec: ToleranceSpec,
    subject: Measurable,
    datum: Measurable | None = None,
    frame: DatumAlignment | None = None,
    place: FeatureLocation | None = None,
) -> Measurement:
    """The number alone.

    Args:
        spec: the tolerance; its width does not matter.
        subject: the feature.
        datum: single feature that orientation and distance are taken from.
        frame: datum system that the feature stands in.
        place: that stands for the feature; that of its fit where it is left out.

    Raises:
        EvaluationError: as for ``characteristic_of``.
    """
    kind = spec.kind
    if kind in FORM_KINDS:
        return _form(kind, subject)
    if kind in ("diameter", "width"):
        return _size(kind, subject, spec.nominal)
    if kind == "profile":
        if frame is not None:
            _require_held(frame, subject.targets, _normals_of(subject), spec)
        return _profile(subject)
    if frame is not None and kind in RUNOUT_KINDS:
        return _runout(kind, subject, frame)
    if datum is not None and kind == "distance":
        return _distance(subject, datum, spec.nominal)
    nominal, found = _places(subject, place)
    if spec.projected and frame is not None:
        found = projected(found, nominal, frame, spec)
    if kind in ORIENTATION_KINDS and datum is not None:
        return _oriented(kind, subject, (nominal, found), _places(datum))
    if kind in ORIENTATION_KINDS and frame is not None:
        return _oriented_in(spec, subject, (nominal, found), frame)
    if kind == "coaxiality" and frame is not None:
        nominal = _on_axis(nominal, frame, subject.name)
    if frame is not None:
        _require_place(frame, nominal, spec)
    return _position(subject, nominal, found)


def usual_characteristics(subject: FeaturePoints) -> tuple[Characteristic, ...]:
    """What is told of a feature without being asked: form, diameter, profile."""
    kinds: list[ToleranceKind] = ["profile"]
    if subject.fit is not None:
        seen = subject.fit.has_redundancy and subject.fit.kind in FORM_OF
        kinds += [FORM_OF[subject.fit.kind]] if seen else []
        sizes: tuple[ToleranceKind, ...] = ("diameter", "width")
        kinds += [size for size in sizes if size in sizes_of(subject.fit.shape)]
    return tuple(_usual(subject, kind) for kind in sorted(kinds))


def _usual(subject: FeaturePoints, kind: ToleranceKind) -> Characteristic:
    told: dict[str, Callable[[FeaturePoints], Measurement]] = {
        "profile": _profile,
        "diameter": partial(_size, "diameter"),
        "width": partial(_size, "width"),
    }
    found = told[kind](subject) if kind in told else _form(kind, subject)
    return Characteristic(
        name=f"{subject.name} {kind}",
        feature=subject.name,
        kind=kind,
        nominal=found.nominal,
        measured=found.value,
        worst=found.worst,
        method=found.method,
    )


def _named(spec: ToleranceSpec, found: Measurement) -> Characteristic:
    to = f" to {spec.system}" if spec.system else ""
    return Characteristic(
        name=f"{spec.feature} {spec.kind}{to}",
        feature=spec.feature,
        kind=spec.kind,
        nominal=found.nominal,
        measured=found.value,
        tolerance=spec.value,
        middle=spec.middle,
        datum=spec.datum,
        datums=spec.datums,
        material=spec.material,
        size=found.size,
        bonus=found.bonus,
        projected=spec.projected,
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


def _places(
    subject: Measurable, place: FeatureLocation | None = None
) -> tuple[FeatureLocation, FeatureLocation]:
    """As it should be, and as it was measured: what stands for it, or its fit."""
    own = own_rows(subject)
    return (
        location_of(_nominal_of(subject), subject.targets[own]),
        place or location_of(_fit_of(subject).shape, subject.points[own]),
    )


def own_rows(subject: Measurable) -> Indices:
    """Rows of the points that say where a feature lies: of a slot those of its two sides."""
    shape = subject.nominal.shape
    if isinstance(shape, OpposedPlanes):
        return shape.on_sides(subject.targets)
    return np.arange(len(subject.targets))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MatingFeature:
    """What stands for a feature with a material requirement: its envelope, and the bonus.

    Args:
        place: of the envelope.
        size: its diameter or width. [m]
        bonus: what this departs from the limit of the requirement. [m]
    """

    place: FeatureLocation
    size: float
    bonus: float

    def moved(self, T: Array) -> MatingFeature:
        """The same in another frame. # (4, 4)."""
        return replace(self, place=self.place.moved(T))


def mating_feature(subject: FeaturePoints, material: Material, limits: SizeLimits) -> MatingFeature:
    """The mating envelope of a feature, and its bonus; raises as ``mating_envelope``."""
    envelope = mating_envelope(subject, material)
    return MatingFeature(
        place=location_of(envelope, subject.points[own_rows(subject)]),
        size=(size := next(iter(sizes_of(envelope).values()))),
        bonus=limits.departure(size, material),
    )


def _form(kind: str, subject: Measurable) -> Measurement:
    found = _fit_of(subject)
    if found.kind != _KIND_OF[kind]:
        needed, is_ = (_WORDS.get(word, word) for word in (_KIND_OF[kind], found.kind))
        raise EvaluationError(
            f"The feature {subject.name!r}, by its {len(subject.names)} points, is a {is_}, but "
            f"{kind} is that of a {needed}; "
            + (
                "measure one section as a feature of its own."
                if kind == "roundness"
                else "use the form of the feature that it is, or measure more points."
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


def _size(kind: str, subject: Measurable, nominal: float | None = None) -> Measurement:
    sizes = sizes_of(_fit_of(subject).shape)
    if kind not in sizes:
        raise EvaluationError(
            f"The feature {subject.name!r} is a {_fit_of(subject).kind}, which has no {kind}.",
            value=_fit_of(subject).kind,
        )
    of_points = sizes_of(_nominal_of(subject))[kind]
    return Measurement(
        value=sizes[kind],
        nominal=of_points if nominal is None else nominal,
        method="least squares",
    )


def _position(subject: Measurable, nominal: FeatureLocation, found: FeatureLocation) -> Measurement:
    """Diameter of the zone about the nominal place that just holds the measured one."""
    if len(found.ends) > 2:
        return Measurement(
            value=float(2.0 * nominal.away(found.ends).max()),
            method="2 × distance of the median plane's farthest point",
        )
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


def _distance(subject: Measurable, datum: Measurable, stated: float | None = None) -> Measurement:
    (nominal, found), (nominal_datum, found_datum) = _places(subject), _places(datum)
    of_points = distance_between(nominal, nominal_datum)
    return Measurement(
        value=distance_between(found, found_datum),
        nominal=of_points if stated is None else stated,
        method="least squares",
    )


def _oriented(
    kind: str,
    subject: Measurable,
    places: tuple[FeatureLocation, FeatureLocation],
    datum: tuple[FeatureLocation, FeatureLocation],
) -> Measurement:
    angle = nominal_angle(kind, places[0], datum[0])
    return _zone(subject, orientation_zone(places[1], datum[1], angle, subject.points))


def _zone(subject: Measurable, zone: OrientationZone) -> Measurement:
    if isinstance(subject.nominal.shape, OpposedPlanes):
        return Measurement(value=zone.width, method="of the median plane, beside its points")
    if not np.isfinite(zone.normal).all():
        return Measurement(value=zone.width, method="of the axis, beside its points")
    heights = subject.points @ zone.normal
    worst = int(np.argmax(np.abs(heights - np.median(heights))))
    return Measurement(
        value=zone.width, worst=subject.names[worst], method="zone of the points to the datum"
    )


# ---------------------------------------------------------------------------- In a frame of datums

_FREE = 1e-4  # of a motion of unit length: what nominal places from printed coordinates leave
_COAXIAL = 1e-5  # [m], likewise
_STEEP = 0.1  # cosine of an axis to the normal of the plane that a zone stands on
_SECTION = 1e-5  # [m] within which points are one section's


def _oriented_in(
    spec: ToleranceSpec,
    subject: Measurable,
    places: tuple[FeatureLocation, FeatureLocation],
    frame: DatumAlignment,
) -> Measurement:
    """To a datum system: the primary alone lets the zone turn about its direction."""
    nominal, found = places
    first = datum_location(frame.datums[0])
    angle = nominal_angle(spec.kind, nominal, first)
    if len(frame.datums) == 1 and frame.datums[0].kind != "pattern":
        return _zone(subject, orientation_zone(found, first, angle, subject.points))
    ends = np.stack([nominal.point, nominal.point + nominal.direction])
    free = frame.free_displacements(ends)
    if len(free) and np.abs(free[:, 1] - free[:, 0]).max() > _FREE:
        raise _left_free(frame, spec)
    if nominal.kind == "plane":
        points = found.ends if len(found.ends) > 2 else subject.points
        width = float(np.ptp(points @ nominal.direction))
        return _zone(subject, OrientationZone(width=width, normal=nominal.direction))
    width = found.length * float(np.sin(angle_between(found, nominal)))
    return _zone(subject, OrientationZone(width=width, normal=np.full(3, np.nan)))


def _runout(kind: str, subject: Measurable, frame: DatumAlignment) -> Measurement:
    """Range of the distances from the datum axis, or along it on a face, in a turn or in all."""
    axis = datum_axis(frame, kind, subject.name)
    nominal = location_of(_nominal_of(subject), subject.targets)
    lying = nominal.kind == "plane"
    off = 0.0 if lying else float(axis.away(nominal.point[None])[0])
    known = subject.nominal.kind in ("plane", "cylinder", "circle3d")
    if not known or off > _COAXIAL or angle_between(nominal, axis) > _SAME:
        raise EvaluationError(
            f"The feature {subject.name!r} does not run about the datum axis on the drawing; "
            "runout is for coaxial cylinders and faces square to the axis. Use profile.",
            value=subject.nominal.kind,
        )
    values = subject.points @ axis.direction if lying else axis.away(subject.points)
    places = axis.away(subject.targets) if lying else subject.targets @ axis.direction
    if kind == "total runout":
        sections = [np.arange(len(subject.points))]
    else:
        order = np.argsort(places, kind="stable")
        breaks = np.flatnonzero(np.diff(places[order]) > _SECTION) + 1
        sections = [some for some in np.split(order, breaks) if len(some) > 2]
    if not sections:
        raise EvaluationError(
            f"The feature {subject.name!r} has no section with three points; measure circles about "
            "the axis.",
            value=0,
            limit=3,
        )
    ranges = [float(np.ptp(values[some])) for some in sections]
    widest = sections[int(np.argmax(ranges))]
    worst = widest[int(np.argmax(np.abs(values[widest] - np.median(values[widest]))))]
    return Measurement(
        value=max(ranges), worst=subject.names[worst], method="range about the datum axis"
    )


def projected(
    found: FeatureLocation, nominal: FeatureLocation, frame: DatumAlignment, spec: ToleranceSpec
) -> FeatureLocation:
    """An axis with the ends of its projected zone: on the primary datum, and as far outside it.

    Raises:
        EvaluationError: no axis, or no plane that it goes through.

    Source: [ISO1101] §13; ASME Y14.5-2018 §7.4.1
    """
    first = frame.datums[0]
    cosine = abs(float(nominal.direction @ first.direction)) if nominal.kind == "axis" else 0.0
    if first.kind != "plane" or cosine < _STEEP:
        what = "is no axis" if nominal.kind != "axis" else f"does not go through {first.name}"
        raise EvaluationError(
            f"The {spec.label} has a projected zone, which stands on the plane of the primary "
            f"datum about an axis, but {spec.feature!r} {what}.",
            value=first.name,
        )
    rises = spec.projected * np.array([0.0, 1.0])
    heights = (found.point - first.point) @ first.direction - rises
    along = heights / float(found.direction @ first.direction)
    return replace(found, ends=found.point - np.outer(along, found.direction))


def gauged_points(
    spec: ToleranceSpec,
    subject: FeaturePoints,
    mating: MatingFeature | None,
    frame: DatumAlignment,
) -> GaugedPoints:
    """What moves a located feature out of its zone: ends of its axis, its centre, or its points.

    Args:
        spec: a position, coaxiality or profile.
        subject: in the frame of its datums.
        mating: what stands for it, in that frame.
        frame: of its datums.
    """
    limit = spec.value + (0.0 if mating is None else mating.bonus)
    if spec.kind != "profile":
        nominal, found = _places(subject, None if mating is None else mating.place)
        if spec.projected:
            found = projected(found, nominal, frame, spec)
        if nominal.kind != "plane" or len(found.ends) > 2:
            across = np.eye(3)
            if nominal.kind == "plane":
                across = np.outer(nominal.direction, nominal.direction)
            elif nominal.kind == "axis" or subject.nominal.kind == "circle3d":
                across = across - np.outer(nominal.direction, nominal.direction)
            return GaugedPoints(
                points=found.ends,
                places=np.tile(nominal.point, (len(found.ends), 1)),
                across=np.tile(across, (len(found.ends), 1, 1)),
                limit=limit,
            )
    rows = subject.deviations.normals[subject.kept]
    return GaugedPoints(
        points=subject.points,
        places=subject.points - subject.profile[:, None] * rows,
        across=np.einsum("ki,kj->kij", rows, rows),
        limit=limit,
    )


def datum_location(datum: HeldDatum) -> FeatureLocation:
    """The place of a datum in its frame."""
    kinds: dict[str, PlaceKind] = {"slot": "plane", "centre": "point", "plane": "plane"}
    return FeatureLocation(
        kind=kinds.get(datum.kind, "axis"),
        point=datum.point,
        direction=datum.direction,
        ends=np.stack([datum.point, datum.point]),
    )


def datum_axis(frame: DatumAlignment, kind: str, feature: str) -> FeatureLocation:
    """The axis among the datums of a frame.

    Raises:
        EvaluationError: there is none.
    """
    for one in frame.datums:
        if one.kind == "axis":
            return datum_location(one)
    names = ", ".join(one.name for one in frame.datums)
    raise EvaluationError(
        f"The {kind} of {feature!r} is taken from an axis, but {names} have none; name a bore or a "
        "shaft as datum.",
        value=names,
    )


def _on_axis(nominal: FeatureLocation, frame: DatumAlignment, feature: str) -> FeatureLocation:
    axis = datum_axis(frame, "coaxiality", feature)
    off = float(axis.away(nominal.point[None])[0])
    turned = nominal.kind == "axis" and angle_between(nominal, axis) > _SAME
    if nominal.kind == "plane" or off > _COAXIAL or turned:
        raise EvaluationError(
            f"The feature {feature!r} is not coaxial with the datum axis on the drawing ("
            f"{1e3 * off:.4g} mm off it); use position.",
            value=off,
            limit=_COAXIAL,
            unit="m",
        )
    return nominal if nominal.kind == "point" else replace(axis, ends=nominal.ends)


def _normals_of(subject: Measurable) -> Array:
    shape = subject.nominal.shape
    return np.zeros((0, 3)) if shape is None else np.asarray(shape.normal(subject.targets))


def _require_place(frame: DatumAlignment, nominal: FeatureLocation, spec: ToleranceSpec) -> None:
    """Refuse a system whose free motions move what the position is that of."""
    if nominal.kind == "plane":
        arms = np.linalg.svd(nominal.direction[None])[2][1:]
        places = np.vstack([nominal.point, nominal.point + 0.1 * arms])
        _require_held(frame, places, np.tile(nominal.direction, (3, 1)), spec)
        return
    free = frame.free_displacements(nominal.ends)
    if nominal.kind == "axis":
        free = free - (free @ nominal.direction)[..., None] * nominal.direction
    if len(free) and np.abs(free).max() > _FREE:
        raise _left_free(frame, spec)


def _require_held(
    frame: DatumAlignment, points: Array, normals: Array, spec: ToleranceSpec
) -> None:
    free = frame.free_displacements(points)
    if len(normals):
        free = np.einsum("fki,ki->fk", free, normals)[..., None]
    if free.size and np.abs(free).max() > _FREE:
        raise _left_free(frame, spec)


def _left_free(frame: DatumAlignment, spec: ToleranceSpec) -> EvaluationError:
    free = "; ".join(free_motions(frame.held))
    return EvaluationError(
        f"The datums {spec.system} do not hold the {spec.label}: {free}. Add a datum that holds "
        "this.",
        value=spec.system,
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
    if len(feature.ends) > 2:
        points = feature.ends
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
        kind: "plane" (of a width the median plane), "axis" or "point".
        point: the centre, or the foot of the measured points' middle on plane or axis. # (3,) [m]
        direction: normal of the plane, or direction of the axis, unit; NaN for a point. # (3,)
        ends: of the piece of the axis beside the measured points; feet of these on a median plane;
            twice ``point`` for others. # (2, 3) or (k, 3) [m]
    """

    kind: PlaceKind
    point: Array
    direction: Array
    ends: Array

    def moved(self, T: Array) -> FeatureLocation:
        """The same in another frame. # (4, 4)."""
        return FeatureLocation(
            kind=self.kind,
            point=move_points(T, self.point),
            direction=rotate(T, self.direction),
            ends=move_points(T, self.ends),
        )

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
    if isinstance(shape, OpposedPlanes):
        return FeatureLocation(
            kind="plane",
            point=shape.project(middle[None])[0],
            direction=shape.axis,
            ends=shape.project(points),
        )
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
