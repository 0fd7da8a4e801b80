"""Facts and tables: every value as a text for readers and a number for machines."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


class ValueStatus(Enum):
    """What a value means to a reader."""

    PLAIN = "plain"
    GOOD = "good"
    DOUBTFUL = "doubtful"
    BAD = "bad"


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """One cell.

    Args:
        text: as a reader sees it; any characters, never markup.
        number: in the column's unit, full precision; None where it is no number.
        status: what it means.
        bar: where it lies between its limits, -1 at the lower and 1 at the upper; None for no bar.
    """

    text: str
    number: float | None = None
    status: ValueStatus = ValueStatus.PLAIN
    bar: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One line of the summary.

    Args:
        label: such as "duration".
        value: what it is.
        unit: of it; empty for none.
        detail: where or why, one phrase.
    """

    label: str
    value: Value
    unit: str = ""
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """Head of a column.

    Args:
        header: what it holds.
        unit: of its numbers; empty for texts.
        numeric: whether its cells stand right.
        joint: whether it is of a joint; paper gives these a table of their own.
    """

    header: str
    unit: str = ""
    numeric: bool = True
    joint: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table with its title.

    Args:
        key: short, for anchors and sheet names.
        title: for readers.
        columns: from left to right.
        rows: all of them, one value per column.
        note: what a reader should know of it.
    """

    key: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Value, ...], ...]
    note: str = ""


def text(content: object, status: ValueStatus = ValueStatus.PLAIN) -> Value:
    """A cell of words."""
    return Value(text=str(content), status=status)


def number(value: float | None, digits: int = 5, status: ValueStatus = ValueStatus.PLAIN) -> Value:
    """A cell of a number with some significant digits; a dash where there is none."""
    if value is None or not math.isfinite(value):
        return Value(text="–", status=status)
    return Value(text=told(value, digits), number=float(value), status=status)


def fixed(value: float, decimals: int, status: ValueStatus = ValueStatus.PLAIN) -> Value:
    """A cell of a number with some decimals; a dash where there is none."""
    if not math.isfinite(value):
        return Value(text="–", status=status)
    shown = signed(f"{value:.{decimals}f}")
    return Value(text=shown, number=float(value), status=status)


def columns(*heads: str | tuple[str, str]) -> tuple[Column, ...]:
    """Heads of columns: a name alone is a column of texts, with a unit one of numbers."""
    return tuple(
        Column(header=head, numeric=False)
        if isinstance(head, str)
        else Column(header=head[0], unit=head[1])
        for head in heads
    )


def rows_of(rows: Sequence[Sequence[Value]]) -> tuple[tuple[Value, ...], ...]:
    """Rows as a table keeps them."""
    return tuple(tuple(row) for row in rows)


def signed(text: str) -> str:
    """A number with the sign of typography, not the hyphen; no negative zero."""
    return text.removeprefix("-") if not text.strip("-0.") else text.replace("-", "−")


def told(value: float, digits: int = 5) -> str:
    """A number with some significant digits, a power of ten where it needs one."""
    mantissa, _, exponent = f"{value:.{digits}g}".partition("e")
    return signed(mantissa) + (f"·10{raised(int(exponent))}" if exponent else "")


def raised(exponent: int) -> str:
    """An exponent in raised figures."""
    return str(exponent).translate(_RAISED)
