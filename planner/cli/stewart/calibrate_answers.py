"""``palpeur stewart calibrate``: the 42 parameters that measured poses and lengths tell."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from planner.cli.exit_codes import ExitCode
from planner.cli.output import FORMAT, Form, print_csv, print_json, print_table
from planner.cli.session import Session
from planner.result_files import check_file, write_result
from planner.tables import LENGTHS, length_columns, pose_columns, poses_of, read_table
from robots.stewart.calibration import Calibration, calibrate
from robots.stewart.library import open_platform
from robots.stewart.platform import Platform
from robots.stewart.platform_file import write_toml

_COMMAND = "palpeur stewart calibrate"
_NAMES = ("ax", "ay", "az", "bx", "by", "bz", "offset")


def print_calibration(robot: str, measured: str, out: str, form: Form, session: Session) -> int:
    """Identify, print, and write the corrected platform file.

    Raises:
        RobotError: a platform that is none; poses that do not tell the parameters apart.
        StatesError: a table that cannot be read.
        OutputError: the file cannot be written, or is somebody else's.
    """
    if out:
        check_file(
            Path(out), _COMMAND, [robot, measured], force=session.force
        )  # before the work, not after it
    platform = open_platform(robot)
    table = read_table(measured, pose_columns() | length_columns())
    found = calibrate(platform, poses_of(table), table.require(LENGTHS, "calibration"))
    if out:
        text = write_toml(found.applied_to(platform))
        write_result(Path(out), text, _COMMAND, comment="# {}", force=session.force)
        session.say(
            f"corrected platform written to {out}; the offsets belong to the "
            "controller, which adds them to its readings"
        )
    rows = _rows(platform, found)
    if form.json:
        print_json(_document(platform, found, len(table)))
    elif form.csv:
        print_csv(["leg", "parameter", "value_m", "deviation_m"], rows)
    else:
        cells = [(leg, name, f"{1e3 * v:.6f}", f"{1e3 * d:.2g}") for leg, name, v, d in rows]
        print_table(("leg", "parameter", "value mm", "deviation mm"), cells)
        print(f"residuals {1e3 * found.residual_rms:.4g} mm RMS over {len(table)} poses")
        print(
            f"condition {found.condition:.4g}, largest correction {1e3 * found.correction:.4g} mm"
        )
    return ExitCode.DONE


def _rows(platform: Platform, found: Calibration) -> list[tuple[str, str, float, float]]:
    return [
        (leg.name, name, float(found.parameters[k, place]), float(found.deviations[k, place]))
        for k, leg in enumerate(platform.legs)
        for place, name in enumerate(_NAMES)
    ]


def _document(platform: Platform, found: Calibration, count: int) -> dict[str, object]:
    return {
        "format": FORMAT,
        "robot": platform.name,
        "poses": count,
        "parameters": int(np.size(found.parameters)),
        "residual_rms_m": found.residual_rms,
        "condition": found.condition,
        "correction_m": found.correction,
        "iterations": found.iterations,
        "legs": [
            {
                "name": leg.name,
                "base_m": found.base[k],
                "platform_m": found.platform[k],
                "offset_m": found.offsets[k],
                "deviations_m": found.deviations[k],
            }
            for k, leg in enumerate(platform.legs)
        ],
    }
