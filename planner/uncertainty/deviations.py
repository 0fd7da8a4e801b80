"""Deviations of measured points from the truth, for drawn inputs of any size.

A controller turns readings into points by the nominal arm. With the readings' errors ε and the
arm's errors δ the ball was in truth at f(q + ε, δ), so that it measures wrong by
f(q, 0) - f(q + ε, δ). The part stands in truth turned and moved from where it is believed to be:
by as much its points are measured wrong.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from planner.job import UncertaintySettings
from planner.uncertainty.measuring import Carrier, Measuring
from robots.core.arrays import Array, Indices
from robots.core.equations.algebra import Vec3, add, cross, dot, scale
from robots.core.geometric_errors import (
    ErrorModel,
    GeometricParameter,
    ParameterKind,
    geometric_parameters,
    tip_of,
)
from robots.core.kernels import Kernel
from robots.core.mechanism import Mechanism
from robots.core.recording import Programme, Recorder, recording_functions

_NOTHING = 1e-300  # a square of an angle, so that sin(a)/a is 1 where nothing turns


class DeviationKernel:
    """Deviations as a function of standard draws.

    Args:
        measuring: the points.
        threads: processor cores to use; the result does not depend on it.
    """

    def __init__(self, measuring: Measuring, threads: int = 1) -> None:
        self.measuring, self.threads = measuring, threads
        self.inputs: Inputs = inputs_of(measuring)
        self._touch = Kernel(record_touch(measuring.mechanism, self.inputs))
        self._displacement = Kernel(record_displacement())
        nominal = ErrorModel(measuring.mechanism, ())
        self._believed = nominal.positions(measuring.q, np.zeros(0))
        self._arms = measuring.at_home - measuring.middle
        self._turns = measuring.turns

    def __call__(self, common: Array, own: Array, steps: Array, points: Indices) -> Array:
        """Deviations, base axes.

        Args:
            common: standard normal draws of the inputs that all points share. # (m, S)
            own: standard normal draws of each touch. # (m, k, w)
            steps: places within a step, -1/2 to 1/2. # (m, k, s)
            points: which points. # (k,)

        Returns:
            # (m, k, 3) [m]
        """
        given, count = self.inputs, len(self.inputs.parameters)
        arrays = (
            np.broadcast_to(self.measuring.q[points], (*own.shape[:2], self.measuring.q.shape[1])),
            self._believed[points],
            self.measuring.normals[points],
            self.measuring.velocities[points] if given.trigger_jitter > 0.0 else np.zeros((1, 0)),
            common[:, None, :count] * given.sigmas,
            own * given.own_sigmas,
            steps * given.steps,
        )
        there = [array for array in arrays if array.shape[-1]]
        deviation = self._touch(*there, threads=self.threads)
        self._add_part(deviation, common[:, count:], points)
        return deviation

    def _add_part(self, deviation: Array, common: Array, points: Indices) -> None:
        """The part elsewhere than it is believed to be, grown, and its carriers."""
        given = self.inputs
        if np.any(given.alignment) or given.growth:
            deviation += self._clamped(common, points)
        for place, factor in enumerate(given.factors):
            on_it = np.nonzero(self.measuring.carried[points] == place)[0]
            if on_it.size:
                first = 7 + 6 * place
                twist = common[:, first : first + 6] @ factor.T
                origin = self.measuring.carriers[place].origin
                away = self.measuring.surfaces[points[on_it]] - origin
                deviation[:, on_it] += self._moved(twist, np.zeros(len(twist)), away)

    def _clamped(self, common: Array, points: Indices) -> Array:
        """The part wrong on what holds it, alike in all poses of a presenter. # (m, k, 3)."""
        given = self.inputs
        pose, growth = common[:, :6] * given.alignment, common[:, 6] * given.growth
        moved = self._moved(pose, growth, self._arms[points])
        if self.measuring.carriers:
            moved = np.einsum("kij,mkj->mki", self._turns[points], moved)
        return moved

    def _moved(self, twist: Array, growth: Array, arms: Array) -> Array:
        """Displacement of the ends of arms. # (m, 6), (m,), (k, 3) -> (m, k, 3)."""
        shift, turn = twist[:, None, :3], twist[:, None, 3:]
        return self._displacement(shift, turn, growth[:, None, None], arms, threads=self.threads)


def record_touch(mechanism: Mechanism, inputs: Inputs) -> Programme:
    """Where a touch is believed to be less where the ball was.

    Args:
        mechanism: the arm.
        inputs: which of them are there; not how large they are.

    Returns:
        touch(q (n,), believed (3,), normal (3,), velocity (3,), errors (P,), own (w,), steps (s,))
        -> (3,) [m]: the errors in their units, arguments without numbers left out.
    """
    recorder = Recorder()

    def argument(name: str, size: int) -> list[Any]:
        return recorder.argument(name, (size,)) if size else []

    q = argument("q", mechanism.dof)
    believed, normal = argument("believed", 3), argument("normal", 3)
    velocity = argument("velocity", 3 * (inputs.trigger_jitter > 0.0))
    errors = argument("errors", len(inputs.parameters))
    own, steps = argument("own", inputs.own), argument("steps", len(inputs.stepped))
    count = len(inputs.reading)
    readings, touched = own[:count], own[count:]
    for joint, error in zip((*inputs.reading, *inputs.stepped), (*readings, *steps), strict=True):
        q[joint] = q[joint] + error
    ball = tip_of(mechanism, inputs.parameters, q, errors).origin
    outputs = []
    behind = 3 * (inputs.probe > 0.0)  # place of the error along the normal
    for axis in range(3):
        probe = touched[axis] if inputs.probe > 0.0 else 0.0
        along = touched[behind] * normal[axis] if inputs.probe_normal > 0.0 else 0.0
        late = touched[-1] * velocity[axis] if inputs.trigger_jitter > 0.0 else 0.0
        outputs.append(believed[axis] - ball[axis] + probe + along + late)
    return recorder.programme("touch", outputs, (3,))


def record_displacement() -> Programme:
    """How far a turn, a shift and a growth move the end of an arm.

    The rotation less the identity is sin(a)/a·K + (1 - cos a)/a²·K² with K = skew(turn), the second
    factor as half the square of sin(a/2)/(a/2): nothing cancels for small turns.

    Returns:
        displacement(shift (3,), turn (3,), growth (1,), arm (3,)) -> (3,); turns of any size, the
        grown arm added as it lay before. [m, rad, 1, m]
    """
    recorder = Recorder()
    shift, turn = _vector(recorder, "shift"), _vector(recorder, "turn")
    (growth,) = recorder.argument("growth", (1,))
    arm = _vector(recorder, "arm")
    fn = recording_functions()
    angle = fn.sqrt(dot(turn, turn) + _NOTHING)
    half = 0.5 * angle
    s, c = fn.sin(angle) / angle, fn.sin(half) / half
    across = cross(turn, arm)
    moved = add(scale(s, across), scale(0.5 * c * c, cross(turn, across)))
    return recorder.programme("displacement", add(add(shift, moved), scale(growth, arm)), (3,))


def _vector(recorder: Recorder, name: str) -> Vec3:
    x, y, z = recorder.argument(name, (3,))
    return x, y, z


# ------------------------------------------------------------------------------------------ Inputs
# Inputs common to all points come in this order: geometric parameters of the arm, the part's pose
# (three shifts, three turns), the part's relative growth, six for each carrier. Inputs of one
# touch: the readings of the joints, three coordinates of the probe's error, one along the normal,
# how late the reading is latched; and the readings' places within a step of their resolution. An
# input without a standard deviation is none.

_UNIFORM = 1.0 / np.sqrt(12.0)  # standard deviation of an error within one step, per step


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Inputs:
    """Inputs with their standard deviations.

    Args:
        parameters: geometric parameters of the arm.
        sigmas: of these. # (P,) [rad, m or 1]
        alignment: of the part's pose. # (6,) [m, rad]
        growth: of the part's lengths. [1]
        factors: of each carrier's covariance, F·Fᵀ. # (c, 6, 6)
        reading: joints whose readings are wrong. # (r,)
        reading_sigmas: # (r,) [rad or m]
        stepped: joints whose readings have a resolution. # (s,)
        steps: # (s,) [rad or m]
        probe: of a touch, in every direction. [m]
        probe_normal: of a touch, along the normal. [m]
        trigger_jitter: of the time from contact to the latched reading. [s]
    """

    parameters: tuple[GeometricParameter, ...]
    sigmas: Array
    alignment: Array
    growth: float
    factors: Array
    reading: Indices
    reading_sigmas: Array
    stepped: Indices
    steps: Array
    probe: float
    probe_normal: float
    trigger_jitter: float = 0.0

    @property
    def common(self) -> int:
        """How many inputs all points share."""
        return len(self.parameters) + 7 + 6 * len(self.factors)

    @property
    def own(self) -> int:
        """How many normal inputs each touch has."""
        one = (self.probe_normal > 0.0) + (self.trigger_jitter > 0.0)
        return len(self.reading) + 3 * (self.probe > 0.0) + one

    @property
    def own_sigmas(self) -> Array:
        """Standard deviations of the normal inputs of a touch. # (w,) [rad, m or s]."""
        probe = [self.probe] * 3 * (self.probe > 0.0)
        along = [self.probe_normal] * (self.probe_normal > 0.0)
        late = [self.trigger_jitter] * (self.trigger_jitter > 0.0)
        return np.array([*self.reading_sigmas, *probe, *along, *late])

    @property
    def step_sigmas(self) -> Array:
        """Standard deviations that the resolutions give. # (s,) [rad or m]."""
        return np.asarray(self.steps * _UNIFORM)


def inputs_of(measuring: Measuring) -> Inputs:
    """The inputs of some measured points.

    The first axis' own place on the base is no input: it is where the part is seen from, and the
    part's pose is one already. Its zero is one.
    """
    settings, mechanism = measuring.settings, measuring.mechanism
    pairs = [(p, _sigma(p, settings)) for p in geometric_parameters(mechanism) if not p.base]
    active = [(p, sigma) for p, sigma in pairs if sigma > 0.0]
    reading = _per_joint(mechanism, settings.encoder, settings.encoder_slide)
    steps = _per_joint(mechanism, settings.encoder_resolution, settings.encoder_resolution_slide)
    moved, turned = settings.alignment, settings.alignment_turn
    return Inputs(
        parameters=tuple(p for p, _ in active),
        sigmas=np.array([sigma for _, sigma in active]),
        alignment=np.array([moved] * 3 + [turned] * 3),
        growth=settings.part_scale,
        factors=np.reshape([_factor(c) for c in measuring.carriers], (-1, 6, 6)),
        reading=np.nonzero(reading)[0],
        reading_sigmas=reading[reading > 0.0],
        stepped=np.nonzero(steps)[0],
        steps=steps[steps > 0.0],
        probe=settings.probe,
        probe_normal=settings.probe_normal,
        trigger_jitter=settings.trigger_jitter if np.any(measuring.velocities) else 0.0,
    )


def _sigma(parameter: GeometricParameter, settings: UncertaintySettings) -> float:
    turns = parameter.unit == "rad"
    return {
        ParameterKind.ANGLE: settings.angle,
        ParameterKind.LENGTH: settings.length,
        ParameterKind.OFFSET: settings.encoder_offset if turns else settings.encoder_offset_slide,
        ParameterKind.TOOL: settings.stylus,
        ParameterKind.EXPANSION: settings.arm_scale,
    }[parameter.kind]


def _per_joint(mechanism: Mechanism, turning: float, sliding: float) -> Array:
    """One value per variable. # (n,)."""
    return np.array([turning if joint.kind.angular else sliding for joint in mechanism.movable])


def _factor(carrier: Carrier) -> Array:
    """F with F·Fᵀ = covariance, which may be singular. # (6, 6)."""
    scale = np.sqrt(np.maximum(np.diag(carrier.covariance), 0.0))
    scale = np.where(scale > 0.0, scale, 1.0)  # metres and radians made alike before the roots
    values, vectors = np.linalg.eigh(carrier.covariance / np.outer(scale, scale))
    return np.asarray(scale[:, None] * vectors * np.sqrt(np.maximum(values, 0.0)))
