"""A biped's motion as JSON and as CSV, in SI."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

import numpy as np

from reports.biped.shown_motion import ReportedMotion, quantities
from robots.biped.posture.verdict import Stance
from robots.core.arrays import Array

FORMAT = 1


def motion_document(shown: ReportedMotion) -> dict[str, object]:
    """The document of format 1."""
    motion = shown.motion
    worst = int(np.nanargmin(shown.margin))
    verdict = motion.verdict
    return {
        "format": FORMAT,
        "robot": motion.biped.name,
        "scenario": shown.scenario,
        "motion": motion.title,
        "feasible": shown.feasible,
        "verdict": {
            "stance": verdict.stance.value,
            "time_s": verdict.time,
            "edge": verdict.edge,
            "margin_m": verdict.margin,
        },
        "ends_at_fall": verdict.stance is Stance.FALLEN,
        "duration_s": shown.duration,
        "least_margin_m": float(shown.margin[worst]),
        "least_margin_at_s": float(motion.t[worst]),
        "joints": list(_joints(shown)),
        "motors": list(_motors(shown)),
        "findings": [finding.document() for finding in shown.findings],
        "remarks": list(motion.remarks),
        "samples": _samples(shown),
    }


def sample_rows(shown: ReportedMotion) -> tuple[tuple[str, ...], list[list[object]]]:
    """Headers and rows of the samples; what is not known stays empty."""
    headers, columns = zip(*_columns(shown), strict=True)
    table = np.column_stack(columns).tolist()
    return headers, [[value if np.isfinite(value) else "" for value in row] for row in table]


def samples_csv(shown: ReportedMotion) -> str:
    """The samples as a file; numbers read back to the same doubles."""
    headers, rows = sample_rows(shown)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(headers)
    writer.writerows(rows)
    return text.getvalue()


def _columns(shown: ReportedMotion) -> Iterator[tuple[str, Array]]:
    motion, motors = shown.motion, shown.motors
    yield "t_s", motion.t
    for name, unit, values in (
        *(("q", "rad", motion.q), ("qd", "rad_s", motion.qd)),
        *(("qdd", "rad_s2", motion.qdd), ("tau", "nm", motion.tau)),
    ):
        for joint, column in zip(motion.biped.mechanism.numbers, values.T, strict=True):
            yield f"{name}{joint}_{unit}", column
    for name, values in (("com", motion.com), ("zmp", motion.zmp)):
        yield from ((f"{name}_{axis}_m", values[:, k]) for k, axis in enumerate("xyz"))
    yield "margin_m", shown.margin
    yield "ground_alpha_rad", motion.ground[:, 0]
    yield "ground_beta_rad", motion.ground[:, 1]
    if motors is not None:
        for unit, values in (
            *(("rad", motors.position), ("rad_s", motors.speed)),
            *(("nm", motors.torque),),
        ):
            for name, column in zip(motors.names, values.T, strict=True):
                yield f"{name}_{unit}", column
    yield from sorted(motion.curves.items())


def _joints(shown: ReportedMotion) -> Iterator[dict[str, object]]:
    motion = shown.motion
    for k, joint in enumerate(motion.biped.mechanism.movable):
        yield {
            "name": joint.name,
            "least_rad": float(motion.q[:, k].min()),
            "largest_rad": float(motion.q[:, k].max()),
            "min_rad": joint.q_min,
            "max_rad": joint.q_max,
            "peak_speed_rad_s": float(np.abs(motion.qd[:, k]).max()),
            "max_speed_rad_s": joint.max_speed,
            "peak_torque_nm": float(np.abs(motion.tau[:, k]).max()),
            "max_torque_nm": joint.max_effort,
        }


def _motors(shown: ReportedMotion) -> Iterator[dict[str, object]]:
    if shown.motors is None:
        return
    peaks = {one.key: one.size.max(axis=0) for one in quantities(shown)}
    for k, name in enumerate(shown.motors.names):
        yield {
            "name": name,
            "peak_speed_rad_s": float(peaks["motor-speed"][k]),
            "max_speed_rad_s": float(shown.motors.max_speed[k]),
            "peak_torque_nm": float(peaks["motor-torque"][k]),
            "max_torque_nm": float(shown.motors.max_torque[k]),
        }


def _samples(shown: ReportedMotion) -> dict[str, object]:
    motion, motors = shown.motion, shown.motors
    told: dict[str, object] = {
        "t_s": motion.t,
        "q_rad": motion.q,
        "qd_rad_s": motion.qd,
        "qdd_rad_s2": motion.qdd,
        "tau_nm": motion.tau,
        "T_world_base": motion.T_world_base,
        "com_m": motion.com,
        "zmp_m": motion.zmp,
        "support_m": list(motion.support),
        "margin_m": shown.margin,
        "ground_rad": motion.ground,
    }
    if motors is not None:
        told["motor_position_rad"] = motors.position
        told["motor_speed_rad_s"] = motors.speed
        told["motor_torque_nm"] = motors.torque
    return {**told, "curves": dict(sorted(motion.curves.items()))}
