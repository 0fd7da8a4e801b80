"""ABB RAPID: absolute joint moves, each with the time it takes."""

from __future__ import annotations

import numpy as np

from reports.programmes.axes import ROBOT_AXES, axes_of
from reports.programmes.joint_units import robot_axes, track_axis
from reports.programmes.plain_numbers import rounded
from reports.programmes.source import ProgrammeSource

NAME = "palpeur"
_EXTERNAL = 6  # axes
_ANGLE = 5  # decimals
_NOT_CONNECTED = "9E9"


def rapid(source: ProgrammeSource) -> dict[str, bytes]:
    """Write ``robot/palpeur.mod``."""
    posts = source.linear
    postures = _postures(source)
    spans = np.diff(posts.t, prepend=0.0).tolist()
    still = np.all(np.diff(posts.q, axis=0, prepend=np.nan) == 0.0, axis=1)
    lines = [
        f"MODULE {NAME}",
        *(f"  ! {line}" for line in _about(source)),
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


def _about(source: ProgrammeSource) -> list[str]:
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


def _postures(source: ProgrammeSource) -> list[str]:
    plan, posts = source.plan, source.linear
    axes = axes_of(plan.job.mechanism)
    track = track_axis(plan, posts.q, axes)
    values = np.hstack([robot_axes(plan, posts.q, axes), track])
    used = [f"%.{_ANGLE}f"] * track.shape[1]
    outside = [*used, *[_NOT_CONNECTED] * (_EXTERNAL - len(used))]
    template = f"[[{','.join([f'%.{_ANGLE}f'] * ROBOT_AXES)}],[{','.join(outside)}]]"
    return [template % tuple(row) for row in rounded(values, _ANGLE).tolist()]
