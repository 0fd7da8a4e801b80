"""The text of a robot file: its size limit, its TOML, and the line where a key stands."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from robots.core.caps import Cap, read_capped, reason_of
from robots.core.errors import RobotFileError
from robots.core.robot_file.toml_document import toml_document, toml_key
from robots.core.robot_file.toml_slips import toml_slip
from robots.core.schema_problems import KeyPath

_HEADER = re.compile(r"\s*+(\[\[?)([^\[\]#]++)\]\]?\s*+(?:#.*)?$")
_KEY = re.compile(
    r"""\s*+((?:"[^"]*"|'[^']*'|[\w-]++)(?:\s*+\.\s*+(?:"[^"]*"|'[^']*'|[\w-]++))*+)\s*+="""
)
_PART = re.compile(r""""([^"]*)"|'([^']*)'|([\w-]+)""")
_LONGEST_KEY = 60  # characters of a key that a message shows


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceText:
    """Text of a file and the name that messages give it.

    Args:
        origin: the name.
        text: of the file.
        in_file: whether a file holds this text, so that its lines lead somewhere.
    """

    origin: str
    text: str
    in_file: bool = True

    def document(self) -> dict[str, object]:
        """The TOML document, its decimals kept exactly as printed.

        Raises:
            RobotFileError: text too long or not TOML; a decimal comma and a Windows path are told
                as such.
        """
        check_size(self.origin, len(self.text.encode("utf-8", "surrogatepass")))
        try:
            return toml_document(self.text)
        except RecursionError:
            raise RobotFileError(
                f"{self.origin}: tables are nested too deeply; a robot file needs four levels.",
                file=self.origin,
            ) from None
        except ValueError as error:
            if slip := toml_slip(self, str(error)):
                raise self.error(slip.path, slip.sentence) from None
            raise RobotFileError(
                f"{self.origin}: this is not valid TOML: {error}.", file=self.origin
            ) from None

    def error(self, path: KeyPath, sentence: str, **facts: object) -> RobotFileError:
        """The error for the key at ``path``: file, line, key, then the sentence."""
        line = self.line_of(path)
        place = self.origin if line is None else f"{self.origin}, line {line}"
        return RobotFileError(
            f"{place}: {path_text(path)} {sentence}",
            file=self.origin,
            key=path_text(path),
            line=line,
            **facts,
        )

    def line_of(self, path: KeyPath) -> int | None:
        """Line of the key, or of the nearest table that holds it; None when neither is found.

        A text that no file holds has no lines. A table that is only written by its keys, as in
        ``limits.q9.min_deg = 1``, stands where the first of them does.
        """
        if not self.in_file:
            return None
        found: int | None = None
        best = (0, False)
        for line, key in _keys(self.text):
            shared = min(len(key), len(path))
            rank = (shared, len(key) <= len(path))  # its own line before that of a key below it
            if rank > best and path[:shared] == key[:shared]:
                found, best = line, rank
        return found

    def key_at(self, line: int) -> KeyPath:
        """Full path of the key or table at the start of a line; empty for none."""
        return next((key for number, key in _keys(self.text) if number == line), ())


def read_text(path: Path) -> SourceText:
    """Read a robot file.

    Raises:
        RobotFileError: no such file, not readable, too large, not UTF-8.
    """
    origin = path.name
    raw = read_bytes(path)
    try:
        return SourceText(origin=origin, text=raw.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise RobotFileError(
            f"{origin}: byte {error.start + 1} is not UTF-8; save the file as UTF-8.", file=origin
        ) from None


def read_bytes(path: Path) -> bytes:
    """Content of a robot file.

    Raises:
        RobotFileError: no such file, not readable, too large.
    """
    try:
        return read_capped(path, Cap.ROBOT_BYTES)
    except OSError as error:
        raise RobotFileError(
            f"{path}: the file cannot be read: {reason_of(error)}.", file=path.name
        ) from error


def check_size(origin: str, size: int) -> None:
    """Refuse a file beyond the limit.

    Raises:
        RobotFileError: too large.
    """
    if size > Cap.ROBOT_BYTES.limit:
        raise RobotFileError(
            f"{origin}: the file has {size} bytes; at most {Cap.ROBOT_BYTES.limit} are read; "
            f"{Cap.ROBOT_BYTES.advice}.",
            file=origin,
            value=size,
            limit=Cap.ROBOT_BYTES.limit,
        )


def path_text(path: KeyPath) -> str:
    """A key path as people write it: ``joint[2].body.mass_kg``, indices from 0."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        else:
            text += f".{_key_text(part)}" if text else _key_text(part)
    return text or "the file"


def _key_text(key: str) -> str:
    """A key as TOML writes it, a long one cut."""
    return toml_key(key if len(key) <= _LONGEST_KEY else key[:_LONGEST_KEY] + "…")


def _keys(text: str) -> Iterator[tuple[int, KeyPath]]:
    """Line and full path of every table header and every key at the start of a line."""
    table: KeyPath = ()
    counts: dict[KeyPath, int] = {}
    for line, content in enumerate(text.splitlines(), start=1):
        if header := _HEADER.match(content):
            table = _table_path(_parts(header[2]), counts, is_array=header[1] == "[[")
            yield line, table
        elif key := _KEY.match(content):
            yield line, table + _parts(key[1])


def _table_path(names: tuple[str, ...], counts: dict[KeyPath, int], *, is_array: bool) -> KeyPath:
    """Path of a table header, with the index of every array of tables on the way."""
    path: KeyPath = ()
    for position, name in enumerate(names):
        path += (name,)
        if is_array and position == len(names) - 1:
            counts[path] = counts.get(path, -1) + 1
        if path in counts:
            path += (counts[path],)
    return path


def _parts(text: str) -> tuple[str, ...]:
    return tuple("".join(found) for found in _PART.findall(text))
