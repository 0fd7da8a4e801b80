"""The wrench under the base: what the ground must give for a motion.

The recursion of Newton and Euler, taken one step further than the joint torques: down to the base.
Motors' own inertia and friction act between neighbouring bodies and do not reach the ground.

Source: [LAMMARI12] §IV.3 eqs. (IV.8), (IV.9)
"""

from __future__ import annotations

from collections.abc import Sequence

from robots.core.equations.algebra import ZERO, Scalar
from robots.core.equations.functions import Functions
from robots.core.equations.newton_euler import Carried, momentum_rates
from robots.core.equations.tree import Tree


def base_wrench(
    tree: Tree,
    state: tuple[Sequence[Scalar], Sequence[Scalar], Sequence[Scalar]],
    fn: Functions,
) -> list[Scalar]:
    """Force and moment that the ground exerts on the base, at the base origin, base axes.

    Args:
        tree: the mechanism; its base has no mass of its own.
        state: q [rad or m], qd [rad/s or m/s], qdd [rad/s² or m/s²], each (n,).
        fn: functions of the reading.

    Returns:
        Force, then moment. # (6,) [N, N m]
    """
    bodies = momentum_rates(tree, state, fn)
    carried = Carried(  # the base is the last one, at index -1
        moves=bodies.moves, forces=[*bodies.forces, ZERO], moments=[*bodies.moments, ZERO]
    )
    for i in range(len(tree.links) - 1, -1, -1):
        carried.hand_down(i, tree.links[i].parent)
    return [*carried.forces[-1], *carried.moments[-1]]
