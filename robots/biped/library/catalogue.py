"""Bipeds by name: the library's own, or a file of the user's."""

from __future__ import annotations

from difflib import get_close_matches
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from robots.biped.biped import Biped
from robots.biped.biped_file.read import biped_of, drives_of
from robots.core.errors import RobotFileError
from robots.core.robot_file.source_text import SourceText, read_text

if TYPE_CHECKING:
    from robots.core.transmission import Drives

_ENDING = ".toml"


def biped_names() -> tuple[str, ...]:
    """Names of the library's bipeds, sorted."""
    found = (Path(entry.name) for entry in files("robots.biped.library").iterdir())
    return tuple(sorted(path.stem for path in found if path.suffix == _ENDING))


def text_of(name: str) -> str:
    """The file of a library biped, with the provenance of its numbers in comments.

    Raises:
        RobotFileError: no such name; the message gives the nearest.
    """
    known = biped_names()
    if name not in known:
        close = get_close_matches(name, known, n=1, cutoff=0.5)
        advice = f"did you mean {close[0]!r}? " if close else ""
        raise RobotFileError(
            f"There is no library biped {name!r}; {advice}The library has {', '.join(known)}; "
            f"a biped file is given by its path, ending in {_ENDING}.",
            name=name,
            known=known,
        )
    return (files("robots.biped.library") / f"{name}{_ENDING}").read_text(encoding="utf-8")


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


def _source(name_or_path: str) -> tuple[SourceText, Path]:
    """The file's text, and the folder that its paths start from."""
    path = Path(name_or_path)
    if name_or_path not in biped_names() and path.suffix.lower() == _ENDING:
        return read_text(path), path.parent
    text = text_of(name_or_path)
    return SourceText(origin=f"{name_or_path}{_ENDING}", text=text), Path()
