"""Joints at rest stand still: dry friction, energy and loads do not see rounding noise.

The measuring arm on its plane of symmetry (points with x = 0) has two joints with nothing to do,
which inverse geometry moves by 1e-17 rad. With dry friction their noise once bore 4 N m.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from parts.points import ProbePoints
from planner.detours.motions import DetourMotions, RoundedMotion
from planner.job import Job, read_job
from planner.library import path_of
from planner.motion.travel import TravelMotions
from planner.planning import plan
from planner.proof import prove
from robots.core.motion.joint_limits import JointLimits
from robots.core.motion.joint_motion import REST, at_rest

COULOMB = 4.0


def job_with(points: list[tuple[float, float, float]], coulomb: float = COULOMB) -> Job:
    """Points touched from above by the measuring arm with dry friction in every joint."""
    job = read_job(path_of("nine-points-corrected"))
    joints = tuple(replace(joint, coulomb=coulomb) for joint in job.mechanism.joints)
    return replace(
        job,
        mechanism=replace(job.mechanism, joints=joints),
        frame="base",
        points=ProbePoints(
            names=tuple(f"P{k}" for k in range(len(points))),
            positions=np.array(points),
            normals=np.tile([0.0, 0.0, 1.0], (len(points), 1)),
        ),
    )


SYMMETRIC = [(0.0, 1.40, 0.75), (0.0, 1.44, 0.76), (0.0, 1.48, 0.77)]


@pytest.fixture(scope="module")
def symmetric():
    return plan(job_with(SYMMETRIC))


def test_rest_is_a_bound_from_the_arithmetic():
    assert at_rest(np.array([0.0, REST, -REST, 2.0 * REST, np.nan])).tolist() == [
        *(True, True, True),
        *(False, False),
    ]
    assert 100 * np.finfo(float).eps * 2 * np.pi < REST < 1e-9  # a plan's joints are exact to 1e-9


def test_joints_with_nothing_to_do_bear_no_dry_friction(symmetric):
    assert symmetric.feasible
    smooth = plan(job_with(SYMMETRIC, coulomb=0.0))
    idle = [j for j, load in enumerate(symmetric.joint_loads) if load.peak_velocity == 0.0]
    assert idle
    for j, (dry, without) in enumerate(zip(symmetric.joint_loads, smooth.joint_loads, strict=True)):
        if j in idle:
            assert dry.peak_torque == pytest.approx(without.peak_torque, rel=1e-9)
            assert dry.rms_torque == pytest.approx(without.rms_torque, rel=1e-9)
            assert dry.energy == 0.0
        else:
            assert dry.energy > without.energy


def test_what_rests_in_the_plan_rests_in_its_samples(symmetric):
    samples = symmetric.trajectory.sample(1e-3)
    idle = [j for j, load in enumerate(symmetric.joint_loads) if load.peak_velocity == 0.0]
    assert not samples.qd[:, idle].any()
    assert not samples.qdd[:, idle].any()
    assert np.ptp(samples.q[:, idle], axis=0).max() <= 4 * REST


def test_symmetric_plans_validate(symmetric):
    assert [check.name for check in prove(symmetric).failures] == []


@pytest.mark.parametrize("step", [0.0, 1e-9, 1e-7, 1e-5])
def test_points_that_hardly_differ_validate(step):
    made = plan(job_with([(0.1 + k * step, 1.42, 0.75) for k in range(4)]))
    assert made.feasible
    assert [check.name for check in prove(made).failures] == []


def test_a_travel_of_no_length_takes_no_time_and_bears_no_load():
    """Its gravity torque at a place where the law is switched off is not a load of the motion."""
    job = job_with([(0.1, 1.42, 0.75)] * 3, coulomb=0.0)
    once = plan(job_with([(0.1, 1.42, 0.75)], coulomb=0.0))
    thrice = plan(job)
    assert thrice.totals.duration == pytest.approx(3.0 * once.totals.duration, rel=1e-12)
    for a, b in zip(once.joint_loads, thrice.joint_loads, strict=True):
        assert b.peak_torque == pytest.approx(a.peak_torque, rel=1e-12)


def test_travels_keep_joints_at_rest():
    limits = JointLimits.of(read_job(path_of("nine-points-corrected")).mechanism)
    start = np.array([[0.1, 0.2, 0.3, 0.4, 0.5]])
    end = start + np.array([[1e-16, 0.5, -1e-12, 0.0, 1e-6]])
    motions = TravelMotions(start, end, "quintic", limits)
    state = motions.states(np.zeros(1, int), motions.law_at(np.zeros(1, int), np.array([0.4])))
    assert (state.dq[0] != 0.0).tolist() == [False, True, False, False, True]
    assert np.array_equal(state.q[0, [0, 2, 3]], start[0, [0, 2, 3]])


def test_detours_have_no_slivers_and_no_noise():
    """A joint that rests on one leg only, and a piece of 1e-14 s that rounding left over."""
    limits = JointLimits.of(read_job(path_of("nine-points-corrected")).mechanism)
    v = np.array([0.5, 1e-17, 0.0, 0.0, 0.0])
    w = np.array([0.5, 0.3, 0.0, 0.0, 0.0])
    still = np.zeros(5)
    pieces = RoundedMotion(
        duration=np.array([0.1, 1e-14, 0.1, 0.1]),
        q=np.cumsum([still, 0.05 * v, 1e-14 * v, 0.05 * (v + w)], axis=0),
        before=np.array([still, v, v, w]),
        after=np.array([v, v + 1e-13, w, still]),
    )
    motions = DetourMotions([pieces], still[None], limits)
    assert motions.pieces == 3
    s = np.linspace(0.0, 1.0, 201)
    state = motions.states(np.zeros(201, int), motions.law_at(np.zeros(201, int), s))
    assert np.abs(state.ddq / motions.duration[0] ** 2).max() < 1.5 * 0.5 / 0.1 + 1e-6
    assert not state.dq[s < 0.33, 1].any()
