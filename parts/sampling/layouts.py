"""Layouts of points in the unit square, their evenness and the resulting fit uncertainty.

The square stands for the patch by equal areas; a layout only asks for the patch's proportions, and
whether u is an angle. All of them are deterministic and give exactly the count that is asked.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from parts.errors import SamplingError
from parts.features.patch import Patch, SurfacePoints
from robots.core.arrays import Array, Mask
from robots.core.caps import Cap

Layout = Callable[[int, "PatchShape"], Array]
CURVATURE = "stratified-by-curvature"


def grid(count: int, shape: PatchShape) -> Array:
    """Rows of cells, a point in the middle of each; rows differ by at most one point."""
    factors = [k for k in range(1, count + 1) if count % k == 0]
    wanted = shape.rows(count)
    rows = min(factors, key=lambda k: abs(np.log(k / wanted)))
    if abs(np.log(rows / wanted)) > np.log(1.5):  # no good divisor: uneven rows are more even
        rows = wanted
    return _in_rows(_shared(count, np.ones(rows)), _centres(rows), stagger=False)


def hammersley(count: int, shape: PatchShape) -> Array:
    """(i + ½)/n and the bits of i in reverse: the lowest discrepancy for a known count."""
    del shape
    bits = max(int(count - 1).bit_length(), 1)
    index = np.arange(count)
    reverse = np.zeros(count)
    for bit in range(bits):
        reverse += ((index >> bit) & 1) / 2.0 ** (bit + 1)
    return np.column_stack([_centres(count), reverse + 0.5 / 2.0**bits])


def star(count: int, shape: PatchShape) -> Array:
    """Straight arms: through the middle of a plane, along the meridians of what is round."""
    arms = min(8 if count >= 16 else 4, count)
    lengths = _shared(count, np.ones(arms))
    angles = np.repeat(np.arange(arms) / arms, lengths)
    out = np.concatenate([_centres(n) for n in lengths])
    if shape.round:
        return np.column_stack([angles, out])
    return _around_middle(2.0 * np.pi * angles, np.concatenate([np.arange(1, n + 1) / (n + 0.5)
                                                                for n in lengths]))  # fmt: skip


def helix(count: int, shape: PatchShape) -> Array:
    """One line that winds about the axis; a spiral on a plane. Its turns are as far apart as its
    points.
    """  # noqa: D205 one sentence
    share = _centres(count)
    if shape.round:
        turns = shape.turns or shape.rows(count)
        return np.column_stack([(turns * share) % 1.0, share])
    turns = max(np.sqrt(count) / 2.0, 1.0)
    radius = np.sqrt(share)
    return _around_middle(2.0 * np.pi * turns * radius, radius)


def circles(count: int, shape: PatchShape) -> Array:
    """Parallel circles, each turned by half a step against the last; concentric on a plane."""
    if shape.round:
        rows = min(max(shape.rows(count), 2 if count >= 6 and not shape.turns else 1), count)
        return _in_rows(_shared(count, np.ones(rows)), _centres(rows), stagger=True)
    rings = max(round(np.sqrt(count / np.pi)), 1)
    radii = _centres(rings)
    numbers = _shared(count, radii)
    places = [
        _around_middle(2.0 * np.pi * (np.arange(n) + 0.5 * (k % 2)) / max(n, 1), np.full(n, radius))
        for k, (n, radius) in enumerate(zip(numbers, radii, strict=True))
    ]
    return np.vstack(places)


LAYOUTS: dict[str, Layout] = {
    "grid": grid,
    "hammersley": hammersley,
    "star": star,
    "helix": helix,
    "circles": circles,
}
STRATEGIES = (*LAYOUTS, CURVATURE)


@dataclass(frozen=True, slots=True, kw_only=True)
class PatchShape:
    """Shape of a patch, as layouts need it.

    Args:
        width: along u. [m]
        height: along v; zero on a curve. [m]
        round: u is an angle about an axis.
        turns: of a helix, or levels of circles, where they are given; 0 where the spacing decides.
    """

    width: float
    height: float
    round: bool
    turns: float = 0.0

    @classmethod
    def of(cls, patch: Patch, turns: float = 0.0) -> PatchShape:
        """That of a patch."""
        return cls(width=patch.width, height=patch.height, round=patch.round, turns=turns)

    def rows(self, count: int) -> int:
        """Number of rows along v: as given, or so that the spacing is the same both ways."""
        if self.turns:
            return int(np.clip(round(self.turns), 1, count))
        return int(np.clip(round(np.sqrt(count * self.height / self.width)), 1, count))


def lay_out(strategy: str, count: int, shape: PatchShape) -> Array:
    """Points of a strategy. # (count, 2) in the unit square.

    Raises:
        SamplingError: no such strategy, or one that the patch cannot take.
    """
    if strategy not in LAYOUTS:
        raise SamplingError(
            f"There is no strategy {strategy!r}; choose one of {', '.join(STRATEGIES)}.",
            strategy=strategy,
        )
    if shape.height == 0.0:
        if strategy not in ("grid", "hammersley"):
            raise SamplingError(
                f"A line or circle cannot take the strategy {strategy!r}; choose grid or "
                "hammersley, which space its points evenly.",
                strategy=strategy,
            )
        return np.column_stack([_centres(count), np.full(count, 0.5)])
    return LAYOUTS[strategy](count, shape)


def _centres(count: int) -> Array:
    """Middles of equal pieces of the unit interval. # (count,)."""
    return np.asarray((np.arange(count) + 0.5) / count)


def _shared(count: int, weights: Array) -> list[int]:
    """The count as whole numbers in proportion to weights."""
    ends = np.rint(np.cumsum(weights) / weights.sum() * count).astype(int)
    return [int(n) for n in np.diff(ends, prepend=0)]


def _in_rows(numbers: list[int], heights: Array, *, stagger: bool) -> Array:
    rows = []
    for place, (n, v) in enumerate(zip(numbers, heights, strict=True)):
        shift = 0.25 if place % 2 else -0.25
        u = (np.arange(n) + 0.5 + (shift if stagger else 0.0)) / max(n, 1)
        rows.append(np.column_stack([u, np.full(n, v)]))
    return np.vstack(rows)


def _around_middle(angles: Array, radii: Array) -> Array:
    """Polar coordinates about the middle of the square; radius 1 touches its sides."""
    return np.column_stack([0.5 + 0.5 * radii * np.cos(angles), 0.5 + 0.5 * radii * np.sin(angles)])


# ---------------------------------------------------------------------------------------- Evenness
# SciPy has other discrepancies, none over a region and none with the supremum norm.

_MOST_CORNERS = 512  # along each side; beyond it the supremum is searched on every k-th corner


def star_discrepancy(uv: Array, region: Mask | None = None) -> float:
    """Largest gap between a box's share of the points and its share of the area.

    Boxes are anchored at (0, 0); the supremum is at their corners on the points' coordinates, from
    inside (open) or outside (closed). It is exact up to 512 points and a lower bound beyond.

    Args:
        uv: in the unit square. # (k, 2)
        region: cells of the square that count as area, along u then v; all where left out, and
            then this is the star discrepancy of the literature. # (m, m)
    """
    corners = [_corners(uv[:, axis]) for axis in range(2)]
    area = _share(region, *corners)
    worst = 0.0
    for side in ("left", "right"):
        inside = _counts(uv, corners, side) / len(uv)
        gap = inside - area
        worst = max(worst, float(gap.max() if side == "right" else -gap.min()))
    return worst


def _corners(values: Array) -> Array:
    unique = np.unique(np.append(values, 1.0))
    step = -(-len(unique) // _MOST_CORNERS)
    return np.unique(np.append(unique[::step], 1.0))


def _counts(uv: Array, corners: list[Array], side: str) -> Array:
    """Points in each box: below its corner, or also on it ("right")."""
    cells = []
    for axis in range(2):
        # a point belongs to every box whose corner lies beyond it
        where = "left" if side == "right" else "right"
        cells.append(np.searchsorted(corners[axis], uv[:, axis], side=where))  # type: ignore[call-overload]
    table = np.zeros((len(corners[0]) + 1, len(corners[1]) + 1))
    np.add.at(table, tuple(cells), 1.0)
    return np.asarray(table.cumsum(axis=0).cumsum(axis=1)[:-1, :-1])


def _share(region: Mask | None, u: Array, v: Array) -> Array:
    if region is None:
        return np.outer(u, v)
    m = len(region)
    table = np.zeros((m + 1, m + 1))
    table[1:, 1:] = region.cumsum(axis=0).cumsum(axis=1)
    table /= table[-1, -1]
    rows = _between(table, u * m)
    return _between(rows.T, v * m).T


def _between(table: Array, places: Array) -> Array:
    low = np.minimum(places.astype(int), len(table) - 2)
    rest = (places - low)[:, None]
    return np.asarray((1.0 - rest) * table[low] + rest * table[low + 1])


# --------------------------------------------------------------- Uncertainty of the fitted feature
# A fit of a feature to n points with independent errors of standard deviation σ along the normal
# has the covariance σ² (JᵀJ)⁺, where row i of J is the derivative of the signed distance of point
# i: its normal n and (x − c)×n for the six rigid motions, and the derivatives with radii and
# angles. A motion along which the feature slides on itself is no parameter; the pseudo-inverse
# leaves it out. For a layout that shares out the area evenly JᵀJ grows with n, so every standard
# deviation falls as σ · factor/√n.

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


def minimum_count(design: Design, sigma: float, target: float) -> int:
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
