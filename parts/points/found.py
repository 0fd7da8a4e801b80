"""Points as found in a file: some may still be without a normal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from parts.errors import PointsError
from parts.points.faults import fault
from parts.points.file_text import check_count
from parts.points.probe_points import ProbePoints
from parts.points.source import PointSource
from parts.points.tables import points_frame, points_lines
from robots.core.arrays import Array, Mask, freeze_fields

if TYPE_CHECKING:
    from pandas import DataFrame

_STAND_IN = (0.0, 0.0, 1.0)  # where there is no normal, so that all else is checked at once
_MOST_TOLD = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class PointRow:
    """One point as a reader met it.

    Args:
        name: of the point.
        line: of the file, from 1; 0 where the format has no lines.
        position: [m]
        normal: out of the material, any length; None where the file gives none.
        feature: name of its feature, or nothing.
        settled: whether it lies on the surface in a file whose other points are ball centres.
    """

    name: str
    line: int
    position: tuple[float, float, float]
    normal: tuple[float, float, float] | None = None
    feature: str = ""
    settled: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class FoundPoints:
    """Points of a file and the record of how it was read.

    Args:
        checked: the points; those without a normal have a stand-in.
        has_normal: whether the file gives the normal. # (k,)
        source: how the file was read.
        settled: which points lie on the surface where the others are centres of a ball; None
            where all are alike. # (k,)
    """

    checked: ProbePoints = field(repr=False)
    has_normal: Mask
    source: PointSource
    settled: Mask | None = None

    def __post_init__(self) -> None:
        for name in ("has_normal", "settled"):
            if getattr(self, name) is not None:
                freeze_fields(self, name, dtype=bool)

    def __len__(self) -> int:
        """Number of points k."""
        return len(self.checked)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the points."""
        return self.checked.names

    @property
    def positions(self) -> Array:
        """Positions of the points. # (k, 3) [m]."""
        return self.checked.positions

    def to_frame(self) -> DataFrame:
        """One row per point, with the columns of a point file; unknown normals are empty."""
        return points_frame(self.checked, self.has_normal)

    def __repr__(self) -> str:
        """How many points, and how the file was read."""
        lines = [f"FoundPoints: {points_lines(len(self), self.checked.features)}"]
        lines += [f"  {self.source.describe()}"]
        without = int(np.sum(~self.has_normal))
        return "\n".join([*lines, *([f"  {without} without normal"] if without else [])])

    def _repr_html_(self) -> str:
        """The first rows, for notebooks."""
        return str(self.to_frame().to_html(index=False, max_rows=20, na_rep=""))

    @property
    def points(self) -> ProbePoints:
        """The points, when every one has its normal.

        Raises:
            PointsError: some have none.
        """
        missing = np.flatnonzero(~self.has_normal)
        if not missing.size:
            return self.checked
        told = ", ".join(self.names[row] for row in missing[:_MOST_TOLD])
        more = ", …" if missing.size > _MOST_TOLD else ""
        raise fault(
            self.source.origin,
            f"{missing.size} of {len(self)} points have no normal ({told}{more}); add the normals "
            "to the file, or give the part's geometry to take them from its surface.",
            names=tuple(self.names[row] for row in missing.tolist()),
        )

    def filled(self, points: ProbePoints) -> FoundPoints:
        """The same record with points that all have their normals now."""
        return replace(self, checked=points, has_normal=np.ones(len(points), dtype=bool))

    def with_source(self, **changes: object) -> FoundPoints:
        """The same points with another record."""
        return replace(self, source=replace(self.source, **changes))  # type: ignore[arg-type]


def found_in(
    rows: Sequence[PointRow], source: PointSource, *, warnings: tuple[str, ...] = ()
) -> FoundPoints:
    """Check the rows of a reader.

    Raises:
        PointsError: no point, too many, or a bad one; with file and line.
    """
    check_count(len(rows), source.origin)
    if not rows:
        raise fault(source.origin, _nothing(source))
    found = checked_columns(
        names=tuple(row.name for row in rows),
        positions=np.array([row.position for row in rows]),
        normals=np.array([row.normal or (np.nan,) * 3 for row in rows]),
        features=tuple(row.feature for row in rows),
        lines=tuple(row.line for row in rows),
        source=source,
        warnings=warnings,
    )
    settled = np.array([row.settled for row in rows])
    return replace(found, settled=settled) if settled.any() else found


def _nothing(source: PointSource) -> str:
    """Why a file gives no point."""
    lost = [one for one in source.untaken if one.lost]
    if not lost:
        return f"there is no point in this {source.format} file."
    first = lost[0]
    more = f" (and {len(lost) - 1} more)" if len(lost) > 1 else ""
    advice = f" {first.advice[0].upper()}{first.advice[1:]}." if first.advice else ""
    return (
        f"there is no point that can be taken from this {source.format} file: {first.name}, "
        f"{first.sentence()}{more}.{advice}"
    )


def checked_columns(
    *,
    names: tuple[str, ...],
    positions: Array,
    normals: Array,
    features: tuple[str, ...],
    lines: Sequence[int],
    source: PointSource,
    warnings: tuple[str, ...] = (),
) -> FoundPoints:
    """Check columns of points; a normal of three NaN is one that is not given.

    Raises:
        PointsError: a bad point; ``facts`` holds file, line, row and column.
    """
    has_normal = np.any(~np.isnan(normals), axis=1)
    try:
        checked = ProbePoints(
            names=names,
            positions=positions,
            normals=np.where(has_normal[:, None], normals, _STAND_IN),
            features=features,
            warnings=(*warnings, *_twice(names, positions, normals)),
        )
    except PointsError as error:
        row = error.fact("row", int)
        if row is None:
            raise fault(source.origin, error.message) from None
        facts: dict[str, Any] = dict(error.facts)
        column = facts.pop("column", None)
        raise fault(
            source.origin,
            error.message,
            line=lines[row] or None,
            column=str(column),
            **facts,
        ) from None
    return FoundPoints(checked=checked, has_normal=has_normal, source=source)


def _twice(names: Sequence[str], positions: Array, normals: Array) -> tuple[str, ...]:
    """What to tell of points that stand where another one does, with the same normal."""
    rows = np.column_stack([positions, np.nan_to_num(normals)]) + 0.0  # -0 is 0
    found = np.unique(rows, axis=0, return_index=True)[1]
    again = np.setdiff1d(np.arange(len(rows)), found)
    if not again.size:
        return ()
    first = {row.tobytes(): index for index, row in reversed(list(enumerate(rows)))}
    pairs = [(names[first[rows[row].tobytes()]], names[row]) for row in again[:3].tolist()]
    told = ", ".join(f"{copy} where {original} is" for original, copy in pairs)
    more = ", …" if again.size > 3 else ""
    return (
        f"{again.size} of {len(rows)} points stand where another one does, with the same normal "
        f"({told}{more}): they will be touched twice.",
    )
