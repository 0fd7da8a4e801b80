"""What the text of a STEP file tells beside its geometry: unit, extent, names of faces."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

_ENTITY = r"#(\d+)\s*=\s*"
_STRING = r"'((?:[^']|'')*)'"
_FACE = re.compile(
    _ENTITY
    + r"(?:ADVANCED_FACE|FACE_SURFACE)\s*\(\s*"
    + _STRING
    + r"\s*,\s*\([^();]*\)\s*,\s*#(\d+)"
)
_SHELL = re.compile(
    _ENTITY + r"(?:CLOSED_SHELL|OPEN_SHELL)\s*\(\s*" + _STRING + r"\s*,\s*\(([^();]*)\)"
)
_SURFACE = re.compile(
    _ENTITY + r"(PLANE|CYLINDRICAL_SURFACE|CONICAL_SURFACE|SPHERICAL_SURFACE|TOROIDAL_SURFACE)\b"
)
_POINT = re.compile(r"CARTESIAN_POINT\s*\(\s*'[^']*'\s*,\s*\(([^()]*)\)")
# A search that may not pass its own beginning goes over no text twice, and one that has its ends
# in sight stops at them: files of a gigabyte are read.
_METRIC = re.compile(
    r"LENGTH_UNIT\s*\(\s*\)(?:(?!LENGTH_UNIT)[^;])*?"
    r"SI_UNIT\s*\(\s*(\$|\.\w+\.)\s*,\s*\.METRE\.\s*\)"
)
_OTHER = re.compile(
    r"CONVERSION_BASED_UNIT\s*\(\s*'([^']*)'(?:(?!CONVERSION_BASED_UNIT)[^;])*?LENGTH_UNIT",
    re.IGNORECASE,
)
_WIDE = re.compile(r"\\X2\\((?:[0-9A-Fa-f]{4})*)\\X0\\")
_KINDS = {
    "PLANE": "plane",
    "CYLINDRICAL_SURFACE": "cylinder",
    "CONICAL_SURFACE": "cone",
    "SPHERICAL_SURFACE": "sphere",
    "TOROIDAL_SURFACE": "torus",
}
_PREFIXES = {"$": "m", ".MILLI.": "mm", ".CENTI.": "cm", ".MICRO.": "um"}
_CONVERSIONS = {"INCH": "in", "FOOT": "ft"}
_NAMELESS = ("", "NONE")


@dataclass(frozen=True, slots=True, kw_only=True)
class StepText:
    """The text of a file, and its faces in the order of its shells.

    Args:
        text: all of it.
        face_names: the file's own; empty where it has none.
        face_kinds: as in ``Face``.
        shell_sizes: number of faces of each shell.
    """

    text: str
    face_names: tuple[str, ...]
    face_kinds: tuple[str, ...]
    shell_sizes: tuple[int, ...]


def step_text(raw: bytes) -> StepText:
    """Read the names and kinds of the faces."""
    text = raw.decode("utf-8", "replace")
    surfaces = {found[1]: _KINDS[found[2]] for found in _SURFACE.finditer(text)}
    faces = {f[1]: (_decoded(f[2]), surfaces.get(f[3], "freeform")) for f in _FACE.finditer(text)}
    shells = [
        [face for face in re.findall(r"#(\d+)", shell[3]) if face in faces]
        for shell in _SHELL.finditer(text)
    ]
    order = [face for shell in shells for face in shell]
    return StepText(
        text=text,
        face_names=tuple(faces[face][0] for face in order),
        face_kinds=tuple(faces[face][1] for face in order),
        shell_sizes=tuple(map(len, shells)),
    )


def unit_of(text: StepText) -> str:
    """Length unit of the file; empty where it is not found."""
    other = _OTHER.search(text.text)
    if other and other[1].upper() in _CONVERSIONS:
        return _CONVERSIONS[other[1].upper()]
    metric = _METRIC.search(text.text)
    return _PREFIXES.get(metric[1], "") if metric else ""


def extent_of(text: StepText) -> float:
    """Largest extent of all points of the file, roughly the size of the part. # [m]."""
    low, high = np.full(3, np.inf), np.full(3, -np.inf)
    for found in _POINT.finditer(text.text):
        try:
            point = np.array([float(word) for word in found[1].split(",")])
        except ValueError:
            continue
        if point.shape == (3,) and np.isfinite(point).all():
            low, high = np.minimum(low, point), np.maximum(high, point)
    scale = {"m": 1.0, "cm": 1e-2, "um": 1e-6, "in": 0.0254, "ft": 0.3048}.get(unit_of(text), 1e-3)
    extent = float((high - low).max()) * scale
    return extent if 0.0 < extent < 1e6 else 0.0


def _decoded(text: str) -> str:
    """A string of Part 21: quotes are doubled, other letters written as hexadecimal."""
    wide = _WIDE.sub(
        lambda m: bytes.fromhex(m[1]).decode("utf-16-be", "replace"), text.replace("''", "'")
    )
    name = wide.strip()[:100]
    return "" if name.upper() in _NAMELESS else name
