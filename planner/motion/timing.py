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
from robots.core.motion.joint_path import JointPath
from robots.core.motion.motion_law import TIME_OPTIMAL, straight_law
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
    law = straight_law(job.travel.law)
    straight = TravelMotions(lines.q_starts[:-1], lines.q_starts[1:], law, limits)
    if job.travel.law == TIME_OPTIMAL:
        return _time_optimal(lines.model, straight, limits, detours)
    if detours is None or detours.travels.size == 0:
        return straight
    from planner.detours.motions import MixedTravels

    return MixedTravels(straight, detours.motions, detours.travels)


def _time_optimal(
    model: Model, straight: TravelMotions, limits: JointLimits, detours: Detours | None
) -> TravelMotions | MixedTravels:
    """Detours and straight travels as fast as all limits allow.

    A straight travel that keeps the efforts' limits at full speed and acceleration is optimal as it
    is. What cannot be traversed because a limit does not bear the robot at rest stays as it is,
    too: its timing says so.
    """
    from planner.motion.time_optimal import TimeOptimalMotions, traversals

    around: dict[int, JointPath] = {}
    if detours is not None:
        paths = [detours.motions.path(k) for k in range(detours.travels.size)]
        around = {
            int(k): path for k, path in zip(detours.travels, paths, strict=True) if path is not None
        }
    from planner.detours.motions import MixedTravels

    otherwise: TravelMotions | MixedTravels = straight
    if detours is not None and detours.travels.size:
        otherwise = MixedTravels(straight, detours.motions, detours.travels)
    limited = bool(np.any(np.isfinite(limits.max_effort)))
    if limited and straight.count:
        loads = stretch_loads(model, straight, straight.duration, Scope.EACH)
        over = np.flatnonzero(np.any(loads.torque > limits.max_effort, axis=1))
        ends = straight.starts + straight.displacements
        for k in set(over.tolist()) - set(around):
            waypoints = np.stack([straight.starts[k], ends[k]])
            around[k] = JointPath.blended(waypoints, np.zeros(0), limits.max_speed)
    rows = sorted(around)
    found = traversals([around[k] for k in rows], limits, model if limited else None)
    kept = [k for k, one in zip(rows, found, strict=True) if one is not None]
    if not kept:
        return otherwise
    motions = TimeOptimalMotions(
        [one for one in found if one is not None], limits, model if limited else None
    )
    return MixedTravels(otherwise, motions, np.array(kept, dtype=np.int64))


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
