"""KUKA KRL: every segment a joint spline through its points, with its times."""

from __future__ import annotations

import numpy as np

from planner.plan import SegmentKind
from reports.programmes.axes import ROBOT_AXES, axes_of
from reports.programmes.joint_units import robot_axes, track_axis
from reports.programmes.plain_numbers import number, rounded
from reports.programmes.source import ProgrammeSource

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
