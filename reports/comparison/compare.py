"""compare(a, b): two plans, quantity by quantity."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from reports.comparison.change import (
    Change,
    ChangeVerdict,
    ComparedQuantity,
    Counterparts,
    Presence,
    Section,
)
from reports.comparison.plan_side import Names, PlanSide, Row, plan_side
from reports.comparison.quantities import CHECK, FINDING, JOINT, POINT, SEGMENT
from reports.comparison.summary import summary


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PlanComparison:
    """What became of a plan.

    Args:
        a: the first plan.
        b: the second one.
        summary: of the whole plans.
        sections: points, segments, joints, findings, checks of the validation.
    """

    a: PlanSide
    b: PlanSide
    summary: tuple[Change, ...]
    sections: tuple[Section, ...]

    @property
    def equal(self) -> bool:
        """Whether nothing that is compared differs; names and versions may."""
        same = all(change.verdict is ChangeVerdict.SAME for change in self.summary)
        return same and not any(section.differing for section in self.sections)

    def change(self, key: str) -> Change:
        """A quantity of the summary. Args: key, in JSON."""
        return next(change for change in self.summary if change.quantity.key == key)


def compare(
    a_document: Mapping[str, object],
    b_document: Mapping[str, object],
    origins: tuple[str, str] = ("A", "B"),
) -> PlanComparison:
    """Compare two plans.

    Points are matched by name, motions by point and kind, findings by code and place.

    Args:
        a_document: the first plan, as ``plan_document`` makes it.
        b_document: the second one.
        origins: what to call them in errors.

    Raises:
        OptionError: a document that is no plan, or of another format.
    """
    a, b = plan_side(a_document, origins[0]), plan_side(b_document, origins[1])
    checks = _telling(a.checks, b.checks)
    motion = ("point", "kind", "number")
    finding = ("code", "where", "number")
    return PlanComparison(
        a=a,
        b=b,
        summary=summary(a, b),
        sections=(
            _section("points", "Points", ("name",), POINT, (a.points, b.points)),
            _section("segments", "Motions", motion, SEGMENT, (a.segments, b.segments)),
            _section("joints", "Joints", ("name",), JOINT, (a.joints, b.joints)),
            _section("findings", "Findings", finding, FINDING, (a.findings, b.findings)),
            _section("validation", "Validation", ("name",), CHECK, checks),
        ),
    )


def _section(
    key: str,
    title: str,
    labels: Names,
    quantities: tuple[ComparedQuantity, ...],
    rows: tuple[Mapping[Names, Row], Mapping[Names, Row]],
) -> Section:
    a, b = rows
    names = [*a, *(name for name in b if name not in a)]
    return Section(
        key=key,
        title=title,
        labels=labels,
        pairs=tuple(_pair(name, quantities, a.get(name), b.get(name)) for name in names),
    )


def _telling(
    a: Mapping[Names, Row], b: Mapping[Names, Row]
) -> tuple[Mapping[Names, Row], Mapping[Names, Row]]:
    """The checks; residuals that are within their limit in both plans are rounding, no news."""
    quiet = {name for name in a if name in b and a[name].get("passed") and b[name].get("passed")}

    def told(rows: Mapping[Names, Row]) -> Mapping[Names, Row]:
        return {
            name: {key: row[key] for key in row if key != "value" or name not in quiet}
            for name, row in rows.items()
        }

    return told(a), told(b)


def _pair(
    names: Names, quantities: tuple[ComparedQuantity, ...], a: Row | None, b: Row | None
) -> Counterparts:
    presence = Presence.NEW if a is None else Presence.GONE if b is None else Presence.BOTH
    a, b = a or {}, b or {}
    return Counterparts(
        names=names,
        presence=presence,
        changes=tuple(
            Change(quantity=quantity, a=a.get(quantity.key), b=b.get(quantity.key))
            for quantity in quantities
            if quantity.key in a or quantity.key in b
        ),
    )
