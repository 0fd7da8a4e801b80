"""Patches with area-true coordinates: rectangles on planes, walls of slots, lines and circles."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace

import numpy as np

from parts.errors import FeatureError
from parts.geometry.surfaces import Plane
from robots.core.arrays import Array, Mask, freeze_directions, freeze_fields, freeze_vectors


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SurfacePoints:
    """Points of a surface.

    Args:
        positions: # (k, 3) [m]
        normals: out of the material. # (k, 3) unit
    """

    positions: Array
    normals: Array

    def __post_init__(self) -> None:
        freeze_fields(self, "positions", "normals", dtype=np.float64)

    def __len__(self) -> int:
        """Number of points k."""
        return len(self.positions)

    def where(self, mask: Mask) -> SurfacePoints:
        """Those of the points that are wanted."""
        return SurfacePoints(positions=self.positions[mask], normals=self.normals[mask])


class Patch(ABC):
    """A bounded piece that is reached by coordinates (u, v) in the unit square.

    Equal areas of the square are equal areas of the patch (equal lengths on a curve, which uses u
    only), so that points laid out evenly in the square lie evenly on the patch.
    """

    __slots__ = ()

    @property
    @abstractmethod
    def kind(self) -> str:
        """Kind of the feature: "plane", "line", "circle", "cylinder" and so on."""

    @property
    @abstractmethod
    def width(self) -> float:
        """Mean length along u. [m]."""

    @property
    @abstractmethod
    def height(self) -> float:
        """Length along v; zero on a curve. [m]."""

    @property
    def round(self) -> bool:
        """Whether u is an angle about an axis."""
        return False

    @property
    def measure(self) -> float:
        """Area, or length of a curve. [m²] or [m]."""
        return self.width * (self.height or 1.0)

    @abstractmethod
    def at(self, uv: Array) -> SurfacePoints:
        """Points and outward normals. Args: uv in the unit square. # (k, 2)."""

    @abstractmethod
    def inset(self, margin: float) -> Patch:
        """The same piece without a strip of this width along its bounds. Args: margin [m].

        Raises:
            FeatureError: nothing is left.
        """

    def sizes(self, points: SurfacePoints) -> dict[str, Array]:
        """How the signed distance of points changes with each size that a fit estimates. # (k,)."""
        del points
        return {}


# -------------------------------------------------------------------------------------- Rectangles


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Rectangle(Patch):
    """A rectangle; u runs along its x axis, v along the other side.

    Args:
        surface: the plane, with its outside.
        centre: of the rectangle, on the plane. # (3,) [m]
        x_axis: unit, in the plane. # (3,)
        size: lengths of the sides. # (2,) [m]
    """

    surface: Plane
    centre: Array
    x_axis: Array
    size: tuple[float, float]

    def __post_init__(self) -> None:
        freeze_vectors(self, "centre", of=self.kind, error=FeatureError)
        freeze_directions(self, "x_axis", of=self.kind, error=FeatureError)
        if min(self.size) <= 0.0:
            raise FeatureError(
                f"The plane's sides are {self.size[0]:g} and {self.size[1]:g} m; expected lengths "
                "above zero.",
                found=self.size,
            )

    @property
    def kind(self) -> str:
        """Always "plane"."""
        return "plane"

    @property
    def width(self) -> float:
        """Along the x axis. [m]."""
        return self.size[0]

    @property
    def height(self) -> float:
        """Across it. [m]."""
        return self.size[1]

    def at(self, uv: Array) -> SurfacePoints:
        """Points by their shares of the sides."""
        y_axis = np.cross(self.surface.axis, self.x_axis)
        x, y = ((uv - 0.5) * self.size).T
        place = self.centre + x[:, None] * self.x_axis + y[:, None] * y_axis
        positions = self.surface.project(place)
        return SurfacePoints(positions=positions, normals=self.surface.normal(positions))

    def inset(self, margin: float) -> Rectangle:
        """Every side moves inward by the margin."""
        if min(self.size) <= 2.0 * margin:
            raise FeatureError(
                f"No plane is left {margin:g} m away from its edges: its sides are "
                f"{self.size[0]:g} and {self.size[1]:g} m. Give a smaller edge margin.",
                margin=margin,
            )
        return replace(self, size=(self.width - 2.0 * margin, self.height - 2.0 * margin))


# ---------------------------------------------------------------------------------- Walls of slots


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SlotPatch(Patch):
    """The wall of a slot, two half-cylinders and the sides between them, as one strip.

    u runs around it from the middle of a side, v along its axis.

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


# ------------------------------------------------------------------------------- Lines and circles


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SurfaceLine(Patch):
    """A straight line on a surface.

    Args:
        start: # (3,) [m]
        end: # (3,) [m]
        normal: of the surface along it, unit, square to it. # (3,)
    """

    start: Array
    end: Array
    normal: Array

    def __post_init__(self) -> None:
        freeze_vectors(self, "start", "end", of=self.kind, error=FeatureError)
        freeze_directions(self, "normal", of=self.kind, error=FeatureError)
        if not self.width > 0.0:
            raise FeatureError("The line's ends are the same point; give two different ones.")
        slant = float(abs(self.normal @ (self.end - self.start)) / self.width)
        if slant > 1e-6:
            raise FeatureError(
                f"The line's normal is not square to it (cosine {slant:.3g}); give the normal of "
                "the surface that the line lies on.",
                cosine=slant,
            )

    @property
    def kind(self) -> str:
        """Name of the feature."""
        return "line"

    @property
    def width(self) -> float:
        """Length. [m]."""
        return float(np.linalg.norm(self.end - self.start))

    @property
    def height(self) -> float:
        """None. [m]."""
        return 0.0

    def at(self, uv: Array) -> SurfacePoints:
        """Points by their share of the length."""
        positions = self.start + uv[:, :1] * (self.end - self.start)
        return SurfacePoints(positions=positions, normals=np.tile(self.normal, (len(uv), 1)))

    def inset(self, margin: float) -> SurfaceLine:
        """Both ends move inward by the margin."""
        if self.width <= 2.0 * margin:
            raise FeatureError(
                f"No line is left {margin:g} m away from its ends: it is {self.width:g} m long.",
                margin=margin,
            )
        step = margin / self.width * (self.end - self.start)
        return replace(self, start=self.start + step, end=self.end - step)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SurfaceCircle(Patch):
    """A circle round a hole or a boss, or an arc of it.

    Args:
        centre: # (3,) [m]
        axis: unit normal of its plane. # (3,)
        x_axis: unit, in its plane, where the angle is zero. # (3,)
        radius: [m]
        inner: a hole: normals point to the centre.
        first_angle: [rad]
        sweep: angle that is covered, at most a full turn. [rad]
    """

    centre: Array
    axis: Array
    x_axis: Array
    radius: float
    inner: bool = False
    first_angle: float = 0.0
    sweep: float = 2.0 * np.pi

    def __post_init__(self) -> None:
        freeze_vectors(self, "centre", of=self.kind, error=FeatureError)
        freeze_directions(self, "axis", "x_axis", of=self.kind, error=FeatureError)
        if not self.radius > 0.0 or not 0.0 < self.sweep <= 2.0 * np.pi * (1 + 1e-12):
            raise FeatureError(
                f"The circle has radius {self.radius:g} m and sweeps {np.degrees(self.sweep):g} "
                "deg; expected a radius above zero and a sweep above 0, at most 360 deg.",
                radius=self.radius,
                sweep=self.sweep,
            )

    @property
    def kind(self) -> str:
        """Name of the feature."""
        return "circle"

    @property
    def width(self) -> float:
        """Length. [m]."""
        return self.radius * self.sweep

    @property
    def height(self) -> float:
        """None. [m]."""
        return 0.0

    @property
    def round(self) -> bool:
        """Always."""
        return True

    def at(self, uv: Array) -> SurfacePoints:
        """Points by their share of the angle."""
        angle = self.first_angle + self.sweep * uv[:, 0]
        y_axis = np.cross(self.axis, self.x_axis)
        radial = np.cos(angle)[:, None] * self.x_axis + np.sin(angle)[:, None] * y_axis
        side = -1.0 if self.inner else 1.0
        return SurfacePoints(positions=self.centre + self.radius * radial, normals=side * radial)

    def inset(self, margin: float) -> SurfaceCircle:
        """A full circle has no ends; an arc loses the margin at both."""
        angle = margin / self.radius
        if self.sweep >= 2.0 * np.pi * (1 - 1e-12):
            return self
        if self.sweep <= 2.0 * angle:
            raise FeatureError(
                f"No arc is left {margin:g} m away from its ends: it is {self.width:g} m long.",
                margin=margin,
            )
        return replace(self, first_angle=self.first_angle + angle, sweep=self.sweep - 2.0 * angle)

    def sizes(self, points: SurfacePoints) -> dict[str, Array]:
        """The radius."""
        return {"radius": np.full(len(points), 1.0 if self.inner else -1.0)}
