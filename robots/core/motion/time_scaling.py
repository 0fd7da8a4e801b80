"""Minimum duration of a joint path under speed, acceleration, torque and force limits.

The path q(s) does not depend on the duration T; with s = t/T, q̇ = q'/T and q̈ = q''/T². So the
least T is the largest of |q'|/KV and √(|q''|/KA) over joints and s (sources.md, decision 4).
Efforts are treated in ``effort_scaling``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from robots.core.arrays import Array, Indices
from robots.core.errors import MotionError, OverloadError
from robots.core.motion.joint_limits import Binding, JointLimits, LimitKind
from robots.core.motion.joint_motion import Path, PathState
from robots.core.motion.motion_law import Side
from robots.core.rounding import apart_digits


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class EffortParts:
    """τ(T) = static + viscous/T + inertial/T² along a path.

    Args:
        static: gravity and dry friction. # (..., n) [N m or N]
        viscous: of q', per unit of 1/T. # (..., n) [N m s or N s]
        inertial: of q'' and products of q', per unit of 1/T². # (..., n) [N m s² or N s²]
    """

    static: Array
    viscous: Array
    inertial: Array

    def at(self, u: float) -> Array:
        """Efforts for T = 1/u. Args: u. [1/s] # (..., n) [N m or N]."""
        return self.static + u * (self.viscous + u * self.inertial)


EffortModel = Callable[[PathState], EffortParts]
Columns = Callable[[Array, Side], Array]  # (m,) → (m, k): k functions at m values of s


@dataclass(frozen=True, slots=True, kw_only=True)
class PathDuration:
    """Least duration of a path and the limit that fixes it.

    Args:
        duration: T, zero when nothing moves. [s]
        bindings: one limit, or none when nothing moves.
    """

    duration: float
    bindings: tuple[Binding, ...]

    @property
    def binding(self) -> Binding | None:
        """The limit that fixes the duration; nothing binds a path that does not move."""
        return self.bindings[0] if self.bindings else None


def minimum_duration(path: Path, limits: JointLimits) -> PathDuration:
    """Least T for which the path respects KV and KA.

    Args:
        path: q(s), q'(s), q''(s) on [0, 1], the law included.
        limits: of the path's joints.

    Raises:
        MotionError: another number of joints, a state that is not finite, a path too rough.

    Source: sources.md decision 4; [LAMMARI12] §VI.7.3
    """
    n = limits.dof

    def durations(s: Array, side: Side) -> Array:
        state = checked_state(path, s, side, limits)
        by_speed = np.abs(state.dq) / limits.max_speed
        by_acceleration = np.sqrt(np.abs(state.ddq) / limits.max_acceleration)
        return np.concatenate([by_speed, by_acceleration], axis=-1)

    peak = highest(durations, path.breaks)
    if peak.value == 0.0:
        return PathDuration(duration=0.0, bindings=())
    joint = peak.column % n
    kind: LimitKind = "velocity" if peak.column < n else "acceleration"
    binding = Binding(joint=joint, name=limits.names[joint], kind=kind, s=peak.s)
    return PathDuration(duration=peak.value, bindings=(binding,))


def checked_state(path: Path, s: Array, side: Side, limits: JointLimits) -> PathState:
    """State of a path, refused where it is not finite or has another number of joints.

    Raises:
        MotionError: naming the joint, the quantity and s.
    """
    state = path.state(s, side)
    for what, values in (("q", state.q), ("q'", state.dq), ("q''", state.ddq)):
        if np.shape(values) != (*s.shape, limits.dof):
            raise MotionError(
                f"The path gives {what} of shape {np.shape(values)} at {s.size} values of s; "
                f"there are limits for {limits.dof} joints.",
                found=np.shape(values),
                expected=(*s.shape, limits.dof),
            )
        for row, joint in np.argwhere(~np.isfinite(values)):
            raise MotionError(
                f"Joint {limits.names[joint]}: the path gives {what} = {values[row, joint]} "
                f"{limits.units[joint]} at s = {s[row]:.6g}; it must be finite all along.",
                joint=int(joint),
                s=float(s[row]),
            )
    return state


# ------------------------------------------------------------------------- Torque and force limits
# Along a fixed path τ = static + viscous/T + inertial/T². With u = 1/T each joint at each s forbids
# intervals of u, bounded by roots of quadratics. The rule is not "slower is safer": inertia may
# help against gravity, so the u that are left can lie between forbidden ones. The greatest u that
# no interval covers is found on samples; then the worst place on the whole path at that u joins the
# samples, until nothing is exceeded anywhere.
#
# Source: sources.md decision 4

_FIRST_SAMPLES = 129  # per piece
_MOST_EXCHANGES = 60
# An effort may exceed its limit by this fraction of the largest term it is the sum of: rounding.
_ROUNDING = 1e-12


def effort_model(torques: Callable[[Array, Array, Array], Array]) -> EffortModel:
    """Split an inverse dynamic model into its three parts.

    Inertia and Coriolis terms are even in q̇, friction is odd; dry friction keeps its size when the
    speed doubles. Five evaluations separate them without cancellation.

    Args:
        torques: τ(q, q̇, q̈), vectorised, friction proportional to q̇ or to its sign.
    """

    def split(state: PathState) -> EffortParts:
        q, dq, ddq = state.q, state.dq, state.ddq
        still = np.zeros_like(dq)
        gravity = torques(q, still, still)
        forward, backward = torques(q, dq, ddq), torques(q, -dq, ddq)
        friction = (forward - backward) / 2
        friction_doubled = (torques(q, 2 * dq, still) - torques(q, -2 * dq, still)) / 2
        viscous = friction_doubled - friction
        return EffortParts(
            static=gravity + friction - viscous,
            viscous=viscous,
            inertial=(forward + backward) / 2 - gravity,
        )

    return split


def minimum_duration_with_efforts(
    path: Path, limits: JointLimits, efforts: EffortModel, *, at_least: float = 0.0
) -> PathDuration:
    """Least T for which the path respects KV, KA and the efforts' limits.

    A longer T than this one is not always feasible: check it before stretching a motion.

    Args:
        path: q(s), q'(s), q''(s) on [0, 1], the law included.
        limits: of the path's joints; an infinite ``max_effort`` is no limit.
        efforts: the three parts of τ for states of the path.
        at_least: a duration that something else asks for. [s]

    Raises:
        MotionError: no T works; with joint, s, static effort and limit of the worst place.
    """
    fastest = minimum_duration(path, limits)
    problem = _Efforts(path=path, limits=limits, model=efforts)
    if not np.any(np.isfinite(limits.max_effort)):
        return fastest
    if fastest.duration == 0.0:
        if problem.worst(0.0).value > 1.0 + _ROUNDING:
            raise problem.infeasible()
        return fastest
    if at_least > fastest.duration:
        fastest = PathDuration(duration=at_least, bindings=())
    allowed = 1.0 / fastest.duration
    u, peak = _greatest_free(problem, allowed)
    if u == allowed:
        return fastest
    binding = Binding(joint=peak.column, name=limits.names[peak.column], kind="torque", s=peak.s)
    return PathDuration(duration=1.0 / u, bindings=(binding,))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Efforts:
    """Efforts along one path, as fractions of their limits."""

    path: Path
    limits: JointLimits
    model: EffortModel

    def fractions(self, s: Array, side: Side) -> EffortParts:
        parts = self.model(checked_state(self.path, s, side, self.limits))
        scaled = [p / self.limits.max_effort for p in (parts.static, parts.viscous, parts.inertial)]
        for values in scaled:
            for row, joint in np.argwhere(~np.isfinite(values)):
                raise MotionError(
                    f"Joint {self.limits.names[joint]}: its effort is not finite at "
                    f"s = {s[row]:.6g}; it must be finite all along.",
                    joint=int(joint),
                    s=float(s[row]),
                )
        return EffortParts(static=scaled[0], viscous=scaled[1], inertial=scaled[2])

    def worst(self, u: float) -> Peak:
        """Largest |τ|/limit on the whole path at T = 1/u."""
        return highest(lambda s, side: np.abs(self.fractions(s, side).at(u)), self.path.breaks)

    def both_sides(self, s: float) -> list[EffortParts]:
        point = np.array([s])
        return [self.fractions(point, "left"), self.fractions(point, "right")]

    def samples(self) -> list[EffortParts]:
        edges = (0.0, *self.path.breaks, 1.0)
        pieces = [np.linspace(a, b, _FIRST_SAMPLES) for a, b in pairwise(edges)]
        from_right = [self.fractions(piece[:-1], "right") for piece in pieces]
        return from_right + [self.fractions(piece[1:], "left") for piece in pieces]

    def infeasible(self) -> OverloadError:
        peak = self.worst(0.0)
        name, limit = self.limits.names[peak.column], float(self.limits.max_effort[peak.column])
        unit = "N" if self.limits.units[peak.column] == "m" else "N m"
        static = float(peak.value * limit)
        held, allowed = apart_digits(static, limit, 6)
        return OverloadError(
            f"No duration keeps the efforts within their limits: at s = {peak.s:.6g} joint {name} "
            f"holds {held} {unit} at rest, its limit is {allowed} {unit}, and no speed "
            "relieves all joints at once; choose another path or posture, or a stronger drive.",
            joint=int(peak.column),
            name=name,
            s=float(peak.s),
            static=static,
            limit=limit,
            unit=unit,
        )


def _greatest_free(problem: _Efforts, u: float) -> tuple[float, Peak]:
    """Greatest feasible u at or below the given one, and the effort nearest its limit there."""
    low, high = _joined([_forbidden(part) for part in problem.samples()])
    for _ in range(_MOST_EXCHANGES):
        u = _descend(u, low, high)
        if u <= 0.0:
            raise problem.infeasible()
        peak = problem.worst(u)
        at_worst = problem.both_sides(peak.s)
        if peak.value <= 1.0 + _ROUNDING * max(_size(part, u) for part in at_worst):
            return u, peak
        low, high = _joined([(low, high), *(_forbidden(part) for part in at_worst)])
    raise MotionError(
        f"The minimum duration under effort limits does not settle (T near {1.0 / u:.6g} s, "
        f"s near {peak.s:.6g}); smooth the path, or state its breaks.",
        s=peak.s,
    )


def _descend(u: float, low: Array, high: Array) -> float:
    """Greatest value at or below u that no open interval covers; -inf when there is none."""
    while np.any(covering := (low < u) & (u < high)):
        u = float(low[covering].min())
    return u


def _size(parts: EffortParts, u: float) -> float:
    terms = np.abs(parts.static) + u * np.abs(parts.viscous) + u * u * np.abs(parts.inertial)
    return 1.0 + float(terms.max())


def _joined(intervals: list[tuple[Array, Array]]) -> tuple[Array, Array]:
    lows, highs = zip(*intervals, strict=True)
    return np.concatenate(lows), np.concatenate(highs)


def _forbidden(fractions: EffortParts) -> tuple[Array, Array]:
    """Open intervals of u where |τ| exceeds its limit, for parts given as fractions of it."""
    both = [
        _positive(sign * fractions.inertial, sign * fractions.viscous, sign * fractions.static - 1)
        for sign in (1.0, -1.0)
    ]
    return _joined(both)


def _positive(a: Array, b: Array, c: Array) -> tuple[Array, Array]:
    """Open intervals of u where a·u² + b·u + c > 0; two per polynomial, empty where low ≥ high."""
    a, b, c = a.ravel(), b.ravel(), c.ravel()
    discriminant = b * b - 4.0 * a * c
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        # The larger sum first, the other root from the product: no cancellation.
        half = -0.5 * (b + np.copysign(np.sqrt(np.maximum(discriminant, 0.0)), b))
        far, near = half / a, np.where(half == 0.0, 0.0, c / half)
    straight = a == 0.0
    first = np.where(straight, near, np.fmin(far, near))
    last = np.where(straight, near, np.fmax(far, near))
    everywhere = np.where(straight, (b == 0.0) & (c > 0.0), (a > 0.0) & (discriminant <= 0.0))
    below = everywhere | (straight & (b < 0.0)) | ((a > 0.0) & (discriminant > 0.0))
    above = (straight & (b > 0.0)) | ((a > 0.0) & (discriminant > 0.0))
    between = (a < 0.0) & (discriminant > 0.0)
    low = np.concatenate([np.where(below, -np.inf, np.where(between, first, np.inf)), last])
    high_of_first = np.where(everywhere, np.inf, np.where(between, last, first))
    high = np.concatenate([high_of_first, np.where(above, np.inf, -np.inf)])
    return low, high


# ---------------------------------------------------------------------- Peaks of sampled functions
# Samples bracket every peak that may be the highest; each bracket is then narrowed until the value
# is exact to rounding. The search is repeated on a finer grid until two searches agree.

COARSEST, FINEST = 257, 16385  # samples per piece
# Two searches that differ by less stand on the same peak; rounding in the path is well below.
_AGREEMENT = 1e-9
# A smooth peak is flat and exact to rounding long before; this width serves kinks as well.
_BRACKET_WIDTH = 1e-12
# Where a path is flat, as at the ends of a smooth law, values differ by rounding alone: the end is
# then the place.
_PEAK_ROUNDING = 1e-14
_CUTS = 16  # parts into which a narrowing step divides a bracket
_MOST_BRACKETS = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Peak:
    """The highest value, where it is, and of which function."""

    value: float
    s: float
    column: int


def highest(columns: Columns, breaks: tuple[float, ...] = ()) -> Peak:
    """Find the highest value of k functions on [0, 1], ends and both sides of breaks included.

    Peaks narrower than the sample spacing of two successive grids cannot be seen.

    Args:
        columns: gives all functions at many s, from one side of a break. # (m,) → (m, k)
        breaks: where a function may jump, rising and inside (0, 1).

    Raises:
        MotionError: the functions are too rough: no two grids agree.
    """
    (found,) = _agreed(columns, breaks, each=False)
    return found


def highest_of_each(columns: Columns, breaks: tuple[float, ...] = ()) -> tuple[Peak, ...]:
    """Find the highest value of every one of k functions, as ``highest`` does of all.

    They are evaluated together, which takes a k-th of the calls.
    """
    return _agreed(columns, breaks, each=True)


def _agreed(columns: Columns, breaks: tuple[float, ...], *, each: bool) -> tuple[Peak, ...]:
    samples = COARSEST
    found = _search(columns, breaks, samples, each=each)
    agreed: dict[int, Peak] = {}
    while samples < FINEST:
        samples = 2 * samples - 1
        before, found = found, _search(columns, breaks, samples, each=each)
        for k, (old, new) in enumerate(zip(before, found, strict=True)):
            if k not in agreed and abs(new.value - old.value) <= _AGREEMENT * abs(new.value):
                agreed[k] = new if new.value >= old.value else old
        if len(agreed) == len(found):
            return tuple(agreed[k] for k in range(len(found)))
    rough = next(peak for k, peak in enumerate(found) if k not in agreed)
    raise MotionError(
        f"The path is too rough: the highest value on it still changes with {FINEST} samples "
        f"(near s = {rough.s:.6g}); smooth the path, or state its breaks.",
        s=rough.s,
    )


def _search(
    columns: Columns, breaks: tuple[float, ...], samples: int, *, each: bool
) -> tuple[Peak, ...]:
    edges = (0.0, *breaks, 1.0)
    peaks = [_on_piece(columns, a, b, samples, each=each) for a, b in pairwise(edges)]
    return tuple(max(some, key=lambda peak: peak.value) for some in zip(*peaks, strict=True))


def _on_piece(
    columns: Columns, a: float, b: float, samples: int, *, each: bool
) -> tuple[Peak, ...]:
    """Highest value on [a, b], seen from the inside: of all functions, or of each."""
    s = np.linspace(a, b, samples)
    values = np.concatenate([columns(s[:1], "right"), columns(s[1:], "left")])
    if each:
        alone = [_bracketed(values[:, k : k + 1])[0] for k in range(values.shape[1])]
        sizes = [some.size for some in alone]
        rows, cols = np.concatenate(alone), np.repeat(np.arange(len(alone)), sizes)
    else:
        rows, cols = _bracketed(values)
        sizes = [rows.size]
    at, best = s[rows], values[rows, cols]
    step = s[1] - s[0]
    inner = np.linspace(-1.0, 1.0, _CUTS + 1)[1:-1]
    while step > _BRACKET_WIDTH * (b - a):
        # Points strictly inside the piece, so the side is of no importance.
        nearby = np.clip(at[:, None] + step * inner, np.nextafter(a, b), np.nextafter(b, a))
        there = columns(nearby.ravel(), "right").reshape(*nearby.shape, -1)
        own = np.take_along_axis(there, cols[:, None, None], axis=2)[..., 0]
        top = np.argmax(own, axis=1)[:, None]
        value, place = (np.take_along_axis(x, top, axis=1)[:, 0] for x in (own, nearby))
        at, best = np.where(value > best, place, at), np.maximum(value, best)
        step *= 2.0 / _CUTS
    peaks, first = [], 0
    for size in sizes:
        winner = first + int(np.argmax(best[first : first + size]))
        top_value, column = float(best[winner]), int(cols[winner])
        enough = top_value - _PEAK_ROUNDING * abs(top_value)
        ends = [k for k in (0, -1) if values[k, column] >= enough]
        where = s[ends[0]] if ends else at[winner]
        peaks.append(Peak(value=top_value, s=float(where), column=column))
        first += size
    return tuple(peaks)


def _bracketed(values: Array) -> tuple[Indices, Indices]:
    """Rows and columns of samples next to which the highest value may stand."""
    slope = np.diff(values, axis=0)
    end = np.full((1, values.shape[1]), np.inf)
    summit = (np.concatenate([end, slope]) > 0.0) & (np.concatenate([slope, -end]) <= 0.0)
    bend = np.abs(np.diff(slope, axis=0))
    # A smooth peak rises above its highest sample by about an eighth of the second difference.
    reach = values + np.concatenate([bend[:1], bend, bend[-1:]])
    summit &= reach >= values.max()
    rows, cols = np.nonzero(summit)
    order = np.argsort(-reach[rows, cols], kind="stable")[:_MOST_BRACKETS]
    return rows[order], cols[order]
