"""Least time of a course under the legs' speed, acceleration and force limits, exactly.

The course fixes l(s); speeds go with 1/T, accelerations with 1/T², forces with static + viscous/T +
inertial/T². The core's time scaling solves this for any path; here its path is the six lengths.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from robots.core.arrays import Array
from robots.core.errors import OverloadError
from robots.core.motion.joint_limits import Binding, JointLimits
from robots.core.motion.joint_motion import PathState
from robots.core.motion.motion_law import Side, motion_law, trapezoid
from robots.core.motion.time_scaling import (
    EffortParts,
    PathDuration,
    effort_model,
    minimum_duration_with_efforts,
)
from robots.core.rounding import apart_digits
from robots.stewart.errors import PlatformError
from robots.stewart.model import PlatformModel
from robots.stewart.motion import PoseCourse, TimedMotion, pose_move
from robots.stewart.motion_check import LegPath, LegPathState, force_of, has_force_limits
from robots.stewart.platform import Platform

LegLimitKind = Literal["speed", "acceleration", "force"]

# Stands for "no limit" where the core asks for a finite one: no leg is ever that fast.
_UNLIMITED = 1e30
_KINDS: dict[str, LegLimitKind] = {
    "velocity": "speed",
    "acceleration": "acceleration",
    "torque": "force",
}
# A shorter part for speeding up asks for accelerations that no drive gives.
_SHORTEST_RISE = 0.01
# How finely the search for the trapezoid's shape looks at forces.
_SAMPLES, _TRIED, _BISECTIONS = 129, 200, 24


@dataclass(frozen=True, slots=True, kw_only=True)
class LegBinding:
    """The limit that fixes the duration of a motion.

    Args:
        leg: index, 0 to 5.
        name: of the leg.
        kind: which limit.
        time: when it is reached. [s]
    """

    leg: int
    name: str
    kind: LegLimitKind
    time: float

    def __str__(self) -> str:
        return f"leg {self.name} {self.kind}"


@dataclass(frozen=True, slots=True, kw_only=True)
class MinimumTimeMotion:
    """A course in its least time.

    Args:
        motion: in time.
        binding: what does not let it be shorter.
    """

    motion: TimedMotion
    binding: LegBinding


class HeavyMotionError(PlatformError):
    """No duration keeps the forces within their limits; facts: leg, s, static, limit."""


def minimum_time(
    model: PlatformModel, course: PoseCourse, *, with_forces: bool = True
) -> MinimumTimeMotion:
    """Run a course as fast as the legs allow.

    Args:
        model: of the platform, which has the limits of its drives.
        course: its shape over s.
        with_forces: whether limits of force count, where there are any.

    Raises:
        PlatformError: nothing limits the motion.
        HeavyMotionError: a drive is too weak at any speed.
        MotionError: the course is too rough for an exact answer.
    """
    limits = _limits(model.platform, with_forces=with_forces)
    path = LegPath(model=model, course=course)
    try:
        found = minimum_duration_with_efforts(path, limits, _efforts(model))
    except OverloadError as error:
        raise _heavy(model.platform, error) from error
    return _least_motion(course, found)


def minimum_time_move(
    model: PlatformModel, start: Array, end: Array, law_name: str
) -> MinimumTimeMotion:
    """The quickest move between two poses under a law.

    The trapezoid's part of speeding up is free: the one with the least time is searched for on
    samples; the time of the part that is chosen is exact.

    Args:
        model: of the platform, which has the limits of its drives.
        start: T_base_platform. # (4, 4)
        end: likewise.
        law_name: of ``robots.core.motion``.

    Raises:
        PoseError, PlatformError, HeavyMotionError, MotionError: as ``pose_move``, ``minimum_time``.
    """
    if law_name != "trapezoid":
        return minimum_time(model, pose_move(start, end, motion_law(law_name)))

    def course(fraction: float) -> PoseCourse:
        return pose_move(start, end, trapezoid(fraction))

    return minimum_time(model, course(_best(lambda f: _sampled_duration(model, course(f)))))


def _best(duration: Callable[[float], float]) -> float:
    """Part of speeding up with the least duration."""
    from scipy.optimize import minimize_scalar

    found = minimize_scalar(
        duration, bounds=(_SHORTEST_RISE, 0.5), method="bounded", options={"xatol": 1e-4}
    )
    return 0.5 if duration(0.5) <= found.fun else float(found.x)


def _sampled_duration(model: PlatformModel, course: PoseCourse) -> float:
    """Least duration that keeps all limits on samples. [s]."""
    path, drives = LegPath(model=model, course=course), _limits(model.platform, with_forces=True)
    s = np.concatenate([np.linspace(0.0, 1.0, _SAMPLES), course.breaks])
    sides: tuple[Side, ...] = ("left", "right")
    states = [path.state(s, side) for side in sides]
    speed = max(np.max(np.abs(state.dq) / drives.max_speed) for state in states)
    push = max(np.max(np.abs(state.ddq) / drives.max_acceleration) for state in states)
    allowed = float(1.0 / max(speed, np.sqrt(push)))
    if not has_force_limits(model):
        return 1.0 / allowed
    return 1.0 / _sampled_freedom(model, states, allowed)


def _sampled_freedom(model: PlatformModel, states: list[LegPathState], allowed: float) -> float:
    """Greatest inverse duration, up to ``allowed``, at which forces keep their limits. [1/s]."""
    limits = np.array([leg.max_force for leg in model.platform.legs])
    if all(np.all(np.abs(force_of(model, state, 1.0 / allowed)) <= limits) for state in states):
        return allowed
    efforts = _efforts(model)
    parts = [efforts(state) for state in states]

    def excess(u: float) -> float:
        return max(float(np.max(np.abs(part.at(u)) / limits)) for part in parts) - 1.0

    tried = allowed * np.geomspace(1.0, 1e-3, _TRIED)
    free = [excess(float(u)) <= 0.0 for u in tried]
    if not any(free):
        return float(tried[-1])
    first = free.index(True)
    low, high = float(tried[first]), float(tried[max(first - 1, 0)])
    for _ in range(_BISECTIONS):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if excess(middle) <= 0.0 else (low, middle)
    return low


def _least_motion(course: PoseCourse, found: PathDuration) -> MinimumTimeMotion:
    binding: Binding | None = found.binding
    if binding is None:
        raise PlatformError(
            "No leg changes its length on this course, so that no limit gives it a duration; "
            "choose one."
        )
    motion = TimedMotion(course=course, duration=found.duration)
    return MinimumTimeMotion(
        motion=motion,
        binding=LegBinding(
            leg=binding.joint,
            name=binding.name,
            kind=_KINDS[binding.kind],
            time=binding.s * found.duration,
        ),
    )


def _limits(platform: Platform, *, with_forces: bool) -> JointLimits:
    legs = platform.legs
    speed = np.array([leg.max_speed for leg in legs])
    acceleration = np.array([leg.max_acceleration for leg in legs])
    effort = np.array([leg.max_force if with_forces else np.inf for leg in legs])
    if not np.any(np.isfinite([speed, acceleration])):
        raise PlatformError(
            f"Platform {platform.name!r}: no leg has a limit of speed or acceleration, so that "
            "there is no minimum time; give max_speed_m_s or max_acceleration_m_s2, or choose a "
            "duration."
        )
    return JointLimits(
        max_speed=np.minimum(speed, _UNLIMITED),
        max_acceleration=np.minimum(acceleration, _UNLIMITED),
        max_effort=effort,
        names=tuple(leg.name for leg in legs),
        units=("m",) * len(legs),
    )


def _efforts(model: PlatformModel) -> Callable[[PathState], EffortParts]:
    """The forces split into static, viscous and inertial parts, from the platform's own state."""
    split = effort_model(model.forces)

    def of(state: PathState) -> EffortParts:
        if not isinstance(state, LegPathState):
            raise PlatformError("Forces need the platform's state; only a LegPath has it.")
        platform = state.platform
        return split(PathState(q=platform.T, dq=platform.V, ddq=platform.A))

    return of


def _heavy(platform: Platform, error: OverloadError) -> HeavyMotionError:
    held, allowed = apart_digits(error.static, error.limit, 6)
    return HeavyMotionError(
        f"No duration keeps the forces within their limits: at s = {error.s:.6g} leg "
        f"{platform.legs[error.joint].name} holds {held} N at rest, its limit is {allowed} N; "
        "choose other poses, a lighter part, or a stronger drive.",
        leg=error.joint,
        s=error.s,
        static=error.static,
        limit=error.limit,
    )
