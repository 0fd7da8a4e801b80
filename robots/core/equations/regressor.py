"""Dynamic regressor: torques per unit of every inertial parameter.

The Newton-Euler recursion is linear in the ten parameters of each body, so a column is the
recursion read with one parameter at one and all others at zero; the recorder shares what the
readings have in common.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from robots.core.equations.algebra import Scalar, Sym3
from robots.core.equations.functions import Functions
from robots.core.equations.inertia import Inertia
from robots.core.equations.newton_euler import newton_euler
from robots.core.equations.tree import Tree

PARAMETERS = ("XX", "XY", "XZ", "YY", "YZ", "ZZ", "MX", "MY", "MZ", "M")


def inertia_of(parameters: Sequence[Scalar]) -> Inertia:
    """A body from its ten parameters in the order of ``PARAMETERS``."""
    p = parameters
    return Inertia(mass=p[9], moment=(p[6], p[7], p[8]), tensor=Sym3(*p[:6]))


def parameters_of(body: Inertia) -> tuple[Scalar, ...]:
    """Ten parameters of a body in the order of ``PARAMETERS``."""
    return (*body.tensor, *body.moment, body.mass)


def regressor(
    tree: Tree,
    state: tuple[Sequence[Scalar], Sequence[Scalar], Sequence[Scalar]],
    fn: Functions,
) -> list[list[Scalar]]:
    """Y with τ = Y·φ, motors and friction left out; φ is ten parameters per link, in order.

    Args:
        tree: the mechanism; its own masses do not matter.
        state: (q, qd, qdd), each (n,).
        fn: functions of the reading.

    Returns:
        Y. # (n, 10·links)
    """
    bare = [
        replace(link, inertia=Inertia(), motor_inertia=0.0, coulomb=0.0, viscous=0.0)
        for link in tree.links
    ]
    columns: list[list[Scalar]] = []
    for index, link in enumerate(bare):
        for place in range(len(PARAMETERS)):
            unit = inertia_of([float(k == place) for k in range(len(PARAMETERS))])
            links = (*bare[:index], replace(link, inertia=unit), *bare[index + 1 :])
            columns.append(newton_euler(replace(tree, links=links), state, fn))
    return [list(row) for row in zip(*columns, strict=True)]
