"""``palpeur schema``: the JSON Schema of the files that Palpeur reads."""

from __future__ import annotations

from planner.cli.exit_codes import ExitCode
from planner.cli.output import print_json
from planner.errors import OptionError
from robots.core.robot_file import json_schema

_SCHEMAS = {"robot": json_schema}


def print_schema(name: str) -> int:
    """Print one schema.

    Raises:
        OptionError: no such kind of file.
    """
    if name not in _SCHEMAS:
        raise OptionError(f"There is no schema {name!r}; there is {', '.join(_SCHEMAS)}.")
    print_json(_SCHEMAS[name]())
    return ExitCode.DONE
