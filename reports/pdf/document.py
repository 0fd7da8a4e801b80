"""The report as a PDF for signature, typeset by typst from plain data."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.resources import as_file, files
from itertools import islice, zip_longest
from typing import Any, Literal, TypeVar

import numpy as np

from planner.findings import Finding, Severity
from planner.plan import Segment, SegmentKind
from reports.content.curves import CurveSet, Panel
from reports.content.report import Report
from reports.content.table import Column, Fact, Table, Value, ValueStatus, raised, signed, told
from reports.pdf.text import CUT, folder, lines, pieces, shown, width, with_units
from robots.core.arrays import Array

STANDARD: Literal["ua-1"] = (
    "ua-1"  # PDF/UA-1: tagged, searchable, every font embedded; PDF/A would ask for a date
)
PATH = "tip-path.svg"  # the figure that is taken over as it is
_LISTED, _COLUMNS, _ROWS = 400, 104, 4  # lines of the job file, their width, lines for a long one
_NOTE_ROOM = 48.0  # a line of the template in its letters' size [em]
FINDINGS = 200  # that are printed
ROWS = 500  # of a table that is printed whole, and at most of any
FIRST = 50  # rows of a longer one: whoever needs more opens the workbook
TITLE, SENTENCE = 120, 600  # characters
_PHRASE = 100
# lines of the template in its letters' size [em]
_TITLE_ROOM, _VALUE_ROOM, _FACT_ROOM, _WHERE_ROOM, _MESSAGE_ROOM = 19.0, 12.0, 21.0, 8.0, 34.0
ROOM = 477.0  # between the margins [pt]
SIZE = 8.0  # of letters [pt]
PADDING = 10.0  # left and right of a cell together [pt]
_CELL, _LAST = 100, 700  # characters in a cell, and in one of a last column of texts
_BOLD = 1.08  # width of bold letters
_SLACK = 0.05  # for rounding [em]
_STRETCH = 1.3  # a table that finds more room stays narrower than the page
_WORDS = 70.0  # a column of texts is not made narrower than this [pt]
_SMALLEST = 0.62  # of the letters' size, for tables of very many columns


def report_pdf(report: Report, segments: Sequence[Segment], figures: Mapping[str, bytes]) -> bytes:
    """The report for signature: the same bytes for the same content, no date in them.

    Args:
        report: what it says; its texts are printed as they are, never read as markup.
        segments: of the motion, to shade the curves with.
        figures: SVG files by name; "tip-path.svg" is printed where it is there.
    """
    return typeset(paper_data(report, segments, figures))


def paper_data(report: Report, segments: Sequence[Segment], figures: Mapping[str, bytes]) -> str:
    """What ``typeset`` takes of a report. Args: see ``report_pdf``."""
    return json.dumps(document(report, segments, figures), ensure_ascii=False)


def typeset(data: str) -> bytes:
    """The report for signature, of its data."""
    import typst

    fonts = typst.Fonts(include_system_fonts=False, font_paths=[str(folder())])
    with as_file(files("reports.pdf") / "templates") as templates:
        compiler = typst.Compiler(
            templates / "report.typ", root=templates, font_paths=fonts, sys_inputs={"report": data}
        )
        made = compiler.compile(format="pdf", pdf_standards=[STANDARD])
    if not isinstance(made, bytes):
        raise TypeError("typst gave no single PDF")
    return made


def document(
    report: Report, segments: Sequence[Segment], figures: Mapping[str, bytes]
) -> dict[str, Any]:
    """The report as the template takes it.

    Args:
        report: what it says.
        segments: of the motion, to shade curves with.
        figures: by their names as files.
    """
    path, points = figures.get(PATH), printed_rows(report.points)
    listing = lines(report.job_text, _COLUMNS, _ROWS)
    return {
        **titles(report.title, report.heading),
        "sha256": report.sha256,
        "version": shown(report.version, 40),
        "verdict": shown(report.verdict, SENTENCE),
        "status": report.status.value,
        "unchecked": [_fact(fact) for fact in report.unchecked],
        "facts": boxes(report.facts, report.findings),
        "findings": printed_findings(report.findings),
        "findings_left_out": max(0, len(report.findings) - FINDINGS),
        "errata": [pieces(shown(text, SENTENCE), _NOTE_ROOM) for text in report.errata],
        "joints": laid_out(report.joints),
        "curves": list(drawn_curves(report.curves, segments)),
        "shaded": shaded(segments),
        "path": path.decode("utf-8") if path is not None else None,
        "tables": [
            *(laid_out(part, points) for part in parted(report.points)),
            *(
                laid_out(table)
                for table in (
                    *(report.segments, report.clearances, report.audit),
                    *(report.cell, report.validation),
                )
                if table is not None
            ),
        ],
        "listing": [text for _, text in listing[:_LISTED]],
        "numbers": [number for number, _ in listing[:_LISTED]],
        "lines_left_out": max(0, len(listing) - _LISTED),
        "provenance": laid_out(report.provenance),
        "size": SIZE,
    }


def titles(title: str, heading: str) -> dict[str, Any]:
    """The title as the front page, the document's properties and the running head take it.

    Args:
        title: name of the job.
        heading: line below it on the front page; empty for none.
    """
    return {
        "title": shown(title, TITLE),
        "title_pieces": pieces(shown(title, TITLE), _TITLE_ROOM),
        "head": shown(title, 60),
        "heading": pieces(shown(heading, SENTENCE), _NOTE_ROOM),
    }


def boxes(facts: Sequence[Fact], findings: Sequence[Finding]) -> list[dict[str, Any]]:
    """The boxes of the front page; the last counts the findings."""
    return [*map(_fact, facts), _count(findings)]


def printed_findings(findings: Sequence[Finding]) -> list[dict[str, Any]]:
    """Those that are printed; neighbours that share a fix say it once, below the last of them."""
    printed = findings[:FINDINGS]
    alike = [(f.code, f.severity, f.hint) for f in printed]
    return [
        _finding(finding, "" if fix == following else finding.hint)
        for finding, fix, following in zip_longest(printed, alike, alike[1:])
    ]


def _fact(fact: Fact) -> dict[str, Any]:
    """A fact as the template takes it."""
    return {
        "label": shown(fact.label, _PHRASE),
        "value": pieces(shown(fact.value.text, _PHRASE), _VALUE_ROOM),
        "unit": shown(fact.unit, 20),
        "detail": pieces(with_units(shown(fact.detail, SENTENCE)), _FACT_ROOM),
        "status": fact.value.status.value,
    }


def _count(findings: Sequence[Finding]) -> dict[str, Any]:
    counts = Counter(finding.severity for finding in findings)
    doubtful = "doubtful" if counts[Severity.WARNING] else "plain"
    told = [f"{counts[s]} {s.value}{'s' if counts[s] > 1 else ''}" for s in Severity if counts[s]]
    return {
        "label": "findings",
        "value": [", ".join(told) or "none"],
        "unit": "",
        "detail": ["in section 1" if findings else ""],
        "status": "bad" if counts[Severity.ERROR] else doubtful,
    }


def _finding(finding: Finding, hint: str) -> dict[str, Any]:
    return {
        "code": shown(finding.code, 12),
        "severity": finding.severity.value,
        "where": pieces(shown(finding.where, _PHRASE), _WHERE_ROOM),
        "message": pieces(with_units(shown(finding.message, SENTENCE)), _MESSAGE_ROOM),
        "hint": pieces(with_units(shown(hint, SENTENCE)), _MESSAGE_ROOM),
    }


def printed_rows(table: Table) -> list[int]:
    """Rows that paper shows: of a long table the first ones, and those that need attention."""
    if len(table.rows) <= ROWS:
        return list(range(len(table.rows)))
    marked = (k for k in range(FIRST, len(table.rows)) if needs_attention(table.rows[k]))
    return [*range(FIRST), *islice(marked, ROWS - FIRST)]


def needs_attention(row: Sequence[Value]) -> bool:
    """Return whether something in a row is bad or doubtful."""
    return any(value.status in (ValueStatus.BAD, ValueStatus.DOUBTFUL) for value in row)


def laid_out(table: Table, printed: Sequence[int] | None = None) -> dict[str, Any]:
    """A table as the template draws it.

    Args:
        table: of any length.
        printed: rows that paper shows; those of ``printed_rows`` when None.
    """
    rows = [table.rows[k] for k in (printed_rows(table) if printed is None else printed)]
    heads = [_head(column) for column in table.columns]
    limits = [_CELL] * len(table.columns)
    limits[-1] = _CELL if table.columns[-1].numeric else _LAST
    texts = [
        [shown(value.text, limit) for value, limit in zip(row, limits, strict=True)] for row in rows
    ]
    bars = [any(row[k].bar is not None for row in rows) for k in range(len(heads))]
    widths, scale = _widths(table.columns, heads, texts, bars)
    rooms = [(w - scale * PADDING) / (scale * SIZE) + _SLACK for w in widths]
    note = shown(table.note, 600)
    return {
        "key": table.key,
        "title": table.title,
        "note": note,
        "widths": widths,
        "size": scale * SIZE,
        "padding": scale * PADDING / 2,
        "right": [column.numeric for column in table.columns],
        "heads": [[pieces(w, room) for w in head] for head, room in zip(heads, rooms, strict=True)],
        "rows": [
            [_cell(value, text, room) for value, text, room in zip(row, told, rooms, strict=True)]
            for row, told in zip(rows, texts, strict=True)
        ],
        "left_out": _left_out(len(rows), len(table.rows)),
    }


def _left_out(shown: int, count: int) -> str:
    """What a reader is told of rows that paper does not show; nothing where it shows all."""
    if shown == count:
        return ""
    attention = f"{shown - FIRST:,} {'more' if shown < ROWS else 'of those'} that need attention"
    also = f", and {attention}" if shown > FIRST else ""
    return (
        f"The first {FIRST:,} of {count:,} rows{also}; all of them stand in the workbook of this "
        "report set."
    )


def _head(column: Column) -> list[str]:
    return [shown(column.header, _CELL), f"[{column.unit}]" if column.unit else ""]


def _cell(value: Value, text: str, room: float) -> dict[str, Any] | str:
    if value.bar is not None:
        return {"pieces": [text], "status": value.status.value, "bar": value.bar}
    told = pieces(text, room) if 2 * len(text) > room else [text]
    if value.status is ValueStatus.PLAIN and len(told) == 1:
        return told[0]
    return {"pieces": told, "status": value.status.value}


def _widths(
    columns: Sequence[Column],
    heads: Sequence[list[str]],
    texts: Sequence[list[str]],
    bars: Sequence[bool],
) -> tuple[list[float], float]:
    """Widths of the columns, and the scale of the letters that they are for. [pt]."""
    wanted, least = [], []
    for k, column in enumerate(columns):
        words = [word for part in heads[k] for word in part.split(" ")]
        head = _BOLD * max(map(_natural, words))
        cells = max((_natural(row[k]) for row in texts), default=0.0)
        cells += _BAR if bars[k] else 0.0
        wanted.append(max(head, cells))
        least.append(wanted[-1] if column.numeric else max(head, min(cells, _WORDS)))
    total = sum(wanted)
    if total <= ROOM:
        return [min(_STRETCH, ROOM / total) * w for w in wanted], 1.0
    if sum(least) <= ROOM:
        share = (ROOM - sum(least)) / (total - sum(least))
        return [a + share * (b - a) for a, b in zip(least, wanted, strict=True)], 1.0
    squeeze = ROOM / sum(least)
    return [squeeze * w for w in least], max(squeeze, _SMALLEST)


_BAR = 5.6 * SIZE  # of a value between its limits, as the template draws it [pt]


def _natural(text: str) -> float:
    return SIZE * width(text) + PADDING


def parted(table: Table) -> tuple[Table, ...]:
    """A table of points as two, what became of them and their joints; any other as it is."""
    joints = [k for k, column in enumerate(table.columns) if column.joint]
    if not joints:
        return (table,)
    others = [k for k in range(len(table.columns)) if k not in joints]
    title = f"{table.title}: joints at contact"
    second = replace(_only(table, [0, *joints]), key=f"{table.key}-joints", title=title, note="")
    return _only(table, others), second


def _only(table: Table, kept: Sequence[int]) -> Table:
    return replace(
        table,
        columns=tuple(table.columns[k] for k in kept),
        rows=tuple(tuple(row[k] for k in kept) for row in table.rows),
    )


# ------------------------------------------------------------------------------------------- Curves
# Panels above one another, segments shaded.

# Apart for colour-blind readers, and from light to dark where there is no colour.
SHADES = {
    SegmentKind.TRAVEL: "#ffffff",
    SegmentKind.RETRACT: "#e6f1ea",
    SegmentKind.BACK_OFF: "#b9dcc6",
    SegmentKind.PROBE: "#cbdfee",
    SegmentKind.SEARCH: "#94bfe0",
    SegmentKind.STOP: "#c44e00",
    SegmentKind.DWELL: "#d9c68a",
}
_CURVE, _LIMIT, _GRID, _EDGE, _ZERO = "#00598c", "#c44e00", "#c9c9c9", "#777777", "#555555"
_DASHES = "400 250"
_WIDTH, _LEFT, _RIGHT = 478.0, 36.0, 88.0  # [pt]
_ABOVE, _BELOW, _GAP = 12.0, 28.0, 6.0  # [pt]
_HALF, _WHOLE = 300.0, 630.0  # heights of a figure that shares its page, of one that does not [pt]
_LOW, _HIGH, _ALONE = 36.0, 60.0, 105.0  # heights of a panel; of one alone [pt]
_TOGETHER = 12  # panels that fit onto one page
_SHADED = 300  # more segments are narrower than the eye can follow
_FINE = 60  # segments from which on the curves are drawn finer
_NAMED = 24  # points that find room for their names
_NEAR = 1.2  # a limit is drawn where it is no farther than this many heights of the curve
_ROOM = 0.08  # above and below a curve, of its height
_NAME = 30  # characters
_SWATCH, _APART = 14.0, 9.0  # of the key [pt]
Values = TypeVar("Values", float, Array)
UNITS = 100  # of the drawing, per point of the page
_STEPS = (1.0, 2.0, 5.0, 10.0)


def drawn_curves(sets: Sequence[CurveSet], segments: Sequence[Segment]) -> Iterator[dict[str, Any]]:
    """Every set of curves as one figure, or several where one page cannot hold them."""
    for curves in sets:
        for first in range(0, len(curves.panels), _TOGETHER):
            panels = curves.panels[first : first + _TOGETHER]
            title = f"{curves.title}, continued" if first else curves.title
            yield {
                "key": curves.key,
                "title": title,
                "alt": _spoken(title, panels),
                "drawing": _drawn(panels, segments).document(),
            }


def shaded(segments: Sequence[Segment]) -> bool:
    """Return whether there is room to shade segments."""
    return 0 < len(segments) <= _SHADED


def _drawn(panels: Sequence[Panel], segments: Sequence[Segment]) -> PaperDrawing:
    size = _size(len(panels))
    height = _ABOVE + len(panels) * (size + _GAP) - _GAP + _BELOW
    drawing = PaperDrawing(width=_WIDTH, height=height)
    duration = max(float(panels[0].t[-1]), 1e-9)
    times = ticks(0.0, duration, 10)
    for k, panel in enumerate(panels):
        low, high = _range(panel)
        frame = PlotFrame(
            left=_LEFT,
            top=_ABOVE + k * (size + _GAP),
            width=_WIDTH - _LEFT - _RIGHT,
            height=size,
            x=(0.0, duration),
            y=(low, high),
        )
        _draw_panel(drawing, frame, panel, segments, times)
    _name_points(drawing, frame, segments)
    _draw_foot(drawing, frame, times, segments, limits=any(map(_limited, panels)))
    return drawing


def _size(count: int) -> float:
    """Height of a panel: two figures share a page where their panels stay high enough. [pt]."""
    if count == 1:
        return _ALONE
    heights = ((whole - _ABOVE - _BELOW) / count - _GAP for whole in (_HALF, _WHOLE))
    return min(_HIGH, next((h for h in heights if h >= _LOW), _LOW))


def _draw_panel(
    drawing: PaperDrawing, frame: PlotFrame, panel: Panel, segments: Sequence[Segment], times: Ticks
) -> None:
    right, bottom = frame.left + frame.width, frame.top + frame.height
    if shaded(segments):
        for s in segments:
            if s.kind is not SegmentKind.TRAVEL:
                drawing.box(frame, (s.start, s.end), SHADES[s.kind])
    marks = ticks(*frame.y, 4)
    for t in times.values:
        x = frame.across(t)
        drawing.line((x, frame.top, x, bottom), _GRID, 0.3)
    for value, label in zip(marks.values, marks.labels, strict=True):
        y = frame.down(value)
        drawing.line((frame.left, y, right, y), _ZERO if value == 0 else _GRID, 0.3)
        drawing.write(label, (frame.left - 3.0, y), "right")
    drawing.curve(frame, panel.t, panel.values, _CURVE, 0.9 if len(segments) < _FINE else 0.5)
    for limit in (panel.lower, panel.upper):
        if frame.y[0] <= limit <= frame.y[1]:
            y = frame.down(limit)
            drawing.line((frame.left, y, right, y), _LIMIT, 0.9, _DASHES)
    for ends in ((frame.left, frame.top, frame.left, bottom), (frame.left, bottom, right, bottom)):
        drawing.line(ends, _EDGE, 0.5)
    if marks.factor:
        drawing.write(f"× {marks.factor}", (frame.left + 3.0, frame.top + 5.0), "left")
    _write_beside(drawing, frame, panel)


def _write_beside(drawing: PaperDrawing, frame: PlotFrame, panel: Panel) -> None:
    """Name, unit, exact peak and limit, right of the panel."""
    x, y = frame.left + frame.width + 7.0, frame.top + 6.0
    name, unit = shown(panel.name, _NAME), panel.unit
    while 8.6 * width(f"{name} [{unit}]") > _RIGHT - 7.0 and len(name) > 2:
        name = name[:-2] + CUT
    drawing.write(f"{name} [{unit}]", (x, y), "left", "name")
    for text in filter(None, (_peak(panel), _limit(panel))):
        y += 10.5
        drawing.write(text, (x, y), "left", "side")


def _name_points(drawing: PaperDrawing, frame: PlotFrame, segments: Sequence[Segment]) -> None:
    """The name of each point above its instant of contact, where there is room."""
    kinds = {s.kind for s in segments}
    last = SegmentKind.SEARCH if SegmentKind.SEARCH in kinds else SegmentKind.PROBE
    probes = [s for s in segments if s.kind is last]
    if len(probes) > _NAMED or any(len(s.point) > 6 for s in probes):
        return
    for s in probes:
        drawing.write(shown(s.point, _NAME), (frame.across(s.end), _ABOVE - 5.0), "center")


def _draw_foot(
    drawing: PaperDrawing,
    frame: PlotFrame,
    times: Ticks,
    segments: Sequence[Segment],
    *,
    limits: bool,
) -> None:
    """The axis of time, and what shades and dashes mean."""
    bottom, y = frame.top + frame.height, drawing.height - 6.0
    for t, label in zip(times.values, times.labels, strict=True):
        drawing.write(label, (frame.across(t), bottom + 6.5), "center")
    drawing.write(f"time [{times.factor} s]".replace("[ ", "["), (frame.left, y), "left")
    x = frame.left + frame.width
    if limits:
        x = _key(drawing, (x, y), "limit")
        drawing.line((x, y, x + _SWATCH, y), _LIMIT, 0.9, _DASHES)
        x -= _APART
    kinds = {segment.kind for segment in segments} if shaded(segments) else set()
    for kind in reversed(SegmentKind):
        if kind in kinds:
            x = _key(drawing, (x, y), kind.value)
            swatch = PlotFrame(left=x, top=y - 4.0, width=_SWATCH, height=8.0, x=(0, 1), y=(0, 1))
            drawing.box(swatch, (0.0, 1.0), SHADES[kind])
            for edge in (y - 4.0, y + 4.0):
                drawing.line((x, edge, x + _SWATCH, edge), _GRID, 0.3)
            x -= _APART


def _key(drawing: PaperDrawing, end: tuple[float, float], text: str) -> float:
    """Write an entry of the key that ends at a place; where its swatch begins. [pt]."""
    start = end[0] - 6.8 * width(text)
    drawing.write(text, (start, end[1]), "left")
    return start - 3.0 - _SWATCH


def _range(panel: Panel) -> tuple[float, float]:
    low, high = float(np.min(panel.values)), float(np.max(panel.values))
    height = high - low
    if panel.lower > -np.inf and low - panel.lower <= _NEAR * height:
        low = min(low, panel.lower)
    if panel.upper < np.inf and panel.upper - high <= _NEAR * height:
        high = max(high, panel.upper)
    room = _ROOM * (high - low) or max(abs(high), 1e-6)
    return low - room, high + room


def _limited(panel: Panel) -> bool:
    return bool(np.isfinite(panel.lower) or np.isfinite(panel.upper))


def _peak(panel: Panel) -> str:
    return f"peak {told(panel.peak)}" if np.isfinite(panel.peak) else ""


def _limit(panel: Panel) -> str:
    if not _limited(panel):
        return ""
    if panel.lower == -panel.upper:
        return f"limit ±{told(panel.upper)}"
    return f"limits {told(panel.lower, 4)} … {told(panel.upper, 4)}"


def _spoken(title: str, panels: Sequence[Panel]) -> str:
    """What the figure shows, for readers who do not see it."""
    curves = (
        f"{shown(panel.name, _NAME)} from {told(float(np.min(panel.values)))} to "
        f"{told(float(np.max(panel.values)))} {panel.unit}"
        for panel in panels
    )
    return f"{title} over {told(float(panels[0].t[-1]))} s: " + ", ".join(curves) + "."


@dataclass(frozen=True, slots=True, kw_only=True)
class PlotFrame:
    """A rectangle on the page and the values at its edges.

    Args:
        left: from the drawing's left edge. [pt]
        top: from its upper edge, downwards. [pt]
        width: [pt]
        height: [pt]
        x: values at the left and right edge.
        y: values at the lower and upper edge.
    """

    left: float
    top: float
    width: float
    height: float
    x: tuple[float, float]
    y: tuple[float, float]

    def across(self, x: Values) -> Values:
        """Where values lie. [pt]."""
        return self.left + self.width * (x - self.x[0]) / (self.x[1] - self.x[0])

    def down(self, y: Values) -> Values:
        """Where values lie. [pt]."""
        return self.top + self.height * (self.y[1] - y) / (self.y[1] - self.y[0])


@dataclass(slots=True, kw_only=True, eq=False)
class PaperDrawing:
    """Primitives of a drawing.

    Args:
        width: [pt]
        height: [pt]
        shapes: elements of SVG.
        labels: what the page writes on top.
    """

    width: float
    height: float
    shapes: list[str] = field(default_factory=list)
    labels: list[dict[str, Any]] = field(default_factory=list)

    def box(self, frame: PlotFrame, span: tuple[float, float], colour: str) -> None:
        """Fill a frame's whole height between two values of x."""
        left, right = _units(frame.across(span[0])), _units(frame.across(span[1]))
        top, height = _units(frame.top), _units(frame.height)
        self.shapes.append(
            f'<path d="M{left} {top}h{max(right - left, 1)}v{height}H{left}z" fill="{colour}"/>'
        )

    def line(
        self, ends: tuple[float, float, float, float], colour: str, width: float, dashes: str = ""
    ) -> None:
        """A straight line between two places of the page."""
        x, y, to_x, to_y = map(_units, ends)
        dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
        self.shapes.append(
            f'<path d="M{x} {y}L{to_x} {to_y}" stroke="{colour}" '
            f'stroke-width="{_units(width)}"{dashed}/>'
        )

    def curve(self, frame: PlotFrame, t: Array, values: Array, colour: str, width: float) -> None:
        """A curve through samples; those closer than the page can show are one."""
        places = np.stack([frame.across(t), frame.down(values)], axis=1)
        places = np.rint(UNITS * places).astype(np.int64)
        steps = np.diff(places, axis=0)
        steps = steps[np.any(steps != 0, axis=1)]
        path = "".join(f"l{dx} {dy}" for dx, dy in steps.tolist())
        self.shapes.append(
            f'<path d="M{places[0, 0]} {places[0, 1]}{path}" stroke="{colour}" '
            f'stroke-width="{_units(width)}" stroke-linejoin="round"/>'
        )

    def write(self, text: str, at: tuple[float, float], anchor: str, style: str = "tick") -> None:
        """A text beside a place: anchor "left", "center" or "right" of the text lies there."""
        self.labels.append({"text": text, "x": at[0], "y": at[1], "anchor": anchor, "style": style})

    def document(self) -> dict[str, Any]:
        """The drawing as the template takes it."""
        view = f"0 0 {_units(self.width)} {_units(self.height)}"
        opening = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{view}" fill="none">'
        svg = "".join((opening, *self.shapes, "</svg>"))
        return {"svg": svg, "width": self.width, "height": self.height, "labels": self.labels}


def _units(length: float) -> int:
    return round(UNITS * length)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ticks:
    """Values at which an axis is marked.

    Args:
        values: ascending, between the axis' ends.
        labels: one each, in units of the factor.
        factor: such as "10⁻⁵"; empty for one.
    """

    values: tuple[float, ...]
    labels: tuple[str, ...]
    factor: str


def ticks(low: float, high: float, count: int) -> Ticks:
    """Round values between two ends.

    Args:
        low: end of the axis.
        high: other end, above it.
        count: of intervals, at most.
    """
    raw = (high - low) / count
    power = 10.0 ** math.floor(math.log10(raw))
    step = power * next(s for s in _STEPS if s * power >= raw * (1 - 1e-9))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    values = tuple(k * step for k in range(first, last + 1))
    largest = max(map(abs, values), default=0.0)
    exponent = math.floor(math.log10(largest)) if largest else 0
    exponent = 0 if -3 <= exponent <= 4 else exponent
    scale = 10.0**exponent
    decimals = max(0, -math.floor(math.log10(step / scale) + 1e-9))
    labels = tuple(signed(f"{value / scale:.{decimals}f}") for value in values)
    factor = f"10{raised(exponent)}" if exponent else ""
    return Ticks(values=values, labels=labels, factor=factor)
