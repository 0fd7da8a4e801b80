"""Coriolis and centrifugal coefficients B_ijk and C_ij, by derivation of A_ij.

Source: [LIEGEOIS80] §3.5. Erratum of (3-18): with the sum of (3-1), where each squared speed occurs
once, C_ij = ∂A_ij/∂q_j - ½·∂A_jj/∂q_i; the report prints twice that (and C_ij = B_ijj, which is
B_ijj/2).
"""

from __future__ import annotations

from collections.abc import Sequence

from robots.core.symbols.condensed.terms import (
    ONE,
    ZERO,
    Factor,
    Slide,
    Sum,
    Term,
    Trig,
    added,
    collected,
    scaled,
)


def coriolis(A: Sequence[Sequence[Sum]]) -> list[list[list[Sum]]]:
    """B_ijk for j < k: the factor of qd_j·qd_k, each pair counted once. Source: eq. (3-17)."""
    n = len(A)
    slopes = _slopes(A)
    B = [[[ZERO] * n for _ in range(n)] for _ in range(n)]
    for i in range(n):
        for j in range(n):
            for k in range(j + 1, n):
                B[i][j][k] = collected(
                    added(slopes[i][j][k], slopes[i][k][j], scaled(-1.0, slopes[j][k][i]))
                )
    return B


def centrifugal(A: Sequence[Sequence[Sum]]) -> list[list[Sum]]:
    """C_ij: the factor of qd_j². Source: eq. (3-18), corrected."""
    n = len(A)
    slopes = _slopes(A)
    return [
        [collected(added(slopes[i][j][j], scaled(-0.5, slopes[j][j][i]))) for j in range(n)]
        for i in range(n)
    ]


def derivative(body: Sum, joint: int) -> Sum:
    """∂/∂q of a sum by the product rule; ``joint`` counts from 1."""
    return added(*(_term_derivative(term, joint) for term in body.terms))


def _slopes(A: Sequence[Sequence[Sum]]) -> list[list[list[Sum]]]:
    """∂A_ij/∂q_k."""
    n = len(A)
    upper = {
        (i, j): [collected(derivative(A[i][j], k + 1)) for k in range(n)]
        for i in range(n)
        for j in range(i, n)
    }
    return [[upper[min(i, j), max(i, j)] for j in range(n)] for i in range(n)]


def _term_derivative(term: Term, joint: int) -> Sum:
    parts: list[Sum] = []
    for place, factor in enumerate(term.factors):
        slope = _factor_derivative(factor, joint)
        if slope:
            # A bracket's slope stays a bracket; a single factor's is one factor, or a number.
            whole = isinstance(factor, Sum) and slope.number is None
            made = Term(factors=(slope,)) if whole else slope.terms[0]
            factors = (*term.factors[:place], *made.factors, *term.factors[place + 1 :])
            coefficient = term.coefficient * made.coefficient
            parts.append(Sum(terms=(Term(coefficient=coefficient, factors=factors),)))
    return added(*parts)


def _factor_derivative(factor: Factor, joint: int) -> Sum:
    if isinstance(factor, Sum):
        return derivative(factor, joint)
    if isinstance(factor, Slide):
        return ONE if factor.joint == joint else ZERO
    if isinstance(factor, Trig):
        sign = dict(factor.angle).get(joint, 0)
        other = Trig(cosine=not factor.cosine, angle=factor.angle)
        return scaled(-sign if factor.cosine else sign, Sum(terms=(Term(factors=(other,)),)))
    return ZERO
