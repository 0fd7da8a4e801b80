"""A mechanism over a polynomial ring: lengths as symbols, quarter turns exact, sines as generators.

The generic equations then give the Jacobian as exact polynomials in the sines and cosines of the
joint angles, the sliding joints' values and the lengths.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from robots.core.arrays import Array
from robots.core.denavit_hartenberg import DhRow, rows_of
from robots.core.equations.algebra import IDENTITY, ZERO, Mat3, Scalar, Vec3, product
from robots.core.equations.functions import Functions
from robots.core.equations.transforms import Frame
from robots.core.equations.tree import Tree, tree_of
from robots.core.mechanism import Mechanism

Expression = Any  # SymPy is imported where it is used only

# Angles and lengths closer than this to 0, ±90°, 180° and 0 m are meant to be that.
_EXACT = 1e-9


@dataclass(slots=True, kw_only=True)
class Names:
    """Symbols given out while a mechanism is lifted: constants with their values.

    Args:
        constants: SymPy symbol to its number; lengths in metres, angles in radians.
    """

    constants: dict[Expression, float] = field(default_factory=dict)

    def length(self, name: str, value: float) -> Expression:
        """Zero, or a positive symbol with the sign of the value."""
        import sympy

        if abs(value) <= _EXACT:
            return sympy.Integer(0)
        symbol = sympy.Symbol(name, positive=True)
        self.constants[symbol] = abs(value)
        return symbol if value > 0.0 else -symbol

    def angle(self, name: str, value: float) -> Expression:
        """A multiple of 90° as such, any other angle as a symbol."""
        import sympy

        quarters = round(value / (np.pi / 2))
        if abs(value - quarters * np.pi / 2) <= _EXACT:
            return sympy.pi * quarters / 2
        symbol = sympy.Symbol(name, real=True)
        self.constants[symbol] = value
        return symbol


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    """A modified Denavit-Hartenberg row of symbols."""

    alpha: Expression
    d: Expression
    theta: Expression
    r: Expression


@dataclass(frozen=True, slots=True, kw_only=True)
class ExactMechanism:
    """Rows of symbols for every joint and the tool.

    Args:
        mechanism: what was lifted.
        placements: two rows each, carrier first.
        tool: likewise.
        names: the constants.
        variables: SymPy symbols q1, q2, …; one per movable joint.
    """

    mechanism: Mechanism
    placements: tuple[tuple[_Row, _Row], ...]
    tool: tuple[_Row, _Row]
    names: Names
    variables: tuple[Expression, ...]

    @classmethod
    def of(cls, mechanism: Mechanism) -> ExactMechanism:
        """Lift a mechanism: lengths d2, r4, … and angles other than quarter turns by name."""
        import sympy

        names = Names()
        return cls(
            mechanism=mechanism,
            placements=tuple(
                _lifted(joint.placement, str(i + 1), names)
                for i, joint in enumerate(mechanism.joints)
            ),
            tool=_lifted(mechanism.tool, "t", names),
            names=names,
            variables=tuple(sympy.Symbol(f"q{i + 1}", real=True) for i in range(mechanism.dof)),
        )

    def angles(self) -> tuple[Expression, ...]:
        """Every angle whose sine and cosine are polynomials' generators."""
        joints = zip(self.variables, self.mechanism.movable, strict=True)
        own = [q for q, joint in joints if joint.kind.angular]
        return (*own, *(symbol for symbol in self.names.constants if not symbol.is_positive))

    def tree(self, fn: Functions, element: Scalar) -> Tree:
        """The mechanism over a ring; ``element`` makes one of its elements of an expression."""
        numeric = tree_of(self.mechanism)
        links = []
        for link, rows in zip(numeric.links, self.placements, strict=True):
            frame = _placed(rows, fn, element)
            links.append(replace(link, rotation=frame.rotation, offset=frame.origin))
        tool = _placed(self.tool, fn, element)
        return replace(
            numeric, links=tuple(links), tool_rotation=tool.rotation, tool_offset=tool.origin
        )


def _lifted(placement: Array, suffix: str, names: Names) -> tuple[_Row, _Row]:
    pair = rows_of(placement)
    return _symbols(pair.carrier, ("", "", "gamma", "b"), suffix, names), _symbols(
        pair.joint, ("alpha", "d", "theta", "r"), suffix, names
    )


def _symbols(row: DhRow, words: Sequence[str], suffix: str, names: Names) -> _Row:
    alpha, d, theta, r = (word + suffix for word in words)
    return _Row(
        alpha=names.angle(alpha, row.alpha),
        d=names.length(d, row.d),
        theta=names.angle(theta, row.theta),
        r=names.length(r, row.r),
    )


def _placed(rows: Sequence[_Row], fn: Functions, element: Scalar) -> Frame:
    frame = Frame(rotation=IDENTITY, origin=ZERO)
    for row in rows:
        R, p = _pose(row, fn, element)
        frame = Frame(rotation=product(frame.rotation, R), origin=frame.point(p))
    return frame


def _pose(row: _Row, fn: Functions, element: Scalar) -> tuple[Mat3, Vec3]:
    ca, sa = fn.cos(row.alpha), fn.sin(row.alpha)
    ct, st = fn.cos(row.theta), fn.sin(row.theta)
    d, r = element(row.d), element(row.r)
    R: Mat3 = ((ct, -st, 0.0 * ct), (st * ca, ct * ca, -sa), (st * sa, ct * sa, ca))
    return R, (d, -(r * sa), r * ca)
