"""Condensed Lagrange equations of a chain as sums to read, print and evaluate.

Σ_j (A_ij·qdd_j + Σ_{k>j} B_ijk·qd_j·qd_k + C_ij·qd_j²) = Q_i + F_i

Source: [LIEGEOIS80] eq. (3-1)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from robots.core.arrays import Array
from robots.core.errors import EquationError, StateError
from robots.core.joint_samples import joint_samples
from robots.core.language import Description, internal_tables, parse
from robots.core.language.conversion import AXES, joint_axes
from robots.core.mechanism import Mechanism
from robots.core.model import Lagrange, Model
from robots.core.recording import OperationCounts
from robots.core.symbols.condensed.augmented import Constant, ConstantTable, augmented_bodies
from robots.core.symbols.condensed.chain import SymbolicChain, from_description, from_mechanism
from robots.core.symbols.condensed.coefficients import (
    FrameChanges,
    InertiaCoefficients,
    centrifugal,
    coriolis,
    gravity_torques,
)
from robots.core.symbols.condensed.terms import (
    Factor,
    GravityTorque,
    LatexReading,
    Reading,
    Slide,
    Sum,
    Symbol,
    TextReading,
    Trig,
    symbol_latex,
)

Row = tuple[Sum, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CondensedEquations:
    """Coefficients of the equations of motion; indices count from zero.

    Args:
        chain: what they were made of.
        constants: V, W, J and other named constants, in order of definition.
        A: inertia coefficients, symmetric. # (n, n)
        B: Coriolis coefficients, filled for j < k. # (n, n, n)
        C: centrifugal coefficients. # (n, n)
        Q: gravity torques, on the right-hand side. # (n,)
    """

    chain: SymbolicChain
    constants: tuple[Constant, ...]
    A: tuple[Row, ...]
    B: tuple[tuple[Row, ...], ...]
    C: tuple[Row, ...]
    Q: Row

    @property
    def dof(self) -> int:
        """Number of joint variables n."""
        return self.chain.dof

    @property
    def operation_count(self) -> OperationCounts:
        """Arithmetic of A (upper half), B, C and Q as printed, from constants and q.

        Each sine and cosine is counted once, however often it occurs.
        """
        reading = CountReading()
        parts = [reading.read(body) for body in self.sums()]
        return combined(*parts, trig_counts(reading.trigs))

    def sums(self) -> Iterator[Sum]:
        """Every different coefficient once: Q, the upper half of A, B, C."""
        n = self.dof
        yield from self.Q
        yield from (self.A[i][j] for i in range(n) for j in range(i, n))
        yield from (self.B[i][j][k] for i in range(n) for j in range(n) for k in range(j + 1, n))
        yield from (self.C[i][j] for i in range(n) for j in range(n))

    def as_text(self) -> str:
        """The report's printed form, each coefficient on a line that Python can read."""
        return text_page(self)

    def as_latex(self) -> str:
        """The same as a LaTeX fragment, for ``amsmath``."""
        return latex_page(self)

    def constant_values(self, values: Mapping[str, float] | None = None) -> dict[str, float]:
        """All symbols and constants as numbers.

        Args:
            values: of symbols the chain has no value for. [SI]

        Raises:
            EquationError: a symbol without a value.
        """
        return constant_values(self.constants, self.chain, values or {})

    def evaluate(self, q: object, values: Mapping[str, float] | None = None) -> Lagrange:
        """Numbers at postures, in the model core's convention.

        Args:
            q: joint variables. # (..., n) [rad or m]
            values: of symbols the chain has no value for. [SI]

        Returns:
            A, B, C and ``gravity`` = -Q, as ``Model.lagrange`` gives them.

        Raises:
            StateError: q of another length.
            EquationError: a symbol without a value.
        """
        state = np.asarray(q, dtype=np.float64)
        if state.ndim == 0 or state.shape[-1] != self.dof:
            raise StateError(
                f"q has shape {state.shape}; the last axis holds {self.dof} joint variables.",
                shape=state.shape,
                expected=self.dof,
            )
        reading = NumberReading(self.constant_values(values), state)
        for index in reversed(range(self.dof)):
            reading.torques[index + 1] = reading.read(self.Q[index])
        gravity = [reading.torques[index + 1] for index in range(self.dof)]
        return Lagrange(
            A=_stacked([_stacked([reading.read(body) for body in row]) for row in self.A], 2),
            B=_stacked(
                [
                    _stacked([_stacked([reading.read(body) for body in row]) for row in layer], 2)
                    for layer in self.B
                ],
                3,
            ),
            C=_stacked([_stacked([reading.read(body) for body in row]) for row in self.C], 2),
            gravity=-_stacked(gravity),
        )


def condensed_equations(robot: SymbolicChain | Mechanism) -> CondensedEquations:
    """The condensed Lagrange equations of a symbolic chain or of a mechanism with numbers.

    Args:
        robot: any tree of revolute and prismatic joints.

    Raises:
        EquationError: slanted axes made the expressions too long to be of use.
        MassesUnknownError: a mechanism whose masses are not known.

    Source: [LIEGEOIS80] §3, §4
    """
    if isinstance(robot, Mechanism):
        robot.require_masses("the equations of motion")
    chain = from_mechanism(robot) if isinstance(robot, Mechanism) else robot
    frames, bodies = FrameChanges(chain=chain), augmented_bodies(chain)
    A = InertiaCoefficients(frames=frames, bodies=bodies).matrix()
    return CondensedEquations(
        chain=chain,
        constants=tuple(bodies.constants),
        A=tuple(tuple(row) for row in A),
        B=tuple(tuple(tuple(row) for row in layer) for layer in coriolis(A)),
        C=tuple(tuple(row) for row in centrifugal(A)),
        Q=tuple(gravity_torques(frames, bodies)),
    )


def _stacked(parts: list[Array], depth: int = 1) -> Array:
    """Parts along a new axis before the ``depth - 1`` last ones."""
    return np.stack(parts, axis=-depth)


# ----------------------------------------------------------------------------------- Printed pages
# Source: [LIEGEOIS80] §4.3-4.5, its printed tables, in English

_CONVENTION = "sum_j (Aij*qdd_j + sum_(k>j) Bijk*qd_j*qd_k + Cij*qd_j**2) = Q(i) + F(i)"
_LATEX_CONVENTION = (
    r"\sum_j \Bigl( A_{ij} \ddot q_j + \sum_{k>j} B_{ijk} \dot q_j \dot q_k"
    r" + C_{ij} \dot q_j^2 \Bigr) = Q_i + F_i"
)
TERMS_PER_LINE = 6


def text_page(equations: CondensedEquations) -> str:
    """Tables of constants, then Q, A, and those B and C that are not zero."""
    lines = [f"CONDENSED LAGRANGE EQUATIONS OF {equations.chain.name}", "", _CONVENTION]
    for table in ConstantTable:
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
    head: str, found: Iterator[tuple[tuple[int, ...], Sum]], dof: int, read: Callable[[Sum], str]
) -> list[str]:
    lines = [f"{label(head, indices, dof)}={read(body)}" for indices, body in found if body]
    return [*lines, "(all others are 0)" if lines else "(all are 0)"]


def _headed(title: str) -> list[str]:
    return [title, "*" * len(title)]


# -------------------------------------------------------------------- Numbers and operation counts


class NumberReading(Reading[Array]):
    """Values at postures.

    Args:
        constants: every symbol's value, by name.
        q: joint variables. # (..., n) [rad or m]
    """

    def __init__(self, constants: Mapping[str, float], q: Array) -> None:
        self._constants = constants
        self._q = q
        self._known: dict[Trig, Array] = {}
        self.torques: dict[int, Array] = {}

    def symbol(self, factor: Symbol) -> Array:
        """The constant's value."""
        return np.asarray(self._constants[factor.name])

    def slide(self, factor: Slide) -> Array:
        """The joint's variable."""
        return np.asarray(self._q[..., factor.joint - 1])

    def torque(self, factor: GravityTorque) -> Array:
        """The torque entered before, tip to base."""
        return self.torques[factor.joint]

    def trig(self, factor: Trig) -> Array:
        """Sine or cosine of the summed angles."""
        if factor not in self._known:
            angle = sum(sign * self._q[..., joint - 1] for joint, sign in factor.angle)
            self._known[factor] = np.cos(angle) if factor.cosine else np.sin(angle)
        return self._known[factor]

    def product(self, coefficient: float, factors: Sequence[tuple[Factor, Array]]) -> Array:
        """The product."""
        value = np.asarray(coefficient)
        for _, factor in factors:
            value = value * factor
        return value

    def total(self, terms: Sequence[Array]) -> Array:
        """The sum, of the postures' batch shape."""
        value = np.zeros(self._q.shape[:-1])
        for term in terms:
            value = value + term
        return value


class CountReading(Reading[OperationCounts]):
    """Arithmetic of a sum as printed; each different sine or cosine is counted by its owner."""

    def __init__(self) -> None:
        self.trigs: set[Trig] = set()

    def symbol(self, factor: Symbol) -> OperationCounts:  # noqa: ARG002
        """Nothing."""
        return counts()

    def slide(self, factor: Slide) -> OperationCounts:  # noqa: ARG002
        """Nothing."""
        return counts()

    def torque(self, factor: GravityTorque) -> OperationCounts:  # noqa: ARG002
        """Nothing: it is counted where it is defined."""
        return counts()

    def trig(self, factor: Trig) -> OperationCounts:
        """Nothing here: noted in ``trigs``, where equal ones meet."""
        self.trigs.add(factor)
        return counts()

    def product(
        self, coefficient: float, factors: Sequence[tuple[Factor, OperationCounts]]
    ) -> OperationCounts:
        """One multiplication fewer than there are factors, a number other than ±1 included."""
        values = len(factors) + (abs(coefficient) != 1.0)
        return combined(counts(multiplications=max(values - 1, 0)), *(f for _, f in factors))

    def total(self, terms: Sequence[OperationCounts]) -> OperationCounts:
        """One addition fewer than there are terms."""
        return combined(counts(additions=max(len(terms) - 1, 0)), *terms)


def counts(
    *, multiplications: int = 0, additions: int = 0, sines_cosines: int = 0
) -> OperationCounts:
    """Counts without divisions."""
    return OperationCounts(
        multiplications=multiplications,
        additions=additions,
        divisions=0,
        sines_cosines=sines_cosines,
        others=0,
    )


def combined(*parts: OperationCounts) -> OperationCounts:
    """Counts of everything together."""
    return counts(
        multiplications=sum(part.multiplications for part in parts),
        additions=sum(part.additions for part in parts),
        sines_cosines=sum(part.sines_cosines for part in parts),
    )


def trig_counts(trigs: set[Trig]) -> OperationCounts:
    """Sines and cosines, and the additions inside their angles, each angle added up once."""
    angles = {trig.angle for trig in trigs}
    return counts(sines_cosines=len(trigs), additions=sum(len(angle) - 1 for angle in angles))


def constant_values(
    constants: Sequence[Constant], chain: SymbolicChain, given: Mapping[str, float]
) -> dict[str, float]:
    """Values of all constants, in the order of their definitions.

    Args:
        constants: of the equations.
        chain: whose symbols they stand on; its own values come first.
        given: further values, which win.

    Raises:
        EquationError: symbols without a value; the message lists them.
    """
    values = {**chain.values, **given}
    missing = sorted(chain.symbols() - set(values))
    if missing:
        raise EquationError(
            f"Robot {chain.name!r}: no value is known for {', '.join(missing)}; "
            "give one for each in ``values``.",
            missing=tuple(missing),
        )
    wrong = sorted(name for name in chain.symbols() if not np.isfinite(values[name]))
    if wrong:
        raise EquationError(
            f"Robot {chain.name!r}: the values of {', '.join(wrong)} are not finite numbers.",
            wrong=tuple(wrong),
        )
    for constant in constants:
        reading = NumberReading(values, np.zeros(0))
        values[constant.name] = float(reading.read(constant.definition))
    return values


_POSTURES = 8
_TOLERANCE = 1e-9  # relative: both methods compute the same numbers


def described_equations(mechanism: Mechanism, file: Mapping[str, Any]) -> CondensedEquations | None:
    """Equations in the symbols of a robot file's description; None where they do not describe it.

    Args:
        mechanism: the robot.
        file: document of its TOML file; empty where it was read from another format.
    """
    mechanism.require_masses("the equations of motion")
    phrase = file.get("description") or file.get("robot", {}).get("description")
    along = np.flatnonzero(mechanism.gravity)
    if not phrase or along.size != 1:
        return None
    description = parse(phrase)
    if any(joint.motor_inertia for joint in mechanism.movable):
        return None
    values = _values(file, description, mechanism)
    values["G"] = float(mechanism.gravity[along[0]])
    chain = from_description(
        description, name=mechanism.name, gravity=AXES[int(along[0])], values=values
    )
    equations = condensed_equations(chain)
    return equations if _describes(equations, mechanism) else None


def _values(
    file: Mapping[str, Any], description: Description, mechanism: Mechanism
) -> dict[str, float]:
    """Values of lengths, angles and mass symbols. [SI]."""
    values = {name: float(x) / 1000.0 for name, x in file.get("lengths_mm", {}).items()}
    values |= {name: float(np.radians(x)) for name, x in file.get("angles_deg", {}).items()}
    tables = internal_tables(description)
    rows = zip(tables.freedoms, tables.bodies, mechanism.movable, strict=True)
    for freedom, symbols, joint in rows:
        C = joint_axes(freedom.axis)
        tensor = C @ joint.body.inertia_at_com @ C.T
        values[symbols.mass] = joint.body.mass
        values |= dict(zip(symbols.com, (C @ joint.body.com).tolist(), strict=True))
        values |= dict(zip(symbols.inertia, np.diagonal(tensor).tolist(), strict=True))
    values.pop("0", None)
    return values


def _describes(equations: CondensedEquations, mechanism: Mechanism) -> bool:
    """Return whether the symbols with their values give the robot's own coefficients."""
    q = joint_samples(mechanism, _POSTURES, slide=1.0)
    found, right = equations.evaluate(q), Model(mechanism, engine="numpy").lagrange(q)
    pairs = ((found.A, right.A), (found.B, right.B), (found.C, right.C))
    return all(_close(a, b) for a, b in (*pairs, (found.gravity, right.gravity)))


def _close(found: Any, right: Any) -> bool:
    size = float(np.abs(right).max(initial=0.0))
    return bool(np.allclose(found, right, rtol=0.0, atol=_TOLERANCE * (1.0 + size)))
