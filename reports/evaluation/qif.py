"""QIF 3.0 results (ISO 23952) of an evaluation: features, datums, characteristics."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.metadata import version

import numpy as np

from parts.evaluation.results import Characteristic, FeatureResult, PointDeviations
from parts.evaluation.tolerance import Conformance
from parts.fits.fit_result import FittedShape
from reports.evaluation.content import verdict
from reports.evaluation.subject import EvaluationSubject, axis_of, is_hole, place_of, size_of
from reports.programmes.text import MM, attribute, element, number, numbers, parent
from robots.core.arrays import Array

_NAMESPACE = "http://qifstandards.org/xsd/qif3"
_DEGREE = "0.017453292519943295"
_STATUS = {
    Conformance.PASS: "PASS",
    Conformance.FAIL: "FAIL",
    Conformance.UNDECIDED: "INDETERMINATE",
}
_WORDS = {
    "flatness": "Flatness",
    "straightness": "Straightness",
    "roundness": "Circularity",
    "cylindricity": "Cylindricity",
    "parallelism": "Parallelism",
    "perpendicularity": "Perpendicularity",
    "angularity": "Angularity",
    "position": "Position",
    "coaxiality": "Coaxiality",
    "circular runout": "CircularRunout",
    "total runout": "TotalRunout",
    "profile": "SurfaceProfile",
    "diameter": "Diameter",
    "distance": "DistanceBetween",
}
_ORIENTATIONS = ("parallelism", "perpendicularity", "angularity")
_SIZES = ("diameter", "distance")
_MATERIALS = {"": "REGARDLESS", "M": "MAXIMUM", "L": "LEAST"}
_CENTRED = ("sphere",)  # whose position has a zone that is a ball
_ROUND_ZONE = ("line3d", "cylinder", "cone", "circle3d", "torus")
LENGTH = 9  # decimals of mm
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
_PRECEDENCE = ("PRIMARY", "SECONDARY", "TERTIARY")
_LETTERS = "ABCDEFGHJKLMNPRSTUVWXYZ"  # without I, O and Q, which drawings do not use


def results_qif(shown: EvaluationSubject) -> bytes:
    """Results in QIF 3.0, part frame, millimetres and degrees; the same bytes for the same."""
    numbering = Numbering()
    standard, results = numbering.next(), numbering.next()
    features = feature_parts(shown, numbering)
    nominals = {name: one.nominal for name, one in features.ids.items()}
    datums = DatumParts(numbering=numbering, features=nominals)
    asked = CharacteristicParts(
        numbering=numbering,
        features=features,
        kinds={one.name: one.kind for one in shown.evaluation.features},
        datums=datums,
        frame=tuple((name, "") for name in shown.evaluation.alignment.datums),
        labels={one.label: one.feature for one in shown.job.evaluation.datum_features},
    )
    for item in shown.evaluation.characteristics:
        asked.add(item)
    parts = [
        element("QPId", _identity(shown)),
        _attributes(shown),
        _header(shown),
        _standard(standard),
        _units(),
        listed("DatumDefinitions", datums.definitions),
        listed("DatumReferenceFrames", datums.frames),
        _features(features),
        _characteristics(asked, standard),
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


def _standard(number: int) -> str:
    organization = parent("Organization", element("StandardsOrganizationEnum", "ISO"))
    standard = parent("Standard", organization, element("Designator", "ISO 1101"), id=number)
    return parent("StandardsDefinitions", standard, n=1)


def _units() -> str:
    def unit(kind: str, si: str, name: str, factor: str) -> str:
        conversion = parent("UnitConversion", element("Factor", factor))
        return parent(kind, element("SIUnitName", si), element("UnitName", name), conversion)

    return parent(
        "FileUnits",
        parent(
            "PrimaryUnits",
            unit("AngularUnit", "radian", "deg", _DEGREE),
            unit("LinearUnit", "meter", "mm", "0.001"),
        ),
    )


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


def _characteristics(made: CharacteristicParts, standard: int) -> str:
    if not made.items:
        return ""
    return parent(
        "Characteristics",
        element("FormalStandardId", str(standard)),
        listed("CharacteristicDefinitions", made.definitions),
        listed("CharacteristicNominals", made.nominals),
        listed("CharacteristicItems", made.items),
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
    if not asked.items or shown.evaluation.undecided:
        return "UNKNOWN"
    return "PASS"


_LENGTH, _VECTOR = 9, 12
_ALGORITHM = parent(
    "SubstituteFeatureAlgorithm", element("SubstituteFeatureAlgorithmEnum", "LEASTSQUARES")
)


@dataclass(frozen=True, slots=True, kw_only=True)
class FeatureIds:
    """Identifiers of one feature."""

    nominal: int
    item: int
    measurement: int


@dataclass(slots=True)
class Numbering:
    """The last identifier that was given."""

    last: int = 0

    def next(self) -> int:
        """A new identifier."""
        self.last += 1
        return self.last


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
        word, shape = word_of(one), one.nominal
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
        found = (
            [] if one.fit is None or one.nominal is None else measured_place(one.fit.shape, form)
        )
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


@dataclass(slots=True, kw_only=True, eq=False)
class DatumParts:
    """Elements of datums, each made when it is first asked for.

    Args:
        numbering: of the document.
        features: identifiers of the nominal features, by name.
    """

    numbering: Numbering
    features: dict[str, int]
    definitions: list[str] = field(default_factory=list)
    frames: list[str] = field(default_factory=list)
    _datums: dict[str, int] = field(default_factory=dict)
    _frames: dict[tuple[tuple[str, str], ...], int] = field(default_factory=dict)

    def frame(self, names: Sequence[tuple[str, str]]) -> int:
        """The frame of some datum features, the first one primary, each with its material."""
        key = tuple(names)
        if key not in self._frames:
            inside = [
                parent(
                    "Datum",
                    parent(
                        "SimpleDatum",
                        reference("DatumDefinitionId", self._datum(name)),
                        element("MaterialModifier", _MATERIALS[material]),
                        element("ReferencedComponent", "ACTUAL"),
                    ),
                    parent("Precedence", element("PrecedenceEnum", word)),
                )
                for (name, material), word in zip(key, _PRECEDENCE, strict=False)
            ]
            self._frames[key] = self.numbering.next()
            self.frames.append(
                parent(
                    "DatumReferenceFrame",
                    parent("Datums", *inside, n=len(inside)),
                    id=self._frames[key],
                )
            )
        return self._frames[key]

    def _datum(self, name: str) -> int:
        if name not in self._datums:
            number, place = self.numbering.next(), len(self._datums)
            letter = _LETTERS[place % len(_LETTERS)] * (1 + place // len(_LETTERS))
            self._datums[name] = number
            self.definitions.append(
                parent(
                    "DatumDefinition",
                    element("DatumLabel", letter),
                    ids("FeatureNominalIds", self.features[name]),
                    id=number,
                )
            )
        return self._datums[name]


@dataclass(slots=True, kw_only=True, eq=False)
class CharacteristicParts:
    """Elements of all characteristics, by the lists that hold them.

    Args:
        numbering: of the document.
        features: of the document.
        kinds: of the features, by name.
        datums: of the document.
        frame: datums of the alignment with their material, which positions and profiles without
            datums of their own refer to.
        labels: features of datums, by their labels.
    """

    numbering: Numbering
    features: FeatureParts
    kinds: dict[str, str]
    datums: DatumParts
    frame: tuple[tuple[str, str], ...]
    labels: dict[str, str]
    definitions: list[str] = field(default_factory=list)
    nominals: list[str] = field(default_factory=list)
    items: list[str] = field(default_factory=list)
    measurements: list[str] = field(default_factory=list)

    def add(self, item: Characteristic) -> None:
        """A characteristic with a tolerance; one without asks for nothing."""
        if item.tolerance is None:
            return
        word, feature = self._word(item), self.features.ids[item.feature]
        definition, nominal = self.numbering.next(), self.numbering.next()
        number, result = self.numbering.next(), self.numbering.next()
        self.definitions.append(
            parent(f"{word}CharacteristicDefinition", *self._asked(item), id=definition)
        )
        self.nominals.append(
            parent(
                f"{word}CharacteristicNominal",
                reference("CharacteristicDefinitionId", definition),
                ids("FeatureNominalIds", feature.nominal),
                element("Name", item.name),
                *self._target(item, feature),
                id=nominal,
            )
        )
        self.items.append(
            parent(
                f"{word}CharacteristicItem",
                element("Name", item.name),
                ids("FeatureItemIds", feature.item),
                reference("CharacteristicNominalId", nominal),
                id=number,
            )
        )
        self.measurements.append(
            parent(
                f"{word}CharacteristicMeasurement",
                parent(
                    "Status", element("CharacteristicStatusEnum", _characteristics_status(item))
                ),
                reference("CharacteristicItemId", number),
                ids("FeatureMeasurementIds", *self._measured(item, feature)),
                _value(item),
                *(
                    [element("Bonus", length(item.bonus))]
                    if item.material and item.kind == "position"
                    else []
                ),
                id=result,
            )
        )

    def _word(self, item: Characteristic) -> str:
        if item.kind == "diameter" and self.kinds[item.feature] == "sphere":
            return "SphericalDiameter"
        return _WORDS[item.kind]

    def _asked(self, item: Characteristic) -> list[str]:
        """The tolerance, in the words of its kind."""
        width = item.tolerance or 0.0
        if item.kind in _SIZES:
            return [
                parent(
                    "Tolerance",
                    element("MaxValue", length(item.middle + width)),
                    element("MinValue", length(item.middle - width)),
                    element("DefinedAsLimit", "false"),
                )
            ]
        told = [element("ToleranceValue", length(width))]
        if item.kind == "straightness":
            return [*told, parent("ZoneShape", "<DiametricalZone/>")]
        datums = self._datums_of(item)
        if datums:
            told.append(reference("DatumReferenceFrameId", self.datums.frame(datums)))
        material = element("MaterialCondition", _MATERIALS[item.material])
        if item.kind in _ORIENTATIONS:
            # to a single datum an axis is held between two planes, as the evaluation does
            round_one = len(item.datums) > 1 and self.kinds[item.feature] in _ROUND_ZONE
            zone = "<DiametricalZone/>" if round_one else "<PlanarZone/>"
            told += [material, parent("ZoneShape", zone)]
        if item.kind == "position":
            told += [material, parent("ZoneShape", self._zone(item))]
        if item.kind == "coaxiality":
            told.append(parent("ZoneShape", "<DiametricalZone/>"))
        return told

    def _datums_of(self, item: Characteristic) -> tuple[tuple[str, str], ...]:
        """Datum features of a tolerance with their material; none of form and size."""
        if item.datums:
            return tuple(
                (self.labels.get(one.label, one.label), "M" if one.all_modifiers else "")
                for one in item.datums
            )
        if item.datum:
            return ((item.datum, ""),)
        return self.frame if item.kind in ("position", "profile") else ()

    def _zone(self, item: Characteristic) -> str:
        kind = self.kinds[item.feature]
        if kind in _CENTRED:
            return "<SphericalZone/>"
        return "<DiametricalZone/>" if kind in _ROUND_ZONE else "<NonDiametricalZone/>"

    def _target(self, item: Characteristic, feature: FeatureIds) -> list[str]:
        """The nominal size, and what a distance runs between."""
        if item.kind not in _SIZES:
            return []
        told = [element("TargetValue", length(item.nominal))]
        if item.kind == "distance":
            pair = parent(
                "FeaturePair",
                reference("FirstFeature", feature.nominal),
                reference("SecondFeature", self.features.ids[item.datum].nominal),
            )
            told.append(parent("FeatureNominalPairs", pair, n=1))
            told.append(element("AnalysisMode", "THREEDIMENSIONAL"))
        return told

    def _measured(self, item: Characteristic, feature: FeatureIds) -> list[int]:
        also = [self.features.ids[item.datum].measurement] if item.datum else []
        return [feature.measurement, *also]


def _characteristics_status(item: Characteristic) -> str:
    found = item.verdict
    return "NOT_ANALYZED" if found is None else _STATUS[found]


def _value(item: Characteristic) -> str:
    """The measured value with its standard uncertainty, where it is known."""
    doubt = item.uncertainty
    told = "" if doubt is None else f' combinedUncertainty="{length(doubt.standard)}"'
    return f"<Value{told}>{length(item.measured)}</Value>"


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


def length(value: float) -> str:
    """A length in millimetres."""
    return number(MM * value, LENGTH)


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


def ids(name: str, *numbers: int) -> str:
    """A list of references."""
    return parent(name, *(element("Id", str(k)) for k in numbers), n=len(numbers))


def reference(name: str, number: int) -> str:
    """One reference."""
    return element(name, str(number))


def listed(name: str, items: list[str]) -> str:
    """A list whose schema wants one entry at least; nothing where there is none."""
    return parent(name, *items, n=len(items)) if items else ""
