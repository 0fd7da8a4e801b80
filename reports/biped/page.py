"""A biped's motion as one HTML file that works offline, in the form of the report page."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass

from reports.biped import tables
from reports.biped.shown_motion import ReportedMotion
from reports.biped.stance_shading import stance_motion, stance_shading
from reports.content.table import Fact, ValueStatus
from reports.page.finding_cards import cards
from reports.page.page import PageDetail
from reports.page.panels import drawn_set
from reports.page.policy import data_block, page_policy
from reports.page.scene import embedded, embeds
from reports.page.shading import HEIGHT, WIDTH
from reports.page.templating import asset, environment
from reports.page.time_axis import time_axis

_BUCKETS = 400
_DETAIL = PageDetail(buckets=_BUCKETS, rows=500, cell=300, listing=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Content:
    """What the shared sections read of a report."""

    title: str
    verdict: str
    status: ValueStatus
    facts: tuple[Fact, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Drawing:
    """A figure inside the page."""

    key: str
    title: str
    data: str  # address of the picture, as data
    words: str  # what is seen, for who does not see it


def biped_page(
    shown: ReportedMotion, scene_html: str | None, figures: Mapping[str, bytes] | None = None
) -> str:
    """The page; the same bytes for the same motion.

    Args:
        shown: every text in it may be hostile.
        scene_html: the 3D replay as a page of its own; None for none. One too large for a page is
            linked as ``scene.html``.
        figures: content of the figures' files by name; the view from above and the
            chronophotograph become part of the page.
    """
    from markupsafe import Markup

    held = scene_html is not None and embeds(scene_html)
    scene = embedded(scene_html or "", asset("scene.js")) if held else None
    style, script = (
        asset("report.css") + asset("biped.css", "reports.biped/templates"),
        asset("report.js"),
    )
    duration = shown.duration
    sets = tuple(drawn_set(one, duration, 2 * _BUCKETS) for one in tables.curves(shown))
    return (
        environment("reports.biped")
        .get_template("biped.html.j2")
        .render(
            report=_content(shown),
            robot=shown.motion.biped.name,
            remarks=shown.motion.remarks,
            drawings=_drawings(shown, figures or {}),
            joints=tables.joint_table(shown),
            motors=tables.motor_table(shown) if shown.motors else None,
            provenance=tables.provenance_table(shown),
            cards=cards(shown.findings),
            detail=_DETAIL,
            sets=sets,
            time=time_axis(stance_shading(shown), shown.duration),
            plot=(WIDTH, HEIGHT),
            beside=scene_html is not None and scene is None,
            policy=page_policy(style, script, scene),
            style=Markup(style),
            script=Markup(script),
            motion=Markup(data_block(stance_motion(shown, sets))),
            scene=Markup(data_block(scene.text)) if scene else None,
        )
    )


def _content(shown: ReportedMotion) -> _Content:
    return _Content(
        title=shown.motion.title,
        verdict=tables.headline(shown),
        status=tables.status(shown),
        facts=tables.facts(shown),
    )


def _drawings(shown: ReportedMotion, figures: Mapping[str, bytes]) -> tuple[_Drawing, ...]:
    verdict = tables.verdict_words(shown)
    wanted = (
        (
            *("balance", "Seen from above"),
            f"Centre of mass and zero-moment point in the support polygon. {verdict}",
        ),
        (
            *("chronophotograph", "Chronophotograph"),
            "The robot at some instants from the right, from above and from the front; numbers are "
            f"in the tables and in motion.csv. {verdict}",
        ),
    )
    return tuple(
        _Drawing(key=key, title=title, data=_as_data(figures[f"{key}.svg"]), words=words)
        for key, title, words in wanted
        if f"{key}.svg" in figures
    )


def _as_data(content: bytes) -> str:
    return f"data:image/svg+xml;base64,{base64.b64encode(content).decode('ascii')}"
