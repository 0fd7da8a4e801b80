"""From points to a fit: scaling, starts, minimisation, refusal of undetermined answers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf, isfinite
from typing import NamedTuple, TypedDict

import numpy as np
from numpy.typing import ArrayLike

from parts.errors import FitError
from parts.fits.fit_result import Derived, Fit, FitCertificate, FittedShape
from parts.fits.least_squares import (
    FeatureModel,
    FeatureState,
    FeatureStates,
    Minimum,
    Polished,
    condition_of,
    minimise,
    minimise_each,
    polish,
    sampled,
    tall_triangle,
    triangle_of,
)
from robots.core.arrays import Array, Mask

_FAINT = 1e-8  # residuals below it, in the points' size, have no direction but rounding's


class Options(TypedDict, total=False):
    """Options of a fit.

    sigma: standard deviation of each measured point along the normal, where it is known. [m]
    outward: the nominal outward normals at the points # (k, 3), or one direction # (3,); they say
        which side is the material's outside. Without them round features are solid.
    hollow: a round feature is a hole; in place of ``outward``.
    hint: a feature of the kind near which to begin; it stands for the fit's own starts, and its
        axis says which way the answer's axis points.
    """

    sigma: float
    outward: ArrayLike
    hollow: bool
    hint: FittedShape


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FitSearch:
    """Results of the starts.

    Args:
        best: the least minimum, on the sample.
        starts: tried.
        agreeing: that ended there.
        rival: mean square of the next one, infinite without.
        sample: points that were used.
    """

    best: Minimum
    starts: int
    agreeing: int
    rival: float
    sample: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Cloud:
    """Points in coordinates that suit arithmetic.

    Args:
        unit: centred, of root mean square distance near 1. # (3, k)
        centroid: # (3,) [m]
        scale: length of the unit, a power of two, so that scaling rounds nothing. [m]
        thickness: root mean square spread in the thinnest direction that the feature needs. [m]
    """

    unit: Array
    centroid: Array
    scale: float
    thickness: float

    @property
    def count(self) -> int:
        """Of points."""
        return int(self.unit.shape[1])

    def physical(self, state: FeatureState, size_units: tuple[str, ...]) -> FeatureState:
        """A state of the unit points, for the points as they were given."""
        factors = np.array([1.0 if unit == "rad" else self.scale for unit in size_units])
        return FeatureState(
            origin=self.centroid + self.scale * state.origin, R=state.R, sizes=state.sizes * factors
        )

    def unitary(self, state: FeatureState, size_units: tuple[str, ...]) -> FeatureState:
        """The inverse of ``physical``: for hints."""
        factors = np.array([1.0 if unit == "rad" else self.scale for unit in size_units])
        return FeatureState(
            origin=(state.origin - self.centroid) / self.scale,
            R=state.R,
            sizes=state.sizes / factors,
        )


class FitMinimum(NamedTuple):
    """The minimum on all points, in their unit coordinates."""

    cloud: Cloud
    minimum: Polished
    iterations: int  # from the start that was taken to the end
    found: FitSearch


def solve(model: FeatureModel, points: ArrayLike, options: Options) -> Fit:
    """Fit a model to points.

    Raises:
        FitError: see ``parts.fits``.
    """
    solved = minimum_of(model, points, options)
    cloud, minimum = solved.cloud, solved.minimum
    state, tri, residuals = minimum.state, minimum.triangle, minimum.rows.residuals
    reverse = _reverse(model, cloud, state, options)
    physical = cloud.physical(state, model.size_units)
    factors = np.array([_factor(model, i, cloud.scale) for i in range(model.count)])
    root = factors[:, None] * np.linalg.inv(tri.R) / cloud.scale
    distances = residuals
    if model.components > 1:
        distances = model.level(state.local(cloud.unit), state.sizes).distance
    signed = (-cloud.scale if reverse else cloud.scale) * distances
    fit = Fit(
        kind=model.kind,
        shape=model.shape(physical, reverse),
        residuals=signed,
        sum_squares=cloud.scale**2 * float(residuals @ residuals),
        dof=len(residuals) - model.count,
        given_sigma=options.get("sigma"),
        cofactor=root @ root.T,
        derived=_derived(model, physical, reverse),
        certificate=_certificate(solved),
    )
    require_determined(fit, model, cloud)
    return fit


def minimum_of(model: FeatureModel, points: ArrayLike, options: Options) -> FitMinimum:
    """The least minimum on all points, settled and polished.

    Raises:
        FitError: points that hold no such feature, or more than one.
    """
    cloud = cloud_of(points, model)
    require_sigma(options.get("sigma"))
    checked_outward(options.get("outward"), cloud.count, model)
    hint = None
    if "hint" in options:
        hint = cloud.unitary(model.state_of(options["hint"]), model.size_units)
    found = search(model, cloud.unit, hint)
    require_one(model, found)
    whole = minimise(model, cloud.unit, found.best.state, close=_NEAR)
    state = _oriented(model, model.settled(whole.state), hint)
    rows = model.rows(cloud.unit, state)
    triangle = triangle_of(rows)
    require_rank(model, condition_of(triangle.R), cloud)
    minimum = polish(model, cloud.unit, state, rows, triangle)
    count = found.best.iterations + whole.iterations + minimum.iterations
    return FitMinimum(cloud, minimum, count, found)


def _oriented(model: FeatureModel, state: FeatureState, hint: FeatureState | None) -> FeatureState:
    """An axis with two names points along the hint's, else its largest component is positive."""
    if not model.free_axis:
        return state
    towards = state.axis[np.argmax(np.abs(state.axis))] if hint is None else state.axis @ hint.axis
    return state.flipped() if towards < 0.0 else state


def _reverse(model: FeatureModel, cloud: Cloud, state: FeatureState, options: Options) -> bool:
    if options.get("hollow", False):
        return model.hollow
    outward = checked_outward(options.get("outward"), cloud.count, model)
    if outward is None or model.components > 1:  # a line in space has no outside
        return False
    normal = model.level(state.local(cloud.unit), state.sizes).normal
    return against(outward, state.R @ normal)


def _factor(model: FeatureModel, column: int, scale: float) -> float:
    """What a minimal coordinate of the unit points is worth for the given ones."""
    shifts = len(model.freedoms)
    if column < shifts:
        return scale if model.freedoms[column] < 3 else 1.0
    return scale if model.size_units[column - shifts] == "m" else 1.0


def _derived(model: FeatureModel, physical: FeatureState, reverse: bool) -> dict[str, Derived]:
    named: dict[str, Derived] = {}
    for name, (value, slope, unit) in model.derived(physical).items():
        sign = -1.0 if reverse and name == "axis" and model.kind == "plane" else 1.0
        named[name] = Derived(value=sign * value, slope=sign * slope, unit=unit)
    return named


def _certificate(solved: FitMinimum) -> FitCertificate:
    cloud, minimum, found = solved.cloud, solved.minimum, solved.found
    J, r, tri = minimum.rows.jacobian, minimum.rows.residuals, minimum.triangle
    length = max(float(np.linalg.norm(r)), _FAINT * np.sqrt(len(r)))
    return FitCertificate(
        gradient=float(np.max(np.abs(J @ r) / np.linalg.norm(J, axis=1)) / length),
        step=minimum.left,
        iterations=solved.iterations,
        condition=condition_of(tri.R),
        least_curvature=minimum.least_curvature,
        starts=found.starts,
        agreeing=found.agreeing,
        rival=float(cloud.scale * np.sqrt(found.rival)),
        searched=found.sample,
    )


# ------------------------------------------------------------------------------------------ Starts

_SAMPLE = 400
_NEAR = 1e-9  # of the sum of squares: from there on, Newton's steps are surer and quicker
_SEED = 20260  # of the sample: the same points give the same answer
_SAME = 1e-3  # of the points' size, and radians
_LARGER = 1e-9  # what a sum of squares may be above another and count as equal
_LIKELY = 9.0  # of the variance
_ROUNDING = 1e-26  # mean square of residuals that are rounding only, in the points' size


def search(model: FeatureModel, points: Array, hint: FeatureState | None) -> FitSearch:
    """Minimise from each start and keep the least; a hint stands for all starts.

    Args:
        model: feature.
        points: centred, of size 1. # (3, k)
        hint: where the caller knows the feature to be.

    Raises:
        FitError: no start ends in a sound feature.
    """
    sample = _sample(points)
    starts = model.starts(sample) if hint is None else FeatureStates.of([hint])
    ends = [end for end in minimise_each(model, sample, starts, limit=60) if isfinite(end.cost)]
    ends.sort(key=lambda end: end.cost)
    first = None
    if ends:
        settled = model.settled(FeatureStates.of([end.state for end in ends]))
        ends = [replace(end, state=settled.one(i)) for i, end in enumerate(ends)]
        first = next((i for i, end in enumerate(ends) if model.sound(sample, end.state)), None)
    if first is None:
        raise FitError(
            f"No {model.word} fits these points: from {len(starts)} starts the fit went to sizes "
            "that are none, or to points on both sides of an apex. Check that they lie on a "
            f"{model.word}, leave out those at its tip, or give a hint.",
            value=len(starts),
        )
    ends, settled = ends[first:], settled.only(np.arange(first, len(ends)))
    same = _same(settled, model).tolist()
    others = (end for end, equal in zip(ends, same, strict=True) if end.ended and not equal)
    rival = next((end.cost for end in others if model.sound(sample, end.state)), inf)
    return FitSearch(
        best=ends[0],
        starts=len(starts),
        agreeing=sum(same),
        rival=rival / sample.shape[1],
        sample=sample.shape[1],
    )


def _sample(points: Array) -> Array:
    count = points.shape[1]
    if count <= _SAMPLE:
        return points
    return np.ascontiguousarray(points[:, sampled(count, _SAMPLE, _SEED)])


def _same(states: FeatureStates, model: FeatureModel) -> Mask:
    """Which of some settled states are the same feature as the first."""
    apart = [states.origin - states.origin[0], states.sizes - states.sizes[0]]
    if 3 in model.freedoms or 4 in model.freedoms:
        apart.append(states.R[:, :, 2] @ states.R[0, :, :2])
    sizes = np.abs(states.sizes)
    largest = np.maximum(sizes, sizes[0]).max(axis=1, initial=1.0)
    return np.asarray(np.abs(np.concatenate(apart, axis=1)).max(axis=1) <= _SAME * largest)


def require_one(model: FeatureModel, found: FitSearch) -> None:
    """Refuse points that two different features fit, as far as their residuals can say.

    The sums of squares of both minima are compared in units of the variance that the better one
    leaves: below 9 (three standard deviations of one quantity) noise alone may have ordered them.

    Raises:
        FitError: the rival is as likely as the best.
    """
    mean = found.best.cost / found.sample
    spare = model.components * found.sample - model.count
    excess = (found.rival - mean) * found.sample
    doubt = excess <= _LIKELY * found.best.cost / spare if spare > 0 else False
    if doubt or found.rival <= mean * (1.0 + _LARGER) + _ROUNDING:
        raise FitError(
            f"Two different features fit the {found.sample} points as a {model.word} so equally "
            "well that their noise may have ordered them; measure more points, farther round it "
            "and along it, or give a hint near the one that is meant.",
            value=found.sample,
            limit=model.fewest + 1,
            unit="1",
        )


# ----------------------------------------------------------------------------------- Determination

WORST_CONDITION = 1e8
_SHARE = 0.1  # of a diameter: a standard deviation beyond it measures nothing
_ANGLE_SHARE = 1.0 / 3.0  # of an apex angle: three standard deviations then reach a cylinder
THIN = 3.0  # standard deviations: points of that spread about a plane are a plane to the eye
CURVATURE = 0.1  # beside Gauss-Newton's: below it first-order covariances mean nothing
_TURN = 0.3  # [rad] a direction less sure than that is none
_MISSING = {
    "circle2d": "points on a longer arc",
    "plane": "points farther from one line",
    "sphere": "points on a larger cap, not on one circle of it",
    "cylinder": "points at different heights, not on one circle or one ruling",
    "cone": "points at different heights, not on one circle or one ruling",
    "torus": "points on a longer piece of the tube and round more of it",
}


def require_sigma(sigma: float | None) -> None:
    """Refuse a standard deviation that is none.

    Raises:
        FitError: not above zero, or not finite.
    """
    if sigma is not None and not (np.isfinite(sigma) and sigma > 0.0):
        raise FitError(
            f"sigma is {sigma} m; expected a standard deviation above zero, or leave it out to "
            "have it estimated from the residuals.",
            where="sigma",
            value=sigma,
            limit=0.0,
            unit="m",
        )


def require_rank(model: FeatureModel, condition: float, cloud: Cloud) -> None:
    """Refuse points whose feature can move without leaving them.

    Raises:
        FitError: the Jacobian's condition is beyond what arithmetic holds.
    """
    if not condition <= WORST_CONDITION:
        raise FitError(
            f"The {cloud.count} points do not hold a {model.word}: it can move and still pass "
            f"through them (condition {condition:.3g}, limit {WORST_CONDITION:.0g}); add "
            f"{_MISSING.get(model.kind, 'points farther apart')}.",
            value=condition,
            limit=WORST_CONDITION,
            unit="1",
        )


def require_determined(fit: Fit, model: FeatureModel, cloud: Cloud) -> None:
    """Refuse a size or a direction that the points' noise hides.

    Raises:
        FitError: a standard deviation is too large a share of what it belongs to, or the
            residuals bend the sum of squares so much that the covariance is none.
    """
    curvature = fit.certificate.least_curvature
    if curvature < CURVATURE:
        raise FitError(
            f"The residuals of the {model.word} (root mean square {fit.rms:.3g} m) are so large "
            f"beside what holds it that it is loose: the second derivative is {curvature:.3g} of "
            f"the first-order one, limit {CURVATURE}; check that the points lie on a "
            f"{model.word}, or add {_MISSING.get(model.kind, 'points farther apart')}.",
            value=curvature,
            limit=CURVATURE,
            unit="1",
        )
    if fit.given_sigma is None and fit.dof < 1:
        return
    if model.spread == 3 and cloud.thickness < THIN * fit.sigma:
        raise FitError(
            f"The {cloud.count} points lie in one plane as far as their noise lets one see (they "
            f"spread {cloud.thickness:.3g} m about it, their standard deviation is "
            f"{fit.sigma:.3g} m, limit {THIN:g} times that), which holds no {model.word}; add "
            f"{_MISSING.get(model.kind, 'points farther apart')}.",
            value=cloud.thickness,
            limit=THIN * fit.sigma,
            unit="m",
        )
    _require_certain(fit, model)


def deviation_share(name: str) -> float | None:
    """Largest standard deviation of a derived result beside it; None where nothing is asked.

    That of an axis is no share, but an angle.
    """
    if name == "apex_angle":
        return _ANGLE_SHARE
    if name == "axis":
        return _TURN
    return _SHARE if "diameter" in name else None


def _require_certain(fit: Fit, model: FeatureModel) -> None:
    """Refuse by the standard deviations of axis, diameters and apex angle."""
    for name, derived in fit.derived.items():
        share = deviation_share(name)
        if share is None:
            continue
        limit = share if name == "axis" else share * abs(float(derived.value[0]))
        deviation = float(np.sqrt(np.linalg.eigvalsh(fit.covariance_of(name))[-1]))
        if deviation > limit:
            unit = "rad" if name == "axis" else derived.unit
            raise FitError(
                f"The noise of the points (standard deviation {fit.sigma:.3g} m) hides the "
                f"{model.word}'s {name}: its standard deviation is {deviation:.3g} {unit}, limit "
                f"{limit:.3g} {unit}; add {_MISSING.get(model.kind, 'points farther apart')}"
                f"{_simpler(name)}.",
                where=name,
                value=deviation,
                limit=limit,
                unit=unit,
            )


def _simpler(name: str) -> str:
    return ", or fit a cylinder" if name == "apex_angle" else ""


# ------------------------------------------------------------------------- Outside of the material


def checked_outward(outward: ArrayLike | None, count: int, model: FeatureModel) -> Array | None:
    """Nominal outward directions, one for all points or one each. # (3, 1 or k).

    Raises:
        FitError: another shape, or not finite.
    """
    if outward is None:
        return None
    rows = np.atleast_2d(np.array(outward, dtype=np.float64))
    if rows.shape not in ((1, model.dimension), (count, model.dimension)):
        raise FitError(
            f"The outward directions have shape {np.shape(outward)}; expected one "
            f"({model.dimension},) or one for each of the {count} points.",
            value=np.shape(outward),
        )
    if not np.isfinite(rows).all():
        raise FitError("An outward direction is not finite; give unit normals.")
    full = np.zeros((3, len(rows)))
    full[: model.dimension] = rows.T
    return full


def against(outward: Array, normals: Array) -> bool:
    """Whether the feature's own normals point into the material, by the majority. # (3, k)."""
    return float(np.sum(outward * normals)) < 0.0


# ----------------------------------------------------------------------------------- Scaled points

_RANK = 1e-9  # of the points' extent: what is thinner cannot be told from rounding
_TOO_FEW_DIRECTIONS = {
    1: ("at one place", "points that are apart"),
    2: ("on one line", "points off that line"),
    3: ("in one plane", "points off that plane"),
}


def cloud_of(points: ArrayLike, model: FeatureModel) -> Cloud:
    """Points checked for a kind of feature.

    Raises:
        FitError: another shape, not finite, too few, or spread in too few directions.
    """
    rows = _checked(points, model)
    centroid = rows.mean(axis=0)
    centred = rows - centroid
    centred -= centred.mean(axis=0)  # what the first mean has rounded away
    size = float(np.sqrt(np.mean(np.sum(centred**2, axis=1))))
    if size <= 4.0 * np.finfo(float).eps * float(np.abs(rows).max()):
        raise FitError(
            f"All {len(rows)} points are the same, {rows[0].tolist()} m; a {model.word} needs "
            "points that are apart.",
            points=len(rows),
        )
    scale = float(2.0 ** np.round(np.log2(size)))
    unit = np.zeros((3, len(rows)))
    unit[: model.dimension] = (centred / scale).T
    thickness = _checked_spread(unit, model, scale, float(np.abs(rows).max()))
    full = np.zeros(3)
    full[: model.dimension] = centroid
    return Cloud(unit=unit, centroid=full, scale=scale, thickness=thickness)


def _checked(points: ArrayLike, model: FeatureModel) -> Array:
    try:
        rows = np.array(points, dtype=np.float64)
    except (ValueError, TypeError) as error:
        raise FitError(
            f"The points of the {model.word} are no table of numbers ({error}); expected rows of "
            f"{model.dimension} numbers [m]."
        ) from error
    if rows.ndim != 2 or rows.shape[1] != model.dimension:
        raise FitError(
            f"The points of the {model.word} have shape {rows.shape}; expected "
            f"(k, {model.dimension}) [m].",
            value=rows.shape,
            limit=model.dimension,
        )
    bad = np.flatnonzero(~np.isfinite(rows).all(axis=1))
    if len(bad):
        raise FitError(
            f"Point {bad[0] + 1} of the {model.word} is {rows[bad[0]].tolist()} m ({len(bad)} such "
            "points); expected finite numbers. Leave out points that were not measured.",
            where=int(bad[0]),
            value=rows[bad[0]].tolist(),
            unit="m",
        )
    if len(rows) < model.fewest:
        raise FitError(
            f"{len(rows)} points do not hold a {model.word}; measure at least {model.fewest}, "
            "more to see its form.",
            value=len(rows),
            limit=model.fewest,
            unit="1",
        )
    return rows


def _checked_spread(unit: Array, model: FeatureModel, scale: float, reach: float) -> float:
    """Thickness of the points in metres."""
    spread = np.linalg.svd(tall_triangle(unit.T), compute_uv=False)
    rounding = 8.0 * np.finfo(float).eps * reach / scale * np.sqrt(unit.shape[1])
    limit = max(_RANK * float(spread[0]), rounding)
    rank = int(np.sum(spread > limit))
    if rank < model.spread:
        where, fix = _TOO_FEW_DIRECTIONS[rank + 1]
        thin = float(spread[rank] * scale / np.sqrt(unit.shape[1]))
        raise FitError(
            f"The {unit.shape[1]} points lie {where} (their root mean square spread across it is "
            f"{thin:.3g} m), which holds no {model.word}; add {fix}.",
            value=thin,
            limit=float(limit) * scale,
            unit="m",
            rank=rank,
        )
    return float(spread[model.spread - 1] * scale / np.sqrt(unit.shape[1]))
