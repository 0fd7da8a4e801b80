"""``palpeur robot forward`` and its sisters: a model of a robot on a table of states."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from planner.cli.exit_codes import ExitCode
from planner.cli.opening import movable_robot, say_choices
from planner.cli.output import Form
from planner.cli.session import Session
from planner.errors import OptionError, StatesError
from planner.result_files import check_file, write_result
from planner.tables import (
    ACCELERATION,
    APPROACH,
    NORMAL,
    POSE,
    POSITION,
    SPIN,
    SPIN_RATE,
    STATE_OPTIONS,
    VELOCITY,
    WRENCH,
    States,
    group_headers,
    locked_joints,
    one_state,
    read_states,
    state_columns,
    state_text,
)
from reports.answers import StateQuantity, state_lines, state_rows, state_table, tip_document
from reports.robot.page import posture_of, robot_page
from robots.core.arrays import Array
from robots.core.errors import InverseError, PoseError
from robots.core.inverse import Target, Task
from robots.core.inverse.limits import limit_breaches
from robots.core.mechanism import Mechanism
from robots.core.model import Model
from robots.core.pose import as_pose, nearest_rotation
from robots.core.quantities import quantity
from robots.robot import Robot, load_robot

if TYPE_CHECKING:
    from robots.core.chain_inverse.solver import ChainInverse

_SHORTEST = 1e-9  # length of a vector that is a direction
_LIKE_SCARA = 4  # joints
_DIGITS = 1e-3  # entry of RᵀR - I that four printed digits explain


@dataclass(frozen=True, slots=True, kw_only=True)
class StateRequest:
    """Where the states come from: a table, or options that give one state.

    Args:
        table: path of a CSV file, "-" for standard input; empty for none.
        options: texts of the options by the group that each fills; empty ones were not given.
    """

    table: str = ""
    options: Mapping[str, str] = field(default_factory=dict)

    @property
    def given(self) -> dict[str, str]:
        """Options that were given."""
        return {group: text for group, text in self.options.items() if text}

    def read(self, mechanism: Mechanism) -> States:
        """The states.

        Raises:
            OptionError: neither a table nor a state, or both; a value that is none.
            StatesError: a table that cannot be read.
        """
        names = [STATE_OPTIONS[group] for group in self.options]
        if bool(self.table) == bool(self.given):
            found = " and ".join(["--states", *(STATE_OPTIONS[group] for group in self.given)])
            raise OptionError(
                f"{found} exclude each other; give one."
                if self.table
                else f"No state is given; give a table with --states FILE, or one state with "
                f"{', '.join(names)}.",
                option="--states",
            )
        if self.table:
            return read_states(self.table, mechanism)
        return one_state(self.given, mechanism)


@dataclass(frozen=True, kw_only=True)
class RobotStates:
    """A robot and a table of its states."""

    mechanism: Mechanism
    table: States
    session: Session

    @classmethod
    def read(
        cls, robot: str, tip: str, states: StateRequest, session: Session, *, needs: str = ""
    ) -> RobotStates:
        """Open the robot and read its states.

        Args:
            robot: as its option.
            tip: as its option.
            states: as their options.
            session: of the command.
            needs: a quantity (``robots.core.quantities``) that will be evaluated; a robot without
                the masses that it needs is refused before its states are read.
        """
        mechanism = movable_robot(robot, tip, session)
        if needs and quantity(needs).needs_masses:
            mechanism.require_masses(quantity(needs).words)
        table = states.read(mechanism)
        if table.inline:  # the units of plain numbers depend on the joints: say what was understood
            told = state_text(table, mechanism)
            if told:
                session.say(f"{told}.")
        return cls(mechanism=mechanism, table=table, session=session)

    @property
    def model(self) -> Model:
        """The robot's equations."""
        return Model(self.mechanism, "single-use")

    def postures(self, purpose: str) -> Array:
        """The joint values; tells which are outside the limits. # (N, n)."""
        q = self.table.require("q", purpose)
        outside = (q < self.mechanism.q_min) | (q > self.mechanism.q_max)
        if self.table.inline:
            breaches = limit_breaches(self.mechanism, q[0])
            if breaches:
                self.session.say(f"R205 note: outside the joint limits: {breaches}.")
        elif np.any(outside):
            row, joint = (int(i) for i in np.argwhere(outside)[0])
            self.session.say(
                f"R205 note: {int(np.any(outside, axis=1).sum())} of {len(q)} states are outside "
                f"the joint limits, first {self.mechanism.movable[joint].name} in line "
                f"{self.table.lines[row]}."
            )
        return q

    def or_zero(self, *groups: str) -> list[Array]:
        """Optional columns; tells which are taken as zero. # each (N, n)."""
        absent = [group for group in groups if group not in self.table]
        if absent:
            names = " and ".join(STATE_OPTIONS[g] if self.table.inline else g for g in absent)
            what = names if self.table.inline else f"columns {names}"
            self.session.say(f"R206 note: no {what}; taken as zero.")
        return [self.table.or_zero(group) for group in groups]

    def headers(self, *groups: str) -> tuple[str, ...]:
        """Headers of some groups in SI."""
        known = state_columns(self.mechanism)
        return tuple(header for group in groups for header in group_headers(group, known))


# --- direct models -------------------------------------------------------------------------------


def print_model(
    name: str, robot: str, tip: str, states: StateRequest, form: Form, session: Session
) -> int:
    """Answer one of ``MODELS`` for every state of a table.

    Raises:
        RobotError: no such robot.
        StatesError: a table that cannot be read, or that lacks columns.
    """
    needs = {"torques": "torques", "mass": "mass_matrix", "lagrange": "lagrange"}.get(name, "")
    given = RobotStates.read(robot, tip, states, session, needs=needs)
    return _show(given, MODELS[name](given, form), form)


def _forward(given: RobotStates, form: Form) -> list[StateQuantity]:
    T = given.model.forward(given.postures("the forward model"))
    values = T if form.json else T[:, :3].reshape(len(T), 12)
    return [StateQuantity(key="T", values=values, headers=given.headers(POSE))]


def _velocity(given: RobotStates, _: Form) -> list[StateQuantity]:
    q = given.postures("the velocity model")
    found = given.model.velocity(q, given.table.require("qd", "the velocity model"))
    headers = given.headers(VELOCITY, SPIN)
    return [StateQuantity(key="velocity", values=found, headers=headers)]


def _acceleration(given: RobotStates, _: Form) -> list[StateQuantity]:
    purpose = "the acceleration model"
    q = given.postures(purpose)
    qd, qdd = (given.table.require(group, purpose) for group in ("qd", "qdd"))
    found = given.model.acceleration(q, qd, qdd)
    headers = given.headers(ACCELERATION, SPIN_RATE)
    return [StateQuantity(key="acceleration", values=found, headers=headers)]


def _jacobian(given: RobotStates, _: Form) -> list[StateQuantity]:
    return [_matrix("J", "J", given.model.jacobian(given.postures("the Jacobian")))]


def _torques(given: RobotStates, _: Form) -> list[StateQuantity]:
    q = given.postures("the dynamic model")
    qd, qdd = given.or_zero("qd", "qdd")
    tau = given.model.torques(q, qd, qdd, given.table.groups.get(WRENCH))
    return [StateQuantity(key="tau", values=tau, headers=given.headers("tau"))]


def _mass(given: RobotStates, _: Form) -> list[StateQuantity]:
    return [_matrix("mass", "A", given.model.mass_matrix(given.postures("the mass matrix")))]


def _lagrange(given: RobotStates, _: Form) -> list[StateQuantity]:
    found = given.model.lagrange(given.postures("the Lagrange model"))
    return [
        _matrix("mass", "A", found.A),
        _matrix("coriolis", "B", found.B),
        _matrix("centrifugal", "C", found.C),
        _matrix("gravity", "G", found.gravity),
    ]


MODELS: dict[str, Callable[[RobotStates, Form], list[StateQuantity]]] = {
    "forward": _forward,
    "velocity": _velocity,
    "acceleration": _acceleration,
    "jacobian": _jacobian,
    "torques": _torques,
    "mass": _mass,
    "lagrange": _lagrange,
}


def _matrix(key: str, letter: str, values: Array) -> StateQuantity:
    """Headers A11, A12, …; with underscores where an index has two digits."""
    shape = values.shape[1:]
    between = "_" if max(shape) > 9 else ""
    headers = (letter + between.join(str(k + 1) for k in index) for index in np.ndindex(*shape))
    return StateQuantity(key=key, values=values, headers=tuple(headers))


def _show(given: RobotStates, quantities: Sequence[StateQuantity], form: Form) -> int:
    return form.show(
        json=lambda: state_rows(quantities, tip_document(given.mechanism)),
        csv=lambda: state_table(quantities),
        text=lambda: state_lines(quantities),
    )


# --- inverse models ------------------------------------------------------------------------------


def print_accelerations(
    robot: str, tip: str, states: StateRequest, form: Form, session: Session
) -> int:
    """Accelerations of given torques; exit code 1 where the mass matrix is singular."""
    from robots.core.singular_mass import accelerations

    given = RobotStates.read(robot, tip, states, session)
    q = given.postures("forward dynamics")
    tau = given.table.require("tau", "forward dynamics")
    (qd,) = given.or_zero("qd")
    found = accelerations(given.model, q, qd, tau, given.table.groups.get(WRENCH))
    _show(given, [StateQuantity(key="qdd", values=found.qdd, headers=given.headers("qdd"))], form)
    if not np.any(found.singular):
        return ExitCode.DONE
    line = given.table.lines[int(np.argmax(found.singular))]
    session.say(
        f"R204 error: {int(found.singular.sum())} of {len(q)} states, first in line {line}: the "
        "mass matrix is singular, so torques do not determine the accelerations."
    )
    return ExitCode.FAILED


def print_joint_rates(
    name: str,
    robot: str,
    tip: str,
    states: StateRequest,
    task_name: str,
    form: Form,
    session: Session,
) -> int:
    """Joint rates of a tool's rates; exit code 1 where the tool cannot move so.

    Args:
        name: "velocity" or "acceleration".
        robot: and the rest, as their options.
        tip: likewise.
        states: likewise.
        task_name: of the task, or nothing for what the columns allow.
        form: of the answer.
        session: of this run.
    """
    from reports.models.analysis import rate_failure, rate_lines, rate_rows, rate_table
    from robots.core.inverse.differential import (
        joint_accelerations_of_twist,
        joint_velocities_of_twist,
    )

    given = RobotStates.read(robot, tip, states, session)
    q = given.postures(f"the inverse {name} model")
    if name == "velocity":
        key, task = "qd", _task(given, task_name, SPIN)
        twist = _twist(given, (VELOCITY, SPIN), task)
        found = joint_velocities_of_twist(given.model, q, twist, task)
    else:
        qd = given.table.require("qd", f"the inverse {name} model")
        key, task = "qdd", _task(given, task_name, SPIN_RATE)
        twist = _twist(given, (ACCELERATION, SPIN_RATE), task)
        found = joint_accelerations_of_twist(given.model, q, qd, twist, task)
    failure = rate_failure(found, given.table.lines)
    headers = given.headers(key)
    code = form.show(
        json=lambda: rate_rows(given.mechanism, key, found),
        csv=lambda: rate_table(key, found, headers),
        text=lambda: rate_lines(key, found, headers),
        passed=not failure,
    )
    if failure:
        session.say(failure)
    return code


def _task(given: RobotStates, name: str, angular: str) -> Task:
    """The task named, else the whole pose, or the position where angular columns are missing."""
    if not name:
        return Task.POSE if angular in given.table else Task.POSITION
    task = named_task(name)
    if task is not Task.POSITION and task is not Task.PLANE_POSITION:
        given.table.require(angular, f"the task {name}")
    return task


def named_task(name: str) -> Task:
    """The task called ``name``.

    Raises:
        OptionError: there is none; the message lists those that exist.
    """
    names = [task.value for task in Task]
    if name not in names:
        raise OptionError(
            f"--task: there is no task {name!r}; there are {', '.join(names)}.", name=name
        )
    return Task(name)


def _twist(given: RobotStates, groups: tuple[str, str], task: Task) -> Array:
    """Linear and angular columns side by side. # (N, 6)."""
    linear, angular = groups
    if task is Task.AXIS:
        parts = [given.table.or_zero(linear), given.table.require(angular, "the axis")]
    else:
        purpose = "the inverse model"
        parts = [given.table.require(linear, purpose), given.table.or_zero(angular)]
    return np.hstack(parts)


def print_inverse(
    robot: str,
    tip: str,
    states: StateRequest,
    starts: int,
    lock: Sequence[str],
    form: Form,
    session: Session,
) -> int:
    """Postures of every state; exit code 1 when one has none within the limits.

    Raises:
        StatesError: columns that say no target, or two; a pose or direction that is none.
    """
    from reports.models.analysis import (
        posture_failures,
        posture_lines,
        posture_rows,
        posture_table,
    )
    from robots.arm.postures import inverse_postures

    given = RobotStates.read(robot, tip, states, session)
    target = _target(given.table)
    near = given.table.groups.get("q")
    locked = locked_joints(lock, given.mechanism)
    answers = inverse_postures(given.model, target, near, starts=starts, locked=locked)
    found = tuple(session.watched(answers, "searching", total=len(target.T)))
    headers = given.headers("q")
    code = form.show(
        json=lambda: posture_rows(given.mechanism, found),
        csv=lambda: posture_table(found, headers),
        text=lambda: posture_lines(found, headers),
        passed=all(answer.success for answer in found),
    )
    for failure in posture_failures(found, given.table.lines):
        session.say(failure)
    return code


def print_derivation(
    robot: str,
    tip: str,
    states: StateRequest,
    lock: Sequence[str],
    source: str,
    form: Form,
    session: Session,
) -> int:
    """How the inverse of a robot is derived.

    Raises:
        OptionError: states besides, or a form that there is none.
        InverseError: a chain without an inverse that can be derived.
    """
    from reports.models.robot import explanation_document, explanation_latex, explanation_lines
    from robots.core.chain_inverse.explanation import explain, source_of
    from robots.core.symbols.listing import Language

    if states.table or states.given:
        raise OptionError(
            "--explain derives the inverse for every pose; leave the states out.",
            option="--explain",
        )
    languages = [language.value for language in Language if language is not Language.LATEX]
    if source not in ("text", "latex", *languages):
        raise OptionError(
            f"--as: there is no form {source!r}; there are text, latex, {', '.join(languages)}.",
            option="--as",
            form=source,
        )
    mechanism = movable_robot(robot, tip, session)
    locked = locked_joints(lock, mechanism)
    inverse = _derived(mechanism, locked)
    if source in languages:
        print(source_of(inverse, Language(source)).text, end="")
        return ExitCode.DONE
    found = explain(inverse)
    lines = explanation_latex if source == "latex" else explanation_lines
    return form.show(json=lambda: explanation_document(found), text=lambda: lines(found))


def _derived(mechanism: Mechanism, locked: Mapping[str, float]) -> ChainInverse:
    """The inverse for what so many joints hold of a pose.

    Four joints whose positions are families hold what else they reach of a pose, as a SCARA does.
    """
    from robots.core.chain_inverse.solver import ChainInverse
    from robots.core.inverse.task import task_of

    left = mechanism.dof - len(locked)
    try:
        return ChainInverse.of(mechanism, task_of(left), locked)
    except InverseError as error:
        if left != _LIKE_SCARA or error.fact("spare", int) is None:
            raise
        return ChainInverse.of(mechanism, Task.POSE, locked)


def _target(table: States) -> Target:
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


def write_robot_page(
    robot: str, tip: str, meshes: Path | None, place: str, q: str, session: Session
) -> int:
    """Write the page.

    Args:
        robot: as its option.
        tip: likewise.
        meshes: likewise.
        place: of the page.
        q: text of the first posture; empty for zero.
        session: of this run.

    Raises:
        RobotError: no such robot.
        OptionError: a posture that is none, or is outside the limits.
        OutputError: the file cannot be written, or is somebody else's.
    """
    path = Path(place)
    # before the work, not after it
    check_file(path, "palpeur robot show", [robot], force=session.force, option="--html")
    loaded = load_robot(robot, tip=tip, meshes=meshes)
    mechanism = loaded.mechanism
    say_choices(mechanism, session)
    posture = None
    if q:
        given = StateRequest(options={"q": q}).read(mechanism)
        posture = posture_of(mechanism, given.require("q", "the page")[0])
    page = robot_page(Robot(mechanism, source=loaded.source, engine="single-use"), posture)
    write_result(
        path,
        page,
        "palpeur robot show",
        comment="<!-- {} -->",
        force=session.force,
        option="--html",
    )
    session.say(f"Page written to {place}")
    return ExitCode.DONE
