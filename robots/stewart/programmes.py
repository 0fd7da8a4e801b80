"""The platform's recorded programmes: legs, Jacobian, forces, masses, energies, leg bodies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from robots.core.equations.algebra import (
    IDENTITY,
    ZERO,
    Mat3,
    Vec3,
    add,
    apply,
    dot,
    scale,
    transpose,
)
from robots.core.equations.energy import kinetic_energy, potential_energy
from robots.core.equations.kinematics import frames, link_rates
from robots.core.equations.tree import Inertia, Tree, grouped, tensor, tree_of, vector
from robots.core.equations.tree import kinetic_energy as body_kinetic_energy
from robots.core.recording import Programme, Recorder, recording_functions
from robots.stewart.leg_axes import LegAxes, leg_axes
from robots.stewart.leg_chain import body_links, leg_chain
from robots.stewart.leg_posture import LegPosture, leg_posture, turn_functions
from robots.stewart.platform import LEGS, Platform
from robots.stewart.virtual_work import (
    Masses,
    PlateMotion,
    generalised_wrench,
    leg_lines,
    leg_motion,
    solved,
)

LEG_BODIES = 5  # cross, cylinder, piston, end cross, end
STILL = PlateMotion(v=ZERO, w=ZERO, vd=ZERO, wd=ZERO)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Subject:
    """A platform as the programmes read it."""

    axes: tuple[LegAxes, ...]
    trees: tuple[Tree, ...]
    masses: Masses


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """Arguments of a programme as vectors; what it has not is zero."""

    recorder: Recorder
    R: Mat3
    origin: Vec3
    legs: tuple[LegPosture, ...]
    motion: PlateMotion
    given: Sequence[Any]  # of the fourth argument


def subject(platform: Platform) -> Subject:
    """Axes, chains and masses of a platform.

    Raises:
        PlatformError: a leg is degenerate at home.
    """
    trees = tuple(tree_of(leg_chain(platform, k)) for k in range(LEGS))
    body = platform.body
    plate = Inertia(
        mass=body.mass, moment=vector(body.first_moment), tensor=tensor(body.inertia_at_origin)
    )
    return Subject(
        axes=tuple(leg_axes(platform, k) for k in range(LEGS)),
        trees=trees,
        masses=Masses(
            trees=tuple(grouped(tree) for tree in trees),
            plate=plate,
            gravity=vector(platform.gravity),
        ),
    )


def record(subject: Subject, name: str) -> Programme:
    """The programme called ``name``; see ``PROGRAMMES``."""
    arguments, shape, equations = PROGRAMMES[name]
    state = _state(subject, arguments)
    return state.recorder.programme(name, equations(subject, state), shape)


def _state(subject: Subject, arguments: Sequence[str]) -> State:
    recorder, fn = Recorder(), recording_functions()
    T = recorder.argument("T", (4, 4))
    R: Mat3 = tuple(tuple(T[4 * k : 4 * k + 3]) for k in range(3))  # type: ignore[assignment]
    given = {name: recorder.argument(name, (6,)) for name in arguments}
    V, A = given.get("V", [0.0] * 6), given.get("A", [0.0] * 6)
    return State(
        recorder=recorder,
        R=R,
        origin=(T[3], T[7], T[11]),
        legs=tuple(leg_posture(axes, R, (T[3], T[7], T[11]), fn) for axes in subject.axes),
        motion=PlateMotion(v=_three(V), w=_three(V[3:]), vd=_three(A), wd=_three(A[3:])),
        given=given.get("wrench", []),
    )


def _lengths(_: Subject, state: State) -> list[Any]:
    return [leg.length for leg in state.legs]


def _jacobian(_: Subject, state: State) -> list[Any]:
    return [x for row in leg_lines(state.legs) for x in row]


def _rates(_: Subject, state: State) -> list[Any]:
    return [dot(state.motion.speed_at(leg.lever).linear, leg.n) for leg in state.legs]


def _accelerations(_: Subject, state: State) -> list[Any]:
    """What stretches a leg: B's acceleration along it, and the centrifugal part of its turning."""
    found = []
    for leg in state.legs:
        speed = state.motion.speed_at(leg.lever).linear
        along = dot(speed, leg.n)
        across = dot(speed, speed) - along * along
        gain = dot(state.motion.acceleration_at(leg.lever).linear, leg.n)
        found.append(gain + across / leg.length)
    return found


def _wrench(subject: Subject, state: State) -> list[Any]:
    fn = recording_functions()
    return generalised_wrench(subject.masses, state.R, state.legs, state.motion, fn)


def _forces(subject: Subject, state: State) -> list[Any]:
    """Six forces, then the squared sine by which the legs are independent."""
    wanted = [a - b for a, b in zip(_wrench(subject, state), state.given, strict=True)]
    found = solved(leg_lines(state.legs), wanted, recording_functions())
    return [*found.values, found.independence]


def _mass_matrix(subject: Subject, state: State) -> list[Any]:
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


def _joint_motion(_: Subject, state: State) -> list[Any]:
    """Speeds, then accelerations, of every leg's joints."""
    found: list[Any] = []
    for leg in state.legs:
        moved = leg_motion(leg, state.motion)
        found += [*moved.qd, *moved.qdd]
    return found


def _bodies(subject: Subject, state: State) -> list[Any]:
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


def _energies(subject: Subject, state: State) -> list[Any]:
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


Equations = Callable[[Subject, State], list[Any]]

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
