"""Walking pattern: where the feet are and where the ZMP shall be, sample by sample.

Every step begins on both feet, while the ZMP reference goes in a straight line to the foot that
stays; then the other foot swings, along x by one quintic law, up and down by two. So feet leave and
touch the ground without speed or acceleration.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robots.biped.errors import BipedError
from robots.biped.walking.gait import Gait
from robots.core.arrays import Array, Mask
from robots.core.motion.motion_law import QUINTIC


@dataclass(frozen=True, slots=True, kw_only=True)
class Footstep:
    """One swing of one foot.

    Args:
        foot: index of the foot that swings.
        start: x where it leaves the ground. [m]
        end: x where it lands. [m]
        lift: last sample on the ground before the swing.
        land: first sample on the ground after it.
    """

    foot: int
    start: float
    end: float
    lift: int
    land: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WalkingPattern:
    """Feet and ZMP reference of a walk; world axes, feet in the order of the biped.

    Args:
        gait: of which walk.
        t: # (k,) [s]
        feet: places of the feet on the ground, their height above it. # (k, 2, 3) [m]
        loaded: whether a foot is on the ground. # (k, 2)
        zmp_reference: # (k, 2) [m]
        footsteps: in order of time.
    """

    gait: Gait
    t: Array
    feet: Array
    loaded: Mask
    zmp_reference: Array
    footsteps: tuple[Footstep, ...]


def footsteps(gait: Gait, first: int) -> tuple[Footstep, ...]:
    """The swings of a walk.

    Args:
        gait: of the walk.
        first: index of the foot that swings first, 0 or 1.
    """
    both = round(gait.double_support / gait.period)
    alone = round(gait.single_support / gait.period)
    lift = round(gait.rest / gait.period)
    place = [0.0, 0.0]
    found = []
    for number in range(gait.steps + 1):
        foot = (first + number) % 2
        lift += both
        end = gait.step_length * min(number + 1, gait.steps)
        found.append(Footstep(foot=foot, start=place[foot], end=end, lift=lift, land=lift + alone))
        place[foot] = end
        lift += alone
    return tuple(found)


def walking_pattern(gait: Gait, feet: Array, first: int = 0) -> WalkingPattern:
    """The pattern of a walk.

    Args:
        gait: its figures.
        feet: places of the two feet at the start, beside each other. # (2, 2) [m]
        first: index of the foot that swings first.

    Raises:
        BipedError: feet that do not stand beside each other.
    """
    places = np.array(feet, dtype=float)
    if places.shape != (2, 2) or abs(places[0, 0] - places[1, 0]) > gait.period:
        raise BipedError(f"A walk starts on two feet beside each other; it got {places.tolist()}.")
    steps = footsteps(gait, first)
    tail = round((gait.double_support + gait.rest) / gait.period)
    k = np.arange(steps[-1].land + tail + 1, dtype=np.float64)
    return WalkingPattern(
        gait=gait,
        t=np.asarray(k * gait.period),
        feet=_swung(k, steps, places, gait.clearance),
        loaded=_loaded(k, steps),
        zmp_reference=_reference(k, steps, places, gait),
        footsteps=steps,
    )


def _swung(k: Array, steps: tuple[Footstep, ...], places: Array, clearance: float) -> Array:
    found = np.zeros((len(k), 2, 3))
    found[:, :, :2] = places
    for step in steps:
        s = np.clip((k - step.lift) / (step.land - step.lift), 0.0, 1.0)
        found[:, step.foot, 0] += (step.end - step.start) * QUINTIC.r(s)
        up = QUINTIC.r(np.clip(2.0 * s, 0.0, 1.0)) - QUINTIC.r(np.clip(2.0 * s - 1.0, 0.0, 1.0))
        found[:, step.foot, 2] += clearance * up
    return found


def _loaded(k: Array, steps: tuple[Footstep, ...]) -> Mask:
    found = np.ones((len(k), 2), dtype=bool)
    for step in steps:
        found[(k > step.lift) & (k < step.land), step.foot] = False
    return found


def _reference(k: Array, steps: tuple[Footstep, ...], places: Array, gait: Gait) -> Array:
    """Corners of the reference, joined by straight lines in time."""
    shift = np.array([gait.ahead, 0.0])
    at = places.copy()
    ticks, points = [0, round(gait.rest / gait.period)], [at.mean(axis=0)] * 2
    for step in steps:
        stays = at[1 - step.foot].copy()
        ticks += [step.lift, step.land]
        points += [stays, stays]
        at[step.foot, 0] += step.end - step.start
    ticks.append(ticks[-1] + round(gait.double_support / gait.period))
    points.append(at.mean(axis=0))
    corners = np.array(points)
    columns = [np.interp(k, ticks, corners[:, axis]) for axis in (0, 1)]
    return np.asarray(np.stack(columns, axis=-1) + shift)
