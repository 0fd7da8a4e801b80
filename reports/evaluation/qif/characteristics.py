"""Characteristics of a QIF document: what is asked, of what, and what came out."""

from __future__ import annotations

from dataclasses import dataclass, field

from parts.evaluation import Characteristic, Conformance
from reports.evaluation.qif.datums import DatumParts
from reports.evaluation.qif.features import FeatureIds, FeatureParts
from reports.evaluation.qif.geometry import length
from reports.evaluation.qif.numbering import Numbering, ids, reference
from reports.programmes.xml_text import element, parent

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
    "profile": "SurfaceProfile",
    "diameter": "Diameter",
    "distance": "DistanceBetween",
}
_ORIENTATIONS = ("parallelism", "perpendicularity", "angularity")
_SIZES = ("diameter", "distance")
_CENTRED = ("sphere",)  # whose position has a zone that is a ball
_ROUND_ZONE = ("line3d", "cylinder", "cone", "circle3d", "torus")


@dataclass(slots=True, kw_only=True, eq=False)
class CharacteristicParts:
    """Elements of all characteristics, by the lists that hold them.

    Args:
        numbering: of the document.
        features: of the document.
        kinds: of the features, by name.
        datums: of the document.
        frame: datums of the alignment, which position and profile refer to.
    """

    numbering: Numbering
    features: FeatureParts
    kinds: dict[str, str]
    datums: DatumParts
    frame: tuple[str, ...]
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
                parent("Status", element("CharacteristicStatusEnum", _status(item))),
                reference("CharacteristicItemId", number),
                ids("FeatureMeasurementIds", *self._measured(item, feature)),
                _value(item),
                id=result,
            )
        )

    def _word(self, item: Characteristic) -> str:
        if item.kind == "diameter" and self.kinds[item.feature] == "sphere":
            return "SphericalDiameter"
        return _WORDS[item.kind]

    def _asked(self, item: Characteristic) -> list[str]:
        """The tolerance, in the words of its kind."""
        width = length(item.tolerance or 0.0)
        if item.kind in _SIZES:
            return [
                parent(
                    "Tolerance",
                    element("MaxValue", width),
                    element("MinValue", f"-{width}"),
                    element("DefinedAsLimit", "false"),
                )
            ]
        told = [element("ToleranceValue", width)]
        if item.kind == "straightness":
            told.append(parent("ZoneShape", "<DiametricalZone/>"))
        if item.kind in _ORIENTATIONS:
            told.append(reference("DatumReferenceFrameId", self.datums.frame([item.datum])))
            told.append(element("MaterialCondition", "REGARDLESS"))
            # an axis is held between two planes beside the datum, as the evaluation does
            told.append(parent("ZoneShape", "<PlanarZone/>"))
        if item.kind in ("position", "profile") and self.frame:
            told.append(reference("DatumReferenceFrameId", self.datums.frame(self.frame)))
        if item.kind == "position":
            told.append(element("MaterialCondition", "REGARDLESS"))
            told.append(parent("ZoneShape", self._zone(item)))
        return told

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


def _status(item: Characteristic) -> str:
    found = item.verdict
    return "NOT_ANALYZED" if found is None else _STATUS[found]


def _value(item: Characteristic) -> str:
    """The measured value with its standard uncertainty, where it is known."""
    doubt = item.uncertainty
    told = "" if doubt is None else f' combinedUncertainty="{length(doubt.standard)}"'
    return f"<Value{told}>{length(item.measured)}</Value>"
