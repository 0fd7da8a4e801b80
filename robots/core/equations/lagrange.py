"""Lagrange coefficients A, B, C, Q in closed form, by the trace formulas of Uicker.

In base axes each joint is a constant-rate motion field S (a 3 x 4 matrix: rotation part and
translation part), and each subtree has a 4 x 4 pseudo-inertia N. All coefficients are traces of
products of these, with no differentiation; it shares nothing with the Newton-Euler recursion or the
composite bodies, which is why it validates them.

τ = A·qdd + Σ_{j<k} B_ijk·qd_j·qd_k + Σ_j C_ij·qd_j² + Q

Source: [LIEGEOIS80] §2.3 eqs. (2-9)-(2-12). Coriolis pairs are counted once with the factor 2
(erratum on 2-11/2-13); Q is written on the torque's side.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from robots.core.equations.algebra import Scalar, Sym3, Vec3, add, cross, dot, scale, sym_rotate
from robots.core.mechanism import JointKind

if TYPE_CHECKING:
    from robots.core.equations.kinematics import Frame
    from robots.core.equations.tree import Inertia, Tree

Row4 = tuple[Scalar, Scalar, Scalar, Scalar]
Field = tuple[Row4, Row4, Row4]


@dataclass(frozen=True, slots=True, kw_only=True)
class LagrangeCoefficients:
    """Coefficients at one posture; B is filled for j < k only, by joint order in the tree."""

    A: list[list[Scalar]]  # (n, n)
    B: list[list[list[Scalar]]]  # (n, n, n)
    C: list[list[Scalar]]  # (n, n)
    Q: list[Scalar]  # (n,)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pseudo:
    """Pseudo-inertia about the base origin: ∫xxᵀdm, ∫x dm, ∫dm."""

    second: Sym3
    first: Vec3
    mass: Scalar

    @property
    def rows(self) -> tuple[Row4, Row4, Row4, Row4]:
        s, h = self.second, self.first
        return (
            (s.xx, s.xy, s.xz, h[0]),
            (s.xy, s.yy, s.yz, h[1]),
            (s.xz, s.yz, s.zz, h[2]),
            (h[0], h[1], h[2], self.mass),
        )


def lagrange(tree: Tree, placed: Sequence[Frame]) -> LagrangeCoefficients:
    """All coefficients from the links' base poses."""
    n = tree.dof
    A = [[0.0] * n for _ in range(n)]
    B = [[[0.0] * n for _ in range(n)] for _ in range(n)]
    C = [[0.0] * n for _ in range(n)]
    Q: list[Scalar] = [0.0] * n
    subtree = _subtrees(tree, placed)
    fields = {i: _field(tree, placed, i) for i in tree.moving}
    for last in tree.moving:
        path = tree.moving_path(last)
        second: dict[tuple[int, int], Field] = {}
        for place, k in enumerate(path):
            # Every triple on a path is met once: with its farthest joint as ``last``.
            for i in path[: place + 1]:
                _fill(tree, subtree[last], (fields, second), (i, k, last), (A, B, C))
        own = tree.links[last]
        A[own.variable][own.variable] = A[own.variable][own.variable] + own.motor_inertia
        weight = _times(fields[last], subtree[last])
        Q[own.variable] = -dot(tree.gravity, (weight[0][3], weight[1][3], weight[2][3]))
    return LagrangeCoefficients(A=A, B=B, C=C, Q=Q)


def _fill(
    tree: Tree,
    body: _Pseudo,
    known: tuple[dict[int, Field], dict[tuple[int, int], Field]],
    triple: tuple[int, int, int],
    coefficients: tuple[list[list[Scalar]], list[list[list[Scalar]]], list[list[Scalar]]],
) -> None:
    """Write the coefficients of joints i ≤ k ≤ last whose common outer body is ``body``.

    ``known`` holds the fields of the joints, and those of pairs times the body as far as they have
    been worked out: joints share them.
    """
    fields, second_times = known
    A, B, C = coefficients
    i, k, last = triple
    if k == last:
        a, c = tree.links[i].variable, tree.links[last].variable
        A[a][c] = A[c][a] = _trace(_times(fields[i], body), fields[last])
    ordered = {(i, k, last), (k, i, last), (last, i, k)}
    for row, first, second in ordered:
        # i and k are in path order, so the field of the joint nearer the base acts last.
        if (first, second) not in second_times:
            field = _composed(fields[first], fields[second])
            second_times[first, second] = _times(field, body)
        value = _trace(second_times[first, second], fields[row])
        r, f, s = (tree.links[x].variable for x in (row, first, second))
        if first == second:
            C[r][f] = value
        else:
            B[r][min(f, s)][max(f, s)] = value + value


def _field(tree: Tree, placed: Sequence[Frame], index: int) -> Field:
    """Velocity of the point x per unit joint speed, as (rotation | translation) rows."""
    z = placed[index].z
    if tree.links[index].kind is JointKind.PRISMATIC:
        return ((0.0, 0.0, 0.0, z[0]), (0.0, 0.0, 0.0, z[1]), (0.0, 0.0, 0.0, z[2]))
    t = cross(placed[index].origin, z)
    return ((0.0, -z[2], z[1], t[0]), (z[2], 0.0, -z[0], t[1]), (-z[1], z[0], 0.0, t[2]))


def _composed(outer: Field, inner: Field) -> Field:
    """Second derivative field: the outer rotation of the inner field."""
    rows = []
    for row in outer:
        x, y, z = (_scale4(row[m], inner[m]) for m in range(3))
        rows.append(tuple(p + q + r for p, q, r in zip(x, y, z, strict=True)))
    return (rows[0], rows[1], rows[2])


def _scale4(k: Scalar, row: Row4) -> Row4:
    """Row of four times k."""
    return (k * row[0], k * row[1], k * row[2], k * row[3])


def _times(field: Field, body: _Pseudo) -> Field:
    """S·N."""
    columns = body.rows  # symmetric: rows are columns
    rows = [tuple(_dot4(row, column) for column in columns) for row in field]
    return (rows[0], rows[1], rows[2])


def _dot4(a: Row4, b: Row4) -> Scalar:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]


def _trace(left: Field, right: Field) -> Scalar:
    """Trace of left·rightᵀ."""
    return _dot4(left[0], right[0]) + _dot4(left[1], right[1]) + _dot4(left[2], right[2])


def _subtrees(tree: Tree, placed: Sequence[Frame]) -> list[_Pseudo]:
    """Pseudo-inertia of every link with all links that it carries."""
    bodies = [_pseudo(link.inertia, frame) for link, frame in zip(tree.links, placed, strict=True)]
    for index in range(len(bodies) - 1, -1, -1):
        parent = tree.links[index].parent
        if parent >= 0:
            bodies[parent] = _Pseudo(
                second=Sym3(
                    *(
                        a + b
                        for a, b in zip(bodies[parent].second, bodies[index].second, strict=True)
                    )
                ),
                first=add(bodies[parent].first, bodies[index].first),
                mass=bodies[parent].mass + bodies[index].mass,
            )
    return bodies


def _pseudo(body: Inertia, frame: Frame) -> _Pseudo:
    """Second moments from the tensor (eq. 2-6), rotated and moved to the base origin."""
    t = body.tensor
    half = (t.xx + t.yy + t.zz) * 0.5
    local = Sym3(half - t.xx, -t.xy, -t.xz, half - t.yy, -t.yz, half - t.zz)
    turned = sym_rotate(frame.rotation, local)
    zero = body.moment
    h = (dot(frame.rotation[0], zero), dot(frame.rotation[1], zero), dot(frame.rotation[2], zero))
    o, mass = frame.origin, body.mass
    k = add(h, scale(mass, o))

    def entry(value: Scalar, i: int, j: int) -> Scalar:
        return value + o[i] * h[j] + k[i] * o[j]

    return _Pseudo(
        second=Sym3(
            entry(turned.xx, 0, 0),
            entry(turned.xy, 0, 1),
            entry(turned.xz, 0, 2),
            entry(turned.yy, 1, 1),
            entry(turned.yz, 1, 2),
            entry(turned.zz, 2, 2),
        ),
        first=k,
        mass=mass,
    )
