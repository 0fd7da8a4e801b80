"""Push recovery without a step: how strong a blow a biped survives, and how.

The blow gives the centre of mass a speed. The robot then sways with locked knees and upright trunk
(``swaying``); the ZMP is commanded by capture-point feedback, p = c0 + (1 + k)·(ξ − c0), and never
leaves the support polygon, less an inset. So the true ZMP of the full dynamics is on the sole as
long as the robot lives up to its name; when the blow is too strong the ZMP stays at the edge and
the centre of mass runs over it: a fall, with its time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from robots.biped.biped import Biped
from robots.biped.errors import BipedError
from robots.biped.motion import BipedMotion
from robots.biped.posture.balance import capture_speed, pendulum_frequency
from robots.biped.posture.ground import heading
from robots.biped.posture.support_polygon import SupportPolygon
from robots.biped.posture.verdict import Stance, StanceVerdict, motion_verdict
from robots.biped.scenarios.scenario import (
    Loads,
    loads_of,
    scenario_motion,
    standing_support,
    standing_torques,
)
from robots.biped.walking.free_base import FreeBase, FreeState
from robots.biped.walking.legged_robot import FeetPlacement, LeggedRobot
from robots.core.arrays import Array
from robots.core.model import Model

_BEYOND = 0.03  # [m] the centre of mass is followed this far over the edge
_TOLERANCE = 1e-9
_FASTEST = 1000.0  # [m/s]


@dataclass(frozen=True, slots=True, kw_only=True)
class Recovery:
    """Recovery from a push.

    Args:
        gain: k of the capture-point feedback; the robot comes back as exp(−k·ω·t).
        inset: how far the commanded ZMP stays inside the polygon's edges. [m]
        lowering: of the pelvis while it stands; zero is stretched legs. [m]
        duration: of the motion that is followed. [s]
        period: of the samples. [s]

    Raises:
        BipedError: a value out of its domain.
    """

    gain: float = 1.0
    inset: float = 0.002
    lowering: float = 0.0
    duration: float = 4.0
    period: float = 0.005

    def __post_init__(self) -> None:
        for name in ("gain", "duration", "period"):
            value = getattr(self, name)
            if not (np.isfinite(value) and value > 0.0):
                raise BipedError(
                    f"A recovery's {name} is {value!r}; it must be above zero.",
                    field=name,
                    value=value,
                    limit=0.0,
                )
        if not (np.isfinite(self.inset) and self.inset >= 0.0):
            raise BipedError(
                f"The ZMP's inset is {self.inset!r} m; it must be zero or more.",
                value=self.inset,
                limit=0.0,
                unit="m",
            )


FORWARD = (1.0, 0.0)


def push(
    biped: Biped,
    speed: float | None = None,
    direction: ArrayLike = FORWARD,
    *,
    impulse: float | None = None,
    recovery: Recovery | None = None,
) -> BipedMotion:
    """Push a standing robot and let it recover on the spot.

    Args:
        biped: on two BIP legs.
        speed: that the blow gives the centre of mass. [m/s]
        direction: of the blow, horizontal: x forward, y left. # (2,)
        impulse: instead of the speed, which is impulse / mass: the whole robot takes it, the feet
            give none back. [N s]
        recovery: how it answers.

    Raises:
        BipedError: both or none of speed and impulse, a negative one, no direction.
    """
    chosen = Recovery() if recovery is None else recovery
    blow = _speed(biped, speed, impulse)
    require_two_legs(biped, direction)
    stand = stand_before_push(biped, direction, chosen.lowering)
    t, s, sd = _simulated(stand, blow, chosen)
    command = np.array([_command(stand, chosen, *both) for both in zip(s, sd, strict=True)])
    sdd = np.array([stand.swaying.acceleration(*one) for one in zip(s, sd, command, strict=True)])
    free = stand.swaying.free
    limits = limits_of(stand, chosen.inset)
    try:
        loads = loads_of(free, stand.swaying.state(s, sd, sdd))
    except BipedError as cause:
        thrown = f"A push of {blow:.3g} m/s {heading(stand.swaying.direction)} tears the feet off"
        raise BipedError(
            f"{thrown} the ground. {_bearable(biped, limits)} {cause}",
            value=blow,
            limit=limits.commanded,
            unit="m/s",
        ) from cause
    verdict = motion_verdict(t, loads.com, loads.zmp, stand.support)
    return scenario_motion(
        free,
        loads,
        standing_torques(free, loads),
        title=f"Push of {blow:.3g} m/s {heading(stand.swaying.direction)}",
        t=t,
        T_world_base=_base_poses(biped, loads),
        support=(stand.support,) * len(t),
        verdict=verdict,
        curves=_curves(stand, s, sd, command),
        remarks=_remarks(stand, blow, chosen, (limits, verdict)),
        remedy=_bearable(biped, limits) if verdict.stance is Stance.FALLEN else "",
    )


def _speed(biped: Biped, speed: float | None, impulse: float | None) -> float:
    if (speed is None) == (impulse is None):
        raise BipedError("A push is given by its speed or by its impulse; give one of the two.")
    mass = biped.mechanism.total_mass
    value = float(impulse) / mass if impulse is not None else float(speed or 0.0)
    if not 0.0 <= value <= _FASTEST:
        raise BipedError(
            f"The push gives a speed of {value!r} m/s; it must be zero or more, its sense being "
            f"that of the direction, and at most {_FASTEST:g} m/s.",
            value=value,
            limit=_FASTEST if value > 0.0 else 0.0,
            unit="m/s",
        )
    return value


def _command(stand: PushedStand, chosen: Recovery, s: float, sd: float) -> float:
    """ZMP wanted along the direction. [m]."""
    table = stand.swaying.tables(s)
    capture = table[0] + table[1] * sd / stand.omega
    wanted = stand.home + (1.0 + chosen.gain) * (capture - stand.home)
    inset = min(chosen.inset, 0.5 * (stand.front - stand.rear))
    return float(np.clip(wanted, stand.rear + inset, stand.front - inset))


def _simulated(stand: PushedStand, blow: float, chosen: Recovery) -> tuple[Array, Array, Array]:
    """Instants, displacements and speeds of the pelvis; ends early after a fall."""
    from scipy.integrate import solve_ivp

    swaying = stand.swaying

    def rates(_: float, state: Array) -> list[float]:
        s, sd = state
        return [sd, swaying.acceleration(s, sd, _command(stand, chosen, s, sd))]

    def gone(_: float, state: Array) -> float:
        c = float(swaying.center_of_mass(state[0]))
        return min(stand.front + _BEYOND - c, c - stand.rear + _BEYOND)

    gone.terminal = True  # type: ignore[attr-defined]
    count = round(chosen.duration / chosen.period)
    start = [0.0, blow / float(swaying.slope(0.0))]
    found = solve_ivp(
        rates,
        (0.0, count * chosen.period),
        start,
        t_eval=np.arange(count + 1) * chosen.period,
        events=gone,
        rtol=_TOLERANCE,
        atol=_TOLERANCE,
        max_step=0.02,
    )
    return found.t, found.y[0], found.y[1]


def _base_poses(biped: Biped, loads: Loads) -> Array:
    """The base stays upright; only its origin moves. # (k, 4, 4)."""
    x = loads.state.x
    T = np.repeat(biped.T_world_base[None], len(x), axis=0)
    T[:, :3, 3] = x[:, :3]
    return T


def _curves(stand: PushedStand, s: Array, sd: Array, command: Array) -> dict[str, Array]:
    com = stand.swaying.center_of_mass(s)
    capture = com + stand.swaying.slope(s) * sd / stand.omega
    return {
        "com_along_m": com,
        "capture_along_m": capture,
        "zmp_command_along_m": command,
        "pelvis_along_m": s,
    }


def _bearable(biped: Biped, limits: CaptureLimits) -> str:
    # Rounded down: the robot does come back from the speed that is told.
    most = np.floor(1e3 * limits.commanded) / 1e3
    blow = np.floor(1e2 * most * biped.mechanism.total_mass) / 1e2
    return (
        f"Without a step {biped.name} comes back from at most {most:.3f} m/s this way, a blow of "
        f"{blow:.2f} N s."
    )


def _remarks(
    stand: PushedStand, blow: float, chosen: Recovery, told: tuple[CaptureLimits, StanceVerdict]
) -> tuple[str, ...]:
    limits, verdict = told
    said = [
        f"The linear pendulum (omega = {stand.omega:.4f} 1/s) comes back without a step up to "
        f"{limits.pendulum:.3f} m/s; the whole robot, swaying with locked knees, up to "
        f"{limits.whole_body:.3f} m/s with the ZMP on the edge and {limits.commanded:.3f} m/s with "
        f"the ZMP {1e3 * chosen.inset:g} mm inside."
    ]
    if verdict.stance is Stance.FALLEN:
        said.append(
            f"{blow:.3g} m/s is too much: the centre of mass crosses the {verdict.edge} edge at "
            f"{verdict.time:.2f} s; only a step would help."
        )
    return tuple(said)


@dataclass(frozen=True, slots=True, kw_only=True)
class CaptureLimits:
    """Highest speeds of the centre of mass from which the robot comes back without a step.

    Args:
        pendulum: of the linear inverted pendulum, ZMP on the edge. [m/s]
        whole_body: of the swaying robot's full dynamics, ZMP on the edge. [m/s]
        commanded: the same with the ZMP on the inset edge. [m/s]
    """

    pendulum: float
    whole_body: float
    commanded: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Sway:
    """A swaying robot over s, the pelvis' displacement; splines of degree five.

    Args:
        free: the robot.
        direction: horizontal unit vector that the pelvis moves along. # (2,)
        reach: s goes from -reach to reach. [m]
        path: coordinates of ``FreeBase`` over s. # -> (..., 6 + n)
        tables: over s: centre of mass along the direction, its slope, then the tipping moment about
            the world's origin and the vertical push, three terms each. # -> (..., 8)
    """

    free: FreeBase
    direction: Array
    reach: float
    path: Any
    tables: Any

    def center_of_mass(self, s: float | Array) -> Array:
        """Along the direction. [m]."""
        return np.asarray(self.tables(s)[..., 0])

    def slope(self, s: float | Array) -> Array:
        """Speed of the centre of mass along the direction per ṡ."""
        return np.asarray(self.tables(s)[..., 1])

    def balance(self, s: float | Array, zmp: float | Array) -> Array:
        """A0, A1, A2 of 0 = A0 + A1·s̈ + A2·ṡ², which puts the ZMP on a place. # (..., 3)."""
        found = self.tables(s)
        return np.asarray(found[..., 2:5] - np.asarray(zmp)[..., None] * found[..., 5:8])

    def acceleration(self, s: float, sd: float, zmp: float) -> float:
        """s̈ with the ZMP on a place along the direction. [m/s²]."""
        A0, A1, A2 = self.balance(s, zmp)
        return -float((A0 + A2 * sd * sd) / A1)

    def state(self, s: Array, sd: Array, sdd: Array) -> FreeState:
        """Coordinates and rates. # (k,) each."""
        dx, ddx = self.path(s, 1), self.path(s, 2)
        return FreeState(
            x=self.path(s), xd=dx * sd[:, None], xdd=dx * sdd[:, None] + ddx * (sd * sd)[:, None]
        )


# ------------------------------------------------------------------------------ Limits of the push


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PushedStand:
    """The robot before the push, seen along its direction.

    Args:
        swaying: what it does on the spot.
        support: what it stands on.
        com: centre of mass. # (3,) [m]
        omega: of the linear pendulum. [1/s]
        front: edge ahead, along the direction. [m]
        rear: edge behind. [m]
    """

    swaying: Sway
    support: SupportPolygon
    com: Array
    omega: float
    front: float
    rear: float

    @property
    def home(self) -> float:
        """Centre of mass along the direction. [m]."""
        return float(self.com[:2] @ self.swaying.direction)


def capture_limits(
    biped: Biped, direction: ArrayLike = FORWARD, *, lowering: float = 0.0, inset: float = 0.0
) -> CaptureLimits:
    """The strongest push in a direction that the robot survives without a step.

    Args:
        biped: on two BIP legs.
        direction: of the push, horizontal. # (2,)
        lowering: of the pelvis while it stands. [m]
        inset: how far the commanded ZMP stays inside the edges. [m]

    Raises:
        BipedError: no direction, or no such robot.
    """
    return limits_of(stand_before_push(biped, direction, lowering), inset)


def stand_before_push(biped: Biped, direction: ArrayLike, lowering: float) -> PushedStand:
    """The robot in its standing place.

    Args:
        biped: on two BIP legs.
        direction: of the push, horizontal: x forward, y left. # (2,)
        lowering: of the pelvis. [m]

    Raises:
        BipedError: no direction, or no such robot.
    """
    unit = _unit(direction)
    swaying = sway(LeggedRobot(biped=biped), FreeBase(biped=biped), unit, lowering)
    com = swaying.free.model.center_of_mass(swaying.path(0.0))
    support = standing_support(biped)
    home = float(com[:2] @ unit)
    return PushedStand(
        swaying=swaying,
        support=support,
        com=com,
        omega=pendulum_frequency(float(com[2])),
        front=home + support.reach(com, unit),
        rear=home - support.reach(com, -unit),
    )


def require_two_legs(biped: Biped, direction: ArrayLike) -> None:
    """Check that a push of this robot is simulated.

    Raises:
        BipedError: it is not on two legs; the message has the speed that it would come to rest from
            as a pendulum.
    """
    if len(biped.feet) == 2 and all(foot.link for foot in biped.feet):
        return
    unit, T = _unit(direction), biped.T_world_base
    seen = Model(biped.mechanism, "single-use").center_of_mass(np.asarray(biped.q_standing))
    com = T[:3, :3] @ seen + T[:3, 3]
    omega = pendulum_frequency(float(com[2]))
    most = capture_speed(com, standing_support(biped), unit, omega)
    raise BipedError(
        f"{biped.name} does not hang on two legs between a pelvis and its feet; the recovery from "
        "a push is simulated for a robot such as bip2000. As a linear pendulum it would come to "
        f"rest without a step from at most {np.floor(1e3 * most) / 1e3:.3f} m/s {heading(unit)}.",
        biped=biped.name,
        limit=most,
        unit="m/s",
    )


def _unit(direction: ArrayLike) -> Array:
    way = np.asarray(direction, dtype=float)
    length = float(np.hypot(*way)) if way.shape == (2,) else 0.0
    if not (np.isfinite(length) and length > 0.0):
        raise BipedError(f"The push's direction is {direction!r}; give two numbers, x and y.")
    return np.asarray(way / length)


def limits_of(stand: PushedStand, inset: float) -> CaptureLimits:
    """The strongest pushes. Args: stand; inset of the commanded ZMP. [m]."""
    return CaptureLimits(
        pendulum=capture_speed(stand.com, stand.support, stand.swaying.direction, stand.omega),
        whole_body=_highest(stand, stand.front),
        commanded=_highest(stand, stand.front - inset),
    )


def _highest(stand: PushedStand, edge: float) -> float:
    """Speed of the centre of mass that just dies out over the edge, the ZMP on it. [m/s].

    With E = ṡ², s̈ = ½·dE/ds makes the motion a linear equation of first order in s, which ends
    with E = 0 where the robot would balance over the edge.

    Raises:
        BipedError: legs that are too short to get there.
    """
    from scipy.integrate import solve_ivp
    from scipy.optimize import brentq

    swaying = stand.swaying
    farthest = float(swaying.center_of_mass(swaying.reach))
    if farthest <= edge:
        raise BipedError(
            f"Such short legs bring the centre of mass to {farthest:.3g} m along the push, not "
            f"over the edge at {edge:.3g} m; lower the pelvis less.",
            value=farthest,
            limit=edge,
            unit="m",
        )
    there = brentq(lambda s: swaying.balance(s, edge)[0], 0.0, swaying.reach, xtol=1e-14)

    def slope(s: float, E: Array) -> Array:
        A0, A1, A2 = swaying.balance(s, edge)
        return np.asarray(-2.0 * (A0 + A2 * E) / A1)

    found = solve_ivp(slope, (there, 0.0), [0.0], rtol=1e-10, atol=1e-14)
    return float(np.sqrt(found.y[0, -1]) * swaying.slope(0.0))


# -------------------------------------------------------------------------------------------- Sway
# The knees keep their angle, so the hips move on spheres about the ankles while the trunk stays
# upright: the plain ankle strategy in any direction. With the pelvis' displacement s as the one
# coordinate, q, the centre of mass and the ground's push are functions of (s, ṡ, s̈), and the push
# is W = W0(s) + W1(s)·s̈ + W2(s)·ṡ², exactly, from the full dynamics. So the acceleration that puts
# the ZMP on a wanted place is solved for in closed form.

_FARTHEST = 0.45  # [m] displacement of the pelvis that the tables go to, either way
_STEP = 0.005  # [m] of the tables


def sway(robot: LeggedRobot, free: FreeBase, direction: Array, lowering: float = 0.0) -> Sway:
    """The robot that sways about its standing place.

    Args:
        robot: with its legs.
        free: the same with its free base.
        direction: horizontal unit vector. # (2,)
        lowering: of the pelvis at s = 0. [m]

    Raises:
        BipedError: a pelvis that would be raised, or as low as its feet.
        PostureError: legs that cannot be that short.
    """
    from scipy.interpolate import make_interp_spline

    stretched = float(robot.legs[0].hip[2] - robot.legs[0].ankle[2])
    if not 0.0 <= lowering < stretched:
        raise BipedError(
            f"The pelvis is lowered by {lowering:g} m; it must be 0 or more, and less than the "
            f"{stretched:.3g} m of the legs.",
            value=lowering,
            limit=stretched,
            unit="m",
        )
    height = stretched - lowering
    s = _stations(min(_FARTHEST, 0.6 * height))
    path = make_interp_spline(s, _coordinates(robot, free, direction, (s, height)), k=5)
    return Sway(
        free=free,
        direction=direction,
        reach=float(s[-1]),
        path=path,
        tables=make_interp_spline(s, _tables(free, direction, path, s), k=5),
    )


def _tables(free: FreeBase, direction: Array, path: Any, s: Array) -> Array:
    """Columns of ``Sway.tables``. # (m, 8)."""
    x, dx, ddx = path(s), path(s, 1), path(s, 2)
    still = np.zeros_like(x)
    rest, driven, moving = (
        _about_origin(free, FreeState(x=x, xd=xd, xdd=xdd), direction)
        for xd, xdd in ((still, still), (still, dx), (dx, ddx))
    )
    terms = np.stack([rest, driven - rest, moving - rest], axis=-1)
    com = free.model.center_of_mass(x)[:, :2] @ direction
    J = free.model.center_of_mass_jacobian(x)[:, :2]
    slope = np.einsum("a,kai,ki->k", direction, J, dx)
    return np.column_stack([com, slope, terms[:, 0], terms[:, 1]])


def _stations(farthest: float) -> Array:
    count = round(farthest / _STEP)
    return np.linspace(-count * _STEP, count * _STEP, 2 * count + 1)


def _coordinates(
    robot: LeggedRobot, free: FreeBase, direction: Array, path: tuple[Array, float]
) -> Array:
    s, height = path
    up = np.sqrt((height - s) * (height + s)) + robot.ankles[0, 2] - robot.legs[0].hip[2]
    home = np.broadcast_to(robot.biped.T_world_base[:2, 3], (len(s), 2))
    origin = np.column_stack([home + s[:, None] * direction, up])
    placed: FeetPlacement = robot.postures(origin, np.broadcast_to(robot.ankles, (len(s), 2, 3)))
    return free.coordinates(placed.q, placed.T_world_base)


def _about_origin(free: FreeBase, state: FreeState, direction: Array) -> Array:
    """Tipping moment about the world's origin, and vertical push. # (m, 2) [N m, N]."""
    push = free.push(state, free.efforts(state))
    tipping = direction[1] * push.moment[:, 0] - direction[0] * push.moment[:, 1]
    return np.column_stack([tipping, push.force[:, 2]])
