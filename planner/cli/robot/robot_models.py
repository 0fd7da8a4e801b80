"""The direct models on a table of states: pose, rates, Jacobian, torques, mass, Lagrange."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from planner.cli.exit_codes import ExitCode
from planner.cli.opening import movable_robot, tip_document
from planner.cli.output import Field, Form, print_fields
from planner.cli.robot_reference import RobotReference
from planner.cli.session import Session
from planner.tables import (
    ACCELERATION,
    POSE,
    SPIN,
    SPIN_RATE,
    VELOCITY,
    WRENCH,
    States,
    group_headers,
    read_states,
    state_columns,
)
from robots.core.arrays import Array, Mask
from robots.core.mechanism import Mechanism
from robots.core.model import Model


@dataclass(frozen=True, kw_only=True)
class Request:
    """A robot, a table of states, and how to answer.

    Args:
        robot: library name or path, and tip.
        states: path of the table; "-" is standard input.
        json: answer in JSON.
        csv: answer in CSV.
        session: of this run.
    """

    robot: RobotReference
    states: str
    json: bool = False
    csv: bool = False
    session: Session = field(default_factory=Session)

    @cached_property
    def form(self) -> Form:
        """How the answer is printed."""
        return Form(json=self.json, csv=self.csv)

    @cached_property
    def mechanism(self) -> Mechanism:
        """The robot."""
        return movable_robot(self.robot, self.session)

    @cached_property
    def table(self) -> States:
        """The states."""
        return read_states(self.states, self.mechanism)

    @cached_property
    def model(self) -> Model:
        """The robot's equations."""
        return Model(self.mechanism, "single-use")

    def read(self) -> None:
        """Check the form, the robot and the table, in this order."""
        _ = (self.form, self.mechanism, self.table)

    def postures(self, purpose: str) -> Array:
        """The joint values; tells which are outside the limits. # (N, n)."""
        self.read()
        q = self.table.require("q", purpose)
        outside = (q < self.mechanism.q_min) | (q > self.mechanism.q_max)
        if np.any(outside):
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
            self.session.say(f"R206 note: no columns {' and '.join(absent)}; taken as zero.")
        return [self.table.or_zero(group) for group in groups]

    def headers(self, *groups: str) -> tuple[str, ...]:
        """Headers of some groups in SI."""
        known = state_columns(self.mechanism)
        return tuple(header for group in groups for header in group_headers(group, known))

    def answer(self, *fields: Field) -> int:
        """Print the quantities."""
        print_fields(fields, self.form, tip_document(self.mechanism))
        return ExitCode.DONE


def print_forward(request: Request) -> int:
    """Poses of the tool."""
    T = request.model.forward(request.postures("the forward model"))
    if request.json:
        return request.answer(Field(key="T", values=T, headers=()))
    flat = T[:, :3].reshape(len(T), 12)
    return request.answer(Field(key="T", values=flat, headers=request.headers(POSE)))


def print_velocity(request: Request) -> int:
    """Velocities of the tool."""
    q = request.postures("the velocity model")
    found = request.model.velocity(q, request.table.require("qd", "the velocity model"))
    return request.answer(
        Field(key="velocity", values=found, headers=request.headers(VELOCITY, SPIN))
    )


def print_acceleration(request: Request) -> int:
    """Accelerations of the tool."""
    purpose = "the acceleration model"
    q, table = request.postures(purpose), request.table
    found = request.model.acceleration(
        q, table.require("qd", purpose), table.require("qdd", purpose)
    )
    headers = request.headers(ACCELERATION, SPIN_RATE)
    return request.answer(Field(key="acceleration", values=found, headers=headers))


def print_jacobian(request: Request) -> int:
    """Jacobians at the tool."""
    J = request.model.jacobian(request.postures("the Jacobian"))
    return request.answer(Field(key="J", values=J, headers=matrix_headers("J", J.shape[1:])))


def print_torques(request: Request) -> int:
    """Torques of a motion."""
    q = request.postures("the dynamic model")
    qd, qdd = request.or_zero("qd", "qdd")
    wrench = request.table.groups.get(WRENCH)
    tau = request.model.torques(q, qd, qdd, wrench)
    return request.answer(Field(key="tau", values=tau, headers=request.headers("tau")))


def print_forward_dynamics(request: Request) -> int:
    """Accelerations of given torques; a state whose mass matrix is singular has none."""
    q = request.postures("forward dynamics")
    tau = request.table.require("tau", "forward dynamics")
    (qd,) = request.or_zero("qd")
    if WRENCH in request.table:
        tau = tau - request.model.statics(q, request.table.groups[WRENCH])
    singular = is_singular(request.model.mass_matrix(q))
    qdd = np.full_like(q, np.nan)
    if not np.all(singular):
        qdd[~singular] = request.model.forward_dynamics(q[~singular], qd[~singular], tau[~singular])
    request.answer(Field(key="qdd", values=qdd, headers=request.headers("qdd")))
    if not np.any(singular):
        return ExitCode.DONE
    line = request.table.lines[int(np.argmax(singular))]
    request.session.say(
        f"R204 error: {int(singular.sum())} of {len(q)} states, first in line {line}: the mass "
        "matrix is singular, so torques do not determine the accelerations."
    )
    return ExitCode.FAILED


def print_mass(request: Request) -> int:
    """Mass matrices."""
    M = request.model.mass_matrix(request.postures("the mass matrix"))
    return request.answer(Field(key="mass", values=M, headers=matrix_headers("A", M.shape[1:])))


def print_lagrange(request: Request) -> int:
    """Lagrange coefficients."""
    found = request.model.lagrange(request.postures("the Lagrange model"))
    named = (
        ("mass", "A", found.A),
        ("coriolis", "B", found.B),
        ("centrifugal", "C", found.C),
        ("gravity", "G", found.gravity),
    )
    fields = [
        Field(key=key, values=values, headers=matrix_headers(letter, values.shape[1:]))
        for key, letter, values in named
    ]
    return request.answer(*fields)


def matrix_headers(letter: str, shape: tuple[int, ...]) -> tuple[str, ...]:
    """A11, A12, … of an array; with underscores where an index has two digits."""
    between = "_" if max(shape) > 9 else ""
    return tuple(letter + between.join(str(k + 1) for k in index) for index in np.ndindex(*shape))


def is_singular(M: Array) -> Mask:
    """Whether mass matrices are not positive definite, up to rounding. # (..., n, n) -> (...).

    Rows and columns are scaled to a unit diagonal first, so that units and sizes do not matter.
    """
    diagonal = np.diagonal(M, axis1=-2, axis2=-1)
    size = np.sqrt(np.where(diagonal > 0.0, diagonal, np.inf))
    scaled = M / size[..., :, None] / size[..., None, :]
    smallest = np.linalg.eigvalsh(scaled)[..., 0]
    return np.asarray(np.any(diagonal <= 0.0, axis=-1) | (smallest <= _SINGULAR))


_SINGULAR = 1e-13
