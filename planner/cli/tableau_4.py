"""[LAMMARI12] Tableau 4: the least time of one motion under five laws, printed and computed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robots.core.joint_limits import JointLimits
from robots.core.least_time import LeastTime, least_time

# Source: [LAMMARI12] annex A §II; the motion, its limits, and the column of the proposed programme.
DISPLACEMENT_DEG = (90.0, 210.0, -90.0, 180.0, -45.0)
KV = (3.0, 3.0, 3.0, 2.5, 2.5)  # [rad/s]
KA = (5.0, 5.0, 5.0, 3.0, 3.0)  # [rad/s²]
PRINTED = {
    "linear": 1.2566,
    "cubic": 2.5066,
    "quintic": 2.4589,
    "bang-bang": 2.5133,
    "trapezoid": 2.0900,
}
ROUNDING = 5e-5  # half a unit of the last printed digit [s]


@dataclass(frozen=True, slots=True, kw_only=True)
class TableauRow:
    """One law: its least time here and as printed."""

    law: str
    duration_s: float
    printed_s: float


def tableau_motion(law: str) -> LeastTime:
    """The motion of the table under one law."""
    limits = JointLimits(max_speed=np.array(KV), max_acceleration=np.array(KA))
    return least_time(law, np.radians(DISPLACEMENT_DEG), limits)


def tableau_4() -> tuple[TableauRow, ...]:
    """All rows, in the order of the table."""
    return tuple(
        TableauRow(law=law, duration_s=tableau_motion(law).duration, printed_s=printed)
        for law, printed in PRINTED.items()
    )
