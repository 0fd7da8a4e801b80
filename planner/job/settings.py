"""Settings of a job: what its tables say of probe, approach, touch, travel, checks, placement."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from planner.errors import JobError
from robots.core.arrays import Array, frozen
from robots.core.errors import PoseError
from robots.core.pose import unit_direction

Order = Literal["as-given", "fastest"]
Detour = Literal["auto", "plane", "none"]
Group = Literal["none", "feature"]
Search = Literal["quick", "normal", "thorough"]
Goal = Literal["margin", "time", "energy"]
Normal = Literal["normal"]
TouchMode = Literal["search", "to-rest"]

INTERPOLATION_ERROR = 1e-4  # of rows that are written: what a curve of the ball may miss [m]
SHIFT = ((-0.2, 0.2), (-0.2, 0.2), (0.0, 0.0))  # [m] on a table, within an arm's length


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ProbeBody:
    """A body of the probe beside its stylus, as a capsule in the wrist's tool frame.

    Args:
        name: shown when it comes too near to something.
        start: one end of its axis; z is the probe axis, 0 the wrist centre. # (3,) [m]
        end: the other end. # (3,) [m]
        radius: [m]
    """

    name: str
    start: Array
    end: Array
    radius: float

    def __post_init__(self) -> None:
        for end in ("start", "end"):
            object.__setattr__(self, end, frozen(getattr(self, end), np.float64))


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportHeading:
    """What the first page of reports says of the part and of who measures it; empty: nothing."""

    part: str = ""
    drawing: str = ""
    revision: str = ""
    serial: str = ""
    operator: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """The touch probe.

    Args:
        stylus_length: wrist centre to ball centre, along the probe axis. [m]
        ball_diameter: 0 for a point. [m]
        compensated: whether the job's points are surface points; otherwise ball centres.
        shank_diameter: of the stylus between wrist centre and ball. [m]
        mass: of head and stylus together; part of the mechanism's dynamics. [kg]
        com: from the wrist centre to the centre of mass, along the probe axis. [m]
        bodies: head, extensions: what of the probe takes room besides the stylus.
        name: of the tool in programmes of measuring machines; empty for TIP1 and so on.
        overtravel: what the stylus can give after the trigger before it breaks; infinite where the
            job does not say. [m]
    """

    stylus_length: float = 0.0
    ball_diameter: float = 0.0
    compensated: bool = True
    shank_diameter: float = 0.0
    mass: float = 0.0
    com: float = 0.0
    bodies: tuple[ProbeBody, ...] = ()
    name: str = ""
    overtravel: float = np.inf

    @property
    def ball_radius(self) -> float:
        """Half the ball's diameter. [m]."""
        return self.ball_diameter / 2.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FeatureApproach:
    """What is different about touching the points of one feature; None is what all points have.

    Args:
        name: of the feature.
        distance: from contact to the clearance point. [m]
        direction: from contact to the clearance point, in base axes, or "normal". # (3,) unit
        axis: where the stylus points, in the frame of the points, or "normal". # (3,) unit
    """

    name: str
    distance: float | None = None
    direction: Array | Normal | None = None
    axis: Array | Normal | None = None

    def __post_init__(self) -> None:
        _set_directions(self)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Approach:
    """How a point is touched.

    Args:
        distance: from contact to the clearance point. [m]
        direction: from contact to the clearance point, in base axes; None for each point's own
            normal. # (3,) unit
        axis: where the stylus points, from wrist to ball, in the frame of the points; None for
            against each point's own normal. # (3,) unit
        law: name of the motion law of probing lines.
        tilt: half angle of the cone about the normal within which a fix may tilt the probe axis of
            a point that fails. [rad]
        features: features that are touched differently, each once.
    """

    distance: float = 0.05
    direction: Array | None = None
    axis: Array | None = None
    law: str = "quintic"
    tilt: float = 0.0
    features: tuple[FeatureApproach, ...] = ()

    def __post_init__(self) -> None:
        _set_directions(self)

    @property
    def along_normal(self) -> bool:
        """Whether every point is approached along its own normal, but for some features."""
        return self.direction is None

    def of(self, feature: str) -> Approach:
        """How the points of one feature are touched."""
        for own in self.features:
            if own.name == feature:
                return replace(
                    self,
                    distance=self.distance if own.distance is None else own.distance,
                    direction=_chosen(own.direction, self.direction),
                    axis=_chosen(own.axis, self.axis),
                    features=(),
                )
        return self


@dataclass(frozen=True, slots=True, kw_only=True)
class FeatureTouch:
    """What differs in touching the points of one feature; None is what all points have.

    Args:
        name: of the feature.
        speed: of the ball through the nominal surface. [m/s]
        search_before: from the start of the search to the nominal surface. [m]
        search_after: from there to the end of the search. [m]
        back_off: from the nominal surface to where the ball rests after the trigger. [m]
        settle: rest after the stop. [s]
    """

    name: str
    speed: float | None = None
    search_before: float | None = None
    search_after: float | None = None
    back_off: float | None = None
    settle: float | None = None


# Of a touch-trigger probe; search and back-off are shorter where the clearance point is near.
TOUCH_SPEED = 0.005  # [m/s]
SEARCH = 0.003  # [m] before and after the nominal surface
BACK_OFF = 0.002  # [m]
LATENCY = 0.002  # [s]


@dataclass(frozen=True, slots=True, kw_only=True)
class Touch:
    """The probing cycle: how the ball goes through the nominal surface, and back.

    Args:
        mode: "search": constant speed from before the surface until the probe triggers;
            "to-rest": the approach ends at rest at contact, as in the thesis.
        speed: of the ball in the search. [m/s]
        search_before: from the start of the search to the nominal surface; None for 3 mm, or half
            of the approach where that is less. [m]
        search_after: from there to the end of the search. [m]
        latency: from the trigger to the begin of the stop. [s]
        deceleration: of the stop; None for the most that the joints allow. [m/s²]
        back_off: from the nominal surface to where the ball rests after the trigger; None for 2 mm,
            or the whole approach where that is less. [m]
        settle: rest after the stop. [s]
        positioning_speed: largest speed of the ball in approach, retract and travel; infinite for
            what the joints allow. [m/s]
        features: features that are touched differently, each once.
    """

    mode: TouchMode = "search"
    speed: float = TOUCH_SPEED
    search_before: float | None = None
    search_after: float = SEARCH
    latency: float = LATENCY
    deceleration: float | None = None
    back_off: float | None = None
    settle: float = 0.0
    positioning_speed: float = np.inf
    features: tuple[FeatureTouch, ...] = ()

    @property
    def searching(self) -> bool:
        """Whether the ball passes through the nominal surface at constant speed."""
        return self.mode == "search"

    def of(self, feature: str) -> Touch:
        """How the points of one feature are touched."""
        for own in self.features:
            if own.name == feature:
                changes = {
                    key: value
                    for key in ("speed", "search_before", "search_after", "back_off", "settle")
                    if (value := getattr(own, key)) is not None
                }
                return replace(self, features=(), **changes)
        return self


def _chosen(own: Array | Normal | None, usual: Array | None) -> Array | None:
    if own is None:
        return usual
    return None if isinstance(own, str) else own


def _set_directions(approach: Approach | FeatureApproach) -> None:
    """Make directions and axes that are vectors unit and read-only."""
    for name, what in (("direction", "The approach direction"), ("axis", "The stylus axis")):
        given = getattr(approach, name)
        if given is None or isinstance(given, str):
            continue
        try:
            unit = unit_direction(given, what)
        except PoseError as error:
            raise JobError(error.message, **error.facts) from error
        object.__setattr__(approach, name, frozen(unit))


@dataclass(frozen=True, slots=True, kw_only=True)
class Travel:
    """How the robot goes from one clearance point to the next.

    Args:
        law: name of the motion law, in joint space.
        order: "as-given" or "fastest".
        clearance_plane: height above which travel is free to go. Base z. [m] or None
        clearance_cube: how far outside the box of the part travel is free to go. [m] or None
        detour: round an obstacle by any road, by plane or cube only, or not at all.
        group: whether the points of one feature are visited one after another; points without a
            feature are free.
        locked: names of points that are visited in that very order, without interruption.
        seed: of everything drawn at random: order search, detours.
        search: how long the order search looks.
    """

    law: str = "trapezoid"
    order: Order = "as-given"
    clearance_plane: float | None = None
    clearance_cube: float | None = None
    detour: Detour = "auto"
    group: Group = "none"
    locked: tuple[tuple[str, ...], ...] = ()
    seed: int = 1
    search: Search = "normal"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Checks:
    """What a plan must keep, beyond the robot's own limits.

    Args:
        joint_margin: distance to every joint limit. [rad]
        clearance: distance to the part and other obstacles. [m]
        torque_limits: largest torque of every joint, inf where it is only reported. # (n,) [N m]
    """

    joint_margin: float
    clearance: float
    torque_limits: Array

    def __post_init__(self) -> None:
        limits = np.array(self.torque_limits, dtype=np.float64)
        object.__setattr__(self, "torque_limits", frozen(limits))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PlaceSettings:
    """Where ``palpeur place`` looks for a better pose of the part.

    Args:
        shift: least and greatest move of the part's origin along the base's x, y and z, from the
            pose of the job. # (3, 2) [m]
        yaw: least and greatest turn about the base's z through the part's origin. # (2,) [rad]
        full: whether the part may also be tilted, to any orientation.
        goal: what is improved once as many points as possible are served.
        seed: of everything drawn at random.
    """

    shift: Array = field(default_factory=lambda: np.array(SHIFT))
    yaw: Array = field(default_factory=lambda: np.array([-np.pi, np.pi]))
    full: bool = False
    goal: Goal = "margin"
    seed: int = 1

    def __post_init__(self) -> None:
        for name, shape in (("shift", (3, 2)), ("yaw", (2,))):
            array = np.array(getattr(self, name), dtype=np.float64).reshape(shape)
            object.__setattr__(self, name, frozen(array))
