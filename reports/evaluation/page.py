"""An evaluation, or an uncertainty, as one HTML file that works offline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from reports.evaluation.colours import Legend
from reports.evaluation.content import EvaluationContent
from reports.evaluation.figures import EvaluationFigure
from reports.evaluation.scene import DrawnScene
from reports.page.html import asset, filled
from reports.page.page import PageDetail, cards, page_figure
from reports.page.scene import page_scene

_DETAIL = PageDetail(buckets=0, rows=500, cell=300, listing=0)
_FIRST = ("characteristics", "features", "sizes", "uncertainty")  # tables before the figures


@dataclass(frozen=True, slots=True, kw_only=True)
class Pictures:
    """What a page shows besides words and tables.

    Args:
        scene: in 3D; None for none.
        drawings: in reading order.
        figures: content of their files by name.
        legend: of the colours of deviations; None where there are none.
        left_out: features without a figure.
    """

    scene: DrawnScene | None
    drawings: Sequence[EvaluationFigure]
    figures: Mapping[str, bytes]
    legend: Legend | None = None
    left_out: int = 0


def evaluation_page(content: EvaluationContent, pictures: Pictures) -> str:
    """The page; the same bytes for the same content.

    Args:
        content: what is said; every text in it may be hostile.
        pictures: a scene too large for a page is linked as ``scene.html``.
    """
    drawn = pictures.scene
    scene = page_scene(None if drawn is None else drawn.html)
    return filled(
        "evaluation.html.j2",
        "reports.evaluation",
        style=asset("report.css") + asset("evaluation.css", "reports.evaluation/templates"),
        script=asset("report.js"),
        scene=scene,
        beside=drawn is not None and scene is None,
        report=content,
        cards=cards(content.findings),
        detail=_DETAIL,
        first=[one for one in content.tables if one.key in _FIRST],
        rest=[one for one in content.tables if one.key not in _FIRST],
        drawings=[
            page_figure(one.key, one.title, one.words, pictures.figures[f"{one.key}.svg"])
            for one in pictures.drawings
        ],
        legend=pictures.legend,
        notes=() if drawn is None else drawn.notes,
        left_out=pictures.left_out,
    )
