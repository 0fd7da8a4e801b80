"""Push recovery without a step: the robot gets a blow, and ankles and hips bring it back.

The blow gives the centre of mass a speed. The robot then sways with locked knees and upright trunk
(``swaying``); the ZMP is commanded by capture-point feedback, p = c0 + (1 + k)·(ξ − c0), and never
leaves the support polygon, less an inset. So the true ZMP of the full dynamics is on the sole as
long as the robot lives up to its name; when the blow is too strong the ZMP stays at the edge and
the centre of mass runs over it: a fall, with its time.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from robots.biped.biped import Biped
from robots.biped.errors import BipedError
from robots.biped.motion import BipedMotion
from robots.biped.posture.headings import heading
from robots.biped.posture.judging import judge
from robots.biped.scenarios.capture_limits import (
    FORWARD,
    CaptureLimits,
    PushedStand,
    limits_of,
    pushed_stand,
    require_two_legs,
)
from robots.biped.scenarios.scenario import Loads, Tale, loads_of, standing_torques, told
from robots.biped.verdict import Stance, Verdict
from robots.core.arrays import Array

_BEYOND = 0.03  # [m] the centre of mass is followed this far over the edge
_TOLERANCE = 1e-9
_FASTEST = 1000.0  # [m/s]


@dataclass(frozen=True, slots=True, kw_only=True)
class Recovery:
    """How a push is answered.

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
    stand = pushed_stand(biped, direction, chosen.lowering)
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
    verdict = judge(t, loads.com, loads.zmp, stand.support)
    tale = Tale(
        title=f"Push of {blow:.3g} m/s {heading(stand.swaying.direction)}",
        t=t,
        T_world_base=_base_poses(biped, loads),
        support=(stand.support,) * len(t),
        verdict=verdict,
        curves=_curves(stand, s, sd, command),
        remarks=_remarks(stand, blow, chosen, (limits, verdict)),
        remedy=_bearable(biped, limits) if verdict.stance is Stance.FALLEN else "",
    )
    return told(free, loads, standing_torques(free, loads), tale)


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
    stand: PushedStand, blow: float, chosen: Recovery, told: tuple[CaptureLimits, Verdict]
) -> tuple[str, ...]:
    limits, verdict = told
    said = [
        f"The linear pendulum (omega = {stand.omega:.4f} 1/s) comes back without a step up to "
        f"{limits.pendulum:.3f} m/s; the whole robot, swaying with locked knees, up to "
        f"{limits.whole_body:.3f} m/s with the ZMP on the edge and {limits.commanded:.3f} m/s with "
        f"the ZMP {1e3 * chosen.inset:g} mm inside.",
    ]
    if verdict.stance is Stance.FALLEN:
        said.append(
            f"{blow:.3g} m/s is too much: the centre of mass crosses the {verdict.edge} edge at "
            f"{verdict.time:.2f} s; only a step would help."
        )
    return tuple(said)
