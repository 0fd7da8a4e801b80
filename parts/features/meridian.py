"""Meridians: the curves that, turned about an axis, make the surfaces of revolution.

t is the arc length along the meridian, so a strip of width w along a bound is w in t. ``shared``
is the integral of the radius over t: the area per radian up to t.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from robots.core.arrays import Array


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
        # a tube wider than its ring, and a sphere, end where they meet the axis
        end = float(self.tube * np.arccos(max(-self.ring / self.tube, -1.0)))
        return -end, end

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
