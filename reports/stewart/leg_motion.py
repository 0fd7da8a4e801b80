"""A motion of a platform as it is reported: samples, exact peaks, findings."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.findings import Finding
from planner.findings.platform_findings import motion_findings
from robots.core.arrays import Array
from robots.stewart.leg_samples import Balance, LegSamples, energy_balance, leg_samples
from robots.stewart.model import PlatformModel
from robots.stewart.motion import TimedMotion
from robots.stewart.motion_check import check_motion
from robots.stewart.motion_legs import LegPeaks, MotionPeaks, motion_peaks
from robots.stewart.platform import Platform


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LegMotion:
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
) -> LegMotion:
    """Judge and sample a motion. Args: t: instants of the samples. # (N,) [s]."""
    model = PlatformModel(platform)
    report = check_motion(model, motion)
    return LegMotion(
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


def leg_quantities(shown: LegMotion) -> tuple[LegQuantity, ...]:
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
