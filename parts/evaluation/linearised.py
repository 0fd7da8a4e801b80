"""A fit to first order: how residuals and results follow small errors of the points."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from parts.fits import Fit
from parts.fits.dispatch import model_of
from robots.core.arrays import Array

LINEAR_KINDS = ("plane", "sphere", "cylinder", "cone", "torus")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LinearFit:
    """Derivatives of a fit at its answer.

    Errors δ of the points move the residuals by ν = n·δ and the minimal coordinates by
    -(J Jᵀ)⁻¹ J ν, J being the residuals' derivative (p, k).

    Args:
        normals: gradient of each residual with its point. # (k, 3)
        residuals: # (k,) [m]
        J: # (p, k)
        gain: (J Jᵀ)⁻¹ J. # (p, k)
        slopes: of the derived results with the minimal coordinates, by name. # (d, p)
        values: of the derived results. # (d,)
    """

    normals: Array
    residuals: Array
    J: Array
    gain: Array
    slopes: dict[str, Array]
    values: dict[str, Array]

    def forms(self, errors: Array) -> Array:
        """Form errors of draws. # (draws, k, 3) [m] -> (draws,) [m]."""
        shifts = self._shifts(errors)
        residuals = self.residuals + shifts - (shifts @ self.gain.T) @ self.J
        return np.asarray(np.ptp(residuals, axis=1))

    def drawn(self, name: str, errors: Array) -> Array:
        """A derived result of draws. # (draws, k, 3) [m] -> (draws, d)."""
        steps = -self._shifts(errors) @ self.gain.T
        return np.asarray(self.values[name] + steps @ self.slopes[name].T)

    def _shifts(self, errors: Array) -> Array:
        return np.asarray(np.einsum("dki,ki->dk", errors, self.normals))


def linear_fit(fit: Fit, points: Array) -> LinearFit:
    """Derivatives of a fit of one of ``LINEAR_KINDS``.

    Args:
        fit: by least squares.
        points: that it was fitted to. # (k, 3) [m]
    """
    model = model_of(fit.kind)
    state = model.state_of(fit.shape)
    residuals, J = model.rows(points.T, state)
    level = model.level(state.local(points.T), state.sizes)
    gain = np.asarray(np.linalg.solve(J @ J.T, J), dtype=np.float64)
    derived = model.derived(state)
    return LinearFit(
        normals=(state.R @ level.normal).T,
        residuals=residuals,
        J=J,
        gain=gain,
        slopes={name: slope.slope for name, slope in derived.items()},
        values={name: slope.value for name, slope in derived.items()},
    )
