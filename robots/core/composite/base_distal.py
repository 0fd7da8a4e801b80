"""Base-distal change: the model of a robot seen from its other end, or from any of its links.

The variables stay what they are; a link (the foot on the ground, say) becomes the base, and the
former base becomes a link that moves. It is the chain's step once more: the former base is carried
by a frame that moves with the same variables, so the derivatives by base and own variables add.

Source: [GASTEBOIS17] theorems 4, 5 (Jacobians), 8 (inertia), 11 (Coriolis), 13 (gravity). Errata,
all in the angular part: theorem 4 prints J_ω_i0 = R_i0·J_ω_0i, the sign is lost (seen from i, frame
0 turns the other way); theorem 5 prints R_i0·J_ω_0k, right is R_i0·(J_ω_0k - J_ω_0i); theorem 8
therefore keeps A_ω unchanged, right is Σ (J_ω_0k - J_ω_0i)ᵀ·I_0k·(J_ω_0k - J_ω_0i); theorem 11
differentiates the wrong A_ω, and writes one symbol Ṙ⊙J_v for ∂R/∂q_a·J_b in α̇1 and β̇2 and for
∂R/∂q_b·J_a in β̇1. The thesis leaves the base body out (after eq. 351); ``inertia`` holds it here.
"""

from __future__ import annotations

import numpy as np

from robots.core.composite.coupling import Coupling, FreeBase, couple, seen_from
from robots.core.composite.spatial import (
    Values,
    inverse_pose,
    motion_cross,
    motion_transform,
    product,
)
from robots.core.composite.sub_model import BASE_LINK, SubModel
from robots.core.mechanism import checked_placement

FORMER_BASE = "former base"


def base_distal_change(
    robot: SubModel,
    link: str,
    placement: object | None = None,
    former_base: str = FORMER_BASE,
) -> SubModel:
    """The same robot, at the same q, with a frame of ``link`` as its base.

    Args:
        robot: seen from its present base.
        link: which becomes the base.
        placement: pose of the new base frame in that link; the link's own frame when not given.
            # (4, 4)
        former_base: the name that the present base takes among the links.

    Raises:
        MechanismError: a link that does not exist, or a placement that is no rigid transform.
    """
    place = robot.index(link)
    end = np.eye(4) if placement is None else checked_placement(placement, link)
    T = inverse_pose(product(robot.T[..., place, :, :], end))
    S, dS = _reversed(T, robot.motion[..., place, :, :], robot.d_motion[..., place, :, :, :])
    carried = seen_from(T, robot)
    return _dynamics(robot, carried, couple(S, dS, carried)).with_values(
        **_links(robot, (T, S, dS), former_base)
    )


def _reversed(T: Values, S: Values, dS: Values) -> tuple[Values, Values]:
    """Motion of the former base seen from the new one, and its derivative.

    The linear part is theorem 4's; the angular part carries the minus sign that it lost.
    """
    X = motion_transform(T)
    back = -product(X, S)
    turned = np.einsum("...kij,...jn->...ink", motion_cross(back), back)
    return back, np.asarray(turned - np.einsum("...ij,...jnk->...ink", X, dS))


def _dynamics(robot: SubModel, carried: FreeBase, c: Coupling) -> SubModel:
    """A + α + β + βᵀ and all that goes with it.

    Source: [GASTEBOIS17] eq. (351), with α and β over linear and angular parts
    """
    d_beta = c.beta_base + c.beta_own
    return robot.with_values(
        mass_matrix=robot.mass_matrix + c.alpha + c.beta + np.swapaxes(c.beta, -1, -2),
        d_mass_matrix=robot.d_mass_matrix
        + c.alpha_base
        + c.alpha_own
        + d_beta
        + np.swapaxes(d_beta, -3, -2),
        inertia=carried.inertia,
        d_inertia=carried.d_inertia + c.inertia_base,
        momentum=carried.momentum + c.load,
        d_momentum=carried.d_momentum + c.momentum_base + c.load_base + c.load_own,
    )


def _links(
    robot: SubModel, frame: tuple[Values, Values, Values], former_base: str
) -> dict[str, object]:
    """Motions of all links seen from the new base.

    Source: [GASTEBOIS17] theorem 5, eq. (309), with J_ω_0k - J_ω_0i
    """
    T, S, dS = frame
    names = tuple(former_base if name == BASE_LINK else name for name in robot.links)
    own = np.einsum("...ij,...ljn->...lin", motion_transform(T), robot.motion)
    d_own = np.einsum("...ij,...ljnk->...link", motion_transform(T), robot.d_motion)
    turned = np.einsum("...kij,...ljn->...link", motion_cross(S), own)
    new = np.zeros((*T.shape[:-2], 1, 4, 4), dtype=T.dtype)
    new[..., 0, :, :] = np.eye(4)
    moved = own + S[..., None, :, :]
    rates = dS[..., None, :, :, :] + turned + d_own
    return {
        "links": (*names, BASE_LINK),
        "T": np.concatenate([product(T[..., None, :, :], robot.T), new], axis=-3),
        "motion": np.concatenate([moved, np.zeros_like(moved[..., :1, :, :])], axis=-3),
        "d_motion": np.concatenate([rates, np.zeros_like(rates[..., :1, :, :, :])], axis=-4),
    }
