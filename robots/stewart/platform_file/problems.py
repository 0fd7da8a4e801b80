"""What pydantic found in a platform file, told with file, line, key, found and expected."""

from __future__ import annotations

from typing import TYPE_CHECKING

from robots.core.errors import RobotFileError
from robots.core.robot_file.problems import file_error, key_advice
from robots.core.robot_file.source_text import KeyPath, SourceText
from robots.stewart.platform_file.legs import BODIES

if TYPE_CHECKING:
    from pydantic import ValidationError

    from robots.core.robot_file.schema import Table


def platform_file_error(source: SourceText, error: ValidationError) -> RobotFileError:
    """One error: unknown keys with the nearest known one; without any, what robot files tell.

    A misspelt key is also a missing one, so that misspellings alone are told first.
    """
    unknown = [
        item["loc"] for item in error.errors(include_url=False) if item["type"] == "extra_forbidden"
    ]
    if not unknown:
        return file_error(source, error)
    told = [
        source.error(
            path, f"is not a known key; {key_advice(str(path[-1]), _table_at(path).model_fields)}"
        )
        for path in unknown
    ]
    return RobotFileError("\n".join(item.message for item in told), **told[0].facts)


def _table_at(path: KeyPath) -> type[Table]:
    """The table in which the last key of ``path`` stands."""
    from robots.core.robot_file import schema as core
    from robots.stewart.platform_file import schema

    named: dict[str, type[Table]] = {
        "stewart": schema.StewartTable,
        "home": core.PoseTable,
        "platform": core.BodyTable,
        "leg_defaults": schema.LegProperties,
        "leg": schema.LegTable,
        "inertia_kg_m2": core.InertiaTable,
        **dict.fromkeys(BODIES, core.BodyTable),
    }
    tables = [part for part in path[:-1] if isinstance(part, str)]
    return named[tables[-1]] if tables else schema.PlatformFile
