"""``palpeur stewart list`` and ``show``: the library, and one platform."""

from __future__ import annotations

import numpy as np

from planner.cli.exit_codes import ExitCode
from planner.cli.output import FORMAT, bold, number, print_json, print_table
from robots.stewart.inverse import lengths
from robots.stewart.library import load, names, open_platform
from robots.stewart.platform import Leg, Platform
from robots.stewart.platform_file import warnings, write_toml
from robots.stewart.singularity import conditioning

_BODIES = ("cross", "cylinder", "piston", "end_cross", "end")


def print_list(*, as_json: bool) -> int:
    """Print names and sources of the library's platforms."""
    platforms = [(name, load(name)) for name in names()]
    if as_json:
        rows = [{"name": name, "source": platform.source} for name, platform in platforms]
        print_json({"format": FORMAT, "robots": rows})
    else:
        print_table(("name", "source"), [(name, p.source) for name, p in platforms])
    return ExitCode.DONE


def print_platform(robot: str, *, as_json: bool, as_toml: bool) -> int:
    """Print one platform as a table, a document or a file.

    Raises:
        RobotError: no such platform, or a file that is not one.
    """
    platform = open_platform(robot)
    if as_toml:
        print(write_toml(platform), end="")
    elif as_json:
        print_json(platform_document(platform))
    else:
        _print_text(platform)
    return ExitCode.DONE


def platform_document(platform: Platform) -> dict[str, object]:
    """What JSON tells of a platform, in SI."""
    return {
        "format": FORMAT,
        "name": platform.name,
        "source": platform.source,
        "home": platform.home,
        "gravity_m_s2": platform.gravity,
        "platform_mass_kg": platform.body.mass,
        "condition_at_home": float(conditioning(platform, platform.home).condition),
        "legs": [
            _leg(leg, length)
            for leg, length in zip(platform.legs, lengths(platform, platform.home), strict=True)
        ],
        "warnings": list(warnings(platform)),
    }


def _leg(leg: Leg, length: float) -> dict[str, object]:
    return {
        "name": leg.name,
        "end": leg.end.value,
        "base_m": leg.base,
        "platform_m": leg.platform,
        "length_at_home_m": length,
        "min_length_m": leg.min_length,
        "max_length_m": leg.max_length,
        "max_speed_m_s": leg.max_speed,
        "max_acceleration_m_s2": leg.max_acceleration,
        "max_force_n": leg.max_force,
        "base_cone_rad": leg.base_cone,
        "platform_cone_rad": leg.platform_cone,
        "radius_m": leg.radius,
        "coulomb_n": leg.coulomb,
        "viscous_n_s_m": leg.viscous,
        "mass_kg": _mass(leg),
    }


def _mass(leg: Leg) -> float:
    return float(sum(getattr(leg.bodies, name).mass for name in _BODIES))


def _print_text(platform: Platform) -> None:
    print(bold(platform.name))
    if platform.source:
        print(platform.source)
    home = 1e3 * platform.home[:3, 3]
    condition = float(conditioning(platform, platform.home).condition)
    print(f"home at {', '.join(map(number, home))} mm, condition {number(condition)}")
    print(f"platform {number(platform.body.mass)} kg")
    rows = []
    for leg, length in zip(platform.legs, lengths(platform, platform.home), strict=True):
        points = (*leg.base, *leg.platform, length, leg.min_length, leg.max_length)
        drive = (leg.max_speed, leg.max_acceleration, leg.max_force, _mass(leg))
        cells = [*(1e3 * np.array(points)).tolist(), *drive]
        rows.append([leg.name, *(_limit(value) for value in cells)])
    heads = ("Ax", "Ay", "Az", "Bx", "By", "Bz", "home", "min", "max")
    drive_heads = ("m/s", "m/s²", "N", "kg")
    print_table(("leg", *(f"{head} mm" for head in heads), *drive_heads), rows)
    for warning in warnings(platform):
        print(f"warning: {warning}")


def _limit(value: float) -> str:
    """A number; a dash where there is no limit."""
    return f"{value:.6g}" if np.isfinite(value) else "-"
