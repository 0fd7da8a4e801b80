"""``palpeur robot forward`` and its sisters: the models on a table of states.

These are declarations; ``robot_models``, ``robot_inverse`` and ``robot_rates`` do the work.
"""

from __future__ import annotations

from typing import Annotated

import typer

from planner.cli.options import Csv, Inverse, Json, Robot, States, Task, Tip
from planner.cli.robot_reference import RobotReference


def forward(
    context: typer.Context,
    robot: Robot,
    states: States,
    tip: Tip = "",
    as_json: Json = False,
    as_csv: Csv = False,
) -> int:
    """Pose of the tool in the base frame. Needs q1 …; JSON key T."""
    from planner.cli.robot.robot_models import Request, print_forward

    return print_forward(
        Request(
            robot=RobotReference(model=robot, tip=tip),
            states=states,
            json=as_json,
            csv=as_csv,
            session=context.obj,
        )
    )


def inverse(
    context: typer.Context,
    robot: Robot,
    states: States,
    *,
    tip: Tip = "",
    as_json: Json = False,
    as_csv: Csv = False,
    starts: Annotated[
        int, typer.Option("--starts", min=1, max=1000, help="Starts of the search per state.")
    ] = 64,
) -> int:
    """Joint values that reach a pose.

    Needs x_m, y_m, z_m with nx, ny, nz (outgoing normal of the surface touched: the tool's z axis
    points against it) or ax, ay, az (direction of the tool's z axis), or alone; or T11 … T34 (full
    pose). q1 … are a first guess. JSON key solutions. Exit code 1 when a state has no solution
    within the limits.
    """
    from planner.cli.robot.robot_inverse import print_inverse
    from planner.cli.robot.robot_models import Request

    return print_inverse(
        Request(
            robot=RobotReference(model=robot, tip=tip),
            states=states,
            json=as_json,
            csv=as_csv,
            session=context.obj,
        ),
        starts,
    )


def velocity(
    context: typer.Context,
    robot: Robot,
    states: States,
    *,
    tip: Tip = "",
    inverse: Inverse = False,
    task: Task = "",
    as_json: Json = False,
    as_csv: Csv = False,
) -> int:
    """Velocity of the tool: linear, then angular, base axes.

    Needs q1 … and qd1 …; JSON key velocity. With --inverse: q1 … and vx_m_s … wz_rad_s (or vx … vz
    alone) give qd and the residual; exit code 1 when the robot cannot move so.
    """
    from planner.cli.robot.robot_models import Request, print_velocity
    from planner.cli.robot.robot_rates import print_joint_velocity

    request = Request(
        robot=RobotReference(model=robot, tip=tip),
        states=states,
        json=as_json,
        csv=as_csv,
        session=context.obj,
    )
    return print_joint_velocity(request, task) if inverse else print_velocity(request)


def acceleration(
    context: typer.Context,
    robot: Robot,
    states: States,
    *,
    tip: Tip = "",
    inverse: Inverse = False,
    task: Task = "",
    as_json: Json = False,
    as_csv: Csv = False,
) -> int:
    """Acceleration of the tool: linear, then angular, base axes.

    Needs q1 …, qd1 …, qdd1 …; JSON key acceleration. With --inverse: q1 …, qd1 … and ax_m_s2 …
    az_m_s2, wdx_rad_s2 … wdz_rad_s2 give qdd and the residual.
    """
    from planner.cli.robot.robot_models import Request, print_acceleration
    from planner.cli.robot.robot_rates import print_joint_acceleration

    request = Request(
        robot=RobotReference(model=robot, tip=tip),
        states=states,
        json=as_json,
        csv=as_csv,
        session=context.obj,
    )
    return print_joint_acceleration(request, task) if inverse else print_acceleration(request)


def jacobian(
    context: typer.Context,
    robot: Robot,
    states: States,
    tip: Tip = "",
    as_json: Json = False,
    as_csv: Csv = False,
) -> int:
    """Geometric Jacobian at the tool, base axes, linear rows first. Needs q1 …; JSON key J."""
    from planner.cli.robot.robot_models import Request, print_jacobian

    return print_jacobian(
        Request(
            robot=RobotReference(model=robot, tip=tip),
            states=states,
            json=as_json,
            csv=as_csv,
            session=context.obj,
        )
    )


def dynamics(
    context: typer.Context,
    robot: Robot,
    states: States,
    *,
    tip: Tip = "",
    forward: Annotated[
        bool, typer.Option("--forward", help="Accelerations (key qdd) of given torques (tau1_nm).")
    ] = False,
    as_json: Json = False,
    as_csv: Csv = False,
) -> int:
    """Joint torques of a motion (Newton-Euler).

    Needs q1 …; qd1 …, qdd1 … are zero when left out; fx_n … mz_nm is the wrench of the tool on its
    environment, base axes. JSON key tau. With --forward: q1 …, qd1 …, tau1_nm … give qdd.
    """
    from planner.cli.robot.robot_models import Request, print_forward_dynamics, print_torques

    request = Request(
        robot=RobotReference(model=robot, tip=tip),
        states=states,
        json=as_json,
        csv=as_csv,
        session=context.obj,
    )
    return print_forward_dynamics(request) if forward else print_torques(request)


def mass(
    context: typer.Context,
    robot: Robot,
    states: States,
    tip: Tip = "",
    as_json: Json = False,
    as_csv: Csv = False,
) -> int:
    """Joint-space mass matrix. Needs q1 …; JSON key mass."""
    from planner.cli.robot.robot_models import Request, print_mass

    return print_mass(
        Request(
            robot=RobotReference(model=robot, tip=tip),
            states=states,
            json=as_json,
            csv=as_csv,
            session=context.obj,
        )
    )


def lagrange(
    context: typer.Context,
    robot: Robot,
    states: States,
    tip: Tip = "",
    as_json: Json = False,
    as_csv: Csv = False,
) -> int:
    """Lagrange coefficients: tau = A·qdd + B·[qd qd] + C·[qd²] + gravity.

    Needs q1 …; JSON keys mass (A), coriolis (B, j < k), centrifugal (C), gravity.
    """
    from planner.cli.robot.robot_models import Request, print_lagrange

    return print_lagrange(
        Request(
            robot=RobotReference(model=robot, tip=tip),
            states=states,
            json=as_json,
            csv=as_csv,
            session=context.obj,
        )
    )
