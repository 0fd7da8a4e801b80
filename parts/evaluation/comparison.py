"""Comparison of measured with nominal points: alignment, fits, toleranced characteristics."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from parts.alignment.alignment import Alignment
from parts.alignment.best_fit import best_fit_points, best_fit_surface, nearest_on
from parts.alignment.datums import DatumPlane, ReferencePoints, reference_points, three_two_one
from parts.errors import EvaluationError, FitError
from parts.evaluation.association import (
    FeaturePoints,
    NominalFeature,
    associate,
    nominal_feature,
    sizes_of,
)
from parts.evaluation.characteristics import characteristic_of, usual_characteristics
from parts.evaluation.results import Characteristic, FeatureResult, PointDeviations
from parts.evaluation.tolerance import FORM_KINDS, ToleranceSpec
from parts.points import ProbePoints
from robots.core.arrays import Array, Indices

if TYPE_CHECKING:
    from parts.fits.zone import Zone
    from parts.geometry import Geometry

EVERYTHING = "all points"  # stands for the feature where no point names one
_OWN_FACE = 0.5  # cosine: a foot whose normal turns more belongs to another face
_ON_SKIN = 1e-6  # [m]: nominal coordinates are printed with a micrometre
Method = Literal["none", "points", "normals", "surface", "datums"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AlignmentTask:
    """The nominal points of an alignment, and its method.

    Args:
        method: "none"; "points": best fit of the point pairs; "normals": of the deviations along
            the normals; "surface": of the distances to the geometry; "datums": 3-2-1.
        nominal: in the part frame. # (n, 3) [m]
        normals: out of the material, unit. # (n, 3)
        features: of each point.
        datums: primary, secondary and tertiary flat feature.
        geometry: of the part.
        weights: of the squared residuals; all 1 where left out. # (n,)
    """

    method: Method
    nominal: Array
    normals: Array
    features: tuple[str, ...]
    datums: tuple[str, ...] = ()
    geometry: Geometry | None = None
    weights: Array | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ComparisonTask:
    """The nominal points of a comparison, and how it is made.

    Args:
        points: nominal points of the surface, in the part frame.
        alignment: how the measured points are brought to them.
        tolerances: in the order of the job.
        geometry: of the part, where there is one.
        drop_outliers: whether fits leave out points that do not belong.
    """

    points: ProbePoints
    alignment: AlignmentTask
    tolerances: tuple[ToleranceSpec, ...] = ()
    geometry: Geometry | None = None
    drop_outliers: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Refusal:
    """A tolerance that cannot be evaluated, and why."""

    tolerance: ToleranceSpec
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Comparison:
    """What came out.

    Args:
        task: what was compared with.
        deviations: of all points.
        alignment: None where there was none.
        subjects: features by name.
        zones: minimum zones of those that have one.
        characteristics: toleranced ones first.
        refusals: tolerances that cannot be evaluated.
    """

    task: ComparisonTask
    deviations: PointDeviations
    alignment: Alignment | None
    subjects: Mapping[str, FeaturePoints]
    zones: Mapping[str, Zone]
    characteristics: tuple[Characteristic, ...]
    refusals: tuple[Refusal, ...]

    @property
    def T_part_measured(self) -> Array:
        """Maps measured points to where they were compared. # (4, 4)."""
        return np.eye(4) if self.alignment is None else self.alignment.T_part_base

    def features(self) -> tuple[FeatureResult, ...]:
        """Results feature by feature, in the order of the points."""
        return tuple(self._feature(subject) for subject in self.subjects.values())

    def with_characteristics(self, characteristics: tuple[Characteristic, ...]) -> Comparison:
        """The same with other characteristics: those that know their uncertainty."""
        return replace(self, characteristics=characteristics)

    def _feature(self, subject: FeaturePoints) -> FeatureResult:
        left = np.setdiff1d(np.arange(len(subject.deviations)), subject.kept).tolist()
        return FeatureResult(
            name=subject.name,
            kind=subject.nominal.kind,
            deviations=subject.deviations,
            fit=subject.fit,
            refusal=subject.refusal,
            zone=self.zones.get(subject.name),
            nominal=subject.nominal.shape,
            sizes=sizes_of(None if subject.fit is None else subject.fit.shape),
            nominal_sizes=sizes_of(subject.nominal.shape),
            outliers=subject.outliers,
            dropped=tuple(subject.deviations.names[row] for row in left),
            characteristics=tuple(
                item for item in self.characteristics if item.feature == subject.name
            ),
        )


def compare(task: ComparisonTask, measured: Array) -> Comparison:
    """Align measured points, take deviations, fit the features, and evaluate the tolerances.

    Args:
        task: what to compare with.
        measured: points of the surface, in the order of the nominal points, in the part frame.
            # (n, 3) [m]

    Raises:
        AlignmentError, EvaluationError: see ``align``.
    """
    alignment = align(task.alignment, measured)
    deviations = deviations_of(task, measured, alignment)
    subjects = {
        name: associate(name, nominal, deviations.kept(rows), drop=task.drop_outliers)
        for name, (nominal, rows) in _nominal_features(task.points).items()
    }
    zones = {
        name: zone for name, subject in subjects.items() if (zone := _zone(subject)) is not None
    }
    asked, refusals = _toleranced(task, subjects)
    told = {(item.feature, item.kind) for item in asked}
    usual = [item for subject in subjects.values() for item in usual_characteristics(subject)]
    items = [*asked, *(item for item in usual if (item.feature, item.kind) not in told)]
    return Comparison(
        task=task,
        deviations=deviations,
        alignment=alignment,
        subjects=subjects,
        zones=zones,
        characteristics=tuple(_by_zone(item, subjects, zones) for item in items),
        refusals=refusals,
    )


def deviations_of(
    task: ComparisonTask, measured: Array, alignment: Alignment | None = None
) -> PointDeviations:
    """Deviations of measured points after an alignment. # measured (n, 3) [m]."""
    T = np.eye(4) if alignment is None else alignment.T_part_base
    points = task.points
    aligned = measured @ T[:3, :3].T + T[:3, 3]
    return PointDeviations(
        names=points.names,
        features=points.features,
        nominal=points.positions,
        normals=points.normals,
        measured=aligned,
        surface=_surface(task.geometry, points, aligned),
    )


def _surface(geometry: Geometry | None, nominal: ProbePoints, points: Array) -> Array:
    """Signed distances from the skin; NaN where it says less than the nominal point. # (n,) [m].

    That is where the nearest face is another one, and where the skin is but facets that the
    nominal point itself does not lie on: then the point is nearer to the drawing than they are.
    """
    if geometry is None:
        return np.full(len(points), np.nan)
    feet = geometry.closest(points)
    own = np.einsum("ij,ij->i", feet.normals, nominal.normals) >= _OWN_FACE
    exact = feet.analytic | (geometry.closest(nominal.positions).distances <= _ON_SKIN)
    distances = np.einsum("ij,ij->i", points - feet.points, feet.normals)
    return np.where(own & exact, distances, np.nan)


def _nominal_features(points: ProbePoints) -> dict[str, tuple[NominalFeature, Indices]]:
    names = points.features if any(points.features) else (EVERYTHING,) * len(points)
    return {
        name: (nominal_feature(points.positions[rows], points.normals[rows]), rows)
        for name, rows in rows_of_features(names).items()
    }


def _zone(subject: FeaturePoints) -> Zone | None:
    """The minimum zone; None where there is no fit, no redundancy, or none narrower is found."""
    if subject.fit is None or not subject.fit.has_redundancy:
        return None
    from parts.fits.zone import minimum_zone

    try:
        return minimum_zone(subject.fit.kind, subject.points, subject.fit)
    except FitError:
        return None


def _toleranced(
    task: ComparisonTask, subjects: Mapping[str, FeaturePoints]
) -> tuple[list[Characteristic], tuple[Refusal, ...]]:
    found: list[Characteristic] = []
    refusals: list[Refusal] = []
    for spec in task.tolerances:
        try:
            found.append(characteristic_of(spec, subjects))
        except EvaluationError as error:
            refusals.append(Refusal(tolerance=spec, reason=error.message))
    return found, tuple(refusals)


def _by_zone(
    item: Characteristic, subjects: Mapping[str, FeaturePoints], zones: Mapping[str, Zone]
) -> Characteristic:
    """A form error by its minimum zone, as ISO 1101 means it, where one was found."""
    zone = zones.get(item.feature)
    if zone is None or item.kind not in FORM_KINDS:
        return item
    names = subjects[item.feature].names
    holds = zone.contacts[np.argsort(-zone.multipliers, kind="stable")[:1]].tolist()
    return replace(
        item,
        measured=zone.width,
        least_squares=item.measured,
        worst=next((names[row] for row in holds), item.worst),  # exact points hold none
        method="minimum zone",
    )


# ---------------------------------------------------------------- Alignment of the measured points

_LEAST_POINTS = (3, 2, 1)
_FLAT = 0.999  # cosine of nominal normals that are still one plane's


def align(task: AlignmentTask, measured: Array, start: Array | None = None) -> Alignment | None:
    """Fit the nominal part to measured points; None for "none".

    In the answer, "base" is the frame in which the points were measured: its ``T_part_base`` maps
    them to where they are compared.

    Args:
        task: what to align to.
        measured: surface points, as the job's pose puts them into the part frame. # (n, 3) [m]
        start: first guess of ``T_base_part`` for the iterative fits. # (4, 4)

    Raises:
        AlignmentError: points that leave a motion of the part free.
        EvaluationError: datums that are not flat or not measured, a surface without geometry.
    """
    if task.method == "none":
        return None
    if task.method == "points":
        return best_fit_points(task.nominal, measured, task.weights)
    if task.method == "normals":
        targets = ReferencePoints(
            nominal=task.nominal, directions=task.normals, weights=task.weights
        )
        return reference_points(targets, measured, start=np.eye(4) if start is None else start)
    if task.method == "surface":
        if task.geometry is None:
            raise EvaluationError("There is no geometry of the part to align to; give it.")
        nearest = nearest_on(task.geometry)
        return best_fit_surface(nearest, measured, task.weights, start=start)
    primary, secondary, tertiary = _planes(task, measured)
    return three_two_one(primary, secondary, tertiary)


def _planes(task: AlignmentTask, measured: Array) -> Sequence[DatumPlane]:
    if len(task.datums) != 3:
        raise EvaluationError(
            f"3-2-1 has {len(task.datums)} datums; expected three: primary, secondary, tertiary.",
            value=len(task.datums),
            limit=3,
        )
    return [
        _plane(task, measured, name, least)
        for name, least in zip(task.datums, _LEAST_POINTS, strict=True)
    ]


def _plane(task: AlignmentTask, measured: Array, name: str, least: int) -> DatumPlane:
    rows = np.flatnonzero([feature == name for feature in task.features])
    if len(rows) < least:
        raise EvaluationError(
            f"The datum {name!r} has {len(rows)} measured points; it needs at least {least}.",
            value=len(rows),
            limit=least,
        )
    normals = task.normals[rows]
    mean = normals.mean(axis=0)
    length = float(np.linalg.norm(mean))
    normal = mean / max(length, 1.0 - _FLAT)  # those of a hole add up to nothing
    flattest = float((normals @ normal).min())
    if not flattest >= _FLAT:
        turn = float(np.degrees(np.arccos(np.clip(normals @ normals[0], -1.0, 1.0).min())))
        raise EvaluationError(
            f"The datum {name!r} is not flat: its nominal normals turn by {turn:.3g} deg. 3-2-1 "
            'takes planes; align to the others with "normals".',
            value=turn,
            unit="deg",
        )
    return DatumPlane(
        name=name,
        normal=_squared(normals, normal),
        point=task.nominal[rows].mean(axis=0),
        measured=measured[rows],
        outward=normal,
    )


def _squared(normals: Array, mean: Array) -> Array:
    """The first normal where all are the same, which keeps right angles exact."""
    return np.asarray(normals[0] if np.allclose(normals, normals[0], atol=1e-12) else mean)


def rows_of_features(features: Sequence[str]) -> dict[str, Indices]:
    """Rows of the points of each feature, in the order of its first point.

    Args:
        features: of the points; empty texts are none.
    """
    rows: defaultdict[str, list[int]] = defaultdict(list)
    for row, feature in enumerate(features):
        rows[feature].append(row)
    rows.pop("", None)
    return {name: np.array(some, dtype=np.int64) for name, some in rows.items()}
