"""Results on stdout: one JSON document, CSV, or text for a reader."""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from planner.cli.exit_codes import ExitCode
from planner.errors import OptionError
from reports.answers import FORMAT, Rows, bold, table_lines
from reports.document_text import document_text

if TYPE_CHECKING:
    from reports.answers import Table

__all__ = ["FORMAT", "Form", "bold", "print_csv", "print_json", "print_table"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """The form of an answer that the options ask for."""

    json: bool = False
    csv: bool = False

    def __post_init__(self) -> None:
        if self.json and self.csv:
            raise OptionError("--json and --csv exclude each other; give one.")

    def show(
        self,
        *,
        json: Callable[[], object],
        text: Callable[[], Iterable[str]],
        csv: Callable[[], Table] | None = None,
        passed: bool = True,
    ) -> int:
        """Print an answer.

        Args:
            json: makes the document.
            text: makes the lines for a reader.
            csv: makes headers and rows, of commands that have --csv.
            passed: whether the answer is a good one.

        Returns:
            The exit code.
        """
        if self.json:
            print_json(json())
        elif self.csv and csv is not None:
            print_csv(*csv())
        else:
            for line in text():
                print(line)
        return ExitCode.DONE if passed else ExitCode.FAILED


def print_json(document: object) -> None:
    """Print one JSON document; a value that is not finite becomes null."""
    if isinstance(document, Rows):
        for text in document.texts():
            sys.stdout.write(text)
    else:
        sys.stdout.write(document_text(document))


def print_csv(headers: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print CSV in full precision."""
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(headers)
    writer.writerows(rows)


def print_table(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print columns of equal width; the heading is bold on a terminal that shows colour."""
    for line in table_lines(headers, rows):
        print(line)
