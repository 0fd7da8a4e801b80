"""How long the motions take and what they ask of the drives: probing lines, retracts, travel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from planner.job import Job
from planner.motion.extremes import Scope
from planner.motion.loads import StretchLoads, reversed_loads, stretch_loads
from planner.motion.motions import Motions, OneMotion
from planner.motion.probing_lines import LineMotions, least_line_times
from planner.motion.travel import TravelMotions
from planner.reach.lines import Lines
from robots.core.arrays import Array
from robots.core.errors import MotionError
from robots.core.mechanism import Mechanism
from robots.core.model import Model
from robots.core.motion.joint_limits import JointLimits
from robots.core.motion.time_scaling import effort_model, minimum_duration_with_efforts

if TYPE_CHECKING:
    from planner.detours.find import Detours
    from planner.detours.motions import MixedTravels


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Timed:
    """Durations under speed and acceleration limits, and what fixes them."""

    duration: Array  # (k,) [s]
    bindings: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Timing:
    """A batch of motions with durations, loads and what could not be kept.

    Args:
        motions: the batch.
        timed: its durations.
        loads: at those durations.
        impossible: why no duration keeps the torque limits, by number of the motion.
    """

    motions: Motions
    timed: Timed
    loads: StretchLoads
    impossible: dict[int, str]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Timings:
    """The three batches of a plan, in visiting order."""

    probe: Timing
    retract: Timing
    travel: Timing

    @property
    def batches(self) -> tuple[Timing, Timing, Timing]:
        """Probing lines, retracts, travel."""
        return self.probe, self.retract, self.travel

    @property
    def duration(self) -> float:
        """Of all motions. [s]."""
        return float(sum(np.sum(batch.timed.duration) for batch in self.batches))


def timings(
    lines: Lines,
    limits: JointLimits,
    job: Job,
    travel: TravelMotions | MixedTravels | None = None,
) -> Timings:
    """Time the probing lines in visiting order, their retracts and the travel between them.

    Args:
        lines: one per served point.
        limits: of the joints, torques included.
        job: for the laws.
        travel: between their clearance points; straight when None.
    """
    model = lines.model
    motions = LineMotions(lines, job.approach.law)
    least = least_line_times(motions, limits)
    line_times = Timed(duration=least.duration, bindings=least.bindings)
    backward = LineMotions(lines, job.approach.law, backward=True)
    travel = travels(lines, limits, job) if travel is None else travel
    travel_times = Timed(duration=travel.duration, bindings=travel.bindings)
    probe = _timing(model, motions, line_times, limits)
    # Without friction a retract is its line run backwards, torques and limits included.
    frictionless = not _has_friction(model.mechanism)
    retract = (
        _reversed(probe, backward) if frictionless else _timing(model, backward, line_times, limits)
    )
    return Timings(
        probe=probe, retract=retract, travel=_timing(model, travel, travel_times, limits)
    )


def travels(
    lines: Lines, limits: JointLimits, job: Job, detours: Detours | None = None
) -> TravelMotions | MixedTravels:
    """The motions between the clearance points of lines in visiting order."""
    straight = TravelMotions(lines.q_starts[:-1], lines.q_starts[1:], job.travel.law, limits)
    if detours is None or detours.travels.size == 0:
        return straight
    from planner.detours.motions import MixedTravels

    return MixedTravels(straight, detours.motions, detours.travels)


def _has_friction(mechanism: Mechanism) -> bool:
    return any(joint.coulomb != 0.0 or joint.viscous != 0.0 for joint in mechanism.movable)


def _reversed(probe: Timing, backward: LineMotions) -> Timing:
    return Timing(
        motions=backward,
        timed=probe.timed,
        loads=reversed_loads(probe.loads),
        impossible=probe.impossible,
    )


def _timing(model: Model, motions: Motions, timed: Timed, limits: JointLimits) -> Timing:
    """Loads of a batch, after slowing down what passes a torque limit."""
    # Where torques are limited every motion's own peak decides; else only the largest of all.
    scope = Scope.EACH if np.any(np.isfinite(limits.max_effort)) else Scope.FUNCTION
    loads = stretch_loads(model, motions, timed.duration, scope)
    slowed = slow_for_torque(model, motions, timed, loads.torque, limits)
    if np.any(slowed.duration != timed.duration):
        loads = stretch_loads(model, motions, slowed.duration, scope)
    return Timing(
        motions=motions,
        timed=Timed(duration=slowed.duration, bindings=slowed.bindings),
        loads=loads,
        impossible=slowed.impossible,
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Slowed:
    """Durations that also keep torque limits.

    Args:
        duration: # (k,) [s]
        bindings: limit that fixes each duration.
        impossible: reason for motions that no duration makes feasible, by number.
    """

    duration: Array
    bindings: tuple[str, ...]
    impossible: dict[int, str]


def slow_for_torque(
    model: Model, motions: Motions, timed: Timed, peak_torque: Array, limits: JointLimits
) -> Slowed:
    """Lengthen the motions whose torque passes a limit.

    A longer duration is not always the remedy: where gravity alone passes a limit none is found.

    Args:
        model: for the torques.
        motions: the batch.
        timed: durations so far.
        peak_torque: of the motions at those durations. # (k, n) [N m]
        limits: with torque limits.
    """
    duration, bindings = timed.duration.copy(), list(timed.bindings)
    impossible: dict[int, str] = {}
    efforts = effort_model(model.torques)
    over = np.any(peak_torque > limits.max_effort, axis=1)
    for k in np.nonzero(over)[0]:
        try:
            found = minimum_duration_with_efforts(OneMotion(motions, int(k)), limits, efforts)
        except MotionError as error:
            impossible[int(k)] = error.message
            continue
        duration[k] = found.duration
        bindings[k] = ", ".join(str(binding) for binding in found.bindings)
    return Slowed(duration=duration, bindings=tuple(bindings), impossible=impossible)
