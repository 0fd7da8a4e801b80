"""A robot file whose geometry is a description phrase."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from robots.core.arrays import Array
from robots.core.body import Body
from robots.core.errors import DescriptionError
from robots.core.file_units import metres, radians
from robots.core.language import Description, mechanism_of, parse
from robots.core.language.syntax import MoveKind
from robots.core.mechanism import Joint, JointKind, Mechanism
from robots.core.robot_file.joints import body_of, prismatic_drive, revolute_drive
from robots.core.robot_file.source_text import SourceText
from robots.core.schema_problems import nearest

if TYPE_CHECKING:
    from robots.core.robot_file.schema import DescribedDriveTable, RobotFile

_TABLES = {
    MoveKind.TRANSLATION: ("lengths_mm", "limits_mm"),
    MoveKind.ROTATION: ("angles_deg", "limits_deg"),
}


def described_mechanism(file: RobotFile, source: SourceText, gravity: Array) -> Mechanism:
    """The mechanism of a file with a description.

    Raises:
        RobotFileError: a fault in the phrase (shown with a caret), a symbol without a value or in
            the wrong table, a body or drive of a joint that the phrase does not have.
    """
    path = ("robot", "description") if file.robot.description else ("description",)
    try:
        description = parse(file.description or file.robot.description or "")
        values = _values(file, description, source)
        mechanism = mechanism_of(
            description,
            values,
            name=file.robot.name,
            source=file.robot.source,
            gravity=gravity.tolist(),
            bodies=_bodies(file, description, source),
        )
    except DescriptionError as error:
        raise source.error(path, f"has a fault.\n{error}", **error.facts) from error
    return replace(mechanism, joints=_with_drives(mechanism, file, source))


def _values(file: RobotFile, description: Description, source: SourceText) -> dict[str, float]:
    """Values of the symbols in SI, from the four tables."""
    symbols = description.symbols()
    values: dict[str, float] = {}
    for kind, tables in _TABLES.items():
        to_si = metres if kind is MoveKind.TRANSLATION else radians
        for table in tables:
            given: Mapping[str, Decimal] = getattr(file, table)
            for symbol, value in given.items():
                _check_symbol(symbol, kind, (table, symbol), symbols, source)
                if symbol in values:
                    raise source.error((table, symbol), "is given a value twice; remove one.")
                values[symbol] = to_si(value)
    return values


def _check_symbol(
    symbol: str,
    kind: MoveKind,
    path: tuple[str, str],
    symbols: Mapping[str, MoveKind],
    source: SourceText,
) -> None:
    if symbol not in symbols:
        raise source.error(path, f"is not a symbol of the description; {nearest(symbol, symbols)}")
    if symbols[symbol] is not kind:
        right = " or ".join(f"[{table}]" for table in _TABLES[symbols[symbol]])
        raise source.error(path, f"stands in the wrong table; the description needs it in {right}.")


def _bodies(file: RobotFile, description: Description, source: SourceText) -> dict[str, Body]:
    known = [f"q{number}" for number in range(1, len(description.joints()) + 1)]
    bodies: dict[str, Body] = {}
    for index, table in enumerate(file.body):
        _check_joint(table.joint, ("body", index, "joint"), known, bodies, source)
        bodies[table.joint] = body_of(table, source, ("body", index))
    return bodies


def _with_drives(mechanism: Mechanism, file: RobotFile, source: SourceText) -> tuple[Joint, ...]:
    """The joints with what ``[[drive]]`` tables say."""
    known = [joint.name for joint in mechanism.movable]
    drives: dict[str, dict[str, Any]] = {}
    for index, table in enumerate(file.drive):
        _check_joint(table.joint, ("drive", index, "joint"), known, drives, source)
        kind = mechanism.joints[mechanism.index(table.joint)].kind
        drives[table.joint] = _drive(table, kind, index, source)
    return tuple(replace(joint, **drives.get(joint.name, {})) for joint in mechanism.joints)


def _drive(
    table: DescribedDriveTable, kind: JointKind, index: int, source: SourceText
) -> dict[str, Any]:
    from robots.core.robot_file.schema import PrismaticDrive, RevoluteDrive

    own = RevoluteDrive if kind is JointKind.REVOLUTE else PrismaticDrive
    for key in sorted(table.model_fields_set - {"joint"} - set(own.model_fields)):
        raise source.error(
            ("drive", index, key),
            f"does not fit {table.joint}, a {kind.value} joint; {', '.join(own.model_fields)} do.",
        )
    return revolute_drive(table) if kind is JointKind.REVOLUTE else prismatic_drive(table)


def _check_joint(
    joint: str,
    path: tuple[str | int, ...],
    known: list[str],
    taken: Mapping[str, object],
    source: SourceText,
) -> None:
    if joint not in known:
        raise source.error(
            path,
            f"is {joint!r}, but the description has no such joint; {nearest(joint, known)}",
        )
    if joint in taken:
        raise source.error(path, f"is {joint!r} a second time; merge the two tables.")
