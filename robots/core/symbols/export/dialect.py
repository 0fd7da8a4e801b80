"""What differs between target languages inside an expression: reserved words, functions, names."""

from __future__ import annotations

import keyword
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum

from robots.core.recording import Operation


class Language(Enum):
    """A target language of the export; the value is what users type."""

    PYTHON = "python"
    C = "c"
    MATLAB = "matlab"
    LATEX = "latex"


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """How one language writes an expression.

    Args:
        language: which one.
        extension: of its files, with the dot.
        comment: what starts a comment line.
        reserved: words that a variable or function may not be called.
        calls: pattern of each function, with {0} for its operand.
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
namespace operator sin cos tan sqrt fabs pow exp log printf NULL EOF j0 j1 jn y0 y1 yn signgam"""
_MATLAB_WORDS = """break case catch classdef continue else elseif end for function global if
otherwise parfor persistent return spmd switch try while endfunction endif endfor endswitch
endwhile do until unwind_protect end_try_catch sin cos sqrt sign max abs all zeros ones permute
ndims error fprintf nargin nargout varargin varargout numel isempty true false i j pi e eps Inf NaN
inf nan ans"""

_PYTHON_NAMES = "math abs max isinstance len list print zip tuple ArithmeticError SELF_TEST"

_SIN_COS_SQRT = {
    Operation.SIN: "sin({0})",
    Operation.COS: "cos({0})",
    Operation.SQRT: "sqrt({0})",
}

PYTHON = Dialect(
    language=Language.PYTHON,
    extension=".py",
    comment="#",
    reserved=frozenset(
        [*keyword.kwlist, *keyword.softkwlist, *_OWN.split(), *_PYTHON_NAMES.split()]
    ),
    # NaN falls through both comparisons and stays NaN.
    calls={op: "math." + text for op, text in _SIN_COS_SQRT.items()}
    | {Operation.SIGN: "(1.0 if {0} > 0.0 else -1.0 if {0} < 0.0 else {0})"},
)
C = Dialect(
    language=Language.C,
    extension=".c",
    comment="//",
    reserved=frozenset([*_C_WORDS.split(), *_OWN.split()]),
    calls=_SIN_COS_SQRT | {Operation.SIGN: "({0} > 0.0 ? 1.0 : {0} < 0.0 ? -1.0 : {0})"},
)
MATLAB = Dialect(
    language=Language.MATLAB,
    extension=".m",
    comment="%",
    reserved=frozenset([*_MATLAB_WORDS.split(), *_OWN.split()]),
    calls=_SIN_COS_SQRT | {Operation.SIGN: "sign({0})"},
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
    },
    times=r" \, ",
    number=_latex_number,
    name=_latex_name,
)

DIALECTS = {dialect.language: dialect for dialect in (PYTHON, C, MATLAB, LATEX)}
