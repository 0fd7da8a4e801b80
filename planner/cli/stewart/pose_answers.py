"""``palpeur stewart inverse`` and ``dynamics``: what poses ask of the legs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from planner import tables as columns
from planner.cli.exit_codes import ExitCode
from planner.cli.moves.motion_values import listed_numbers
from planner.cli.output import Field, Form, print_csv, print_fields, print_rows
from planner.cli.stewart.force_findings import force_findings
from planner.errors import OptionError
from planner.findings import Finding
from planner.tables import LEGS, States, pose_columns, poses_of, rates_of, read_table
from robots.core.arrays import Array
from robots.stewart.library import open_platform
from robots.stewart.limits import Violation, violations
from robots.stewart.model import PlatformModel
from robots.stewart.singularity import conditioning


def print_inverse(robot: str, poses: str, form: Form) -> int:
    """Print lengths, rates and broken limits of every pose.

    Raises:
        RobotError: a platform that is none, or a pose where it has no answer.
        StatesError: a table that cannot be read.
    """
    platform = open_platform(robot)
    states = read_table(poses, pose_columns())
    T = poses_of(states)
    fields = leg_fields(PlatformModel(platform, "single-use"), states, T)
    broken = violations(platform, T)
    by_row: list[list[Violation]] = [[] for _ in T]
    for one in broken:
        by_row[one.index[0]].append(one)
    if form.json:
        condition = conditioning(platform, T).condition
        print_rows(
            {
                **{f.key: f.values[k] for f in fields},
                "condition": condition[k],
                "within_limits": not by_row[k],
                "limits": [_document(one) for one in by_row[k]],
            }
            for k in range(len(T))
        )
    elif form.csv:
        _print_csv(fields, [not found for found in by_row])
    else:
        print_fields(fields, form)
        _print_broken(by_row, states)
    return ExitCode.FAILED if broken else ExitCode.DONE


def print_dynamics(robot: str, poses: str, wrench: str, form: Form) -> int:
    """Print leg forces of every pose, with a finding for each one beyond its drive.

    Raises:
        RobotError: a platform that is none, or a pose where no forces hold it.
        StatesError: a table that cannot be read.
        OptionError: a wrench without six numbers, or one here and another in the table.
    """
    platform = open_platform(robot)
    states = read_table(poses, pose_columns())
    T = poses_of(states)
    model = PlatformModel(platform, "single-use")
    V, A = rates_of(states)
    forces = model.forces(T, V, A, _wrench(wrench, states))
    power = np.sum(forces * model.length_rates(T, V), axis=-1, keepdims=True)
    fields = [_field("forces_n", "f", "n", forces), _power(power)]
    found = force_findings(platform, forces, states.origin, states.lines)
    _print_forces(fields, found, form)
    return ExitCode.FAILED if any(found) else ExitCode.DONE


def leg_fields(model: PlatformModel, states: States, T: Array) -> list[Field]:
    """Lengths, and rates where the table has some."""
    V, A = rates_of(states)
    fields = [_field("lengths_m", "l", "m", model.lengths(T))]
    moving = {columns.VELOCITY, columns.SPIN} & set(states.groups)
    pushed = {columns.ACCELERATION, columns.SPIN_RATE} & set(states.groups)
    if moving or pushed:
        fields.append(_field("rates_m_s", "ld", "m_s", model.length_rates(T, V)))
        rates = model.length_accelerations(T, V, A)
        fields.append(_field("accelerations_m_s2", "ldd", "m_s2", rates))
    return fields


def _field(key: str, symbol: str, unit: str, values: Array) -> Field:
    headers = tuple(f"{symbol}{leg + 1}_{unit}" for leg in range(LEGS))
    return Field(key=key, values=values, headers=headers)


def _power(values: Array) -> Field:
    return Field(key="power_w", values=values, headers=("power_w",))


def _wrench(text: str, states: States) -> Array | None:
    if not text:
        return states.groups.get(columns.WRENCH)
    if columns.WRENCH in states:
        raise OptionError(f"{states.origin} has columns fx_n … mz_nm; leave out --wrench.")
    values = listed_numbers(text, "--wrench")
    if values.size != 6:
        raise OptionError(f"--wrench has {values.size} values; give FX,FY,FZ,MX,MY,MZ in N, N m.")
    return np.broadcast_to(values, (len(states), 6))


def _print_forces(
    fields: Sequence[Field], by_pose: Sequence[Sequence[Finding]], form: Form
) -> None:
    """Forces, and every one that is beyond its drive."""
    if form.json:
        print_rows(
            {
                **{f.key: f.values[k] for f in fields},
                "within_limits": not found,
                "findings": [one.document() for one in found],
            }
            for k, found in enumerate(by_pose)
        )
    elif form.csv:
        _print_csv(fields, [not found for found in by_pose])
    else:
        print_fields(fields, form)
        for found in by_pose:
            for one in found:
                print(one)


def _document(one: Violation) -> dict[str, object]:
    return {
        "limit": one.column.limit.name.lower().replace("_", "-"),
        "legs": list(one.column.names),
        "amount": one.amount,
        "unit": one.column.unit,
        "message": one.sentence,
    }


def _print_csv(fields: Sequence[Field], within: Sequence[bool]) -> None:
    headers = [header for field in fields for header in field.headers]
    table = np.hstack([field.flat for field in fields]).tolist()
    rows = [[*row, int(inside)] for row, inside in zip(table, within, strict=True)]
    print_csv([*headers, "within_limits"], rows)


def _print_broken(by_row: Sequence[Sequence[Violation]], states: States) -> None:
    for line, found in zip(states.lines, by_row, strict=True):
        for one in found:
            print(f"{states.origin}, line {line}: {one.sentence}")
    if not any(by_row):
        print("every pose is within the limits")
