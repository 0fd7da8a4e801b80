"""Squat: every joint goes down and up by a quintic law, the feet stay where they are.

Source: [GASTEBOIS17] §2.6.1: 16 deg of ankle, 85 deg of knee, 70 deg of hip, 7 s each way
"""

from __future__ import annotations

import numpy as np

from robots.biped.biped import Biped
from robots.biped.errors import BipedError
from robots.biped.motion import BipedMotion
from robots.biped.posture.support_polygon import SupportPolygon
from robots.biped.posture.verdict import Stance, StanceVerdict, motion_verdict
from robots.biped.scenarios.scenario import (
    Loads,
    base_over_feet,
    loads_of,
    scenario_motion,
    standing_feet,
    standing_support,
    standing_torques,
)
from robots.biped.walking.free_base import FreeBase, rates_from_rest
from robots.biped.walking.legged_robot import BipedLeg, legs_of
from robots.core.arrays import Array
from robots.core.motion.motion_law import QUINTIC

ANKLE, KNEE, HIP = (float(np.radians(angle)) for angle in (16.0, 85.0, 70.0))
_LARGEST = np.pi / 2.0  # [rad]


def squat(
    biped: Biped,
    ankle: float = ANKLE,
    knee: float = KNEE,
    hip: float = HIP,
    duration: float = 7.0,
    *,
    period: float = 0.01,
) -> BipedMotion:
    """Bend the legs and stretch them again.

    After a fall the samples are those of a robot that is held to the ground; see ``BipedMotion``.

    Args:
        biped: on one leg or two.
        ankle: bend forward at the bottom. [rad]
        knee: likewise. [rad]
        hip: likewise. [rad]
        duration: of each way. [s]
        period: of the samples; the law's ends are samples. [s]

    Raises:
        BipedError: angles, duration or period out of their domain.
    """
    _check(ankle, knee, hip, duration, period)
    half = max(round(duration / period), 3)
    t = np.asarray(np.arange(2 * half + 1) * (duration / half), dtype=np.float64)
    r = QUINTIC.r(1.0 - np.abs(t / duration - 1.0))
    q = np.zeros((len(t), biped.mechanism.dof)) + np.asarray(biped.q_standing)
    for leg in legs_of(biped):
        q[:, leg.columns] += r[:, None] * _bottom(leg, ankle, knee, hip)
    T = base_over_feet(biped, q)
    free = FreeBase(biped=biped)
    loads = loads_of(free, rates_from_rest(t, free.coordinates(q, T)))
    support = standing_support(biped)
    verdict = motion_verdict(t, loads.com, loads.zmp, support)
    return scenario_motion(
        free,
        loads,
        standing_torques(free, loads),
        title=f"Squat {_degrees(ankle, knee, hip)}, {duration:g} s each way",
        t=t,
        T_world_base=T,
        support=(support,) * len(t),
        verdict=verdict,
        curves={"bend": r, "zmp_minus_com_m": _apart(loads)},
        remarks=_remarks(biped, loads, half, support, verdict),
        remedy=_remedy(loads.com[half], support, verdict),
    )


def _check(ankle: float, knee: float, hip: float, duration: float, period: float) -> None:
    for name, angle in (("ankle", ankle), ("knee", knee), ("hip", hip)):
        if not abs(angle) <= _LARGEST:
            raise BipedError(
                f"The squat's {name} angle is {np.degrees(angle):.6g} deg; it must be within "
                f"±{np.degrees(_LARGEST):.0f} deg.",
                field=name,
                value=angle,
                limit=_LARGEST,
                unit="rad",
            )
    for name, time in (("duration", duration), ("period", period)):
        if not (np.isfinite(time) and time > 0.0):
            raise BipedError(
                f"The squat's {name} is {time!r} s; it must be above zero.",
                field=name,
                value=time,
                limit=0.0,
                unit="s",
            )


def _bottom(leg: BipedLeg, ankle: float, knee: float, hip: float) -> Array:
    """Joint angles of the bottom, in the order of the leg's columns. # (4,) or (6,) [rad]."""
    # Seen from the foot the shank leans forward, the thigh back, the trunk forward; seen from the
    # pelvis each turn is the other way.
    turns = [0.0, 0.0, -hip, knee, -ankle, 0.0] if leg.hangs else [0.0, ankle, -knee, hip]
    return np.array(turns) * leg.signs


def _apart(loads: Loads) -> Array:
    """Distance of the ZMP from the point below the centre of mass. # (k,) [m]."""
    off = loads.zmp - loads.com
    return np.hypot(off[:, 0], off[:, 1])


def _remarks(
    biped: Biped, loads: Loads, bottom: int, support: SupportPolygon, verdict: StanceVerdict
) -> tuple[str, ...]:
    fallen = verdict.stance is Stance.FALLEN
    forward = 1e3 * (loads.com[bottom, 0] - float(standing_feet(biped)[0][0, 3]))
    margin = 1e3 * float(support.signed_margin(loads.com[bottom]))
    bent = (
        f"At the bottom the centre of mass {'would be' if fallen else 'is'} {forward:.0f} mm from "
        f"the ankles (forward positive), {abs(margin):.0f} mm "
        f"{'inside' if margin > 0.0 else 'outside'} the support polygon."
    )
    if fallen:
        over = f"The robot falls over the {verdict.edge} at {verdict.time:.2f} s; what a turning "
        return bent, f"{over}sole does then is not simulated."
    apart = 1e3 * _apart(loads)
    return (
        bent,
        f"The ZMP is {apart.mean():.2f} mm from the centre of mass on average and at most "
        f"{apart.max():.2f} mm; the thesis measured an error of about 1 mm on average.",
    )


def _remedy(com: Array, support: SupportPolygon, verdict: StanceVerdict) -> str:
    """What would do, told from the centre of mass at the bottom. # (3,) [m]."""
    if verdict.stance is not Stance.FALLEN:
        return ""
    out = max(-1e3 * float(support.signed_margin(com)), 0.0)
    return (
        f"Bend less, or lean away from the {verdict.edge}: held to the ground, the centre of mass "
        f"would be {out:.0f} mm outside at the bottom."
    )


def _degrees(*angles: float) -> str:
    return "/".join(f"{np.degrees(angle):.4g}°" for angle in angles)
