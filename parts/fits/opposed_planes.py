"""Two parallel flat sides that face each other or away: a slot or a tongue, with its width."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from parts.errors import FitError, PartError
from parts.fits.fit_result import Derived, Fit
from parts.fits.fitting import fit
from parts.geometry.surfaces import across, rows
from robots.core.arrays import Array, Indices, freeze_directions, freeze_vectors

WIDTH = "width"
FLAT = 0.999  # cosine of nominal normals that are still one plane's
LEVEL = 1e-5  # [m] that nominal points of one flat side may lie above each other, as printed
_TRUST = 0.05  # [rad] that an envelope may lean in a step
_SETTLED = 1e-12  # [rad]
_FLATTEST = 1e-9  # of their extent: sides that are flat
_MOST_STEPS = 100


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OpposedPlanes:
    """Two parallel planes and the material between or beside them.

    Args:
        point: on the median plane. # (3,) [m]
        axis: normal of both, unit. # (3,)
        width: their distance. [m]
        reversed: a slot: the outside of the material is between them.
    """

    point: Array
    axis: Array
    width: float
    reversed: bool = False

    def __post_init__(self) -> None:
        freeze_vectors(self, "point", of=self.kind, error=PartError)
        freeze_directions(self, "axis", of=self.kind, error=PartError)

    @property
    def kind(self) -> str:
        """Word for the feature."""
        return WIDTH

    def project(self, points: ArrayLike) -> Array:
        """Feet on the median plane. # (k, 3) [m]."""
        q = rows(points)
        return np.asarray(q - ((q - self.point) @ self.axis)[:, None] * self.axis)

    def distance(self, points: ArrayLike) -> Array:
        """Signed distances from the nearer plane, positive outside the material. # (k,) [m]."""
        away = np.abs((rows(points) - self.point) @ self.axis) - 0.5 * self.width
        return np.asarray(-away if self.reversed else away)

    def normal(self, points: ArrayLike) -> Array:
        """Unit normals of the nearer plane, out of the material. # (k, 3)."""
        sides = np.where((rows(points) - self.point) @ self.axis >= 0.0, 1.0, -1.0)
        return np.outer(-sides if self.reversed else sides, self.axis)

    def on_sides(self, points: Array) -> Indices:
        """Which nominal points lie on one of the planes, and not in the ends of a slot. # (k,)."""
        return np.flatnonzero(np.abs(self.distance(points)) <= LEVEL)

    def sides(self, normals: Array) -> Array:
        """1 for points ahead of the median plane, -1 behind it, 0 in the ends of a slot. # (k,).

        Args:
            normals: nominal, out of the material. # (k, 3)
        """
        cosines = normals @ self.axis * (-1.0 if self.reversed else 1.0)
        return np.where(np.abs(cosines) >= FLAT, np.sign(cosines), 0.0)


def opposed_planes(points: Array, normals: Array) -> OpposedPlanes | None:
    """The two flat sides that nominal points lie on, perhaps with the round ends of a slot.

    Args:
        points: # (k, 3) [m]
        normals: out of the material, unit. # (k, 3)

    Returns:
        None where the points lie on anything else.
    """
    some = walls(points, normals, normals[:1])
    if len(some) < len(points):
        known, counts = np.unique(np.round(normals, 6), axis=0, return_counts=True)
        some = walls(points, normals, known[np.argsort(-counts, kind="stable")[:_MOST]])
        if not len(some) or not _has_round_ends(points, normals, some):
            return None
    own = normals[some]
    sides = np.where(own @ own[0] > 0.0, 1.0, -1.0)
    mean = (sides[:, None] * own).mean(axis=0)
    axis = mean / np.linalg.norm(mean)
    up, down = points[some][sides > 0.0], points[some][sides < 0.0]
    gap = float(up.mean(axis=0) @ axis - down.mean(axis=0) @ axis)
    if abs(gap) <= LEVEL:
        return None
    return OpposedPlanes(
        point=0.5 * (up.mean(axis=0) + down.mean(axis=0)),
        axis=axis,
        width=abs(gap),
        reversed=gap < 0.0,
    )


_MOST = 20  # normals that are tried for the sides of a slot, the commonest first


def walls(points: Array, normals: Array, candidates: Array) -> Indices:
    """Rows of the points on two flat sides that face opposite ways; none where there are not.

    Args:
        points: # (k, 3) [m]
        normals: theirs. # (k, 3)
        candidates: normals that one of the sides may have. # (c, 3)
    """
    best = np.zeros(0, dtype=np.int64)
    for normal in candidates:
        cosines = normals @ normal
        rows = np.flatnonzero(np.abs(cosines) >= FLAT)
        heights, up = points[rows] @ normal, cosines[rows] > 0.0
        if up.all() or len(rows) <= len(best):
            continue
        if max(float(np.ptp(heights[up])), float(np.ptp(heights[~up]))) <= LEVEL:
            best = rows
    return best


def _has_round_ends(points: Array, normals: Array, sides: Indices) -> bool:
    """Whether all points are half a width from the median plane of two walls, along their normals.

    So are those of a bore, but all from one axis; those of a slot's round ends are not.
    """
    a = normals[sides[0]]
    heights, up = points[sides] @ a, normals[sides] @ a > 0.0
    top, bottom = float(heights[up].mean()), float(heights[~up].mean())
    centres = points - 0.5 * (top - bottom) * normals
    along = np.cross(a, np.linalg.svd(normals, full_matrices=False)[2][2])
    away = np.abs(centres @ a - 0.5 * (top + bottom))
    return float(away.max()) <= LEVEL and float(np.ptp(centres @ along)) > 10.0 * LEVEL


def fit_opposed_planes(points: Array, sides: Array, near: OpposedPlanes) -> Fit:
    """Both planes at once by least squares: one normal, and the height of each by itself.

    That is a plane through the points of both sides, each less its own middle, so the certificate
    is that of this plane.

    Args:
        points: measured. # (k, 3) [m]
        sides: theirs, as ``OpposedPlanes.sides`` has them. # (k,)
        near: the feature as it should be, or was.

    Raises:
        FitError: the points do not hold the planes.
    """
    both = _Sides.of(points, sides)
    folded = np.vstack([one - one.mean(axis=0) for one in (both.upper, both.lower)])
    plane = fit("plane", folded)
    shape = both.shape(plane.value("axis"), near)
    spread = 1.0 / len(both.upper) + 1.0 / len(both.lower)
    slope = np.zeros((1, len(plane.cofactor) + 1))
    slope[0, -1] = 1.0
    cofactor = np.zeros((slope.size, slope.size))
    cofactor[:-1, :-1], cofactor[-1, -1] = plane.cofactor, spread
    turned = np.pad(plane.derived["axis"].slope, ((0, 0), (0, 1)))
    return replace(
        plane,
        kind=WIDTH,
        shape=shape,
        residuals=shape.distance(np.vstack([both.upper, both.lower])),
        dof=plane.dof - 1,
        cofactor=cofactor,
        derived={
            "axis": Derived(value=shape.axis, slope=turned, unit="1"),
            WIDTH: Derived(value=np.array([shape.width]), slope=slope, unit="m"),
        },
    )


def mating_planes(points: Array, sides: Array, fitted: OpposedPlanes) -> OpposedPlanes:
    """The widest block that goes into a slot, or the narrowest gap that goes over a tongue.

    Args:
        points: measured. # (k, 3) [m]
        sides: as for ``fit_opposed_planes``. # (k,)
        fitted: the planes by least squares.

    Raises:
        FitError: too few points, or sides that run into each other.
    """
    return _Sides.of(points, sides).mating(fitted, inside=fitted.reversed)


def enclosing_planes(points: Array, sides: Array, fitted: OpposedPlanes) -> OpposedPlanes:
    """The least material envelope: of a slot the narrowest about its points; see above."""
    return _Sides.of(points, sides).mating(fitted, inside=not fitted.reversed)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Sides:
    """Points on the side towards the axis, and on the other. # (k, 3) [m]."""

    upper: Array
    lower: Array

    @classmethod
    def of(cls, points: Array, sides: Array) -> _Sides:
        found = cls(upper=points[sides > 0.0], lower=points[sides < 0.0])
        if min(len(found.upper), len(found.lower)) < 1 or len(found.upper) + len(found.lower) < 4:
            raise FitError(
                f"The two sides have {len(found.upper)} and {len(found.lower)} points; a width "
                "needs four, and one of them on each side at least.",
                value=min(len(found.upper), len(found.lower)),
                limit=4,
            )
        return found

    def shape(self, normal: Array, near: OpposedPlanes) -> OpposedPlanes:
        """The planes of a given normal in the middle heights of their points."""
        n = normal if normal @ near.axis > 0.0 else -normal
        top, bottom = float((self.upper @ n).mean()), float((self.lower @ n).mean())
        if top <= bottom:
            raise FitError(
                f"The two sides run into each other by {bottom - top:.3g} m.", value=top - bottom
            )
        middle = 0.5 * (self.upper.mean(axis=0) + self.lower.mean(axis=0))
        return OpposedPlanes(
            point=middle + (0.5 * (top + bottom) - middle @ n) * n,
            axis=n,
            width=top - bottom,
            reversed=near.reversed,
        )

    def mating(self, near: OpposedPlanes, *, inside: bool) -> OpposedPlanes:
        """The widest pair between the sides, or the narrowest about them, near the fitted one.

        The room above one plane and below the other is linear in the normal but for its length: a
        sequence of linear programs, each about the last normal and trusted as far as it gains. Of
        corners between which only that length decides, the nearest is taken.
        """
        from scipy.optimize import linprog

        sign = 1.0 if inside else -1.0  # heights over one plane, and below the other
        rows = sign * np.vstack([self.upper - near.point, near.point - self.lower])
        ones = np.repeat(np.eye(2), [len(self.upper), len(self.lower)], axis=0)
        extent = float(
            np.abs(np.vstack([np.ptp(self.upper, axis=0), np.ptp(self.lower, axis=0)])).max()
        )
        # in units of the form, so that the programme's tolerance is a share of that
        form = float(np.ptp(near.distance(np.vstack([self.upper, self.lower]))))
        scale = max(form, _FLATTEST * extent)

        def rooms(n: Array) -> Array:
            heights = rows @ n
            return np.array([heights[ones[:, side] > 0.0].min() for side in (0, 1)])

        n, trust = near.axis, _TRUST
        for _ in range(_MOST_STEPS):
            u = across(n)
            ways = np.stack([u, np.cross(n, u)])
            now = rooms(n)
            found = linprog(
                [0.0, 0.0, -1.0, -1.0],
                A_ub=np.hstack([-rows @ ways.T / extent, ones]),
                b_ub=(rows @ n - ones @ now) / scale,
                bounds=[(-trust * extent / scale, trust * extent / scale)] * 2 + [(None, None)] * 2,
                method="highs",
            )
            if not found.success:
                break
            step = found.x[:2] * scale / extent
            there = n + step @ ways
            there = there / np.linalg.norm(there)
            if rooms(there).sum() > now.sum():
                n, trust = there, min(2.0 * trust, _TRUST)
            else:
                trust = 0.25 * min(trust, float(np.abs(step).max()))
            if trust <= _SETTLED:
                break
        above, below = rooms(n).tolist()
        width = sign * (above + below)
        if width <= 0.0:
            raise FitError(f"The two sides run into each other by {-width:.3g} m.", value=width)
        return OpposedPlanes(
            point=near.point + 0.5 * sign * (above - below) * n,
            axis=n,
            width=width,
            reversed=near.reversed,
        )
