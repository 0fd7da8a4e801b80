"""Check of a whole motion: every violated limit with leg, amount and time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from robots.core.arrays import Array, Mask
from robots.core.motion.joint_motion import PathState
from robots.core.motion.motion_law import Side
from robots.core.motion.time_scaling import highest, highest_of_each
from robots.stewart.limits import (
    Limit,
    LimitColumn,
    PoseLimits,
    broken,
    characteristic_length,
    pose_limits,
)
from robots.stewart.model import PlatformModel
from robots.stewart.motion import PlatformState, PoseCourse, SpeedBound, TimedMotion
from robots.stewart.platform import LegEnd, lengths

Drive = Literal["speed", "acceleration", "force"]
_UNITS: dict[Drive, str] = {"speed": "m/s", "acceleration": "m/s²", "force": "N"}
# A motion in its least time reaches its limit exactly, but for rounding.
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class MotionProblem:
    """One limit that a motion breaks, where it does so most.

    Args:
        limit: which: a pose limit, or one of the drive.
        legs: names of the legs concerned; none for the platform as a whole.
        amount: by how much, above zero. [unit]
        unit: "m", "rad", "1", "m/s", "m/s²" or "N".
        time: when. [s]
        sentence: the same in words.
    """

    limit: Limit | Drive
    legs: tuple[str, ...]
    amount: float
    unit: str
    time: float
    sentence: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MarginProof:
    """Proven margin of every column.

    Args:
        columns: the limits.
        least: lowest margin that was seen. # (columns,)
        broken: whether a margin below zero was seen. # (columns,)
        open: whether some span is neither proven nor broken: the limit is grazed. # (columns,)
        evaluations: how many poses it took.
    """

    columns: tuple[LimitColumn, ...]
    least: Array
    broken: Mask
    open: Mask
    evaluations: int

    @property
    def holds(self) -> bool:
        """Whether every limit is respected at every instant."""
        return not (self.broken.any() or self.open.any())


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MotionReport:
    """Violations and proven margins of a motion.

    Args:
        problems: in the order of time; empty when it is feasible.
        proof: of the pose limits, between samples as well.
    """

    problems: tuple[MotionProblem, ...]
    proof: MarginProof

    @property
    def feasible(self) -> bool:
        """Whether nothing is broken."""
        return not self.problems


def check_motion(
    model: PlatformModel, motion: TimedMotion, *, max_condition: float = np.inf
) -> MotionReport:
    """Judge a motion against strokes, cones, interference, singularities and drives.

    Args:
        model: of the platform, which has the limits.
        motion: in time.
        max_condition: as in ``pose_limits``.

    Raises:
        MotionError: the motion is too rough for exact extremes.
    """
    limits = pose_limits(model.platform, max_condition=max_condition)
    proof = prove_margins(limits, motion.course)
    found = [*_pose_problems(limits, proof, motion), *_drive_problems(model, motion, proof)]
    return MotionReport(problems=tuple(sorted(found, key=lambda p: p.time)), proof=proof)


def _pose_problems(
    limits: PoseLimits, proof: MarginProof, motion: TimedMotion
) -> Iterator[MotionProblem]:
    broken_columns = np.flatnonzero(proof.broken)
    if not broken_columns.size:
        return

    def outside(s: Array, side: Side) -> Array:
        return -limits.margins(motion.course.state(s, side).T)[:, broken_columns]

    peaks = highest_of_each(outside, motion.course.breaks)
    for k, peak in zip(broken_columns, peaks, strict=True):
        column = limits.columns[k]
        time = peak.s * motion.duration
        yield MotionProblem(
            limit=column.limit,
            legs=column.names,
            amount=peak.value,
            unit=column.unit,
            time=time,
            sentence=f"At {time:.4f} s {column.where}: {broken(column, peak.value)}.",
        )


def _drive_problems(
    model: PlatformModel, motion: TimedMotion, proof: MarginProof
) -> Iterator[MotionProblem]:
    """Speeds and accelerations; forces too, unless a singularity leaves them without bound."""
    T = motion.duration
    yield from _drive(model, motion, "speed", lambda state: state.dq / T)
    yield from _drive(model, motion, "acceleration", lambda state: state.ddq / T**2)
    singular = any(
        column.limit in (Limit.TYPE_1, Limit.TYPE_2)
        for column, bad in zip(proof.columns, proof.broken | proof.open, strict=True)
        if bad
    )
    if has_force_limits(model) and not singular:
        yield from _drive(model, motion, "force", lambda state: force_of(model, state, T))


def _drive(
    model: PlatformModel,
    motion: TimedMotion,
    kind: Drive,
    quantity: Callable[[LegPathState], Array],
) -> Iterator[MotionProblem]:
    limits = np.array([getattr(leg, f"max_{kind}") for leg in model.platform.legs])
    path = LegPath(model=model, course=motion.course)

    def parts(s: Array, side: Side) -> Array:
        return np.asarray(np.abs(quantity(path.state(s, side))) / limits)

    if highest(parts, path.breaks).value <= 1.0 + _ROUNDING:
        return
    peaks = highest_of_each(parts, path.breaks)
    for k, (leg, peak) in enumerate(zip(model.platform.legs, peaks, strict=True)):
        if peak.value <= 1.0 + _ROUNDING:
            continue
        time, value, unit = peak.s * motion.duration, peak.value * limits[k], _UNITS[kind]
        yield MotionProblem(
            limit=kind,
            legs=(leg.name,),
            amount=float(value - limits[k]),
            unit=unit,
            time=time,
            sentence=(
                f"At {time:.4f} s leg {leg.name}: {kind} {value:.6g} {unit} exceeds its limit "
                f"{limits[k]:.6g} {unit} by {value - limits[k]:.4g} {unit}."
            ),
        )


# --------------------------------------------------------------------------- Proof between samples
# Every margin is a continuous function of s whose slope is bounded by the speeds of the course. So
# a margin at the middle of a span of s settles the whole span when it exceeds slope times half the
# span; spans that are not settled are halved. What still touches a limit at the finest span is
# named as open: it is neither proven nor broken.

_FIRST_SPANS = 64
_MOST_HALVINGS = 22  # spans of 4e-9
_MOST_SPANS = 4096  # at once; beyond them the motion grazes a limit all along


def prove_margins(limits: PoseLimits, course: PoseCourse) -> MarginProof:
    """Judge a whole course against all pose limits.

    Args:
        limits: of the platform.
        course: its shape; the duration is of no importance.
    """
    slopes = _Slopes(limits, course.speed_bound())
    middles = (np.arange(_FIRST_SPANS) + 0.5) / _FIRST_SPANS
    half = 0.5 / _FIRST_SPANS
    ends = limits.margins(course.state(np.array([0.0, 1.0])).T)
    least, evaluations = ends.min(axis=0), 2
    unsettled = np.zeros(len(limits.columns), dtype=bool)
    for _ in range(_MOST_HALVINGS):
        T = course.state(middles).T
        margins = limits.margins(T)
        evaluations += len(middles)
        least = np.minimum(least, margins.min(axis=0))
        # A column that is broken somewhere needs no more proof.
        left = (margins < slopes.at(T, half) * half) & (least >= 0.0)
        unsettled = left.any(axis=0)
        rows = left.any(axis=1)
        if not rows.any() or 2 * np.count_nonzero(rows) > _MOST_SPANS:
            break
        half /= 2.0
        middles = np.concatenate([middles[rows] - half, middles[rows] + half])
    broken = least < 0.0
    return MarginProof(
        columns=limits.columns,
        least=least,
        broken=broken,
        open=unsettled & ~broken,
        evaluations=evaluations,
    )


class _Slopes:
    """Bounds of |d margin/ds| about given poses."""

    def __init__(self, limits: PoseLimits, bound: SpeedBound) -> None:
        platform = limits.platform
        points = platform.platform_points
        self.limits = limits
        self.turn = bound.angular
        self.tips = bound.linear + bound.angular * np.linalg.norm(points, axis=-1)
        arms = np.linalg.norm(points - points.mean(axis=0), axis=-1)
        self.arms = arms / characteristic_length(platform)
        self.cardan = np.array([leg.end is LegEnd.CARDAN for leg in platform.legs])

    def at(self, T: Array, half: float) -> Array:
        """Slopes within ``half`` of the poses in s. # (n, columns)."""
        shortest = lengths(self.limits.platform, T) - self.tips * half
        with np.errstate(divide="ignore"):
            swing = np.where(shortest > 0.0, self.tips / shortest, np.inf)
        rows = np.hypot(swing, self.arms * (swing + self.turn))
        jacobian = np.linalg.norm(rows, axis=-1)
        return np.stack(
            [self._column(column, swing, jacobian) for column in self.limits.columns], axis=-1
        )

    def _column(self, column: LimitColumn, swing: Array, jacobian: Array) -> Array:
        legs = list(column.legs)
        match column.limit:
            case Limit.SHORTEST | Limit.LONGEST | Limit.LEGS:
                return np.full(len(swing), self.tips[legs].sum())
            case Limit.BASE_CONE | Limit.BASE_PLATE:
                return np.asarray(swing[:, legs[0]])
            case Limit.PLATFORM_CONE | Limit.PLATFORM_PLATE:
                return np.asarray(swing[:, legs[0]] + self.turn)
            case Limit.TYPE_1:
                return np.asarray(swing[:, legs[0]] + self.turn * self.cardan[legs[0]])
            case Limit.TYPE_2:
                return jacobian
            case Limit.CONDITION:
                return np.asarray(jacobian * (1.0 + 1.0 / column.value))


# ------------------------------------------------------------------ Leg lengths, speeds and forces


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LegPathState(PathState):
    """Lengths q of the legs with derivatives over s, and the platform's state they come from."""

    platform: PlatformState


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LegPath:
    """A course as a path in leg space, which is what the core's time scaling reads.

    Args:
        model: of the platform whose legs they are.
        course: of the platform.
    """

    model: PlatformModel
    course: PoseCourse

    @property
    def breaks(self) -> tuple[float, ...]:
        """Those of the course."""
        return self.course.breaks

    def state(self, s: Array, side: Side = "right") -> LegPathState:
        """Lengths and their derivatives over s. Args: s. # (...); side of a break."""
        found = self.course.state(s, side)
        return LegPathState(
            q=self.model.lengths(found.T),
            dq=self.model.length_rates(found.T, found.V),
            ddq=self.model.length_accelerations(found.T, found.V, found.A),
            platform=found,
        )


def has_force_limits(model: PlatformModel) -> bool:
    """Return whether any drive's force is limited, so that forces need to be known."""
    return any(np.isfinite(leg.max_force) for leg in model.platform.legs)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LegPeaks:
    """Highest value of a quantity on every leg during a motion, exact between samples.

    Args:
        value: # (6,)
        time: when. # (6,) [s]
    """

    value: Array
    time: Array


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MotionPeaks:
    """Peaks of a motion in every leg.

    Args:
        shortest: length. [m]
        longest: [m]
        speed: |l̇|. [m/s]
        acceleration: |l̈|. [m/s²]
        force: of the drives, absolute. [N]
    """

    shortest: LegPeaks
    longest: LegPeaks
    speed: LegPeaks
    acceleration: LegPeaks
    force: LegPeaks


def motion_peaks(model: PlatformModel, motion: TimedMotion) -> MotionPeaks:
    """Extremes of every leg over the whole motion.

    Found by dense samples whose brackets are narrowed to rounding
    (``robots.core.motion.time_scaling``):
    exact unless a peak is narrower than the spacing of two grids that agree.

    Args:
        model: of the platform.
        motion: in time.

    Raises:
        PlatformError: the motion meets a singularity, where forces have no bound.
    """
    T = motion.duration
    path = LegPath(model=model, course=motion.course)

    def quantities(s: Array, side: Side) -> Array:
        state = path.state(s, side)
        speed, acceleration = np.abs(state.dq) / T, np.abs(state.ddq) / T**2
        force = np.abs(force_of(model, state, T))
        return np.concatenate([-state.q, state.q, speed, acceleration, force], axis=-1)

    found = highest_of_each(quantities, path.breaks)
    value = np.array([peak.value for peak in found]).reshape(5, -1)
    time = T * np.array([peak.s for peak in found]).reshape(5, -1)
    value[0] = -value[0]
    shortest, longest, speed, acceleration, force = (
        LegPeaks(value=of_legs, time=when) for of_legs, when in zip(value, time, strict=True)
    )
    return MotionPeaks(
        shortest=shortest, longest=longest, speed=speed, acceleration=acceleration, force=force
    )


def force_of(model: PlatformModel, state: LegPathState, duration: float) -> Array:
    """Forces of the drives for a state over s, run in a duration. # (..., 6) [N]."""
    of = state.platform
    return model.forces(of.T, of.V / duration, of.A / duration**2)


_NODES, _PANELS = 16, 24  # of the quadrature of work, on each smooth piece


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LegSamples:
    """State of the legs at some instants.

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
