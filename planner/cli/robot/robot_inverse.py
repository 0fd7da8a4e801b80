"""``palpeur robot inverse``: joint values that bring the tool where a table says."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from planner.cli.exit_codes import ExitCode
from planner.cli.opening import tip_document
from planner.cli.output import number, print_csv, print_rows, print_table
from planner.cli.robot.arm_answers import is_measuring_arm, solved
from planner.cli.robot.inverse_answers import StateAnswer, searched
from planner.cli.robot.robot_models import Request
from planner.errors import StatesError
from planner.tables import APPROACH, NORMAL, POSE, POSITION, States
from robots.core.arrays import Array
from robots.core.errors import PoseError
from robots.core.inverse import Target, Task
from robots.core.pose import as_pose, nearest_rotation


def print_inverse(request: Request, starts: int) -> int:
    """Solutions of every state; exit code 1 when one has none within the limits.

    Args:
        request: robot and table.
        starts: of the search, per state.

    Raises:
        StatesError: columns that say no target, or two; a pose or direction that is none.
    """
    request.read()
    target = target_of(request.table)
    found = tuple(_solved(request, target, starts))
    if request.json:
        print_rows((answer.row() for answer in found), tip_document(request.mechanism))
    else:
        q = request.headers("q")
        headers = ("state", "solution", "branch", *q, "residual", "within_limits")
        rows = _lines(found)
        if request.form.csv:
            print_csv(headers, rows)
        else:
            print_table(headers, [[_cell(value) for value in row] for row in rows])
    return _verdict(request, found)


def target_of(table: States) -> Target:
    """The targets of a table's columns."""
    if POSE in table:
        if POSITION in table:
            raise _contradiction(table, "T11 … T34 and x_m, y_m, z_m")
        return Target.pose(_poses(table))
    point = table.require(POSITION, "the inverse model (or T11 … T34)")
    if NORMAL in table and APPROACH in table:
        raise _contradiction(table, "nx, ny, nz and ax, ay, az")
    if NORMAL in table:
        return Target.position_and_axis(point, -_directions(table, NORMAL))
    if APPROACH in table:
        return Target.position_and_axis(point, _directions(table, APPROACH))
    return Target.position(point)


def _contradiction(table: States, columns: str) -> StatesError:
    return StatesError(
        f"{table.origin}, line 1: {columns} say the same thing twice; keep one of the two."
    )


def _poses(table: States) -> Array:
    """Poses, their rotations made exact: digits of a table are rounded. # (N, 4, 4)."""
    T = np.zeros((len(table), 4, 4))
    T[:, :3], T[:, 3, 3] = table.groups[POSE].reshape(-1, 3, 4), 1.0
    for line, pose in zip(table.lines, T, strict=True):
        try:
            as_pose(pose, "The pose", limit=_DIGITS)
        except PoseError as error:
            raise StatesError(f"{table.origin}, line {line}: {error.message}", line=line) from None
    T[:, :3, :3] = nearest_rotation(T[:, :3, :3])
    return T


def _directions(table: States, group: str) -> Array:
    """Directions of any length above zero. # (N, 3)."""
    vectors = table.groups[group]
    for line, length in zip(table.lines, np.linalg.norm(vectors, axis=1), strict=True):
        if length < _SHORTEST:
            raise StatesError(
                f"{table.origin}, line {line}, columns {', '.join(table.headers[group])}: the "
                f"vector has length {length:g}; a direction is expected.",
                line=line,
            )
    return vectors


_SHORTEST = 1e-9
_DIGITS = 1e-3  # entry of RᵀR - I that four printed digits explain


def _solved(request: Request, target: Target, starts: int) -> Iterator[StateAnswer]:
    """By the arm's closed form where there is one, else by a search from many starts."""
    begin = request.table.groups.get("q")
    if target.task is Task.POSITION_AND_AXIS and is_measuring_arm(request.mechanism):
        return solved(request.mechanism, target, begin)
    return searched(request.model, target, begin, starts=starts, session=request.session)


def _lines(found: tuple[StateAnswer, ...]) -> list[list[object]]:
    lines: list[list[object]] = []
    for state, answer in enumerate(found, start=1):
        for place, solution in enumerate(answer.solutions, start=1):
            verdict = "yes" if solution.within_limits else "no"
            numbers = [*solution.q.tolist(), solution.residual]
            lines.append([state, place, solution.branch, *numbers, verdict])
    return lines


def _cell(value: object) -> str:
    return number(value) if isinstance(value, float) else str(value)


def _verdict(request: Request, found: tuple[StateAnswer, ...]) -> int:
    failed = [place for place, answer in enumerate(found) if not answer.success]
    for place in failed[:_MOST_TOLD]:
        line = request.table.lines[place]
        request.session.say(f"{found[place].code} error: line {line}: {found[place].reason}")
    if len(failed) > _MOST_TOLD:
        request.session.say(f"and {len(failed) - _MOST_TOLD} more of {len(found)} states.")
    return ExitCode.FAILED if failed else ExitCode.DONE


_MOST_TOLD = 10
