"""Comparison of measured with nominal points: alignment, fits, toleranced characteristics."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np

from parts.alignment.alignment import Alignment, inverse
from parts.alignment.best_fit import best_fit_points, best_fit_surface, nearest_on
from parts.alignment.datum_system import (
    DatumAlignment,
    DatumKind,
    DatumPoints,
    HeldDatum,
    align_to_datums,
    associated_place,
    associated_point,
    common_datum,
)
from parts.alignment.reference_points import ReferencePoints, reference_points
from parts.drawing.drawing import DatumReference
from parts.errors import EvaluationError, FitError, PartError
from parts.evaluation.association import (
    FeaturePoints,
    NominalFeature,
    associate,
    nominal_feature,
    sizes_of,
)
from parts.evaluation.characteristics import (
    MatingFeature,
    characteristic_of,
    gauged_points,
    location_of,
    mating_feature,
    own_rows,
    usual_characteristics,
)
from parts.evaluation.material import (
    Clearance,
    GaugedPoints,
    datum_shift,
    material_boundary,
    size_limits,
)
from parts.evaluation.results import Characteristic, FeatureResult, PointDeviations
from parts.evaluation.tolerance import (
    FORM_KINDS,
    LOCATION_KINDS,
    DatumFeature,
    Material,
    ToleranceSpec,
    system_text,
)
from parts.fits.fitting import FIT_KINDS
from parts.fits.opposed_planes import FLAT, opposed_planes
from parts.points import ProbePoints
from robots.core.arrays import Array, Indices

if TYPE_CHECKING:
    from parts.fits.zone import Zone
    from parts.geometry import Geometry


EVERYTHING = "all points"  # stands for the feature where no point names one
_OWN_FACE = 0.5  # cosine: a foot whose normal turns more belongs to another face
_ON_SKIN = 1e-6  # [m]: nominal coordinates are printed with a micrometre
Method = Literal["none", "points", "normals", "surface", "datums", "rps"]


@dataclass(frozen=True, kw_only=True, eq=False)
class AlignmentTask:
    """The nominal points of an alignment, and its method.

    Args:
        method: "none"; "points": best fit of the point pairs; "normals": of the deviations along
            the normals; "surface": of the distances to the geometry; "datums": a datum system;
            "rps": reference points.
        nominal: in the part frame. # (n, 3) [m]
        normals: out of the material, unit. # (n, 3)
        features: of each point.
        datums: primary, secondary, tertiary.
        targets: reference points.
        target_rows: their points. # (k,)
        geometry: of the part.
        weights: of the squared residuals; all 1 where left out. # (n,)
    """

    method: Method
    nominal: Array
    normals: Array
    features: tuple[str, ...]
    datums: tuple[DatumFeature, ...] = ()
    targets: ReferencePoints | None = None
    target_rows: Indices = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    geometry: Geometry | None = None
    weights: Array | None = None

    @cached_property
    def nominal_datums(self) -> tuple[NominalDatum, ...]:
        """The datums as they should be; they are recognised once.

        Raises:
            EvaluationError: a datum that is not measured, or is no plane, hole, shaft, sphere or
                slot.
        """
        rows = rows_of_features(self.features)
        return tuple(nominal_datum(one, self.nominal, self.normals, rows) for one in self.datums)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ComparisonTask:
    """The nominal points of a comparison, and how it is made.

    Args:
        points: nominal points of the surface, in the part frame.
        alignment: how the measured points are brought to them.
        tolerances: in the order of the job.
        datums: that the tolerances refer to; one that is not there is a feature of that name.
        geometry: of the part, where there is one.
        drop_outliers: whether fits leave out points that do not belong.
    """

    points: ProbePoints
    alignment: AlignmentTask
    tolerances: tuple[ToleranceSpec, ...] = ()
    datums: tuple[DatumFeature, ...] = ()
    geometry: Geometry | None = None
    drop_outliers: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Refusal:
    """A tolerance that cannot be evaluated, and why."""

    tolerance: ToleranceSpec
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DatumFrame:
    """The measured points in the frame of a datum system.

    Args:
        task: of its alignment.
        T_part_aligned: maps points as they are aligned for the comparison to this frame. # (4, 4)
        held: what its datums hold.
        subjects: features in this frame, by name.
        clearances: of its datums at their maximum material boundary.
        unshifted: the same features before the part was moved within these; empty where none is.
    """

    task: AlignmentTask
    T_part_aligned: Array
    held: DatumAlignment
    subjects: Mapping[str, FeaturePoints]
    clearances: tuple[Clearance, ...] = ()
    unshifted: Mapping[str, FeaturePoints] = field(default_factory=dict)


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
        frames: by datum system, as ``system_text`` has it.
    """

    task: ComparisonTask
    deviations: PointDeviations
    alignment: Alignment | None
    subjects: Mapping[str, FeaturePoints]
    zones: Mapping[str, Zone]
    characteristics: tuple[Characteristic, ...]
    refusals: tuple[Refusal, ...]
    frames: Mapping[str, DatumFrame] = field(default_factory=dict)

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
    asked, refusals, frames = _Tolerances(task, deviations, subjects).judged()
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
        frames=frames,
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
    fitted = subject.fit
    if fitted is None or not fitted.has_redundancy or fitted.kind not in FIT_KINDS:
        return None
    from parts.fits.zone import minimum_zone

    try:
        return minimum_zone(fitted.kind, subject.points, fitted)
    except FitError:
        return None


class _Tolerances:
    """The tolerances of a comparison, each in the frame of its datums."""

    def __init__(
        self,
        task: ComparisonTask,
        deviations: PointDeviations,
        subjects: Mapping[str, FeaturePoints],
    ) -> None:
        self._task, self._deviations, self._subjects = task, deviations, subjects
        self._known = {one.label: one for one in task.datums}
        self._frames: dict[str, DatumFrame] = {}
        self._faults: dict[str, str] = {}
        self._envelopes: dict[tuple[str, Material], MatingFeature] = {}

    def judged(
        self,
    ) -> tuple[list[Characteristic], tuple[Refusal, ...], dict[str, DatumFrame]]:
        """Characteristics, tolerances that cannot be evaluated, and frames."""
        found: list[Characteristic] = []
        refusals: list[Refusal] = []
        for spec in self._task.tolerances:
            try:
                found.append(self._characteristic(spec))
            except PartError as error:
                refusals.append(Refusal(tolerance=spec, reason=error.message))
        return found, tuple(refusals), self._frames

    def _characteristic(self, spec: ToleranceSpec) -> Characteristic:
        mating = self._mating(spec)
        if not spec.datums:
            return characteristic_of(spec, self._subjects, mating=mating)
        frame = self._frame(spec.datums)
        there = None if mating is None else mating.moved(frame.T_part_aligned)
        found = characteristic_of(spec, frame.subjects, frame.held, there)
        if not frame.unshifted:
            return found
        T = frame.held.alignment.T_part_base
        there = None if mating is None else mating.moved(T)
        fixed = characteristic_of(spec, frame.unshifted, frame.held, there)
        return replace(found, datum_shift=fixed.measured - found.measured)

    def _mating(self, spec: ToleranceSpec) -> MatingFeature | None:
        """What stands for a feature with a material requirement, as it is aligned."""
        subject = self._subjects.get(spec.feature)
        if not spec.material or subject is None:
            return None
        key = (spec.feature, spec.material)
        if key not in self._envelopes:
            limits = size_limits(self._task.tolerances, subject)
            self._envelopes[key] = mating_feature(subject, spec.material, limits)
        return self._envelopes[key]

    def _frame(self, system: tuple[DatumReference, ...]) -> DatumFrame:
        key = system_text(system)
        if key in self._faults:
            raise EvaluationError(self._faults[key])
        if key not in self._frames:
            try:
                self._frames[key] = self._made(system)
            except PartError as error:
                self._faults[key] = error.message
                raise
        return self._frames[key]

    def _made(self, system: tuple[DatumReference, ...]) -> DatumFrame:
        datums = []
        for one in system:
            if set(one.all_modifiers) - {"MMB"}:
                raise EvaluationError(
                    f"The datum {one.label} has {', '.join(one.all_modifiers)}, which is not "
                    "evaluated; only the maximum material boundary (M) is.",
                    value=one.label,
                )
            datum = self._datum_of(one)
            # a boundary is a gauge's: its clearance is counted from what fits into it
            datums.append(_in_contact(datum) if one.all_modifiers else datum)
        nominal = self._task.alignment
        task = AlignmentTask(
            method="datums",
            nominal=nominal.nominal,
            normals=nominal.normals,
            features=nominal.features,
            datums=tuple(datums),
        )
        held = aligned_to(task, self._deviations.measured, whole=False)
        T = held.alignment.T_part_base
        features = {name for one in datums for name in one.features} | {
            spec.feature for spec in self._task.tolerances if spec.datums == system
        }
        subjects = self._moved(held.alignment, features)
        frame = DatumFrame(task=task, T_part_aligned=T, held=held, subjects=subjects)
        shifting = [one.label for one in system if one.all_modifiers]
        return self._shifted(frame, system, shifting) if shifting or held.leaves_free else frame

    def _datum_of(self, reference: DatumReference) -> DatumFeature:
        """The datum of a compartment; one that the task does not have is a feature of that name."""
        if reference.label in self._known:
            return self._known[reference.label]
        if len(reference.elements) == 1:
            return DatumFeature(label=reference.label, feature=reference.label)
        elements = [DatumReference(elements=(one,)) for one in reference.elements]
        return DatumFeature(
            label=reference.label,
            feature="",
            elements=tuple(single for one in elements for single in self._datum_of(one).singles),
        )

    def _moved(self, alignment: Alignment, features: Collection[str]) -> dict[str, FeaturePoints]:
        """Some features in another frame; what their fits rest on stays."""
        moved = deviations_of(self._task, self._deviations.measured, alignment)
        row_of = {name: row for row, name in enumerate(moved.names)}
        return {
            name: subject.seen_as(
                moved.kept(np.array([row_of[point] for point in subject.deviations.names]))
            )
            for name, subject in self._subjects.items()
            if name in features
        }

    def _shifted(
        self, frame: DatumFrame, system: tuple[DatumReference, ...], shifting: list[str]
    ) -> DatumFrame:
        """The frame in which clearances and motions left free serve all its tolerances best."""
        clearances = tuple(
            clearance for label in shifting for clearance in self._clearances(frame, label)
        )
        gauged = [
            one
            for spec in self._task.tolerances
            if spec.datums == system
            and spec.kind in LOCATION_KINDS
            and (one := self._gauged(spec, frame)) is not None
        ]
        if not gauged:
            return replace(frame, clearances=clearances)
        shift = datum_shift(frame.held, clearances, gauged)
        T = shift @ frame.T_part_aligned
        alignment = replace(frame.held.alignment, T_base_part=inverse(T))
        return replace(
            frame,
            T_part_aligned=T,
            held=frame.held.settled(),
            clearances=clearances,
            subjects=self._moved(alignment, frame.subjects),
            unshifted=frame.subjects if clearances and not frame.held.leaves_free else {},
        )

    def _clearances(self, frame: DatumFrame, label: str) -> Iterator[Clearance]:
        """Of a datum, or of each feature of a common datum."""
        place, datum = next((k, o) for k, o in enumerate(frame.task.datums) if o.label == label)
        earlier = [one.label for one in frame.task.datums[:place]]
        for one, held in zip(datum.singles, frame.held.datums[place].singles, strict=True):
            yield self._clearance(frame, one, held, earlier)

    def _clearance(
        self, frame: DatumFrame, datum: DatumFeature, held: HeldDatum, earlier: Sequence[str]
    ) -> Clearance:
        if held.kind not in ("axis", "centre", "slot") or not np.isfinite(held.size):
            raise EvaluationError(
                f"The datum {datum.label} is a {held.kind}, whose material boundary is not "
                "evaluated; (M) is for bores, shafts, spheres, slots and tongues.",
                value=held.kind,
            )
        subject = frame.subjects[datum.feature]
        limits = size_limits(self._task.tolerances, subject)
        boundary = material_boundary(datum, earlier, limits, self._task.tolerances)
        room = held.size - boundary
        ends = subject.points.copy()
        if held.kind == "slot":
            ends = subject.points[own_rows(subject)]
            ends = ends - np.outer((ends - held.measured) @ held.direction, held.direction)
        elif held.kind == "axis" or held.shape == "circle3d":
            heights = (subject.points - held.measured) @ held.direction
            ends = held.measured + np.outer([heights.min(), heights.max()], held.direction)
        return Clearance(
            datum=held,
            ends=ends if held.shape != "sphere" else held.measured[None],
            diameter=room if limits.hollow else -room,
        )

    def _gauged(self, spec: ToleranceSpec, frame: DatumFrame) -> GaugedPoints | None:
        """What a gauge sees of a tolerance; None where it cannot be evaluated at all."""
        try:
            mating = self._mating(spec)
            there = None if mating is None else mating.moved(frame.T_part_aligned)
            characteristic_of(spec, frame.subjects, frame.held.settled(), there)
            return gauged_points(spec, frame.subjects[spec.feature], there, frame.held)
        except PartError:  # and it says so where it is judged
            return None


def _in_contact(datum: DatumFeature) -> DatumFeature:
    elements = tuple(replace(one, association="contact") for one in datum.elements)
    return replace(datum, association="contact", elements=elements)


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
        EvaluationError: datums that are none or not measured, a surface without geometry.
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
    if task.method == "rps":
        return _by_targets(task, measured, start)
    if task.method == "surface":
        if task.geometry is None:
            raise EvaluationError("There is no geometry of the part to align to; give it.")
        nearest = nearest_on(task.geometry)
        return best_fit_surface(nearest, measured, task.weights, start=start)
    return aligned_to(task, measured).alignment


def _by_targets(task: AlignmentTask, measured: Array, start: Array | None) -> Alignment:
    if task.targets is None:
        raise EvaluationError("The reference point system has no targets; give them.")
    first = np.eye(4) if start is None else start
    return reference_points(task.targets, measured[task.target_rows], start=first)


def aligned_to(task: AlignmentTask, measured: Array, *, whole: bool = True) -> DatumAlignment:
    """Align measured points to the task's datums.

    Args:
        task: with datums.
        measured: as for ``align``.
        whole: whether they must hold all motions of the part.

    Raises:
        AlignmentError: they do not, or points do not hold a datum.
        EvaluationError: datums that are not measured, or are no datums.
    """
    found = align_to_datums([one.at(measured) for one in task.nominal_datums])
    if whole:
        found.require_held("|".join(one.label for one in task.datums))
    return found


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


# ------------------------------------------------------------------------------------ datum systems


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NominalDatum:
    """A datum as it should be, and which points belong to it.

    Args:
        datum: how it is taken from its feature.
        kind: as of ``DatumPoints``, where the other fields are told as well.
        point: # (3,) [m]
        direction: # (3,)
        shape: kind of the feature.
        rows: of its points. # (k,)
        normals: of these. # (k, 3)
        members: of a common datum.
    """

    datum: DatumFeature
    kind: DatumKind
    point: Array
    direction: Array
    shape: str
    rows: Indices
    normals: Array
    members: tuple[NominalDatum, ...] = ()

    def at(self, measured: Array) -> DatumPoints:
        """It with measured points: all of the evaluation's. # (n, 3) [m]."""
        return DatumPoints(
            members=tuple(one.at(measured) for one in self.members),
            name=self.datum.label,
            kind=self.kind,
            point=self.point,
            direction=self.direction,
            shape=self.shape,
            measured=measured[self.rows],
            normals=self.normals,
            contact=self.datum.association == "contact",
        )


def nominal_datum(
    datum: DatumFeature, nominal: Array, normals: Array, rows_of: Mapping[str, Indices]
) -> NominalDatum:
    """Recognise what a datum is: a flat side, a bore or shaft, a sphere, a slot, or several.

    Args:
        datum: how it is taken from its feature.
        nominal: all points. # (n, 3) [m]
        normals: theirs. # (n, 3)
        rows_of: the points of each feature.

    Raises:
        EvaluationError: no points, or none of these.
    """
    members = tuple(nominal_datum(one, nominal, normals, rows_of) for one in datum.elements)
    if members and not _opposed(members):
        return _common(datum, members, nominal)
    who = f"The datum {datum.label!r}"
    who += "" if datum.label == datum.feature or members else f" ({datum.feature!r})"
    none = np.zeros(0, dtype=np.int64)
    rows = np.concatenate([rows_of.get(name, none) for name in datum.features])
    if not len(rows):
        raise EvaluationError(f"{who} has no measured points; measure it.", value=0, limit=1)
    own = normals[rows]
    if float((own @ own[0]).min()) >= FLAT:
        return _flat(datum, "plane", nominal, own, rows)
    sides = opposed_planes(nominal[rows], own)
    if sides is not None:
        some = sides.on_sides(nominal[rows])
        return _flat(datum, "slot", nominal, own[some], rows[some])
    feature = nominal_feature(nominal[rows], own)
    if feature.shape is not None and feature.kind in ("cylinder", "cone", "sphere", "circle3d"):
        place = location_of(feature.shape, nominal[rows])
        found = NominalDatum(
            datum=datum,
            kind="axis" if place.kind == "axis" else "centre",
            point=place.point,
            direction=place.direction,
            shape=feature.kind,
            rows=rows,
            normals=own,
        )
        # seen as the measured points will be, so that a perfect part is found where it should be
        point, _ = associated_place(found.at(nominal), place.direction)
        return replace(found, point=point)
    raise EvaluationError(
        f"{who} is no datum feature: its {len(rows)} nominal points lie on no plane, bore, shaft, "
        "cone or sphere, and not on the two sides of a slot. Choose another feature.",
        value=feature.kind,
    )


def _opposed(members: Sequence[NominalDatum]) -> bool:
    """Whether the features of a common datum are the two sides of a slot or a tongue."""
    if any(one.kind != "plane" for one in members):
        return False
    cosines = [float(one.direction @ members[0].direction) for one in members]
    return min(cosines) <= -FLAT and all(abs(one) >= FLAT for one in cosines)


def _common(datum: DatumFeature, members: tuple[NominalDatum, ...], nominal: Array) -> NominalDatum:
    for one in members:
        if one.shape == "cone" or one.kind == "slot":
            kind = "slot" if one.kind == "slot" else one.shape
            raise EvaluationError(
                f"The common datum {datum.label} has the {kind} {one.datum.feature!r}, which is "
                "not evaluated; its features are flat sides, bores, shafts and spheres.",
                value=one.datum.feature,
            )
    found = common_datum(datum.label, [one.at(nominal) for one in members])
    return NominalDatum(
        datum=datum,
        kind=found.kind,
        point=associated_point(found, np.eye(3)),
        direction=found.direction,
        shape=found.shape,
        rows=np.concatenate([one.rows for one in members]),
        normals=np.vstack([one.normals for one in members]),
        members=members,
    )


def _flat(
    datum: DatumFeature, kind: DatumKind, nominal: Array, own: Array, rows: Indices
) -> NominalDatum:
    """A flat side, or the two of a slot; its direction is that of the first point's side."""
    sides = np.where(own @ own[0] > 0.0, 1.0, -1.0)
    same = np.abs(own @ own[0]) > 1.0 - 1e-12  # which keeps right angles exact
    mean = (sides[:, None] * own).mean(axis=0)
    direction = own[0] if same.all() else mean / np.linalg.norm(mean)
    middles = [nominal[rows[sides == side]].mean(axis=0) for side in np.unique(sides)]
    return NominalDatum(
        datum=datum,
        kind=kind,
        point=np.mean(middles, axis=0),
        direction=direction,
        shape="plane",
        rows=rows,
        normals=own,
    )
