"""Bipeds by name: the library's own, or a file of the user's."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from robots.biped.biped import Biped
from robots.biped.biped_file.read import biped_of, drives_of
from robots.core.catalogue import Catalogue
from robots.core.errors import RobotFileError
from robots.core.robot_file.source_text import SourceText, read_text

if TYPE_CHECKING:
    from robots.core.transmission import Drives

_BIPEDS = Catalogue(package="robots.biped.library", thing="biped")
biped_names, text_of = _BIPEDS.names, _BIPEDS.text_of


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class KnownDrives:
    """Drives of a biped, or the reason why there are none.

    Args:
        drives: None where they are not known.
        reason: one sentence; empty where they are.
    """

    drives: Drives | None
    reason: str = ""


def open_biped(name_or_path: str) -> Biped:
    """A biped as users give it: a library name, or a path ending in .toml.

    Raises:
        RobotFileError: neither; or a file that cannot be read as a biped.
    """
    source, folder = _source(name_or_path)
    return biped_of(source, folder)


def open_drives(name_or_path: str) -> Drives:
    """Motors and transmissions of the same biped, in the order of its file.

    Raises:
        RobotFileError: as for ``open_biped``; or a file without transmissions.
    """
    source, folder = _source(name_or_path)
    return drives_of(source, folder)


def known_drives(robot: str) -> KnownDrives:
    """The drives of a robot whose file has been read as a biped already."""
    try:
        return KnownDrives(drives=open_drives(robot))
    except RobotFileError as error:
        return KnownDrives(drives=None, reason=error.message)


def _source(name_or_path: str) -> tuple[SourceText, Path]:
    """The file's text, and the folder that its paths start from."""
    path = _BIPEDS.path_of(name_or_path)
    if path is not None:
        return read_text(path), path.parent
    return SourceText(origin=f"{name_or_path}.toml", text=text_of(name_or_path)), Path()
