"""From what a report says to one HTML file that works offline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from planner.errors import FindingError
from planner.findings import Finding, Page
from planner.findings import page as explanation_page
from planner.plan import Segment
from reports.content import Report
from reports.page.curves import HEIGHT, WIDTH, TimeAxis, drawn_set, motion, shading, stop, time_axis
from reports.page.html import SHARED, asset, data_block, environment, page_policy
from reports.page.scene import PageScene, embedded, embeds

BUDGET = 15_000_000  # bytes of a page
_NAMED = 30  # points that find room for their names above the curves
_SHORT = 6  # characters of a name that does


@dataclass(frozen=True, slots=True, kw_only=True)
class PageDetail:
    """How much a page shows.

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
_SHOWN = 20  # of one code


def page(
    report: Report,
    segments: Sequence[Segment],
    scene_html: str | None,
    *,
    budget: int = BUDGET,
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
    held = scene_html is not None and embeds(scene_html)
    scene = embedded(scene_html or "", asset("scene.js")) if held else None
    beside = scene_html is not None and scene is None
    text = ""
    for detail in _DETAILS:
        text = _rendered(report, segments, detail, scene=scene, beside=beside)
        if len(text.encode("utf-8")) <= budget:
            break
    return text


def _rendered(
    report: Report,
    segments: Sequence[Segment],
    detail: PageDetail,
    *,
    scene: PageScene | None,
    beside: bool,
) -> str:
    from markupsafe import Markup

    duration = max((s.end for s in segments), default=0.0)
    moves = bool(report.curves) and duration > 0.0
    shown = report.curves if moves else ()
    sets = tuple(drawn_set(one, duration, 2 * detail.buckets) for one in shown)
    style, script = asset("report.css"), asset("report.js")
    told = motion(sets, segments, duration) if moves else None
    return (
        environment(SHARED)
        .get_template("report.html.j2")
        .render(
            report=report,
            cards=cards(report.findings),
            detail=detail,
            reduced=detail is not _FULL,
            sets=sets,
            time=_axis(segments, duration) if moves else None,
            plot=(WIDTH, HEIGHT),
            beside=beside,
            policy=page_policy(style, script, scene),
            style=Markup(style),
            script=Markup(script),
            motion=Markup(data_block(told)),
            scene=Markup(data_block(scene.text)) if scene else None,
        )
    )


def _axis(segments: Sequence[Segment], duration: float) -> TimeAxis:
    """Ticks, shades and names of points along the time axis."""
    probes = [s for s in segments if s.kind.value == "probe"]
    roomy = len(probes) <= _NAMED and all(len(s.point) <= _SHORT for s in probes)
    names = tuple(stop(s.end / duration, s.point) for s in probes if roomy)
    return time_axis(shading(segments, duration), duration, names)


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
