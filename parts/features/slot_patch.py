"""The wall of a slot: two half-cylinders and the straight sides between them, as one strip."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from parts.errors import FeatureError
from parts.features.patch import Patch, SurfacePoints
from parts.features.recognition import FormFeature, canonical
from robots.core.arrays import Array, freeze_directions, freeze_vectors


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SlotPatch(Patch):
    """A strip all around a slot; u runs around it from the middle of a side, v along its axis.

    Args:
        centre: on the axis, where heights count from. # (3,) [m]
        axis: of both ends, unit. # (3,)
        along: from one end's axis to the other's, unit. # (3,)
        radius: of the ends. [m]
        straight: length of the sides. [m]
        start: first height. [m]
        end: last. [m]
    """

    centre: Array
    axis: Array
    along: Array
    radius: float
    straight: float
    start: float
    end: float

    def __post_init__(self) -> None:
        freeze_vectors(self, "centre", of=self.kind, error=FeatureError)
        freeze_directions(self, "axis", "along", of=self.kind, error=FeatureError)

    @classmethod
    def of(cls, slot: FormFeature, corners: Array) -> SlotPatch:
        """That of a slot. Args: corners of its wall # (c, 3) [m]."""
        one, other = (piece.point for piece in slot.pieces[:2])
        axis = canonical(slot.axis)
        arm = (other - one) - ((other - one) @ axis) * axis
        straight = float(np.linalg.norm(arm))
        heights = (corners - slot.point) @ axis
        return cls(
            centre=slot.point,
            axis=axis,
            along=canonical(arm / straight),
            radius=0.5 * slot.diameter,
            straight=straight,
            start=float(heights.min()),
            end=float(heights.max()),
        )

    @property
    def kind(self) -> str:
        """Always "slot"."""
        return "slot"

    @property
    def width(self) -> float:
        """Length once around. [m]."""
        return 2.0 * (self.straight + np.pi * self.radius)

    @property
    def height(self) -> float:
        """Along the axis. [m]."""
        return self.end - self.start

    @property
    def round(self) -> bool:
        """It closes about its axis."""
        return True

    def at(self, uv: Array) -> SurfacePoints:
        """Points by their shares of the length around and of the depth."""
        half, turn = 0.5 * self.straight, np.pi * self.radius
        way = np.clip(uv[:, 0], 0.0, 1.0) * self.width
        ends = np.cumsum([half, turn, self.straight, turn])
        # angle of the outward direction, from ``along``: it turns at the ends only
        angle = 0.5 * np.pi + np.clip(way - ends[0], 0.0, turn) / self.radius
        angle += np.clip(way - ends[2], 0.0, turn) / self.radius
        x = np.clip(way - ends[1], 0.0, self.straight) - np.clip(way, 0.0, half)
        x -= np.clip(way - ends[3], 0.0, half)
        side = np.cross(self.axis, self.along)
        out = np.cos(angle)[:, None] * self.along + np.sin(angle)[:, None] * side
        height = self.start + uv[:, 1] * self.height
        positions = self.centre + x[:, None] * self.along + height[:, None] * self.axis
        return SurfacePoints(positions=positions + self.radius * out, normals=-out)

    def inset(self, margin: float) -> SlotPatch:
        """Both ends of the depth move inward by the margin."""
        if self.height <= 2.0 * margin:
            raise FeatureError(
                f"No slot is left {margin:g} m away from its bounds: it is only {self.height:g} m "
                "deep. Give a smaller edge margin.",
                margin=margin,
            )
        return replace(self, start=self.start + margin, end=self.end - margin)
