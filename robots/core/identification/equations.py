"""The measurements as equations: residuals, and their derivatives by errors and sphere centres."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robots.core.arrays import Array, Indices
from robots.core.geometric_errors import ErrorModel
from robots.core.identification.measurements import ArmMeasurements, MeasurementKind


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Linearised:
    """Residuals of B measurements of k numbers, and how they change.

    Args:
        residual: computed less measured. # (B, k) [m]
        by_errors: # (B, k, P)
        by_centres: by the coordinates of the spheres, empty for other kinds. # (B, k, 3 S)
    """

    residual: Array
    by_errors: Array
    by_centres: Array

    def columns(self, kept: Indices | list[int]) -> Array:
        """Sphere centres first, then the chosen errors. # (B, k, 3 S + len(kept))."""
        return np.concatenate([self.by_centres, self.by_errors[..., kept]], axis=-1)


def start_centres(model: ErrorModel, given: ArmMeasurements, errors: Array) -> Array:
    """Mean place of the ball in every sphere; none for other kinds. # (S, 3) [m]."""
    if given.kind is not MeasurementKind.SPHERE:
        return np.zeros((0, 3))
    p, group = model.positions(given.q, errors), given.group_index
    return np.array([p[group == k].mean(axis=0) for k in range(len(given.names))])


def residuals(model: ErrorModel, given: ArmMeasurements, errors: Array, centres: Array) -> Array:
    """Computed less measured. # (B, k) [m]."""
    p = model.positions(given.q, errors)
    if given.kind is MeasurementKind.SPHERE:
        return np.asarray(p - centres[given.group_index])
    if given.kind is MeasurementKind.POINT:
        return np.asarray(p - given.points)
    a, b = given.pairs.T
    return np.asarray(np.linalg.norm(p[b] - p[a], axis=-1) - given.lengths)[:, None]


def linearised(
    model: ErrorModel, given: ArmMeasurements, errors: Array, centres: Array
) -> Linearised:
    """Residuals and derivatives at given errors."""
    J = differences(model, given, errors, model.sensitivities(given.q, errors))
    return Linearised(
        residual=residuals(model, given, errors, centres),
        by_errors=J,
        by_centres=_by_centres(given, len(J)),
    )


def reading_spread(model: ErrorModel, given: ArmMeasurements, errors: Array) -> Array:
    """Change of every residual per joint reading of its one or two postures. # (B, k, n or 2n)."""
    J = model.reading_sensitivities(given.q, errors)
    if given.kind is not MeasurementKind.LENGTH:
        return J
    a, b = given.pairs.T
    u = _directions(model, given, errors)
    parts = [-np.einsum("bi,bij->bj", u, J[a]), np.einsum("bi,bij->bj", u, J[b])]
    return np.concatenate(parts, axis=-1)[:, None, :]


def differences(model: ErrorModel, given: ArmMeasurements, errors: Array, J: Array) -> Array:
    """Change of residuals from that of ball centres. Args: J. # (N, 3, P) -> (B, k, P)."""
    if given.kind is not MeasurementKind.LENGTH:
        return J
    a, b = given.pairs.T
    u = _directions(model, given, errors)
    return np.asarray(np.einsum("bi,bij->bj", u, J[b] - J[a]))[:, None, :]


def _directions(model: ErrorModel, given: ArmMeasurements, errors: Array) -> Array:
    p = model.positions(given.q, errors)
    a, b = given.pairs.T
    v = p[b] - p[a]
    return np.asarray(v / np.linalg.norm(v, axis=-1, keepdims=True))


def _by_centres(given: ArmMeasurements, blocks: int) -> Array:
    if given.kind is not MeasurementKind.SPHERE:
        return np.zeros((blocks, given.kind.block, 0))
    J = np.zeros((blocks, 3, len(given.names), 3))
    J[np.arange(blocks), :, given.group_index, :] = -np.eye(3)
    return J.reshape(blocks, 3, -1)
