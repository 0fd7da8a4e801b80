"""The family of the measuring arm: which mechanisms it is, and the dimensions of one of them.

Five revolute joints in a chain: a vertical shoulder, two parallel axes (upper arm d3), a forearm
that turns about its own length (r4), a wrist. Lengths, joint offsets, limits and masses are free.

Source: [LAMMARI12] §VI.5, tables VI.1 and VI.2
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from robots.arm.errors import ArmFamilyError
from robots.core.arrays import Array
from robots.core.denavit_hartenberg import DhRow, rows_of
from robots.core.mechanism import Joint, JointKind, Mechanism

JOINTS = 5
_EXACT = 1e-9  # a length [m] or angle [rad] below this is zero: far below any machine's accuracy

# alpha of each row; which of d and r may differ from zero, "+" where it must.
_ROWS = ((0.0, "r"), (math.pi / 2, ""), (0.0, "d+"), (math.pi / 2, "r+"), (-math.pi / 2, ""))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ArmFamily:
    """Dimensions of one measuring arm.

    Args:
        shoulder_height: r1. [m]
        upper_arm: d3. [m]
        forearm: r4. [m]
        offsets: constant part of each joint angle, theta of its row. # (5,) [rad]
        stylus_direction: tool z in frame 5; normal to the last axis. # (3,)
        stylus_length: wrist centre to tool origin along the stylus. [m]
        stylus_side: what of the tool's origin does not lie on the stylus axis, frame 5. # (3,) [m]
    """

    shoulder_height: float
    upper_arm: float
    forearm: float
    offsets: Array
    stylus_direction: Array
    stylus_length: float
    stylus_side: Array

    @property
    def closed_form(self) -> bool:
        """Whether the tool's origin lies on the stylus axis, so that no iteration is needed."""
        return float(np.abs(self.stylus_side).max()) <= _EXACT

    @property
    def side(self) -> Array:
        """The ball beside the stylus axis: along z5, and along z5 x stylus. # (2,) [m]."""
        x, y, z = self.stylus_side
        return np.array([z, y * self.stylus_direction[0] - x * self.stylus_direction[1]])

    @property
    def reach(self) -> float:
        """Largest distance from the shoulder to the wrist centre. [m]."""
        return self.upper_arm + self.forearm

    def radius(self, theta: Array) -> Array:
        """Signed distance of the wrist centre from the first axis. # (..., 5) -> (...) [m]."""
        q2, q23 = theta[..., 1], theta[..., 1] + theta[..., 2]
        return np.asarray(self.upper_arm * np.cos(q2) + self.forearm * np.sin(q23))

    def wrist_sine(self, theta: Array) -> Array:
        """Signed sine of the angle between stylus and forearm. # (..., 5) -> (...)."""
        x, y = self.stylus_direction[:2]
        return np.asarray(np.cos(theta[..., 4]) * x - np.sin(theta[..., 4]) * y)

    def shortfall(self, center: Array) -> Array:
        """Distance of wrist centres beyond what the two arm lengths can span. # (..., 3) [m].

        Zero or negative within reach; the triangle rule, with nothing of the inverse equations.
        """
        shoulder = np.array([0.0, 0.0, self.shoulder_height])
        distance = np.linalg.norm(center - shoulder, axis=-1)
        inner = abs(self.upper_arm - self.forearm)
        return np.asarray(np.maximum(distance - self.reach, inner - distance))


def arm_family(mechanism: Mechanism) -> ArmFamily:
    """Dimensions of a mechanism of the family.

    Raises:
        ArmFamilyError: it is not one; the message names the joint and what differs.
    """
    joints = mechanism.joints
    if len(joints) != JOINTS or not mechanism.is_chain:
        raise ArmFamilyError(
            f"{mechanism.name!r} is not a measuring arm: it has {len(joints)} joints"
            f"{'' if mechanism.is_chain else ' in a branched tree'}; a measuring arm is a chain of "
            f"{JOINTS} revolute joints."
        )
    rows = [_row(mechanism.name, k, joint) for k, joint in enumerate(joints)]
    direction = mechanism.tool[:3, 2].copy()
    if abs(direction[2]) > _EXACT or mechanism.tool_joint != JOINTS - 1:
        raise ArmFamilyError(
            f"{mechanism.name!r} is not a measuring arm: its stylus direction in the last frame is "
            f"{np.round(direction, 6).tolist()}; it must be on joint 5 and normal to its axis."
        )
    origin = mechanism.tool[:3, 3]
    length = float(origin @ direction)
    return ArmFamily(
        shoulder_height=rows[0].r,
        upper_arm=rows[2].d,
        forearm=rows[3].r,
        offsets=np.array([row.theta for row in rows]),
        stylus_direction=direction,
        stylus_length=length,
        stylus_side=np.asarray(origin - length * direction),
    )


def _row(arm: str, place: int, joint: Joint) -> DhRow:
    """The joint's row, refused when it is not the family's."""
    alpha, free = _ROWS[place]
    pair = rows_of(joint.placement)
    row = pair.joint
    found = (
        joint.kind is JointKind.REVOLUTE
        and pair.is_single
        and abs(math.remainder(row.alpha - alpha, math.tau)) <= _EXACT
        and _allowed(row.d, "d", free)
        and _allowed(row.r, "r", free)
    )
    if not found:
        raise ArmFamilyError(
            f"{arm!r} is not a measuring arm: joint {joint.name!r} is {joint.kind.value} with "
            f"alpha = {math.degrees(row.alpha):g} deg, d = {row.d * 1e3:g} mm, "
            f"r = {row.r * 1e3:g} mm{'' if pair.is_single else ' after a further rotation'}; "
            f"joint {place + 1} of the family is revolute with alpha = {math.degrees(alpha):g} deg"
            f"{_lengths(free)}.",
            joint=joint.name,
        )
    return row


def _allowed(length: float, name: str, free: str) -> bool:
    if name not in free:
        return abs(length) <= _EXACT
    return "+" not in free or length > _EXACT


def _lengths(free: str) -> str:
    return {
        "": ", d = 0 and r = 0",
        "d+": ", d above zero and r = 0",
        "r": ", d = 0 and any r",
        "r+": ", d = 0 and r above zero",
    }[free]
