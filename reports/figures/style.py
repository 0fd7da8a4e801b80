"""How every figure looks, and how it becomes the same bytes each time."""

from __future__ import annotations

import io
import textwrap
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal

from planner.plan import SegmentKind

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Colours of Okabe and Ito, which stay apart for colour-blind readers.
BLUE, ORANGE, GREEN, PINK = "#0072b2", "#d55e00", "#009e73", "#cc79a7"
LIMIT = ORANGE
LIMIT_DASHES = (0.0, (5.0, 3.0))
INK, QUIET = "#222222", "#6b6b6b"
KIND_COLOURS = {
    SegmentKind.PROBE: "#cfe6f5",
    SegmentKind.DWELL: "#f7e3a1",
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


@contextmanager
def house_style() -> Iterator[None]:
    """Our settings on top of matplotlib's own; a user's matplotlibrc changes nothing."""
    import matplotlib.style

    with matplotlib.style.context(["default", _SETTINGS]), warnings.catch_warnings():
        # A name may be written in a script that the font does not have.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        yield


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
