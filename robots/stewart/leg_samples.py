"""What the legs do during a motion: samples, and the work of the drives beside the energy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robots.core.arrays import Array
from robots.stewart.model import PlatformModel
from robots.stewart.motion import TimedMotion

_NODES, _PANELS = 16, 24  # of the quadrature of work, on each smooth piece


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LegSamples:
    """What the legs do at some instants.

    Args:
        t: rising. # (N,) [s]
        T: T_base_platform. # (N, 4, 4)
        lengths: # (N, 6) [m]
        rates: # (N, 6) [m/s]
        accelerations: # (N, 6) [m/s²]
        forces: of the drives; positive pushes. # (N, 6) [N]
    """

    t: Array
    T: Array
    lengths: Array
    rates: Array
    accelerations: Array
    forces: Array

    @property
    def power(self) -> Array:
        """Of all drives together. # (N,) [W]."""
        return np.asarray(np.sum(self.forces * self.rates, axis=-1))


@dataclass(frozen=True, slots=True, kw_only=True)
class Balance:
    """Work of the drives against what the motion leaves behind.

    Args:
        net_work: of all drives. [J]
        energy_change: of the moved bodies, kinetic and potential. [J]
        friction: lost in the strokes. [J]
    """

    net_work: float
    energy_change: float
    friction: float


def leg_samples(model: PlatformModel, motion: TimedMotion, t: Array) -> LegSamples:
    """Sample a motion, from its start to its end. Args: t: rising. # (N,) [s]."""
    state = motion.state(t, "right")
    last = motion.state(t[-1:], "left")  # nothing comes after the end
    A = np.concatenate([state.A[:-1], last.A])
    return LegSamples(
        t=t,
        T=state.T,
        lengths=model.lengths(state.T),
        rates=model.length_rates(state.T, state.V),
        accelerations=model.length_accelerations(state.T, state.V, A),
        forces=model.forces(state.T, state.V, A),
    )


def energy_balance(model: PlatformModel, motion: TimedMotion) -> Balance:
    """Work by Gauss' quadrature on every smooth piece, energy at both ends."""
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    edges = motion.duration * np.unique(
        np.concatenate([np.linspace(0.0, 1.0, _PANELS + 1), motion.course.breaks])
    )
    half = np.diff(edges)[:, None] / 2.0
    t = (edges[:-1, None] + half * (1.0 + nodes)).ravel()
    state = motion.state(t)
    rates = model.length_rates(state.T, state.V)
    share = (half * weights).ravel()
    work = float(share @ np.sum(model.forces(state.T, state.V, state.A) * rates, axis=-1))
    legs = model.platform.legs
    viscous = np.array([leg.viscous for leg in legs])
    coulomb = np.array([leg.coulomb for leg in legs])
    lost = np.sum(coulomb * np.abs(rates) + viscous * rates**2, axis=-1)
    ends = motion.state(np.array([0.0, motion.duration]))
    energy = model.energies(ends.T, ends.V)
    total = np.asarray(energy.kinetic) + np.asarray(energy.potential)
    return Balance(
        net_work=work, energy_change=float(total[1] - total[0]), friction=float(share @ lost)
    )
