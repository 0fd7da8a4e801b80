"""Symmetry: limbs that mirror each other, and the mirror image of a mechanism or of its model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from robots.core.composite.coupling import split
from robots.core.composite.sub_model import (
    BASE_LINK,
    SubModel,
    Values,
    congruent,
    product,
    sub_model,
)
from robots.core.errors import MechanismError, StateError
from robots.core.mechanism import BASE, Body, Joint, Mechanism
from robots.core.model import Model

TOLERANCE = 1e-9  # of the largest entry: a file's numbers are decimals, computed with rounding
_COMPARED = ("mass_matrix", "d_mass_matrix", "inertia", "d_inertia", "momentum", "d_momentum")


@dataclass(frozen=True, slots=True, kw_only=True)
class MirrorPair:
    """Two limbs of which one's model is the other's, reflected.

    Args:
        first: joint that begins the limb whose model serves both.
        second: joint that begins the other limb.
        link: that carries both; empty for the base.
        normal: of the plane of symmetry, axes of that link.
        signs: by which the second limb's variables become the first's. # (n,)
    """

    first: str
    second: str
    link: str
    normal: tuple[float, float, float]
    signs: tuple[float, ...]


def mirror_pairs(mechanism: Mechanism) -> tuple[MirrorPair, ...]:
    """All pairs of limbs on one link that are mirror images across a plane of the link's axes."""
    return tuple(
        found
        for parent in range(BASE, len(mechanism.joints))
        for first, second in combinations(_limbs(mechanism, parent), 2)
        for found in _pairs(mechanism, first, second)
    )


def _limbs(mechanism: Mechanism, parent: int) -> list[str]:
    return [joint.name for joint in mechanism.joints if joint.parent == parent]


def _pairs(mechanism: Mechanism, first: str, second: str) -> Iterator[MirrorPair]:
    try:
        parts = split(mechanism, first), split(mechanism, second)
    except MechanismError:
        return  # a limb that is the whole mechanism has no twin
    limb, twin = (Model(part.carried, "single-use") for part in parts)
    if not limb.dof or not _alike(limb.mechanism, twin.mechanism):
        return
    for axis in np.eye(3):
        signs = _signs(limb, twin, axis)
        if signs is not None and _same(limb, twin, axis, signs):
            yield MirrorPair(
                first=first,
                second=second,
                link=parts[0].link,
                normal=(float(axis[0]), float(axis[1]), float(axis[2])),
                signs=tuple(float(s) for s in signs),
            )


def _alike(a: Mechanism, b: Mechanism) -> bool:
    """Return whether the two trees have one shape."""
    shapes = [[(joint.kind, joint.parent) for joint in m.joints] for m in (a, b)]
    return shapes[0] == shapes[1]


def _signs(limb: Model, twin: Model, normal: np.ndarray) -> np.ndarray | None:
    """Which variables count the other way round, from the axes at q = 0; none: other axes."""
    zero = np.zeros(limb.dof)
    own, other = mirrored(sub_model(limb, zero), normal), sub_model(twin, zero)
    dots = np.array([_axis(own, j) @ _axis(other, j) for j in range(limb.dof)])
    sizes = np.array([_axis(own, j) @ _axis(own, j) for j in range(limb.dof)])
    fits = np.abs(np.abs(dots) - sizes) <= TOLERANCE * sizes
    return np.sign(dots) if fits.all() else None


def _axis(robot: SubModel, joint: int) -> np.ndarray:
    """The joint's own motion. # (6,)."""
    return np.asarray(robot.motion[robot.index(robot.joints[joint]), :, joint])


def _same(limb: Model, twin: Model, normal: np.ndarray, signs: np.ndarray) -> bool:
    """Return whether the reflected model is the twin's, at a posture without any special angle."""
    q = 0.3 + 0.17 * np.arange(limb.dof)
    own = mirrored(sub_model(limb, signs * q), normal)
    own = rearranged(own, own.joints, dict(zip(own.joints, signs.tolist(), strict=True)))
    other = sub_model(twin, q)
    for name in _COMPARED:
        a, b = getattr(own, name), getattr(other, name)
        if np.abs(a - b).max(initial=0.0) > TOLERANCE * max(1.0, np.abs(b).max(initial=0.0)):
            return False
    return True


# --------------------------------------------------------------------------------- Mirrored models
# The model of a left leg is the model of the right one reflected across the sagittal plane: the
# dynamic model is the same function of the same variables, positions and linear momenta are
# reflected, rotations and angular momenta reflected with a minus sign.
#
# Source: [GASTEBOIS17] §3.3: a locomotion system built from one leg's model; the reflection is ours


def mirrored(robot: SubModel, normal: object, flips: Mapping[str, str] | None = None) -> SubModel:
    """The robot reflected across a plane through its base origin, at the same q.

    A reflected frame is left-handed; the link frame that is given is the reflected one with one of
    its axes turned round, or all three. With "z", the default, or "xyz" each revolute joint still
    turns by +q about its frame's z axis; with "x" or "y" by -q.

    Args:
        robot: to reflect.
        normal: of the plane, base axes. # (3,)
        flips: axes of the link frame to turn round, by link, where they are not "z".

    Raises:
        StateError: a normal without a direction.
        MechanismError: a link that does not exist, or an axis that is none.
    """
    M = reflection(normal)
    D = np.zeros((6, 6))
    D[:3, :3], D[3:, 3:] = M, -M
    faces = _faces(robot, flips or {})
    T = robot.T.copy()
    R = robot.T[..., :3, :3]
    T[..., :3, :3] = np.einsum("ij,...ljk,lk->...lik", M, R, faces)
    T[..., :3, 3] = np.einsum("ij,...j->...i", M, robot.T[..., :3, 3])
    if BASE_LINK in robot.links:  # the robot stands on the same base frame as before
        T[..., robot.index(BASE_LINK), :, :] = np.eye(4)
    return robot.with_values(
        T=T,
        motion=product(D, robot.motion),
        d_motion=np.einsum("ij,...jkl->...ikl", D, robot.d_motion),
        inertia=congruent(D, robot.inertia),
        d_inertia=np.einsum("ia,...abk,jb->...ijk", D, robot.d_inertia, D),
        momentum=product(D, robot.momentum),
        d_momentum=np.einsum("ij,...jkl->...ikl", D, robot.d_momentum),
    )


def rearranged(robot: SubModel, joints: Sequence[str], signs: Mapping[str, float]) -> SubModel:
    """The same robot with its variables in another order, some counted the other way round.

    Args:
        robot: at q.
        joints: every joint's name, in the new order.
        signs: -1.0 for joints whose new variable is the negative of the old one.

    Raises:
        MechanismError: the names are not the robot's.
        StateError: a sign that is not ±1.
    """
    if sorted(joints) != sorted(robot.joints) or not set(signs) <= set(joints):
        raise MechanismError(
            f"The robot's joints are {', '.join(robot.joints)}; in another order they were given "
            f"as {', '.join(joints)}, with signs for {', '.join(signs) or 'none'}.",
            joints=tuple(joints),
        )
    s = np.array([signs.get(name, 1.0) for name in joints])
    if not np.all(np.abs(s) == 1.0):
        raise StateError(f"Signs of variables are +1 or -1, not {dict(signs)}.", signs=dict(signs))
    order = [robot.joints.index(name) for name in joints]
    pair = s[:, None] * s
    return robot.with_values(
        joints=tuple(joints),
        motion=robot.motion[..., order] * s,
        d_motion=_both(robot.d_motion, order) * pair,
        mass_matrix=_both(robot.mass_matrix, order) * pair,
        d_mass_matrix=_both(robot.d_mass_matrix, order)[..., order, :, :]
        * (s[:, None, None] * pair),
        d_inertia=robot.d_inertia[..., order] * s,
        momentum=robot.momentum[..., order] * s,
        d_momentum=_both(robot.d_momentum, order) * pair,
    )


def reflection(normal: object) -> Values:
    """Reflection across a plane through the origin. # (3, 3).

    Raises:
        StateError: a normal without a direction.
    """
    n = np.asarray(normal, dtype=np.float64)
    length = float(np.linalg.norm(n)) if n.shape == (3,) else 0.0
    if not (np.isfinite(length) and length > 0.0):
        raise StateError(
            f"The plane's normal is {normal!r}; give three finite numbers that are not all zero.",
            normal=normal,
        )
    n = n / length
    return np.asarray(np.eye(3) - 2.0 * np.outer(n, n))


def face(axes: str, link: str) -> Values:
    """Diagonal of a link's own reflection, the named axes turned round. # (3,).

    Raises:
        MechanismError: what is named is not one axis, nor all three.
    """
    if axes not in ("x", "y", "z", "xyz"):
        raise MechanismError(
            f'Link {link!r}: the axes to turn round are "x", "y", "z" or "xyz", not {axes!r}.',
            link=link,
        )
    return np.array([-1.0 if axis in axes else 1.0 for axis in "xyz"])


def _faces(robot: SubModel, flips: Mapping[str, str]) -> Values:
    """Diagonals of all links' reflections. # (L, 3)."""
    faces = np.tile(face("z", ""), (len(robot.links), 1))
    for link, axes in flips.items():
        faces[robot.index(link)] = face(axes, link)
    return faces


def _both(values: Values, order: list[int]) -> Values:
    return np.asarray(values[..., order, :][..., order])


# ----------------------------------------------------------------------------- Mirrored mechanisms
# It says what a source's ± signs mean: the bodies of a left leg are those of the right leg with the
# turned axes' coordinates negated. ``mirror`` does the same to a model's values without the data.


def mirrored_mechanism(
    mechanism: Mechanism, normal: object, flips: Mapping[str, str] | None = None
) -> Mechanism:
    """The mechanism reflected across a plane through its base origin.

    Args:
        mechanism: to reflect.
        normal: of the plane, base axes. # (3,)
        flips: axes of the link frame to turn round, by joint, where they are not "z"; a joint whose
            frame turns "x" or "y" round counts q the other way.

    Raises:
        StateError: a normal without a direction.
        MechanismError: what is named is not one axis, nor all three.
    """
    chosen = flips or {}
    M = reflection(normal)
    faces = [np.diag(face(chosen.get(j.name, "z"), j.name)) for j in mechanism.joints]
    joints = (
        _reflected(joint, M if joint.parent == BASE else faces[joint.parent], faces[k])
        for k, joint in enumerate(mechanism.joints)
    )
    return Mechanism(
        name=f"mirror image of {mechanism.name}",
        joints=tuple(joints),
        source=mechanism.source,
        gravity=np.array(mechanism.gravity),
        tool=_between(faces[mechanism.tool_joint], mechanism.tool, np.diag([1.0, 1.0, -1.0])),
        tool_joint=mechanism.tool_joint,
        masses_known=mechanism.masses_known,
    )


def _reflected(joint: Joint, outer: Values, own: Values) -> Joint:
    body = joint.body
    return replace(
        joint,
        placement=_between(outer, joint.placement, own),
        body=Body(mass=body.mass, com=own @ body.com, inertia=own @ body.inertia @ own, at=body.at),
    )


def _between(outer: Values, placement: Values, own: Values) -> Values:
    """A placement between two reflected frames. # (4, 4)."""
    found = np.eye(4)
    found[:3, :3] = outer @ placement[:3, :3] @ own
    found[:3, 3] = outer @ placement[:3, 3]
    return found
