"""House style of figures, and their reproducible rendering."""

from __future__ import annotations

import io
import textwrap
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal

import numpy as np

from planner.plan import SegmentKind
from robots.core.arrays import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Colours of Okabe and Ito, which stay apart for colour-blind readers.
BLUE, ORANGE, GREEN, PINK = "#0072b2", "#d55e00", "#009e73", "#cc79a7"
LIMIT = ORANGE
LIMIT_DASHES = (0.0, (5.0, 3.0))
INK, QUIET = "#222222", "#6b6b6b"
KIND_COLOURS = {
    SegmentKind.PROBE: "#cfe6f5",
    SegmentKind.SEARCH: "#8fc3e8",
    SegmentKind.STOP: "#d55e00",
    SegmentKind.DWELL: "#f7e3a1",
    SegmentKind.BACK_OFF: "#a6dabb",
    SegmentKind.RETRACT: "#d3ecdd",
    SegmentKind.TRAVEL: "#eeeeee",
}
DPI = 150
WIDTH = 8.0  # [in]
_TITLE, _NOTE = 88, 140  # characters that fit into a line
_SETTINGS = {
    "font.family": "DejaVu Sans",
    "font.size": 9.0,
    "axes.labelsize": 9.0,
    "axes.titlesize": 10.0,
    "axes.titleweight": "bold",
    "axes.edgecolor": QUIET,
    "axes.labelcolor": INK,
    "text.color": INK,
    "text.parse_math": False,  # a name may hold a dollar sign
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.labelsize": 8.0,
    "ytick.labelsize": 8.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#b8b8b8",
    "grid.linewidth": 0.5,
    "grid.alpha": 0.6,
    "lines.linewidth": 1.2,
    "legend.frameon": False,
    "legend.fontsize": 8.0,
    "svg.hashsalt": "palpeur",  # names inside the file do not change from run to run
    "svg.fonttype": "path",
}
_METADATA: dict[str, dict[str, None]] = {
    "png": {"Software": None},
    "svg": {"Date": None, "Creator": None},
}
Format = Literal["png", "svg"]
FORMATS: tuple[Format, ...] = ("png", "svg")
_Box = tuple[float, float, float, float]  # left, bottom, right, top [pt]
_POINTS = 72.0  # an inch
_WIDE, _TALL = 0.58, 1.15  # a sign of DejaVu Sans beside its size
_NEAR = 1.2  # a limit is drawn where it is no farther than this many heights of the curve
_GAP = 4.0  # between a mark and its name [pt]
_MARK = 4.0  # half a mark [pt]


@contextmanager
def house_style() -> Iterator[None]:
    """Our settings on top of matplotlib's own; a user's matplotlibrc changes nothing."""
    import matplotlib.style

    with matplotlib.style.context(["default", _SETTINGS]), warnings.catch_warnings():
        # A name may be written in a script that the font does not have.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        yield


def figure_files(figures: Iterable[tuple[str, Callable[[], Figure]]]) -> dict[str, bytes]:
    """Draw figures and render each in every format.

    Args:
        figures: name of the files without ending, and what draws the figure.
    """
    files: dict[str, bytes] = {}
    with house_style():
        for name, draw in figures:
            figure = draw()
            files |= {f"{name}.{form}": rendered(figure, form) for form in FORMATS}
    return files


def rendered(figure: Figure, format: Format) -> bytes:
    """A figure as a file; no date, no version, the same bytes for the same data."""
    content = io.BytesIO()
    figure.savefig(content, format=format, dpi=DPI, metadata=_METADATA[format])
    return content.getvalue()


def caption(figure: Figure, title: str, note: str) -> None:
    """Title above and quiet lines below, at the same distance from every figure's edges."""
    height = figure.get_figheight()
    title = title if len(title) <= _TITLE else title[: _TITLE - 1] + "…"
    figure.text(0.01, 1.0 - 0.1 / height, title, va="top", fontsize=11.0, fontweight="bold")
    text = textwrap.fill(note, _NOTE)
    figure.text(0.01, 0.08 / height, text, va="bottom", fontsize=7.5, color=QUIET)


def draw_limits(axis: Axes, low: float, high: float, lower: float, upper: float) -> None:
    """Draw limits as dashed lines where they do not flatten the curve.

    Args:
        axis: with the curve.
        low: minimum of the curve.
        high: its maximum.
        lower: limit; infinite for none.
        upper: likewise.
    """
    for limit, distance in ((lower, low - lower), (upper, upper - high)):
        if distance <= _NEAR * (high - low):
            axis.axhline(limit, color=LIMIT, linewidth=1.0, linestyle=LIMIT_DASHES)


def write_limits(axis: Axes, text: str, *, broken: bool = False) -> None:
    """Write the limits upright beside a panel, in the colour of a limit where one is broken."""
    axis.text(
        *(1.008, 0.5, text),
        transform=axis.transAxes,
        rotation=90.0,
        va="center",
        fontsize=7.0,
        color=LIMIT if broken else QUIET,
    )


def limit_text(lower: float, upper: float, unit: str) -> str:
    """The limits in words; empty for none."""
    if np.isinf(lower) and np.isinf(upper):
        return ""
    if lower == -upper:
        return f"limit ±{upper:.4g} {unit}"
    return f"limits {lower:.4g} to {upper:.4g} {unit}"


def write_beside(
    axis: Axes, places: Array, names: Sequence[str], *, size: float, others: Array | None = None
) -> None:
    """Write each name near its mark: above to the right, or where there is most room.

    Args:
        axis: with all it shows, its limits and margins; they are settled now.
        places: of the marks, in the axis' units. # (k, 2)
        names: one for each.
        size: of the letters. [pt]
        others: more places that no name should cover. # (m, 2)
    """
    figure = axis.get_figure(root=True)
    if figure is None or not len(names):
        return
    axis.apply_aspect()
    seen = np.asarray(places) if others is None else np.concatenate([places, others])
    at = axis.transData.transform(seen) * (_POINTS / figure.dpi)
    taken = [(x - _MARK, y - _MARK, x + _MARK, y + _MARK) for x, y in at.tolist()]
    for name, place, (x, y) in zip(names, places.tolist(), at[: len(places)].tolist(), strict=True):
        boxes = _boxes(x, y, _WIDE * size * len(name), _TALL * size)
        box = min(boxes, key=lambda one: sum(_shared(one, other) for other in taken))
        taken.append(box)
        axis.annotate(
            name, place, (box[0] - x, box[1] - y), textcoords="offset points", fontsize=size
        )


def _boxes(x: float, y: float, width: float, height: float) -> Iterator[_Box]:
    """Where a name may stand, the liked places first."""
    rows = (y + _GAP, y - _GAP - height, y - 0.5 * height)
    for bottom in rows:
        beside = bottom == rows[2]
        for left in (x + _GAP + _MARK * beside, x - _GAP - _MARK * beside - width):
            yield left, bottom, left + width, bottom + height
    for bottom in (y + _GAP + _MARK, y - _GAP - _MARK - height):
        yield x - 0.5 * width, bottom, x + 0.5 * width, bottom + height


def _shared(a: _Box, b: _Box) -> float:
    """Area that two boxes share. [pt²]."""
    across = min(a[2], b[2]) - max(a[0], b[0])
    up = min(a[3], b[3]) - max(a[1], b[1])
    return max(across, 0.0) * max(up, 0.0)
