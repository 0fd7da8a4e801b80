"""The reach map: where on the table the part can stand, turned as given and as proposed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from planner.part_pose.reach_map import ReachMap
from reports.figures.style import INK, QUIET, WIDTH, caption, house_style, rendered

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.image import AxesImage

_HEIGHT = 8.1  # [in]
_UNSERVED = "#ececec"
_TITLES = ("given pose", "best pose")
# Place of each panel and of its colour bar, as parts of the figure: left, width.
_COLUMNS = ((0.085, 0.335), (0.56, 0.335))
_ROWS = (0.575, 0.145)
_TALL = 0.345


def reach_map_png(maps: tuple[ReachMap, ReachMap], name: str) -> bytes:
    """The figure as a PNG file.

    Args:
        maps: about the given and the best pose, over the same places.
        name: of the job.
    """
    with house_style():
        return rendered(reach_map_figure(maps, name), "png")


def reach_map_figure(maps: tuple[ReachMap, ReachMap], name: str) -> Figure:
    """Points within reach and worst margin over x and y, a row of panels for each pose."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH, _HEIGHT))
    top = max(float(np.nanmax(m.margin, initial=0.0)) for m in maps)
    for row, (shown, title) in enumerate(zip(maps, _TITLES, strict=True)):
        for column in range(2):
            left, width = _COLUMNS[column]
            axis = figure.add_axes((left, _ROWS[row], width, _TALL))
            image = _points(axis, shown) if column == 0 else _margins(axis, shown, np.degrees(top))
            what = "points within reach [%]" if column == 0 else "worst margin [deg]"
            _finish(axis, maps, row, f"{what}, {title}")
            bar = figure.add_axes((left + width + 0.012, _ROWS[row], 0.014, _TALL))
            figure.colorbar(image, cax=bar).outline.set_visible(False)
    caption(figure, f"Reach map: {name}", _note(maps))
    return figure


def _points(axis: Axes, shown: ReachMap) -> AxesImage:
    served = np.where(shown.points > 0.0, 100.0 * shown.points, np.nan)
    image = _image(axis, shown, served, 100.0)
    whole = shown.points >= 1.0
    if np.any(whole) and not np.all(whole):
        axis.contour(
            1e3 * shown.x, 1e3 * shown.y, whole.astype(float), [0.5], colors=[INK], linewidths=0.8
        )
    return image


def _margins(axis: Axes, shown: ReachMap, top: float) -> AxesImage:
    margin = np.degrees(np.where(shown.points >= 1.0, shown.margin, np.nan))
    return _image(axis, shown, margin, max(top, 1e-3))


def _image(
    axis: Axes, shown: ReachMap, values: Sequence[float] | np.ndarray, top: float
) -> AxesImage:
    """Values over places; cividis reads the same for colour-blind eyes."""
    half = 0.5e3 * np.array([np.diff(shown.x)[0], np.diff(shown.y)[0]])
    extent = (
        1e3 * shown.x[0] - half[0],
        1e3 * shown.x[-1] + half[0],
        1e3 * shown.y[0] - half[1],
        1e3 * shown.y[-1] + half[1],
    )
    axis.set_facecolor(_UNSERVED)
    return axis.imshow(
        np.asarray(values),
        origin="lower",
        extent=extent,
        cmap="cividis",
        vmin=0.0,
        vmax=top,
        interpolation="nearest",
        aspect="equal",
    )


def _finish(axis: Axes, maps: tuple[ReachMap, ReachMap], row: int, title: str) -> None:
    """Marks of both poses: the one this row is turned as is filled."""
    for other, (shown, marker) in enumerate(zip(maps, ("o", "*"), strict=True)):
        x, y = shown.standing.pose.translation_mm[:2]
        size = 60.0 if marker == "o" else 150.0
        face = "white" if other == row else "none"
        edge = INK if other == row else QUIET
        axis.scatter(
            [x], [y], s=size, marker=marker, facecolors=face, edgecolors="white", linewidths=2.6
        )
        axis.scatter(
            [x], [y], s=size, marker=marker, facecolors=face, edgecolors=edge, linewidths=1.2
        )
    (left, right), (low, high) = 1e3 * maps[row].allowed
    corners = ([left, right, right, left, left], [low, low, high, high, low])
    axis.plot(*corners, color="white", linewidth=2.0)
    axis.plot(*corners, color=INK, linewidth=1.0, linestyle=(0.0, (4.0, 3.0)))
    axis.grid(visible=False)
    axis.set_title(title, fontsize=9.0, loc="left")
    if row == 1:
        axis.set_xlabel("base x of the part's origin [mm]")
    axis.set_ylabel("base y [mm]")


def _note(maps: tuple[ReachMap, ReachMap]) -> str:
    turned = [
        ", ".join(f"{angle:g}" for angle in shown.standing.pose.rotation_zyx_deg) for shown in maps
    ]
    heights = [f"{shown.standing.pose.translation_mm[2]:g}" for shown in maps]
    return (
        f"Upper row: the part turned as given (zyx {turned[0]} deg, z {heights[0]} mm), the given "
        f"place a filled circle. Lower row: turned as proposed (zyx {turned[1]} deg, z "
        f"{heights[1]} mm), the best place a filled star. Within reach: on {maps[0].judged} of "
        f"{_count(maps[0])} points, a branch keeps joint limits and singularities along the line "
        "and clears the obstacles at its ends. The part itself, the travels and the torques are "
        f"not in the map; with them the plan of the given pose serves {_served(maps[0])}, that of "
        f"the best {_served(maps[1])}. Thin line: all within reach; grey: none, and for margins "
        "not all. Dashes: where the job lets the origin be. Worst margin: angle to the "
        "nearest joint limit or singularity, for the quickest branches."
    )


def _count(shown: ReachMap) -> int:
    return len(shown.standing.plan.planned_points)


def _served(shown: ReachMap) -> str:
    return f"{len(shown.standing.served)} of {_count(shown)} points"
