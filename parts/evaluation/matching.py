"""Which measured point is which point of the job."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

import numpy as np

from parts.evaluation.errors import EvaluationError
from parts.evaluation.measured import MeasuredPoints
from robots.core.arrays import Indices


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Matched:
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


def matched(names: Sequence[str], features: Sequence[str], measured: MeasuredPoints) -> Matched:
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
    return Matched(
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
