"""A platform's motion as one HTML file that works offline, in the form of the report page."""

from __future__ import annotations

from dataclasses import dataclass

from planner.plan import Segment, SegmentKind
from reports.content.table import Fact, ValueStatus
from reports.page.curves import HEIGHT, WIDTH, drawn_set, motion, shading, time_axis
from reports.page.html import asset, data_block, environment, page_policy
from reports.page.page import PageDetail, cards
from reports.page.scene import embedded, embeds
from reports.stewart import motion as tables
from reports.stewart.motion import PlatformMotion

_BUCKETS = 610
_DETAIL = PageDetail(buckets=_BUCKETS, rows=500, cell=300, listing=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Content:
    """What the shared sections read of a report."""

    title: str
    verdict: str
    status: ValueStatus
    facts: tuple[Fact, ...]


def leg_page(shown: PlatformMotion, scene_html: str | None) -> str:
    """The page; the same bytes for the same motion.

    Args:
        shown: every text in it may be hostile.
        scene_html: the 3D replay as a page of its own; None for none. One too large for a page is
            linked as ``scene.html``.
    """
    from markupsafe import Markup

    held = scene_html is not None and embeds(scene_html)
    scene = embedded(scene_html or "", asset("scene.js")) if held else None
    style, script = asset("report.css"), asset("report.js")
    duration = shown.motion.duration
    segments = (_segment(shown),)
    sets = tuple(drawn_set(one, duration, 2 * _BUCKETS) for one in tables.curves(shown))
    return (
        environment("reports.stewart")
        .get_template("stewart.html.j2")
        .render(
            report=_Content(
                title=shown.title,
                verdict=tables.verdict(shown),
                status=tables.status(shown),
                facts=tables.facts(shown),
            ),
            legs=tables.leg_table(shown),
            provenance=tables.provenance_table(shown),
            cards=cards(shown.findings),
            detail=_DETAIL,
            sets=sets,
            time=time_axis(shading(segments, duration), duration),
            plot=(WIDTH, HEIGHT),
            beside=scene_html is not None and scene is None,
            policy=page_policy(style, script, scene),
            style=Markup(style),
            script=Markup(script),
            motion=Markup(data_block(motion(sets, segments, duration))),
            scene=Markup(data_block(scene.text)) if scene else None,
        )
    )


def _segment(shown: PlatformMotion) -> Segment:
    return Segment(
        kind=SegmentKind.TRAVEL,
        point="platform",
        point_index=0,
        law=shown.law,
        start=0.0,
        duration=shown.motion.duration,
        binding=shown.binding,
    )
