"""``[evaluation]`` and ``[[tolerance]]`` of a job file → settings."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Literal

from parts.errors import PartError
from planner.job.job_text import JobText
from robots.core.file_units import metres
from robots.core.schema_problems import KeyPath

if TYPE_CHECKING:
    from parts.evaluation.tolerance import ToleranceSpec
    from planner.job.schema import EvaluationTable, JobFile, ToleranceTable

AlignmentMethod = Literal["none", "points", "normals", "surface", "datums"]
CompensationNormal = Literal["nominal", "fitted"]
DATUMS = ("primary", "secondary", "tertiary")


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationSettings:
    """How measured points are compared with the job's.

    Args:
        alignment: what the points are fitted to before they are compared.
        datums: primary, secondary and tertiary flat feature; of "datums" only.
        drop_outliers: whether fits leave out points that do not belong.
        compensated: of measured files that do not say, and of DMIS results; None where the job
            does not either.
        compensation: normal along which centres of the ball are moved to the surface.
        tolerances: in the order of the job file.
    """

    alignment: AlignmentMethod = "none"
    datums: tuple[str, ...] = ()
    drop_outliers: bool = False
    compensated: bool | None = None
    compensation: CompensationNormal = "nominal"
    tolerances: tuple[ToleranceSpec, ...] = ()


def evaluation_of(file: JobFile, features: tuple[str, ...], source: JobText) -> EvaluationSettings:
    """Settings of both tables.

    Args:
        file: the job file.
        features: of the job's points; empty texts are none.
        source: for messages.

    Raises:
        JobError: a feature or a datum that no point has, datums without their alignment, an
            alignment to a geometry that is not there, the same tolerance twice, a tolerance that
            makes no sense.
    """
    known = tuple(dict.fromkeys(filter(None, features)))
    table = file.evaluation
    _check_alignment(file, known, source)
    return EvaluationSettings(
        alignment=table.alignment,
        datums=table.datums,
        drop_outliers=table.outliers == "drop",
        compensated=table.compensated,
        compensation=table.compensation,
        tolerances=_tolerances(file.tolerance, known, source),
    )


def _check_alignment(file: JobFile, known: tuple[str, ...], source: JobText) -> None:
    table: EvaluationTable = file.evaluation
    path = ("evaluation", "datums")
    if table.alignment == "surface" and file.part.geometry is None:
        raise source.error(
            ("evaluation", "alignment"),
            'is "surface", but the job has no part.geometry; give it, or choose "points".',
        )
    if (table.alignment == "datums") != bool(table.datums):
        raise source.error(
            path if table.datums else ("evaluation", "alignment"),
            'and alignment = "datums" go together; give both or neither.'
            if table.datums
            else 'is "datums", which needs datums = [primary, secondary, tertiary].',
        )
    if table.datums and len(table.datums) != len(DATUMS):
        raise source.error(
            path,
            f"has {len(table.datums)} features; expected three: {', '.join(DATUMS)}.",
            found=len(table.datums),
            expected=len(DATUMS),
        )
    for name in table.datums:
        _require_feature(name, path, known, source)


def _tolerances(
    tables: tuple[ToleranceTable, ...], known: tuple[str, ...], source: JobText
) -> tuple[ToleranceSpec, ...]:
    if not tables:
        return ()
    from parts.evaluation.tolerance import ToleranceSpec  # brings all fits, which few jobs need

    specs: list[ToleranceSpec] = []
    seen: set[tuple[str, str, str]] = set()
    for row, table in enumerate(tables):
        path: KeyPath = ("tolerance", row)
        _require_feature(table.feature, (*path, "feature"), known, source)
        if table.datum is not None:
            _require_feature(table.datum, (*path, "datum"), known, source)
        key = (table.feature, table.kind, table.datum or "")
        if key in seen:
            raise source.error(
                path, f"asks for the {table.kind} of {table.feature!r} again; remove one."
            )
        seen.add(key)
        try:
            spec = ToleranceSpec(
                feature=table.feature,
                kind=table.kind,
                value=metres(table.value_mm),
                datum=table.datum or "",
            )
        except PartError as error:
            raise source.error(path, f"cannot be used: {error.message}", **error.facts) from error
        specs.append(spec)
    return tuple(specs)


def _require_feature(name: str, path: KeyPath, known: tuple[str, ...], source: JobText) -> None:
    if name in known:
        return
    close = get_close_matches(name, known, n=1, cutoff=0.5)
    if not known:
        advice = "the points name no feature: add the column feature to them."
    elif close:
        advice = f"did you mean {close[0]!r}?"
    else:
        advice = f"the points have {', '.join(map(repr, known[:5]))}."
    raise source.error(
        path, f"is {name!r}, which is no feature of the points; {advice}", found=name
    )
