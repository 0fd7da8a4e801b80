"""Answers about a platform, as documents, rows and lines: what ``palpeur stewart …`` prints."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from planner.findings import Finding
from reports.answers import (
    FORMAT,
    Rows,
    StateQuantity,
    bold,
    limit_text,
    number,
    state_lines,
    state_table,
    table_lines,
)
from reports.stewart.motion import PlatformMotion
from reports.stewart.workspace import WorkspaceSlices
from robots.core.arrays import Array
from robots.core.pose import angles_zyx
from robots.stewart.calibration import Calibration
from robots.stewart.forward import HeldPoses
from robots.stewart.limits import Violation, conditioning
from robots.stewart.platform import Leg, Platform, lengths
from robots.stewart.platform_file import warnings

_BODIES = ("cross", "cylinder", "piston", "end_cross", "end")
_PARAMETERS = ("ax", "ay", "az", "bx", "by", "bz", "offset")
_T_HEADERS = tuple(f"T{row}{column}" for row in range(1, 4) for column in range(1, 5))

# --- the library, one platform --------------------------------------------------------------------


def library_document(platforms: dict[str, Platform]) -> dict[str, object]:
    """The library's platforms by name, in JSON."""
    rows = [{"name": name, "source": platform.source} for name, platform in platforms.items()]
    return {"format": FORMAT, "robots": rows}


def library_lines(platforms: dict[str, Platform]) -> Iterator[str]:
    """The library's platforms, one line each."""
    rows = [(name, platform.source) for name, platform in platforms.items()]
    yield from table_lines(("name", "source"), rows)


def platform_document(platform: Platform) -> dict[str, object]:
    """What JSON tells of a platform, in SI."""
    return {
        "format": FORMAT,
        "name": platform.name,
        "source": platform.source,
        "home": platform.home,
        "gravity_m_s2": platform.gravity,
        "platform_mass_kg": platform.body.mass,
        "condition_at_home": float(conditioning(platform, platform.home).condition),
        "legs": [
            _leg(leg, length)
            for leg, length in zip(platform.legs, lengths(platform, platform.home), strict=True)
        ],
        "warnings": list(warnings(platform)),
    }


def _leg(leg: Leg, length: float) -> dict[str, object]:
    return {
        "name": leg.name,
        "end": leg.end.value,
        "base_m": leg.base,
        "platform_m": leg.platform,
        "length_at_home_m": length,
        "min_length_m": leg.min_length,
        "max_length_m": leg.max_length,
        "max_speed_m_s": leg.max_speed,
        "max_acceleration_m_s2": leg.max_acceleration,
        "max_force_n": leg.max_force,
        "base_cone_rad": leg.base_cone,
        "platform_cone_rad": leg.platform_cone,
        "radius_m": leg.radius,
        "coulomb_n": leg.coulomb,
        "viscous_n_s_m": leg.viscous,
        "mass_kg": _mass(leg),
    }


def _mass(leg: Leg) -> float:
    return float(sum(getattr(leg.bodies, name).mass for name in _BODIES))


def platform_lines(platform: Platform) -> Iterator[str]:
    """One platform for a terminal."""
    yield bold(platform.name)
    if platform.source:
        yield platform.source
    home = 1e3 * platform.home[:3, 3]
    condition = float(conditioning(platform, platform.home).condition)
    yield f"home at {', '.join(map(number, home))} mm, condition {number(condition)}"
    yield f"platform {number(platform.body.mass)} kg"
    rows = []
    for leg, length in zip(platform.legs, lengths(platform, platform.home), strict=True):
        points = (*leg.base, *leg.platform, length, leg.min_length, leg.max_length)
        drive = (leg.max_speed, leg.max_acceleration, leg.max_force, _mass(leg))
        cells = [*(1e3 * np.array(points)).tolist(), *drive]
        rows.append([leg.name, *(limit_text(value) for value in cells)])
    heads = ("Ax", "Ay", "Az", "Bx", "By", "Bz", "home", "min", "max")
    drive_heads = ("m/s", "m/s²", "N", "kg")
    yield from table_lines(("leg", *(f"{head} mm" for head in heads), *drive_heads), rows)
    for warning in warnings(platform):
        yield f"warning: {warning}"


# --- poses ----------------------------------------------------------------------------------------


def leg_quantity(key: str, symbol: str, unit: str, values: Array) -> StateQuantity:
    """A quantity of six legs. Args: values. # (N, 6)."""
    headers = tuple(f"{symbol}{leg}_{unit}" for leg in range(1, 7))
    return StateQuantity(key=key, values=values, headers=headers)


def inverse_rows(
    quantities: Sequence[StateQuantity], condition: Array, broken: Sequence[Sequence[Violation]]
) -> Rows:
    """Lengths and rates of every pose, and the limits that it breaks, in JSON.

    Args:
        quantities: of the legs.
        condition: number of the Jacobian. # (N,)
        broken: limits, by pose.
    """
    return Rows(
        rows=(
            {
                **{one.key: one.values[k] for one in quantities},
                "condition": condition[k],
                "within_limits": not found,
                "limits": [_violation(one) for one in found],
            }
            for k, found in enumerate(broken)
        )
    )


def inverse_lines(
    quantities: Sequence[StateQuantity],
    broken: Sequence[Sequence[Violation]],
    places: Sequence[str],
) -> Iterator[str]:
    """The same for a terminal. Args: places: of the poses, such as "poses.csv, line 2"."""
    yield from state_lines(quantities)
    for place, found in zip(places, broken, strict=True):
        yield from (f"{place}: {one.sentence}" for one in found)
    if not any(broken):
        yield "every pose is within the limits"


def force_rows(quantities: Sequence[StateQuantity], findings: Sequence[Sequence[Finding]]) -> Rows:
    """Leg forces of every pose, and what is beyond the drives, in JSON."""
    return Rows(
        rows=(
            {
                **{one.key: one.values[k] for one in quantities},
                "within_limits": not found,
                "findings": [finding.document() for finding in found],
            }
            for k, found in enumerate(findings)
        )
    )


def force_lines(
    quantities: Sequence[StateQuantity], findings: Sequence[Sequence[Finding]]
) -> Iterator[str]:
    """The same for a terminal."""
    yield from state_lines(quantities)
    for found in findings:
        yield from map(str, found)


def limited_table(
    quantities: Sequence[StateQuantity], within: Sequence[bool]
) -> tuple[list[str], list[list[object]]]:
    """Headers and rows of quantities, with whether each pose is within the limits."""
    headers, numbers = state_table(quantities)
    rows: list[list[object]] = [
        [*row, int(inside)] for row, inside in zip(numbers, within, strict=True)
    ]
    return [*headers, "within_limits"], rows


def _violation(one: Violation) -> dict[str, object]:
    return {
        "limit": one.column.limit.name.lower().replace("_", "-"),
        "legs": list(one.column.names),
        "amount": one.amount,
        "unit": one.column.unit,
        "message": one.sentence,
    }


# --- poses that lengths hold ----------------------------------------------------------------------


def held_rows(answers: Sequence[HeldPoses], *, all_modes: bool) -> Rows:
    """Poses of every set of lengths in JSON. Args: all_modes: whether all were sought."""
    return Rows(rows=(_modes(one) if all_modes else _held(one) for one in answers))


def _modes(one: HeldPoses) -> dict[str, object]:
    modes = [{"T": T, "residual_m": r} for T, r in zip(one.T, one.residual, strict=True)]
    return {"count": len(modes), "statement": one.statement, "modes": modes}


def _held(one: HeldPoses) -> dict[str, object]:
    return {
        "T": one.T[0],
        "residual_m": one.residual[0],
        "iterations": one.iterations,
        "certified": bool(one.certified[0]),
    }


def held_table(answers: Sequence[HeldPoses]) -> tuple[list[str], list[list[object]]]:
    """Headers and rows, one per pose."""
    rows: list[list[object]] = [
        [row, *T[:3].ravel().tolist(), residual, int(certified)]
        for row, one in enumerate(answers, start=1)
        for T, residual, certified in zip(
            one.T, one.residual.tolist(), one.certified.tolist(), strict=True
        )
    ]
    return ["row", *_T_HEADERS, "residual_m", "certified"], rows


def held_lines(answers: Sequence[HeldPoses]) -> Iterator[str]:
    """The same for a terminal."""
    rows = []
    for row, one in enumerate(answers, start=1):
        for T, residual, certified in zip(one.T, one.residual, one.certified, strict=True):
            angles = np.degrees(angles_zyx(T[:3, :3]).angles)
            values = [*(1e3 * T[:3, 3]).tolist(), *angles.tolist(), 1e3 * float(residual)]
            rows.append([str(row), *map(number, values), "yes" if certified else "no"])
    heads = ("x mm", "y mm", "z mm", "rz deg", "ry deg", "rx deg", "residual mm", "certified")
    yield from table_lines(("row", *heads), rows)
    for row, one in enumerate(answers, start=1):
        if one.statement:
            yield f"row {row}: {one.statement}"


# --- motions, workspace, calibration --------------------------------------------------------------


def motion_lines(shown: PlatformMotion) -> Iterator[str]:
    """A judged motion for a terminal."""
    duration = f"{shown.motion.duration:.6f} s"
    yield bold(f"{shown.title}: {duration}")
    if shown.binding:
        yield f"bound by {shown.binding}"
    peaks = shown.peaks
    values: tuple[Callable[[int], float], ...] = (
        lambda k: 1e3 * float(peaks.shortest.value[k]),
        lambda k: 1e3 * float(peaks.longest.value[k]),
        lambda k: float(peaks.speed.value[k]),
        lambda k: float(peaks.acceleration.value[k]),
        lambda k: float(shown.samples.forces[:, k].min()),
        lambda k: float(shown.samples.forces[:, k].max()),
    )
    rows = [
        (leg.name, *(f"{value(k):.6g}" for value in values))
        for k, leg in enumerate(shown.platform.legs)
    ]
    heads = ("shortest mm", "longest mm", "speed m/s", "accel. m/s²", "min N", "max N")
    yield from table_lines(("leg", *heads), rows)
    balance = shown.balance
    friction = f", {balance.friction:.6g} J lost to friction" if balance.friction else ""
    yield (
        f"work of the drives {balance.net_work:.9g} J, "
        f"energy gained {balance.energy_change:.9g} J{friction}"
    )
    for finding in shown.findings:
        yield str(finding)
    yield "feasible" if shown.feasible else "NOT FEASIBLE"


def workspace_lines(shown: WorkspaceSlices) -> Iterator[str]:
    """Both slices for a terminal."""
    place, degrees = shown.position, np.degrees(shown.orientation.reach)
    yield f"{shown.name}: slice at z = {number(1e3 * shown.T[2, 3])} mm"
    yield f"area {number(place.area)} m², known to {number(place.area_doubt)} m²"
    yield f"tilt there up to {number(degrees.min())} … {number(degrees.max())} deg"


def calibration_table(
    platform: Platform, found: Calibration
) -> tuple[tuple[str, ...], list[tuple[str, str, float, float]]]:
    """Headers and rows, one per parameter."""
    rows = [
        (leg.name, name, float(found.parameters[k, place]), float(found.deviations[k, place]))
        for k, leg in enumerate(platform.legs)
        for place, name in enumerate(_PARAMETERS)
    ]
    return ("leg", "parameter", "value_m", "deviation_m"), rows


def calibration_lines(platform: Platform, found: Calibration, count: int) -> Iterator[str]:
    """Identified parameters for a terminal. Args: count: of poses."""
    _, rows = calibration_table(platform, found)
    cells = [(leg, name, f"{1e3 * v:.6f}", f"{1e3 * d:.2g}") for leg, name, v, d in rows]
    yield from table_lines(("leg", "parameter", "value mm", "deviation mm"), cells)
    yield f"residuals {1e3 * found.residual_rms:.4g} mm RMS over {count} poses"
    yield (f"condition {found.condition:.4g}, largest correction {1e3 * found.correction:.4g} mm")


def calibration_document(platform: Platform, found: Calibration, count: int) -> dict[str, object]:
    """Identified parameters in JSON. Args: count: of poses."""
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
