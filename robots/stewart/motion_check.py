"""A motion judged as a whole: every limit that it breaks, with leg, amount and time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from robots.core.arrays import Array
from robots.core.motion.motion_law import Side
from robots.core.motion.time_scaling import highest
from robots.stewart.limits import Limit, PoseLimits, broken, pose_limits
from robots.stewart.model import PlatformModel
from robots.stewart.motion import TimedMotion
from robots.stewart.motion_legs import (
    LegPath,
    LegPathState,
    column_peak,
    force_of,
    has_force_limits,
)
from robots.stewart.motion_proof import Proof, prove

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
class MotionReport:
    """What is wrong with a motion, and what is proven of it.

    Args:
        problems: in the order of time; empty when it is feasible.
        proof: of the pose limits, between samples as well.
    """

    problems: tuple[MotionProblem, ...]
    proof: Proof

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
    proof = prove(limits, motion.course)
    found = [*_pose_problems(limits, proof, motion), *_drive_problems(model, motion, proof)]
    return MotionReport(problems=tuple(sorted(found, key=lambda p: p.time)), proof=proof)


def _pose_problems(
    limits: PoseLimits, proof: Proof, motion: TimedMotion
) -> Iterator[MotionProblem]:
    def outside(s: Array, side: Side) -> Array:
        return -limits.margins(motion.course.state(s, side).T)

    for k in np.flatnonzero(proof.broken):
        column = limits.columns[k]
        peak = column_peak(outside, motion.course.breaks, int(k))
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
    model: PlatformModel, motion: TimedMotion, proof: Proof
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
    for k, leg in enumerate(model.platform.legs):
        peak = column_peak(parts, path.breaks, k)
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
