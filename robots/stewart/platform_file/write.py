"""Platform → platform file (TOML) that reads back to the same platform."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

import numpy as np

from robots.core.arrays import Array
from robots.core.body import Body
from robots.core.file_units import degrees_text, millimetres_text, number_text
from robots.core.pose import angles_zyx
from robots.stewart.platform import Leg, Platform
from robots.stewart.platform_file.legs import BODIES

_ENTRIES = {"xx": (0, 0), "yy": (1, 1), "zz": (2, 2), "xy": (0, 1), "xz": (0, 2), "yz": (1, 2)}
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
    blocks = ["format = 1", "\n".join(_stewart(platform))]
    blocks.append("\n".join(_body(platform.body, "platform")))
    blocks += ["\n".join(_leg(leg)) for leg in platform.legs]
    return "\n\n".join(block for block in blocks if block) + "\n"


def _stewart(platform: Platform) -> Iterator[str]:
    yield "[stewart]"
    yield f"name = {_text(platform.name)}"
    if platform.source:
        yield f"source = {_text(platform.source)}"
    yield f"gravity_m_s2 = {_list(platform.gravity, number_text)}"
    R, p = platform.home[:3, :3], platform.home[:3, 3]
    keys = [f"translation_mm = {_list(p, millimetres_text)}"]
    if not np.array_equal(R, np.eye(3)):
        keys.append(f"rotation_zyx_deg = {_list(angles_zyx(R).angles, degrees_text)}")
    yield f"home = {{ {', '.join(keys)} }}"


def _leg(leg: Leg) -> Iterator[str]:
    yield "[[leg]]"
    yield f"name = {_text(leg.name)}"
    yield f"base_mm = {_list(leg.base, millimetres_text)}"
    yield f"platform_mm = {_list(leg.platform, millimetres_text)}"
    yield f"first_axis = {_list(leg.first_axis, number_text)}"
    yield f'end = "{leg.end.value}"'
    for field, key, written, unsaid in _NUMBERS:
        value = float(getattr(leg, field))
        if value != unsaid:
            yield f"{key} = {written(value)}"
    yield f"base_direction = {_list(leg.base_direction, number_text)}"
    yield f"platform_direction = {_list(leg.platform_direction, number_text)}"
    for key, field in BODIES.items():
        yield from _body(getattr(leg.bodies, field), f"leg.{key}")


def _body(body: Body, table: str) -> Iterator[str]:
    if not (body.mass or np.any(body.com) or np.any(body.inertia)):
        return
    yield f"[{table}]"
    yield f"mass_kg = {number_text(body.mass)}"
    if np.any(body.com):
        yield f"com_mm = {_list(body.com, millimetres_text)}"
    if np.any(body.inertia):
        entries = (f"{key} = {number_text(body.inertia[at])}" for key, at in _ENTRIES.items())
        yield f"inertia_kg_m2 = {{ {', '.join(entries)} }}"
    yield f'at = "{body.at}"'


def _list(values: Array, written: Callable[[float], str]) -> str:
    return f"[{', '.join(written(float(value)) for value in values)}]"


def _text(value: str) -> str:
    """A TOML basic string; JSON escapes the same characters but one."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007F")
