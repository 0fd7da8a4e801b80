"""What a moving base adds to a robot's model: the step that all composite theorems share.

The robot stands on a frame that moves with variables of its own (``S`` and ``dS``: that frame's
motion and its derivative). In a chain these are the carrier's joints; in a base-distal change they
are the robot's own joints over again. Everything is expressed in the new base frame.

Source: [GASTEBOIS17] theorems 7 and 10 (chain), 8 and 11 (base-distal change). There the sums run
over bodies with J_v + Ṙ⊙t and J_ω apart; here over the robot as a whole, with S for both: α =
Sᵀ·inertia·S, β = Sᵀ·momentum. Theorem 7 prints I_k for I_0k in its hypothesis.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robots.core.composite.spatial import (
    Values,
    congruent,
    momentum_cross,
    momentum_transform,
    product,
)
from robots.core.composite.sub_model import SubModel


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FreeBase:
    """The blocks that a free base adds, with their derivatives by the robot's own variables."""

    inertia: Values  # (..., 6, 6)
    d_inertia: Values  # (..., 6, 6, n)
    momentum: Values  # (..., 6, n)
    d_momentum: Values  # (..., 6, n, n)


def seen_from(T: Values, robot: SubModel) -> FreeBase:
    """The robot's free-base blocks in the frame where its base stands at T, held still."""
    X = momentum_transform(T)
    rates = np.moveaxis(robot.d_inertia, -1, -3)
    turned = congruent(X[..., None, :, :], rates)
    return FreeBase(
        inertia=congruent(X, robot.inertia),
        d_inertia=np.moveaxis(turned, -3, -1),
        momentum=product(X, robot.momentum),
        d_momentum=np.asarray(np.einsum("...ij,...jkl->...ikl", X, robot.d_momentum)),
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Coupling:
    """Terms of m base variables and n own ones; ``_base`` and ``_own`` say what d is taken by."""

    alpha: Values  # the carried robot as a load of the base variables # (..., m, m)
    beta: Values  # base variables with own ones # (..., m, n)
    alpha_base: Values  # (..., m, m, m)
    alpha_own: Values  # (..., m, m, n)
    beta_base: Values  # (..., m, n, m)
    beta_own: Values  # (..., m, n, n)
    load: Values  # momentum that the base variables give the robot # (..., 6, m)
    load_base: Values  # (..., 6, m, m)
    load_own: Values  # (..., 6, m, n)
    inertia_base: Values  # (..., 6, 6, m)
    momentum_base: Values  # (..., 6, n, m)


def couple(S: Values, dS: Values, robot: FreeBase) -> Coupling:
    """Every term that the motion of the base brings.

    Args:
        S: motion of the base frame per base variable. # (..., 6, m)
        dS: its derivative by the base variables. # (..., 6, m, m)
        robot: already seen from the new base.
    """
    cross = momentum_cross(S)
    turned = product(cross, robot.inertia[..., None, :, :])
    inertia_base = np.moveaxis(turned + np.swapaxes(turned, -1, -2), -3, -1)
    momentum_base = np.einsum("...kij,...jl->...ilk", cross, robot.momentum)
    load = product(robot.inertia, S)
    load_base = _row(inertia_base, S) + np.einsum("...ij,...jkl->...ikl", robot.inertia, dS)
    load_own = _row(robot.d_inertia, S)
    return Coupling(
        alpha=_power(S, load),
        beta=_power(S, robot.momentum),
        alpha_base=_shared(dS, load) + _rates(S, load_base),
        alpha_own=_rates(S, load_own),
        beta_base=_shared(dS, robot.momentum) + _rates(S, momentum_base),
        beta_own=_rates(S, robot.d_momentum),
        load=load,
        load_base=np.asarray(load_base),
        load_own=load_own,
        inertia_base=inertia_base,
        momentum_base=np.asarray(momentum_base),
    )


def _power(S: Values, p: Values) -> Values:
    """Sᵀ·p. # (..., 6, m), (..., 6, n) -> (..., m, n)."""
    return np.asarray(np.einsum("...im,...in->...mn", S, p))


def _rates(S: Values, dp: Values) -> Values:
    """Sᵀ·∂p. # (..., m, n, k)."""
    return np.asarray(np.einsum("...im,...ink->...mnk", S, dp))


def _shared(dS: Values, p: Values) -> Values:
    """∂Sᵀ·p. # (..., m, n, k)."""
    return np.asarray(np.einsum("...imk,...in->...mnk", dS, p))


def _row(d_inertia: Values, S: Values) -> Values:
    """∂inertia·S. # (..., 6, m, k)."""
    return np.asarray(np.einsum("...ijk,...jm->...imk", d_inertia, S))
