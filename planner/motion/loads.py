"""Torques, power and energy of the exact motion: peaks are maxima, energies are integrals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

from planner.motion.extremes import Evaluate, Scope, highest
from planner.motion.integrals import integrals
from planner.motion.motions import Motions
from planner.motion.sampled_loads import sampled_loads
from planner.motion.trajectory import Trajectory
from planner.plan import JointLoad, Totals
from robots.core.arrays import Array, Indices, Mask
from robots.core.model import Model

# A place in the motions (motion, piece, x) to speeds, accelerations and torques there.
Where = Callable[[Indices, Indices, Array], tuple[Array, Array, Array]]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StretchLoads:
    """Loads of a batch of motions, one row per motion.

    Where the robot's masses are not known, torques, powers, energies and work are NaN.

    Args:
        speed: peak |qd|. # (k, n) [rad/s]
        acceleration: peak |qdd|. # (k, n) [rad/s²]
        torque: peak |tau|. # (k, n) [N m]
        power: peak |tau·qd|. # (k, n) [W]
        most_power: largest total power. # (k,) [W]
        least_power: smallest total power. # (k,) [W]
        delivered: energy that each drive gives, nothing recovered. # (k, n) [J]
        work: of each drive. # (k, n) [J]
        torque_squared: integral of tau². # (k, n) [N² m² s]
    """

    speed: Array
    acceleration: Array
    torque: Array
    power: Array
    most_power: Array
    least_power: Array
    delivered: Array
    work: Array
    torque_squared: Array


class Detail(Enum):
    """How motions are looked at first; what turns out rough is looked at more closely by itself.

    The value is the number of samples of a motion of one piece; a piece of several needs half of
    them. ``WHOLE`` samples nothing and divides every motion until it fits: the method whose last
    digits the published jobs have on record.
    """

    WHOLE = 0
    SMOOTH = 33
    SHORT = 9  # a few millimetres of a line, along which little happens

    def samples(self, pieces: int) -> int:
        """On each piece of a motion that has so many."""
        return self.value if pieces == 1 or self is Detail.SHORT else self.value // 2 + 1


def stretch_loads(
    model: Model,
    motions: Motions,
    durations: Array,
    scope: Scope = Scope.FUNCTION,
    *,
    detail: Detail = Detail.WHOLE,
) -> StretchLoads:
    """Loads of a batch of motions with given durations.

    Args:
        model: of the robot.
        motions: the batch.
        durations: # (k,) [s]
        scope: FUNCTION makes the peaks over all motions exact, EACH those of every motion.
        detail: how closely the motions are looked at.
    """
    n = model.dof
    state = _state_of(model, motions, durations)
    # What takes no time is no part of the motion: a travel between equal points, or a piece of a
    # law that needs fewer. The torque that would hold the robot there is not borne.
    seconds = _piece_durations(motions, durations)

    def sizes(index: Indices, piece: Indices, x: Array) -> Array:
        values = np.empty((len(x), 4 * n + 2))
        qd, qdd, tau, power = (values[:, k * n : (k + 1) * n] for k in range(4))
        qd[:], qdd[:], tau[:] = state(index, piece, x)
        np.multiply(tau, qd, out=power)
        np.sum(power, axis=1, out=values[:, 4 * n])
        np.negative(values[:, 4 * n], out=values[:, 4 * n + 1])
        values[seconds[index, piece] <= 0.0] = 0.0
        return values

    known = model.mechanism.masses_known
    dry = np.array([known and joint.coulomb > 0.0 for joint in model.mechanism.movable])
    sums, peaks = np.empty((motions.count, 3 * n)), np.empty((motions.count, 4 * n + 2))
    for some in _alike(seconds):
        rows, own = some, seconds[some][:, : _used(seconds[some])]
        # Friction that depends on the direction jumps: nothing smooth to be sampled.
        if detail is not Detail.WHOLE and not np.any(dry):
            seen = sampled_loads(
                lambda index, piece, x, of=some: sizes(of[index], piece, x),  # type: ignore[misc]
                n,
                own,
                detail.samples(motions.pieces),
                scope,
            )
            sums[some], peaks[some], rows = seen.sums, seen.peaks, some[seen.rough]
        if rows.size:
            pieces = own.shape[1]
            sums[rows] = _sums(state, motions, seconds[:, :pieces], rows, dry)
            peaks[rows] = _peaks(sizes, rows, pieces, scope, n)
    if not model.mechanism.masses_known:
        sums[:], peaks[:, 2 * n :] = np.nan, np.nan
    speed, acceleration, torque, power = np.split(peaks[:, : 4 * n], 4, axis=1)
    work, torque_squared, delivered = np.split(sums, 3, axis=1)
    return StretchLoads(
        speed=speed,
        acceleration=acceleration,
        torque=torque,
        power=power,
        most_power=peaks[:, 4 * n],
        least_power=-peaks[:, 4 * n + 1],
        delivered=delivered,
        work=work,
        torque_squared=torque_squared,
    )


def _alike(seconds: Array) -> list[Indices]:
    """Motions of few pieces, then those of many, for whose sake the others are not divided."""
    many = np.any(seconds[:, _MANY:] > 0.0, axis=1)
    return [rows for rows in (np.flatnonzero(~many), np.flatnonzero(many)) if rows.size]


_MANY = 32


def _used(seconds: Array) -> int:
    """How many pieces some motions have, at least one."""
    return int(np.max(np.flatnonzero(np.any(seconds > 0.0, axis=0)), initial=0)) + 1


def _peaks(sizes: Evaluate, rows: Indices, pieces: int, scope: Scope, n: int) -> Array:
    """Exact maxima of some motions, as far as the scope asks. # (m, 4n + 2)."""

    def some(index: Indices, piece: Indices, x: Array) -> Array:
        return sizes(rows[index], piece, x)

    kinds = _kinds(n)
    found = highest(some, rows.size, pieces, scope, magnitudes=4 * n, kinds=kinds)
    return found.value.reshape(-1, 4 * n + 2)


def _sums(state: Where, motions: Motions, seconds: Array, rows: Indices, dry: Mask) -> Array:
    """Integrals of powers, squared torques and positive powers of some motions. # (m, 3n)."""
    n = dry.size

    def flows(index: Indices, piece: Indices, x: Array) -> Array:
        qd, _, tau = state(rows[index], piece, x)
        return np.concatenate([tau * qd, tau * tau], axis=1)

    def turning(index: Indices, piece: Indices, x: Array) -> Array:
        some = rows[index]
        return motions.states(some, motions.law_state(some, piece, x)).dq[:, dry]

    return integrals(
        flows,
        rows.size,
        seconds.shape[1],
        seconds[rows],
        positive=n,
        kinds=(slice(0, n), slice(n, None)),
        turning=turning if np.any(dry) else None,
    ).reshape(-1, 3 * n)


def reversed_loads(loads: StretchLoads) -> StretchLoads:
    """Loads of the same motions run backwards in time, of a robot without friction.

    Torques are the same, speeds and powers change sign; what a drive delivered it takes back.
    """
    return replace(
        loads,
        most_power=-loads.least_power,
        least_power=-loads.most_power,
        delivered=np.maximum(loads.delivered - loads.work, 0.0),
        work=-loads.work,
    )


def total_loads(
    trajectory: Trajectory, parts: list[StretchLoads], rest_torques: Array, names: list[str]
) -> tuple[tuple[JointLoad, ...], Totals]:
    """Loads of the whole motion.

    Args:
        trajectory: for its duration.
        parts: loads of its stretches.
        rest_torques: tau² integrated and peak |tau| of the segments that rest. # (2, n)
        names: of the joints.
    """
    duration = trajectory.duration
    squares = rest_torques[0] + sum(np.sum(p.torque_squared, axis=0) for p in parts)
    torque = np.max([rest_torques[1], *(_most(p.torque) for p in parts)], axis=0)
    speed = np.max([_most(p.speed) for p in parts], axis=0)
    acceleration = np.max([_most(p.acceleration) for p in parts], axis=0)
    power = np.max([_most(p.power) for p in parts], axis=0)
    delivered = np.sum([np.sum(p.delivered, axis=0) for p in parts], axis=0)
    work = np.sum([np.sum(p.work, axis=0) for p in parts], axis=0)
    if not trajectory.model.mechanism.masses_known:
        return _without_dynamics(duration, speed, acceleration, names)
    joints = tuple(
        JointLoad(
            name=name,
            peak_velocity=float(speed[j]),
            peak_acceleration=float(acceleration[j]),
            peak_torque=float(torque[j]),
            rms_torque=float(np.sqrt(squares[j] / duration)) if duration > 0.0 else 0.0,
            peak_power=float(power[j]),
            energy=float(delivered[j]),
            net_work=float(work[j]),
        )
        for j, name in enumerate(names)
    )
    totals = Totals(
        duration=duration,
        energy=float(np.sum(delivered)),
        net_work=float(np.sum(work)),
        peak_power=float(max([0.0, *(np.max(p.most_power, initial=0.0) for p in parts)])),
        min_power=float(min([0.0, *(np.min(p.least_power, initial=0.0) for p in parts)])),
    )
    return joints, totals


def _without_dynamics(
    duration: float, speed: Array, acceleration: Array, names: list[str]
) -> tuple[tuple[JointLoad, ...], Totals]:
    """Loads of a robot whose masses are not known: what a drive bears is not evaluated."""
    joints = tuple(
        JointLoad(
            name=name,
            peak_velocity=float(speed[j]),
            peak_acceleration=float(acceleration[j]),
            peak_torque=None,
            rms_torque=None,
            peak_power=None,
            energy=None,
            net_work=None,
        )
        for j, name in enumerate(names)
    )
    totals = Totals(duration=duration, energy=None, net_work=None, peak_power=None, min_power=None)
    return joints, totals


def _kinds(n: int) -> tuple[slice, ...]:
    """Columns of speeds, of accelerations, of torques and of powers."""
    return (*(slice(k * n, (k + 1) * n) for k in range(3)), slice(3 * n, None))


def _most(values: Array) -> Array:
    return np.asarray(np.max(values, axis=0, initial=0.0))


def _state_of(model: Model, motions: Motions, durations: Array) -> Where:
    """Function from a place in the motions to speeds, accelerations and torques.

    Without masses the torques are zero, for the search of the other peaks; the caller drops them.
    """
    known = model.mechanism.masses_known
    inverse = 1.0 / np.where(durations > 0.0, durations, np.inf)

    def state(index: Indices, piece: Indices, x: Array) -> tuple[Array, Array, Array]:
        path = motions.states(index, motions.law_state(index, piece, x))
        u = inverse[index][:, None]
        qd, qdd = path.dq * u, path.ddq * (u * u)
        return qd, qdd, model.torques(path.q, qd, qdd) if known else np.zeros_like(qd)

    return state


def _piece_durations(motions: Motions, durations: Array) -> Array:
    """How long each piece of each law lasts. # (k, pieces) [s]."""
    k, pieces = motions.count, motions.pieces
    index, piece = (g.ravel() for g in np.meshgrid(np.arange(k), np.arange(pieces), indexing="ij"))
    first = motions.law_state(index, piece, np.zeros(index.size)).s
    last = motions.law_state(index, piece, np.ones(index.size)).s
    return np.asarray((last - first).reshape(k, pieces) * durations[:, None])
