"""Uncertainty of points: budget, sensitivities, branches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from robots.core.arrays import Array, frozen

_BETTER = 0.9  # of the planned sigma, below which another branch is worth a word
Method = Literal["first order", "Monte Carlo"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Budget:
    """Share of each source in the variance along the normal, to first order.

    Args:
        names: of the sources, such as "reading q2", "offset q2", "lengths", "angles", "stylus",
            "arm temperature", "part temperature", "probe", "alignment", "presenter".
        variances: # (b,) [m²]
    """

    names: tuple[str, ...]
    variances: Array

    def __post_init__(self) -> None:
        object.__setattr__(self, "variances", frozen(self.variances, np.float64))

    @property
    def total(self) -> float:
        """Variance along the normal. [m²]."""
        return float(np.sum(self.variances))

    @property
    def shares(self) -> dict[str, float]:
        """Part of each source in the variance, 0 to 1; all zero where there is no variance."""
        total = self.total or 1.0
        pairs = zip(self.names, self.variances.tolist(), strict=True)
        return {name: variance / total for name, variance in pairs}

    @property
    def sigmas(self) -> dict[str, float]:
        """Standard deviation that each source alone would give. [m]."""
        pairs = zip(self.names, np.sqrt(self.variances).tolist(), strict=True)
        return dict(pairs)

    @property
    def largest(self) -> str:
        """Name of the source with the largest share; empty where there is no variance."""
        return self.names[int(np.argmax(self.variances))] if self.total > 0.0 else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sensitivity:
    """Effect of one input on one point along its normal.

    Args:
        source: entry of the budget that it belongs to.
        name: of the input, such as "q2 alpha".
        unit: of the input: "rad", "m" or "1".
        sigma: standard deviation of the input. [unit]
        coefficient: deviation along the normal per unit. [m/unit]
    """

    source: str
    name: str
    unit: str
    sigma: float
    coefficient: float


@dataclass(frozen=True, slots=True, kw_only=True)
class BranchSigma:
    """Uncertainty of a point in one branch.

    Args:
        branch: name of the inverse family.
        sigma_normal: along the normal, to first order. [m]
        planned: whether the plan uses it.
        allowed: whether it keeps the job's joint margins and stays out of singularities.
    """

    branch: str
    sigma_normal: float
    planned: bool
    allowed: bool


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PointUncertainty:
    """Uncertainty of one measured point. Deviations are measured less true, in base axes.

    Args:
        name: of the point.
        mean: of the deviation: what errors do beyond first order. # (3,) [m]
        covariance: # (3, 3) [m²]
        sigma_normal: standard deviation along the point's normal. [m]
        interval: holds the deviation along the normal with probability ``coverage``; the truth lies
            from measured - interval[1] to measured - interval[0]. [m]
        coverage: probability.
        method: how all of these were found.
        samples: Monte Carlo draws; 0 to first order.
        settled: whether the digits asked for are settled; False where none were asked for.
        sigma_first_order: along the normal, to first order; compare it with ``sigma_normal``. [m]
        budget: of the variance along the normal, to first order.
        branches: of every branch that reaches the point, the best first.
    """

    name: str
    mean: Array
    covariance: Array
    sigma_normal: float
    interval: tuple[float, float]
    coverage: float
    method: Method
    samples: int
    settled: bool
    sigma_first_order: float
    budget: Budget
    branches: tuple[BranchSigma, ...] = ()

    def __post_init__(self) -> None:
        for name in ("mean", "covariance"):
            object.__setattr__(self, name, frozen(getattr(self, name), np.float64))

    @property
    def planned(self) -> BranchSigma | None:
        """The branch that the plan uses, where branches were compared."""
        return next((branch for branch in self.branches if branch.planned), None)

    @property
    def better(self) -> BranchSigma | None:
        """An allowed branch that would measure clearly better than the planned one."""
        here, best = self.planned, next((b for b in self.branches if b.allowed), None)
        if here is None or best is None or best.sigma_normal >= _BETTER * here.sigma_normal:
            return None
        return best

    @property
    def axes(self) -> Array:
        """Half axes of the ellipsoid of one standard deviation, base axes. # (3, 3) columns [m]."""
        values, vectors = np.linalg.eigh(self.covariance)
        return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0)))
