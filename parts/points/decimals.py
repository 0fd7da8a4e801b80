"""Numbers in point files: decimal texts → doubles, rounded once."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

import numpy as np

from parts.points.faults import fault, shown

SCALES = {
    "mm": Decimal("0.001"),
    "cm": Decimal("0.01"),
    "m": Decimal(1),
    "in": Decimal("0.0254"),
    "ft": Decimal("0.3048"),
}
NUMBER_SIGNS = frozenset("0123456789+-.eE")


def is_number(text: str) -> bool:
    """Whether a text is a plain finite decimal; "nan", "1_0" and other scripts' digits are not."""
    try:
        return NUMBER_SIGNS.issuperset(text.strip(" ")) and bool(np.isfinite(float(text)))
    except ValueError:
        return False


def metre(text: str, scale: Decimal) -> float:
    """Length of a text that is a number. [m].

    Args:
        text: a number.
        scale: metres per unit.
    """
    plain = float(text)
    if plain == 0.0 or not np.isfinite(plain):  # such exponents may be beyond those of Decimal
        return plain
    return float(Decimal(text.strip()) * scale)


def numbers(texts: Sequence[str], origin: str, line: int, columns: Sequence[str]) -> list[float]:
    """Plain numbers of one line.

    Args:
        texts: of the cells.
        origin: name of the file.
        line: from 1.
        columns: name of the column of each cell.

    Raises:
        PointsError: a text that is no finite number.
    """
    for text, column in zip(texts, columns, strict=True):
        if not is_number(text):
            found = shown(text) if text else "an empty cell"
            raise fault(
                origin,
                f"found {found}; expected {expected_for(text)}.",
                line=line,
                column=column,
                found=text,
            )
    return [float(text) for text in texts]


def expected_for(text: str) -> str:
    """What should stand in place of a text that is no number."""
    if text.lower().lstrip("+-") in ("nan", "inf", "infinity"):
        return "a finite number"
    return "a number with a decimal point" if "," in text else "a number"
