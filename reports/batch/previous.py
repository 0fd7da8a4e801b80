"""Rows of another batch, from its ``summary.json``."""

from __future__ import annotations

import json
import math
from pathlib import Path

from planner.batch.outcome import outcome_of
from planner.errors import OptionError
from reports.batch.row import JobRow
from reports.batch.tables import FORMAT
from robots.core.caps import Cap, read_capped

NAME = "summary.json"


def previous_rows(folder: Path) -> tuple[JobRow, ...]:
    """What came of the jobs of a batch that ran before.

    Args:
        folder: that ``palpeur batch --out`` wrote.

    Raises:
        OptionError: the folder holds no summary of a batch, or one that cannot be read.
    """
    file = folder / NAME
    document = _document(folder, file)
    if not isinstance(document, dict) or not isinstance(document.get("rows"), list):
        raise _no_summary(file, "it holds no rows of a batch")
    if document.get("format") != FORMAT:
        raise _no_summary(file, f"its format is {document.get('format')!r}, not {FORMAT}")
    rows: list[JobRow] = []
    for number, said in enumerate(document["rows"], start=1):
        try:
            rows.append(_row(said))
        except (KeyError, TypeError, ValueError) as error:
            raise _no_summary(file, f"row {number}: {error!r}") from None
    return tuple(rows)


def _document(folder: Path, file: Path) -> object:
    try:
        if not file.is_file():
            raise OptionError(
                f"{folder} holds no {NAME}; compare with the folder that `palpeur batch --out` "
                "wrote, once that batch has ended.",
                path=str(folder),
            )
        raw = read_capped(file, Cap.SUMMARY_BYTES)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise OptionError(f"{file} cannot be read: {reason}.", path=str(file)) from error
    try:
        return json.loads(raw.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise _no_summary(file, f"it is not JSON: {error}") from None


def _row(said: object) -> JobRow:
    if not isinstance(said, dict):
        raise TypeError(f"{said!r} is no table")
    texts = {name: said[name] for name in ("name", "digest", "report")}
    for text in texts.values():
        if not isinstance(text, str):
            raise TypeError(f"{text!r} is no text")
    outcome = outcome_of({**said, "inputs": {}, "cap": 0.0})
    for name, value in outcome.figures.items():
        if not math.isfinite(value):
            raise ValueError(f"{name} is {value}")
    return JobRow(**texts, outcome=outcome, why="", seconds=math.nan, peak_bytes=0)


def _no_summary(file: Path, what: str) -> OptionError:
    return OptionError(
        f"{file} is no summary of a batch: {what[:300]}; run that batch again with `palpeur "
        "batch`, which writes it anew.",
        path=str(file),
    )
