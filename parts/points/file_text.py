"""Text of point files: capped bytes to lines, exactly rounded decimals, located errors."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np

from parts.errors import PointsError
from robots.core.caps import Cap, read_capped, reason_of

_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_LATIN = "latin-1"
_FIRST = 2000  # bytes that tell UTF-16 without a byte-order mark
_MOSTLY = 0.9  # of the high bytes are zero in a western text


def file_bytes(path: Path | str) -> bytes:
    """Content of a file.

    Raises:
        PointsError: the file cannot be read, or is beyond the cap.
    """
    try:
        return read_capped(path, Cap.POINT_BYTES)
    except OSError as error:
        raise PointsError(f"{path}: the point file cannot be read: {reason_of(error)}.") from error


def check_size(raw: bytes, origin: str) -> None:
    """Refuse content beyond the cap.

    Raises:
        PointsError: too many bytes.
    """
    check_cap(Cap.POINT_BYTES, len(raw), origin)


def check_count(count: int, origin: str, line: int | None = None) -> None:
    """Refuse more points than the cap.

    Raises:
        PointsError: too many points.
    """
    check_cap(Cap.POINTS, count, origin, line)


def check_cap(cap: Cap, count: int, origin: str, line: int | None = None) -> None:
    """Refuse more of something than a cap allows.

    Raises:
        PointsError: there is more.
    """
    if count > cap.limit:
        raise fault(
            origin,
            f"there are more than {cap.limit} {cap.unit}; split the file, or {cap.advice}.",
            line=line,
            limit=cap.limit,
        )


def text_of(raw: bytes, origin: str) -> str:
    """Text of a file: UTF-8, UTF-16 or, where it is neither, Latin-1.

    Raises:
        PointsError: too large, or binary.
    """
    check_size(raw, origin)
    encoding = encoding_of(raw)
    try:
        text = raw.decode(encoding)
    except UnicodeDecodeError as error:
        raise fault(
            origin,
            f"byte {error.start + 1} is not UTF-16, as the start of the file says; save the file "
            "as UTF-8.",
        ) from None
    zero = text.find("\0")
    if zero >= 0:
        raise fault(
            origin,
            f"byte {zero + 1} is zero: this is a binary file, not a list of points.",
            line=text.count("\n", 0, zero) + 1,
        )
    _check_lines(text, origin)
    return text


def encoding_notes(raw: bytes) -> tuple[str, ...]:
    """What to tell of the encoding of a file; nothing for UTF-8 and UTF-16, which it proves."""
    if encoding_of(raw) != _LATIN:
        return ()
    return ("The text is not UTF-8; it was read as Latin-1.",)


def encoding_of(raw: bytes) -> str:
    """Name of the encoding; the first bytes tell UTF-16 also without a byte-order mark."""
    if raw.startswith(_UTF_16):
        return "utf-16"
    start = raw[:_FIRST]
    for name, zeros, letters in (("utf-16-le", 1, 0), ("utf-16-be", 0, 1)):
        high, low = start[zeros::2], start[letters::2]
        if len(high) > 1 and high.count(0) > _MOSTLY * len(high) and not low.count(0):
            return name
    try:
        raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        return _LATIN
    return "utf-8-sig"


def _check_lines(text: str, origin: str) -> None:
    longest = Cap.LINE_CHARACTERS.limit
    if len(text) <= longest:
        return
    for line, content in enumerate(lines_of(text), start=1):
        if len(content) > longest:
            raise fault(
                origin,
                f"the line has {len(content)} characters; expected at most {longest}; "
                f"{Cap.LINE_CHARACTERS.advice}.",
                line=line,
                limit=longest,
            )


def lines_of(text: str) -> list[str]:
    """Lines without their ends; only the three usual line ends count."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


# ---------------------------------------------------------------------------------------- Decimals

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


# ---------------------------------------------------------------------------------- Located errors

LONGEST_SHOWN = 40


def fault(
    origin: str, sentence: str, *, line: int | None = None, column: str | None = None, **facts: Any
) -> PointsError:
    """An error of a point file.

    Args:
        origin: name of the file.
        sentence: what was found, what was expected, and the nearest fix.
        line: from 1.
        column: or field, as the format's users call it.
        **facts: kept beside file, line, column and the sentence as ``reason``.
    """
    place = origin
    if line is not None:
        place += f", line {line}"
        facts["line"] = line
    if column is not None:
        place += f", column {column}"
        facts["column"] = column
    return PointsError(f"{place}: {sentence}", file=origin, reason=sentence, **facts)


def shown(text: str) -> str:
    """A found text in quotes, shortened."""
    return repr(text if len(text) <= LONGEST_SHOWN else text[: LONGEST_SHOWN - 3] + "...")
