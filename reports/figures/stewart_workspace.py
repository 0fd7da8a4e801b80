"""Slices of a platform's workspace: where it can go, how it can tilt, and what stops it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from reports.figures.style import (
    BLUE,
    GREEN,
    INK,
    ORANGE,
    PINK,
    QUIET,
    WIDTH,
    Format,
    caption,
    house_style,
    rendered,
)
from robots.stewart.limits import Limit
from robots.stewart.workspace import WorkspaceSlice

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_HEIGHT = 4.9  # [in]
_FILL = "#eaf2f8"
_COLOURS = {
    Limit.SHORTEST: BLUE,
    Limit.LONGEST: ORANGE,
    Limit.BASE_CONE: GREEN,
    Limit.PLATFORM_CONE: PINK,
}
_WORDS = {
    Limit.SHORTEST: "shortest leg",
    Limit.LONGEST: "longest leg",
    Limit.BASE_CONE: "base joint's cone",
    Limit.PLATFORM_CONE: "platform joint's cone",
}
_OTHER, _OPEN = "another limit", "end of search"
_LINES = {"m": (1e3, "mm"), "rad": (180.0 / np.pi, "deg")}


def stewart_workspace_image(
    position: WorkspaceSlice, orientation: WorkspaceSlice, name: str, format: Format
) -> bytes:
    """The figure as a file.

    Args:
        position: level slice in one orientation.
        orientation: tilts in one place.
        name: of the platform.
        format: "png" or "svg".
    """
    with house_style():
        return rendered(stewart_workspace_figure(position, orientation, name), format)


def stewart_workspace_figure(
    position: WorkspaceSlice, orientation: WorkspaceSlice, name: str
) -> Figure:
    """Both slices beside each other; the boundary's colour says which limit stops it."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH, _HEIGHT))
    axes = [figure.add_axes((left, 0.27, 0.385, 0.6)) for left in (0.09, 0.585)]
    titles = ("origin of the platform", "tilt of the platform")
    signs = (("base x", "base y"), ("about base x", "about base y"))
    seen: dict[str, str] = {}
    for axis, shown, title, (x, y) in zip(
        axes, (position, orientation), titles, signs, strict=True
    ):
        seen |= _draw(axis, shown)
        unit = _LINES[shown.unit][1]
        axis.set_title(f"{title}: {_size(shown)}", fontsize=9.0, loc="left")
        axis.set_xlabel(f"{x} [{unit}]")
        axis.set_ylabel(f"{y} [{unit}]")
        axis.set_aspect("equal", adjustable="datalim")
    handles = [axes[0].plot([], [], color=colour, label=word)[0] for word, colour in seen.items()]
    if handles:
        figure.legend(handles=handles, loc="lower center", ncols=6, bbox_to_anchor=(0.5, 0.1))
    caption(figure, f"Workspace: {name}", _NOTE)
    return figure


_NOTE = (
    "Left: the level plane through the slice's height, in one orientation. Right: rotation vectors "
    "of the tilt about level axes, in one place. Cross: centre from which the region is seen; what "
    "lies behind a forbidden strip is not shown. "
    "Strokes, joints, interference and singularities count."
)


def _draw(axis: Axes, shown: WorkspaceSlice) -> dict[str, str]:
    """The region, its boundary by limit, its centre; the words and colours it needed."""
    scale = _LINES[shown.unit][0]
    points = scale * shown.points
    axis.plot(*(scale * shown.centre), marker="+", color=INK, markersize=7.0, linestyle="none")
    if shown.empty:
        return {}
    axis.fill(points[:, 0], points[:, 1], color=_FILL, linewidth=0.0)
    closed = np.vstack([points, points[:1]])
    words = [_word(shown, k) for k in range(len(points))]
    for k, (_, colour) in enumerate(words):
        axis.plot(*closed[k : k + 2].T, color=colour, linewidth=1.8, solid_capstyle="round")
    return dict(words)


def _word(shown: WorkspaceSlice, k: int) -> tuple[str, str]:
    index = int(shown.stopped_by[k])
    if index < 0:
        return _OPEN, QUIET
    limit = shown.columns[index].limit
    return _WORDS.get(limit, _OTHER), _COLOURS.get(limit, INK)


def _size(shown: WorkspaceSlice) -> str:
    if shown.empty:
        return "no feasible pose"
    if shown.unit == "m":
        return f"{shown.area:.4g} m²"
    degrees = np.degrees(shown.reach)
    return f"{degrees.min():.3g} to {degrees.max():.3g} deg"
