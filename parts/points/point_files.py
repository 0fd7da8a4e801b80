"""Point files of every format: which format it is, and what the caller must add."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path, PurePath

from parts.errors import PointsError
from parts.points.csv_file import FORMAT as CSV
from parts.points.csv_file import csv_points, is_header, without_comments
from parts.points.dmis_file import FORMAT as DMIS
from parts.points.dmis_file import dmis_points
from parts.points.file_text import SCALES, check_size, encoding_of, fault, file_bytes, lines_of
from parts.points.qif_document import FORMAT as QIF
from parts.points.qif_file import QifChoice, qif_points
from parts.points.raw_points import RawPoints, surface_points
from parts.points.text_lists import (
    LISTS,
    POWER_INSPECT,
    is_list,
    is_power_inspect,
    is_xyz,
    list_points,
    only_power_inspect,
    power_inspect_points,
    xyz_points,
)
from parts.points.text_lists import XYZ_FORMAT as XYZ

FORMATS = {
    "csv": CSV,
    "dmis": DMIS,
    **LISTS,
    "power-inspect": POWER_INSPECT,
    "qif": QIF,
    "xyz": XYZ,
}
_ENDINGS = {
    ".csv": "csv",
    ".dmi": "dmis",
    ".dmis": "dmis",
    ".dms": "dmis",
    ".pts": "power-inspect",
    ".qif": "qif",
    ".xyz": "xyz",
}
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")  # XML may be written so
_DMIS_STARTS = ("$$", "DMISMN/", "FILNAM/", "UNITS/")
_FIRST = 100_000  # bytes that are looked at to tell the format
_LINES = 200


def read_points(
    path: Path | str,
    *,
    ball_diameter: float | None = None,
    compensated: bool | None = None,
    unit: str | None = None,
    format: str | None = None,
    choice: QifChoice | None = None,
) -> RawPoints:
    """Read a point file of any known format, with unit and compensation settled.

    Args:
        path: of the file.
        ball_diameter: of the ball; needed where coordinates are its centres. [m]
        compensated: for a file that does not say: True where its points lie on the surface, False
            where they are centres of the ball.
        unit: of a file that carries none: "mm", "cm", "m", "in" or "ft"; refused where it
            contradicts the file.
        format: a key of ``FORMATS``, where name and content do not tell; "auto" or None to ask
            them.
        choice: "nominal" or "measured", for a QIF document that has both.

    Returns:
        The points on the surface; ``points`` are the probe points, ``source`` the record.

    Raises:
        PointsError: not readable, no known format, no unit, centres without a ball, or a fault;
            with file, line, what was found and what was expected.
    """
    raw = file_bytes(path)
    found = read_raw_points(
        raw, origin=PurePath(path).name, unit=unit, format=format, choice=choice
    )
    return surface_points(found, ball_diameter=ball_diameter, compensated=compensated)


def read_raw_points(
    raw: bytes,
    *,
    origin: str,
    unit: str | None = None,
    format: str | None = None,
    choice: QifChoice | None = None,
) -> RawPoints:
    """Points as they stand in the content of a file: they may be ball centres, or lack normals.

    Args:
        raw: content of the file.
        origin: its name, for messages and its ending.
        unit: as for ``read_points``.
        format: as for ``read_points``.
        choice: as for ``read_points``.

    Raises:
        PointsError: as for ``read_points``.
    """
    check_size(raw, origin)
    if unit is not None and unit not in SCALES:
        raise fault(origin, f"the unit {unit!r} is not known; expected one of {', '.join(SCALES)}.")
    kind = format_of(raw, origin) if format in (None, "auto") else str(format)
    readers: dict[str, Callable[[], RawPoints]] = {
        "csv": lambda: csv_points(raw, origin=origin, unit=unit),
        "dmis": lambda: dmis_points(raw, origin=origin, unit=unit, choice=choice),
        "power-inspect": lambda: power_inspect_points(raw, origin=origin, unit=unit),
        "qif": lambda: qif_points(raw, origin=origin, choice=choice),
        "xyz": lambda: xyz_points(raw, origin=origin),
    }
    if kind in LISTS:
        readers[kind] = lambda: list_points(raw, origin=origin, unit=unit, format=kind)
    if kind not in readers:
        raise fault(
            origin, f"the format {kind!r} is not known; expected one of {', '.join(FORMATS)}."
        )
    found = readers[kind]()
    _check_unit(found, unit)
    return found


def format_of(raw: bytes, origin: str) -> str:
    """Key of a file's format, by its content and its ending, which must not contradict.

    Raises:
        PointsError: they do, several formats fit, or none does.
    """
    by_name = _ENDINGS.get(PurePath(origin).suffix.lower())
    fits = _by_content(raw)
    if len(fits) > 1:
        raise _several(fits, origin)
    by_content = fits[0] if fits else None
    if by_name and by_content and by_name != by_content:
        raise fault(
            origin,
            f"the name says {FORMATS[by_name]}, but the content looks like {FORMATS[by_content]}; "
            f"rename the file to end in {_usual(by_content)}, or correct the content.",
            choices=(by_name, by_content),
        )
    kind = by_content or by_name
    if kind is None:
        raise _unknown(raw, origin)
    return kind


def _by_content(raw: bytes) -> tuple[str, ...]:
    """Keys of the formats that fit the first lines."""
    text = _start(raw)
    if is_xyz(text):
        return ("xyz",)
    if text.lstrip()[:1] == "<" or (raw[:2] in _UTF_16 and b"<" in raw[:200]):
        return ("qif",)
    plain = without_comments(text)[0]
    for lines in (lines_of(text), lines_of(plain)):
        first = next((line.strip() for line in lines if line.strip(" \t,;")), "")
        if first.upper().replace(" ", "").startswith(_DMIS_STARTS):
            return ("dmis",)
        if is_header(first):
            return ("csv",)
    some = [line for line in lines_of(plain) if line.strip()][:_LINES]
    spaced = bool(some) and is_power_inspect(some[0])
    if spaced and any(map(only_power_inspect, some)):
        return ("power-inspect",)
    if some and is_list(some[0]):
        return (*LISTS, "power-inspect") if spaced else tuple(LISTS)
    return ("power-inspect",) if spaced else ()


def _start(raw: bytes) -> str:
    """Text of the first bytes, for its format only."""
    start = raw[:_FIRST]
    return start.decode(encoding_of(start), errors="replace").lstrip("\ufeff")


def _several(fits: tuple[str, ...], origin: str) -> PointsError:
    told = [f'"{kind}"' for kind in fits if kind in LISTS]
    centres = "power-inspect" in fits
    return fault(
        origin,
        "a list without header, as several systems write it, and which one is never guessed; say "
        f"format = {', '.join(told)} (points on the surface)"
        + (' or "power-inspect" (centres of the ball)' if centres else "")
        + " in [points] of the job, or --format for measured points; or give a header "
        "(name,x_mm,y_mm,z_mm,nx,ny,nz).",
        choices=fits,
    )


def _usual(kind: str) -> str:
    """Endings of a format."""
    return " or ".join(ending for ending, key in _ENDINGS.items() if key == kind)


def _unknown(raw: bytes, origin: str) -> PointsError:
    known = ", ".join(
        f"{name} ({_usual(key)})" if _usual(key) else name for key, name in FORMATS.items()
    )
    found = "neither the name nor the first line tells the format"
    if not raw.strip():
        found = "the file is empty"
    elif b"\0" in raw[:_FIRST]:
        found = "this is a binary file, not points; save a workbook's sheet as CSV"
    return fault(
        origin,
        f"{found}; give points, in a file with the usual ending. Known are {known}.",
        choices=tuple(FORMATS),
    )


def _check_unit(found: RawPoints, unit: str | None) -> None:
    if unit is not None and found.source.unit != unit:
        raise fault(
            found.source.origin,
            f"the lengths are in {found.source.unit} ({found.source.unit_from}), but the unit is "
            f"given as {unit!r}; correct the one that is wrong.",
            found=found.source.unit,
            expected=unit,
        )
