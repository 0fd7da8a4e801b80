"""BipedMotion: what a scenario did, sample by sample; every scenario answers with one."""

from __future__ import annotations

from dataclasses import dataclass, field, fields

import numpy as np
from numpy.typing import NDArray

from robots.biped.biped import Biped
from robots.biped.verdict import Verdict

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BipedMotion:
    """Samples of a scenario; k samples, n joints; world axes (x forward, y left, z up).

    Args:
        biped: whose motion.
        title: what is shown to a reader.
        t: instants, increasing. # (k,) [s]
        q: joint positions; qd, qdd their rates. # (k, n) [rad]
        qd: # (k, n) [rad/s]
        qdd: # (k, n) [rad/s²]
        tau: joint torques. # (k, n) [N m]
        T_world_base: pose of the mechanism's base. # (k, 4, 4)
        com: centre of mass. # (k, 3) [m]
        zmp: zero-moment point on the ground. # (k, 3) [m]
        support: corners of the support polygon of each sample, projected along gravity,
            counter-clockwise. # k of (m, 2) [m]
        margin: signed distance of the judged point to the polygon, positive inside. # (k,) [m]
        ground: tilt α (about x of the world's ground, roll) and β (pitch). # (k, 2) [rad]
        verdict: of the whole motion.
        curves: further curves by name, as "ground_pitch_rad" or "capture_x_m". # (k,)
        remarks: sentences for the reader: limits passed, places, amounts.
    """

    biped: Biped
    title: str
    t: Array
    q: Array
    qd: Array
    qdd: Array
    tau: Array
    T_world_base: Array
    com: Array
    zmp: Array
    support: tuple[Array, ...]
    margin: Array
    ground: Array
    verdict: Verdict
    curves: dict[str, Array] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for item in fields(self):
            value = getattr(self, item.name)
            if isinstance(value, np.ndarray):
                value = value.copy()
                value.flags.writeable = False
                object.__setattr__(self, item.name, value)
