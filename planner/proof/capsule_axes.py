"""Where the capsules of a robot are, from the poses of its links."""

from __future__ import annotations

import numpy as np

from robots.core.arrays import Array
from robots.core.model import Model


def capsule_axes(model: Model, q: Array) -> Array:
    """Ends of the axes of all capsules. Base frame. # (m, n) -> (m, capsules, 2, 3) [m]."""
    T, capsules = model.transforms(q), model.mechanism.capsules
    axes = np.empty((len(q), len(capsules), 2, 3))
    for k, capsule in enumerate(capsules):
        for side, end in enumerate((capsule.start, capsule.end)):
            if capsule.joint < 0:
                axes[:, k, side] = end
            else:
                pose = T[:, capsule.joint]
                axes[:, k, side] = pose[:, :3, :3] @ end + pose[:, :3, 3]
    return axes


def axis_distance(points: Array, axes: Array) -> Array:
    """Distance of each point from its own axis. # (m, 3), (m, 2, 3) -> (m,) [m]."""
    along = axes[:, 1] - axes[:, 0]
    square = np.maximum(np.sum(along * along, axis=1), np.finfo(np.float64).tiny)
    share = np.clip(np.sum((points - axes[:, 0]) * along, axis=1) / square, 0.0, 1.0)
    return np.asarray(np.linalg.norm(points - axes[:, 0] - share[:, None] * along, axis=1))
