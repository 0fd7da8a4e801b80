"""Summary and tables of a platform's motion."""

from __future__ import annotations

import numpy as np

from reports.content.curves import CurveSet, Panel
from reports.content.table import Fact, Table, ValueStatus, columns, number, rows_of, text
from reports.stewart.leg_motion import PlatformMotion, leg_quantities


def verdict(shown: PlatformMotion) -> str:
    """One sentence."""
    if shown.feasible:
        return "Feasible: no limit of a leg, a joint or the platform is broken."
    errors = sum(finding.severity.value == "error" for finding in shown.findings)
    limits = "limit is" if errors == 1 else "limits are"
    return f"Not feasible: {errors} {limits} broken; the findings say which, by how much and when."


def status(shown: PlatformMotion) -> ValueStatus:
    """What the verdict means."""
    return ValueStatus.GOOD if shown.feasible else ValueStatus.BAD


def facts(shown: PlatformMotion) -> tuple[Fact, ...]:
    """The summary."""
    samples, peaks, legs = shown.samples, shown.peaks, shown.platform.legs
    shortest, longest = int(peaks.shortest.value.argmin()), int(peaks.longest.value.argmax())
    fastest, strongest = (int(p.value.argmax()) for p in (peaks.speed, shown.force_peaks))
    power = samples.power
    return (
        _fact("duration", shown.motion.duration, "s", shown.binding and f"by {shown.binding}"),
        _fact("shortest leg", 1e3 * float(peaks.shortest.value[shortest]), "mm",
              _when(legs[shortest].name, float(peaks.shortest.time[shortest]))),
        _fact("longest leg", 1e3 * float(peaks.longest.value[longest]), "mm",
              _when(legs[longest].name, float(peaks.longest.time[longest]))),
        _fact("peak leg speed", float(peaks.speed.value[fastest]), "m/s",
              _when(legs[fastest].name, float(peaks.speed.time[fastest]))),
        _fact("peak leg force", float(shown.force_peaks.value[strongest]), "N",
              _when(legs[strongest].name, float(shown.force_peaks.time[strongest]))),
        _fact("forces from", float(samples.forces.min()), "N", "least of all legs"),
        _fact("forces to", float(samples.forces.max()), "N", "largest of all legs"),
        _fact("peak power", float(np.abs(power).max()), "W", "of all legs together"),
        _fact("net work", round(shown.balance.net_work, 9), "J",
              f"energy gained {shown.balance.energy_change:.5g} J"),
    )  # fmt: skip


def _fact(label: str, value: float, unit: str, detail: str) -> Fact:
    return Fact(label=label, value=number(value, 6), unit=unit, detail=detail)


def _when(leg: str, time: float) -> str:
    return f"leg {leg} at {time:.3f} s"


def curves(shown: PlatformMotion) -> tuple[CurveSet, ...]:
    """Length, speed, acceleration and force of every leg."""
    return tuple(
        CurveSet(
            key=quantity.key,
            title=quantity.title,
            panels=tuple(
                Panel(
                    name=leg.name,
                    unit=quantity.unit,
                    t=shown.samples.t,
                    values=quantity.values[:, k],
                    lower=float(quantity.lower[k]),
                    upper=float(quantity.upper[k]),
                    peak=float(quantity.peaks[k]),
                )
                for k, leg in enumerate(shown.platform.legs)
            ),
        )
        for quantity in leg_quantities(shown)
    )


def leg_table(shown: PlatformMotion) -> Table:
    """Extremes of every leg beside its limits."""
    peaks, force = shown.peaks, shown.force_peaks
    rows = []
    for k, leg in enumerate(shown.platform.legs):
        low, high = float(peaks.shortest.value[k]), float(peaks.longest.value[k])
        cells = (
            (1e3 * low, 1e3 * leg.min_length, low < leg.min_length),
            (1e3 * high, 1e3 * leg.max_length, high > leg.max_length),
            *(
                (float(peak.value[k]), limit, float(peak.value[k]) > limit * (1.0 + 1e-9))
                for peak, limit in (
                    (peaks.speed, leg.max_speed),
                    (peaks.acceleration, leg.max_acceleration),
                    (force, leg.max_force),
                )
            ),
        )
        values = [
            value
            for found, limit, bad in cells
            for value in (
                number(found, 6, ValueStatus.BAD if bad else ValueStatus.PLAIN),
                number(limit, 6),
            )
        ]
        rows.append((text(leg.name), *values))
    heads = (
        *(("shortest", "mm"), ("limit", "mm"), ("longest", "mm"), ("limit", "mm")),
        *(("peak speed", "m/s"), ("limit", "m/s"), ("peak acceleration", "m/s²")),
        *(("limit", "m/s²"), ("peak force", "N"), ("limit", "N")),
    )
    return Table(
        key="legs",
        title="Legs",
        columns=columns("leg", *heads),
        rows=rows_of(rows),
        note="Peaks are of absolute value, over the exact motion.",
    )


def provenance_table(shown: PlatformMotion) -> Table:
    """Platform, its source, the command."""
    from importlib.metadata import version

    rows = (
        ("platform", shown.platform.name),
        ("source", shown.platform.source or "–"),
        ("command", shown.command),
        ("palpeur", version("palpeur")),
    )
    return Table(
        key="provenance",
        title="Provenance",
        columns=columns("what", "value"),
        rows=tuple((text(what), text(value)) for what, value in rows),
    )
