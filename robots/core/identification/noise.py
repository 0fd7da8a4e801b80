"""Noise of what is measured, and the weights that follow."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robots.core.arrays import Array
from robots.core.identification.errors import IdentificationError

_FLATTEST = 1e-10  # ratio of the variances of one measurement, below which it would have none


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmNoise:
    """Standard deviations.

    Args:
        encoder: of every joint reading. [rad or m]
        reading: of the ball centre in its seat, of a measured point per axis, or of a length. [m]
    """

    encoder: float = 0.0
    reading: float = 0.0

    def __post_init__(self) -> None:
        if not (0.0 <= self.encoder < np.inf and 0.0 <= self.reading < np.inf):
            raise IdentificationError(
                f"Noise is encoder {self.encoder!r} and reading {self.reading!r}; standard "
                "deviations are finite numbers, zero or more."
            )
        if self.encoder == 0.0 == self.reading:
            raise IdentificationError(
                "Noise is zero in both encoder and reading; give one of them, or no noise at all."
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Prior:
    """How far the parameters may be from their nominal values: standard deviations.

    Args:
        angle: of every angle. [rad]
        length: of every length. [m]
    """

    angle: float
    length: float

    def __post_init__(self) -> None:
        if not (0.0 < self.angle < np.inf and 0.0 < self.length < np.inf):
            raise IdentificationError(
                f"The prior is {self.angle!r} rad and {self.length!r} m; standard deviations "
                "beforehand are finite numbers above zero."
            )


def whitening(spread: Array, noise: ArmNoise | None) -> Array:
    """W of every measurement, with WᵀW the inverse covariance of its numbers.

    Args:
        spread: change of the residual per joint reading. # (B, k, readings)
        noise: none gives the identity.

    Returns:
        # (B, k, k) [1/m]

    Raises:
        IdentificationError: a posture where encoder noise alone leaves a direction without any.
    """
    size = spread.shape[1]
    if noise is None:
        return np.broadcast_to(np.eye(size), (len(spread), size, size))
    covariance = noise.encoder**2 * spread @ np.swapaxes(spread, -1, -2)
    covariance = covariance + noise.reading**2 * np.eye(size)
    values = np.linalg.eigvalsh(covariance)
    flat = ~(values[:, 0] > _FLATTEST * values[:, -1])
    if np.any(flat):
        raise IdentificationError(
            f"Measurement {int(np.argmax(flat)) + 1} would have no noise at all in one direction "
            "(a singular posture); give the noise of the reading too.",
            measurement=int(np.argmax(flat)) + 1,
        )
    return np.linalg.inv(np.linalg.cholesky(covariance))
