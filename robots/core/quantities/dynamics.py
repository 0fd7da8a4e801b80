"""Recorded quantities of dynamics: torques, masses, energies, regressor."""

from __future__ import annotations

from typing import Any

from robots.core.equations import energy, regressor
from robots.core.equations.base_wrench import base_wrench
from robots.core.equations.forward_dynamics import forward_dynamics
from robots.core.equations.functions import Functions
from robots.core.equations.lagrange import lagrange
from robots.core.equations.mass_matrix import mass_matrix
from robots.core.equations.momentum import centroidal_momentum
from robots.core.equations.newton_euler import newton_euler
from robots.core.equations.transforms import frames
from robots.core.equations.tree import Tree
from robots.core.quantities.definition import Arguments, Quantity


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
    rows = regressor.regressor(tree, (args[0], args[1], args[2]), fn)
    return [x for row in rows for x in row]


DYNAMICS = (
    Quantity(
        name="torques",
        purpose="joint torques of a motion (Newton-Euler)",
        arguments=("q", "qd", "qdd"),
        shape=("n",),
        equations=_torques,
        inertial=True,
    ),
    Quantity(
        name="gravity_torques",
        purpose="joint torques that hold the mechanism still",
        arguments=("q",),
        shape=("n",),
        equations=_gravity,
        inertial=True,
    ),
    Quantity(
        name="mass_matrix",
        purpose="joint-space mass matrix (composite bodies)",
        arguments=("q",),
        shape=("n", "n"),
        equations=_mass,
        inertial=True,
    ),
    Quantity(
        name="forward_dynamics",
        purpose="joint accelerations of given torques",
        arguments=("q", "qd", "tau"),
        shape=("n",),
        equations=_forward_dynamics,
        inertial=True,
    ),
    Quantity(
        name="lagrange",
        purpose="Lagrange coefficients A, B, C, Q one after another",
        arguments=("q",),
        shape=("lagrange",),
        equations=_lagrange,
    ),
    Quantity(
        name="energies",
        purpose="kinetic and potential energy",
        arguments=("q", "qd"),
        shape=(2,),
        equations=_energies,
    ),
    Quantity(
        name="center_of_mass",
        purpose="centre of mass in the base frame",
        arguments=("q",),
        shape=(3,),
        equations=_center_of_mass,
    ),
    Quantity(
        name="center_of_mass_jacobian",
        purpose="velocity of the centre of mass per joint speed",
        arguments=("q",),
        shape=(3, "n"),
        equations=_center_of_mass_jacobian,
    ),
    Quantity(
        name="base_wrench",
        purpose="force and moment that the ground exerts on the base, at its origin, base axes",
        arguments=("q", "qd", "qdd"),
        shape=(6,),
        equations=_base_wrench,
    ),
    Quantity(
        name="centroidal_momentum",
        purpose="linear momentum, and angular momentum about the centre of mass, base axes",
        arguments=("q", "qd"),
        shape=(6,),
        equations=_centroidal_momentum,
    ),
    Quantity(
        name="regressor",
        purpose="torques per unit of every inertial parameter",
        arguments=("q", "qd", "qdd"),
        shape=("n", "parameters"),
        equations=_regressor,
    ),
)
