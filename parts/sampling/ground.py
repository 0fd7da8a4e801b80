"""Where points of a feature may lie, and the search for a layout that keeps enough of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from parts.errors import SamplingError
from parts.features.feature import Feature
from parts.features.patch import Patch, SurfacePoints
from parts.features.skin_patch import RoundSkin, SkinPatch
from parts.geometry.geometry import Geometry
from parts.probe import Tip
from parts.sampling.layouts import CURVATURE, LAYOUTS, STRATEGIES, Shape, lay_out
from parts.sampling.stylus_fit import stylus_fits
from robots.core.arrays import Array, Mask

_TRIES = 40
_MOST_SPARE = 60  # layouts of this many times the count are tried where little surface is left
_CELLS = 48  # along each side of the raster that stands for a face's area
_DENSE = 256  # points that stand for the whole feature


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Reach:
    """What keeps points away.

    Args:
        edge_margin: least distance from the feature's edges. [m]
        geometry: that the stylus must not touch elsewhere; nothing is checked where left out.
        tip: of the stylus.
        away: from the ball along the stylus, unit; the normal of each point where left out. # (3,)
    """

    edge_margin: float = 0.0
    geometry: Geometry | None = None
    tip: Tip | None = None
    away: Array | None = None

    def __post_init__(self) -> None:
        if not (np.isfinite(self.edge_margin) and self.edge_margin >= 0.0):
            raise SamplingError(
                f"The edge margin is {self.edge_margin} m; expected a number, not negative.",
                found=self.edge_margin,
            )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Kept:
    """What a layout keeps."""

    uv: Array
    points: SurfacePoints
    laid_out: int
    off_surface: int
    not_reached: int

    def thinned(self, count: int) -> Kept:
        """So many of them, evenly."""
        rows = np.rint(np.linspace(0, len(self.points) - 1, count)).astype(int)
        points = SurfacePoints(
            positions=self.points.positions[rows], normals=self.points.normals[rows]
        )
        return Kept(
            uv=self.uv[rows],
            points=points,
            laid_out=self.laid_out,
            off_surface=self.off_surface,
            not_reached=self.not_reached,
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ground:
    """A feature with everything that decides where points may lie."""

    feature: Feature
    strategy: str
    reach: Reach

    @property
    def patch(self) -> Patch:
        """The feature within its edge margin."""
        return self.feature.inset(self.reach.edge_margin)

    def at(self, uv: Array) -> SurfacePoints:
        """Points of the patch, by area, or by the weight that curvature gives."""
        patch = self.patch
        if self.strategy != CURVATURE or not isinstance(patch, SkinPatch):
            return patch.at(uv)
        bend = patch.curvatures()
        mean = float(patch.areas @ bend / patch.areas.sum())
        return patch.weighted(uv, patch.areas * (1.0 + bend / mean if mean > 0.0 else 1.0))

    def laid_out(self, count: int) -> Array:
        """The strategy's points in the unit square. # (count, 2)."""
        if isinstance(self.patch, RoundSkin) and self.strategy != CURVATURE:
            return lay_out(self.strategy, count, Shape.of(self.patch))
        if not isinstance(self.patch, SkinPatch):
            _refuse_curvature(self.strategy, self.feature.kind)
            return lay_out(self.strategy, count, Shape.of(self.patch))
        if self.strategy not in ("hammersley", CURVATURE):
            raise SamplingError(
                f"A {self.feature.kind} feature has no coordinates for a {self.strategy}; choose "
                f"hammersley or {CURVATURE}.",
                strategy=self.strategy,
            )
        return lay_out("hammersley", count, Shape.of(self.patch))

    def kept(self, uv: Array) -> Kept:
        """Those that lie on the surface and can be reached."""
        points = self.at(uv)
        on = self.feature.keeps(points.positions, self.reach.edge_margin)
        free = on.copy()
        reach = self.reach
        if reach.geometry is not None and reach.tip is not None:
            free[on] = stylus_fits(reach.geometry, points.where(on), reach.tip, reach.away)
        return Kept(
            uv=uv[free],
            points=points.where(free),
            laid_out=len(uv),
            off_surface=int(np.sum(~on)),
            not_reached=int(np.sum(on & ~free)),
        )

    def region(self) -> Mask | None:
        """Raster of what is left of the square; None where it is all of it."""
        patch = self.patch
        plain = isinstance(patch, SkinPatch) and not isinstance(patch, RoundSkin)
        if self.feature.rim is None or plain or self.strategy == CURVATURE:
            return None
        middles = (np.arange(_CELLS) + 0.5) / _CELLS
        uv = np.column_stack([np.repeat(middles, _CELLS), np.tile(middles, _CELLS)])
        on = self.feature.keeps(self.patch.at(uv).positions, self.reach.edge_margin)
        return on.reshape(_CELLS, _CELLS) if on.any() and not on.all() else None

    def everywhere(self) -> SurfacePoints:
        """Many points, as even as can be."""
        uv = LAYOUTS["hammersley"](_DENSE, Shape.of(self.patch))
        points = self.patch.at(uv)
        on = self.feature.keeps(points.positions, self.reach.edge_margin)
        return points.where(on) if on.sum() >= 16 else points


def _refuse_curvature(strategy: str, kind: str) -> None:
    if strategy == CURVATURE:
        raise SamplingError(
            f"A {kind} is not laid out by curvature, which is for freeform faces and meshes; "
            f"choose one of {', '.join(name for name in STRATEGIES if name != CURVATURE)}.",
            strategy=strategy,
        )


def search(ground: Ground, count: int) -> Kept:
    """A layout that keeps the count; thinned where none keeps it exactly."""
    size, best = count, None
    for _ in range(_TRIES):
        kept = ground.kept(ground.laid_out(size))
        found = len(kept.points)
        if found == count:
            return kept
        if found > count:
            best = kept if best is None or found < len(best.points) else best
            if size <= count + 1 or best.laid_out < size:
                break
            size = size - max(1, (found - count) * size // (2 * found))
        else:
            if best is not None and size + 1 >= best.laid_out:
                break
            size += max(1, int((count - found) * size / max(found, 0.5 * count)))
        if size > _MOST_SPARE * count + 400:
            break
    if best is None:
        raise _no_room(kept, count)
    return best.thinned(count)


def _no_room(kept: Kept, count: int) -> SamplingError:
    reasons = (
        f"{kept.off_surface} lie off the face or within the edge margin, and at "
        f"{kept.not_reached} the stylus would touch elsewhere"
    )
    return SamplingError(
        f"There is no room for {count} points: of {kept.laid_out} laid out {len(kept.points)} are "
        f"left; {reasons}. Ask for fewer, for a smaller edge margin or a smaller ball.",
        laid_out=kept.laid_out,
        kept=len(kept.points),
        off_surface=kept.off_surface,
        not_reached=kept.not_reached,
    )
