"""From a job and its measured points to verdicts and findings."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from parts.errors import EvaluationError
from parts.evaluation.measured_points import MeasuredPoints
from parts.evaluation.tolerance import Conformance, ToleranceSpec
from planner.errors import JobError
from planner.evaluation.evaluate import evaluate
from planner.evaluation.task import nominal_points
from planner.findings import page
from planner.job import read_job
from planner.library import path_of
from robots.core.pose import make_pose, rotation_exp, rotation_zyx, transform_points
from tests.reports.programmes.gantry import gantry_job

UM = 1e-6
BUMPS = np.array([1, -2, 3, 0, 5, -4, 2, 0, -1]) * 10 * UM


def _codes(evaluation):
    return [finding.code for finding in evaluation.findings]


def _flat(value):
    return ToleranceSpec(feature="plane", kind="flatness", value=value)


def test_the_nine_points_give_back_the_deviations_they_were_made_with(corrected_job, nine_measured):
    """[LAMMARI12] VI.2: the plane 0.10 x + 0.25 y + z = 0.40 m, touched at nine points."""
    found = evaluate(corrected_job, nine_measured(BUMPS))
    # coordinates of some 0.4 m are rounded to 1e-16 m
    np.testing.assert_allclose(found.points.along, BUMPS, atol=1e-15)
    np.testing.assert_allclose(found.points.offsets, 0.0, atol=1e-15)
    assert found.points.names[found.points.worst] == "P5"
    assert found.feature("plane").kind == "plane"
    assert found.conforms
    design = np.column_stack([np.ones(9), found.points.nominal[:, :2]])
    heights = BUMPS * 1.0
    left = heights - design @ np.linalg.lstsq(design, heights, rcond=None)[0]
    # an independent fit of the deviations; the planes differ by some 1e-4 rad
    assert found.feature("plane").form_error == pytest.approx(np.ptp(left), rel=1e-6)
    assert found.feature("plane").zone_error <= found.feature("plane").form_error


def test_base_and_part_frame_give_the_same(corrected_job, nine_measured, nine):
    T = corrected_job.part.T_base_part
    part = nine_measured(BUMPS)
    base = part.moved_to(transform_points(T, part.xyz), frame="base")
    one, other = (evaluate(corrected_job, measured) for measured in (part, base))
    np.testing.assert_allclose(other.points.along, one.points.along, atol=1e-15)
    assert nine.names == other.points.names


def test_tolerances_are_judged_and_told(change, nine_measured):
    tight = change(evaluation={"tolerances": (_flat(20 * UM),)})
    found = evaluate(tight, nine_measured(BUMPS))
    assert not found.conforms
    assert [item.verdict for item in found.failed] == [Conformance.FAIL]
    finding = next(item for item in found.findings if item.code == "E103")
    assert finding.where == "plane flatness"
    assert "tolerance of 0.0200 mm" in finding.message
    assert "decides it" in finding.message
    loose = change(evaluation={"tolerances": (_flat(1e-3),)})
    assert evaluate(loose, nine_measured(BUMPS)).conforms


def test_an_uncertainty_leaves_what_is_near_the_limit_undecided(change, nine_measured):
    measured = nine_measured(BUMPS)
    value = evaluate(change(), measured).characteristics[0].measured
    job = change(evaluation={"tolerances": (_flat(1.02 * value),)})
    errors = np.random.default_rng(4).normal(0.0, 10 * UM, (500, 9, 3))
    found = evaluate(job, measured, errors=errors)
    assert [item.verdict for item in found.undecided] == [Conformance.UNDECIDED]
    assert "E104" in _codes(found)
    assert found.conforms  # nothing is proven wrong
    assert found.undecided[0].uncertainty.coverage == 0.95


def test_missing_extra_and_swapped_points_are_told(corrected_job, nine_measured, nine):
    names = (*nine.names[1::-1], *nine.names[2:8], "Q")
    found = evaluate(corrected_job, nine_measured(names=names))
    told = {(finding.code, finding.where) for finding in found.findings}
    assert {("E101", "P9"), ("E102", "Q"), ("E110", "P1"), ("E110", "P2")} <= told
    assert len(found.points) == 8


def test_a_feature_that_lost_its_points_says_so(change, nine_measured):
    job = change(evaluation={"tolerances": (_flat(1e-4),)})
    two = nine_measured().kept(np.array([0, 4]))
    found = evaluate(job, two)
    assert "E109" in _codes(found)
    assert not found.conforms
    three = nine_measured(np.array([1, 2, 3] * 3) * 10 * UM).kept(np.array([0, 1, 2]))
    assert "E109" in _codes(evaluate(job, three))  # on one line: no plane


@pytest.mark.parametrize("factor", [1000.0, 25.4, 1e-3])
def test_wrong_units_are_refused(corrected_job, nine_measured, factor):
    wrong = nine_measured()
    with pytest.raises(JobError, match=r"off by a factor of (1000|25\.4)"):
        evaluate(corrected_job, wrong.moved_to(factor * wrong.xyz))


def test_points_inside_the_material_are_told(corrected_job, nine_measured):
    found = evaluate(corrected_job, nine_measured(np.where(np.arange(9) == 3, -0.004, 0.0)))
    inside = [finding for finding in found.findings if finding.code == "E106"]
    assert [finding.where for finding in inside] == ["P4"]
    assert "4.000 mm inside the material" in inside[0].message


def test_points_beside_their_places_are_told_though_no_deviation_shows_it(
    corrected_job, nine_measured
):
    """A list whose x has the other sign: on an inclined plane through x = 0, moved along it."""
    right = nine_measured()
    assert evaluate(corrected_job, right).misplaced == ()
    normal = corrected_job.points.normals[0]
    across = np.cross(normal, [0.0, 0.0, 1.0])
    across /= np.linalg.norm(across)
    rows = np.arange(9) == 3
    for away, names in ((2.9e-3, ()), (3.1e-3, ("P4",))):
        found = evaluate(corrected_job, right.moved_to(right.xyz + away * np.outer(rows, across)))
        assert found.misplaced == names
        assert found.points.along == pytest.approx(np.zeros(9), abs=1e-12)
        assert found.conforms  # in doubt, not wrong


@pytest.mark.parametrize("along", ["nominal", "fitted"])
def test_centres_of_the_ball_are_compensated(change, nine_measured, along):
    job = change(evaluation={"compensation": along})
    centres = nine_measured(BUMPS + 0.002, compensated=False, probe_radius=0.002)
    found = evaluate(job, centres)
    # the fitted normal leans by the bumps over the spread: 2 mm of its cosine's loss
    np.testing.assert_allclose(found.points.along, BUMPS, atol=1e-9)
    assert "ball of 4 mm" in found.compensation
    assert "E107" not in _codes(found)


@pytest.mark.parametrize(
    ("deviation", "compensated", "text"),
    [(0.002, True, "nobody moved"), (0.0, False, "again"), (0.004, True, "wrong side")],
)
def test_a_wrong_compensation_is_told(corrected_job, nine_measured, deviation, compensated, text):
    measured = nine_measured(deviation, compensated=compensated, probe_radius=0.002)
    found = evaluate(corrected_job, measured)
    told = next(finding for finding in found.findings if finding.code == "E107")
    assert text in told.message
    assert not found.conforms


def test_alignment_takes_the_motion_and_the_balls_normals_turn_with_it(change, nine_measured, nine):
    job = change(evaluation={"alignment": "points"})
    T = make_pose(rotation_zyx([0.05, -0.1, 0.08]), [0.02, -0.01, 0.03])
    centres = transform_points(T, nine.positions + 0.01 * nine.normals)
    measured = nine_measured(xyz=centres, compensated=False, probe_radius=0.01)
    found = evaluate(job, measured)
    assert found.alignment.rms_after < 1e-9
    assert found.alignment.rms_before > 1e-3
    np.testing.assert_allclose(found.alignment.T_part_measured @ T, np.eye(4), atol=1e-8)
    assert found.alignment.turn == pytest.approx(0.1373, abs=0.01)


def _touched(T, points, normals, radius):
    """Ball centres, moved along nominal normals, on the planes of a part displaced by T. [m]."""
    places, turned = transform_points(T, points), normals @ T[:3, :3].T
    away = radius - np.einsum("ki,ki->k", points - places, turned)
    return points + (away / np.einsum("ki,ki->k", normals, turned))[:, None] * normals


@pytest.mark.parametrize(("tilt", "left"), [(0.2, 1e-13), (2.0, 1e-11)])
def test_a_tilted_part_compensated_along_nominal_normals_is_found(tmp_path, tilt, left):
    job = gantry_job(tmp_path)
    points, radius = nominal_points(job), job.probe.ball_radius
    axis = np.array([0.6, -0.64, 0.48])
    T = make_pose(rotation_exp(np.radians(tilt) * axis), 1e-3 * np.array([0.25, -0.24, 0.2]))
    centres = _touched(T, points.positions, points.normals, radius)
    measured = MeasuredPoints(
        names=points.names,
        xyz=centres - radius * points.normals,
        along_nominal=True,
        probe_radius=radius,
    )

    def error(one):
        found = evaluate(job, one).alignment.T_part_measured @ T
        places = points.positions
        return np.abs(transform_points(found, places) - places).max()

    assert error(measured) <= left
    # The same points taken for points of the surface lie beside it by r (1 - cos), each face.
    beside = radius * (1.0 - np.cos(np.radians(tilt)))
    assert error(replace(measured, along_nominal=False)) > 0.3 * beside
    same = MeasuredPoints(names=points.names, xyz=centres, compensated=False, probe_radius=radius)
    np.testing.assert_allclose(
        evaluate(job, measured).points.measured, evaluate(job, same).points.measured, atol=1e-15
    )


def test_without_an_alignment_nominal_compensation_stays(change, nine_measured):
    plain = nine_measured(BUMPS, probe_radius=0.002)
    nominal = replace(plain, along_nominal=True)
    one, other = (evaluate(change(), measured) for measured in (plain, nominal))
    np.testing.assert_allclose(other.points.measured, one.points.measured, atol=1e-15)
    assert "compensated along the nominal normals for a ball of 4 mm" in other.compensation


def test_nominal_compensation_is_done_again_along_the_fitted_surface(change, nine_measured, nine):
    T = make_pose(rotation_zyx([0.02, -0.03, 0.01]), [1e-4, 2e-4, -1e-4])
    centres = _touched(T, nine.positions, nine.normals, 0.002)
    measured = nine_measured(
        xyz=centres - 0.002 * nine.normals, along_nominal=True, probe_radius=0.002
    )
    found = evaluate(change(evaluation={"compensation": "fitted"}), measured).points.measured
    normal, place = T[:3, :3] @ nine.normals[0], transform_points(T, nine.positions[:1])[0]
    np.testing.assert_allclose((found - place) @ normal, 0.0, atol=1e-15)
    assert np.abs((measured.xyz - place) @ normal).min() > 1e-7


def test_centres_are_not_compensated_points(nine_measured):
    with pytest.raises(EvaluationError, match="say one of the two"):
        nine_measured(compensated=False, along_nominal=True, probe_radius=0.002)


def test_nine_points_of_one_plane_do_not_hold_an_alignment_of_normals(change, nine_measured):
    with pytest.raises(JobError, match="do not hold the part"):
        evaluate(change(evaluation={"alignment": "normals"}), nine_measured())


def test_draws_of_another_job_are_refused(corrected_job, nine_measured):
    with pytest.raises(JobError, match="every point of the job"):
        evaluate(corrected_job, nine_measured(), errors=np.zeros((100, 8, 3)))


def test_a_part_with_geometry_has_distances_from_its_surface():
    job = read_job(path_of("block-with-holes"))
    points = job.points
    rng = np.random.default_rng(0)
    measured = MeasuredPoints(
        names=points.names, xyz=points.positions + rng.normal(0.0, 2 * UM, (len(points), 3))
    )
    found = evaluate(job, measured)
    flat = [name in ("top", "left", "right", "front", "back") for name in found.points.features]
    surface = found.points.surface[flat]
    # flat faces: the distance is the deviation along the normal, to the file's single precision
    np.testing.assert_allclose(surface, found.points.along[flat], atol=2e-8)
    assert found.conforms
    kinds = {feature.name: feature.kind for feature in found.features}
    assert kinds["hole-30"] == "cylinder"
    assert kinds["hole-20"] == "circle3d"


def test_every_code_has_its_page():
    for number in range(101, 113):
        assert page(f"E{number}").code == f"E{number}"
