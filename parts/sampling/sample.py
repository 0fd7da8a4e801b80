"""Probe points on a feature: a layout, kept where there is surface and the stylus fits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from parts.errors import SamplingError
from parts.features.feature import Feature
from parts.points.probe_points import ProbePoints
from parts.points.tables import points_lines
from parts.sampling.design import Design, design_of, least_count
from parts.sampling.discrepancy import star_discrepancy
from parts.sampling.ground import Ground, Reach, search
from robots.core.caps import Cap

if TYPE_CHECKING:
    from pandas import DataFrame

_TRIES = 40


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Sample:
    """Probe points and what they are worth.

    Args:
        points: in the part frame; each carries the feature's name.
        strategy: that laid them out.
        laid_out: points of the layout that had to be made for the count to be kept.
        off_surface: of them, not on the face, or within the edge margin.
        not_reached: of them, where the stylus would touch elsewhere.
        discrepancy: star discrepancy in coordinates of equal area (of equal weight by curvature
            for "stratified-by-curvature"), against the area that is left.
        design: uncertainty of the fit per unit of the probing's standard deviation.
    """

    points: ProbePoints
    strategy: str
    laid_out: int
    off_surface: int
    not_reached: int
    discrepancy: float
    design: Design

    def __len__(self) -> int:
        """Number of points."""
        return len(self.points)

    def to_frame(self) -> DataFrame:
        """One row per point, with the columns of a point file."""
        return self.points.to_frame()

    def __repr__(self) -> str:
        """How many points, and how well they determine the surface."""
        return (
            f"Sample: {points_lines(len(self), self.points.features)}, {self.strategy}\n"
            f"  star discrepancy {self.discrepancy:.3f}; a fit knows the surface to "
            f"{self.design.surface:.3g} standard deviations of one probing"
        )

    def _repr_html_(self) -> str:
        """The first rows, for notebooks."""
        return self.points._repr_html_()


def sample(
    feature: Feature,
    strategy: str = "hammersley",
    count: int = 25,
    *,
    reach: Reach | None = None,
    prefix: str = "P",
) -> Sample:
    """Lay out probe points on a feature.

    Where part of the layout is lost, finer layouts are tried until the count is met; one that
    keeps a few more is thinned evenly.

    Args:
        feature: to be measured.
        strategy: one of ``STRATEGIES``.
        count: of points, at least 1.
        reach: edge margin and stylus.
        prefix: of the points' names.

    Raises:
        FeatureError: nothing is left within the edge margin.
        SamplingError: an unknown strategy or one that the feature cannot take, a count that is
            not sensible, or no room for so many points.
    """
    cap = Cap.PROBE_POINTS
    if not 1 <= count <= cap.limit:
        raise SamplingError(
            f"{count} points are asked; expected 1 to {cap.limit}; {cap.advice}.", count=count
        )
    ground = Ground(feature=feature, strategy=strategy, reach=reach or Reach())
    patch = ground.patch
    kept = search(ground, count)
    points = kept.points
    return Sample(
        points=ProbePoints(
            names=tuple(f"{prefix}{place}" for place in range(1, count + 1)),
            positions=points.positions,
            normals=points.normals,
            features=(feature.name,) * count,
        ),
        strategy=strategy,
        laid_out=kept.laid_out,
        off_surface=kept.off_surface,
        not_reached=kept.not_reached,
        discrepancy=star_discrepancy(kept.uv, ground.region()),
        design=design_of(patch, points, ground.everywhere()),
    )


def count_for(
    feature: Feature,
    strategy: str,
    *,
    sigma: float,
    target: float,
    reach: Reach | None = None,
) -> int:
    """Fewest points, about, for which the fitted surface is known to a target everywhere.

    The factor of a large layout gives n = (σ · factor/target)²; then the layout of n points is
    judged itself, and n grows until it holds.

    Args:
        feature: to be measured.
        strategy: one of ``STRATEGIES``.
        sigma: standard deviation of one probing. [m]
        target: standard deviation of the fitted surface where it is worst. [m]
        reach: edge margin and stylus.

    Raises:
        SamplingError: more points than are sensible; the message says what can be had.
    """
    ground = Ground(feature=feature, strategy=strategy, reach=reach or Reach())
    everywhere = ground.everywhere()
    count = least_count(design_of(ground.patch, everywhere, everywhere), sigma, target)
    for _ in range(_TRIES):
        design = design_of(ground.patch, search(ground, count).points, everywhere)
        if sigma * design.surface <= target:
            return count
        grown = least_count(design, sigma, target) if np.isfinite(design.surface) else 0
        count = max(count + 1, grown)
    raise SamplingError(
        f"No layout of up to {count} points in {strategy!r} knows the surface to {target:g} m; the "
        f"last gives {sigma * design.surface:.3g} m. Choose hammersley.",
        count=count,
    )
