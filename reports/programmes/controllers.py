"""Motion of a plan for controllers: URScript, ROS, and a plain joint table."""

from __future__ import annotations

import numpy as np

from reports.programmes.axes import angular_joints, to_degrees
from reports.programmes.source import ProgrammeSource
from reports.programmes.text import ascii_text, rounded

NAME = "palpeur"
ROS_PATH = "robot/joint_trajectory.yaml"
_DECIMALS = (9, 8, 6)  # of positions, velocities, accelerations
_NANO = 1_000_000_000
_JOINT_TABLE_ANGLE = 6  # decimals of degrees and millimetres
_RATE = 5
JOINT_TABLE_PATH = "robot/joints.csv"


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
    return {ROS_PATH: ("\n".join([*head, *rows]) + "\n").encode("ascii")}


def _template(n: int) -> str:
    q, qd, qdd = (", ".join([f"%.{decimals}f"] * n) for decimals in _DECIMALS)
    return (
        f"- positions: [{q}]\n  velocities: [{qd}]\n  accelerations: [{qdd}]\n"
        "  time_from_start: {sec: %d, nanosec: %d}"
    )


def joint_table(source: ProgrammeSource) -> dict[str, bytes]:
    """Write ``robot/joints.csv``."""
    plan, posts = source.plan, source.linear
    scale = to_degrees(plan)
    turns = list(enumerate(angular_joints(plan), start=1))
    names = [
        *("t_s", "segment", "kind"),
        *(f"q{k}_deg" if angular else f"q{k}_mm" for k, angular in turns),
        *(f"qd{k}_deg_s" if angular else f"qd{k}_mm_s" for k, angular in turns),
    ]
    about = [
        *source.about(),
        *source.about_joints(posts),
        "segment: index in the segments of plan.json, from 0, that leads to the row",
    ]
    n = len(turns)
    template = "%.6f,%d,%s" + f",%.{_JOINT_TABLE_ANGLE}f" * n + f",%.{_RATE}f" * n
    columns = np.hstack(
        [rounded(scale * posts.q, _JOINT_TABLE_ANGLE), rounded(scale * posts.qd, _RATE)]
    )
    kinds = [plan.timeline[k].kind.value for k in posts.segment]
    rows = [
        template % (t, k, kind, *row)
        for t, k, kind, row in zip(
            posts.t.tolist(), posts.segment.tolist(), kinds, columns.tolist(), strict=True
        )
    ]
    lines = [*(f"# {line}" for line in about), ",".join(names), *rows]
    return {JOINT_TABLE_PATH: ("\n".join(lines) + "\n").encode("ascii")}
