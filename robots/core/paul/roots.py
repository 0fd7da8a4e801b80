"""What a solver of Paul's method answers: every real root, and a name for what happened."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from enum import IntEnum

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robots.core.arrays import Array, Indices, Mask, freeze_fields
from robots.core.errors import InverseError

Codes = NDArray[np.int8]


class Case(IntEnum):
    """What the equations of one sample allow.

    NO_REAL_ROOT means that lengths fall short (a sine or cosine would exceed one) and ``shortfall``
    says by how much; INCONSISTENT means that the equations contradict each other at any length.
    """

    REGULAR = 0
    DOUBLE = 1
    NO_REAL_ROOT = 2
    INDETERMINATE = 3
    INCONSISTENT = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Tolerances:
    """When two numbers count as equal, and a number as zero.

    Args:
        tangency: relative distance from the limit of reach, on either side of it, within which the
            two roots are one DOUBLE root. At the default the angle moves by at most 1.5e-6 rad and
            the equation stays satisfied to ``tangency`` of its own amplitude.
        consistency: relative imbalance that an equation left over by the others may keep.
        scale: typical magnitude of the coefficients, in their unit. One below ``tangency * scale``
            counts as zero; at the default only an exact zero does.
    """

    tangency: float = 1e-12
    consistency: float = 1e-9
    scale: float = 0.0

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if not (np.isfinite(value) and value >= 0.0):
                raise InverseError(
                    f"Tolerance {field.name} is {value!r}; it must be finite, zero or more.",
                    field=field.name,
                    value=value,
                )

    @property
    def zero(self) -> float:
        """Magnitude below which a coefficient counts as zero."""
        return self.tangency * self.scale


DEFAULT_TOLERANCES = Tolerances()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Roots:
    """All real roots of one equation type, for a batch of any leading shape.

    Every valid root satisfies its equations. An INDETERMINATE sample keeps one representative per
    family, with zero where ``free`` allows any value (the other unknowns follow from the choice).

    Args:
        unknowns: names of the last axis of ``roots``.
        roots: angles in (-π, π] and lengths; NaN where not valid. # (..., roots, unknowns) [rad, m]
        valid: which roots exist; valid ones come first. # (..., roots)
        case: a ``Case`` code per sample. # (...)
        shortfall: how far a NO_REAL_ROOT sample is from having one, as a fraction of what would
            suffice; zero for all others. # (...)
        residual: largest imbalance of the equations at the root, in their unit. # (..., roots)
        free: unknowns that an INDETERMINATE sample leaves open. # (..., unknowns)
    """

    unknowns: tuple[str, ...]
    roots: Array
    valid: Mask
    case: Codes
    shortfall: Array
    residual: Array
    free: Mask

    def __post_init__(self) -> None:
        freeze_fields(self, "roots", "valid", "case", "shortfall", "residual", "free")

    @property
    def count(self) -> Indices:
        """Number of valid roots per sample. # (...)."""
        return np.asarray(self.valid.sum(axis=-1))

    def case_at(self, *index: int) -> Case:
        """Name of what happened in one sample."""
        return Case(int(self.case[index]))


def checked(**named: ArrayLike) -> list[Array]:
    """Broadcast coefficients to one shape, as float arrays.

    Raises:
        InverseError: shapes that do not broadcast, or a coefficient that is not finite.
    """
    arrays = {name: np.asarray(value, dtype=np.float64) for name, value in named.items()}
    for name, array in arrays.items():
        wrong = np.argwhere(~np.isfinite(array))
        if wrong.size or (array.ndim == 0 and not np.isfinite(array)):
            index = tuple(int(i) for i in wrong[0])
            raise InverseError(
                f"Coefficient {name} of sample {index} is {array[index]}; it must be finite.",
                coefficient=name,
                index=index,
            )
    try:
        return list(np.broadcast_arrays(*arrays.values()))
    except ValueError as mismatch:
        shapes = {name: array.shape for name, array in arrays.items()}
        raise InverseError(
            f"Coefficients of shapes {shapes} do not broadcast to one batch; give each one value "
            "per sample, or a single value.",
            shapes=shapes,
        ) from mismatch


def wrapped(angle: Array) -> Array:
    """Bring an angle into (-π, π]; one already there is unchanged. [rad]."""
    return np.asarray(angle - 2.0 * np.pi * np.ceil((angle - np.pi) / (2.0 * np.pi)))


def gathered(columns: dict[str, Array], valid: Mask, case: Codes, **facts: Array | Mask) -> Roots:
    """Put solved columns (..., roots) together, with NaN where a root does not exist.

    Args:
        columns: value of each unknown, by name. # (..., roots)
        valid: which roots exist. # (..., roots)
        case: codes per sample. # (...)
        **facts: ``shortfall``, ``residual`` and ``free``, as in ``Roots``.
    """
    values = np.where(valid[..., None], np.stack(list(columns.values()), axis=-1), np.nan)
    return Roots(
        unknowns=tuple(columns),
        roots=values,
        valid=valid,
        case=case,
        shortfall=np.where(case == Case.NO_REAL_ROOT, facts["shortfall"], 0.0),
        residual=np.where(valid, facts["residual"], np.nan),
        free=np.asarray(facts["free"], dtype=np.bool_),
    )


def named(conditions: Sequence[tuple[Mask, Case]], otherwise: Codes | Case) -> Codes:
    """Code per sample of the first condition that holds."""
    masks, cases = zip(*conditions, strict=True)
    codes = [np.int8(case) for case in cases]
    return np.asarray(np.select(list(masks), codes, default=np.asarray(otherwise, dtype=np.int8)))
