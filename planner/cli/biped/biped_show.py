"""``palpeur biped list`` and ``show``: the library, and one robot."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from planner.cli.biped.known_drives import KnownDrives, known_drives
from planner.cli.exit_codes import ExitCode
from planner.cli.output import FORMAT, bold, number, print_json, print_table
from robots.biped.biped import Biped
from robots.biped.library import biped_names, open_biped, text_of
from robots.biped.posture.standing import stand
from robots.core.transmission.drives import Drives


def print_list(*, as_json: bool) -> int:
    """Print names, joints and sources of the library's bipeds."""
    bipeds = [(name, open_biped(name)) for name in biped_names()]
    if as_json:
        rows = [
            {"name": name, "joints": biped.mechanism.dof, "source": biped.source}
            for name, biped in bipeds
        ]
        print_json({"format": FORMAT, "robots": rows})
    else:
        cells = [(name, str(biped.mechanism.dof), biped.source) for name, biped in bipeds]
        print_table(("name", "joints", "source"), cells)
    return ExitCode.DONE


def print_biped(robot: str, *, as_json: bool, as_toml: bool) -> int:
    """Print one robot as a table, a document or a file.

    Raises:
        RobotError: no such robot, or a file that is not one.
    """
    biped, known = open_biped(robot), known_drives(robot)
    if as_toml:
        library = robot in biped_names()
        print(text_of(robot) if library else Path(robot).read_text(encoding="utf-8"), end="")
    elif as_json:
        print_json(biped_document(biped, known))
    else:
        _print_text(biped, known)
    return ExitCode.DONE


def biped_document(biped: Biped, known: KnownDrives) -> dict[str, object]:
    """What JSON tells of a biped, in SI; its balance is that of its standing posture."""
    standing = stand(biped, np.asarray(biped.q_standing))
    mechanism, stops = biped.mechanism, np.asarray(biped.q_stops)
    return {
        "format": FORMAT,
        "name": biped.name,
        "source": biped.source,
        "mass_kg": mechanism.total_mass,
        "com_m": standing.com[0],
        "support_m": standing.support[0].corners,
        "margin_m": float(standing.margin[0]),
        "T_world_base": biped.T_world_base,
        "feet": [
            {"name": foot.name, "link": foot.link, "sole_m": foot.sole} for foot in biped.feet
        ],
        "joints": [
            {
                "name": joint.name,
                "standing_rad": float(np.asarray(biped.q_standing)[k]),
                "min_rad": joint.q_min,
                "max_rad": joint.q_max,
                "stop_min_rad": float(stops[0, k]),
                "stop_max_rad": float(stops[1, k]),
                "max_speed_rad_s": joint.max_speed,
                "max_torque_nm": joint.max_effort,
            }
            for k, joint in enumerate(mechanism.movable)
        ],
        "transmissions": [_told(one) for one in _driven(biped, known.drives)],
        "warnings": _warnings(biped, known),
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class _Driven:
    """One transmission at the standing posture.

    Args:
        joints: names.
        motors: names.
        rotors: inertia of each motor's rotor. [kg m²]
        added: to each joint's inertia by the rotors. [kg m²]
    """

    joints: tuple[str, ...]
    motors: tuple[str, ...]
    rotors: tuple[float, ...]
    added: tuple[float, ...]


def _driven(biped: Biped, drives: Drives | None) -> list[_Driven]:
    if drives is None:
        return []
    names = [joint.name for joint in biped.mechanism.movable]
    q = np.asarray(biped.q_standing)[[names.index(name) for name in drives.joints]]
    added = dict(zip(drives.joints, np.diagonal(drives.reflected_inertia(q)).tolist(), strict=True))
    rotors = dict(zip(drives.motors, drives.rotor_inertias.tolist(), strict=True))
    return [
        _Driven(
            joints=one.joints,
            motors=one.motors,
            rotors=tuple(rotors[motor] for motor in one.motors),
            added=tuple(added[joint] for joint in one.joints),
        )
        for one in drives.transmissions
    ]


def _told(one: _Driven) -> dict[str, object]:
    return {
        "joints": one.joints,
        "motors": one.motors,
        "rotor_inertia_kg_m2": one.rotors,
        "added_inertia_kg_m2": one.added,
    }


def _warnings(biped: Biped, known: KnownDrives) -> list[str]:
    return [*biped.mechanism.warnings(), *([known.reason] if known.reason else [])]


def _print_text(biped: Biped, known: KnownDrives) -> None:
    standing = stand(biped, np.asarray(biped.q_standing))
    print(bold(biped.name))
    for source in filter(None, (biped.mechanism.source, biped.source)):
        print(source)
    com = ", ".join(f"{x:.2f}" for x in (1e3 * standing.com[0]).tolist())
    print(
        f"{number(biped.mechanism.total_mass)} kg, centre of mass {com} mm, standing "
        f"{1e3 * standing.margin[0]:.1f} mm inside its support polygon"
    )
    for foot in biped.feet:
        sole = 1e3 * (foot.sole.max(axis=0) - foot.sole.min(axis=0))
        carrier = foot.link or "the base"
        print(f"foot {foot.name} on {carrier}: {', '.join(map(number, sorted(sole)[1:]))} mm")
    _print_joints(biped, _driven(biped, known.drives))
    for warning in _warnings(biped, known):
        print(f"warning: {warning}")


def _print_joints(biped: Biped, driven: list[_Driven]) -> None:
    stops = np.degrees(np.asarray(biped.q_stops))
    told = {
        joint: (", ".join(one.motors), f"{value:.4f}")
        for one in driven
        for joint, value in zip(one.joints, one.added, strict=True)
    }
    rows = [
        (
            joint.name,
            *(_limit(x) for x in np.degrees([joint.q_min, joint.q_max])),
            *(_limit(x) for x in stops[:, k]),
            *told.get(joint.name, ("-", "-")),
        )
        for k, joint in enumerate(biped.mechanism.movable)
    ]
    print_table(("joint", "min deg", "max deg", "stop", "stop", "motors", "added kg m²"), rows)


def _limit(value: float) -> str:
    """A number; a dash where there is no limit."""
    return f"{value:.5g}" if np.isfinite(value) else "-"
