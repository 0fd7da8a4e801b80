"""QIF results: valid by the standard's own schema, exact in its counts, read back as written."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from parts.drawing.drawing import DatumElement, DatumReference
from parts.evaluation.results import Characteristic, FeatureResult, PointDeviations
from parts.evaluation.tolerance import Conformance, DatumFeature
from parts.fits.fitting import fit
from planner.evaluation.reading import read_measured
from reports.evaluation.qif import results_qif

NAMESPACE = {"q": "http://qifstandards.org/xsd/qif3"}
RNG = np.random.default_rng(11)


def tree(shown):
    from lxml import etree

    return etree.fromstring(results_qif(shown))


def check(schema, shown):
    root = tree(shown)
    assert schema.validate(root), schema.error_log
    return root


def texts(root, path):
    return [element.text for element in root.findall(path, NAMESPACE)]


def feature(kind, points, **arguments):
    """A measured feature whose nominal one is the same."""
    found = fit(kind, points, **arguments)
    normals = found.shape.normal(points)
    deviations = PointDeviations(
        names=tuple(f"{kind}-{k}" for k in range(len(points))),
        features=(kind,) * len(points),
        nominal=points,
        normals=normals,
        measured=points,
        surface=np.full(len(points), np.nan),
    )
    return FeatureResult(
        name=kind, kind=kind, deviations=deviations, fit=found, nominal=found.shape
    )


def ring(radius, height, count=12):
    angle = np.linspace(0.1, 6.1, count)
    return np.stack([radius * np.cos(angle), radius * np.sin(angle), np.full(count, height)], 1)


def every_kind():
    noise = 1e-6 * RNG.standard_normal((24, 3))
    sphere = RNG.standard_normal((24, 3))
    tube = RNG.uniform(0.0, 2 * np.pi, (40, 2))
    radius = 0.05 + 0.01 * np.cos(tube[:, 1])
    torus = np.stack(
        [radius * np.cos(tube[:, 0]), radius * np.sin(tube[:, 0]), 0.01 * np.sin(tube[:, 1])], 1
    )
    flat = np.column_stack([RNG.uniform(-0.1, 0.1, (24, 2)), np.zeros(24)])
    return (
        feature("plane", flat + noise),
        feature("circle3d", ring(0.02, 0.0)),
        feature("line3d", np.outer(np.linspace(0, 0.1, 24), [1.0, 2.0, 2.0]) / 3.0 + noise),
        feature("sphere", 0.02 * sphere / np.linalg.norm(sphere, axis=1)[:, None] + noise),
        feature("cylinder", np.vstack([ring(0.02, h) for h in (0.0, 0.03)]) + noise),
        feature("cone", np.vstack([ring(0.01 + 0.3 * h, h) for h in (0.0, 0.03)]) + noise),
        feature("torus", torus),
    )


def test_the_document_is_valid(qif_schema, shown):
    check(qif_schema, shown)


def test_without_tolerances_it_is_valid_too(qif_schema, plain):
    root = check(qif_schema, plain)
    assert root.find("q:Characteristics", NAMESPACE) is None
    assert texts(root, ".//q:InspectionStatusEnum") == ["UNKNOWN"]


def test_every_kind_of_feature_is_valid(qif_schema, shown):
    found = replace(shown.evaluation, features=every_kind(), characteristics=())
    root = check(qif_schema, replace(shown, evaluation=found))
    words = ("Plane", "Circle", "Line", "Sphere", "Cylinder", "Cone", "Torus")
    for word in words:
        for part in ("Definition", "Nominal", "Item", "Measurement"):
            assert root.find(f".//q:{word}Feature{part}", NAMESPACE) is not None, (word, part)


def test_datum_systems_and_material_requirements_are_valid(qif_schema, shown):
    def element(label, *modifiers):
        return DatumReference(elements=(DatumElement(label=label, modifiers=modifiers),))

    datums = (element("top"), element("B", "MMB"), element("front"))
    kinds = {
        "position": "hole-30",
        "coaxiality": "hole-20",
        "perpendicularity": "hole-30",
        "circular runout": "hole-30",
        "total runout": "hole-30",
        "profile": "back",
    }
    with_material = ("position", "perpendicularity")
    items = [
        Characteristic(
            name=f"{name} {kind}",
            feature=name,
            kind=kind,
            nominal=0.0,
            measured=5e-5,
            tolerance=1e-4,
            datums=datums,
            material="M" if kind in with_material else "",
            bonus=2e-5 if kind in with_material else 0.0,
        )
        for kind, name in kinds.items()
    ]
    size = Characteristic(
        name="size", feature="hole-30", kind="diameter", nominal=0.03, measured=0.03005,
        tolerance=5e-5, middle=5e-5,
    )  # fmt: skip
    label = DatumFeature(label="B", feature="hole-20")
    settings = replace(shown.job.evaluation, datum_features=(label,))
    told = replace(
        shown,
        job=replace(shown.job, evaluation=settings),
        evaluation=replace(shown.evaluation, characteristics=(*items, size)),
    )
    root = check(qif_schema, told)
    assert texts(root, ".//q:DatumReferenceFrame//q:MaterialModifier") == [
        "REGARDLESS", "MAXIMUM", "REGARDLESS",
    ]  # fmt: skip
    bonus = texts(root, ".//q:PositionCharacteristicMeasurement/q:Bonus")
    assert [float(text) for text in bonus] == [0.02]
    limits = root.find(".//q:DiameterCharacteristicDefinition/q:Tolerance", NAMESPACE)
    assert [float(limits[0].text), float(limits[1].text)] == [0.1, 0.0]


def test_a_feature_without_a_fit_is_defined_by_its_points(qif_schema, shown):
    one = shown.evaluation.feature("top")
    bare = replace(one, kind="freeform", fit=None, zone=None, nominal=None)
    found = replace(shown.evaluation, features=(bare,), characteristics=())
    root = check(qif_schema, replace(shown, evaluation=found))
    assert len(root.findall(".//q:DefiningPoint", NAMESPACE)) == len(one.deviations)


def test_hostile_names_stay_names(qif_schema, hostile):
    root = check(qif_schema, hostile)
    assert root.find(".//{*}script") is None
    assert any("<script>" in (text or "") for text in texts(root, ".//q:FeatureName"))


def test_counts_are_exact(shown):
    root = tree(shown)
    ids = [int(element.get("id")) for element in root.iter() if element.get("id")]
    assert sorted(ids) == list(range(1, int(root.get("idMax")) + 1))
    counted = [e for e in root.iter() if e.get("n")]
    assert counted
    for element in counted:
        assert int(element.get("n")) == len(element), element.tag
    for points in root.findall(".//q:MeasuredPointSet", NAMESPACE):
        count = int(points.get("count"))
        assert len(points.find("q:Points", NAMESPACE).text.split()) == 3 * count
        assert len(points.find("q:Deviations", NAMESPACE).text.split()) == count


def test_what_is_easily_missed_is_there(shown):
    root = tree(shown)
    sets = len(shown.evaluation.features)
    assert texts(root, ".//q:MeasuredPointSet/q:Compensated") == ["true"] * sets
    radii = [float(text) for text in texts(root, ".//q:MeasuredPointSet/q:ProbeRadius")]
    assert radii == [2.0] * sets  # of the ball of 4 mm
    assert len(root.findall(".//q:DeterminationMode", NAMESPACE)) == sets
    standard = root.find(".//q:Standard", NAMESPACE).get("id")
    assert texts(root, ".//q:FormalStandardId") == [standard]


def test_status_and_value_are_those_of_the_evaluation(shown):
    root = tree(shown)
    asked = [item for item in shown.evaluation.characteristics if item.tolerance is not None]
    words = {
        Conformance.PASS: "PASS",
        Conformance.FAIL: "FAIL",
        Conformance.UNDECIDED: "INDETERMINATE",
    }
    told = texts(root, ".//q:CharacteristicMeasurements/*/q:Status/q:CharacteristicStatusEnum")
    assert told == [words[item.verdict] for item in asked]
    values = root.findall(".//q:CharacteristicMeasurements/*/q:Value", NAMESPACE)
    assert [float(v.text) for v in values] == pytest.approx([1e3 * i.measured for i in asked])
    assert [float(v.get("combinedUncertainty")) for v in values] == pytest.approx(
        [1e3 * item.uncertainty.standard for item in asked], abs=1e-9
    )
    assert "FAIL" in told  # the cone


def test_the_frame_of_an_orientation_is_its_datum(shown):
    root = tree(shown)
    asked = root.find(".//q:PerpendicularityCharacteristicDefinition", NAMESPACE)
    frame = asked.find("q:DatumReferenceFrameId", NAMESPACE).text
    datum = root.find(f".//q:DatumReferenceFrame[@id='{frame}']//q:DatumDefinitionId", NAMESPACE)
    known = root.find(f".//q:DatumDefinition[@id='{datum.text}']", NAMESPACE)
    nominal = known.find("q:FeatureNominalIds/q:Id", NAMESPACE).text
    name = root.find(f".//q:PlaneFeatureNominal[@id='{nominal}']/q:Name", NAMESPACE)
    assert name.text == "top"
    assert known.find("q:DatumLabel", NAMESPACE).text == "A"


def test_points_of_no_feature_have_a_set_of_their_own(qif_schema, shown):
    left = tuple(one for one in shown.evaluation.features if one.name not in ("back", "front"))
    found = replace(shown.evaluation, features=left, characteristics=())
    root = check(qif_schema, replace(shown, evaluation=found))
    counts = [int(s.get("count")) for s in root.findall(".//q:MeasuredPointSet", NAMESPACE)]
    assert len(counts) == len(left) + 1
    assert sum(counts) == len(shown.evaluation.points)


def test_our_own_reader_finds_the_points_again(shown, tmp_path):
    path = tmp_path / "results.qif"
    path.write_bytes(results_qif(shown))
    again = read_measured(path, shown.job, frame="part")
    points = shown.evaluation.points
    order = np.concatenate([points.rows_of(one.name) for one in shown.evaluation.features])
    # nine decimals of a millimetre: half of the last one is 5e-13 m
    assert np.abs(again.xyz - points.measured[order]).max() <= 6e-13
    assert again.compensated


def test_the_same_evaluation_gives_the_same_bytes(shown):
    assert results_qif(shown) == results_qif(shown)
