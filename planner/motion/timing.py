"""How long motions take and what they ask of the drives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from planner.job.job import Job
from planner.motion.extremes import Scope
from planner.motion.loads import Detail, StretchLoads, stretch_loads
from planner.motion.motions import Motions, OneMotion
from planner.motion.travel import TravelMotions
from planner.reach.lines import Lines
from robots.core.arrays import Array
from robots.core.errors import MotionError
from robots.core.model import Model
from robots.core.motion.joint_limits import JointLimits
from robots.core.motion.time_scaling import effort_model, minimum_duration_with_efforts

if TYPE_CHECKING:
    from planner.detours.find import Detours
    from planner.detours.motions import MixedTravels


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Durations:
    """Durations and what fixes them."""

    duration: Array  # (k,) [s]
    bindings: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Schedule:
    """A batch of motions with its durations.

    Args:
        motions: the batch.
        times: its durations.
        law: name of the motions' law; of travels each has its own.
    """

    motions: Motions
    times: Durations
    law: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Timing(Schedule):
    """A schedule with its loads and what could not be kept.

    Args:
        loads: at those durations.
        impossible: why no duration keeps the torque limits, by number of the motion.
    """

    loads: StretchLoads
    impossible: dict[int, str]


def travels(
    lines: Lines, limits: JointLimits, job: Job, detours: Detours | None = None
) -> TravelMotions | MixedTravels:
    """The motions between the clearance points of lines in visiting order."""
    straight = TravelMotions(lines.q_starts[:-1], lines.q_starts[1:], job.travel.law, limits)
    if detours is None or detours.travels.size == 0:
        return straight
    from planner.detours.motions import MixedTravels

    return MixedTravels(straight, detours.motions, detours.travels)


def timing(
    model: Model,
    motions: Motions,
    times: Durations,
    limits: JointLimits,
    law: str = "",
    *,
    detail: Detail = Detail.WHOLE,
) -> Timing:
    """Loads of a batch, after slowing down what passes a torque limit.

    Args:
        model: of the robot.
        motions: the batch.
        times: durations under the other limits.
        limits: of the joints.
        law: name of the motions' law.
        detail: how closely the motions are looked at.
    """
    scope = load_scope(limits)
    loads = stretch_loads(model, motions, times.duration, scope, detail=detail)
    slower, impossible = slow_for_torque(model, motions, times, loads.torque, limits)
    if np.any(slower.duration != times.duration):
        loads = stretch_loads(model, motions, slower.duration, scope, detail=detail)
    return Timing(
        motions=motions,
        times=slower,
        law=law,
        loads=loads,
        impossible=impossible,
    )


def load_scope(limits: JointLimits) -> Scope:
    """Where torques are limited every motion's own peak decides; else only the largest of all."""
    return Scope.EACH if np.any(np.isfinite(limits.max_effort)) else Scope.FUNCTION


def slow_for_torque(
    model: Model, motions: Motions, times: Durations, peak_torque: Array, limits: JointLimits
) -> tuple[Durations, dict[int, str]]:
    """Lengthen the motions whose torque passes a limit.

    A longer duration is not always the remedy: where gravity alone passes a limit none is found.

    Args:
        model: for the torques.
        motions: the batch.
        times: durations so far.
        peak_torque: of the motions at those durations. # (k, n) [N m]
        limits: with torque limits.

    Returns:
        Durations that also keep torque limits, and why none does, by number of the motion.
    """
    duration, bindings = times.duration.copy(), list(times.bindings)
    impossible: dict[int, str] = {}
    efforts = effort_model(model.torques)
    over = np.any(peak_torque > limits.max_effort, axis=1)
    for k in np.nonzero(over)[0]:
        try:
            found = minimum_duration_with_efforts(
                OneMotion(motions, int(k)), limits, efforts, at_least=float(duration[k])
            )
        except MotionError as error:
            impossible[int(k)] = error.message
            continue
        duration[k] = found.duration
        bindings[k] = ", ".join(str(binding) for binding in found.bindings)
    return Durations(duration=duration, bindings=tuple(bindings)), impossible
