"""ABB RAPID: absolute joint moves, each with the time it takes."""

from __future__ import annotations

import numpy as np

from reports.programmes.joint_units import filled, to_degrees
from reports.programmes.plain_numbers import rounded
from reports.programmes.source import ProgrammeSource

NAME = "palpeur"
MOST_JOINTS = 12
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
        "    ! the way to the first point is not certified: drive there by hand first",
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
    return [
        *source.about(),
        "deg, and mm for axes that slide; s; robot axes without a joint stay at 0,",
        "  external axes without one are not connected (9E9)",
        *source.about_joints(source.linear),
        "zones round the corners between them (z0); the controller may be slower than",
        "  the times given where it meets its own limits",
    ]


def _postures(source: ProgrammeSource) -> list[str]:
    q = to_degrees(source.plan) * source.linear.q
    axes = max(6, q.shape[1])
    rows = rounded(filled(q, axes), _ANGLE).tolist()
    outside = [f"%.{_ANGLE}f"] * (axes - 6) + [_NOT_CONNECTED] * (12 - axes)
    template = f"[[{','.join([f'%.{_ANGLE}f'] * 6)}],[{','.join(outside)}]]"
    return [template % tuple(row) for row in rows]
