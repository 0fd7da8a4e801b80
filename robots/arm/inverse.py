"""Inverse geometry of the measuring arm: all solutions, checked by forward geometry."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np

from robots.arm.equations import (
    ANGLES,
    FAMILIES,
    branch_programme,
    line_programme,
    newton_programme,
    rates_programme,
)
from robots.arm.family import ArmFamily, arm_family
from robots.core.arrays import Array, Indices, Mask, freeze_fields
from robots.core.errors import StateError
from robots.core.inverse.limits import limit_margins
from robots.core.inverse.task import Target, Task
from robots.core.kernels.kernel import Engine, Kernel
from robots.core.mechanism import Mechanism
from robots.core.model import Model


class ArmInverse:
    """Inverse of one measuring arm: closed form, and exact search where the stylus is bent.

    Args:
        mechanism: an arm of the family.
        engine: how the equations are run (see ``Kernel``).

    Raises:
        ArmFamilyError: the mechanism is not of the family.
    """

    def __init__(self, mechanism: Mechanism, engine: Engine = "auto") -> None:
        self.family = arm_family(mechanism)
        self.model = Model(mechanism, engine)
        self._free = FreeJoints(self.family, engine)
        self._branches = Kernel(branch_programme(self.family), engine)
        self._line = Kernel(line_programme(mechanism, self.family), engine)

    @cached_property
    def _rates(self) -> Kernel:
        bent = not self.family.closed_form
        return Kernel(rates_programme(self.model.mechanism, bent=bent), self.model.engine)

    def branches(self, center: object, axis: object, *, out: Array | None = None) -> Array:
        """Raw closed form for wrist centres and unit stylus directions: the fast path.

        The angles are those of the rows, offsets included; a wrist centre at the shoulder itself
        leaves them undefined (``solve`` does not).

        Args:
            center: wrist centre, base frame. # (..., 3) [m]
            axis: unit direction from wrist to ball. # (..., 3)
            out: array to fill.

        Returns:
            Eight times five angles, then the reserve cos² q3, negative out of reach. # (..., 41)
        """
        return self._branches(center, axis, out=out)

    def solve(self, position: object, axis: object, *, near: object | None = None) -> ArmSolutions:
        """All families that put the ball at a position with the stylus along a direction.

        Args:
            position: ball centre, base frame. # (..., 3) [m]
            axis: direction of the stylus from wrist to ball; normalised here. # (..., 3)
            near: posture whose value a joint takes that the target leaves free: the first joint on
                its own axis, the fourth with the stylus along the forearm. # (..., 5) [rad]

        Raises:
            StateError: a position, direction or posture that is not finite, or a direction of
                length zero.
        """
        p, d = _targets(position, axis)
        lead = p.shape[:-1]
        points, axes = p.reshape(-1, 3), d.reshape(-1, 3)
        center = points - self.family.stylus_length * axes
        q = self._families(center, axes, _posture(near, lead))
        shortfall = self.family.shortfall(center)
        if self.family.closed_form:
            expected = np.repeat((shortfall <= REACH_ROUNDING)[:, None], 8, axis=1)
        else:
            bent = self._bent.solve(points, axes, q)
            q, expected = _wrapped(bent.q), bent.expected
            shortfall = shortfall - float(np.linalg.norm(self.family.side))
        tool = self.model.forward(q)
        return ArmSolutions(
            q=q.reshape(*lead, 8, 5),
            position_error=np.linalg.norm(tool[..., :3, 3] - points[:, None], axis=-1).reshape(
                *lead, 8
            ),
            axis_error=_angle(tool[..., :3, 2], axes[:, None, :]).reshape(*lead, 8),
            shortfall=shortfall.reshape(lead),
            expected=expected.reshape(*lead, 8),
            margins=self.margins(q.reshape(*lead, 8, 5)),
        )

    def line_rates(self, q: object, tangent: object) -> tuple[Array, Array]:
        """Derivatives dq/dλ and d²q/dλ² along lines with the stylus held. # (..., 5) [rad] each.

        Args:
            q: joints on the line. # (..., 5)
            tangent: motion of the ball per unit of λ, base axes. # (..., 3) [m]
        """
        both = self._rates(q, tangent)
        return both[..., :5], both[..., 5:]

    def along_lines(self, lines: Array, lam: Array) -> Array:
        """Postures along straight lines with the stylus held: the fast path of probing lines.

        A straight stylus keeps the family whose signs are given, a bent one the branch of the
        posture at the start; where that branch ends before λ the row is NaN.

        Args:
            lines: start [m], tangent [m], stylus direction, signs of the family, posture at the
                start [rad]; one row per place asked for. # (m, 17)
            lam: place on each line. # (m,)

        Returns:
            q, dq/dλ, d²q/dλ². # (m, 15) [rad]
        """
        if self.family.closed_form:
            return self._line(lines, lam[:, None])
        return self._bent.follow(lines, lam)

    def margins(self, q: object) -> SingularityMargins:
        """Distances of postures from the shoulder, elbow and wrist singularities. # (..., 5)."""
        posture = np.asarray(q, dtype=np.float64)
        theta = posture + self.family.offsets
        d3, r4, reach = self.family.upper_arm, self.family.forearm, self.family.reach
        tool: Array | None = None
        if not self.family.closed_form:
            with np.errstate(invalid="ignore"):  # a line lost on its way has no posture
                determinant = np.linalg.det(task_jacobian(self.model, posture))
            tool = np.asarray(np.abs(determinant) / (d3 * r4 * reach))
        return SingularityMargins(
            shoulder=np.abs(self.family.radius(theta)) / reach,
            elbow=np.abs(np.cos(theta[..., 2])),
            wrist=np.abs(self.family.wrist_sine(theta)),
            tool=tool,
        )

    @cached_property
    def _bent(self) -> BentStylus:
        """What a ball beside the stylus axis needs."""
        mechanism, engine = self.model.mechanism, self.model.engine
        return BentStylus(mechanism, self.family, engine)

    def _straight(self, center: Array, axis: Array) -> Array:
        with np.errstate(divide="ignore", invalid="ignore"):  # the shoulder itself: filled after
            found = self._branches(center, axis)
        return found[..., :ANGLES].reshape(-1, 8, 5)

    def _families(self, center: Array, axis: Array, near: Array | None) -> Array:
        """Joints of the eight families, free ones taken from ``near``. # (N, 8, 5) [rad]."""
        stay = None if near is None else near + self.family.offsets
        theta = self._free.filled(center, axis, self._straight(center, axis), stay)
        return _wrapped(theta - self.family.offsets)


def _targets(position: object, axis: object) -> tuple[Array, Array]:
    """Positions and unit directions of one shape. # (..., 3) each."""
    given = [np.asarray(value, dtype=np.float64) for value in (position, axis)]
    if any(array.shape[-1:] != (3,) or not np.all(np.isfinite(array)) for array in given):
        count = sum(int(np.sum(~np.isfinite(array))) for array in given)
        raise StateError(
            "A target is three finite coordinates [m] and three finite direction components; "
            f"found shapes {given[0].shape} and {given[1].shape} with {count} values that are not "
            "finite."
        )
    p, d = np.broadcast_arrays(*given)
    # Dividing by the largest component first keeps the shortest and longest vectors exact.
    largest = np.max(np.abs(d), axis=-1, keepdims=True)
    if np.any(largest == 0.0):
        where = tuple(int(k) for k in np.argwhere(largest[..., 0] == 0.0)[0])
        raise StateError(
            f"The stylus direction of target {where} has length zero; give the direction of the "
            "probe, from wrist to ball.",
            index=where,
        )
    d = d / largest
    return p, d / np.linalg.norm(d, axis=-1, keepdims=True)


def _posture(near: object | None, lead: tuple[int, ...]) -> Array | None:
    """The posture to stay near, one per target. # (N, 5) [rad]."""
    if near is None:
        return None
    given = np.asarray(near, dtype=np.float64)
    if given.shape[-1:] != (5,) or not np.all(np.isfinite(given)):
        raise StateError(
            f"The posture to stay near has shape {given.shape}; it must be five finite angles "
            "[rad], for all targets or for each.",
            found=given.shape,
        )
    return np.broadcast_to(given, (*lead, 5)).reshape(-1, 5)


def _wrapped(q: Array) -> Array:
    """Angles in (-π, π]."""
    return np.asarray(q - 2.0 * np.pi * np.ceil((q - np.pi) / (2.0 * np.pi)))


def _angle(a: Array, b: Array) -> Array:
    """Angle between unit vectors, exact for small ones. # (...) [rad]."""
    across = np.linalg.norm(np.cross(a, b), axis=-1)
    return np.asarray(np.arctan2(across, np.sum(a * b, axis=-1)))


# --------------------------------------------------------------------------------------- Solutions

POSITION_TOLERANCE = 1e-9  # [m] largest error of a solution that counts as one
ANGLE_TOLERANCE = 1e-9  # [rad]
REACH_ROUNDING = 1e-12  # [m] a point this little out of reach is on the edge
# Margin below which a posture is named singular: at the edge of reach q3 is only known to the root
# of the rounding, some 1e-8.
DEGENERATE = 1e-6
_NO_MARGIN = 1e-12


def _sign(value: float) -> str:
    return "+" if value > 0.0 else "-"


BRANCH_NAMES = tuple(
    f"shoulder{_sign(shoulder)} elbow{_sign(elbow)} wrist{_sign(wrist)}"
    for shoulder, elbow, wrist in FAMILIES
)


def branch_name(family: int) -> str:
    """Name of a family, such as "shoulder+ elbow+ wrist-".

    shoulder+ faces the point, elbow is the sign of cos q3, wrist the sign of the sine
    from forearm to stylus (sin q5 for a stylus along -y5).
    """
    return BRANCH_NAMES[family]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SingularityMargins:
    """Distance from the three singularities of the arm: zero is singular, one is farthest.

    A ball beside the stylus axis shifts the singularities; ``tool`` then says where they are.

    Source: det J5 = ±d3·r4·cos q3·(r4 sin(q2+q3) + d3 cos q2)·sin q5 (sources.md, decision 5)
    """

    shoulder: Array  # (...) distance of the wrist centre from the first axis over the reach
    elbow: Array  # (...) |cos q3|
    wrist: Array  # (...) |sin| of the angle between stylus and forearm
    tool: Array | None = None  # (...) |det J5| over d3·r4·reach, for a bent stylus

    @property
    def least(self) -> Array:
        """The smallest of the three, or what a bent stylus makes of it. # (...)."""
        least = np.minimum(np.minimum(self.shoulder, self.elbow), self.wrist)
        if self.tool is None:
            return np.asarray(least)
        # For a straight stylus the determinant is the product of the three.
        largest = np.maximum(np.maximum(self.shoulder, self.elbow), self.wrist)
        middle = self.shoulder + self.elbow + self.wrist - least - largest
        return np.minimum(self.tool / np.maximum(middle * largest, _NO_MARGIN), 1.0)

    def at(self, index: tuple[int, ...]) -> SingularityMargins:
        """Margins of one posture of a batch."""
        return SingularityMargins(
            shoulder=self.shoulder[index],
            elbow=self.elbow[index],
            wrist=self.wrist[index],
            tool=None if self.tool is None else self.tool[index],
        )

    @property
    def degenerate(self) -> list[str]:
        """Names of the singularities that the posture (one posture) is in."""
        named = {"shoulder": self.shoulder, "elbow": self.elbow, "wrist": self.wrist}
        return [name for name, value in named.items() if float(value) <= DEGENERATE]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ArmSolutions:
    """All eight families for a batch of targets; a family that does not reach is kept, marked.

    Args:
        q: joint angles in (-π, π]. # (..., 8, 5) [rad]
        position_error: distance of the ball from the target, by forward geometry. # (..., 8) [m]
        axis_error: angle of the stylus from the target direction. # (..., 8) [rad]
        shortfall: how far the wrist centre is out of reach, by the triangle rule; zero or negative
            within. For a bent stylus a lower bound. # (...) [m]
        expected: families that exist by a check of its own: the triangle rule, which shares nothing
            with the equations of the roots; for a bent stylus the search over its roll. # (..., 8)
        margins: distances from the singularities. # (..., 8)
    """

    q: Array
    position_error: Array
    axis_error: Array
    shortfall: Array
    expected: Mask
    margins: SingularityMargins

    @property
    def solved(self) -> Mask:
        """Families that hit the target. # (..., 8)."""
        close = self.position_error <= POSITION_TOLERANCE
        return np.asarray(close & (self.axis_error <= ANGLE_TOLERANCE))

    @property
    def reachable(self) -> Mask:
        """Whether any family exists. # (...)."""
        return np.asarray(np.any(self.expected, axis=-1))

    @property
    def lost(self) -> Mask:
        """Families that exist but were not hit: a fault of ours. # (..., 8)."""
        return np.asarray(self.expected & ~self.solved)


# ------------------------------------------------------------------------------------ Joint limits
# A solution gives angles in (-π, π]; a joint with a range of ±350° reaches the same posture in up
# to three ways, and one limited to 0…300° may reach it only by a whole turn.

# Rounding of the closed form: a joint exactly on its limit is on it, not beyond. [rad]
ROUNDING = 1e-12
_TURN = 2.0 * np.pi


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Alternatives:
    """Postures with the whole turns that the joints' ranges allow.

    Args:
        row: which posture of the input each one is. # (c,)
        q: its joints. # (c, n) [rad]
        margin: distance of each joint to its nearer limit, negative beyond. # (c, n) [rad]
    """

    row: Indices
    q: Array
    margin: Array

    def __post_init__(self) -> None:
        freeze_fields(self, "row", "q", "margin", copy=None)

    @property
    def within(self) -> Mask:
        """Whether all joints are within their limits. # (c,)."""
        return np.asarray(np.min(self.margin, axis=-1, initial=np.inf) >= -ROUNDING)


def alternatives(mechanism: Mechanism, q: Array) -> Alternatives:
    """All whole-turn equivalents of postures within limits.

    A posture without any is kept once, as the equivalent least beyond its limits. A joint without
    limits is offered one turn either way.

    Args:
        mechanism: whose limits.
        q: joints, each in (-π, π]. # (k, n) [rad]
    """
    shifts = _shifts(mechanism)
    shifted = q[:, None, :] + shifts
    margin = limit_margins(mechanism, shifted)
    inside = np.all(margin >= -ROUNDING, axis=2)
    none = ~np.any(inside, axis=1)
    beyond = np.sum(np.maximum(-margin[none], 0.0), axis=2)
    inside[np.nonzero(none)[0], np.argmin(beyond, axis=1)] = True
    rows, columns = np.nonzero(inside)
    return Alternatives(row=rows, q=shifted[rows, columns], margin=margin[rows, columns])


def _shifts(mechanism: Mechanism) -> Array:
    """Every combination of whole turns that can bring angles in (-π, π] into range. # (s, n)."""
    turns = []
    for low, high in zip(mechanism.q_min, mechanism.q_max, strict=True):
        first = np.ceil((low - np.pi) / _TURN - ROUNDING) if np.isfinite(low) else -1.0
        last = np.floor((high + np.pi) / _TURN + ROUNDING) if np.isfinite(high) else 1.0
        # No turn first: among equals, argmin keeps the posture as it was solved.
        turns.append(sorted(_TURN * np.arange(first, last + 1.0), key=abs))
    return np.array(list(product(*turns)))


# ------------------------------------------------------------------------------------- Free joints
# A wrist centre on the first joint's axis leaves q1 free, and one at the shoulder itself q2 as
# well; a stylus along the forearm leaves q4 free. Along a path through such a target the arm stands
# still in the free joint; the equations alone would give it any value there.

# A joint counts as free where any value of it moves ball and stylus by less than a tenth of what a
# solution may miss: nearer than this no value is better than another. [m, rad]
FREE = 1e-10
_SHOULDER_TURNED = 4  # families from here on have shoulder -


class FreeJoints:
    """Fills free joints of one arm's closed form.

    Args:
        family: the arm.
        engine: how the equations are run.
    """

    def __init__(self, family: ArmFamily, engine: Engine) -> None:
        self._family = family
        self._engine = engine

    @cached_property
    def _given(self) -> list[Kernel]:
        """With one and with two joints given; few jobs have points that leave any free."""
        programmes = [branch_programme(self._family, free=count) for count in (1, 2)]
        return [Kernel(programme, self._engine) for programme in programmes]

    def filled(self, center: Array, axis: Array, theta: Array, near: Array | None) -> Array:
        """The families with free joints from ``near``.

        Without it only the shoulder itself, which the equations leave undefined, is filled.

        Args:
            center: wrist centres. # (N, 3) [m]
            axis: unit stylus directions. # (N, 3)
            theta: angles of the families by the equations. # (N, 8, 5) [rad]
            near: angles to stay near, offsets included. # (N, 5) [rad]
        """
        theta = theta.copy()
        stay = np.zeros((len(theta), 5)) if near is None else near
        off_axis = np.hypot(center[:, 0], center[:, 1])
        at_shoulder = np.hypot(off_axis, center[:, 2] - self._family.shoulder_height) <= FREE
        on_axis = (off_axis <= FREE) & ~at_shoulder & (near is not None)
        for count, rows in ((1, on_axis), (2, at_shoulder)):
            if np.any(rows):
                given = self._given[count - 1](center[rows], axis[rows], stay[rows, :count])
                theta[rows] = given[:, :ANGLES].reshape(-1, 8, 5)
                # With q1 free the two shoulders are one and the same posture.
                theta[rows, _SHOULDER_TURNED:] = theta[rows, :_SHOULDER_TURNED]
        if near is not None:
            along = np.abs(self._family.wrist_sine(theta)) <= FREE
            theta[..., 3] = np.where(along, near[:, None, 3], theta[..., 3])
        return theta


# ----------------------------------------------------------------------------------- Five-row task
# Rows 0-2 are the ball's velocity in base axes; rows 3-4 are the angular velocity about the tool's
# own x and y axes, the two turnings that change the stylus's direction. Turning about the stylus is
# left free, which is what makes the task square.
#
# Source: sources.md, decision 5 (the 6 x 5 Jacobian with ω = 0 of [LAMMARI12] §III.5 is not it)


def task_jacobian(model: Model, q: object) -> Array:
    """J5. # (..., 5) -> (..., 5, 5) [m, rad per rad]."""
    linear = model.jacobian(q)[..., :3, :]
    turning = model.kernel("tool_jacobian")(q)[..., 3:5, :]
    return np.concatenate([linear, turning], axis=-2)


def task_bias(model: Model, q: object, qd: Array) -> Array:
    """Rates of J5 times qd: task acceleration at zero joint acceleration. # (..., 5).

    In the moving tool axes a stylus direction d obeys d̈ = ω̇ x d + ω x (ω x d); its components are
    ω̇_y + ω_x·ω_z along x and -(ω̇_x - ω_y·ω_z) along y, so the rows below vanish for a held stylus.
    """
    bias, rotation = model.bias_acceleration(q, qd), model.forward(q)[..., :3, :3]
    wd = np.einsum("...ji,...j->...i", rotation, bias[..., 3:])
    w = np.einsum("...ij,...j->...i", model.kernel("tool_jacobian")(q)[..., 3:, :], qd)
    x = wd[..., 0] - w[..., 1] * w[..., 2]
    y = wd[..., 1] + w[..., 0] * w[..., 2]
    return np.concatenate([bias[..., :3], x[..., None], y[..., None]], axis=-1)


# -------------------------------------------------------------------------------------- bent stylus
# With position and direction given, such an arm can only still turn the stylus about itself. This
# roll is a sixth joint of the chain, whose derived inverse has every posture as a root of one
# trigonometric polynomial; Newton's method on the five-row task makes them exact. Along a line a
# posture is followed from the line's start, so that it keeps its own branch. None of the sources
# treats the bent stylus.

_ITERATIONS = 12  # from a root one is enough; near a double one it goes slower
_LARGEST_STEP = 0.2  # [rad] keeps an iterate in its own branch
_EXACT = 1e-14  # what is missing [m, rad] below which rounding decides
_STRIDES = 8  # of a line, start to end
_HIT = 1e-9  # [m, rad] what may be missing
_SAME = 1e-6  # [rad] postures nearer than this are one


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BentSolutions:
    """Postures of a batch of targets, one per family.

    Args:
        q: joints; those of the straight stylus where the family has none. # (N, 8, 5) [rad]
        expected: families in which there is a posture. # (N, 8)
        crowded: targets with a second posture of the same signs, which is left out. # (N,)
    """

    q: Array
    expected: Mask
    crowded: Mask


class BentStylus:
    """The numerical part of an arm's inverse.

    Args:
        mechanism: the arm with its tool.
        family: its dimensions.
        engine: how the equations are run.
    """

    def __init__(self, mechanism: Mechanism, family: ArmFamily, engine: Engine) -> None:
        from robots.core.chain_inverse.solver import ChainInverse

        self._family = family
        self._inverse = ChainInverse.of(mechanism, Task.POSITION_AND_AXIS, engine=engine)
        self._newton = Kernel(newton_programme(mechanism), engine)
        self._rates = Kernel(rates_programme(mechanism, bent=True), engine)

    def solve(self, position: Array, axis: Array, straight: Array) -> BentSolutions:
        """All postures at positions with stylus directions.

        Args:
            position: ball centres. # (N, 3) [m]
            axis: unit directions. # (N, 3)
            straight: joints of the straight stylus, which tell two postures of a family apart.
                # (N, 8, 5) [rad]
        """
        found = self._inverse.solve(Target.position_and_axis(position, axis).T)
        target, root = np.nonzero(found.solved)
        q = self._polished(found.q[target, root], position[target], axis[target], keep=True)
        return _sorted(q, target, self._families(q), straight)

    def follow(self, lines: Array, lam: Array) -> Array:
        """Postures along lines, each followed from its line's start.

        Args:
            lines: as in ``ArmInverse.along_lines``; the signs are not needed. # (m, 17)
            lam: place on each line. # (m,)

        Returns:
            q, dq/dλ, d²q/dλ²; NaN where the branch ends before. # (m, 15) [rad]
        """
        start, tangent, axis, q = lines[:, :3], lines[:, 3:6], lines[:, 6:9], lines[:, 12:]
        stride = (lam / _STRIDES)[:, None]
        with np.errstate(all="ignore"):  # a branch that ends gives NaN, which is the answer
            for k in range(1, _STRIDES + 1):
                rates = self._rates(q, tangent)
                guess = q + stride * rates[:, :5] + 0.5 * stride**2 * rates[:, 5:]
                q = self._polished(guess, start + k * stride * tangent, axis, keep=False)
            return np.concatenate([q, self._rates(q, tangent)], axis=1)

    def _families(self, q: Array) -> Indices:
        """Family of each posture, by its signs. # (m,)."""
        theta = q + self._family.offsets
        shoulder = self._family.radius(theta) < 0.0
        elbow, wrist = np.cos(theta[:, 2]) < 0.0, self._family.wrist_sine(theta) < 0.0
        return np.asarray(4 * shoulder + 2 * elbow + wrist, dtype=np.int64)

    def _polished(self, q: Array, position: Array, axis: Array, *, keep: bool) -> Array:
        """Newton's method; rows that do not arrive keep their best iterate or become NaN."""
        best, least = q, np.full(len(q), np.inf)
        for _ in range(_ITERATIONS):
            step = self._newton(q, position, axis)
            missing = np.max(step[:, 5:], axis=1)
            better = missing < least
            best, least = np.where(better[:, None], q, best), np.where(better, missing, least)
            if not np.any(better & (missing > _EXACT)):
                break
            longest = np.max(np.abs(step[:, :5]), axis=1, keepdims=True)
            q = q + step[:, :5] * np.minimum(1.0, _LARGEST_STEP / np.maximum(longest, _EXACT))
        return best if keep else np.where((least <= _HIT)[:, None], best, np.nan)


def _sorted(q: Array, target: Indices, family: Indices, straight: Array) -> BentSolutions:
    """Postures found, in any order and perhaps twice, into their families."""
    chosen, expected = straight.copy(), np.zeros(straight.shape[:2], dtype=np.bool_)
    # The farthest first, so that the nearest to the straight stylus's posture stays.
    order = np.argsort(-_apart(q, straight[target, family]), kind="stable")
    q, target, family = q[order], target[order], family[order]
    chosen[target, family] = q
    expected[target, family] = True
    other = _apart(q, chosen[target, family]) > _SAME
    return BentSolutions(
        q=chosen, expected=expected, crowded=np.isin(np.arange(len(chosen)), target[other])
    )


def _apart(a: Array, b: Array) -> Array:
    """Largest difference of joints, whole turns not counted. # (..., 5) -> (...)."""
    return np.asarray(2.0 * np.max(np.abs(np.sin(0.5 * (a - b))), axis=-1))
