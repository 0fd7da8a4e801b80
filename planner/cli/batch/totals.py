"""How a batch ended, for a reader: jobs by status, why some failed and which, what is no job."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from planner.batch.sources import PassedOver, told
from planner.cli.output import print_table

if TYPE_CHECKING:
    from reports.batch import JobRow

_NAMED = 3  # jobs of each reason, as many as the dashboard names
_LONGEST = 40  # characters of a name; its end tells more than its beginning


def print_totals(rows: Sequence[JobRow]) -> None:
    """Print jobs by status, then by reason with the first jobs of each."""
    from reports.batch import reason_words, unchecked_counts

    totals = Counter(row.outcome.status.value for row in rows)
    print_table(("status", "jobs"), [(name, str(n)) for name, n in sorted(totals.items())])
    unchecked = unchecked_counts(rows)
    if unchecked:
        told = ", ".join(f"{name} ({n} job{'' if n == 1 else 's'})" for name, n in unchecked)
        print(f"not checked: {told}")
    groups: dict[str, list[str]] = {}
    for row in rows:
        if row.outcome.status.failed:
            groups.setdefault(reason_words(row.outcome), []).append(row.name)
    if groups:
        ordered = sorted(groups.items(), key=lambda group: -len(group[1]))
        print()
        print_table(
            ("reason", "jobs", "such as"),
            [(reason, str(len(names)), _first(names)) for reason, names in ordered],
        )


def print_passed_over(files: Sequence[PassedOver]) -> None:
    """Print one line where files of folders are no jobs."""
    if files:
        print(_one_line(told(files)))


def _first(names: Sequence[str]) -> str:
    shown = [_brief(name) for name in names[:_NAMED]]
    return ", ".join([*shown, "…"] if len(names) > _NAMED else shown)


def _brief(name: str) -> str:
    return _one_line(name if len(name) <= _LONGEST else f"…{name[-_LONGEST:]}")


def _one_line(text: str) -> str:
    from reports.visible_text import visible

    return visible(text.replace("\n", "⏎").replace("\t", " "))
