"""From what a report says to one HTML file that works offline."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version

from planner.errors import FindingError
from planner.findings import Finding, Page
from planner.findings import page as explanation_page
from planner.plan import Segment
from reports.content.report import Report
from reports.content.table import Fact, Table, ValueStatus, columns, text
from reports.page.curves import (
    HEIGHT,
    WIDTH,
    DrawnSet,
    TimeAxis,
    drawn_set,
    motion,
    shading,
    stop,
    time_axis,
)
from reports.page.html import asset, filled
from reports.page.scene import PageScene, page_scene

BUDGET = 15_000_000  # bytes of a page
_NAMED = 30  # points that find room for their names above the curves
_SHORT = 6  # characters of a name that does


@dataclass(frozen=True, slots=True, kw_only=True)
class PageDetail:
    """Level of detail of a page.

    Args:
        buckets: of a curve; a peak and a trough in each.
        rows: of a table.
        cell: characters of a cell.
        listing: characters of the job file.
    """

    buckets: int
    rows: int
    cell: int
    listing: int


_FULL = PageDetail(buckets=610, rows=500, cell=300, listing=400_000)
_DETAILS = (
    _FULL,
    PageDetail(buckets=300, rows=200, cell=160, listing=100_000),
    PageDetail(buckets=120, rows=50, cell=80, listing=20_000),
)
_MOTION = PageDetail(buckets=0, rows=500, cell=300, listing=0)
_SHOWN = 20  # of one code


def page(
    report: Report, segments: Sequence[Segment], scene_html: str | None, *, budget: int = BUDGET
) -> str:
    """The report as a page; the same bytes for the same report.

    Where it would be larger than its budget it shows less, and says so.

    Args:
        report: what is said; every text in it may be hostile.
        segments: of the plan, in order of time.
        scene_html: the 3D replay as a page of its own; None for none. One that ``embeds`` refuses
            is linked as ``scene.html``, which must stand beside the page then.
        budget: most bytes.
    """
    scene = page_scene(scene_html)
    beside = scene_html is not None and scene is None
    html = ""
    for detail in _DETAILS:
        html = _rendered(report, segments, detail, scene=scene, beside=beside)
        if len(html.encode("utf-8")) <= budget:
            break
    return html


def _rendered(
    report: Report,
    segments: Sequence[Segment],
    detail: PageDetail,
    *,
    scene: PageScene | None,
    beside: bool,
) -> str:
    duration = max((s.end for s in segments), default=0.0)
    moves = bool(report.curves) and duration > 0.0
    shown = report.curves if moves else ()
    sets = tuple(drawn_set(one, duration, 2 * detail.buckets) for one in shown)
    told = motion(sets, segments, duration) if moves else None
    return filled(
        "report.html.j2",
        style=asset("report.css"),
        script=asset("report.js"),
        scene=scene,
        beside=beside,
        report=report,
        cards=cards(report.findings),
        detail=detail,
        reduced=detail is not _FULL,
        sets=sets,
        time=_axis(segments, duration) if moves else None,
        plot=(WIDTH, HEIGHT),
        motion=told,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class PageSummary:
    """Summary of a report, for the sections that all pages share."""

    title: str
    verdict: str
    status: ValueStatus
    facts: tuple[Fact, ...]


def motion_page(
    template: str,
    package: str,
    summary: PageSummary,
    findings: Sequence[Finding],
    scene_html: str | None,
    *,
    sets: Sequence[DrawnSet],
    time: TimeAxis,
    motion: object,
    style: str = "",
    **sections: object,
) -> str:
    """The page of a mechanism's motion; the same bytes for the same motion.

    Args:
        template: name of its file.
        package: with the template.
        summary: every text in it may be hostile.
        findings: of the motion.
        scene_html: the 3D replay as a page of its own; None for none. One too large for a page is
            linked as ``scene.html``.
        sets: curves.
        time: their axis.
        motion: data of the page's script.
        style: added to that of the report page.
        **sections: what else the template reads.
    """
    scene = page_scene(scene_html)
    return filled(
        template,
        package,
        style=asset("report.css") + style,
        script=asset("report.js"),
        scene=scene,
        beside=scene_html is not None and scene is None,
        report=summary,
        cards=cards(findings),
        detail=_MOTION,
        sets=sets,
        time=time,
        plot=(WIDTH, HEIGHT),
        motion=motion,
        **sections,
    )


def _axis(segments: Sequence[Segment], duration: float) -> TimeAxis:
    """Ticks, shades and names of points along the time axis."""
    probes = [s for s in segments if s.kind.value == "probe"]
    roomy = len(probes) <= _NAMED and all(len(s.point) <= _SHORT for s in probes)
    names = tuple(stop(s.end / duration, s.point) for s in probes if roomy)
    return time_axis(shading(segments, duration), duration, names)


def provenance_table(**facts: str) -> Table:
    """Where a set of files comes from, and the version of Palpeur. Args: facts: by name."""
    rows = {**facts, "palpeur": version("palpeur")}
    return Table(
        key="provenance",
        title="Provenance",
        columns=columns("what", "value"),
        rows=tuple((text(what), text(value or "–")) for what, value in rows.items()),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class PageFigure:
    """A figure inside a page.

    Args:
        key: safe, for anchors.
        title: for readers.
        data: address of the picture, as data.
        words: what is seen, for who does not see it.
    """

    key: str
    title: str
    data: str
    words: str


def page_figure(key: str, title: str, words: str, svg: bytes) -> PageFigure:
    """A figure whose picture stands in the page itself."""
    data = f"data:image/svg+xml;base64,{base64.b64encode(svg).decode('ascii')}"
    return PageFigure(key=key, title=title, data=data, words=words)


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """All findings of one code and severity.

    Args:
        code: stable.
        severity: error, warning or note.
        anchor: of the card in the page.
        findings: the first ones.
        left_out: how many more there are.
        page: what the code means; None for one without a page.
    """

    code: str
    severity: str
    anchor: str
    findings: tuple[Finding, ...]
    left_out: int
    page: Page | None


def cards(findings: Sequence[Finding]) -> tuple[Card, ...]:
    """Findings by code and severity, in the order of their first ones."""
    groups: dict[tuple[str, str], list[Finding]] = {}
    for finding in findings:
        groups.setdefault((finding.code, finding.severity.value), []).append(finding)
    return tuple(
        Card(
            code=code,
            severity=severity,
            anchor=f"finding-{number}",
            findings=tuple(group[:_SHOWN]),
            left_out=max(0, len(group) - _SHOWN),
            page=_page(code),
        )
        for number, ((code, severity), group) in enumerate(groups.items(), start=1)
    )


def _page(code: str) -> Page | None:
    try:
        return explanation_page(code)
    except FindingError:
        return None
