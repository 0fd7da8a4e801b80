"""Finding limbs that are each other's mirror image: two subtrees on one link, such as two legs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from robots.core.composite.mirror import mirrored, rearranged
from robots.core.composite.own_model import sub_model
from robots.core.composite.splitting import split
from robots.core.composite.sub_model import SubModel
from robots.core.errors import MechanismError
from robots.core.mechanism import BASE, Mechanism
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
    """Whether the two trees have one shape."""
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
    """Whether the reflected model is the twin's, at a posture without any special angle."""
    q = 0.3 + 0.17 * np.arange(limb.dof)
    own = mirrored(sub_model(limb, signs * q), normal)
    own = rearranged(own, own.joints, dict(zip(own.joints, signs.tolist(), strict=True)))
    other = sub_model(twin, q)
    for name in _COMPARED:
        a, b = getattr(own, name), getattr(other, name)
        if np.abs(a - b).max(initial=0.0) > TOLERANCE * max(1.0, np.abs(b).max(initial=0.0)):
            return False
    return True
