"""Faults of a sweep file in words: file, line, key, what is there, what is wanted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from planner.errors import JobError
from planner.job.job_text import JobText
from planner.job.problems import shown
from robots.core.robot_file.problems import key_advice
from robots.core.robot_file.source_text import KeyPath

if TYPE_CHECKING:
    from pydantic import BaseModel, ValidationError

_MOST_TOLD = 5  # beyond these, the first faults are mended first
_WANTED = {
    "format": "1",
    "sweep": 'a table with base = "job.toml"',
    "vary": "tables with a key and its values, each headed [[vary]]",
    "base": "the name of a job file beside the sweep, in quotes",
    "design": '"grid", "zip" or "random"',
    "count": "a whole number of jobs",
    "seed": "a whole number from 0",
    "key": 'a key of the job in quotes, such as "travel.law" or "cell[0].name"',
    "values": "a list of values, such as [1, 2.5]",
    "steps": "a whole number of values, 2 or more",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One thing that is wrong.

    Args:
        path: of the key.
        sentence: that follows the key.
        misspelt: whether the key is none that is known.
    """

    path: KeyPath
    sentence: str
    misspelt: bool = False


def one_error(source: JobText, faults: Sequence[Fault]) -> JobError:
    """One error that tells the first faults, each with its line and key."""
    told = sorted(faults, key=lambda fault: not fault.misspelt)  # a misspelt key is missing, too
    errors = [source.error(fault.path, fault.sentence) for fault in told[:_MOST_TOLD]]
    lines = [error.message for error in errors]
    if len(told) > _MOST_TOLD:
        lines.append(f"{source.origin}: and {len(told) - _MOST_TOLD} more faults.")
    return JobError("\n".join(lines), **errors[0].facts)


def schema_faults(
    error: ValidationError, tables: Mapping[str, type[BaseModel]]
) -> tuple[Fault, ...]:
    """What pydantic found, in our words.

    Args:
        error: that it raised.
        tables: of the schema by their names, the whole file as "".
    """
    return tuple(
        Fault(
            path=item["loc"],
            sentence=_sentence(item, tables),
            misspelt=item["type"] == "extra_forbidden",
        )
        for item in error.errors(include_url=False)
    )


def _sentence(item: Mapping[str, object], tables: Mapping[str, type[BaseModel]]) -> str:
    path = item["loc"]
    names = [part for part in path if isinstance(part, str)] if isinstance(path, tuple) else []
    if item["type"] == "extra_forbidden":
        table = tables[names[-2] if len(names) > 1 else ""]
        known = [field.alias or name for name, field in table.model_fields.items()]
        return f"is not a known key; {key_advice(names[-1], known)}"
    wanted = _WANTED.get(names[-1], "a table") if names else "a table"
    if isinstance(path, tuple) and isinstance(path[-1], int):
        wanted = "a table"
    if item["type"] == "missing":
        return f"is missing; give {wanted}."
    context = item.get("ctx")
    if item["type"] == "cap" and isinstance(context, Mapping):
        wanted = str(context["expected"])
    return f"is {shown(item.get('input'))}; expected {wanted}."
