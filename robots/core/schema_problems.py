"""Faults that pydantic finds in a document: file, line, key, what is there, what is wanted.

One translator for every format of the house: a format brings the schema of its whole file and,
where the schema's own words are not those of an author, its vocabulary.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar, get_args, get_origin

from robots.core.errors import PalpeurError

if TYPE_CHECKING:
    from pydantic import BaseModel, ValidationError

KeyPath = tuple[str | int, ...]

MOST_TOLD = 5  # beyond these, the first faults are mended first
_LONGEST = 60  # characters of a value that a message shows

_PLAIN = {
    "string_type": "a text in quotes",
    "bool_type": "true or false",
    "model_type": "a table",
    "model_attributes_type": "a table",
    "dict_type": "a table",
    "tuple_type": "a list",
    "too_long": "three numbers",
}

ErrorType = TypeVar("ErrorType", bound=PalpeurError)
ErrorType_co = TypeVar("ErrorType_co", bound=PalpeurError, covariant=True)


class Source(Protocol[ErrorType_co]):
    """Text of a document, which knows the line of every key."""

    @property
    def origin(self) -> str:
        """Name of the file, as messages give it."""

    def error(self, path: KeyPath, sentence: str, **facts: object) -> ErrorType_co:
        """The error of the key at a path: file, line and key before the sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Vocabulary:
    """Vocabulary of a file format.

    Args:
        root: schema of the whole document.
        wanted: what is expected at a key, by its name, instead of the schema's own words.
        entries: what a list of a tagged table has one of per entry, such as "joint or motor".
        described: whether the schema's descriptions of missing keys read after "It is the".
    """

    root: type[BaseModel]
    wanted: Mapping[str, str] = field(default_factory=dict)
    entries: str = ""
    described: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One thing that is wrong.

    Args:
        path: of the key.
        sentence: that follows the key.
        misspelt: whether the key is none that is known.
        found: the value that is there, for programs.
    """

    path: KeyPath
    sentence: str
    misspelt: bool = False
    found: str = ""


def schema_error(
    source: Source[ErrorType], error: ValidationError, vocabulary: Vocabulary
) -> ErrorType:
    """One error that tells the first faults of a document, each with its line and key."""
    return one_error(source, schema_faults(error, vocabulary))


def schema_faults(error: ValidationError, vocabulary: Vocabulary) -> tuple[Fault, ...]:
    """What pydantic found, in the words of a file's author."""
    return tuple(_fault(item, vocabulary) for item in error.errors(include_url=False))


def one_error(source: Source[ErrorType], faults: Sequence[Fault]) -> ErrorType:
    """One error that tells the first faults, each with its line and key."""
    told = sorted(faults, key=lambda fault: not fault.misspelt)  # a misspelt key is missing, too
    errors = [
        source.error(fault.path, fault.sentence, **({"found": fault.found} if fault.found else {}))
        for fault in told[:MOST_TOLD]
    ]
    lines = [error.message for error in errors]
    if len(told) > MOST_TOLD:
        lines.append(f"{source.origin}: and {len(told) - MOST_TOLD} more faults.")
    first = errors[0]
    return type(first)("\n".join(lines), **first.facts)


def shown(value: object) -> str:
    """A found value, shortened."""
    if isinstance(value, Mapping):
        return "a table"
    text = _text(value)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."


def _text(value: object) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_text, value[:6]))}{', ...' if len(value) > 6 else ''}]"
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, Decimal) else repr(value)


# --- advice --------------------------------------------------------------------------------------

_UNIT = re.compile(
    r"_(?:(?:kn|n|lb)(?:_?m{1,2})(?:_s)?|n_s_m|n|kn|kg_m{1,2}2|kg_cm2|g_mm2|kg|g"
    r"|(?:mm|cm|m|in|inch|um|deg|rad|degrees|radians)(?:_(?:per_)?s[23]?)?|rpm)$"
)
_ANGULAR = re.compile(
    r"_(?:(?:deg|rad|degrees|radians)(?:_(?:per_)?s[23]?)?|rpm"
    r"|(?:n|kn|lb)_?m{1,2}(?:_s)?|kg_m{1,2}2|kg_cm2|g_mm2)$"
)
# Words that name the same property of the other kind of joint.
_SAME_PROPERTY = {
    "max_force": "max_torque",
    "max_torque": "max_force",
    "motor_mass": "motor_inertia",
    "motor_inertia": "motor_mass",
}


_LIKE = 0.6  # likeness from which on a word is taken for a slip of the pen


def nearest(word: str, known: Iterable[str]) -> str:
    """Advice that names the known word nearest to ``word``, or all of them."""
    words = sorted(known)
    close = get_close_matches(word, words, n=1, cutoff=_LIKE)
    if close:
        return f"did you mean {close[0]!r}?"
    return f"known here: {', '.join(words)}." if words else "there is none."


def key_advice(key: str, known: Iterable[str]) -> str:
    """Advice for an unknown key: the same property with its right unit, or the nearest key."""
    names = sorted(known)
    stem = _UNIT.sub("", key)
    for wanted in (stem, _SAME_PROPERTY.get(stem)):
        named = [name for name in names if wanted == _UNIT.sub("", name) != name]
        if named:
            # of turns and shifts that of the key's own unit, where it has one
            fitting = [name for name in named if _angular(name) == _angular(key)]
            shown = fitting if fitting and key != stem else named
            return f"{' or '.join(shown)} expected: the key's name carries its unit."
    # A unit that is shared makes no likeness: the stems are compared.
    stems: dict[str, str] = {}
    for name in names:
        stems.setdefault(_UNIT.sub("", name), name)
    close = get_close_matches(stem, stems, n=1, cutoff=_LIKE)
    return f"did you mean {stems[close[0]]!r}?" if close else nearest("", names)


def _angular(key: str) -> bool:
    """Return whether a key's unit is that of a turn, or of what turns."""
    return bool(_ANGULAR.search(key))


# --- where a fault is, and what it is ------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class _Location:
    """Location of a fault in a document and in its schema.

    Args:
        path: as an author writes it, without the tags that pydantic puts into it.
        table: schema of the table in which the last key stands.
        annotation: type of what stands at the path, as the schema writes it.
        tag: of that table, where it is one of several kinds.
        array: name of the array of tables that ``tag`` is one of.
    """

    path: KeyPath
    table: type[BaseModel]
    annotation: object
    tag: str = ""
    array: str = ""


def _fault(item: Mapping[str, Any], vocabulary: Vocabulary) -> Fault:
    at = _located(vocabulary.root, item["loc"])
    path = at.path
    if item["type"] == "missing" and at.tag and vocabulary.entries and isinstance(path[-1], int):
        path = path[:-1]
    return Fault(
        path=path,
        sentence=_sentence(item, at, vocabulary),
        misspelt=item["type"] == "extra_forbidden",
        found=shown(item.get("input")),
    )


def _located(root: type[BaseModel], location: Iterable[str | int]) -> _Location:
    path: KeyPath = ()
    here: object = root
    table, tagged, tag, array = root, root, "", ""
    for part in location:
        if isinstance(part, int):
            path += (part,)
            continue
        tables = list(_tables_in(here))
        kinds = dict(_kinds(tables, _discriminator(here)))
        if part in kinds:  # pydantic puts the tag into the path; no key is called so
            here, tagged, tag = kinds[part], kinds[part], part
            array = next((name for name in reversed(path) if isinstance(name, str)), "")
            continue
        path += (part,)
        if tables:
            table = next((one for one in tables if _field(one, part) is not None), tables[0])
            here = _field(table, part)
    return _Location(
        path=path, table=table, annotation=here, tag=tag if table is tagged else "", array=array
    )


def _sentence(item: Mapping[str, Any], at: _Location, vocabulary: Vocabulary) -> str:
    kind, context = str(item["type"]), item.get("ctx") or {}
    key = at.path[-1] if at.path else ""
    wanted = vocabulary.wanted.get(key) if isinstance(key, str) else None
    if kind == "extra_forbidden":
        kept = f" of a {at.tag} {at.array}" if at.tag else ""
        return f"is not a known key{kept}; {key_advice(str(key), _known_keys(at.table))}"
    if kind == "missing" and isinstance(key, int) and at.tag and vocabulary.entries:
        return f"has too few entries; give one per {vocabulary.entries}."
    if kind == "missing":
        words = _description(at, key) if vocabulary.described else ""
        return f"is missing; give {wanted or 'it'}.{words}"
    if kind in ("union_tag_not_found", "union_tag_invalid"):
        named = _discriminator(at.annotation)
        tags = _alternatives([tag for tag, _ in _kinds(_tables_in(at.annotation), named)])
        if kind == "union_tag_not_found":
            return f"has no {named}; give {named} = {tags}."
        return f"has {named} {context['tag']!r}; expected {tags}."
    if kind == "too_long" and at.tag and vocabulary.entries:
        return (
            f"has {context['actual_length']} entries; {context['max_length']} expected, one per "
            f"{vocabulary.entries} of this kind."
        )
    if kind == "cap":
        wanted = str(context["expected"])
    elif wanted is None:
        wanted = str(context.get("expected") or _PLAIN.get(kind, item["msg"]))
    return f"is {shown(item.get('input'))}; expected {wanted}."


def _description(at: _Location, key: str | int) -> str:
    """What a missing key is for, where the schema says so."""
    info = at.table.model_fields.get(str(key))
    return f" It is the {info.description}." if info and info.description else ""


def _known_keys(table: type[BaseModel]) -> list[str]:
    return [info.alias or name for name, info in table.model_fields.items()]


def _field(table: type[BaseModel], key: str) -> object | None:
    """Annotation of a table's key with its metadata; None where the table has no such key."""
    for name, info in table.model_fields.items():
        if key == (info.alias or name):
            return (info.annotation, info)
    return None


def _parts(annotation: object) -> Iterator[object]:
    """Everything that an annotation such as ``tuple[PointTable, ...]`` or ``X | None`` names."""
    waiting: list[object] = [annotation]
    while waiting:
        part = waiting.pop(0)
        yield part
        waiting.extend(part if isinstance(part, tuple) else get_args(part))


def _tables_in(annotation: object) -> Iterator[type[BaseModel]]:
    from pydantic import BaseModel

    for part in _parts(annotation):
        if isinstance(part, type) and issubclass(part, BaseModel):
            yield part


def _discriminator(annotation: object) -> str:
    """Key whose value tells the kind of a table; empty where there is one kind only."""
    from pydantic.fields import FieldInfo

    for part in _parts(annotation):
        if isinstance(part, FieldInfo) and isinstance(part.discriminator, str):
            return part.discriminator
    return ""


def _kinds(
    tables: Iterable[type[BaseModel]], discriminator: str
) -> Iterator[tuple[str, type[BaseModel]]]:
    """Tag and schema of the tables that a discriminator tells apart."""
    for table in tables if discriminator else ():
        annotation = table.model_fields[discriminator].annotation
        if get_origin(annotation) is Literal:
            yield from ((str(tag), table) for tag in get_args(annotation))


def _alternatives(names: Sequence[str]) -> str:
    quoted = [f'"{name}"' for name in names]
    return f"{', '.join(quoted[:-1])} or {quoted[-1]}" if len(quoted) > 1 else "".join(quoted)
