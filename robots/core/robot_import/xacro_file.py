"""Xacro files to URDF, by the PyPI package ``xacro`` where it is installed.

The package evaluates the file's expressions and reads what it includes. ``$(find PACKAGE)`` leads
to a folder of that name that holds the file or stands beside one that does; without a ROS
installation there is no other place to look.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

from robots.core.errors import RobotFileError
from robots.core.file_reading import is_package
from robots.core.robot_file.source_text import read_bytes

_NO_PACKAGE = (
    "xacro expands it, and is not installed here: pip install xacro, or expand the file where ROS "
    "is (xacro {name} > robot.urdf) and import robot.urdf"
)
_LEVELS = 4  # of folders above the file that packages are looked for in
_LONGEST = 300  # characters of the package's own message


def expand_xacro(path: Path, arguments: Mapping[str, str] | None = None) -> bytes:
    """Expand a xacro file to a URDF document.

    Args:
        path: of the file.
        arguments: values of its <xacro:arg>.

    Raises:
        RobotFileError: the package is not installed; a document type; what the package refuses.
    """
    text = read_bytes(path)
    if b"<!DOCTYPE" in text or b"<!ENTITY" in text:
        raise RobotFileError(
            f"{path.name}: the file has a document type, which may hold entities; remove it.",
            file=path.name,
        )
    try:
        import xacro
    except ImportError:
        raise RobotFileError(
            f"{path.name}: this is a xacro file; {_NO_PACKAGE.format(name=path.name)}.",
            file=path.name,
            missing="xacro",
        ) from None
    with _packages_beside(path):
        try:
            document = xacro.process_file(str(path), mappings=dict(arguments or {}))
        # The package has no common base for what files make it raise.
        except (Exception, SystemExit) as error:
            said = " ".join(str(error).split())[:_LONGEST] or type(error).__name__
            raise RobotFileError(
                f"{path.name}: xacro refuses the file: {said}. An argument without a default has "
                "to be given a value (palpeur robot import --arg NAME=VALUE).",
                file=path.name,
            ) from error
    return bytes(document.toxml(encoding="utf-8"))


@contextmanager
def _packages_beside(path: Path) -> Iterator[None]:
    """Where ROS is not installed, let ``$(find PACKAGE)`` find folders about the file."""
    try:
        import ament_index_python  # noqa: F401
    except ImportError:
        pass
    else:
        yield
        return

    def share_directory(name: str) -> str:
        found = package_folder(path, name)
        if found is None:
            raise LookupError(
                f"the package {name!r} is neither a folder that holds the file nor beside one; "
                "bring its folder there"
            )
        return str(found)

    index, packages = ModuleType("ament_index_python"), ModuleType("ament_index_python.packages")
    packages.get_package_share_directory = share_directory  # type: ignore[attr-defined]
    ours = {"ament_index_python": index, "ament_index_python.packages": packages}
    sys.modules.update(ours)
    try:
        yield
    finally:
        for name in ours:
            sys.modules.pop(name, None)


def package_folder(path: Path, name: str) -> Path | None:
    """The folder of a ROS package that holds a file, or stands beside a folder that does."""
    if not name or any(mark in name for mark in ("/", "\\", "..")):
        return None
    for folder in list(path.resolve().parents)[:_LEVELS]:
        if folder.name == name:
            return folder
        if is_package(folder / name):
            return folder / name
    return None
