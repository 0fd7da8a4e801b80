"""Refusal of answers that the points do not hold: the Jacobian's rank, and the noise."""

from __future__ import annotations

import numpy as np

from parts.fits.cloud import Cloud
from parts.fits.errors import FitError
from parts.fits.fitted import Fit
from parts.fits.model import Model

WORST_CONDITION = 1e8
_SHARE = 0.1  # of a diameter: a standard deviation beyond it measures nothing
_ANGLE_SHARE = 1.0 / 3.0  # of an apex angle: three standard deviations then reach a cylinder
THIN = 3.0  # standard deviations: points of that spread about a plane are a plane to the eye
CURVATURE = 0.1  # beside Gauss-Newton's: below it first-order covariances mean nothing
_TURN = 0.3  # [rad] a direction less sure than that is none
_MISSING = {
    "circle2d": "points on a longer arc",
    "plane": "points farther from one line",
    "sphere": "points on a larger cap, not on one circle of it",
    "cylinder": "points at different heights, not on one circle or one ruling",
    "cone": "points at different heights, not on one circle or one ruling",
    "torus": "points on a longer piece of the tube and round more of it",
}


def require_sigma(sigma: float | None) -> None:
    """Refuse a standard deviation that is none.

    Raises:
        FitError: not above zero, or not finite.
    """
    if sigma is not None and not (np.isfinite(sigma) and sigma > 0.0):
        raise FitError(
            f"sigma is {sigma} m; expected a standard deviation above zero, or leave it out to "
            "have it estimated from the residuals.",
            where="sigma",
            value=sigma,
            limit=0.0,
            unit="m",
        )


def require_rank(model: Model, condition: float, cloud: Cloud) -> None:
    """Refuse points whose feature can move without leaving them.

    Raises:
        FitError: the Jacobian's condition is beyond what arithmetic holds.
    """
    if not condition <= WORST_CONDITION:
        raise FitError(
            f"The {cloud.count} points do not hold a {model.word}: it can move and still pass "
            f"through them (condition {condition:.3g}, limit {WORST_CONDITION:.0g}); add "
            f"{_MISSING.get(model.kind, 'points farther apart')}.",
            value=condition,
            limit=WORST_CONDITION,
            unit="1",
        )


def require_determined(fit: Fit, model: Model, cloud: Cloud) -> None:
    """Refuse a size or a direction that the points' noise hides.

    Raises:
        FitError: a standard deviation is too large a share of what it belongs to, or the
            residuals bend the sum of squares so much that the covariance is none.
    """
    curvature = fit.certificate.least_curvature
    if curvature < CURVATURE:
        raise FitError(
            f"The residuals of the {model.word} (root mean square {fit.rms:.3g} m) are so large "
            f"beside what holds it that it is loose: the second derivative is {curvature:.3g} of "
            f"the first-order one, limit {CURVATURE}; check that the points lie on a "
            f"{model.word}, or add {_MISSING.get(model.kind, 'points farther apart')}.",
            value=curvature,
            limit=CURVATURE,
            unit="1",
        )
    if fit.given_sigma is None and fit.dof < 1:
        return
    if model.spread == 3 and cloud.thickness < THIN * fit.sigma:
        raise FitError(
            f"The {cloud.count} points lie in one plane as far as their noise lets one see (they "
            f"spread {cloud.thickness:.3g} m about it, their standard deviation is "
            f"{fit.sigma:.3g} m, limit {THIN:g} times that), which holds no {model.word}; add "
            f"{_MISSING.get(model.kind, 'points farther apart')}.",
            value=cloud.thickness,
            limit=THIN * fit.sigma,
            unit="m",
        )
    _require_certain(fit, model)


def deviation_share(name: str) -> float | None:
    """Largest standard deviation of a derived result beside it; None where nothing is asked.

    That of an axis is no share, but an angle.
    """
    if name == "apex_angle":
        return _ANGLE_SHARE
    if name == "axis":
        return _TURN
    return _SHARE if "diameter" in name else None


def _require_certain(fit: Fit, model: Model) -> None:
    """Refuse by the standard deviations of axis, diameters and apex angle."""
    for name, derived in fit.derived.items():
        share = deviation_share(name)
        if share is None:
            continue
        limit = share if name == "axis" else share * abs(float(derived.value[0]))
        deviation = float(np.sqrt(np.linalg.eigvalsh(fit.covariance_of(name))[-1]))
        if deviation > limit:
            unit = "rad" if name == "axis" else derived.unit
            raise FitError(
                f"The noise of the points (standard deviation {fit.sigma:.3g} m) hides the "
                f"{model.word}'s {name}: its standard deviation is {deviation:.3g} {unit}, limit "
                f"{limit:.3g} {unit}; add {_MISSING.get(model.kind, 'points farther apart')}"
                f"{_simpler(name)}.",
                where=name,
                value=deviation,
                limit=limit,
                unit=unit,
            )


def _simpler(name: str) -> str:
    return ", or fit a cylinder" if name == "apex_angle" else ""
