"""Faces of the translator matched with those of the text, which knows their names and shells."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace

import numpy as np

from parts.geometry.body import Body, Patch
from parts.geometry.step_text import StepFace, StepShell, StepText
from parts.geometry.surfaces import Cone, Cylinder, Sphere, Surface, Torus
from parts.geometry.units import METRES

SAME = 1e-6  # relative; the translator prints its lengths with fewer digits than the file has
Key = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Translated:
    """A body of the translator.

    Args:
        body: as placed.
        shape: equal for the places of one shape.
    """

    body: Body
    shape: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Matched:
    """Bodies that the text knows as far as it can be told.

    Args:
        bodies: one for each shell; those that do not match the text, whole and without names.
        missing: faces of the text that no shape has.
        foreign: faces of shapes that are not those of the text.
        unnamed: whether names stand in the text that could not be given.
    """

    bodies: tuple[Body, ...]
    missing: int
    foreign: int
    unnamed: bool


def with_shells(text: StepText, translated: list[Translated]) -> Matched:
    """Bodies cut into one for each shell, their faces named as in the file.

    The translator keeps the order of the faces of a shell, but not that of the shells, and may
    split or lose faces. So a run of its faces is a shell of the text only where kinds and radii of
    all faces agree.

    Args:
        text: of the file.
        translated: its bodies; a shape may be placed several times.
    """
    known = _Shells(text)
    pieces: list[Body] = []
    runs: dict[int, list[_Run]] = {}
    for one in translated:
        if one.shape not in runs:
            runs[one.shape] = known.runs(one.body.patches)
        pieces += _cut(one.body, runs[one.shape])
    found = [run for shape in runs.values() for run in shape]
    return Matched(
        bodies=tuple(pieces),
        missing=sum(len(shell.faces) for shell in text.shells) - known.used,
        foreign=sum(run.count for run in found if run.shell is None),
        unnamed=any(run.shell is None or run.doubtful for run in found)
        and any(face.name for shell in text.shells for face in shell.faces),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Run:
    """So many faces of a body that are a shell, or are none that is known.

    Args:
        count: of faces.
        shell: that they are; None where that is not known.
        doubtful: it may be another one that differs by names only, so none are given.
    """

    count: int
    shell: StepShell | None
    doubtful: bool = False


class _Shells:
    """The shells of a text, found by the kinds of their faces."""

    def __init__(self, text: StepText) -> None:
        self._shells = text.shells
        self._units = (METRES[text.unit],) if text.unit else tuple(METRES.values())
        self._by_kinds: dict[Key, list[int]] = defaultdict(list)
        for place, shell in enumerate(text.shells):
            self._by_kinds[_key(shell.kinds)].append(place)
        self._counts = sorted({len(key) for key in self._by_kinds}, reverse=True)
        self._used: set[int] = set()

    @property
    def used(self) -> int:
        """Number of faces of the shells that were found."""
        return sum(len(self._shells[place].faces) for place in self._used)

    def runs(self, patches: tuple[Patch, ...]) -> list[_Run]:
        """A body as runs of faces; one run without shell where it does not match throughout."""
        kinds = _key(tuple(patch.kind for patch in patches))
        runs: list[_Run] = []
        start, last, before = 0, -1, set(self._used)
        while start < len(patches):
            fitting = self._fitting(patches, kinds, start)
            if not fitting:
                self._used = before
                return [_Run(count=len(patches), shell=None)]
            # shells of a body mostly follow each other in the text, too
            last = min(fitting, key=lambda place: (place in self._used, place <= last, place))
            shell = self._shells[last]
            equal = [self._shells[place] for place in fitting]
            equal = [one for one in equal if len(one.faces) == len(shell.faces)]
            if len({one.solid for one in equal}) > 1:
                self._used = before
                return [_Run(count=len(patches), shell=None)]
            names = {tuple(face.name for face in one.faces) for one in equal}
            runs.append(_Run(count=len(shell.faces), shell=shell, doubtful=len(names) > 1))
            self._used.add(last)
            start += len(shell.faces)
        return runs

    def _fitting(self, patches: tuple[Patch, ...], kinds: Key, start: int) -> list[int]:
        """Shells that the next faces may be; where several may, those at the same place."""
        fitting = [
            place
            for count in self._counts
            for place in self._by_kinds.get(kinds[start : start + count], ())
            if _same_sizes(
                self._shells[place].faces, patches[start : start + count], tuple(METRES.values())
            )
        ]
        if len(fitting) < 2:
            return fitting
        there = [
            place
            for place in fitting
            if _same_origins(
                self._shells[place].faces,
                patches[start : start + len(self._shells[place].faces)],
                self._units,
            )
        ]
        return there or fitting


def _key(kinds: tuple[str, ...]) -> Key:
    """Kinds as the translator tells them: it describes no triangulated face."""
    return tuple("freeform" if kind == "facets" else kind for kind in kinds)


def _same_sizes(
    faces: tuple[StepFace, ...], patches: tuple[Patch, ...], units: tuple[float, ...]
) -> bool:
    """Whether all radii are those of the text, in one unit."""
    pairs = [
        pair
        for face, patch in zip(faces, patches, strict=True)
        for pair in zip(face.sizes, _radii(patch.surface), strict=False)
    ]
    if not pairs:
        return True
    told, found = np.array(pairs).T
    return any(np.allclose(unit * told, found, rtol=SAME, atol=1e-12) for unit in units)


def _same_origins(
    faces: tuple[StepFace, ...], patches: tuple[Patch, ...], units: tuple[float, ...]
) -> bool:
    """Whether surfaces are where the text has them; that is so for parts that are not placed."""
    for face, patch in zip(faces, patches, strict=True):
        if patch.surface is None or isinstance(patch.surface, Cone) or len(face.origin) != 3:
            continue  # where on its axis the text puts a cone is the text's choice
        gaps = [
            abs(float(patch.surface.distance(unit * np.array([face.origin]))[0]) - level)
            for unit in units
            for level in _levels(patch.surface)
        ]
        if min(gaps) > SAME * (1.0 + max(map(abs, face.origin))) * 1e-3:
            return False
    return True


def _radii(surface: Surface | None) -> tuple[float, ...]:
    """Lengths that the text states for a surface, in its order. [m]."""
    if isinstance(surface, Cylinder | Sphere):
        return (surface.radius,)
    if isinstance(surface, Torus):
        return (surface.major_radius, surface.minor_radius)
    return ()


def _levels(surface: Surface) -> tuple[float, ...]:
    """Distances of its own origin from a surface, either side."""
    if isinstance(surface, Torus):
        gap = surface.major_radius - surface.minor_radius
        return (gap, -gap)
    radius = sum(_radii(surface))
    return (radius, -radius)


def _cut(body: Body, runs: list[_Run]) -> list[Body]:
    pieces: list[Body] = []
    place = 0
    for run in runs:
        patches = list(body.patches[place : place + run.count])
        place += run.count
        if run.shell is not None:
            patches = [
                replace(
                    patch,
                    name="" if run.doubtful else face.name,
                    kind="facets" if face.kind == "facets" else patch.kind,
                )
                for patch, face in zip(patches, run.shell.faces, strict=True)
            ]
        sheet = run.shell is not None and not run.shell.solid
        pieces.append(replace(_piece(body, patches), sheet=sheet))
    return pieces


def _piece(body: Body, patches: list[Patch]) -> Body:
    if len(patches) == len(body.patches):
        return replace(body, patches=tuple(patches))
    rows = np.concatenate([patch.triangles for patch in patches])
    used, corners = np.unique(body.faces[rows], return_inverse=True)
    starts = np.cumsum([0, *(len(patch.triangles) for patch in patches)])
    renumbered = [
        replace(patch, triangles=np.arange(start, start + len(patch.triangles)))
        for patch, start in zip(patches, starts[:-1], strict=True)
    ]
    return replace(
        body,
        vertices=body.vertices[used],
        faces=corners.reshape(-1, 3),
        patches=tuple(renumbered),
        normals=None if body.normals is None else body.normals[used],
    )
