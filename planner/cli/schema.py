"""``palpeur schema``: the JSON Schema of the files that Palpeur reads and writes."""

from __future__ import annotations

from planner.cli.exit_codes import ExitCode
from planner.cli.output import print_json
from planner.errors import OptionError


def print_schema(name: str) -> int:
    """Print one schema.

    Raises:
        OptionError: no such kind of file.
    """
    print_json(_schema(name))
    return ExitCode.DONE


def _schema(name: str) -> object:
    if name == "job":
        from planner.job import json_schema as job_schema

        return job_schema()
    if name == "robot":
        from robots.core.robot_file import json_schema as robot_schema

        return robot_schema()
    if name == "plan":
        from reports.plan_schema import plan_schema

        return plan_schema()
    raise OptionError(f"There is no schema {name!r}; there are job, robot and plan.")
