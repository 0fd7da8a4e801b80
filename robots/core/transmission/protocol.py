"""Transmission: what every coupling of k joints with k motors can tell."""

from __future__ import annotations

from typing import Protocol

from robots.core.arrays import Array


class Transmission(Protocol):
    """A coupling of k joints with k motors, one to one over the joints' working range.

    Motor positions count from zero at q = 0. Every array may have leading batch axes.
    """

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of the joints, in the order of ``q``."""

    @property
    def motors(self) -> tuple[str, ...]:
        """Names of the motors, in the order of their positions."""

    @property
    def joint_range(self) -> Array:
        """Least and greatest position of every joint. # (k, 2) [rad]."""

    def motor_position(self, q: Array) -> Array:
        """Motor positions of joint positions. # (..., k) [rad]."""

    def joint_position(self, motor: Array) -> Array:
        """Joint positions of motor positions, on the branch of the working range. # (..., k)."""

    def jacobian(self, q: Array) -> Array:
        """Motor turn per joint turn, motors in rows. # (..., k, k)."""

    def bias(self, q: Array, qd: Array) -> Array:
        """Motor acceleration at constant joint speeds, J̇q̇. # (..., k) [rad/s²]."""
