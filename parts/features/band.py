"""Bands: pieces of discs, cylinders, cones, spheres and tori between bounds."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from parts.errors import FeatureError
from parts.features.meridian import Arc, Meridian, Parallel, Ray
from parts.features.patch import Patch, SurfacePoints
from parts.geometry.surfaces import Cone, Cylinder, Plane, Sphere, Surface, Torus
from robots.core.arrays import Array, freeze_directions, freeze_vectors

FULL_TURN = 2.0 * np.pi


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Band(Patch):
    """A piece of a surface of revolution.

    u runs with the angle about the axis, v along the meridian, both by area.

    Args:
        surface: with its outside.
        origin: point of the axis that heights count from: the centre, a cone's apex. # (3,) [m]
        axis: unit. # (3,)
        x_axis: unit, square to the axis, where the angle is zero. # (3,)
        start: first arc length along the meridian. [m]
        end: last. [m]
        first_angle: [rad]
        sweep: angle that is covered, at most a full turn. [rad]
    """

    surface: Surface
    origin: Array
    axis: Array
    x_axis: Array
    start: float
    end: float
    first_angle: float = 0.0
    sweep: float = FULL_TURN

    def __post_init__(self) -> None:
        freeze_vectors(self, "origin", of=self.kind, error=FeatureError)
        freeze_directions(self, "axis", "x_axis", of=self.kind, error=FeatureError)
        low, high = self.meridian.bounds
        slack = 1e-9 * max(abs(self.start), abs(self.end))  # degrees and metres were converted
        if not (low - slack <= self.start < self.end <= high + slack):
            raise FeatureError(
                f"The {self.kind} runs from {self.start:g} to {self.end:g} m along its meridian; "
                f"expected a rising range within {low:g} to {high:g} m.",
                start=self.start,
                end=self.end,
            )
        if not 0.0 < self.sweep <= FULL_TURN * (1 + 1e-12):
            raise FeatureError(
                f"The {self.kind} sweeps {np.degrees(self.sweep):g} deg; expected above 0, at most "
                "360 deg.",
                sweep=self.sweep,
            )

    @property
    def kind(self) -> str:
        """That of the surface."""
        return self.surface.kind

    @property
    def meridian(self) -> Meridian:
        """The curve that is turned about the axis."""
        s = self.surface
        if isinstance(s, Cylinder):
            return Parallel(s.radius)
        if isinstance(s, Cone):
            return Ray(s.half_angle)
        if isinstance(s, Sphere):
            return Arc(0.0, s.radius)
        return Arc(s.major_radius, s.minor_radius) if isinstance(s, Torus) else Ray(np.pi / 2)

    @property
    def round(self) -> bool:
        """Always."""
        return True

    @property
    def full(self) -> bool:
        """Whether it closes about its axis."""
        return self.sweep >= FULL_TURN * (1 - 1e-12)

    @property
    def width(self) -> float:
        """Mean length along the angle. [m]."""
        first, last = self._shares
        return float(self.sweep * (last - first) / self.height)

    @property
    def height(self) -> float:
        """Length along the meridian. [m]."""
        return self.end - self.start

    @property
    def _shares(self) -> Array:
        return self.meridian.shared(np.array([self.start, self.end]))

    def at(self, uv: Array) -> SurfacePoints:
        """Points by their shares of angle and area."""
        first, last = self._shares
        t = self.meridian.where(first + uv[:, 1] * (last - first))
        t = np.clip(t, self.start, self.end)
        angle = self.first_angle + self.sweep * uv[:, 0]
        y_axis = np.cross(self.axis, self.x_axis)
        radial = np.cos(angle)[:, None] * self.x_axis + np.sin(angle)[:, None] * y_axis
        place = self.meridian.radius(t)[:, None] * radial
        place = self.origin + place + self.meridian.height(t)[:, None] * self.axis
        positions = self.surface.project(place)  # takes the rounding of the sum away
        return SurfacePoints(positions=positions, normals=self.surface.normal(positions))

    def inset(self, margin: float) -> Band:
        """Bounds move by the margin: along the meridian, and along the narrowest circle."""
        if margin == 0.0:
            return self
        start, end = self._inset_ends(margin)
        angle = 0.0
        if not self.full and start < end:
            radius = float(self.meridian.radius(np.array([start, end])).min())
            angle = np.arcsin(margin / radius) if radius > margin else np.pi
        if start >= end or self.sweep <= 2.0 * angle:
            raise FeatureError(
                f"No {self.kind} is left {margin:g} m away from its bounds: it is only "
                f"{self.height:g} m by {self.width:g} m. Give a smaller edge margin.",
                margin=margin,
            )
        return replace(
            self,
            start=start,
            end=end,
            first_angle=self.first_angle + angle,
            sweep=self.sweep - 2.0 * angle,
        )

    def _inset_ends(self, margin: float) -> tuple[float, float]:
        """Bounds that are real: a pole or the centre of a disc is no edge, nor a closed tube."""
        low, high = self.meridian.bounds
        near = 1e-9 * self.height
        margin = self.meridian.strip(margin)
        if isinstance(self.surface, Torus) and self.height >= high - low - near:
            return self.start, self.end
        start = self.start if self.start <= low + near else self.start + margin
        return start, self.end if self.end >= high - near else self.end - margin

    def sizes(self, points: SurfacePoints) -> dict[str, Array]:
        """Radii and angles: the derivative of the signed distance with each, at the surface."""
        s, k = self.surface, len(points)
        side = -1.0 if getattr(s, "reversed", False) else 1.0
        if isinstance(s, Cylinder | Sphere):
            return {"radius": np.full(k, -side)}
        if isinstance(s, Cone):
            return {"half_angle": -side * np.linalg.norm(points.positions - s.apex, axis=1)}
        if isinstance(s, Torus):
            arms = points.positions - s.centre
            across = np.linalg.norm(arms - np.outer(arms @ s.axis, s.axis), axis=1)
            cosine = (across - s.major_radius) / s.minor_radius
            return {"major_radius": -side * cosine, "minor_radius": np.full(k, -side)}
        return {}


def axis_of(surface: Surface, fallback: Array) -> Array:
    """Axis of a surface of revolution; a sphere takes the fallback. # (3,)."""
    return fallback if isinstance(surface, Sphere) else np.asarray(_axis(surface))


def origin_of(surface: Surface) -> Array:
    """Point of the axis that a band's heights count from. # (3,) [m]."""
    if isinstance(surface, Cone):
        return surface.apex
    if isinstance(surface, Sphere | Torus):
        return surface.centre
    return np.asarray(_point(surface))


def _point(surface: Surface) -> Array:
    if isinstance(surface, Plane | Cylinder):
        return surface.point
    raise FeatureError(f"A {surface.kind} has no axis of revolution.")


def _axis(surface: Surface) -> Array:
    if isinstance(surface, Plane | Cylinder | Cone | Torus):
        return surface.axis
    raise FeatureError(f"A {surface.kind} has no axis of revolution.")
