"""Behind the curves: while the robot stands, and from when it does not."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from planner.plan import Segment, SegmentKind
from reports.biped.shown_motion import ReportedMotion
from reports.page.motion import motion
from reports.page.panels import DrawnSet
from reports.page.shading import HEIGHT, WIDTH, Shade, Shading
from robots.biped.posture.verdict import Stance


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
