"""A biped's motion as it is reported: samples, motors, verdict, tables, JSON and CSV."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from planner.findings import Finding
from planner.findings.biped_findings import motion_findings, unjudged_motors
from reports.content.curves import CurveSet, Panel
from reports.content.table import (
    Fact,
    Table,
    Value,
    ValueStatus,
    columns,
    fixed,
    number,
    rows_of,
    signed,
    text,
)
from reports.document_text import csv_text
from reports.page.page import provenance_table as provenance_rows
from robots.biped.biped_file import KnownDrives
from robots.biped.motion import BipedMotion, MotorLoads, joint_reach, motor_loads
from robots.biped.posture.support_polygon import edge_words
from robots.biped.posture.verdict import Stance
from robots.biped.scenarios.scenario import limit_remarks, rate_remarks
from robots.core.arrays import Array, Indices

FORMAT = 1
_SAME = 1.0 + 1e-9  # a limit reached is not passed
_READ_IN = {"m": ("mm", 1e3), "rad": ("deg", 180.0 / np.pi), "n": ("N", 1.0), "s": ("s", 1.0)}
_SHORT_FOR = ("com", "zmp")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ReportedMotion:
    """A motion with all that is told of it.

    Args:
        scenario: "squat", "tilt", "walk" or "push".
        motion: its samples and verdict.
        margin: of the point that the verdict is about. # (k,) [m]
        motors: None where the robot's drives are not known.
        findings: in the order of their codes.
        command: that made it.
    """

    scenario: str
    motion: BipedMotion
    margin: Array
    motors: MotorLoads | None
    findings: tuple[Finding, ...]
    command: str

    @property
    def feasible(self) -> bool:
        """Whether no finding is an error."""
        return not any(finding.severity.value == "error" for finding in self.findings)

    @property
    def stands(self) -> bool:
        """Whether the robot stands all the time."""
        return self.motion.verdict.stance is Stance.STANDING

    @property
    def duration(self) -> float:
        """[s]."""
        return float(self.motion.t[-1] - self.motion.t[0])


def shown_motion(
    held: BipedMotion, known: KnownDrives, *, scenario: str, command: str
) -> ReportedMotion:
    """The motion with its motors and findings, until it falls.

    Args:
        held: as the scenario gave it; of its remarks those are left out that a finding tells.
        known: drives of the robot.
        scenario: "squat", "tilt", "walk" or "push".
        command: that made it.
    """
    told = limit_remarks(held.biped, held.t, held.q) + rate_remarks(held.biped, held.qd, held.tau)
    motion = held.until_fall()
    motors = motor_loads(motion, known.drives) if known.drives else None
    findings = motion_findings(motion, motors, joint_reach(motion, known.drives))
    return ReportedMotion(
        scenario=scenario,
        motion=replace(motion, remarks=tuple(r for r in motion.remarks if r not in told)),
        margin=motion.judged_margin(),
        motors=motors,
        findings=(*findings, *unjudged_motors(known)),
        command=command,
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JointQuantity:
    """One quantity of all joints, or of all motors, over time.

    Args:
        key: for files and anchors.
        title: for readers.
        unit: of values and limits.
        names: of the joints or motors.
        values: # (k, n)
        lower: limits; infinite where there are none. # (n,)
        upper: # (n,)
    """

    key: str
    title: str
    unit: str
    names: tuple[str, ...]
    values: Array
    lower: Array
    upper: Array

    @property
    def size(self) -> Array:
        """Absolute values; zero where there is none. # (k, n)."""
        return np.abs(np.nan_to_num(self.values))


def quantities(shown: ReportedMotion) -> tuple[JointQuantity, ...]:
    """Position, speed and torque of joints, speed and torque of motors, in readers' units."""
    motion, mechanism = shown.motion, shown.motion.biped.mechanism
    names = tuple(joint.name for joint in mechanism.movable)
    degrees = 180.0 / np.pi
    position = JointQuantity(
        key="joint-position",
        title="Joint positions",
        unit="deg",
        names=names,
        values=degrees * motion.q,
        lower=degrees * mechanism.q_min,
        upper=degrees * mechanism.q_max,
    )
    joints = (
        _both_ways("joint-speed", "rad/s", names, (motion.qd, mechanism.max_speed)),
        _both_ways("joint-torque", "N m", names, (motion.tau, mechanism.max_effort)),
    )
    motors = shown.motors
    if motors is None:
        return (position, *joints)
    return (
        position,
        *joints,
        _both_ways("motor-speed", "rad/s", motors.names, (motors.speed, motors.max_speed)),
        _both_ways("motor-torque", "N m", motors.names, (motors.torque, motors.max_torque)),
    )


def poses_of(motion: BipedMotion, rows: Indices) -> Array:
    """Poses of base and links in the world at some samples. # -> (k, 1 + links, 4, 4).

    Args:
        motion: whose samples.
        rows: which ones. # (k,) whole numbers
    """
    from robots.core.model import Model

    base = motion.T_world_base[rows]
    links = Model(motion.biped.mechanism, "numpy").transforms(motion.q[rows])
    return np.concatenate([base[:, None], base[:, None] @ links], axis=1)


def _both_ways(
    key: str, unit: str, names: tuple[str, ...], values_and_limit: tuple[Array, Array]
) -> JointQuantity:
    """A quantity whose limit holds for either sign."""
    values, limit = values_and_limit
    return JointQuantity(
        key=key,
        title=f"{key.replace('-', ' ').capitalize()}s",
        unit=unit,
        names=names,
        values=values,
        lower=-limit,
        upper=limit,
    )


def motion_document(shown: ReportedMotion) -> dict[str, object]:
    """The document of format 1."""
    motion = shown.motion
    worst = int(np.nanargmin(shown.margin))
    verdict = motion.verdict
    return {
        "format": FORMAT,
        "robot": motion.biped.name,
        "scenario": shown.scenario,
        "motion": motion.title,
        "feasible": shown.feasible,
        "verdict": {
            "stance": verdict.stance.value,
            "time_s": verdict.time,
            "edge": verdict.edge,
            "margin_m": verdict.margin,
        },
        "ends_at_fall": verdict.stance is Stance.FALLEN,
        "duration_s": shown.duration,
        "least_margin_m": float(shown.margin[worst]),
        "least_margin_at_s": float(motion.t[worst]),
        "joints": list(_joints(shown)),
        "motors": list(_motors(shown)),
        "findings": [finding.document() for finding in shown.findings],
        "remarks": list(motion.remarks),
        "samples": _samples(shown),
    }


def sample_rows(shown: ReportedMotion) -> tuple[tuple[str, ...], list[list[object]]]:
    """Headers and rows of the samples; what is not known stays empty."""
    headers, columns = zip(*_columns(shown), strict=True)
    table = np.column_stack(columns).tolist()
    return headers, [[value if np.isfinite(value) else "" for value in row] for row in table]


def samples_csv(shown: ReportedMotion) -> str:
    """The samples as a file; numbers read back to the same doubles."""
    return csv_text(*sample_rows(shown))


def _columns(shown: ReportedMotion) -> Iterator[tuple[str, Array]]:
    motion, motors = shown.motion, shown.motors
    yield "t_s", motion.t
    for name, unit, values in (
        *(("q", "rad", motion.q), ("qd", "rad_s", motion.qd)),
        *(("qdd", "rad_s2", motion.qdd), ("tau", "nm", motion.tau)),
    ):
        for joint, column in zip(motion.biped.mechanism.numbers, values.T, strict=True):
            yield f"{name}{joint}_{unit}", column
    for name, values in (("com", motion.com), ("zmp", motion.zmp)):
        yield from ((f"{name}_{axis}_m", values[:, k]) for k, axis in enumerate("xyz"))
    yield "margin_m", shown.margin
    yield "ground_alpha_rad", motion.ground[:, 0]
    yield "ground_beta_rad", motion.ground[:, 1]
    if motors is not None:
        for unit, values in (
            *(("rad", motors.position), ("rad_s", motors.speed)),
            *(("nm", motors.torque),),
        ):
            for name, column in zip(motors.names, values.T, strict=True):
                yield f"{name}_{unit}", column
    yield from sorted(motion.curves.items())


def _joints(shown: ReportedMotion) -> Iterator[dict[str, object]]:
    motion = shown.motion
    for k, joint in enumerate(motion.biped.mechanism.movable):
        yield {
            "name": joint.name,
            "least_rad": float(motion.q[:, k].min()),
            "largest_rad": float(motion.q[:, k].max()),
            "min_rad": joint.q_min,
            "max_rad": joint.q_max,
            "peak_speed_rad_s": float(np.abs(motion.qd[:, k]).max()),
            "max_speed_rad_s": joint.max_speed,
            "peak_torque_nm": float(np.abs(motion.tau[:, k]).max()),
            "max_torque_nm": joint.max_effort,
        }


def _motors(shown: ReportedMotion) -> Iterator[dict[str, object]]:
    if shown.motors is None:
        return
    peaks = {one.key: one.size.max(axis=0) for one in quantities(shown)}
    for k, name in enumerate(shown.motors.names):
        yield {
            "name": name,
            "peak_speed_rad_s": float(peaks["motor-speed"][k]),
            "max_speed_rad_s": float(shown.motors.max_speed[k]),
            "peak_torque_nm": float(peaks["motor-torque"][k]),
            "max_torque_nm": float(shown.motors.max_torque[k]),
        }


def _samples(shown: ReportedMotion) -> dict[str, object]:
    motion, motors = shown.motion, shown.motors
    told: dict[str, object] = {
        "t_s": motion.t,
        "q_rad": motion.q,
        "qd_rad_s": motion.qd,
        "qdd_rad_s2": motion.qdd,
        "tau_nm": motion.tau,
        "T_world_base": motion.T_world_base,
        "com_m": motion.com,
        "zmp_m": motion.zmp,
        "support_m": list(motion.support),
        "margin_m": shown.margin,
        "ground_rad": motion.ground,
    }
    if motors is not None:
        told["motor_position_rad"] = motors.position
        told["motor_speed_rad_s"] = motors.speed
        told["motor_torque_nm"] = motors.torque
    return {**told, "curves": dict(sorted(motion.curves.items()))}


def verdict_words(shown: ReportedMotion) -> str:
    """Return whether the robot stands, in one sentence with numbers."""
    motion, verdict = shown.motion, shown.motion.verdict
    worst = int(np.nanargmin(shown.margin))
    margin = signed(f"{1e3 * shown.margin[worst]:.1f}")
    least = f"{margin} mm at {motion.t[worst]:.3f} s"
    if verdict.stance is Stance.STANDING:
        return f"Stands: the minimum margin is {least}."
    edge = f"over {edge_words(verdict.edge)} at {verdict.time:.3f} s"
    if verdict.stance is Stance.FALLEN:
        return f"Falls {edge}; what follows is not simulated."
    return f"Tips {edge}; the margin goes to {least}."


def headline(shown: ReportedMotion) -> str:
    """Verdict and limits, for the top of the page."""
    broken = [one for one in shown.findings if one.severity.value == "error"]
    limits = [one for one in broken if one.code not in ("B301", "B302", "B309")]
    words = verdict_words(shown)
    if any(one.code == "B309" for one in broken):
        words += " The feet collide."
    if not limits:
        warned = sum(one.severity.value == "warning" for one in shown.findings)
        told = f", with {warned} warning{'s' * (warned > 1)}" if warned else ""
        return f"{words} All limits hold{told}."
    count = "1 limit is" if len(limits) == 1 else f"{len(limits)} limits are"
    return f"{words} {count} passed; the findings say which, by how much and when."


def status(shown: ReportedMotion) -> ValueStatus:
    """What the verdict means."""
    return ValueStatus.GOOD if shown.feasible else ValueStatus.BAD


def facts(shown: ReportedMotion) -> tuple[Fact, ...]:
    """The summary."""
    motion = shown.motion
    worst = int(np.nanargmin(shown.margin))
    margin = 1e3 * float(shown.margin[worst])
    apart = 1e3 * np.linalg.norm(motion.zmp[:, :2] - motion.com[:, :2], axis=1)
    far = int(np.nanargmax(apart))
    state = ValueStatus.PLAIN if margin > 0.0 else ValueStatus.BAD
    found = [
        _fact("duration", number(shown.duration, 6), "s", f"{len(motion.t):,} samples"),
        _fact("minimum margin", fixed(margin, 1, state), "mm", f"at {motion.t[worst]:.3f} s"),
        _fact(
            *("ZMP from COM, mean", fixed(float(np.nanmean(apart)), 2), "mm"),
            f"at most {apart[far]:.2f} mm at {motion.t[far]:.3f} s, on the level",
        ),
        _fact("COM height", fixed(float(motion.com[:, 2].min()), 4), "m",
              f"the least; at most {motion.com[:, 2].max():.4f} m"),
    ]  # fmt: skip
    if np.any(motion.ground):
        tilt = np.degrees(np.abs(motion.ground).max(axis=0))
        detail = f"roll α; pitch β to {tilt[1]:.1f} deg"
        found.append(_fact("ground tilts to", fixed(float(tilt[0]), 1), "deg", detail))
    return (*found, *(_peak(one, shown) for one in quantities(shown)[1:]))


def _fact(label: str, value: Value, unit: str, detail: str) -> Fact:
    return Fact(label=label, value=value, unit=unit, detail=detail)


def _peak(quantity: JointQuantity, shown: ReportedMotion) -> Fact:
    row, column = np.unravel_index(int(quantity.size.argmax()), quantity.size.shape)
    value = float(quantity.size[row, column])
    state = ValueStatus.BAD if value > _SAME * quantity.upper[column] else ValueStatus.PLAIN
    limit = quantity.upper[column]
    told = f", limit {limit:.4g}" if np.isfinite(limit) else ""
    detail = f"{quantity.names[column]} at {shown.motion.t[row]:.3f} s{told}"
    name = f"peak {quantity.title.lower().removesuffix('s')}"
    return _fact(name, number(value, 5, state), quantity.unit, detail)


def curves(shown: ReportedMotion) -> tuple[CurveSet, ...]:
    """Balance first, then every quantity of joints and motors."""
    return (_balance(shown), *(_set(shown, one) for one in quantities(shown)))


def _balance(shown: ReportedMotion) -> CurveSet:
    motion = shown.motion
    rows: list[tuple[str, str, Array]] = [
        *((f"COM {axis}", "mm", 1e3 * motion.com[:, k]) for k, axis in enumerate("xyz")),
        *((f"ZMP {axis}", "mm", 1e3 * motion.zmp[:, k]) for k, axis in enumerate("xy")),
    ]
    if np.any(motion.ground):
        angles = np.degrees(motion.ground)
        rows += [(f"ground {name}", "deg", angles[:, k]) for k, name in enumerate("αβ")]
    rows += [_for_readers(name, values) for name, values in sorted(motion.curves.items())]
    margin = _panel(shown, "margin", "mm", 1e3 * shown.margin, limits=(0.0, np.inf))
    panels = tuple(_panel(shown, *row) for row in rows if np.isfinite(row[2]).any())
    return CurveSet(key="balance", title="Balance", panels=(margin, *panels))


def _for_readers(name: str, values: Array) -> tuple[str, str, Array]:
    """A scenario's curve, ``cart_zmp_x_m``, as the others stand: "cart ZMP x", mm."""
    words = name.split("_")
    unit, factor = "", 1.0
    if words[-1] in _READ_IN:
        unit, factor = _READ_IN[words.pop()]
    told = " ".join(word.upper() if word in _SHORT_FOR else word for word in words)
    return told, unit, factor * values


def _set(shown: ReportedMotion, one: JointQuantity) -> CurveSet:
    panels = []
    for k, name in enumerate(one.names):
        values = one.values[:, k]
        if np.isfinite(values).any():
            limits = (float(one.lower[k]), float(one.upper[k]))
            panels.append(_panel(shown, name, one.unit, values, limits=limits))
    return CurveSet(key=one.key, title=one.title, panels=tuple(panels))


def _panel(
    shown: ReportedMotion,
    name: str,
    unit: str,
    values: Array,
    *,
    limits: tuple[float, float] = (-np.inf, np.inf),
) -> Panel:
    told = np.isfinite(values)
    t = shown.motion.t - shown.motion.t[0]
    low, high = limits
    return Panel(name=name, unit=unit, t=t[told], values=values[told], lower=low, upper=high)


def joint_table(shown: ReportedMotion) -> Table:
    """Extremes of every joint beside its limits."""
    position, speed, torque = quantities(shown)[:3]
    rows = []
    for k, name in enumerate(position.names):
        low, high = float(position.values[:, k].min()), float(position.values[:, k].max())
        cells = (
            *((low, position.lower[k], low < position.lower[k] - 1e-9),),
            *((high, position.upper[k], high > position.upper[k] + 1e-9),),
            *(
                (float(one.size[:, k].max()), one.upper[k], _over(one, k))
                for one in (speed, torque)
            ),
        )
        rows.append((text(name), *(value for cell in cells for value in _beside(*cell))))
    heads = (
        *(("minimum", "deg"), ("limit", "deg"), ("maximum", "deg"), ("limit", "deg")),
        *(("peak speed", "rad/s"), ("limit", "rad/s"), ("peak torque", "N m"), ("limit", "N m")),
    )
    return Table(key="joints", title="Joints", columns=columns("joint", *heads), rows=rows_of(rows))


def motor_table(shown: ReportedMotion) -> Table:
    """Peaks of every motor beside its limits."""
    found = quantities(shown)[3:]
    names = found[0].names if found else ()
    rows = [
        (
            text(name),
            *(
                value
                for one in found
                for value in _beside(float(one.size[:, k].max()), one.upper[k], _over(one, k))
            ),
        )
        for k, name in enumerate(names)
    ]
    heads = (("peak speed", "rad/s"), ("limit", "rad/s"), ("peak torque", "N m"), ("limit", "N m"))
    return Table(
        key="motors",
        title="Motors",
        columns=columns("motor", *heads),
        rows=rows_of(rows),
        note="Through the transmissions, each rotor's own inertia included.",
    )


def _over(one: JointQuantity, k: int) -> bool:
    return bool(one.size[:, k].max() > _SAME * one.upper[k])


def _beside(found: float, limit: float, bad: bool) -> tuple[Value, Value]:
    return number(found, 5, ValueStatus.BAD if bad else ValueStatus.PLAIN), number(float(limit), 5)


def provenance_table(shown: ReportedMotion) -> Table:
    """Robot, its source, the command."""
    biped = shown.motion.biped
    return provenance_rows(
        robot=biped.name, source=biped.mechanism.source, feet=biped.source, command=shown.command
    )
