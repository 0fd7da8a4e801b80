"""Best fit to a surface: measured points without partners, each meeting the nearest surface."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from parts.alignment.alignment import Alignment
from parts.alignment.checked_points import checked_weights, vectors
from parts.alignment.refinement import Contacts, refine
from parts.errors import AlignmentError
from robots.core.arrays import Array

if TYPE_CHECKING:
    from parts.geometry.geometry import Geometry
    from parts.geometry.surfaces import Surface


Nearest = Callable[[Array], Contacts]
"""From points in the part frame # (k, 3) [m] to signed distances and surface normals."""


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
