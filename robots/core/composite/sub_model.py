"""SubModel: what a sub-robot's models deliver at one state, enough to make it part of a robot.

The inertia matrix A and the Coriolis coefficients of the carried robot do not suffice: they are
those of a robot whose base stands still, and in the composite it does not. What the theorems sum
over the bodies of the carried robot is, without the sums, the inertia matrix of that robot on a
*free* base and its partial derivatives,

    [[inertia, momentum], [momentumᵀ, A]]   and   ∂/∂q of each block,

where ``inertia`` (ten numbers: mass, first moment, tensor) is the robot as one rigid body and
``momentum`` is the momentum about the base origin per joint speed. Nothing less will do, as each
block appears alone in the result; nothing more is needed. Per theorem:

- geometry, Jacobians (1-5): poses and motions of the links, with the rates of the motions for
  the derivative of a Jacobian;
- inertia (6-8): A, inertia, momentum; of the carrier A and the link's motion;
- Coriolis (9-11): the derivatives of the same;
- gravity (12, 13): the linear rows of momentum. The torque G alone, for one direction of gravity,
  does not suffice: the carrier turns that direction.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from robots.core.arrays import freeze_field
from robots.core.composite.spatial import Values, skew
from robots.core.errors import MechanismError, StateError
from robots.core.model import Lagrange

BASE_LINK = ""  # name under which every sub-robot's own base is found among its links


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SubModel:
    """Values of a robot's models at a state; n joints, L links, base axes, SI.

    Derivatives have the variable they are taken by on the last axis.

    Args:
        joints: names of the variables, in the order of q.
        links: names of the links whose motion is kept.
        T: poses of the links in the base frame. # (..., L, 4, 4)
        motion: S of each link, its motion per joint speed taken at the base origin: (linear
            velocity of the body point there; angular velocity). # (..., L, 6, n)
        d_motion: ∂S/∂q. # (..., L, 6, n, n)
        mass_matrix: A, on a fixed base, motors included. # (..., n, n)
        d_A: ∂A/∂q. # (..., n, n, n)
        inertia: the robot as one rigid body, at the base origin. # (..., 6, 6)
        d_inertia: # (..., 6, 6, n)
        momentum: linear, and angular about the base origin, per joint speed. # (..., 6, n)
        d_momentum: # (..., 6, n, n)

    Raises:
        StateError: an array of another shape.
        MechanismError: two joints, or two links, of one name.
    """

    joints: tuple[str, ...]
    links: tuple[str, ...]
    T: Values
    motion: Values
    d_motion: Values
    mass_matrix: Values
    d_mass_matrix: Values
    inertia: Values
    d_inertia: Values
    momentum: Values
    d_momentum: Values

    def __post_init__(self) -> None:
        for names, what in ((self.joints, "joints"), (self.links, "links")):
            twice = sorted({name for name in names if names.count(name) > 1})
            if twice:
                raise MechanismError(
                    f"Two {what} are called {twice[0]!r}; give one of the sub-robots a prefix "
                    "with renamed().",
                    names=tuple(twice),
                )
        lead = np.shape(self.mass_matrix)[:-2]
        for name, tail in _tails(len(self.joints), len(self.links)).items():
            array = np.array(getattr(self, name))
            if array.shape != (*lead, *tail):
                raise StateError(
                    f"{name} has shape {array.shape}; for {len(self.joints)} joints and "
                    f"{len(self.links)} links it must be {(*lead, *tail)}.",
                    field=name,
                    found=array.shape,
                    expected=(*lead, *tail),
                )
            freeze_field(self, name, array)

    @property
    def dof(self) -> int:
        """Number of joint variables n."""
        return len(self.joints)

    def index(self, link: str) -> int:
        """Place of a link in ``T``, ``motion`` and ``d_motion``.

        Raises:
            MechanismError: it is not among those kept.
        """
        if link not in self.links:
            known = ", ".join(repr(name) for name in self.links)
            raise MechanismError(f"There is no link {link!r}; there are {known}.", link=link)
        return self.links.index(link)

    def pose(self, link: str) -> Values:
        """Pose of a link in the base frame. # (..., 4, 4)."""
        return np.asarray(self.T[..., self.index(link), :, :])

    def jacobian(self, link: str, point: object = (0.0, 0.0, 0.0)) -> Values:
        """Geometric Jacobian at a point of a link, base axes, linear rows first. # (..., 6, n).

        Args:
            link: which link.
            point: in the link's frame, the centre of mass for instance. # (3,) [m]

        Source: [GASTEBOIS17] theorem 1, §6.2.1: J_v + Ṙ⊙t, here S_v + S_ω × t
        """
        J = self.motion[..., self.index(link), :, :].copy()
        J[..., :3, :] -= np.einsum("...ij,...jk->...ik", skew(self._at(link, point)), J[..., 3:, :])
        return J

    def jacobian_rate(self, link: str, point: object = (0.0, 0.0, 0.0)) -> Values:
        """∂J/∂q of the Jacobian at a point, the Hessian of the geometry. # (..., 6, n, n).

        Source: [GASTEBOIS17] theorem 9, eqs. (383), (384), (391): J̇ and R̈⊙t
        """
        rate = self.d_motion[..., self.index(link), :, :, :].copy()
        velocity = self.jacobian(link, point)[..., :3, :]
        turn = self.motion[..., self.index(link), 3:, :]
        arm = skew(self._at(link, point))
        rate[..., :3, :, :] -= np.einsum("...ij,...jkl->...ikl", arm, rate[..., 3:, :, :])
        rate[..., :3, :, :] += np.einsum(
            "...kij,...jl->...ikl", skew(np.swapaxes(turn, -1, -2)), velocity
        )
        return rate

    def gravity_torques(self, gravity: object) -> Values:
        """Joint torques that hold the robot still. # (..., n) [N m or N].

        Args:
            gravity: acceleration of gravity in base axes, perhaps one per state.
                # (3,) or (..., 3) [m/s²]

        Source: [GASTEBOIS17] eq. (233): G = -Σ J_vᵀ m g, where Σ m J_v is the linear momentum
        """
        g = np.asarray(gravity)
        return np.asarray(-np.einsum("...ij,...i->...j", self.momentum[..., :3, :], g))

    def lagrange(self, gravity: object) -> Lagrange:
        """The dynamic model: τ = A·qdd + Σ_{j<k} B·qd_j·qd_k + C·qd² + gravity.

        Args:
            gravity: acceleration of gravity in base axes. # (3,) or (..., 3) [m/s²]

        Source: [GASTEBOIS17] eq. (363), Christoffel symbols. Eqs. (229) and (230) print ∂a_ki/∂q_i
            for ∂a_ki/∂q_j in the second term.
        """
        d = self.d_mass_matrix
        twice = d + np.swapaxes(d, -1, -2) - np.moveaxis(d, -1, -3)  # (i, j, k): 2·c_jk,i
        pairs = np.triu(np.ones((self.dof, self.dof)), k=1)
        return Lagrange(
            A=self.mass_matrix,
            B=twice * pairs,
            C=np.asarray(0.5 * np.einsum("...ijj->...ij", twice)),
            gravity=self.gravity_torques(gravity),
        )

    def renamed(self, prefix: str) -> SubModel:
        """The same with ``prefix`` before every joint's and link's name; the base keeps its."""
        links = tuple(name if name == BASE_LINK else prefix + name for name in self.links)
        return self.with_values(joints=tuple(prefix + name for name in self.joints), links=links)

    def only(self, *links: str) -> SubModel:
        """The same with the motion of these links alone, and of the base."""
        kept = tuple(dict.fromkeys((BASE_LINK, *links)))
        places = [self.index(name) for name in kept]
        return self.with_values(
            links=kept,
            T=self.T[..., places, :, :],
            motion=self.motion[..., places, :, :],
            d_motion=self.d_motion[..., places, :, :, :],
        )

    def with_values(self, **changes: Any) -> SubModel:
        """The same with other values of some fields."""
        values = {item.name: getattr(self, item.name) for item in fields(self)}
        return SubModel(**(values | changes))

    def _at(self, link: str, point: object) -> Values:
        """Base coordinates of a point of a link. # (..., 3)."""
        T = self.pose(link)
        return np.asarray(
            T[..., :3, 3] + np.einsum("...ij,...j->...i", T[..., :3, :3], np.asarray(point))
        )


def _tails(n: int, links: int) -> dict[str, tuple[int, ...]]:
    """Shape of every array for one state."""
    return {
        "T": (links, 4, 4),
        "motion": (links, 6, n),
        "d_motion": (links, 6, n, n),
        "mass_matrix": (n, n),
        "d_mass_matrix": (n, n, n),
        "inertia": (6, 6),
        "d_inertia": (6, 6, n),
        "momentum": (6, n),
        "d_momentum": (6, n, n),
    }
