"""A programme as assignments with readable names and expressions, in one language's spelling.

A value that is used once is written where it is used as long as the line stays short; parentheses
keep the recorded order of operations, so the listing rounds like the programme.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import IntEnum

from robots.core.errors import EquationError
from robots.core.recording import Operation, Programme
from robots.core.recording.programme import Instruction
from robots.core.symbols.export.dialect import Dialect
from robots.core.symbols.export.naming import Names

_LONGEST_INLINE = 60  # characters; also bounds the depth of parentheses


class _Binding(IntEnum):
    """How tightly a text holds together."""

    SUM = 0
    PRODUCT = 1
    ATOM = 2


@dataclass(frozen=True, slots=True)
class _Term:
    text: str
    binding: _Binding = _Binding.ATOM

    def within(self, least: _Binding) -> str:
        """The text, in parentheses where it binds less than its place asks for."""
        return self.text if self.binding >= least else f"({self.text})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    """A number of an argument that the programme reads, and the variable that holds it."""

    name: str
    argument: int
    place: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """One line: a variable and the expression that defines it."""

    name: str
    expression: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """A programme ready to be printed; outputs are expressions, row-major."""

    arguments: tuple[str, ...]
    inputs: tuple[Input, ...]
    assignments: tuple[Assignment, ...]
    outputs: tuple[str, ...]


def listing(programme: Programme, dialect: Dialect) -> Listing:
    """Write a programme in a language.

    Raises:
        EquationError: it holds a constant that is not finite.
    """
    return _Writer(programme, dialect).write()


class _Writer:
    def __init__(self, programme: Programme, dialect: Dialect) -> None:
        self._programme = programme
        self._dialect = dialect
        self._names = Names(programme, dialect.reserved)
        self._uses = _uses(programme)
        self._terms: list[_Term] = []
        self._inputs: list[Input] = []
        self._assignments: list[Assignment] = []

    def write(self) -> Listing:
        """Go through the instructions once."""
        for index, item in enumerate(self._programme.instructions):
            self._terms.append(self._term(index, item))
        outputs = tuple(self._output(o.value, o.negative) for o in self._programme.outputs)
        return Listing(
            arguments=tuple(self._names.arguments),
            inputs=tuple(self._inputs),
            assignments=tuple(self._assignments),
            outputs=outputs,
        )

    def _term(self, index: int, item: Instruction) -> _Term:
        if item.operation is Operation.CONSTANT:
            return self._number(item.number)
        if item.operation is Operation.INPUT:
            name = self._dialect.name(self._names.of(index))
            self._inputs.append(Input(name=name, argument=item.a, place=item.b))
            return _Term(name)
        term = self._expression(item)
        arithmetic = item.operation.operands == 2
        if arithmetic and self._uses[index] == 1 and len(term.text) <= _LONGEST_INLINE:
            return term
        name = self._dialect.name(self._names.of(index))
        self._assignments.append(Assignment(name=name, expression=term.text))
        return _Term(name)

    def _expression(self, item: Instruction) -> _Term:
        a = self._terms[item.a]
        if item.operation.operands == 1:
            return _Term(self._dialect.calls[item.operation].format(a.text))
        b = self._terms[item.b]
        if item.operation is Operation.MULTIPLY:
            if self._programme.instructions[item.b].operation is Operation.CONSTANT:
                a, b = b, a  # the same product, in the usual order
            sign, right = self._dialect.times, b.within(_Binding.ATOM)
            return _Term(a.within(_Binding.PRODUCT) + sign + right, _Binding.PRODUCT)
        if item.operation is Operation.DIVIDE:
            right = b.within(_Binding.ATOM)
            return _Term(f"{a.within(_Binding.PRODUCT)}/{right}", _Binding.PRODUCT)
        sign = "+" if item.operation is Operation.ADD else "-"
        constant = self._programme.instructions[item.b]
        if constant.operation is Operation.CONSTANT and constant.number < 0.0:
            sign, b = ("-" if sign == "+" else "+"), self._number(-constant.number)
        return _Term(f"{a.text} {sign} {b.within(_Binding.PRODUCT)}", _Binding.SUM)

    def _output(self, value: int, negative: bool) -> str:
        item, term = self._programme.instructions[value], self._terms[value]
        if not negative:
            return term.text
        if item.operation is Operation.CONSTANT:
            return self._number(-item.number).text
        return f"-{term.within(_Binding.PRODUCT)}"

    def _number(self, number: float) -> _Term:
        if not math.isfinite(number):
            raise EquationError(
                f"{self._programme.name} holds the constant {number!r}, which no source code can "
                "spell; check the robot's lengths, masses and limits.",
                value=number,
            )
        negative = math.copysign(1.0, number) < 0.0
        binding = _Binding.SUM if negative else _Binding.ATOM
        return _Term(self._dialect.number(number), binding)


def _uses(programme: Programme) -> list[int]:
    """How often each value is read, by instructions and outputs."""
    counts = [0] * len(programme.instructions)
    for item in programme.instructions:
        for operand in (item.a, item.b)[: item.operation.operands]:
            counts[operand] += 1
    for out in programme.outputs:
        counts[out.value] += 1
    return counts
