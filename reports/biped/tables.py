"""Verdict, summary and tables of a biped's motion."""

from __future__ import annotations

import numpy as np

from reports.biped.shown_motion import Quantity, ShownMotion, quantities
from reports.content.curves import CurveSet, Panel
from reports.content.numbers import signed
from reports.content.table import (
    Fact,
    Status,
    Table,
    Value,
    columns,
    fixed,
    number,
    rows_of,
    text,
)
from robots.biped.posture.edge_names import edge_words
from robots.biped.verdict import Stance
from robots.core.arrays import Array

_SAME = 1.0 + 1e-9  # a limit reached is not passed
_READ_IN = {"m": ("mm", 1e3), "rad": ("deg", 180.0 / np.pi), "n": ("N", 1.0), "s": ("s", 1.0)}
_SHORT_FOR = ("com", "zmp")


def verdict_words(shown: ShownMotion) -> str:
    """Whether the robot stands, in one sentence with numbers."""
    motion, verdict = shown.motion, shown.motion.verdict
    worst = int(np.nanargmin(shown.margin))
    margin = signed(f"{1e3 * shown.margin[worst]:.1f}")
    least = f"{margin} mm at {motion.t[worst]:.3f} s"
    if verdict.stance is Stance.STANDING:
        return f"Stands: the least margin is {least}."
    edge = f"over {edge_words(verdict.edge)} at {verdict.time:.3f} s"
    if verdict.stance is Stance.FALLEN:
        return f"Falls {edge}; what follows is not simulated."
    return f"Tips {edge}; the margin goes to {least}."


def headline(shown: ShownMotion) -> str:
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


def status(shown: ShownMotion) -> Status:
    """What the verdict means."""
    return Status.GOOD if shown.feasible else Status.BAD


def facts(shown: ShownMotion) -> tuple[Fact, ...]:
    """The summary."""
    motion = shown.motion
    worst = int(np.nanargmin(shown.margin))
    margin = 1e3 * float(shown.margin[worst])
    apart = 1e3 * np.linalg.norm(motion.zmp[:, :2] - motion.com[:, :2], axis=1)
    far = int(np.nanargmax(apart))
    state = Status.PLAIN if margin > 0.0 else Status.BAD
    found = [
        _fact("duration", number(shown.duration, 6), "s", f"{len(motion.t):,} samples"),
        _fact("least margin", fixed(margin, 1, state), "mm", f"at {motion.t[worst]:.3f} s"),
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


def _peak(quantity: Quantity, shown: ShownMotion) -> Fact:
    row, column = np.unravel_index(int(quantity.size.argmax()), quantity.size.shape)
    value = float(quantity.size[row, column])
    state = Status.BAD if value > _SAME * quantity.upper[column] else Status.PLAIN
    limit = quantity.upper[column]
    told = f", limit {limit:.4g}" if np.isfinite(limit) else ""
    detail = f"{quantity.names[column]} at {shown.motion.t[row]:.3f} s{told}"
    name = f"peak {quantity.title.lower().removesuffix('s')}"
    return _fact(name, number(value, 5, state), quantity.unit, detail)


def curves(shown: ShownMotion) -> tuple[CurveSet, ...]:
    """Balance first, then every quantity of joints and motors."""
    return (_balance(shown), *(_set(shown, one) for one in quantities(shown)))


def _balance(shown: ShownMotion) -> CurveSet:
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


def _set(shown: ShownMotion, one: Quantity) -> CurveSet:
    panels = []
    for k, name in enumerate(one.names):
        values = one.values[:, k]
        if np.isfinite(values).any():
            limits = (float(one.lower[k]), float(one.upper[k]))
            panels.append(_panel(shown, name, one.unit, values, limits=limits))
    return CurveSet(key=one.key, title=one.title, panels=tuple(panels))


def _panel(
    shown: ShownMotion,
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


def joint_table(shown: ShownMotion) -> Table:
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
        *(("least", "deg"), ("limit", "deg"), ("largest", "deg"), ("limit", "deg")),
        *(("peak speed", "rad/s"), ("limit", "rad/s"), ("peak torque", "N m"), ("limit", "N m")),
    )
    return Table(key="joints", title="Joints", columns=columns("joint", *heads), rows=rows_of(rows))


def motor_table(shown: ShownMotion) -> Table:
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


def _over(one: Quantity, k: int) -> bool:
    return bool(one.size[:, k].max() > _SAME * one.upper[k])


def _beside(found: float, limit: float, bad: bool) -> tuple[Value, Value]:
    return number(found, 5, Status.BAD if bad else Status.PLAIN), number(float(limit), 5)


def provenance_table(shown: ShownMotion) -> Table:
    """Robot, its source, the command."""
    from importlib.metadata import version

    biped = shown.motion.biped
    rows = (
        ("robot", biped.name),
        ("source", biped.mechanism.source or "–"),
        ("feet", biped.source or "–"),
        ("command", shown.command),
        ("palpeur", version("palpeur")),
    )
    return Table(
        key="provenance",
        title="Provenance",
        columns=columns("what", "value"),
        rows=tuple((text(what), text(value)) for what, value in rows),
    )
