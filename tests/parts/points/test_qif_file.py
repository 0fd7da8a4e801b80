"""QIF 3.0: plans, point features, measured sets, units, and no entities."""

import re

import numpy as np
import pytest

from parts.errors import PointsError
from parts.points import Compensation, read_points, read_raw_points

POSITIONS = [[-0.04, -0.02, 0.0305], [0.04, 0.0254, 0.0305]]
NORMALS = [[0.0, 0.0, 1.0], [0.0, 0.6, 0.8]]


def read(text, **options):
    return read_raw_points(text.encode(), origin="a.qif", **options)


def test_points_of_a_plan(samples):
    found = read_raw_points(samples["a.qif"], origin="a.qif")
    assert found.names == ("PLN1-1", "PLN1-2")
    assert found.points.features == ("PLN1", "PLN1")
    assert found.positions.tolist() == POSITIONS
    assert np.abs(found.points.normals - NORMALS).max() < 2e-16  # one division
    assert found.source.describe() == "a.qif: QIF 3.0, lengths in mm (FileUnits), " + (
        "points on the surface."
    )
    assert found.source.notes == ("The points are those of the nominal point sets.",)


def test_point_features_where_there_is_no_plan(qif, pieces):
    found = read(qif(pieces["units"], pieces["features"]))
    assert (found.names, found.points.features) == (("PT1",), ("PT1",))
    assert found.positions.tolist() == [[0.007, 0.008, 0.009]]
    assert found.points.normals.tolist() == [[1.0, 0.0, 0.0]]


def test_measured_centres_come_to_the_surface_by_the_radius_of_the_file(samples, tmp_path):
    path = tmp_path / "results.qif"
    path.write_bytes(samples["results.qif"])
    found = read_points(path)
    # The set holds the plan's points, each 2 mm out along its normal.
    assert found.positions == pytest.approx(np.array(POSITIONS), abs=1e-17)
    assert found.names == ("set 11-1", "set 11-2")
    assert found.source.compensation is Compensation.SURFACE
    assert found.source.ball_diameter == 0.004
    raw = read_raw_points(samples["results.qif"], origin="a.qif")
    assert raw.source.compensation is Compensation.CENTRE
    with pytest.raises(PointsError, match="made with a ball of 4 mm, but 3 mm is given"):
        read_points(path, ball_diameter=0.003)


def test_nominal_or_measured_must_be_chosen_where_both_are(qif, pieces):
    text = qif(pieces["units"], pieces["plan"], pieces["results"])
    with pytest.raises(PointsError, match="has nominal and measured points; choose one") as caught:
        read(text)
    assert caught.value.facts["choices"] == ("nominal", "measured")
    nominal = read(text, choice="nominal")
    assert nominal.names == ("PLN1-1", "PLN1-2", "PT1")
    assert "Measured points of the document are not taken." in nominal.source.notes
    assert read(text, choice="measured").names == ("set 11-1", "set 11-2")


@pytest.mark.parametrize("parts", [("plan", "results"), ("features", "results")])
def test_the_samples_are_valid_by_the_standards_own_schema(qif, pieces, shared_data, parts):
    from lxml import etree

    schema = etree.XMLSchema(
        etree.parse(shared_data / "qif-xsd" / "QIFApplications" / "QIFDocument.xsd")
    )
    text = qif(pieces["units"], *(pieces[part] for part in parts))
    schema.assertValid(etree.fromstring(text.encode()))


def test_every_unit_of_a_document_is_its_own(qif, pieces):
    inch = (
        "<OtherUnits><LinearUnit><UnitName>zoll</UnitName><UnitConversion><Factor>0.0254</Factor>"
        "</UnitConversion></LinearUnit></OtherUnits></FileUnits>"
    )
    units = pieces["units"].replace("</FileUnits>", inch)
    plan = pieces["plan"].replace("<Point>40", '<Point linearUnit="zoll">40')
    found = read(qif(units, plan))
    assert found.positions[1].tolist() == [40 * 0.0254, 0.64516, 0.7747]
    assert found.source.unit == "in, mm"
    assert "The lengths are in in and mm, each converted by its own unit." in found.source.notes


def test_without_units_the_standard_says_metres(qif, pieces):
    found = read(qif(pieces["features"]))
    assert found.positions.tolist() == [[7.0, 8.0, 9.0]]
    assert found.source.unit_from == "no PrimaryUnits: the metre by the standard"


DTD = '<!DOCTYPE QIFDocument [<!ENTITY a "1"><!ENTITY b "&a;&a;&a;&a;">]>\n<QIFDocument'
OUTSIDE = '<!DOCTYPE QIFDocument SYSTEM "http://localhost/x.dtd">\n<QIFDocument'


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("<QIFDocument", DTD, "a.qif, line 2: the file declares a document type or entities"),
        ("<QIFDocument", OUTSIDE, "a.qif, line 2: the file declares a document type or entities"),
        ("</QIFDocument>", "", "this is not well-formed XML"),
        ("qif3", "qif2", "expected QIFDocument of http://qifstandards.org/xsd/qif3."),
        ("-40 -20 30.5", "-40 -20", "line 24: Point has 2 numbers; expected 3."),
        ("-40 -20 30.5", "-40 -20 NaN", "line 24, column z: found 'NaN'; expected a finite"),
        ("-40 -20 30.5", "-40 -20 &lt;", "line 24, column z: found '<'; expected a number"),
        ("<Normal>0 0.6 0.8", "<Normal>0 0 0", "line 25, column nx, ny, nz: point 'PLN1-2'"),
        ('n="2" id="7"', 'n="3" id="7"', "NominalPointSet '7' holds 2 points; expected n = 3."),
        ('n="2" id="7"', 'n="-2" id="7"', "has '-2' for n; expected a count"),
        ("<Point>40 25.4 30.5</Point>", "", "MeasurePoint '9' has no coordinates."),
        ("<Point>40", '<Point linearUnit="ell">40', "the linearUnit is 'ell'; expected a unit"),
        ("0.001", "0.0254", "the unit 'mm' is given as 0.0254 m; expected 0.001 m"),
        ("0.001", "-1", "has factor '-1'"),
        ("</Factor>", "</Factor><Offset>3</Offset>", "offset '3'; expected"),
        ("<UnitName>mm", "<UnitName>ell", None),  # its factor says what it is
    ],
)
def test_bad_plans(samples, old, new, message):
    text = samples["a.qif"].decode()
    assert old in text
    changed = text.replace(old, new, 1)
    if message is None:
        assert read(changed).source.unit == "mm"
        return
    with pytest.raises(PointsError, match=re.escape(message)):
        read(changed)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('count="2"', 'count="3"', "Points has 6 numbers; expected 9."),
        ("<Compensated>false", "<Compensated>maybe", "Compensated is 'maybe'; expected true or"),
        ("<Compensated>false</Compensated>", "", "Compensated is ''; expected true or false"),
        (
            "<Normals>0 0 1 0 0.6 0.8</Normals>\n<Compensated>false</Compensated>"
            "<ProbeRadius>2</ProbeRadius>",
            "<Compensated>false</Compensated><ProbeRadii count='2'>2 3</ProbeRadii>",
            "set 11-1 is the centre of a ball, but other points have another ball; it has no",
        ),
        ("<ProbeRadius>2", "<ProbeRadius>-2", "ProbeRadius is '-2'; expected a length"),
        ("<Points>", "<CoordinateSystemId>3</CoordinateSystemId><Points>", "system of its own"),
        ("Points>", "BinaryPoints>", "BinaryPoints is not read"),
    ],
)
def test_bad_results(samples, old, new, message):
    text = samples["results.qif"].decode()
    assert old in text
    with pytest.raises(PointsError, match=re.escape(message)):
        read(text.replace(old, new))


def test_no_point_and_no_qif(qif, pieces):
    with pytest.raises(PointsError, match=r"there is no point in this QIF 3.0 file"):
        read(qif(pieces["units"]))
    with pytest.raises(PointsError, match="not well-formed XML"):
        read("<a" * 1000)
    with pytest.raises(PointsError, match="more than 3500000 tags; split the file, or raise it"):
        read("<a>" * 3_500_001)


def test_entities_in_another_encoding_are_found_too(samples):
    text = samples["a.qif"].decode().replace("UTF-8", "UTF-16").replace("<QIFDocument", DTD)
    with pytest.raises(PointsError, match="document type or entities"):
        read_raw_points(text.encode("utf-16"), origin="a.qif")
    plain = samples["a.qif"].decode().replace("UTF-8", "UTF-16").encode("utf-16")
    assert read_raw_points(plain, origin="a.qif").positions.tolist() == POSITIONS


POINT = """<PointFeatureMeasurement id="20"><FeatureItemId>6</FeatureItemId>
<Location>7 8 9.02</Location></PointFeatureMeasurement>"""
CIRCLE = """<CircleFeatureMeasurement id="21"><Name>HOLE</Name>
<Location>1 2 3</Location></CircleFeatureMeasurement>"""


def with_features(results, *features):
    """Results whose measured features are some, before their sets."""
    text = f'<MeasuredFeatures n="{len(features)}">{"".join(features)}</MeasuredFeatures>'
    return results.replace("<MeasuredPointSets", text + "<MeasuredPointSets", 1)


@pytest.mark.parametrize(("location", "centres"), [("1 2 3", True), ("1 2 1", False)])
def test_a_location_is_what_those_beside_sets_are(qif, pieces, location, centres):
    """A file that gives a set's centre as the location does so where there is no set, too."""
    beside = f"""<PointFeatureMeasurement id="22"><FeatureItemId>5</FeatureItemId>
<PointList n="1"><WholePointSetId>12</WholePointSetId></PointList>
<Location>{location}</Location></PointFeatureMeasurement>"""
    single = """<MeasuredPointSet count="1" id="12"><Points>1 2 3</Points>
<Compensated>false</Compensated><ProbeRadius>2</ProbeRadius></MeasuredPointSet>"""
    results = with_features(pieces["results"], POINT, beside)
    results = results.replace("</MeasuredPointSets>", single + "</MeasuredPointSets>")
    found = read(qif(pieces["units"], pieces["features"], results), choice="measured")
    assert "PT1" in found.names
    mixed = any("the others lie on the surface" in note for note in found.source.notes)
    assert mixed != centres
    assert found.source.ball_diameter == pytest.approx(0.004)


def test_measured_points_of_point_features_are_taken(qif, pieces, tmp_path):
    """Point features lie on the surface, also beside sets of centres."""
    results = with_features(pieces["results"], POINT, CIRCLE)
    text = qif(pieces["units"], pieces["features"], results)
    found = read(text, choice="measured")
    assert found.names == ("set 11-1", "set 11-2", "PT1")
    assert found.checked.features == ("", "", "PT1")
    assert found.settled.tolist() == [False, False, True]
    assert found.source.compensation is Compensation.CENTRE
    assert "2 of 3 points are centres of the ball; the others lie on the surface." in (
        found.source.notes
    )
    assert 1e3 * found.positions[2] == pytest.approx([7, 8, 9.02])
    (hole,) = found.source.untaken
    assert (hole.name, hole.lost) == ("HOLE", True)
    assert hole.reason == "the file has the result of this circle, but not its measured points"
    with_normal = text.replace("9.02</Location>", "9.02</Location><Normal>1 0 0</Normal>")
    (tmp_path / "r.qif").write_text(with_normal)
    moved = read_points(tmp_path / "r.qif", choice="measured")
    assert moved.positions == pytest.approx(np.array([*POSITIONS, [0.007, 0.008, 0.00902]]))
    assert moved.settled is None


def test_points_of_one_set_may_be_of_both_states(samples):
    text = samples["results.qif"].decode()
    text = text.replace("Compensated>false</Compensated", "Compensations>false true</Compensations")
    found = read(text)
    assert found.settled.tolist() == [False, True]
    assert found.source.ball_diameter == 0.004


def test_centres_of_several_balls_come_to_the_surface_by_their_own(samples):
    text = samples["results.qif"].decode()
    radii = '<ProbeRadii count="2">2 1</ProbeRadii>'
    found = read(text.replace("<ProbeRadius>2</ProbeRadius>", radii))
    assert found.source.compensation is Compensation.SURFACE
    expected = [POSITIONS[0], [0.04, 0.0254 + 0.0006, 0.0305 + 0.0008]]
    assert found.positions == pytest.approx(np.array(expected), abs=1e-17)


def test_results_of_a_second_part_are_told_not_mixed_in(qif, pieces):
    first = with_features(pieces["results"], POINT)
    inner = first[first.index("<MeasurementResults ") : first.index("</MeasurementResultsSet>")]
    second = inner.replace('id="10"', 'id="30"').replace('id="11"', 'id="31"')
    second = second.replace('id="20"', 'id="40"').replace("7 8 9.02", "7 8 9.5")
    second = second.replace(second[second.index("<MeasuredPointSets") :], "</MeasurementResults>")
    text = qif(pieces["units"], pieces["features"], first.replace(inner, inner + second))
    found = read(text, choice="measured")
    assert found.names == ("set 11-1", "set 11-2", "PT1")
    assert 1e3 * found.positions[2, 2] == pytest.approx(9.02)
    (other,) = found.source.untaken
    assert (other.name, other.lost) == ("MeasurementResults 30", True)
    assert other.reason.startswith("1 features are measured a second time")


def test_features_of_a_plan_without_points_are_told(qif, pieces):
    found = read(qif(pieces["units"], pieces["plan"]))
    assert found.names == ("PLN1-1", "PLN1-2", "PT1")
    assert found.source.untaken == ()
    found = read(qif(pieces["units"], pieces["features"]))
    assert found.names == ("PT1",)
    (plane,) = found.source.untaken
    assert (plane.name, plane.lost) == ("PLN1", True)
    assert plane.reason == "the plane has no points of its own (NominalPointSet)"
    only = pieces["features"].replace("PointFeatureNominal", "SphereFeatureNominal")
    with pytest.raises(
        PointsError, match=r"can be taken from this QIF 3\.0 file: PLN1, line"
    ) as no:
        read(qif(pieces["units"], only))
    assert no.value.message.endswith("(and 1 more). Lay points out on it with palpeur sample.")


def test_a_set_of_which_features_take_parts(qif, pieces):
    plan = pieces["plan"].replace(
        "<WholePointSetId>7</WholePointSetId>", '<SinglePointSetId index="2">7</SinglePointSetId>'
    )
    found = read(qif(pieces["units"], plan))
    assert found.names == ("set 7-1", "PLN1-1", "PT1")
    wrong = plan.replace('index="2"', 'index="b"')
    with pytest.raises(PointsError, match="SinglePointSetId has 'b'; expected places from 1"):
        read(qif(pieces["units"], wrong))


def test_real_samples(shared_data):
    """A plan of sheet metal, and points measured with a calibrated ball."""
    raw = (shared_data / "real" / "sheetmetal_plan.qif").read_bytes()
    found = read_raw_points(raw, origin="plan.qif", choice="nominal")
    circles = {"W1RXXMRA19", "W1RXXMRA20", "W1RXXMRA21", "W1RXXMRA22"}
    assert len(found) == 17
    assert {one.name for one in found.source.untaken if one.lost} == circles
    raw = (shared_data / "real" / "pts.qif").read_bytes()
    found = read_raw_points(raw, origin="pts.qif", choice="measured")
    assert found.source.compensation is Compensation.CENTRE
    assert found.source.ball_diameter == pytest.approx(2 * 2.49978271104e-3, abs=1e-15)
    assert {"set 12-1", "set 12-2"} < set(found.names)  # outside the range that the plane takes
    assert sum(name.startswith("DATUMA-") for name in found.names) == 6
    # POINT3 and POINT5 have no set, and centres for locations
    assert not any("the others lie on the surface" in note for note in found.source.notes)
