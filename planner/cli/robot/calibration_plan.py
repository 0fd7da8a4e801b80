"""``palpeur robot calibrate --plan N``: which postures to measure, as a table to fill in."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from planner.cli.exit_codes import ExitCode
from planner.cli.opening import movable_robot, tip_document
from planner.cli.output import FORMAT, print_json
from planner.cli.robot.calibrate_answers import with_stylus
from planner.cli.robot.measurement_table import PAIR, SPHERE, measurement_kind
from planner.cli.robot_reference import RobotReference
from planner.cli.session import Session
from planner.errors import OptionError
from planner.result_files import check_file, write_result
from robots.core.arrays import Array
from robots.core.identification import (
    ArmMeasurements,
    ArmNoise,
    MeasurementKind,
    PosturePlan,
    Site,
    plan_postures,
)
from robots.core.identification.plan import DEFAULT_NOISE
from robots.core.mechanism import Mechanism

_COMMAND = "palpeur robot calibrate --plan"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanRequest:
    """What ``robot calibrate --plan`` was asked for; SI.

    Args:
        robot: library name or path.
        count: measurements to plan.
        kind: sphere, length or point.
        out: file of the postures, or nothing for stdout.
        stylus: added to the tool along its z axis. [m]
        noise: of the measurements to come; none takes 0.01 mm.
        spheres: how many to place.
        at: "x,y,z" in millimetres of each sphere that stands already.
        length: of the ball bar. [m]
        json: answer in JSON.
        session: of this run.
    """

    robot: RobotReference
    count: int
    kind: str = ""
    out: str = ""
    stylus: float = 0.0
    noise: ArmNoise | None = None
    spheres: int = 3
    at: tuple[str, ...] = ()
    length: float = 0.0
    json: bool = False
    session: Session = field(default_factory=Session)


def print_plan(request: PlanRequest) -> int:
    """Choose, and print or write the table.

    Raises:
        RobotError: too few measurements, or places that nothing reaches.
        OptionError: an option that is not one.
        OutputError: the file cannot be written, or is somebody else's.
    """
    if request.out:
        check_file(
            Path(request.out), _COMMAND, [request.robot.model], force=request.session.force
        )  # before the work
    mechanism = with_stylus(movable_robot(request.robot, request.session), request.stylus)
    kind = measurement_kind(request.kind or MeasurementKind.SPHERE.value)
    site = Site(
        kind=kind,
        spheres=request.spheres,
        centres=_centres(request),
        length=request.length,
        noise=request.noise or DEFAULT_NOISE,
    )
    plan = plan_postures(mechanism, request.count, site)
    table = posture_table(mechanism, plan.measurements)
    if request.out:
        write_result(Path(request.out), table, _COMMAND, force=request.session.force)
    if request.json:
        print_json(_document(mechanism, plan))
        return ExitCode.DONE
    if request.out:
        print("\n".join(_summary(plan)))
    else:
        print(table, end="")
        request.session.say("\n".join(_summary(plan)))
    return ExitCode.DONE


def posture_table(mechanism: Mechanism, given: ArmMeasurements) -> str:
    """Postures as CSV, in the columns that ``--measurements`` reads."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    joints = mechanism.movable
    names = [f"q{k}_{'deg' if j.kind.angular else 'mm'}" for k, j in enumerate(joints, start=1)]
    factors = np.array([180.0 / np.pi if j.kind.angular else 1e3 for j in joints])
    columns = _own_columns(given)
    writer.writerow([*columns, *names])
    for row, q in enumerate(given.q * factors):
        writer.writerow([*(cells[row] for cells in columns.values()), *(f"{x:.6f}" for x in q)])
    return buffer.getvalue()


def _own_columns(given: ArmMeasurements) -> dict[str, list[str]]:
    if given.kind is MeasurementKind.SPHERE:
        return {SPHERE: list(given.groups)}
    if given.kind is MeasurementKind.LENGTH:
        lengths = 1e3 * given.lengths[given.group_index]
        return {PAIR: list(given.groups), "length_mm": [f"{x:.6f}" for x in lengths]}
    return {}


def _centres(request: PlanRequest) -> Array | None:
    if not request.at:
        return None
    centres = []
    for text in request.at:
        try:
            numbers = [float(cell) / 1e3 for cell in text.split(",")]
        except ValueError:
            numbers = []
        if len(numbers) != 3 or not np.all(np.isfinite(numbers)):
            raise OptionError(
                f"--at {text!r} is not a place; give x,y,z in millimetres, base frame.",
                option="--at",
                value=text,
            )
        centres.append(numbers)
    return np.array(centres)


def _summary(plan: PosturePlan) -> list[str]:
    given = plan.measurements
    lines = [
        f"{given.count} {given.kind.value} measurements of {plan.candidates} candidates, "
        f"{len(plan.names)} parameters, condition {plan.condition:.4g}",
        f"worst parameter to expect: {1e3 * plan.worst:.4g} mm at the ball; random postures: "
        f"{1e3 * plan.random_median:.4g} mm (median), {1e3 * plan.random_best:.4g} mm (best of "
        f"{plan.draws}); gain {plan.gain:.3g}",
        "The way between the postures, and what stands around the arm, are not looked at.",
    ]
    for name, centre in plan.centres.items():
        lines.append(f"sphere {name} at {', '.join(f'{1e3 * x:.3f}' for x in centre)} mm")
    return lines


def _document(mechanism: Mechanism, plan: PosturePlan) -> dict[str, object]:
    given = plan.measurements
    return {
        "format": FORMAT,
        "robot": mechanism.name,
        **tip_document(mechanism),
        "kind": given.kind.value,
        "measurements": given.count,
        "candidates": plan.candidates,
        "parameters": [
            {"name": name, "deviation": sigma}
            for name, sigma in zip(plan.names, plan.deviations, strict=True)
        ],
        "dropped": [{"name": d.name, "reason": d.reason} for d in plan.dropped],
        "condition": plan.condition,
        "worst_m": plan.worst,
        "random": {
            "median_m": plan.random_median,
            "best_m": plan.random_best,
            "draws": plan.draws,
        },
        "gain": plan.gain,
        "spheres": [{"name": name, "centre_m": c} for name, c in plan.centres.items()],
        "postures": [
            {"group": given.groups[row] if given.groups else None, "q": q}
            for row, q in enumerate(given.q)
        ],
    }
