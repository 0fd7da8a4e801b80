"""``palpeur biped list`` and ``show``: the library, and one robot."""

from __future__ import annotations

import numpy as np

from planner.cli.exit_codes import ExitCode
from planner.cli.output import FORMAT, bold, number, print_json, print_table
from robots.biped.biped import Biped
from robots.biped.library import biped_names, open_biped, open_drives, text_of
from robots.biped.standing import stand
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
    if as_toml:
        print(text_of(robot), end="")
        return ExitCode.DONE
    biped, drives = open_biped(robot), open_drives(robot)
    if as_json:
        print_json(biped_document(biped, drives))
    else:
        _print_text(biped, drives)
    return ExitCode.DONE


def biped_document(biped: Biped, drives: Drives) -> dict[str, object]:
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
        "transmissions": list(_transmissions(biped, drives)),
        "warnings": list(mechanism.warnings()),
    }


def _transmissions(biped: Biped, drives: Drives) -> list[dict[str, object]]:
    """Motors, rotors and what these add at the standing posture."""
    names = [joint.name for joint in biped.mechanism.movable]
    q = np.asarray(biped.q_standing)[[names.index(name) for name in drives.joints]]
    added = np.diagonal(drives.reflected_inertia(q))
    return [
        {
            "joints": list(one.joints),
            "motors": list(one.motors),
            "rotor_inertia_kg_m2": [
                float(drives.rotor_inertias[drives.motors.index(motor)]) for motor in one.motors
            ],
            "added_inertia_kg_m2": [
                float(added[drives.joints.index(joint)]) for joint in one.joints
            ],
        }
        for one in drives.transmissions
    ]


def _print_text(biped: Biped, drives: Drives) -> None:
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
    stops = np.degrees(np.asarray(biped.q_stops))
    motors = {joint: ", ".join(one.motors) for one in drives.transmissions for joint in one.joints}
    added = {
        joint: value
        for one in _transmissions(biped, drives)
        for joint, value in zip(one["joints"], one["added_inertia_kg_m2"], strict=True)  # type: ignore[call-overload]
    }
    rows = [
        (
            joint.name,
            *(_limit(x) for x in np.degrees([joint.q_min, joint.q_max])),
            *(_limit(x) for x in stops[:, k]),
            motors[joint.name],
            f"{added[joint.name]:.4f}",
        )
        for k, joint in enumerate(biped.mechanism.movable)
    ]
    print_table(("joint", "min deg", "max deg", "stop", "stop", "motors", "added kg m²"), rows)
    for warning in biped.mechanism.warnings():
        print(f"warning: {warning}")


def _limit(value: float) -> str:
    """A number; a dash where there is no limit."""
    return f"{value:.5g}" if np.isfinite(value) else "-"
