"""What an order must keep: features in one go, locked runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from planner.errors import JobError
from robots.core.arrays import Indices


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Rules:
    """What a free visiting order must keep.

    Args:
        group: number of the group that each point is visited with, without interruption; -1 for
            points that are free. # (points,)
        runs: points that are visited in that very order, without interruption.

    Raises:
        JobError: a run with a point that does not exist, is named twice or is of another group.
    """

    group: Indices
    runs: tuple[tuple[int, ...], ...] = ()

    def __post_init__(self) -> None:
        seen: set[int] = set()
        for run in self.runs:
            for k in run:
                if not 0 <= k < self.group.size:
                    raise JobError(
                        f"A locked run names point {k}; there are {self.group.size}.", point=k
                    )
                if k in seen:
                    raise JobError(f"Point {k} stands in locked runs twice; name it once.", point=k)
                seen.add(k)
            if len({int(self.group[k]) for k in run}) > 1:
                raise JobError(
                    f"The locked run of points {', '.join(map(str, run))} leaves its feature; "
                    'lock points of one feature only, or group = "none".',
                    run=run,
                )

    @classmethod
    def none(cls, points: int) -> Rules:
        """Any order is right."""
        return cls(group=np.full(points, -1, dtype=np.int64))

    @classmethod
    def named(
        cls,
        names: Sequence[str],
        features: Sequence[str] = (),
        locked: Sequence[Sequence[str]] = (),
    ) -> Rules:
        """Rules from names.

        Args:
            names: of all points.
            features: that the points are grouped by, empty for a free one; none for no groups.
            locked: names of the points of each locked run.

        Raises:
            JobError: see the class; a name that does not exist.
        """
        number = {name: k for k, name in enumerate(names)}
        unknown = [name for run in locked for name in run if name not in number]
        if unknown:
            raise JobError(
                f"A locked run names {unknown[0]!r}, and there is no such point.", name=unknown[0]
            )
        groups = {feature: k for k, feature in enumerate(dict.fromkeys(features)) if feature}
        group = [groups.get(feature, -1) for feature in features] or [-1] * len(names)
        return cls(
            group=np.array(group, dtype=np.int64),
            runs=tuple(tuple(number[name] for name in run) for run in locked),
        )

    def kept_by(self, visits: Indices) -> bool:
        """Whether an order keeps them; points that are not visited do not count."""
        place = np.full(self.group.size, -1, dtype=np.int64)
        place[visits] = np.arange(visits.size)
        runs = [place[list(run)] for run in self.runs]
        if any(np.any(np.diff(places[places >= 0]) != 1) for places in runs):
            return False
        group = self.group[visits]
        changes = np.nonzero(np.diff(group, prepend=-2))[0]
        entered = group[changes][group[changes] >= 0]
        return bool(entered.size == np.unique(entered).size)
