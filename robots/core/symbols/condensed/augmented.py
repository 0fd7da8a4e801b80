"""Augmented bodies: referred masses V, referred inertias W, total inertias J of every link.

A link is augmented by the masses that it carries, put at the joints where they hang. A prismatic
joint's slide belongs to the lever of the link before it; it adds variable parts to V and J.

Source: [LIEGEOIS80] §3.1 eqs. (3-2)-(3-4), §4.3. (The report's text writes V_j = m_j·b_j; it is
M_j·b_j, with the augmented mass. Its slide q_j shifts the sum over p > j, which leaves the mass of
the sliding link itself behind; here the slide carries M_j, that link included, as eq. 3-10 needs.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum

from robots.core.mechanism import BASE
from robots.core.symbols.condensed.chain import AXES, SymbolicChain, SymbolicLink
from robots.core.symbols.condensed.terms import (
    ZERO,
    Slide,
    Sum,
    Symbol,
    Term,
    added,
    collected,
    multiplied,
    scaled,
    symbol,
    weighted,
)


class ConstantTable(Enum):
    """Tables of constants, as printed."""

    GRAVITY = "GRAVITY"
    LEVERS = "LEVERS"
    AUGMENTED_MASSES = "AUGMENTED MASSES"
    REFERRED_MASSES = "CONSTANT REFERRED MASSES"
    REFERRED_INERTIAS = "CONSTANT REFERRED INERTIAS"
    TOTAL_INERTIA = "TOTAL INERTIA"
    DRIVES = "DRIVE INERTIAS"


@dataclass(frozen=True, slots=True, kw_only=True)
class Constant:
    """A named constant of the equations.

    Args:
        name: VZ3, WY1, JX6, …
        body: number of the body it belongs to, 0 for the base.
        table: where it is printed.
        definition: over symbols, constants before it, and numbers.
    """

    name: str
    body: int
    table: ConstantTable
    definition: Sum


@dataclass(frozen=True, slots=True, kw_only=True)
class SlidePiece:
    """A weight along one axis of a link: part of a lever or of a referred mass."""

    weight: Term
    axis: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TensorPiece:
    """A weight in the entries (row, column) and (column, row) of a link's inertia J."""

    weight: Term
    row: int
    column: int


@dataclass(slots=True, kw_only=True)
class AugmentedBodies:
    """Constants of a chain and the pieces made of them, by link index.

    Args:
        masses: V of each link.
        levers: from a link's parent to it, by the link's index; none for a link on the base.
        inertias: J of each link.
        carried: M, augmented mass of prismatic links.
        motors: drive inertias.
        gravity: components in the base frame.
        constants: definitions, in order of use.
    """

    masses: list[list[SlidePiece]] = field(default_factory=list)
    levers: list[list[SlidePiece]] = field(default_factory=list)
    inertias: list[list[TensorPiece]] = field(default_factory=list)
    carried: dict[int, Sum] = field(default_factory=dict)
    motors: list[Sum] = field(default_factory=list)
    gravity: list[SlidePiece] = field(default_factory=list)
    constants: list[Constant] = field(default_factory=list)

    def named(self, name: str, body: int, table: ConstantTable, definition: Sum) -> Sum:
        """Enter a constant, unless zero, and return its symbol."""
        if not definition:
            return ZERO
        plain = Sum(terms=definition.terms, signed=False)
        self.constants.append(Constant(name=name, body=body, table=table, definition=plain))
        return symbol(name)


def augmented_bodies(chain: SymbolicChain) -> AugmentedBodies:
    """Constants and pieces of every link of a chain."""
    bodies = AugmentedBodies()
    _gravity(chain, bodies)
    for index in range(chain.dof):
        bodies.levers.append(_lever(chain, index, bodies))
    for index, link in enumerate(chain.links):
        if not link.turns:
            name, mass = f"MA{index + 1}", carried_mass(chain, index)
            bodies.carried[index] = bodies.named(
                name, index + 1, ConstantTable.AUGMENTED_MASSES, mass
            )
        bodies.motors.append(
            bodies.named(f"IA{index + 1}", index + 1, ConstantTable.DRIVES, link.motor)
        )
    for index in range(chain.dof):
        bodies.masses.append(_referred_mass(chain, index, bodies))
        bodies.inertias.append(_inertia(chain, index, bodies))
    return bodies


def carried_mass(chain: SymbolicChain, index: int) -> Sum:
    """M of a link: its mass and all that it carries. Source: [LIEGEOIS80] eq. (3-2)."""
    return added(*(chain.links[k].mass for k in chain.subtree(index)))


def _gravity(chain: SymbolicChain, bodies: AugmentedBodies) -> None:
    given = [axis for axis in range(3) if chain.gravity[axis]]
    for axis in given:
        value = chain.gravity[axis]
        name = "G" if len(given) == 1 else f"G{AXES[axis]}"
        if not _is_symbol(value):
            value = bodies.named(name, 0, ConstantTable.GRAVITY, value)
        bodies.gravity.append(SlidePiece(weight=value.terms[0], axis=axis))


def _lever(chain: SymbolicChain, index: int, bodies: AugmentedBodies) -> list[SlidePiece]:
    """Constant parts, each a symbol, then the slide."""
    link = chain.links[index]
    if link.parent == BASE:
        return []
    parent = link.parent + 1
    branch = f"_{index + 1}" if len(chain.children(link.parent)) > 1 else ""
    given = [axis for axis in range(3) if link.lever[axis]]
    pieces = []
    for axis in given:
        value = link.lever[axis]
        if not _is_symbol(value):
            name = f"L{parent}{branch}" if len(given) == 1 else f"L{AXES[axis]}{parent}{branch}"
            name = f"L{AXES[axis]}{parent}{branch}" if name in chain.symbols() else name
            value = bodies.named(name, parent, ConstantTable.LEVERS, value)
        pieces.append(SlidePiece(weight=value.terms[0], axis=axis))
    return pieces + slide_pieces(chain.links[index], index + 1)


def _referred_mass(chain: SymbolicChain, index: int, bodies: AugmentedBodies) -> list[SlidePiece]:
    """V = m·d + Σ l·M over the levers that stand on the link. Source: eq. (3-3)."""
    link, number = chain.links[index], index + 1
    pieces: list[SlidePiece] = []
    for axis in range(3):
        parts = [multiplied(link.com[axis], link.mass)]
        for child in chain.children(index):
            length = _named_length(chain, bodies, child, axis)
            parts.append(_bracketed(length, carried_mass(chain, child), signed=True))
        name = f"V{AXES[axis]}{number}"
        value = bodies.named(name, number, ConstantTable.REFERRED_MASSES, added(*parts))
        pieces.extend(SlidePiece(weight=term, axis=axis) for term in value.terms)
    for child in chain.children(index):
        pieces.extend(slide_masses(chain.links[child], child + 1, bodies.carried.get(child, ZERO)))
    return pieces


def _named_length(chain: SymbolicChain, bodies: AugmentedBodies, child: int, axis: int) -> Sum:
    """Constant part of a lever along an axis: its symbol, or its number when masses have one."""
    if chain.links[child].lever[axis].number is not None and _numeric(chain):
        return chain.links[child].lever[axis]
    for piece in bodies.levers[child]:
        if piece.axis == axis and not any(isinstance(f, Slide) for f in piece.weight.factors):
            return Sum(terms=(piece.weight,))
    return ZERO


def _numeric(chain: SymbolicChain) -> bool:
    """Return whether every mass is a plain number, so that constants fold to numbers."""
    return all(link.mass.number is not None for link in chain.links)


def _bracketed(length: Sum, masses: Sum, *, signed: bool) -> Sum:
    """L·(+M2+M3), or the plain number."""
    if not length or not masses:
        return ZERO
    if masses.number is not None:
        return multiplied(length, masses)
    bracket = Sum(terms=masses.terms, signed=signed)
    return added(*(weighted(term, bracket) for term in length.terms))


def _inertia(chain: SymbolicChain, index: int, bodies: AugmentedBodies) -> list[TensorPiece]:
    """J = I + W, entry by entry, and what the slides add. Source: eq. (3-4)."""
    link, number = chain.links[index], index + 1
    referred = {
        (a, b): _referred_inertia(chain, index, (a, b), bodies)
        for a in range(3)
        for b in range(a, 3)
    }
    pieces: list[TensorPiece] = []
    for a, b, own in link.inertia.entries():
        if a == b:
            parts = [own, *(referred[c, c] for c in range(3) if c != a)]
            name = f"J{AXES[a]}{number}"
        else:
            parts = [own, scaled(-1.0, referred[a, b])]
            name = f"J{AXES[a]}{AXES[b]}{number}"
        value = bodies.named(name, number, ConstantTable.TOTAL_INERTIA, added(*parts))
        pieces.extend(TensorPiece(weight=term, row=a, column=b) for term in value.terms)
    for child in chain.children(index):
        pieces.extend(slide_inertias(bodies.levers[child], bodies.carried.get(child, ZERO)))
    return pieces


def _referred_inertia(
    chain: SymbolicChain, index: int, axes: tuple[int, int], bodies: AugmentedBodies
) -> Sum:
    """Σ m·x_a·x_b of the augmented body: WX, WY, WZ, or the product WXY; a number stays one."""
    link, (a, b) = chain.links[index], axes
    parts = [collected(multiplied(link.com[a], link.com[b], link.mass))]
    for child in chain.children(index):
        lengths = multiplied(*(_named_length(chain, bodies, child, axis) for axis in axes))
        parts.append(_bracketed(lengths, carried_mass(chain, child), signed=False))
    total = added(*parts)
    name = f"W{AXES[a]}{AXES[b] if a != b else ''}{index + 1}"
    entered = bodies.named(name, index + 1, ConstantTable.REFERRED_INERTIAS, total)
    return entered if total.number is None else total


def _is_symbol(value: Sum) -> bool:
    """Return whether a quantity is one symbol, perhaps negated: it is then its own name."""
    term = value.terms[0]
    return (
        len(value.terms) == 1
        and abs(term.coefficient) == 1.0
        and len(term.factors) == 1
        and isinstance(term.factors[0], Symbol)
    )


# -------------------------------------------------------------------------------- Prismatic joints
# Source: [LIEGEOIS80] §3.1 (l_j = l_j0 + q_j); §5 mentions the variable terms without printing any.


def slide_pieces(link: SymbolicLink, joint: int) -> list[SlidePiece]:
    """The variable part of a lever: q along the axis of a prismatic joint; none of a revolute."""
    if link.turns:
        return []
    slide = (Slide(joint=joint),)
    return [
        SlidePiece(weight=Term(coefficient=size, factors=slide), axis=axis)
        for axis, size in enumerate(link.axis)
        if size
    ]


def slide_masses(link: SymbolicLink, joint: int, carried: Sum) -> list[SlidePiece]:
    """The variable part of V: the slide times the mass that it moves."""
    return [
        SlidePiece(
            weight=Term(
                coefficient=mass.coefficient * piece.weight.coefficient,
                factors=(*mass.factors, *piece.weight.factors),
            ),
            axis=piece.axis,
        )
        for mass in carried.terms
        for piece in slide_pieces(link, joint)
    ]


def slide_inertias(lever: Sequence[SlidePiece], carried: Sum) -> list[TensorPiece]:
    """The variable part of J: M·(r·rE - rrᵀ) of the lever r, without its constant part."""
    found: list[TensorPiece] = []
    for mass in carried.terms:
        for place, first in enumerate(lever):
            for second in lever[place:]:
                if _varies(first) or _varies(second):
                    found.extend(_pair(mass, first, second))
    return found


def _pair(mass: Term, first: SlidePiece, second: SlidePiece) -> list[TensorPiece]:
    size = mass.coefficient * first.weight.coefficient * second.weight.coefficient
    factors = (*mass.factors, *first.weight.factors, *second.weight.factors)
    if first.axis == second.axis:
        twice = size if first is second else 2.0 * size
        weight = Term(coefficient=twice, factors=factors)
        return [TensorPiece(weight=weight, row=a, column=a) for a in range(3) if a != first.axis]
    row, column = sorted((first.axis, second.axis))
    return [TensorPiece(weight=Term(coefficient=-size, factors=factors), row=row, column=column)]


def _varies(piece: SlidePiece) -> bool:
    return any(isinstance(factor, Slide) for factor in piece.weight.factors)
