"""Every number that a tolerance bounds, from the features that it names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from parts.evaluation.association import Measurable, Subject, sizes_of
from parts.evaluation.errors import EvaluationError
from parts.evaluation.orientation import nominal_angle, orientation_zone
from parts.evaluation.places import Place, distance_between, place_of
from parts.evaluation.results import Characteristic
from parts.evaluation.tolerance import FORM_KINDS, ToleranceSpec
from parts.fits import Fit, Shape
from parts.fits.fitted import Fitted

FORM_OF = {
    "plane": "flatness",
    "line3d": "straightness",
    "circle3d": "roundness",
    "cylinder": "cylindricity",
}
_KIND_OF = {form: kind for kind, form in FORM_OF.items()}
_WORDS = {"line3d": "line", "circle3d": "circle"}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Measurement:
    """What was measured for a tolerance.

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


def characteristic_of(spec: ToleranceSpec, subjects: Mapping[str, Subject]) -> Characteristic:
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


def usual_characteristics(subject: Subject) -> tuple[Characteristic, ...]:
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


def _subject(name: str, subjects: Mapping[str, Subject]) -> Subject:
    if name not in subjects:
        raise EvaluationError(f"No point of the feature {name!r} was measured.", value=name)
    return subjects[name]


def _datum(spec: ToleranceSpec, subjects: Mapping[str, Subject]) -> Subject | None:
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


def _nominal_of(subject: Measurable) -> Shape:
    _fit_of(subject)
    if subject.nominal.shape is None:
        raise EvaluationError(f"The nominal feature {subject.name!r} has no shape.")
    return subject.nominal.shape


def _places(subject: Measurable) -> tuple[Place, Place]:
    """As it should be, and as it was measured."""
    return (
        place_of(_nominal_of(subject), subject.targets),
        place_of(_fit_of(subject).shape, subject.points),
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
                else "ask for the form of the feature that it is."
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
