"""Joint accelerations of given torques: A(q)·qdd = τ - bias, solved by LDLᵀ over scalars.

With few degrees of freedom the composite-body matrix and one symmetric elimination cost less than
the articulated-body recursion, and zeros of a branched tree fold away by themselves.
"""

from __future__ import annotations

from collections.abc import Sequence

from robots.core.equations.algebra import Scalar
from robots.core.equations.functions import Functions
from robots.core.equations.mass_matrix import mass_matrix
from robots.core.equations.newton_euler import newton_euler
from robots.core.equations.tree import Tree


def forward_dynamics(
    tree: Tree,
    state: tuple[Sequence[Scalar], Sequence[Scalar], Sequence[Scalar]],
    fn: Functions,
) -> list[Scalar]:
    """Accelerations qdd for ``state`` = (q, qd, tau), each (n,). # (n,) [rad/s² or m/s²]."""
    q, qd, tau = state
    A = mass_matrix(tree, q, fn)
    bias = newton_euler(tree, (q, qd, [0.0] * tree.dof), fn)
    return solve_symmetric(A, [t - b for t, b in zip(tau, bias, strict=True)])


def solve_symmetric(A: Sequence[Sequence[Scalar]], b: Sequence[Scalar]) -> list[Scalar]:
    """Solution of A·x = b for a symmetric positive definite A, by LDLᵀ from the last row up.

    Starting at the tip keeps the zeros of a tree: joints on different branches never fill in.
    """
    n = len(b)
    work = [list(row[: i + 1]) for i, row in enumerate(A)]
    factors: list[list[Scalar]] = [[] for _ in range(n)]
    inverse: list[Scalar] = [0.0] * n
    x = list(b)
    for k in range(n - 1, -1, -1):
        inverse[k] = 1.0 / work[k][k]
        factors[k] = [work[k][i] * inverse[k] for i in range(k)]
        for i in range(k):
            for j in range(i + 1):
                work[i][j] = work[i][j] - factors[k][i] * work[k][j]
            x[i] = x[i] - factors[k][i] * x[k]
    for k in range(n):
        x[k] = x[k] * inverse[k]
        for i in range(k):
            x[k] = x[k] - factors[k][i] * x[i]
    return x
