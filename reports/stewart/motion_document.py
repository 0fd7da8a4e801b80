"""A platform's motion as JSON and as CSV, in SI."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

import numpy as np

from reports.stewart.leg_motion import PlatformMotion
from robots.core.arrays import Array

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
    headers, rows = sample_rows(shown)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(headers)
    writer.writerows(rows)
    return text.getvalue()


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
