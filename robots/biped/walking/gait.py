"""Gait: the figures that a walk is made of, checked once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robots.biped.errors import BipedError


@dataclass(frozen=True, slots=True, kw_only=True)
class Gait:
    """A straight walk on a plane, feet parallel; the last step brings the feet side by side.

    Args:
        speed: of the robot; a step takes step_length / speed. [m/s]
        steps: that go forward; one more closes.
        step_length: from one foot to the other. [m]
        double_support: time on both feet, in each step. [s]
        clearance: greatest height of the swung foot's sole. [m]
        lowering: of the pelvis, from stretched legs, before the walk. [m]
        ahead: of the ZMP reference, from the ankle; the middle of the sole is a good one. [m]
        rest: at the start and at the end, on both feet. [s]
        period: of the samples. [s]
        first: the foot that leaves the ground first.
        step_width: between the ankles, across; none for that of the hips. [m]

    Raises:
        BipedError: figures that make no walk; the message says which and the limit.
    """

    speed: float = 0.1
    steps: int = 4
    step_length: float = 0.2
    double_support: float = 0.4
    clearance: float = 0.04
    lowering: float = 0.06
    ahead: float = 0.025
    rest: float = 2.4
    period: float = 0.005
    first: str = "right"
    step_width: float | None = None

    def __post_init__(self) -> None:
        for name, unit in _ABOVE_ZERO.items():
            value = getattr(self, name)
            if value is not None and not (np.isfinite(value) and value > 0.0):
                raise BipedError(
                    f"A walk's {name} is {value!r} {unit}; it must be above zero.",
                    field=name,
                    value=value,
                    limit=0.0,
                    unit=unit,
                )
        if self.step_width is not None and self.step_width < _NARROWEST:
            raise BipedError(
                f"A walk's step_width is {self.step_width!r} m; it must be at least "
                f"{_NARROWEST:g} m.",
                field="step_width",
                value=self.step_width,
                limit=_NARROWEST,
                unit="m",
            )
        if self.steps < 1:
            raise BipedError(
                f"A walk has {self.steps} steps; give at least one.", value=self.steps, limit=1
            )
        if not (np.isfinite(self.ahead) and np.isfinite(self.lowering)) or self.lowering < 0.0:
            raise BipedError(
                f"A walk has lowering {self.lowering!r} m and ahead {self.ahead!r} m; both must be "
                "finite and the pelvis cannot be raised above stretched legs."
            )
        self._check_times()

    def _check_times(self) -> None:
        if self.step_time > _LONGEST_STEP:
            slowest = self.step_length / _LONGEST_STEP
            raise BipedError(
                f"At {self.speed:g} m/s a step of {self.step_length:g} m takes "
                f"{self.step_time:.4g} s; at most {_LONGEST_STEP:g} s are walked: the limit is "
                f"{slowest:.4g} m/s, or shorter steps.",
                value=self.speed,
                limit=slowest,
                unit="m/s",
            )
        if self.single_support < self.period:
            fastest = self.step_length / (self.double_support + self.period)
            raise BipedError(
                f"At {self.speed:g} m/s a step of {self.step_length:g} m takes "
                f"{self.step_time:.4g} s, of which {self.double_support:g} s are on both feet: "
                f"nothing is left to swing a foot; the limit is {fastest:.4g} m/s, or less time on "
                "both feet.",
                value=self.speed,
                limit=fastest,
                unit="m/s",
            )

    @property
    def step_time(self) -> float:
        """Of one step, double support included. [s]."""
        return self.step_length / self.speed

    @property
    def single_support(self) -> float:
        """Time on one foot, in each step. [s]."""
        return self.step_time - self.double_support


_LONGEST_STEP = 60.0  # [s]; slower is standing on one foot
_ABOVE_ZERO = {
    "speed": "m/s",
    "step_length": "m",
    "double_support": "s",
    "clearance": "m",
    "rest": "s",
    "period": "s",
    "step_width": "m",
}
_NARROWEST = 0.01  # [m]; narrower, and the feet are one
