"""CondensedEquations: the Lagrange equations of a chain as sums to read, print and evaluate.

Σ_j (A_ij·qdd_j + Σ_{k>j} B_ijk·qd_j·qd_k + C_ij·qd_j²) = Q_i + F_i

Source: [LIEGEOIS80] eq. (3-1)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from robots.core.arrays import Array
from robots.core.errors import StateError
from robots.core.mechanism import Mechanism
from robots.core.model import Lagrange
from robots.core.recording.programme import OperationCounts
from robots.core.symbols.condensed.augmented import Constant, augmented_bodies
from robots.core.symbols.condensed.chain import SymbolicChain
from robots.core.symbols.condensed.frames import Frames
from robots.core.symbols.condensed.gravity import gravity_torques
from robots.core.symbols.condensed.inertia_coefficients import InertiaCoefficients
from robots.core.symbols.condensed.mechanism_chain import from_mechanism
from robots.core.symbols.condensed.numeric import (
    CountReading,
    NumberReading,
    combined,
    constant_values,
    trig_counts,
)
from robots.core.symbols.condensed.pages import latex_page, text_page
from robots.core.symbols.condensed.speed_coefficients import centrifugal, coriolis
from robots.core.symbols.condensed.terms import Sum

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

    Source: [LIEGEOIS80] §3, §4
    """
    chain = from_mechanism(robot) if isinstance(robot, Mechanism) else robot
    frames, bodies = Frames(chain=chain), augmented_bodies(chain)
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
