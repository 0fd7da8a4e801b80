"""``junit.xml``: a batch as continuous integration reads tests, one testcase per job.

A job that is not feasible is a failure; one that came to no verdict is an error.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

from planner.batch.outcome import CaseStatus
from reports.batch.columns import unchecked_text
from reports.batch.row import JobRow
from reports.visible_text import visible

_SUITE = "palpeur batch"
_NOT_XML = re.compile("[\ufffe\uffff]")  # beside what ``visible`` writes as codes


def write_junit(rows: Sequence[JobRow], path: Path) -> None:
    """Write one suite; the same bytes for the same results, so without times."""
    failures = sum(row.outcome.status is CaseStatus.INFEASIBLE for row in rows)
    errors = sum(row.outcome.status.failed for row in rows) - failures
    counts = f'tests="{len(rows)}" failures="{failures}" errors="{errors}"'
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write('<?xml version="1.0" encoding="UTF-8"?>\n')
        file.write(f"<testsuites name={_quoted(_SUITE)} {counts}>\n")
        file.write(f'<testsuite name={_quoted(_SUITE)} {counts} skipped="0">\n')
        file.writelines(_testcase(row) for row in rows)
        file.write("</testsuite>\n</testsuites>\n")


def _testcase(row: JobRow) -> str:
    head = f"<testcase classname={_quoted(_folder(row.name))} name={_quoted(row.name)}"
    outcome = row.outcome
    if not outcome.status.failed:
        missing = unchecked_text(row)
        if not missing:
            return f"{head}/>\n"
        return (
            f"{head}>\n<system-out>{_text(f'not checked: {missing}')}</system-out>\n</testcase>\n"
        )
    kind = "failure" if outcome.status is CaseStatus.INFEASIBLE else "error"
    reason = f"{outcome.code}: {outcome.message}" if outcome.code else outcome.message
    told = f"{outcome.status.value}\nwhere: {outcome.where}\n{reason}\n"
    return (
        f"{head}>\n<{kind} type={_quoted(outcome.code or outcome.status.value)} "
        f"message={_quoted(reason)}>{_text(told)}</{kind}>\n"
        f"<system-out>{_text(row.report)}</system-out>\n</testcase>\n"
    )


def _folder(name: str) -> str:
    """Of a job's name, as what groups it: readers of JUnit take dots for steps."""
    folder = name.rpartition("/")[0].strip("/")
    return f"batch.{folder.replace('/', '.')}" if folder else "batch"


def _text(text: str) -> str:
    return escape(_clean(text))


def _quoted(text: str) -> str:
    return quoteattr(_clean(text))


def _clean(text: str) -> str:
    """Nothing that XML 1.0 cannot hold, and nothing unseen."""
    return _NOT_XML.sub(lambda found: f"⟨U+{ord(found[0]):04X}⟩", visible(text))
