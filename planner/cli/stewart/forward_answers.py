"""``palpeur stewart forward``: the pose, or all poses, that leg lengths hold."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.cli.exit_codes import ExitCode
from planner.cli.output import Form, number, print_csv, print_rows, print_table
from planner.cli.stewart.pose_text import pose_of
from planner.errors import OptionError
from planner.tables import LENGTHS, States, length_columns, read_table
from robots.core.arrays import Array, Mask
from robots.core.orientation.angles import angles_zyx
from robots.stewart.errors import PlatformError
from robots.stewart.library import open_platform
from robots.stewart.platform import Platform

_T_HEADERS = tuple(f"T{row}{column}" for row in range(1, 4) for column in range(1, 5))


@dataclass(frozen=True, slots=True, kw_only=True)
class ForwardRequest:
    """What is asked.

    Args:
        robot: name or path.
        lengths: table of leg lengths.
        start: pose near the answer.
        along: whether the rows are a motion.
        all_modes: whether every posture is wanted.
        form: of the answer.
    """

    robot: str
    lengths: str
    start: str
    along: bool
    all_modes: bool
    form: Form


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Answer:
    """Poses of one row; ``statement`` tells what their number rests on."""

    T: Array  # (n, 4, 4)
    residual: Array  # (n,) [m]
    certified: Mask  # (n,)
    iterations: int = 0
    statement: str = ""


def print_forward(request: ForwardRequest) -> int:
    """Find and print.

    Raises:
        RobotError: a platform that is none, or lengths that it cannot have.
        StatesError: a table that cannot be read.
        OptionError: --all-modes together with a start.
    """
    platform = open_platform(request.robot)
    table = read_table(request.lengths, length_columns())
    lengths = table.require(LENGTHS, "forward geometry")
    if request.all_modes:
        if request.along or request.start != "home":
            raise OptionError("--all-modes needs no start; leave out --start and --along.")
        answers = [_modes(platform, row, table, k) for k, row in enumerate(lengths)]
    else:
        answers = _tracked(platform, table, request)
    if request.form.json:
        print_rows(_document(one, all_modes=request.all_modes) for one in answers)
    elif request.form.csv:
        _print_csv(answers)
    else:
        _print_text(answers)
    good = all(len(one.T) and bool(np.all(one.certified)) for one in answers)
    return ExitCode.DONE if good else ExitCode.FAILED


def _at_line(table: States, error: PlatformError, row: int) -> PlatformError:
    """An error that names the line of its lengths."""
    line = table.lines[row]
    message = f"{table.origin}, line {line}: {error.message}"
    return PlatformError(message, **{**error.facts, "file": table.origin, "line": line})


def _modes(platform: Platform, lengths: Array, table: States, row: int) -> _Answer:
    from robots.stewart.assembly_modes import assembly_modes

    try:
        found = assembly_modes(platform, lengths)
    except PlatformError as error:
        raise _at_line(table, error, row) from error
    return _Answer(
        T=found.T,
        residual=found.residual,
        certified=np.ones(found.count, dtype=np.bool_),
        statement=found.statement,
    )


def _tracked(platform: Platform, table: States, request: ForwardRequest) -> list[_Answer]:
    from robots.stewart.forward import forward, forward_along

    start = pose_of(request.start, "--start", platform)
    search = forward_along if request.along else forward
    lengths = table.require(LENGTHS, "forward geometry")
    try:
        found = search(platform, lengths, start)
    except PlatformError as error:
        row = error.fact("index", int)
        if row is None or not (row or "leg" in error.facts):
            raise  # the start is at fault, not a line of the table
        raise _at_line(table, error, row) from error
    return [
        _Answer(
            T=found.T[k : k + 1],
            residual=found.residual[k : k + 1],
            certified=found.certified[k : k + 1],
            iterations=int(found.iterations[k]),
        )
        for k in range(len(lengths))
    ]


def _document(one: _Answer, *, all_modes: bool) -> dict[str, object]:
    if all_modes:
        modes = [{"T": T, "residual_m": r} for T, r in zip(one.T, one.residual, strict=True)]
        return {"count": len(modes), "statement": one.statement, "modes": modes}
    return {
        "T": one.T[0],
        "residual_m": one.residual[0],
        "iterations": one.iterations,
        "certified": bool(one.certified[0]),
    }


def _print_csv(answers: list[_Answer]) -> None:
    rows = [
        [row, *T[:3].ravel().tolist(), residual, int(certified)]
        for row, one in enumerate(answers, start=1)
        for T, residual, certified in zip(
            one.T, one.residual.tolist(), one.certified.tolist(), strict=True
        )
    ]
    print_csv(["row", *_T_HEADERS, "residual_m", "certified"], rows)


def _print_text(answers: list[_Answer]) -> None:
    rows = []
    for row, one in enumerate(answers, start=1):
        for T, residual, certified in zip(one.T, one.residual, one.certified, strict=True):
            angles = np.degrees(angles_zyx(T[:3, :3]).angles)
            values = [*(1e3 * T[:3, 3]).tolist(), *angles.tolist(), 1e3 * float(residual)]
            rows.append([str(row), *map(number, values), "yes" if certified else "no"])
    heads = ("x mm", "y mm", "z mm", "rz deg", "ry deg", "rx deg", "residual mm", "certified")
    print_table(("row", *heads), rows)
    for row, one in enumerate(answers, start=1):
        if one.statement:
            print(f"row {row}: {one.statement}")
