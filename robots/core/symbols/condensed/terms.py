"""Terms of condensed equations: sums of ordered products, and their readings as text and LaTeX.

The order of factors and terms is kept exactly as it was built, so that a printed equation shows how
it came about; nothing is simplified unless ``collected`` is asked for.

Source: [LIEGEOIS80] §4.4-4.5, the form of its printed equations.
"""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import reduce
from itertools import groupby
from typing import Generic, TypeVar

# Above this many products a product of two sums stays factored instead of being multiplied out.
EXPANSION_LIMIT = 64
# A sum of numbers this small beside its terms is rounding, not a quantity.
CANCELLATION = 1e-14


@dataclass(frozen=True, slots=True, kw_only=True)
class Symbol:
    """A named constant: a length, a mass, VZ3, JX6 or G."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Slide:
    """The variable of a prismatic joint, by joint number. [m]."""

    joint: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Trig:
    """Sine or cosine of a grouped angle.

    Args:
        cosine: which of the two.
        angle: joint numbers from base to tip, each with +1 or -1; the first is +1.
    """

    cosine: bool
    angle: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class GravityTorque:
    """Q(joint), used inside the gravity torque of a parallel joint nearer the base."""

    joint: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """A number times factors, in order."""

    coefficient: float = 1.0
    factors: tuple[Factor, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Sum:
    """Terms in order; no term means zero.

    Args:
        terms: what is added.
        signed: whether a leading plus is printed, as the report does in its equations.
    """

    terms: tuple[Term, ...] = ()
    signed: bool = True
    hashed: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        # Deep sums serve as dictionary keys again and again; hashing them once keeps that cheap.
        object.__setattr__(self, "hashed", hash(self.terms))

    def __hash__(self) -> int:
        return self.hashed

    def __bool__(self) -> bool:
        return bool(self.terms)

    @property
    def number(self) -> float | None:
        """The value when no term has a factor (0.0 when empty), else None."""
        if any(term.factors for term in self.terms):
            return None
        return math.fsum(term.coefficient for term in self.terms)

    def symbols(self) -> set[str]:
        """Names of all constants in it, brackets included."""
        found: set[str] = set()
        for factor in (factor for term in self.terms for factor in term.factors):
            if isinstance(factor, Symbol):
                found.add(factor.name)
            elif isinstance(factor, Sum):
                found |= factor.symbols()
        return found

    @property
    def size(self) -> int:
        """Number of products, those inside brackets included."""
        return sum(_products(term) for term in self.terms)


Factor = Symbol | Slide | Trig | GravityTorque | Sum
Vector = tuple[Sum, Sum, Sum]
ZERO = Sum()
ONE = Sum(terms=(Term(),))


# ---------------------------------------------------------------------------------------- Readings
# Text, LaTeX, numbers, intervals and operation counts say only what a factor, a product and a sum
# are.

T = TypeVar("T")


def number(value: float) -> Sum:
    """A sum that is a plain number; zero is the empty sum."""
    return Sum(terms=(Term(coefficient=value),)) if value else ZERO


def symbol(name: str) -> Sum:
    """A sum that is one symbol."""
    return Sum(terms=(Term(factors=(Symbol(name=name),)),))


def added(*sums: Sum) -> Sum:
    """All terms in order; plain numbers alone are added up, rounding residues dropped."""
    terms = tuple(term for each in sums for term in each.terms)
    if len(terms) > 1 and not any(term.factors for term in terms):
        total = math.fsum(term.coefficient for term in terms)
        scale = math.fsum(abs(term.coefficient) for term in terms)
        return number(total) if abs(total) > CANCELLATION * scale else ZERO
    return Sum(terms=terms)


def multiplied(*sums: Sum) -> Sum:
    """Product in the order given: multiplied out when small, else kept as factors."""
    return reduce(_pair, sums, ONE)


def scaled(coefficient: float, body: Sum) -> Sum:
    """A number times a sum."""
    if not coefficient:
        return ZERO
    return Sum(
        terms=tuple(
            Term(coefficient=coefficient * term.coefficient, factors=term.factors)
            for term in body.terms
        )
    )


def weighted(head: Term, bracket: Sum) -> Sum:
    """``head`` times a bracket, printed ``+VZ6*L3*(...)``; a plain number joins the head."""
    value = bracket.number
    if value is not None:
        return scaled(value, Sum(terms=(head,)))
    return Sum(terms=(Term(coefficient=head.coefficient, factors=(*head.factors, bracket)),))


def collected(body: Sum) -> Sum:
    """Equal products added up, in the place and factor order of their first appearance."""
    heads: dict[tuple[object, ...], Term] = {}
    leaves: dict[tuple[object, ...], dict[tuple[object, ...], Term]] = {}
    for term in body.terms:
        plain, bracket = _head_and_bracket(term)
        key = (bracket is None, _key(plain))
        heads.setdefault(key, Term(factors=plain))
        group = leaves.setdefault(key, {})
        for leaf in ONE.terms if bracket is None else bracket.terms:
            _collect(group, term.coefficient * leaf.coefficient, leaf.factors)
    return added(*(_regrouped(heads[key], group) for key, group in leaves.items()))


def _pair(left: Sum, right: Sum) -> Sum:
    if not left or not right:
        return ZERO
    if left == ONE:
        return Sum(terms=right.terms)
    if right == ONE:
        return Sum(terms=left.terms)
    if len(left.terms) * len(right.terms) > EXPANSION_LIMIT:
        return Sum(terms=(Term(factors=(left, right)),))
    return Sum(
        terms=tuple(
            Term(coefficient=a.coefficient * b.coefficient, factors=(*a.factors, *b.factors))
            for a in left.terms
            for b in right.terms
        )
    )


def _products(term: Term) -> int:
    return sum(factor.size for factor in term.factors if isinstance(factor, Sum)) or 1


def _head_and_bracket(term: Term) -> tuple[tuple[Factor, ...], Sum | None]:
    """Split off the single bracket of a term; several brackets stay factors like others."""
    brackets = [factor for factor in term.factors if isinstance(factor, Sum)]
    if len(brackets) != 1:
        return term.factors, None
    return tuple(factor for factor in term.factors if factor is not brackets[0]), brackets[0]


def _key(factors: Iterable[Factor]) -> tuple[object, ...]:
    """Equal for the same factors in any order."""
    return (frozenset(Counter(factors).items()),)


def _collect(
    group: dict[tuple[object, ...], Term], coefficient: float, factors: tuple[Factor, ...]
) -> None:
    key = _key(factors)
    before = group.get(key)
    total = coefficient + (before.coefficient if before else 0.0)
    # Rounding residue of numbers that cancel would otherwise survive as a term.
    if before and abs(total) <= CANCELLATION * (abs(coefficient) + abs(before.coefficient)):
        total = 0.0
    group[key] = Term(coefficient=total, factors=before.factors if before else factors)


def _regrouped(head: Term, group: dict[tuple[object, ...], Term]) -> Sum:
    terms = tuple(term for term in group.values() if term.coefficient)
    if not terms:
        return ZERO
    common = abs(terms[0].coefficient)
    if any(abs(term.coefficient) != common for term in terms):
        common = 1.0
    return weighted(
        Term(coefficient=common, factors=head.factors), scaled(1.0 / common, Sum(terms=terms))
    )


class Reading(ABC, Generic[T]):
    """Reading of a sum of products."""

    def read(self, body: Sum) -> T:
        """The reading of a whole sum."""
        return self.total(
            [
                self.product(
                    term.coefficient, [(factor, self.factor(factor)) for factor in term.factors]
                )
                for term in body.terms
            ]
        )

    def factor(self, factor: Factor) -> T:
        """The reading of one factor; a bracket is read as a sum."""
        if isinstance(factor, Sum):
            return self.read(factor)
        if isinstance(factor, Symbol):
            return self.symbol(factor)
        if isinstance(factor, Trig):
            return self.trig(factor)
        return self.slide(factor) if isinstance(factor, Slide) else self.torque(factor)

    @abstractmethod
    def symbol(self, factor: Symbol) -> T:
        """A named constant."""

    @abstractmethod
    def trig(self, factor: Trig) -> T:
        """Sine or cosine of a grouped angle."""

    @abstractmethod
    def slide(self, factor: Slide) -> T:
        """The variable of a prismatic joint."""

    @abstractmethod
    def torque(self, factor: GravityTorque) -> T:
        """Gravity torque of a parallel joint farther out."""

    @abstractmethod
    def product(self, coefficient: float, factors: Sequence[tuple[Factor, T]]) -> T:
        """A number times factors that have been read."""

    @abstractmethod
    def total(self, terms: Sequence[T]) -> T:
        """A sum of terms that have been read; none means zero."""


# -------------------------------------------------------------------------------------------- Text
# ``+2*VZ3*L2*(+C23*S2)``: S and C stand for sine and cosine of the sum of the joints' angles; a
# joint that turns against the others is written with an M, C2M3 = cos(q2 - q3). From ten joints on
# the numbers of a sum are kept apart by underscores, C9_10.
#
# Source: [LIEGEOIS80] §4.3-4.5


class TextReading(Reading[str]):
    """Prints sums on one line.

    Args:
        dof: number of joints of the chain, which decides how joint numbers are joined.
    """

    def __init__(self, dof: int) -> None:
        self._between = "_" if dof > 9 else ""

    def read(self, body: Sum) -> str:
        """A sum; its leading plus goes when the sum says so."""
        line = super().read(body)
        return line if body.signed else line.removeprefix("+")

    def symbol(self, factor: Symbol) -> str:
        """The name."""
        return factor.name

    def slide(self, factor: Slide) -> str:
        """``q4``."""
        return f"q{factor.joint}"

    def torque(self, factor: GravityTorque) -> str:
        """``Q(4)``."""
        return f"Q({factor.joint})"

    def trig(self, factor: Trig) -> str:
        """``S234``, ``C2M3``."""
        name = "C" if factor.cosine else "S"
        for place, (joint, sign) in enumerate(factor.angle):
            joined = "M" if sign < 0 else self._between
            name += f"{joined if place else ''}{joint}"
        return name

    def product(self, coefficient: float, factors: Sequence[tuple[Factor, str]]) -> str:
        """Sign, number, factors; always with its sign."""
        sign = "-" if coefficient < 0.0 else "+"
        size = abs(coefficient)
        parts = [] if size == 1.0 and factors else [number_text(size)]
        return sign + "*".join((*parts, *self._powers(factors)))

    def total(self, terms: Sequence[str]) -> str:
        """Terms side by side; ``0`` when there is none."""
        return "".join(terms) or "0"

    def _powers(self, factors: Sequence[tuple[Factor, str]]) -> Iterator[str]:
        """Constants met several times become powers, D1**2; trigonometry is left as it came."""
        for text, group in groupby(factors, key=lambda pair: pair):
            count = len(list(group))
            factor, name = text
            if isinstance(factor, Sum):
                name = f"({name})"
            if count > 1 and isinstance(factor, Symbol | Slide):
                yield f"{name}**{count}"
            else:
                yield from [name] * count


def number_text(value: float) -> str:
    """Shortest digits that give the number back; whole numbers without a point."""
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)


# ------------------------------------------------------------------------------------------- LaTeX
# ``A_{11} = 2 V_{Z3} L_{2} (c_{23} s_{2}) + …``: s_{234} and c_{234} are sine and cosine of
# q_2 + q_3 + q_4.
#
# Source: [LIEGEOIS80], list of notations (c_i, s_ij)

_NAME = re.compile(r"([A-Za-zΑ-Ωα-ω]+?)((?:[XYZ]{1,2})?\d[\d_]*)$")
_SCIENTIFIC = re.compile(r"(.*)e([+-])0*(\d+)$")


class LatexReading(Reading[str]):
    """Prints sums in LaTeX's mathematics.

    Args:
        dof: number of joints of the chain, which decides how joint numbers are joined.
    """

    def __init__(self, dof: int) -> None:
        self._between = "," if dof > 9 else ""

    def symbol(self, factor: Symbol) -> str:
        r"""``VZ3`` becomes ``V_{Z3}``; an unknown form stands upright."""
        return symbol_latex(factor.name)

    def slide(self, factor: Slide) -> str:
        """``q_{4}``."""
        return f"q_{{{factor.joint}}}"

    def torque(self, factor: GravityTorque) -> str:
        """``Q_{4}``."""
        return f"Q_{{{factor.joint}}}"

    def trig(self, factor: Trig) -> str:
        """``s_{234}``, ``c_{2-3}``."""
        index = ""
        for place, (joint, sign) in enumerate(factor.angle):
            joined = "-" if sign < 0 else self._between
            index += f"{joined if place else ''}{joint}"
        return f"{'c' if factor.cosine else 's'}_{{{index}}}"

    def product(self, coefficient: float, factors: Sequence[tuple[Factor, str]]) -> str:
        """Sign, number, factors; equal neighbours become powers."""
        sign = "-" if coefficient < 0.0 else "+"
        size = abs(coefficient)
        parts = [] if size == 1.0 and factors else [number_latex(size)]
        return f" {sign} " + r" \, ".join((*parts, *_powers(factors)))

    def total(self, terms: Sequence[str]) -> str:
        """Terms side by side, without a leading plus."""
        line = "".join(terms).strip().removeprefix("+").strip() or "0"
        return re.sub(r"^- ", "-", line)


def symbol_latex(name: str) -> str:
    """A constant's name with its index below."""
    found = _NAME.match(name)
    if found:
        head, index = found.groups()
        head = head if len(head) == 1 else rf"\mathit{{{head}}}"
        return f"{head}_{{{index.replace('_', ',')}}}"
    return name if len(name) == 1 else rf"\mathit{{{name.replace('_', chr(92) + '_')}}}"


def number_latex(value: float) -> str:
    """A number, powers of ten written out."""
    found = _SCIENTIFIC.match(number_text(value))
    if not found:
        return number_text(value)
    digits, sign, power = found.groups()
    return rf"{digits} \cdot 10^{{{'-' if sign == '-' else ''}{power}}}"


def _powers(factors: Sequence[tuple[Factor, str]]) -> Iterator[str]:
    for (factor, name), group in groupby(factors, key=lambda pair: pair):
        count = len(list(group))
        text = rf"\left({name}\right)" if isinstance(factor, Sum) else name
        yield text if count == 1 else f"{text}^{{{count}}}"
