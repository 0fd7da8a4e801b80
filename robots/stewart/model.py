"""Numbers from a platform: every quantity as a fast batch function.

``PlatformModel`` records a quantity's equations the first time it is asked for and keeps the
kernel; results carry the leading batch shape of their arguments. Platform velocities and
accelerations are (..., 6): of the platform frame's origin, then angular, base axes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from robots.core.arrays import Array, Mask
from robots.core.kernels.kernel import Engine, Kernel
from robots.core.model import Energies
from robots.stewart.errors import PlatformError
from robots.stewart.inverse import checked_poses
from robots.stewart.platform import Platform
from robots.stewart.programmes import Subject, record, subject

# Sine between a leg's line and the others' below which forces grow past all use: a billionfold.
DEPENDENT = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BodyMotion:
    """Motion of every leg's cross, cylinder, piston, end cross and end, base axes.

    The velocity is of the body frame's origin: A for the first two, B for the others.
    """

    v: Array  # (..., 6, 5, 3) [m/s]
    w: Array  # (..., 6, 5, 3) [rad/s]
    vd: Array  # (..., 6, 5, 3) [m/s²]
    wd: Array  # (..., 6, 5, 3) [rad/s²]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JointMotion:
    """Speeds and accelerations of every leg's joints, in the order of ``leg_chain``."""

    qd: Array  # (..., 6, 6) [rad/s or m/s]
    qdd: Array  # (..., 6, 6) [rad/s² or m/s²]


class PlatformModel:
    """The equations of one platform, as numbers.

    Args:
        platform: what to model.
        engine: of the kernels, see ``Kernel``.

    Raises:
        PlatformError: on first use, a leg that is degenerate at home.
    """

    def __init__(self, platform: Platform, engine: Engine = "auto") -> None:
        self.platform = platform
        self.engine = engine
        self._kernels: dict[str, Kernel] = {}

    @cached_property
    def _subject(self) -> Subject:
        return subject(self.platform)

    def kernel(self, name: str) -> Kernel:
        """The batch function of one programme (see ``robots.stewart.programmes``)."""
        if name not in self._kernels:
            self._kernels[name] = Kernel(record(self._subject, name), self.engine)
        return self._kernels[name]

    def lengths(self, T: ArrayLike) -> Array:
        """Leg lengths, A to B. # (..., 4, 4) -> (..., 6) [m]."""
        return self._run("lengths", T)

    def jacobian(self, T: ArrayLike) -> Array:
        """J with l̇ = J·V; its transpose hands leg forces on to the platform. # (..., 6, 6).

        Source: [STAICU09] eq. (15)
        """
        return self._run("jacobian", T)

    def length_rates(self, T: ArrayLike, V: ArrayLike) -> Array:
        """Speeds of the strokes, l̇ = J·V. # (..., 6) [m/s]."""
        return self._run("length_rates", T, V)

    def length_accelerations(self, T: ArrayLike, V: ArrayLike, A: ArrayLike) -> Array:
        """Accelerations of the strokes, l̈ = J·A + J̇·V. # (..., 6) [m/s²]."""
        return self._run("length_accelerations", T, V, A)

    def joint_motion(self, T: ArrayLike, V: ArrayLike, A: ArrayLike) -> JointMotion:
        """Speeds and accelerations of all joints of all legs."""
        found = self._run("joint_motion", T, V, A)
        return JointMotion(qd=found[..., 0, :], qdd=found[..., 1, :])

    def bodies(self, T: ArrayLike, V: ArrayLike, A: ArrayLike) -> BodyMotion:
        """Velocities and accelerations of every leg body."""
        found = self._run("bodies", T, V, A)
        v, w, vd, wd = (found[..., k, :] for k in range(4))
        return BodyMotion(v=v, w=w, vd=vd, wd=wd)

    def forces(
        self, T: ArrayLike, V: ArrayLike, A: ArrayLike, wrench: ArrayLike | None = None
    ) -> Array:
        """Leg forces of a motion, by virtual work; positive pushes.

        Args:
            T: T_base_platform. # (..., 4, 4)
            V: platform velocity. # (..., 6) [m/s, rad/s]
            A: platform acceleration. # (..., 6) [m/s², rad/s²]
            wrench: force and moment that the environment exerts on the platform at its frame's
                origin, base axes. # (..., 6) [N, N m]

        Returns:
            f, friction of the strokes included. # (..., 6) [N]

        Raises:
            PlatformError: input not finite, or a pose where the legs cannot hold the platform.
        """
        load = np.zeros(6) if wrench is None else wrench
        found = self._run("forces", T, V, A, load)
        held = np.all(np.isfinite(found), axis=-1) & (found[..., 6] > DEPENDENT**2)
        if not np.all(held):
            raise self._refusal(
                ~held,
                "no leg forces hold the platform: its legs are dependent there (a Type 2 "
                "singularity), or a leg's joint is locked",
            )
        return found[..., :6]

    def power(self, T: ArrayLike, V: ArrayLike, forces: ArrayLike) -> Array:
        """Power of all drives together. Args: forces: of the legs. # (..., 6) -> (...) [W]."""
        return np.asarray(np.sum(np.asarray(forces) * self.length_rates(T, V), axis=-1))

    def generalised_wrench(self, T: ArrayLike, V: ArrayLike, A: ArrayLike) -> Array:
        """Jᵀf of a motion without external wrench. # (..., 6) [N, N m]."""
        return self._run("generalised_wrench", T, V, A)

    def mass_matrix(self, T: ArrayLike) -> Array:
        """Inertia of platform and legs seen at the platform. # (..., 6, 6) [kg, kg m, kg m²]."""
        return self._run("mass_matrix", T)

    def energies(self, T: ArrayLike, V: ArrayLike) -> Energies:
        """Kinetic and potential energy of platform and legs; zero height is the base origin."""
        found = self._run("energies", T, V)
        return Energies(kinetic=found[..., 0], potential=found[..., 1])

    def _run(self, name: str, T: ArrayLike, *vectors: ArrayLike) -> Array:
        poses = checked_poses(self.platform, T)
        arrays = [np.asarray(vector, dtype=np.float64) for vector in vectors]
        for array in arrays:
            if not np.all(np.isfinite(array)):
                index = tuple(int(k) for k in np.argwhere(~np.isfinite(array))[0])
                raise PlatformError(
                    f"Platform {self.platform.name!r}, {name}: a velocity, acceleration or wrench "
                    f"holds {array[index]} at index {index}; every entry must be finite.",
                    index=index,
                )
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):  # refused below
            found = self.kernel(name)(poses, *arrays)
        if name != "forces" and not np.all(np.isfinite(found)):
            last = tuple(range(-len(self.kernel(name).programme.result.shape), 0))
            lost = np.asarray(np.any(~np.isfinite(found), axis=last))
            raise self._refusal(lost, f"the {name} are not defined: a leg's joint is locked there")
        return found

    def _refusal(self, lost: Mask, reason: str) -> PlatformError:
        """The error that names the first pose of ``lost``, and why."""
        index = tuple(int(k) for k in np.argwhere(lost)[0])
        where = f"pose {list(index)}" if index else "this pose"
        return PlatformError(
            f"Platform {self.platform.name!r}: in {where} {reason}; move the pose.", index=index
        )
