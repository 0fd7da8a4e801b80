"""What a layout of points does to the uncertainty of the feature that is fitted through them.

A fit of a feature to n points with independent errors of standard deviation σ along the normal has
the covariance σ² (JᵀJ)⁺, where row i of J is the derivative of the signed distance of point i:
its normal n and (x − c)×n for the six rigid motions, and the derivatives with radii and angles. A
motion along which the feature slides on itself is no parameter; the pseudo-inverse leaves it out.
For a layout that shares out the area evenly JᵀJ grows with n, so every standard deviation falls as
σ · factor/√n.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from parts.errors import SamplingError
from parts.features.patch import Patch, SurfacePoints
from robots.core.arrays import Array
from robots.core.caps import Cap

_ZERO = 1e-9  # of the largest singular value: what slides on itself


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """Uncertainty of a fit per unit of σ.

    Args:
        points: their number n.
        parameters: number p that the points determine.
        surface: standard deviation of the fitted surface along its normal, at the point of the
            patch where it is worst, over σ; at least √(p/n).
        sizes: standard deviation of every size over σ, angles in rad/m.
    """

    points: int
    parameters: int
    surface: float
    sizes: dict[str, float]

    @property
    def factor(self) -> float:
        """``surface`` · √n: what stays as n grows; √p for the best possible layout."""
        return self.surface * float(np.sqrt(self.points))


def design_of(patch: Patch, points: SurfacePoints, everywhere: SurfacePoints) -> Design:
    """Uncertainty that a layout gives.

    Args:
        patch: that the points lie on.
        points: of the layout.
        everywhere: many points of the patch, where the fitted surface is judged.
    """
    frame = _Frame.of(everywhere)
    J, there = frame.rows(patch, points), frame.rows(patch, everywhere)
    determined = _rank(there)
    _, values, Vt = np.linalg.svd(J, full_matrices=False)
    good = values > _ZERO * values[0]
    if int(good.sum()) < determined:
        return Design(points=len(points), parameters=determined, surface=np.inf, sizes={})
    spread = Vt[good].T / values[good]
    surface = float(np.linalg.norm(there @ spread, axis=1).max())
    names = list(patch.sizes(points))
    units = frame.units(names)
    deviations = np.linalg.norm(spread[6:], axis=1) / units
    sizes = dict(zip(names, map(float, deviations), strict=True))
    return Design(points=len(points), parameters=determined, surface=surface, sizes=sizes)


def least_count(design: Design, sigma: float, target: float) -> int:
    """Points that a layout of this factor needs: n = ⌈(σ · factor/target)²⌉, at least p.

    Args:
        design: of a layout of the same kind.
        sigma: standard deviation of one probing. [m]
        target: standard deviation allowed at the worst point of the surface. [m]

    Raises:
        SamplingError: not positive, or more points than are sensible.
    """
    if not (sigma > 0.0 and target > 0.0 and np.isfinite(sigma) and np.isfinite(target)):
        raise SamplingError(
            f"Probing with a standard deviation of {sigma:g} m for a target of {target:g} m; "
            "expected both above zero.",
            sigma=sigma,
            target=target,
        )
    count = (sigma * design.factor / target) ** 2
    most = Cap.PROBE_POINTS.limit
    if not count <= most:
        raise SamplingError(
            f"A target of {target:g} m needs {count:.3g} points of {sigma:g} m each; the limit is "
            f"{most}. Ask for {sigma * design.factor / np.sqrt(most):.3g} m or more, or "
            f"{Cap.PROBE_POINTS.advice}.",
            count=count,
            limit=most,
        )
    return max(int(np.ceil(count * (1.0 - 1e-12))), design.parameters)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Frame:
    """Centre and lever of the patch, so that all columns of J are of one size."""

    centre: Array
    lever: float

    @classmethod
    def of(cls, points: SurfacePoints) -> _Frame:
        centre = points.positions.mean(axis=0)
        arms = points.positions - centre
        return cls(centre=centre, lever=float(np.sqrt(np.mean(np.sum(arms**2, axis=1)))))

    def units(self, names: list[str]) -> Array:
        """Angles are multiplied by the lever to be lengths. # (s,)."""
        return np.array([self.lever if "angle" in name else 1.0 for name in names])

    def rows(self, patch: Patch, points: SurfacePoints) -> Array:
        n = points.normals
        turns = np.cross(points.positions - self.centre, n) / self.lever
        sizes = patch.sizes(points)
        columns = np.array(list(sizes.values())).reshape(len(sizes), len(n)).T
        return np.hstack([n, turns, columns / self.units(list(sizes))])


def _rank(rows: Array) -> int:
    values = np.linalg.svd(rows, compute_uv=False)
    return int(np.sum(values > _ZERO * values[0]))
