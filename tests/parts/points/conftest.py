"""One small file of each format, all with the same two points."""

from __future__ import annotations

from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[4] / "shared" / "data"

CSV = """name,x_mm,y_mm,z_mm,nx,ny,nz,feature
PLN1-1,-40,-20,30.5,0,0,1,PLN1
PLN1-2,40,25.4,30.5,0,0.6,0.8,PLN1
"""
XYZ = """XYZIJK    METRIC
-40,-20,30.5,0,0,1
40,25.4,30.5,0,0.6,0.8
"""
POWER_INSPECT = """"PLN1-1" -41 -20 31.5 0 0 1 0 -0.1 0.1 SP
'PLN1 2' 40 26 31.3 0 0.6 0.8 0 -0.1 0.1 EP
"""
DMIS = """DMISMN/'PLANE', 05.2
UNITS/MM, ANGDEC
D(MCS1) = DATSET/MCS
SNSLCT/S(TIP1)
F(PLN1) = FEAT/PLANE, CART, 0.0, 0.0, 30.5, 0.0, 0.0, 1.0
GOTO/CART, -40.0, -20.0, 100.0
MEAS/PLANE, F(PLN1), 2
PTMEAS/CART, -40.0, -20.0, 30.5, 0.0, 0.0, 1.0
GOTO/1.0, 2.0, 3.0
PTMEAS/CART, 40.0, $
25.4, 30.5, $
0.0, 0.6, 0.8
ENDMES
OUTPUT/FA(PLN1), TA(FLT1)
ENDFIL
"""
UNITS = """<FileUnits><PrimaryUnits><LinearUnit><SIUnitName>meter</SIUnitName>
<UnitName>mm</UnitName><UnitConversion><Factor>0.001</Factor></UnitConversion>
</LinearUnit></PrimaryUnits></FileUnits>"""
FEATURES = """<Features>
<FeatureDefinitions n="2"><PlaneFeatureDefinition id="1"/><PointFeatureDefinition id="2"/>
</FeatureDefinitions>
<FeatureNominals n="2">
<PlaneFeatureNominal id="3"><FeatureDefinitionId>1</FeatureDefinitionId>
<Location>0 0 30.5</Location><Normal>0 0 1</Normal></PlaneFeatureNominal>
<PointFeatureNominal id="4"><Name>nominal</Name><FeatureDefinitionId>2</FeatureDefinitionId>
<Location>7 8 9</Location><Normal>1 0 0</Normal></PointFeatureNominal>
</FeatureNominals>
<FeatureItems n="2">
<PlaneFeatureItem id="5"><FeatureNominalId>3</FeatureNominalId><FeatureName>PLN1</FeatureName>
<DeterminationMode><Checked><CheckDetails><Measured><PointList n="1">
<WholePointSetId>7</WholePointSetId></PointList></Measured></CheckDetails></Checked>
</DeterminationMode></PlaneFeatureItem>
<PointFeatureItem id="6"><FeatureNominalId>4</FeatureNominalId><FeatureName>PT1</FeatureName>
<DeterminationMode><Checked/></DeterminationMode></PointFeatureItem>
</FeatureItems>{sets}</Features>"""
ALONE = "<Checked/></DeterminationMode></PointFeatureItem>"
SET = "<Set/></DeterminationMode></PointFeatureItem>"  # is not touched
SETS = """<NominalPointSets n="1"><NominalPointSet n="2" id="7">
<MeasurePoint id="8"><Point>-40 -20 30.5</Point><Normal>0 0 1</Normal></MeasurePoint>
<MeasurePoint id="9"><Point>40 25.4 30.5</Point><Normal>0 0.6 0.8</Normal></MeasurePoint>
</NominalPointSet></NominalPointSets>"""
RESULTS = """<Results><MeasurementResultsSet n="1"><MeasurementResults id="10">
<MeasuredPointSets n="1"><MeasuredPointSet count="2" id="11">
<Points>-40 -20 32.5 40 26.6 32.1</Points><Normals>0 0 1 0 0.6 0.8</Normals>
<Compensated>false</Compensated><ProbeRadius>2</ProbeRadius>
</MeasuredPointSet></MeasuredPointSets>
<InspectionStatus><InspectionStatusEnum>PASS</InspectionStatusEnum></InspectionStatus>
</MeasurementResults></MeasurementResultsSet></Results>"""


def qif_text(*parts: str) -> str:
    """A QIF document of some parts."""
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<QIFDocument xmlns="http://qifstandards.org/xsd/qif3" versionQIF="3.0.0" idMax="11">\n'
        f"<QPId>{'fd43400a-29bf-4ec6-b96c-e2f846eb6ff6'}</QPId>\n" + "\n".join(parts)
    ) + "\n</QIFDocument>\n"


@pytest.fixture(scope="session")
def pieces():
    """Pieces of QIF documents, to be joined by ``qif``."""
    return {
        "units": UNITS,
        "features": FEATURES.format(sets=""),
        "plan": FEATURES.format(sets=SETS),
        "results": RESULTS,
    }


@pytest.fixture(scope="session")
def qif():
    """Make a QIF document of parts."""
    return qif_text


@pytest.fixture(scope="session")
def samples():
    """Content of a small file of each format, by file name."""
    texts = {
        "a.csv": CSV,
        "a.xyz": XYZ,
        "a.pts": POWER_INSPECT,
        "a.dmi": DMIS,
        "a.qif": qif_text(UNITS, FEATURES.format(sets=SETS).replace(ALONE, SET)),
        "results.qif": qif_text(UNITS, RESULTS),
    }
    return {name: text.encode() for name, text in texts.items()}


@pytest.fixture(scope="session")
def shared_data():
    """The folder of shared test data; tests that need it are skipped where it is absent."""
    if not SHARED.is_dir():
        pytest.skip("the shared data (../shared/data) is not on this machine")
    return SHARED
