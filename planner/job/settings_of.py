"""Tables of a job file → its settings, in SI, with what only the whole job can tell."""

from __future__ import annotations

from decimal import Decimal
from difflib import get_close_matches
from typing import TYPE_CHECKING

import numpy as np

from parts.points import ProbePoints
from planner.job.job_text import JobText
from planner.job.settings import Checks, PlaceSettings, Probe, ProbeBody, Travel
from robots.core.arrays import Array
from robots.core.file_units import metres, radians
from robots.core.mechanism import Mechanism
from robots.core.robot_file.joint_tables import vector

if TYPE_CHECKING:
    from planner.job.schema import ChecksTable, JobFile, PlaceTable, ProbeCapsuleTable


_SHANK = Decimal("0.6")  # of the ball's diameter: what styli of this size have
_LOCKED = ("travel", "locked")


def probe_of(file: JobFile, source: JobText) -> Probe:
    """``[probe]``.

    Raises:
        JobError: a shank thicker than the ball, which would touch first; a name twice.
    """
    table = file.probe
    ball, shank = table.ball_diameter_mm, table.shank_diameter_mm
    if shank is not None and shank > ball:
        raise source.error(
            ("probe", "shank_diameter_mm"),
            f"is {shank}, above ball_diameter_mm = {ball}: the shank would touch before the ball. "
            "Give at most the ball's diameter.",
            found=shank,
            limit=ball,
        )
    com = table.stylus_length_mm / 2 if table.com_mm is None else table.com_mm
    return Probe(
        stylus_length=metres(table.stylus_length_mm),
        ball_diameter=metres(ball),
        compensated=file.points.compensated is not False,
        shank_diameter=metres(_SHANK * ball if shank is None else shank),
        mass=float(table.mass_kg),
        com=metres(com),
        bodies=_bodies(table.capsule, source),
    )


def _bodies(tables: tuple[ProbeCapsuleTable, ...], source: JobText) -> tuple[ProbeBody, ...]:
    bodies: list[ProbeBody] = []
    for place, table in enumerate(tables):
        name = table.name or f"probe {place + 1}"
        if any(body.name == name for body in bodies):
            raise source.error(
                ("probe", "capsule", place), f"is called {name!r}, as an earlier one; rename it."
            )
        start, end = (vector(ends, metres) for ends in (table.from_mm, table.to_mm))
        radius = metres(table.radius_mm)
        bodies.append(ProbeBody(name=name, start=start, end=end, radius=radius))
    return tuple(bodies)


def travel_of(file: JobFile, points: ProbePoints, source: JobText) -> Travel:
    """``[travel]``.

    Raises:
        JobError: plane and cube together, a cube without a part, a detour by plane without one;
            locked points that do not exist, stand twice, or contradict order or groups.
    """
    table = file.travel
    _check_detour(file, source)
    _check_order(file, source)
    _check_locked(file, points, source)
    plane, cube = table.clearance_plane_mm, table.clearance_cube_mm
    return Travel(
        law=table.law,
        order=table.order,
        clearance_plane=None if plane is None else metres(plane),
        clearance_cube=None if cube is None else metres(cube),
        detour=table.detour,
        group=table.group,
        locked=table.locked,
        seed=table.seed,
        search=table.search,
    )


def _check_detour(file: JobFile, source: JobText) -> None:
    table = file.travel
    plane, cube = table.clearance_plane_mm, table.clearance_cube_mm
    if plane is not None and cube is not None:
        raise source.error(
            ("travel", "clearance_cube_mm"),
            "stands beside clearance_plane_mm; give one of the two.",
        )
    if cube is not None and file.part.geometry is None:
        raise source.error(
            ("travel", "clearance_cube_mm"),
            "is the offset of the part's box, but the job has no part.geometry; give it, or "
            "clearance_plane_mm.",
        )
    if table.detour == "plane" and plane is None and cube is None:
        raise source.error(
            ("travel", "detour"),
            'is "plane", but there is none; give clearance_plane_mm or clearance_cube_mm.',
        )


def _check_order(file: JobFile, source: JobText) -> None:
    table = file.travel
    if table.order != "as-given":
        return
    for key, given in (("group", table.group != "none"), ("locked", bool(table.locked))):
        if given:
            raise source.error(
                ("travel", key),
                'binds an order that is looked for, but order is "as-given", which keeps the order '
                'of the points already; set order = "fastest", or remove the key.',
            )


def _check_locked(file: JobFile, points: ProbePoints, source: JobText) -> None:
    feature = dict(zip(points.names, points.features, strict=True))
    seen: set[str] = set()
    for place, names in enumerate(file.travel.locked):
        if len(names) < 2:
            raise source.error(
                _LOCKED,
                f"has list {place} with {len(names)} names; give two or more, or remove it.",
            )
        for name in names:
            if name not in feature:
                raise source.error(_LOCKED, f"names {name!r}, {_unknown(name, points.names)}")
            if name in seen:
                raise source.error(_LOCKED, f"names {name!r} twice; each point stands in one list.")
            seen.add(name)
        features = sorted({feature[name] for name in names})
        if file.travel.group == "feature" and len(features) > 1:
            raise source.error(
                _LOCKED,
                f"has list {place} with points of {len(features)} features "
                f'({", ".join(map(repr, features[:5]))}), but group is "feature"; keep each list '
                'within one feature, or set group = "none".',
            )


def _unknown(name: str, names: tuple[str, ...]) -> str:
    close = get_close_matches(name, names, n=1, cutoff=0.6)
    advice = f"did you mean {close[0]!r}?" if close else f"the first one is {names[0]!r}."
    return f"which is no point of the job; {advice}"


def checks_of(table: ChecksTable, mechanism: Mechanism, source: JobText) -> Checks:
    """``[checks]``.

    Raises:
        JobError: torque limits of another number of joints.
    """
    return Checks(
        joint_margin=radians(table.joint_margin_deg),
        clearance=metres(table.clearance_mm),
        torque_limits=_torque_limits(table, mechanism, source),
    )


def _torque_limits(table: ChecksTable, mechanism: Mechanism, source: JobText) -> Array:
    """The job's limits, or else the robot's own, which are infinite where it gives none. # (n,)."""
    given = table.torque_limits_nm
    if not given:
        return mechanism.max_effort
    if len(given) != mechanism.dof:
        raise source.error(
            ("checks", "torque_limits_nm"),
            f"has {len(given)} entries; expected {mechanism.dof}, one for each joint of "
            f"{mechanism.name}, or none.",
            found=len(given),
            expected=mechanism.dof,
        )
    return np.array([float(limit) for limit in given])


def place_of(table: PlaceTable) -> PlaceSettings:
    """``[place]``."""
    spans = (table.range_mm.x, table.range_mm.y, table.range_mm.z)
    return PlaceSettings(
        shift=np.array([[metres(end) for end in span] for span in spans]),
        yaw=np.array([radians(end) for end in table.yaw_deg]),
        full=table.full,
        goal=table.goal,
        seed=table.seed,
    )
