"""Bytes of a point file → text and lines, with caps on size."""

from __future__ import annotations

from pathlib import Path

from parts.errors import PointsError
from parts.points.faults import fault

MAX_BYTES = 64_000_000
MAX_POINTS = 500_000
LONGEST_LINE = 65_536  # characters; no format has longer ones, and cells of a line cost memory
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")


def file_bytes(path: Path | str) -> bytes:
    """Content of a file, at most one byte more than the cap, which ``check_size`` then refuses.

    Raises:
        PointsError: the file cannot be read.
    """
    try:
        with Path(path).open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise PointsError(f"{path}: the point file cannot be read: {reason}.") from error


def check_size(raw: bytes, origin: str) -> None:
    """Refuse a file beyond the cap.

    Raises:
        PointsError: too many bytes.
    """
    if len(raw) > MAX_BYTES:
        raise fault(origin, f"the file has more than {MAX_BYTES} bytes; split it.", limit=MAX_BYTES)


def check_count(count: int, origin: str, line: int | None = None) -> None:
    """Refuse more points than the cap.

    Raises:
        PointsError: too many points.
    """
    if count > MAX_POINTS:
        raise fault(
            origin,
            f"there are more than {MAX_POINTS} points; split the file.",
            line=line,
            limit=MAX_POINTS,
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
    if len(text) <= LONGEST_LINE:
        return
    for line, content in enumerate(lines_of(text), start=1):
        if len(content) > LONGEST_LINE:
            raise fault(
                origin,
                f"the line has {len(content)} characters; expected at most {LONGEST_LINE}.",
                line=line,
                limit=LONGEST_LINE,
            )


def lines_of(text: str) -> list[str]:
    """Lines without their ends; only the three usual line ends count."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
