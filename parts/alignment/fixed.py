"""Alignment by given numbers: the part stands where the drawing of the cell says."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from parts.alignment.alignment import Alignment, weighted_rms
from parts.alignment.checked_points import checked_weights, vectors
from parts.alignment.rigid import moved, pose_of, rotation_zyx


def fixed(
    translation: ArrayLike,
    rotation_zyx_angles: ArrayLike = (0.0, 0.0, 0.0),
    *,
    nominal: ArrayLike | None = None,
    measured: ArrayLike | None = None,
) -> Alignment:
    """T_base_part = Trans(t) · Rz(φ)·Ry(γ)·Rx(α).

    Args:
        translation: of the part's origin in the base frame. # (3,) [m]
        rotation_zyx_angles: (φ, γ, α): the part turns about the base's fixed axes x, then y, then
            z, by α, γ, φ. # (3,) [rad]
        nominal: points of the part that were measured, to state residuals. # (k, 3) [m]
        measured: the same points in the base frame. # (k, 3) [m]

    Raises:
        AlignmentError: numbers that are not finite, or points of other shapes.

    Source: [LAMMARI12] §VI.6. The text then maps points by the inverse, T_0^P, which is what its
        tables VI.8 hold; T_P^0 is right (erratum).
    """
    offset = vectors(np.atleast_2d(translation), "translation", 1)[0]
    angles = vectors(np.atleast_2d(rotation_zyx_angles), "angles", 1)[0]
    T = pose_of(rotation_zyx(angles), offset)
    if nominal is None or measured is None:
        return Alignment(
            T_base_part=T, residuals=np.zeros(0), rms=0.0, condition=1.0, method="fixed"
        )
    parts = vectors(nominal, "nominal points")
    seen = vectors(measured, "measured points", len(parts))
    residuals = np.linalg.norm(moved(T, parts) - seen, axis=1)
    rms = weighted_rms(residuals, checked_weights(None, len(parts)))
    return Alignment(T_base_part=T, residuals=residuals, rms=rms, condition=1.0, method="fixed")
