"""Symmetry: a sub-robot's mirror image, and a model with its variables in another order or sign.

The model of a left leg is the model of the right one reflected across the sagittal plane: the
dynamic model is the same function of the same variables, positions and linear momenta are
reflected, rotations and angular momenta reflected with a minus sign.

Source: [GASTEBOIS17] §3.3: a locomotion system built from one leg's model; the reflection is ours
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from robots.core.composite.spatial import Values, congruent, product
from robots.core.composite.sub_model import BASE_LINK, SubModel
from robots.core.errors import MechanismError, StateError


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
