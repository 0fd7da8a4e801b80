"""Slices of a platform's workspace as JSON and as CSV, in SI."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass

from robots.core.arrays import Array
from robots.stewart.limits import pose_limits
from robots.stewart.platform import Platform
from robots.stewart.workspace import WorkspaceSlice, orientation_slice, position_slice

FORMAT = 1
_HEADERS = ("slice", "x_m", "y_m", "z_m", "tilt_x_rad", "tilt_y_rad", "stopped_by")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WorkspaceSlices:
    """Where a platform can go in a level plane, and how it can tilt in one place of it.

    Args:
        name: of the platform.
        T: T_base_platform whose height and orientation the first slice has, and whose place the
            second. # (4, 4)
        position: level slice in one orientation.
        orientation: tilts in one place.
    """

    name: str
    T: Array
    position: WorkspaceSlice
    orientation: WorkspaceSlice


def workspace_slices(platform: Platform, T: Array) -> WorkspaceSlices:
    """Both slices at a pose. Args: T. # (4, 4)."""
    limits = pose_limits(platform)
    return WorkspaceSlices(
        name=platform.name,
        T=T,
        position=position_slice(limits, float(T[2, 3]), rotation=T[:3, :3]),
        orientation=orientation_slice(limits, position=T[:3, 3]),
    )


def workspace_document(shown: WorkspaceSlices) -> dict[str, object]:
    """The document of format 1."""
    return {
        "format": FORMAT,
        "robot": shown.name,
        "T": shown.T,
        "z_m": shown.T[2, 3],
        "position": {**_slice(shown.position), "area_m2": shown.position.area},
        "orientation": _slice(shown.orientation),
    }


def workspace_rows(shown: WorkspaceSlices) -> tuple[tuple[str, ...], list[list[object]]]:
    """Headers and boundary points of both slices; an empty slice has none.

    A row of the first slice has no tilt of its own, and its cells are empty; the rows of the second
    all have one place.
    """
    x, y, z = shown.T[:3, 3].tolist()
    rows: list[list[object]] = []
    if not shown.position.empty:
        told = zip(shown.position.points.tolist(), _stops(shown.position), strict=True)
        rows += [["position", *point, z, "", "", stop] for point, stop in told]
    if not shown.orientation.empty:
        told = zip(shown.orientation.points.tolist(), _stops(shown.orientation), strict=True)
        rows += [["orientation", x, y, z, *tilt, stop] for tilt, stop in told]
    return _HEADERS, rows


def workspace_csv(shown: WorkspaceSlices) -> str:
    """The boundary points as a file; numbers read back to the same doubles."""
    headers, rows = workspace_rows(shown)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(headers)
    writer.writerows(rows)
    return text.getvalue()


def _slice(shown: WorkspaceSlice) -> dict[str, object]:
    return {
        "unit": shown.unit,
        "centre": shown.centre,
        "reach": shown.reach,
        "boundary": shown.points,
        "stopped_by": _stops(shown),
    }


def _stops(shown: WorkspaceSlice) -> list[str]:
    """What each ray meets; empty where the search ended."""
    told = [f"{column.where}: {column.limit.value}" for column in shown.columns]
    return [told[k] if k >= 0 else "" for k in shown.stopped_by.tolist()]
