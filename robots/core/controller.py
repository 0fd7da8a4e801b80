"""The robot's controller: which joint stands in which of its axes, with which sign and zero."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robots.core.arrays import Array, Indices, freeze_field, freeze_fields

START_TOLERANCE = np.radians(0.5)
START_TOLERANCE_SLIDING = 0.5e-3  # [m]


@dataclass(frozen=True, slots=True, kw_only=True)
class CoupledAxis:
    """An axis whose value is its own and a multiple of another one's, which is not coupled itself.

    Args:
        axis: its number, from 1 on.
        of: number of the other one.
        factor: of the other one's own value.
    """

    axis: int
    of: int
    factor: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Controller:
    """What programmes of a robot's own controller need beside its geometry.

    Args:
        axes: name of the joint in each axis of the controller, from its axis 1 on.
        order: index of that joint among the movable ones. # (n,)
        signs: +1 or -1: the value of an axis is sign · q + offset. # (n,)
        offsets: value that the controller shows where the joint is at zero. # (n,) [rad or m]
        home: where programmes start, in the robot's own joints; None: at their first point.
            # (n,) [rad or m]
        tool_number: of the controller's tool whose point is the ball.
        base_number: of the controller's frame that is the base of the robot file; 0: its own.
        probe_input: number of the digital input that is true while the probe is deflected; None:
            not stated, and never assumed.
        speed_override_percent: of what the controller may use of programmed speeds.
        start_tolerance: of the start posture, joints that turn. [rad]
        start_tolerance_sliding: likewise joints that slide. [m]
        cartesian: whether the controller solves straight lines of the tool.
        coupled: axes in whose value another one stands, too, as an arm's third where it is counted
            from the horizontal.
    """

    axes: tuple[str, ...]
    order: Indices
    signs: Array
    offsets: Array
    home: Array | None = None
    tool_number: int = 0
    base_number: int = 0
    probe_input: int | None = None
    speed_override_percent: float = 100.0
    start_tolerance: float = START_TOLERANCE
    start_tolerance_sliding: float = START_TOLERANCE_SLIDING
    cartesian: bool = True
    coupled: tuple[CoupledAxis, ...] = ()

    def __post_init__(self) -> None:
        freeze_field(self, "order", self.order, np.int64)
        freeze_fields(self, "signs", "offsets", dtype=np.float64)
        if self.home is not None:
            freeze_fields(self, "home", dtype=np.float64)

    def to_controller(self, q: Array) -> Array:
        """Values of the axes at joints q. # (..., n) [rad or m]."""
        own = np.asarray(self.signs * np.asarray(q)[..., self.order] + self.offsets)
        values = np.array(own)
        for one in self.coupled:
            values[..., one.axis - 1] += one.factor * own[..., one.of - 1]
        return values

    def from_controller(self, values: Array) -> Array:
        """Joints at values of the axes. # (..., n) [rad or m]."""
        own = np.array(values, dtype=np.float64)
        for one in self.coupled:
            own[..., one.axis - 1] -= one.factor * own[..., one.of - 1]
        q = np.empty_like(own)
        q[..., self.order] = self.signs * (own - self.offsets)
        return q
