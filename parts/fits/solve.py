"""From points to a fit: the same road for every feature with one distance per point."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple, TypedDict

import numpy as np
from numpy.typing import ArrayLike

from parts.fits.certificate import Certificate
from parts.fits.cloud import Cloud, cloud_of
from parts.fits.determined import require_determined, require_rank, require_sigma
from parts.fits.fitted import Derived, Fit
from parts.fits.frame import State
from parts.fits.least_squares import (
    Minimum,
    Triangle,
    condition_of,
    curvature_of,
    minimise,
    newton_step,
    polish,
    triangle_of,
)
from parts.fits.model import Model
from parts.fits.outside import against, checked_outward
from parts.fits.search import Search, require_one, search
from parts.fits.shape import Shape
from robots.core.arrays import Array

_FAINT = 1e-8  # residuals below it, in the points' size, have no direction but rounding's


class Options(TypedDict, total=False):
    """What a fit may be told.

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
    hint: Shape


class Solved(NamedTuple):
    """The minimum on all points, in their unit coordinates."""

    cloud: Cloud
    state: State
    minimum: Minimum
    S: Array  # the second-order part there, (p, p)
    found: Search


def solve(model: Model, points: ArrayLike, options: Options) -> Fit:
    """Fit a model to points.

    Raises:
        FitError: see ``parts.fits``.
    """
    solved = minimum_of(model, points, options)
    cloud, state, minimum = solved.cloud, solved.state, solved.minimum
    reverse = _reverse(model, cloud, state, options)
    physical = cloud.physical(state, model.size_units)
    factors = np.array([_factor(model, i, cloud.scale) for i in range(model.count)])
    tri = triangle_of(minimum.rows)
    root = factors[:, None] * np.linalg.inv(tri.R) / cloud.scale
    distances = cloud.scale * model.level(state.local(cloud.unit), state.sizes).distance
    fit = Fit(
        kind=model.kind,
        shape=model.shape(physical, reverse),
        residuals=-distances if reverse else distances,
        sum_squares=cloud.scale**2 * minimum.cost,
        dof=len(minimum.rows.residuals) - model.count,
        given_sigma=options.get("sigma"),
        cofactor=root @ root.T,
        derived=_derived(model, physical, reverse),
        certificate=_certificate(solved, tri),
    )
    require_determined(fit, model, cloud)
    return fit


def minimum_of(model: Model, points: ArrayLike, options: Options) -> Solved:
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
    found = search(model, cloud.unit, hint, None)
    require_one(model, found)
    whole = minimise(model, cloud.unit, found.best.state)
    require_rank(model, condition_of(triangle_of(whole.rows).R), cloud)
    state = _oriented(model, model.settled(whole.state), hint)
    settled = Minimum(state=state, rows=model.rows(cloud.unit, state), iterations=0)
    minimum, S = polish(model, cloud.unit, settled)
    count = found.best.iterations + whole.iterations + minimum.iterations
    minimum = replace(minimum, iterations=count)
    return Solved(cloud, minimum.state, minimum, S, found)


def _oriented(model: Model, state: State, hint: State | None) -> State:
    """An axis with two names points along the hint's, else its largest component is positive."""
    if not model.free_axis:
        return state
    towards = state.axis[np.argmax(np.abs(state.axis))] if hint is None else state.axis @ hint.axis
    return state.flipped() if towards < 0.0 else state


def _reverse(model: Model, cloud: Cloud, state: State, options: Options) -> bool:
    if options.get("hollow", False):
        return model.hollow
    outward = checked_outward(options.get("outward"), cloud.count, model)
    if outward is None or model.components > 1:  # a line in space has no outside
        return False
    normal = model.level(state.local(cloud.unit), state.sizes).normal
    return against(outward, state.R @ normal)


def _factor(model: Model, column: int, scale: float) -> float:
    """What a minimal coordinate of the unit points is worth for the given ones."""
    shifts = len(model.freedoms)
    if column < shifts:
        return scale if model.freedoms[column] < 3 else 1.0
    return scale if model.size_units[column - shifts] == "m" else 1.0


def _derived(model: Model, physical: State, reverse: bool) -> dict[str, Derived]:
    named: dict[str, Derived] = {}
    for name, (value, slope, unit) in model.derived(physical).items():
        sign = -1.0 if reverse and name == "axis" and model.kind == "plane" else 1.0
        named[name] = Derived(value=sign * value, slope=sign * slope, unit=unit)
    return named


def _certificate(solved: Solved, tri: Triangle) -> Certificate:
    cloud, minimum, found = solved.cloud, solved.minimum, solved.found
    J, r = minimum.rows.jacobian, minimum.rows.residuals
    M = curvature_of(tri.R, solved.S)
    length = max(float(np.linalg.norm(r)), _FAINT * np.sqrt(len(r)))
    return Certificate(
        gradient=float(np.max(np.abs(J @ r) / np.linalg.norm(J, axis=1)) / length),
        step=float(np.linalg.norm(newton_step(tri, M))),
        iterations=minimum.iterations,
        condition=condition_of(tri.R),
        least_curvature=float(np.linalg.eigvalsh(M)[0]),
        starts=found.starts,
        agreeing=found.agreeing,
        rival=float(cloud.scale * np.sqrt(found.rival)),
        searched=found.sample,
    )
