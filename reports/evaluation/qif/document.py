"""The whole QIF document: standards, units, datums, features, characteristics, results."""

from __future__ import annotations

import uuid
from importlib.metadata import version

from reports.evaluation.qif.characteristics import CharacteristicParts
from reports.evaluation.qif.datums import DatumParts
from reports.evaluation.qif.features import FeatureParts, feature_parts
from reports.evaluation.qif.numbering import Numbering, listed
from reports.evaluation.shown import EvaluationSubject
from reports.evaluation.words import verdict
from reports.programmes.xml_text import attribute, element, parent

_NAMESPACE = "http://qifstandards.org/xsd/qif3"
_DEGREE = "0.017453292519943295"


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
        frame=shown.evaluation.alignment.datums,
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
