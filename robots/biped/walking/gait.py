"""Gait: parameters, footsteps, ZMP reference, support phases, distance between the feet."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robots.biped.biped import Biped
from robots.biped.errors import BipedError
from robots.biped.posture.ground import Ground
from robots.biped.posture.standing import sole_in_world, support_of
from robots.biped.posture.support_polygon import SupportPolygon, polygon_distance
from robots.biped.walking.legged_robot import LeggedRobot
from robots.core.arrays import Array, Mask
from robots.core.motion.motion_law import QUINTIC
from robots.core.pose import make_pose

_LONGEST_STEP = 60.0  # [s]; slower is standing on one foot
_ABOVE_ZERO = {
    "speed": "m/s",
    "step_length": "m",
    "double_support": "s",
    "clearance": "m",
    "rest": "s",
    "period": "s",
    "step_width": "m",
}
_NARROWEST = 0.01  # [m]; narrower, and the feet are one


@dataclass(frozen=True, slots=True, kw_only=True)
class Gait:
    """A straight walk on a plane, feet parallel; the last step brings the feet side by side.

    Args:
        speed: of the robot; a step takes step_length / speed. [m/s]
        steps: that go forward; one more closes.
        step_length: from one foot to the other. [m]
        double_support: time on both feet, in each step. [s]
        clearance: greatest height of the swung foot's sole. [m]
        lowering: of the pelvis, from stretched legs, before the walk. [m]
        ahead: of the ZMP reference, from the ankle; the middle of the sole is a good one. [m]
        rest: at the start and at the end, on both feet. [s]
        period: of the samples. [s]
        first: the foot that leaves the ground first.
        step_width: between the ankles, across; none for that of the hips. [m]

    Raises:
        BipedError: figures that make no walk; the message says which and the limit.
    """

    speed: float = 0.1
    steps: int = 4
    step_length: float = 0.2
    double_support: float = 0.4
    clearance: float = 0.04
    lowering: float = 0.06
    ahead: float = 0.025
    rest: float = 2.4
    period: float = 0.005
    first: str = "right"
    step_width: float | None = None

    def __post_init__(self) -> None:
        for name, unit in _ABOVE_ZERO.items():
            value = getattr(self, name)
            if value is not None and not (np.isfinite(value) and value > 0.0):
                raise BipedError(
                    f"A walk's {name} is {value!r} {unit}; it must be above zero.",
                    field=name,
                    value=value,
                    limit=0.0,
                    unit=unit,
                )
        if self.step_width is not None and self.step_width < _NARROWEST:
            raise BipedError(
                f"A walk's step_width is {self.step_width!r} m; it must be at least "
                f"{_NARROWEST:g} m.",
                field="step_width",
                value=self.step_width,
                limit=_NARROWEST,
                unit="m",
            )
        if self.steps < 1:
            raise BipedError(
                f"A walk has {self.steps} steps; give at least one.", value=self.steps, limit=1
            )
        if not (np.isfinite(self.ahead) and np.isfinite(self.lowering)) or self.lowering < 0.0:
            raise BipedError(
                f"A walk has lowering {self.lowering!r} m and ahead {self.ahead!r} m; both must be "
                "finite and the pelvis cannot be raised above stretched legs."
            )
        self._check_times()

    def _check_times(self) -> None:
        if self.step_time > _LONGEST_STEP:
            slowest = self.step_length / _LONGEST_STEP
            raise BipedError(
                f"At {self.speed:g} m/s a step of {self.step_length:g} m takes "
                f"{self.step_time:.4g} s; at most {_LONGEST_STEP:g} s are walked: the limit is "
                f"{slowest:.4g} m/s, or shorter steps.",
                value=self.speed,
                limit=slowest,
                unit="m/s",
            )
        if self.single_support < self.period:
            fastest = self.step_length / (self.double_support + self.period)
            raise BipedError(
                f"At {self.speed:g} m/s a step of {self.step_length:g} m takes "
                f"{self.step_time:.4g} s, of which {self.double_support:g} s are on both feet: "
                f"nothing is left to swing a foot; the limit is {fastest:.4g} m/s, or less time on "
                "both feet.",
                value=self.speed,
                limit=fastest,
                unit="m/s",
            )

    @property
    def step_time(self) -> float:
        """Of one step, double support included. [s]."""
        return self.step_length / self.speed

    @property
    def single_support(self) -> float:
        """Time on one foot, in each step. [s]."""
        return self.step_time - self.double_support


# --------------------------------------------------------------------------------- Walking pattern
# Every step begins on both feet, while the ZMP reference goes in a straight line to the foot that
# stays; then the other foot swings, along x by one quintic law, up and down by two. So feet leave
# and touch the ground without speed or acceleration.


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


# ---------------------------------------------------------------------------------- Support phases


def supports(
    biped: Biped, robot: LeggedRobot, pattern: WalkingPattern
) -> tuple[SupportPolygon, ...]:
    """The polygon of every sample."""
    known: dict[tuple[float, ...], SupportPolygon] = {}
    found = []
    for places, loaded in zip(pattern.feet, pattern.loaded, strict=True):
        standing = places[loaded]
        key = (*loaded.astype(float), *standing.ravel())
        if key not in known:
            known[key] = support_of(biped, _poses(robot, places, loaded), Ground())
        found.append(known[key])
    return tuple(found)


def _poses(robot: LeggedRobot, places: Array, loaded: Mask) -> dict[str, Array]:
    """Poses of the feet on the ground, by name."""
    poses = {}
    for leg, ankle, place, here in zip(robot.legs, robot.ankles, places, loaded, strict=True):
        if here:
            poses[leg.foot] = make_pose(leg.foot_zero, np.array([*place[:2], ankle[2]]))
    return poses


# ----------------------------------------------------------------------- Distance between the feet

FEET_DISTANCE = "feet_distance_m"  # name of the curve


def feet_distance(biped: Biped, robot: LeggedRobot, pattern: WalkingPattern) -> Array:
    """Distance of the soles seen from above; negative is how deep they overlap. # (k,) [m]."""
    first, second = (
        _sole(biped, robot, number) + pattern.feet[:, number, None, :2] for number in (0, 1)
    )
    return polygon_distance(first, second)


def feet_remark(pattern: WalkingPattern, distance: Array) -> str:
    """How near they come, and how high a foot is swung."""
    least, height = 1e3 * float(distance.min()), 1e3 * float(pattern.feet[..., 2].max())
    if least > 0.0:
        return (
            f"Seen from above the soles stay at least {least:.1f} mm apart; a swung sole is up to "
            f"{height:.1f} mm above the other."
        )
    first = pattern.t[int(np.argmax(distance <= 0.0))]
    return (
        f"Seen from above the soles overlap by up to {-least:.1f} mm, first at {first:.2f} s. A "
        f"swung sole is up to {height:.1f} mm above the other, but there stands a leg."
    )


def feet_remedy(biped: Biped, robot: LeggedRobot, distance: Array) -> str:
    """How wide the steps must be where the feet collide; empty where they do not."""
    if distance.min() > 0.0:
        return ""
    sides = [_sole(biped, robot, number)[:, 1] for number in (0, 1)]
    right, left = sides if robot.ankles[0, 1] < robot.ankles[1, 1] else sides[::-1]
    return f"Make the steps wider than {1e3 * (right.max() - left.min()):.1f} mm."


def _sole(biped: Biped, robot: LeggedRobot, number: int) -> Array:
    """Corners of a sole seen from above, from the ankle. # (m, 2) [m]."""
    leg = robot.legs[number]
    return np.asarray(sole_in_world(biped, leg.foot, make_pose(leg.foot_zero, np.zeros(3)))[:, :2])
