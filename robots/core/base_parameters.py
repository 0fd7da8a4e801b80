"""Base inertial parameters: the fewest numbers that determine the torques, and how they are made.

The closed-form rules (``equations.grouping``) run on unit vectors instead of numbers, so each
grouped parameter comes out as an exact combination of the bodies' own. What the rules leave
dependent, near the base and behind prismatic joints, is found by a rank-revealing orthogonalisation
of the regressor at random states and grouped towards the base as well.

Source: the rules of W. Khalil and E. Dombre; the numerical completion of M. Gautier (QR).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from robots.core.arrays import Array, frozen
from robots.core.equations.dynamics import PARAMETERS, inertia_of, parameters_of
from robots.core.equations.tree import grouped, tree_of
from robots.core.errors import EquationError
from robots.core.mechanism import Mechanism
from robots.core.model import Model

_NOISE = 1e-14  # coefficients of rotations that should be zero, e.g. cos(π/2)
_ROUNDING = 1e-10  # coefficients of unit columns that come from rounding
_DEPENDENT = 1e-11  # part of a unit column outside the span of the columns before it
_CLEAR_GAP = 1e6  # between the last singular value that counts and the first that does not


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BaseParameters:
    """The independent parameters of a mechanism: τ = Y[:, columns]·values.

    Y is the regressor over ``names``: ten parameters per link, then motor inertias if asked for.
    Links are numbered from 1 in the order of the joints; R marks a parameter that is grouped.

    Args:
        names: all parameters φ.
        columns: place in ``names`` of each base parameter's representative.
        matrix: base parameters = matrix·φ. # (count, len(names))
        formulas: "XXR2 = XX2 - YY2 + …", one per base parameter.
        no_effect: parameters that no torque depends on.
        values: base parameters of the mechanism's own bodies. # (count,)
        singular_values: of the regressor with unit columns, largest first.
    """

    names: tuple[str, ...]
    columns: tuple[int, ...]
    matrix: Array
    formulas: tuple[str, ...]
    no_effect: tuple[str, ...]
    values: Array
    singular_values: Array

    @property
    def count(self) -> int:
        """How many base parameters there are."""
        return len(self.columns)

    @property
    def only_grouped(self) -> tuple[str, ...]:
        """Parameters that act, but only as part of a group that is named after another."""
        return tuple(
            name
            for place, name in enumerate(self.names)
            if place not in self.columns and name not in self.no_effect
        )

    @property
    def gap(self) -> float:
        """Ratio of the smallest singular value that counts to the largest that does not."""
        below = self.singular_values[self.count :]
        if self.count == 0 or not np.any(below):
            return float("inf")
        return float(self.singular_values[self.count - 1] / below[0])


def base_parameters(mechanism: Mechanism, *, motors: bool = False) -> BaseParameters:
    """Base inertial parameters of a mechanism, with their formulas.

    Args:
        mechanism: its geometry and gravity decide; its masses only give ``values``.
        motors: whether the drives' inertias IA are parameters too.

    Raises:
        EquationError: the geometry is so close to a special one that the rank is not clear.
    """
    rules = _closed_form(mechanism, motors)
    regressor = _stacked_regressor(mechanism, motors)
    norms = np.linalg.norm(regressor, axis=0)
    acting = norms > _DEPENDENT * norms.max(initial=0.0)
    candidates = [int(k) for k in np.flatnonzero(rules.any(axis=1) & acting)]
    unit = regressor[:, candidates] / norms[candidates]
    kept, dropped = _independent(unit)
    matrix = rules[[candidates[k] for k in kept]]
    for place in dropped:
        relation = _relation(unit, kept, place) * norms[candidates[place]]
        relation = _short(relation / norms[[candidates[k] for k in kept]])
        matrix = matrix + np.outer(relation, rules[candidates[place]])
    matrix[np.abs(matrix) < _NOISE] = 0.0
    matrix = frozen(matrix)
    return _named(mechanism, motors, (matrix, [candidates[k] for k in kept]), regressor)


def _named(
    mechanism: Mechanism, motors: bool, found: tuple[Array, list[int]], regressor: Array
) -> BaseParameters:
    """The result with names, formulas and the evidence for its rank."""
    matrix, columns = found
    names = _names(mechanism, motors)
    norms = np.linalg.norm(regressor, axis=0)
    acting = norms > _DEPENDENT * norms.max(initial=0.0)
    singular = frozen(np.linalg.svd(regressor[:, acting] / norms[acting], compute_uv=False))
    values = frozen(matrix @ _parameters(mechanism, motors))
    result = BaseParameters(
        names=names,
        columns=tuple(columns),
        matrix=matrix,
        formulas=tuple(_formula(row, k, names) for row, k in zip(matrix, columns, strict=True)),
        no_effect=tuple(name for name, acts in zip(names, acting, strict=True) if not acts),
        values=values,
        singular_values=singular,
    )
    if result.gap < _CLEAR_GAP:
        raise EquationError(
            f"Mechanism {mechanism.name!r}: the number of base parameters is not clear: singular "
            f"values drop by {result.gap:.3g} only after {result.count}. Some axes or offsets are "
            "almost, but not quite, parallel or zero; make them exact or clearly different.",
            gap=result.gap,
            count=result.count,
        )
    return result


def _closed_form(mechanism: Mechanism, motors: bool) -> Array:
    """Grouped parameters from the bodies' own, rows of zeros for those that moved. # (p, p)."""
    tree = tree_of(mechanism)
    size = len(_names(mechanism, motors))
    unit = np.eye(size)
    ten = len(PARAMETERS)
    # The scalars of these bodies are vectors: one coefficient per original parameter.
    links = tuple(
        replace(link, inertia=inertia_of(list(unit[ten * k : ten * (k + 1)])))
        for k, link in enumerate(tree.links)
    )
    rules = unit.copy()
    for k, link in enumerate(grouped(replace(tree, links=links)).links):
        for place, form in enumerate(parameters_of(link.inertia)):
            rules[ten * k + place] = form
    rules[np.abs(rules) < _NOISE] = 0.0
    return rules


def _stacked_regressor(mechanism: Mechanism, motors: bool) -> Array:
    """Regressor rows of random states, more than twice as many as columns. # (rows, p)."""
    n, size = mechanism.dof, len(_names(mechanism, motors))
    if n == 0:
        return np.zeros((0, size))
    rng = np.random.default_rng(1)
    shape = (2 * size // n + 10, n)
    reach = [np.pi if joint.kind.angular else 1.0 for joint in mechanism.movable]
    q = rng.uniform(-1.0, 1.0, size=shape) * reach
    # Accelerations of the order of gravity keep the columns of one size.
    qd, qdd = rng.uniform(-3.0, 3.0, size=shape), rng.uniform(-10.0, 10.0, size=shape)
    Y = Model(mechanism, "numpy").regressor(q, qd, qdd)
    if motors:
        Y = np.concatenate([Y, qdd[..., None] * np.eye(n)], axis=-1)
    return np.asarray(Y.reshape(-1, size))


def _independent(unit: Array) -> tuple[list[int], list[int]]:
    """Columns that are independent of those before them, and the others."""
    kept: list[int] = []
    dropped: list[int] = []
    basis = np.empty((len(unit), 0))
    for k in range(unit.shape[1]):
        rest = unit[:, k]
        for _ in range(2):  # twice is enough for orthogonality to rounding
            rest = rest - basis @ (basis.T @ rest)
        size = float(np.linalg.norm(rest))
        if size > _DEPENDENT:
            kept.append(k)
            basis = np.column_stack([basis, rest / size])
        else:
            dropped.append(k)
    return kept, dropped


def _relation(unit: Array, kept: Sequence[int], place: int) -> Array:
    """Coefficients of a dependent column over the kept ones; those that are rounding are zero."""
    relation = np.zeros(len(kept))
    support = [k for k, column in enumerate(kept) if column < place]
    for _ in range(2):  # again without the columns that do not take part
        columns = unit[:, [kept[k] for k in support]]
        found = np.linalg.lstsq(columns, unit[:, place], rcond=None)[0]
        relation[:] = 0.0
        relation[support] = found
        support = [k for k, size in enumerate(np.abs(relation)) if size > _ROUNDING]
    return relation


def _short(values: Array) -> Array:
    """Values whose ninth digit is their last within rounding, without the rounding."""
    rounded = np.array([float(f"{x:.9g}") for x in values])
    return np.where(np.abs(rounded - values) <= 1e-12 * np.abs(values), rounded, values)


def _names(mechanism: Mechanism, motors: bool) -> tuple[str, ...]:
    links = list(enumerate(mechanism.joints, start=1))
    bodies = [f"{name}{k}" for k, _ in links for name in PARAMETERS]
    return (*bodies, *(f"IA{k}" for k, joint in links if motors and joint.movable))


def _parameters(mechanism: Mechanism, motors: bool) -> Array:
    """The mechanism's own φ, in the order of the names."""
    bodies = [x for link in tree_of(mechanism).links for x in parameters_of(link.inertia)]
    drives = [joint.motor_inertia for joint in mechanism.movable if motors]
    return np.array([*bodies, *drives], dtype=np.float64)


def _formula(row: Array, column: int, names: Sequence[str]) -> str:
    """One base parameter as text: its own parameter first, then those of its link, then others."""
    link = column // len(PARAMETERS)
    places = sorted(
        (int(k) for k in np.flatnonzero(row)),
        key=lambda k: (k != column, k // len(PARAMETERS) != link, k),
    )
    letters = names[column].rstrip("0123456789")
    own = letters + "R" * (len(places) > 1) + names[column].removeprefix(letters)
    text = " ".join(_signed(row[k], names[k]) for k in places)
    return f"{own} = {text.removeprefix('+ ')}"


def _signed(coefficient: float, name: str) -> str:
    sign, size = ("-" if coefficient < 0.0 else "+"), abs(float(coefficient))
    return f"{sign} {name}" if size == 1.0 else f"{sign} {_number(size)}*{name}"


def _number(size: float) -> str:
    """A short decimal, a simple fraction, or twelve digits."""
    decimal = f"{size:.12g}"
    fraction = Fraction(size).limit_denominator(64)
    simple = abs(float(fraction) - size) <= 1e-14 * size
    return str(fraction) if simple and len(decimal) > 8 else decimal
