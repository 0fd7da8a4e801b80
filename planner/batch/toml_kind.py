"""What a TOML file of a folder is: a job, a sweep, something else, or damaged."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from enum import Enum
from pathlib import Path

from robots.core.caps import Cap, read_capped
from robots.core.robot_file.source_text import toml_document

_WORDS = ("job", "sweep")
_ALIKE = 0.65  # "jbo" is like "job"; "robot" and "speed" are like neither word
_LONGEST = 40  # characters of a key that is told


class Kind(Enum):
    """What a TOML file says it is."""

    JOB = "job"
    SWEEP = "sweep"
    OTHER = "neither"
    DAMAGED = "damaged"  # or empty, too long, not readable: nobody knows what it should be


@dataclass(frozen=True, slots=True, kw_only=True)
class TomlKind:
    """What a TOML file is.

    Args:
        kind: of the file.
        hint: of one that is neither job nor sweep, what it may have been meant to be; empty for
            none.
    """

    kind: Kind
    hint: str = ""


_JOB, _SWEEP, _DAMAGED = (TomlKind(kind=kind) for kind in (Kind.JOB, Kind.SWEEP, Kind.DAMAGED))


def toml_kind(path: Path) -> TomlKind:
    """What a file is, by its keys; it is read once and only as far as a job may go."""
    try:
        text = read_capped(path, Cap.JOB_BYTES).decode("utf-8-sig")
    except (OSError, UnicodeDecodeError):
        return _DAMAGED
    try:
        keys = toml_document(text, parse_float=float).keys()
    except (ValueError, RecursionError):
        return _DAMAGED
    if "sweep" in keys:
        return _SWEEP
    if "job" in keys:
        return _JOB
    return TomlKind(kind=Kind.OTHER, hint=_hint(keys)) if keys else _DAMAGED


def _hint(keys: Iterable[str]) -> str:
    """The first key that looks like one of a job or sweep, and which."""
    for key in keys:
        for close in get_close_matches(key[:_LONGEST].lower(), _WORDS, n=1, cutoff=_ALIKE):
            return f'"{key[:_LONGEST]}": did you mean "{close}"?'
    return ""
