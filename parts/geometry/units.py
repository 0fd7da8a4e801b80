"""Units of geometry files: stated by the file or by the user, never guessed."""

from __future__ import annotations

from dataclasses import dataclass

from parts.geometry.source_file import SourceFile

METRES = {
    "m": 1.0,
    "mm": 1e-3,
    "cm": 1e-2,
    "um": 1e-6,
    "in": 0.0254,
    "ft": 0.3048,
}
GIVEN = ("mm", "cm", "m", "in")  # what a user may state
_NAMES = {  # how 3MF spells them
    "micron": "um",
    "millimeter": "mm",
    "centimeter": "cm",
    "inch": "in",
    "foot": "ft",
    "meter": "m",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """The unit of a file, settled.

    Args:
        scale: metres per unit of the file.
        note: where the unit came from, one sentence.
    """

    scale: float
    note: str


def settle(file: SourceFile, carried: str, given: str | None) -> Settled:
    """Settle the unit.

    Args:
        file: for messages.
        carried: unit that the file states; empty where its format has none.
        given: unit that the user states.

    Raises:
        PartError: nobody states one, both do and differ, or it is unknown.
    """
    carried = _NAMES.get(carried, carried)
    if given is not None and given not in GIVEN:
        raise file.error(
            f"the unit {given[:40]!r} is not known; expected {', '.join(GIVEN)}.", found=given[:40]
        )
    if carried and carried not in METRES:
        raise file.error(
            f"it states the unit {carried[:40]!r}, which is not known; expected "
            f"{', '.join(_NAMES)}.",
            found=carried[:40],
        )
    if not carried and given is None:
        raise file.error(
            'its format carries no unit, and a unit is never guessed; state one, e.g. unit = "mm" '
            "(or m, in)."
        )
    if carried and given is not None and given != carried:
        raise file.error(
            f"the unit {given!r} was stated, but the file itself says {carried!r}; leave the unit "
            "out, or correct it.",
            found=given,
            expected=carried,
        )
    unit = carried or str(given)
    who = "as the file states" if carried else "as the job states; the file carries none"
    return Settled(scale=METRES[unit], note=f"Lengths are in {unit}, {who}.")
