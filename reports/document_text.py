"""Documents as JSON text and tables as CSV text: the same for files and for what is printed."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from reports.visible_text import UNSEEN


def document_text(document: object) -> str:
    """A document as a file holds it; a number that is not finite becomes null."""
    text = json.dumps(plain(document), ensure_ascii=False, allow_nan=False, indent=1)
    return without_unseen(text) + "\n"


def csv_text(headers: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table as a CSV file holds it; numbers read back to the same doubles."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(headers)
    writer.writerows(rows)
    return text.getvalue()


def without_unseen(text: str) -> str:
    """JSON whose unseen characters stand as JSON's own escapes: it reads back the same."""
    return UNSEEN.sub(lambda found: json.dumps(found[0])[1:-1], text)


def plain(value: object) -> object:
    """Arrays as lists, numbers as Python's own, what is not finite as None."""
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value
