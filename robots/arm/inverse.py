"""Inverse geometry of the measuring arm: all solutions, checked by forward geometry."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from robots.arm.family import arm_family
from robots.arm.programmes import ANGLES, branch_programme, line_programme, rates_programme
from robots.arm.solutions import DEGENERATE, ArmSolutions, Margins
from robots.arm.stylus import solve_bent_stylus
from robots.core.errors import StateError
from robots.core.kernels import Engine, Kernel
from robots.core.mechanism import Mechanism
from robots.core.model import Model

Array = NDArray[np.float64]


class ArmInverse:
    """Closed-form inverse of one measuring arm.

    Args:
        mechanism: an arm of the family.
        engine: how the equations are run (see ``Kernel``).

    Raises:
        ArmFamilyError: the mechanism is not of the family.
    """

    def __init__(self, mechanism: Mechanism, engine: Engine = "auto") -> None:
        self.family = arm_family(mechanism)
        self.model = Model(mechanism, engine)
        self._branches = Kernel(branch_programme(self.family, free_shoulder=False), engine)
        self._shoulder_given = Kernel(branch_programme(self.family, free_shoulder=True), engine)
        self._rates = Kernel(rates_programme(mechanism), engine)
        self._line = Kernel(line_programme(mechanism, self.family), engine)

    def branches(self, center: object, axis: object, *, out: Array | None = None) -> Array:
        """Raw closed form for wrist centres and unit stylus directions: the fast path.

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
            near: posture that a free joint of a degenerate target should stay close to. # (5,)

        Raises:
            StateError: a position or direction that is not finite, or a direction of length zero.
        """
        p, d = _targets(position, axis)
        center = p - self.family.stylus_length * d
        q = self._families(center, d, near)
        if not self.family.closed_form:
            q = solve_bent_stylus(self.model, q, p, d)
        tool = self.model.forward(q)
        return ArmSolutions(
            q=q,
            position_error=np.linalg.norm(tool[..., :3, 3] - p[..., None, :], axis=-1),
            axis_error=_angle(tool[..., :3, 2], d[..., None, :]),
            shortfall=self._shortfall(center),
            margins=self.margins(q),
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

        Args:
            lines: start [m], tangent [m], stylus direction, signs of the family, posture at the
                start [rad]; one row per place asked for. # (m, 17)
            lam: place on each line. # (m,)

        Returns:
            q, dq/dλ, d²q/dλ². # (m, 15) [rad]
        """
        return self._line(lines, lam[:, None])

    def margins(self, q: object) -> Margins:
        """Distances of postures from the shoulder, elbow and wrist singularities. # (..., 5)."""
        theta = np.asarray(q, dtype=np.float64) + self.family.offsets
        d3, r4 = self.family.upper_arm, self.family.forearm
        radius = r4 * np.sin(theta[..., 1] + theta[..., 2]) + d3 * np.cos(theta[..., 1])
        cg, sg = self.family.stylus_direction[:2]
        # Component of the stylus across the forearm: cos(θ5 + γ).
        across = np.cos(theta[..., 4]) * cg - np.sin(theta[..., 4]) * sg
        return Margins(
            shoulder=np.abs(radius) / self.family.reach,
            elbow=np.abs(np.cos(theta[..., 2])),
            wrist=np.abs(across),
        )

    def _families(self, center: Array, axis: Array, near: object | None) -> Array:
        """Angles of the eight families, free joints taken from ``near``. # (..., 8, 5)."""
        q = self._branches(center, axis)[..., :ANGLES].reshape(*center.shape[:-1], 8, 5)
        if near is not None:
            stay = np.asarray(near, dtype=np.float64)
            on_axis = np.hypot(center[..., 0], center[..., 1]) <= DEGENERATE * self.family.reach
            if np.any(on_axis):
                q1 = np.broadcast_to(stay[0] + self.family.offsets[0], (*center.shape[:-1], 1))
                given = self._shoulder_given(center, axis, q1)[..., :ANGLES].reshape(q.shape)
                q = np.where(on_axis[..., None, None], given, q)
            aligned = self.margins(q - self.family.offsets).wrist <= DEGENERATE
            q[..., 3] = np.where(aligned, stay[3] + self.family.offsets[3], q[..., 3])
        q = q - self.family.offsets
        return np.asarray(q - 2.0 * np.pi * np.ceil((q - np.pi) / (2.0 * np.pi)))

    def _shortfall(self, center: Array) -> Array:
        """Distance of the wrist centre beyond the shell that the two arm lengths can reach."""
        shoulder = np.array([0.0, 0.0, self.family.shoulder_height])
        distance = np.linalg.norm(center - shoulder, axis=-1)
        inner = abs(self.family.upper_arm - self.family.forearm)
        return np.asarray(np.maximum(distance - self.family.reach, inner - distance))


def _targets(position: object, axis: object) -> tuple[Array, Array]:
    p, d = np.broadcast_arrays(
        np.asarray(position, dtype=np.float64), np.asarray(axis, dtype=np.float64)
    )
    if p.shape[-1:] != (3,) or not (np.all(np.isfinite(p)) and np.all(np.isfinite(d))):
        raise StateError(
            "A target is three finite coordinates [m] and three finite direction components; "
            f"found shapes {p.shape} and {d.shape} with "
            f"{int(np.sum(~np.isfinite(p)) + np.sum(~np.isfinite(d)))} values that are not finite."
        )
    length = np.linalg.norm(d, axis=-1, keepdims=True)
    if np.any(length == 0.0):
        raise StateError("A stylus direction has length zero; give the direction of the probe.")
    return p, d / length


def _angle(a: Array, b: Array) -> Array:
    """Angle between unit vectors, exact for small ones. # (...) [rad]."""
    across = np.linalg.norm(np.cross(a, b), axis=-1)
    return np.asarray(np.arctan2(across, np.sum(a * b, axis=-1)))
