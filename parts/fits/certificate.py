"""Certificate of a fit: why its answer is a minimum, and the least one that was found."""

from __future__ import annotations

from dataclasses import dataclass

_GRADIENT = 1e-6
_STEP = 1e-8


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificate:
    """How far the answer can still be from a minimum of the sum of squares.

    Args:
        gradient: largest cosine between the residuals and a column of the Jacobian; zero means
            that they are orthogonal, so that the first derivative vanishes. Residuals that are
            below 1e-8 of the points' size count as that.
        step: length of the Newton step that is left, in units of the points' root mean square
            distance from their centroid (turns in radians).
        iterations: linear systems solved, from the start that was taken to the end.
        condition: of the Jacobian at the answer with its columns at length one.
        least_curvature: smallest eigenvalue of the true second derivative of the sum of squares,
            its second-order part included, beside Gauss-Newton's (the identity): 1 where
            residuals vanish, above zero at a strict local minimum.
        starts: places from which the minimum was searched.
        agreeing: how many of them ended in this minimum.
        rival: root mean square residual of the next minimum that another start has ended in;
            infinite where there is none. On sets larger than the search's sample, that of the
            sample. [m]
        searched: points in the sample of the search.
    """

    gradient: float
    step: float
    iterations: int
    condition: float
    least_curvature: float
    starts: int
    agreeing: int
    rival: float
    searched: int

    @property
    def stationary(self) -> bool:
        """Whether the first derivative vanishes, as far as rounding lets it."""
        return self.gradient <= _GRADIENT and self.step <= _STEP

    @property
    def strict_minimum(self) -> bool:
        """Whether every small change of the answer makes the sum of squares larger."""
        return self.stationary and self.least_curvature > 0.0
