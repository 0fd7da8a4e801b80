"""Layouts on a feature: on its surface, within its points' span, and reached."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from parts.evaluation.association import nominal_feature
from parts.points import ProbePoints
from planner.errors import JobError
from planner.job import UncertaintySettings
from planner.virtual_measuring.layout import Layouts, patch_around
from robots.core.model import Model

SOME = UncertaintySettings(probe=1e-5)


def laid_out(planned, feature, count, strategy="hammersley"):
    planned = replace(planned, job=replace(planned.job, uncertainty=SOME))
    return Layouts(planned, feature, strategy).of(count)


@pytest.mark.parametrize(
    ("feature", "distance"),
    [
        ("ball", lambda p: np.linalg.norm(p - [0.25, 0.2, 0.3], axis=1) - 0.025),
        ("bore", lambda p: np.linalg.norm((p - [0.35, 0.2, 0.3])[:, :2], axis=1) - 0.02),
    ],
)
def test_points_lie_on_the_feature_and_are_touched(round_plan, feature, distance):
    laid = laid_out(round_plan, feature, 20)
    rows = [k for k, name in enumerate(laid.points.features) if name == feature]
    assert len(rows) == 20
    assert np.abs(distance(laid.points.positions[rows])).max() < 1e-12
    measuring = laid.measuring
    balls = Model(measuring.mechanism).forward(measuring.q)[:, :3, 3]
    np.testing.assert_allclose(balls, measuring.surfaces + 0.003 * measuring.normals, atol=1e-10)
    assert len(laid.points) == 20 + (8 if feature == "ball" else 11)


def test_layout_keeps_to_the_span(round_plan):
    points = laid_out(round_plan, "bore", 30).points
    z = points.positions[[name == "bore" for name in points.features], 2] - 0.3
    assert -0.012 - 1e-9 <= z.min() < z.max() <= -0.004 + 1e-9


def test_repeats_are_the_jobs_own_points(corrected):
    laid = laid_out(corrected, "plane", 20, "repeat")
    own = corrected.job.points.positions
    np.testing.assert_array_equal(laid.points.positions, own[np.arange(20) % 9])


def test_part_turns_about_where_it_did(round_plan):
    own = round_plan.placed.surfaces.mean(axis=0)
    np.testing.assert_allclose(laid_out(round_plan, "ball", 40).measuring.middle, own, atol=1e-15)


def patch_of(positions, normals):
    names = tuple(f"P{k}" for k in range(len(positions)))
    points = ProbePoints(names=names, positions=positions, normals=normals)
    nominal = nominal_feature(points.positions, points.normals)
    return patch_around(nominal, points, np.arange(len(points)))


def test_circle_of_a_bore_closes():
    turn = np.radians(60.0 * np.arange(6))
    wall = np.column_stack([np.cos(turn), np.sin(turn), np.zeros(6)])
    patch = patch_of(0.01 * wall, -wall)
    assert (patch.kind, patch.sweep) == ("circle", pytest.approx(2 * np.pi))
    assert patch.inner


def test_part_of_a_circle_stays_part():
    turn = np.radians(20.0 * np.arange(6))
    wall = np.column_stack([np.cos(turn), np.sin(turn), np.zeros(6)])
    assert np.degrees(patch_of(0.01 * wall, wall).sweep) == pytest.approx(100.0)


def test_a_fillet_across_the_inside_of_a_torus_keeps_its_extent():
    """Angles about the tube begin anew there."""
    tube, turn = np.radians(np.meshgrid([150, 165, 195, 210], np.arange(0, 360, 60))).reshape(2, -1)
    ahead = np.column_stack([np.cos(turn), np.sin(turn), 0.0 * turn])
    normals = np.cos(tube)[:, None] * ahead + np.sin(tube)[:, None] * [0.0, 0.0, 1.0]
    patch = patch_of(0.02 * ahead + 0.005 * normals, normals)
    assert patch.kind == "torus"
    assert np.degrees(patch.height / 0.005) == pytest.approx(60.0)
    assert np.degrees(np.mod(patch.start / 0.005, 2 * np.pi)) == pytest.approx(150.0)


def test_points_on_a_line_have_no_patch():
    along = np.outer(np.arange(5), [0.01, 0.0, 0.0])
    assert patch_of(along, np.tile([0.0, 0.0, 1.0], (5, 1))) is None


@pytest.mark.parametrize(
    ("feature", "strategy", "words"),
    [("plan", "grid", "no feature 'plan'"), ("plane", "spiral", "no strategy 'spiral'")],
)
def test_bad_questions(corrected, feature, strategy, words):
    with pytest.raises(JobError, match=words):
        Layouts(corrected, feature, strategy)


def test_unreached_job(corrected):
    points = (replace(corrected.planned_points[0], reachable=False), *corrected.planned_points[1:])
    with pytest.raises(JobError, match="1 points are not reached, the first 'P1'"):
        Layouts(replace(corrected, planned_points=points), "plane", "grid")


def test_unreached_layout(corrected):
    """A joint that must not leave its range by a thousandth of what the points need."""
    q = np.array([point.q_contact for point in corrected.planned_points])
    tight = [
        replace(j, q_min=float(q[:, k].min()), q_max=float(np.median(q[:, k])))
        for k, j in enumerate(corrected.job.mechanism.joints)
    ]
    mechanism = replace(corrected.job.mechanism, joints=tuple(tight))
    job = replace(corrected.job, mechanism=mechanism, uncertainty=SOME)
    with pytest.raises(JobError, match="are not reached from the postures of its own points"):
        Layouts(replace(corrected, job=job), "plane", "grid").of(16)
