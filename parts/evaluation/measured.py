"""Measured points: what came back from the machine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from parts.evaluation.errors import EvaluationError
from parts.points import Untaken
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
            radius that is negative.
    """

    names: tuple[str, ...]
    xyz: Array
    frame: Frame = "part"
    compensated: bool = True
    settled: Mask | None = None
    probe_radius: float = 0.0
    directions: Array | None = None
    features: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    untaken: tuple[Untaken, ...] = ()
    beyond: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        count = len(self.names)
        xyz = _rows(self.xyz, count, "coordinates")
        _check(self.names, xyz, self.probe_radius)
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
