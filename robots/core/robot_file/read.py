"""Robot file (TOML) → Mechanism."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from robots.core.arrays import Array
from robots.core.errors import MechanismError, RobotFileError
from robots.core.mechanism import STANDARD_GRAVITY, Joint, JointKind, Mechanism
from robots.core.robot_file.capsules import with_capsules
from robots.core.robot_file.described import described_mechanism
from robots.core.robot_file.joints import body_of, joint_of, pose_of, vector
from robots.core.robot_file.source_text import SourceText, read_text
from robots.core.robot_file.tree import ordered
from robots.core.schema_problems import Vocabulary, nearest, schema_error

if TYPE_CHECKING:
    from robots.core.robot_file.schema import RobotFile, ToolTable

TOOL_NAME = "tool"


def load(path: Path | str) -> Mechanism:
    """Read a robot file from disk.

    Args:
        path: of a TOML file.

    Raises:
        RobotFileError: not readable, or not a robot; the message names file, line and key.
    """
    return _mechanism(read_text(Path(path)))


def read_robot(text: str, *, origin: str = "robot file") -> Mechanism:
    """Read a robot from TOML text.

    Args:
        text: the file's content.
        origin: the name that messages give it.

    Raises:
        RobotFileError: not a robot; the message names line and key.
    """
    return _mechanism(SourceText(origin=origin, text=text))


def json_schema() -> dict[str, object]:
    """JSON Schema (draft 2020-12) of robot files."""
    from robots.core.robot_file.schema import RobotFile
    from robots.core.schema_numbers import json_schema_of

    return json_schema_of(RobotFile)


def _mechanism(source: SourceText) -> Mechanism:
    from pydantic import ValidationError

    from robots.core.robot_file.schema import RobotFile

    document = source.document()
    try:
        file = RobotFile.model_validate(document)
    except ValidationError as error:
        raise schema_error(source, error, Vocabulary(root=RobotFile)) from None
    _check_sections(file, source)
    try:
        if _description(file):
            mechanism = described_mechanism(file, source, _gravity(file))
        else:
            mechanism = _jointed_mechanism(file, source)
        return with_capsules(with_tool(mechanism, file.tool, source), file, source)
    except RobotFileError:
        raise
    except MechanismError as error:
        raise RobotFileError(f"{source.origin}: {error}", file=source.origin) from error


def _description(file: RobotFile) -> str:
    return file.description or file.robot.description or ""


def _gravity(file: RobotFile) -> Array:
    gravity = file.gravity_m_s2 or file.robot.gravity_m_s2
    return vector(gravity) if gravity else np.array(STANDARD_GRAVITY)


def _check_sections(file: RobotFile, source: SourceText) -> None:
    """Refuse what is said twice, and what belongs to the other form of robot file."""
    for key in ("gravity_m_s2", "description"):
        if key in file.model_fields_set and key in file.robot.model_fields_set:
            raise source.error(("robot", key), "is given twice, also at the top; remove one.")
    described = bool(_description(file))
    if not described and not file.joint:
        raise source.error(
            ("joint",), "is missing; give [[joint]] tables, or a description in [robot]."
        )
    if described and file.joint:
        raise source.error(
            ("joint", 0), "stands beside a description; give the geometry in one of the two ways."
        )
    for key in ("body", "drive", "capsule", "lengths_mm", "limits_mm", "angles_deg", "limits_deg"):
        if not described and key in file.model_fields_set:
            tables = isinstance(getattr(file, key), tuple)
            raise source.error(
                (key, 0) if tables else (key,),
                "belongs to a description; without one, use the keys of [[joint]].",
            )


def _jointed_mechanism(file: RobotFile, source: SourceText) -> Mechanism:
    names = [table.name for table in file.joint]
    order = ordered(names, [table.parent for table in file.joint], source)
    place = {index: position for position, index in enumerate(order)}
    place[-1] = -1
    index_of = {name: index for index, name in enumerate(names)} | {"base": -1}
    joints = []
    for index in order:
        table = file.joint[index]
        parent = index - 1 if table.parent is None else index_of[table.parent]
        joints.append(joint_of(table, place[parent], source, ("joint", index)))
    return Mechanism(
        name=file.robot.name,
        source=file.robot.source,
        joints=tuple(joints),
        gravity=_gravity(file),
        tool_joint=place[len(names) - 1],
    )


def with_tool(mechanism: Mechanism, table: ToolTable | None, source: SourceText) -> Mechanism:
    """Add the ``[tool]`` of a file; a tool with mass becomes a fixed joint of that name.

    Raises:
        RobotFileError: an unknown joint; a tool with mass beside a joint called "tool".
    """
    if table is None:
        return mechanism
    names = [joint.name for joint in mechanism.joints]
    if table.joint is not None and table.joint not in names:
        raise source.error(
            ("tool", "joint"),
            f"is {table.joint!r}, but no joint has this name; {nearest(table.joint, names)}",
        )
    index = mechanism.tool_joint if table.joint is None else names.index(table.joint)
    frame = pose_of(table)
    if table.joint is None:
        frame = mechanism.tool @ frame
    if table.body is None:
        return replace(mechanism, tool=frame, tool_joint=index)
    if TOOL_NAME in names:
        raise source.error(
            ("tool", "body"), f"needs the joint name {TOOL_NAME!r}, which is taken; rename that."
        )
    carrier = Joint(
        name=TOOL_NAME,
        kind=JointKind.FIXED,
        parent=index,
        placement=frame,
        body=body_of(table.body, source, ("tool", "body")),
    )
    joints = (*mechanism.joints, carrier)
    return replace(mechanism, joints=joints, tool=np.eye(4), tool_joint=len(joints) - 1)
