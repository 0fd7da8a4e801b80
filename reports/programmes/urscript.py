"""URScript: joints streamed at a constant period."""

from __future__ import annotations

from reports.programmes.plain_numbers import rounded
from reports.programmes.source import ProgrammeSource

NAME = "palpeur"
_JOINTS = 6
_ANGLE = 7  # decimals of rad
_LOOKAHEAD = 0.03  # [s] the least that servoj takes
_GAIN = 1000


def urscript(source: ProgrammeSource) -> dict[str, bytes]:
    """Write ``robot/palpeur.script``."""
    posts = source.streamed
    template = "[" + ", ".join([f"%.{_ANGLE}f"] * _JOINTS) + "]"
    postures = [template % tuple(row) for row in rounded(posts.q, _ANGLE).tolist()]
    how = f"t={posts.period:g}, lookahead_time={_LOOKAHEAD:g}, gain={_GAIN}"
    lines = [
        f"def {NAME}():",  # first of all: a controller that is sent the file reads from here
        *(f"  # {line}" for line in _about(source)),
        "  # the way to the first point is not proven: drive there by hand first",
        f"  movej({postures[0]}, a=0.2, v=0.05)",
        *(f"  servoj({posture}, {how})" for posture in postures[1:]),
        "  stopj(2.0)",
        "end",
    ]
    return {f"robot/{NAME}.script": ("\n".join(lines) + "\n").encode("ascii")}


def _about(source: ProgrammeSource) -> list[str]:
    return [
        *source.about(),
        "rad and s",
        "a whole programme: the controller runs it when it is sent to it; a Script node that",
        f"  takes it as a file calls {NAME}() behind it",
        *source.about_joints(source.streamed),
        "servoj smooths and lags behind by its lookahead; that is not in the figure.",
        "the last step may be shorter than the period: the end comes that much later",
    ]
