"""The passive robot that carries a floating one: six massless joints from the world to a body.

Source: [GASTEBOIS17] §4: a body of the robot is attached to a passive virtual robot that stands in
the world frame, coupled by the theorem on serial chains
"""

from __future__ import annotations

import numpy as np

from robots.core.composite.spatial import Values
from robots.core.mechanism import BASE, Joint, JointKind, Mechanism

# World axes that the joints slide along or turn about, in this order.
_ORDER = ("x", "y", "z", "roll", "pitch", "yaw")
_AXES = {
    "x": [[0, 0, 1], [1, 0, 0], [0, 1, 0]],
    "y": [[0, 1, 0], [0, 0, 1], [1, 0, 0]],
    "z": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
}
_SLIDES = 3


def floating_base(gravity: object, prefix: str = "base ") -> Mechanism:
    """Slides along x, y, z, then turns about x, y', z''; the last link's axes are the world's at 0.

    Singular as any three angles are: at ±90° of pitch.

    Args:
        gravity: in world axes. # (3,) [m/s²]
        prefix: before the joints' names.
    """
    joints = []
    before = np.eye(3)
    for k, name in enumerate(_ORDER):
        slides = k < _SLIDES
        axes = np.array(_AXES["xyz"[k % _SLIDES]], dtype=np.float64)
        joints.append(
            Joint(
                name=prefix + name,
                kind=JointKind.PRISMATIC if slides else JointKind.REVOLUTE,
                parent=k - 1 if k else BASE,
                placement=_turned(before.T @ axes),
            )
        )
        before = axes
    return Mechanism(name="floating base", joints=tuple(joints), gravity=np.asarray(gravity))


def _turned(R: Values) -> Values:
    placement = np.eye(4)
    placement[:3, :3] = R
    return placement
