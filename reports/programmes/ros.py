"""ROS: a ``trajectory_msgs/JointTrajectory`` as YAML, in radians and metres."""

from __future__ import annotations

import numpy as np

from reports.programmes.plain_numbers import rounded
from reports.programmes.safe_text import ascii_text
from reports.programmes.source import ProgrammeSource

PATH = "robot/joint_trajectory.yaml"
_DECIMALS = (9, 8, 6)  # of positions, velocities, accelerations
_NANO = 1_000_000_000


def ros(source: ProgrammeSource) -> dict[str, bytes]:
    """Write ``robot/joint_trajectory.yaml``."""
    posts = source.quintic
    about = [
        *source.about(),
        "trajectory_msgs/JointTrajectory; rad and m, rad/s and m/s, s",
        *source.about_joints(posts, "polynomials of degree five"),
        "at a switch of law the acceleration after it is given",
    ]
    names = [
        ascii_text(joint.name, hidden='"\\', longest=60)
        for joint in source.plan.job.mechanism.movable
    ]
    quoted = ", ".join(f'"{name}"' for name in names)  # codes such as \x22 are YAML's own
    head = [
        *(f"# {line}" for line in about),
        'header: {stamp: {sec: 0, nanosec: 0}, frame_id: ""}',
        f"joint_names: [{quoted}]",
        "points:",
    ]
    n = posts.q.shape[1]
    template = _template(n)
    values = zip((posts.q, posts.qd, posts.qdd), _DECIMALS, strict=True)
    columns = np.hstack([rounded(block, decimals) for block, decimals in values])
    nanos = np.round(posts.t * _NANO).astype(np.int64).tolist()
    rows = [
        template % (*row, time // _NANO, time % _NANO)
        for row, time in zip(columns.tolist(), nanos, strict=True)
    ]
    return {PATH: ("\n".join([*head, *rows]) + "\n").encode("ascii")}


def _template(n: int) -> str:
    q, qd, qdd = (", ".join([f"%.{decimals}f"] * n) for decimals in _DECIMALS)
    return (
        f"- positions: [{q}]\n  velocities: [{qd}]\n  accelerations: [{qdd}]\n"
        "  time_from_start: {sec: %d, nanosec: %d}"
    )
