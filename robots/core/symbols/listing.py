"""Listing of a programme: assignments with readable, safe names, in one target language.

A value that is used once is written where it is used as long as the line stays short; parentheses
keep the recorded order of operations, so the listing rounds like the programme.
"""

from __future__ import annotations

import keyword
import math
import re
import unicodedata
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, IntEnum

from robots.core.errors import EquationError
from robots.core.recording import Instruction, Operation, Programme

_LONGEST_INLINE = 60  # characters; also bounds the depth of parentheses


class Language(Enum):
    """A target language of the export; the value is what users type."""

    PYTHON = "python"
    C = "c"
    MATLAB = "matlab"
    LATEX = "latex"


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """Notation of expressions in one language.

    Args:
        language: which one.
        extension: of its files, with the dot.
        comment: what starts a comment line.
        reserved: words that a variable or function may not be called.
        calls: pattern of each function, with {0} and {1} for its operands.
        times: multiplication sign.
        number: spelling of a finite double that reads back as the same double.
        name: spelling of a variable.
    """

    language: Language
    extension: str
    comment: str
    reserved: frozenset[str]
    calls: Mapping[Operation, str]
    times: str = "*"
    number: Callable[[float], str] = repr
    name: Callable[[str], str] = field(default=str)


# Names that the printed files use themselves.
_OWN = "out scale worst found expected check self_test main quantity robot"
_C_WORDS = """auto break case char const continue default do double else enum extern float for goto
if inline int long register restrict return short signed sizeof static struct switch typedef union
unsigned void volatile while bool true false complex imaginary class new delete this template
namespace operator sin cos tan atan2 fmax sqrt fabs pow exp log printf NULL EOF j0 j1 jn y0 y1 yn
signgam"""
_SIN_COS_SQRT = {Operation.SIN: "sin({0})", Operation.COS: "cos({0})", Operation.SQRT: "sqrt({0})"}
_PI = "3.141592653589793"
C = Dialect(
    language=Language.C,
    extension=".c",
    comment="//",
    reserved=frozenset([*_C_WORDS.split(), *_OWN.split()]),
    calls=_SIN_COS_SQRT
    | {
        Operation.SIGN: "({0} > 0.0 ? 1.0 : {0} < 0.0 ? -1.0 : {0})",
        Operation.ATAN2: "atan2({0}, {1})",
        Operation.MAXIMUM: "fmax({0}, {1})",
        Operation.OPPOSITE: f"({{0}} > 0.0 ? {{0}} - {_PI} : {{0}} + {_PI})",
    },
)


class _Binding(IntEnum):
    """Operator precedence of a text."""

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
        self._names = VariableNames(programme, dialect.reserved)
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
        if item.operation in (Operation.ATAN2, Operation.MAXIMUM):
            return _Term(self._dialect.calls[item.operation].format(a.text, b.text))
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


# ---------------------------------------------------------------------------------------- Dialects

_MATLAB_WORDS = """break case catch classdef continue else elseif end for function global if
otherwise parfor persistent return spmd switch try while endfunction endif endfor endswitch
endwhile do until unwind_protect end_try_catch sin cos atan2 sqrt sign max abs all zeros ones
permute ndims error fprintf nargin nargout varargin varargout numel isempty true false i j pi e eps
Inf NaN inf nan ans"""
_PYTHON_NAMES = "math abs max isinstance len list print zip tuple ArithmeticError SELF_TEST"
PYTHON = Dialect(
    language=Language.PYTHON,
    extension=".py",
    comment="#",
    reserved=frozenset(
        [*keyword.kwlist, *keyword.softkwlist, *_OWN.split(), *_PYTHON_NAMES.split()]
    ),
    # NaN falls through both comparisons and stays NaN.
    calls={op: "math." + text for op, text in _SIN_COS_SQRT.items()}
    | {
        Operation.SIGN: "(1.0 if {0} > 0.0 else -1.0 if {0} < 0.0 else {0})",
        Operation.ATAN2: "math.atan2({0}, {1})",
        Operation.MAXIMUM: "max({0}, {1})",
        Operation.OPPOSITE: "({0} - math.pi if {0} > 0.0 else {0} + math.pi)",
    },
)
MATLAB = Dialect(
    language=Language.MATLAB,
    extension=".m",
    comment="%",
    reserved=frozenset([*_MATLAB_WORDS.split(), *_OWN.split()]),
    calls=_SIN_COS_SQRT
    | {
        Operation.SIGN: "sign({0})",
        Operation.ATAN2: "atan2({0}, {1})",
        Operation.MAXIMUM: "max({0}, {1})",
        Operation.OPPOSITE: "({0} + pi*(1 - 2*({0} > 0)))",
    },
)


def _latex_number(number: float) -> str:
    mantissa, _, exponent = repr(number).removesuffix(".0").partition("e")
    return f"{mantissa} \\cdot 10^{{{int(exponent)}}}" if exponent else mantissa


def _latex_name(name: str) -> str:
    """Letters and their index: s23 with the index 23, qdd1 as a second derivative."""
    letters = name.rstrip("0123456789_")
    digits = name[len(letters) :]
    symbols = {"qd": r"\dot{q}", "qdd": r"\ddot{q}", "tau": r"\tau", "wrench": r"\gamma"}
    symbol = symbols.get(letters, letters if len(letters) == 1 else rf"\mathrm{{{letters}}}")
    index = digits.strip("_").replace("_", ",")
    return symbol.replace("_", r"\_") + (f"_{{{index}}}" if index else "")


LATEX = Dialect(
    language=Language.LATEX,
    extension=".tex",
    comment="%",
    reserved=frozenset(),
    calls={
        Operation.SIN: r"\sin({0})",
        Operation.COS: r"\cos({0})",
        Operation.SQRT: r"\sqrt{{{0}}}",
        Operation.SIGN: r"\operatorname{{sign}}({0})",
        Operation.ATAN2: r"\operatorname{{atan2}}({0}, {1})",
        Operation.MAXIMUM: r"\max({0}, {1})",
        Operation.OPPOSITE: r"({0} - \pi \operatorname{{sign}}({0}))",
    },
    times=r" \, ",
    number=_latex_number,
    name=_latex_name,
)
DIALECTS = {dialect.language: dialect for dialect in (PYTHON, C, MATLAB, LATEX)}


# ------------------------------------------------------------------------------------------- Names

# Characters besides letters and digits that no target language gives a meaning to in a comment:
# no backslash (C joins lines), no star, quote, question mark or percent sign.
_HARMLESS = " _-+.,:;=()[]°²³·/"
_LONGEST_NAME = 40  # MATLAB reads 63 characters; the rest is for our own prefix and suffix
_LONGEST_COMMENT = 160


def comment_text(text: str) -> str:
    """Foreign text for a one-line comment: what could end it or act in it becomes "_"."""
    line = " ".join(unicodedata.normalize("NFC", text).split())
    kept = "".join(c if c.isalnum() or c in _HARMLESS else "_" for c in line)
    return kept if len(kept) <= _LONGEST_COMMENT else kept[: _LONGEST_COMMENT - 3] + "..."


def identifier(text: str, fallback: str, reserved: Collection[str] = ()) -> str:
    """Foreign text as an ASCII identifier that is no reserved word.

    Args:
        text: what to name it after.
        fallback: prefix where the text does not start with a letter.
        reserved: words that are taken.
    """
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    name = re.sub(r"[^A-Za-z0-9]+", "_", plain).strip("_")[:_LONGEST_NAME].strip("_")
    if not name or not name[0].isalpha():
        name = f"{fallback}_{name}" if name else fallback
    while name in reserved:
        name += "_"
    return name


class VariableNames:
    """Readable variable names of one programme, all different.

    Inputs are q1, qd1, …; the sine of q2 + q3 is s23 (s2_3 from ten variables on); all else is t1,
    t2, ….

    Args:
        programme: whose values are to be named.
        reserved: words that are taken.
    """

    def __init__(self, programme: Programme, reserved: Collection[str]) -> None:
        self._programme = programme
        self._taken = set(reserved)
        self._angles = _angle_sums(programme)
        self._temporaries = 0
        self.arguments = [self._new(identifier(a.name, "x")) for a in programme.arguments]

    def of(self, value: int) -> str:
        """A new name for a value."""
        item = self._programme.instructions[value]
        if item.operation is Operation.INPUT:
            return self._new(f"{self.arguments[item.a].rstrip('_')}{item.b + 1}")
        if self._angles[value]:
            return self._new(self.arguments[0] + self._label(self._angles[value]))
        if item.operation in (Operation.SIN, Operation.COS) and self._angles[item.a]:
            letter = "s" if item.operation is Operation.SIN else "c"
            return self._new(letter + self._label(self._angles[item.a]))
        self._temporaries += 1
        return self._new(f"t{self._temporaries}")

    def _label(self, places: Sequence[int]) -> str:
        separator = "" if self._programme.arguments[0].size < 10 else "_"
        return separator.join(str(place + 1) for place in places)

    def _new(self, wanted: str) -> str:
        while wanted in self._taken:
            wanted += "_"
        self._taken.add(wanted)
        return wanted


def _angle_sums(programme: Programme) -> list[tuple[int, ...]]:
    """For each value, the numbers of the first argument that it adds up; empty if it does more."""
    sums: list[tuple[int, ...]] = []
    for item in programme.instructions:
        found: tuple[int, ...] = ()
        if item.operation is Operation.INPUT and item.a == 0:
            found = (item.b,)
        elif item.operation is Operation.ADD and sums[item.a] and sums[item.b]:
            found = tuple(sorted(sums[item.a] + sums[item.b]))
        sums.append(found)
    return sums
