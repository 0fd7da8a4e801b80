"""DMIS, I++ DME and QIF: read back to the same points, within their formats' rules."""

import re

import numpy as np
import pytest
from lxml import etree

from parts.points import Compensation, read_raw_points
from reports.programmes import programmes
from reports.programmes.source import ProgrammeSource

NUMBER = r"-?\d+\.\d+"
PLANE = [[0, 40, 300], [60, 40, 300], [0, 90, 300], [60, 90, 300]]
UP = [0.0, 0.0, 1.0]
NEAR = 1e-9  # [m] 1e-6 mm: half the last decimal is 5e-10 m


@pytest.fixture(scope="module")
def mixed(planned):
    """Two points alone, a plane of four, and a feature whose points tell no surface."""
    positions = 1e-3 * np.array([[0, 20, 300], *PLANE, [90, 60, 300], [95, 40, 299]])
    names = ("single", "a", "b", "c", "d", "s-1", "s-2")
    features = ("", *["top"] * 4, "skin", "skin")
    return planned(positions, np.tile(UP, (7, 1)), names=names, features=features)


@pytest.fixture(scope="module")
def files(mixed):
    return programmes(mixed, ["dmis", "ipp", "qif"])


@pytest.mark.parametrize("path", ["program.dmi", "plan.qif"])
def test_our_own_reader_finds_the_same_points(mixed, files, path):
    found = read_raw_points(files[path], origin=path)
    placed = mixed.placed
    assert np.abs(found.positions - placed.surfaces).max() < NEAR
    assert np.abs(found.points.normals - placed.normals).max() < 1e-9
    # A touch is called after its feature and its place in it; a point alone is its own feature.
    assert found.names == ("single-1", "top-1", "top-2", "top-3", "top-4", "s-1-1", "s-2-1")
    assert found.points.features == ("single", *["top"] * 4, "s-1", "s-2")
    assert found.source.compensation is Compensation.SURFACE
    assert (found.source.unit, found.points.warnings) == ("mm", ())


def test_every_programme_tells_what_each_touch_is_called(files):
    assert b"$$ touch 2 of F(top) is b\n" in files["program.dmi"]
    assert b'<AttributeStr name="point 2" value="b"/>' in files["plan.qif"]


def statements(raw):
    """DMIS statements, continued lines joined."""
    text = re.sub(r"\$\$.*\n", "", raw.decode("ascii"))
    return re.sub(r" \$\n", " ", text).splitlines()


def test_dmis_is_what_the_standard_asks_for(files):
    raw = files["program.dmi"]
    lines = raw.decode("ascii").splitlines()
    assert max(map(len, lines)) <= 80
    said = statements(raw)
    assert said[:5] == [
        "DMISMN/'two points', 05.2",
        "UNITS/MM, ANGDEC",
        "DECPL/ALL, 9",
        "PRCOMP/ON",
        "D(MCS1) = DATSET/MCS",
    ]
    assert said[-4:] == ["OUTPUT/FA(top)", "OUTPUT/FA(s-1)", "OUTPUT/FA(s-2)", "ENDFIL"]
    sensor = next(line for line in said if "SNSDEF" in line)
    assert sensor.endswith("0.000000000000, 0.000000000000, -1.000000000000, 60.0000, 4.0000")
    opened = [line for line in said if line.startswith("MEAS/")]
    assert opened[1] == "MEAS/PLANE, F(top), 4"
    assert len(opened) == said.count("ENDMES") == 4


def test_dmis_says_all_motion_in_order(files, mixed):
    said = statements(files["program.dmi"])
    motion = [line for line in said if line.startswith(("GOTO", "PTMEAS"))]
    assert motion[0].startswith(
        "GOTO/CART, -10.000000000, 1517.320508076, 1122.000000000"
    )  # the clearance point of the first point
    for place, line in enumerate(motion):
        numbers = [float(n) for n in re.findall(NUMBER, line)]
        if line.startswith("PTMEAS"):
            # Ball of 2 mm radius, approach of 20 mm: where the ball comes from and goes back to.
            clearance = np.array(numbers[:3]) + 22.0 * np.array(numbers[3:])
            for beside in (motion[place - 1], motion[place + 1]):
                there = [float(n) for n in re.findall(NUMBER, beside)]
                assert there == pytest.approx(clearance, abs=2e-6)
    speeds = [float(line.split(", ")[-1]) for line in said if line.startswith("FEDRAT/MESVEL")]
    touches = ProgrammeSource(mixed).steps.touches
    assert speeds[0] == pytest.approx(60.0 * touches[0].speed, abs=1e-4)


def test_an_approach_beside_the_normal_is_driven_along_its_line(job_in):
    from planner.planning import plan

    leaning = plan(job_in("[0, 0, 1]"))
    raw = programmes(leaning, ["dmis", "ipp"])
    assert b"to the start of the search, which is along the normal" in raw["program.dmi"]
    said = statements(raw["program.dmi"])
    last = max(k for k, line in enumerate(said) if line.startswith("PTMEAS"))
    numbers = np.array(
        [
            [float(n) for n in re.findall(NUMBER, line)][:3]
            for line in said[last - 4 : last]
            if line.startswith("GOTO")
        ]
    )
    # From 20 mm above contact to 3 mm above it, straight down as the plan goes.
    assert numbers[-2] - numbers[-1] == pytest.approx([0, 0, 17], abs=2e-6)
    assert "SNSET/APPRCH, 2.880000000" in said  # 3 mm · 0.96
    assert (
        np.abs(
            read_raw_points(raw["program.dmi"], origin="a.dmi").positions[1]
            - np.array([49.28203230, 1574.64101615, 1090.0]) * 1e-3
        ).max()
        < NEAR
    )
    # I++ touches along the line of the plan: the ball is at contact where it was planned.
    touch = re.findall(
        r"PtMeas\(X\((.*)\),Y\((.*)\),Z\((.*)\),IJK\((.*)\)\)", raw["program.ipp"].decode()
    )
    place, direction = np.array(touch[1][:3], float), np.array(touch[1][3].split(","), float)
    assert direction == pytest.approx([0, 0, 1], abs=1e-15)
    assert 1e-3 * (place + 2.0 * direction) == pytest.approx(leaning.placed.contacts[1], abs=NEAR)
    assert b"Tool.PtMeasPar.Approach(3.000000000)" in raw["program.ipp"]


def test_ipp_session(files, mixed):
    text = files["program.ipp"].decode("ascii")
    assert text.endswith("\r\n")
    lines = text.split("\r\n")[:-1]
    assert all("\n" not in line and "\r" not in line for line in lines)
    tags = [int(line[:5]) for line in lines]
    assert all(re.match(r"\d{5} \S", line) for line in lines)
    assert tags == sorted(set(tags))
    assert lines[0] == "00001 StartSession()"
    assert lines[1:3] == ["00002 ClearAllErrors()", "00003 Home()"]
    assert lines[-1].endswith("EndSession()")
    touches = [line for line in lines if "PtMeas(" in line]
    found = np.array([re.findall(NUMBER, line) for line in touches], dtype=float)
    assert np.abs(1e-3 * found[:, :3] - mixed.placed.surfaces).max() < NEAR
    assert np.abs(found[:, 3:] - mixed.placed.normals).max() < 1e-9
    assert "single" not in text
    assert "top" not in text


def test_a_session_of_too_many_commands_goes_on_in_another(two_points, monkeypatch):
    from reports.programmes import ipp

    monkeypatch.setattr(ipp, "_LAST_TAG", 14)
    text = programmes(two_points, ["ipp"])["program.ipp"].decode("ascii")
    sessions = text.split("00001 StartSession()")[1:]
    assert len(sessions) > 1
    # Nothing that went wrong is cleared once the machine has moved.
    assert text.count("ClearAllErrors()") == 1
    assert text.index("ClearAllErrors()") < text.index("GoTo(")
    for session in sessions:
        lines = session.rstrip().split("\r\n")
        tags = [int(line[:5]) for line in lines[1:]]
        assert tags == list(range(2, len(lines) + 1))
        assert lines[-1].endswith(" EndSession()")
        assert "ChangeTool" in session
    assert text.count("Home()") == 1


def test_qif_is_valid_by_the_standards_own_schema(files, two_points, planned, qif_schema):
    ring = np.linspace(0.0, 2.0 * np.pi, 6, endpoint=False)
    flat = np.column_stack([np.cos(ring), np.sin(ring), np.zeros(6)])
    tilted = flat * np.sqrt(0.1) + np.array([0, 0, np.sqrt(0.9)])
    sphere = planned(0.3 * np.array([0, 0, 1]) + 0.05 * tilted, tilted, features=("ball",) * 6)
    for raw in (
        files["plan.qif"],
        programmes(two_points, ["qif"])["plan.qif"],
        programmes(sphere, ["qif"])["plan.qif"],
    ):
        qif_schema.assertValid(etree.fromstring(raw))


def test_qif_counts_are_exact(files):
    root = etree.fromstring(files["plan.qif"])
    ids = [int(element.get("id")) for element in root.iter("*") if element.get("id")]
    assert sorted(ids) == list(range(1, len(ids) + 1))
    assert root.get("idMax") == str(len(ids))
    counted = [element for element in root.iter("*") if element.get("n")]
    assert len(counted) > 10
    assert all(len(element) == int(element.get("n")) for element in counted)


def test_qif_orders_the_features_as_they_are_measured(files):
    root = etree.fromstring(files["plan.qif"])
    names = {e.get("id"): e.findtext("{*}FeatureName") for e in root.find(".//{*}FeatureItems")}
    steps = root.findall(".//{*}MeasureSpecifiedFeatures/{*}FeatureItemIds/{*}Id")
    assert [names[step.text] for step in steps] == ["single", "top", "s-1", "s-2"]
    numbers = [e.text for e in root.findall(".//{*}SequenceNumber")]
    assert numbers == ["1", "2", "3", "4"]


def test_a_feature_that_is_left_and_visited_again_is_measured_point_by_point(planned):
    positions = 1e-3 * np.array([*PLANE, [0, 20, 300], [30, 60, 300]])
    features = (*["top"] * 4, "", "top")
    plan = planned(positions, np.tile(UP, (6, 1)), features=features)
    kinds = {f.nominal.kind.value for f in ProgrammeSource(plan).features}
    assert kinds == {"point"}


@pytest.fixture(scope="module")
def toleranced(planned):
    """A plane of four, which is datum A, and three that say nothing; tolerances of both."""
    from parts.drawing.drawing import DatumElement, DatumReference
    from parts.evaluation.tolerance import DatumFeature, ToleranceSpec
    from planner.job import EvaluationSettings

    base = DatumReference(elements=(DatumElement(label="A"),))
    asked = (
        ToleranceSpec(feature="top", kind="flatness", value=5e-5),
        ToleranceSpec(feature="step", kind="parallelism", value=1e-4, datums=(base,)),
        ToleranceSpec(feature="step", kind="distance", value=1e-4, datum="top", middle=2e-5),
        ToleranceSpec(feature="skin", kind="profile", value=1e-4),
    )
    settings = EvaluationSettings(
        datum_features=(DatumFeature(label="A", feature="top"),), tolerances=asked
    )
    step = PLANE + np.array([0, 0, 10])
    positions = 1e-3 * np.array([*PLANE, *step, [90, 60, 300], [95, 40, 299]])
    features = (*["top"] * 4, *["step"] * 4, "skin", "skin")
    return planned(
        positions, np.tile(UP, (len(positions), 1)), features=features, evaluation=settings
    )


def test_a_qif_plan_asks_for_the_tolerances_of_the_job(toleranced, qif_schema):
    raw = programmes(toleranced, ["qif"])["plan.qif"]
    root = etree.fromstring(raw)
    qif_schema.assertValid(root)
    items = {e.get("id"): e.findtext("{*}FeatureName") for e in root.find(".//{*}FeatureItems")}
    named = {
        etree.QName(e).localname: [items[one.text] for one in e.findall("{*}FeatureItemIds/{*}Id")]
        for e in root.find(".//{*}CharacteristicItems")
    }
    assert named == {
        "FlatnessCharacteristicItem": ["top"],
        "ParallelismCharacteristicItem": ["step"],
        "DistanceBetweenCharacteristicItem": ["step"],
    }
    assert float(root.findtext(".//{*}FlatnessCharacteristicDefinition/{*}ToleranceValue")) == 0.05
    limits = root.find(".//{*}DistanceBetweenCharacteristicDefinition/{*}Tolerance")
    assert [float(limits.findtext(f"{{*}}{name}")) for name in ("MaxValue", "MinValue")] == [
        0.12,
        -0.08,
    ]
    target = root.findtext(".//{*}DistanceBetweenCharacteristicNominal/{*}TargetValue")
    assert float(target) == pytest.approx(10.0, abs=1e-6)
    nominals = {e.get("id"): e for e in root.find(".//{*}FeatureNominals")}
    datum = root.findtext(".//{*}DatumDefinition/{*}FeatureNominalIds/{*}Id")
    assert etree.QName(nominals[datum]).localname == "PlaneFeatureNominal"


def test_a_qif_plan_says_what_it_cannot_ask(toleranced):
    """The points of the skin are features of their own, which no tolerance is one of."""
    raw = programmes(toleranced, ["qif"])["plan.qif"]
    [told] = [
        e.get("value")
        for e in etree.fromstring(raw).iter("{*}AttributeStr")
        if e.get("name").startswith("not asked")
    ]
    assert told.startswith("profile of 'skin'")
