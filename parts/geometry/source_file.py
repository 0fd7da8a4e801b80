"""Geometry files as read: their bytes, their unit, and the bodies that a reader delivers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from parts.errors import PartError
from parts.geometry.surfaces import Surface
from robots.core.arrays import Array, Indices
from robots.core.caps import Cap, reason_of
from robots.core.caps import read_capped as read_file

_LINE_END = re.compile(rb"\r\n|\r|\n")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SourceFile:
    """A file read into memory.

    Args:
        name: for messages.
        raw: its bytes.
        folder: that files named by it must lie in; None allows no other file.
    """

    name: str
    raw: bytes
    folder: Path | None

    def error(self, sentence: str, **facts: object) -> PartError:
        """An error about this file; ``sentence`` starts in lower case, ends with a full stop."""
        return PartError(f"{self.name}: {sentence}", file=self.name, **facts)

    def check_count(self, what: str, count: int, cap: Cap, *, times: int = 1) -> None:
        """Refuse more of something than a cap allows.

        Args:
            what: is counted.
            count: of it.
            cap: that holds.
            times: how many of it one unit of the cap stands for.

        Raises:
            PartError: there are more.
        """
        if count > times * cap.limit:
            raise self.error(
                f"it has {count} {what}; expected at most {times * cap.limit}. Export it coarser, "
                f"or, if the file is trusted, {cap.advice}.",
                found=count,
                limit=times * cap.limit,
            )


def lines_of(file: SourceFile) -> Iterator[bytes]:
    """Lines of a text file one after the other, whatever ends them; never a list of all.

    Raises:
        PartError: a line over the cap.
    """
    cap, place, number = Cap.GEOMETRY_LINE, 0, 0
    limit = cap.limit
    while place < len(file.raw):
        number += 1
        end = _LINE_END.search(file.raw, place, place + limit + 2)
        if end is None and len(file.raw) - place > limit:
            raise file.error(
                f"line {number} has more than {limit} bytes; it is not text, or damaged. "
                f"Export it again, or, if the file is trusted, {cap.advice}.",
                line=number,
                limit=limit,
            )
        yield file.raw[place : end.start() if end else None]
        place = end.end() if end else len(file.raw)


def read_source(path: Path) -> SourceFile:
    """Read a file, not more of it than the cap.

    Raises:
        PartError: not readable, no regular file, empty, or over the cap.
    """
    raw = read_capped(path, path.name)
    if not raw:
        raise PartError(f"{path.name}: the file is empty; export it again.", file=path.name)
    return SourceFile(name=path.name, raw=raw, folder=path.parent)


def read_capped(path: Path, name: str, *, spent: int = 0) -> bytes:
    """Content of a geometry file, or of one that it names.

    Args:
        path: of the file.
        name: for messages.
        spent: bytes that the files before it had.

    Raises:
        PartError: not readable, no regular file, or over the cap.
    """
    try:
        return read_file(path, Cap.GEOMETRY_BYTES, spent=spent)
    except OSError as error:
        raise PartError(
            f"{name}: the file cannot be read: {reason_of(error)}.", file=name
        ) from error


# ------------------------------------------------------------------------------------------ Bodies


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FacePatch:
    """A face of a body.

    Args:
        name: the file's own; empty where it has none.
        kind: as in ``Face``.
        surface: analytic surface in the frame of the part; None where there is none. # [m]
        triangles: rows of the body's faces. # (t,)
        deflection: of the triangles from the true surface, where it cannot be measured. # [m]
        identity: number of its statement in a STEP file; 0 where that is not known.
    """

    name: str
    kind: str
    surface: Surface | None
    triangles: Indices
    deflection: float = 0.0
    identity: int = 0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MeshBody:
    """A piece of geometry whose vertices may be merged with each other.

    Args:
        name: the file's own; empty where it has none.
        vertices: corners, in the unit of the file. # (v, 3)
        faces: three of them for each triangle. # (f, 3)
        patches: its faces; empty for one face of all triangles.
        normals: of the surface at the vertices; None where none are to be
            trusted. # (v, 3)
        sheet: the file says that it is a surface beside its solids.
    """

    name: str
    vertices: Array
    faces: Indices
    patches: tuple[FacePatch, ...] = ()
    normals: Array | None = None
    sheet: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class GeometryContent:
    """A geometry file as read.

    Args:
        bodies: at least one.
        unit: that the file states: "mm", "m", "in", …; empty where it carries none.
        in_metres: the translator has already brought the numbers to metres.
        notes: what a reader of the report should know, one sentence each.
        doubts: what may be wrong with the reading, one sentence each.
    """

    bodies: tuple[MeshBody, ...]
    unit: str = ""
    in_metres: bool = False
    notes: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()


# ------------------------------------------------------------------------------------------- Units

METRES = {"m": 1.0, "mm": 1e-3, "cm": 1e-2, "um": 1e-6, "in": 0.0254, "ft": 0.3048}
GIVEN = ("mm", "cm", "m", "in")  # what a user may state
_NAMES = {  # how 3MF spells them
    "micron": "um",
    "millimeter": "mm",
    "centimeter": "cm",
    "inch": "in",
    "foot": "ft",
    "meter": "m",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class FileUnit:
    """The unit of a file, settled.

    Args:
        unit: of its numbers.
        scale: metres per unit of the file.
        note: where the unit came from, one sentence.
    """

    unit: str
    scale: float
    note: str


def file_unit(file: SourceFile, carried: str, given: str | None) -> FileUnit:
    """Settle the unit.

    Args:
        file: for messages.
        carried: unit that the file states; empty where its format has none.
        given: unit that the user states.

    Raises:
        PartError: nobody states one, both do and differ, or it is unknown.
    """
    carried = _NAMES.get(carried, carried)
    if given is not None and given not in GIVEN:
        raise file.error(
            f"the unit {given[:40]!r} is not known; expected {', '.join(GIVEN)}.", found=given[:40]
        )
    if carried and carried not in METRES:
        raise file.error(
            f"it states the unit {carried[:40]!r}, which is not known; expected "
            f"{', '.join(_NAMES)}.",
            found=carried[:40],
        )
    if not carried and given is None:
        raise file.error(
            "its format carries no unit, and a unit is never guessed; state it: --unit mm on the "
            'command line, unit="mm" in Python (or cm, m, in).'
        )
    if carried and given is not None and given != carried:
        raise file.error(
            f"the unit {given!r} was stated, but the file itself says {carried!r}; leave the unit "
            "out, or correct it.",
            found=given,
            expected=carried,
        )
    unit = carried or str(given)
    who = "as the file states" if carried else "as stated; the file carries no unit"
    shown = "inches" if unit == "in" else unit
    return FileUnit(unit=unit, scale=METRES[unit], note=f"Lengths are in {shown}, {who}.")


# ------------------------------------------------------------------ Transforms of scenes and builds


def chained(file: SourceFile, above: Array, local: Array) -> Array:
    """The transform of a child in the coordinates of the root. # (4, 4).

    Raises:
        PartError: the product is not finite.
    """
    with np.errstate(all="ignore"):  # what overflows is refused in the next line
        T = above @ local
    if not np.isfinite(T).all():
        raise file.error("a transform of its scene is not finite; it is damaged. Export it again.")
    return np.asarray(T)


def carried(vertices: Array, T: Array) -> Array:
    """Vertices after a transform; those that are not finite stay so, and are refused later."""
    with np.errstate(all="ignore"):
        return np.asarray(vertices @ T[:3, :3].T + T[:3, 3])


def turned(faces: Indices, T: Array) -> Indices:
    """Triangles after a transform; one that mirrors turns them the other way round."""
    with np.errstate(all="ignore"):
        mirrors = np.linalg.det(T[:3, :3]) < 0.0
    return faces[:, ::-1] if mirrors else faces
