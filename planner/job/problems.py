"""What pydantic found in a job file: told with file, line, key, found and expected."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, get_args

from planner.errors import JobError
from planner.job.job_text import JobText
from robots.core.robot_file.problems import key_advice
from robots.core.robot_file.source_text import KeyPath

if TYPE_CHECKING:
    from pydantic import ValidationError
    from pydantic.fields import FieldInfo

    from robots.core.robot_file.schema import Table

_MOST_TOLD = 5  # beyond these, the first faults are mended first
_PLAIN = {
    "string_type": "a text in quotes",
    "bool_type": "true or false",
    "model_type": "a table",
    "model_attributes_type": "a table",
    "dict_type": "a table",
    "tuple_type": "a list",
    "too_long": "three numbers",
}


def job_error(source: JobText, error: ValidationError) -> JobError:
    """One error that tells the first faults of a job file, each with its line and key."""
    found = error.errors(include_url=False)
    # A misspelt key is also a missing one: the misspelling is told first.
    found.sort(key=lambda item: item["type"] != "extra_forbidden")
    first, *rest = [
        source.error(item["loc"], _sentence(item, item["loc"]), found=shown(item.get("input")))
        for item in found[:_MOST_TOLD]
    ]
    lines = [first.message, *(item.message for item in rest)]
    if len(found) > _MOST_TOLD:
        lines.append(f"{source.origin}: and {len(found) - _MOST_TOLD} more faults.")
    return JobError("\n".join(lines), **first.facts)


def shown(value: object) -> str:
    """A found value, shortened."""
    if isinstance(value, dict):
        return "a table"
    text = _text(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _text(value: object) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_text, value[:6]))}{', ...' if len(value) > 6 else ''}]"
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, Decimal) else repr(value)


def _sentence(item: Mapping[str, object], path: KeyPath) -> str:
    kind = str(item["type"])
    if kind == "extra_forbidden":
        keys = _table_at(path[:-1]).model_fields
        return f"is not a known key; {key_advice(str(path[-1]), keys)}"
    if kind == "missing":
        return "is missing; give it." + _words(path)
    context = item.get("ctx")
    expected = _PLAIN.get(kind, str(item["msg"]))
    if isinstance(context, Mapping) and "expected" in context:
        expected = str(context["expected"])
    return f"is {shown(item.get('input'))}; expected {expected}."


def _words(path: KeyPath) -> str:
    """What a missing key is for, where the schema says so."""
    field = _table_at(path[:-1]).model_fields.get(str(path[-1]))
    return f" It is the {field.description}." if field and field.description else ""


def _table_at(path: KeyPath) -> type[Table]:
    """The table of the schema in which the keys at ``path`` stand."""
    from planner.job.schema import JobFile

    table: type[Table] = JobFile
    for part in path:
        if isinstance(part, str) and part in table.model_fields:
            table = _table_in(table.model_fields[part]) or table
    return table


def _table_in(field: FieldInfo) -> type[Table] | None:
    """The table type within an annotation such as ``tuple[PointTable, ...]`` or ``X | None``."""
    from robots.core.robot_file.schema import Table

    waiting: list[object] = [field.annotation]
    while waiting:
        candidate = waiting.pop()
        if isinstance(candidate, type) and issubclass(candidate, Table):
            return candidate
        waiting.extend(get_args(candidate))
    return None
