"""Numbers from a platform: every quantity as a fast batch function; forces by virtual work.

``PlatformModel`` records a quantity's equations the first time it is asked for and keeps the
kernel; results carry the leading batch shape of their arguments. Platform velocities and
accelerations are (..., 6): of the platform frame's origin, then angular, base axes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from robots.core.arrays import Array, Mask
from robots.core.equations.algebra import (
    IDENTITY,
    ZERO,
    Functions,
    Mat3,
    Scalar,
    Vec3,
    add,
    apply,
    cross,
    dot,
    scale,
    subtract,
    sym_apply,
    transpose,
)
from robots.core.equations.dynamics import newton_euler
from robots.core.equations.energy import kinetic_energy, potential_energy
from robots.core.equations.kinematics import Rates, frames, link_rates
from robots.core.equations.tree import Inertia, Tree, grouped, tensor, tree_of, vector
from robots.core.equations.tree import kinetic_energy as body_kinetic_energy
from robots.core.kernels.kernel import Engine, Kernel
from robots.core.model import Energies
from robots.core.recording import Programme, Recorder, recording_functions
from robots.stewart.errors import PlatformError
from robots.stewart.legs import (
    LegAxes,
    LegPosture,
    TipMotion,
    body_links,
    joint_rates,
    leg_axes,
    leg_chain,
    leg_posture,
    pulled_back,
    tip_bias,
    turn_functions,
)
from robots.stewart.platform import LEGS, Platform, checked_poses

# Sine between a leg's line and the others' below which forces grow past all use: a billionfold.
DEPENDENT = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Masses:
    """Moving masses: six legs as trees of the core, the platform's body, gravity in base axes."""

    trees: tuple[Tree, ...]
    plate: Inertia
    gravity: Vec3  # [m/s²]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RecordedPlatform:
    """A platform as the programmes read it."""

    axes: tuple[LegAxes, ...]
    trees: tuple[Tree, ...]
    masses: Masses


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgrammeArguments:
    """Arguments of a programme as vectors; what it has not is zero."""

    recorder: Recorder
    R: Mat3
    origin: Vec3
    legs: tuple[LegPosture, ...]
    motion: Rates
    given: Sequence[Any]  # of the fourth argument


Equations = Callable[[RecordedPlatform, ProgrammeArguments], list[Any]]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BodyMotion:
    """Motion of every leg's cross, cylinder, piston, end cross and end, base axes.

    The velocity is of the body frame's origin: A for the first two, B for the others.
    """

    v: Array  # (..., 6, 5, 3) [m/s]
    w: Array  # (..., 6, 5, 3) [rad/s]
    vd: Array  # (..., 6, 5, 3) [m/s²]
    wd: Array  # (..., 6, 5, 3) [rad/s²]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LegJointMotion:
    """Speeds and accelerations of every leg's joints, in the order of ``leg_chain``."""

    qd: Array  # (..., 6, 6) [rad/s or m/s]
    qdd: Array  # (..., 6, 6) [rad/s² or m/s²]


class PlatformModel:
    """The equations of one platform, as numbers.

    Args:
        platform: what to model.
        engine: of the kernels, see ``Kernel``.

    Raises:
        PlatformError: on first use, a leg that is degenerate at home.
    """

    def __init__(self, platform: Platform, engine: Engine = "auto") -> None:
        self.platform = platform
        self.engine = engine
        self._kernels: dict[str, Kernel] = {}

    @cached_property
    def _subject(self) -> RecordedPlatform:
        return subject(self.platform)

    def kernel(self, name: str) -> Kernel:
        """The batch function of one programme (see ``robots.stewart.model``)."""
        if name not in self._kernels:
            self._kernels[name] = Kernel(record(self._subject, name), self.engine)
        return self._kernels[name]

    def lengths(self, T: ArrayLike) -> Array:
        """Leg lengths, A to B. # (..., 4, 4) -> (..., 6) [m]."""
        return self._run("lengths", T)

    def jacobian(self, T: ArrayLike) -> Array:
        """J with l̇ = J·V; its transpose hands leg forces on to the platform. # (..., 6, 6).

        Source: [STAICU09] eq. (15)
        """
        return self._run("jacobian", T)

    def length_rates(self, T: ArrayLike, V: ArrayLike) -> Array:
        """Speeds of the strokes, l̇ = J·V. # (..., 6) [m/s]."""
        return self._run("length_rates", T, V)

    def length_accelerations(self, T: ArrayLike, V: ArrayLike, A: ArrayLike) -> Array:
        """Accelerations of the strokes, l̈ = J·A + J̇·V. # (..., 6) [m/s²]."""
        return self._run("length_accelerations", T, V, A)

    def joint_motion(self, T: ArrayLike, V: ArrayLike, A: ArrayLike) -> LegJointMotion:
        """Speeds and accelerations of all joints of all legs."""
        found = self._run("joint_motion", T, V, A)
        return LegJointMotion(qd=found[..., 0, :], qdd=found[..., 1, :])

    def bodies(self, T: ArrayLike, V: ArrayLike, A: ArrayLike) -> BodyMotion:
        """Velocities and accelerations of every leg body."""
        found = self._run("bodies", T, V, A)
        v, w, vd, wd = (found[..., k, :] for k in range(4))
        return BodyMotion(v=v, w=w, vd=vd, wd=wd)

    def forces(
        self, T: ArrayLike, V: ArrayLike, A: ArrayLike, wrench: ArrayLike | None = None
    ) -> Array:
        """Leg forces of a motion, by virtual work; positive pushes.

        Args:
            T: T_base_platform. # (..., 4, 4)
            V: platform velocity. # (..., 6) [m/s, rad/s]
            A: platform acceleration. # (..., 6) [m/s², rad/s²]
            wrench: force and moment that the environment exerts on the platform at its frame's
                origin, base axes. # (..., 6) [N, N m]

        Returns:
            f, friction of the strokes included. # (..., 6) [N]

        Raises:
            PlatformError: input not finite, or a pose where the legs cannot hold the platform.
        """
        load = np.zeros(6) if wrench is None else wrench
        found = self._run("forces", T, V, A, load)
        held = np.all(np.isfinite(found), axis=-1) & (found[..., 6] > DEPENDENT**2)
        if not np.all(held):
            raise self._refusal(
                ~held,
                "no leg forces hold the platform: its legs are dependent there (a Type 2 "
                "singularity), or a leg's joint is locked",
            )
        return found[..., :6]

    def power(self, T: ArrayLike, V: ArrayLike, forces: ArrayLike) -> Array:
        """Power of all drives together. Args: forces: of the legs. # (..., 6) -> (...) [W]."""
        return np.asarray(np.sum(np.asarray(forces) * self.length_rates(T, V), axis=-1))

    def generalised_wrench(self, T: ArrayLike, V: ArrayLike, A: ArrayLike) -> Array:
        """Jᵀf of a motion without external wrench. # (..., 6) [N, N m]."""
        return self._run("generalised_wrench", T, V, A)

    def mass_matrix(self, T: ArrayLike) -> Array:
        """Inertia of platform and legs seen at the platform. # (..., 6, 6) [kg, kg m, kg m²]."""
        return self._run("mass_matrix", T)

    def energies(self, T: ArrayLike, V: ArrayLike) -> Energies:
        """Kinetic and potential energy of platform and legs; zero height is the base origin."""
        found = self._run("energies", T, V)
        return Energies(kinetic=found[..., 0], potential=found[..., 1])

    def _run(self, name: str, T: ArrayLike, *vectors: ArrayLike) -> Array:
        poses = checked_poses(self.platform, T)
        arrays = [np.asarray(vector, dtype=np.float64) for vector in vectors]
        for array in arrays:
            if not np.all(np.isfinite(array)):
                index = tuple(int(k) for k in np.argwhere(~np.isfinite(array))[0])
                raise PlatformError(
                    f"Platform {self.platform.name!r}, {name}: a velocity, acceleration or wrench "
                    f"holds {array[index]} at index {index}; every entry must be finite.",
                    index=index,
                )
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):  # refused below
            found = self.kernel(name)(poses, *arrays)
        if name != "forces" and not np.all(np.isfinite(found)):
            last = tuple(range(-len(self.kernel(name).programme.result.shape), 0))
            lost = np.asarray(np.any(~np.isfinite(found), axis=last))
            raise self._refusal(lost, f"the {name} are not defined: a leg's joint is locked there")
        return found

    def _refusal(self, lost: Mask, reason: str) -> PlatformError:
        """The error that names the first pose of ``lost``, and why."""
        index = tuple(int(k) for k in np.argwhere(lost)[0])
        where = f"pose {list(index)}" if index else "this pose"
        return PlatformError(
            f"Platform {self.platform.name!r}: in {where} {reason}; move the pose.", index=index
        )


# -------------------------------------------------------------------------------------- Programmes

LEG_BODIES = 5  # cross, cylinder, piston, end cross, end
STILL = Rates()


def subject(platform: Platform) -> RecordedPlatform:
    """Axes, chains and masses of a platform.

    Raises:
        PlatformError: a leg is degenerate at home.
    """
    trees = tuple(tree_of(leg_chain(platform, k)) for k in range(LEGS))
    body = platform.body
    plate = Inertia(
        mass=body.mass, moment=vector(body.first_moment), tensor=tensor(body.inertia_at_origin)
    )
    return RecordedPlatform(
        axes=tuple(leg_axes(platform, k) for k in range(LEGS)),
        trees=trees,
        masses=Masses(
            trees=tuple(grouped(tree) for tree in trees),
            plate=plate,
            gravity=vector(platform.gravity),
        ),
    )


def record(subject: RecordedPlatform, name: str) -> Programme:
    """The programme called ``name``; see ``PROGRAMMES``."""
    arguments, shape, equations = PROGRAMMES[name]
    state = _state(subject, arguments)
    return state.recorder.programme(name, equations(subject, state), shape)


def _state(subject: RecordedPlatform, arguments: Sequence[str]) -> ProgrammeArguments:
    recorder, fn = Recorder(), recording_functions()
    T = recorder.argument("T", (4, 4))
    R: Mat3 = tuple(tuple(T[4 * k : 4 * k + 3]) for k in range(3))  # type: ignore[assignment]
    given = {name: recorder.argument(name, (6,)) for name in arguments}
    V, A = given.get("V", [0.0] * 6), given.get("A", [0.0] * 6)
    return ProgrammeArguments(
        recorder=recorder,
        R=R,
        origin=(T[3], T[7], T[11]),
        legs=tuple(leg_posture(axes, R, (T[3], T[7], T[11]), fn) for axes in subject.axes),
        motion=Rates(v=_three(V), w=_three(V[3:]), vd=_three(A), wd=_three(A[3:])),
        given=given.get("wrench", []),
    )


def _lengths(_: RecordedPlatform, state: ProgrammeArguments) -> list[Any]:
    return [leg.length for leg in state.legs]


def _jacobian(_: RecordedPlatform, state: ProgrammeArguments) -> list[Any]:
    return [x for row in leg_lines(state.legs) for x in row]


def _rates(_: RecordedPlatform, state: ProgrammeArguments) -> list[Any]:
    return [dot(state.motion.at(leg.lever).v, leg.n) for leg in state.legs]


def _accelerations(_: RecordedPlatform, state: ProgrammeArguments) -> list[Any]:
    """What stretches a leg: B's acceleration along it, and the centrifugal part of its turning."""
    found = []
    for leg in state.legs:
        tip = state.motion.at(leg.lever)
        along = dot(tip.v, leg.n)
        across = dot(tip.v, tip.v) - along * along
        gain = dot(tip.vd, leg.n)
        found.append(gain + across / leg.length)
    return found


def _wrench(subject: RecordedPlatform, state: ProgrammeArguments) -> list[Any]:
    fn = recording_functions()
    return generalised_wrench(subject.masses, state.R, state.legs, state.motion, fn)


def _forces(subject: RecordedPlatform, state: ProgrammeArguments) -> list[Any]:
    """Six forces, then the squared sine by which the legs are independent."""
    wanted = [a - b for a, b in zip(_wrench(subject, state), state.given, strict=True)]
    found = solve_system(leg_lines(state.legs), wanted, recording_functions())
    return [*found.values, found.independence]


def _mass_matrix(subject: RecordedPlatform, state: ProgrammeArguments) -> list[Any]:
    """The wrench of unit accelerations, at rest and without gravity, one column each."""
    masses = replace(
        subject.masses,
        trees=tuple(replace(tree, gravity=ZERO) for tree in subject.masses.trees),
        gravity=ZERO,
    )
    units = [replace(STILL, vd=row) for row in IDENTITY]
    units += [replace(STILL, wd=row) for row in IDENTITY]
    fn = recording_functions()
    columns = [generalised_wrench(masses, state.R, state.legs, unit, fn) for unit in units]
    return [column[k] for k in range(6) for column in columns]


def _joint_motion(_: RecordedPlatform, state: ProgrammeArguments) -> list[Any]:
    """Speeds, then accelerations, of every leg's joints."""
    found: list[Any] = []
    for leg in state.legs:
        moved = leg_motion(leg, state.motion)
        found += [*moved.qd, *moved.qdd]
    return found


def _bodies(subject: RecordedPlatform, state: ProgrammeArguments) -> list[Any]:
    """Velocity, angular velocity, acceleration, angular acceleration of every leg body."""
    fn = turn_functions(recording_functions())
    found: list[Any] = []
    for axes, tree, leg in zip(subject.axes, subject.trees, state.legs, strict=True):
        moved = leg_motion(leg, state.motion)
        rates = link_rates(tree, frames(tree, leg.values, fn), moved.qd, moved.qdd)
        for link in body_links(axes):
            m = rates[link]
            found += [*m.v, *m.w, *m.vd, *m.wd]
    return found


def _energies(subject: RecordedPlatform, state: ProgrammeArguments) -> list[Any]:
    fn = turn_functions(recording_functions())
    body, back = subject.masses.plate, transpose(state.R)
    v, w = apply(back, state.motion.v), apply(back, state.motion.w)
    kinetic = body_kinetic_energy(body, v, w)
    moment = add(scale(body.mass, state.origin), apply(state.R, body.moment))
    potential = -dot(subject.masses.gravity, moment)
    for tree, leg in zip(subject.trees, state.legs, strict=True):
        moved = leg_motion(leg, state.motion)
        kinetic = kinetic + kinetic_energy(tree, leg.values, moved.qd, fn)
        potential = potential + potential_energy(tree, frames(tree, leg.values, fn))
    return [kinetic, potential]


def _three(values: Sequence[Any]) -> Vec3:
    return (values[0], values[1], values[2])


# Name to arguments after T, shape of the result, equations.
PROGRAMMES: dict[str, tuple[tuple[str, ...], tuple[int, ...], Equations]] = {
    "lengths": ((), (LEGS,), _lengths),
    "jacobian": ((), (LEGS, 6), _jacobian),
    "length_rates": (("V",), (LEGS,), _rates),
    "length_accelerations": (("V", "A"), (LEGS,), _accelerations),
    "joint_motion": (("V", "A"), (LEGS, 2, 6), _joint_motion),
    "bodies": (("V", "A"), (LEGS, LEG_BODIES, 4, 3), _bodies),
    "generalised_wrench": (("V", "A"), (6,), _wrench),
    "forces": (("V", "A", "wrench"), (LEGS + 1,), _forces),
    "mass_matrix": ((), (6, 6), _mass_matrix),
    "energies": (("V",), (2,), _energies),
}


# ------------------------------------------------------------------------------------ Virtual work
# Every leg's joint torques come from the core's recursion of Newton and Euler along its chain; what
# they do on a virtual motion of the platform is handed on to its origin, where the platform's own
# inertia waits; the six drives do the same work with f·δl.
#
# Source: [STAICU09] §3 eqs. (19)-(20). Gravity points along -z0 here; the printed -9.81 m a_k0 u3
# would have it along +z0 (sources.md).


@dataclass(frozen=True, slots=True, kw_only=True)
class LegRates:
    """Joint speeds and accelerations of a leg. # (6,)."""

    qd: list[Scalar]
    qdd: list[Scalar]


def leg_motion(leg: LegPosture, motion: Rates) -> LegRates:
    """Joint speeds and accelerations that a motion of the platform asks of a leg."""
    tip = motion.at(leg.lever)
    qd = joint_rates(leg, TipMotion(tip.v, tip.w))
    bias = tip_bias(leg, qd)
    rest = TipMotion(subtract(tip.vd, bias.linear), subtract(tip.wd, bias.angular))
    return LegRates(qd=qd, qdd=joint_rates(leg, rest))


def generalised_wrench(
    masses: Masses, R: Mat3, legs: Sequence[LegPosture], motion: Rates, fn: Functions
) -> list[Scalar]:
    """Wrench at the platform's origin that this motion asks of the drives. # (6,) [N, N m]."""
    total = _plate_wrench(masses, R, motion)
    for leg, tree in zip(legs, masses.trees, strict=True):
        moved = leg_motion(leg, motion)
        tau = newton_euler(tree, (leg.values, moved.qd, moved.qdd), turn_functions(fn))
        force, moment = pulled_back(leg, tau)
        total = TipMotion(
            add(total.linear, force), add(total.angular, add(moment, cross(leg.lever, force)))
        )
    return [*total.linear, *total.angular]


def leg_lines(legs: Sequence[LegPosture]) -> list[list[Scalar]]:
    """Rows of the Jacobian: each leg's direction and its moment about the platform's origin.

    Source: [STAICU09] eq. (15), the row of v32 solved for
    """
    return [[*leg.n, *cross(leg.lever, leg.n)] for leg in legs]


@dataclass(frozen=True, slots=True, kw_only=True)
class Solution:
    """Solution of a linear system.

    Args:
        values: the unknowns. # (n,)
        independence: least squared sine between a column and the span of those before it; zero
            where the system is singular.
    """

    values: list[Scalar]
    independence: Scalar


def solve_system(
    columns: Sequence[Sequence[Scalar]], right: Sequence[Scalar], fn: Functions
) -> Solution:
    """Solution of a square system given by its columns, without choosing pivots.

    Modified Gram-Schmidt with the right side as one more column is as stable as Householder's
    method, and has no branch that a straight-line programme could not take.
    """
    n = len(columns)
    work = [list(column) for column in columns]
    rest = list(right)
    upper: list[list[Scalar]] = []
    found: list[Scalar] = []
    worst: Scalar = -1.0
    for k in range(n):
        square = _dot(work[k], work[k])
        worst = fn.maximum(worst, -(square / _dot(columns[k], columns[k])))
        inverse = 1.0 / fn.sqrt(square)
        unit = [inverse * entry for entry in work[k]]
        along = [_dot(unit, column) for column in (*work[k + 1 :], rest)]
        work[k + 1 :] = [_without(work[k + 1 + j], along[j], unit) for j in range(n - k - 1)]
        rest = _without(rest, along[-1], unit)
        upper.append([inverse, *along[:-1]])
        found.append(along[-1])
    for k in range(n - 1, -1, -1):
        for j in range(k + 1, n):
            found[k] = found[k] - upper[k][j - k] * found[j]
        found[k] = found[k] * upper[k][0]
    return Solution(values=found, independence=-worst)


def _without(column: Sequence[Scalar], along: Scalar, unit: Sequence[Scalar]) -> list[Scalar]:
    return [a - along * b for a, b in zip(column, unit, strict=True)]


def _plate_wrench(masses: Masses, R: Mat3, motion: Rates) -> TipMotion:
    """Rates of linear and angular momentum of the platform less its weight, at its origin."""
    body, back = masses.plate, transpose(R)
    w, wd = apply(back, motion.w), apply(back, motion.wd)
    a = apply(back, subtract(motion.vd, masses.gravity))
    turned = add(cross(wd, body.moment), cross(w, cross(w, body.moment)))
    force = add(scale(body.mass, a), turned)
    spin = add(sym_apply(body.tensor, wd), cross(w, sym_apply(body.tensor, w)))
    moment = add(spin, cross(body.moment, a))
    return TipMotion(apply(R, force), apply(R, moment))


def _dot(a: Sequence[Scalar], b: Sequence[Scalar]) -> Scalar:
    total: Scalar = 0.0
    for x, y in zip(a, b, strict=True):
        total = total + x * y
    return total
