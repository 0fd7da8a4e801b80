"""Names of features in a job: those of its own, and wildcards that stand for several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from difflib import get_close_matches
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

import numpy as np

from parts.points import ProbePoints
from planner.job.job_text import JobText
from robots.core.arrays import Array
from robots.core.schema_problems import KeyPath

if TYPE_CHECKING:
    from parts.geometry import Geometry
    from planner.job.part import JobGeometry
    from planner.job.schema import FeatureTable

_WILD = "*?["
_MOST_NAMED = 5
_NOBODY = "no point has"
_ON_FEATURE = 1e-4  # [m]: a point that lies farther off was meant for another part


def features_of(points: ProbePoints) -> tuple[str, ...]:
    """Names of the features that points carry, each once, in their order."""
    return tuple(name for name in dict.fromkeys(points.features) if name)


def matching(
    name: str, known: Sequence[str], path: KeyPath, source: JobText, *, what: str = _NOBODY
) -> tuple[str, ...]:
    """Names that a name or a wildcard (``hole-*``) stands for, in the order of ``known``.

    Args:
        name: as the job has it.
        known: names that there are.
        path: of the key.
        source: for messages.
        what: of an unknown name, after "which".

    Raises:
        JobError: it stands for none; the message says which names are near.
    """
    if name in known:
        return (name,)
    found = tuple(one for one in known if fnmatchcase(one, name)) if is_wildcard(name) else ()
    if found:
        return found
    if not known:
        raise source.error(
            path,
            f"is {name!r}, but the points have no features; give each its feature, or remove the "
            "table.",
            found=name,
        )
    wild = is_wildcard(name)
    where = "the points have" if what == _NOBODY else "there are"
    close = get_close_matches(name.rstrip(_WILD), known, n=3, cutoff=0.5)
    near = (
        f"did you mean {' or '.join(map(repr, close))}?" if close else f"{where} {_named(known)}."
    )
    raise source.error(
        path,
        f"is {name!r}, which {'matches no feature' if wild else what}; {near}",
        found=name,
    )


def the_one(name: str, known: Sequence[str], path: KeyPath, source: JobText) -> str:
    """The feature that a name or a wildcard stands for, where only one is meant.

    Raises:
        JobError: none, or several.
    """
    found = matching(name, known, path, source)
    if len(found) > 1:
        raise source.error(
            path,
            f"is {name!r}, which matches {len(found)} features ({_named(found)}), but a datum is "
            "one; name it.",
            found=name,
        )
    return found[0]


def expanded(
    names: Sequence[str], known: Sequence[str], table: str, source: JobText
) -> tuple[tuple[str, ...], ...]:
    """Features of each ``[[table.feature]]``; one that is named in full is in no wildcard's.

    Raises:
        JobError: a name that stands for nothing, or for a feature that has its table already.
    """
    exact = {name for name in names if name in known}
    owner: dict[str, str] = {}
    found: list[tuple[str, ...]] = []
    for place, name in enumerate(names):
        path = (table, "feature", place, "name")
        own = matching(name, known, path, source)
        own = own if name in exact else tuple(one for one in own if one not in exact)
        for one in own:
            if one in owner and owner[one] == name:
                raise source.error(path, f"is {name!r} again; keep one table for it.")
            if one in owner:
                raise source.error(
                    path,
                    f"is {name!r}, which matches {one!r} as {owner[one]!r} does; name {one!r} in a "
                    "table of its own.",
                )
            owner[one] = name
        found.append(own)
    return tuple(found)


def is_wildcard(name: str) -> bool:
    """Whether a name may stand for several."""
    return any(sign in name for sign in _WILD)


def renamed(
    points: ProbePoints,
    tables: tuple[FeatureTable, ...],
    geometry: JobGeometry,
    surface: Array,
    source: JobText,
) -> ProbePoints:
    """Points with the names that ``[[feature]]`` gives their features.

    Args:
        points: of the job.
        tables: of the job file.
        geometry: of the part, loaded only where a name is not one of the points'.
        surface: where they touch it, in the part frame. # (n, 3) [m]
        source: for messages.

    Raises:
        JobError: a feature that is nowhere, or has another name already; a name that is taken.
    """
    names = list(points.features)
    known = features_of(points)
    given: dict[str, str] = {}
    for place, table in enumerate(tables):
        path: KeyPath = ("feature", place)
        if table.source in given:
            raise source.error(
                (*path, "is"),
                f"is {table.source!r}, which is called {given[table.source]!r} already; keep one "
                "table for it.",
            )
        sources = {one.source for one in tables}
        if table.name in given.values() or (table.name in known and table.name not in sources):
            raise source.error(
                (*path, "name"),
                f"is {table.name!r}, as another feature is called; choose another name.",
                found=table.name,
            )
        given[table.source] = table.name
        if table.source in known:
            rows = [row for row, name in enumerate(points.features) if name == table.source]
        else:
            rows = _rows_on(table, points, geometry.loaded, surface, (*path, "is"), source)
        for row in rows:
            names[row] = table.name
    return replace(points, features=tuple(names)) if tables else points


def _rows_on(
    table: FeatureTable,
    points: ProbePoints,
    geometry: Geometry | None,
    surface: Array,
    path: KeyPath,
    source: JobText,
) -> list[int]:
    """Rows of the points without a feature that lie on one of the part's."""
    from parts.features.recognition import form_features

    known = features_of(points)
    forms = () if geometry is None else form_features(geometry)
    matching(
        table.source,
        (*known, *(one.name for one in forms if one.name not in known)),
        path,
        source,
        what="neither the points nor the part have",
    )
    form = next((one for one in forms if one.name == table.source), None)
    if form is None or geometry is None:
        raise source.error(path, f"is {table.source!r}, but a name stands for one feature.")
    bare = np.flatnonzero([not name for name in points.features])
    if len(bare):
        feet = geometry.closest(surface[bare])
        on = np.isin(feet.triangles, form.triangles) & (feet.distances <= _ON_FEATURE)
        bare = bare[on]
    if not len(bare):
        raise source.error(
            path,
            f"is {table.source!r}, a feature of the part, but no point without a feature lies "
            f"within {1e3 * _ON_FEATURE:g} mm of it; name a feature of the points"
            f"{f' ({_named(known)})' if known else ''}, or sample it.",
            found=table.source,
        )
    return [int(row) for row in bare]


def _named(known: Sequence[str]) -> str:
    more = f" and {len(known) - _MOST_NAMED} more" if len(known) > _MOST_NAMED else ""
    return ", ".join(map(repr, known[:_MOST_NAMED])) + more
