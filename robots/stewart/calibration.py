"""Calibration: the 42 geometric parameters of a platform from measured poses and leg lengths.

Each leg has seven: its point A, its point B and the offset c of its length scale, so that
|p + R·b − a| = m + c for a reading m. The poses are measured from outside, in a fixed frame, of a
frame fixed to the platform: these two frames *are* the base and the platform frame, so there is
no free choice left (no gauge) and all 42 can be found. Were only the lengths read, or poses
relative to the first, six or twelve combinations would be left open; that is not done here.

Least squares by Levenberg and Marquardt with the analytic Jacobian. With the noise of the
instrument given, the errors of a pose spread over all its legs, J Σ Jᵀ, and the residuals are
weighted with the inverse: to first order the most likely parameters.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from robots.core.arrays import Array
from robots.core.pose import as_pose
from robots.stewart.errors import PlatformError
from robots.stewart.platform import LEGS, Platform

PER_LEG = 7  # a (3), b (3), c
PARAMETERS = LEGS * PER_LEG
FEWEST_POSES = 7  # 42 readings
LARGEST_CONDITION = 1e8  # readings good to 1e-7 m would leave some combination open by metres
MOST_ITERATIONS = 100
CONVERGED = 1e-13  # largest change of a parameter that ends the search [m]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MeasurementNoise:
    """Standard deviations of what is measured, one axis each.

    Args:
        position: of the pose. [m]
        orientation: of the pose. [rad]
        length: of the readings of the legs. [m]
    """

    position: float = 0.0
    orientation: float = 0.0
    length: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Calibration:
    """The parameters found, leg by leg.

    Args:
        parameters: a, b, c of each leg. # (6, 7) [m]
        covariance: of ``parameters.ravel()``; from the noise where it was given, else from the
            residuals, and NaN where seven poses leave none. # (42, 42) [m²]
        residual_rms: of the lengths. [m]
        correction: largest change from the nominal values. [m]
        condition: of the weighted Jacobian with columns of length one.
        iterations: of the search.
    """

    parameters: Array
    covariance: Array
    residual_rms: float
    correction: float
    condition: float
    iterations: int

    @property
    def base(self) -> Array:
        """Points A. Base frame. # (6, 3) [m]."""
        return self.parameters[:, :3]

    @property
    def platform(self) -> Array:
        """Points B. Platform frame. # (6, 3) [m]."""
        return self.parameters[:, 3:6]

    @property
    def offsets(self) -> Array:
        """To add to a reading to get the length A to B. # (6,) [m]."""
        return self.parameters[:, 6]

    @property
    def deviations(self) -> Array:
        """Standard deviations, as ``parameters``. # (6, 7) [m]."""
        return np.asarray(np.sqrt(np.diag(self.covariance)).reshape(LEGS, PER_LEG))

    def applied_to(self, platform: Platform) -> Platform:
        """The platform with the points found; the offsets belong to the controller."""
        legs = (
            replace(leg, base=a, platform=b)
            for leg, a, b in zip(platform.legs, self.base, self.platform, strict=True)
        )
        return replace(platform, legs=tuple(legs))


def calibrate(
    platform: Platform,
    poses: ArrayLike,
    readings: ArrayLike,
    *,
    noise: MeasurementNoise | None = None,
) -> Calibration:
    """Find all 42 parameters.

    Args:
        platform: nominal; where the search starts.
        poses: measured T_base_platform. # (n, 4, 4), n ≥ 7
        readings: measured lengths. # (n, 6) [m]
        noise: of the measurement; without it every reading has the same weight.

    Raises:
        PlatformError: too few poses, shapes that do not match, values that are not finite,
            parameters that these poses do not tell apart, a search that does not settle.

    Source: numbers of stewart.md, item 6.
    """
    T, m = _checked(poses, readings)
    start = nominal_parameters(platform)
    whiten = _whitening(T, start, noise)
    condition = _check_identifiable(platform, weighted_jacobian(T, start, noise))
    theta, iterations = _search(T, m, start, whiten)
    J = (whiten @ length_jacobian(T, theta)).reshape(-1, PARAMETERS)
    residual = _residuals(T, m, theta)
    freedom = residual.size - PARAMETERS
    variance = 1.0
    if noise is None:
        variance = float(np.sum(residual**2)) / freedom if freedom else np.nan
    covariance = np.asarray(variance * np.linalg.inv(J.T @ J), dtype=np.float64)
    return Calibration(
        parameters=theta,
        covariance=covariance,
        residual_rms=float(np.sqrt(np.mean(residual**2))),
        correction=float(np.max(np.abs(theta - start))),
        condition=condition,
        iterations=iterations,
    )


def nominal_parameters(platform: Platform) -> Array:
    """a, b and c = 0 of each leg. # (6, 7) [m]."""
    points = [platform.base_points, platform.platform_points, np.zeros((LEGS, 1))]
    return np.concatenate(points, axis=1)


def length_jacobian(T: Array, theta: Array) -> Array:
    """Gradient of each length by all 42; by its own leg's seven: −u, Rᵀu, −1. # (n, 6, 42)."""
    u = _directions(T, theta)
    J = np.zeros((len(T), LEGS, LEGS, PER_LEG))
    legs = np.arange(LEGS)
    J[:, legs, legs, :3] = -u
    J[:, legs, legs, 3:6] = u @ T[:, :3, :3]
    J[:, legs, legs, 6] = -1.0
    return J.reshape(len(T), LEGS, PARAMETERS)


def weighted_jacobian(T: Array, theta: Array, noise: MeasurementNoise | None) -> Array:
    """The same, in standard deviations of the readings where the noise is known. # (n, 6, 42)."""
    return np.asarray(_whitening(T, theta, noise) @ length_jacobian(T, theta))


def _checked(poses: ArrayLike, readings: ArrayLike) -> tuple[Array, Array]:
    T = as_pose(poses, "A measured pose")
    m = np.asarray(readings, dtype=np.float64)
    if T.ndim != 3 or m.shape != (len(T), LEGS) or not np.all(np.isfinite(m)):
        raise PlatformError(
            f"Calibration has poses of shape {T.shape} and readings of shape {m.shape}; give n "
            "poses (n, 4, 4) and n rows of six finite lengths (n, 6) in metres.",
            poses=T.shape,
            readings=m.shape,
        )
    if len(T) < FEWEST_POSES:
        raise PlatformError(
            f"Calibration has {len(T)} poses, {LEGS * len(T)} readings for {PARAMETERS} "
            f"parameters; measure at least {FEWEST_POSES} poses, better 30.",
            found=len(T),
        )
    return T, m


def _vectors(T: Array, theta: Array) -> Array:
    arms = theta[:, 3:6] @ np.swapaxes(T[:, :3, :3], -1, -2)
    return np.asarray(T[:, None, :3, 3] + arms - theta[:, :3])


def _directions(T: Array, theta: Array) -> Array:
    v = _vectors(T, theta)
    return np.asarray(v / np.linalg.norm(v, axis=-1, keepdims=True))


def _residuals(T: Array, m: Array, theta: Array) -> Array:
    return np.asarray(np.linalg.norm(_vectors(T, theta), axis=-1) - theta[:, 6] - m)


def _whitening(T: Array, theta: Array, noise: MeasurementNoise | None) -> Array:
    """W of every pose with WᵀW the inverse covariance of its six residuals. # (n, 6, 6) [1/m]."""
    if noise is None:
        return np.broadcast_to(np.eye(LEGS), (len(T), LEGS, LEGS))
    u = _directions(T, theta)
    arms = theta[:, 3:6] @ np.swapaxes(T[:, :3, :3], -1, -2)
    spread = [noise.position * u, noise.orientation * np.cross(arms, u)]
    J = np.concatenate(spread, axis=-1)
    covariance = J @ np.swapaxes(J, -1, -2) + noise.length**2 * np.eye(LEGS)
    values = np.linalg.eigvalsh(covariance)
    if np.any(~(values[:, 0] > 1e-12 * values[:, -1])):
        raise PlatformError(
            "Calibration: with this noise some combination of readings would have none at all "
            f"(position {noise.position:g} m, orientation {noise.orientation:g} rad, length "
            f"{noise.length:g} m); give the noise of the lengths, or leave it out."
        )
    return np.linalg.inv(np.linalg.cholesky(covariance))


def _check_identifiable(platform: Platform, weighted: Array) -> float:
    """Condition number of the Jacobian with columns of length one."""
    J = weighted.reshape(-1, PARAMETERS)
    _, s, Vt = np.linalg.svd(J / np.linalg.norm(J, axis=0), full_matrices=False)
    condition = float(s[0] / s[-1]) if s[-1] > 0.0 else np.inf
    if condition > LARGEST_CONDITION:
        rank = int(np.sum(s * LARGEST_CONDITION > s[0]))
        weights = np.linalg.norm(Vt[-1].reshape(LEGS, PER_LEG), axis=1)
        name = platform.legs[int(np.argmax(weights))].name
        raise PlatformError(
            f"Calibration of {platform.name!r}: these {len(weighted)} poses tell {rank} of "
            f"{PARAMETERS} parameters apart (condition {condition:.1e}, limit "
            f"{LARGEST_CONDITION:.0e}); the least certain combination is of leg {name!r}. Add "
            "poses turned about all three axes and shifted, as far as strokes and joints allow.",
            rank=rank,
            condition=condition,
            leg=name,
        )
    return condition


def _search(T: Array, m: Array, theta: Array, whiten: Array) -> tuple[Array, int]:
    """Levenberg-Marquardt; the damping only acts where a full step does not help."""
    damping = 0.0
    residual = (whiten @ _residuals(T, m, theta)[..., None]).ravel()
    for iteration in range(1, MOST_ITERATIONS + 1):
        J = (whiten @ length_jacobian(T, theta)).reshape(-1, PARAMETERS)
        width = np.linalg.norm(J, axis=0)
        rows = np.concatenate([J / width, np.sqrt(damping) * np.eye(PARAMETERS)])
        target = np.concatenate([-residual, np.zeros(PARAMETERS)])
        step = (np.linalg.lstsq(rows, target, rcond=None)[0] / width).reshape(LEGS, PER_LEG)
        if np.max(np.abs(step)) <= CONVERGED * max(1.0, float(np.max(np.abs(theta)))):
            return theta + step, iteration
        trial = (whiten @ _residuals(T, m, theta + step)[..., None]).ravel()
        if np.linalg.norm(trial) <= np.linalg.norm(residual) * (1.0 + 1e-9):
            theta, residual, damping = theta + step, trial, 0.1 * damping
        else:
            damping = max(10.0 * damping, 1e-6)
    raise PlatformError(
        f"Calibration does not settle in {MOST_ITERATIONS} iterations: the last step is "
        f"{1e3 * float(np.max(np.abs(step))):.3g} mm. Are poses and readings in the same "
        "order, and in metres?",
        step=float(np.max(np.abs(step))),
    )
