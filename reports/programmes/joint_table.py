"""Joint trajectory for any robot, as CSV."""

from __future__ import annotations

import numpy as np

from reports.programmes.joint_units import angular_joints, to_degrees
from reports.programmes.plain_numbers import rounded
from reports.programmes.source import ProgrammeSource

_ANGLE = 6  # decimals of degrees and millimetres
_RATE = 5
PATH = "robot/joints.csv"


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
    template = "%.6f,%d,%s" + f",%.{_ANGLE}f" * n + f",%.{_RATE}f" * n
    columns = np.hstack([rounded(scale * posts.q, _ANGLE), rounded(scale * posts.qd, _RATE)])
    kinds = [plan.timeline[k].kind.value for k in posts.segment]
    rows = [
        template % (t, k, kind, *row)
        for t, k, kind, row in zip(
            posts.t.tolist(), posts.segment.tolist(), kinds, columns.tolist(), strict=True
        )
    ]
    lines = [*(f"# {line}" for line in about), ",".join(names), *rows]
    return {PATH: ("\n".join(lines) + "\n").encode("ascii")}
