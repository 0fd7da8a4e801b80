"""Capsules of a robot file: names, carriers, and the pairs that must not touch each other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from robots.core.arrays import Array
from robots.core.capsule import Capsule, default_capsule_name, unique_name
from robots.core.file_units import metres
from robots.core.mechanism import BASE, Mechanism
from robots.core.robot_file.joints import vector
from robots.core.robot_file.source_text import SourceText
from robots.core.schema_problems import KeyPath, nearest
from robots.core.self_pairs import default_self_pairs

if TYPE_CHECKING:
    from robots.core.robot_file.schema import CapsuleTable, RobotFile


PAIRS_KEY: KeyPath = ("robot", "self_collision")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Place:
    """A capsule's table, its carrier, and the frame its points are given in."""

    table: CapsuleTable
    path: KeyPath
    joint: int
    axes: Array  # the joint's axes seen from the points' frame # (3, 3)


def with_capsules(mechanism: Mechanism, file: RobotFile, source: SourceText) -> Mechanism:
    """Add the capsules of a file, and its pairs or the pairs that are watched by default.

    Raises:
        RobotFileError: a name given twice, an unknown joint, a pair that does not exist or whose
            capsules are carried by the same joint.
    """
    places = [*_base_places(file), *_joint_places(mechanism, file)]
    places += _described_places(mechanism, file, source)
    names = _names(mechanism, places, source)
    capsules = [_capsule(place, name) for place, name in zip(places, names, strict=True)]
    mechanism = replace(mechanism, capsules=tuple(capsules))
    if file.robot.self_collision is not None:
        return replace(mechanism, self_pairs=_pairs(mechanism, file, source))
    return replace(mechanism, self_pairs=default_self_pairs(mechanism))


def _base_places(file: RobotFile) -> Iterator[_Place]:
    for index, table in enumerate(file.base_capsule):
        yield _Place(table=table, path=("base_capsule", index), joint=BASE, axes=np.eye(3))


def _joint_places(mechanism: Mechanism, file: RobotFile) -> Iterator[_Place]:
    tables = {table.name: (index, table) for index, table in enumerate(file.joint)}
    for joint, owner in enumerate(mechanism.joints):
        index, table = tables.get(owner.name, (0, None))
        for number, capsule in enumerate(table.capsule if table else ()):
            path = ("joint", index, "capsule", number)
            yield _Place(table=capsule, path=path, joint=joint, axes=np.eye(3))


def _described_places(
    mechanism: Mechanism, file: RobotFile, source: SourceText
) -> Iterator[_Place]:
    if not file.capsule:
        return
    from robots.core.language import parse
    from robots.core.language.building import joint_axes

    moves = parse(file.description or file.robot.description or "").joints()
    axes = {f"q{number}": joint_axes(move.axis) for number, move in enumerate(moves, start=1)}
    for index, table in enumerate(file.capsule):
        path: KeyPath = ("capsule", index)
        if table.joint not in axes:
            raise source.error(
                (*path, "joint"),
                f"is {table.joint!r}, but the description has no such joint; "
                f"{nearest(table.joint, axes)}",
            )
        joint = mechanism.index(table.joint)
        yield _Place(table=table, path=path, joint=joint, axes=axes[table.joint])


def _names(mechanism: Mechanism, places: list[_Place], source: SourceText) -> list[str]:
    """Names as given, the others by default; a given name is never taken from its capsule."""
    taken: set[str] = set()
    for place in places:
        name = place.table.name
        if name is not None and name in taken:
            raise source.error(
                (*place.path, "name"), f"is {name!r}, as is that of another capsule; rename one."
            )
        taken |= set() if name is None else {name}
    return [place.table.name or unique_name(_default(mechanism, place), taken) for place in places]


def _default(mechanism: Mechanism, place: _Place) -> str:
    carrier = None if place.joint == BASE else mechanism.joints[place.joint].name
    return default_capsule_name(carrier)


def _capsule(place: _Place, name: str) -> Capsule:
    table = place.table
    start = vector(table.from_mm, metres)
    end = start if table.to_mm is None else vector(table.to_mm, metres)
    return Capsule(
        name=name,
        joint=place.joint,
        start=place.axes.T @ start,
        end=place.axes.T @ end,
        radius=metres(table.radius_mm),
    )


def _pairs(
    mechanism: Mechanism, file: RobotFile, source: SourceText
) -> tuple[tuple[int, int], ...]:
    names = [capsule.name for capsule in mechanism.capsules]
    carriers = [capsule.joint for capsule in mechanism.capsules]
    found = []
    for number, pair in enumerate(file.robot.self_collision or ()):
        for name in pair:
            if name not in names:
                raise source.error(
                    (*PAIRS_KEY, number),
                    f"names {name!r}, but no capsule has this name; {nearest(name, names)}",
                )
        a, b = (names.index(name) for name in pair)
        if carriers[a] == carriers[b]:
            raise source.error(
                (*PAIRS_KEY, number),
                f"names {pair[0]!r} and {pair[1]!r}, which do not move against each other; remove "
                "the pair.",
            )
        found.append((a, b))
    return tuple(found)
