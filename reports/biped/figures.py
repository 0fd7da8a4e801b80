"""All figures of a biped's motion."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from reports.biped.balance_figures import margin_figure, polygon_figure
from reports.biped.chronophotograph import chronophotograph
from reports.biped.joint_figures import quantity_figure
from reports.biped.shown_motion import ReportedMotion, quantities
from reports.figures.style import FORMATS, house_style, rendered

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw_figures(shown: ReportedMotion) -> dict[str, bytes]:
    """Name and content of every figure's files, PNG and SVG."""
    files: dict[str, bytes] = {}
    with house_style():
        for name, draw in _figures(shown):
            figure = draw()
            files |= {f"{name}.{form}": rendered(figure, form) for form in FORMATS}
    return files


def _figures(shown: ReportedMotion) -> Iterator[tuple[str, Callable[[], Figure]]]:
    yield "balance", partial(polygon_figure, shown)
    yield "margin", partial(margin_figure, shown)
    yield "chronophotograph", partial(chronophotograph, shown)
    for quantity in quantities(shown):
        yield quantity.key, partial(quantity_figure, shown, quantity)
