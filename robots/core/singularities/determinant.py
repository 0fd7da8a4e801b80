"""Determinant of a task Jacobian in closed form, its factors as conditions, singular sets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from robots.core.arrays import Array
from robots.core.inverse.task import Task, scale_length
from robots.core.joint_samples import joint_ranges, joint_samples
from robots.core.mechanism import Mechanism
from robots.core.model import Model
from robots.core.singularities.analysis import Singularity, analyse
from robots.core.singularities.exact_jacobian import (
    ExactMechanism,
    TrigonometricRing,
    exact_jacobian,
    factors,
    square_minors,
)

Expression = Any
Element = Any


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


# ----------------------------------------------------------------------------------- Singular sets

_POSTURES = 24  # from which each joint of a condition is turned
_SCAN = 97  # values over its range
_HALVINGS = 60


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SingularSet:
    """One way of being singular, met at a posture.

    Args:
        condition: the equation.
        q: a posture within limits on which nothing else is singular, where one was found; empty
            otherwise, and then ``example`` is None. # (n,) or (0,) [rad or m]
        example: analysis of that posture.
    """

    condition: Condition
    q: Array
    example: Singularity | None

    @property
    def within_limits(self) -> bool:
        """Whether a posture within the joint limits was found on the set."""
        return self.example is not None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SingularSets:
    """All singular sets of a task.

    Args:
        determinant: in closed form.
        sets: one per condition, in its order.
    """

    determinant: Determinant
    sets: tuple[SingularSet, ...]


def singular_sets(model: Model, task: Task) -> SingularSets:
    """Conditions of the determinant, and what each means for the tool.

    A condition of several equations (redundant mechanisms) is listed without an example.

    Args:
        model: of the mechanism.
        task: what of the tool counts.

    Raises:
        EquationError: the closed form has too many terms.
    """
    closed_form = determinant(model.mechanism, task)
    sets = tuple(_located(model, task, closed_form, c) for c in closed_form.conditions)
    return SingularSets(determinant=closed_form, sets=sets)


def _located(model: Model, task: Task, whole: Determinant, condition: Condition) -> SingularSet:
    best: tuple[Array, Singularity] | None = None
    for q in _postures_on(model, whole, condition):
        found = analyse(model, q, task)
        if found.singular and (best is None or found.order < best[1].order):
            best = q, found
        if found.order == 1:
            break
    if best is None:
        return SingularSet(condition=condition, q=np.zeros(0), example=None)
    return SingularSet(condition=condition, q=best[0], example=best[1])


def _postures_on(model: Model, whole: Determinant, condition: Condition) -> list[Array]:
    """Postures where one joint has been turned until the expression changes sign."""
    if len(condition.expressions) != 1:
        return []
    import sympy

    expression = condition.expressions[0].subs(whole.constants)
    function = sympy.lambdify(whole.variables, expression, "numpy")

    def value(q: Array) -> Array:
        found = np.asarray(function(*np.moveaxis(q, -1, 0)), dtype=np.float64)
        return np.broadcast_to(found, q.shape[:-1])

    slide = scale_length(model.mechanism)
    seeds = joint_samples(model.mechanism, _POSTURES, slide=slide, skip=1)
    low, high = joint_ranges(model.mechanism, slide)
    found: list[Array] = []
    for joint in condition.joints:
        grid = np.repeat(seeds[:, None, :], _SCAN, axis=1)
        grid[..., joint] = np.linspace(low[joint], high[joint], _SCAN)
        found += _sign_changes(value, grid, joint)
    return found


def _sign_changes(value: Callable[[Array], Array], grid: Array, joint: int) -> list[Array]:
    """Postures between neighbours on the grid where the value is zero. # grid: (k, scan, n)."""
    signs = np.sign(value(grid))
    rows, columns = np.nonzero(signs[:, :-1] * signs[:, 1:] < 0.0)
    left, right = grid[rows, columns], grid[rows, columns + 1]
    start = signs[rows, columns]
    for _ in range(_HALVINGS):
        middle = 0.5 * (left + right)
        before = np.sign(value(middle)) == start
        left[before, joint] = middle[before, joint]
        right[~before, joint] = middle[~before, joint]
    exact = grid[signs == 0.0]
    return [*exact, *(0.5 * (left + right))]


# -------------------------------------------------------------------------------------- Conditions


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
