"""An evaluation, or an uncertainty, as one HTML file that works offline."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from reports.evaluation.colours import Legend
from reports.evaluation.content import EvaluationContent
from reports.evaluation.figures import EvaluationFigure
from reports.evaluation.scene import DrawnScene
from reports.page.html import asset, data_block, environment, page_policy
from reports.page.page import PageDetail, cards
from reports.page.scene import embedded, embeds

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


@dataclass(frozen=True, slots=True, kw_only=True)
class _PageFigure:
    """A figure inside the page."""

    key: str
    title: str
    data: str  # address of the picture, as data
    words: str


def evaluation_page(content: EvaluationContent, pictures: Pictures) -> str:
    """The page; the same bytes for the same content.

    Args:
        content: what is said; every text in it may be hostile.
        pictures: a scene too large for a page is linked as ``scene.html``.
    """
    from markupsafe import Markup

    drawn = pictures.scene
    held = drawn is not None and embeds(drawn.html)
    scene = embedded(drawn.html, asset("scene.js")) if drawn is not None and held else None
    style, script = (
        asset("report.css") + asset("evaluation.css", "reports.evaluation/templates"),
        asset("report.js"),
    )
    return (
        environment("reports.evaluation")
        .get_template("evaluation.html.j2")
        .render(
            report=content,
            cards=cards(content.findings),
            detail=_DETAIL,
            first=[one for one in content.tables if one.key in _FIRST],
            rest=[one for one in content.tables if one.key not in _FIRST],
            drawings=[_shown(one, pictures.figures) for one in pictures.drawings],
            legend=pictures.legend,
            notes=() if drawn is None else drawn.notes,
            left_out=pictures.left_out,
            beside=drawn is not None and scene is None,
            policy=page_policy(style, script, scene),
            style=Markup(style),
            script=Markup(script),
            scene=Markup(data_block(scene.text)) if scene else None,
        )
    )


def _shown(one: EvaluationFigure, figures: Mapping[str, bytes]) -> _PageFigure:
    data = base64.b64encode(figures[f"{one.key}.svg"]).decode("ascii")
    return _PageFigure(
        key=one.key, title=one.title, data=f"data:image/svg+xml;base64,{data}", words=one.words
    )
