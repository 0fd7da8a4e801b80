"""``plan.json``, alone or in a report set, as a document."""

from __future__ import annotations

import json
from pathlib import Path

from planner.errors import OptionError
from robots.core.caps import Cap, read_capped, reason_of

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
        raw = read_capped(file, Cap.PLAN_BYTES)
    except OSError as error:
        raise OptionError(f"{file} cannot be read: {reason_of(error)}.", path=str(file)) from error
    try:
        document = json.loads(raw.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise OptionError(f"{file} is not JSON: {error}.", path=str(file)) from None
    if not isinstance(document, dict):
        raise OptionError(f"{file} must hold one JSON object, a plan.", path=str(file))
    return document
