"""All 40 solutions of one generic complex platform, found by walking around branch points.

A platform that fits a random solution is made up; then its parameters walk over the edges of a
graph of random platforms. Round trips permute the solutions, and the group of these permutations
is transitive (the solutions form one irreducible set), so one solution leads to all of them. The
number to reach is known: 40 (Wampler 1996). Nothing is stored: it is computed once per process
from a fixed seed, and checked.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from robots.stewart.errors import PlatformError
from robots.stewart.modes.study import LegGeometry, Numbers, leg_matrices, quadratic_forms
from robots.stewart.modes.tracking import make_homotopy, track

GENERIC_MODES = 40
CORNERS = 5
MOST_SWEEPS = 12
SAME = 1e-6


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StartSystem:
    """A generic platform with every solution of it.

    Args:
        legs: complex parameters.
        x: the solutions, scaled to c·x = 1. # (40, 8) complex
        patch: the random c. # (8,) complex
        residual: largest |f| of all, relative to |x|².
    """

    legs: LegGeometry
    x: Numbers
    patch: Numbers
    residual: float


@cache
def start_system(seed: int = 1998) -> StartSystem:
    """The 40 solutions of the generic platform that the seed gives.

    Raises:
        PlatformError: the walk did not find all of them (never seen), so nothing may be built on
            it; another seed gives another walk.
    """
    random = np.random.default_rng(seed)
    patch = _complex(random, 8)
    corners, found = _corners(random, patch)
    for _ in range(MOST_SWEEPS):
        if len(found[0]) == GENERIC_MODES:
            break
        _sweep(corners, found, patch)
    x = found[0]
    values = np.einsum("pi,kij,pj->pk", x, quadratic_forms(corners[0]), x)
    residual = float(np.max(np.abs(values)) / np.min(np.linalg.norm(x, axis=-1)) ** 2)
    if len(x) != GENERIC_MODES or residual > 1e-9:
        raise PlatformError(
            f"The start system of seed {seed} has {len(x)} solutions with residual {residual:.1e}; "
            f"{GENERIC_MODES} below 1e-9 are needed; use another seed.",
            seed=seed,
            found=len(x),
        )
    return StartSystem(legs=corners[0], x=x, patch=patch, residual=residual)


def _complex(random: np.random.Generator, *shape: int) -> Numbers:
    parts = random.normal(size=(2, *shape)) / np.sqrt(2.0)
    return np.asarray(parts[0] + 1j * parts[1])


def _corners(
    random: np.random.Generator, patch: Numbers
) -> tuple[list[LegGeometry], list[Numbers]]:
    """Random platforms; the first fits one known solution, the others have none yet."""
    q, g = _complex(random, 4), _complex(random, 4)
    g = g - q * (q @ g) / (q @ q)
    corners: list[LegGeometry] = []
    for _ in range(CORNERS):
        base, platform = _complex(random, 6, 3), _complex(random, 6, 3)
        closed = g + leg_matrices(base, platform) @ q
        squares = np.sum(closed * closed, axis=-1) / (q @ q) if not corners else _complex(random, 6)
        corners.append(LegGeometry(base=base, platform=platform, squares=squares))
    x = np.concatenate([q, g])[None]
    none = np.zeros((0, 8), dtype=np.complex128)
    return corners, [x / (x @ patch)[:, None], *(none for _ in corners[1:])]


def _sweep(corners: list[LegGeometry], found: list[Numbers], patch: Numbers) -> None:
    """Carry everything known over every edge, both ways, and keep what is new."""
    for j in range(len(corners)):
        for k in range(len(corners)):
            if j == k or len(found[j]) == 0 or len(found[0]) == GENERIC_MODES:
                continue
            if len(found[k]) == GENERIC_MODES:
                continue
            paths = track(make_homotopy(corners[j], corners[k], patch), found[j])
            found[k] = distinct(np.concatenate([found[k], paths.x[paths.arrived]]))


def distinct(x: Numbers) -> Numbers:
    """The first of each group of equal solutions on a patch. # (fewer, 8)."""
    kept: list[Numbers] = []
    for row in x:
        size = np.linalg.norm(row)
        if all(np.linalg.norm(row - other) > SAME * size for other in kept):
            kept.append(row)
    return np.array(kept)
