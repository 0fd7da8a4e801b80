"""Probe points on a feature: a layout, kept where there is surface and the stylus fits."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from parts.errors import FeatureError, SamplingError
from parts.features.feature import Feature
from parts.features.mesh_patch import RoundSkin, SkinPatch
from parts.features.patch import Patch, SurfacePoints
from parts.geometry.geometry import Geometry
from parts.points.probe_points import ProbePoints
from parts.points.tables import points_lines
from parts.probe import ProbeHead, Tip, uncompensate
from parts.sampling.layouts import (
    CURVATURE,
    LAYOUTS,
    STRATEGIES,
    Design,
    PatchShape,
    design_of,
    lay_out,
    minimum_count,
    star_discrepancy,
)
from robots.core.arrays import Array, Mask
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
        edge_margin: that was kept from the feature's edges. [m]
        warnings: where the count is less than practice asks, one sentence each.
    """

    points: ProbePoints
    strategy: str
    laid_out: int
    off_surface: int
    not_reached: int
    discrepancy: float
    design: Design
    edge_margin: float = 0.0
    warnings: tuple[str, ...] = ()

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
    reach: AccessLimits | None = None,
    levels: int = 0,
    pitch: float = 0.0,
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
        levels: circles along the axis, of the strategy "circles"; 0 for an even spacing.
        pitch: of the strategy "helix"; 0 for an even spacing. [m]
        prefix: of the points' names.

    Raises:
        FeatureError: nothing is left within the edge margin.
        SamplingError: an unknown strategy or one that the feature cannot take, a count that is
            not sensible, or no room for so many points.
    """
    cap = Cap.PROBE_POINTS
    if not 1 <= count <= cap.limit:
        raise SamplingError(
            f"{count} points are requested; expected 1 to {cap.limit}; {cap.advice}.", count=count
        )
    reach = reach or AccessLimits()
    ground = SamplingArea(
        feature=feature, strategy=strategy, reach=reach, levels=levels, pitch=pitch
    )
    ground.check_rows(count)
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
        edge_margin=reach.edge_margin,
        warnings=_too_few(feature, count),
    )


# Points that determine a feature, and that practice takes at least, so that its form is seen, too.
# Source: BS 7172:1989, as NPL's Good Practice Guide 41 gives it.
PRACTICE = {
    **{"line": (2, 5), "circle": (3, 7), "plane": (3, 9), "sphere": (4, 9)},
    **{"cylinder": (5, 12), "cone": (6, 12), "torus": (7, 16)},  # a torus by analogy
}
USUAL = 25  # points where practice says nothing: free forms and facets


def practice_count(feature: Feature) -> int:
    """Points that practice takes at least on a feature of this kind."""
    return PRACTICE.get(feature.kind, (0, USUAL))[1]


def _too_few(feature: Feature, count: int) -> tuple[str, ...]:
    needed, usual = PRACTICE.get(feature.kind, (0, 0))
    if count >= usual:
        return ()
    holds = "" if count >= needed else f", and {needed} are needed to determine it"
    return (
        f"{count} points on {feature.kind} {feature.name!r}: practice (BS 7172) takes {usual} or "
        f"more, so that its form is seen, too{holds}.",
    )


# ------------------------------------------------------------------------------------ Edge margins

_MARGIN = (0.05, 0.2)  # of the feature's least extent: the usual margin, and the most
_HALVINGS = 3  # of a usual margin that leaves no room
_ROOM = 0.1  # of a patch's width that a usual margin leaves


def usual_margins(feature: Feature, ball_radius: float = 0.0) -> tuple[float, ...]:
    """Margins from the edges that suit a feature's size, the best first; the last is none.

    The ball's radius, so that it does not hang over the edge, but a twentieth of the least extent
    at least and a fifth at most; less where a face is narrower than its box.

    Args:
        feature: to be measured.
        ball_radius: of the stylus, where it is known. [m]
    """
    patch = feature.patch
    extents = [patch.height] if patch.round else [patch.width, patch.height]
    least = min([extent for extent in extents if extent > 0.0], default=0.0)
    best = min(max(ball_radius, _MARGIN[0] * least), _MARGIN[1] * least)
    margins = (best * 0.5**step for step in range(_HALVINGS))
    return (*(margin for margin in margins if _leaves_room(patch, margin)), 0.0)


def _leaves_room(patch: Patch, margin: float) -> bool:
    """Whether a margin leaves a share of a patch; of less, rounding may decide whether it does."""
    try:
        return patch.inset(margin).width >= _ROOM * patch.width
    except FeatureError:
        return False


def count_for(
    feature: Feature,
    strategy: str,
    *,
    sigma: float,
    target: float,
    reach: AccessLimits | None = None,
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
    ground = SamplingArea(feature=feature, strategy=strategy, reach=reach or AccessLimits())
    everywhere = ground.everywhere()
    count = minimum_count(design_of(ground.patch, everywhere, everywhere), sigma, target)
    for _ in range(_TRIES):
        design = design_of(ground.patch, search(ground, count).points, everywhere)
        if sigma * design.surface <= target:
            return count
        grown = minimum_count(design, sigma, target) if np.isfinite(design.surface) else 0
        count = max(count + 1, grown)
    raise SamplingError(
        f"No layout of up to {count} points in {strategy!r} knows the surface to {target:g} m; the "
        f"last gives {sigma * design.surface:.3g} m. Choose hammersley.",
        count=count,
    )


# ---------------------------------------------------------------------------- Where points may lie

_MOST_SPARE = 60  # layouts of this many times the count are tried where little surface is left
_CELLS = 48  # along each side of the raster that stands for a face's area
_DENSE = 256  # points that stand for the whole feature


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AccessLimits:
    """Limits of access to a surface.

    Args:
        edge_margin: least distance from the feature's edges. [m]
        geometry: that the stylus must not touch elsewhere; nothing is checked where left out.
        tip: of the stylus.
        away: from the ball along the stylus, unit; the normal of each point where left out. # (3,)
        head: behind the stylus, which must not touch the geometry either.
    """

    edge_margin: float = 0.0
    geometry: Geometry | None = None
    tip: Tip | None = None
    away: Array | None = None
    head: ProbeHead | None = None

    def __post_init__(self) -> None:
        if not (np.isfinite(self.edge_margin) and self.edge_margin >= 0.0):
            raise SamplingError(
                f"The edge margin is {self.edge_margin} m; expected a number, not negative.",
                found=self.edge_margin,
            )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Kept:
    """Points of a layout that are kept."""

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
        return replace(self, uv=self.uv[rows], points=points)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SamplingArea:
    """A feature with everything that decides where points may lie."""

    feature: Feature
    strategy: str
    reach: AccessLimits
    levels: int = 0
    pitch: float = 0.0

    def check_rows(self, count: int) -> None:
        """Refuse levels and pitches that the strategy or the feature cannot take.

        Raises:
            SamplingError: such a one.
        """
        patch = self.patch
        for what, value, strategy in (
            ("levels", self.levels, "circles"),
            ("pitch", self.pitch, "helix"),
        ):
            if not (np.isfinite(value) and value >= 0.0):
                raise SamplingError(
                    f"The {what} is {value:g}; expected a number above zero.", found=value
                )
            if value and self.strategy != strategy:
                raise SamplingError(
                    f"A {what} is for the strategy {strategy}, not for {self.strategy!r}; choose "
                    f"{strategy}, or leave it out.",
                    strategy=self.strategy,
                )
            if value and not (patch.round and patch.height > 0.0):
                raise SamplingError(
                    f"A {what} is for round features; {self.feature.name!r} is a {patch.kind}. "
                    "Leave it out.",
                    kind=patch.kind,
                )
        if self.levels > count:
            raise SamplingError(
                f"{count} points cannot lie on {self.levels} levels; expected at most {count}.",
                found=self.levels,
                limit=count,
            )

    @property
    def turns(self) -> float:
        """Levels of circles, or turns of a helix; 0 where the spacing decides."""
        return self.patch.height / self.pitch if self.pitch else float(self.levels)

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
            return lay_out(self.strategy, count, PatchShape.of(self.patch, self.turns))
        if not isinstance(self.patch, SkinPatch):
            _refuse_curvature(self.strategy, self.feature.kind)
            return lay_out(self.strategy, count, PatchShape.of(self.patch, self.turns))
        if self.strategy not in ("hammersley", CURVATURE):
            raise SamplingError(
                f"A {self.feature.kind} feature has no coordinates for a {self.strategy}; choose "
                f"hammersley or {CURVATURE}.",
                strategy=self.strategy,
            )
        return lay_out("hammersley", count, PatchShape.of(self.patch))

    def kept(self, uv: Array) -> Kept:
        """Those that lie on the surface and can be reached."""
        points = self.at(uv)
        on = self.feature.keeps(points.positions, self.reach.edge_margin)
        free = on.copy()
        reach = self.reach
        if reach.geometry is not None and reach.tip is not None:
            free[on] = stylus_fits(
                reach.geometry, points.where(on), reach.tip, reach.away, head=reach.head
            )
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
        uv = LAYOUTS["hammersley"](_DENSE, PatchShape.of(self.patch))
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


def search(ground: SamplingArea, count: int) -> Kept:
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


# ---------------------------------------------------------------------------- Access of the stylus
# The ball stands on the point, its centre one radius out along the normal; no surface may be nearer
# to that centre than the radius. The shank is a cylinder from the ball along the stylus, the head a
# capsule behind it; no surface may be nearer to their axis than their radius. Surfaces may come
# nearer by the tessellation's deflection and half a percent of the ball, as the ball always touches
# its own surface.

_TOUCH = 0.005  # of the ball's radius
_FINEST = 200  # pieces of a shank
_HEAD_PIECES = 5


def stylus_fits(
    geometry: Geometry,
    points: SurfacePoints,
    tip: Tip,
    away: Array | None = None,
    *,
    head: ProbeHead | None = None,
    clearance: float = 0.0,
) -> Mask:
    """Return whether the tip can stand on each point, with the head behind it. # (k,).

    Args:
        geometry: of the part.
        points: to touch.
        tip: ball, shank and length count.
        away: from the ball along the stylus, unit, in the part frame; otherwise the normal of
            each point. # (3,)
        head: that carries the stylus; only the stylus counts where left out.
        clearance: to keep from every surface: for a ball that touches none. [m]
    """
    slack = 2.0 * max(face.deflection for face in geometry.faces) + _TOUCH * tip.ball_radius
    spare = clearance - slack
    centres = uncompensate(points.positions, points.normals, tip.ball_radius)
    fits = np.ones(len(points), dtype=bool)
    directions = points.normals if away is None else np.tile(away, (len(points), 1))
    if head is not None:  # first, as it needs the fewest places
        start = tip.length + head.radius
        end = start + head.length + head.radius  # as a cylinder at its far end
        axis = _Axis(centres, directions, start, end, head.length / _HEAD_PIECES)
        fits = axis.clear(geometry, head.radius + max(head.clearance, clearance) - slack)
    if tip.ball_radius > 0.0:
        fits[fits] = _distances(geometry, centres[fits]) >= tip.ball_radius + spare
    if tip.shank_radius > 0.0 and tip.length > tip.ball_radius:
        room = np.sqrt(max(tip.ball_radius**2 - tip.shank_radius**2, 0.0))
        step = max(room, (tip.length - tip.ball_radius) / _FINEST)
        axis = _Axis(centres[fits], directions[fits], tip.ball_radius, tip.length, step)
        fits[fits] = axis.clear(geometry, tip.shank_radius + spare)
    return fits


class _Axis(NamedTuple):
    """The axis of a round body behind each ball."""

    centres: Array  # of the balls, (k, 3) [m]
    directions: Array  # (k, 3)
    start: float  # from the ball's centre [m]
    end: float  # [m]
    step: float  # the finest between places that are looked at [m]

    def clear(self, geometry: Geometry, radius: float) -> Mask:
        """Return whether no surface is nearer to the axis than the radius. # (k,).

        A surface at distance d from a place on the axis leaves the body free for sqrt(d² - r²) to
        both sides of it, so that the next place may lie as far on: few places prove what stands in
        the open. Where that is less than half a step, the body is taken to touch.
        """
        half = 0.5 * self.step
        clear = np.ones(len(self.centres), dtype=bool)
        rows = np.arange(len(self.centres))
        places = np.full(len(rows), self.start)
        while rows.size:
            at = self.centres[rows] + places[:, None] * self.directions[rows]
            room = np.sqrt(np.maximum(_distances(geometry, at) ** 2 - max(radius, 0.0) ** 2, 0.0))
            clear[rows[room < half]] = False
            on = (room >= half) & (places + room < self.end)
            rows = rows[on]
            places = np.minimum(places[on] + room[on] + half, self.end)
        return clear


def _distances(geometry: Geometry, centres: Array) -> Array:
    """From the triangles, which are within the deflection of the surface. # (k,) [m]."""
    return geometry.search.nearest(centres).distances if len(centres) else np.zeros(0)
