"""Forward dynamics of a table of states, some of whose mass matrices may be singular."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robots.core.arrays import Array, Mask
from robots.core.model import Model

_SINGULAR = 1e-13


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JointAccelerations:
    """Accelerations of given torques.

    Args:
        qdd: NaN where the mass matrix is singular. # (N, n) [rad/s² or m/s²]
        singular: where torques do not determine the accelerations. # (N,)
    """

    qdd: Array
    singular: Mask


def accelerations(
    model: Model, q: Array, qd: Array, tau: Array, wrench: Array | None = None
) -> JointAccelerations:
    """Solve A·q̈ = τ - B·[q̇q̇] - C·[q̇²] - Q wherever A is positive definite.

    Args:
        model: of the mechanism.
        q: # (N, n) [rad or m]
        qd: # (N, n) [rad/s or m/s]
        tau: of the drives. # (N, n) [N m or N]
        wrench: of the tool on its environment, base axes. # (N, 6) [N, N m]
    """
    if wrench is not None:
        tau = tau - model.statics(q, wrench)
    singular = is_singular_mass(model.mass_matrix(q))
    qdd = np.full_like(q, np.nan)
    if not np.all(singular):
        qdd[~singular] = model.forward_dynamics(q[~singular], qd[~singular], tau[~singular])
    return JointAccelerations(qdd=qdd, singular=singular)


def is_singular_mass(M: Array) -> Mask:
    """Whether mass matrices are not positive definite, up to rounding. # (..., n, n) -> (...).

    Rows and columns are scaled to a unit diagonal first, so that units and sizes do not matter.
    """
    diagonal = np.diagonal(M, axis1=-2, axis2=-1)
    size = np.sqrt(np.where(diagonal > 0.0, diagonal, np.inf))
    scaled = M / size[..., :, None] / size[..., None, :]
    smallest = np.linalg.eigvalsh(scaled)[..., 0]
    return np.asarray(np.any(diagonal <= 0.0, axis=-1) | (smallest <= _SINGULAR))
