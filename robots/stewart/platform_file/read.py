"""Platform file (TOML) → Platform."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from robots.core.errors import RobotError, RobotFileError
from robots.core.mechanism import STANDARD_GRAVITY, Body
from robots.core.robot_file.joint_tables import body_of, pose_of, vector
from robots.core.robot_file.source_text import SourceText, read_text
from robots.core.schema_problems import Vocabulary, schema_error
from robots.stewart.platform import LEGS, Platform
from robots.stewart.platform_file.geometry import check_geometry
from robots.stewart.platform_file.legs import leg_of

if TYPE_CHECKING:
    from robots.stewart.platform_file.schema import PlatformFile


def load(path: Path | str) -> Platform:
    """Read a platform file from disk.

    Args:
        path: of a TOML file.

    Raises:
        RobotFileError: not readable, or not a platform; the message names file, line and key.
    """
    return _platform(read_text(Path(path)))


def read_platform(text: str, *, origin: str = "platform file") -> Platform:
    """Read a platform from TOML text.

    Args:
        text: the file's content.
        origin: the name that messages give it.

    Raises:
        RobotFileError: not a platform; the message names line and key.
    """
    return _platform(SourceText(origin=origin, text=text))


def json_schema() -> dict[str, object]:
    """JSON Schema (draft 2020-12) of platform files."""
    from robots.core.schema_numbers import json_schema_of
    from robots.stewart.platform_file.schema import PlatformFile

    return json_schema_of(PlatformFile)


def _platform(source: SourceText) -> Platform:
    from pydantic import ValidationError

    from robots.stewart.platform_file.schema import PlatformFile

    try:
        file = PlatformFile.model_validate(source.document())
    except ValidationError as error:
        raise schema_error(source, error, Vocabulary(root=PlatformFile)) from None
    _check_count(file, source)
    check_geometry(file, source)
    try:
        return _built(file, source)
    except RobotFileError:
        raise
    except RobotError as error:
        raise RobotFileError(f"{source.origin}: {error}", file=source.origin) from error


def _check_count(file: PlatformFile, source: SourceText) -> None:
    if len(file.leg) != LEGS:
        raise source.error(
            ("leg",),
            f"has {len(file.leg)} tables; a Stewart-Gough platform has {LEGS} legs: give {LEGS} "
            "[[leg]] tables.",
            found=len(file.leg),
        )
    names = [leg.name for leg in file.leg]
    for index, name in enumerate(names):
        if name in names[:index]:
            raise source.error(
                ("leg", index, "name"), f"is {name!r}, as is that of another leg; rename one."
            )


def _built(file: PlatformFile, source: SourceText) -> Platform:
    table = file.stewart
    home = pose_of(table.home)
    gravity = vector(table.gravity_m_s2) if table.gravity_m_s2 else np.array(STANDARD_GRAVITY)
    body = body_of(file.platform, source, ("platform",)) if file.platform else Body()
    return Platform(
        name=table.name,
        source=table.source,
        legs=tuple(leg_of(file, index, home, source) for index in range(LEGS)),
        home=home,
        body=body,
        gravity=gravity,
    )
