"""Determinant of a task Jacobian in closed form, its factors as conditions, singular sets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from robots.core.arrays import Array
from robots.core.caps import Cap
from robots.core.denavit_hartenberg import DhRow, rows_of
from robots.core.equations.algebra import (
    IDENTITY,
    ZERO,
    Functions,
    Mat3,
    Scalar,
    Vec3,
    dot,
    product,
    scale,
    subtract,
)
from robots.core.equations.algebra import column as matrix_column
from robots.core.equations.kinematics import Column, Frame, frames, geometric_jacobian, tool_frame
from robots.core.equations.tree import Tree, tree_of
from robots.core.errors import EquationError
from robots.core.inverse.task import Task, scale_length
from robots.core.joint_samples import joint_ranges, joint_samples
from robots.core.mechanism import Mechanism
from robots.core.model import Model
from robots.core.singularities.analysis import Singularity, analyse

Expression = Any
Element = Any
# ----------------------------------------------------------------------------------- Singular sets
_POSTURES = 24  # from which each joint of a condition is turned
_SCAN = 97  # values over its range
_HALVINGS = 60
Rows = list[list[Element]]
Factors = list[tuple[Element, int]]
# ---------------------------------------------------------------- Mechanism over a polynomial ring
# The generic equations then give the Jacobian as exact polynomials in the sines and cosines of the
# joint angles, the sliding joints' values and the lengths.

# Angles and lengths closer than this to 0, ±90°, 180° and 0 m are meant to be that.
_EXACT = 1e-9
# ----------------------------------------------------------------------------------------- Factors
# Because sin² + cos² = 1, such a polynomial can be written in many ways, and its expanded form
# often hides its factors. In t = tan(θ/2) it becomes an ordinary polynomial whose factors are
# unique; those of even degree in every t are polynomials in sine and cosine again. What is left
# (sin θ is a product of two odd ones) is factored as it stands.

# Above this the half-angle form takes longer to factor than a reader would wait.
_MOST_TERMS = 400


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
    """Return whether it has no joint variable, or is a sine beside the cosine of the same angle."""
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Minors:
    """All largest minors of a Jacobian; one where it is square.

    Args:
        of: "J", "J·Jᵀ" or "Jᵀ·J": whose determinant is the minor, or the sum of their squares.
        minors: ring elements.
    """

    of: str
    minors: tuple[Element, ...]


def exact_jacobian(exact: ExactMechanism, task: Task, ring: TrigonometricRing) -> Rows:
    """Task Jacobian of the joints that carry the tool; its minors are those of every posture.

    What has no effect on them is left out beforehand: the first joint's variable (a turn or shift
    of everything, except for the plane tasks), for a pose the tool, for a direction the distance
    along the tool's axis. The last two change single minors, though not whether all vanish, where
    the Jacobian has fewer columns than rows; they are kept there. Rows that are zero in all
    postures are dropped.
    """
    fn = ring.functions()
    tree = exact.tree(fn, ring.element)
    path = tree.moving_path(tree.tool_link)
    variables = [tree.links[i].variable for i in path]
    q = [ring.element(v) if _slides(exact, i) else v for i, v in enumerate(exact.variables)]
    tall = task.size > len(variables)
    for variable in _without_effect(task, variables, tall=tall):
        q[variable] = ring.ring.zero if _slides(exact, variable) else 0
    placed = frames(tree, q, fn)
    tool = tool_frame(tree, placed)
    point = tool.origin if tall else _point(task, tree, placed, tool)
    columns = geometric_jacobian(tree, placed, tree.tool_link, point)
    kept = [_task_rows(columns[variable], task, tool) for variable in variables]
    rows = [[ring.reduced(ring.ring.zero + x) for x in row] for row in zip(*kept, strict=True)]
    return [row for row in rows if any(row)]


def square_minors(ring: TrigonometricRing, rows: Rows) -> Minors:
    """The largest minors of a Jacobian."""
    height, width = len(rows), len(rows[0]) if rows else 0
    if height <= width:
        chosen = [
            [[row[j] for j in js] for row in rows] for js in combinations(range(width), height)
        ]
    else:
        chosen = [[rows[i] for i in some] for some in combinations(range(height), width)]
    of = "J" if height == width else "J·Jᵀ" if height < width else "Jᵀ·J"
    if height == 0:
        return Minors(of="J", minors=())
    return Minors(of=of, minors=tuple(ring.determinant(matrix) for matrix in chosen))


def _without_effect(task: Task, variables: list[int], *, tall: bool) -> list[int]:
    """Variables that move everything, or for a pose nothing but the tool."""
    if task.in_plane:
        return []
    return variables[:1] + (variables[-1:] if task is Task.POSE and not tall else [])


def _point(task: Task, tree: Tree, placed: Sequence[Frame], tool: Frame) -> Vec3:
    """The point whose velocity is taken: one with the same determinant and the simplest terms."""
    carrier = placed[tree.tool_link].origin
    if task is Task.POSE:
        return carrier
    if task.has_axis:
        along = dot(subtract(tool.origin, carrier), tool.z)
        return subtract(tool.origin, scale(along, tool.z))
    return tool.origin


def _task_rows(twist: Column, task: Task, tool: Frame) -> list[Any]:
    rows = [twist[row] for row in task.base_rows]
    if task.has_axis:
        rows += [dot(matrix_column(tool.rotation, axis), twist[3:]) for axis in range(2)]
    return rows


def _slides(exact: ExactMechanism, variable: int) -> bool:
    return not exact.mechanism.movable[variable].kind.angular


@dataclass(slots=True, kw_only=True)
class LiftedSymbols:
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
    names: LiftedSymbols
    variables: tuple[Expression, ...]

    @classmethod
    def of(cls, mechanism: Mechanism) -> ExactMechanism:
        """Lift a mechanism: lengths d2, r4, … and angles other than quarter turns by name."""
        import sympy

        names = LiftedSymbols()
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


def _lifted(placement: Array, suffix: str, names: LiftedSymbols) -> tuple[_Row, _Row]:
    pair = rows_of(placement)
    return _symbols(pair.carrier, ("", "", "gamma", "b"), suffix, names), _symbols(
        pair.joint, ("alpha", "d", "theta", "r"), suffix, names
    )


def _symbols(row: DhRow, words: Sequence[str], suffix: str, names: LiftedSymbols) -> _Row:
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


def factors(ring: TrigonometricRing, element: Element) -> tuple[Any, Factors]:
    """Number and factors with their powers; their product equals the element.

    Args:
        ring: of the element.
        element: not zero, in normal form.
    """
    if len(element) > _MOST_TERMS:
        return _as_it_stands(element)
    half = _HalfAngles(ring, element)
    rest, found, product = half.rest, [], ring.ring.one
    for factor, power in half.even:
        found.append((factor, power))
        product *= factor**power
    number, others = _as_it_stands(ring.reduced(rest))
    for factor, power in others:
        product *= factor**power
    # The halves carry powers of two: the number is what makes the product right.
    whole = ring.reduced(product)
    return element.LC / whole.LC if whole else number, found + others


def _as_it_stands(element: Element) -> tuple[Any, Factors]:
    number, found = element.factor_list()
    return number, list(found)


class _HalfAngles:
    """The polynomial in t = tan(θ/2), factored and brought back."""

    def __init__(self, ring: TrigonometricRing, element: Element) -> None:
        self.ring = ring
        self.angles = list(ring.cosines)
        # The generators are sin, cos (in the ring's order) of the angles, then the others.
        self.count = len(self.angles)
        self.degree = [self._degree(element, i) for i in range(self.count)]
        self.even: Factors = []
        self.rest = self._split(self._halved(element))

    def _degree(self, element: Element, i: int) -> int:
        return max(int(m[i] + m[i + self.count]) for m in element.monoms())

    def _halved(self, element: Element) -> Element:
        import sympy
        from sympy.polys.rings import ring

        names = [sympy.Dummy(f"t{i}") for i in range(self.count)]
        half, *generators = ring([*names, *self.ring.ring.symbols[2 * self.count :]], sympy.QQ)
        cosine_first = self._cosines_lead()
        total = half.zero
        for exponents, coefficient in element.terms():
            term = half.one * coefficient
            for i in range(self.count):
                t, first, second = generators[i], exponents[i], exponents[i + self.count]
                c, s = (first, second) if cosine_first else (second, first)
                term *= (2 * t) ** s * (1 - t**2) ** c * (1 + t**2) ** (self.degree[i] - c - s)
            for k, power in enumerate(exponents[2 * self.count :]):
                term *= generators[self.count + k] ** power
            total += term
        return total

    def _cosines_lead(self) -> bool:
        if not self.count:
            return True
        return bool(self.ring.cosines[self.angles[0]] == self.ring.ring.gens[0])

    def _split(self, halved: Element) -> Element:
        """Collect the even factors; return the product of the others. # in the ring."""
        _, found = halved.factor_list()
        odd, left = halved.ring.one, list(self.degree)
        for factor, power in found:
            degrees = [max(m[i] for m in factor.monoms()) for i in range(self.count)]
            if any(d % 2 for d in degrees):
                odd *= factor**power
                continue
            whole = self._whole(factor, [d // 2 for d in degrees])
            left = [n - power * d // 2 for n, d in zip(left, degrees, strict=True)]
            if not whole.is_ground:
                self.even.append((whole, power))
        return self._whole(odd, left)

    def _whole(self, halved: Element, degrees: list[int]) -> Element:
        """Sines and cosines of a polynomial in t, times Π cos(θ/2)^(2·degree)."""
        total = self.ring.ring.zero
        others = self.ring.ring.gens[2 * self.count :]
        for exponents, coefficient in halved.terms():
            term = self.ring.ring.one * coefficient
            for i, angle in enumerate(self.angles):
                term *= self._monomial(angle, exponents[i], degrees[i])
            for k, power in enumerate(exponents[self.count :]):
                term *= others[k] ** power
            total += term
        return self.ring.reduced(total).primitive()[1] if total else total

    def _monomial(self, angle: Any, power: int, degree: int) -> Element:
        """sin(θ/2)^power · cos(θ/2)^(2·degree - power), without its powers of ½."""
        c, s = self.ring.cosines[angle], self.ring.sines[angle]
        pairs, odd = divmod(power, 2)
        return s**odd * (1 - c) ** pairs * (1 + c) ** (degree - pairs - odd)


# --------------------------------------------------------------------------------- Polynomial ring
@dataclass(frozen=True, slots=True, kw_only=True)
class TrigonometricRing:
    """Polynomials over whole numbers in cos θ, sin θ of some angles, and other symbols.

    Args:
        ring: SymPy's.
        cosines: angle to generator.
        sines: angle to generator.
        relations: c² + s² - 1 per angle; the square of one of both is written by the other.
    """

    ring: Any
    cosines: dict[Expression, Element]
    sines: dict[Expression, Element]
    relations: tuple[Element, ...]

    @classmethod
    def over(
        cls, angles: Sequence[Expression], others: Sequence[Expression], *, keep: str = "cos"
    ) -> TrigonometricRing:
        """Ring whose normal form keeps squares of cosines ("cos") or of sines ("sin")."""
        import sympy
        from sympy.polys.orderings import lex
        from sympy.polys.rings import ring

        functions = (sympy.sin, sympy.cos) if keep == "cos" else (sympy.cos, sympy.sin)
        symbols = [f(angle) for f in functions for angle in angles]
        made, *generators = ring([*symbols, *others], sympy.QQ, lex)
        leading = dict(zip(angles, generators, strict=False))
        kept = dict(zip(angles, generators[len(angles) :], strict=False))
        return cls(
            ring=made,
            cosines=kept if keep == "cos" else leading,
            sines=leading if keep == "cos" else kept,
            relations=tuple(leading[a] ** 2 + kept[a] ** 2 - 1 for a in angles),
        )

    def functions(self) -> Functions:
        """Sine and cosine of sums of the angles and of quarter turns."""
        return Functions(sin=self.sin, cos=self.cos, sign=_undefined, sqrt=_undefined)

    def cos(self, angle: Expression) -> Element:
        """Cosine as an element."""
        return self._pair(angle)[0]

    def sin(self, angle: Expression) -> Element:
        """Sine as an element."""
        return self._pair(angle)[1]

    def element(self, expression: Expression) -> Element:
        """A polynomial expression as an element."""
        return self.ring.from_expr(expression)

    def reduced(self, element: Element) -> Element:
        """Normal form modulo the relations."""
        return element.rem(list(self.relations)) if self.relations else element

    def determinant(self, rows: Sequence[Sequence[Element]]) -> Element:
        """Determinant by minors, each computed once, without division.

        Raises:
            EquationError: it has too many terms to be of use.
        """
        size = len(rows)

        @cache
        def minor(row: int, columns: tuple[int, ...]) -> Element:
            if row == size:
                return self.ring.one
            total = self.ring.zero
            for k, column in enumerate(columns):
                entry = rows[row][column]
                if entry:
                    rest = minor(row + 1, columns[:k] + columns[k + 1 :])
                    total += entry * rest * (-1) ** k
            return self._checked(self.reduced(total))

        return minor(0, tuple(range(size)))

    def _checked(self, element: Element) -> Element:
        cap = Cap.DETERMINANT_TERMS  # factoring more takes minutes
        if len(element) > cap.limit:
            raise EquationError(
                f"The determinant has more than {cap.limit} terms; ask for a task with fewer "
                f"coordinates, analyse single postures, or {cap.advice}.",
                terms=len(element),
            )
        return element

    def _pair(self, angle: Expression) -> tuple[Element, Element]:
        import sympy

        if angle in self.cosines:
            return self.cosines[angle], self.sines[angle]
        angle = sympy.sympify(angle)
        if angle.is_Add:
            c, s = self.ring.one, self.ring.zero
            for part in angle.args:
                cp, sp = self._pair(part)
                c, s = c * cp - s * sp, s * cp + c * sp
            return c, s
        return self.element(sympy.cos(angle)), self.element(sympy.sin(angle))


def _undefined(_: Expression) -> Element:
    raise EquationError("Roots and signs are not polynomials.")
