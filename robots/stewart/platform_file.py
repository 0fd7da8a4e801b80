"""Platform files (TOML, format 1) to ``Platform`` and back, their JSON Schema, and oddities."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal

import numpy as np
from pydantic import ConfigDict, Field

from robots.core.arrays import Array
from robots.core.catalogue import Catalogue
from robots.core.errors import RobotError, RobotFileError
from robots.core.file_units import degrees_text, metres, millimetres_text, number_text, radians
from robots.core.mechanism import STANDARD_GRAVITY, Body
from robots.core.pose import angles_zyx, rotation_exp
from robots.core.robot_file.conversion import body_table, numbers, printed
from robots.core.robot_file.joint_tables import body_of, pose_of, vector
from robots.core.robot_file.schema import BodyTable, Name, PoseTable, Table
from robots.core.robot_file.source_text import SourceText, read_text, toml_text
from robots.core.schema_numbers import NonNegative, Positive, Triple
from robots.core.schema_problems import KeyPath, Vocabulary, schema_error
from robots.stewart.limits import conditioning, violations
from robots.stewart.platform import LEGS, Leg, LegBodies, LegEnd, Platform, leg_vectors


def load_file(path: Path | str) -> Platform:
    """Read a platform file from disk.

    Args:
        path: of a TOML file.

    Raises:
        RobotFileError: not readable, or not a platform; the message names file, line and key.
    """
    return _platform(read_text(Path(path)))


def read_platform(text: str, *, origin: str = "platform file") -> Platform:
    """Read a platform from TOML text.

    Args:
        text: the file's content.
        origin: the name that messages give it.

    Raises:
        RobotFileError: not a platform; the message names line and key.
    """
    return _platform(SourceText(origin=origin, text=text))


def json_schema() -> dict[str, object]:
    """JSON Schema (draft 2020-12) of platform files."""
    from robots.core.schema_numbers import json_schema_of

    return json_schema_of(PlatformFile)


def _platform(source: SourceText) -> Platform:
    from pydantic import ValidationError

    try:
        file = PlatformFile.model_validate(source.document())
    except ValidationError as error:
        raise schema_error(source, error, Vocabulary(root=PlatformFile)) from None
    _check_count(file, source)
    check_geometry(file, source)
    try:
        return _built(file, source)
    except RobotFileError:
        raise
    except RobotError as error:
        raise RobotFileError(f"{source.origin}: {error}", file=source.origin) from error


def _check_count(file: PlatformFile, source: SourceText) -> None:
    if len(file.leg) != LEGS:
        raise source.error(
            ("leg",),
            f"has {len(file.leg)} tables; a Stewart-Gough platform has {LEGS} legs: give {LEGS} "
            "[[leg]] tables.",
            found=len(file.leg),
        )
    names = [leg.name for leg in file.leg]
    for index, name in enumerate(names):
        if name in names[:index]:
            raise source.error(
                ("leg", index, "name"), f"is {name!r}, as is that of another leg; rename one."
            )


def _built(file: PlatformFile, source: SourceText) -> Platform:
    table = file.stewart
    home = pose_of(table.home)
    gravity = vector(table.gravity_m_s2) if table.gravity_m_s2 else np.array(STANDARD_GRAVITY)
    body = body_of(file.platform, source, ("platform",)) if file.platform else Body()
    return Platform(
        name=table.name,
        source=table.source,
        legs=tuple(leg_of(file, index, home, source) for index in range(LEGS)),
        home=home,
        body=body,
        gravity=gravity,
    )


# ----------------------------------------------------------------------------------------- Writing

_NUMBERS: tuple[tuple[str, str, Callable[[float], str], float], ...] = (
    ("min_length", "min_mm", millimetres_text, 0.0),
    ("max_length", "max_mm", millimetres_text, np.inf),
    ("max_speed", "max_speed_m_s", number_text, np.inf),
    ("max_acceleration", "max_acceleration_m_s2", number_text, np.inf),
    ("max_force", "max_force_n", number_text, np.inf),
    ("base_cone", "base_cone_deg", degrees_text, np.pi),
    ("platform_cone", "platform_cone_deg", degrees_text, np.pi),
    ("radius", "radius_mm", millimetres_text, 0.0),
    ("coulomb", "coulomb_n", number_text, 0.0),
    ("viscous", "viscous_n_s_m", number_text, 0.0),
)


def write_toml(platform: Platform) -> str:
    """Write a platform file; every number keeps the digits that give the same double again."""
    document: dict[str, object] = {"format": 1, "stewart": _stewart(platform)}
    if body := body_table(platform.body):
        document["platform"] = body
    return toml_text({**document, "leg": [_leg(leg) for leg in platform.legs]})


def _stewart(platform: Platform) -> dict[str, object]:
    table: dict[str, object] = {"name": platform.name}
    if platform.source:
        table["source"] = platform.source
    R, p = platform.home[:3, :3], platform.home[:3, 3]
    home = {"translation_mm": numbers(p, millimetres_text)}
    if not np.array_equal(R, np.eye(3)):
        home["rotation_zyx_deg"] = numbers(angles_zyx(R).angles, degrees_text)
    return {**table, "gravity_m_s2": numbers(platform.gravity, number_text), "home": home}


def _leg(leg: Leg) -> dict[str, object]:
    table: dict[str, object] = {
        "name": leg.name,
        "base_mm": numbers(leg.base, millimetres_text),
        "platform_mm": numbers(leg.platform, millimetres_text),
        "first_axis": numbers(leg.first_axis, number_text),
        "end": leg.end.value,
    }
    for field, key, written, unsaid in _NUMBERS:
        value = float(getattr(leg, field))
        if value != unsaid:
            table[key] = printed(written(value))
    table["base_direction"] = numbers(leg.base_direction, number_text)
    table["platform_direction"] = numbers(leg.platform_direction, number_text)
    for key, field in BODIES.items():
        if body := body_table(getattr(leg.bodies, field)):
            table[key] = body
    return table


# ---------------------------------------------------------------------------------------- Oddities

# At a regular pose the smallest singular value of the scaled Jacobian is some tenths.
_SINGULAR = 1e-9
_TRIALS = 20


def warnings(platform: Platform) -> tuple[str, ...]:
    """Sentences about limits that the home pose breaks, singular geometry and unreal bodies."""
    return (*_home_limits(platform), *_singular(platform), *_unreal(platform), *_turned(platform))


def _home_limits(platform: Platform) -> Iterator[str]:
    for found in violations(platform, platform.home):
        yield f"At the home pose {found.sentence}"


def _singular(platform: Platform) -> Iterator[str]:
    smallest = conditioning(platform, platform.home).smallest
    if smallest > _SINGULAR:
        return
    poses = np.tile(platform.home, (_TRIALS, 1, 1))
    rng = np.random.default_rng(0)
    size = float(np.abs(leg_vectors(platform, platform.home)).max())
    poses[:, :3, 3] += 0.1 * size * rng.uniform(-1.0, 1.0, (_TRIALS, 3))
    poses[:, :3, :3] @= rotation_exp(rng.uniform(-0.3, 0.3, (_TRIALS, 3)))
    if np.max(conditioning(platform, poses).smallest) <= _SINGULAR:
        yield (
            "The geometry is singular at every pose (as when base and platform are similar "
            "hexagons): no leg forces can hold the platform; change the pairing of the points."
        )
    else:
        yield "The home pose is singular: no leg forces can hold the platform there; move it."


def _unreal(platform: Platform) -> Iterator[str]:
    bodies = [("the platform", platform.body)]
    for leg in platform.legs:
        for what in ("cross", "cylinder", "piston", "end_cross", "end"):
            bodies.append((f"the {what} of leg {leg.name!r}", getattr(leg.bodies, what)))
    for what, body in bodies:
        for reason in body.inconsistencies():
            yield f"No real body is like {what}: {reason}."


def _turned(platform: Platform) -> Iterator[str]:
    """Legs along their universal joint's first axis at home."""
    along = leg_vectors(platform, platform.home)
    along /= np.linalg.norm(along, axis=-1, keepdims=True)
    for leg, direction in zip(platform.legs, along, strict=True):
        if np.linalg.norm(np.cross(leg.first_axis, direction)) < 1e-6:
            yield (
                f"Leg {leg.name!r} stands along the first axis of its universal joint at home, "
                "where that joint is singular; turn the axis across the leg."
            )


# ------------------------------------------------------------------------------------------ Tables
# As in robot files every key with a dimension carries its unit, and a key that is not listed here
# is an error.


class StewartTable(Table):
    """Name, provenance, gravity and the pose in which the platform rests."""

    name: Name
    source: str = ""
    gravity_m_s2: Triple | None = Field(default=None, description="default: along -z")
    home: PoseTable = Field(description="T_base_platform at rest")


class LegProperties(Table):
    """Properties that legs may share: joints, limits, friction and bodies."""

    first_axis: Triple | None = Field(
        default=None,
        description="of the universal joint, fixed in the base; default: level, across the leg",
    )
    end: Literal["spherical", "cardan"] | None = Field(
        default=None, description="the joint at B; default: spherical"
    )
    min_mm: NonNegative | None = Field(default=None, description="shortest length, A to B")
    max_mm: Positive | None = Field(default=None, description="longest length, A to B")
    max_speed_m_s: Positive | None = None
    max_acceleration_m_s2: Positive | None = None
    max_force_n: Positive | None = None
    base_cone_deg: Positive | None = Field(
        default=None, description="largest angle between the leg and base_direction"
    )
    base_direction: Triple | None = Field(
        default=None, description="base frame, from A towards B; default: that at home"
    )
    platform_cone_deg: Positive | None = Field(
        default=None, description="largest angle between the leg and platform_direction"
    )
    platform_direction: Triple | None = Field(
        default=None, description="platform frame, from B towards A; default: that at home"
    )
    radius_mm: NonNegative | None = Field(default=None, description="of the leg as a capsule")
    coulomb_n: NonNegative | None = None
    viscous_n_s_m: NonNegative | None = None
    cross: BodyTable | None = Field(default=None, description="of the universal joint, at A")
    cylinder: BodyTable | None = Field(default=None, description="origin at A, z along the leg")
    piston: BodyTable | None = Field(default=None, description="origin at B, z from A to B")
    end_cross: BodyTable | None = Field(default=None, description="of the joint at B")
    end_body: BodyTable | None = Field(default=None, description="the last small body, at B")


class LegTable(LegProperties):
    """One leg; what it does not say is taken from ``leg_defaults``."""

    name: Name
    base_mm: Triple = Field(description="point A, base frame")
    platform_mm: Triple = Field(description="point B, platform frame")


class PlatformFile(Table):
    """A whole platform file."""

    model_config = ConfigDict(title="Palpeur platform file, format 1")

    format: Literal[1]
    stewart: StewartTable
    platform: BodyTable | None = Field(default=None, description="mass, in the platform frame")
    leg_defaults: LegProperties = LegProperties()
    leg: tuple[LegTable, ...] = Field(description="six of them")


# -------------------------------------------------------------------------------------------- Legs

# Keys of the bodies of a leg, and the names that ``LegBodies`` gives them.
BODIES = {
    "cross": "cross",
    "cylinder": "cylinder",
    "piston": "piston",
    "end_cross": "end_cross",
    "end_body": "end",
}
NO_LENGTH = 1e-9  # [m]
_ALONG = 1e-6  # sine of the angle between leg and first axis below which they are one line


def leg_of(file: PlatformFile, index: int, home: Array, source: SourceText) -> Leg:
    """The leg of a ``[[leg]]`` table.

    Args:
        file: the whole file.
        index: of the table.
        home: T_base_platform at rest, for what follows from it by default. # (4, 4)
        source: the file's text.

    Raises:
        RobotFileError: stroke limits exchanged, no length at home, a direction without length, a
            first axis along the leg.
    """
    given = _LegValues(file, index, source)
    table = file.leg[index]
    A, B = vector(table.base_mm, metres), vector(table.platform_mm, metres)
    across = home[:3, :3] @ B + home[:3, 3] - A
    length = float(np.linalg.norm(across))
    if length < NO_LENGTH:
        raise source.error(
            ("leg", index, "platform_mm"),
            f"is at the leg's own base point in the home pose: leg {table.name!r} has no length "
            "there; move one of its points, or the home pose.",
            leg=table.name,
        )
    minimum, maximum = _stroke(given)
    return Leg(
        name=table.name,
        base=A,
        platform=B,
        first_axis=_first_axis(given, across / length),
        end=LegEnd(given.value("end") or "spherical"),
        min_length=minimum,
        max_length=maximum,
        base_direction=given.direction("base_direction", across / length),
        platform_direction=given.direction(
            "platform_direction", home[:3, :3].T @ (-across / length)
        ),
        bodies=_bodies(given),
        **_drive(given),
    )


class _LegValues:
    """Values of one leg: its own, or else those that all legs share."""

    def __init__(self, file: PlatformFile, index: int, source: SourceText) -> None:
        self.tables = (file.leg[index], file.leg_defaults)
        self.roots: tuple[KeyPath, KeyPath] = (("leg", index), ("leg_defaults",))
        self.source = source

    def value(self, key: str) -> Any:
        """The key's value, or None."""
        return next((v for t in self.tables if (v := getattr(t, key)) is not None), None)

    def path(self, key: str) -> KeyPath:
        """Where the value stands."""
        own = getattr(self.tables[0], key) is not None
        return (*self.roots[0 if own else 1], key)

    def number(self, key: str, default: float) -> float:
        """A number of the file as it stands."""
        value = self.value(key)
        return default if value is None else float(value)

    def direction(self, key: str, default: Array) -> Array:
        """A direction of the file. # (3,) unit."""
        value = self.value(key)
        if value is None:
            return default
        found = vector(value)
        if np.linalg.norm(found) < NO_LENGTH:
            raise self.source.error(
                self.path(key), f"is {found.tolist()}, which has no direction; give one."
            )
        return found


def _first_axis(given: _LegValues, along: Array) -> Array:
    """Axis of the universal joint in the base; by default level and across the leg at home."""
    level = np.cross([0.0, 0.0, 1.0], along)
    size = float(np.linalg.norm(level))
    axis = given.direction("first_axis", level / size if size > _ALONG else np.array([1.0, 0, 0]))
    if np.linalg.norm(np.cross(axis, along)) < _ALONG * np.linalg.norm(axis):
        raise given.source.error(
            given.path("first_axis"),
            f"is {axis.tolist()}: along leg {given.tables[0].name!r} at home, where a universal "
            "joint is singular; turn it across the leg.",
            leg=given.tables[0].name,
        )
    return axis


def _stroke(given: _LegValues) -> tuple[float, float]:
    lower, upper = given.value("min_mm"), given.value("max_mm")
    low = Decimal(0) if lower is None else lower
    high = Decimal("Infinity") if upper is None else upper
    if low >= high:
        raise given.source.error(
            given.path("min_mm" if lower is not None else "max_mm"),
            f"is {low} mm, not below max_mm = {high} mm: leg {given.tables[0].name!r} has no "
            "stroke; exchange them or correct one.",
            value=float(low),
            limit=float(high),
            leg=given.tables[0].name,
        )
    return metres(low), metres(high)


def _drive(given: _LegValues) -> dict[str, Any]:
    """Limits, cones, radius and friction, as keywords of ``Leg``."""
    cones = {
        f"{end}_cone": math.pi if cone is None else radians(cone)
        for end in ("base", "platform")
        for cone in [given.value(f"{end}_cone_deg")]
    }
    return {
        "max_speed": given.number("max_speed_m_s", math.inf),
        "max_acceleration": given.number("max_acceleration_m_s2", math.inf),
        "max_force": given.number("max_force_n", math.inf),
        "radius": metres(given.value("radius_mm") or Decimal(0)),
        "coulomb": given.number("coulomb_n", 0.0),
        "viscous": given.number("viscous_n_s_m", 0.0),
        **cones,
    }


def _bodies(given: _LegValues) -> LegBodies:
    return LegBodies(
        **{
            name: body_of(table, given.source, given.path(key))
            for key, name in BODIES.items()
            if (table := given.value(key)) is not None
        }
    )


# ------------------------------------------------------------------------------ Refused geometries

_SAME = 1e-9  # [m]; points nearer than this are one point
_FLAT = 1e-9  # breadth of points over their length below which they are one line


def check_geometry(file: PlatformFile, source: SourceText) -> None:
    """Refuse two legs on the same line, and points at one end that are all on one line.

    Joints may share a point at one end, as in 3-3 and 6-3 platforms.

    Raises:
        RobotFileError: with the leg, or the end, and what to move.
    """
    base = np.array([vector(leg.base_mm, metres) for leg in file.leg])
    platform = np.array([vector(leg.platform_mm, metres) for leg in file.leg])
    _check_pairs(file, base, platform, source)
    for key, points in (("base_mm", base), ("platform_mm", platform)):
        _check_spread(key, points, source)


def _check_pairs(file: PlatformFile, base: Array, platform: Array, source: SourceText) -> None:
    for k in range(len(file.leg)):
        for j in range(k):
            apart = max(
                float(np.linalg.norm(base[k] - base[j])),
                float(np.linalg.norm(platform[k] - platform[j])),
            )
            if apart < _SAME:
                raise source.error(
                    ("leg", k, "base_mm"),
                    f"and platform_mm coincide with those of leg {file.leg[j].name!r}: both legs "
                    "join the same two points, so that one of them does nothing; move one point.",
                    legs=(file.leg[j].name, file.leg[k].name),
                )


def _check_spread(key: str, points: Array, source: SourceText) -> None:
    sizes = np.linalg.svd(points - points.mean(axis=0), compute_uv=False)
    if sizes[0] < _SAME or sizes[1] < _FLAT * sizes[0]:
        what = "are one point" if sizes[0] < _SAME else "lie on one line"
        raise source.error(
            ("leg", 0, key),
            f"and those of all other legs {what}: the platform would turn freely about it; give "
            "points that span at least a plane.",
            spread_m=float(sizes[1]),
        )


# ------------------------------------------------------------------------------------------ Library

_PLATFORMS = Catalogue(package="robots.stewart.library", thing="platform")
names, text_of = _PLATFORMS.names, _PLATFORMS.text_of


def load(name: str) -> Platform:
    """A platform of the library.

    Raises:
        RobotFileError: no such name.
    """
    return read_platform(text_of(name), origin=f"{name}.toml")


def open_platform(name_or_path: str) -> Platform:
    """A platform as users give it: a library name, or a path ending in .toml.

    Raises:
        RobotFileError: neither; or a file that cannot be read as a platform.
    """
    path = _PLATFORMS.path_of(name_or_path)
    return load(name_or_path) if path is None else load_file(path)
