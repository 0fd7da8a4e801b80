"""Errors of one virtual run: those of the arm, the part's true place, and those of each touch.

Draws, streams and signs are those of ``planner.uncertainty``: run r of a seed has the errors of
draw r. Errors of the arm are true less nominal; the part truly stands where it is measured.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.uncertainty import Measuring
from planner.uncertainty.inputs import Inputs, inputs_of
from planner.uncertainty.streams import CommonStream, TouchStreams
from robots.core.arrays import Array
from robots.core.geometric_errors import GeometricParameter
from robots.core.orientation.axis_angle import rotation_exp


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Injected:
    """Errors of one run.

    Args:
        parameters: geometric parameters of the arm that are wrong.
        geometry: true less nominal value of each. # (P,) [rad, m or 1]
        joints: true less read value of each joint at each touch. # (k, n) [rad or m]
        touches: measured less true place of the ball at each touch, base axes. # (k, 3) [m]
        shift: of the part, base axes. # (3,) [m]
        turn: of the part about the middle of its points, a rotation vector, base axes.
            # (3,) [rad]
        growth: relative, of the part about that middle. [1]
        middle: # (3,) [m]
    """

    parameters: tuple[GeometricParameter, ...]
    geometry: Array
    joints: Array
    touches: Array
    shift: Array
    turn: Array
    growth: float
    middle: Array

    def nominal_place(self, places: Array) -> Array:
        """Where places on the true part are on the nominal one, base frame. # (..., 3) [m]."""
        arms = places - self.middle - self.shift
        return np.asarray(self.middle + arms @ rotation_exp(self.turn) / (1.0 + self.growth))


def injected(measuring: Measuring, *, runs: int, seed: int) -> list[Injected]:
    """Draw the errors of every run.

    Args:
        measuring: the points, with what can be wrong.
        runs: their number.
        seed: of everything.
    """
    given = inputs_of(measuring)
    common = CommonStream(given, seed).next(runs)
    touches = TouchStreams(given, np.arange(len(measuring)), seed).next(runs)
    return [
        _of_run(measuring, given, common[run], touches.own[run], touches.steps[run])
        for run in range(runs)
    ]


def _of_run(
    measuring: Measuring, given: Inputs, common: Array, own: Array, steps: Array
) -> Injected:
    count = len(given.parameters)
    reading = len(given.reading)
    joints = np.zeros_like(measuring.q)
    joints[:, given.reading] += own[:, :reading] * given.reading_sigmas
    joints[:, given.stepped] += steps * given.steps
    pose = common[count : count + 6] * given.alignment
    return Injected(
        parameters=given.parameters,
        geometry=common[:count] * given.sigmas,
        joints=joints,
        touches=_touches(measuring, given, own[:, reading:]),
        shift=pose[:3],
        turn=pose[3:],
        growth=float(common[count + 6] * given.growth),
        middle=measuring.middle,
    )


def _touches(measuring: Measuring, given: Inputs, own: Array) -> Array:
    """Errors of the touches. # (k, 3) [m]."""
    total = np.zeros((len(measuring), 3))
    if given.probe > 0.0:
        total += given.probe * own[:, :3]
    if given.probe_normal > 0.0:
        total += given.probe_normal * own[:, -1:] * measuring.normals
    return total
