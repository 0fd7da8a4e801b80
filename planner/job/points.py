"""``[points]`` of a job file → probe points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from parts.errors import PartError, PointsError
from parts.points import (
    Compensation,
    PointSource,
    ProbePoints,
    RawPoints,
    SurfaceScale,
    check_scale,
    read_raw_points,
    surface_points,
    surface_scale,
    with_surface_normals,
)
from planner.errors import JobError
from planner.job.elements import Frame, JobInput, PlacedPart
from planner.job.folder import JobFolder
from robots.core.arrays import Array
from robots.core.caps import Cap
from robots.core.file_units import metres
from robots.core.mechanism import JointKind, Mechanism
from robots.core.pose import inverse_pose, transform_points
from robots.core.robot_file.source_text import path_text

if TYPE_CHECKING:
    from parts.geometry import Geometry
    from planner.job.job_text import JobText
    from planner.job.part import JobGeometry
    from planner.job.schema import JobFile, PointTable

_FILE = ("points", "file")
_POINT = ("points", "point")
_ZERO = np.zeros(3)
_WORDS = {"mm": "millimetres", "m": "metres", "in": "inches", "cm": "centimetres", "ft": "feet"}
_SCALES = {"mm": 0.001, "m": 1.0, "in": 0.0254, "cm": 0.01, "ft": 0.3048}
_SAME = 1e-6  # of a unit; their ratios are farther apart


@dataclass(frozen=True, slots=True, kw_only=True)
class JobPoints:
    """The points of a job and the files they came from.

    Args:
        points: of the job.
        records: of the files.
        source: how the point file was read; None for points in the job file.
    """

    points: ProbePoints
    records: tuple[JobInput, ...]
    source: PointSource | None = None


def job_points(file: JobFile, folder: JobFolder, geometry: JobGeometry) -> JobPoints:
    """The points of a job, from its point file or its ``[[points.point]]`` tables.

    Raises:
        JobError: neither or both; a point file or a point with a fault; a ball without word on
            whether points are compensated for it; a point file that says otherwise; normals that
            are missing where no surface gives them.
    """
    table = file.points
    if table.compensated is None and file.probe.ball_diameter_mm:
        raise folder.source.error(
            ("points", "compensated"),
            f"is missing; with a ball of {file.probe.ball_diameter_mm} mm it must be said: true if "
            "the points lie on the surface, false if they are centres of the ball.",
        )
    if table.file is None and table.unit is not None:
        raise folder.source.error(
            ("points", "unit"), "is the unit of a point file, but there is none; remove it."
        )
    if table.file is None and table.format != "auto":
        raise folder.source.error(
            ("points", "format"), "is the format of a point file, but there is none; remove it."
        )
    if table.file is not None and table.point:
        raise folder.source.error(_FILE, "stands beside [[points.point]]; give one of the two.")
    if table.file is not None:
        return _of_file(table.file, file, folder, geometry)
    if not table.point:
        raise folder.source.error(
            _FILE, "is missing; give a point file, or points as [[points.point]] tables."
        )
    return JobPoints(points=_of_tables(table.point, folder), records=())


def _of_file(name: str, file: JobFile, folder: JobFolder, geometry: JobGeometry) -> JobPoints:
    content = folder.read(name, _FILE, cap=Cap.POINT_BYTES)
    unit = file.points.unit
    try:
        found = read_raw_points(
            content.raw,
            origin=content.path.name,
            unit=unit,
            format=file.points.format,
            choice="nominal",
        )
        found, told = _with_normals(found, file, geometry)
        found = _settled(found, file, folder)
        points = found.points
    except PartError as error:
        raise JobError(error.message, **error.facts) from error
    source = replace(found.source, notes=(*found.source.notes, *told))
    return JobPoints(points=points, records=(content.record,), source=source)


def _settled(found: RawPoints, file: JobFile, folder: JobFolder) -> RawPoints:
    """Points of which file and job say the same: on the surface, or centres of the job's ball."""
    if found.source.compensation is Compensation.CENTRE and found.source.ball_diameter is not None:
        found = surface_points(found)  # the ball they were measured with may be another one
    source, stated = found.source, file.points.compensated
    if source.contradictable:
        return found
    if source.compensation is Compensation.SURFACE and stated is False:
        raise folder.source.error(
            ("points", "compensated"),
            f"is false, but the points of {source.origin} lie on the surface, as {source.format} "
            "files give them; set it to true.",
        )
    if source.compensation is Compensation.CENTRE and stated is not False:
        raise folder.source.error(
            ("points", "compensated"),
            f"must be false: the coordinates of {source.origin} are centres of the ball, as "
            f"{source.format} files give them; give probe.ball_diameter_mm too.",
        )
    return found


def _with_normals(
    found: RawPoints, file: JobFile, geometry: JobGeometry
) -> tuple[RawPoints, tuple[str, ...]]:
    """Points with the part's normals where their own are missing, and what the surface says."""
    if found.has_normal.all() or file.points.frame != "part" or geometry.loaded is None:
        return found, ()
    check_scale(found, geometry.loaded)
    points, report = with_surface_normals(found, geometry.loaded)
    return found.filled(points), report.sentences()


def _of_tables(tables: Sequence[PointTable], folder: JobFolder) -> ProbePoints:
    try:
        return ProbePoints(
            names=tuple(table.name for table in tables),
            positions=np.array([[metres(v) for v in (t.x_mm, t.y_mm, t.z_mm)] for t in tables]),
            normals=np.array([[float(v) for v in (t.nx, t.ny, t.nz)] for t in tables]),
            features=tuple(table.feature for table in tables),
        )
    except PointsError as error:
        row = error.fact("row", int)
        path = (*_POINT, row) if row is not None else _POINT
        raise folder.source.error(
            path, f"cannot be used: {error.message}", **error.facts
        ) from error


# -------------------------------------------------------------------------------------- Unit guard
# A list read in metres instead of millimetres lies far beyond the robot, and fits when it is
# divided by 1000. The other way round it shrinks to a crumb at the frame's origin, and fits when
# multiplied. The rules are wide on purpose: an unreachable point is a finding of the plan, not a
# wrong unit.

_FACTOR = 1000.0
_FAR = 3.0  # reaches; half of a list this far away is no slip of the part's pose
_FITS = 1.5  # reaches; a list that fits may still have points just out of reach
_NEAR = 0.05  # reaches; nobody measures only within a twentieth of the reach from the base origin
_CRUMB = 0.5  # reaches; size, times 1000, up to which a list may be a part read too small


def check_unit(
    points: ProbePoints, part: PlacedPart, frame: Frame, mechanism: Mechanism, label: UnitLabel
) -> None:
    """Refuse a list of points that is off by a factor of 1000; ``label`` says their unit.

    Raises:
        JobError: the list does not fit the robot, but fits when scaled by 1000.
    """
    reach = reach_of(mechanism)
    if not 0.0 < reach < np.inf:
        return
    T = part.T_base_part if frame == "part" else np.eye(4)
    given = _distances(T, points.positions)
    most = 2 * np.count_nonzero(given > _FAR * reach) > len(given)
    if most and _fits(T, points.positions / _FACTOR, reach):
        raise _off(label, points, given, reach, "large")
    if _is_crumb(points, frame, reach) and _fits(T, points.positions * _FACTOR, reach):
        raise _off(label, points, given, reach, "small")


def reach_of(mechanism: Mechanism) -> float:
    """Upper bound of the distance from the base origin to the tool. [m].

    The sum of all offsets from the tool back to the base, and of the longest strokes; inf for a
    slide without limits.
    """
    reach = float(np.linalg.norm(mechanism.tool[:3, 3]))
    index = mechanism.tool_joint
    while index >= 0:
        joint = mechanism.joints[index]
        reach += float(np.linalg.norm(joint.placement[:3, 3]))
        if joint.kind is JointKind.PRISMATIC:
            reach += max(abs(joint.q_min), abs(joint.q_max))
        index = joint.parent
    return reach


def _distances(T: Array, positions: Array) -> Array:
    """Distances from the base origin. # (k,) [m]."""
    return np.asarray(np.linalg.norm(transform_points(T, positions), axis=1))


def _fits(T: Array, positions: Array, reach: float) -> bool:
    farthest = float(_distances(T, positions).max())
    return _NEAR * reach <= farthest <= _FITS * reach


def _is_crumb(points: ProbePoints, frame: Frame, reach: float) -> bool:
    """Whether the list may be a thousandth of its true size.

    In base axes the points must then hug the base origin. In part axes small lists are usual near
    the part's origin, so only a spread that no pattern of touches has counts.
    """
    if float(np.linalg.norm(points.positions, axis=1).max()) > _FITS * reach / _FACTOR:
        return False
    if frame == "base":
        return True
    spread = float(np.linalg.norm(np.ptp(points.positions, axis=0)))
    return 0.0 < spread < _CRUMB * reach / _FACTOR


def _off(label: UnitLabel, points: ProbePoints, given: Array, reach: float, size: str) -> JobError:
    spread = 1e3 * float(np.linalg.norm(np.ptp(points.positions, axis=0)))
    seen = (
        f"they lie {given.min():.4g} to {given.max():.4g} m from the robot's base"
        if size == "large"
        else f"all {len(points)} of them lie within {spread:.3g} mm of each other"
    )
    factor = _FACTOR if size == "small" else 1 / _FACTOR
    doubt = label.doubt(factor)
    fix = f"They are {doubt}." if doubt else "Correct the unit in the header or key."
    return label.error(
        f"the points are off by a factor of 1000: {seen}, and the robot reaches {reach:.4g} m. "
        f"Is the unit right? {fix}",
        key="points",
        reach=reach,
        factor=factor,
    )


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
        raise _surface_unit_off(found, geometry, label, doubts)
    if frame == "base":
        found = surface_scale(there, geometry, _ZERO)
        if found is not None:
            raise _surface_unit_off(found, geometry, label, _of_part(part[1], geometry, found))


def _of_part(label: UnitLabel, geometry: Geometry, found: SurfaceScale) -> list[str]:
    told = label.doubt(1.0 / found.factor, verb="looks")
    return [f"{geometry.source} is {told} ({label.place})"] if told else []


def _surface_unit_off(
    found: SurfaceScale, geometry: Geometry, label: UnitLabel, doubts: list[str]
) -> JobError:
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


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitLabel:
    """The unit of points or of a part, where it is said, and how to correct it.

    Args:
        file: that says it.
        line: in that file, from 1; None where it cannot be told.
        key: what says it, in the job file; empty for another file.
        unit: that is said, such as "mm".
        fix: how to say another unit, which stands in place of "{unit}"; empty where it is fixed.
    """

    file: str
    line: int | None
    key: str
    unit: str
    fix: str

    @property
    def place(self) -> str:
        """File, line and key, as messages begin with."""
        line = "" if self.line is None else f", line {self.line}"
        return f"{self.file}{line}" + (f": {self.key}" if self.key else "")

    def doubt(self, factor: float, *, verb: str = "look") -> str:
        """How the label reads and what the numbers look like; empty where no unit fits.

        Args:
            factor: by which lengths must be multiplied to be right.
            verb: that goes with what is labelled.
        """
        wanted = _SCALES.get(self.unit, 0.0) * factor
        fits = [unit for unit, scale in _SCALES.items() if abs(wanted / scale - 1.0) < _SAME]
        if not fits or not self.fix:
            return ""
        labelled, looks = _WORDS[self.unit], _WORDS[fits[0]]
        return f"labelled {labelled} and {verb} like {looks}: {self.fix.format(unit=fits[0])}"

    def error(self, sentence: str, **facts: object) -> JobError:
        """The error about points at this place."""
        return JobError(
            f"{self.place}: {sentence}", **{**facts, "file": self.file, "line": self.line}
        )


def points_label(source: JobText, file: JobFile, points: PointSource | None) -> UnitLabel:
    """Of the points of a job.

    Args:
        source: the job file, for lines.
        file: the same, read.
        points: how its point file was read; None for ``[[points.point]]``.
    """
    if points is None:
        fix = "give x_mm, y_mm and z_mm in millimetres"
        return _in_job(source, ("points", "point"), "mm", fix)
    if points.unit_line is not None:
        fix = "head the columns x_{unit}, y_{unit}, z_{unit}"
    elif file.points.unit is not None:
        return _in_job(source, ("points", "unit"), points.unit, 'set unit = "{unit}" in [points]')
    else:
        fix = f"correct the unit of {points.origin} ({points.unit_from}) to {{unit}}"
    return UnitLabel(file=points.origin, line=points.unit_line, key="", unit=points.unit, fix=fix)


def part_label(source: JobText, file: JobFile) -> UnitLabel:
    """Of the part's geometry; without a fix where the file carries its unit itself."""
    unit = file.part.unit or ""
    fix = 'set unit = "{unit}" in [part]' if unit else ""
    return _in_job(source, ("part", "unit"), unit, fix)


def _in_job(source: JobText, path: tuple[str, str], unit: str, fix: str) -> UnitLabel:
    return UnitLabel(
        file=source.origin, line=source.line_of(path), key=path_text(path), unit=unit, fix=fix
    )
