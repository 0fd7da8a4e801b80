"""Exchange files by ISO 10303-21 (STEP): their statements, and instances parsed when asked for.

A file of a million instances is indexed without an object for each of them: where a statement
stands and what types it has. What a reader follows, it has parsed.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from parts.errors import PartError
from parts.geometry.source_file import SourceFile
from robots.core.caps import Cap

# Each alternative takes all it can and gives nothing back, and what has no end takes all the rest:
# the time is linear in the size.
_STATEMENT = re.compile(
    rb"/\*(?:[^*]++|\*(?!/))*+(?:\*/|\Z)|'[^']*+(?:'|\Z)|"
    rb"#(\d++)\s*+=\s*+((?:[^';/]++|'[^']*+(?:'|\Z)|/\*(?:[^*]++|\*(?!/))*+(?:\*/|\Z)|/)*+)"
    rb"(?:;|\Z)"
)
_NOISE = re.compile(rb"('[^']*+(?:'|\Z))|/\*(?:[^*]++|\*(?!/))*+(?:\*/|\Z)")
_KEYWORD = re.compile(rb"[A-Z][A-Z0-9_]*+(?=\s*+\()")
_TEXT = re.compile(rb"'[^']*+(?:'|\Z)")


UNIT_NAMES = {  # metres that a conversion must come to where its name says so
    "MILLIMETRE": 1e-3,
    "MILLIMETER": 1e-3,
    "CENTIMETRE": 1e-2,
    "METRE": 1.0,
    "INCH": 0.0254,
    "FOOT": 0.3048,
}
UNIT_ROUNDING = 1e-6  # relative: files round π and the inch


@dataclass(frozen=True, slots=True)
class Statement:
    """``#identity = body;`` and where it stands."""

    identity: int
    keywords: frozenset[bytes]
    body: bytes
    start: int
    end: int

    @property
    def plain(self) -> bytes:
        """The body without its strings."""
        return without_strings(self.body)


def statements(file: SourceFile) -> Iterator[Statement]:
    """Statements that define an instance, in the order of the file, without their comments."""
    for found in _STATEMENT.finditer(file.raw):
        if found[1] is None:  # a comment, or a string of the header
            continue
        body = _without_comments(found[2])
        if body[:1] == b"(":  # several types at once
            keywords = frozenset(_KEYWORD.findall(without_strings(body)))
        else:
            keywords = frozenset((body.partition(b"(")[0].strip(),))
        yield Statement(int(found[1][:18]), keywords, body, found.start(), found.end())


def without_strings(body: bytes) -> bytes:
    """A statement whose strings are empty, so that nothing in them is taken for more."""
    return _TEXT.sub(b"''", body)


def _without_comments(body: bytes) -> bytes:
    return _NOISE.sub(lambda found: found[1] or b" ", body) if b"/*" in body else body


# ------------------------------------------------------------------------------------------ Values


@dataclass(frozen=True, slots=True)
class Reference:
    """``#identity``."""

    identity: int


@dataclass(frozen=True, slots=True)
class Enumeration:
    """``.NAME.``, also a truth value."""

    name: str


@dataclass(frozen=True, slots=True)
class Typed:
    """``KEYWORD(value)``: a value that says of which type it is."""

    keyword: str
    value: Value


Value: TypeAlias = "int | float | str | Reference | Enumeration | Typed | tuple[Value, ...] | None"
# None is what is left out ($) or derived (*)


@dataclass(frozen=True, slots=True, kw_only=True)
class Instance:
    """An instance of one type, or of several at once.

    Args:
        identity: its number in the file.
        records: attributes by type; those that a type inherits stand with it in a simple
            instance, and with the type that has them in a complex one.
    """

    identity: int
    records: Mapping[str, tuple[Value, ...]]


_DEEPEST = 32  # brackets within brackets; no schema nests more than four
_TOKEN = re.compile(
    rb"\s*+(?:'(?P<text>(?:[^']++|'')*+)'"
    rb"|#(?P<reference>\d{1,18}+)(?!\d)"
    rb"|(?P<real>[-+]?\d++\.\d*+(?:[eE][-+]?\d{1,6}+)?)"
    rb"|(?P<whole>[-+]?\d{1,18}+)(?!\d)"
    rb"|\.(?P<name>[A-Z][A-Z0-9_]*+)\."
    rb'|"(?P<binary>[0-9A-F]*+)"'
    rb"|(?P<keyword>!?[A-Z][A-Z0-9_]*+)(?=\s*+\()"
    rb"|(?P<mark>[(),$*]))"
)


def parsed(identity: int, body: bytes) -> Instance:
    """The instance of a statement's body.

    Args:
        identity: of the statement.
        body: what stands between ``=`` and ``;``, without comments.

    Raises:
        PartError: it is no instance; the message is the end of a sentence about the file.
    """
    values = _values(identity, body)
    if len(values) == 1 and isinstance(values[0], Typed):
        several: tuple[Value, ...] = (values[0],)
    elif len(values) == 1 and isinstance(values[0], tuple):
        several = values[0]
    else:
        raise _damage(identity, "it is not one instance")
    records: dict[str, tuple[Value, ...]] = {}
    for one in several:
        if not isinstance(one, Typed) or not isinstance(one.value, tuple):
            raise _damage(identity, "it is not one instance")
        if one.keyword in records:
            raise _damage(identity, f"it is {one.keyword} twice")
        records[one.keyword] = one.value
    return Instance(identity=identity, records=records)


def _values(identity: int, body: bytes) -> tuple[Value, ...]:
    """What a body consists of; a complex instance has its records without commas."""
    open_lists: list[tuple[str, list[Value]]] = [("", [])]
    keyword, place, end = "", 0, len(body.rstrip())
    while place < end:
        token = _TOKEN.match(body, place)
        if token is None:
            shown = body[place : place + 20].decode("ascii", "replace")
            raise _damage(identity, f"{shown!r} is no value")
        place, kind, text = token.end(), token.lastgroup, token[token.lastgroup or 0]
        if kind == "keyword":
            keyword = text.decode("ascii")
        elif kind != "mark":
            open_lists[-1][1].append(_value(kind, text))
        elif text == b"(":
            if len(open_lists) > _DEEPEST:
                raise _damage(identity, f"its lists are nested deeper than {_DEEPEST}")
            open_lists.append((keyword, []))
            keyword = ""
        elif text == b")":
            if len(open_lists) == 1:
                raise _damage(identity, "a list is closed that is not open")
            owner, items = open_lists.pop()
            inner = tuple(items)
            open_lists[-1][1].append(Typed(owner, inner) if owner else inner)
        elif text != b",":
            open_lists[-1][1].append(None)
    if len(open_lists) > 1:
        raise _damage(identity, "a list has no end")
    return tuple(open_lists[0][1])


def _value(kind: str | None, text: bytes) -> Value:
    if kind == "text":
        return decoded(text)
    if kind == "reference":
        return Reference(int(text))
    if kind == "real":
        return float(text)
    if kind == "whole":
        return int(text)
    plain = text.decode("ascii")
    return Enumeration(plain) if kind == "name" else plain


def _damage(identity: int, why: str) -> PartError:
    return PartError(f"#{identity} cannot be read: {why}", identity=identity)


_ESCAPE = re.compile(
    r"\\X2\\((?:[0-9A-Fa-f]{4})*+)\\X0\\|\\X4\\((?:[0-9A-Fa-f]{8})*+)\\X0\\|"
    r"\\X\\([0-9A-Fa-f]{2})|\\S\\([ -~])|\\(\\)|\\P[A-I]\\"
)


def decoded(raw: bytes) -> str:
    r"""The text of a string: quotes are doubled in it, other letters written as ``\X2\03C6\X0\``.

    Args:
        raw: what stands between its quotes.
    """
    text = raw.decode("utf-8", "replace").replace("''", "'")
    return _ESCAPE.sub(_letters, text) if "\\" in text else text


def _letters(found: re.Match[str]) -> str:
    wide, wider, byte, upper, backslash = found.groups()
    if wide is not None:
        return bytes.fromhex(wide).decode("utf-16-be", "replace")
    if wider is not None:
        return bytes.fromhex(wider).decode("utf-32-be", "replace")
    if byte is not None:
        return chr(int(byte, 16))
    if upper is not None:
        return chr(ord(upper) + 128)
    return backslash or ""


# ------------------------------------------------------------------------------------------- Index


class ExchangeFile:
    """The instances of a file by number and by type.

    Args:
        file: as read.

    Raises:
        PartError: over a cap.
    """

    def __init__(self, file: SourceFile) -> None:
        self.file = file
        identities, spans, types = array("q"), array("q"), array("l")
        known: dict[frozenset[bytes], int] = {}
        most = Cap.STEP_STATEMENTS.limit
        for count, one in enumerate(statements(file), start=1):
            if count > most:
                file.check_count("statements", count, Cap.STEP_STATEMENTS)
            identities.append(one.identity)
            spans.extend((one.start, one.end))
            types.append(known.setdefault(one.keywords, len(known)))
        order = np.argsort(np.frombuffer(identities, dtype=np.int64), kind="stable")
        self._identities = np.frombuffer(identities, dtype=np.int64)[order]
        self._spans = np.frombuffer(spans, dtype=np.int64).reshape(-1, 2)[order]
        self._types = np.array(types, dtype=np.int64)[order]
        self._known = [frozenset(k.decode("ascii", "replace") for k in one) for one in known]

    def types(self, identity: int) -> frozenset[str]:
        """Types of an instance; none where the file has no such instance."""
        row = int(np.searchsorted(self._identities, identity))
        if row == len(self._identities) or self._identities[row] != identity:
            return frozenset()
        return self._known[int(self._types[row])]

    def of_types(self, *names: str) -> list[int]:
        """Numbers of the instances of any of these types, ascending."""
        wanted = [code for code, types in enumerate(self._known) if not types.isdisjoint(names)]
        return [int(one) for one in self._identities[np.isin(self._types, wanted)]]

    def instance(self, identity: int) -> Instance:
        """The instance of a number.

        Raises:
            PartError: there is none, or two of them, or it is damaged or longer than the cap.
        """
        first, last = np.searchsorted(self._identities, (identity, identity + 1))
        if first == last:
            raise PartError(f"#{identity} is not in the file", identity=identity)
        if last - first > 1:
            raise PartError(f"#{identity} stands {last - first} times in the file")
        start, end = self._spans[first].tolist()
        if end - start > Cap.GEOMETRY_LINE.limit:
            raise PartError(f"#{identity} has more than {Cap.GEOMETRY_LINE.limit} bytes")
        body = self.file.raw[start:end].partition(b"=")[2].strip().removesuffix(b";")
        return parsed(identity, _without_comments(body))

    def __len__(self) -> int:
        return len(self._identities)
