"""What is odd about a platform that can exist: told, not refused."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from robots.core.orientation import rotation_exp
from robots.stewart.inverse import leg_vectors
from robots.stewart.limits import violations
from robots.stewart.platform import Platform
from robots.stewart.singularity import conditioning

# At a regular pose the smallest singular value of the scaled Jacobian is some tenths.
_SINGULAR = 1e-9
_TRIALS = 20


def warnings(platform: Platform) -> tuple[str, ...]:
    """Sentences about limits that the home pose breaks, singular geometry and unreal bodies."""
    return (*_home_limits(platform), *_singular(platform), *_unreal(platform), *_turned(platform))


def _home_limits(platform: Platform) -> Iterator[str]:
    for found in violations(platform, platform.home):
        yield f"At the home pose {found.sentence}"


def _singular(platform: Platform) -> Iterator[str]:
    smallest = conditioning(platform, platform.home).smallest
    if smallest > _SINGULAR:
        return
    poses = np.tile(platform.home, (_TRIALS, 1, 1))
    rng = np.random.default_rng(0)
    size = float(np.abs(leg_vectors(platform, platform.home)).max())
    poses[:, :3, 3] += 0.1 * size * rng.uniform(-1.0, 1.0, (_TRIALS, 3))
    poses[:, :3, :3] @= rotation_exp(rng.uniform(-0.3, 0.3, (_TRIALS, 3)))
    if np.max(conditioning(platform, poses).smallest) <= _SINGULAR:
        yield (
            "The geometry is singular at every pose (as when base and platform are similar "
            "hexagons): no leg forces can hold the platform; change the pairing of the points."
        )
    else:
        yield "The home pose is singular: no leg forces can hold the platform there; move it."


def _unreal(platform: Platform) -> Iterator[str]:
    bodies = [("the platform", platform.body)]
    for leg in platform.legs:
        for what in ("cross", "cylinder", "piston", "end_cross", "end"):
            bodies.append((f"the {what} of leg {leg.name!r}", getattr(leg.bodies, what)))
    for what, body in bodies:
        for reason in body.inconsistencies():
            yield f"No real body is like {what}: {reason}."


def _turned(platform: Platform) -> Iterator[str]:
    """Legs along their universal joint's first axis at home."""
    along = leg_vectors(platform, platform.home)
    along /= np.linalg.norm(along, axis=-1, keepdims=True)
    for leg, direction in zip(platform.legs, along, strict=True):
        if np.linalg.norm(np.cross(leg.first_axis, direction)) < 1e-6:
            yield (
                f"Leg {leg.name!r} stands along the first axis of its universal joint at home, "
                "where that joint is singular; turn the axis across the leg."
            )
