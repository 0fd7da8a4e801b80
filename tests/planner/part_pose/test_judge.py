"""What many poses are worth at once is what a plan of each one says."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from parts.points import ProbePoints
from planner.job import read_job
from planner.library import path_of
from planner.part_pose.moved import moved
from planner.part_pose.pose_space import PoseSpace
from planner.part_pose.rating import PoseRating, worst_margin
from planner.planning import plan
from robots.core.pose import make_pose, rotation_zyx


@pytest.fixture(scope="module")
def some(corrected_job, judge):
    space = PoseSpace.of(corrected_job)
    poses = space.poses(space.spread(40, seed=2))
    return poses, judge(poses)


def test_scores_are_those_of_plans(corrected_job, some):
    poses, scores = some
    assert 9.0 in scores.points
    assert np.any((scores.points > 0) & (scores.points < 9))
    for k, T in enumerate(poses[:16]):
        planned = plan(moved(corrected_job, T))
        reached = [point for point in planned.planned_points if point.reachable]
        assert len(reached) == scores.points[k]
        if not reached:
            assert not np.isfinite(scores.joint[k])
            continue
        # a grid of nine places against exact minima along the lines; ends bind most lines
        margin = min(point.joint_margin for point in reached)
        assert scores.joint[k] == pytest.approx(margin, abs=1e-5)
        singular = min(point.singularity_margin for point in reached)
        assert scores.singularity[k] == pytest.approx(singular, abs=1e-5)
        # rough line times are a few per cent short at most
        assert 0.97 < scores.time[k] / planned.totals.duration <= 1.0 + 1e-9


def test_poses_do_not_know_of_each_other(judge, some):
    poses, scores = some
    alone = judge(poses[7:8])
    for name in ("points", "joint", "singularity", "time"):
        assert getattr(alone, name)[0] == getattr(scores, name)[7]


def test_many_points_are_judged_by_a_few(corrected_job):
    points = corrected_job.points
    many = ProbePoints(
        names=tuple(f"Q{k}" for k in range(180)),
        positions=np.repeat(points.positions, 20, axis=0) + np.linspace(0, 0.01, 180)[:, None],
        normals=np.repeat(points.normals, 20, axis=0),
    )
    few = PoseRating(replace(corrected_job, points=many))
    assert few.points == 48
    # the nine groups are far apart: every one of them is among the few
    groups = {int(name[1:]) // 20 for name in few.placed.names}
    assert groups == set(range(9))


def test_an_approach_from_inside_serves_nothing(change):
    job = change(approach={"direction": np.array([0.0, 0.0, -1.0])})
    assert PoseRating(job)(job.part.T_base_part[None]).points[0] == 0


def test_the_worst_margin_is_an_angle():
    joint = np.array([0.2, 0.5, np.inf])
    singularity = np.array([0.9, np.sin(0.3), np.inf])
    np.testing.assert_allclose(worst_margin(joint, singularity), [0.2, 0.3, 0.0], atol=1e-15)


def test_an_arm_in_its_own_way_serves_less():
    """Of an arm without a closed form; its plan loses points there, with and without obstacles."""
    T = make_pose(rotation_zyx(np.radians([-45.5, 0.0, 0.0])), [0.463, 0.0, 0.071])
    block = read_job(path_of("block-with-holes"))
    job = block.replace(robot="yaskawa-gp7", pose=T, cell=None, probe={"stylus_length_mm": 100.0})
    free = replace(job, mechanism=replace(job.mechanism, self_pairs=()))
    found, loose = (PoseRating(one)(T[None]).points[0] for one in (job, free))
    assert loose == 24.0  # of 43 points so many stand for all
    assert found < loose
