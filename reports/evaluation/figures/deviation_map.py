"""All points seen from where they are spread widest, in the colours of their deviations."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from reports.evaluation.figures.views import main_view
from reports.evaluation.scale import DeviationScale, deviation_scale
from reports.evaluation.shown import EvaluationSubject
from reports.figures.beside import write_beside
from reports.figures.style import INK, QUIET, WIDTH, caption
from reports.scene.labels import label
from robots.core.arrays import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_HEIGHT = 5.4  # [in]
_NAMED = 40  # points that find room for their names
_LARGEST, _SMALLEST = 110.0, 6.0  # marks [pt²]
_STEPS = 257
_APART = 0.02  # of the picture: marks nearer than this share their line of names


def deviation_map(shown: EvaluationSubject) -> Figure:
    """The map with its scale, on which the limits of the tolerances are marked."""
    from matplotlib.figure import Figure

    points, scale = shown.evaluation.points, deviation_scale(shown)
    view = main_view(points.nominal, points.normals)
    places = 1e3 * view.flat(points.nominal)
    colours = np.array(scale.hexadecimal(points.profile))
    figure = Figure(figsize=(WIDTH, _HEIGHT))
    axis = figure.add_axes((0.09, 0.92 / _HEIGHT, 0.74, 1.0 - 1.4 / _HEIGHT))
    outside = shown.outside
    size = float(np.clip(6000.0 / max(len(points), 1), _SMALLEST, _LARGEST))
    for chosen, mark, edge in ((~outside, "o", 0.5), (outside, "X", 0.9)):
        axis.scatter(
            places[chosen, 0],
            places[chosen, 1],
            s=size * (1.0 if mark == "o" else 1.5),
            c=colours[chosen],
            marker=mark,
            edgecolors=INK,
            linewidths=edge,
            zorder=3,
        )
    axis.set_aspect("equal", adjustable="datalim")
    axis.margins(0.09)
    if len(points) <= _NAMED:
        named = _named_places(points.names, places)
        write_beside(axis, np.array([*named.values()]), [label(n, 60) for n in named], size=7.0)
    axis.set_xlabel(f"along {_direction(view.axes[0])}, from the middle [mm]")
    axis.set_ylabel(f"along {_direction(view.axes[1])} [mm]")
    _draw_scale(figure.add_axes((0.885, 0.9 / _HEIGHT, 0.022, 1.0 - 1.6 / _HEIGHT)), scale)
    note = (
        f"{len(points)} points, seen along {_direction(view.axes[2])} of the part. Blue: too "
        "little material; orange: too much. A cross lies outside its profile tolerance."
    )
    caption(figure, f"Deviations: {label(shown.job.name)}", note)
    return figure


def _named_places(names: tuple[str, ...], places: Array) -> dict[str, tuple[float, float]]:
    """Points by what is written beside them; those above each other share one line."""
    apart = _APART * float(np.ptp(places, axis=0).max(initial=0.0))
    shared: list[tuple[Array, list[str]]] = []
    for name, place in zip(names, places, strict=True):
        near = next((own for at, own in shared if np.linalg.norm(at - place) <= apart), None)
        if near is None:
            shared.append((place, near := []))
        near.append(label(name, 16))
    return {", ".join(own): (float(at[0]), float(at[1])) for at, own in shared}


def _draw_scale(axis: Axes, scale: DeviationScale) -> None:
    """The colours from one end to the other, with lines where tolerances end."""
    values = np.linspace(-scale.reach, scale.reach, _STEPS)
    picture = scale.colours(values)[:, None, :]
    reach = 1e3 * scale.reach
    axis.imshow(picture, origin="lower", aspect="auto", extent=(0.0, 1.0, -reach, reach))
    for limit in scale.limits[:3]:
        for sign in (-1.0, 1.0):
            axis.axhline(sign * 1e3 * limit, color=INK, linewidth=1.4)
            axis.text(-0.25, sign * 1e3 * limit, "limit", ha="right", va="center", fontsize=7)
    axis.set_xticks([])
    axis.yaxis.tick_right()
    axis.grid(visible=False)
    axis.set_title("mm", fontsize=8, fontweight="normal", color=QUIET)


def _direction(axis: np.ndarray) -> str:
    """A direction of the part by name where it has one."""
    k = int(np.argmax(np.abs(axis)))
    if abs(axis[k]) > 1.0 - 1e-6:
        return f"{'−' if axis[k] < 0 else '+'}{'xyz'[k]}"
    return "(" + ", ".join(f"{v:.2f}".replace("-", "−") for v in axis) + ")"
