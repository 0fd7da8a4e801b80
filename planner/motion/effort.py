"""Torque limits: motions that ask for too much are slowed down, each as little as it takes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.motion.motions import Motions, OneMotion
from robots.core.arrays import Array
from robots.core.errors import MotionError
from robots.core.model import Model
from robots.core.motion.joint_limits import JointLimits
from robots.core.motion.time_scaling import effort_model, minimum_duration_with_efforts


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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Timed:
    """Durations under speed and acceleration limits, and what fixes them."""

    duration: Array  # (k,) [s]
    bindings: tuple[str, ...]


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
