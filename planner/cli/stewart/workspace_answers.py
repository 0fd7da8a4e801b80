"""``palpeur stewart workspace``: a level slice, and how the platform can tilt in its middle."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from planner.cli.exit_codes import ExitCode
from planner.cli.output import Form, number, print_csv, print_json
from planner.cli.session import Session
from planner.cli.stewart.pose_text import pose_of
from planner.errors import OptionError
from reports.document_text import document_text
from reports.stewart.workspace_document import WorkspaceSlices, workspace_document, workspace_rows
from robots.stewart.library import open_platform
from robots.stewart.limits import pose_limits
from robots.stewart.workspace import orientation_slice, position_slice


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkspaceRequest:
    """What is asked.

    Args:
        robot: name or path.
        at: pose.
        z_mm: height that replaces the pose's.
        out: folder; empty for none.
        form: of the answer.
        session: for messages.
    """

    robot: str
    at: str
    z_mm: float | None
    out: str
    form: Form
    session: Session


def print_slices(request: WorkspaceRequest) -> int:
    """Find both slices, write them where a folder is given, and print them.

    Raises:
        RobotError: a platform that is none.
        OptionError: a height that is not a number.
        OutputError: the folder holds other files, or cannot be written.
    """
    if request.out:
        from planner.result_files import check_set
        from reports.stewart.workspace_set import KIND

        check_set(
            Path(request.out), KIND, force=request.session.force
        )  # before the work, not after it
    shown = _slices(request)
    document = workspace_document(shown)
    if request.out:
        _write(shown, document, request)
    if request.form.json:
        print_json(document)
    elif request.form.csv:
        print_csv(*workspace_rows(shown))
    else:
        _print_text(shown)
    return ExitCode.FAILED if shown.position.empty else ExitCode.DONE


def _slices(request: WorkspaceRequest) -> WorkspaceSlices:
    if request.z_mm is not None and not np.isfinite(request.z_mm):
        raise OptionError(f"--z is {request.z_mm} mm; give a finite height.")
    platform = open_platform(request.robot)
    limits = pose_limits(platform)
    T = pose_of(request.at, "--at", platform).copy()
    if request.z_mm is not None:
        T[2, 3] = 1e-3 * request.z_mm
    return WorkspaceSlices(
        name=platform.name,
        T=T,
        position=position_slice(limits, float(T[2, 3]), rotation=T[:3, :3]),
        orientation=orientation_slice(limits, position=T[:3, 3]),
    )


def _write(shown: WorkspaceSlices, document: dict[str, object], request: WorkspaceRequest) -> None:
    from reports.stewart.workspace_set import write_workspace_set

    write_workspace_set(
        shown, document_text(document), Path(request.out), force=request.session.force
    )
    request.session.say(f"figure, workspace.csv and workspace.json written to {request.out}")


def _print_text(shown: WorkspaceSlices) -> None:
    place, degrees = shown.position, np.degrees(shown.orientation.reach)
    print(f"{shown.name}: slice at z = {number(1e3 * shown.T[2, 3])} mm")
    print(f"area {number(place.area)} m², known to {number(place.area_doubt)} m²")
    print(f"tilt there up to {number(degrees.min())} … {number(degrees.max())} deg")
