"""Torques and work."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from reports.validation.chebyshev import at_ends, coefficients
from reports.validation.check import Check, check, scales
from reports.validation.delivered import integrals, positive_parts
from reports.validation.evidence import Evidence

Array = NDArray[np.float64]

TORQUE = 1e-10
BALANCE = 1e-8
WORK = 1e-8
ENERGY = 1e-8
# Uicker's traces are about the base: what a wrist body adds far out cancels down to its own small
# torque. This part of the largest torque is what 1e-10 of is still above that rounding.
_QUIET_TORQUE = 1e-4
_QUIET_ENERGY = 1e-4


def dynamics_checks(evidence: Evidence) -> list[Check]:
    """Torques of the samples, energy balance of the pieces, work and energy that are reported."""
    motion, plan = evidence.motion, evidence.plan
    length = motion.pieces.length
    work = integrals(motion.power, length)
    delivered = np.sum(positive_parts(motion.power, length), axis=0)
    squared = np.sum(integrals(motion.tau**2, length), axis=0)
    seconds = float(np.sum(length))
    rms = np.sqrt(squared / seconds) if seconds > 0.0 else squared
    loads, totals = plan.joints, plan.totals
    gross = max(float(np.sum(delivered)), np.finfo(np.float64).tiny)
    by_joint = np.sum(work, axis=0)
    net = [load.net_work for load in loads] - by_joint
    energy = ([load.energy for load in loads] - delivered) / scales(delivered, _QUIET_ENERGY)
    return [
        _torques(evidence),
        _balance(evidence, work),
        check(
            "reported net work",
            np.append(net, totals.net_work - np.sum(by_joint)) / gross,
            WORK,
            "1",
            "of every joint and in total, against the integral of Lagrange's power; relative to "
            "the energy delivered",
        ),
        check(
            "reported energy",
            np.append(energy, (totals.energy - np.sum(delivered)) / gross),
            ENERGY,
            "1",
            "that every drive delivers and in total, against the integral of the positive part of "
            "Lagrange's power between its zeros; relative",
        ),
        check(
            "reported rms torque",
            ([load.rms_torque for load in loads] - rms) / scales(rms),
            ENERGY,
            "1",
            "against the integral of the square of Lagrange's torques; relative",
        ),
    ]


def _torques(evidence: Evidence) -> Check:
    samples = evidence.samples
    expected = evidence.torques.full(samples.q, samples.qd, samples.qdd)
    peak = scales(np.max(np.abs(expected), axis=0, initial=0.0), _QUIET_TORQUE)
    return check(
        "torques by Lagrange",
        (samples.tau - expected) / peak,
        TORQUE,
        "1",
        "Newton-Euler torques of every sample, against A·q̈ + B·[q̇q̇] + C·[q̇²] + Q in Uicker's "
        "traces with motors and friction; relative to each joint's peak and 1e-4 of the largest",
    )


def _balance(evidence: Evidence, work: Array) -> Check:
    """Work less friction is the change of energy, over every piece and over the whole."""
    motion, torques = evidence.motion, evidence.torques
    length = motion.pieces.length
    first, last = at_ends(evidence.c_q)
    speeds = at_ends(coefficients(motion.qd))
    before = evidence.model.energies(first, speeds[0])
    after = evidence.model.energies(last, speeds[1])
    gained = (after.kinetic + after.potential) - (before.kinetic + before.potential)
    lost = torques.coulomb * motion.side * (last - first)
    lost = lost + torques.viscous * integrals(motion.qd**2, length)
    done = np.sum(work, axis=1)
    off = done - gained - np.sum(lost, axis=1)
    exchanged = max(float(np.max(np.abs(done), initial=0.0)), np.finfo(np.float64).tiny)
    return check(
        "energy balance",
        np.append(off, np.sum(off)) / exchanged,
        BALANCE,
        "1",
        "work of the drives less friction losses, against the change of kinetic and potential "
        "energy, over every smooth piece and the whole motion; relative to the largest work of "
        "one piece",
    )
