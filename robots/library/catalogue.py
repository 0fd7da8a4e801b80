"""Robots by name: the library's own, or a file of the user's."""

from __future__ import annotations

from robots.core.mechanism import Mechanism
from robots.core.robot_file import load as load_toml
from robots.core.robot_file import read_robot
from robots.core.robot_file.catalogue import Catalogue
from robots.core.urdf import load_urdf

_READERS = {".toml": load_toml, ".urdf": load_urdf}
_ROBOTS = Catalogue(package="robots.library", thing="robot", endings=tuple(_READERS))
names, text_of = _ROBOTS.names, _ROBOTS.text_of


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
    path = _ROBOTS.path_of(name_or_path)
    return load(name_or_path) if path is None else _READERS[path.suffix.lower()](path)
