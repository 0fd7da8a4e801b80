"""Colours of the scene: those of Okabe and Ito where meaning is in them, greys elsewhere."""

from __future__ import annotations

from dataclasses import dataclass

from planner.clearance.cell import SolidKind

Rgb = tuple[int, int, int]  # sRGB, 0 to 255


@dataclass(frozen=True, slots=True, kw_only=True)
class Paint:
    """How a surface looks.

    Args:
        colour: sRGB.
        opacity: 1 for a solid one.
        name: what wears it.
    """

    colour: Rgb
    name: str
    opacity: float = 1.0


BASE = Paint(name="robot base", colour=(74, 84, 96))
LINKS = (
    Paint(name="robot link", colour=(236, 239, 243)),
    Paint(name="robot link, every other one", colour=(148, 163, 181)),
)
STYLUS = Paint(name="stylus", colour=(52, 58, 66))
BALL = Paint(name="stylus ball", colour=(204, 51, 92))
REACHED = Paint(name="point that is reached", colour=(0, 158, 115))
FAILED = Paint(name="point that is not reached", colour=(213, 94, 0))
PROBING = Paint(name="probing line", colour=(0, 114, 178))
TRAVEL = Paint(name="travel", colour=(230, 159, 0))
SOLIDS = {
    SolidKind.PART: Paint(name="part", colour=(120, 160, 196)),
    SolidKind.OBSTACLE: Paint(name="obstacle", colour=(176, 170, 160)),
    SolidKind.KEEP_OUT: Paint(name="keep-out volume", colour=(204, 121, 167), opacity=0.3),
}


def linear(paint: Paint) -> list[float]:
    """The paint as glTF wants it: light, not signal. # RGBA, 0 to 1."""
    signal = [channel / 255.0 for channel in paint.colour]
    light = [s / 12.92 if s <= 0.04045 else ((s + 0.055) / 1.055) ** 2.4 for s in signal]
    return [*(round(channel, 6) for channel in light), paint.opacity]
