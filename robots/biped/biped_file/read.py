"""Biped file (TOML) → Biped, and its drives."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from robots.biped.biped import Biped, Foot
from robots.core.arrays import Array
from robots.core.errors import RobotError, RobotFileError
from robots.core.file_units import metres, radians
from robots.core.mechanism import Mechanism
from robots.core.robot_file.joint_tables import pose_of, vector
from robots.core.robot_file.source_text import SourceText, read_text
from robots.core.schema_problems import KeyPath, Vocabulary, nearest, schema_error
from robots.library import names as robot_names
from robots.library import open_robot

if TYPE_CHECKING:
    from robots.biped.biped_file.schema import BipedFile, FootTable
    from robots.core.transmission import Drives


def load(path: Path | str) -> Biped:
    """Read a biped file from disk; a robot file's path in it starts from its folder.

    Raises:
        RobotFileError: not readable, or not a biped; the message names file, line and key.
    """
    return biped_of(read_text(Path(path)), Path(path).parent)


def load_drives(path: Path | str) -> Drives:
    """Read motors and transmissions of a biped file from disk.

    Raises:
        RobotFileError: as for ``load``; or there is no transmission.
    """
    return drives_of(read_text(Path(path)), Path(path).parent)


def read_biped(text: str, *, origin: str = "biped file") -> Biped:
    """Read a biped from TOML text; a robot file's path in it starts from the working folder.

    Args:
        text: the file's content.
        origin: the name that messages give it.

    Raises:
        RobotFileError: not a biped; the message names line and key.
    """
    return biped_of(SourceText(origin=origin, text=text), Path())


def read_drives(text: str, *, origin: str = "biped file") -> Drives:
    """Read motors and transmissions from the TOML text of a biped file.

    Raises:
        RobotFileError: as for ``read_biped``; or there is no transmission.
    """
    return drives_of(SourceText(origin=origin, text=text), Path())


def json_schema() -> dict[str, object]:
    """JSON Schema (draft 2020-12) of biped files."""
    from robots.biped.biped_file.schema import BipedFile
    from robots.core.schema_numbers import json_schema_of

    return json_schema_of(BipedFile)


def biped_of(source: SourceText, folder: Path) -> Biped:
    """The biped of a file's text.

    Raises:
        RobotFileError: not a biped.
    """
    file = _file(source)
    mechanism = _mechanism(file, source, folder)
    _check_names(file, mechanism, source)
    try:
        return Biped(
            mechanism=mechanism,
            feet=tuple(
                Foot(name=foot.name, link=foot.link, sole=_sole(foot)) for foot in file.foot
            ),
            source=file.source,
            T_world_base=pose_of(file.standing),
            q_standing=_posture(file, mechanism),
            q_stops=_stops(file, mechanism, source),
        )
    except RobotError as error:
        raise RobotFileError(f"{source.origin}: {error}", file=source.origin) from error


def drives_of(source: SourceText, folder: Path) -> Drives:
    """The drives of a file's text; a transmission works within its joints' limits.

    Raises:
        RobotFileError: not a biped, or no transmission in it.
    """
    from robots.biped.biped_file.transmissions import drives

    file = _file(source)
    mechanism = _mechanism(file, source, folder)
    _check_names(file, mechanism, source)
    return drives(file, mechanism, source)


def _file(source: SourceText) -> BipedFile:
    from pydantic import ValidationError

    from robots.biped.biped_file.schema import BipedFile

    try:
        return BipedFile.model_validate(source.document())
    except ValidationError as error:
        words = Vocabulary(root=BipedFile, entries="joint or motor")
        raise schema_error(source, error, words) from None


def _mechanism(file: BipedFile, source: SourceText, folder: Path) -> Mechanism:
    named = file.robot in robot_names() or Path(file.robot).suffix == ""
    if not named:
        _check_inside(file.robot, source, folder)
    try:
        return open_robot(file.robot if named else str(folder / file.robot))
    except RobotFileError as error:
        raise source.error(("robot",), f"cannot be read. {error}") from error


def _check_inside(name: str, source: SourceText, folder: Path) -> None:
    """Refuse a robot file outside the biped file's folder, links followed."""
    try:
        inside = (folder / name).resolve().is_relative_to(folder.resolve())
    except (OSError, ValueError, RuntimeError) as error:
        raise source.error(("robot",), f"is {name!r}, which is no usable path: {error}.") from None
    if not inside:
        raise source.error(
            ("robot",),
            f"is {name!r}, which leaves the folder of this file; move the robot file into it.",
            found=name,
        )


def _check_names(file: BipedFile, mechanism: Mechanism, source: SourceText) -> None:
    """Refuse links and joints that the robot does not have, and joints that are named twice."""
    links = [joint.name for joint in mechanism.joints]
    movable = [joint.name for joint in mechanism.movable]
    for index, foot in enumerate(file.foot):
        _check_known((("foot", index, "link"),), (foot.link,), ["", *links], source)
    standing = [("standing", "q_deg", name) for name in file.standing.q_deg]
    _check_known(standing, file.standing.q_deg, movable, source)
    stops: list[KeyPath] = [("stop", index, "joint") for index in range(len(file.stop))]
    _check_once(stops, [stop.joint for stop in file.stop], source)
    _check_known(stops, [stop.joint for stop in file.stop], movable, source)
    for key, known in (("joints", movable), ("motors", None)):
        places: list[KeyPath] = []
        found: list[str] = []
        for index, table in enumerate(file.transmission):
            places += [("transmission", index, key)] * len(table.joints)
            found += getattr(table, key)
        _check_once(places, found, source)
        _check_known(places, found, known or found, source)


def _check_known(
    places: Iterable[KeyPath], names: Iterable[str], known: list[str], source: SourceText
) -> None:
    for place, name in zip(places, names, strict=True):
        if name not in known:
            raise source.error(
                place, f"names {name!r}, which the robot does not have; {nearest(name, known)}"
            )


def _check_once(places: list[KeyPath], names: list[str], source: SourceText) -> None:
    for index, name in enumerate(names):
        if name in names[:index]:
            raise source.error(places[index], f"names {name!r} a second time; remove one.")


def _sole(foot: FootTable) -> Array:
    return np.array([vector(corner, metres) for corner in foot.sole_mm]).reshape(-1, 3)


def _posture(file: BipedFile, mechanism: Mechanism) -> Array:
    given = file.standing.q_deg
    return np.array([radians(given.get(joint.name, Decimal(0))) for joint in mechanism.movable])


def _stops(file: BipedFile, mechanism: Mechanism, source: SourceText) -> Array:
    stops = np.array([mechanism.q_min, mechanism.q_max])
    names = [joint.name for joint in mechanism.movable]
    for index, table in enumerate(file.stop):
        if table.min_rad > table.max_rad:
            raise source.error(
                ("stop", index, "min_rad"),
                f"is {table.min_rad}, above max_rad = {table.max_rad}; exchange them.",
            )
        stops[:, names.index(table.joint)] = float(table.min_rad), float(table.max_rad)
    return stops
