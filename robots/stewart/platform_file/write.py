"""Platform → platform file (TOML) that reads back to the same platform."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from robots.core.file_units import degrees_text, millimetres_text, number_text
from robots.core.pose import angles_zyx
from robots.core.robot_file.conversion import body_table, numbers, printed
from robots.core.robot_file.source_text import toml_text
from robots.stewart.platform import Leg, Platform
from robots.stewart.platform_file.legs import BODIES

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
