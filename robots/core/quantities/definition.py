"""What a recorded quantity is: name, arguments, result shape, equations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from robots.core.equations.functions import Functions
from robots.core.equations.grouping import grouped
from robots.core.equations.tree import Tree, tree_of
from robots.core.errors import EquationError
from robots.core.mechanism import Mechanism
from robots.core.recording import Programme, Recorder, recording_functions, remembered

Arguments = Sequence[Sequence[Any]]
Equations = Callable[[Tree, Arguments, Functions], list[Any]]
Extent = int | str  # a number, or a name of ``_extents``


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
    """

    name: str
    purpose: str
    arguments: tuple[str, ...]
    shape: tuple[Extent, ...]
    equations: Equations
    inertial: bool = False

    @remembered(lambda self, mechanism: (self, repr(tree_of(mechanism))))
    def record(self, mechanism: Mechanism) -> Programme:
        """The straight-line programme of this quantity for one mechanism.

        Raises:
            EquationError: the mechanism makes the quantity divide by zero in every posture.
        """
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


_NO_MASS = "Some joint moves no inertia: give the bodies theirs, or the drive a motor inertia."
_NO_ANGLES = "The angles it uses are singular for all joint values; take the other angle set."
_DIVISORS = {
    "forward_dynamics": _NO_MASS,
    "center_of_mass": "The mechanism has no mass: give its bodies theirs.",
    "centroidal_momentum": "The mechanism has no mass: give its bodies theirs.",
    "center_of_mass_jacobian": "The mechanism has no mass: give its bodies theirs.",
}


def _extents(tree: Tree) -> dict[str, int]:
    n, links = tree.dof, len(tree.links)
    return {"n": n, "links": links, "parameters": 10 * links, "lagrange": n**3 + 2 * n * n + n}
