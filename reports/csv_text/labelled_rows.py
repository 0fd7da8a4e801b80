"""A table of numbers with a label in every row, written as CSV batch by batch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from reports.csv_text.powers_of_ten import powers_of_ten
from reports.csv_text.row_text import TYPES, WIDEST, put_rows
from robots.core.kernels.loop import Loop

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

_PUT = Loop(put_rows, TYPES)

# Numbers from which compiling (seconds, once per machine) is worth it; Arrow takes a quarter of a
# second for so many.
_COMPILATION_PAYS = 1_000_000
_ROOM = 1 << 20  # bytes of text at once, which stay in the processor's cache


def pays(numbers: int) -> bool:
    """Whether a table is so large that ``LabelledRows`` should write it, not Arrow."""
    return numbers >= _COMPILATION_PAYS


class LabelledRows:
    """Writes rows of a number, a label and more numbers, as Arrow's CSV writer would.

    Args:
        file: that the rows are appended to.
        labels: texts as they shall stand, with the commas and quotes within them.
        columns: of numbers.
    """

    def __init__(self, file: BinaryIO, labels: Sequence[bytes], columns: int) -> None:
        self._file, self._columns = file, columns
        self._text = np.frombuffer(b"".join(labels), dtype=np.uint8)
        self._edges = np.cumsum([0, *map(len, labels)], dtype=np.int64)
        widest = columns * (WIDEST + 1) + max(map(len, labels), default=0) + 1
        self._rows = max(1, _ROOM // widest)
        count = self._rows * columns
        self._decimals = (np.empty(count, dtype=np.uint64), np.empty(count, dtype=np.int64))
        self._out = np.empty(self._rows * widest, dtype=np.uint8)

    def append(self, numbers: Array, label_of: Indices) -> None:
        """Append rows.

        Args:
            numbers: column by column. # (columns, rows)
            label_of: label of each row. # (rows,)

        Raises:
            ValueError: another number of columns, or of rows.
            IndexError: a label that is not there.
        """
        columns, rows = numbers.shape
        if (columns, rows) != (self._columns, len(label_of)):
            raise ValueError(
                f"{columns} columns of {rows} numbers for {len(label_of)} labels; expected "
                f"{self._columns} columns of one number per label."
            )
        if rows and not 0 <= label_of.min() <= label_of.max() < len(self._edges) - 1:
            raise IndexError(f"There are {len(self._edges) - 1} labels; another one is asked for.")
        bits = np.ascontiguousarray(numbers, dtype=np.float64).view(np.uint64)
        labels = (self._text, self._edges, np.ascontiguousarray(label_of, dtype=np.int64))
        written = np.zeros(1, dtype=np.int64)
        for first in range(0, rows, self._rows):
            span = (first, min(first + self._rows, rows))
            room = (*self._decimals, self._out)
            _PUT(bits, *span, powers_of_ten(), *labels, *room, written)
            self._file.write(self._out[: written[0]].data)
