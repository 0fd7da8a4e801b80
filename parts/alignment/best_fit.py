"""Best-fit alignment: to paired nominal points, or to the nearest points of the part's surface."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from parts.alignment.alignment import (
    Alignment,
    checked_weights,
    move_points,
    pose_of,
    vectors,
    weighted_rms,
)
from parts.alignment.refinement import Contacts, refine
from parts.errors import AlignmentError
from robots.core.arrays import Array

if TYPE_CHECKING:
    from parts.geometry.geometry import Geometry
    from parts.geometry.surfaces import Surface

_LEAST_STIFFNESS = 1e-9  # of the largest: below it one rotation changes nothing measurable
Nearest = Callable[[Array], Contacts]
"""From points in the part frame # (k, 3) [m] to signed distances and surface normals."""


def best_fit_points(
    nominal: ArrayLike, measured: ArrayLike, weights: ArrayLike | None = None
) -> Alignment:
    """Minimise Σ w |R·x + t − p|² over rotations R and translations t, in closed form.

    With centred points and H = Σ w x pᵀ = U S Vᵀ, R = V diag(1, 1, d) Uᵀ with d = ±1 so that
    det R = 1 (Kabsch, Horn). The second derivative of the sum for rotations about the principal
    axes is s2 + d s3, s1 + d s3, s1 + s2: the least of them says whether R is unique, and
    ``condition`` is the root of the largest over the least.

    Args:
        nominal: points in the part frame. # (k, 3) [m]
        measured: the same points in the base frame. # (k, 3) [m]
        weights: of the squared distances. # (k,)

    Raises:
        AlignmentError: fewer than three points with weight, points on one line, or points that
            are each other's mirror image, so that no rotation is best.
    """
    parts = vectors(nominal, "nominal points")
    seen = vectors(measured, "measured points", len(parts))
    w = checked_weights(weights, len(parts))
    if np.count_nonzero(w) < 3:
        raise AlignmentError(
            f"{np.count_nonzero(w)} point pairs with weight do not hold a part; give at least 3 "
            "that are not on one line.",
            found=int(np.count_nonzero(w)),
            limit=3,
        )
    share = w / w.sum()
    centre_part, centre_seen = share @ parts, share @ seen
    a, b = parts - centre_part, seen - centre_seen
    U, s, Vt = np.linalg.svd((share[:, None] * a).T @ b)
    d = 1.0 if np.linalg.det(U) * np.linalg.det(Vt) > 0.0 else -1.0
    _require_plane(share, a, "nominal")
    _require_plane(share, b, "measured")
    stiffness = s[1] + d * s[2]
    if stiffness <= _LEAST_STIFFNESS * s[0]:
        raise AlignmentError(
            "The measured points are the mirror image of the nominal ones, or not theirs at all: "
            "no rotation fits best. Check the order of the points and the signs of the axes.",
            stiffness=float(stiffness / s[0]),
        )
    R = Vt.T @ np.diag([1.0, 1.0, d]) @ U.T
    T = pose_of(R, centre_seen - R @ centre_part)
    residuals = np.linalg.norm(move_points(T, parts) - seen, axis=1)
    return Alignment(
        T_base_part=T,
        residuals=residuals,
        rms=weighted_rms(residuals, w),
        condition=float(np.sqrt((s[0] + s[1]) / stiffness)),
        method="best-fit-points",
    )


def _require_plane(share: Array, centred: Array, what: str) -> None:
    """Refuse points on one line, seen by the spread across their best line."""
    spread = np.linalg.svd(np.sqrt(share)[:, None] * centred, compute_uv=False)
    if spread[1] <= np.sqrt(_LEAST_STIFFNESS) * spread[0] or spread[0] == 0.0:
        where = "in one place" if spread[0] == 0.0 else "on one line"
        raise AlignmentError(
            f"The {what} points are collinear ({where}; they spread {spread[1]:.3g} m across it, "
            f"{spread[0]:.3g} m along it): the part can turn about that line. Add a point off it.",
            across=float(spread[1]),
            along=float(spread[0]),
        )


def best_fit_surface(
    nearest: Nearest,
    measured: ArrayLike,
    weights: ArrayLike | None = None,
    *,
    start: ArrayLike | None = None,
) -> Alignment:
    """Minimise Σ w d(p)², d the signed distance of p from the surface (ICP, point to plane).

    The partners are found anew at every step. It ends at the nearest minimum: ``start`` must be
    near enough that most points meet their own face; three point pairs usually are.

    Args:
        nearest: signed distance and normal of the surface; see ``nearest_on``.
        measured: points in the base frame. # (k, 3) [m]
        weights: of the squared distances. # (k,)
        start: first guess of T_base_part; the identity where left out. # (4, 4)

    Raises:
        AlignmentError: fewer than six points, a surface that leaves a motion free (a plane, a
            sphere, a cylinder alone), or no convergence.
    """
    seen = vectors(measured, "measured points")
    if len(seen) < 6:
        raise AlignmentError(
            f"{len(seen)} points cannot hold the six motions of a part on a surface; give at "
            "least 6.",
            found=len(seen),
            limit=6,
        )
    T = np.eye(4) if start is None else np.array(start, dtype=np.float64)
    return refine(
        nearest,
        seen,
        checked_weights(weights, len(seen)),
        T,
        what="surface points",
        method="best-fit-surface",
    )


def nearest_on(geometry: Geometry) -> Nearest:
    """Signed distance from a part's skin, positive outside; the normal is that of the foot."""

    def meet(points: Array) -> Contacts:
        feet = geometry.closest(points)
        heights = np.sum((points - feet.points) * feet.normals, axis=1)
        return Contacts(normals=feet.normals, residuals=heights)

    return meet


def nearest_on_surface(surface: Surface) -> Nearest:
    """Signed distance from one unbounded analytic surface."""

    def meet(points: Array) -> Contacts:
        return Contacts(normals=surface.normal(points), residuals=surface.distance(points))

    return meet
