"""Cylinders, cones and tori by least squares, and candidates for their axes to start from."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from functools import cache
from typing import NamedTuple

import numpy as np

from parts.fits.circle_sphere import radial
from parts.fits.fit_result import FittedShape, shape_of_kind
from parts.fits.least_squares import (
    AnyState,
    FeatureModel,
    FeatureState,
    FeatureStates,
    Level,
    ResidualRows,
    Slope,
    Turns,
    along_axis,
    minimise,
    sampled,
    state_about,
)
from parts.fits.line_plane import principal_axes
from parts.geometry.surfaces import Cone, Cylinder, Torus
from robots.core.arrays import Array, Indices, frozen

_STARTS = 8


class Profile(NamedTuple):
    """Signed distances in the half planes of the points, and their derivatives."""

    distance: Array
    outward: Array | float  # derivative with the distance from the axis
    upward: Array | float  # with the height
    turning: Array  # outward × height - upward × distance from the axis
    by_size: tuple[Array | float, ...]


class RevolvedModel(FeatureModel):
    """A surface of revolution about the frame's z: all that it needs is its profile."""

    spread = 3
    hollow = True

    @abstractmethod
    def profile(self, rho: Array, z: Array, sizes: Array) -> Profile:
        """Distances at points of a half plane. Args: as of ``level``."""

    def level(self, q: Array, sizes: Array) -> Level:
        """From the profile."""
        rho, normal = radial(q)
        profile = self.profile(rho, q[2], sizes)
        normal[:2] *= profile.outward
        normal[2] = profile.upward
        by_size = np.empty((len(self.size_units), *rho.shape))
        for row, value in zip(by_size, profile.by_size, strict=True):
            row[...] = value
        return Level(profile.distance, normal, by_size)

    def local_rows(self, q: Array, sizes: Array) -> ResidualRows:
        """As of any model, with a turn's lever n × q from the half plane."""
        rho, (x, y, _) = radial(q)
        profile = self.profile(rho, q[2], sizes)
        J = np.empty((self.count, *rho.shape))
        shifts = len(self.freedoms) - 2
        J[2:shifts] = -profile.upward
        np.multiply(x, -profile.outward, out=J[0])
        np.multiply(y, -profile.outward, out=J[1])
        np.multiply(y, profile.turning, out=J[shifts])
        np.multiply(x, -profile.turning, out=J[shifts + 1])
        for row, value in zip(J[shifts + 2 :], profile.by_size, strict=True):
            row[...] = value
        return ResidualRows(profile.distance, J)


class CylinderModel(RevolvedModel):
    """About the frame's z; free are the shifts across it, the turns of it, and the radius."""

    kind = "cylinder"
    word = "cylinder"
    freedoms = (0, 1, 3, 4)
    size_units = ("m",)

    def profile(self, rho: Array, z: Array, sizes: Array) -> Profile:
        """Distance from the axis less the radius."""
        return Profile(rho - sizes[0], 1.0, 0.0, z, (-1.0,))

    def starts(self, points: Array) -> FeatureStates:
        """The best of the directions along which points may look like a circle."""
        [view] = axis_views(likely_axes(points), points, False)
        best = best_apart(view.axes, view.rho.var(axis=1), _STARTS, points.shape[1])
        radii = view.rho[best].mean(axis=1)
        return states_about(view.centres[best], view.axes[best], radii)

    def settled(self, state: AnyState) -> AnyState:
        """The origin is the foot of the centroid."""
        return replace(state, origin=state.origin - along_axis(state))

    def shape(self, state: FeatureState, reverse: bool) -> FittedShape:
        """A cylinder."""
        radius = float(state.sizes[0])
        return Cylinder(point=state.origin, axis=state.axis, radius=radius, reversed=reverse)

    def state_of(self, shape: FittedShape) -> FeatureState:
        """Of a cylinder."""
        cylinder = shape_of_kind(shape, Cylinder)
        return state_about(cylinder.point, cylinder.axis, cylinder.radius)

    def derived(self, state: FeatureState) -> dict[str, Slope]:
        """Point, axis and diameter."""
        turns = Turns(state, self.freedoms)
        return {
            "point": Slope(state.origin, turns.origin(), "m"),
            "axis": Slope(state.axis, turns.axis(), "1"),
            "diameter": Slope(2.0 * state.sizes[:1], 2.0 * turns.size(0), "m"),
        }


# ------------------------------------------------------------------------------------------- Cones

_CONE_STARTS = 10
_TILTS = tuple(np.radians([-75.0, -60.0, -45.0, -30.0, -15.0, 0.0, 15.0, 30.0, 45.0, 60.0, 75.0]))


class ConeModel(RevolvedModel):
    """About the frame's z, widening along it.

    The sizes are the orthogonal distance s from the origin to the surface and the half angle α:
    ρ cos α - z sin α - s. They suit slender cones too, whose apex is far away; a tip's own
    neighbourhood, where the nearest point is the apex, is not seen.
    """

    kind = "cone"
    word = "cone"
    freedoms = (0, 1, 3, 4)
    size_units = ("m", "rad")
    free_axis = False

    def profile(self, rho: Array, z: Array, sizes: Array) -> Profile:
        """Distance from the ruling."""
        s, alpha = sizes
        sine, cosine = np.sin(alpha), np.cos(alpha)
        along = rho * sine + z * cosine
        return Profile(rho * cosine - z * sine - s, cosine, -sine, along, (-1.0, -along))

    def starts(self, points: Array) -> FeatureStates:
        """The best of the directions along which points may look like a growing circle."""
        axes = likely_axes(points, _TILTS)
        views = axis_views(axes, points, True, False)
        best = [_best(view, _CONE_STARTS // 2, points.shape[1]) for view in views]
        return states_about(*(np.concatenate(fields) for fields in zip(*best, strict=True)))

    def settled(self, state: AnyState) -> AnyState:
        """Origin at the foot of the centroid, half angle from 0 to π/2."""
        along, s, alpha = along_axis(state), state.sizes[..., 0], state.sizes[..., 1]
        sine, cosine = np.sin(alpha), np.cos(alpha)
        s = s - np.sum(along * state.axis, axis=-1) * sine
        side = np.where(cosine < 0.0, -1.0, 1.0)  # the same surface, seen from its other side
        alpha = np.arctan2(side * sine, side * cosine)
        way = np.where(alpha < 0.0, -1.0, 1.0)  # a narrowing cone widens the other way
        turned = np.stack([np.ones_like(way), way, way], axis=-1)  # half a turn about the frame's x
        return replace(
            state,
            origin=state.origin - along,
            R=state.R * turned[..., None, :],
            sizes=np.stack([side * s, way * alpha], axis=-1),
        )

    def sound(self, points: Array, state: FeatureState) -> bool:
        """A cone, with all points on the nappe into which the axis points."""
        s, alpha = state.sizes
        if not 0.0 < alpha < 0.5 * np.pi:
            return False
        q = state.local(points)
        along = radial(q).rho * np.sin(alpha) + (q[2] + s / np.sin(alpha)) * np.cos(alpha)
        return bool(along.min() > 0.0)

    def shape(self, state: FeatureState, reverse: bool) -> FittedShape:
        """A cone."""
        return Cone(
            apex=_apex(state), axis=state.axis, half_angle=float(state.sizes[1]), reversed=reverse
        )

    def state_of(self, shape: FittedShape) -> FeatureState:
        """Of a cone: the distance from its apex is zero."""
        cone = shape_of_kind(shape, Cone)
        return state_about(cone.apex, cone.axis, 0.0, cone.half_angle)

    def derived(self, state: FeatureState) -> dict[str, Slope]:
        """Point, axis, distance from the point to the surface, full apex angle, apex."""
        turns = Turns(state, self.freedoms)
        s, alpha = state.sizes
        sine = np.sin(alpha)
        by_apex = -turns.size(0) / sine + turns.size(1) * s * np.cos(alpha) / sine**2
        apex = turns.origin() - s / sine * turns.axis() + state.axis[:, None] * by_apex
        return {
            "point": Slope(state.origin, turns.origin(), "m"),
            "axis": Slope(state.axis, turns.axis(), "1"),
            "distance": Slope(state.sizes[:1], turns.size(0), "m"),
            "apex_angle": Slope(2.0 * state.sizes[1:], 2.0 * turns.size(1), "rad"),
            "apex": Slope(_apex(state), apex, "m"),
        }


def _apex(state: FeatureState) -> Array:
    s, alpha = state.sizes
    return np.asarray(state.origin - s / np.sin(alpha) * state.axis)


class _Cones(NamedTuple):
    """Cones that widen along their axes."""

    centres: Array  # on the axes, beside the centroid, (m, 3)
    axes: Array  # (m, 3)
    s: Array  # (m,)
    alpha: Array  # (m,)


def _best(view: AxisView, count: int, points: int) -> _Cones:
    """Radius a + b h by regression in each view; the cost is orthogonal to the rulings."""
    h, rho, heights = view.height, view.rho, view.height.shape[1]
    mean_h, mean_rho = np.sum(h, axis=1) / heights, np.sum(rho, axis=1) / heights
    centred = h - mean_h[:, None]
    spread = np.maximum(np.einsum("mk,mk->m", centred, centred), 1e-300)
    rise = np.einsum("mk,mk->m", centred, rho) / spread
    off = rho - mean_rho[:, None] - rise[:, None] * centred
    costs = np.einsum("mk,mk->m", off, off) / (heights * (1.0 + rise**2))
    best = best_apart(view.axes, costs, count, points)
    rise = rise[best]
    alpha = np.arctan(rise)
    s = (mean_rho[best] - rise * mean_h[best]) * np.cos(alpha)
    axes = np.where(rise < 0.0, -1.0, 1.0)[:, None] * view.axes[best]
    return _Cones(view.centres[best], axes, s, np.abs(alpha))


# -------------------------------------------------------------------------------------------- Tori


class TorusModel(RevolvedModel):
    """About the frame's z; free are the centre, the turns of the axis, and both radii."""

    kind = "torus"
    word = "torus"
    freedoms = (0, 1, 2, 3, 4)
    size_units = ("m", "m")

    def profile(self, rho: Array, z: Array, sizes: Array) -> Profile:
        """Distance from the circle of the tube less the tube's radius."""
        ring, tube = sizes
        u = rho - ring
        length = np.sqrt(u * u + z * z)
        safe = np.maximum(length, np.finfo(float).tiny)
        cosine, sine = u / safe, z / safe
        return Profile(length - tube, cosine, sine, -ring * sine, (-cosine, -1.0))

    def starts(self, points: Array) -> FeatureStates:
        """From the whole, from the patch in the middle, and from the tube."""
        return torus_starts(points)

    def shape(self, state: FeatureState, reverse: bool) -> FittedShape:
        """A torus."""
        ring, tube = state.sizes.tolist()
        return Torus(
            centre=state.origin,
            axis=state.axis,
            major_radius=ring,
            minor_radius=tube,
            reversed=reverse,
        )

    def state_of(self, shape: FittedShape) -> FeatureState:
        """Of a torus."""
        torus = shape_of_kind(shape, Torus)
        return state_about(torus.centre, torus.axis, torus.major_radius, torus.minor_radius)

    def derived(self, state: FeatureState) -> dict[str, Slope]:
        """Centre, axis and both diameters."""
        turns = Turns(state, self.freedoms)
        return {
            "centre": Slope(state.origin, turns.origin(), "m"),
            "axis": Slope(state.axis, turns.axis(), "1"),
            "major_diameter": Slope(2.0 * state.sizes[:1], 2.0 * turns.size(0), "m"),
            "minor_diameter": Slope(2.0 * state.sizes[1:], 2.0 * turns.size(1), "m"),
        }


# ----------------------------------------------------------------------------- Candidates for tori

_TORUS_STARTS_STARTS = 10
_TURNS = 16  # directions about a tube in which its ring may lie
_RINGS = (1.5, 3.0, 8.0)  # radius of the ring in radii of the tube
_FARTHEST = 20.0  # of the points' size: a centre of curvature beyond it says "straight"


class Rings(NamedTuple):
    """Circles round which a tube may run."""

    centres: Array  # (m, 3)
    axes: Array  # (m, 3)
    radii: Array  # (m,)


def torus_starts(points: Array) -> FeatureStates:
    """The best candidates. Args: points, centred, of size 1 # (3, k)."""
    sets = [_whole(points), _patch(points), _tube(points)]
    if points.shape[1] >= 14:
        sets.append(Rings(*cyclide_torus(points)))
    rings = Rings(*(np.concatenate(fields) for fields in zip(*sets, strict=True)))
    away = points[None] - rings.centres[:, :, None]
    height = np.einsum("md,mdk->mk", rings.axes, away)
    rho = np.sqrt(np.maximum(np.sum(away**2, axis=1) - height**2, 0.0))
    length = np.hypot(rho - rings.radii[:, None], height)
    tube, costs = length.mean(axis=1), length.var(axis=1)
    good = np.flatnonzero((rings.radii > 0.0) & np.isfinite(costs))
    chosen = good[best_apart(rings.axes[good], costs[good], _TORUS_STARTS_STARTS, points.shape[1])]
    return states_about(
        rings.centres[chosen], rings.axes[chosen], rings.radii[chosen], tube[chosen]
    )


def _whole(points: Array) -> Rings:
    """Seen along an axis a ring; then its meridian is a circle, drawn by linear equations."""
    [view] = axis_views(likely_axes(points), points, False)
    x, y = view.rho, view.height
    A = np.stack([x, y, np.ones_like(x)], axis=1)
    right = A @ (x * x + y * y)[:, :, None]
    normal = A @ A.transpose(0, 2, 1)
    solved = (np.linalg.pinv(normal, rcond=1e-13, hermitian=True) @ right)[:, :, 0]
    centres = view.centres + 0.5 * solved[:, 1:2] * view.axes
    return Rings(centres, view.axes, 0.5 * solved[:, 0])


def _patch(points: Array) -> Rings:
    """The normal meets the tube's circle and the axis at the centres of curvature."""
    patch = curvatures_of(points)
    bends = np.where(np.abs(patch.bends) < 1.0 / _FARTHEST, 1.0 / _FARTHEST, patch.bends)
    sets: list[Rings] = []
    for tube, ring, along in ((0, 1, patch.first), (1, 0, patch.second)):
        circle = patch.point + patch.normal / bends[tube]
        on_axis = patch.point + patch.normal / bends[ring]
        angles = np.arange(_TURNS) * np.pi / _TURNS
        axes = np.cos(angles)[:, None] * along + np.sin(angles)[:, None] * patch.normal
        centres = on_axis + (axes @ (circle - on_axis))[:, None] * axes
        sets.append(Rings(centres, axes, np.linalg.norm(circle - centres, axis=1)))
    return Rings(*(np.concatenate(fields) for fields in zip(*sets, strict=True)))


def _tube(points: Array) -> Rings:
    """A short piece of pipe is nearly a cylinder: rings through its axis, to all sides."""
    model = CylinderModel()
    starts = model.starts(points)
    pipes = [minimise(model, points, starts.one(i), limit=10) for i in range(min(3, len(starts)))]
    pipe = min(pipes, key=lambda pipe: pipe.cost).state
    x, y, z = pipe.R.T
    angles = np.arange(_TURNS) * 2.0 * np.pi / _TURNS
    towards = np.cos(angles)[:, None] * x + np.sin(angles)[:, None] * y
    foot = pipe.origin - (pipe.origin @ z) * z
    radii = np.repeat(abs(float(pipe.sizes[0])) * np.array(_RINGS), _TURNS)
    sides = np.tile(towards, (len(_RINGS), 1))
    return Rings(foot + radii[:, None] * sides, np.cross(sides, z), radii)


class CyclideRings(NamedTuple):
    """At most one candidate."""

    centres: Array  # (m, 3)
    axes: Array  # (m, 3)
    radii: Array  # (m,)


def cyclide_torus(points: Array) -> CyclideRings:
    """Fit u² + u (l·p) + p·Q p + m·p + n = 0 with u = |p|², and read the torus from it.

    With centre c, K = |c|² + R² - r² and axis w, a torus is the case l = -4 c and, up to a
    multiple of the identity, Q = 4 c cᵀ + 4 R² w wᵀ (from (|p - c|² + R² - r²)² = 4 R² ρ²).

    Args:
        points: of size 1, at least 14. # (3, k)
    """
    x, y, z = points
    u = x * x + y * y + z * z
    columns = [u * x, u * y, u * z, x * x, y * y, z * z, x * y, x * z, y * z, x, y, z]
    A = np.stack([*columns, np.ones_like(x)], axis=1)
    c = np.linalg.lstsq(A, -u * u, rcond=1e-12)[0]
    centre = -c[:3] / 4.0
    Q = np.diag(c[3:6])
    Q[[0, 0, 1], [1, 2, 2]] = 0.5 * c[6:9]
    Q = Q + np.triu(Q, 1).T - 4.0 * np.outer(centre, centre)
    values, vectors = np.linalg.eigh(Q)
    square = (values[2] - 0.5 * (values[0] + values[1])) / 4.0
    if not square > 0.0:
        return CyclideRings(np.zeros((0, 3)), np.zeros((0, 3)), np.zeros(0))
    return CyclideRings(centre[None], vectors[:, 2][None], np.array([np.sqrt(square)]))


# --------------------------------------------------------------------------------- Axis candidates
# For each direction the points are looked at along it; a circle, or a circle that grows with
# height, is drawn about them by linear equations, and the distances from it say how good the
# direction is. Source: the idea of searching the half sphere of directions for a cylinder's axis is
# Eberly's; the linear equations are those of Kåsa's circle.

_GRID = 200  # about 10 degrees apart
_APART = 0.2  # [rad] between starts that are tried
_FEW = 20  # points: so few are seen as a feature from many wrong sides; more starts are tried
_MORE = 3


class AxisView(NamedTuple):
    """Points seen along each of m directions, from the best centre for it."""

    axes: Array  # (m, 3)
    centres: Array  # in the points' coordinates, (m, 3)
    rho: Array  # distances of some points from the axes, (m, s)
    height: Array  # of these along the axes, from the centroid, (m, s)


@cache
def half_sphere(count: int = _GRID) -> Array:
    """Directions spread evenly over a half sphere (golden angle). # (count, 3)."""
    index = np.arange(count)
    z = (index + 0.5) / count
    angle = index * np.pi * (3.0 - np.sqrt(5.0))
    r = np.sqrt(1.0 - z**2)
    return frozen(np.stack([r * np.cos(angle), r * np.sin(angle), z], axis=1), np.float64)


def likely_axes(points: Array, tilts: tuple[float, ...] = (0.0,)) -> Array:
    """The grid, the principal axes, and the rulings of the patch that the points look like.

    Args:
        points: centred. # (3, k)
        tilts: of a ruling against the axis, towards the normal: a cone's half angles. [rad]
    """
    patch = curvatures_of(points)
    cosines, sines = np.cos(tilts)[:, None], np.sin(tilts)[:, None] * patch.normal
    rulings = [cosines * ruling + sines for ruling in (patch.first, patch.second)]
    return np.concatenate([half_sphere(), patch.axes, *rulings])


def axis_views(axes: Array, points: Array, *conical: bool) -> list[AxisView]:
    """Look along each axis; the centre solves |p|² = 2 c·p + k, for cones + k₃ h + k₄ h².

    Args:
        axes: unit. # (m, 3)
        points: centred. # (3, k)
        *conical: whether the radius may grow with the height; a view for each.
    """
    x_axes, y_axes = _frames(axes)
    # The equations' columns are sums of monomials, so their products are sums of moments.
    columns = np.zeros((len(axes), 5, 10))
    columns[:, 0, 1:4], columns[:, 1, 1:4], columns[:, 2, 0] = x_axes, y_axes, 1.0
    columns[:, 3, 1:4], columns[:, 4, 4:7] = axes, axes**2
    columns[:, 4, 7:] = 2.0 * axes * axes[:, [1, 2, 0]]
    weighed = columns @ _moments(points)
    normal = weighed @ columns.transpose(0, 2, 1) + _LOOSE * points.shape[1] * np.eye(5)
    right = weighed @ (_SQUARE - columns[:, 4])[:, :, None]
    some = _viewed(points)
    x, y, height = x_axes @ some, y_axes @ some, axes @ some
    views: list[AxisView] = []
    for growing in conical:
        n = 5 if growing else 3
        centre = 0.5 * np.linalg.solve(normal[:, :n, :n], right[:, :n])[:, :2]
        across, aside = x - centre[:, 0], y - centre[:, 1]
        across *= across
        aside *= aside
        across += aside
        rho = np.sqrt(across, out=across)
        centres = centre[:, 0] * x_axes + centre[:, 1] * y_axes
        views.append(AxisView(axes, centres, rho, height))
    return views


_VIEWED = 64  # points by whose distances directions are compared; the centres rest on all
_SEED = 20262


_LOOSE = 1e-13  # mean square beside which directions that the points do not span are held
_SQUARE = np.array([0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0])  # |p|² of monomials


def _viewed(points: Array) -> Array:
    """Some at random: every fourth one of a scan may lie on one line. # (3, k) to (3, s)."""
    count = points.shape[1]
    return points if count <= _VIEWED else points[:, sampled(count, _VIEWED, _SEED)]


def _moments(points: Array) -> Array:
    """Sums of the products of 1, x, y, z, x², y², z², xy, yz, zx. # (3, k) to (10, 10)."""
    monomials = np.ones((10, points.shape[1]))
    monomials[1:4] = points
    monomials[4:7] = points**2
    monomials[7:] = points * points[[1, 2, 0]]
    return monomials @ monomials.T


def states_about(origins: Array, axes: Array, *sizes: Array) -> FeatureStates:
    """States whose frames' x are any directions square to the axes. # (m, 3), (m, 3), (m,)."""
    axes = axes / np.linalg.norm(axes, axis=1, keepdims=True)
    x_axes, y_axes = _frames(axes)
    R = np.stack([x_axes, y_axes, axes], axis=2)
    return FeatureStates(origin=origins, R=R, sizes=np.stack(sizes, axis=1))


class _Frames(NamedTuple):
    """Unit directions square to axes and to each other, x × y = z."""

    x: Array  # (m, 3)
    y: Array  # (m, 3)


def _frames(axes: Array) -> _Frames:
    """Source: Duff et al., Building an Orthonormal Basis, Revisited, JCGT 6(1), 2017."""
    x, y, z = axes.T
    sign = np.copysign(1.0, z)
    a = -1.0 / (sign + z)
    b = x * y * a
    x_axes = np.stack([1.0 + sign * x * x * a, sign * b, -sign * x], axis=1)
    return _Frames(x_axes, np.stack([b, sign + y * y * a, -y], axis=1))


def best_apart(axes: Array, costs: Array, count: int, points: int) -> Indices:
    """The cheapest axes, none near another. # (≤ count,), more where there are few points."""
    count = count if points > _FEW else _MORE * count
    order = np.argsort(costs, kind="stable")
    chosen: list[int] = []
    while order.size and len(chosen) < count:
        chosen.append(int(order[0]))
        order = order[np.abs(axes[order] @ axes[chosen[-1]]) < np.cos(_APART)]
    return np.array(chosen, dtype=np.intp)


class Curvatures(NamedTuple):
    """Principal curvatures where the centroid's plane normal meets the patch.

    A curvature is positive where the patch bends towards ``normal``.
    """

    axes: Array  # principal axes of the points, as rows, (3, 3)

    point: Array  # (3,)
    normal: Array  # (3,)
    first: Array  # direction of the greater bend, (3,)
    second: Array  # of the lesser, (3,)
    bends: Array  # (2,)


def curvatures_of(points: Array) -> Curvatures:
    """Least-squares paraboloid z = c + d·x + ½ x·H x over the points' plane.

    The shape operator is that of a graph: (I + ∇z ∇zᵀ)⁻¹ H / √(1 + |∇z|²).

    Args:
        points: centred; with fewer than six the answer is one of many. # (3, k)
    """
    axes = principal_axes(points)
    x, y, z = axes @ points
    monomials = np.stack([np.ones_like(x), x, y, 0.5 * x * x, x * y, 0.5 * y * y], axis=1)
    c, dx, dy, hxx, hxy, hyy = np.linalg.lstsq(monomials, z, rcond=1e-9)[0].tolist()
    slope = np.array([dx, dy])
    steep = np.sqrt(1.0 + slope @ slope)
    metric = np.eye(2) + np.outer(slope, slope)
    H = np.array([[hxx, hxy], [hxy, hyy]]) / steep
    L = np.linalg.cholesky(metric)
    bends, vectors = np.linalg.eigh(np.linalg.solve(L, np.linalg.solve(L, H).T))
    across = np.linalg.solve(L.T, vectors).T  # rows in the plane
    tangents = np.concatenate([across, (across @ slope)[:, None]], axis=1) @ axes
    order = np.argsort(-np.abs(bends))
    tangents = tangents[order] / np.linalg.norm(tangents[order], axis=1, keepdims=True)
    normal = np.array([-dx, -dy, 1.0]) / steep @ axes
    return Curvatures(axes, c * axes[2], normal, tangents[0], tangents[1], bends[order])
