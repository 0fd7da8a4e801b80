"""Which errors a kind of measurement tells at best, and what the others would look like.

The derivatives of many measurements are stacked and orthogonalised column by column, in the order
of preference, the sphere centres first. A column in the span of those before it is an error that
looks like theirs together: it is left out, and the relation says what it looks like. Several
columns may still be nearly dependent together; then the last of those is left out.

Source: rank by orthogonalisation (QR) of the observation matrix, as W. Khalil and E. Dombre do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from robots.core.arrays import Array
from robots.core.identification.arm import IdentifiedArm
from robots.core.identification.equations import linearised, start_centres
from robots.core.identification.measurements import ArmMeasurements
from robots.core.identification.typical import like

# Part of a unit column outside the span of those before it, below which it is dependent: an error
# of 1 mm then shows by 0.1 µm, which no arm reads. Shifts along axes that a calibration found to be
# parallel within a degree are such.
DEPENDENT = 1e-4
_TAKES_PART = 0.1  # of the largest share in a combination that hardly shows
_NO_EFFECT = DEPENDENT  # of the largest column, for the same reason
_SHOWN = 1e-6  # coefficients that are named
_STARTS = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropped:
    """A parameter that stays at its nominal value.

    Args:
        name: of the parameter.
        looks_like: other parameters, and how much of each one unit of this one looks like.
        moves_all: whether the sphere centres take part in what it looks like.
    """

    name: str
    looks_like: tuple[tuple[str, float], ...] = ()
    moves_all: bool = False

    @property
    def reason(self) -> str:
        """Why, for a reader."""
        if not self.looks_like and not self.moves_all:
            return "no effect on what is measured"
        terms = [f"{factor:+.3g} {name}" for name, factor in self.looks_like]
        if self.moves_all:
            terms.append("the spheres elsewhere")
        return f"looks like {', '.join(terms)}"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Identifiable:
    """The parameters that can be told apart.

    Args:
        kept: places among the candidates of the arm, ascending.
        dropped: the others.
        smallest: ratio of smallest to largest singular value of their columns, scaled to one.
    """

    kept: tuple[int, ...]
    dropped: tuple[Dropped, ...]
    smallest: float


def identifiable(
    arm: IdentifiedArm, given: ArmMeasurements, sought: Sequence[int] | None = None
) -> Identifiable:
    """What any postures could tell with these spheres, lengths or points.

    Args:
        arm: nominal.
        given: the measurements, or candidates.
        sought: places among the candidates of the arm, preferred first; default all.
    """
    none = np.zeros(len(arm.parameters))
    ideal = like(arm, given, _STARTS * max(1, len(given.names) if len(given.names) < 10 else 1))
    centres = start_centres(arm.model, ideal, none)
    system = linearised(arm.model, ideal, none, centres)
    nuisance, J = np.concatenate(system.by_centres), np.concatenate(system.by_errors)
    chosen = list(range(len(none)) if sought is None else sought)
    return _sorted_out(J, nuisance, (chosen, arm.names))


def _sorted_out(
    J: Array, nuisance: Array, sought: tuple[list[int], tuple[str, ...]]
) -> Identifiable:
    widths = np.linalg.norm(J, axis=0)
    largest = float(widths.max(initial=0.0))
    basis = np.linalg.qr(nuisance)[0] if nuisance.shape[1] else np.zeros((len(J), 0))
    kept: list[int] = []
    dropped: list[int] = []
    silent: list[int] = []
    chosen, names = sought
    for place in chosen:
        if widths[place] <= _NO_EFFECT * largest:
            silent.append(place)
            continue
        rest = _outside(J[:, place] / widths[place], basis)
        size = float(np.linalg.norm(rest))
        if size <= DEPENDENT:
            dropped.append(place)
            continue
        kept.append(place)
        basis = np.column_stack([basis, rest / size])
    smallest, vague = _vague(J, nuisance, kept)
    while vague >= 0:
        kept.remove(vague)
        dropped.append(vague)
        smallest, vague = _vague(J, nuisance, kept)
    told = [Dropped(name=names[k]) for k in silent]
    told += [_relation(J, nuisance, (kept, k), names) for k in dropped]
    return Identifiable(kept=tuple(kept), dropped=tuple(told), smallest=smallest)


def _outside(column: Array, basis: Array) -> Array:
    """Part of a column outside the span of orthonormal ones."""
    for _ in range(2):  # twice is enough for orthogonality to rounding
        column = column - basis @ (basis.T @ column)
    return column


def _vague(J: Array, nuisance: Array, kept: list[int]) -> tuple[float, int]:
    """How little shows of some combination, and which parameter to leave out; -1 when none."""
    A = np.column_stack([nuisance, J[:, kept]])
    if not kept:
        return 1.0, -1
    _, s, Vt = np.linalg.svd(A / np.linalg.norm(A, axis=0), full_matrices=False)
    ratio = float(s[-1] / s[0])
    share = np.abs(Vt[-1][nuisance.shape[1] :])
    if ratio > DEPENDENT or not np.any(share):
        return ratio, -1
    return ratio, kept[int(np.flatnonzero(share > _TAKES_PART * share.max())[-1])]


def _relation(
    J: Array, nuisance: Array, columns: tuple[list[int], int], names: tuple[str, ...]
) -> Dropped:
    """What one unit of a dependent parameter looks like, by the kept ones before it."""
    kept, place = columns
    A = np.column_stack([nuisance, J[:, kept]])
    widths = np.linalg.norm(A, axis=0)
    found = np.linalg.lstsq(A / widths, J[:, place], rcond=None)[0]
    share = np.abs(found) > _SHOWN * np.linalg.norm(J[:, place])
    count = nuisance.shape[1]
    terms = [
        (names[k], float(found[count + n] / widths[count + n]))
        for n, k in enumerate(kept)
        if share[count + n]
    ]
    return Dropped(
        name=names[place], looks_like=tuple(terms), moves_all=bool(np.any(share[:count]))
    )
