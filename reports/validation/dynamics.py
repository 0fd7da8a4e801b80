"""Torques and work."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from planner.plan_types import Samples
from reports.validation.chebyshev import at_ends, coefficients
from reports.validation.check import Check, Worst, check, scales
from reports.validation.delivered import integrals, positive_parts
from reports.validation.evidence import Evidence, Judge, Passage

Array = NDArray[np.float64]

TORQUE = 1e-10
BALANCE = 1e-8
WORK = 1e-8
ENERGY = 1e-8
# Uicker's traces are about the base: what a wrist body adds far out cancels down to its own small
# torque. This part of the largest torque is what 1e-10 of is still above that rounding.
_QUIET_TORQUE = 1e-4
_QUIET_ENERGY = 1e-4
_TINY = float(np.finfo(np.float64).tiny)


class Dynamics(Judge):
    """Torques of the samples, energy balance of the pieces, work and energy that are reported.

    Args:
        evidence: the plan, Lagrange's torques and their scale.
    """

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        n = evidence.model.dof
        self._peak = scales(evidence.survey.torque, _QUIET_TORQUE)
        self._torques, self._off = Worst(), Worst()
        self._work, self._delivered, self._squared = np.zeros((3, n))
        self._seconds, self._sum_off, self._exchanged = 0.0, 0.0, 0.0

    def look(self, passage: Passage) -> None:
        """Work, energy and losses of every smooth piece."""
        motion = passage.motion
        length = motion.pieces.length
        work = integrals(motion.power, length)
        self._work += np.sum(work, axis=0)
        self._delivered += np.sum(positive_parts(motion.power, length), axis=0)
        self._squared += np.sum(integrals(motion.tau**2, length), axis=0)
        self._seconds += float(np.sum(length))
        done = np.sum(work, axis=1)
        off = done - self._gained(passage) - np.sum(self._lost(passage), axis=1)
        self._off.see(off)
        self._sum_off += float(np.sum(off))
        self._exchanged = max(self._exchanged, float(np.max(np.abs(done), initial=0.0)))

    def see(self, samples: Samples) -> None:
        """Torques of samples, against Lagrange's."""
        expected = self._evidence.torques.full(samples.q, samples.qd, samples.qdd)
        self._torques.see((samples.tau - expected) / self._peak)

    def checks(self) -> list[Check]:
        """Of torques, work and energy."""
        plan = self._evidence.plan
        loads, totals = plan.joints, plan.totals
        work, delivered, seconds = self._work, self._delivered, self._seconds
        rms = np.sqrt(self._squared / seconds) if seconds > 0.0 else self._squared
        gross = max(float(np.sum(delivered)), _TINY)
        net = np.append([one.net_work for one in loads] - work, totals.net_work - np.sum(work))
        energy = ([one.energy for one in loads] - delivered) / scales(delivered, _QUIET_ENERGY)
        energy = np.append(energy, (totals.energy - np.sum(delivered)) / gross)
        squares = ([one.rms_torque for one in loads] - rms) / scales(rms)
        off = max(self._off.value, abs(self._sum_off)) / max(self._exchanged, _TINY)
        return [
            check("torques by Lagrange", self._torques.value, TORQUE, "1", _TORQUES),
            check("energy balance", off, BALANCE, "1", _BALANCE),
            check("reported net work", net / gross, WORK, "1", _NET),
            check("reported energy", energy, ENERGY, "1", _ENERGY),
            check("reported rms torque", squares, ENERGY, "1", _RMS),
        ]

    def _gained(self, passage: Passage) -> Array:
        """Change of kinetic and potential energy. # (P,) [J]."""
        first, last = at_ends(passage.c_q)
        speeds = at_ends(coefficients(passage.motion.qd))
        before = self._evidence.model.energies(first, speeds[0])
        after = self._evidence.model.energies(last, speeds[1])
        return (after.kinetic + after.potential) - (before.kinetic + before.potential)

    def _lost(self, passage: Passage) -> Array:
        """To dry and viscous friction. # (P, n) [J]."""
        motion, torques = passage.motion, self._evidence.torques
        first, last = at_ends(passage.c_q)
        dry = torques.coulomb * motion.side * (last - first)
        return np.asarray(dry + torques.viscous * integrals(motion.qd**2, motion.pieces.length))


_TORQUES = (
    "Newton-Euler torques of every sample, against A·q̈ + B·[q̇q̇] + C·[q̇²] + Q in Uicker's traces "
    "with motors and friction; relative to each joint's peak and 1e-4 of the largest"
)
_BALANCE = (
    "work of the drives less friction losses, against the change of kinetic and potential energy, "
    "over every smooth piece and the whole motion; relative to the largest work of one piece"
)
_NET = (
    "of every joint and in total, against the integral of Lagrange's power; relative to the energy "
    "delivered"
)
_ENERGY = (
    "that every drive delivers and in total, against the integral of the positive part of "
    "Lagrange's power between its zeros; relative"
)
_RMS = "against the integral of the square of Lagrange's torques; relative"
