"""Numbers from a mechanism: every quantity as a fast batch function.

``Model`` records a quantity's equations the first time it is asked for and keeps the kernel;
results carry the leading batch shape of their arguments.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robots.core.arrays import Array
from robots.core.kernels.direct_call import Function
from robots.core.kernels.kernel import Engine, Kernel
from robots.core.mechanism import Mechanism
from robots.core.quantities import quantity


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Lagrange:
    """τ = A·qdd + Σ_{j<k} B·qd_j·qd_k + C·qd² + gravity.

    Source: [LIEGEOIS80] eq. (3-1), [LAMMARI12] eq. (IV.4)
    """

    A: Array  # (..., n, n)
    B: Array  # (..., n, n, n), filled for j < k
    C: Array  # (..., n, n)
    gravity: Array  # (..., n)

    def torques(self, qd: Array, qdd: Array) -> Array:
        """Torques of a motion at the posture, without friction. # (..., n)."""
        coriolis = np.einsum("...ijk,...j,...k->...i", self.B, qd, qd)
        inertial = np.einsum("...ij,...j->...i", self.A, qdd)
        centrifugal = np.einsum("...ij,...j->...i", self.C, qd * qd)
        return np.asarray(inertial + coriolis + centrifugal + self.gravity)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Energies:
    """Kinetic and potential energy; the potential is zero for masses at the base origin."""

    kinetic: Array  # (...) [J]
    potential: Array  # (...) [J]


class _Functions(dict[str, Function]):
    """Functions of a model's quantities by name, made when they are first asked for."""

    def __init__(self, model: Model) -> None:
        super().__init__()
        self._model = model

    def __missing__(self, name: str) -> Function:
        self[name] = self._model.function(name)
        return self[name]


class Model:
    """The equations of one mechanism, as numbers.

    Args:
        mechanism: what to model.
        engine: of the kernels, see ``Kernel``.
    """

    def __init__(self, mechanism: Mechanism, engine: Engine = "auto") -> None:
        self.mechanism = mechanism
        self.engine = engine
        self._kernels: dict[str, Kernel] = {}
        self._evaluate = _Functions(self)

    def __reduce__(self) -> tuple[type[Model], tuple[Mechanism, Engine]]:
        """Kernels stay in their process; another one loads its own."""
        return Model, (self.mechanism, self.engine)

    @property
    def dof(self) -> int:
        """Number of joint variables n."""
        return self.mechanism.dof

    def kernel(self, name: str) -> Kernel:
        """The batch function of one quantity (see ``robots.core.quantities``)."""
        if name not in self._kernels:
            programme = quantity(name).record(self.mechanism)
            self._kernels[name] = Kernel(programme, self.engine)
        return self._kernels[name]

    def function(self, name: str) -> Function:
        """The same as a function of arrays."""
        return self.kernel(name).function

    def forward(self, q: object) -> Array:
        """Pose of the tool in the base frame, T_base_tool. # (..., n) -> (..., 4, 4)."""
        return self._evaluate["forward"](q)

    def transforms(self, q: object) -> Array:
        """Pose of every link in the base frame. # (..., n) -> (..., links, 4, 4)."""
        return self._evaluate["transforms"](q)

    def jacobian(self, q: object) -> Array:
        """Geometric Jacobian at the tool, base axes, linear rows first. # -> (..., 6, n)."""
        return self._evaluate["jacobian"](q)

    def velocity(self, q: object, qd: object) -> Array:
        """Linear and angular velocity of the tool, base axes. # -> (..., 6)."""
        return self._evaluate["velocity"](q, qd)

    def acceleration(self, q: object, qd: object, qdd: object) -> Array:
        """Linear and angular acceleration of the tool, base axes. # -> (..., 6)."""
        return self._evaluate["acceleration"](q, qd, qdd)

    def bias_acceleration(self, q: object, qd: object) -> Array:
        """J̇·qd: tool acceleration at zero joint acceleration. # -> (..., 6)."""
        return self._evaluate["bias_acceleration"](q, qd)

    def torques(self, q: object, qd: object, qdd: object, wrench: object | None = None) -> Array:
        """Joint torques of a motion.

        Args:
            q: [rad or m]; qd, qdd likewise per second and second squared. # (..., n)
            qd: joint speeds.
            qdd: joint accelerations.
            wrench: force and moment exerted by the tool's origin on the environment, base axes.
                # (..., 6) [N, N m]

        Returns:
            τ. # (..., n) [N m or N]
        """
        tau = self._evaluate["torques"](q, qd, qdd)
        return tau if wrench is None else tau + self.statics(q, wrench)

    def statics(self, q: object, wrench: object) -> Array:
        """Joint torques that a tool wrench on the environment requires, Jᵀγ. # -> (..., n)."""
        return self._evaluate["statics"](q, wrench)

    def gravity_torques(self, q: object) -> Array:
        """Joint torques that hold the mechanism still. # -> (..., n)."""
        return self._evaluate["gravity_torques"](q)

    def mass_matrix(self, q: object) -> Array:
        """Joint-space mass matrix, motors included. # -> (..., n, n)."""
        return self._evaluate["mass_matrix"](q)

    def forward_dynamics(self, q: object, qd: object, tau: object) -> Array:
        """Joint accelerations of given torques. # -> (..., n)."""
        return self._evaluate["forward_dynamics"](q, qd, tau)

    def lagrange(self, q: object) -> Lagrange:
        """Lagrange coefficients at a posture."""
        flat, n = self._evaluate["lagrange"](q), self.dof
        lead = flat.shape[:-1]
        ends = np.cumsum([n * n, n**3, n * n])
        A, B, C, gravity = np.split(flat, ends, axis=-1)
        return Lagrange(
            A=A.reshape(*lead, n, n),
            B=B.reshape(*lead, n, n, n),
            C=C.reshape(*lead, n, n),
            gravity=gravity,
        )

    def energies(self, q: object, qd: object) -> Energies:
        """Kinetic and potential energy of bodies and motors."""
        both = self._evaluate["energies"](q, qd)
        return Energies(kinetic=both[..., 0], potential=both[..., 1])

    def center_of_mass(self, q: object) -> Array:
        """Centre of mass in the base frame. # -> (..., 3) [m]."""
        return self._evaluate["center_of_mass"](q)

    def center_of_mass_jacobian(self, q: object) -> Array:
        """Velocity of the centre of mass per joint speed. # -> (..., 3, n)."""
        return self._evaluate["center_of_mass_jacobian"](q)

    def base_wrench(self, q: object, qd: object, qdd: object) -> Array:
        """Force and moment that the ground exerts on the base, at its origin, base axes.

        At rest it is the weight, turned up. # -> (..., 6) [N, N m]
        """
        return self._evaluate["base_wrench"](q, qd, qdd)

    def centroidal_momentum(self, q: object, qd: object) -> Array:
        """Linear momentum, and angular momentum about the centre of mass, base axes.

        Returns:
            Of all bodies. # (..., 6) [kg m/s, kg m²/s]
        """
        return self._evaluate["centroidal_momentum"](q, qd)

    def regressor(self, q: object, qd: object, qdd: object) -> Array:
        """Torques per unit of every inertial parameter. # -> (..., n, 10·links)."""
        return self._evaluate["regressor"](q, qd, qdd)
