"""Robots that are no measuring arm, and jobs of points that each can reach by construction."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from parts.points import ProbePoints
from planner.reach.serial import SerialReach
from planner.reach.serial_search import SerialTask
from robots.core.joint_samples import joint_ranges
from robots.core.mechanism import BASE, Joint, JointKind, Mechanism
from robots.core.pose import make_pose, rotation_x
from robots.library import load

ROBOTS = ("industrial-6r", "industrial-7r", "gantry-5")
ANGLE = np.radians(40.0)  # of the stylus from the flange's axis


def driven(mechanism):
    """The robot with speed and acceleration limits wherever its file gives none."""
    joints = [
        replace(
            joint,
            max_speed=min(joint.max_speed, 2.0),
            max_acceleration=min(joint.max_acceleration, 10.0),
        )
        for joint in mechanism.joints
    ]
    return replace(mechanism, joints=tuple(joints))


def slide(name, along, low=-0.5, high=0.5):
    """A joint that slides along x, y or z of its parent."""
    T = np.eye(4)
    T[:3, :3] = {
        "x": [[0, 0, 1], [0, 1, 0], [-1, 0, 0]],
        "y": [[1, 0, 0], [0, 0, 1], [0, -1, 0]],
        "z": np.eye(3),
    }[along]
    return Joint(
        name=name, kind=JointKind.PRISMATIC, parent=BASE, placement=T, q_min=low, q_max=high
    )


@pytest.fixture(scope="session")
def robots():
    """The library's own, and the six-axis arm with a stylus of 100 mm at an angle to its flange."""
    found = {name: driven(load(name)) for name in ROBOTS}
    arm = found["industrial-6r"]
    tilt = make_pose(rotation=rotation_x(ANGLE)) @ make_pose(translation=[0.0, 0.0, 0.1])
    return found | {"angled-6r": replace(arm, name="angled-6r", tool=arm.tool @ tilt)}


@pytest.fixture(scope="session")
def reaches(robots):
    return {name: SerialReach(robot) for name, robot in robots.items()}


@pytest.fixture(scope="session")
def two_columns(robots):
    """The gantry on a second bridge: six joints that cannot turn the tool about the probe axis."""
    gantry = robots["gantry-5"]
    below = replace(gantry.joints[0], name="q0", q_min=-0.2, q_max=0.2, body=gantry.joints[1].body)
    back = np.linalg.inv(gantry.joints[0].placement) @ gantry.joints[0].placement
    joints = [below, replace(gantry.joints[0], parent=0, placement=back)]
    joints += [replace(j, parent=k + 1) for k, j in enumerate(gantry.joints[1:], start=0)]
    joints = [replace(j, parent=k - 1) for k, j in enumerate(joints)]
    return Mechanism(name="two columns", joints=tuple(joints), tool=gantry.tool)


@pytest.fixture(scope="session")
def serial_job(corrected_job):
    """A job of random postures' points: ``serial_job(robot, count, distance=…, shrink=…)``.

    The postures are those at contact, within the middle part of the ranges that ``shrink`` leaves.
    """

    def made(robot, count, *, distance=0.02, shrink=0.1, seed=0, **tables):
        low, high = joint_ranges(robot, 1.0)
        rng = np.random.default_rng(seed)
        part = shrink + (1.0 - 2.0 * shrink) * rng.random((count, robot.dof))
        T = SerialTask(robot).model.forward(low + (high - low) * part)
        points = ProbePoints(
            names=tuple(f"P{k}" for k in range(count)),
            positions=T[:, :3, 3],
            normals=-T[:, :3, 2],
        )
        return replace(
            corrected_job,
            mechanism=robot,
            points=points,
            frame="base",
            approach=replace(corrected_job.approach, distance=distance),
            checks=replace(corrected_job.checks, torque_limits=np.full(robot.dof, np.inf)),
            **tables,
        )

    return made
