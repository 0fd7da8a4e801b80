"""Assembly modes: every real posture for given leg lengths, by continuation, certified.

The 40 solutions of a generic complex platform are followed into this one (coefficient-parameter
continuation, Morgan and Sommese): each isolated posture is the end of at least one of the 40
paths, whatever the geometry. Each end is then certified on its own by ``certificate``: real,
complex, or neither. Special geometries (6-3, 3-3, …) have fewer postures; there the other paths
leave the set of poses (|q|² → 0).

What is proved and what is not: each posture that is returned, and that they differ, is proved. That
none is missing is proved when all 40 ends are certified, since no platform has more isolated ones;
with fewer ends it rests on the paths having been followed rightly, which is checked (no end twice)
but not proved.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import ArrayLike

from robots.core.arrays import Array, freeze_fields
from robots.stewart.errors import PlatformError
from robots.stewart.forward import (
    UNKNOWNS,
    HeldPoses,
    LegGeometry,
    Numbers,
    ScaledGeometry,
    certify,
    leg_matrices,
    newton_step,
    pose_of_parameters,
    quadratic_forms,
    scaled_geometry,
    study_quadric,
    with_unit,
)
from robots.stewart.platform import LEGS, Platform

# (tolerance of the predictor, seed of the start system), from quick to careful
ATTEMPTS = ((1e-4, 1998), (1e-6, 1998), (1e-6, 40))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AssemblyModes:
    """The real postures, the highest first, and the account of all 40 paths.

    Args:
        T: T_base_platform of each. # (n, 4, 4)
        residual: largest error of a leg length. # (n,) [m]
        kantorovich: of the certificate, below 1: the smaller the surer. # (n,)
        complex_count: certified solutions that are not real.
        vanished: paths that left the set of poses: the geometry has fewer than 40 postures.
        unresolved: paths without a certified end: a singular posture, or a double one.
        complete: whether all 40 paths are accounted for.
        statement: what the count rests on, in a sentence.
    """

    T: Array
    residual: Array
    kantorovich: Array
    complex_count: int
    vanished: int
    unresolved: int
    complete: bool
    statement: str

    def __post_init__(self) -> None:
        freeze_fields(self, "T", "residual", "kantorovich", dtype=np.float64)

    @property
    def count(self) -> int:
        """Of certified real postures."""
        return len(self.T)


def held_modes(platform: Platform, lengths: ArrayLike) -> HeldPoses:
    """Every pose that leg lengths hold; all are certified. Args: lengths. # (6,) [m]."""
    found = assembly_modes(platform, lengths)
    return HeldPoses(
        T=found.T,
        residual=found.residual,
        certified=np.ones(found.count, dtype=np.bool_),
        statement=found.statement,
    )


def assembly_modes(platform: Platform, lengths: ArrayLike) -> AssemblyModes:
    """All real postures with the given lengths; none at all is an answer too.

    Args:
        platform: limits of strokes and joints are not considered.
        lengths: A to B. # (6,) [m]

    Raises:
        PlatformError: lengths of another shape, not finite, or not positive.

    Source: Wampler 1996 and Husty 1996 (40 solutions); Dietmaier 1998 (all 40 real); numbers of
        stewart.md, items 3 and 4.
    """
    L = _checked_lengths(lengths)
    scaled = scaled_geometry(platform.base_points, platform.platform_points, L)
    outcomes: list[PathEnds] = []
    for tolerance, seed in ATTEMPTS:
        start = start_system(seed)
        paths = track(
            make_homotopy(start.legs, scaled.legs, start.patch), start.x, tolerance=tolerance
        )
        outcomes.append(path_ends(quadratic_forms(scaled.legs), paths))
        if outcomes[-1].unresolved == 0:
            break
    best = min(outcomes, key=lambda ends: (ends.unresolved, -ends.found))
    return _result(best, scaled, platform, L)


def _checked_lengths(lengths: ArrayLike) -> Array:
    L = np.asarray(lengths, dtype=np.float64)
    if L.shape != (LEGS,) or not np.all(np.isfinite(L)) or np.any(L <= 0.0):
        raise PlatformError(
            f"The leg lengths are {L.tolist()}; assembly modes need six positive finite lengths "
            "in metres.",
            lengths=L.tolist(),
        )
    return L


def _result(ends: PathEnds, scaled: ScaledGeometry, platform: Platform, L: Array) -> AssemblyModes:
    forms = quadratic_forms(scaled.legs)
    x = ends.real + newton_step(with_unit(forms), ends.real)
    T = pose_of_parameters(x, scaled)
    order = np.lexsort(np.round(T[:, :3, 3] / scaled.scale, 9).T)[::-1]
    T, x = T[order], x[order]
    v = platform.platform_points @ np.swapaxes(T[:, :3, :3], -1, -2)
    v = v + T[:, None, :3, 3] - platform.base_points
    return AssemblyModes(
        T=T,
        residual=np.max(np.abs(np.linalg.norm(v, axis=-1) - L), axis=-1, initial=0.0),
        kantorovich=certify(forms, x).kantorovich,
        complex_count=ends.complex_count,
        vanished=ends.vanished,
        unresolved=ends.unresolved,
        complete=ends.unresolved == 0,
        statement=_statement(ends),
    )


def _statement(ends: PathEnds) -> str:
    count = f"{len(ends.real)} real and {ends.complex_count} complex postures are certified"
    if ends.found == GENERIC_MODES:
        return f"{count}: {GENERIC_MODES}, the most there can be; the count is proved."
    if ends.unresolved == 0:
        return (
            f"{count}, the other {ends.vanished} of {GENERIC_MODES} paths left the set of poses; "
            "that none is missing rests on the continuation, which is checked but not proved."
        )
    return (
        f"{count}, but {ends.unresolved} of {GENERIC_MODES} paths end without a certificate "
        f"({ends.vanished} left the set of poses): a posture there is singular or nearly double, "
        "so the count is a lower bound."
    )


# --------------------------------------------------------------------------------------- Path ends

VANISHING = 1e-5  # |q|² / |x|² below which a stalled path is on its way out of the set of poses
LATEST = 0.99  # a path that stalls before this was lost, wherever it seemed to go
NEARLY_REAL = 1e-4  # imaginary parts below which a real posture is looked for
REFINEMENTS = 4


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PathEnds:
    """Endpoints of the 40 paths.

    Args:
        real: certified and pairwise distinct, |q| = 1. # (n, 8)
        complex_count: certified, pairwise distinct and certainly not real.
        vanished: paths that left the set of poses.
        unresolved: what is left of the 40.
    """

    real: Array
    complex_count: int
    vanished: int
    unresolved: int

    @property
    def found(self) -> int:
        """All certified solutions."""
        return len(self.real) + self.complex_count


def path_ends(forms: Numbers, paths: TrackedPaths) -> PathEnds:
    """Refine, certify and count.

    Args:
        forms: of the platform. # (7, 8, 8) real
        paths: into that platform.
    """
    x, gone = _on_unit_quaternions(paths)
    x = _refined(forms.astype(np.complex128), x[~gone])
    flat = np.max(np.abs(x.imag), axis=-1, initial=0.0) < NEARLY_REAL
    real = _refined(forms, x[flat].real)
    proof, complex_proof = certify(forms, real), certify(forms, x[~flat])
    # A zero within r of x is not real if x is further than r from everything real up to sign:
    # a real posture's parameters with |q|² = 1 are real.
    away = np.linalg.norm(x[~flat].imag, axis=-1) > complex_proof.radius
    sound = complex_proof.holds & away
    kept = _separate(real[proof.holds], proof.radius[proof.holds])
    others = _separate(x[~flat][sound], complex_proof.radius[sound])
    vanished = int(np.sum(gone))
    return PathEnds(
        real=kept,
        complex_count=len(others),
        vanished=vanished,
        unresolved=len(paths.x) - vanished - len(kept) - len(others),
    )


def _on_unit_quaternions(paths: TrackedPaths) -> tuple[Numbers, Numbers]:
    """Scale to |q|² = 1, and which paths cannot be, because |q|² vanishes at their end."""
    q = paths.x[:, :4]
    square = np.sum(q * q, axis=-1)
    size = np.sum(np.abs(paths.x) ** 2, axis=-1)
    near = (paths.t > LATEST) & ~paths.arrived
    gone = near & (np.abs(square) < VANISHING * size)
    return paths.x / np.sqrt(np.where(gone, 1.0, square))[:, None], gone


def _refined(forms: Numbers, x: Numbers) -> Numbers:
    """Newton at full precision; where it meets a singular matrix x stays as it is."""
    Q = with_unit(forms)
    for _ in range(REFINEMENTS):
        try:
            x = x + newton_step(Q, x)
        except np.linalg.LinAlgError:
            return x
    return x


def _separate(x: Numbers, radius: Numbers) -> Numbers:
    """Those whose ball meets no earlier one's; x and −x are the same posture."""
    kept: list[int] = []
    for k in range(len(x)):
        gaps = (
            min(np.linalg.norm(x[k] - x[j]), np.linalg.norm(x[k] + x[j])) - radius[k] - radius[j]
            for j in kept
        )
        if all(gap > 0.0 for gap in gaps):
            kept.append(k)
    return x[kept]


# ----------------------------------------------------------------------------------- Path tracking
# The platform moves on a straight line in its 42 complex parameters, so every quadratic form is a
# polynomial of degree two in t. All paths advance together, each with its own t and its own step:
# Runge-Kutta along ẋ = −(∂f/∂x)⁻¹ ∂f/∂t, then Newton. A path lives in projective space, on the
# affine patch c·x = 1 of a random c, so that it stays bounded even when its solution runs off.

FIRST_STEP = 0.02
SMALLEST_STEP = 1e-9
MOST_ROUNDS = 3000


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TrackedPaths:
    """Endpoints of the tracked paths.

    Args:
        x: on the patch. # (paths, 8) complex
        t: 1 where the path arrived, less where its step became too small. # (paths,)
        rounds: batched steps that were made.
    """

    x: Numbers
    t: Numbers
    rounds: int

    @property
    def arrived(self) -> Numbers:
        """Paths that reached the wanted platform. # (paths,) bool."""
        return np.asarray(self.t == 1.0)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Homotopy:
    """The system along the way; ``powers`` are the forms' coefficients of 1, t and t².

    Args:
        powers: # (8, 3·7·8) complex, laid out so that x @ powers is all of Q₀x, Q₁x and Q₂x
        patch: c of c·x = 1. # (8,) complex
    """

    powers: Numbers
    patch: Numbers

    def jacobian(self, x: Numbers, t: Numbers) -> Numbers:
        """∂f/∂x, the patch's row last. # (paths, 8, 8)."""
        return self._jacobian(self._products(x), t)

    def newton_step(self, x: Numbers, t: Numbers) -> Numbers:
        """Correction at fixed t. # (paths, 8)."""
        J = self._jacobian(self._products(x), t)
        f = (J @ x[..., None])[..., 0]
        f[:, :7] *= 0.5
        f[:, 7] -= 1.0
        return -np.linalg.solve(J, f[..., None])[..., 0]

    def tangent(self, x: Numbers, t: Numbers) -> Numbers:
        """dx/dt along the path. # (paths, 8)."""
        products = self._products(x)
        rate = np.zeros_like(x)
        slope = products[:, 1] + (2.0 * t)[:, None, None] * products[:, 2]
        rate[:, :7] = (slope @ x[..., None])[..., 0]
        return -np.linalg.solve(self._jacobian(products, t), rate[..., None])[..., 0]

    def _products(self, x: Numbers) -> Numbers:
        return (x @ self.powers).reshape(-1, 3, 7, UNKNOWNS)

    def _jacobian(self, products: Numbers, t: Numbers) -> Numbers:
        s = t[:, None, None]
        J = np.empty((len(products), UNKNOWNS, UNKNOWNS), dtype=np.complex128)
        J[:, :7] = 2.0 * (products[:, 0] + s * (products[:, 1] + s * products[:, 2]))
        J[:, 7] = self.patch
        return J


def make_homotopy(start: LegGeometry, end: LegGeometry, patch: Numbers) -> Homotopy:
    """The straight way from one platform to another."""
    D0 = leg_matrices(start.base, start.platform).astype(np.complex128)
    D1 = leg_matrices(end.base - start.base, end.platform - start.platform)
    D0t, D1t = np.swapaxes(D0, -1, -2), np.swapaxes(D1, -1, -2)
    eye = np.eye(4)
    Q = np.zeros((3, 7, UNKNOWNS, UNKNOWNS), dtype=np.complex128)
    Q[0, :6, :4, :4] = D0t @ D0 - start.squares[:, None, None] * eye
    Q[1, :6, :4, :4] = D0t @ D1 + D1t @ D0 - (end.squares - start.squares)[:, None, None] * eye
    Q[2, :6, :4, :4] = D1t @ D1
    Q[0, :6, :4, 4:], Q[0, :6, 4:, :4], Q[0, :6, 4:, 4:] = D0t, D0, eye
    Q[1, :6, :4, 4:], Q[1, :6, 4:, :4] = D1t, D1
    Q[0, 6] = study_quadric()
    powers = np.ascontiguousarray(Q.reshape(-1, UNKNOWNS).T)
    return Homotopy(powers=powers, patch=patch)


def track(homotopy: Homotopy, x: Numbers, *, tolerance: float = 1e-4) -> TrackedPaths:
    """Follow every path from t = 0 to t = 1.

    Args:
        homotopy: the changing system.
        x: solutions at t = 0. # (paths, 8) complex
        tolerance: largest relative error of a prediction; smaller is slower and safer.
    """
    x = x / (x @ homotopy.patch)[:, None]
    t, step = np.zeros(len(x)), np.full(len(x), FIRST_STEP)
    alive = np.full(len(x), True)
    rounds = 0
    while np.any(alive) and rounds < MOST_ROUNDS:
        rounds += 1
        k = np.flatnonzero(alive)
        ahead = np.minimum(t[k] + step[k], 1.0)
        moved, error = _attempt(homotopy, x[k], t[k], ahead)
        good = error <= tolerance
        x[k[good]], t[k[good]] = moved[good], ahead[good]
        # the prediction's error grows with the fifth power of the step
        growth = 0.8 * (tolerance / np.maximum(error, 1e-30)) ** 0.2
        step[k] *= np.clip(np.where(np.isfinite(growth), growth, 0.0), 0.25, 2.5)
        alive[k] = (t[k] < 1.0) & (step[k] > SMALLEST_STEP)
    return TrackedPaths(x=x, t=t, rounds=rounds)


def _attempt(homotopy: Homotopy, x: Numbers, t: Numbers, ahead: Numbers) -> tuple[Numbers, Numbers]:
    """One Runge-Kutta step and two Newton steps; the relative error is infinite where they fail."""
    try:
        moved = x + _runge_kutta(homotopy, x, t, ahead - t)
        first = homotopy.newton_step(moved, ahead)
        second = homotopy.newton_step(moved + first, ahead)
    except np.linalg.LinAlgError:  # an exactly singular matrix: shorten every step of the round
        return x, np.full(len(x), np.inf)
    size = np.linalg.norm(moved, axis=-1)
    error = np.linalg.norm(first, axis=-1) / size
    left = np.linalg.norm(second, axis=-1) / size
    converges = np.isfinite(left) & (left <= np.maximum(0.05 * error, 1e-9))
    return moved + first + second, np.where(converges, error, np.inf)


def _runge_kutta(homotopy: Homotopy, x: Numbers, t: Numbers, h: Numbers) -> Numbers:
    half, middle = 0.5 * h[:, None], t + 0.5 * h
    k1 = homotopy.tangent(x, t)
    k2 = homotopy.tangent(x + half * k1, middle)
    k3 = homotopy.tangent(x + half * k2, middle)
    k4 = homotopy.tangent(x + h[:, None] * k3, t + h)
    return h[:, None] / 6.0 * (k1 + 2.0 * (k2 + k3) + k4)


# ------------------------------------------------------------------------------------ Start system
# A platform that fits a random solution is made up; then its parameters walk over the edges of a
# graph of random platforms. Round trips permute the solutions, and the group of these permutations
# is transitive (the solutions form one irreducible set), so one solution leads to all of them. The
# number to reach is known: 40 (Wampler 1996). Nothing is stored: it is computed once per process
# from a fixed seed, and checked.

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
