"""Quantities that can be recorded for a mechanism: poses, Jacobians, torques, masses, energies.

One entry in ``kinematics`` or ``dynamics`` makes a quantity available as a number, a compiled batch
function, an operation count and an export.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from robots.core.equations import dynamics, energy
from robots.core.equations.algebra import Functions, Vec3, subtract
from robots.core.equations.dynamics import base_wrench, forward_dynamics, mass_matrix, newton_euler
from robots.core.equations.energy import centroidal_momentum
from robots.core.equations.kinematics import (
    AngleSet,
    Column,
    Frame,
    Rates,
    analytic_jacobian,
    frames,
    geometric_jacobian,
    link_rates,
    statics,
    tool_frame,
)
from robots.core.equations.lagrange import lagrange
from robots.core.equations.tree import Tree, grouped, tree_of
from robots.core.errors import EquationError
from robots.core.kernels.recordings import recorded
from robots.core.mechanism import Mechanism
from robots.core.recording import (
    OperationCounts,
    Programme,
    Recorder,
    recording_functions,
)

Arguments = Sequence[Sequence[Any]]
Equations = Callable[[Tree, Arguments, Functions], list[Any]]
Extent = int | str  # a number, or a name of ``_extents``
_Q, _QD, _QDD = ("q",), ("q", "qd"), ("q", "qd", "qdd")


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantity:
    """A quantity of a mechanism.

    Args:
        name: as users call it.
        purpose: one line.
        arguments: names of the argument arrays: q, qd, qdd, tau (n,) or wrench (6,).
        shape: result shape: numbers, "n" (variables), "links", "parameters" (ten per link).
        equations: row-major numbers of the result.
        inertial: whether bodies matter only through torques, so that they may be grouped.
        needs_masses: whether it has no value where the masses are not known.
    """

    name: str
    purpose: str
    arguments: tuple[str, ...]
    shape: tuple[Extent, ...]
    equations: Equations
    inertial: bool = False
    needs_masses: bool = False

    @property
    def words(self) -> str:
        """The name as a reader knows it."""
        return _WORDS.get(self.name, self.name.replace("_", " "))

    @property
    def _seen(self) -> tuple[Hashable, ...]:
        """What tells its recordings from those of others."""
        equations = f"{self.equations.__module__}.{self.equations.__qualname__}"
        return self.name, self.arguments, self.shape, equations, self.inertial, self.needs_masses

    @recorded(
        lambda self, mechanism: (*self._seen, repr(tree_of(mechanism)), mechanism.masses_known)
    )
    def record(self, mechanism: Mechanism) -> Programme:
        """The straight-line programme of this quantity for one mechanism.

        Raises:
            MassesUnknownError: it needs masses, and those of the mechanism are not known.
            EquationError: the mechanism makes the quantity divide by zero in every posture.
        """
        if self.needs_masses:
            mechanism.require_masses(self.words)
        tree = tree_of(mechanism)
        extents = _extents(tree)
        recorder = Recorder()
        arguments = [
            recorder.argument(name, (6,) if name == "wrench" else (tree.dof,))
            for name in self.arguments
        ]
        read = grouped(tree) if self.inertial else tree
        try:
            outputs = self.equations(read, arguments, recording_functions())
        except ZeroDivisionError:
            raise EquationError(
                f"{self.name} of {mechanism.name!r} divides by zero in every posture. "
                f"{_DIVISORS.get(self.name, _NO_ANGLES)}",
                quantity=self.name,
            ) from None
        shape = tuple(extents[e] if isinstance(e, str) else e for e in self.shape)
        return recorder.programme(self.name, outputs, shape)


# -------------------------------------------------------------------------------------- Kinematics


def _forward(tree: Tree, args: Arguments, fn: Functions) -> list[Any]:
    return _flat_pose(_placed(tree, args[0], fn)[1])


def _transforms(tree: Tree, args: Arguments, fn: Functions) -> list[Any]:
    return [x for frame in frames(tree, args[0], fn) for x in _flat_pose(frame)]


def _jacobian(tree: Tree, args: Arguments, fn: Functions) -> list[Any]:
    return _by_rows(_tool_columns(tree, args[0], fn)[0])


def _tool_jacobian(tree: Tree, args: Arguments, fn: Functions) -> list[Any]:
    placed, tool = _placed(tree, args[0], fn)
    return _by_rows(geometric_jacobian(tree, placed, tree.tool_link, tool.origin, tool.rotation))


def _analytic(angles: AngleSet) -> Equations:
    def equations(tree: Tree, args: Arguments, fn: Functions) -> list[Any]:
        columns, tool = _tool_columns(tree, args[0], fn)
        return _by_rows(analytic_jacobian(columns, tool.rotation, angles, fn))

    return equations


def _statics(tree: Tree, args: Arguments, fn: Functions) -> list[Any]:
    q, wrench = args
    force: Vec3 = (wrench[0], wrench[1], wrench[2])
    moment: Vec3 = (wrench[3], wrench[4], wrench[5])
    return statics(_tool_columns(tree, q, fn)[0], force, moment)


def _velocity(tree: Tree, args: Arguments, fn: Functions) -> list[Any]:
    rates = _tool_rates(tree, (args[0], args[1], [0.0] * tree.dof), fn)
    return [*rates.v, *rates.w]


def _acceleration(tree: Tree, args: Arguments, fn: Functions) -> list[Any]:
    rates = _tool_rates(tree, (args[0], args[1], args[2]), fn)
    return [*rates.vd, *rates.wd]


def _bias_acceleration(tree: Tree, args: Arguments, fn: Functions) -> list[Any]:
    rates = _tool_rates(tree, (args[0], args[1], [0.0] * tree.dof), fn)
    return [*rates.vd, *rates.wd]


_KINEMATICS: tuple[tuple[str, str, tuple[str, ...], tuple[Extent, ...], Equations], ...] = (
    ("forward", "pose of the tool in the base frame", _Q, (4, 4), _forward),
    ("transforms", "pose of every link in the base frame", _Q, ("links", 4, 4), _transforms),
    (
        "jacobian",
        "geometric Jacobian at the tool, base axes, linear rows first",
        _Q,
        (6, "n"),
        _jacobian,
    ),
    ("tool_jacobian", "geometric Jacobian at the tool, tool axes", _Q, (6, "n"), _tool_jacobian),
    (
        "jacobian_zxz",
        "analytic Jacobian for Euler angles ZXZ",
        _Q,
        (6, "n"),
        _analytic(AngleSet.ZXZ),
    ),
    (
        "jacobian_rpy",
        "analytic Jacobian for yaw, pitch and roll",
        _Q,
        (6, "n"),
        _analytic(AngleSet.RPY),
    ),
    (
        "statics",
        "joint torques that a tool wrench on the environment requires",
        ("q", "wrench"),
        ("n",),
        _statics,
    ),
    ("velocity", "linear and angular velocity of the tool, base axes", _QD, (6,), _velocity),
    (
        "acceleration",
        "linear and angular acceleration of the tool, base axes",
        _QDD,
        (6,),
        _acceleration,
    ),
    (
        "bias_acceleration",
        "acceleration of the tool at zero joint acceleration, J̇·qd",
        _QD,
        (6,),
        _bias_acceleration,
    ),
)
KINEMATICS = tuple(
    Quantity(name=name, purpose=purpose, arguments=arguments, shape=shape, equations=equations)
    for name, purpose, arguments, shape, equations in _KINEMATICS
)


# ---------------------------------------------------------------------------------------- Dynamics


def _torques(tree: Tree, args: Arguments, fn: Functions) -> list[Any]:
    return newton_euler(tree, (args[0], args[1], args[2]), fn)


def _gravity(tree: Tree, args: Arguments, fn: Functions) -> list[Any]:
    still = [0.0] * tree.dof
    return newton_euler(tree, (args[0], still, still), fn)


def _mass(tree: Tree, args: Arguments, fn: Functions) -> list[Any]:
    return [x for row in mass_matrix(tree, args[0], fn) for x in row]


def _forward_dynamics(tree: Tree, args: Arguments, fn: Functions) -> list[Any]:
    return forward_dynamics(tree, (args[0], args[1], args[2]), fn)


def _lagrange(tree: Tree, args: Arguments, fn: Functions) -> list[Any]:
    found = lagrange(tree, frames(tree, args[0], fn))
    flat = [x for row in found.A for x in row]
    flat += [x for plane in found.B for row in plane for x in row]
    return flat + [x for row in found.C for x in row] + found.Q


def _energies(tree: Tree, args: Arguments, fn: Functions) -> list[Any]:
    q, qd = args
    kinetic = energy.kinetic_energy(tree, q, qd, fn)
    return [kinetic, energy.potential_energy(tree, frames(tree, q, fn))]


def _center_of_mass(tree: Tree, args: Arguments, fn: Functions) -> list[Any]:
    return list(energy.center_of_mass(tree, frames(tree, args[0], fn)))


def _center_of_mass_jacobian(tree: Tree, args: Arguments, fn: Functions) -> list[Any]:
    columns = energy.center_of_mass_jacobian(tree, frames(tree, args[0], fn))
    return [x for row in zip(*columns, strict=True) for x in row]


def _base_wrench(tree: Tree, args: Arguments, fn: Functions) -> list[Any]:
    return base_wrench(tree, (args[0], args[1], args[2]), fn)


def _centroidal_momentum(tree: Tree, args: Arguments, fn: Functions) -> list[Any]:
    return centroidal_momentum(tree, args[0], args[1], fn)


def _regressor(tree: Tree, args: Arguments, fn: Functions) -> list[Any]:
    rows = dynamics.regressor(tree, (args[0], args[1], args[2]), fn)
    return [x for row in rows for x in row]


_DYNAMICS: tuple[tuple[str, str, tuple[str, ...], tuple[Extent, ...], Equations, bool], ...] = (
    ("torques", "joint torques of a motion (Newton-Euler)", _QDD, ("n",), _torques, True),
    ("gravity_torques", "joint torques that hold the mechanism still", _Q, ("n",), _gravity, True),
    ("mass_matrix", "joint-space mass matrix (composite bodies)", _Q, ("n", "n"), _mass, True),
    (
        "forward_dynamics",
        "joint accelerations of given torques",
        ("q", "qd", "tau"),
        ("n",),
        _forward_dynamics,
        True,
    ),
    (
        "lagrange",
        "Lagrange coefficients A, B, C, Q one after another",
        _Q,
        ("lagrange",),
        _lagrange,
        False,
    ),
    ("energies", "kinetic and potential energy", _QD, (2,), _energies, False),
    ("center_of_mass", "centre of mass in the base frame", _Q, (3,), _center_of_mass, False),
    (
        "center_of_mass_jacobian",
        "velocity of the centre of mass per joint speed",
        _Q,
        (3, "n"),
        _center_of_mass_jacobian,
        False,
    ),
    (
        "base_wrench",
        "force and moment that the ground exerts on the base, at its origin, base axes",
        _QDD,
        (6,),
        _base_wrench,
        False,
    ),
    (
        "centroidal_momentum",
        "linear momentum, and angular momentum about the centre of mass, base axes",
        _QD,
        (6,),
        _centroidal_momentum,
        False,
    ),
    (
        "regressor",
        "torques per unit of every inertial parameter",
        _QDD,
        ("n", "parameters"),
        _regressor,
        False,
    ),
)
DYNAMICS = tuple(
    Quantity(
        name=name,
        purpose=purpose,
        arguments=arguments,
        shape=shape,
        equations=equations,
        inertial=inertial,
        needs_masses=name != "regressor",  # which multiplies them
    )
    for name, purpose, arguments, shape, equations, inertial in _DYNAMICS
)
QUANTITIES: dict[str, Quantity] = {item.name: item for item in (*KINEMATICS, *DYNAMICS)}
MAIN = ("forward", "jacobian", "torques", "mass_matrix", "forward_dynamics", "lagrange")
_WORDS = {"lagrange": "Lagrange's coefficients", "energies": "kinetic and potential energy"}
_NO_MASS = "Some joint moves no inertia: give the bodies theirs, or the drive a motor inertia."
_NO_ANGLES = "The angles it uses are singular for all joint values; take the other angle set."
_DIVISORS = {
    "forward_dynamics": _NO_MASS,
    "center_of_mass": "The mechanism has no mass: give its bodies theirs.",
    "centroidal_momentum": "The mechanism has no mass: give its bodies theirs.",
    "center_of_mass_jacobian": "The mechanism has no mass: give its bodies theirs.",
}


def quantity(name: str) -> Quantity:
    """The quantity called ``name``.

    Raises:
        EquationError: there is none; the message lists those that exist.
    """
    if name not in QUANTITIES:
        raise EquationError(
            f"There is no quantity {name!r}; there are {', '.join(QUANTITIES)}.", name=name
        )
    return QUANTITIES[name]


def defined(mechanism: Mechanism, names: Iterable[str]) -> tuple[str, ...]:
    """The quantities that exist: without inertia, torques determine no accelerations."""
    found = []
    for name in names:
        with suppress(EquationError):
            quantity(name).record(mechanism)
            found.append(name)
    return tuple(found)


def operation_counts(mechanism: Mechanism) -> dict[str, OperationCounts]:
    """Operations per sample of those main quantities that the mechanism has."""
    if mechanism.dof == 0:
        return {}
    return {name: quantity(name).record(mechanism).counts for name in defined(mechanism, MAIN)}


def _extents(tree: Tree) -> dict[str, int]:
    n, links = tree.dof, len(tree.links)
    return {"n": n, "links": links, "parameters": 10 * links, "lagrange": n**3 + 2 * n * n + n}


def _placed(tree: Tree, q: Sequence[Any], fn: Functions) -> tuple[list[Frame], Frame]:
    placed = frames(tree, q, fn)
    return placed, tool_frame(tree, placed)


def _flat_pose(frame: Frame) -> list[Any]:
    rows = zip(frame.rotation, frame.origin, strict=True)
    return [x for row, p in rows for x in (*row, p)] + [0.0, 0.0, 0.0, 1.0]


def _by_rows(columns: Sequence[Sequence[Any]]) -> list[Any]:
    return [x for row in zip(*columns, strict=True) for x in row]


def _tool_columns(tree: Tree, q: Sequence[Any], fn: Functions) -> tuple[list[Column], Frame]:
    placed, tool = _placed(tree, q, fn)
    return geometric_jacobian(tree, placed, tree.tool_link, tool.origin), tool


def _tool_rates(
    tree: Tree, motion: tuple[Sequence[Any], Sequence[Any], Sequence[Any]], fn: Functions
) -> Rates:
    q, qd, qdd = motion
    placed, tool = _placed(tree, q, fn)
    carrier = link_rates(tree, placed, qd, qdd)[tree.tool_link]
    return carrier.at(subtract(tool.origin, placed[tree.tool_link].origin))
