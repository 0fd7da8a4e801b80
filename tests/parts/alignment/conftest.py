"""Known poses, drawn at random."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from parts.alignment.alignment import pose_of


@pytest.fixture
def pose():
    """``pose(seed, angle, shift)`` → a rigid transform at most that far from the identity."""

    def make(seed: int = 0, angle: float = np.pi, shift: float = 2.0) -> np.ndarray:
        rng = np.random.default_rng(seed)
        axis = rng.normal(size=3)
        vector = axis / np.linalg.norm(axis) * rng.uniform(0, angle)
        return pose_of(Rotation.from_rotvec(vector).as_matrix(), rng.uniform(-shift, shift, 3))

    return make
