"""Datums and characteristics of QIF 3.0 documents: what is asked, in plans and in results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from parts.evaluation.results import Characteristic
from parts.evaluation.tolerance import SIZE_KINDS, Conformance
from reports.programmes.text import MM, element, number, parent

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
    "width": "Width",
    "distance": "DistanceBetween",
}
_ORIENTATIONS = ("parallelism", "perpendicularity", "angularity")
_DEGREE = "0.017453292519943295"
_MATERIALS = {"": "REGARDLESS", "M": "MAXIMUM", "L": "LEAST"}
_CENTRED = ("sphere",)  # whose position has a zone that is a ball
_ROUND_ZONE = ("line3d", "cylinder", "cone", "circle3d", "torus")
LENGTH = 9  # decimals of mm
_PRECEDENCE = ("PRIMARY", "SECONDARY", "TERTIARY")
_LETTERS = "ABCDEFGHJKLMNPRSTUVWXYZ"  # without I, O and Q, which drawings do not use


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


DatumInFrame = tuple[tuple[str, ...], str]  # features, of a common datum several; its material


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
    _datums: dict[tuple[str, ...], int] = field(default_factory=dict)
    _frames: dict[tuple[DatumInFrame, ...], int] = field(default_factory=dict)

    def frame(self, datums: Sequence[DatumInFrame]) -> int:
        """The frame of some datums, the first one primary."""
        key = tuple(datums)
        if key not in self._frames:
            inside = [
                parent(
                    "Datum",
                    parent(
                        "SimpleDatum",
                        reference("DatumDefinitionId", self._datum(names)),
                        element("MaterialModifier", _MATERIALS[material]),
                        element("ReferencedComponent", "ACTUAL"),
                    ),
                    parent("Precedence", element("PrecedenceEnum", word)),
                )
                for (names, material), word in zip(key, _PRECEDENCE, strict=False)
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

    def _datum(self, names: tuple[str, ...]) -> int:
        if names not in self._datums:
            number, place = self.numbering.next(), len(self._datums)
            letter = _LETTERS[place % len(_LETTERS)] * (1 + place // len(_LETTERS))
            self._datums[names] = number
            self.definitions.append(
                parent(
                    "DatumDefinition",
                    element("DatumLabel", letter),
                    ids("FeatureNominalIds", *(self.features[name] for name in names)),
                    id=number,
                )
            )
        return self._datums[names]


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
        labels: features of datums, by their labels; of a common datum several.
    """

    numbering: Numbering
    features: Mapping[str, FeatureIds]
    kinds: dict[str, str]
    datums: DatumParts
    frame: tuple[DatumInFrame, ...]
    labels: dict[str, tuple[str, ...]]
    definitions: list[str] = field(default_factory=list)
    nominals: list[str] = field(default_factory=list)
    items: list[str] = field(default_factory=list)
    measurements: list[str] = field(default_factory=list)

    def add(self, item: Characteristic) -> None:
        """A characteristic with a tolerance; one without asks for nothing."""
        if item.tolerance is None:
            return
        number, feature = self.ask(item), self.features[item.feature]
        result = self.numbering.next()
        self.measurements.append(
            parent(
                f"{self._word(item)}CharacteristicMeasurement",
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

    def ask(self, item: Characteristic) -> int:
        """What a characteristic asks for; returns the identifier of its item."""
        word, feature = self._word(item), self.features[item.feature]
        definition, nominal = self.numbering.next(), self.numbering.next()
        number = self.numbering.next()
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
        return number

    def element(self, standard: int) -> str:
        """Everything that is asked; empty for nothing.

        Args:
            standard: identifier of the standard that defines it.
        """
        if not self.items:
            return ""
        return parent(
            "Characteristics",
            element("FormalStandardId", str(standard)),
            listed("CharacteristicDefinitions", self.definitions),
            listed("CharacteristicNominals", self.nominals),
            listed("CharacteristicItems", self.items),
        )

    def _word(self, item: Characteristic) -> str:
        if item.kind == "diameter" and self.kinds[item.feature] == "sphere":
            return "SphericalDiameter"
        return _WORDS[item.kind]

    def _asked(self, item: Characteristic) -> list[str]:
        """The tolerance, in the words of its kind."""
        width = item.tolerance or 0.0
        if item.kind in SIZE_KINDS:
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
            told += [material, parent("ZoneShape", zone), *_projected(item)]
        if item.kind == "position":
            told += [material, parent("ZoneShape", self._zone(item)), *_projected(item)]
        if item.kind == "coaxiality":
            told.append(parent("ZoneShape", "<DiametricalZone/>"))
        return told

    def _datums_of(self, item: Characteristic) -> tuple[DatumInFrame, ...]:
        """Datum features of a tolerance with their material; none of form and size."""
        if item.datums:
            return tuple(
                (self.labels.get(one.label, (one.label,)), "M" if one.all_modifiers else "")
                for one in item.datums
            )
        if item.datum:
            return (((item.datum,), ""),)
        return self.frame if item.kind in ("position", "profile") else ()

    def _zone(self, item: Characteristic) -> str:
        kind = self.kinds[item.feature]
        if kind in _CENTRED:
            return "<SphericalZone/>"
        return "<DiametricalZone/>" if kind in _ROUND_ZONE else "<NonDiametricalZone/>"

    def _target(self, item: Characteristic, feature: FeatureIds) -> list[str]:
        """The nominal size, and what a distance runs between."""
        if item.kind not in SIZE_KINDS:
            return []
        told = [element("TargetValue", length(item.nominal))]
        if item.kind == "distance":
            pair = parent(
                "FeaturePair",
                reference("FirstFeature", feature.nominal),
                reference("SecondFeature", self.features[item.datum].nominal),
            )
            told.append(parent("FeatureNominalPairs", pair, n=1))
            told.append(element("AnalysisMode", "THREEDIMENSIONAL"))
        return told

    def _measured(self, item: Characteristic, feature: FeatureIds) -> list[int]:
        also = [self.features[item.datum].measurement] if item.datum else []
        return [feature.measurement, *also]


def _projected(item: Characteristic) -> list[str]:
    """The length of a projected zone, where there is one."""
    if not item.projected:
        return []
    return [element("ProjectedToleranceZoneValue", length(item.projected))]


def _characteristics_status(item: Characteristic) -> str:
    found = item.verdict
    return "NOT_ANALYZED" if found is None else _STATUS[found]


def _value(item: Characteristic) -> str:
    """The measured value with its standard uncertainty, where it is known."""
    doubt = item.uncertainty
    told = "" if doubt is None else f' combinedUncertainty="{length(doubt.standard)}"'
    return f"<Value{told}>{length(item.measured)}</Value>"


def length(value: float) -> str:
    """A length in millimetres."""
    return number(MM * value, LENGTH)


def ids(name: str, *numbers: int) -> str:
    """A list of references."""
    return parent(name, *(element("Id", str(k)) for k in numbers), n=len(numbers))


def reference(name: str, number: int) -> str:
    """One reference."""
    return element(name, str(number))


def listed(name: str, items: list[str]) -> str:
    """A list whose schema wants one entry at least; nothing where there is none."""
    return parent(name, *items, n=len(items)) if items else ""


def standard_element(number: int) -> str:
    """The standard that characteristics are defined by."""
    organization = parent("Organization", element("StandardsOrganizationEnum", "ISO"))
    standard = parent("Standard", organization, element("Designator", "ISO 1101"), id=number)
    return parent("StandardsDefinitions", standard, n=1)


def units_element() -> str:
    """Millimetres and degrees."""

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
