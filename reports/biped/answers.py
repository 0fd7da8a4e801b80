"""Answers about a biped, as documents, rows and lines: what ``palpeur biped …`` prints."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from reports.answers import FORMAT, Rows, bold, limit_text, number, table_lines
from reports.biped.motion import ReportedMotion, verdict_words
from robots.biped.biped import Biped
from robots.biped.biped_file import KnownDrives
from robots.biped.posture.balance import Balance, ZeroMoments
from robots.biped.posture.standing import stand
from robots.biped.posture.support_polygon import SupportPolygon
from robots.biped.posture.verdict import Stance, StanceVerdict
from robots.core.arrays import Array
from robots.core.composite.benchmark import CompositeCost
from robots.core.recording import Programme
from robots.core.transmission.driven_posture import DrivenJoint, DrivenPosture, MotorState
from robots.core.transmission.drives import Drives

_HAPPENS = {
    Stance.STANDING: "stands",
    Stance.TIPPING: "begins to tip over",
    Stance.FALLEN: "falls over",
}
_BALANCE_HEADERS = (
    "state",
    "com_x_m",
    "com_y_m",
    "com_z_m",
    "margin_m",
    "nearest_edge",
    "stance",
    "foot",
)
_ZERO_MOMENT_HEADERS = (
    "state",
    "zmp_x_m",
    "zmp_y_m",
    "zmp_z_m",
    "margin_m",
    "com_x_m",
    "com_y_m",
    "com_z_m",
    "fx_n",
    "fy_n",
    "fz_n",
    "stance",
    "edge",
)
_COMPOSITE_HEADERS = (
    "composition",
    "d_inertia",
    "d_coriolis",
    "d_gravity",
    "operations",
    "monolithic",
    "us",
    "monolithic_us",
)
_RPM = 30.0 / np.pi
_TURN = 0.5 / np.pi


# --- the library, one biped -----------------------------------------------------------------------


def library_document(bipeds: dict[str, Biped]) -> dict[str, object]:
    """The library's bipeds by name, in JSON."""
    rows = [
        {"name": name, "joints": biped.mechanism.dof, "source": biped.source}
        for name, biped in bipeds.items()
    ]
    return {"format": FORMAT, "robots": rows}


def library_lines(bipeds: dict[str, Biped]) -> Iterator[str]:
    """The library's bipeds, one line each."""
    rows = [(name, str(biped.mechanism.dof), biped.source) for name, biped in bipeds.items()]
    yield from table_lines(("name", "joints", "source"), rows)


def biped_document(biped: Biped, known: KnownDrives) -> dict[str, object]:
    """What JSON tells of a biped, in SI; its balance is that of its standing posture."""
    standing = stand(biped, np.asarray(biped.q_standing))
    mechanism, stops = biped.mechanism, np.asarray(biped.q_stops)
    return {
        "format": FORMAT,
        "name": biped.name,
        "source": biped.source,
        "mass_kg": mechanism.total_mass,
        "com_m": standing.com[0],
        "support_m": standing.support[0].corners,
        "margin_m": float(standing.margin[0]),
        "T_world_base": biped.T_world_base,
        "feet": [
            {"name": foot.name, "link": foot.link, "sole_m": foot.sole} for foot in biped.feet
        ],
        "joints": [
            {
                "name": joint.name,
                "standing_rad": float(np.asarray(biped.q_standing)[k]),
                "min_rad": joint.q_min,
                "max_rad": joint.q_max,
                "stop_min_rad": float(stops[0, k]),
                "stop_max_rad": float(stops[1, k]),
                "max_speed_rad_s": joint.max_speed,
                "max_torque_nm": joint.max_effort,
            }
            for k, joint in enumerate(mechanism.movable)
        ],
        "transmissions": [_told(one) for one in _driven(biped, known.drives)],
        "warnings": _warnings(biped, known),
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class _TransmissionInertia:
    """One transmission at the standing posture.

    Args:
        joints: names.
        motors: names.
        rotors: inertia of each motor's rotor. [kg m²]
        added: to each joint's inertia by the rotors. [kg m²]
    """

    joints: tuple[str, ...]
    motors: tuple[str, ...]
    rotors: tuple[float, ...]
    added: tuple[float, ...]


def _driven(biped: Biped, drives: Drives | None) -> list[_TransmissionInertia]:
    if drives is None:
        return []
    names = [joint.name for joint in biped.mechanism.movable]
    q = np.asarray(biped.q_standing)[[names.index(name) for name in drives.joints]]
    added = dict(zip(drives.joints, np.diagonal(drives.reflected_inertia(q)).tolist(), strict=True))
    rotors = dict(zip(drives.motors, drives.rotor_inertias.tolist(), strict=True))
    return [
        _TransmissionInertia(
            joints=one.joints,
            motors=one.motors,
            rotors=tuple(rotors[motor] for motor in one.motors),
            added=tuple(added[joint] for joint in one.joints),
        )
        for one in drives.transmissions
    ]


def _told(one: _TransmissionInertia) -> dict[str, object]:
    return {
        "joints": one.joints,
        "motors": one.motors,
        "rotor_inertia_kg_m2": one.rotors,
        "added_inertia_kg_m2": one.added,
    }


def _warnings(biped: Biped, known: KnownDrives) -> list[str]:
    return [*biped.mechanism.warnings(), *([known.reason] if known.reason else [])]


def biped_lines(biped: Biped, known: KnownDrives) -> Iterator[str]:
    """One biped for a terminal."""
    standing = stand(biped, np.asarray(biped.q_standing))
    yield bold(biped.name)
    yield from filter(None, (biped.mechanism.source, biped.source))
    com = ", ".join(f"{x:.2f}" for x in (1e3 * standing.com[0]).tolist())
    yield (
        f"{number(biped.mechanism.total_mass)} kg, centre of mass {com} mm, standing "
        f"{1e3 * standing.margin[0]:.1f} mm inside its support polygon"
    )
    for foot in biped.feet:
        sole = 1e3 * (foot.sole.max(axis=0) - foot.sole.min(axis=0))
        carrier = foot.link or "the base"
        yield f"foot {foot.name} on {carrier}: {', '.join(map(number, sorted(sole)[1:]))} mm"
    yield from _joint_lines(biped, _driven(biped, known.drives))
    for warning in _warnings(biped, known):
        yield f"warning: {warning}"


def _joint_lines(biped: Biped, driven: list[_TransmissionInertia]) -> Iterator[str]:
    stops = np.degrees(np.asarray(biped.q_stops))
    told = {
        joint: (", ".join(one.motors), f"{value:.4f}")
        for one in driven
        for joint, value in zip(one.joints, one.added, strict=True)
    }
    rows = [
        (
            joint.name,
            *(limit_text(x, 5) for x in np.degrees([joint.q_min, joint.q_max])),
            *(limit_text(x, 5) for x in stops[:, k]),
            *told.get(joint.name, ("-", "-")),
        )
        for k, joint in enumerate(biped.mechanism.movable)
    ]
    yield from table_lines(
        ("joint", "min deg", "max deg", "stop", "stop", "motors", "added kg m²"), rows
    )


# --- balance at rest ------------------------------------------------------------------------------


def balance_document(found: Sequence[Balance]) -> Rows:
    """Balance of postures in JSON."""
    return Rows(rows=map(_balance, found))


def balance_table(found: Sequence[Balance]) -> tuple[tuple[str, ...], list[list[object]]]:
    """Headers and rows, one per posture."""
    rows: list[list[object]] = [
        [
            one.index + 1,
            *one.com.tolist(),
            one.verdict.margin,
            one.nearest_edge,
            one.verdict.stance.value,
            one.standing.foot[one.index],
        ]
        for one in found
    ]
    return _BALANCE_HEADERS, rows


def balance_lines(found: Sequence[Balance], where: Sequence[str]) -> Iterator[str]:
    """Balance of postures for a terminal. Args: where: each was read; may be empty."""
    mechanism = found[0].standing.biped.mechanism
    yield bold(f"{mechanism.name}, {number(mechanism.total_mass)} kg")
    for one, place in zip(found, where, strict=True):
        if place:
            yield bold(place)
        yield f"centre of mass {', '.join(number(1e3 * x) for x in one.com.round(12))} mm"
        yield verdict_sentence(one.verdict, one.support, one.com)
        yield from _margin_lines(one)
        if one.limits:
            yield f"note: out of limits: {one.limits}"


def verdict_sentence(verdict: StanceVerdict, polygon: SupportPolygon, point: Array) -> str:
    """What the verdict says, with the edge and the margin."""
    edge = polygon.nearest_edge_name(point)
    happens = _HAPPENS[verdict.stance]
    if verdict.stance is Stance.STANDING:
        return f"{happens}, {1e3 * verdict.margin:.4g} mm inside, nearest edge {edge}"
    beyond = f", {-1e3 * verdict.margin:.4g} mm beyond it" if verdict.margin < 0.0 else ""
    return f"{happens} {verdict.edge}{beyond}"


def _balance(one: Balance) -> dict[str, object]:
    standing = one.standing
    return {
        "mass_kg": standing.biped.mechanism.total_mass,
        "com_m": one.com,
        "margin_m": one.verdict.margin,
        "nearest_edge": one.nearest_edge,
        "stance": one.verdict.stance.value,
        "foot": standing.foot[one.index],
        "support_m": one.support.corners,
        "edges": list(one.support.edge_names),
        "ground_rad": [standing.ground.alpha, standing.ground.beta],
        "T_world_base": standing.T_world_base[one.index],
        "omega_1_s": one.omega,
        "tip_angles_rad": one.tip_angles,
        "capture_speeds_m_s": one.capture_speeds,
        "out_of_limits": one.limits,
    }


def _margin_lines(one: Balance) -> Iterator[str]:
    """Angles and speeds at which the robot would fall, in a reader's units."""
    tips = ", ".join(
        f"{way} {np.degrees(angle):.2f}" for way, angle in one.tip_angles.items() if angle
    )
    speeds = ", ".join(f"{way} {speed:.3f}" for way, speed in one.capture_speeds.items() if speed)
    if tips:
        yield f"frozen on level ground, it falls when that tilts by: {tips} deg"
    if speeds:
        yield f"comes to rest without a step from: {speeds} m/s (ω {one.omega:.4f} 1/s)"


# --- zero-moment points ---------------------------------------------------------------------------


def zero_moment_rows(found: ZeroMoments) -> Rows:
    """Zero-moment points of moving states in JSON."""
    return Rows(rows=(_zero_moment(found, row) for row in range(len(found.zmp))))


def zero_moment_table(found: ZeroMoments) -> tuple[tuple[str, ...], list[list[object]]]:
    """Headers and rows, one per state."""
    return _ZERO_MOMENT_HEADERS, [_zero_moment_cells(found, k) for k in range(len(found.zmp))]


def _zero_moment(found: ZeroMoments, row: int) -> dict[str, object]:
    standing, verdict = found.standing, found.verdicts[row]
    polygon = standing.support[row]
    return {
        "zmp_m": found.zmp[row],
        "zmp_margin_m": float(polygon.signed_margin(found.zmp[row])),
        "com_m": standing.com[row],
        "com_margin_m": float(polygon.signed_margin(standing.com[row])),
        "force_n": found.wrench.force[row],
        "moment_nm": found.wrench.moment[row],
        "centroidal_difference_m": float(found.difference[row]),
        "stance": verdict.stance.value,
        "edge": verdict.edge,
        "foot": standing.foot[row],
        "support_m": polygon.corners,
        "edges": list(polygon.edge_names),
        "ground_rad": [standing.ground.alpha, standing.ground.beta],
    }


def _zero_moment_cells(found: ZeroMoments, row: int) -> list[object]:
    standing, verdict = found.standing, found.verdicts[row]
    margin = float(standing.support[row].signed_margin(found.zmp[row]))
    return [
        row + 1,
        *found.zmp[row].tolist(),
        margin,
        *standing.com[row].tolist(),
        *found.wrench.force[row].tolist(),
        verdict.stance.value,
        verdict.edge,
    ]


def zero_moment_lines(found: ZeroMoments) -> Iterator[str]:
    """The same for a terminal."""
    heads = ("state", "ZMP x mm", "y mm", "z mm", "COM x mm", "y mm", "fz N", "verdict")
    rows = []
    for row, verdict in enumerate(found.verdicts):
        com, zmp = found.standing.com[row], found.zmp[row]
        fallen = verdict.stance is Stance.FALLEN
        shown = verdict_sentence(verdict, found.standing.support[row], com if fallen else zmp)
        millimetres = (1e3 * np.concatenate([zmp, com[:2]])).round(9).tolist()
        force = float(found.wrench.force[row, 2])
        rows.append([str(row + 1), *map(number, millimetres), number(force), shown])
    yield from table_lines(heads, rows)
    largest = 1e3 * float(np.max(found.difference))
    yield f"the momentum method differs by at most {largest:.2g} mm"


# --- transmissions --------------------------------------------------------------------------------


def transmission_rows(answers: Sequence[DrivenPosture]) -> Rows:
    """Joints and motors of postures in JSON, in SI."""
    return Rows(
        rows=(
            {
                "within_range": not one.reason,
                "reason": one.reason,
                "joints": [_driven_joint(joint) for joint in one.joints],
                "motors": [_motor(motor) for motor in one.motors],
            }
            for one in answers
        )
    )


def _driven_joint(joint: DrivenJoint) -> dict[str, object]:
    return {
        "joint": joint.name,
        "position_rad": joint.position,
        "motor_turns_per_joint_turn": joint.turns,
        "reflected_inertia_kg_m2": joint.inertia,
        "encoder_resolution_rad": joint.resolution,
    }


def _motor(motor: MotorState) -> dict[str, object]:
    document: dict[str, object] = {"motor": motor.name, "position_rad": motor.position}
    if motor.speed is not None:
        document["speed_rad_s"] = motor.speed
    if motor.torque is not None:
        document["torque_nm"] = motor.torque
    return document


def transmission_table(
    answers: Sequence[DrivenPosture], motors: Sequence[str]
) -> tuple[tuple[str, ...], list[list[object]]]:
    """One row per posture and motor; empty cells where a posture is not reached."""
    lines: list[list[object]] = []
    for place, one in enumerate(answers, start=1):
        if one.reason:
            lines += [[place, 0, name, "", "", ""] for name in motors]
        lines += [
            [place, 1, row.name, row.position, _motor_cell(row.speed), _motor_cell(row.torque)]
            for row in one.motors
        ]
    headers = ("state", "within_range", "motor", "position_rad", "speed_rad_s", "torque_nm")
    return headers, lines


def _motor_cell(value: float | None) -> object:
    return "" if value is None else value


def transmission_lines(one: DrivenPosture) -> Iterator[str]:
    """The same for a terminal, one posture."""
    if one.where:
        yield bold(one.where)
    if one.reason:
        yield one.reason
        return
    rows = [
        (
            joint.name,
            number(np.degrees(joint.position)),
            ", ".join(f"{name} {turns:+.2f}" for name, turns in joint.turns.items()),
            f"{joint.inertia:.4f}",
            f"{1e3 * np.degrees(joint.resolution):.3f}",
        )
        for joint in one.joints
    ]
    heads = ("joint", "deg", "motor turns per joint turn", "added kg m²", "encoder mdeg")
    yield from table_lines(heads, rows)
    yield from _motor_lines(one.motors)


def _motor_lines(motors: Sequence[MotorState]) -> Iterator[str]:
    heads, rows = ["motor", "turns"], [[row.name, f"{_TURN * row.position:.4f}"] for row in motors]
    if motors[0].speed is not None:
        heads.append("rpm")
        for cells, row in zip(rows, motors, strict=True):
            cells.append("" if row.speed is None else f"{_RPM * row.speed:.1f}")
    if motors[0].torque is not None:
        heads.append("N m")
        for cells, row in zip(rows, motors, strict=True):
            cells.append("" if row.torque is None else number(row.torque))
    yield from table_lines(heads, rows)


# --- composites -----------------------------------------------------------------------------------


def composite_document(
    robot: str, measure: str, rows: Sequence[CompositeCost]
) -> dict[str, object]:
    """Composites beside the monolithic model, in JSON. Args: measure: how time was taken."""
    return {
        "format": FORMAT,
        "robot": robot,
        "measure": measure,
        "rows": [_composite(row) for row in rows],
    }


def composite_table(
    rows: Sequence[CompositeCost],
) -> tuple[tuple[str, ...], list[tuple[object, ...]]]:
    """Headers and rows, one per composition."""
    return _COMPOSITE_HEADERS, [_composite_cells(row) for row in rows]


def composite_lines(robot: str, measure: str, rows: Sequence[CompositeCost]) -> Iterator[str]:
    """The same for a terminal."""
    yield f"{robot}: composite beside monolithic; microseconds per state ({measure})"
    cells = [
        [f"{cell:.3g}" if isinstance(cell, float) else str(cell) for cell in _composite_cells(row)]
        for row in rows
    ]
    yield from table_lines(_COMPOSITE_HEADERS, cells)


def _composite(row: CompositeCost) -> dict[str, object]:
    """Numbers in SI but for the microseconds."""
    shown = row.comparison
    return {
        "composition": shown.title,
        "difference": {
            "inertia": shown.inertia,
            "coriolis": shown.coriolis,
            "gravity": shown.gravity,
            "relative": shown.relative,
        },
        "operations": {
            "composite": _operations(shown.composite),
            "monolithic": _operations(shown.monolithic),
        },
        "us_per_state": {"composite": row.composite_us, "monolithic": row.monolithic_us},
    }


def _composite_cells(row: CompositeCost) -> tuple[object, ...]:
    shown = row.comparison
    return (
        shown.title,
        shown.inertia,
        shown.coriolis,
        shown.gravity,
        shown.composite.work,
        shown.monolithic.work,
        row.composite_us,
        row.monolithic_us,
    )


def _operations(programme: Programme) -> dict[str, int]:
    counts = programme.counts
    return {
        "multiplications": counts.multiplications,
        "additions": counts.additions,
        "sines_cosines": counts.sines_cosines,
    }


# --- motions --------------------------------------------------------------------------------------


def motion_lines(shown: ReportedMotion) -> Iterator[str]:
    """A judged motion for a terminal."""
    motion = shown.motion
    name = motion.biped.name
    yield bold(motion.title if motion.title.startswith(name) else f"{name}: {motion.title}")
    yield verdict_words(shown)
    yield from motion.remarks
    rows = [
        (
            joint.name,
            *(_angle(reach(motion.q[:, k])) for reach in (np.min, np.max)),
            *(_short(np.abs(values[:, k]).max()) for values in (motion.qd, motion.tau)),
        )
        for k, joint in enumerate(motion.biped.mechanism.movable)
    ]
    yield from table_lines(("joint", "min deg", "max deg", "speed rad/s", "torque N m"), rows)
    yield from _motor_load_lines(shown)
    for finding in shown.findings:
        yield str(finding)
    yield "within all limits" if shown.feasible else "NOT FEASIBLE"


def _motor_load_lines(shown: ReportedMotion) -> Iterator[str]:
    motors = shown.motors
    if motors is None:
        return
    speed, torque = (np.abs(np.nan_to_num(x)).max(axis=0) for x in (motors.speed, motors.torque))
    rows = [(name, _short(speed[k]), _short(torque[k])) for k, name in enumerate(motors.names)]
    yield from table_lines(("motor", "speed rad/s", "torque N m"), rows)


def _angle(value: float) -> str:
    """Degrees, without a negative zero."""
    return f"{round(float(np.degrees(value)), 2) + 0.0:.2f}"


def _short(value: float) -> str:
    """Five digits; what is rounding beside a newton metre is zero."""
    return f"{round(float(value), 9):.5g}"
