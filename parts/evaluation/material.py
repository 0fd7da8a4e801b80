"""Maximum and least material: limits of size, bonus, boundaries of datums, and datum shift.

Source: [ISO2692] §4 to §7; ASME Y14.5-2018 §7.11, §10.3
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from parts.alignment.alignment import pose_of, rotation_of
from parts.alignment.datum_system import DatumAlignment, HeldDatum
from parts.errors import EvaluationError, FitError
from parts.evaluation.association import FeaturePoints, Measurable, sizes_of
from parts.evaluation.tolerance import (
    ORIENTATION_KINDS,
    DatumFeature,
    Material,
    ToleranceSpec,
)
from parts.fits.fit_result import FittedShape
from parts.fits.opposed_planes import OpposedPlanes, enclosing_planes, mating_planes
from parts.fits.zone import ENVELOPE_KINDS, circumscribed, inscribed, is_reversed
from robots.core.arrays import Array

_LOCATES = (*ORIENTATION_KINDS, "position", "coaxiality")
_POINTS = ("axis", "centre")
_HELD = 1e-6  # of a motion of unit length
_TIGHT = 1e-9  # of a clearance: what rounding may leave of it


@dataclass(frozen=True, slots=True, kw_only=True)
class SizeLimits:
    """Limits of a diameter or a width.

    Args:
        lower: [m]
        upper: [m]
        hollow: whether it is that of a hole or a slot.
    """

    lower: float
    upper: float
    hollow: bool

    def at(self, material: Material) -> float:
        """The limit of maximum ("M") or least ("L") material. [m]."""
        return self.lower if (material == "M") == self.hollow else self.upper

    def departure(self, size: float, material: Material) -> float:
        """What a size departs from that limit, into the tolerance. [m]."""
        away = size - self.at(material)
        return away if (material == "M") == self.hollow else -away


def size_limits(specs: Iterable[ToleranceSpec], subject: Measurable) -> SizeLimits:
    """Limits of a feature's diameter or width, by its own tolerance.

    Raises:
        EvaluationError: it has none, or no such size.
    """
    sizes = sizes_of(subject.nominal.shape)
    size = "width" if "width" in sizes else "diameter"
    spec = next((s for s in specs if (s.feature, s.kind) == (subject.name, size)), None)
    if spec is None or subject.nominal.shape is None or size not in sizes:
        what = f"has no tolerance of its {size}" if size in sizes else "has no diameter"
        raise EvaluationError(
            f"The feature {subject.name!r} {what}, from whose limits a material requirement "
            "counts; add the tolerance, or take the requirement away.",
            value=subject.name,
        )
    nominal = sizes[size] if spec.nominal is None else spec.nominal
    middle = nominal + spec.middle
    return SizeLimits(
        lower=middle - spec.value,
        upper=middle + spec.value,
        hollow=is_reversed(subject.nominal.shape),
    )


def mating_envelope(subject: FeaturePoints, material: Material) -> FittedShape:
    """The envelope that a bonus is counted from: in a hole the largest inscribed for "M".

    For "L" it is the smallest about the points of a hole; of a shaft each is the other one. In a
    slot it is the widest block, about a tongue the narrowest gap.

    Raises:
        EvaluationError: a feature that has none, or points that do not close round one.
    """
    nominal, fitted = subject.nominal.shape, None if subject.fit is None else subject.fit.shape
    if isinstance(nominal, OpposedPlanes) and isinstance(fitted, OpposedPlanes):
        envelope = mating_planes if material == "M" else enclosing_planes
        sides = nominal.sides(subject.deviations.normals[subject.kept])
        try:
            return envelope(subject.points, sides, fitted)
        except FitError as error:
            raise EvaluationError(
                f"The mating size of {subject.name!r} cannot be evaluated: {error.message}"
            ) from error
    if subject.fit is None or subject.fit.kind not in ENVELOPE_KINDS:
        kind = subject.nominal.kind if subject.fit is None else subject.fit.kind
        raise EvaluationError(
            f"The feature {subject.name!r} is a {kind}, whose material boundary is not evaluated; "
            "material requirements are for cylinders, circles, spheres and widths.",
            value=kind,
        )
    inside = is_reversed(subject.fit.shape) == (material == "M")
    try:
        return (inscribed if inside else circumscribed)(
            subject.fit.kind, subject.points, subject.fit
        ).geometry
    except FitError as error:
        raise EvaluationError(
            f"The mating size of {subject.name!r} cannot be evaluated: {error.message}"
        ) from error


# ------------------------------------------------------------------------------------ Datum shift


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Clearance:
    """What a datum feature may move within its material boundary.

    Args:
        datum: it.
        ends: of its axis, or points of its median plane, measured, in the frame. # (e, 3) [m]
        diameter: its mating size beyond the boundary; none or below zero: it fits in one place
            only, or not at all. [m]
    """

    datum: HeldDatum
    ends: Array
    diameter: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GaugedPoints:
    """Points of a toleranced feature that a gauge sees, and where they should be.

    Args:
        points: measured, in the frame. # (k, 3) [m]
        places: nominal. # (k, 3) [m]
        across: projector onto the directions that count. # (k, 3, 3)
        limit: diameter of the zone with its bonus. [m]
    """

    points: Array
    places: Array
    across: Array
    limit: float


def material_boundary(
    datum: DatumFeature,
    earlier: Sequence[str],
    limits: SizeLimits,
    specs: Iterable[ToleranceSpec],
) -> float:
    """Diameter or width of a datum's maximum material boundary. [m].

    Its limit of size and, beyond that, its own tolerance to the earlier datums of the system;
    where it has several of these, the narrowest, which leaves the least clearance.

    Args:
        datum: it.
        earlier: labels of the datums before it.
        limits: of its size.
        specs: all tolerances of the drawing.
    """
    if datum.boundary is not None:
        return datum.boundary
    own = [
        spec.value
        for spec in specs
        if spec.feature == datum.feature
        and spec.kind in _LOCATES
        and {one.label for one in spec.datums} <= set(earlier)
        and (spec.datums or spec.datum in earlier)
    ]
    tolerance = min(own, default=0.0)
    return limits.at("M") + (-tolerance if limits.hollow else tolerance)


def datum_shift(
    aligned: DatumAlignment, clearances: Sequence[Clearance], gauged: Sequence[GaugedPoints]
) -> Array:
    """The motion of the part that its datums allow and that the zones ask least of. # (4, 4).

    Datums with a clearance may shift in their boundaries; what no datum holds is free. All features
    are seen by one gauge at once (simultaneous requirement). The motion keeps every other datum
    where it is, to first order, and stays within the boundaries exactly; a motion that is not quite
    the best one only makes the values larger.

    Raises:
        EvaluationError: the datum features do not enter their boundaries together.
    """
    from scipy.optimize import minimize

    far = max(float(_excess(one, np.eye(4)).max()) + one.limit for one in gauged)
    scale = max([1e-6, far, *(one.diameter for one in clearances)])
    shifting = {one.datum.name for one in clearances}
    fixed = [d for one in aligned.datums for d in one.singles if d.name not in shifting]
    # about a point that a datum holds, a turn leaves it there whatever its angle
    held = [d.measured for d in fixed if d.kind in _POINTS]
    centre = held[0] if held else np.mean(np.vstack([one.points for one in gauged]), axis=0)
    reach = max([1e-3, *(float(np.abs(one.points - centre).max()) for one in gauged)])
    freedoms = _freedoms(fixed, centre, reach)

    def motion(x: Array) -> Array:
        twist = scale * (x @ freedoms)
        R = rotation_of(twist[3:] / reach)
        return pose_of(R, twist[:3] + centre - R @ centre)

    def outside(x: Array) -> Array:
        """Squared room that the datums have left; below zero they leave their boundary."""
        T = motion(x)
        return np.concatenate([np.ones(1), *(_room(one, T) / scale**2 for one in clearances)])

    def excess(x: Array) -> Array:
        T = motion(x)
        return np.concatenate([_excess(one, T) for one in gauged]) / scale

    count = len(freedoms)
    if not count:
        return np.eye(4)
    start = np.r_[np.zeros(count), excess(np.zeros(count)).max()]
    found = minimize(
        lambda y: y[-1],
        start,
        jac=lambda _: np.r_[np.zeros(count), 1.0],
        constraints=[
            {"type": "ineq", "fun": lambda y: outside(y[:-1])},
            {"type": "ineq", "fun": lambda y: y[-1] - excess(y[:-1])},
        ],
        method="SLSQP",
        options={"ftol": 1e-13, "maxiter": 300},
    )
    x = _within(found.x[:-1], outside)
    if outside(x).min() < -_TIGHT:
        names = ", ".join(one.datum.name for one in clearances)
        raise EvaluationError(
            f"The datum features {names} do not enter their material boundaries together: the part "
            "does not go into the gauge.",
            value=float(outside(x).min()),
        )
    return motion(x)


def _within(x: Array, outside: Callable[[Array], Array]) -> Array:
    """The same motion, shortened until it keeps the boundaries."""
    if outside(x).min() >= 0.0 or outside(0.0 * x).min() < 0.0:
        return x
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if outside(middle * x).min() >= 0.0 else (low, middle)
    return low * x


def _room(one: Clearance, T: Array) -> Array:
    moved = one.ends @ T[:3, :3].T + T[:3, 3] - one.datum.point
    if one.datum.kind == "slot":
        moved = np.outer(moved @ one.datum.direction, one.datum.direction)
    elif one.datum.shape != "sphere":
        moved = moved - np.outer(moved @ one.datum.direction, one.datum.direction)
    free = max(0.5 * one.diameter, 0.0)
    return np.asarray(free**2 - np.sum(moved**2, axis=1))


def _excess(one: GaugedPoints, T: Array) -> Array:
    moved = one.points @ T[:3, :3].T + T[:3, 3] - one.places
    away = np.einsum("kij,kj->ki", one.across, moved)
    return np.asarray(2.0 * np.linalg.norm(away, axis=1) - one.limit)


def _freedoms(fixed: Sequence[HeldDatum], centre: Array, reach: float) -> Array:
    """Motions that keep some datums where they are. # (f, 6).

    A motion is a shift of ``centre`` and a turn about it, taken at ``reach``.
    """
    rows = [np.zeros((1, 6)), *(one.held_motions(centre, reach) for one in fixed)]
    _, sizes, Vt = np.linalg.svd(np.vstack(rows))
    return np.asarray(Vt[int(np.count_nonzero(sizes > _HELD)) :])
