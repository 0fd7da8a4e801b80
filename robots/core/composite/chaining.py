"""Chains and trees: a robot that carries another on one of its links.

Source: [GASTEBOIS17] theorems 2, 3 (Jacobians), 7 (inertia), 10 (Coriolis), 12 (gravity). Errata:
theorem 2 prints the first column of J_ω with R_0→i for R_0→1; theorem 3's J = ∂t/∂q holds for the
linear rows only; theorem 12 and eq. (245) print G_0i for G_0j on the left. Trees are left open
there (§3.9); here a carrier's link may carry any number of robots, one attached after the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from robots.core.composite.coupling import Coupling, FreeBase, couple, seen_from
from robots.core.composite.spatial import Values, motion_cross, motion_transform, product
from robots.core.composite.sub_model import BASE_LINK, SubModel
from robots.core.errors import StateError
from robots.core.mechanism import checked_placement


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Branch:
    """A sub-robot and where it is mounted.

    Args:
        robot: the carried sub-robot; its links and joints have names of their own.
        link: of the carrier; the carrier's base when not given.
        placement: pose of the carried robot's base in that link. # (4, 4)

    Raises:
        MechanismError: a placement that is no rigid transform.
    """

    robot: SubModel
    link: str = BASE_LINK
    placement: Values = field(default_factory=lambda: np.eye(4))

    def __post_init__(self) -> None:
        object.__setattr__(self, "placement", checked_placement(self.placement, self.link))


def tree(root: SubModel, branches: Sequence[Branch]) -> SubModel:
    """A root with robots on its links; a branch may stand on a link of a branch before it.

    Raises:
        MechanismError: a link that does not exist, or a name that exists twice.
        StateError: sub-robots at different numbers of states.
    """
    for branch in branches:
        root = chain(root, branch)
    return root


def chain(carrier: SubModel, branch: Branch) -> SubModel:
    """The robot made of a carrier and a robot mounted on one of its links; q is (carrier, carried).

    Raises:
        MechanismError: a link that does not exist, or a name that exists twice.
        StateError: the two at different numbers of states.
    """
    carried, place = branch.robot, carrier.index(branch.link)
    states = carrier.mass_matrix.shape[:-2], carried.mass_matrix.shape[:-2]
    if states[0] != states[1]:
        raise StateError(
            f"The carrier is given at {states[0]} states and the carried robot at {states[1]}; "
            "evaluate both at the same states.",
            carrier=states[0],
            carried=states[1],
        )
    T = product(carrier.T[..., place, :, :], branch.placement)
    S, dS = carrier.motion[..., place, :, :], carrier.d_motion[..., place, :, :, :]
    robot = seen_from(T, carried)
    return _joined(carrier, carried, robot, couple(S, dS, robot)).with_values(
        **_links(carrier, carried, (T, S, dS))
    )


def _joined(a: SubModel, b: SubModel, robot: FreeBase, c: Coupling) -> SubModel:
    """The carrier with the composite's joints and dynamics, no link kept.

    α and β are those of theorem 7, their derivatives those of theorem 10.
    """
    beta_t = np.swapaxes(c.beta, -1, -2)
    A = _blocks(a.mass_matrix + c.alpha, c.beta, beta_t, b.mass_matrix)
    zero_carrier = np.zeros((*a.mass_matrix.shape, b.dof), dtype=a.mass_matrix.dtype)
    zero_carried = np.zeros((*b.mass_matrix.shape, a.dof), dtype=a.mass_matrix.dtype)
    d_alpha = _last(a.d_mass_matrix + c.alpha_base, zero_carrier + c.alpha_own)
    d_beta = _last(c.beta_base, c.beta_own)
    d_beta_t = np.swapaxes(d_beta, -3, -2)
    d_carried = _last(zero_carried, b.d_mass_matrix)
    d_momentum = _columns(
        _last(a.d_momentum + c.load_base, c.load_own), _last(c.momentum_base, robot.d_momentum)
    )
    return a.with_values(
        joints=a.joints + b.joints,
        links=(),
        T=a.T[..., :0, :, :],
        motion=np.zeros((*a.motion.shape[:-3], 0, 6, a.dof + b.dof)),
        d_motion=np.zeros((*a.motion.shape[:-3], 0, 6, a.dof + b.dof, a.dof + b.dof)),
        mass_matrix=A,
        d_mass_matrix=np.concatenate(
            [_columns(d_alpha, d_beta), _columns(d_beta_t, d_carried)], axis=-3
        ),
        inertia=a.inertia + robot.inertia,
        d_inertia=_last(a.d_inertia + c.inertia_base, robot.d_inertia),
        momentum=_last(a.momentum + c.load, robot.momentum),
        d_momentum=d_momentum,
    )


def _links(a: SubModel, b: SubModel, mount: tuple[Values, Values, Values]) -> dict[str, object]:
    """Motions of both robots' links; the carried base goes, being the carrier's link.

    Source: [GASTEBOIS17] theorems 2 and 3: J = (J_0i + Ṙ⊙t, R·J_ij). Taken at the base origin the
        first block is the mounting link's motion as it is.
    """
    T, S, dS = mount
    m, n = a.dof, b.dof
    kept = [k for k, name in enumerate(b.links) if name != BASE_LINK]
    X = motion_transform(T)
    own = np.einsum("...ij,...ljn->...lin", X, b.motion[..., kept, :, :])
    first = np.zeros((*own.shape[:-1], m), dtype=own.dtype) + S[..., None, :, :]
    rates = np.zeros((*own.shape[:-1], m + n, m + n), dtype=own.dtype)
    rates[..., :m, :m] = dS[..., None, :, :, :]
    rates[..., m:, :m] = np.einsum("...kij,...ljn->...link", motion_cross(S), own)
    rates[..., m:, m:] = np.einsum("...ij,...ljnk->...link", X, b.d_motion[..., kept, :, :, :])
    still = np.zeros((*a.motion.shape[:-1], n), dtype=a.motion.dtype)
    carried_T = product(T[..., None, :, :], b.T[..., kept, :, :])
    return {
        "links": a.links + tuple(b.links[k] for k in kept),
        "T": np.concatenate([a.T, carried_T], axis=-3),
        "motion": np.concatenate([_last(a.motion, still), _last(first, own)], axis=-3),
        "d_motion": np.concatenate([_padded(a.d_motion, n), rates], axis=-4),
    }


def _padded(dS: Values, n: int) -> Values:
    """∂S of links that n further variables do not move."""
    m = dS.shape[-1]
    found = np.zeros((*dS.shape[:-2], m + n, m + n), dtype=dS.dtype)
    found[..., :m, :m] = dS
    return found


def _blocks(a: Values, b: Values, c: Values, d: Values) -> Values:
    return np.concatenate([_last(a, b), _last(c, d)], axis=-2)


def _last(a: Values, b: Values) -> Values:
    return np.concatenate([a, b], axis=-1)


def _columns(a: Values, b: Values) -> Values:
    """Two blocks one after the other along the axis before the derivative's."""
    return np.concatenate([a, b], axis=-2)
