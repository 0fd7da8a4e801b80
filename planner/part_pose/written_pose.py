"""A pose as it is written into a job file: short decimals that a person can set up."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robots.core.arrays import Array
from robots.core.pose import angles_zyx, make_pose, rotation_zyx

_MM_DIGITS = 2
_DEG_DIGITS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenPose:
    """T_base_part as the keys of a job file's pose.

    Args:
        translation_mm: origin of the part.
        rotation_zyx_deg: angles about z, then y, then x.
    """

    translation_mm: tuple[float, float, float]
    rotation_zyx_deg: tuple[float, float, float]

    @classmethod
    def of(
        cls, T: Array, *, mm_digits: int = _MM_DIGITS, deg_digits: int = _DEG_DIGITS
    ) -> WrittenPose:
        """A pose, rounded. Args: T. # (4, 4)."""
        x, y, z = (_rounded(1e3 * value, mm_digits) for value in T[:3, 3])
        angles = np.degrees(angles_zyx(T[:3, :3]).angles)
        a, b, c = (_rounded(value, deg_digits) for value in angles)
        return cls(translation_mm=(x, y, z), rotation_zyx_deg=(a, b, c))

    @property
    def T(self) -> Array:
        """The pose that a job file with these numbers has. # (4, 4)."""
        rotation = rotation_zyx(np.radians(self.rotation_zyx_deg))
        return make_pose(rotation, np.array(self.translation_mm) / 1e3)

    @property
    def line(self) -> str:
        """The line of a job file's ``[part]``."""
        translation, rotation = (
            ", ".join(f"{value:.10g}" for value in values)
            for values in (self.translation_mm, self.rotation_zyx_deg)
        )
        return f"pose = {{ translation_mm = [{translation}], rotation_zyx_deg = [{rotation}] }}"


def _rounded(value: float, digits: int) -> float:
    return round(float(value), digits) + 0.0  # no negative zero
