"""A biped's motion as one HTML file that works offline, in the form of the report page."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from planner.plan import Segment, SegmentKind
from reports.biped import motion as tables
from reports.biped.motion import ReportedMotion
from reports.content.table import Fact, ValueStatus
from reports.page.curves import (
    HEIGHT,
    WIDTH,
    DrawnSet,
    Shade,
    Shading,
    drawn_set,
    motion,
    time_axis,
)
from reports.page.html import asset, data_block, environment, page_policy
from reports.page.page import PageDetail, cards
from reports.page.scene import embedded, embeds
from robots.biped.posture.verdict import Stance

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


def stance_shading(shown: ReportedMotion) -> Shading:
    """One colour while it stands, another one afterwards."""
    shades = []
    for stance, start, end in _pieces(shown):
        left, right = (int(np.rint(WIDTH * at / shown.duration)) for at in (start, end))
        path = f"M{left} 0h{right - left}v{HEIGHT}h{left - right}z"
        shades.append(Shade(kind=stance.value, path=path))
    return Shading(shades=tuple(shades), strips=0)


def stance_motion(shown: ReportedMotion, sets: Sequence[DrawnSet]) -> dict[str, object]:
    """What the page's script tells at any instant: values, scenario and stance."""
    pieces = _pieces(shown)
    told = motion(sets, [_segment(shown, *piece) for piece in pieces], shown.duration)
    words: dict[str, object] = {"kinds": [shown.scenario]}
    return {**told, **words} if isinstance(told, dict) else words


def _pieces(shown: ReportedMotion) -> tuple[tuple[Stance, float, float], ...]:
    """Stance, start and end; times from the motion's start. [s]."""
    verdict, end = shown.motion.verdict, shown.duration
    if verdict.stance is Stance.STANDING:
        return ((Stance.STANDING, 0.0, end),)
    change = float(np.clip(np.nan_to_num(verdict.time - shown.motion.t[0]), 0.0, end))
    pieces = ((Stance.STANDING, 0.0, change), (verdict.stance, change, end))
    return tuple(piece for piece in pieces if piece[2] > piece[1])


def _segment(shown: ReportedMotion, stance: Stance, start: float, end: float) -> Segment:
    """The script knows segments of plans; one of a biped has its stance for a law."""
    return Segment(
        kind=SegmentKind.TRAVEL,
        point=shown.motion.biped.name,
        point_index=0,
        law=stance.value,
        start=start,
        duration=end - start,
        binding="",
    )
