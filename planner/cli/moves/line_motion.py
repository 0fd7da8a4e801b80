"""``palpeur motion --straight``: one motion along a straight line of poses."""

from __future__ import annotations

import numpy as np

from planner.cli.exit_codes import ExitCode
from planner.cli.moves.motion import (
    MotionRequest,
    law_document,
    print_all_laws,
    print_law,
    usable_laws,
)
from planner.cli.moves.motion_values import listed_numbers
from planner.cli.moves.sampled import instants, write_samples
from planner.cli.output import FORMAT, print_json
from planner.errors import OptionError
from robots.core.arrays import Array
from robots.core.motion.joint_limits import JointLimits
from robots.core.motion.least_time import LeastTime
from robots.core.motion.straight_line import StraightLine, line_limits
from robots.core.pose import make_pose, rotation_zyx

_POSE_HEADERS = [f"T{row}{column}" for row in (1, 2, 3) for column in (1, 2, 3, 4)]
_RATE_HEADERS = [
    *("vx_m_s", "vy_m_s", "vz_m_s", "wx_rad_s", "wy_rad_s", "wz_rad_s"),
    *("ax_m_s2", "ay_m_s2", "az_m_s2", "wdx_rad_s2", "wdy_rad_s2", "wdz_rad_s2"),
]


def print_line_motion(request: MotionRequest) -> int:
    """Time a straight line, or all laws along it.

    Raises:
        OptionError: values that are not two poses and two pairs of limits.
    """
    if request.robot or request.unit:
        raise OptionError("--straight moves the tool alone: leave --robot and --unit out.")
    line = StraightLine(start=_pose(request.start, "--from"), end=_pose(request.end, "--to"))
    limits = _limits(request)
    if request.all_laws:
        times = [line.least_time(law, limits) for law in usable_laws(limits)]
        return print_all_laws(times, as_json=request.json)
    found = line.least_time(request.law, limits)
    _write(request, line, found)
    if request.json:
        ends = {"distance_m": line.distance, "angle_rad": line.angle}
        print_json({"format": FORMAT, **law_document(found), **ends})
    else:
        print_law(found)
        print(f"distance {line.distance * 1e3:.6g} mm, turn {np.degrees(line.angle):.6g} deg")
    if line.is_half_turn:
        request.session.say("The turn is 180 deg: both ways round are equally short.")
    return ExitCode.DONE


def _pose(text: str, option: str) -> Array:
    """Pose of x, y, z [mm] and, if given, angles about z, y, x [deg]. # (4, 4)."""
    values = listed_numbers(text, option)
    if values.size not in (3, 6):
        raise OptionError(
            f"{option} has {values.size} values; a pose is x,y,z in mm, or x,y,z and angles about "
            "z, y, x in degrees."
        )
    angles = np.radians(values[3:]) if values.size == 6 else np.zeros(3)
    return make_pose(rotation_zyx(angles), values[:3] / 1000.0)


def _limits(request: MotionRequest) -> JointLimits:
    speed = _pair(request.kv, "--kv", "m/s", "rad/s")
    acceleration = _pair(request.ka, "--ka", "m/s²", "rad/s²")
    jerk = _pair(request.kj, "--kj", "m/s³", "rad/s³") if request.kj else [np.inf, np.inf]
    return line_limits(
        max_speed=speed[0],
        max_angular_speed=speed[1],
        max_acceleration=acceleration[0],
        max_angular_acceleration=acceleration[1],
        max_jerk=jerk[0],
        max_angular_jerk=jerk[1],
    )


def _pair(text: str, option: str, linear: str, angular: str) -> list[float]:
    values = listed_numbers(text, option) if text else np.zeros(0)
    if values.size != 2:
        raise OptionError(
            f"{option} has {values.size} values; with --straight give two: translation in "
            f"{linear}, rotation in {angular}."
        )
    pair: list[float] = values.tolist()
    return pair


def _write(request: MotionRequest, line: StraightLine, found: LeastTime) -> None:
    if not request.out:
        return
    t = instants(found.duration, request.period_ms)
    T = found.duration or 1.0  # nothing moves in no time: the tangent is zero whatever T is
    s = t / T
    state = line.state(found.law.r(s), found.law.dr(s) / T, found.law.ddr(s) / T**2)
    flat = state.pose[:, :3].reshape(len(t), 12)
    table = np.column_stack([t, flat, state.velocity, state.acceleration])
    write_samples(request.out, [*_POSE_HEADERS, *_RATE_HEADERS], table, force=request.session.force)
    request.session.say(f"{len(t)} samples written to {request.out}")
