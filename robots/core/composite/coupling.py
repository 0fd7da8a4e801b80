"""Coupling of sub-robots: chains, trees, change of base, and cuts.

Source: [GASTEBOIS17] theorems 2, 3 (Jacobians), 7 (inertia), 10 (Coriolis), 12 (gravity). Errata:
theorem 2 prints the first column of J_ω with R_0→i for R_0→1; theorem 3's J = ∂t/∂q holds for the
linear rows only; theorem 12 and eq. (245) print G_0i for G_0j on the left. Trees are left open
there (§3.9); here a carrier's link may carry any number of robots, one attached after the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from robots.core.composite.sub_model import (
    BASE_LINK,
    SubModel,
    Values,
    congruent,
    inverse_pose,
    momentum_cross,
    momentum_transform,
    motion_cross,
    motion_transform,
    product,
)
from robots.core.errors import MechanismError, StateError
from robots.core.mechanism import BASE, Joint, JointKind, Mechanism, checked_placement


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MountedRobot:
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


def tree(root: SubModel, branches: Sequence[MountedRobot]) -> SubModel:
    """A root with robots on its links; a branch may stand on a link of a branch before it.

    Raises:
        MechanismError: a link that does not exist, or a name that exists twice.
        StateError: sub-robots at different numbers of states.
    """
    for branch in branches:
        root = chain(root, branch)
    return root


def chain(carrier: SubModel, branch: MountedRobot) -> SubModel:
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


def _joined(a: SubModel, b: SubModel, robot: FreeBaseBlocks, c: Coupling) -> SubModel:
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


# ------------------------------------------------------------------------------ Base-distal change
# The variables stay what they are; a link (the foot on the ground, say) becomes the base, and the
# former base becomes a link that moves. It is the chain's step once more: the former base is
# carried by a frame that moves with the same variables, so the derivatives by base and own
# variables add.
#
# Source: [GASTEBOIS17] theorems 4, 5 (Jacobians), 8 (inertia), 11 (Coriolis), 13 (gravity). Errata,
# all in the angular part: theorem 4 prints J_ω_i0 = R_i0·J_ω_0i, the sign is lost (seen from i,
# frame 0 turns the other way); theorem 5 prints R_i0·J_ω_0k, right is R_i0·(J_ω_0k - J_ω_0i);
# theorem 8 therefore keeps A_ω unchanged, right is Σ (J_ω_0k - J_ω_0i)ᵀ·I_0k·(J_ω_0k - J_ω_0i);
# theorem 11 differentiates the wrong A_ω, and writes one symbol Ṙ⊙J_v for ∂R/∂q_a·J_b in α̇1 and
# β̇2 and for ∂R/∂q_b·J_a in β̇1. The thesis leaves the base body out (after eq. 351); ``inertia``
# holds it here.

FORMER_BASE = "former base"


def base_distal_change(
    robot: SubModel, link: str, placement: object | None = None, former_base: str = FORMER_BASE
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
        **_base_distal_links(robot, (T, S, dS), former_base)
    )


def _reversed(T: Values, S: Values, dS: Values) -> tuple[Values, Values]:
    """Motion of the former base seen from the new one, and its derivative.

    The linear part is theorem 4's; the angular part carries the minus sign that it lost.
    """
    X = motion_transform(T)
    back = -product(X, S)
    turned = np.einsum("...kij,...jn->...ink", motion_cross(back), back)
    return back, np.asarray(turned - np.einsum("...ij,...jnk->...ink", X, dS))


def _dynamics(robot: SubModel, carried: FreeBaseBlocks, c: Coupling) -> SubModel:
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


def _base_distal_links(
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


# ------------------------------------------------------------------------------------- Moving base
# The robot stands on a frame that moves with variables of its own (``S`` and ``dS``: that frame's
# motion and its derivative). In a chain these are the carrier's joints; in a base-distal change
# they are the robot's own joints over again. Everything is expressed in the new base frame.
#
# Source: [GASTEBOIS17] theorems 7 and 10 (chain), 8 and 11 (base-distal change). There the sums run
# over bodies with J_v + Ṙ⊙t and J_ω apart; here over the robot as a whole, with S for both: α =
# Sᵀ·inertia·S, β = Sᵀ·momentum. Theorem 7 prints I_k for I_0k in its hypothesis.


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FreeBaseBlocks:
    """The blocks that a free base adds, with their derivatives by the robot's own variables."""

    inertia: Values  # (..., 6, 6)
    d_inertia: Values  # (..., 6, 6, n)
    momentum: Values  # (..., 6, n)
    d_momentum: Values  # (..., 6, n, n)


def seen_from(T: Values, robot: SubModel) -> FreeBaseBlocks:
    """The robot's free-base blocks in the frame where its base stands at T, held still."""
    X = momentum_transform(T)
    rates = np.moveaxis(robot.d_inertia, -1, -3)
    turned = congruent(X[..., None, :, :], rates)
    return FreeBaseBlocks(
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


def couple(S: Values, dS: Values, robot: FreeBaseBlocks) -> Coupling:
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


# ----------------------------------------------------------------------------------- Floating base
# Source: [GASTEBOIS17] §4: a body of the robot is attached to a passive virtual robot that stands
# in the world frame, coupled by the theorem on serial chains

# World axes that the joints slide along or turn about, in this order.
_ORDER = ("x", "y", "z", "roll", "pitch", "yaw")
_AXES = {
    "x": [[0, 0, 1], [1, 0, 0], [0, 1, 0]],
    "y": [[0, 1, 0], [0, 0, 1], [1, 0, 0]],
    "z": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
}
_SLIDES = 3


def floating_base(gravity: object, prefix: str = "base ") -> Mechanism:
    """Slides along x, y, z, then turns about x, y', z''; the last link's axes are the world's at 0.

    Singular as any three angles are: at ±90° of pitch.

    Args:
        gravity: in world axes. # (3,) [m/s²]
        prefix: before the joints' names.
    """
    joints = []
    before = np.eye(3)
    for k, name in enumerate(_ORDER):
        slides = k < _SLIDES
        axes = np.array(_AXES["xyz"[k % _SLIDES]], dtype=np.float64)
        joints.append(
            Joint(
                name=prefix + name,
                kind=JointKind.PRISMATIC if slides else JointKind.REVOLUTE,
                parent=k - 1 if k else BASE,
                placement=_turned(before.T @ axes),
            )
        )
        before = axes
    return Mechanism(name="floating base", joints=tuple(joints), gravity=np.asarray(gravity))


def _turned(R: Values) -> Values:
    placement = np.eye(4)
    placement[:3, :3] = R
    return placement


# -------------------------------------------------------------------------------------------- Cuts


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RobotSplit:
    """A carrier, and a carried robot whose base is one of the carrier's links.

    Args:
        carrier: what is left of the mechanism.
        carried: the subtree that the cut joint begins; that joint is its first.
        link: of the carrier, on which the carried robot stands; empty for the carrier's base.
    """

    carrier: Mechanism
    carried: Mechanism
    link: str


def split(mechanism: Mechanism, joint: str) -> RobotSplit:
    """Cut before a joint: it and all that hangs on it become a robot of their own.

    Raises:
        MechanismError: no such joint, or nothing remains to carry it.
    """
    first = mechanism.index(joint)
    inside = _subtree(mechanism, first)
    outside = [k for k in range(len(mechanism.joints)) if k not in inside]
    if not outside:
        raise MechanismError(
            f"Mechanism {mechanism.name!r} hangs on joint {joint!r} as a whole, so nothing remains "
            "to carry it; cut at a joint farther out.",
            joint=joint,
        )
    parent = mechanism.joints[first].parent
    return RobotSplit(
        carrier=_part(mechanism, outside, f"{mechanism.name} before {joint}"),
        carried=_part(mechanism, sorted(inside), f"{mechanism.name} from {joint}"),
        link="" if parent == BASE else mechanism.joints[parent].name,
    )


def joined(
    carrier: Mechanism, carried: Mechanism, *, link: str = "", placement: object | None = None
) -> Mechanism:
    """Two mechanisms as one, with the carrier's gravity and the carried robot's tool.

    Args:
        carrier: keeps its base.
        carried: stands on a link of the carrier.
        link: of the carrier; empty for its base.
        placement: pose of the carried robot's base in that link; none for the link's own.
            # (4, 4)

    Raises:
        MechanismError: no such link, a name that exists twice, or a placement that is no pose.
    """
    at = BASE if not link else carrier.index(link)
    place = np.eye(4) if placement is None else checked_placement(placement, link)
    shift = len(carrier.joints)
    mounted = (
        replace(joint, parent=at, placement=place @ joint.placement)
        if joint.parent == BASE
        else replace(joint, parent=joint.parent + shift)
        for joint in carried.joints
    )
    return Mechanism(
        name=f"{carrier.name} with {carried.name}",
        joints=(*carrier.joints, *mounted),
        source=carried.source,
        gravity=np.array(carrier.gravity),
        tool=np.array(carried.tool),
        tool_joint=carried.tool_joint + shift,
        masses_known=carrier.masses_known and carried.masses_known,
    )


def without(mechanism: Mechanism, joints: Sequence[str]) -> Mechanism:
    """The mechanism without the subtrees that these joints begin.

    Raises:
        MechanismError: no such joint, or nothing remains.
    """
    gone: set[int] = set()
    for name in joints:
        gone |= _subtree(mechanism, mechanism.index(name))
    kept = [k for k in range(len(mechanism.joints)) if k not in gone]
    if not kept:
        raise MechanismError(
            f"Mechanism {mechanism.name!r} without what hangs on {', '.join(joints)} is empty; "
            "leave something standing.",
            joints=tuple(joints),
        )
    return _part(mechanism, kept, f"{mechanism.name} without {', '.join(joints)}")


def variables_of(mechanism: Mechanism, part: Mechanism) -> tuple[int, ...]:
    """Places of a part's variables in the q of the whole, found by the joints' names."""
    names = [joint.name for joint in mechanism.movable]
    return tuple(names.index(joint.name) for joint in part.movable)


def _subtree(mechanism: Mechanism, first: int) -> set[int]:
    inside = {first}
    for k, joint in enumerate(mechanism.joints):
        if joint.parent in inside:
            inside.add(k)
    return inside


def _part(mechanism: Mechanism, kept: list[int], name: str) -> Mechanism:
    """The kept joints as a mechanism; a parent that is not kept becomes the base."""
    place = {old: new for new, old in enumerate(kept)}
    joints: list[Joint] = [
        replace(mechanism.joints[k], parent=place.get(mechanism.joints[k].parent, BASE))
        for k in kept
    ]
    return Mechanism(
        name=name,
        joints=tuple(joints),
        source=mechanism.source,
        gravity=np.array(mechanism.gravity),
        masses_known=mechanism.masses_known,
    )
