"""``palpeur stewart workspace``: a level slice, and how the platform can tilt in its middle."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from planner.cli.exit_codes import ExitCode
from planner.cli.output import FORMAT, Form, number, print_csv, print_json, write_file
from planner.cli.stewart.pose_text import pose_of
from planner.errors import OptionError
from robots.stewart.library import open_platform
from robots.stewart.limits import pose_limits
from robots.stewart.workspace import WorkspaceSlice, orientation_slice, position_slice


def print_slices(robot: str, at: str, z_mm: float | None, out: str, form: Form) -> int:
    """Print both slices, and draw them where a folder is given.

    Raises:
        RobotError: a platform that is none.
        OptionError: a height that is not a number.
        OutputError: the folder cannot be written.
    """
    if z_mm is not None and not np.isfinite(z_mm):
        raise OptionError(f"--z is {z_mm} mm; give a finite height.")
    platform = open_platform(robot)
    limits = pose_limits(platform)
    pose = pose_of(at, "--at", platform).copy()
    if z_mm is not None:
        pose[2, 3] = 1e-3 * z_mm
    place = position_slice(limits, float(pose[2, 3]), rotation=pose[:3, :3])
    tilt = orientation_slice(limits, position=pose[:3, 3])
    if out:
        from reports.figures.stewart_workspace import stewart_workspace_image

        for kind in ("png", "svg"):
            image = stewart_workspace_image(place, tilt, platform.name, kind)
            write_file(Path(out) / f"workspace.{kind}", image)
    if form.json:
        print_json(
            {
                "format": FORMAT,
                "robot": platform.name,
                "z_m": pose[2, 3],
                "position": {**_document(place), "area_m2": place.area},
                "orientation": _document(tilt),
            }
        )
    elif form.csv:
        print_csv(["slice", "first", "second", "unit", "stopped_by"], _rows(place, tilt))
    else:
        print(f"{platform.name}: slice at z = {number(1e3 * pose[2, 3])} mm")
        print(f"area {number(place.area)} m², known to {number(place.area_doubt)} m²")
        degrees = np.degrees(tilt.reach)
        print(f"tilt there up to {number(degrees.min())} … {number(degrees.max())} deg")
    return ExitCode.FAILED if place.empty else ExitCode.DONE


def _document(shown: WorkspaceSlice) -> dict[str, object]:
    return {
        "unit": shown.unit,
        "centre": shown.centre,
        "reach": shown.reach,
        "boundary": shown.points,
        "stopped_by": _stops(shown),
    }


def _rows(*slices: WorkspaceSlice) -> list[list[object]]:
    return [
        ["position" if shown.unit == "m" else "orientation", *point, shown.unit, stop]
        for shown in slices
        for point, stop in zip(shown.points.tolist(), _stops(shown), strict=True)
    ]


def _stops(shown: WorkspaceSlice) -> list[str]:
    """What each ray meets; empty where the search ended."""
    told = [f"{column.where}: {column.limit.value}" for column in shown.columns]
    return [told[k] if k >= 0 else "" for k in shown.stopped_by.tolist()]
