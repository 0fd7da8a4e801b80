"""Measured files of a job: points, QIF results, joint readings."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from parts.errors import PointsError
from planner.errors import JobError
from planner.evaluation.evaluate import evaluate
from planner.evaluation.reading import read_measured
from robots.core.model import Model
from robots.library import text_of

Q = np.radians([[10, 20, -40, 30, 15], [-25, 35, -60, 10, 40], [60, 10, -30, 50, -20.0]])
QIF = """<?xml version="1.0" encoding="utf-8"?>
<QIFDocument xmlns="http://qifstandards.org/xsd/qif3" versionQIF="3.0.0" idMax="40">
<FileUnits><PrimaryUnits><LinearUnit><SIUnitName>meter</SIUnitName><UnitName>mm</UnitName>
<UnitConversion><Factor>0.001</Factor></UnitConversion></LinearUnit></PrimaryUnits></FileUnits>
<MeasurementsResults><MeasurementResultsSet n="1"><MeasurementResults id="2">
<MeasuredPointSets n="1"><MeasuredPointSet count="3" id="11">
<Compensated>{compensated}</Compensated><ProbeRadius>2</ProbeRadius>
<Points count="3">400 1500 1202 500 1400 1102 450 1450 1152</Points>
</MeasuredPointSet></MeasuredPointSets>
</MeasurementResults></MeasurementResultsSet></MeasurementsResults>
</QIFDocument>
"""


@pytest.fixture
def small(tmp_path):
    """A job of three points that the arm touches with known joints, with a ball or not."""
    from planner.job import read_job

    def make(extra="", ball=4.0):
        job = f"""format = 1
[job]
name = "small"
[robot]
model = "measuring-arm"
[probe]
stylus_length_mm = 100
ball_diameter_mm = {ball}
[points]
file = "points.csv"
frame = "base"
compensated = true
{extra}"""
        (tmp_path / "points.csv").write_text("name,x_mm,y_mm,z_mm,nx,ny,nz\nA,0,0,0,0,0,1\n")
        (tmp_path / "job.toml").write_text(job)
        T = Model(read_job(tmp_path / "job.toml").mechanism).forward(Q)
        lines = ["name,x_mm,y_mm,z_mm,nx,ny,nz"]
        for name, pose in zip("ABC", T, strict=True):
            normal = -pose[:3, 2]
            place = 1e3 * pose[:3, 3] - 0.5 * ball * normal
            lines.append(",".join([name, *(repr(float(v)) for v in (*place, *normal))]))
        (tmp_path / "points.csv").write_text("\n".join(lines) + "\n")
        return read_job(tmp_path / "job.toml")

    return make


@pytest.fixture
def file_of(tmp_path):
    def make(name, text):
        (tmp_path / name).write_text(text)
        return tmp_path / name

    return make


def _readings(q, unit="deg"):
    values = np.degrees(q) if unit == "deg" else q
    header = ",".join(["name", *(f"q{k}_{unit}" for k in range(1, 6))])
    rows = [
        ",".join([n, *map(repr, map(float, row))]) for n, row in zip("ABC", values, strict=True)
    ]
    return "\n".join([header, *rows]) + "\n"


@pytest.mark.parametrize("unit", ["deg", "rad"])
def test_joint_readings_become_the_points_that_were_touched(small, file_of, unit):
    job = small()
    measured = read_measured(file_of("q.csv", _readings(Q, unit)), job)
    assert (measured.frame, measured.compensated, measured.probe_radius) == ("base", False, 0.002)
    found = evaluate(job, measured)
    # metres written with all their digits; angles likewise
    assert np.abs(found.points.measured - found.points.nominal).max() < 1e-12


def test_a_calibrated_arm_takes_the_place_of_the_jobs(small, file_of, tmp_path):
    job = small(ball=0.0)
    text = text_of("measuring-arm")
    same = read_measured(file_of("q.csv", _readings(Q)), job, robot=file_of("same.toml", text))
    plain = read_measured(tmp_path / "q.csv", job)
    np.testing.assert_allclose(same.xyz, plain.xyz, atol=1e-15)
    with pytest.raises(JobError, match="Give the calibration of this robot"):
        read_measured(tmp_path / "q.csv", job, robot=file_of("other.toml", _two_joints()))
    with pytest.raises(JobError, match="cannot be read"):
        read_measured(tmp_path / "q.csv", job, robot=tmp_path / "none.toml")


def _two_joints():
    joint = '[[joint]]\nname = "q{}"\ntype = "revolute"\nd_mm = 100\nmin_deg = -90\nmax_deg = 90\n'
    limits = "max_speed_rad_s = 1\nmax_acceleration_rad_s2 = 1\n"
    head = 'format = 1\n[robot]\nname = "two"\nsource = "test"\n'
    return head + "".join(joint.format(k) + limits for k in (1, 2))


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (("q1_deg", "q1_mm"), "the revolute joint .* needs q1_deg or q1_rad"),
        (("q5_deg", "q6_deg"), "column 'q6_deg' is not known"),
        (("q2_deg", "q1_rad"), "joint q1 has two columns"),
        (("name", "point"), "column name is missing"),
        (("\nB,", "\nA,"), "line 3.*'A' is given a second time"),
        (("\nB,", "\nB,x"), "line 3, column q1_deg: found 'x"),
        (("\nC,", "\nC,1,"), "found 7 cells; expected 6"),
    ],
)
def test_joint_readings_with_a_fault_are_refused(small, file_of, change, text):
    broken = _readings(Q).replace(*change, 1)
    with pytest.raises(PointsError, match=text):
        read_measured(file_of("q.csv", broken), small())


def test_readings_beyond_the_joint_limits_are_told(small, file_of):
    q = Q.copy()
    q[1, 0] = np.radians(500.0)
    found = evaluate(small(), read_measured(file_of("q.csv", _readings(q)), small()))
    (told,) = [finding for finding in found.findings if finding.code == "E112"]
    assert told.where == "B"
    assert re.fullmatch(
        r"Joint \S+ reads 500 deg, outside its range of -?[\d.]+ to [\d.]+ deg\.", told.message
    )


def test_every_joint_that_is_beyond_is_named(small, file_of):
    q = Q.copy()
    q[0, 1], q[0, 2], q[0, 4] = np.radians([300.0, -120.0, 106.0])
    found = evaluate(small(), read_measured(file_of("q.csv", _readings(q)), small()))
    (told,) = [finding for finding in found.findings if finding.code == "E112"]
    assert told.message == (
        "Joint q2 reads 300 deg, outside its range of -90 to 90 deg; q3, q5 likewise."
    )


def test_a_counter_that_starts_a_turn_too_far_is_told(small, file_of):
    q = Q.copy()
    q[2, 0] += 2.0 * np.pi
    found = evaluate(small(), read_measured(file_of("q.csv", _readings(q)), small()))
    assert [one.where for one in found.findings if one.code == "E112"] == ["C"]


def test_degrees_in_a_column_of_radians_are_refused(small, file_of):
    text = _readings(Q).replace("_deg", "_rad")
    with pytest.raises(PointsError) as caught:
        read_measured(file_of("q.csv", text), small())
    low, high = small().mechanism.q_min[0], small().mechanism.q_max[0]
    assert caught.value.message == (
        "q.csv, line 2, column q1_rad: joint q1 reads 10 rad, far outside its range of "
        f"{low:.4g} to {high:.4g} rad (and 13 more readings); degrees? Then name the column "
        "q1_deg, and the others likewise."
    )
    facts = caught.value.facts
    assert (facts["joint"], facts["unit"], facts["line"]) == ("q1", "rad", 2)
    assert facts["value"] == pytest.approx(10.0)
    assert facts["limits"] == pytest.approx((low, high))


def test_a_reading_that_no_unit_explains_is_refused(small, file_of):
    q = Q.copy()
    q[1, 3] = np.radians(5000.0)
    with pytest.raises(PointsError) as caught:
        read_measured(file_of("q.csv", _readings(q)), small())
    told = caught.value.message
    assert told.startswith("q.csv, line 3, column q4_deg: joint q4 reads 5000 deg, far outside its")
    assert told.endswith(" deg; correct it, or its column.")


def test_points_of_which_nobody_says_whether_they_are_compensated_are_refused(small, file_of):
    csv = file_of("m.csv", "name,x_mm,y_mm,z_mm\nA,1,2,3\n")
    with pytest.raises(PointsError, match=r"does not say whether .* ball of 4 mm"):
        read_measured(csv, small())
    assert read_measured(csv, small(), compensated=True).compensated
    said = small("[evaluation]\ncompensated = false\n")
    assert not read_measured(csv, said).compensated
    assert read_measured(csv, small(ball=0.0)).compensated
    assert np.isnan(read_measured(csv, small(ball=0.0)).directions).all()


def test_a_unit_is_never_guessed(small, file_of):
    with pytest.raises(PointsError, match="carries no unit"):
        read_measured(file_of("m.csv", "name,x,y,z\nA,1,2,3\n"), small(), format="csv")


def test_qif_results_carry_compensation_and_radius(small, file_of):
    measured = read_measured(file_of("r.qif", QIF.format(compensated="false")), small())
    assert (measured.compensated, measured.probe_radius) == (False, 0.002)
    np.testing.assert_allclose(measured.xyz[0], [0.4, 1.5, 1.202], atol=1e-15)
    assert read_measured(file_of("r.qif", QIF.format(compensated="true")), small()).compensated
    with pytest.raises(PointsError, match="said to be compensated"):
        read_measured(file_of("r.qif", QIF.format(compensated="false")), small(), compensated=True)
    with pytest.raises(PointsError, match="ball of 4 mm, but the job's is 6 mm"):
        read_measured(file_of("r.qif", QIF.format(compensated="false")), small(ball=6.0))


def test_a_calibrated_ball_is_the_jobs_ball(small, file_of):
    """4.99956542208 mm in the file is 4.99957 mm as it is shown, and 5 mm as it is called."""
    text = QIF.format(compensated="false").replace("Radius>2<", "Radius>2.49978271104<")
    path = file_of("r.qif", text)
    for ball in (4.99957, 4.99956542208):
        measured = read_measured(path, small(ball=ball))
        assert measured.probe_radius == pytest.approx(2.49978271104e-3, abs=1e-17)
        assert not any("calibrated" in note for note in measured.notes)
    measured = read_measured(path, small(ball=5.0))
    assert measured.probe_radius == pytest.approx(2.49978271104e-3, abs=1e-17)
    assert any("of 4.99957 mm, as calibrated; the job's is 5 mm" in one for one in measured.notes)
    with pytest.raises(PointsError, match=r"ball of 4\.99957 mm, but the job's is 4\.8 mm"):
        read_measured(path, small(ball=4.8))


@pytest.mark.parametrize("normals", ["nominal", "fitted"])
def test_points_on_the_surface_beside_centres_stay_where_they_are(small, file_of, normals):
    job = small(f'[evaluation]\nalignment = "none"\ncompensation = "{normals}"\n')
    points = job.points
    lifted = 1e3 * (points.positions + 0.002 * points.normals * [[1], [0], [1]])
    text = " ".join(repr(float(v)) for v in lifted.ravel())
    raw = QIF.replace("<Compensated>{compensated}</Compensated>", "").format(compensated="")
    raw = raw.replace("400 1500 1202 500 1400 1102 450 1450 1152", text)
    raw = raw.replace("<ProbeR", "<Compensations>false true false</Compensations><ProbeR")
    measured = read_measured(file_of("r.qif", raw), job)
    measured = replace(measured, names=("A", "B", "C"))
    found = evaluate(job, measured)
    assert np.abs(found.points.measured - found.points.nominal).max() < 1e-12
    assert found.compensation.startswith("2 of the measured points are centres of a ball of 4 mm")


def test_lists_are_read_by_their_format(small, file_of):
    path = file_of("m.txt", "A 400 1500 1202 0 0 1\nB 500 1400 1102 0 0 1\n")
    with pytest.raises(PointsError, match='say format = "list", "metrolog", "polyworks" '):
        read_measured(path, small(), unit="mm")
    surface = read_measured(path, small(), unit="mm", format="polyworks")
    assert surface.compensated
    centres = read_measured(path, small(), unit="mm", format="power-inspect")
    assert (centres.compensated, centres.probe_radius) == (False, 0.002)
    said = small("[evaluation]\ncompensated = false\n")
    assert not read_measured(path, said, unit="mm", format="polyworks").compensated


def test_what_the_file_does_not_give_is_a_finding(small, file_of):
    job = small()
    names = zip("ABC", 1e3 * (job.points.positions + 0.002 * job.points.normals), strict=True)
    rows = "".join(f"FA({n})=FEAT/POINT,CART,{x},{y},{z}\n" for n, (x, y, z) in names)
    text = f"UNITS/MM\n{rows}FA(HOLE)=FEAT/CIRCLE,INNER,CART,0,0,0,0,0,1,8\nENDFIL\n"
    found = evaluate(job, read_measured(file_of("m.dmi", text), job))
    (lost,) = [one for one in found.findings if one.code == "E113"]
    assert (lost.where, lost.severity.value) == ("HOLE", "warning")
    assert "line 5: the file has its result (CIRCLE), but not its measured points" in lost.message
    (read,) = [one for one in found.findings if one.code == "E114"]
    assert read.message.startswith("m.dmi: DMIS, lengths in mm (UNITS)")


def test_dmis_results_are_compensated_along_nominal_normals_unless_it_is_said(small, file_of):
    path = file_of("m.dmi", "UNITS/MM\nFA(A)=FEAT/POINT,CART,1,2,3,0,0,1\nENDFIL\n")
    measured = read_measured(path, small())
    assert (measured.compensated, measured.along_nominal) == (True, True)
    assert measured.probe_radius == 0.002
    assert "compensated along the nominal normals" in measured.notes[0]
    for said in (True, False):
        job = small(f"[evaluation]\ncompensated = {str(said).lower()}\n")
        for one in (read_measured(path, job), read_measured(path, small(), compensated=said)):
            assert (one.compensated, one.along_nominal) == (said, False)
            words = "points on the surface" if said else "centres of the ball"
            assert words in one.notes[0]
    csv = file_of("m.csv", "name,x_mm,y_mm,z_mm\nA,1,2,3\n")
    assert not read_measured(csv, small(), compensated=True).along_nominal
    assert not read_measured(path, small(ball=0.0)).along_nominal


def test_a_calibrated_robot_for_points_is_refused(small, file_of):
    csv = file_of("m.csv", "name,x_mm,y_mm,z_mm\nA,1,2,3\n")
    with pytest.raises(PointsError, match="not joint readings"):
        read_measured(csv, small(), robot=csv)


def test_a_qif_plan_holds_no_measured_points(small, file_of):
    plan = QIF.format(compensated="true").replace("MeasuredPointSet", "NominalThing")
    with pytest.raises(PointsError, match="no measured points"):
        read_measured(file_of("plan.qif", plan), small())
