"""A part on a hexapod: the pose's errors are those of ``point_sigma``, shared within a pose."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from planner.errors import JobError
from planner.job import UncertaintySettings, read_job
from planner.planning import plan
from planner.presenting.present import only, point_sigma, pose_covariance, posed
from planner.uncertainty.job_uncertainty import first_order
from planner.uncertainty.measuring import measuring_of_presentation
from planner.uncertainty.monte_carlo import draws
from robots.core.pose import (
    inverse_pose,
    make_pose,
    rotation_exp,
    transform_directions,
    transform_points,
)

JOB = Path(__file__).parent.parent / "presenting" / "job" / "job.toml"


@pytest.fixture(scope="module")
def presented():
    """Two poses of the platform, each with a few points; what a presentation holds of them."""
    job = replace(read_job(JOB), uncertainty=UncertaintySettings(encoder_offset=1e-5))
    presenter = job.presenter
    home = presenter.platform.home
    poses = []
    for shift, turn in ((0.0, 0.0), (0.004, 0.02)):
        T = (
            make_pose(translation=[0.0, 0.0, shift])
            @ home
            @ make_pose(rotation_exp([turn, 0.0, 0.0]))
        )
        covariance = pose_covariance(presenter.platform, T, presenter.length_sigma)
        found = plan(only(posed(job, T), np.arange(4)))
        pose = SimpleNamespace(T_hexapod_platform=T, covariance=covariance, plan=found)
        pose.T_base_part = presenter.T_base_part(T)
        poses.append(pose)
    return SimpleNamespace(job=job, poses=tuple(poses))


@pytest.fixture(scope="module")
def measuring(presented):
    found = measuring_of_presentation(presented)
    assert len(found) >= 4
    assert set(found.carried.tolist()) == {0, 1}
    return found


def test_legs_alone_give_the_presenter_s_own_sigma(presented, measuring):
    alone = replace(measuring, settings=UncertaintySettings())
    found = first_order(alone)
    back = inverse_pose(presented.job.presenter.T_base_hexapod)
    for place, pose in enumerate(presented.poses):
        rows = np.nonzero(measuring.carried == place)[0]
        expected = point_sigma(
            pose.covariance,
            pose.T_hexapod_platform[:3, 3],
            transform_points(back, measuring.surfaces[rows]),
            transform_directions(back, measuring.normals[rows]),
        )
        np.testing.assert_allclose(found.sigma_normal[rows], expected, rtol=1e-9)
    assert found.budgets[0].shares == {"presenter": pytest.approx(1.0)}


def test_drawn_poses_agree_and_are_shared_within_a_pose(measuring):
    alone = replace(measuring, settings=UncertaintySettings())
    drawn = np.concatenate(list(draws(alone, count=20_000)))
    along = np.einsum("mkj,kj->mk", drawn, alone.normals)
    np.testing.assert_allclose(np.std(along, axis=0), first_order(alone).sigma_normal, rtol=0.025)
    one, other = (np.nonzero(alone.carried == place)[0] for place in (0, 1))
    # A platform moves as a rigid body: distances on it stay, those between poses do not.
    length = np.linalg.norm(alone.surfaces[one[0]] - alone.surfaces[one[1]])
    moved = alone.surfaces + drawn
    kept = np.linalg.norm(moved[:, one[0]] - moved[:, one[1]], axis=1) - length
    assert np.max(np.abs(kept)) < 1e-14  # a metre's rounding; the turns are of any size
    assert abs(np.corrcoef(along[:, one[0]], along[:, other[0]])[0, 1]) < 0.05


def test_the_arm_is_wrong_alike_in_all_poses(measuring):
    """Its zeros are drawn once: the same posture in another pose has the same deviation."""
    q = np.array(measuring.q)
    other = int(np.nonzero(measuring.carried == 1)[0][0])
    q[other] = q[0]
    still = replace(measuring, q=q, carriers=(), carried=np.full(len(q), -1))
    drawn = next(iter(draws(still, count=50)))
    np.testing.assert_allclose(drawn[:, 0], drawn[:, other], atol=1e-15)


def test_a_presentation_that_serves_nothing(presented):
    with pytest.raises(JobError, match="no point is measurable in any pose"):
        measuring_of_presentation(SimpleNamespace(job=presented.job, poses=()))


def test_a_part_lies_where_the_job_gives_it(presented, measuring):
    """Points of all poses, brought home, are the points of the job."""
    job = presented.job
    names = job.points.names
    rows = [names.index(name) for name in measuring.names]
    home = transform_points(job.part.T_base_part, job.points.positions[rows])
    np.testing.assert_allclose(measuring.at_home, home, atol=1e-12)
    normals = transform_directions(job.part.T_base_part, job.points.normals[rows])
    np.testing.assert_allclose(measuring.turned_home(measuring.normals), normals, atol=1e-12)


@pytest.mark.parametrize(
    "settings",
    [
        {"alignment": 1e-5, "alignment_turn": 1e-4},
        {"part_temperature": 1.0, "part_expansion": 1e-5},
    ],
)
def test_a_part_is_clamped_wrong_alike_in_all_poses(measuring, settings):
    """The same place of the part is off by the same, seen from the part; first order agrees."""
    alone = replace(
        measuring,
        settings=UncertaintySettings(**settings),
        carriers=tuple(replace(c, covariance=np.zeros((6, 6))) for c in measuring.carriers),
    )
    drawn = np.concatenate(list(draws(alone, count=20_000)))
    home = alone.turned_home(drawn)
    pairs = [
        (k, later)
        for k, name in enumerate(alone.names)
        for later in range(k + 1, len(alone))
        if alone.names[later] == name
    ]
    assert pairs
    for one, other in pairs:
        assert not np.allclose(drawn[:, one], drawn[:, other], rtol=0.01, atol=0.0)
        np.testing.assert_allclose(home[:, one], home[:, other], atol=1e-15)
    expected = first_order(alone).covariances
    scale = np.abs(expected).max()
    for k in range(len(alone)):
        np.testing.assert_allclose(np.cov(drawn[:, k].T), expected[k], atol=0.03 * scale)
