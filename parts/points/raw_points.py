"""Points as read from a file: source, missing normals, ball centres and surface points."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import TYPE_CHECKING, Any

import numpy as np

from parts.errors import PointsError
from parts.points.file_text import check_count, fault
from parts.points.probe_points import ProbePoints
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


# ------------------------------------------------------------------------------------------ Source


class Compensation(Enum):
    """Meaning of the coordinates of touches."""

    SURFACE = "points on the surface"
    NOMINAL = "points compensated along the nominal normals"
    CENTRE = "centres of the ball"
    UNSTATED = "not stated by the file"


@dataclass(frozen=True, slots=True, kw_only=True)
class SkippedItem:
    """Something of a point file that gives no points, though a reader of the file may expect it.

    Args:
        name: of the feature, point or statement, as the file calls it.
        reason: why, a sentence without its full stop.
        line: of the file, from 1; None where the format has none.
        statement: as it stands in the file, where it is to blame.
        advice: the nearest fix.
        lost: whether touches are lost; otherwise there were none to take, as in a construction.
    """

    name: str
    reason: str
    line: int | None = None
    statement: str = ""
    advice: str = ""
    lost: bool = True

    def sentence(self) -> str:
        """Where, what and why, for a message that names the feature itself."""
        place = "" if self.line is None else f"line {self.line}: "
        quoted = f" ({self.statement})" if self.statement else ""
        return f"{place}{self.reason}{quoted}"


@dataclass(frozen=True, slots=True, kw_only=True)
class PointSource:
    """Record of how a point file was read; nothing was guessed.

    Args:
        origin: name of the file.
        format: name of the format, as users know it.
        unit: of the file's lengths, such as "mm".
        unit_from: who says so, such as "the header".
        compensation: what the coordinates are.
        ball_diameter: of the ball that the file was made with, where it says so. [m]
        unit_line: of the file, from 1, where the unit stands in the headers of columns.
        notes: what was ignored, assumed by the format's rules, or done; one sentence each.
        untaken: what the file holds beside the points, and why it gives none.
        contradictable: whether ``compensation`` is only what such files usually hold, so that the
            caller may say otherwise.
    """

    origin: str
    format: str
    unit: str
    unit_from: str
    compensation: Compensation
    ball_diameter: float | None = None
    unit_line: int | None = None
    notes: tuple[str, ...] = ()
    untaken: tuple[SkippedItem, ...] = ()
    contradictable: bool = False

    def told(self) -> tuple[str, ...]:
        """How the file was read; nothing where its header says all of it, as our own does."""
        plain = self.compensation is Compensation.UNSTATED and not self.notes
        return () if plain else (self.describe(), *self.notes)

    def describe(self) -> str:
        """One sentence for reports and messages."""
        return (
            f"{self.origin}: {self.format}, lengths in {self.unit} ({self.unit_from}), "
            f"{self.compensation.value}."
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class RawPoints:
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
        lines = [f"RawPoints: {points_lines(len(self), self.checked.features)}"]
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

    def filled(self, points: ProbePoints) -> RawPoints:
        """The same record with points that all have their normals now."""
        return replace(self, checked=points, has_normal=np.ones(len(points), dtype=bool))

    def with_source(self, **changes: object) -> RawPoints:
        """The same points with another record."""
        return replace(self, source=replace(self.source, **changes))  # type: ignore[arg-type]


def raw_points(
    rows: Sequence[PointRow], source: PointSource, *, warnings: tuple[str, ...] = ()
) -> RawPoints:
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
) -> RawPoints:
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
            source.origin, error.message, line=lines[row] or None, column=str(column), **facts
        ) from None
    return RawPoints(checked=checked, has_normal=has_normal, source=source)


def _twice(names: Sequence[str], positions: Array, normals: Array) -> tuple[str, ...]:
    """What to tell of points that stand where another one does, with the same normal."""
    rows = np.column_stack([positions, np.nan_to_num(normals)]) + 0.0  # -0 is 0
    found = np.unique(rows, axis=0, return_index=True)[1]
    again = np.flatnonzero(~np.isin(np.arange(len(rows)), found))
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


# ------------------------------------------------------------------------------------ Ball centres

_DIGITS = 6  # of a diameter in mm, as it is shown
_CALIBRATED = 1e-4  # [m]; a calibrated ball differs from its nominal diameter by less


def same_ball(one: float, other: float) -> bool:
    """Return whether two diameters are the same at the precision with which they are shown. [m].

    Half a unit of the last digit shown, so that a diameter copied from a message is the file's.
    """
    if ball_text(one) == ball_text(other):
        return True
    largest = 1e3 * max(abs(one), abs(other))
    unit = 10.0 ** (math.floor(math.log10(largest)) + 1 - _DIGITS)
    return abs(1e3 * one - 1e3 * other) <= 0.5 * unit


def calibrated_ball(one: float, other: float) -> bool:
    """Return whether two diameters may be one ball, nominal and calibrated. [m]."""
    return abs(one - other) <= _CALIBRATED


def ball_text(diameter: float) -> str:
    """A ball's diameter as it is shown, in mm."""
    return f"{1e3 * diameter:.{_DIGITS}g}"


def surface_points(
    found: RawPoints, *, ball_diameter: float | None = None, compensated: bool | None = None
) -> RawPoints:
    """Bring points to the surface.

    Centres of the ball move against their normals by its radius; points on the surface stay. The
    record tells which was the case.

    Args:
        found: points of a file.
        ball_diameter: of the ball; None where the file says it, or where none is needed. [m]
        compensated: for a file that does not say: True where its points lie on the surface, False
            where they are centres of the ball.

    Raises:
        PointsError: centres without a ball or without normals; a ball for points of which nobody
            says whether they are its centres; another ball or another word than the file's.
    """
    diameter = _ball(found, ball_diameter)
    state = _state(found, compensated, diameter)
    if state is not found.source.compensation:
        found = found.with_source(compensation=state)
    source = found.source
    if state is not Compensation.CENTRE:
        return found
    if diameter is None:
        raise fault(
            source.origin,
            "the coordinates are centres of the ball, not points on the surface; give the ball's "
            "diameter (0 for a point) to move them there along their normals.",
        )
    points = found.points
    centres = np.ones(len(points), dtype=bool) if found.settled is None else ~found.settled
    shift = np.where(centres, 0.5 * diameter, 0.0)[:, None]
    moved = replace(points, positions=points.positions - shift * points.normals)
    note = (
        f"The coordinates were centres of a ball of {ball_text(diameter)} mm; the points were "
        "moved to the surface by its radius, against their normals."
    )
    return replace(found.filled(moved), settled=None).with_source(
        compensation=Compensation.SURFACE, ball_diameter=diameter, notes=(*source.notes, note)
    )


def _state(found: RawPoints, compensated: bool | None, diameter: float | None) -> Compensation:
    """What the points are, by the file and the caller together."""
    source = found.source
    stated = source.compensation
    if compensated is None:
        if stated is Compensation.UNSTATED and diameter:
            raise fault(
                source.origin,
                "a ball is given, but the file does not say whether its points are centres of it; "
                "say compensated = true for points on the surface, false for centres.",
                choices=(True, False),
            )
        return stated
    given = Compensation.SURFACE if compensated else Compensation.CENTRE
    if stated not in (Compensation.UNSTATED, given) and not source.contradictable:
        raise fault(
            source.origin,
            f"{source.format} files give {stated.value}, but they are said to be {given.value}; "
            "correct what is said.",
            found=stated,
            expected=given,
        )
    return given


def _ball(found: RawPoints, given: float | None) -> float | None:
    stated = found.source.ball_diameter
    if given is not None and not (math.isfinite(given) and given >= 0.0):
        raise fault(
            found.source.origin,
            f"the ball's diameter is {given} m; expected zero or more.",
            found=given,
        )
    if given is not None and stated is not None and not same_ball(given, stated):
        raise fault(
            found.source.origin,
            f"the file was made with a ball of {ball_text(stated)} mm, but {ball_text(given)} mm "
            "is given; use the same ball.",
            found=given,
            expected=stated,
        )
    return given if stated is None else stated
