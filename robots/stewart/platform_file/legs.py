"""Leg tables, with what all legs share, → legs in SI."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np

from robots.core.arrays import Array
from robots.core.file_units import metres, radians
from robots.core.robot_file.joint_tables import body_of, vector
from robots.core.robot_file.source_text import SourceText
from robots.core.schema_problems import KeyPath
from robots.stewart.platform import Leg, LegBodies, LegEnd

if TYPE_CHECKING:
    from robots.stewart.platform_file.schema import PlatformFile


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
    given = _Given(file, index, source)
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


class _Given:
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


def _first_axis(given: _Given, along: Array) -> Array:
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


def _stroke(given: _Given) -> tuple[float, float]:
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


def _drive(given: _Given) -> dict[str, Any]:
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


def _bodies(given: _Given) -> LegBodies:
    return LegBodies(
        **{
            name: body_of(table, given.source, given.path(key))
            for key, name in BODIES.items()
            if (table := given.value(key)) is not None
        }
    )
