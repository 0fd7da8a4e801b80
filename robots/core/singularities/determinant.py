"""The determinant of a task Jacobian in closed form, factored, each factor a named condition."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from robots.core.arrays import Array
from robots.core.inverse.task import Task
from robots.core.mechanism import Mechanism
from robots.core.singularities.conditions import Condition, condition_of, contracted
from robots.core.singularities.exact_jacobian import exact_jacobian, square_minors
from robots.core.singularities.exact_tree import ExactMechanism
from robots.core.singularities.factors import factors
from robots.core.singularities.trigonometric_ring import TrigonometricRing

Expression = Any
Element = Any


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Determinant:
    """A determinant that vanishes where the posture is singular.

    Args:
        of: "J" where the task Jacobian is square (rows that are zero in all postures left out),
            "J·Jᵀ" where it has more columns than rows, "Jᵀ·J" where fewer; these two are sums of
            the squares of all largest minors.
        expression: SymPy expression in q1, q2, … and the constants; 0 where all postures are
            singular.
        conditions: the posture is singular where any of them holds.
        constants: symbol to value. [m or rad]
        variables: SymPy symbols q1, q2, …
    """

    of: str
    expression: Expression
    conditions: tuple[Condition, ...]
    constants: dict[Expression, float]
    variables: tuple[Expression, ...]

    @property
    def always_singular(self) -> bool:
        """Whether no posture is regular."""
        return bool(self.expression == 0)

    def value(self, q: ArrayLike) -> Array:
        """The determinant as a number. # (..., n) -> (...)."""
        return _numbers(self.expression, self)(q)

    def __str__(self) -> str:
        return f"det({self.of}) = {self.expression}"


def determinant(mechanism: Mechanism, task: Task) -> Determinant:
    """Determinant of the task Jacobian in closed form, factored where it factors.

    Args:
        mechanism: lengths become symbols d2, r4, … of its modified Denavit-Hartenberg rows, and dt,
            rt of its tool.
        task: what of the tool counts.

    Raises:
        EquationError: too many terms; see ``analyse`` for single postures.

    Source: [COURSE-JAC] "Singularités cinématiques" det J = a1·a2·sin θ2; sources.md, decision 5
    """
    exact = ExactMechanism.of(mechanism)
    found = [_factored(exact, task, keep) for keep in ("cos", "sin")]
    # Factors in a ring with relations are not unique: keep the form with more and shorter ones.
    return min(found, key=lambda d: (-len(d.conditions), _length(d.expression)))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Minor:
    """A minor as a number times powers of expressions."""

    number: Expression
    powers: dict[Expression, int]

    def without(self, common: dict[Expression, int]) -> Expression:
        """The minor divided by common factors."""
        import sympy

        left = {e: k - common.get(e, 0) for e, k in self.powers.items()}
        return self.number * sympy.Mul(*(e**k for e, k in left.items()))


def _factored(exact: ExactMechanism, task: Task, keep: str) -> Determinant:
    import sympy

    angles = exact.angles()
    others = [s for s in (*exact.variables, *exact.names.constants) if s not in angles]
    ring = TrigonometricRing.over(angles, others, keep=keep)
    square = square_minors(ring, exact_jacobian(exact, task, ring))
    minors = [_minor(ring, element, exact) for element in square.minors if element]
    if not minors:
        return _determinant(square.of, sympy.Integer(0), (), exact)
    powers = [minor.powers for minor in minors]
    common = {e: min(p.get(e, 0) for p in powers) for e in powers[0]}
    common = {e: k for e, k in common.items() if k}
    rest = [minor.without(common) for minor in minors]
    product = sympy.Mul(*(e**k for e, k in common.items()))
    expression = product * rest[0]
    if square.of != "J":
        expression = product**2 * sympy.Add(*(r**2 for r in rest))
    return _determinant(square.of, expression, _conditions(common, rest, exact), exact)


def _conditions(
    common: dict[Expression, int], rest: list[Expression], exact: ExactMechanism
) -> tuple[Condition, ...]:
    single = [condition_of([e], k, exact) for e, k in common.items()]
    found = sorted((c for c in single if c.joints), key=lambda c: (len(c.joints), c.joints))
    together = {_without_constants(contracted(r, exact), exact): None for r in rest}
    if not any(_never_zero(e, together, exact) for e in together):
        found.append(condition_of(list(together), 1, exact))
    return tuple(found)


def _without_constants(expression: Expression, exact: ExactMechanism) -> Expression:
    """Each factor with a joint variable in it, once."""
    import sympy

    kept = []
    for factor in sympy.Mul.make_args(expression):
        if factor.free_symbols & set(exact.variables):
            kept.append(factor.base if factor.is_Pow else factor)
    return sympy.Mul(*kept)


def _never_zero(
    expression: Expression, beside: dict[Expression, None], exact: ExactMechanism
) -> bool:
    """Whether it has no joint variable, or is a sine beside the cosine of the same angle."""
    import sympy

    if not expression.free_symbols & set(exact.variables):
        return True
    is_sine = isinstance(expression, sympy.sin)
    return bool(is_sine and sympy.cos(expression.args[0]) in beside)


def _minor(ring: TrigonometricRing, element: Element, exact: ExactMechanism) -> _Minor:
    import sympy

    number, found = factors(ring, element)
    powers: dict[Expression, int] = {}
    sign = sympy.sympify(number)
    for factor, power in found:
        plain = factor.as_expr()
        expression = contracted(plain, exact)
        sign *= _ratio(plain, expression) ** power
        powers[expression] = powers.get(expression, 0) + power
    return _Minor(number=sign, powers=powers)


def _ratio(plain: Expression, contracted_form: Expression) -> Expression:
    """1 or -1: what contracting did to the sign."""
    import sympy

    point = {
        s: sympy.Rational(3 + 2 * i, 7) for i, s in enumerate(sorted(plain.free_symbols, key=str))
    }
    return sympy.sign(sympy.N(plain.subs(point)) * sympy.N(contracted_form.subs(point)))


def _determinant(
    of: str, expression: Expression, conditions: tuple[Condition, ...], exact: ExactMechanism
) -> Determinant:
    used = expression.free_symbols
    return Determinant(
        of=of,
        expression=expression,
        conditions=conditions,
        constants={s: v for s, v in exact.names.constants.items() if s in used},
        variables=exact.variables,
    )


def _numbers(expression: Expression, of: Determinant) -> Callable[[ArrayLike], Array]:
    import sympy

    function = sympy.lambdify(of.variables, expression.subs(of.constants), "numpy")

    def evaluated(q: ArrayLike) -> Array:
        posture = np.asarray(q, dtype=np.float64)
        found = np.asarray(function(*np.moveaxis(posture, -1, 0)), dtype=np.float64)
        return np.broadcast_to(found, posture.shape[:-1])

    return evaluated


def _length(expression: Expression) -> int:
    import sympy

    return int(sympy.count_ops(expression))
