"""Bands of discs, cylinders, cones, spheres and tori: a meridian swept about an axis."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace

import numpy as np

from parts.errors import FeatureError
from parts.features.patch import Patch, SurfacePoints
from parts.geometry.surfaces import Cone, Cylinder, Plane, Sphere, Surface, Torus, across
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
        longest = self.meridian.turn + slack
        if not (low - slack <= self.start < self.end <= min(high + slack, self.start + longest)):
            raise FeatureError(
                f"The {self.kind} runs from {self.start:g} to {self.end:g} m along its meridian; "
                f"expected a rising range within {low:g} to {high:g} m"
                + (f", at most {self.meridian.turn:g} m long." if high < np.inf else "."),
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
        if self.height >= self.meridian.turn - near:
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


# --------------------------------------------------------------------------------------- Meridians
# t is the arc length along the meridian, so a strip of width w along a bound is w in t. ``shared``
# is the integral of the radius over t: the area per radian up to t.


class Meridian(ABC):
    """Half of an axial section: radius from the axis and height along it, over arc length t."""

    __slots__ = ()

    @abstractmethod
    def radius(self, t: Array) -> Array:
        """Distance from the axis. [m]."""

    @abstractmethod
    def height(self, t: Array) -> Array:
        """Along the axis. [m]."""

    @abstractmethod
    def shared(self, t: Array) -> Array:
        """Integral of the radius. [m²/rad]."""

    @abstractmethod
    def where(self, shared: Array) -> Array:
        """Inverse of ``shared``. [m]."""

    @abstractmethod
    def place(self, radius: Array, height: Array) -> Array:
        """Arc length of points given by radius and height. [m]."""

    def strip(self, margin: float) -> float:
        """Arc length whose chord is the margin: distances from edges are straight. [m]."""
        return margin

    @property
    @abstractmethod
    def bounds(self) -> tuple[float, float]:
        """Least and greatest t that exist. [m]."""

    @property
    def turn(self) -> float:
        """Length after which the meridian comes back to where it was. [m]."""
        return np.inf


@dataclass(frozen=True, slots=True)
class Ray(Meridian):
    """A straight meridian from the axis outward: a disc (half angle π/2) or a cone.

    Args:
        half_angle: between axis and meridian. [rad]
    """

    half_angle: float

    def radius(self, t: Array) -> Array:
        """Distance from the axis. [m]."""
        return np.asarray(t * np.sin(self.half_angle))

    def height(self, t: Array) -> Array:
        """Along the axis. [m]."""
        return t * (0.0 if self.half_angle == np.pi / 2 else np.cos(self.half_angle))

    def shared(self, t: Array) -> Array:
        """Integral of the radius. [m²/rad]."""
        return np.asarray(t**2 * np.sin(self.half_angle) / 2.0)

    def where(self, shared: Array) -> Array:
        """Inverse of ``shared``. [m]."""
        return np.asarray(np.sqrt(2.0 * shared / np.sin(self.half_angle)))

    def place(self, radius: Array, height: Array) -> Array:
        """Arc length of points given by radius and height. [m]."""
        return np.asarray(radius * np.sin(self.half_angle) + self.height(height))

    @property
    def bounds(self) -> tuple[float, float]:
        """Least and greatest t that exist. [m]."""
        return 0.0, np.inf


@dataclass(frozen=True, slots=True)
class Parallel(Meridian):
    """A meridian along the axis: a cylinder. Args: distance from the axis. [m]."""

    distance: float

    def radius(self, t: Array) -> Array:
        """Distance from the axis. [m]."""
        return np.full_like(t, self.distance)

    def height(self, t: Array) -> Array:
        """Along the axis. [m]."""
        return t

    def shared(self, t: Array) -> Array:
        """Integral of the radius. [m²/rad]."""
        return np.asarray(t * self.distance)

    def where(self, shared: Array) -> Array:
        """Inverse of ``shared``. [m]."""
        return np.asarray(shared / self.distance)

    def place(self, radius: Array, height: Array) -> Array:
        """Arc length of points given by radius and height. [m]."""
        del radius
        return height

    @property
    def bounds(self) -> tuple[float, float]:
        """Least and greatest t that exist. [m]."""
        return -np.inf, np.inf


@dataclass(frozen=True, slots=True)
class Arc(Meridian):
    """A circle's arc: a torus, or a sphere where ``ring`` is zero.

    Args:
        ring: distance of the circle's centre from the axis. [m]
        tube: its radius. [m]
    """

    ring: float
    tube: float

    def radius(self, t: Array) -> Array:
        """Distance from the axis. [m]."""
        return np.asarray(self.ring + self.tube * np.cos(t / self.tube))

    def height(self, t: Array) -> Array:
        """Along the axis. [m]."""
        return np.asarray(self.tube * np.sin(t / self.tube))

    def shared(self, t: Array) -> Array:
        """Integral of the radius. [m²/rad]."""
        return np.asarray(self.ring * t + self.tube**2 * np.sin(t / self.tube))

    def where(self, shared: Array) -> Array:
        """Inverse of ``shared``. [m]."""
        if self.ring == 0.0:
            sine = np.clip(shared / self.tube**2, -1.0, 1.0)
            return np.asarray(self.tube * np.arcsin(sine))
        return self._bisected(shared)

    def place(self, radius: Array, height: Array) -> Array:
        """Arc length of points given by radius and height. [m]."""
        return np.asarray(self.tube * np.arctan2(height, radius - self.ring))

    @property
    def bounds(self) -> tuple[float, float]:
        """Least and greatest t that exist. [m]."""
        if self.ring >= self.tube:  # a tube has no end: a fillet may lie across its inside
            return -self.turn, self.turn
        # a tube wider than its ring, and a sphere, end where they meet the axis
        end = float(self.tube * np.arccos(-self.ring / self.tube))
        return -end, end

    @property
    def turn(self) -> float:
        """Once round the tube. [m]."""
        return FULL_TURN * self.tube if self.ring >= self.tube else np.inf

    def strip(self, margin: float) -> float:
        """Arc length whose chord is the margin. [m]."""
        return float(2.0 * self.tube * np.arcsin(min(margin / (2.0 * self.tube), 1.0)))

    def _bisected(self, shared: Array) -> Array:
        """Halving; ``shared`` rises everywhere as no radius is negative. 60 bits are enough."""
        low = np.full_like(shared, -2.0 * np.pi * self.tube)
        high = -low
        for _ in range(60):
            middle = 0.5 * (low + high)
            below = self.shared(middle) < shared
            low, high = np.where(below, middle, low), np.where(below, high, middle)
        return np.asarray(0.5 * (low + high))


# --------------------------------------------------------------------------------- Spans of points

_ON_AXIS = 1e-9  # of the largest radius: a point there has no angle
_EQUAL = 1e-3  # of the widest: gaps that are equal but for tessellation


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BandSpan:
    """Points in the coordinates of a band.

    Args:
        band: all round, of some length: it has the axes.
        size: a length that every meridian of the surface has. [m]
        along: place of each point on the meridian. # (k,) [m]
        angles: of the points that lie off the axis. # (≤ k,) [rad]
    """

    band: Band
    size: float
    along: Array
    angles: Array

    def ends(self, *, opening: float) -> tuple[float, float]:
        """Range of the points on the meridian; round a tube it leaves out the widest gap. [m].

        Args:
            opening: a gap round a tube up to this is none. [rad]
        """
        turn = self.band.meridian.turn
        if not np.isfinite(turn):
            return float(self.along.min()), float(self.along.max())
        first, sweep = swept(self.along / self.size, opening)
        if sweep >= FULL_TURN:
            return -0.5 * turn, 0.5 * turn
        first -= FULL_TURN if first + 0.5 * sweep > np.pi else 0.0
        return self.size * first, self.size * (first + sweep)


def band_span(surface: Surface, points: Array, outward: Array) -> BandSpan:
    """Where points of a surface of revolution lie on it.

    Args:
        surface: of revolution.
        points: on it. # (k, 3) [m]
        outward: mean direction of the points' piece: the axis of a sphere, which has none. # (3,)
    """
    axis, origin = axis_of(surface, outward), origin_of(surface)
    size = float(getattr(surface, "minor_radius", getattr(surface, "radius", 1.0)))
    band = Band(surface=surface, origin=origin, axis=axis, x_axis=across(axis), start=0.0, end=size)
    arms = points - origin
    heights = arms @ axis
    radii = np.linalg.norm(arms - np.outer(heights, axis), axis=1)
    off_axis = arms[radii > _ON_AXIS * radii.max(initial=0.0)]
    return BandSpan(
        band=band,
        size=size,
        along=band.meridian.place(radii, heights),
        angles=angles_about(axis, off_axis),
    )


def angles_about(axis: Array, arms: Array) -> Array:
    """Angles about an axis, from the direction that ``across`` gives. # (k, 3) -> (k,) [rad]."""
    x_axis = across(axis)
    return np.asarray(np.arctan2(arms @ np.cross(axis, x_axis), arms @ x_axis))


def swept(angles: Array, opening: float) -> tuple[float, float]:
    """First angle and sweep of the range that leaves out the widest gap. [rad].

    Of gaps that are equal but for tessellation it is always the same one, by where its middle lies.

    Args:
        angles: # (k,) [rad]
        opening: a gap up to this is none: points go all round. [rad]
    """
    ordered = np.sort(angles)
    if not ordered.size:
        return 0.0, FULL_TURN
    gaps = np.diff(np.append(ordered, ordered[0] + FULL_TURN))
    if gaps.max() <= opening or gaps.max() >= FULL_TURN:
        return 0.0, FULL_TURN
    equal = np.flatnonzero(gaps >= gaps.max() * (1.0 - _EQUAL))
    for side in (np.cos, np.sin):  # neither rounding nor where a turn begins chooses among them
        place = side(ordered[equal] + 0.5 * gaps[equal])
        equal = equal[place >= place.max() - _EQUAL]
    widest = int(equal[0])
    return float(ordered[(widest + 1) % ordered.size]), float(FULL_TURN - gaps[widest])
