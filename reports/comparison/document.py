"""A comparison for readers: JSON (format 1), one HTML file, and lines, greatest changes first."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TextIO

from reports.comparison.change import Change, ChangeVerdict, Counterparts, Presence, Section, Value
from reports.comparison.compare import PlanComparison, PlanSide
from reports.comparison.rules import RuleVerdict
from reports.console import Console, Table, console_on
from reports.page.html import asset, filled
from reports.visible_text import cut, visible

FORMAT = 1
Document = dict[str, object]


def comparison_document(
    comparison: PlanComparison, judgements: Sequence[RuleVerdict] = ()
) -> Document:
    """The whole comparison; of a point, motion and so on only what changed.

    Args:
        comparison: of two plans.
        judgements: of rules.
    """
    sections = comparison.sections
    return {
        "format": FORMAT,
        "equal": comparison.equal,
        "a": _side(comparison.a),
        "b": _side(comparison.b),
        "summary": [_summed(change) for change in comparison.summary],
        **{section.key: [_pair(section, pair) for pair in section.pairs] for section in sections},
        "rules": [_rule(judgement) for judgement in judgements],
        "failed": any(judgement.fired for judgement in judgements),
    }


def _side(side: PlanSide) -> Document:
    return {"job": side.name, "sha256": side.sha256, "robot": side.robot, "palpeur": side.palpeur}


def _summed(change: Change) -> Document:
    places = {"where_a": change.where_a or None, "where_b": change.where_b or None}
    return {**_change(change), **places}


def _change(change: Change) -> Document:
    return {
        "quantity": change.quantity.key,
        "unit": change.quantity.unit,
        "a": _plain(change.a, change),
        "b": _plain(change.b, change),
        "change": _plain(change.absolute, change),
        "relative": change.relative,
        "verdict": change.verdict.value,
    }


def _pair(section: Section, pair: Counterparts) -> Document:
    names: Document = dict(zip(section.labels, pair.names, strict=True))
    if "number" in names:
        names["number"] = int(pair.names[-1])
    changes = [_change(change) for change in pair.changed]
    return {**names, "in": pair.presence.value, "changes": changes}


def _rule(judgement: RuleVerdict) -> Document:
    change = judgement.change
    return {
        "rule": judgement.rule.text,
        "quantity": change.quantity.key,
        "change": _plain(change.absolute, change),
        "relative": change.relative,
        "fired": judgement.fired,
        "reason": judgement.reason,
    }


def _plain(value: Value, change: Change) -> object:
    if isinstance(value, float) and change.quantity.whole and value.is_integer():
        return int(value)
    return list(value) if isinstance(value, tuple) else value


# --- Page ----------------------------------------------------------------------------------------
# Offline, sortable, nothing of a job's texts executed.

MARK = "<!doctype html>"  # how the page begins
_ROWS = 500  # of a section


@dataclass(frozen=True, slots=True, kw_only=True)
class _PageSection:
    """A section as the page shows it."""

    section: Section
    labels: str
    lines: tuple[ComparisonLine, ...]
    left_out: int
    gone: int
    new: int


def comparison_page(comparison: PlanComparison, judgements: Sequence[RuleVerdict] = ()) -> str:
    """The page; the same bytes for the same plans and rules.

    Args:
        comparison: of two plans; every text in it may be hostile.
        judgements: of rules.
    """
    return filled(
        "comparison.html.j2",
        "reports.comparison",
        style=asset("report.css") + asset("comparison.css", "reports.comparison/assets"),
        script=asset("comparison.js", "reports.comparison/assets"),
        comparison=comparison,
        headline=headline(comparison),
        totals=summary_lines(comparison),
        sections=[_shown(section) for section in comparison.sections],
        judgements=judgements,
    )


def _shown(section: Section) -> _PageSection:
    lines = section_lines(section)
    return _PageSection(
        section=section,
        labels=" ".join(label for label in section.labels if label != "number"),
        lines=lines[:_ROWS],
        left_out=max(0, len(lines) - _ROWS),
        gone=section.count(Presence.GONE),
        new=section.count(Presence.NEW),
    )


# --- as lines ------------------------------------------------------------------------------------

_TOLD = 12  # lines of a section
_LONG = 60  # characters of a name or text
_COLOUR = {
    ChangeVerdict.SAME: "dim",
    ChangeVerdict.BETTER: "green",
    ChangeVerdict.WORSE: "red",
    ChangeVerdict.CHANGED: "yellow",
}
_MINUS = "−"
_NONE = "–"
_PRESENCE = {Presence.GONE: "only in A", Presence.NEW: "only in B"}


def print_comparison(
    comparison: PlanComparison, judgements: Sequence[RuleVerdict], file: TextIO
) -> None:
    """Print both plans side by side, the greatest changes of each section, and the rules.

    Colour and the width of the window are used where ``file`` is a terminal; ``NO_COLOR`` is kept.
    """
    console = console_on(file)
    for label, side in (("A", comparison.a), ("B", comparison.b)):
        console.print(f"{label}  {_side_text(side)}", soft_wrap=True)
    console.print(f"\n{headline(comparison)}", style="bold")
    if not comparison.equal:
        console.table(_table((), summary_lines(comparison)))
        for section in comparison.sections:
            _print_section(console, section)
    _print_rules(console, judgements)


def _side_text(side: PlanSide) -> str:
    feasible = "feasible" if side.totals.get("feasible") else "NOT FEASIBLE"
    if side.unchecked:
        feasible += f"; not checked: {', '.join(map(_fit, side.unchecked))}"
    elif side.unchecked is None:
        feasible += "; the plan does not say what was not checked"
    known = f"{_fit(side.robot)}, job {_fit(side.sha256[:12])}, palpeur {_fit(side.palpeur)}"
    return f"{_fit(side.name)}: {feasible}; {known}"


def _print_section(console: Console, section: Section) -> None:
    lines = section_lines(section)
    if not lines:
        return
    title = f"{section.title}: {len(section.differing)} of {len(section.pairs)} differ"
    console.print(f"\n{title}", style="bold")
    names = tuple(label for label in section.labels if label != "number")
    console.table(_table(names, lines[:_TOLD]))
    if len(lines) > _TOLD:
        console.print(f"and {len(lines) - _TOLD} more; --json and --html have all of them")


def _print_rules(console: Console, judgements: Sequence[RuleVerdict]) -> None:
    if not judgements:
        return
    fired = sum(judgement.fired for judgement in judgements)
    console.print(f"\nRules: {fired} of {len(judgements)} broken", style="bold")
    for judgement in judgements:
        word, style = ("BROKEN", "bold red") if judgement.fired else ("kept", "green")
        console.print(f"  {word:<7}", style=style, end="")
        console.print(f"{_fit(judgement.rule.text)}: {judgement.reason}", soft_wrap=True)


def _table(names: tuple[str, ...], lines: Sequence[ComparisonLine]) -> Table:
    rows = [
        (
            *(" ".join(map(_fit, line.names)), line.what, _fit(line.a), _fit(line.b)),
            *(line.change, line.relative, line.unit),
            (line.verdict.value, _COLOUR[line.verdict]),
        )
        for line in lines
    ]
    headers = (" ".join(names), "", "A", "B", "change", "relative", "unit", "")
    return Table(headers=headers, rows=rows, text=(0, 1, 6, 7))


def _fit(text: str) -> str:
    return cut(visible(text).replace("\n", "⏎").replace("\t", " "), _LONG)


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonLine:
    """One change, as a reader sees it; texts of the job are as they are, untrusted.

    Args:
        names: what it belongs to; empty in the summary.
        what: quantity, or where the thing stands.
        unit: of the numbers.
        a: first value.
        b: second value.
        change: absolute, signed.
        relative: in percent, signed.
        verdict: what it means.
        weight: for sorting; greater is more.
        detail: where the two values are.
    """

    names: tuple[str, ...]
    what: str
    unit: str
    a: str
    b: str
    change: str
    relative: str
    verdict: ChangeVerdict
    weight: float
    detail: str = ""


def summary_lines(comparison: PlanComparison) -> tuple[ComparisonLine, ...]:
    """One line for every quantity of the whole plans, changed or not."""
    return tuple(_line((), change, change.size) for change in comparison.summary)


def section_lines(section: Section) -> tuple[ComparisonLine, ...]:
    """What changed in a section: what is gone or new, then by size of the change.

    A change is measured by the largest of its kind in the section, so that a large part of very
    little stands behind a small part of much.
    """
    scales: dict[str, float] = {}
    for change in (change for pair in section.pairs for change in pair.changes):
        key = change.quantity.key
        scales[key] = max(scales.get(key, 0.0), change.size)
    lines = [line for pair in section.differing for line in _pair_lines(pair, section, scales)]
    return tuple(sorted(lines, key=lambda line: -line.weight))  # equal ones keep their order


def headline(comparison: PlanComparison) -> str:
    """One sentence about both."""
    if comparison.equal:
        return "No difference in anything that is compared."
    parts = [_count(section) for section in comparison.sections if section.differing]
    changed = sum(change.verdict is not ChangeVerdict.SAME for change in comparison.summary)
    return f"{changed} of {len(comparison.summary)} totals differ; " + (
        "; ".join(parts) or "no point or motion does"
    )


def _count(section: Section) -> str:
    gone, new = section.count(Presence.GONE), section.count(Presence.NEW)
    changed = len(section.differing) - gone - new
    told = ((changed, f"of {len(section.pairs)} changed"), (gone, "gone"), (new, "new"))
    words = ", ".join(f"{count} {word}" for count, word in told if count)
    return f"{section.title.lower()}: {words}"


def _pair_lines(
    pair: Counterparts, section: Section, scales: Mapping[str, float]
) -> Iterator[ComparisonLine]:
    names = _names(pair, section)
    if pair.presence is Presence.BOTH:
        yield from (_line(names, one, scales[one.quantity.key]) for one in pair.changed)
        return
    told = [_text(one.a if pair.presence is Presence.GONE else one.b) for one in pair.changes]
    shown = told[1] if section.key == "findings" and len(told) > 1 else "there"
    gone = pair.presence is Presence.GONE
    yield ComparisonLine(
        names=names,
        what=_PRESENCE[pair.presence],
        unit="",
        a=shown if gone else _NONE,
        b=_NONE if gone else shown,
        change=_NONE,
        relative=_NONE,
        verdict=_verdict(section, gone=gone),
        weight=math.inf,
    )


def _verdict(section: Section, *, gone: bool) -> ChangeVerdict:
    if section.key == "findings":
        return ChangeVerdict.BETTER if gone else ChangeVerdict.WORSE
    return ChangeVerdict.CHANGED


def _names(pair: Counterparts, section: Section) -> tuple[str, ...]:
    """Without the number of the first one of its kind."""
    if section.labels[-1] != "number":
        return pair.names
    return pair.names[:-1] if pair.names[-1] == "1" else (*pair.names[:-1], f"#{pair.names[-1]}")


def _line(names: tuple[str, ...], change: Change, scale: float) -> ComparisonLine:
    absolute, relative = change.absolute, change.relative
    places = [place for place in (change.where_a, change.where_b) if place]
    detail = " → ".join(dict.fromkeys(places))
    return ComparisonLine(
        names=names,
        what=change.quantity.title,
        unit=change.quantity.unit,
        a=_text(change.a),
        b=_text(change.b),
        change=_NONE if absolute is None else _signed(absolute),
        relative=_NONE if relative is None else f"{_signed(100.0 * relative, 3)} %",
        verdict=change.verdict,
        weight=_weight(change, scale),
        detail=detail,
    )


def _weight(change: Change, scale: float) -> float:
    """Share of the largest of its kind; words and truths weigh as much as a whole one."""
    if change.verdict is ChangeVerdict.SAME:
        return 0.0
    if change.absolute is None:
        return 1.0
    return abs(change.absolute) / scale if scale else 0.0


def _text(value: Value) -> str:
    if value is None:
        return _NONE
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return ", ".join(map(_text, value))
    if isinstance(value, float):
        return f"{value:.6g}".replace("-", _MINUS)
    return value


def _signed(value: float, digits: int = 4) -> str:
    return f"{value:+.{digits}g}".replace("-", _MINUS) if value else "0"
