"""What a prismatic joint adds to the augmented body that it slides on: variable parts of l, V, J.

Source: [LIEGEOIS80] §3.1 (l_j = l_j0 + q_j); §5 mentions the variable terms without printing any.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from robots.core.symbols.condensed.chain import SymbolicLink
from robots.core.symbols.condensed.terms import Slide, Sum, Term


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A weight along one axis of a link: part of a lever or of a referred mass."""

    weight: Term
    axis: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TensorPiece:
    """A weight in the entries (row, column) and (column, row) of a link's inertia J."""

    weight: Term
    row: int
    column: int


def slide_pieces(link: SymbolicLink, joint: int) -> list[Piece]:
    """The variable part of a lever: q along the axis of a prismatic joint; none of a revolute."""
    if link.turns:
        return []
    slide = (Slide(joint=joint),)
    return [
        Piece(weight=Term(coefficient=size, factors=slide), axis=axis)
        for axis, size in enumerate(link.axis)
        if size
    ]


def slide_masses(link: SymbolicLink, joint: int, carried: Sum) -> list[Piece]:
    """The variable part of V: the slide times the mass that it moves."""
    return [
        Piece(
            weight=Term(
                coefficient=mass.coefficient * piece.weight.coefficient,
                factors=(*mass.factors, *piece.weight.factors),
            ),
            axis=piece.axis,
        )
        for mass in carried.terms
        for piece in slide_pieces(link, joint)
    ]


def slide_inertias(lever: Sequence[Piece], carried: Sum) -> list[TensorPiece]:
    """The variable part of J: M·(r·rE - rrᵀ) of the lever r, without its constant part."""
    found: list[TensorPiece] = []
    for mass in carried.terms:
        for place, first in enumerate(lever):
            for second in lever[place:]:
                if _varies(first) or _varies(second):
                    found.extend(_pair(mass, first, second))
    return found


def _pair(mass: Term, first: Piece, second: Piece) -> list[TensorPiece]:
    size = mass.coefficient * first.weight.coefficient * second.weight.coefficient
    factors = (*mass.factors, *first.weight.factors, *second.weight.factors)
    if first.axis == second.axis:
        twice = size if first is second else 2.0 * size
        weight = Term(coefficient=twice, factors=factors)
        return [TensorPiece(weight=weight, row=a, column=a) for a in range(3) if a != first.axis]
    row, column = sorted((first.axis, second.axis))
    return [TensorPiece(weight=Term(coefficient=-size, factors=factors), row=row, column=column)]


def _varies(piece: Piece) -> bool:
    return any(isinstance(factor, Slide) for factor in piece.weight.factors)
