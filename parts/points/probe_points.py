"""Probe points: names, positions and outgoing normals, in whatever frame their owner states."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from parts.errors import PointsError
from robots.core.arrays import Array, Indices, frozen

if TYPE_CHECKING:
    from pandas import DataFrame

LONGEST_NAME = 100
FARTHEST = 1e6  # [m]; beyond it no part is meant, and a double no longer resolves a nanometre
SHORTEST_NORMAL = 1e-9  # a shorter vector has no direction worth the name
UNIT_TOLERANCE = 1e-3  # a normal printed with three digits still passes without a warning


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class ProbePoints:
    """Points to touch, each with the surface normal that points out of the material.

    Normals are brought to length one; those that were far from it are told in ``warnings``.

    Args:
        names: unique, printable.
        positions: of the points. # (k, 3) [m]
        normals: out of the material, any length above zero. # (k, 3)
        features: name of the feature that each point belongs to; empty where there is none.
        warnings: what is doubtful about the points, one sentence each.

    Raises:
        PointsError: no point, other shapes, a name twice or not printable, a value that is not
            finite, a normal without length. ``facts`` holds the row and the columns.
    """

    names: tuple[str, ...]
    positions: Array
    normals: Array
    features: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        names = tuple(self.names)
        object.__setattr__(self, "names", names)
        _check_names(names)
        features = tuple(self.features) or ("",) * len(names)
        _check_features(features, len(names))
        object.__setattr__(self, "features", features)
        positions = _rows(self.positions, names, "position")
        _check_near(positions, names)
        normals = _rows(self.normals, names, "normal")
        lengths = _lengths(normals, names)
        doubts = _doubts(lengths, names)
        object.__setattr__(self, "positions", frozen(positions))
        object.__setattr__(self, "normals", frozen(_unit(normals)))
        object.__setattr__(self, "warnings", (*self.warnings, *doubts))

    def __len__(self) -> int:
        """Number of points k."""
        return len(self.names)

    def to_frame(self) -> DataFrame:
        """One row per point, with the columns of a point file."""
        from parts.points.tables import points_frame

        return points_frame(self)

    def __repr__(self) -> str:
        """How many points, of which features."""
        from parts.points.tables import points_lines

        return f"ProbePoints: {points_lines(len(self), self.features)}"

    def _repr_html_(self) -> str:
        """The first rows, for notebooks."""
        return str(self.to_frame().to_html(index=False, max_rows=20))

    def take(self, rows: Indices) -> ProbePoints:
        """Some of the points, without the warnings of all. # (m,)."""
        return ProbePoints(
            names=tuple(self.names[row] for row in rows),
            positions=self.positions[rows],
            normals=self.normals[rows],
            features=tuple(self.features[row] for row in rows),
        )

    def index(self, name: str) -> int:
        """Row of the point called ``name``.

        Raises:
            PointsError: no point has this name.
        """
        if name not in self.names:
            raise PointsError(
                f"There is no point {name!r}; {_nearest(name, self.names)}", name=name
            )
        return self.names.index(name)


def _nearest(name: str, names: Sequence[str]) -> str:
    from difflib import get_close_matches

    close = get_close_matches(name, names, n=1, cutoff=0.5)
    return f"did you mean {close[0]!r}?" if close else f"the first is {names[0]!r}."


def joined(some: Sequence[ProbePoints], prefix: str) -> ProbePoints:
    """Points of several features as one list, counted anew where there are several.

    Args:
        some: at least one.
        prefix: of the new names.
    """
    if len(some) == 1:
        return some[0]
    return ProbePoints(
        names=tuple(f"{prefix}{k}" for k in range(1, 1 + sum(map(len, some)))),
        positions=np.concatenate([one.positions for one in some]),
        normals=np.concatenate([one.normals for one in some]),
        features=tuple(name for one in some for name in one.features),
        warnings=tuple(text for one in some for text in one.warnings),
    )


def _check_names(names: tuple[str, ...]) -> None:
    if not names:
        raise PointsError("There is no point; give at least one.")
    seen: dict[str, int] = {}
    for row, name in enumerate(names):
        if not is_name(name):
            raise PointsError(
                f"the name {_short(name)} cannot be used; expected 1 to {LONGEST_NAME} printable "
                "characters, no space at the ends.",
                row=row,
                column="name",
                found=name,
            )
        if seen.setdefault(name, row) != row:
            raise PointsError(
                f"the name {name!r} is given a second time, first to point {seen[name] + 1}; "
                "rename one.",
                row=row,
                column="name",
                found=name,
                first=seen[name],
            )


def is_name(text: str) -> bool:
    """Return whether a text can be the name of a point."""
    return 0 < len(text) <= LONGEST_NAME and text.isprintable() and text.strip() == text


def _short(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:37] + "...")


def _check_features(features: tuple[str, ...], count: int) -> None:
    if len(features) != count:
        raise PointsError(f"There are {count} points but {len(features)} features.")
    for row, feature in enumerate(features):
        if feature and not is_name(feature):
            raise PointsError(
                f"the feature {_short(feature)} cannot be used; expected at most {LONGEST_NAME} "
                "printable characters, no space at the ends.",
                row=row,
                column="feature",
                found=feature,
            )


def _rows(values: Array, names: tuple[str, ...], what: str) -> Array:
    rows = np.array(values, dtype=np.float64)
    if rows.shape != (len(names), 3):
        raise PointsError(
            f"The {what}s have shape {rows.shape}; expected {(len(names), 3)}.",
            found=rows.shape,
            expected=(len(names), 3),
        )
    for row, axis in np.argwhere(~np.isfinite(rows))[:1].tolist():
        raise PointsError(
            f"point {names[row]!r}: its {what} holds {rows[row, axis]}; expected a finite number.",
            row=row,
            column="xyz"[axis] if what == "position" else f"n{'xyz'[axis]}",
            found=float(rows[row, axis]),
        )
    return rows


def _check_near(positions: Array, names: tuple[str, ...]) -> None:
    for row, axis in np.argwhere(np.abs(positions) > FARTHEST)[:1].tolist():
        raise PointsError(
            f"point {names[row]!r}: its {'xyz'[axis]} is {positions[row, axis]:g} m; expected at "
            f"most {FARTHEST:g} m. Is the unit right?",
            row=row,
            column="xyz"[axis],
            found=float(positions[row, axis]),
            limit=FARTHEST,
        )


def _lengths(normals: Array, names: tuple[str, ...]) -> Array:
    """Lengths of the normals, none of them zero. # (k,)."""
    largest = np.abs(normals).max(axis=1)
    with np.errstate(over="ignore"):  # a length beyond the range of doubles is only told
        lengths: Array = largest * np.linalg.norm(_scaled(normals, largest), axis=1)
    for row in np.flatnonzero(lengths < SHORTEST_NORMAL)[:1].tolist():
        raise PointsError(
            f"point {names[row]!r}: its normal {normals[row].tolist()} has length "
            f"{lengths[row]:g}; expected the direction out of the material, of length 1.",
            row=row,
            column="nx, ny, nz",
            found=normals[row].tolist(),
            limit=SHORTEST_NORMAL,
        )
    return lengths


def _scaled(normals: Array, largest: Array) -> Array:
    """Normals whose largest entry is 1, so that squares neither overflow nor vanish. # (k, 3)."""
    return normals / np.where(largest > 0.0, largest, 1.0)[:, None]


def _unit(normals: Array) -> Array:
    scaled = _scaled(normals, np.abs(normals).max(axis=1))
    return np.asarray(scaled / np.linalg.norm(scaled, axis=1)[:, None])


def _doubts(lengths: Array, names: tuple[str, ...]) -> tuple[str, ...]:
    off = np.flatnonzero(np.abs(lengths - 1.0) > UNIT_TOLERANCE)
    if not off.size:
        return ()
    told = ", ".join(f"{names[row]} has length {lengths[row]:.6g}" for row in off[:3])
    more = ", …" if off.size > 3 else ""
    return (
        f"{off.size} of {len(names)} normals are not of length 1 ({told}{more}); they were "
        "normalised. A mistyped component also turns the direction: check them.",
    )
