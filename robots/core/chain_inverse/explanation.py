"""The derived inverse as a reader sees it: each step with its type and its printed equation.

The steps are read once more, over SymPy symbols: sine and cosine of the joints that are known, and
the entries of the pose as [LAMMARI12] calls them, T = [n s a p].
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from robots.core.chain_inverse.chain import Chain
from robots.core.chain_inverse.derivation import needed, sheets
from robots.core.chain_inverse.relations import (
    Equation,
    LengthEquation,
    Loop,
    Pair,
    Relation,
    SineEquation,
    SquareEquation,
    Step,
    TurnEquation,
)
from robots.core.chain_inverse.solver import ChainInverse, Method, branching
from robots.core.symbols.export import GeneratedFile, export_programmes
from robots.core.symbols.listing import Language

# A regular posture of most arms: the self-test of a source takes poses next to it.
_TEST_POSTURE = np.array([[0.3, -0.7, 0.9, 0.6, 0.8, -0.4]])
_EXACT = 1e-12
_DIGITS = 9  # of a constant; data have fewer
_ENTRIES = tuple(f"{column}_{row}" for row in "xyz" for column in "nsap")
_FROM = {
    Relation.ANGLE: "angle between {first} and {second}",
    Relation.HEIGHT: "height of a point above a plane: {first}; {second}",
    Relation.DISTANCE: "distance of {first} and {second}",
    Relation.MOMENT: "moment of {first} and {second}",
    Relation.DIRECTION: "{first}, seen from both sides of the joint",
    Relation.POINT: "{first}, seen from both sides of the joint",
    Relation.REST: "all other joints are known",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainedStep:
    """One step for readers.

    Args:
        joint: its name.
        paul: type of the equation, [LAMMARI12] table II.1.
        source: relation that it comes from.
        roots: one or two.
        equation: with the joint as unknown.
        factors: name and expression of what stands in it.
        latex: the same, equation first.
    """

    joint: str
    paul: int
    source: str
    roots: int
    equation: str
    factors: tuple[tuple[str, str], ...]
    latex: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """Derivation of the inverse of one robot.

    Args:
        robot: its name.
        method: how it is solved.
        branches: their names.
        snap: what the steps ignore. [scale lengths or rad]
        steps: in order; none of a pencil.
        assumed: joint whose values are a polynomial's roots; empty without one.
        degree: of that polynomial, in sine and cosine; zero without one.
        check: relation that makes it.
    """

    robot: str
    method: Method
    branches: tuple[str, ...]
    snap: float
    steps: tuple[ExplainedStep, ...]
    assumed: str = ""
    degree: int = 0
    check: str = ""


def explain(inverse: ChainInverse) -> Explanation:
    """Print the equations of a derived inverse."""
    plan, chain = inverse.plan, inverse.chain
    if plan is None:
        return Explanation(
            robot=chain.name, method=inverse.method, branches=inverse.names, snap=0.0, steps=()
        )
    assumed, check = "", ""
    if plan.check is not None:
        assumed, check = chain.names[plan.assumed[0]], _source(plan.check)
        count = sheets(plan)
        steps = [chain.names[step.joint] for step in needed(plan)]
        if steps:
            check += f"; over {count} sheet{'s' if count > 1 else ''} of {', '.join(steps)}"
    return Explanation(
        robot=chain.name,
        method=inverse.method,
        branches=inverse.names,
        snap=plan.snap,
        steps=tuple(_explained(inverse, plan.assumed, plan.steps)),
        assumed=assumed,
        degree=inverse.degree,
        check=check,
    )


def source_of(inverse: ChainInverse, language: Language) -> GeneratedFile:
    """The closed form as source code that tests itself on poses in reach.

    Raises:
        InverseError: the chain has no closed form.
        EquationError: no pose near which results are stable enough to test.
    """
    chain = inverse.chain
    pose = chain.forward(chain.units * _TEST_POSTURE[:, : chain.size])[0].ravel()
    about = [
        f"Inverse of {chain.name}: pose of the tool in the base frame, 4x4, to every branch.",
        "Each row holds the joints of one branch, then its reserve: negative is out of reach.",
        f"Joints: {', '.join(chain.names[: chain.own])}; SI units and radians.",
        *(f"Row {place}: {name}" for place, name in enumerate(inverse.names)),
    ]
    return export_programmes(
        [inverse.programme],
        language,
        name=f"{chain.name} inverse",
        about=about,
        bounds={"T_base_tool": (pose - 1e-3, pose + 1e-3)},
    )


def _explained(
    inverse: ChainInverse, assumed: tuple[int, ...], steps: tuple[Step, ...]
) -> Iterator[ExplainedStep]:
    import sympy

    chain = inverse.chain
    pose = [sympy.Symbol(name, real=True) for name in _ENTRIES]
    loop = Loop(chain, pose)
    known: dict[int, Pair] = {joint: _symbols(chain, joint) for joint in assumed}
    two = set() if inverse.plan is None else set(branching(chain, inverse.plan))
    for step in steps:
        equation = loop.equation(step, known)
        text, factors = _written(chain, step, equation)
        tidy = [(name, _tidied(value)) for name, value in factors]
        yield ExplainedStep(
            joint=chain.names[step.joint],
            paul=step.paul,
            source=_source(step),
            roots=2 if step in two else 1,
            equation=text,
            factors=tuple((name, str(value)) for name, value in tidy),
            latex=(_latex(text), *(f"{_latex(n)} = {sympy.latex(value)}" for n, value in tidy)),
        )
        known[step.joint] = _symbols(chain, step.joint)


def _source(step: Step) -> str:
    return _FROM[step.relation].format(first=step.first.name, second=step.second.name)


def _symbols(chain: Chain, joint: int) -> Pair:
    """Sine and cosine of a joint, or its length."""
    import sympy

    mark = _mark(chain, joint)
    if not chain.revolute[joint]:
        return sympy.Symbol(f"r{mark}", real=True), sympy.Integer(0)
    return sympy.Symbol(f"S{mark}", real=True), sympy.Symbol(f"C{mark}", real=True)


def _mark(chain: Chain, joint: int) -> str:
    """Number of a joint of the robot; letters of one of the task."""
    return str(joint + 1) if joint < chain.own else "abc"[joint - chain.own]


def _written(
    chain: Chain, step: Step, equation: Equation
) -> tuple[str, tuple[tuple[str, Any], ...]]:
    """The equation in its unknown, and what its factors are."""
    mark = _mark(chain, step.joint)
    S, C, r = f"S{mark}", f"C{mark}", f"r{mark}"
    factors: tuple[tuple[str, Any], ...]
    if isinstance(equation, SineEquation):
        factors = (("X", equation.X), ("Y", equation.Y), ("Z", equation.Z))
        return f"X {S} + Y {C} = Z", factors
    if isinstance(equation, TurnEquation):
        (u, w, _), (x, y, _) = equation.u, equation.v
        factors = (("X1", -w), ("Y1", u), ("Z1", x), ("Z2", y))
        return f"X1 {S} + Y1 {C} = Z1,  Y1 {S} - X1 {C} = Z2", factors
    if isinstance(equation, LengthEquation):
        return f"X {r} = Y", (("X", equation.X), ("Y", equation.Y))
    if isinstance(equation, SquareEquation):
        factors = (("X", equation.along), ("Y", equation.across), ("Z", equation.square))
        return f"({r} + X)^2 + Y = Z", factors
    raise TypeError(equation)


def _latex(text: str) -> str:
    """Marks as indices: S12 is S_{12}."""
    import re

    return re.sub(r"\b([A-Za-z])([0-9a-c]+)\b", r"\1_{\2}", text)


def _tidied(value: Any) -> Any:
    """An expression with constants of few digits, and without terms that are rounding."""
    import sympy

    # A factor may be a plain number: nothing of the pose is in it.
    symbolic = sympy.Float(value) if isinstance(value, float | int) else value
    expression = _of_unit_columns(sympy.expand(symbolic))
    numbers = {}
    for number in expression.atoms(sympy.Float):
        whole = round(float(number))
        near = abs(float(number) - whole) < _EXACT
        numbers[number] = sympy.Integer(whole) if near else sympy.Float(number, _DIGITS)
    return expression.xreplace(numbers)


def _of_unit_columns(expression: Any) -> Any:
    """The same with the squares of a column of the rotation summed to one, where that is less."""
    import sympy

    for column in "nsa":
        x, y, z = (sympy.Symbol(f"{column}_{row}", real=True) for row in "xyz")
        shorter = sympy.expand(expression.subs(z**2, 1 - x**2 - y**2))
        numbers = {n: 0 for n in shorter.atoms(sympy.Float) if abs(float(n)) < _EXACT}
        shorter = shorter.xreplace(numbers)
        if sympy.count_ops(shorter) < sympy.count_ops(expression):
            expression = shorter
    return expression
