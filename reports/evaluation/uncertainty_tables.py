"""Tables of an uncertainty: points, budget, branches, and what was taken to be wrong."""

from __future__ import annotations

import numpy as np

from planner.job import UncertaintySettings
from planner.uncertainty import PointUncertainty
from reports.content.table import Table, Value, ValueStatus, columns, fixed, number, rows_of, text
from reports.evaluation.shown import UncertaintySubject
from robots.core.arrays import Array

_MICRO = 1e6
_UNITS = {
    **dict.fromkeys(("encoder", "encoder_resolution", "encoder_offset", "angle"), "rad"),
    "alignment_turn": "rad",
    "temperature": "K",
    "part_temperature": "K",
    "expansion": "1/K",
    "part_expansion": "1/K",
}
_PROCEDURE = ("samples", "digits", "coverage", "interval", "seed")


def points_table(shown: UncertaintySubject) -> Table:
    """Standard deviation and interval along the normal of every point, and its best branch."""
    heads = columns(
        *("point", ("sigma", "µm"), ("first order", "µm"), ("interval from", "µm"), ("to", "µm")),
        *("largest source", ("its share", "%"), "better branch"),
        *(("its sigma", "µm"), "method"),
    )
    note = (
        "Along the normal of each point, measured less true. First order: by derivatives; where it "
        "differs from sigma, errors are too large to be linear. Better branch: one that keeps the "
        "job's margins and whose sigma is below nine tenths of the planned one's."
    )
    return Table(
        key="uncertainty",
        title="Uncertainty of the points",
        columns=heads,
        rows=rows_of([_point(point) for point in shown.points]),
        note=note,
    )


def budget_table(shown: UncertaintySubject) -> Table:
    """How much of the variance each source has, over all points and at the worst one."""
    names, variances = budget(shown)
    if not names:
        return _budget(())
    total = variances.sum(axis=0)
    shares = 100.0 * variances / np.where(total > 0.0, total, 1.0)
    worst = shown.worst
    rows = [
        (
            text(names[k]),
            number(_MICRO * float(np.sqrt(variances[k].mean())), 4),
            fixed(float(100.0 * variances[k].sum() / (total.sum() or 1.0)), 1),
            number(_MICRO * float(np.sqrt(variances[k, worst])), 4),
            fixed(float(shares[k, worst]), 1),
            text(shown.points[int(np.argmax(variances[k]))].name),
        )
        for k in np.argsort(-variances.sum(axis=1), kind="stable").tolist()
    ]
    return _budget(tuple(rows), shown.points[worst].name)


def budget(shown: UncertaintySubject) -> tuple[tuple[str, ...], Array]:
    """Sources, and the variance that each gives each point. # (b, k) [m²]."""
    if not shown.points:
        return (), np.zeros((0, 0))
    names = shown.points[0].budget.names
    return names, np.stack([point.budget.variances for point in shown.points], axis=1)


def branches_table(shown: UncertaintySubject) -> Table:
    """Every branch that reaches a point, the best first."""
    rows = [
        (
            text(point.name),
            text(branch.branch),
            number(_MICRO * branch.sigma_normal, 4),
            text("planned" if branch.planned else "–"),
            text("yes") if branch.allowed else text("no", ValueStatus.DOUBTFUL),
        )
        for point in shown.points
        for branch in point.branches
    ]
    heads = columns("point", "branch", ("sigma", "µm"), "used", "keeps the margins")
    note = "Along the normal, to first order."
    return Table(key="branches", title="Branches", columns=heads, rows=rows_of(rows), note=note)


def settings_table(settings: UncertaintySettings) -> Table:
    """What was taken to be wrong, and how it was propagated."""
    rows = []
    for name in settings.__dataclass_fields__:
        value = getattr(settings, name)
        if name in _PROCEDURE:
            rows.append((text(name), text("–" if value is None else value), text("")))
        elif value:
            unit = _UNITS.get(name, "m")
            rows.append((text(name.replace("_", " ")), *_told(float(value), unit)))
    return Table(
        key="assumptions",
        title="Assumptions",
        columns=columns("standard deviation of", ("value", ""), "unit"),
        rows=rows_of(rows),
        note="From the job's [uncertainty]. What is not listed is taken to be exact.",
    )


def _told(value: float, unit: str) -> tuple[Value, Value]:
    if unit == "rad":
        return number(float(np.degrees(value)), 4), text("deg")
    return (number(1e3 * value, 4), text("mm")) if unit == "m" else (number(value, 4), text(unit))


def _point(point: PointUncertainty) -> tuple[Value, ...]:
    shares = point.budget.shares
    better = point.better
    return (
        text(point.name),
        *(number(_MICRO * v, 4) for v in (point.sigma_normal, point.sigma_first_order)),
        *(number(_MICRO * end, 4) for end in point.interval),
        text(point.budget.largest or "–"),
        fixed(100.0 * shares.get(point.budget.largest, 0.0), 1),
        text(better.branch, ValueStatus.DOUBTFUL) if better is not None else text("–"),
        number(float("nan") if better is None else _MICRO * better.sigma_normal, 4),
        text(_method(point)),
    )


def _method(point: PointUncertainty) -> str:
    if not point.samples:
        return point.method
    return f"{point.samples:,} draws" + (", settled" if point.settled else "")


def _budget(rows: tuple[tuple[Value, ...], ...], worst: str = "") -> Table:
    heads = columns(
        *("source", ("sigma, all points", "µm"), ("share", "%")),
        *(("sigma, worst point", "µm"), ("share there", "%"), "largest at"),
    )
    told = f" Worst point: {worst}." if worst else ""
    note = f"Of the variance along the normals, to first order; all points: root mean square.{told}"
    return Table(key="budget", title="Budget", columns=heads, rows=rows, note=note)
