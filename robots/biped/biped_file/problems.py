"""What pydantic found in a biped file, told with file, line, key, found and expected."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from robots.core.errors import RobotFileError
from robots.core.robot_file.problems import file_error, key_advice
from robots.core.robot_file.source_text import KeyPath, SourceText

if TYPE_CHECKING:
    from pydantic import ValidationError

    from robots.core.robot_file.schema import Table

_KINDS = '"fixed-ratio", "crank-screw" or "cardan-screws"'


def biped_file_error(source: SourceText, error: ValidationError) -> RobotFileError:
    """One error: unknown keys with the nearest known one, unknown kinds; else as robot files tell.

    A misspelt key is also a missing one, so that misspellings alone are told first.
    """
    found = [_told(source, item) for item in error.errors(include_url=False)]
    told = [item for item in found if item is not None]
    if not told:
        return file_error(source, error)
    return RobotFileError("\n".join(item.message for item in told), **told[0].facts)


def _told(source: SourceText, item: Mapping[str, object]) -> RobotFileError | None:
    """The error of one fault, where a biped file tells it otherwise than a robot file."""
    from robots.biped.biped_file.schema import KINDS

    location: KeyPath = item["loc"]  # type: ignore[assignment]
    tag = str(location[2]) if len(location) > 2 and location[2] in KINDS else ""
    path = location[:2] + location[3:] if tag else location
    kind, context = item["type"], item.get("ctx")
    if kind == "extra_forbidden":
        known = _table_at(path, tag).model_fields
        return source.error(path, f"is not a known key; {key_advice(str(path[-1]), known)}")
    if kind == "union_tag_not_found":
        return source.error(path, f"has no kind; give kind = {_KINDS}.")
    if kind == "union_tag_invalid" and isinstance(context, Mapping):
        return source.error(path, f"has kind {context['tag']!r}; expected {_KINDS}.")
    return _told_of_a_kind(source, item, path) if tag else None


def _told_of_a_kind(
    source: SourceText, item: Mapping[str, object], path: KeyPath
) -> RobotFileError:
    """A fault in a table of a known kind: pydantic puts the kind into the path."""
    kind, context = item["type"], item.get("ctx")
    facts = context if isinstance(context, Mapping) else {}
    if kind == "missing" and isinstance(path[-1], int):
        return source.error(path[:-1], "has too few entries; give one per joint or motor.")
    if kind == "missing":
        return source.error(path, "is missing; give it.")
    if kind == "too_long":
        found, most = facts["actual_length"], facts["max_length"]
        return source.error(
            path, f"has {found} entries; {most} expected, one per joint or motor of this kind."
        )
    expected = facts.get("expected", item["msg"])
    return source.error(path, f"is {item.get('input')!s}; expected {expected}.")


def _table_at(path: KeyPath, tag: str) -> type[Table]:
    """The table in which the last key of ``path`` stands."""
    from robots.biped.biped_file import schema

    if tag:
        return schema.KINDS[tag]
    named: dict[str, type[Table]] = {
        "standing": schema.StandingTable,
        "foot": schema.FootTable,
        "stop": schema.StopTable,
    }
    tables = [part for part in path[:-1] if isinstance(part, str)]
    return named[tables[-1]] if tables else schema.BipedFile
