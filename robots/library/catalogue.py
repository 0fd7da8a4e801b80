"""Robots by name: the library's own, or a file of the user's."""

from __future__ import annotations

from difflib import get_close_matches
from importlib.resources import files
from pathlib import Path

from robots.core.errors import RobotFileError
from robots.core.mechanism import Mechanism
from robots.core.robot_file import load as load_toml
from robots.core.robot_file import read_robot
from robots.core.urdf import load_urdf

_READERS = {".toml": load_toml, ".urdf": load_urdf}


def names() -> tuple[str, ...]:
    """Names of the library's robots, sorted."""
    found = (Path(entry.name) for entry in files("robots.library").iterdir())
    return tuple(sorted(path.stem for path in found if path.suffix == ".toml"))


def text_of(name: str) -> str:
    """The robot file of a library robot, with the provenance of its numbers in comments.

    Raises:
        RobotFileError: no such name; the message gives the nearest.
    """
    known = names()
    if name not in known:
        close = get_close_matches(name, known, n=1, cutoff=0.5)
        advice = f"did you mean {close[0]!r}? " if close else ""
        raise RobotFileError(
            f"There is no library robot {name!r}; {advice}The library has {', '.join(known)}; "
            "a robot file is given by its path, ending in .toml or .urdf.",
            name=name,
            known=known,
        )
    return (files("robots.library") / f"{name}.toml").read_text(encoding="utf-8")


def load(name: str) -> Mechanism:
    """A robot of the library.

    Raises:
        RobotFileError: no such name.
    """
    return read_robot(text_of(name), origin=f"{name}.toml")


def open_robot(name_or_path: str) -> Mechanism:
    """A robot as users give it: a library name, or a path ending in .toml or .urdf.

    Raises:
        RobotFileError: neither; or a file that cannot be read as a robot.
    """
    path = Path(name_or_path)
    if name_or_path in names():
        return load(name_or_path)
    if path.suffix.lower() in _READERS:
        return _READERS[path.suffix.lower()](path)
    if path.suffix and path.exists():
        raise RobotFileError(
            f"{path}: the ending {path.suffix!r} is not that of a robot file; "
            f"known endings: {', '.join(_READERS)}.",
            file=str(path),
        )
    return load(name_or_path)
