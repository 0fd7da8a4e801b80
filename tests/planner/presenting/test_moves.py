"""Moves of the platform: in least time, within every limit, the arm provenly out of the way."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from planner.clearance.checker import Checker
from planner.job.solids import Cell
from planner.presenting.present import Bystander, loaded, moves_between, posed
from robots.core.model import Model
from robots.stewart.model import PlatformModel
from robots.stewart.motion_check import check_motion


@pytest.fixture(scope="module")
def move(far):
    return far.moves[0]


def test_a_move_ends_where_it_should_and_keeps_every_limit(far, move):
    model = PlatformModel(loaded(far.job))
    first, last = move.motions[0], move.motions[-1]
    np.testing.assert_allclose(first.state(0.0).T, far.poses[0].T_hexapod_platform, atol=1e-12)
    end = last.state(last.duration).T
    np.testing.assert_allclose(end, far.poses[1].T_hexapod_platform, atol=1e-12)
    for motion in move.motions:
        report = check_motion(model, motion)
        assert report.feasible
        assert report.proof.holds


def test_a_move_is_as_quick_as_its_legs_allow(far, move):
    legs = far.job.presenter.platform.legs
    for peaks in move.peaks:
        used = [
            np.max(peaks.speed.value / [leg.max_speed for leg in legs]),
            np.max(peaks.acceleration.value / [leg.max_acceleration for leg in legs]),
            np.max(peaks.force.value / [leg.max_force for leg in legs]),
        ]
        assert max(used) == pytest.approx(1.0, abs=1e-6)


def test_the_arm_that_waits_is_at_least_as_clear_as_proven(far, move):
    job, rest = far.job, move.waiting
    model = Model(replace(job.mechanism, self_pairs=()), "numpy")  # part and hexapod only
    seen = np.inf
    for motion in move.motions:
        for t in np.linspace(0.0, motion.duration, 9):
            cell = posed(job, motion.state(t).T).cell
            nearest = Checker(model, Cell(solids=cell.solids)).nearest(rest.q[None])
            seen = min(seen, float(nearest.value[0]))
    # The hull about a leg is wider than its capsule by 1/cos(22.5 deg): 1.7 mm at 20 mm.
    assert job.checks.clearance <= rest.clearance <= seen + 2e-3
    assert seen < rest.clearance + 0.02  # the proof is not far from the truth


def test_the_proof_falls_when_the_arm_stands_in_the_way(far, move):
    pose = far.poses[0]
    touching = pose.plan.planned_points[0].q_contact
    assert Bystander(far.job).clearance(touching, move.motions[0]) < far.job.checks.clearance


def test_the_parts_mass_is_carried_and_gravity_turns_with_the_base(far, on):
    light, heavy = (loaded(on(far.job, part_mass=mass)) for mass in (0.0, 4.0))
    assert heavy.body.mass == pytest.approx(light.body.mass + 4.0)
    pose = far.poses[0].T_hexapod_platform
    forces = [PlatformModel(p).forces(pose, np.zeros(6), np.zeros(6)) for p in (light, heavy)]
    lift = [np.linalg.solve(np.eye(6), PlatformModel(light).jacobian(pose).T @ f) for f in forces]
    assert lift[1][2] - lift[0][2] == pytest.approx(4.0 * 9.81, rel=1e-9)


def test_a_drive_that_is_too_weak_is_a_finding(far, on):
    weak = on(far.job, part_mass=900.0)
    found = moves_between(weak, far.poses)
    assert [f.code for f in found.findings] == ["P141"]
    assert "directly or via home" in found.findings[0].message
    assert "N" in found.findings[0].message
    assert found.moves[0].waiting is None
    assert found.moves[0].duration == 0.0
