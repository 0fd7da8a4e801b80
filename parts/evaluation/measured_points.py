"""Measured points: unit check, matching with the points of the job, ball compensation."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import Literal

import numpy as np

from parts.errors import EvaluationError
from parts.points import SkippedItem
from robots.core.arrays import Array, Indices, Mask, freeze_field, freeze_fields

Frame = Literal["part", "base"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MeasuredPoints:
    """Points that a probe has touched, in the order of their file.

    Args:
        names: unique.
        xyz: points of the surface, or centres of the ball. # (n, 3) [m]
        frame: "part" or "base".
        compensated: whether ``xyz`` lies on the surface; otherwise it is the ball's centre.
        along_nominal: whether they were compensated along the nominal normals, one ball's radius
            from its centre: where the part stands turned, they lie beside its surface.
        settled: which points lie on the surface although ``compensated`` is false; None where all
            are alike. # (n,)
        probe_radius: of the ball that they were touched with. [m]
        directions: out of the material, as the file says; NaN where it does not. # (n, 3)
        features: name of the feature that each point belongs to, as the file says; empty texts
            where it does not.
        notes: how they were read, one sentence each.
        doubts: what is doubtful about them, one sentence each.
        untaken: what their file holds beside them.
        beyond: by the name of a point, the joint that was read beyond its limits there, in words.

    Raises:
        EvaluationError: another shape, a value that is not finite, a name twice, no point, a
            radius that is negative, centres of the ball that are said to be compensated.
    """

    names: tuple[str, ...]
    xyz: Array
    frame: Frame = "part"
    compensated: bool = True
    along_nominal: bool = False
    settled: Mask | None = None
    probe_radius: float = 0.0
    directions: Array | None = None
    features: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    untaken: tuple[SkippedItem, ...] = ()
    beyond: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        count = len(self.names)
        xyz = _rows(self.xyz, count, "coordinates")
        _check(self.names, xyz, self.probe_radius)
        if self.along_nominal and not self.compensated:
            raise EvaluationError(
                "The measured points are said to be centres of the ball and also compensated along "
                "the nominal normals; say one of the two."
            )
        given = np.full((count, 3), np.nan) if self.directions is None else self.directions
        directions = _rows(given, count, "directions")
        if self.settled is not None:
            freeze_fields(self, "settled", dtype=np.bool_)
        freeze_field(self, "xyz", xyz)
        freeze_field(self, "directions", directions)
        object.__setattr__(self, "features", tuple(self.features) or ("",) * count)

    def __len__(self) -> int:
        """Number of points n."""
        return len(self.names)

    def moved_to(self, xyz: Array, **changes: object) -> MeasuredPoints:
        """The same points with other coordinates, and perhaps another frame or state."""
        return replace(self, xyz=xyz, **changes)  # type: ignore[arg-type]

    def kept(self, rows: Indices) -> MeasuredPoints:
        """Some of the points, in the order of ``rows``."""
        some = rows.tolist()
        directions = self.directions
        return replace(
            self,
            names=tuple(self.names[row] for row in some),
            xyz=self.xyz[rows],
            directions=None if directions is None else directions[rows],
            features=tuple(self.features[row] for row in some),
            settled=None if self.settled is None else self.settled[rows],
        )


def _rows(values: Array, count: int, what: str) -> Array:
    rows = np.array(values, dtype=np.float64)
    if rows.shape != (count, 3):
        raise EvaluationError(
            f"The {what} of the measured points have shape {rows.shape}; expected {(count, 3)}.",
            value=rows.shape,
            limit=(count, 3),
        )
    return rows


def _check(names: tuple[str, ...], xyz: Array, radius: float) -> None:
    if not names:
        raise EvaluationError("There is no measured point; give at least one.", value=0, limit=1)
    bad = np.flatnonzero(~np.isfinite(xyz).all(axis=1))
    if bad.size:
        raise EvaluationError(
            f"Measured point {names[bad[0]]!r} is {xyz[bad[0]].tolist()} m ({bad.size} such "
            "points); expected finite numbers. Leave out points that were not measured.",
            name=names[bad[0]],
            value=xyz[bad[0]].tolist(),
            unit="m",
        )
    if len(set(names)) < len(names):
        twice = next(name for place, name in enumerate(names) if name in names[:place])
        raise EvaluationError(
            f"The measured point {twice!r} is there twice; rename or remove one.", name=twice
        )
    if not (np.isfinite(radius) and radius >= 0.0):
        raise EvaluationError(
            f"The radius of the probe's ball is {radius} m; expected zero or more.",
            value=radius,
            limit=0.0,
            unit="m",
        )


# ---------------------------------------------------------------------------------------- Matching


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MatchedPoints:
    """Pairs of nominal and measured points.

    Args:
        nominal: rows of the nominal points, ascending. # (k,)
        measured: rows of the measured points. # (k,)
        missing: names of nominal points that were not measured.
        extra: names of measured points that the job does not have.
        by_place: whether names were matched by feature and place in it.
    """

    nominal: Indices
    measured: Indices
    missing: tuple[str, ...]
    extra: tuple[str, ...]
    by_place: bool = False


def match_points(
    names: Sequence[str], features: Sequence[str], measured: MeasuredPoints
) -> MatchedPoints:
    """Pair points by their names.

    QIF results carry no names of points, only features: where not a single name of a feature's
    points is known, a point that its reader has called "bore-3" is the third of the feature "bore".
    A point without feature is its own.

    Args:
        names: of the nominal points, unique.
        features: of the nominal points; empty texts are none.
        measured: the measured points.

    Raises:
        EvaluationError: no measured point is one of the job's.
    """
    places = {name: row for row, name in enumerate(measured.names)}
    called, by_place = _called(names, features, places, measured.features)
    rows = [(row, places[name]) for row, name in enumerate(called) if name in places]
    if not rows:
        raise _strangers(names, measured.names)
    nominal = np.array([row for row, _ in rows], dtype=np.int64)
    other = np.array([row for _, row in rows], dtype=np.int64)
    known = set(other.tolist())
    return MatchedPoints(
        nominal=nominal,
        measured=other,
        missing=tuple(name for name, call in zip(names, called, strict=True) if call not in places),
        extra=tuple(name for row, name in enumerate(measured.names) if row not in known),
        by_place=by_place,
    )


def _called(
    names: Sequence[str],
    features: Sequence[str],
    places: Mapping[str, int],
    measured_features: Sequence[str],
) -> tuple[list[str], bool]:
    """The name of each nominal point in the measured file, and whether any is a place."""
    groups: defaultdict[str, list[int]] = defaultdict(list)
    for row, (name, feature) in enumerate(zip(names, features, strict=True)):
        groups[feature or name].append(row)
    called, by_place = list(names), False
    for feature, rows in groups.items():
        if any(names[row] in places for row in rows):
            continue
        for number, row in enumerate(rows, start=1):
            place = places.get(f"{feature}-{number}")
            if place is not None and measured_features[place] == feature:
                called[row], by_place = f"{feature}-{number}", True
    return called, by_place


def _strangers(names: Sequence[str], measured: Sequence[str]) -> EvaluationError:
    close = get_close_matches(measured[0], names, n=1, cutoff=0.4)
    advice = f"; is {measured[0]!r} meant to be {close[0]!r}?" if close else ""
    return EvaluationError(
        f"None of the {len(measured)} measured points ({', '.join(map(repr, measured[:3]))}, …) is "
        f"a point of the job ({', '.join(map(repr, names[:3]))}, …){advice} Give the measured "
        "points the names that they have in the job.",
        measured=tuple(measured[:5]),
        nominal=tuple(names[:5]),
    )


# ------------------------------------------------------------------------------- Ball compensation

_SHARE = 0.2  # of the radius: what deviations may miss a multiple of it and still be a sign of it
_FINE = 0.1  # of the radius: the deviations' own spread must be finer than what is told from it


@dataclass(frozen=True, slots=True, kw_only=True)
class BallSign:
    """Deviations that sit at a multiple of the ball's radius.

    Args:
        radii: the multiple: 1, -1, 2 or -2.
        median: of the deviations. [m]
        sentence: what was probably done wrong.
    """

    radii: int
    median: float
    sentence: str


_SENTENCES = {
    1: "as if the points were centres of the ball that nobody moved to the surface",
    -1: "as if points on the surface were moved against the normal again",
    2: "as if centres of the ball were moved to the wrong side, out of the material",
    -2: "as if points on the surface, or the far side of the ball, were taken for its centres",
}


def compensate_ball(centres: Array, normals: Array, radius: float) -> Array:
    """Points of the surface: one radius against the outgoing normal. # (k, 3) [m].

    Args:
        centres: of the ball. # (k, 3) [m]
        normals: out of the material, unit. # (k, 3)
        radius: of the ball. [m]

    Raises:
        EvaluationError: a normal that is not of length one.
    """
    lengths = np.linalg.norm(normals, axis=1)
    if radius > 0.0 and not np.allclose(lengths, 1.0, atol=1e-9):
        row = int(np.argmax(np.abs(lengths - 1.0)))
        raise EvaluationError(
            f"The normal of point {row + 1} has length {lengths[row]:g}; the ball's centre cannot "
            "be moved along it. Give unit normals.",
            value=float(lengths[row]),
            limit=1.0,
            unit="1",
        )
    return np.asarray(centres - radius * normals)


def ball_centres(points: Array, normals: Array, radius: float) -> Array:
    """Centres of the ball of points that were compensated along the normals. # (k, 3) [m].

    Args:
        points: as compensated. # (k, 3) [m]
        normals: along which they were, out of the material, unit. # (k, 3)
        radius: of the ball. [m]
    """
    return np.asarray(points + radius * normals)


def ball_sign(deviations: Array, radius: float) -> BallSign | None:
    """Whether the deviations look like a wrong compensation of the ball; None where they do not.

    A compensation that was forgotten, doubled or turned around moves all points by the same one or
    two radii along their normals, which neither a worn tool nor an alignment does in all
    directions.

    Args:
        deviations: along the outgoing normals. # (k,) [m]
        radius: of the ball. [m]
    """
    if radius <= 0.0 or not len(deviations):
        return None
    median = float(np.median(deviations))
    spread = float(np.median(np.abs(deviations - median)))
    radii = round(median / radius)
    if radii not in _SENTENCES or spread > _FINE * radius:
        return None
    if abs(median - radii * radius) > _SHARE * radius:
        return None
    return BallSign(radii=radii, median=median, sentence=_SENTENCES[radii])


# -------------------------------------------------------------------------------------- Unit check

FACTORS = (10.0, 12.0, 25.4, 39.3700787, 100.0, 304.8, 1000.0)  # cm, ft, in and m, taken for mm
_NEAR = 0.03  # of the factor: no part is machined, nor a frame shifted, so wrongly
_SMALL = 1e-9  # [m]: points that do not spread say nothing


def check_factor(nominal: Array, measured: Array) -> None:
    """Refuse measured points whose spread is that of the nominal ones times the ratio of two units.

    Distances among the points do not change with the frame, so an alignment that is still to be
    found does not disturb. Fewer than two points are not judged.

    Args:
        nominal: # (k, 3) [m]
        measured: the same points. # (k, 3) [m]

    Raises:
        EvaluationError: they are off by a factor.
    """
    expected, seen = spread(nominal), spread(measured)
    factor = unit_factor(expected, seen)
    if factor is None:
        return
    raise EvaluationError(
        f"The measured points are off by a factor of {max(factor, 1.0 / factor):g}: they spread "
        f"{1e3 * seen:.4g} mm, {_compared(seen / expected)} the job's points, which spread "
        f"{1e3 * expected:.4g} mm (root mean square). Correct the unit of the measured file.",
        factor=factor,
        value=seen,
        limit=expected,
        unit="m",
    )


def _compared(ratio: float) -> str:
    return f"{ratio:.4g} times as far as" if ratio > 1.0 else f"1/{1.0 / ratio:.4g} as far as"


def unit_factor(expected: float, seen: float) -> float | None:
    """By what ratio of two units a size is off; None where it is none. [m] each."""
    if min(expected, seen) <= _SMALL:
        return None
    ratio = seen / expected
    factor = max(ratio, 1.0 / ratio)
    nearest = min(FACTORS, key=lambda known: abs(np.log(factor / known)))
    if abs(factor / nearest - 1.0) > _NEAR:
        return None
    return nearest if ratio > 1.0 else 1.0 / nearest


def spread(points: Array) -> float:
    """Root mean square distance from the middle. [m]."""
    return float(np.sqrt(np.mean(np.sum((points - points.mean(axis=0)) ** 2, axis=1))))
