"""Drawings in QIF documents: features found on the part by their surfaces, facts whole or not."""

from __future__ import annotations

from math import isnan
from pathlib import Path

import pytest

from parts.drawing.qif_pmi import read_qif_drawing
from parts.errors import PartError
from parts.features.recognition import form_features
from parts.library import open_part

SCHEMA = Path(__file__).parents[4] / "shared/data/qif-xsd/QIFApplications/QIFDocument.xsd"
UNITS = """<FileUnits><PrimaryUnits><LinearUnit><SIUnitName>meter</SIUnitName>
<UnitName>mm</UnitName><UnitConversion><Factor>0.001</Factor></UnitConversion></LinearUnit>
</PrimaryUnits><OtherUnits n="1"><LinearUnit><SIUnitName>meter</SIUnitName><UnitName>inch</UnitName>
<UnitConversion><Factor>0.0254</Factor></UnitConversion></LinearUnit></OtherUnits></FileUnits>"""
DATUMS = """<DatumDefinitions n="2"><DatumDefinition id="2"><DatumLabel>A</DatumLabel>
<FeatureNominalIds n="1"><Id>11</Id></FeatureNominalIds></DatumDefinition>
<DatumDefinition id="3"><DatumLabel>B</DatumLabel>
<FeatureNominalIds n="1"><Id>13</Id></FeatureNominalIds></DatumDefinition></DatumDefinitions>
<DatumReferenceFrames n="1"><DatumReferenceFrame id="4"><Datums n="2">
<Datum><SimpleDatum><DatumDefinitionId>2</DatumDefinitionId>
<MaterialModifier>REGARDLESS</MaterialModifier>
<ReferencedComponent>ACTUAL</ReferencedComponent></SimpleDatum>
<Precedence><PrecedenceEnum>PRIMARY</PrecedenceEnum></Precedence></Datum>
<Datum><SimpleDatum><DatumDefinitionId>3</DatumDefinitionId>
<MaterialModifier>MAXIMUM</MaterialModifier>
<ReferencedComponent>ACTUAL</ReferencedComponent></SimpleDatum>
<Precedence><PrecedenceEnum>SECONDARY</PrecedenceEnum></Precedence></Datum>
</Datums></DatumReferenceFrame></DatumReferenceFrames>"""
FEATURES = """<Features><FeatureDefinitions n="3"><PlaneFeatureDefinition id="5"/>
<CylinderFeatureDefinition id="6"><InternalExternal>INTERNAL</InternalExternal>
<Diameter>30</Diameter></CylinderFeatureDefinition>
<CylinderFeatureDefinition id="7"><InternalExternal>INTERNAL</InternalExternal>
<Diameter>20</Diameter></CylinderFeatureDefinition></FeatureDefinitions>
<FeatureNominals n="4">
<PlaneFeatureNominal id="11"><Name>top</Name><FeatureDefinitionId>5</FeatureDefinitionId>
<Location>1 2 30</Location><Normal>0 0 1</Normal></PlaneFeatureNominal>
<CylinderFeatureNominal id="12"><Name>bore</Name><FeatureDefinitionId>6</FeatureDefinitionId>
<Axis><AxisPoint>20 60 11</AxisPoint><Direction>0 0 -1</Direction></Axis></CylinderFeatureNominal>
<CylinderFeatureNominal id="13"><FeatureDefinitionId>7</FeatureDefinitionId>
<Axis><AxisPoint>20 20 0</AxisPoint><Direction>0 0 1</Direction></Axis></CylinderFeatureNominal>
<PlaneFeatureNominal id="14"><Name>aloft</Name><FeatureDefinitionId>5</FeatureDefinitionId>
<Location>1 2 99</Location><Normal>0 0 1</Normal></PlaneFeatureNominal>
</FeatureNominals></Features>"""
POSITION = """<ToleranceValue>0.2</ToleranceValue>
<DatumReferenceFrameId>4</DatumReferenceFrameId><MaterialCondition>MAXIMUM</MaterialCondition>
<ZoneShape><DiametricalZone/></ZoneShape>"""
SIZE = """<Tolerance><MaxValue>0.1</MaxValue><MinValue>-0.05</MinValue>
<DefinedAsLimit>false</DefinedAsLimit></Tolerance>"""


def document(*asked: tuple[str, str, str]) -> bytes:
    """A document that asks for characteristics: kind, definition, rest of the nominal."""
    definitions = "".join(
        f'<{word}CharacteristicDefinition id="{20 + k}">{text}</{word}CharacteristicDefinition>'
        for k, (word, text, _) in enumerate(asked)
    )
    nominals = "".join(
        f'<{word}CharacteristicNominal id="{40 + k}">'
        f"<CharacteristicDefinitionId>{20 + k}</CharacteristicDefinitionId>{rest}"
        f"</{word}CharacteristicNominal>"
        for k, (word, _, rest) in enumerate(asked)
    )
    n = len(asked)
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<QIFDocument xmlns="http://qifstandards.org/xsd/qif3" versionQIF="3.0.0" idMax="60">
<QPId>fd43400a-29bf-4ec6-b96c-e2f846eb6ff6</QPId>
<StandardsDefinitions n="1"><Standard id="1"><Organization>
<StandardsOrganizationEnum>ISO</StandardsOrganizationEnum></Organization>
<Designator>ISO 1101</Designator></Standard></StandardsDefinitions>
{UNITS}{DATUMS}{FEATURES}<Characteristics><FormalStandardId>1</FormalStandardId>
<CharacteristicDefinitions n="{n}">{definitions}</CharacteristicDefinitions>
<CharacteristicNominals n="{n}">{nominals}</CharacteristicNominals></Characteristics>
</QIFDocument>""".encode()


def of(*features: int) -> str:
    listed = "".join(f"<Id>{one}</Id>" for one in features)
    return f'<FeatureNominalIds n="{len(features)}">{listed}</FeatureNominalIds>'


FACTS = (
    ("Flatness", "<ToleranceValue linearUnit='inch'>0.01</ToleranceValue>", of(11)),
    ("Position", POSITION, of(12)),
    ("Diameter", SIZE, of(12) + "<TargetValue>30</TargetValue>"),
)


@pytest.fixture(scope="module")
def block():
    return open_part("block").geometry


def faces(block, name):
    return next(one.faces for one in form_features(block) if one.name == name)


def test_facts_with_their_features_datums_and_units(block):
    drawing = read_qif_drawing(document(*FACTS), "part.qif", block)
    assert drawing.unread == ()
    assert [(one.label, one.faces) for one in drawing.datums] == [
        ("A", faces(block, "top")),
        ("B", faces(block, "hole-20")),
    ]
    flat, position = drawing.tolerances
    assert (flat.kind, flat.faces, flat.datums) == ("flatness", faces(block, "top"), ())
    assert flat.value == pytest.approx(0.254e-3, rel=1e-12)
    assert (position.material, position.zone, position.faces) == (
        "MMC",
        "diameter",
        faces(block, "hole-30"),
    )
    assert [(one.label, one.all_modifiers) for one in position.datums] == [
        ("A", ()),
        ("B", ("MMB",)),
    ]
    [size] = drawing.dimensions
    assert (size.kind, size.faces) == ("diameter", faces(block, "hole-30"))
    assert (size.nominal, size.lower, size.upper) == pytest.approx((0.03, 0.02995, 0.0301))


@pytest.mark.skipif(not SCHEMA.is_file(), reason="the QIF schemas are not on this machine")
def test_the_documents_of_these_tests_are_valid():
    from lxml import etree

    schema = etree.XMLSchema(etree.parse(SCHEMA))
    schema.assertValid(etree.fromstring(document(*FACTS)))


@pytest.mark.parametrize(
    ("word", "definition", "rest", "reason"),
    [
        ("Flatness", "<ToleranceValue>0.1</ToleranceValue>", of(14), "no features of the part lie"),
        ("Flatness", "<ToleranceValue>0.1</ToleranceValue>", of(77), "linked to '77'"),
        ("Flatness", "<ToleranceValue>0.1</ToleranceValue>", "", "linked to no feature"),
        ("Flatness", "<ToleranceValue>0</ToleranceValue>", of(11), "not above zero"),
        ("Flatness", "<ToleranceValue>x</ToleranceValue>", of(11), "is no number"),
        ("Flatness", "", of(11), "ToleranceValue is missing"),
        (
            "Flatness",
            "<ToleranceValue>0.1</ToleranceValue><SizeUnitArea/>",
            of(11),
            "what SizeUnitArea means here is not read",
        ),
        ("Position", POSITION.replace(">4<", ">99<"), of(12), "linked to '99'"),
        ("Position", POSITION.replace("Diametrical", "Odd"), of(12), "zone, ['OddZone'], is not"),
        ("Chord", "", of(12), "what ChordCharacteristicNominal means is not read"),
        ("Diameter", SIZE, of(12), "it has no TargetValue"),
    ],
)
def test_what_is_not_understood_in_full_is_listed(block, word, definition, rest, reason):
    drawing = read_qif_drawing(document((word, definition, rest)), "part.qif", block)
    assert (drawing.tolerances, drawing.dimensions) == ((), ())
    [one] = drawing.unread
    assert reason in one.reason


def test_a_size_without_limits_has_none(block):
    [size] = read_qif_drawing(
        document(("Diameter", "", of(12) + "<TargetValue>30</TargetValue>")), "part.qif", block
    ).dimensions
    assert isnan(size.lower)
    assert isnan(size.upper)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (b"0.0254", b"0.0253", "name or factor is wrong"),
        (b"linearUnit='inch'", b"linearUnit='ell'", "expected a unit of FileUnits"),
        (b"</QIFDocument>", b"", "part.qif"),
    ],
)
def test_documents_that_contradict_themselves(block, old, new, told):
    with pytest.raises(PartError, match=told):
        read_qif_drawing(document(*FACTS).replace(old, new), "part.qif", block)
