"""Platforms by name: the library's own, or a file of the user's."""

from __future__ import annotations

from difflib import get_close_matches
from importlib.resources import files
from pathlib import Path

from robots.core.errors import RobotFileError
from robots.stewart.platform import Platform
from robots.stewart.platform_file import load as load_toml
from robots.stewart.platform_file import read_platform

_ENDING = ".toml"


def names() -> tuple[str, ...]:
    """Names of the library's platforms, sorted."""
    found = (Path(entry.name) for entry in files("robots.stewart.library").iterdir())
    return tuple(sorted(path.stem for path in found if path.suffix == _ENDING))


def text_of(name: str) -> str:
    """The file of a library platform, with the provenance of its numbers in comments.

    Raises:
        RobotFileError: no such name; the message gives the nearest.
    """
    known = names()
    if name not in known:
        close = get_close_matches(name, known, n=1, cutoff=0.5)
        advice = f"did you mean {close[0]!r}? " if close else ""
        raise RobotFileError(
            f"There is no library platform {name!r}; {advice}The library has {', '.join(known)}; "
            f"a platform file is given by its path, ending in {_ENDING}.",
            name=name,
            known=known,
        )
    return (files("robots.stewart.library") / f"{name}{_ENDING}").read_text(encoding="utf-8")


def load(name: str) -> Platform:
    """A platform of the library.

    Raises:
        RobotFileError: no such name.
    """
    return read_platform(text_of(name), origin=f"{name}{_ENDING}")


def open_platform(name_or_path: str) -> Platform:
    """A platform as users give it: a library name, or a path ending in .toml.

    Raises:
        RobotFileError: neither; or a file that cannot be read as a platform.
    """
    path = Path(name_or_path)
    if name_or_path in names():
        return load(name_or_path)
    if path.suffix.lower() == _ENDING:
        return load_toml(path)
    if path.suffix and path.exists():
        raise RobotFileError(
            f"{path}: the ending {path.suffix!r} is not that of a platform file; "
            f"known ending: {_ENDING}.",
            file=str(path),
        )
    return load(name_or_path)
