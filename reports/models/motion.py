"""Answers of ``palpeur motion``: timed laws, motions of joints and along straight lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from reports.answers import FORMAT, bold, finite, number, table_lines
from robots.core.arrays import Array
from robots.core.motion.joint_limits import JointLimits
from robots.core.motion.least_time import LeastTime
from robots.core.motion.straight_line import StraightLine

_POSE_HEADERS = [f"T{row}{column}" for row in (1, 2, 3) for column in (1, 2, 3, 4)]
_RATE_HEADERS = [
    *("vx_m_s", "vy_m_s", "vz_m_s", "wx_rad_s", "wy_rad_s", "wz_rad_s"),
    *("ax_m_s2", "ay_m_s2", "az_m_s2", "wdx_rad_s2", "wdy_rad_s2", "wdz_rad_s2"),
]


def laws_document(times: Sequence[LeastTime]) -> dict[str, object]:
    """Minimum time of every law, as in [LAMMARI12] Tableau 4, in JSON."""
    rows = [{"law": t.law.name, "duration_s": t.duration, "binding": _bindings(t)} for t in times]
    return {"format": FORMAT, "laws": rows}


def laws_lines(times: Sequence[LeastTime]) -> Iterator[str]:
    """The same for a terminal."""
    rows = [(t.law.name, f"{t.duration:.4f}", ", ".join(_bindings(t)) or "-") for t in times]
    yield from table_lines(("law", "duration s", "bound by"), rows)


# --- joints --------------------------------------------------------------------------------------


def joint_motion_document(found: LeastTime, start: Array, limits: JointLimits) -> dict[str, object]:
    """A synchronised motion of joints in JSON."""
    motion = found.motion(start)
    rows = zip(
        limits.names,
        limits.units,
        found.displacement,
        motion.peak_velocity,
        motion.peak_acceleration,
        motion.peak_jerk,
        strict=True,
    )
    return {
        "format": FORMAT,
        **_law(found),
        "joints": [
            {
                "name": name,
                f"displacement_{unit}": displacement,
                f"peak_velocity_{unit}_s": velocity,
                f"peak_acceleration_{unit}_s2": acceleration,
                f"peak_jerk_{unit}_s3": finite(jerk),
            }
            for name, unit, displacement, velocity, acceleration, jerk in rows
        ],
    }


def joint_motion_lines(found: LeastTime, start: Array, limits: JointLimits) -> Iterator[str]:
    """The same for a terminal."""
    yield from _law_lines(found)
    motion = found.motion(start)
    columns = (found.displacement, motion.peak_velocity, motion.peak_acceleration, motion.peak_jerk)
    rows = [
        (name, unit, *(number(x) for x in values))
        for name, unit, *values in zip(limits.names, limits.units, *columns, strict=True)
    ]
    peaks = ("peak speed /s", "peak accel. /s²", "peak jerk /s³")
    yield from table_lines(("joint", "unit", "displacement", *peaks), rows)


def joint_motion_table(
    found: LeastTime, start: Array, limits: JointLimits, t: Array
) -> tuple[list[str], list[list[float]]]:
    """Headers and samples at some instants. Args: t. # (k,) [s]."""
    motion = found.motion(start)
    headers = [
        f"{group}{k}_{unit}{per}"
        for group, per in (("q", ""), ("qd", "_s"), ("qdd", "_s2"))
        for k, unit in enumerate(limits.units, start=1)
    ]
    values = np.hstack([motion.position(t), motion.velocity(t), motion.acceleration(t)])
    return ["t_s", *headers], np.column_stack([t, values]).tolist()


# --- straight lines ------------------------------------------------------------------------------


def line_motion_document(found: LeastTime, line: StraightLine) -> dict[str, object]:
    """A motion along a straight line in JSON."""
    ends = {"distance_m": line.distance, "angle_rad": line.angle}
    return {"format": FORMAT, **_law(found), **ends}


def line_motion_lines(found: LeastTime, line: StraightLine) -> Iterator[str]:
    """The same for a terminal."""
    yield from _law_lines(found)
    yield f"distance {line.distance * 1e3:.6g} mm, turn {np.degrees(line.angle):.6g} deg"


def line_motion_table(
    found: LeastTime, line: StraightLine, t: Array
) -> tuple[list[str], list[list[float]]]:
    """Headers and samples at some instants. Args: t. # (k,) [s]."""
    T = found.duration or 1.0  # nothing moves in no time: the tangent is zero whatever T is
    s = t / T
    state = line.state(found.law.r(s), found.law.dr(s) / T, found.law.ddr(s) / T**2)
    flat = state.pose[:, :3].reshape(len(t), 12)
    table = np.column_stack([t, flat, state.velocity, state.acceleration])
    return ["t_s", *_POSE_HEADERS, *_RATE_HEADERS], table.tolist()


# --- laws ----------------------------------------------------------------------------------------


def _law(found: LeastTime) -> dict[str, object]:
    document: dict[str, object] = {
        "law": found.law.name,
        "duration_s": found.duration,
        "acceleration_time_s": found.acceleration_time,
        "plateau": found.has_plateau,
        "binding": _bindings(found),
        "switches_s": [found.duration * s for s in found.law.switches],
    }
    return document | ({"jerk_time_s": found.jerk_time} if found.law.name == "double-s" else {})


def _law_lines(found: LeastTime) -> Iterator[str]:
    """Law, duration and what binds it."""
    yield bold(f"{found.law.name}: {found.duration:.6f} s")
    yield f"bound by {' and '.join(_bindings(found)) or 'nothing: there is no motion'}"
    if found.law.name == "double-s":
        yield f"the acceleration rises and falls in {found.jerk_time:.6f} s each"
    if found.law.name in ("trapezoid", "double-s"):
        shape = "with" if found.has_plateau else "without"
        yield f"speeds up for {found.acceleration_time:.6f} s, {shape} a plateau"


def _bindings(found: LeastTime) -> list[str]:
    return [str(binding) for binding in found.bindings]
