"""TOML files of a folder that are no case, told so that no job is lost in silence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

_NAMED = 3
_LONGEST = 80  # characters of a name


@dataclass(frozen=True, slots=True, kw_only=True)
class PassedOver:
    """A TOML file that is neither a job nor a sweep.

    Args:
        name: what a reader calls it, untrusted.
        hint: what it may have been meant to be; empty for none.
    """

    name: str
    hint: str = ""

    def document(self) -> dict[str, str]:
        """For programs."""
        return {"name": self.name, "hint": self.hint}


def told(files: Sequence[PassedOver]) -> str:
    """One sentence about all of them; empty for none.

    Args:
        files: those that may have been meant to be jobs first.
    """
    if not files:
        return ""
    what = "files are neither job nor sweep and were"
    if len(files) == 1:
        what = "file is neither job nor sweep and was"
    end = ", …" if len(files) > _NAMED else "."
    names = ", ".join(map(_brief, files[:_NAMED]))
    return f"{len(files)} .toml {what} passed over: {names}{end}"


def _brief(file: PassedOver) -> str:
    name = file.name if len(file.name) <= _LONGEST else f"…{file.name[-_LONGEST:]}"
    return f"{name} ({file.hint})" if file.hint else name
