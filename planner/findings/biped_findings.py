"""What is wrong with a motion of a biped, as findings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from planner.findings import Quantity
from planner.findings.finding import Feet, Finding, Joint, Motor, Motors, Severity, SupportEdge
from robots.biped.biped_file import KnownDrives
from robots.biped.motion import BipedMotion, MotorLoads
from robots.biped.posture.support_polygon import edge_words
from robots.biped.posture.verdict import Stance
from robots.biped.walking.gait import FEET_DISTANCE
from robots.core.arrays import Array
from robots.core.rounding import at_least, readable

# A joint that rests at its limit follows its set-point to about one count of its encoder. [rad]
_RESOLUTION = 3e-5
_APART: Array = np.ones(1)
_SAME = 1.0 + 1e-9  # a limit reached is not passed


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Limited:
    """A quantity with a limit for either sign.

    Args:
        code: of the finding where it is passed.
        what: "torque", "speed".
        unit: of the values.
        names: of joints or motors.
        values: # (k, n)
        limit: # (n,)
        hint: the nearest fix.
    """

    code: str
    what: str
    unit: str
    names: tuple[str, ...]
    values: Array
    limit: Array
    hint: str


def motion_findings(
    motion: BipedMotion, motors: MotorLoads | None, reach: Array
) -> tuple[Finding, ...]:
    """A finding for the stance, then one for every limit that is passed.

    Args:
        motion: as the scenario gave it.
        motors: what it asks of them; None where they are not known.
        reach: range of every joint that its limits and its transmission leave. # (2, n) [rad]
    """
    found = (
        *_stance(motion, motion.judged_margin()),
        *_feet(motion),
        *_ranges(motion, reach),
        *_limits(motion, motors),
    )
    return tuple(sorted(found, key=lambda finding: finding.code))


def unjudged_motors(known: KnownDrives) -> Iterator[Finding]:
    """A finding where the motors are not known."""
    if known.reason:
        yield Finding(
            code="B308",
            severity=Severity.WARNING,
            subject=Motors(),
            message=f"Motors are not judged: {known.reason}",
            hint="Give every joint a [[transmission]] table in the biped's file.",
        )


def _stance(motion: BipedMotion, margin: Array) -> Iterator[Finding]:
    verdict = motion.verdict
    if verdict.stance is Stance.STANDING:
        return
    edge = edge_words(verdict.edge)
    subject = SupportEdge(verdict.edge or "")
    if verdict.stance is Stance.FALLEN:
        yield Finding(
            code="B301",
            severity=Severity.ERROR,
            subject=subject,
            message=f"The centre of mass passes {edge} at {verdict.time:.3f} s: nothing brings the "
            "robot back. What follows is not simulated; the motion ends there.",
            hint=motion.remedy
            or "Bend, tilt or push less, or choose a posture that leans the other way.",
        )
        return
    worst = int(np.nanargmin(margin))
    out = 1e3 * max(-float(margin[worst]), 0.0)
    yield Finding(
        code="B302",
        severity=Severity.ERROR,
        subject=subject,
        message=f"The zero-moment point passes {edge} at {verdict.time:.3f} s: the robot begins to "
        f"turn about it. At the worst it is {out:.1f} mm outside, at {motion.t[worst]:.3f} s, if "
        "the sole is held to the ground.",
        quantities=(Quantity("outside", out, "mm"), Quantity("time", float(motion.t[worst]), "s")),
        hint=f"Keep the zero-moment point {out:.1f} mm farther from {edge}: bend or tilt less or "
        "slower, or choose a posture that leans the other way.",
    )


def _feet(motion: BipedMotion) -> Iterator[Finding]:
    """Soles that overlap, seen from above."""
    distance = motion.curves.get(FEET_DISTANCE, _APART)
    if distance.min() > 0.0:
        return
    first, worst = int(np.argmax(distance <= 0.0)), int(np.argmin(distance))
    yield Finding(
        code="B309",
        severity=Severity.ERROR,
        subject=Feet(),
        message=f"Seen from above the soles meet at {motion.t[first]:.3f} s and overlap by up to "
        f"{-1e3 * float(distance[worst]):.1f} mm, at {motion.t[worst]:.3f} s.",
        quantities=(Quantity("overlap", -1e3 * float(distance[worst]), "mm"),),
        hint=motion.remedy,
    )


def _ranges(motion: BipedMotion, reach: Array) -> Iterator[Finding]:
    """Joints beyond what they can take, or beyond stops that are narrower."""
    stops = np.asarray(motion.biped.q_stops)
    for k, joint in enumerate(motion.biped.mechanism.movable):
        for side, worst in ((0, int(motion.q[:, k].argmin())), (1, int(motion.q[:, k].argmax()))):
            value, time = float(motion.q[worst, k]), float(motion.t[worst])
            sign = (-1.0, 1.0)[side]
            place = f"{round(float(np.degrees(value)), 2) + 0.0:.2f} deg at {time:.3f} s"
            for code, limit in (("B304", float(reach[side, k])), ("B303", float(stops[side, k]))):
                over = sign * (value - limit)
                if over > _RESOLUTION:
                    yield _beyond(code, joint.name, place, (limit, over))
                    break


def _beyond(code: str, joint: str, place: str, passed: tuple[float, float]) -> Finding:
    limit, over = np.degrees(passed)
    severity, what, hint = {
        "B303": (
            Severity.WARNING,
            "the stop of the source's simulation",
            "The transmission reaches it; keep within the stop where the controller has it.",
        ),
        "B304": (
            Severity.ERROR,
            "the range of its transmission",
            f"Bend {joint} {at_least(over, 2)} deg less.",
        ),
    }[code]
    return Finding(
        code=code,
        severity=severity,
        subject=Joint(joint, titled=True),
        message=f"{place} is {readable(over, 2)} deg beyond {what}, {limit:.2f} deg.",
        quantities=(Quantity("beyond", float(over), "deg"), Quantity("limit", float(limit), "deg")),
        hint=hint,
    )


def _limits(motion: BipedMotion, motors: MotorLoads | None) -> Iterator[Finding]:
    mechanism = motion.biped.mechanism
    names = tuple(joint.name for joint in mechanism.movable)
    slower = "Give the motion more time."
    rows = [] if motors is None else [
        _Limited(code="B305", what="speed", unit="rad/s", names=motors.names,
                 values=motors.speed, limit=motors.max_speed, hint=slower),
        _Limited(code="B305", what="torque", unit="N m", names=motors.names,
                 values=motors.torque, limit=motors.max_torque, hint="Bend less, or go slower."),
    ]  # fmt: skip
    rows += [
        _Limited(code="B306", what="torque", unit="N m", names=names, values=motion.tau,
                 limit=mechanism.max_effort, hint="Bend less, or go slower."),
        _Limited(code="B307", what="speed", unit="rad/s", names=names, values=motion.qd,
                 limit=mechanism.max_speed, hint=slower),
    ]  # fmt: skip
    for row in rows:
        yield from _passed(row, motion.t)


def _passed(row: _Limited, t: Array) -> Iterator[Finding]:
    size = np.abs(np.nan_to_num(row.values))
    for k in np.flatnonzero(size.max(axis=0) > _SAME * row.limit).tolist():
        worst = int(size[:, k].argmax())
        peak, limit = float(size[worst, k]), float(row.limit[k])
        yield Finding(
            code=row.code,
            severity=Severity.ERROR,
            subject=Motor(row.names[k]) if row.code == "B305" else Joint(row.names[k], titled=True),
            message=f"The {row.what} goes to {peak:.5g} {row.unit} at {t[worst]:.3f} s, "
            f"{peak - limit:.4g} {row.unit} beyond its limit of {limit:.5g}.",
            quantities=(
                Quantity("peak", peak, row.unit),
                Quantity("limit", limit, row.unit),
                Quantity("time", float(t[worst]), "s"),
            ),
            hint=row.hint,
        )
