"""``[uncertainty]`` of a job file → what makes its measured points wrong, in SI."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from planner.errors import JobError
from planner.job.job_text import JobText
from robots.core.file_units import metres, radians

if TYPE_CHECKING:
    from planner.job.schema import UncertaintyTable

Interval = Literal["symmetric", "shortest"]

_STATED = ("samples", "digits", "coverage", "interval", "seed")


@dataclass(frozen=True, slots=True, kw_only=True)
class UncertaintySettings:
    """Standard deviations of the sources of error; all are zero unless they are given.

    Args:
        encoder: of each reading of a turning joint. [rad]
        encoder_slide: of each reading of a sliding joint. [m]
        encoder_resolution: step of the reading of a turning joint; the error is anywhere within
            one step. [rad]
        encoder_resolution_slide: likewise of a sliding joint. [m]
        encoder_offset: of the zero of a turning joint. [rad]
        encoder_offset_slide: of the zero of a sliding joint. [m]
        length: of every length of the arm. [m]
        angle: of every angle between axes of the arm. [rad]
        stylus: of each coordinate of the ball in the tool's frame. [m]
        probe: of a touch, in every direction. [m]
        probe_normal: of a touch, along the normal only. [m]
        trigger_jitter: of the time from contact to the latched reading; its mean is a pre-travel
            that calibration at touch speed takes out. [s]
        alignment: of each coordinate of the part's pose. [m]
        alignment_turn: of the part's turn about each axis through the middle of its points. [rad]
        temperature: of the arm, about that at which its lengths hold. [K]
        expansion: of the arm's lengths. [1/K]
        part_temperature: of the part. [K]
        part_expansion: of the part's lengths. [1/K]
        samples: Monte Carlo draws; 0 for first order only.
        digits: of every standard deviation that are to be settled; None: ``samples`` draws.
        coverage: probability of the interval.
        interval: with equal probability beyond both ends, or the shortest.
        seed: of all draws.

    Raises:
        JobError: a number that is not finite or negative, a coverage outside (0, 1).
    """

    encoder: float = 0.0
    encoder_slide: float = 0.0
    encoder_resolution: float = 0.0
    encoder_resolution_slide: float = 0.0
    encoder_offset: float = 0.0
    encoder_offset_slide: float = 0.0
    length: float = 0.0
    angle: float = 0.0
    stylus: float = 0.0
    probe: float = 0.0
    probe_normal: float = 0.0
    trigger_jitter: float = 0.0
    alignment: float = 0.0
    alignment_turn: float = 0.0
    temperature: float = 0.0
    expansion: float = 0.0
    part_temperature: float = 0.0
    part_expansion: float = 0.0
    samples: int = 10_000
    digits: int | None = None
    coverage: float = 0.95
    interval: Interval = "symmetric"
    seed: int = 1

    def __post_init__(self) -> None:
        for name in self.__dataclass_fields__:
            value = getattr(self, name)
            if name not in _STATED and not (math.isfinite(value) and value >= 0.0):
                raise JobError(
                    f"Uncertainty: {name} is {value!r}; expected a finite number, zero or more.",
                    key=name,
                    found=value,
                )
        if not 0.0 < self.coverage < 1.0:
            raise JobError(
                f"Uncertainty: coverage is {self.coverage!r}; expected a probability above 0 and "
                "below 1, such as 0.95.",
                key="coverage",
                found=self.coverage,
            )

    @property
    def exact(self) -> bool:
        """Whether nothing is wrong: no standard deviation and no resolution is given."""
        given = (getattr(self, name) for name in self.__dataclass_fields__ if name not in _STATED)
        return not any(given)

    @property
    def arm_scale(self) -> float:
        """Standard deviation of the arm's relative change of length. [1]."""
        return self.temperature * self.expansion

    @property
    def part_scale(self) -> float:
        """Standard deviation of the part's relative change of length. [1]."""
        return self.part_temperature * self.part_expansion


def uncertainty_of(table: UncertaintyTable | None, source: JobText) -> UncertaintySettings | None:
    """``[uncertainty]``; None where the job has no such table.

    Raises:
        JobError: a temperature without an expansion, or an expansion without a temperature.
    """
    if table is None:
        return None
    for prefix in ("", "part_"):
        _check_thermal(table, prefix, source)
    return UncertaintySettings(
        encoder=radians(table.encoder_deg),
        encoder_slide=metres(table.encoder_mm),
        encoder_resolution=radians(table.encoder_resolution_deg),
        encoder_resolution_slide=metres(table.encoder_resolution_mm),
        encoder_offset=radians(table.encoder_offset_deg),
        encoder_offset_slide=metres(table.encoder_offset_mm),
        length=metres(table.length_mm),
        angle=radians(table.angle_deg),
        stylus=metres(table.stylus_mm),
        probe=metres(table.probe_mm),
        probe_normal=metres(table.probe_normal_mm),
        trigger_jitter=metres(table.trigger_jitter_ms),  # milli- is 1/1000, too
        alignment=metres(table.alignment_mm),
        alignment_turn=radians(table.alignment_deg),
        temperature=float(table.temperature_k),
        expansion=float(table.expansion_per_k),
        part_temperature=float(table.part_temperature_k),
        part_expansion=float(table.part_expansion_per_k),
        samples=table.samples,
        digits=table.digits,
        coverage=float(table.coverage),
        interval=table.interval,
        seed=table.seed,
    )


def _check_thermal(table: UncertaintyTable, prefix: str, source: JobText) -> None:
    """Temperature and expansion act as a product: one alone would silently do nothing."""
    keys = (f"{prefix}temperature_k", f"{prefix}expansion_per_k")
    given = [getattr(table, key) > 0 for key in keys]
    if given[0] == given[1]:
        return
    alone, other = keys if given[0] else reversed(keys)
    raise source.error(
        ("uncertainty", alone),
        f"is {getattr(table, alone)}, but {other} is not given, so that it would do nothing; give "
        f"{other} too (steel 12e-6, aluminium 23e-6 per kelvin), or remove {alone}.",
        missing=other,
    )
