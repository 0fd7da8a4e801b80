"""A comparison in the terminal: signed, worded, and coloured where there is colour."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TextIO

from reports.comparison.change import ChangeVerdict, Section
from reports.comparison.compare import PlanComparison
from reports.comparison.lines import ComparisonLine, headline, section_lines, summary_lines
from reports.comparison.plan_side import PlanSide
from reports.comparison.rules import RuleVerdict
from reports.console import console_on
from reports.visible_text import cut, visible

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

_TOLD = 12  # lines of a section
_LONG = 60  # characters of a name or text
_COLOUR = {
    ChangeVerdict.SAME: "dim",
    ChangeVerdict.BETTER: "green",
    ChangeVerdict.WORSE: "red",
    ChangeVerdict.CHANGED: "yellow",
}


def print_comparison(
    comparison: PlanComparison, judgements: Sequence[RuleVerdict], file: TextIO
) -> None:
    """Print both plans side by side, the greatest changes of each section, and the rules.

    Colour and the width of the window are used where ``file`` is a terminal; ``NO_COLOR`` is kept.
    """
    console = console_on(file)
    for label, side in (("A", comparison.a), ("B", comparison.b)):
        console.print(f"{label}  {_side(side)}", soft_wrap=True)
    console.print(f"\n{headline(comparison)}", style="bold")
    if not comparison.equal:
        console.print(_table((), summary_lines(comparison)))
        for section in comparison.sections:
            _print_section(console, section)
    _print_rules(console, judgements)


def _side(side: PlanSide) -> str:
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
    console.print(_table(names, lines[:_TOLD]))
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
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for header in (" ".join(names), ""):
        table.add_column(header, overflow="fold")
    for header in ("A", "B", "change", "relative"):
        table.add_column(header, justify="right", overflow="fold")
    table.add_column("unit")
    table.add_column("")
    for line in lines:
        own = " ".join(map(_fit, line.names))
        table.add_row(
            *(Text(own), Text(line.what), Text(_fit(line.a)), Text(_fit(line.b))),
            *(Text(line.change), Text(line.relative), Text(line.unit)),
            Text(line.verdict.value, style=_COLOUR[line.verdict]),
        )
    return table


def _fit(text: str) -> str:
    return cut(visible(text).replace("\n", "⏎").replace("\t", " "), _LONG)
