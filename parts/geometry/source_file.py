"""The bytes of a geometry file, with what messages and readers need beside them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from parts.errors import PartError
from parts.geometry.limits import Limits


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SourceFile:
    """A file read into memory.

    Args:
        name: for messages.
        raw: its bytes.
        folder: that files named by it must lie in; None allows no other file.
        limits: caps.
    """

    name: str
    raw: bytes
    folder: Path | None
    limits: Limits

    def error(self, sentence: str, **facts: object) -> PartError:
        """An error about this file; ``sentence`` starts in lower case, ends with a full stop."""
        return PartError(f"{self.name}: {sentence}", file=self.name, **facts)

    def check_count(self, what: str, count: int, limit: int) -> None:
        """Refuse more than ``limit`` of something.

        Raises:
            PartError: there are more.
        """
        if count > limit:
            raise self.error(
                f"it has {count} {what}; expected at most {limit}. Export it coarser, or raise "
                "the limit if the file is trusted.",
                found=count,
                limit=limit,
            )


def read_source(path: Path, limits: Limits) -> SourceFile:
    """Read a file, not more of it than the cap.

    Raises:
        PartError: not readable, empty, or over the cap.
    """
    raw = read_capped(path, limits.file_bytes, path.name)
    if not raw:
        raise PartError(f"{path.name}: the file is empty; export it again.", file=path.name)
    return SourceFile(name=path.name, raw=raw, folder=path.parent, limits=limits)


def read_capped(path: Path, most: int, name: str) -> bytes:
    """At most ``most`` bytes of a regular file; devices and pipes may never end.

    Raises:
        PartError: not readable, not a regular file, or longer.
    """
    try:
        if path.exists() and not path.is_file():
            raise PartError(f"{name}: this is not a regular file.", file=name)
        with path.open("rb") as file:
            raw = file.read(most + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise PartError(f"{name}: the file cannot be read: {reason}.", file=name) from error
    if len(raw) > most:
        raise PartError(
            f"{name}: the file has more than {most} bytes. Export it coarser, or raise the limit "
            "if the file is trusted.",
            file=name,
            limit=most,
        )
    return raw
