"""``plan.json``, alone or in a report set, as a document."""

from __future__ import annotations

import json
from pathlib import Path

from planner.errors import OptionError

LARGEST = 300_000_000  # bytes
_DOCUMENT = "plan.json"


def read_plan(path: Path) -> dict[str, object]:
    """The document of a plan that was exported.

    Args:
        path: of the file, or of the report set that holds it.

    Raises:
        OptionError: no such file, too large, or no JSON object.
    """
    file = path / _DOCUMENT if path.is_dir() else path
    try:
        if path.is_dir() and not file.is_file():
            raise OptionError(
                f"{path} holds no {_DOCUMENT}; give a report set, a plan.json or a job file.",
                path=str(path),
            )
        with file.open("rb") as opened:
            raw = opened.read(LARGEST + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise OptionError(f"{file} cannot be read: {reason}.", path=str(file)) from error
    if len(raw) > LARGEST:
        raise OptionError(f"{file} has more than {LARGEST} bytes.", path=str(file), limit=LARGEST)
    try:
        document = json.loads(raw.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise OptionError(f"{file} is not JSON: {error}.", path=str(file)) from None
    if not isinstance(document, dict):
        raise OptionError(f"{file} must hold one JSON object, a plan.", path=str(file))
    return document
