"""Programmes for robot controllers: KRL, RAPID, URScript, ROS, and a plain joint table."""

from __future__ import annotations

import numpy as np

from planner.plan import SegmentKind
from reports.programmes.axes import (
    ROBOT_AXES,
    angular_joints,
    axes_of,
    robot_axes,
    to_degrees,
    track_axis,
)
from reports.programmes.source import ProgrammeSource
from reports.programmes.text import ascii_text, number, rounded

NAME = "palpeur"
_ANGLE = 5  # decimals
_SHARE = 6  # decimals of per cent
_START = (
    "BAS(#INITMOV, 0)",
    "FOR I = 1 TO 6",
    "  $VEL_AXIS[I] = 5",
    "  $ACC_AXIS[I] = 20",
    "ENDFOR",
)
_FULL = ("FOR I = 1 TO 6", "  $VEL_AXIS[I] = 100", "  $ACC_AXIS[I] = 100", "ENDFOR")
_TRACK_START = ("$VEL_EXTAX[1] = 5", "$ACC_EXTAX[1] = 20")
_TRACK_FULL = ("$VEL_EXTAX[1] = 100", "$ACC_EXTAX[1] = 100")
_EXTERNAL = 6  # axes
_NOT_CONNECTED = "9E9"
_JOINTS = 6
_URSCRIPT_ANGLE = 7  # decimals of rad
_LOOKAHEAD = 0.03  # [s] the least that servoj takes
_GAIN = 1000
ROS_PATH = "robot/joint_trajectory.yaml"
_DECIMALS = (9, 8, 6)  # of positions, velocities, accelerations
_NANO = 1_000_000_000
_JOINT_TABLE_ANGLE = 6  # decimals of degrees and millimetres
_RATE = 5
JOINT_TABLE_PATH = "robot/joints.csv"


def krl(source: ProgrammeSource) -> dict[str, bytes]:
    """Write ``robot/palpeur.src`` and ``robot/palpeur.dat``."""
    head = ["&ACCESS RVP", "&REL 1"]
    postures = _postures(source)
    track = axes_of(source.plan.job.mechanism).track is not None
    lines = [
        *head,
        f"DEF {NAME}()",
        *(f"; {line}" for line in _about(source)),
        "DECL INT I",
        *_START,
        *(_TRACK_START if track else ()),
        "; the way to the first point is not proven: drive there by hand first",
        f"PTP {postures[0]}",
        *_FULL,
        *(_TRACK_FULL if track else ()),
        *_blocks(source, postures),
        "END",
    ]
    data = [*head, f"DEFDAT {NAME}", f"; belongs to {NAME}.src, which holds all points", "ENDDAT"]
    texts = {"src": lines, "dat": data}
    return {
        f"robot/{NAME}.{ending}": ("\r\n".join(text) + "\r\n").encode("ascii")
        for ending, text in texts.items()
    }


def _about(source: ProgrammeSource) -> list[str]:
    axes = axes_of(source.plan.job.mechanism)
    labels = {f"A{axis}": joint for axis, joint in enumerate(axes.robot, start=1)}
    if axes.track is not None:
        labels = {"E1": axes.track, **labels}
    return [
        *source.about(hidden=";"),
        "deg and s" + ("; E1, the track, in mm" if axes.track is not None else ""),
        *(f"A{axis} has no joint in the job and is driven to 0" for axis in axes.idle),
        *source.about_joints(source.linear, labels=labels),
        "PTP_SPLINE runs through the points by the controller's own spline (KSS 8.3 on);",
        "TIME_BLOCK sets the times, as far as the machine data of the axes allow",
    ]


def _postures(source: ProgrammeSource) -> list[str]:
    plan, posts = source.plan, source.linear
    axes = axes_of(plan.job.mechanism)
    values = np.hstack([robot_axes(plan, posts.q, axes), track_axis(plan, posts.q, axes)])
    names = [*(f"A{axis}" for axis in range(1, ROBOT_AXES + 1)), "E1"][: values.shape[1]]
    template = "{" + ", ".join(f"{name} %.{_ANGLE}f" for name in names) + "}"
    return [template % tuple(row) for row in rounded(values, _ANGLE).tolist()]


def _blocks(source: ProgrammeSource, postures: list[str]) -> list[str]:
    posts, segments = source.linear, source.plan.timeline
    lines: list[str] = []
    first = 1
    for last in np.flatnonzero(posts.rest[1:]) + 1:
        segment = segments[posts.segment[last]]
        duration = posts.t[last] - posts.t[first - 1]
        lines.append(f"; {segment.kind.value}, {duration:.6f} s")
        if segment.kind is SegmentKind.DWELL:
            lines.append(f"WAIT SEC {duration:.6f}")
        else:
            shares = 100.0 * np.diff(posts.t[first - 1 : last + 1]) / duration
            lines += ["PTP_SPLINE", "TIME_BLOCK START"]
            for posture, share in zip(postures[first : last + 1], shares.tolist(), strict=True):
                lines += [f"SPTP {posture}", f"TIME_BLOCK PART = {number(share, _SHARE)}"]
            lines += [f"TIME_BLOCK END = {duration:.6f}", "ENDSPLINE"]
        first = int(last) + 1
    return lines


def rapid(source: ProgrammeSource) -> dict[str, bytes]:
    """Write ``robot/palpeur.mod``."""
    posts = source.linear
    postures = _rapid_postures(source)
    spans = np.diff(posts.t, prepend=0.0).tolist()
    still = np.all(np.diff(posts.q, axis=0, prepend=np.nan) == 0.0, axis=1)
    lines = [
        f"MODULE {NAME}",
        *(f"  ! {line}" for line in _rapid_about(source)),
        f"  PROC {NAME}_run()",
        "    ! the way to the first point is not proven: drive there by hand first",
        f"    MoveAbsJ {postures[0]}\\NoEOffs, v5, fine, tool0;",
    ]
    for k in range(1, len(posts)):
        if still[k]:
            lines.append(f"    WaitTime {spans[k]:.6f};")
        else:
            zone = "fine" if posts.rest[k] else "z0"
            lines.append(
                f"    MoveAbsJ {postures[k]}\\NoEOffs, vmax\\T:={spans[k]:.6f}, {zone}, tool0;"
            )
    lines += ["  ENDPROC", "ENDMODULE"]
    return {f"robot/{NAME}.mod": ("\r\n".join(lines) + "\r\n").encode("ascii")}


def _rapid_about(source: ProgrammeSource) -> list[str]:
    axes = axes_of(source.plan.job.mechanism)
    labels = {f"rax_{axis}": joint for axis, joint in enumerate(axes.robot, start=1)}
    if axes.track is not None:
        labels = {"eax_a": axes.track, **labels}
    return [
        *source.about(),
        "deg and s" + ("; eax_a, the track, in mm" if axes.track is not None else ""),
        *(f"rax_{axis} has no joint in the job and is driven to 0" for axis in axes.idle),
        *source.about_joints(source.linear, labels=labels),
        "zones round the corners between them (z0); the controller may be slower than",
        "  the times given where it meets its own limits",
    ]


def _rapid_postures(source: ProgrammeSource) -> list[str]:
    plan, posts = source.plan, source.linear
    axes = axes_of(plan.job.mechanism)
    track = track_axis(plan, posts.q, axes)
    values = np.hstack([robot_axes(plan, posts.q, axes), track])
    used = [f"%.{_ANGLE}f"] * track.shape[1]
    outside = [*used, *[_NOT_CONNECTED] * (_EXTERNAL - len(used))]
    template = f"[[{','.join([f'%.{_ANGLE}f'] * ROBOT_AXES)}],[{','.join(outside)}]]"
    return [template % tuple(row) for row in rounded(values, _ANGLE).tolist()]


def urscript(source: ProgrammeSource) -> dict[str, bytes]:
    """Write ``robot/palpeur.script``."""
    posts = source.streamed
    template = "[" + ", ".join([f"%.{_URSCRIPT_ANGLE}f"] * _JOINTS) + "]"
    postures = [template % tuple(row) for row in rounded(posts.q, _URSCRIPT_ANGLE).tolist()]
    how = f"t={posts.period:g}, lookahead_time={_LOOKAHEAD:g}, gain={_GAIN}"
    lines = [
        f"def {NAME}():",  # first of all: a controller that is sent the file reads from here
        *(f"  # {line}" for line in _urscript_about(source)),
        "  # the way to the first point is not proven: drive there by hand first",
        f"  movej({postures[0]}, a=0.2, v=0.05)",
        *(f"  servoj({posture}, {how})" for posture in postures[1:]),
        "  stopj(2.0)",
        "end",
    ]
    return {f"robot/{NAME}.script": ("\n".join(lines) + "\n").encode("ascii")}


def _urscript_about(source: ProgrammeSource) -> list[str]:
    return [
        *source.about(),
        "rad and s",
        "a whole programme: the controller runs it when it is sent to it; a Script node that",
        f"  takes it as a file calls {NAME}() behind it",
        *source.about_joints(source.streamed),
        "servoj smooths and lags behind by its lookahead; that is not in the figure.",
        "the last step may be shorter than the period: the end comes that much later",
    ]


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
