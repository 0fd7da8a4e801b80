"""Biped files (TOML, format 1) to ``Biped`` and ``Drives``, by path or by name in the library."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from pydantic import ConfigDict, Field

from robots.biped.biped import Biped, Foot
from robots.core.arrays import Array
from robots.core.catalogue import Catalogue
from robots.core.errors import RobotError, RobotFileError
from robots.core.file_units import metres, radians
from robots.core.mechanism import Mechanism
from robots.core.robot_file.joint_tables import pose_of, vector
from robots.core.robot_file.schema import Name, PoseTable, Table
from robots.core.robot_file.source_text import SourceText, read_text
from robots.core.schema_numbers import NonNegative, Positive, Real, Triple
from robots.core.schema_problems import KeyPath, Vocabulary, nearest, schema_error
from robots.library import names as robot_names
from robots.library import open_robot

if TYPE_CHECKING:
    from robots.core.transmission.drives import Drives, Transmission

One = tuple[Name]
Two = tuple[Name, Name]
Sense = Literal[1, -1]


# ------------------------------------------------------------------------------------------ Tables
# As in robot files every key with a dimension carries its unit, and a key that is not listed here
# is an error.


class FixedRatioTable(Table):
    """A gear between one joint and one motor."""

    name: Name | None = None
    kind: Literal["fixed-ratio"]
    joints: One
    motors: One
    rotor_inertia_kg_m2: tuple[NonNegative]
    ratio: Real = Field(description="motor turns per joint turn, with its sign")


class CrankScrewTable(Table):
    """A screw whose carriage turns a crank through a rod: knee and hip."""

    name: Name | None = None
    kind: Literal["crank-screw"]
    joints: One
    motors: One
    rotor_inertia_kg_m2: tuple[NonNegative]
    pitch_mm: Real = Field(description="per motor turn; negative for a left-handed screw")
    e_mm: Real = Field(description="distance of the screw's line from the joint's axis")
    R_mm: Positive = Field(description="radius of the crank")
    rod_mm: Positive
    gamma_deg: Real = Field(description="angle of the screw in its body")
    phi_deg: Real = Field(description="angle of the crank on the joint")
    offset_deg: Real | None = Field(default=None, description="further angle of the crank")
    crank_sense: Sense = Field(default=1, description="1 where the crank's angle grows with q")
    screw_sense: Sense = Field(default=-1, description="1 where the motor's turn grows with travel")


class CardanScrewsTable(Table):
    """A universal joint moved by two screws with rods: ankle and lumbar joint."""

    name: Name | None = None
    kind: Literal["cardan-screws"]
    joints: Two = Field(description="frontal, then flexion")
    motors: Two
    rotor_inertia_kg_m2: tuple[NonNegative, NonNegative]
    pitch_mm: Real = Field(description="per motor turn; negative for a left-handed screw")
    e_mm: Real = Field(description="distance of the screws' plane from the joint's centre")
    gamma_deg: Real = Field(description="angle of the screws in their body")
    h_mm: Positive = Field(description="half the distance between the screws")
    b_mm: Real = Field(description="how far the anchors are behind the centre, along the screws")
    c_mm: Positive = Field(description="lever of the anchors across")
    d_mm: Positive = Field(description="half the distance between the anchors")
    rod_mm: Positive
    screw_sense: Sense = Field(default=-1, description="1 where the motors' turn grows with travel")


TransmissionTable = Annotated[
    FixedRatioTable | CrankScrewTable | CardanScrewsTable, Field(discriminator="kind")
]


def load(path: Path | str) -> Biped:
    """Read a biped file from disk; a robot file's path in it starts from its folder.

    Raises:
        RobotFileError: not readable, or not a biped; the message names file, line and key.
    """
    return biped_of(read_text(Path(path)), Path(path).parent)


def json_schema() -> dict[str, object]:
    """JSON Schema (draft 2020-12) of biped files."""
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
    file = _file(source)
    mechanism = _mechanism(file, source, folder)
    _check_names(file, mechanism, source)
    return drives(file, mechanism, source)


def _file(source: SourceText) -> BipedFile:
    from pydantic import ValidationError

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


# ----------------------------------------------------------------------------------- Transmissions


def drives(file: BipedFile, mechanism: Mechanism, source: SourceText) -> Drives:
    """Motors and transmissions of a file, in its order.

    Raises:
        RobotFileError: no transmission, or one that cannot work over its joints' range.
    """
    from robots.core.transmission.drives import Drives

    if not file.transmission:
        raise source.error(("transmission",), "is missing; give [[transmission]] tables.")
    made = []
    for index, table in enumerate(file.transmission):
        try:
            made.append(_transmission(table, _range(table.joints, mechanism)))
        except RobotError as error:
            raise source.error(("transmission", index), f"cannot work. {error}") from error
    inertias = [float(x) for table in file.transmission for x in table.rotor_inertia_kg_m2]
    try:
        return Drives(
            transmissions=tuple(made),
            joints=tuple(joint.name for joint in mechanism.movable),
            rotor_inertias=np.array(inertias),
            encoder_counts=file.encoder_counts,
        )
    except RobotError as error:
        raise source.error(("transmission",), f"do not fit the robot. {error}") from error


def _range(joints: tuple[str, ...], mechanism: Mechanism) -> Array:
    """Joint limits, one row per joint. # (k, 2) [rad]."""
    found = [mechanism.joints[mechanism.index(name)] for name in joints]
    return np.array([(joint.q_min, joint.q_max) for joint in found])


def _transmission(
    table: FixedRatioTable | CrankScrewTable | CardanScrewsTable, joint_range: Array
) -> Transmission:
    from robots.core.transmission.drives import FixedRatio
    from robots.core.transmission.screws import CardanScrews, CrankScrew

    if table.kind == "fixed-ratio":
        return FixedRatio(
            joint=table.joints[0],
            motor=table.motors[0],
            ratio=float(table.ratio),
            joint_range=joint_range,
        )
    if table.kind == "crank-screw":
        return CrankScrew(
            joint=table.joints[0],
            motor=table.motors[0],
            crank_sense=table.crank_sense,
            screw_sense=table.screw_sense,
            joint_range=joint_range,
            **_constants(table),
        )
    return CardanScrews(
        joints=table.joints,
        motors=table.motors,
        screw_sense=table.screw_sense,
        joint_range=joint_range,
        **_constants(table),
    )


def _constants(table: CrankScrewTable | CardanScrewsTable) -> dict[str, Any]:
    """Lengths and angles by the symbol that the key's name starts with."""
    constants = {}
    for key in type(table).model_fields:
        value = getattr(table, key)
        if value is not None and key.endswith("_mm"):
            constants[key.removesuffix("_mm")] = metres(value)
        if value is not None and key.endswith("_deg"):
            constants[key.removesuffix("_deg")] = radians(value)
    return constants


class StandingTable(PoseTable):
    """Stance of the robot on level ground: T_world_base, and its posture."""

    q_deg: dict[str, Real] = Field(default={}, description="joints that are not at zero")


class FootTable(Table):
    """One sole: a convex polygon fixed to a joint's link, or to the base."""

    name: Name
    link: str = Field(default="", description="joint that carries the foot; default: the base")
    sole_mm: tuple[Triple, ...] = Field(
        description="corners in the link's frame, counter-clockwise seen from above"
    )


class StopTable(Table):
    """A joint's stops, where they are tighter than its limits in the robot file."""

    joint: Name
    min_rad: Real
    max_rad: Real


class BipedFile(Table):
    """A whole biped file."""

    model_config = ConfigDict(title="Palpeur biped file, format 1")

    format: Literal[1]
    robot: str = Field(description="a library robot, or a robot file's path from this file")
    source: str = ""
    standing: StandingTable = StandingTable()
    encoder_counts: Annotated[int, Field(strict=True, ge=1)] = Field(
        default=4096, description="per motor turn"
    )
    foot: tuple[FootTable, ...] = Field(description="one or two")
    transmission: tuple[TransmissionTable, ...] = ()
    stop: tuple[StopTable, ...] = ()


_BIPEDS = Catalogue(package="robots.biped.library", thing="biped")
biped_names, text_of = _BIPEDS.names, _BIPEDS.text_of


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class KnownDrives:
    """Drives of a biped, or the reason why there are none.

    Args:
        drives: None where they are not known.
        reason: one sentence; empty where they are.
    """

    drives: Drives | None
    reason: str = ""


def open_biped(name_or_path: str) -> Biped:
    """A biped as users give it: a library name, or a path ending in .toml.

    Raises:
        RobotFileError: neither; or a file that cannot be read as a biped.
    """
    source, folder = _source(name_or_path)
    return biped_of(source, folder)


def open_drives(name_or_path: str) -> Drives:
    """Motors and transmissions of the same biped, in the order of its file.

    Raises:
        RobotFileError: as for ``open_biped``; or a file without transmissions.
    """
    source, folder = _source(name_or_path)
    return drives_of(source, folder)


def known_drives(robot: str) -> KnownDrives:
    """The drives of a robot whose file has been read as a biped already."""
    try:
        return KnownDrives(drives=open_drives(robot))
    except RobotFileError as error:
        return KnownDrives(drives=None, reason=error.message)


def _source(name_or_path: str) -> tuple[SourceText, Path]:
    """The file's text, and the folder that its paths start from."""
    path = _BIPEDS.path_of(name_or_path)
    if path is not None:
        return read_text(path), path.parent
    return SourceText(origin=f"{name_or_path}.toml", text=text_of(name_or_path)), Path()
