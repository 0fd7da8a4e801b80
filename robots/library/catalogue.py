"""Robots by name: the library's own, or a file of the user's."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from robots.core.catalogue import Catalogue
from robots.core.errors import RobotFileError
from robots.core.mechanism import Mechanism
from robots.core.robot_file.conversion import load as load_toml
from robots.core.robot_file.conversion import read_robot
from robots.core.robot_file.source_text import toml_document

_ROBOTS = Catalogue(package="robots.library", thing="robot", endings=(".toml", ".urdf"))
names, text_of = _ROBOTS.names, _ROBOTS.text_of


@cache
def load(name: str) -> Mechanism:
    """A robot of the library; read once, as mechanisms never change.

    Raises:
        RobotFileError: no such name.
    """
    return read_robot(text_of(name), origin=f"{name}.toml")


@cache
def maker_of(name: str) -> str:
    """Who makes a robot of the library; empty for stand-ins and the robots of the sources.

    Raises:
        RobotFileError: no such name.
    """
    head, _, _ = text_of(name).partition("\n[[")  # its joints are most of a file
    return str(toml_document(head)["robot"].get("maker", ""))


def open_robot(name_or_path: str, *, tip: str = "", meshes: Path | str | None = None) -> Mechanism:
    """A robot as users give it: a library name, or a path ending in .toml or .urdf.

    Args:
        name_or_path: of the robot.
        tip: of a URDF file, the link whose frame is the tool frame; empty for the rule of
            ``robots.core.urdf``.
        meshes: of a URDF file, folder that the meshes of its links are sought in besides its own.

    Raises:
        RobotFileError: neither; a file that cannot be read as a robot; or a tip or meshes of one
            that is no URDF.
    """
    path = _ROBOTS.path_of(name_or_path)
    if path is not None and path.suffix.lower() == ".urdf":
        from robots.core.urdf import load_urdf

        return load_urdf(path, tip=tip, meshes=meshes)
    if meshes:
        raise RobotFileError(
            f"Meshes are given for {name_or_path}, which is no URDF file; other robots have their "
            "shapes as capsules. Leave the meshes out.",
            meshes=str(meshes),
            model=name_or_path,
        )
    if tip:
        raise RobotFileError(
            f"The tip {tip!r} is given for {name_or_path}, which is no URDF file; a library robot "
            "and a robot file in TOML have their tool frame in [tool]. Leave the tip out.",
            tip=tip,
            model=name_or_path,
        )
    return load(name_or_path) if path is None else load_toml(path)


def document_of(name_or_path: str) -> dict[str, Any]:
    """The TOML document of a robot, its decimals as printed; empty for a URDF file.

    Args:
        name_or_path: a robot that ``open_robot`` has read.
    """
    path = _ROBOTS.path_of(name_or_path)
    if path is None:
        return toml_document(text_of(name_or_path))
    if path.suffix.lower() != ".toml":
        return {}
    return toml_document(path.read_text(encoding="utf-8-sig"))
