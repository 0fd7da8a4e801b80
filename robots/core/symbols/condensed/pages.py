"""Pages: the tables of constants and all coefficients, as text or LaTeX.

Source: [LIEGEOIS80] §4.3-4.5, its printed tables, in English
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from robots.core.symbols.condensed.augmented import Constant, Table
from robots.core.symbols.condensed.latex import LatexReading, symbol_latex
from robots.core.symbols.condensed.terms import Sum
from robots.core.symbols.condensed.text import TextReading

if TYPE_CHECKING:
    from robots.core.symbols.condensed.equations import CondensedEquations

_CONVENTION = "sum_j (Aij*qdd_j + sum_(k>j) Bijk*qd_j*qd_k + Cij*qd_j**2) = Q(i) + F(i)"
_LATEX_CONVENTION = (
    r"\sum_j \Bigl( A_{ij} \ddot q_j + \sum_{k>j} B_{ijk} \dot q_j \dot q_k"
    r" + C_{ij} \dot q_j^2 \Bigr) = Q_i + F_i"
)
TERMS_PER_LINE = 6


def text_page(equations: CondensedEquations) -> str:
    """Tables of constants, then Q, A, and those B and C that are not zero."""
    lines = [f"CONDENSED LAGRANGE EQUATIONS OF {equations.chain.name}", "", _CONVENTION]
    for table in Table:
        rows = [constant for constant in equations.constants if constant.table is table]
        if rows:
            lines += ["", *_headed(table.value)]
            lines += [constant_line(constant, equations.dof) for constant in rows]
    lines += ["", *_headed("TORQUES EXERTED BY GRAVITY"), *gravity_lines(equations)]
    lines += ["", *_headed("INERTIA COEFFICIENTS AIJ"), *inertia_lines(equations)]
    lines += ["", *_headed("CORIOLIS COEFFICIENTS BIJK"), *coriolis_lines(equations)]
    lines += ["", *_headed("CENTRIFUGAL COEFFICIENTS CIJ"), *centrifugal_lines(equations)]
    return "\n".join(lines) + "\n"


def constant_line(constant: Constant, dof: int) -> str:
    """``BODY 1: VY1 = D1*M1+L1*(+M2+M3+M6)``."""
    where = f"BODY {constant.body}: " if constant.body else ""
    return f"{where}{constant.name} = {TextReading(dof).read(constant.definition)}"


def gravity_lines(equations: CondensedEquations) -> list[str]:
    """``Q(3) = +G*(-C23*VZ3)+Q(4)``, tip first as they are calculated."""
    reading = TextReading(equations.dof)
    n = equations.dof
    return [f"Q({i + 1}) = {reading.read(equations.Q[i])}" for i in reversed(range(n))]


def inertia_lines(equations: CondensedEquations) -> list[str]:
    """``A23=+VZ3*L2*(-S3)+…``, the upper half, zeros included."""
    reading, n = TextReading(equations.dof), equations.dof
    return [
        f"{label('A', (i, j), n)}={reading.read(equations.A[i][j])}"
        for i in range(n)
        for j in range(i, n)
    ]


def coriolis_lines(equations: CondensedEquations) -> list[str]:
    """``B123=…`` for j < k; those that are zero are left out."""
    reading = TextReading(equations.dof)
    return _lines("B", _coriolis(equations), equations.dof, reading.read)


def centrifugal_lines(equations: CondensedEquations) -> list[str]:
    """``C12=…``; those that are zero are left out."""
    reading = TextReading(equations.dof)
    return _lines("C", _centrifugal(equations), equations.dof, reading.read)


def label(head: str, indices: Sequence[int], dof: int) -> str:
    """``A12``; ``A1_12`` from ten joints on."""
    return head + ("_" if dof > 9 else "").join(str(index + 1) for index in indices)


def latex_page(equations: CondensedEquations) -> str:
    """The same as ``align*`` blocks."""
    n = equations.dof
    blocks = [_latex_constants(equations)] if equations.constants else []
    blocks.append([(f"Q_{{{i + 1}}}", equations.Q[i]) for i in reversed(range(n))])
    upper = [((i, j), equations.A[i][j]) for i in range(n) for j in range(i, n)]
    blocks.append([(_index("A", indices, n), body) for indices, body in upper])
    for head, found in (("B", _coriolis(equations)), ("C", _centrifugal(equations))):
        blocks.append([(_index(head, indices, n), body) for indices, body in found if body])
    made = [_align(block, n) for block in blocks if block]
    return "\n".join((f"\\[\n{_LATEX_CONVENTION}\n\\]", *made)) + "\n"


def _latex_constants(equations: CondensedEquations) -> list[tuple[str, Sum]]:
    return [(symbol_latex(constant.name), constant.definition) for constant in equations.constants]


def _align(block: Sequence[tuple[str, Sum]], dof: int) -> str:
    reading = LatexReading(dof)
    rows = []
    for name, body in block:
        pieces = [
            Sum(terms=body.terms[start : start + TERMS_PER_LINE])
            for start in range(0, max(len(body.terms), 1), TERMS_PER_LINE)
        ]
        lines = [reading.read(piece) for piece in pieces]
        lines[1:] = [line if line.startswith("-") else f"+ {line}" for line in lines[1:]]
        rows.append(f"{name} &= " + " \\\\\n&\\quad ".join(lines))
    return "\\begin{align*}\n" + " \\\\\n".join(rows) + "\n\\end{align*}"


def _index(head: str, indices: Sequence[int], dof: int) -> str:
    return f"{head}_{{{(',' if dof > 9 else '').join(str(index + 1) for index in indices)}}}"


def _coriolis(equations: CondensedEquations) -> Iterator[tuple[tuple[int, ...], Sum]]:
    n = equations.dof
    for i in range(n):
        for j in range(n):
            yield from (((i, j, k), equations.B[i][j][k]) for k in range(j + 1, n))


def _centrifugal(equations: CondensedEquations) -> Iterator[tuple[tuple[int, ...], Sum]]:
    n = equations.dof
    yield from (((i, j), equations.C[i][j]) for i in range(n) for j in range(n))


def _lines(
    head: str,
    found: Iterator[tuple[tuple[int, ...], Sum]],
    dof: int,
    read: Callable[[Sum], str],
) -> list[str]:
    lines = [f"{label(head, indices, dof)}={read(body)}" for indices, body in found if body]
    return [*lines, "(all others are 0)" if lines else "(all are 0)"]


def _headed(title: str) -> list[str]:
    return [title, "*" * len(title)]
