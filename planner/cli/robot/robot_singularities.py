"""``palpeur robot singularities``: verdicts on postures, and where a search finds singular ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from planner.cli.exit_codes import ExitCode
from planner.cli.opening import movable_robot, tip_document
from planner.cli.output import FORMAT, number, print_json, print_rows, print_table
from planner.cli.robot.tasks import named_task, natural_task
from planner.cli.robot_reference import RobotReference
from planner.cli.session import Session
from planner.tables import read_states
from robots.core.arrays import Array
from robots.core.errors import EquationError
from robots.core.inverse import Task
from robots.core.inverse.scaling import scale_length
from robots.core.joint_samples import joint_samples
from robots.core.mechanism import Mechanism
from robots.core.model import Model
from robots.core.singularities import Determinant, Singularity, analyse, determinant

_SEARCHED = 12  # postures from which each joint is moved alone to a singularity
_SAME = 1e-4  # joint values nearer than this are one. [rad or m]


@dataclass(frozen=True, slots=True, kw_only=True)
class SingularityRequest:
    """What ``robot singularities`` was asked for.

    Args:
        robot: library name or path.
        states: table of postures to judge, or nothing.
        task: name of the task, or nothing for the robot's own.
        json: answer in JSON.
        session: of this run.
    """

    robot: RobotReference
    states: str = ""
    task: str = ""
    json: bool = False
    session: Session = field(default_factory=Session)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Found:
    """A singular posture and what it is."""

    joint: str
    value: float
    q: Array
    verdict: Singularity


def print_singularities(request: SingularityRequest) -> int:
    """Judge the postures of a table, or search."""
    mechanism = movable_robot(request.robot, request.session)
    model = Model(mechanism, engine="numpy")
    task = named_task(request.task) if request.task else natural_task(model)
    if request.states:
        table = read_states(request.states, mechanism)
        q = table.require("q", "judging a posture")
        verdicts = [
            analyse(model, row, task) for row in request.session.watched(list(q), "judging")
        ]
        return _print_verdicts(mechanism, verdicts, task, as_json=request.json)
    closed = _determinant(mechanism, task, request.session)
    found = tuple(searched(model, task, request.session))
    if request.json:
        print_json(_document(mechanism, task, closed, found))
    else:
        _print_determinant(mechanism, task, closed)
        _print_found(mechanism, found)
    return ExitCode.DONE


def _determinant(mechanism: Mechanism, task: Task, session: Session) -> Determinant | None:
    """The determinant in closed form; None where it is too long to be of use."""
    try:
        return determinant(mechanism, task)
    except EquationError as error:
        session.say(error.message)
        return None


def searched(model: Model, task: Task, session: Session) -> Iterator[Found]:
    """Singular postures reached by moving one joint alone, from several postures."""
    names = [joint.name for joint in model.mechanism.movable]
    length = scale_length(model.mechanism)
    starts = joint_samples(model.mechanism, _SEARCHED, slide=length, skip=1)
    seen: list[tuple[str, float]] = []
    for q in session.watched(list(starts), "searching"):
        nearest = analyse(model, q, task).nearest
        if nearest is None or _known(seen, nearest.joint, nearest.value):
            continue
        seen.append((nearest.joint, nearest.value))
        posture = np.array(q)
        posture[names.index(nearest.joint)] = nearest.value
        yield Found(
            joint=nearest.joint,
            value=nearest.value,
            q=posture,
            verdict=analyse(model, posture, task, tolerance=_SEARCH_TOLERANCE),
        )


_SEARCH_TOLERANCE = 1e-5  # the search brackets a singular value to about 1e-8 rad


def _known(seen: list[tuple[str, float]], joint: str, value: float) -> bool:
    return any(name == joint and abs(value - other) < _SAME for name, other in seen)


def _verdict(found: Singularity) -> dict[str, object]:
    nearest = found.nearest
    return {
        "singular": found.singular,
        "type": found.kind.course_type,
        "kind": found.kind.value,
        "rank": found.rank,
        "full_rank": found.full_rank,
        "chain_ranks": found.chain_ranks,
        "singular_values": found.singular_values,
        "condition": found.condition,
        "manipulability": found.manipulability,
        "lost": [{"covector": lost.covector, "text": str(lost)} for lost in found.lost],
        "nearest": None
        if nearest is None
        else {"joint": nearest.joint, "value": nearest.value, "distance": nearest.distance},
    }


def _print_verdicts(
    mechanism: Mechanism, verdicts: list[Singularity], task: Task, *, as_json: bool
) -> int:
    if as_json:
        listed = ({"task": task.value, **_verdict(found)} for found in verdicts)
        print_rows(listed, tip_document(mechanism))
        return ExitCode.DONE
    rows = [
        (
            str(state),
            f"{found.rank} of {found.full_rank}",
            number(found.manipulability),
            number(found.condition),
            found.kind.value,
            "; ".join(map(str, found.lost)) or "-",
        )
        for state, found in enumerate(verdicts, start=1)
    ]
    print(f"task: {task.value}")
    print_table(("state", "rank", "manipulability", "condition", "kind", "lost"), rows)
    return ExitCode.DONE


def _closed(found: Determinant) -> dict[str, object]:
    return {
        "of": found.of,
        "expression": str(found.expression),
        "always_singular": found.always_singular,
        "conditions": [
            {
                "expressions": [str(expression) for expression in condition.expressions],
                "multiplicity": condition.multiplicity,
                "joints": [index + 1 for index in condition.joints],
                "text": condition.text,
            }
            for condition in found.conditions
        ],
        "constants": {str(symbol): value for symbol, value in found.constants.items()},
    }


def _document(
    mechanism: Mechanism, task: Task, closed: Determinant | None, found: tuple[Found, ...]
) -> dict[str, object]:
    return {
        "format": FORMAT,
        "robot": mechanism.name,
        **tip_document(mechanism),
        "task": task.value,
        "determinant": _closed(closed) if closed else None,
        "examples": [
            {"joint": item.joint, "value": item.value, "q": item.q, **_verdict(item.verdict)}
            for item in found
        ],
    }


def _print_determinant(mechanism: Mechanism, task: Task, closed: Determinant | None) -> None:
    print(f"{mechanism.name}, task {task.value}")
    if closed is None:
        return
    print(closed)
    if closed.constants:
        print("with " + ", ".join(f"{name} = {x:g}" for name, x in closed.constants.items()))
    if closed.always_singular:
        print("Every posture is singular for this task.")
    elif closed.conditions:
        print("Singular where")
        for condition in closed.conditions:
            print(f"  {condition}")


def _print_found(mechanism: Mechanism, found: tuple[Found, ...]) -> None:
    print("\nExamples, reached by moving one joint alone")
    if not found:
        print("none found")
        return
    units = {joint.name: joint.kind.angular for joint in mechanism.movable}
    rows = [
        (
            item.joint,
            f"{np.degrees(item.value):.4f} deg" if units[item.joint] else f"{item.value:.6f} m",
            item.verdict.kind.value,
            "; ".join(map(str, item.verdict.lost)) or "-",
        )
        for item in found
    ]
    print_table(("joint", "at", "kind", "lost there"), rows)
