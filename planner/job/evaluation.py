"""``[evaluation]``, ``[[datum]]`` and ``[[tolerance]]`` of a job file → settings."""

from __future__ import annotations

from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import TYPE_CHECKING, Literal

import numpy as np

from parts.drawing.drawing import DatumElement, DatumReference
from parts.errors import PartError
from parts.points import ProbePoints
from planner.job.features import features_of, is_wildcard, matching, the_one
from planner.job.job_text import JobText
from robots.core.file_units import metres
from robots.core.schema_problems import KeyPath

if TYPE_CHECKING:
    from parts.evaluation.tolerance import DatumFeature, ToleranceSpec
    from planner.job.schema import EvaluationTable, JobFile, ToleranceTable

AlignmentMethod = Literal["none", "points", "normals", "surface", "datums", "rps"]
CompensationNormal = Literal["nominal", "fitted"]
Lock = Literal["x", "y", "z", "normal"]
_MOST_DATUMS = 3
_ENOUGH = 200  # points of a datum that tell what it holds


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceTarget:
    """A reference point of an alignment.

    Args:
        point: its name.
        locks: directions in which it holds the part: axes of the part, or its normal.
    """

    point: str
    locks: tuple[Lock, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationSettings:
    """How measured points are compared with the job's.

    Args:
        alignment: what the points are fitted to before they are compared.
        datums: datum system of the alignment, primary first; of "datums" only.
        targets: reference points; of "rps" only.
        datum_features: of all datums that the job names, alignment and tolerances alike.
        drop_outliers: whether fits leave out points that do not belong.
        compensated: of measured files that do not say, and of DMIS results; None where the job
            does not either.
        compensation: normal along which centres of the ball are moved to the surface.
        tolerances: in the order of the job file, one for each feature of a wildcard.
    """

    alignment: AlignmentMethod = "none"
    datums: tuple[DatumReference, ...] = ()
    targets: tuple[ReferenceTarget, ...] = ()
    datum_features: tuple[DatumFeature, ...] = ()
    drop_outliers: bool = False
    compensated: bool | None = None
    compensation: CompensationNormal = "nominal"
    tolerances: tuple[ToleranceSpec, ...] = ()

    @property
    def aligning_datums(self) -> tuple[DatumFeature, ...]:
        """Datums of the alignment, primary first."""
        known = {one.label: one for one in self.datum_features}
        return tuple(known[one.label] for one in self.datums)


def evaluation_of(file: JobFile, points: ProbePoints, source: JobText) -> EvaluationSettings:
    """Settings of the tables.

    Args:
        file: the job file.
        points: of the job, with their features.
        source: for messages.

    Raises:
        JobError: a feature, a datum or a point that no point has; datums or targets without their
            alignment, or that leave the part free; an alignment to a geometry that is not there;
            the same tolerance twice, or one that makes no sense.
    """
    table = file.evaluation
    if not (file.tolerance or file.datum or table.model_fields_set):
        return EvaluationSettings()
    known = _Known(file, points, source)
    datums = _check_alignment(file, known, source)
    _check_held(datums, known, points, source)
    tolerances = _tolerances(file.tolerance, known, source)
    return EvaluationSettings(
        alignment=table.alignment,
        datums=datums,
        targets=_targets(table, points, source),
        datum_features=tuple(known.datums.values()),
        drop_outliers=table.outliers == "drop",
        compensated=table.compensated,
        compensation=table.compensation,
        tolerances=tolerances,
    )


class _Known:
    """Features and datums that a job's tables may refer to."""

    def __init__(self, file: JobFile, points: ProbePoints, source: JobText) -> None:
        self.features = features_of(points)
        self.datums: dict[str, DatumFeature] = {}
        self._source = source
        for row, table in enumerate(file.datum):
            from parts.evaluation.tolerance import DatumFeature  # brings all fits

            path: KeyPath = ("datum", row)
            if table.label in self.datums:
                raise source.error(
                    (*path, "label"), f"is {table.label!r} again; a datum has one feature."
                )
            if table.label in self.features:
                raise source.error(
                    (*path, "label"),
                    f"is {table.label!r}, as a feature of the points is called; choose another.",
                )
            features = [
                the_one(name, self.features, (*path, "feature"), source) for name in table.feature
            ]
            if len(set(features)) < len(features):
                raise source.error(
                    (*path, "feature"),
                    "has a feature twice; name each feature once.",
                    found=table.feature,
                )
            datum = DatumFeature(
                label=table.label,
                feature=features[0],
                association=table.association,
                boundary=None if table.boundary_mm is None else metres(table.boundary_mm),
            )
            if len(features) > 1:
                self._require_squares([datum], table.label, (*path, "association"))
                elements = tuple(replace(datum, label=one, feature=one) for one in features)
                datum = DatumFeature(label=table.label, feature="", elements=elements)
            self.datums[table.label] = datum

    def feature(self, name: str, path: KeyPath) -> str:
        """The feature of a datum's label, or the one that is called so."""
        datum = self.datum(name, path)
        if datum.elements:
            raise self._source.error(
                path,
                f"is {name!r}, a common datum; name one feature, or put it into datums.",
                found=name,
            )
        return datum.feature

    def datum(self, name: str, path: KeyPath) -> DatumFeature:
        """The datum of a label, of a feature that is called so, or of several: "A-B"."""
        from parts.evaluation.tolerance import DatumFeature

        known = (*self.datums, *self.features)
        if name not in known and (parts := _split(name, known)):
            singles = [single for one in parts for single in self.datum(one, path).singles]
            self._require_squares(singles, name, path)
            return DatumFeature(label=name, feature="", elements=tuple(singles))
        if name in self.datums:
            return self.datums[name]
        if not is_wildcard(name):
            matching(name, known, path, self._source)
        feature = the_one(name, self.features, path, self._source)
        return DatumFeature(label=feature, feature=feature)

    def _require_squares(self, singles: list[DatumFeature], name: str, path: KeyPath) -> None:
        if any(one.association == "contact" for one in singles):
            raise self._source.error(
                path,
                f'is "contact" for the common datum {name!r}, which is taken by least squares; '
                "leave association out.",
                found=name,
            )

    def datum_system(self, names: tuple[str, ...], path: KeyPath) -> tuple[DatumReference, ...]:
        """A datum system, in which "B(M)" is B at its maximum material boundary."""
        if len(names) > _MOST_DATUMS:
            raise self._source.error(
                path,
                f"has {len(names)} datums; expected at most three: primary, secondary, tertiary.",
                found=len(names),
                limit=_MOST_DATUMS,
            )
        references: list[DatumReference] = []
        owners: dict[str, str] = {}
        for text in names:
            name, modifiers = text, tuple[str, ...]()
            if text not in (*self.datums, *self.features) and text[-3:] in ("(M)", "(L)"):
                name, modifiers = text[:-3].rstrip(), ("MMB",)
            if modifiers and text.endswith("(L)"):
                raise self._source.error(
                    path,
                    f"has {text!r}; the least material boundary of a datum is not evaluated. Name "
                    f"{name!r} without it, or with (M).",
                    found=text,
                )
            datum = self.datum(name, path)
            for feature in datum.features:
                if feature in owners:
                    raise self._source.error(
                        path,
                        f"has {name!r} and {owners[feature]!r}, which both take {feature!r}; name "
                        "each feature once.",
                    )
                owners[feature] = name
            self.datums.setdefault(datum.label, datum)
            element = DatumElement(label=datum.label, modifiers=modifiers)
            references.append(DatumReference(elements=(element,)))
        return tuple(references)


def _split(name: str, known: tuple[str, ...]) -> tuple[str, ...]:
    """Names of a common datum "A-B"; none where there are no such names. Names may have hyphens."""
    for place in (k for k, sign in enumerate(name) if sign == "-"):
        first, rest = name[:place], name[place + 1 :]
        if first in known:
            if rest in known:
                return (first, rest)
            if more := _split(rest, known):
                return (first, *more)
    return ()


def _check_alignment(file: JobFile, known: _Known, source: JobText) -> tuple[DatumReference, ...]:
    table: EvaluationTable = file.evaluation
    path = ("evaluation", "datums")
    if table.alignment == "surface" and file.part.geometry is None:
        raise source.error(
            ("evaluation", "alignment"),
            'is "surface", but the job has no part.geometry; give it, or choose "points".',
        )
    for key, given, method, example in (
        ("datums", table.datums, "datums", "datums = [primary, secondary, tertiary]"),
        ("target", table.target, "rps", "[[evaluation.target]] tables"),
    ):
        if given and table.alignment != method:
            raise source.error(
                ("evaluation", key),
                f'and alignment = "{method}" go together; give both or neither.',
            )
        if table.alignment == method and not given:
            raise source.error(
                ("evaluation", "alignment"), f'is "{method}", which needs {example}.'
            )
    return known.datum_system(table.datums, path)


def _check_held(
    datums: tuple[DatumReference, ...], known: _Known, points: ProbePoints, source: JobText
) -> None:
    """Refuse an alignment that leaves the part a motion, before anything is measured."""
    path = ("evaluation", "datums")
    for one in datums:
        if one.all_modifiers:
            raise source.error(
                path,
                f"has {one.label!r} at a material boundary, where the part could shift, but an "
                "alignment is one pose; take the (M) away. Tolerances may have it in their datums.",
                found=one.label,
            )
    if not datums:
        return
    from parts.evaluation.comparison import AlignmentTask, aligned_to

    named = [name for one in datums for name in known.datums[one.label].features]
    features = np.array(points.features, dtype=object)
    rng = np.random.default_rng(1)  # at random, so that both sides of a slot are among them
    some = [rng.permutation(np.flatnonzero(features == name))[:_ENOUGH] for name in named]
    few = points.take(np.concatenate(some))
    task = AlignmentTask(
        method="datums",
        nominal=few.positions,
        normals=few.normals,
        features=few.features,
        datums=tuple(known.datums[one.label] for one in datums),
    )
    try:
        aligned_to(task, few.positions)
    except PartError as error:
        raise source.error(path, f"cannot be used: {error.message}", **error.facts) from error


def _targets(
    table: EvaluationTable, points: ProbePoints, source: JobText
) -> tuple[ReferenceTarget, ...]:
    found: list[ReferenceTarget] = []
    for row, target in enumerate(table.target):
        path: KeyPath = ("evaluation", "target", row)
        if target.point not in points.names:
            close = get_close_matches(target.point, points.names, n=1, cutoff=0.5)
            advice = f"did you mean {close[0]!r}?" if close else f"one is {points.names[0]!r}."
            raise source.error(
                (*path, "point"),
                f"is {target.point!r}, which is no point of the job; {advice}",
                found=target.point,
            )
        if not target.locks or len(set(target.locks)) != len(target.locks):
            raise source.error(
                (*path, "locks"), 'is empty or has a direction twice; give some of "x", "y", "z".'
            )
        if any(one.point == target.point for one in found):
            raise source.error(
                (*path, "point"), f"is {target.point!r} again; give its locks in one table."
            )
        found.append(ReferenceTarget(point=target.point, locks=target.locks))
    return tuple(found)


def _tolerances(
    tables: tuple[ToleranceTable, ...], known: _Known, source: JobText
) -> tuple[ToleranceSpec, ...]:
    specs: list[ToleranceSpec] = []
    rows: list[int] = []
    exact = {(one.feature, one.kind, one.datum, one.datums, one.material) for one in tables}
    for row, table in enumerate(tables):
        path: KeyPath = ("tolerance", row)
        features = matching(table.feature, known.features, (*path, "feature"), source)
        datum = "" if table.datum is None else known.feature(table.datum, (*path, "datum"))
        datums = known.datum_system(table.datums, (*path, "datums"))
        taken = {datum, *(name for one in datums for name in known.datums[one.label].features)}
        if table.feature not in known.features:  # of a wildcard: none that is its own datum
            features = tuple(
                name
                for name in features
                if name not in taken
                and (name, table.kind, table.datum, table.datums, table.material) not in exact
            )
        for feature in features:
            spec = _spec(table, feature, datum, datums, path, source)
            key = (spec.feature, spec.kind, spec.system, spec.material)
            if any(key == (one.feature, one.kind, one.system, one.material) for one in specs):
                raise source.error(
                    path, f"asks for the {spec.kind} of {spec.feature!r} again; remove one."
                )
            specs.append(spec)
            rows.append(row)
    _check_material(specs, rows, source)
    return tuple(specs)


def _spec(
    table: ToleranceTable,
    feature: str,
    datum: str,
    datums: tuple[DatumReference, ...],
    path: KeyPath,
    source: JobText,
) -> ToleranceSpec:
    from parts.evaluation.tolerance import SIZE_KINDS, ToleranceSpec

    limits = (table.lower_mm, table.upper_mm)
    keys = ("nominal_mm", "lower_mm", "upper_mm")
    sized = [key for key in keys if getattr(table, key) is not None]
    if sized and table.kind not in SIZE_KINDS:
        raise source.error(
            (*path, sized[0]),
            f"is for {', '.join(SIZE_KINDS)}, not for {table.kind}; remove it.",
        )
    value, middle = table.value_mm, None
    if any(limit is not None for limit in limits):
        lower, upper = limits
        if lower is None or upper is None or value is not None or not lower < upper:
            raise source.error(
                path,
                "has limits that do not fit; give value_mm, or lower_mm below upper_mm.",
            )
        value, middle = (upper - lower) / 2, (upper + lower) / 2
    if value is None:
        raise source.error((*path, "value_mm"), "is missing; give the tolerance in millimetres.")
    if value == 0 and not table.material:
        raise source.error(
            (*path, "value_mm"),
            'is 0; expected above zero, or material = "M" or "L" beside it.',
            found=value,
            limit=0,
        )
    try:
        return ToleranceSpec(
            feature=feature,
            kind=table.kind,
            value=metres(value),
            datum=datum,
            datums=datums,
            material=table.material or "",
            nominal=None if table.nominal_mm is None else metres(table.nominal_mm),
            middle=0.0 if middle is None else metres(middle),
            projected=0.0 if table.projected_mm is None else metres(table.projected_mm),
        )
    except PartError as error:
        raise source.error(path, f"cannot be used: {error.message}", **error.facts) from error


def _check_material(specs: list[ToleranceSpec], rows: list[int], source: JobText) -> None:
    """A bonus is what a size departs from its limit, so the limits must be known."""
    sized = {spec.feature for spec in specs if spec.kind in ("diameter", "width")}
    for spec, row in zip(specs, rows, strict=True):
        if spec.material and spec.feature not in sized:
            raise source.error(
                ("tolerance", row, "material"),
                f'is "{spec.material}", but {spec.feature!r} has no tolerance of its diameter or '
                'width, from whose limits it counts; add a [[tolerance]] with kind = "diameter" or '
                '"width" for it.',
            )
