"""The text of a job file, and errors that name its file, line and key."""

from __future__ import annotations

import errno
from dataclasses import dataclass
from pathlib import Path

from planner.errors import JobError
from robots.core.caps import Cap, read_capped, reason_of
from robots.core.robot_file.source_text import SourceText, path_text, toml_document, toml_slip
from robots.core.schema_problems import KeyPath, Vocabulary

_SEPARATORS = (",", ";", "\t")


@dataclass(frozen=True, slots=True, kw_only=True)
class JobText:
    """Text of a job file and the bytes it was read from.

    Args:
        source: text and name, which know the line of every key.
        raw: the file's bytes, for its hash.
        written: whether somebody wrote it, so that its lines mean something to a reader; the text
            of a job made in Python is ours.
    """

    source: SourceText
    raw: bytes
    written: bool = True

    @property
    def origin(self) -> str:
        """The file's name, as messages give it."""
        return self.source.origin

    def line_of(self, path: KeyPath) -> int | None:
        """Line of a key, from 1; None where it cannot be told."""
        return self.source.line_of(path) if self.written else None

    def document(self) -> dict[str, object]:
        """The TOML document, its decimals kept exactly as printed.

        Raises:
            JobError: not TOML; a decimal comma, a Windows path and a table of points are told as
                such.
        """
        try:
            return toml_document(self.source.text)
        except RecursionError:
            reason = "tables are nested too deeply"
        except ValueError as error:
            reason = str(error)
        raise self._not_toml(reason)

    def _not_toml(self, reason: str) -> JobError:
        if slip := toml_slip(self.source, reason):
            return self.error(slip.path, slip.sentence)
        if looks_like_table(self.source.text):
            return JobError(
                f"{self.origin}: this looks like a table, not a job; a job is a TOML file that "
                f'names it: file = "{self.origin}" under [points]. `palpeur init` writes one to '
                "start from.",
                file=self.origin,
            )
        return JobError(
            f"{self.origin}: this is not a job file in TOML: {reason}.", file=self.origin
        )

    def error(self, path: KeyPath, sentence: str, **facts: object) -> JobError:
        """The error for the key at ``path``: file, line, key, then the sentence."""
        line = self.line_of(path)
        place = self.origin if line is None else f"{self.origin}, line {line}"
        key = path_text(path)
        return JobError(
            f"{place}: {key} {sentence}", **{**facts, "file": self.origin, "line": line, "key": key}
        )


def job_vocabulary() -> Vocabulary:
    """What messages about a job file call its things."""
    from planner.job.schema import JobFile

    return Vocabulary(root=JobFile, described=True)


def read_job_text(path: Path) -> JobText:
    """Read a job file.

    Raises:
        JobError: no such file, not readable, too large, not UTF-8.
    """
    origin = path.name
    try:
        raw = read_capped(path, Cap.JOB_BYTES)
    except OSError as error:
        fix = (
            "Put long lists of points into a point file."
            if error.errno == errno.EFBIG
            else "`palpeur init` writes one to start from."
        )
        raise JobError(
            f"{path}: the job file cannot be read: {reason_of(error)}. {fix}", file=str(path)
        ) from error
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise JobError(
            f"{origin}, line {line}: byte {error.start + 1} is not UTF-8; save the file as UTF-8.",
            file=origin,
            line=line,
        ) from None
    return JobText(source=SourceText(origin=origin, text=text), raw=raw)


def job_text(path: Path, text: str, *, in_file: bool = True) -> JobText:
    """A text that is read as if it stood in a job file; ``in_file`` says whether one holds it."""
    return JobText(
        source=SourceText(origin=path.name, text=text, in_file=in_file), raw=text.encode()
    )


def looks_like_table(text: str) -> bool:
    """Whether a text that is no TOML begins as CSV does."""
    for line in text.splitlines():
        if line.strip() and not line.lstrip().startswith("#"):
            separated = any(sign in line.strip() for sign in _SEPARATORS)
            return separated and "=" not in line and not line.lstrip().startswith("[")
    return False
