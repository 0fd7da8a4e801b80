"""Colours of the scene: hues of Okabe and Ito where meaning is in them, greys elsewhere.

They are a little darker than the originals: bright light falls on everything.
"""

from __future__ import annotations

from dataclasses import dataclass

from planner.job.solids import SolidKind

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


BASE = Paint(name="robot base", colour=(62, 71, 82))
LINKS = (
    Paint(name="robot link", colour=(214, 219, 226)),
    Paint(name="robot link, every other one", colour=(122, 138, 158)),
)
STYLUS = Paint(name="stylus", colour=(52, 58, 66))
BALL = Paint(name="stylus ball", colour=(190, 20, 70))
REACHED = Paint(name="point that is reached", colour=(0, 106, 70))
FAILED = Paint(name="point that is not reached", colour=(176, 36, 0))
PROBING = Paint(name="probing line", colour=(0, 114, 178))
TRAVEL = Paint(name="travel", colour=(214, 140, 0))
SOLIDS = {
    SolidKind.PART: Paint(name="part", colour=(84, 124, 164)),
    SolidKind.OBSTACLE: Paint(name="obstacle", colour=(150, 144, 134), opacity=0.55),
    SolidKind.KEEP_OUT: Paint(name="keep-out volume", colour=(204, 121, 167), opacity=0.25),
}


def linear(paint: Paint) -> list[float]:
    """The paint as glTF wants it: light, not signal. # RGBA, 0 to 1."""
    signal = [channel / 255.0 for channel in paint.colour]
    light = [s / 12.92 if s <= 0.04045 else ((s + 0.055) / 1.055) ** 2.4 for s in signal]
    return [*(round(channel, 6) for channel in light), paint.opacity]
