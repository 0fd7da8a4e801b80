"""Inverse geometry of the measuring arm: all solutions, checked by forward geometry."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from robots.arm.bent_stylus import BentStylus
from robots.arm.family import arm_family
from robots.arm.free_joints import FreeJoints
from robots.arm.programmes import ANGLES, branch_programme, line_programme, rates_programme
from robots.arm.solutions import REACH_ROUNDING, ArmSolutions, Margins
from robots.arm.task import task_jacobian
from robots.core.arrays import Array
from robots.core.errors import StateError
from robots.core.kernels import Engine, Kernel
from robots.core.mechanism import Mechanism
from robots.core.model import Model


class ArmInverse:
    """Inverse of one measuring arm: closed form, and exact search where the stylus is bent.

    Args:
        mechanism: an arm of the family.
        engine: how the equations are run (see ``Kernel``).

    Raises:
        ArmFamilyError: the mechanism is not of the family.
    """

    def __init__(self, mechanism: Mechanism, engine: Engine = "auto") -> None:
        self.family = arm_family(mechanism)
        self.model = Model(mechanism, engine)
        self._free = FreeJoints(self.family, engine)
        self._branches = Kernel(branch_programme(self.family), engine)
        self._rates = Kernel(rates_programme(mechanism, bent=not self.family.closed_form), engine)
        self._line = Kernel(line_programme(mechanism, self.family), engine)

    def branches(self, center: object, axis: object, *, out: Array | None = None) -> Array:
        """Raw closed form for wrist centres and unit stylus directions: the fast path.

        The angles are those of the rows, offsets included; a wrist centre at the shoulder itself
        leaves them undefined (``solve`` does not).

        Args:
            center: wrist centre, base frame. # (..., 3) [m]
            axis: unit direction from wrist to ball. # (..., 3)
            out: array to fill.

        Returns:
            Eight times five angles, then the reserve cos² q3, negative out of reach. # (..., 41)
        """
        return self._branches(center, axis, out=out)

    def solve(self, position: object, axis: object, *, near: object | None = None) -> ArmSolutions:
        """All families that put the ball at a position with the stylus along a direction.

        Args:
            position: ball centre, base frame. # (..., 3) [m]
            axis: direction of the stylus from wrist to ball; normalised here. # (..., 3)
            near: posture whose value a joint takes that the target leaves free: the first joint on
                its own axis, the fourth with the stylus along the forearm. # (..., 5) [rad]

        Raises:
            StateError: a position, direction or posture that is not finite, or a direction of
                length zero.
        """
        p, d = _targets(position, axis)
        lead = p.shape[:-1]
        points, axes = p.reshape(-1, 3), d.reshape(-1, 3)
        center = points - self.family.stylus_length * axes
        q = self._families(center, axes, _posture(near, lead))
        shortfall = self.family.shortfall(center)
        if self.family.closed_form:
            expected = np.repeat((shortfall <= REACH_ROUNDING)[:, None], 8, axis=1)
        else:
            bent = self._bent.solve(points, axes, q)
            q, expected = _wrapped(bent.q), bent.expected
            shortfall = shortfall - float(np.linalg.norm(self.family.side))
        tool = self.model.forward(q)
        return ArmSolutions(
            q=q.reshape(*lead, 8, 5),
            position_error=np.linalg.norm(tool[..., :3, 3] - points[:, None], axis=-1).reshape(
                *lead, 8
            ),
            axis_error=_angle(tool[..., :3, 2], axes[:, None, :]).reshape(*lead, 8),
            shortfall=shortfall.reshape(lead),
            expected=expected.reshape(*lead, 8),
            margins=self.margins(q.reshape(*lead, 8, 5)),
        )

    def line_rates(self, q: object, tangent: object) -> tuple[Array, Array]:
        """Derivatives dq/dλ and d²q/dλ² along lines with the stylus held. # (..., 5) [rad] each.

        Args:
            q: joints on the line. # (..., 5)
            tangent: motion of the ball per unit of λ, base axes. # (..., 3) [m]
        """
        both = self._rates(q, tangent)
        return both[..., :5], both[..., 5:]

    def along_lines(self, lines: Array, lam: Array) -> Array:
        """Postures along straight lines with the stylus held: the fast path of probing lines.

        A straight stylus keeps the family whose signs are given, a bent one the branch of the
        posture at the start; where that branch ends before λ the row is NaN.

        Args:
            lines: start [m], tangent [m], stylus direction, signs of the family, posture at the
                start [rad]; one row per place asked for. # (m, 17)
            lam: place on each line. # (m,)

        Returns:
            q, dq/dλ, d²q/dλ². # (m, 15) [rad]
        """
        if self.family.closed_form:
            return self._line(lines, lam[:, None])
        return self._bent.follow(lines, lam)

    def margins(self, q: object) -> Margins:
        """Distances of postures from the shoulder, elbow and wrist singularities. # (..., 5)."""
        posture = np.asarray(q, dtype=np.float64)
        theta = posture + self.family.offsets
        d3, r4, reach = self.family.upper_arm, self.family.forearm, self.family.reach
        tool: Array | None = None
        if not self.family.closed_form:
            with np.errstate(invalid="ignore"):  # a line lost on its way has no posture
                determinant = np.linalg.det(task_jacobian(self.model, posture))
            tool = np.asarray(np.abs(determinant) / (d3 * r4 * reach))
        return Margins(
            shoulder=np.abs(self.family.radius(theta)) / reach,
            elbow=np.abs(np.cos(theta[..., 2])),
            wrist=np.abs(self.family.wrist_sine(theta)),
            tool=tool,
        )

    @cached_property
    def _bent(self) -> BentStylus:
        """What a ball beside the stylus axis needs."""
        mechanism, engine = self.model.mechanism, self.model.engine
        return BentStylus(mechanism, self.family, self._angles, engine)

    def _angles(self, center: Array, axis: Array) -> Array:
        """Angles of the eight families, free joints at zero. # (N, 8, 5) [rad]."""
        return self._free.filled(center, axis, self._straight(center, axis), None)

    def _straight(self, center: Array, axis: Array) -> Array:
        with np.errstate(divide="ignore", invalid="ignore"):  # the shoulder itself: filled after
            found = self._branches(center, axis)
        return found[..., :ANGLES].reshape(-1, 8, 5)

    def _families(self, center: Array, axis: Array, near: Array | None) -> Array:
        """Joints of the eight families, free ones taken from ``near``. # (N, 8, 5) [rad]."""
        stay = None if near is None else near + self.family.offsets
        theta = self._free.filled(center, axis, self._straight(center, axis), stay)
        return _wrapped(theta - self.family.offsets)


def _targets(position: object, axis: object) -> tuple[Array, Array]:
    """Positions and unit directions of one shape. # (..., 3) each."""
    given = [np.asarray(value, dtype=np.float64) for value in (position, axis)]
    if any(array.shape[-1:] != (3,) or not np.all(np.isfinite(array)) for array in given):
        count = sum(int(np.sum(~np.isfinite(array))) for array in given)
        raise StateError(
            "A target is three finite coordinates [m] and three finite direction components; "
            f"found shapes {given[0].shape} and {given[1].shape} with {count} values that are not "
            "finite."
        )
    p, d = np.broadcast_arrays(*given)
    # Dividing by the largest component first keeps the shortest and longest vectors exact.
    largest = np.max(np.abs(d), axis=-1, keepdims=True)
    if np.any(largest == 0.0):
        where = tuple(int(k) for k in np.argwhere(largest[..., 0] == 0.0)[0])
        raise StateError(
            f"The stylus direction of target {where} has length zero; give the direction of the "
            "probe, from wrist to ball.",
            index=where,
        )
    d = d / largest
    return p, d / np.linalg.norm(d, axis=-1, keepdims=True)


def _posture(near: object | None, lead: tuple[int, ...]) -> Array | None:
    """The posture to stay near, one per target. # (N, 5) [rad]."""
    if near is None:
        return None
    given = np.asarray(near, dtype=np.float64)
    if given.shape[-1:] != (5,) or not np.all(np.isfinite(given)):
        raise StateError(
            f"The posture to stay near has shape {given.shape}; it must be five finite angles "
            "[rad], for all targets or for each.",
            found=given.shape,
        )
    return np.broadcast_to(given, (*lead, 5)).reshape(-1, 5)


def _wrapped(q: Array) -> Array:
    """Angles in (-π, π]."""
    return np.asarray(q - 2.0 * np.pi * np.ceil((q - np.pi) / (2.0 * np.pi)))


def _angle(a: Array, b: Array) -> Array:
    """Angle between unit vectors, exact for small ones. # (...) [rad]."""
    across = np.linalg.norm(np.cross(a, b), axis=-1)
    return np.asarray(np.arctan2(across, np.sum(a * b, axis=-1)))
