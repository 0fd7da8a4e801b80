"""Alignments: laws, an independent oracle, and what is refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from parts.alignment.reference_points import ReferencePoints
from parts.errors import PartError
from parts.evaluation.comparison import align, compare, deviations_of
from parts.evaluation.uncertainty import aligned_errors
from parts.points import ProbePoints
from tests.cases import cases, some

DATUMS = ("top", "left", "front")


def _moved(points, angles, shift):
    return Rotation.from_rotvec(angles).apply(np.array(points)) + shift


@pytest.mark.parametrize("method", ["points", "normals", "datums"])
def test_a_rigid_motion_is_taken_out(block, compared, method):
    measured = _moved(block.positions, [0.01, -0.02, 0.03], [0.005, -0.002, 0.001])
    found = compared(block, measured, method=method, datums=DATUMS if method == "datums" else ())
    assert np.abs(found.deviations.along).max() < 1e-12
    np.testing.assert_allclose(found.deviations.measured, block.positions, atol=1e-12)


@pytest.mark.parametrize("method", some(["datums", "normals", "points"], gate=1))
@settings(max_examples=cases(gate=1, soak=2), deadline=None)
@given(
    angles=st.tuples(*[st.floats(-0.05, 0.05)] * 3), shift=st.tuples(*[st.floats(-0.01, 0.01)] * 3)
)
def test_results_do_not_depend_on_where_the_part_stood(block, task_of, method, angles, shift):
    rough = block.positions + np.random.default_rng(1).normal(0.0, 5e-6, block.positions.shape)
    task = task_of(block, method=method, datums=DATUMS if method == "datums" else ())
    here, there = (compare(task, points) for points in (rough, _moved(rough, angles, shift)))
    # a motion of 10 mm and 3 degrees is rounded to 1e-17 m; the fits polish to 1e-12 m
    np.testing.assert_allclose(there.deviations.along, here.deviations.along, atol=1e-11)
    for one, other in zip(here.characteristics, there.characteristics, strict=True):
        assert other.measured == pytest.approx(one.measured, abs=1e-10), one.name


def test_best_fits_lower_what_they_minimise_and_a_second_pass_changes_nothing(block, task_of):
    measured = _moved(block.positions, [1e-3, 0, -2e-3], [1e-4, 2e-4, 0])
    measured += np.random.default_rng(5).normal(0.0, 1e-5, measured.shape)
    plain, rms = deviations_of(task_of(block), measured, None).rms, {}
    for method in ("points", "normals"):
        task = task_of(block, method=method)
        once = deviations_of(task, measured, align(task.alignment, measured))
        rms[method] = once.rms
        twice = align(task.alignment, once.measured)
        np.testing.assert_allclose(twice.T_part_base, np.eye(4), atol=1e-10)
    assert max(rms.values()) < 0.2 * plain
    assert rms["normals"] <= rms["points"]


def test_best_fit_of_points_is_that_of_kabsch(block, task_of):
    measured = _moved(block.positions, [0.1, 0.2, -0.3], [1, 2, 3])
    measured += np.random.default_rng(6).normal(0.0, 1e-4, measured.shape)
    found = align(task_of(block, method="points").alignment, measured)
    centre, seen = block.positions.mean(axis=0), measured.mean(axis=0)
    R, _ = Rotation.align_vectors(measured - seen, block.positions - centre)  # the peer
    np.testing.assert_allclose(found.T_base_part[:3, :3], R.as_matrix(), atol=1e-12)
    np.testing.assert_allclose(found.T_base_part[:3, 3], seen - R.apply(centre), atol=1e-12)


@pytest.mark.parametrize(
    ("method", "datums"),
    some(
        [
            ("normals", ()),
            ("points", ()),
            ("rps", ()),
            ("datums", DATUMS),
            ("datums", ("bore", "top", "front")),
            ("datums", ("top", "bore", "left")),
        ],
        gate=2,
    ),
)
def test_errors_after_alignment_are_those_of_aligning_again(block, task_of, method, datums):
    task = task_of(block, method=method, datums=datums)
    if method == "rps":
        rows = np.array([0, 3, 15, 16, 48, 60])  # three of the top, one of the left, two in front
        targets = ReferencePoints(nominal=block.positions[rows], directions=block.normals[rows])
        aligned = replace(task.alignment, targets=targets, target_rows=rows)
        task = replace(task, alignment=aligned)
    # What first order leaves grows with the square of the errors: three points of the top 20 mm
    # apart turn the part by 0.1 mrad for a micrometre. Four times what half the errors leave takes
    # the square away; the cube is below a picometre, and the fits polish to a few of them.
    errors = 1e-6 * np.random.default_rng(5).normal(size=(2, len(block), 3))
    whole, half = (_left_beside_first_order(task.alignment, block, e) for e in (errors, errors / 2))
    np.testing.assert_allclose(4.0 * half, whole, atol=1e-11)


def _left_beside_first_order(alignment, block, errors):
    """What aligning again leaves of draws, less what the first order says. # (d, n, 3)."""
    before = _aligned(alignment, block.positions)
    linear = aligned_errors(alignment, block.positions, block.normals, errors)
    again = [_aligned(alignment, block.positions + draw) for draw in errors]
    return np.array(again) - before - linear


def _aligned(alignment, points):
    T = align(alignment, points).T_part_base
    return points @ T[:3, :3].T + T[:3, 3]


def _only(block, feature):
    rows = np.flatnonzero([name == feature for name in block.features])
    return ProbePoints(
        names=tuple(block.names[row] for row in rows),
        positions=block.positions[rows],
        normals=block.normals[rows],
        features=tuple(block.features[row] for row in rows),
    )


@pytest.mark.parametrize(
    ("method", "feature", "text"),
    [
        ("normals", "top", "do not hold the part"),
        ("normals", "bore", "do not hold the part"),
        ("surface", "top", "no geometry"),
        ("datums", "top", "'left' has no measured points"),
    ],
)
def test_alignments_that_leave_a_motion_free_are_refused(block, compared, method, feature, text):
    some = _only(block, feature)
    datums = DATUMS if method == "datums" else ()
    with pytest.raises(PartError, match=text):
        compared(some, some.positions, method=method, datums=datums)


def test_datums_that_leave_a_motion_are_refused(block, compared):
    with pytest.raises(PartError, match=r"top\|bore leave the part free: it can turn about"):
        compared(block, block.positions, method="datums", datums=("top", "bore"))
