"""A platform's workspace as it is reported: slices as JSON and CSV, and the set of files."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from planner.result_files import write_set
from reports.document_text import csv_text
from reports.figures.style import (
    BLUE,
    GREEN,
    INK,
    ORANGE,
    PINK,
    QUIET,
    WIDTH,
    caption,
    figure_files,
)
from robots.core.arrays import Array
from robots.stewart.limits import Limit, pose_limits
from robots.stewart.platform import Platform
from robots.stewart.workspace import WorkspaceSlice, orientation_slice, position_slice

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

KIND = "platform workspace"
FORMAT = 1
_HEADERS = ("slice", "x_m", "y_m", "z_m", "tilt_x_rad", "tilt_y_rad", "stopped_by")
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
_NOTE = (
    "Left: the level plane through the slice's height, in one orientation. Right: rotation vectors "
    "of the tilt about level axes, in one place. Cross: centre from which the region is seen; what "
    "lies behind a forbidden strip is not shown. "
    "Strokes, joints, interference and singularities count."
)


def write_workspace_set(
    shown: WorkspaceSlices, document: str, folder: Path, *, force: bool = False
) -> None:
    """Write the files; those of an earlier workspace are replaced.

    Args:
        shown: what is written.
        document: text of its JSON document.
        folder: new, empty, or holding an earlier workspace and nothing else.
        force: whether a folder with other files is written to all the same.

    Raises:
        OutputError: the folder holds other files, or cannot be written.
    """
    draw = partial(stewart_workspace_figure, shown.position, shown.orientation, shown.name)
    files: dict[str, str | bytes] = {"workspace.json": document}
    files |= {"workspace.csv": workspace_csv(shown), **figure_files([("workspace", draw)])}
    write_set(folder, KIND, files.items(), force=force)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WorkspaceSlices:
    """Reachable positions of a platform in a level plane, and its tilts at one position.

    Args:
        name: of the platform.
        T: T_base_platform whose height and orientation the first slice has, and whose place the
            second. # (4, 4)
        position: level slice in one orientation.
        orientation: tilts in one place.
    """

    name: str
    T: Array
    position: WorkspaceSlice
    orientation: WorkspaceSlice


def workspace_slices(platform: Platform, T: Array) -> WorkspaceSlices:
    """Both slices at a pose. Args: T. # (4, 4)."""
    limits = pose_limits(platform)
    return WorkspaceSlices(
        name=platform.name,
        T=T,
        position=position_slice(limits, float(T[2, 3]), rotation=T[:3, :3]),
        orientation=orientation_slice(limits, position=T[:3, 3]),
    )


def workspace_document(shown: WorkspaceSlices) -> dict[str, object]:
    """The document of format 1."""
    return {
        "format": FORMAT,
        "robot": shown.name,
        "T": shown.T,
        "z_m": shown.T[2, 3],
        "position": {**_slice(shown.position), "area_m2": shown.position.area},
        "orientation": _slice(shown.orientation),
    }


def workspace_rows(shown: WorkspaceSlices) -> tuple[tuple[str, ...], list[list[object]]]:
    """Headers and boundary points of both slices; an empty slice has none.

    A row of the first slice has no tilt of its own, and its cells are empty; the rows of the second
    all have one place.
    """
    x, y, z = shown.T[:3, 3].tolist()
    rows: list[list[object]] = []
    if not shown.position.empty:
        told = zip(shown.position.points.tolist(), _stops(shown.position), strict=True)
        rows += [["position", *point, z, "", "", stop] for point, stop in told]
    if not shown.orientation.empty:
        told = zip(shown.orientation.points.tolist(), _stops(shown.orientation), strict=True)
        rows += [["orientation", x, y, z, *tilt, stop] for tilt, stop in told]
    return _HEADERS, rows


def workspace_csv(shown: WorkspaceSlices) -> str:
    """The boundary points as a file; numbers read back to the same doubles."""
    return csv_text(*workspace_rows(shown))


def _slice(shown: WorkspaceSlice) -> dict[str, object]:
    return {
        "unit": shown.unit,
        "centre": shown.centre,
        "reach": shown.reach,
        "boundary": shown.points,
        "stopped_by": _stops(shown),
    }


def _stops(shown: WorkspaceSlice) -> list[str]:
    """What each ray meets; empty where the search ended."""
    told = [f"{column.where}: {column.limit.value}" for column in shown.columns]
    return [told[k] if k >= 0 else "" for k in shown.stopped_by.tolist()]


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
