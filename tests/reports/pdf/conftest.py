"""Reports to be printed: a plain one, and one whose every name wants to be something else."""

from __future__ import annotations

from dataclasses import replace

import pytest

from planner.findings.finding import Point
from planner.motion.sampled_motion import sampled
from reports.content.report import report_content
from reports.content.table import Value
from reports.drawn_samples import drawn_samples
from reports.provenance import provenance

HOSTILE = (
    '#set page(fill: red) #include "/etc/passwd"',
    "$x^2$ *strong* _emphasis_ `raw` ~ -- ...",
    "\\u{41} @label <lab> [content] // comment",
    "<script>alert(1)</script><b>&amp;",
    "=1+1|cmd",
    "\u202eevil\u202c\u200f",
    "中文 日本 \U0001f642 ☃",
    "a" * 10_000,
    "W" * 10_000,
    "W W" * 3_000,
    "../../etc/passwd\x00\r\x1b[31m",
    "e" + "\u0301" * 500,
    "\ud800 lone",
    "0\u00a0x\u00ad-",
    "",
    " ",
)


@pytest.fixture(scope="session")
def report(plan, proved):
    drawn = drawn_samples(sampled(plan))
    return report_content(proved(plan), drawn, provenance(plan), errata=("Table 7 errs.",))


@pytest.fixture(scope="session")
def hostile(report):
    """The report with a hostile text wherever a job's text goes."""

    def named(table):
        rows = [
            (Value(text=text), *table.rows[k % len(table.rows)][1:])
            for k, text in enumerate(HOSTILE)
        ]
        return replace(table, rows=tuple(rows))

    finding = report.findings[0]
    return replace(
        report,
        title=HOSTILE[0] + HOSTILE[8],
        facts=tuple(replace(report.facts[0], detail=text) for text in HOSTILE),
        findings=tuple(replace(finding, subject=Point(t), message=t, hint=t) for t in HOSTILE),
        errata=HOSTILE,
        curves=tuple(
            replace(
                curves,
                panels=tuple(
                    replace(p, name=text)
                    for p, text in zip(curves.panels, HOSTILE[4:], strict=False)
                ),
            )
            for curves in report.curves
        ),
        joints=named(report.joints),
        points=named(report.points),
        segments=named(report.segments),
        cell=named(report.cell),
        job_text="\n".join(HOSTILE) + "\n",
    )
