"""``robot velocity --inverse`` and ``robot acceleration --inverse``: joint rates of tool rates."""

from __future__ import annotations

import numpy as np

from planner.cli.exit_codes import ExitCode
from planner.cli.opening import tip_document
from planner.cli.output import Field, print_fields, print_rows
from planner.cli.robot.robot_models import Request
from planner.cli.robot.tasks import named_task
from planner.tables import ACCELERATION, SPIN, SPIN_RATE, VELOCITY
from robots.core.arrays import Array
from robots.core.inverse import Task
from robots.core.inverse.differential import JointRates, joint_accelerations, joint_velocities

# Of the demand, plus one: what the pseudo-inverse leaves of a demand that can be met is rounding.
_TOLERANCE = 1e-9


def print_joint_velocity(request: Request, task_name: str) -> int:
    """Joint speeds of tool velocities; exit code 1 where the tool cannot move so."""
    q = request.postures("the inverse velocity model")
    task = _task(request, task_name, SPIN)
    twist = _twist(request, (VELOCITY, SPIN), task)
    rate = task.rate(request.model.forward(q)[:, :3, :3], twist)
    found = joint_velocities(request.model, task, q, rate)
    return _answer(request, "qd", found, rate)


def print_joint_acceleration(request: Request, task_name: str) -> int:
    """Joint accelerations of tool accelerations; exit code 1 where the tool cannot."""
    purpose = "the inverse acceleration model"
    q = request.postures(purpose)
    qd = request.table.require("qd", purpose)
    task = _task(request, task_name, SPIN_RATE)
    twist_rate = _twist(request, (ACCELERATION, SPIN_RATE), task)
    R = request.model.forward(q)[:, :3, :3]
    rate = np.array(task.rate(R, twist_rate))
    if task.has_axis:  # ä of the axis holds ω×(ω×a) as well
        w = request.model.velocity(q, qd)[:, 3:]
        rate[:, -3:] += np.cross(w, np.cross(w, R[:, :, 2]))
    found = joint_accelerations(request.model, task, (q, qd), rate)
    return _answer(request, "qdd", found, rate)


def _task(request: Request, name: str, angular: str) -> Task:
    """The task named, else the whole pose, or the position where angular columns are missing."""
    if not name:
        return Task.POSE if angular in request.table else Task.POSITION
    task = named_task(name)
    if task is not Task.POSITION and task is not Task.PLANE_POSITION:
        request.table.require(angular, f"the task {name}")
    return task


def _twist(request: Request, groups: tuple[str, str], task: Task) -> Array:
    """Linear and angular columns side by side. # (N, 6)."""
    linear, angular = groups
    if task is Task.AXIS:
        parts = [request.table.or_zero(linear), request.table.require(angular, "the axis")]
    else:
        purpose = "the inverse model"
        parts = [request.table.require(linear, purpose), request.table.or_zero(angular)]
    return np.hstack(parts)


def _answer(request: Request, key: str, found: JointRates, demand: Array) -> int:
    missing = np.linalg.norm(found.residual, axis=-1)
    solved = missing <= _TOLERANCE * (1.0 + np.linalg.norm(demand, axis=-1))
    if request.json:
        rows = zip(found.value, found.residual, found.rank, solved, strict=True)
        print_rows(
            (
                {key: value, "residual": residual, "rank": rank, "solved": good}
                for value, residual, rank, good in rows
            ),
            tip_document(request.mechanism),
        )
    else:
        fields = (
            Field(key=key, values=found.value, headers=request.headers(key)),
            Field(key="residual", values=missing[:, None], headers=("residual",)),
            Field(key="rank", values=found.rank[:, None].astype(float), headers=("rank",)),
        )
        print_fields(fields, request.form)
    if np.all(solved):
        return ExitCode.DONE
    first = int(np.argmin(solved))
    request.session.say(
        f"R203 error: {int(np.sum(~solved))} of {len(solved)} motions cannot be made, first in "
        f"line {request.table.lines[first]}: {missing[first]:.3g} is missing, rank "
        f"{found.rank[first]} of {found.full_rank}."
    )
    return ExitCode.FAILED
