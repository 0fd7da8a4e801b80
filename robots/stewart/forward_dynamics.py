"""Forward dynamics: the platform's acceleration under given leg forces.

M(T)·A + h(T, V) = Jᵀf + w, with the mass matrix of platform and legs seen at the platform and h
from the inverse dynamics at zero acceleration.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from robots.core.arrays import Array
from robots.stewart.errors import PlatformError
from robots.stewart.model import PlatformModel


def accelerations(
    model: PlatformModel,
    T: ArrayLike,
    V: ArrayLike,
    forces: ArrayLike,
    wrench: ArrayLike | None = None,
) -> Array:
    """Acceleration of the platform under leg forces; the inverse of ``PlatformModel.forces``.

    Args:
        model: of the platform.
        T: T_base_platform. # (..., 4, 4)
        V: platform velocity. # (..., 6) [m/s, rad/s]
        forces: of the drives; friction of the strokes works against them. # (..., 6) [N]
        wrench: exerted by the environment on the platform at its frame's origin, base axes.
            # (..., 6) [N, N m]

    Returns:
        A. # (..., 6) [m/s², rad/s²]

    Raises:
        PlatformError: input not finite, or platform and legs without the inertia to resist.
    """
    push = np.asarray(forces, dtype=np.float64)
    if push.shape[-1:] != (6,) or not np.all(np.isfinite(push)):
        raise PlatformError(
            f"Platform {model.platform.name!r}: the leg forces {push.tolist()} are not six finite "
            "numbers in newtons."
        )
    load = np.zeros(6) if wrench is None else np.asarray(wrench, dtype=np.float64)
    given = np.einsum("...ij,...i->...j", model.jacobian(T), push) + load
    missing = given - model.generalised_wrench(T, V, np.zeros(6))
    try:
        found = np.linalg.solve(model.mass_matrix(T), missing[..., None])[..., 0]
    except np.linalg.LinAlgError:
        raise PlatformError(
            f"Platform {model.platform.name!r}: nothing resists one of its motions, so forces give "
            "it no finite acceleration; give the platform a mass and a tensor."
        ) from None
    return np.asarray(found, dtype=np.float64)
