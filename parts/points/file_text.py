"""Bytes of a point file → text and lines, with caps on size."""

from __future__ import annotations

from pathlib import Path

from parts.errors import PointsError
from parts.points.faults import fault
from robots.core.caps import Cap, read_capped, reason_of

_UTF_16 = (b"\xff\xfe", b"\xfe\xff")


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
    """Text of a file in UTF-8, with or without a byte-order mark.

    Raises:
        PointsError: too large, binary, or in another encoding.
    """
    check_size(raw, origin)
    if raw.startswith(_UTF_16):
        raise fault(origin, "the text is in UTF-16; save the file as UTF-8.")
    zero = raw.find(b"\0")
    if zero >= 0:
        raise fault(
            origin,
            f"byte {zero + 1} is zero: this is a binary file, not a list of points.",
            line=raw.count(b"\n", 0, zero) + 1,
        )
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise fault(
            origin,
            f"byte {error.start + 1} is not UTF-8; save the file as UTF-8.",
            line=raw.count(b"\n", 0, error.start) + 1,
        ) from None
    _check_lines(text, origin)
    return text


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
