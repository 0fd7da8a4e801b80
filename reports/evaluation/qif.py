"""QIF 3.0 results (ISO 23952) of an evaluation: features, datums, characteristics."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field
from importlib.metadata import version

import numpy as np

from parts.evaluation.results import FeatureResult, PointDeviations
from parts.fits.fit_result import FittedShape
from reports.evaluation.content import verdict
from reports.evaluation.subject import EvaluationSubject, axis_of, is_hole, place_of, size_of
from reports.programmes.qif_characteristics import (
    LENGTH,
    CharacteristicParts,
    DatumParts,
    FeatureIds,
    Numbering,
    length,
    listed,
    reference,
    standard_element,
    units_element,
)
from reports.programmes.text import MM, attribute, element, number, numbers, parent
from robots.core.arrays import Array

_NAMESPACE = "http://qifstandards.org/xsd/qif3"
_GEOMETRY_VECTOR = 12
_ANGLE = 9  # decimals of degrees
_GEOMETRY_WORDS = {
    "plane": "Plane",
    "circle3d": "Circle",
    "line3d": "Line",
    "sphere": "Sphere",
    "cylinder": "Cylinder",
    "cone": "Cone",
    "torus": "Torus",
}
_FREE = "PointDefinedSurface"
_DIRECTIONS = {
    "plane": "Normal",
    "circle3d": "Normal",
    "line3d": "Direction",
    "torus": "AxisVector",
}


def results_qif(shown: EvaluationSubject) -> bytes:
    """Results in QIF 3.0, part frame, millimetres and degrees; the same bytes for the same."""
    numbering = Numbering()
    standard, results = numbering.next(), numbering.next()
    features = feature_parts(shown, numbering)
    nominals = {name: one.nominal for name, one in features.ids.items()}
    datums = DatumParts(numbering=numbering, features=nominals)
    asked = CharacteristicParts(
        numbering=numbering,
        features=features.ids,
        kinds={one.name: one.kind for one in shown.evaluation.features},
        datums=datums,
        frame=tuple((one.features, "") for one in shown.job.evaluation.aligning_datums),
        labels={one.label: one.features for one in shown.job.evaluation.datum_features},
    )
    for item in shown.evaluation.characteristics:
        asked.add(item)
    parts = [
        element("QPId", _identity(shown)),
        _attributes(shown),
        _header(shown),
        standard_element(standard),
        units_element(),
        listed("DatumDefinitions", datums.definitions),
        listed("DatumReferenceFrames", datums.frames),
        _features(features),
        asked.element(standard),
        _results(shown, features, asked, results),
    ]
    body = "\n".join(part for part in parts if part)
    root = f'<QIFDocument xmlns="{_NAMESPACE}" versionQIF="3.0.0" idMax="{numbering.last}">'
    text = f'<?xml version="1.0" encoding="UTF-8"?>\n{root}\n{body}\n</QIFDocument>\n'
    return text.encode("utf-8")


def _identity(shown: EvaluationSubject) -> str:
    """A name that the same inputs give again."""
    others = "+".join(one.sha256 for one in shown.source.others)
    told = f"urn:sha256:{shown.job.fingerprint}+{others}:results"
    return str(uuid.uuid5(uuid.NAMESPACE_URL, told))


def _attributes(shown: EvaluationSubject) -> str:
    made = [
        attribute("AttributeStr", name="job", value=shown.job.name),
        attribute("AttributeStr", name="job sha256", value=shown.job.sha256),
        attribute("AttributeStr", name="frame", value="part"),
        attribute("AttributeStr", name="alignment", value=shown.evaluation.alignment.method),
    ]
    return parent("Attributes", *made, n=len(made))


def _header(shown: EvaluationSubject) -> str:
    application = parent("Application", element("Name", f"Palpeur {version('palpeur')}"))
    return parent("Header", application, element("Description", verdict(shown.evaluation)))


def _features(made: FeatureParts) -> str:
    if not made.items:
        return ""
    return parent(
        "Features",
        listed("FeatureDefinitions", made.definitions),
        listed("FeatureNominals", made.nominals),
        listed("FeatureItems", made.items),
        listed("NominalPointSets", made.nominal_sets),
    )


def _results(
    shown: EvaluationSubject, features: FeatureParts, asked: CharacteristicParts, number: int
) -> str:
    measured = listed("CharacteristicMeasurements", asked.measurements)
    found = [
        listed("MeasuredFeatures", features.measurements),
        listed("MeasuredPointSets", features.measured_sets),
        parent("MeasuredCharacteristics", measured) if measured else "",
        parent("InspectionStatus", element("InspectionStatusEnum", _status(shown, asked))),
    ]
    results = parent("MeasurementResults", *(part for part in found if part), id=number)
    return parent("Results", parent("MeasurementResultsSet", results, n=1))


def _status(shown: EvaluationSubject, asked: CharacteristicParts) -> str:
    if not shown.evaluation.conforms:
        return "FAIL"
    found = shown.evaluation
    if not asked.items or found.undecided or found.unmeasured or found.misplaced:
        return "UNKNOWN"
    return "PASS"


_LENGTH, _VECTOR = 9, 12
_ALGORITHM = parent(
    "SubstituteFeatureAlgorithm", element("SubstituteFeatureAlgorithmEnum", "LEASTSQUARES")
)


# ---------------------------------------------------------------------------------------- Features
# Every feature has all of them, so that a reader finds what was asked beside what was found.


@dataclass(slots=True, kw_only=True, eq=False)
class FeatureParts:
    """Elements of all features, by the lists that hold them."""

    numbering: Numbering
    radius: float
    definitions: list[str] = field(default_factory=list)
    nominals: list[str] = field(default_factory=list)
    items: list[str] = field(default_factory=list)
    nominal_sets: list[str] = field(default_factory=list)
    measured_sets: list[str] = field(default_factory=list)
    measurements: list[str] = field(default_factory=list)
    ids: dict[str, FeatureIds] = field(default_factory=dict)

    def add(self, one: FeatureResult) -> None:
        """A feature."""
        word = word_of(one)
        shape = None if word == _FREE else one.nominal
        definition, planned = self.numbering.next(), self._nominal_set(one.deviations)
        nominal, item = self.numbering.next(), self.numbering.next()
        self.definitions.append(
            parent(f"{word}FeatureDefinition", *definition_sizes(shape), id=definition)
        )
        where = [self._defining_points(one.deviations)] if shape is None else nominal_place(shape)
        self.nominals.append(
            parent(
                f"{word}FeatureNominal",
                element("Name", one.name),
                reference("FeatureDefinitionId", definition),
                *where,
                id=nominal,
            )
        )
        measured = parent("Measured", _whole(planned))
        self.items.append(
            parent(
                f"{word}FeatureItem",
                reference("FeatureNominalId", nominal),
                element("FeatureName", one.name),
                parent("DeterminationMode", parent("Checked", parent("CheckDetails", measured))),
                id=item,
            )
        )
        result = self._measurement(one, word, item, self.add_points(one.deviations))
        self.ids[one.name] = FeatureIds(nominal=nominal, item=item, measurement=result)

    def add_points(self, points: PointDeviations) -> int:
        """Touched points on the surface; those of no feature stand alone. Returns their set."""
        number = self.numbering.next()
        self.measured_sets.append(
            parent(
                "MeasuredPointSet",
                _names(points),
                element_list("Points", MM * points.measured, _LENGTH),
                element_list("Normals", points.normals, _VECTOR),
                element("Compensated", "true"),
                element("ProbeRadius", numbers([MM * self.radius], _LENGTH)[0]),
                element_list("Deviations", MM * points.profile, _LENGTH),
                count=len(points),
                id=number,
            )
        )
        return number

    def _measurement(self, one: FeatureResult, word: str, item: int, points: int) -> int:
        number = self.numbering.next()
        form = one.form_error if one.zone_error is None else one.zone_error
        found = [] if one.fit is None or word == _FREE else measured_place(one.fit.shape, form)
        told = "minimum zone" if one.zone_error is not None else "least squares"
        told = "no redundancy: not evaluated" if found and form is None else told
        notes = [attribute("AttributeStr", name="form by", value=told)]
        self.measurements.append(
            parent(
                f"{word}FeatureMeasurement",
                parent("Attributes", *notes, n=len(notes)),
                reference("FeatureItemId", item),
                element("FeatureName", one.name),
                _whole(points),
                _ALGORITHM,
                *found,
                id=number,
            )
        )
        return number

    def _nominal_set(self, points: PointDeviations) -> int:
        number = self.numbering.next()
        inside = [
            parent(
                "MeasurePoint",
                element("Point", place_text(place)),
                element("Normal", vector_text(normal)),
                id=self.numbering.next(),
            )
            for place, normal in zip(points.nominal, points.normals, strict=True)
        ]
        self.nominal_sets.append(parent("NominalPointSet", *inside, n=len(inside), id=number))
        return number

    def _defining_points(self, points: PointDeviations) -> str:
        inside = [
            parent(
                "DefiningPoint",
                element("Point", place_text(place)),
                element("Normal", vector_text(normal)),
                element("SequenceNumber", str(k)),
                id=self.numbering.next(),
            )
            for k, (place, normal) in enumerate(
                zip(points.nominal, points.normals, strict=True), start=1
            )
        ]
        return parent("DefiningPoints", *inside, n=len(inside))


def feature_parts(shown: EvaluationSubject, numbering: Numbering) -> FeatureParts:
    """All features of an evaluation, and the points that belong to none."""
    found = shown.evaluation
    parts = FeatureParts(numbering=numbering, radius=found.measured.probe_radius)
    for one in found.features:
        parts.add(one)
    held = {name for one in found.features for name in one.deviations.names}
    alone = np.flatnonzero([name not in held for name in found.points.names])
    if alone.size:
        parts.add_points(found.points.kept(alone))
    return parts


def element_list(name: str, values: Array, decimals: int) -> str:
    """Numbers of any count: they are ours, so nothing in them needs care."""
    return f"<{name}>{' '.join(numbers(values, decimals))}</{name}>"


def _names(points: PointDeviations) -> str:
    """Names of points, which QIF's own have no place for."""
    told = [
        attribute("AttributeStr", name=f"point {place}", value=name)
        for place, name in enumerate(points.names, start=1)
    ]
    return parent("Attributes", *told, n=len(told))


def _whole(points: int) -> str:
    return parent("PointList", element("WholePointSetId", str(points)), n=1)


def word_of(one: FeatureResult) -> str:
    """QIF's word for a feature; one that is no simple shape is defined by its points."""
    return _GEOMETRY_WORDS.get(one.kind, _FREE) if one.nominal is not None else _FREE


def definition_sizes(shape: FittedShape | None) -> list[str]:
    """Nominal sizes, in the order that the schema wants."""
    if shape is None or shape.kind in ("plane", "line3d"):
        return []
    inner = "INTERNAL" if is_hole(shape) else "EXTERNAL"
    return [element("InternalExternal", inner), *_sizes(shape)]


def nominal_place(shape: FittedShape) -> list[str]:
    """Where a nominal feature is."""
    if shape.kind in ("cylinder", "cone"):
        return [_axis(shape)]
    return _place(shape)


def measured_place(shape: FittedShape, form: float | None) -> list[str]:
    """Where a measured feature is, its sizes and its form, in the order of the schema."""
    place = [_axis(shape)] if shape.kind in ("cylinder", "cone") else _place(shape)
    sizes = [] if shape.kind in ("plane", "line3d") else _sizes(shape)
    told = [] if form is None else [element("Form", length(form))]
    return [*place, *sizes, *told]


def place_text(place: Array) -> str:
    """A place in millimetres."""
    return " ".join(numbers(MM * place, LENGTH))


def vector_text(direction: Array) -> str:
    """A direction."""
    return " ".join(numbers(direction, _GEOMETRY_VECTOR))


def _sizes(shape: FittedShape) -> list[str]:
    if shape.kind == "torus":
        return [
            element("MinorDiameter", length(2.0 * size_of(shape, "minor_radius"))),
            element("MajorDiameter", length(2.0 * size_of(shape, "major_radius"))),
        ]
    if shape.kind == "cone":  # its locating point is the vertex, where its diameter is zero
        angle = float(np.degrees(2.0 * size_of(shape, "half_angle")))
        return [element("Diameter", "0"), element("FullAngle", number(angle, _ANGLE))]
    return [element("Diameter", length(2.0 * size_of(shape, "radius")))]


def _axis(shape: FittedShape) -> str:
    return parent(
        "Axis",
        element("AxisPoint", place_text(place_of(shape))),
        element("Direction", vector_text(axis_of(shape))),
    )


def _place(shape: FittedShape) -> list[str]:
    told = [element("Location", place_text(place_of(shape)))]
    if shape.kind in _DIRECTIONS:
        outward = -1.0 if shape.kind == "plane" and is_hole(shape) else 1.0
        told.append(element(_DIRECTIONS[shape.kind], vector_text(outward * axis_of(shape))))
    return told
