"""The whole plans side by side: totals, the worst margins and where they are, what was found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from reports.comparison import quantities as known
from reports.comparison.change import Change, ComparedQuantity
from reports.comparison.plan_side import Names, PlanSide, Row

_COUNTED = ("error", "warning")


@dataclass(frozen=True, slots=True, kw_only=True)
class _SmallestMargin:
    value: float | None = None
    where: str = ""


def summary(a: PlanSide, b: PlanSide) -> tuple[Change, ...]:
    """Everything that is said of whole plans, in reading order."""
    plain = (known.FEASIBLE, *known.TOTALS)
    slides = (known.LEAST_SLIDE,) if _slides(a) or _slides(b) else ()
    return (
        *(Change(quantity=q, a=a.totals.get(q.key), b=b.totals.get(q.key)) for q in plain),
        _of(known.UNCHECKED, _unchecked(a), _unchecked(b)),
        _of(known.SERVED, _SmallestMargin(value=_served(a)), _SmallestMargin(value=_served(b))),
        *(
            _of(quantity, _least(a.points, quantity.key), _least(b.points, quantity.key))
            for quantity in (known.LEAST_MARGIN, *slides, known.LEAST_SINGULARITY)
        ),
        _of(known.LEAST_CLEARANCE, _clearance(a), _clearance(b)),
        _of(known.COUNTED, _SmallestMargin(value=_found(a)), _SmallestMargin(value=_found(b))),
        Change(quantity=known.VALIDATED, a=a.validated, b=b.validated),
    )


def _of(quantity: ComparedQuantity, a: _SmallestMargin, b: _SmallestMargin) -> Change:
    return Change(quantity=quantity, a=a.value, b=b.value, where_a=a.where, where_b=b.where)


def _unchecked(side: PlanSide) -> _SmallestMargin:
    """How many aspects were not checked, by name; unknown in plans that do not say."""
    if side.unchecked is None:
        return _SmallestMargin()
    return _SmallestMargin(value=float(len(side.unchecked)), where=", ".join(side.unchecked))


def _served(side: PlanSide) -> float:
    return float(sum(row.get("reachable") is True for row in side.points.values()))


def _found(side: PlanSide) -> float:
    return float(sum(row.get("severity") in _COUNTED for row in side.findings.values()))


def _slides(side: PlanSide) -> bool:
    return any("joint_margin_mm" in row for row in side.points.values())


def _clearance(side: PlanSide) -> _SmallestMargin:
    """The least of all motions, and of all points where motions tell none."""
    motions = _least(side.segments, "certified_mm")
    points = _least(side.points, "min_clearance_mm")
    if motions.value is None or (points.value is not None and points.value < motions.value):
        return points
    return motions


def _least(rows: Mapping[Names, Row], key: str) -> _SmallestMargin:
    return min(_values(rows, key), key=lambda one: one.value or 0.0, default=_SmallestMargin())


def _values(rows: Mapping[Names, Row], key: str) -> Iterator[_SmallestMargin]:
    for names, row in rows.items():
        value = row.get(key)
        if isinstance(value, float):
            pair = row.get("pair")
            where = " ".join(reversed(names[:2]))
            yield _SmallestMargin(value=value, where=f"{where}: {pair}" if pair else where)
