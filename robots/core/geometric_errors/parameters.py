"""The geometric parameters of an arm that may be wrong, by name.

Every joint between base and tool has a row of modified Denavit-Hartenberg parameters α, d, θ, r.
Between nearly parallel axes a small tilt about y would need enormous rows; there β, about y at the
foot of the common normal, is one parameter more, and the foot is that of the parent's origin.

Source: [LAMMARI12] §II.5.1 for the rows; β is Hayati's.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np

from robots.core.arrays import Array
from robots.core.denavit_hartenberg import DhRow, rows_of
from robots.core.mechanism import Joint, JointKind, Mechanism

# Below this sine (5 degrees) the common normal of two axes is too far away to measure errors by.
NEARLY_PARALLEL = 0.0872
_TINY = 1e-12  # [m] or of a unit vector
TOOL = -1  # joint index of what belongs to no joint


class ErrorKind(Enum):
    """What a parameter is."""

    ANGLE = "angle"  # between axes [rad]
    LENGTH = "length"  # [m]
    OFFSET = "offset"  # zero of a joint's reading [rad or m]
    TOOL = "tool"  # coordinate of the ball in the tool's frame [m]
    EXPANSION = "expansion"  # relative change of all lengths [1]


@dataclass(frozen=True, slots=True, kw_only=True)
class GeometricParameter:
    """One parameter that may be wrong.

    Args:
        name: such as "q2 alpha", "tool x", "expansion".
        joint: index of its joint in the mechanism; -1 for tool and expansion.
        symbol: alpha, d, beta, theta, r, x, y, z or expansion.
        kind: what it is.
        unit: "rad", "m" or "1".
        base: whether it only says how the first axis stands on the base.
    """

    name: str
    joint: int
    symbol: str
    kind: ErrorKind
    unit: str
    base: bool = False


def geometric_parameters(mechanism: Mechanism) -> tuple[GeometricParameter, ...]:
    """All parameters between base and tool, joint by joint, then those of tool and expansion."""
    found: list[GeometricParameter] = []
    base = True
    for index in path_to_tool(mechanism):
        joint = mechanism.joints[index]
        found.extend(_of_joint(joint, index, base=base))
        base = base and not joint.movable
    for symbol in ("x", "y", "z"):
        found.append(
            GeometricParameter(
                name=f"tool {symbol}", joint=TOOL, symbol=symbol, kind=ErrorKind.TOOL, unit="m"
            )
        )
    expansion = GeometricParameter(
        name="expansion", joint=TOOL, symbol="expansion", kind=ErrorKind.EXPANSION, unit="1"
    )
    return (*found, expansion)


def path_to_tool(mechanism: Mechanism) -> tuple[int, ...]:
    """Indices of the joints between base and tool, from the base."""
    path: list[int] = []
    index = mechanism.tool_joint
    while index >= 0:
        path.append(index)
        index = mechanism.joints[index].parent
    return tuple(reversed(path))


def nearly_parallel(joint: Joint) -> bool:
    """Whether the joint's axis keeps nearly the direction of its parent's, either sense."""
    return float(np.hypot(joint.placement[0, 2], joint.placement[1, 2])) < NEARLY_PARALLEL


def foot(placement: Array) -> Array:
    """Frame in which a joint's α and d are measured: x the common normal, z the joint's axis.

    Args:
        placement: joint frame in the parent frame. # (4, 4)

    Returns:
        Foot frame in the parent frame. # (4, 4)
    """
    if float(np.hypot(placement[0, 2], placement[1, 2])) >= NEARLY_PARALLEL:
        pair = rows_of(placement)
        across = DhRow(alpha=pair.joint.alpha, d=pair.joint.d)
        return np.asarray(pair.carrier.pose() @ across.pose())
    z, p = placement[:3, 2], placement[:3, 3]
    nearest = p - (p @ z) * z
    x = nearest if float(np.linalg.norm(nearest)) > _TINY else np.eye(3)[0] - z[0] * z
    x = x / np.linalg.norm(x)
    pose = np.eye(4)
    pose[:3, :3] = np.stack([x, np.cross(z, x), z], axis=1)
    pose[:3, 3] = nearest
    return pose


def _of_joint(joint: Joint, index: int, *, base: bool) -> list[GeometricParameter]:
    revolute, prismatic = joint.kind is JointKind.REVOLUTE, joint.kind is JointKind.PRISMATIC
    angle, length, zero = ErrorKind.ANGLE, ErrorKind.LENGTH, ErrorKind.OFFSET
    rows = [("alpha", angle, "rad"), ("d", length, "m")]
    if nearly_parallel(joint):
        rows.append(("beta", angle, "rad"))
    rows.append(("theta", zero if revolute else angle, "rad"))
    rows.append(("r", zero if prismatic else length, "m"))
    return [
        GeometricParameter(
            name=f"{joint.name} {symbol}",
            joint=index,
            symbol=symbol,
            kind=kind,
            unit=unit,
            base=base and kind is not zero,
        )
        for symbol, kind, unit in rows
    ]
