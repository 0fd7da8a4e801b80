"""Decimal commas in a point file: read where nothing else can be meant, refused where it can.

``1,500`` is one and a half in one country and fifteen hundred in another. A file is read with
decimal commas when at least one of its numbers cannot be grouped digits, such as ``0,5`` or
``12,25``, and none has a decimal point.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from parts.points.csv_table import Table
from parts.points.decimals import is_number
from parts.points.faults import shown

_GROUPED = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}")


def plain_columns(table: Table, headers: tuple[str, ...]) -> Mapping[str, list[str]]:
    """Texts of the number columns, with decimal points.

    Args:
        table: of the file.
        headers: of its number columns.

    Raises:
        PointsError: numbers with a comma whose meaning the file does not settle.
    """
    columns = {header: table.texts(header) for header in headers}
    if not has_commas(columns):
        return columns
    _check_commas(table, columns)
    return {header: [text.replace(",", ".") for text in texts] for header, texts in columns.items()}


def has_commas(columns: Mapping[str, list[str]]) -> bool:
    """Whether any number has a comma."""
    return any("," in "".join(texts) for texts in columns.values())


def _check_commas(table: Table, columns: Mapping[str, list[str]]) -> None:
    doubtful: tuple[int, str, str] | None = None
    pointed: tuple[int, str, str] | None = None
    with_comma: tuple[int, str, str] | None = None
    proven = False
    for header, texts in columns.items():
        for row, text in enumerate(texts):
            if text.count(",") > 1 or ("," in text and "." in text):
                raise table.error(
                    row,
                    header,
                    f"found {shown(text)}, with signs that group digits; write numbers without "
                    "them, with one decimal sign.",
                )
            if "," not in text:
                pointed = pointed or ((row, header, text) if "." in text else None)
                continue
            with_comma = with_comma or (row, header, text)
            if _GROUPED.fullmatch(text):
                doubtful = doubtful or (row, header, text)
            elif is_number(text.replace(",", ".")):
                proven = True
    if pointed and with_comma:
        _refuse_mixed(table, pointed, with_comma)
    if doubtful and not proven:
        _refuse_doubtful(table, doubtful)


def _refuse_mixed(
    table: Table, pointed: tuple[int, str, str], with_comma: tuple[int, str, str]
) -> None:
    row, header, text = with_comma
    line = table.lines[pointed[0]]
    raise table.error(
        row,
        header,
        f"found {shown(text)}, with a comma, but {shown(pointed[2])} in line {line} has a decimal "
        "point; use one decimal sign in the whole file.",
    )


def _refuse_doubtful(table: Table, doubtful: tuple[int, str, str]) -> None:
    row, header, text = doubtful
    raise table.error(
        row,
        header,
        f"found {shown(text)}, which may mean {text.replace(',', '.')} or {text.replace(',', '')}, "
        "and no number of the file settles which; write decimals with a point.",
    )
