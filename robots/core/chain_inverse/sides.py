"""Sides of postures of six turning axes: names for branches that no step of an inverse tells apart.

On which side of the first two axes the wrist stands, which way the elbow and the wrist are bent,
and the sign of the Jacobian's determinant are facts of a posture alone: whatever other postures its
pose has, and in whatever order, they stay until one of them passes zero. The determinant does so at
a singularity only. A side may do so at a regular posture, too: an arm without closed form mostly
has no more than two regions of regular postures, the two signs of the determinant, so that whatever
tells more than two postures apart must change on some way that crosses no singularity.
"""

from __future__ import annotations

from itertools import product

import numpy as np

from robots.core.arrays import Array, Mask
from robots.core.chain_inverse.chain import Chain

SIX = 6
FACTS = ("shoulder", "elbow", "wrist", "det")
NAMES = tuple(
    " ".join(f"{fact}{sign}" for fact, sign in zip(FACTS, signs, strict=True))
    for signs in product("+-", repeat=len(FACTS))
)
# Of values without units: what stands exactly between two sides is on the first, rounding aside.
_ZERO = 1e-9
_PARALLEL = 1e-9  # squared sine of two axes


def has_sides(chain: Chain) -> bool:
    """Whether a chain is six axes that turn."""
    return chain.size == SIX and all(chain.revolute)


def sides(chain: Chain, q: Array) -> Mask:
    """Which of the facts are positive or zero, by posture.

    Args:
        chain: of six axes that turn.
        q: postures, with or without the joints of the task, of which these facts do not depend.
            # (N, n) [rad]

    Returns:
        In the order of ``FACTS``. # (N, 4)
    """
    whole = np.zeros((len(q), SIX))
    whole[:, : q.shape[1]] = q
    J = chain.jacobian(whole)
    J[:, :3] /= chain.length
    axes = [J[:, 3:, k] for k in range(SIX)]
    # Points of the axes, seen from the tool: those nearest to it.
    points = [np.cross(J[:, 3:, k], J[:, :3, k]) for k in range(SIX)]

    def towards(k: int, other: int) -> Array:
        """The point of axis k that is nearest to another axis. # (N, 3)."""
        normal = np.cross(axes[k], axes[other])
        square = np.sum(normal**2, axis=1)
        along = np.sum(np.cross(points[other] - points[k], axes[other]) * normal, axis=1)
        along = np.where(square > _PARALLEL, along / np.maximum(square, _PARALLEL), 0.0)
        return np.asarray(points[k] + along[:, None] * axes[k])

    shoulder, elbow, wrist = towards(1, 0), towards(2, 3), towards(3, 4)
    bent = np.cross(elbow - shoulder, wrist - elbow)
    facts = [
        np.sum((wrist - points[0]) * np.cross(axes[0], axes[1]), axis=1),
        np.sum(axes[2] * bent, axis=1),
        np.sum(axes[4] * np.cross(axes[3], axes[5]), axis=1),
        np.linalg.det(J),
    ]
    return np.asarray(np.stack(facts, axis=1) >= -_ZERO)


def side_names(chain: Chain, q: Array) -> list[str]:
    """Names of all postures of one pose; of those alike the second, third, … by joints are counted.

    Args:
        chain: of six axes that turn.
        q: in the order of the joints. # (N, n) [rad]
    """
    places = np.where(sides(chain, q), 0, 1) @ (1 << np.arange(len(FACTS))[::-1])
    found: list[str] = []
    for k, place in enumerate(places.tolist()):
        alike = 1 + int(np.sum(places[:k] == place))
        found.append(NAMES[place] if alike == 1 else f"{NAMES[place]} ({alike})")
    return found
