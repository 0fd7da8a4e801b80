"""What every alignment answers: a pose, and how well the measured points hold it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robots.core.arrays import Array, freeze_fields


@dataclass(frozen=True, slots=True, kw_only=True)
class Convergence:
    """Certificate of an iterative fit: how far the answer can still be from the minimum.

    Args:
        iterations: linear systems solved.
        step: length of the Gauss-Newton step that is left at the answer: what one more iteration
            would still move, rotations taken at the points' lever. [m]
        least_curvature: smallest eigenvalue of the true second derivative of the mean square
            residual, differentiated numerically, beside its largest; above zero the answer is a
            strict local minimum and not a saddle.
    """

    iterations: int
    step: float
    least_curvature: float

    @property
    def strict_minimum(self) -> bool:
        """Whether every small motion away from the answer makes the fit worse."""
        return self.least_curvature > 0.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Alignment:
    """Where the part stands.

    Args:
        T_base_part: maps part coordinates into the base frame. # (4, 4)
        residuals: what the measured points still miss: signed along the surface's normal (out of
            the material is positive), or distances where point pairs are fitted. # (k,) [m]
        rms: weighted root mean square of the residuals. [m]
        condition: largest over smallest singular value of the constraints, rotations taken at the
            points' lever: 1 is ideal; the error of the worst-held motion grows in proportion.
        method: "fixed", "3-2-1", "best-fit-points", "best-fit-surface" or "rps".
        convergence: certificate, for iterative fits.
    """

    T_base_part: Array
    residuals: Array
    rms: float
    condition: float
    method: str
    convergence: Convergence | None = None

    def __post_init__(self) -> None:
        freeze_fields(self, "T_base_part", "residuals", dtype=np.float64)

    @property
    def T_part_base(self) -> Array:
        """The inverse: maps base coordinates into the part frame. # (4, 4)."""
        from parts.alignment.rigid import inverse

        return inverse(self.T_base_part)


def weighted_rms(residuals: Array, weights: Array) -> float:
    """Root of the weighted mean square. Args: residuals # (k,); weights # (k,) above zero."""
    return float(np.sqrt(np.sum(weights * residuals**2) / np.sum(weights)))
