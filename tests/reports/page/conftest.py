"""Reports for the page: the synthetic plan's, one of hostile names, one of a very long motion."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from planner.findings import Finding, Severity
from planner.findings.finding import Point
from planner.motion.sampled_motion import sampled
from planner.plan import Segment, SegmentKind
from reports.content.curves import CurveSet, Panel
from reports.content.report import report_content
from reports.drawn_samples import drawn_samples
from reports.provenance import Provenance

# Each would set window.hit, or change what the reader sees, where it is taken for more than text.
HOSTILE = (
    "<script>window.hit=1</script>",
    '"><img src=x onerror="window.hit=1">',
    "</script><script>window.hit=1</script>",
    "<!--<script>",
    "{{ 7*7 }} {% raw %}",
    "javascript:window.hit=1",
    "' onmouseover='window.hit=1",
    "\u202egnp.exe\u202c \u2066left\u2069 \u2028 nul\x00 half\ud800",
    "../../etc/passwd",
    '=HYPERLINK("http://example.invalid/")',
    "x" * 10_000,
)


@pytest.fixture(scope="session")
def report(plan, proved):
    made = Provenance(
        command="palpeur plan job.toml",
        job="job.toml",
        sha256="0" * 64,
        inputs=(),
        versions=(("python", "3.11.0"), ("palpeur", "0.1.0")),
        machine="x86_64",
    )
    drawn = drawn_samples(sampled(plan))
    return report_content(proved(plan), drawn, made, errata=("Page 12 prints 3.4, meant 4.3.",))


@pytest.fixture(scope="session")
def segments(plan):
    return plan.timeline


def _all_named(table, names):
    """The table with its texts replaced, one name after the other."""
    rows = []
    for k, row in enumerate(table.rows):
        name = names[k % len(names)]
        rows.append(
            tuple(
                value if column.numeric else replace(value, text=name)
                for value, column in zip(row, table.columns, strict=True)
            )
        )
    while len(rows) < len(names) and rows:
        rows.append(tuple(replace(v, text=names[len(rows)]) for v in rows[0]))
    return replace(table, rows=tuple(rows))


@pytest.fixture(scope="session")
def hostile(report):
    """The report with hostile texts wherever a job can put some."""
    every = "\n".join(HOSTILE)
    findings = tuple(
        Finding(code=code, severity=Severity.ERROR, subject=Point(name), message=name, hint=name)
        for name in HOSTILE
        for code in ("P101", HOSTILE[0])
    )
    tables = {
        key: _all_named(getattr(report, key), HOSTILE)
        for key in ("joints", "points", "segments", "validation", "cell", "provenance")
    }
    curves = tuple(
        replace(
            one,
            panels=tuple(replace(panel, name=HOSTILE[k]) for k, panel in enumerate(one.panels)),
        )
        for one in report.curves
    )
    return replace(
        report,
        title=every,
        findings=findings,
        job_text=every,
        errata=HOSTILE,
        curves=curves,
        **tables,
    )


@pytest.fixture(scope="session")
def hostile_segments(segments):
    return tuple(replace(s, point=HOSTILE[k]) for k, s in enumerate(segments))


@pytest.fixture(scope="session")
def long_segments():
    """10,000 motions of 0.1 s: probing and retracting take two thirds, travel the rest."""
    kinds = (SegmentKind.PROBE, SegmentKind.RETRACT, SegmentKind.TRAVEL)
    return tuple(
        Segment(
            kind=kinds[k % 3],
            point=f"P{k // 3 + 1}",
            point_index=k // 3,
            law="quintic",
            start=0.1 * k,
            duration=0.1,
            binding="q1 speed",
        )
        for k in range(10_000)
    )


@pytest.fixture(scope="session")
def long_report(report):
    """Six joints, five quantities, 1,200 points each; 3,000 rows in the table of points."""
    t = np.linspace(0.0, 1000.0, 1202)
    panels = tuple(
        Panel(
            name=f"q{k}",
            unit="rad/s",
            t=t,
            values=np.sin(t / 7 + k) * (1 + 0.1 * np.cos(31 * t)),
            lower=-2.0,
            upper=2.0,
            peak=1.1,
        )
        for k in range(6)
    )
    curves = tuple(CurveSet(key=f"set-{k}", title=f"Quantity {k}", panels=panels) for k in range(5))
    points = replace(report.points, rows=report.points.rows * 1000)
    findings = tuple(
        Finding(
            code="P101", severity=Severity.ERROR, subject=Point(f"P{k}"), message="far", hint="move"
        )
        for k in range(250)
    )
    return replace(report, curves=curves, points=points, findings=findings)
