"""What pydantic found, told as: file, line, key, what was found, what was expected."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import TYPE_CHECKING

from robots.core.errors import RobotFileError
from robots.core.robot_file.source_text import KeyPath, SourceText

if TYPE_CHECKING:
    from pydantic import ValidationError

_MOST_TOLD = 5  # beyond these, the first faults are mended first
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


def file_error(source: SourceText, error: ValidationError) -> RobotFileError:
    """One error that tells the first faults of a document, each with its line and key."""
    found = error.errors(include_url=False)
    # A misspelt key is also a missing one: the misspelling is told first.
    found.sort(key=lambda item: item["type"] != "extra_forbidden")
    first, *rest = [_told(source, item) for item in found[:_MOST_TOLD]]
    lines = [first.message, *(item.message for item in rest)]
    if len(found) > _MOST_TOLD:
        lines.append(f"{source.origin}: and {len(found) - _MOST_TOLD} more faults.")
    return RobotFileError("\n".join(lines), **first.facts)


def nearest(word: str, known: Iterable[str]) -> str:
    """Advice that names the known word nearest to ``word``, or all of them."""
    words = sorted(known)
    close = get_close_matches(word, words, n=1, cutoff=0.6)
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
    return nearest(key, names)


def _angular(key: str) -> bool:
    """Whether a key's unit is that of a turn, or of what turns."""
    return bool(_ANGULAR.search(key))


def _told(source: SourceText, item: Mapping[str, object]) -> RobotFileError:
    from robots.core.robot_file.schema import JOINT_TABLES

    location: tuple[str | int, ...] = item["loc"]  # type: ignore[assignment]
    tag = ""
    path: KeyPath = location
    if len(location) > 2 and location[0] == "joint" and location[2] in JOINT_TABLES:
        tag = str(location[2])
        path = location[:2] + location[3:]
    return source.error(path, _sentence(item, path, tag), found=_shown(item.get("input")))


def _sentence(item: Mapping[str, object], path: KeyPath, tag: str) -> str:
    kind = str(item["type"])
    if kind == "extra_forbidden":
        kept = f" of a {tag} joint" if tag and len(path) == 3 else ""
        return f"is not a known key{kept}; {key_advice(str(path[-1]), _known_keys(path, tag))}"
    if kind == "missing":
        return "is missing; give it."
    if kind == "union_tag_not_found":
        return 'has no type; give type = "revolute", "prismatic" or "fixed".'
    context = item.get("ctx")
    expected = str(item["msg"])
    if isinstance(context, Mapping) and "expected" in context:
        expected = str(context["expected"])
    if isinstance(context, Mapping) and kind == "union_tag_invalid":
        return f'has type {context["tag"]!r}; expected "revolute", "prismatic" or "fixed".'
    return f"is {_shown(item.get('input'))}; expected {_plain(kind, expected)}."


def _plain(kind: str, expected: str) -> str:
    """Pydantic's expectation in the words of a file's author."""
    plain = {
        "string_type": "a text in quotes",
        "model_type": "a table",
        "model_attributes_type": "a table",
        "dict_type": "a table",
        "tuple_type": "a list",
        "too_long": "three numbers",
    }
    return plain.get(kind, expected)


def _known_keys(path: KeyPath, tag: str) -> Iterable[str]:
    """Keys of the table in which the unknown key stands."""
    from robots.core.robot_file import schema

    named: dict[str, type[schema.Table]] = {
        "robot": schema.RobotTable,
        "tool": schema.ToolTable,
        "pose": schema.PoseTable,
        "drive": schema.DescribedDriveTable,
        "inertia_kg_m2": schema.InertiaTable,
        "base_capsule": schema.CapsuleTable,
        "capsule": schema.DescribedCapsuleTable if path[0] == "capsule" else schema.CapsuleTable,
        "body": schema.DescribedBodyTable if path[0] == "body" else schema.BodyTable,
    }
    tables = [part for part in path[:-1] if isinstance(part, str)]
    if not tables:
        return schema.RobotFile.model_fields
    if tables == ["joint"]:
        return schema.JOINT_TABLES[tag].model_fields
    return named[tables[-1]].model_fields


def _shown(value: object) -> str:
    """A found value, shortened."""
    from decimal import Decimal

    text = str(value) if isinstance(value, Decimal) else repr(value)
    if isinstance(value, dict):
        text = "a table"
    return text if len(text) <= 60 else text[:57] + "..."
