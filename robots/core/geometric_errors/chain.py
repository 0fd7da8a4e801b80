"""The arm with its errors as equations over any scalar: the tip, and the axis of the probe.

A joint's placement P is split at the foot of the common normal, P = A·B; its errors act there:
P' = A·Rx(δα)·Tx(δd)·Ry(δβ)·B, then Rz(q + δθ)·Tz(δr). In a row of modified Denavit-Hartenberg
parameters this is the row with α + δα, d + δd, θ + δθ, r + δr, for errors of any size.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from robots.core.arrays import Array
from robots.core.equations.algebra import (
    IDENTITY,
    Mat3,
    Scalar,
    Vec3,
    add,
    column,
    from_columns,
    product,
    scale,
    subtract,
    turn_columns,
)
from robots.core.equations.functions import Functions
from robots.core.equations.transforms import BASE_FRAME, Frame
from robots.core.equations.tree import matrix, vector
from robots.core.geometric_errors.parameters import TOOL, foot, path_to_tool
from robots.core.mechanism import Joint, JointKind, Mechanism
from robots.core.pose import inverse_pose

Errors = Mapping[tuple[int, str], Scalar]  # (joint, symbol); what is absent is exact

_ROUNDING = 1e-15


def tip(mechanism: Mechanism, q: Sequence[Scalar], errors: Errors, fn: Functions) -> Frame:
    """Tool frame in the base frame, with errors.

    Args:
        mechanism: the arm; only the joints between base and tool count.
        q: joint values. # (n,) [rad or m]
        errors: of parameters, by joint index and symbol. [rad, m or 1]
        fn: sine and cosine of the scalars.
    """
    variables = {id(joint): k for k, joint in enumerate(mechanism.movable)}
    frame = BASE_FRAME
    for index in path_to_tool(mechanism):
        joint = mechanism.joints[index]
        value = q[variables[id(joint)]] if joint.movable else 0.0
        own = {symbol: error for (owner, symbol), error in errors.items() if owner == index}
        frame = _moved(_placed(frame, joint, own, fn), joint, value, own, fn)
    frame = _then(frame, np.asarray(mechanism.tool))
    shift = [errors.get((TOOL, symbol), 0.0) for symbol in ("x", "y", "z")]
    origin = frame.point((shift[0], shift[1], shift[2]))
    expansion = errors.get((TOOL, "expansion"), 0.0)
    return Frame(rotation=frame.rotation, origin=add(origin, scale(expansion, origin)))


def _placed(frame: Frame, joint: Joint, own: Mapping[str, Scalar], fn: Functions) -> Frame:
    """The joint's frame before it moves."""
    if not {"alpha", "d", "beta"} & set(own):
        return _then(frame, joint.placement)
    A = foot(joint.placement)
    there = _then(frame, A)
    R, p = there.rotation, there.origin
    if "alpha" in own:
        R = _turned_x(R, fn.cos(own["alpha"]), fn.sin(own["alpha"]))
    p = add(p, scale(own.get("d", 0.0), column(R, 0)))
    if "beta" in own:
        R = _turned_y(R, fn.cos(own["beta"]), fn.sin(own["beta"]))
    return _then(Frame(rotation=R, origin=p), inverse_pose(A) @ joint.placement)


def _moved(
    frame: Frame, joint: Joint, value: Scalar, own: Mapping[str, Scalar], fn: Functions
) -> Frame:
    """The joint's frame after it has moved by its value, its zero and its slide being wrong."""
    turns, slides = joint.kind is JointKind.REVOLUTE, joint.kind is JointKind.PRISMATIC
    R, slide = frame.rotation, own.get("r", 0.0)
    if turns or "theta" in own:
        angle = own.get("theta", 0.0) + (value if turns else 0.0)
        R = turn_columns(fn.cos(angle), fn.sin(angle), R)
    if slides:
        slide = slide + value
    return Frame(rotation=R, origin=add(frame.origin, scale(slide, column(R, 2))))


def _then(frame: Frame, pose: Array) -> Frame:
    """A frame followed by a constant pose, whose exact zeros and ones fold away."""
    R = pose[:3, :3]
    R = np.where(np.abs(R - np.round(R)) < _ROUNDING, np.round(R), R)
    rotation = matrix(R)
    turned = frame.rotation if rotation == IDENTITY else product(frame.rotation, rotation)
    return Frame(rotation=turned, origin=frame.point(vector(pose[:3, 3])))


def _turned_x(M: Mat3, c: Scalar, s: Scalar) -> Mat3:
    """M·Rx."""
    x, y, z = _columns(M)
    return from_columns(x, add(scale(c, y), scale(s, z)), subtract(scale(c, z), scale(s, y)))


def _turned_y(M: Mat3, c: Scalar, s: Scalar) -> Mat3:
    """M·Ry."""
    x, y, z = _columns(M)
    return from_columns(subtract(scale(c, x), scale(s, z)), y, add(scale(c, z), scale(s, x)))


def _columns(M: Mat3) -> tuple[Vec3, Vec3, Vec3]:
    return column(M, 0), column(M, 1), column(M, 2)
