"""The inputs that are wrong: which belong to all points of a job, which to each touch alone.

Inputs common to all points come in this order: geometric parameters of the arm, the part's pose
(three shifts, three turns), the part's relative growth, six for each carrier. Inputs of one touch:
the readings of the joints, three coordinates of the probe's error, one along the normal; and the
readings' places within a step of their resolution. An input without a standard deviation is none.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.job import UncertaintySettings
from planner.uncertainty.measuring import Carrier, Measuring
from robots.core.arrays import Array, Indices
from robots.core.geometric_errors import GeometricParameter, ParameterKind, geometric_parameters
from robots.core.mechanism import Mechanism

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

    @property
    def common(self) -> int:
        """How many inputs all points share."""
        return len(self.parameters) + 7 + 6 * len(self.factors)

    @property
    def own(self) -> int:
        """How many normal inputs each touch has."""
        return len(self.reading) + 3 * (self.probe > 0.0) + (self.probe_normal > 0.0)

    @property
    def own_sigmas(self) -> Array:
        """Standard deviations of the normal inputs of a touch. # (w,) [rad or m]."""
        probe = [self.probe] * 3 * (self.probe > 0.0)
        along = [self.probe_normal] * (self.probe_normal > 0.0)
        return np.array([*self.reading_sigmas, *probe, *along])

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
