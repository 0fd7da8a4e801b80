"""How far probing lines stay from joint limits and singularities: on a grid, and exactly."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.motion.extremes import Evaluate, highest
from planner.reach.lines import Lines
from robots.arm.inverse import ROUNDING
from robots.core.arrays import Array, Indices, Mask
from robots.core.inverse.task import column_scale, scale_length
from robots.core.mechanism import Mechanism

SINGULAR = 1e-3  # singularity margin below which a line is refused: rates grow as its inverse

_GRID = 9  # places along a line where candidates are judged first


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Margins:
    """How far lines stay from what they must not reach.

    Args:
        limit: least distance to each joint's limits, negative beyond. # (c, n) [rad or m]
        singularity: least distance from a singularity, 0 to 1. # (c,)
        sliding: joints that slide; a margin that is an angle asks nothing of them. # (n,)
    """

    limit: Array
    singularity: Array
    sliding: Mask | None = None

    def take(self, chosen: Indices) -> Margins:
        """Margins of some of the lines, in the order given."""
        return Margins(
            limit=self.limit[chosen], singularity=self.singularity[chosen], sliding=self.sliding
        )

    def keep(self, required: float) -> Mask:
        """Lines that keep a joint margin and stay out of singularities. # (c,).

        Args:
            required: of every joint that turns; a joint that slides keeps within its limits. [rad]
        """
        asked = required if self.sliding is None else np.where(self.sliding, 0.0, required)
        kept = np.min(self.limit - asked, axis=1, initial=np.inf) >= -ROUNDING
        return np.asarray(kept & (self.singularity >= SINGULAR))


def joint_units(mechanism: Mechanism) -> Array:
    """What makes margins of turning and sliding joints comparable. # (n,) [rad or m].

    One radian, and for a joint that slides the robot's own size.
    """
    return column_scale(mechanism, scale_length(mechanism))


def required_margins(mechanism: Mechanism, angle: float) -> Array:
    """What each joint must keep: an angle where it turns, nothing where it slides. # (n,) [rad]."""
    return np.array([angle if joint.kind.angular else 0.0 for joint in mechanism.movable])


def home_within(mechanism: Mechanism, angle: float) -> Array | None:
    """Home of the robot's controller, where it keeps the margins. # (n,) [rad or m]."""
    home = None if mechanism.controller is None else mechanism.controller.home
    keep = required_margins(mechanism, angle)
    if home is None or np.any((home < mechanism.q_min + keep) | (home > mechanism.q_max - keep)):
        return None
    return home


def exact_margins(lines: Lines) -> Margins:
    """Least margins along each line, exactly."""
    n = lines.model.dof
    if len(lines) == 0:
        return Margins(limit=np.zeros((0, n)), singularity=np.zeros(0), sliding=_sliding(lines))
    worst = highest(_closeness(lines), len(lines), 1).value
    return _as_margins(worst, lines)


def rough_margins(lines: Lines) -> Margins:
    """Least margins on a grid along each line; the true ones may be a little smaller."""
    n = lines.model.dof
    k, grid = len(lines), np.linspace(0.0, 1.0, _GRID)
    index, x = np.repeat(np.arange(k), _GRID), np.tile(grid, k)
    values = _closeness(lines)(index, np.zeros_like(index), x).reshape(k, _GRID, 2 * n + 1)
    return _as_margins(np.max(values, axis=1), lines)


def _closeness(lines: Lines) -> Evaluate:
    """Negative margins as functions along the lines: above, below, singularity. # (m, 2n + 1)."""
    mechanism = lines.model.mechanism
    low, high = (
        np.where(np.isfinite(limit), limit, 0.0) for limit in (mechanism.q_min, mechanism.q_max)
    )

    def closeness(index: Indices, _: Indices, x: Array) -> Array:
        q = lines.joints(index, x)
        # A limit that is not there is nowhere near: zero all along, and set aside afterwards.
        over = np.where(np.isfinite(mechanism.q_max), q - high, 0.0)
        under = np.where(np.isfinite(mechanism.q_min), low - q, 0.0)
        singular = -lines.singularity_margins(q)[:, None]
        return np.concatenate([over, under, singular], axis=1)

    return closeness


def _as_margins(worst: Array, lines: Lines) -> Margins:
    n = lines.model.dof
    mechanism = lines.model.mechanism
    over = np.where(np.isfinite(mechanism.q_max), worst[:, :n], -np.inf)
    under = np.where(np.isfinite(mechanism.q_min), worst[:, n : 2 * n], -np.inf)
    limit = -np.maximum(over, under)
    return Margins(limit=limit, singularity=-worst[:, 2 * n], sliding=_sliding(lines))


def _sliding(lines: Lines) -> Mask:
    return np.array([not joint.kind.angular for joint in lines.model.mechanism.movable])
