"""Platforms by name: the library's own, or a file of the user's."""

from __future__ import annotations

from robots.core.catalogue import Catalogue
from robots.stewart.platform import Platform
from robots.stewart.platform_file import load as load_toml
from robots.stewart.platform_file import read_platform

_PLATFORMS = Catalogue(package="robots.stewart.library", thing="platform")
names, text_of = _PLATFORMS.names, _PLATFORMS.text_of


def load(name: str) -> Platform:
    """A platform of the library.

    Raises:
        RobotFileError: no such name.
    """
    return read_platform(text_of(name), origin=f"{name}.toml")


def open_platform(name_or_path: str) -> Platform:
    """A platform as users give it: a library name, or a path ending in .toml.

    Raises:
        RobotFileError: neither; or a file that cannot be read as a platform.
    """
    path = _PLATFORMS.path_of(name_or_path)
    return load(name_or_path) if path is None else load_toml(path)
