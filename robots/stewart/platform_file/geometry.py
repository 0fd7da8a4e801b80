"""Geometries that cannot carry a platform, refused with the line where they stand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from robots.core.arrays import Array
from robots.core.file_units import metres
from robots.core.robot_file.joint_tables import vector
from robots.core.robot_file.source_text import SourceText

if TYPE_CHECKING:
    from robots.stewart.platform_file.schema import PlatformFile


_SAME = 1e-9  # [m]; points nearer than this are one point
_FLAT = 1e-9  # breadth of points over their length below which they are one line


def check_geometry(file: PlatformFile, source: SourceText) -> None:
    """Refuse two legs on the same line, and points at one end that are all on one line.

    Joints may share a point at one end, as in 3-3 and 6-3 platforms.

    Raises:
        RobotFileError: with the leg, or the end, and what to move.
    """
    base = np.array([vector(leg.base_mm, metres) for leg in file.leg])
    platform = np.array([vector(leg.platform_mm, metres) for leg in file.leg])
    _check_pairs(file, base, platform, source)
    for key, points in (("base_mm", base), ("platform_mm", platform)):
        _check_spread(key, points, source)


def _check_pairs(file: PlatformFile, base: Array, platform: Array, source: SourceText) -> None:
    for k in range(len(file.leg)):
        for j in range(k):
            apart = max(
                float(np.linalg.norm(base[k] - base[j])),
                float(np.linalg.norm(platform[k] - platform[j])),
            )
            if apart < _SAME:
                raise source.error(
                    ("leg", k, "base_mm"),
                    f"and platform_mm coincide with those of leg {file.leg[j].name!r}: both legs "
                    "join the same two points, so that one of them does nothing; move one point.",
                    legs=(file.leg[j].name, file.leg[k].name),
                )


def _check_spread(key: str, points: Array, source: SourceText) -> None:
    sizes = np.linalg.svd(points - points.mean(axis=0), compute_uv=False)
    if sizes[0] < _SAME or sizes[1] < _FLAT * sizes[0]:
        what = "are one point" if sizes[0] < _SAME else "lie on one line"
        raise source.error(
            ("leg", 0, key),
            f"and those of all other legs {what}: the platform would turn freely about it; give "
            "points that span at least a plane.",
            spread_m=float(sizes[1]),
        )
