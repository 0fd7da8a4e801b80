"""Factors of a determinant as conditions that a reader can use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from robots.core.singularities.exact_tree import ExactMechanism

Expression = Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """One way of being singular.

    Args:
        expressions: SymPy expressions that vanish together; one only for a square Jacobian.
        multiplicity: power of the factor.
        joints: indices of the joint variables in them.
        text: the equations, with their solutions where they are evident.
    """

    expressions: tuple[Expression, ...]
    multiplicity: int
    joints: tuple[int, ...]
    text: str

    def __str__(self) -> str:
        return self.text


def condition_of(
    expressions: Sequence[Expression], multiplicity: int, exact: ExactMechanism
) -> Condition:
    """Name expressions that vanish together.

    Args:
        expressions: see ``contracted``.
        multiplicity: power of the factor.
        exact: whose variables and constants they hold.
    """
    free = set().union(*(expression.free_symbols for expression in expressions))
    return Condition(
        expressions=tuple(expressions),
        multiplicity=multiplicity,
        joints=tuple(i for i, variable in enumerate(exact.variables) if variable in free),
        text=" and ".join(f"{e} = 0{_solutions(e, exact)}" for e in expressions),
    )


def contracted(polynomial: Expression, exact: ExactMechanism) -> Expression:
    """Put products of sines and cosines back together: s2·c3 + c2·s3 becomes sin(q2 + q3)."""
    import sympy
    from sympy.simplify.fu import TR10i

    lengths = [s for s in exact.names.constants if s.is_positive]
    expanded = sympy.expand(polynomial)
    by_length = sympy.collect(expanded, lengths, evaluate=False) if lengths else {1: expanded}
    terms = [key * TR10i(sympy.factor_terms(value)) for key, value in by_length.items()]
    return _positive(sympy.factor_terms(sympy.Add(*terms)))


def _positive(expression: Expression) -> Expression:
    """Without a leading minus: the sign of a condition has no meaning."""
    return -expression if expression.could_extract_minus_sign() else expression


def _solutions(expression: Expression, exact: ExactMechanism) -> str:
    import sympy

    for variable in exact.variables:
        if expression == sympy.sin(variable):
            return f" ({variable} = 0 or ±180°)"
        if expression == sympy.cos(variable):
            return f" ({variable} = ±90°)"
    return ""
