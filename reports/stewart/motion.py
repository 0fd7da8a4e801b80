"""A platform's motion as it is reported: samples, exact peaks, tables, JSON and CSV."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from planner.findings import Finding
from planner.findings.platform_findings import motion_findings
from reports.content.curves import CurveSet, Panel
from reports.content.table import Fact, Table, ValueStatus, columns, number, rows_of, text
from reports.document_text import csv_text
from reports.page.page import provenance_table as provenance_rows
from robots.core.arrays import Array
from robots.stewart.model import PlatformModel
from robots.stewart.motion import TimedMotion
from robots.stewart.motion_check import (
    Balance,
    LegPeaks,
    LegSamples,
    MotionPeaks,
    check_motion,
    energy_balance,
    leg_samples,
    motion_peaks,
)
from robots.stewart.platform import Platform

FORMAT = 1
_LEGS = range(1, 7)
_HEADERS = (
    "t_s",
    *(f"T{row}{column}" for row in range(1, 4) for column in range(1, 5)),
    *(f"l{k}_m" for k in _LEGS),
    *(f"ld{k}_m_s" for k in _LEGS),
    *(f"ldd{k}_m_s2" for k in _LEGS),
    *(f"f{k}_n" for k in _LEGS),
    "power_w",
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PlatformMotion:
    """A motion with all that is told of it.

    Args:
        platform: that moves.
        title: of the motion.
        law: name of its law.
        motion: in time.
        binding: what fixes its duration; empty for none.
        samples: at even instants.
        peaks: exact, between samples too.
        balance: of energy.
        findings: in order of time.
        command: that made it.
    """

    platform: Platform
    title: str
    law: str
    motion: TimedMotion
    binding: str
    samples: LegSamples
    peaks: MotionPeaks
    balance: Balance
    findings: tuple[Finding, ...]
    command: str

    @property
    def feasible(self) -> bool:
        """Whether no finding is an error."""
        return not any(finding.severity.value == "error" for finding in self.findings)

    @property
    def force_peaks(self) -> LegPeaks:
        """Largest absolute forces; the samples' own where no exact ones were sought."""
        if self.peaks.force is not None:
            return self.peaks.force
        size = np.abs(self.samples.forces)
        return LegPeaks(value=size.max(axis=0), time=self.samples.t[size.argmax(axis=0)])


def leg_motion(
    platform: Platform,
    motion: TimedMotion,
    t: Array,
    *,
    title: str,
    law: str,
    binding: str = "",
    command: str = "",
) -> PlatformMotion:
    """Judge and sample a motion. Args: t: instants of the samples. # (N,) [s]."""
    model = PlatformModel(platform)
    report = check_motion(model, motion)
    return PlatformMotion(
        platform=platform,
        title=title,
        law=law,
        motion=motion,
        binding=binding,
        samples=leg_samples(model, motion, t),
        peaks=motion_peaks(model, motion),
        balance=energy_balance(model, motion),
        findings=motion_findings(report),
        command=command,
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LegQuantity:
    """One quantity of all legs over time.

    Args:
        key: for files and anchors.
        title: for readers.
        unit: of values and limits.
        values: # (N, 6)
        lower: limits; infinite where there are none. # (6,)
        upper: # (6,)
        peaks: exact, of absolute value; NaN where a range is told instead. # (6,)
    """

    key: str
    title: str
    unit: str
    values: Array
    lower: Array
    upper: Array
    peaks: Array


def leg_quantities(shown: PlatformMotion) -> tuple[LegQuantity, ...]:
    """Length, speed, acceleration and force, in the units of readers."""
    samples, legs, peaks = shown.samples, shown.platform.legs, shown.peaks

    def limits(name: str) -> Array:
        return np.array([getattr(leg, name) for leg in legs])

    length = LegQuantity(
        key="leg-length",
        title="Leg lengths",
        unit="mm",
        values=1e3 * samples.lengths,
        lower=1e3 * limits("min_length"),
        upper=1e3 * limits("max_length"),
        peaks=np.full(len(legs), np.nan),
    )
    rows = (
        ("leg-speed", "Leg speeds", "m/s", samples.rates, "max_speed", peaks.speed),
        (
            *("leg-acceleration", "Leg accelerations", "m/s²", samples.accelerations),
            *("max_acceleration", peaks.acceleration),
        ),
        ("leg-force", "Leg forces", "N", samples.forces, "max_force", shown.force_peaks),
    )
    return (
        length,
        *(
            LegQuantity(
                key=key,
                title=title,
                unit=unit,
                values=values,
                lower=-limits(limit),
                upper=limits(limit),
                peaks=peak.value,
            )
            for key, title, unit, values, limit, peak in rows
        ),
    )


def motion_document(shown: PlatformMotion) -> dict[str, object]:
    """The document of format 1."""
    samples, balance = shown.samples, shown.balance
    return {
        "format": FORMAT,
        "robot": shown.platform.name,
        "motion": shown.title,
        "law": shown.law,
        "feasible": shown.feasible,
        "duration_s": shown.motion.duration,
        "binding": shown.binding,
        "net_work_j": balance.net_work,
        "energy_change_j": balance.energy_change,
        "friction_j": balance.friction,
        "peak_power_w": float(samples.power.max()),
        "min_power_w": float(samples.power.min()),
        "legs": list(_legs(shown)),
        "findings": [finding.document() for finding in shown.findings],
        "samples": {
            "t_s": samples.t,
            "T": samples.T,
            "lengths_m": samples.lengths,
            "rates_m_s": samples.rates,
            "accelerations_m_s2": samples.accelerations,
            "forces_n": samples.forces,
            "power_w": samples.power,
        },
    }


def sample_rows(shown: PlatformMotion) -> tuple[tuple[str, ...], list[list[float]]]:
    """Headers and rows of the samples."""
    samples = shown.samples
    blocks: list[Array] = [samples.t[:, None], samples.T[:, :3].reshape(-1, 12), samples.lengths]
    blocks += [samples.rates, samples.accelerations, samples.forces, samples.power[:, None]]
    rows: list[list[float]] = np.hstack(blocks).tolist()
    return _HEADERS, rows


def samples_csv(shown: PlatformMotion) -> str:
    """The samples as a file; numbers read back to the same doubles."""
    return csv_text(*sample_rows(shown))


def _legs(shown: PlatformMotion) -> Iterator[dict[str, object]]:
    peaks = shown.peaks
    quantities = (
        ("shortest", "m", peaks.shortest),
        ("longest", "m", peaks.longest),
        ("peak_speed", "m_s", peaks.speed),
        ("peak_acceleration", "m_s2", peaks.acceleration),
        ("peak_force", "n", shown.force_peaks),
    )
    for k, leg in enumerate(shown.platform.legs):
        told: dict[str, object] = {"name": leg.name}
        for key, unit, peak in quantities:
            told[f"{key}_{unit}"] = float(peak.value[k])
            told[f"{key}_at_s"] = float(peak.time[k])
        yield told


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
        _fact("forces from", float(samples.forces.min()), "N", "minimum of all legs"),
        _fact("forces to", float(samples.forces.max()), "N", "maximum of all legs"),
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
    platform = shown.platform
    return provenance_rows(platform=platform.name, source=platform.source, command=shown.command)
