"""BipedMotion: what a scenario did, sample by sample; every scenario answers with one."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from robots.biped.biped import Biped
from robots.biped.posture.margin import signed_margin
from robots.biped.verdict import Stance, Verdict
from robots.core.arrays import Array, freeze_field

_FEWEST = 2  # samples of a robot that has fallen from the start


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
        remedy: what would do where the motion cannot be, with numbers; empty where it is not known.

    The samples after ``verdict.time`` of a fall are those of a robot that is held to the ground:
    no sole turns in them. ``until_fall`` is what has a meaning without a hand.
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
    remedy: str = ""

    def __post_init__(self) -> None:
        for item in fields(self):
            value = getattr(self, item.name)
            if isinstance(value, np.ndarray):
                freeze_field(self, item.name, value)

    def until_fall(self) -> BipedMotion:
        """The motion as far as the first sample after a fall; the whole of it without one."""
        if self.verdict.stance is not Stance.FALLEN:
            return self
        count = max(int(np.searchsorted(self.t, self.verdict.time)) + 1, _FEWEST)
        support = self.support[:count]
        changed: dict[str, Any] = {
            item.name: value[:count]
            for item in fields(self)
            if isinstance(value := getattr(self, item.name), np.ndarray)
        }
        pairs = zip(support, self.com[:count, :2], strict=True)
        least = min(float(signed_margin(corners, point)) for corners, point in pairs)
        return replace(
            self,
            support=support,
            verdict=replace(self.verdict, margin=least),
            curves={name: values[:count] for name, values in self.curves.items()},
            **changed,
        )

    def judged_margin(self) -> Array:
        """Margin of the point that the verdict is about. # (k,) [m].

        A robot that falls is judged by its centre of mass, all others by the zero-moment point.
        """
        if self.verdict.stance is not Stance.FALLEN:
            return self.margin
        pairs = zip(self.support, self.com[:, :2], strict=True)
        return np.array([float(signed_margin(corners, point)) for corners, point in pairs])
