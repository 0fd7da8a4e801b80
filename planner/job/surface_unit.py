"""Points and part in different units, told by the part's surface."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from parts.points import ProbePoints, SurfaceScale, surface_scale
from planner.errors import JobError
from planner.job.elements import Frame, PlacedPart
from planner.job.unit_label import UnitLabel
from robots.core.pose import inverse_pose, transform_points

if TYPE_CHECKING:
    from parts.geometry import Geometry


_ZERO = np.zeros(3)


def check_surface_unit(
    points: ProbePoints,
    geometry: Geometry | None,
    part: tuple[PlacedPart, UnitLabel],
    frame: Frame,
    label: UnitLabel,
) -> None:
    """Refuse points that lie on the part's surface only when they or the part have another unit.

    Args:
        points: of the job.
        geometry: of the part; without it nothing is known.
        part: and what says its unit.
        frame: of the points.
        label: what says their unit.

    Raises:
        JobError: they differ by the ratio of two units.
    """
    if geometry is None:
        return
    there, own = points.positions, _ZERO
    if frame == "base":
        T_part_base = inverse_pose(part[0].T_base_part)
        there, own = transform_points(T_part_base, there), T_part_base[:3, 3]
    found = surface_scale(there, geometry, own)
    if found is not None:
        told = label.doubt(found.factor)
        doubts = [f"The points are {told}"] if told else []
        # About the part's own origin a wrong unit of the part looks the same.
        doubts += _of_part(part[1], geometry, found) if frame == "part" else []
        raise _off(found, geometry, label, doubts)
    if frame == "base":
        found = surface_scale(there, geometry, _ZERO)
        if found is not None:
            raise _off(found, geometry, label, _of_part(part[1], geometry, found))


def _of_part(label: UnitLabel, geometry: Geometry, found: SurfaceScale) -> list[str]:
    told = label.doubt(1.0 / found.factor, verb="looks")
    return [f"{geometry.source} is {told} ({label.place})"] if told else []


def _off(found: SurfaceScale, geometry: Geometry, label: UnitLabel, doubts: list[str]) -> JobError:
    how, factor = ("multiplied", found.factor)
    if factor < 1.0:
        how, factor = "divided", 1.0 / factor
    fix = ", or ".join(doubts) or "Correct the unit of the one that is wrong"
    return label.error(
        f"the points and {geometry.source} are off by a factor of {factor:.4g}: {found.as_given} "
        f"of {found.asked} points lie on the part's surface as they are, {found.scaled} when "
        f"{how} by {factor:.4g}. {fix}.",
        geometry=geometry.source,
        factor=found.factor,
    )
