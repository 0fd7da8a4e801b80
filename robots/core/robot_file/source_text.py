"""Text of a robot file: size limit, TOML document, line of a key, frequent TOML mistakes."""

from __future__ import annotations

import json
import re
import sys
import textwrap
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, time
from decimal import Decimal
from pathlib import Path
from typing import Any

from robots.core.caps import Cap, read_capped, reason_of
from robots.core.errors import RobotFileError
from robots.core.file_units import decimal_of
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


# ----------------------------------------------------------------------------- TOML in linear time

MOST_PARTS = 32  # of a dotted key; no file of ours has more than six
# For every part of a dotted key tomllib keeps all that stand before it, so that 50 kB of "a.a.a…"
# take 15 s and 1 MB more memory than there is.
_TOKEN = re.compile(
    r"""
    (?P<deep>
      (?<![\w-]) (?: (?: [\w-]++ | "[^"\n]*+" | '[^'\n]*+' ) [ \t]*+ \. [ \t]*+ ){MOST_PARTS}
    )
    | \#[^\n]*+
    | "{3} (?: [^"\\] | \\. | "(?!"") )*+ "{3,5} | '{3} (?: [^'] | '(?!'') )*+ '{3,5}
    | (?P<torn> "{3} | '{3} )
    | " (?: [^"\\\n] | \\[^\n] )*+ " | ' [^'\n]*+ '
    """.replace("MOST_PARTS", str(MOST_PARTS)),
    re.ASCII | re.VERBOSE | re.DOTALL,
)
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_WIDTH = 100  # of a line, where a value can be broken


def toml_document(text: str, parse_float: Callable[[str], object] = decimal_of) -> dict[str, Any]:
    """Read a TOML document, by default with its decimals exactly as printed.

    Args:
        text: of a file.
        parse_float: makes a value of a decimal.

    Raises:
        ValueError: not TOML; a dotted key with more than ``MOST_PARTS`` parts.
        RecursionError: nested too deeply.
    """
    for token in _TOKEN.finditer(text):
        if token.lastgroup == "torn":
            break  # the parser stops there as well
        if token.lastgroup == "deep":
            line = text.count("\n", 0, token.start()) + 1
            raise tomllib.TOMLDecodeError(
                f"A dotted key has more than {MOST_PARTS} parts (at line {line}, column 1)"
            )
    try:
        return tomllib.loads(text, parse_float=parse_float)
    except tomllib.TOMLDecodeError:
        raise
    except ValueError:  # of int, whose advice is meant for programmers
        limit = sys.get_int_max_str_digits()
        raise tomllib.TOMLDecodeError(f"A whole number has more than {limit} digits") from None


Comments = Mapping[KeyPath, Sequence[str]]


def toml_text(document: Mapping[str, object], comments: Comments | None = None) -> str:
    """Write a document that reads back the same; the comments of the text it came from are lost.

    Tables at the top and those with tables inside have headers, others stand in a line.

    Args:
        document: tables (dict), lists, texts, numbers (Decimal with all its digits), truth values
            and dates.
        comments: sentences by the path of a key or table, where they stand above it; those of a
            key that its table does not have stand behind the keys that it has.

    Raises:
        TypeError: a value of another kind.
    """
    return "\n".join(_table(document, (), comments or {})).lstrip("\n") + "\n"


def toml_value(value: object) -> str:
    """A value as it stands behind an equals sign, in one line.

    Raises:
        TypeError: not a value of TOML.
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float | Decimal):
        text = str(value).lower().replace("infinity", "inf")
        return text if any(mark in text for mark in (".", "e", "inf", "nan")) else f"{text}.0"
    if isinstance(value, str):
        return toml_string(value)
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(toml_value, value))}]"
    if isinstance(value, dict):
        items = (f"{toml_key(name)} = {toml_value(item)}" for name, item in value.items())
        return f"{{ {', '.join(items)} }}" if value else "{}"
    raise TypeError(f"{value!r} is no value of TOML.")


def toml_key(name: str) -> str:
    """A name as a key of TOML: bare where it can be, else in quotes."""
    return name if _BARE_KEY.fullmatch(name) else toml_string(name)


def toml_string(text: str) -> str:
    """A text in quotes, as TOML writes it."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _table(table: Mapping[str, object], path: KeyPath, comments: Comments) -> Iterator[str]:
    """The plain keys of a table first, then its sub-tables under their headers."""
    names = tuple(part for part in path if isinstance(part, str))
    below = {name: value for name, value in table.items() if _has_header(value, names)}
    for name, value in table.items():
        if name not in below:
            yield from _comment(comments.get((*path, name), ()))
            yield f"{toml_key(name)} = {_laid_out(value)}"
    for place, sentences in comments.items():
        if place[:-1] == path and place and place[-1] not in table and isinstance(place[-1], str):
            yield from _comment(sentences)
    for name, value in below.items():
        header = ".".join(map(toml_key, (*names, name)))
        entries: list[Any] = value if isinstance(value, list) else [value]
        for number, entry in enumerate(entries):
            own: KeyPath = (*path, name, number) if isinstance(value, list) else (*path, name)
            yield ""
            yield from _comment(comments.get(own, ()))
            yield f"[[{header}]]" if isinstance(value, list) else f"[{header}]"
            yield from _table(entry, own, comments)


def _comment(sentences: Sequence[str]) -> Iterator[str]:
    """Lines of a comment; what could end one, or hide in it, is left out."""
    for sentence in sentences:
        clean = "".join(letter if letter.isprintable() else " " for letter in sentence)
        yield from textwrap.wrap(
            clean, _WIDTH, initial_indent="# ", subsequent_indent="#   ", break_on_hyphens=False
        )


def _has_header(value: object, path: tuple[str, ...]) -> bool:
    if isinstance(value, dict):
        return not path or any(isinstance(item, dict) for item in value.values())
    return isinstance(value, list) and not path and value != [] and _are_tables(value)


def _laid_out(value: object) -> str:
    """A value; a long list of lists or tables has a line for each of them."""
    text = toml_value(value)
    if not isinstance(value, list) or len(text) < _WIDTH:
        return text
    if not _are_tables(value) and not all(isinstance(item, list) for item in value):
        return text
    return "\n".join(["[", *(f"    {toml_value(item)}," for item in value), "]"])


def _are_tables(values: list[object]) -> bool:
    return all(isinstance(item, dict) for item in values)


# -------------------------------------------------------------------------- Frequent TOML mistakes
# Everything here looks at each character of the faulty line a bounded number of times.

_LINE = re.compile(r"\(at line (\d+), column \d+\)")
_KEY_BEFORE = re.compile(r"[\w-]++\Z", re.ASCII)
_COMMA_AFTER = re.compile(r"\s*+([+-]?\d++),(\d++)(?=\s*+(?:#|$|\}|,\s*+(?:\D|$)))", re.ASCII)
_LONGEST = 40  # characters of a number or a path that is told whole
_WORD = 80  # characters before an equals sign that a key is looked for in
# What the parser says of a backslash; the last one of a path that ends with it: "C:\data\".
_ESCAPES = (
    "Unescaped '\\' in a string",
    "Invalid hex value",
    "Escaped character is not a Unicode scalar value",
    "Illegal character '\\n'",
    "Unterminated string",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TomlSlip:
    """A fault of TOML in the words of a file's author.

    Args:
        path: of the key.
        found: as it stands.
        better: what to write.
        sentence: as it follows the key in a message.
    """

    path: KeyPath
    found: str
    better: str
    sentence: str


def toml_slip(source: SourceText, fault: str) -> TomlSlip | None:
    """What was meant at the place where the parser stopped; None where nothing is known of it.

    Args:
        source: text of the file.
        fault: what the parser said.
    """
    place = _LINE.search(fault)
    if place is None:
        return None
    number = int(place[1])
    line = source.text.split("\n", number)[number - 1]
    if fault.startswith(_ESCAPES):
        return _backslash(source, number, line)
    return _decimal_comma(source, number, line)


def _decimal_comma(source: SourceText, number: int, line: str) -> TomlSlip | None:
    """The first number with a comma behind an equals sign."""
    sign = line.find("=")
    while sign >= 0:
        comma = _COMMA_AFTER.match(line, sign + 1)
        key = _key_before(line, sign)
        if comma and key:
            found, better = f"{comma[1]},{comma[2]}", f"{comma[1]}.{comma[2]}"
            if len(found) > _LONGEST:
                return None
            return TomlSlip(
                path=_path(source, number, key),
                found=found,
                better=better,
                sentence=f"is {found}; decimals have a point: write {better}.",
            )
        sign = line.find("=", sign + 1)
    return None


def _backslash(source: SourceText, number: int, line: str) -> TomlSlip | None:
    """The first backslash in double quotes, and its text in single ones."""
    slash = line.find("\\")
    quote = line.rfind('"', 0, max(slash, 0))
    sign = line.rfind("=", 0, max(quote, 0))
    if sign < 0:
        return None
    text = line[quote + 1 :].partition('"')[0].rstrip("\r\\")
    name = text.replace("\\\\", "\\")
    shown = name if len(name) <= _LONGEST else name[:_LONGEST] + "…"
    better = shown.replace("\\", "/")
    return TomlSlip(
        path=_path(source, number, _key_before(line, sign)),
        found=text,
        better=better,
        sentence=f"has a backslash in double quotes, where it begins an escape such as \\n; write "
        f"a path with /, as in \"{better}\", or in single quotes, as in '{shown}'.",
    )


def _key_before(line: str, sign: int) -> str:
    """The word before an equals sign; nothing where none is near."""
    before = line[max(0, sign - _WORD) : sign].rstrip().rstrip("\"'")
    found = _KEY_BEFORE.search(before, max(0, len(before) - _LONGEST))
    return found[0] if found else ""


def _path(source: SourceText, number: int, key: str) -> KeyPath:
    path = source.key_at(number)
    if not key or path[-1:] == (key,):
        return path
    return (*path, key)  # it stands in an inline table
