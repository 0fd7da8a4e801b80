"""Robot files (TOML) to ``Mechanism`` and back: joint tables or a phrase, capsules, tool."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from robots.core.arrays import Array
from robots.core.capsule import Capsule, default_capsule_name, unique_name
from robots.core.controller import START_TOLERANCE, START_TOLERANCE_SLIDING, Controller
from robots.core.denavit_hartenberg import DhRow, rows_of
from robots.core.errors import DescriptionError, MechanismError, RobotFileError
from robots.core.file_units import (
    degrees_text,
    metres,
    millimetres_text,
    number_text,
    radians,
    rounded_angle,
    rounded_length,
)
from robots.core.language.conversion import mechanism_of
from robots.core.language.syntax import Description, MoveKind, parse
from robots.core.mechanism import BASE, STANDARD_GRAVITY, Body, Joint, JointKind, Mechanism
from robots.core.pose import angles_zyx, rotation_zyx
from robots.core.robot_file.controller_table import controller_of
from robots.core.robot_file.joint_tables import (
    BASE_NAME,
    body_of,
    joint_of,
    ordered,
    pose_of,
    prismatic_drive,
    revolute_drive,
    vector,
)
from robots.core.robot_file.source_text import Comments, SourceText, read_text, toml_text
from robots.core.schema_problems import KeyPath, Vocabulary, nearest, schema_error
from robots.core.self_pairs import PairReason, default_self_pairs, unwatched_pairs

if TYPE_CHECKING:
    from robots.core.robot_file.schema import (
        CapsuleTable,
        DescribedDriveTable,
        RobotFile,
        ToolTable,
    )

TOOL_NAME = "tool"
_CONTROLLER = "controller"


def load(path: Path | str) -> Mechanism:
    """Read a robot file from disk.

    Args:
        path: of a TOML file.

    Raises:
        RobotFileError: not readable, or not a robot; the message names file, line and key.
    """
    return read_source(read_text(Path(path)))


def read_robot(text: str, *, origin: str = "robot file") -> Mechanism:
    """Read a robot from TOML text.

    Args:
        text: the file's content.
        origin: the name that messages give it.

    Raises:
        RobotFileError: not a robot; the message names line and key.
    """
    return read_source(SourceText(origin=origin, text=text))


def json_schema() -> dict[str, object]:
    """JSON Schema (draft 2020-12) of robot files."""
    from robots.core.robot_file.schema import RobotFile
    from robots.core.schema_numbers import json_schema_of

    return json_schema_of(RobotFile)


def read_source(source: SourceText) -> Mechanism:
    """Read a robot from the text of a file, or one that was made from something else.

    Raises:
        RobotFileError: not a robot.
    """
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
        mechanism = with_capsules(with_tool(mechanism, file.tool, source), file, source)
        mechanism = replace(mechanism, masses_known=file.robot.masses == "known")
        if file.controller is None:
            return mechanism
        controller = controller_of(file.controller, mechanism.movable, source.error)
        return replace(mechanism, controller=controller)
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
            ("joint", 0), "stands beside a description; give the geometry in one of the two forms."
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


# ---------------------------------------------------------------- Geometry by a description phrase

_TABLES = {
    MoveKind.TRANSLATION: ("lengths_mm", "limits_mm"),
    MoveKind.ROTATION: ("angles_deg", "limits_deg"),
}


def described_mechanism(file: RobotFile, source: SourceText, gravity: Array) -> Mechanism:
    """The mechanism of a file with a description.

    Raises:
        RobotFileError: a fault in the phrase (shown with a caret), a symbol without a value or in
            the wrong table, a body or drive of a joint that the phrase does not have.
    """
    path = ("robot", "description") if file.robot.description else ("description",)
    try:
        description = parse(file.description or file.robot.description or "")
        values = _values(file, description, source)
        mechanism = mechanism_of(
            description,
            values,
            name=file.robot.name,
            source=file.robot.source,
            gravity=gravity.tolist(),
            bodies=_bodies(file, description, source),
        )
    except DescriptionError as error:
        raise source.error(path, f"has a fault.\n{error}", **error.facts) from error
    return replace(mechanism, joints=_with_drives(mechanism, file, source))


def _values(file: RobotFile, description: Description, source: SourceText) -> dict[str, float]:
    """Values of the symbols in SI, from the four tables."""
    symbols = description.symbols()
    values: dict[str, float] = {}
    for kind, tables in _TABLES.items():
        to_si = metres if kind is MoveKind.TRANSLATION else radians
        for table in tables:
            given: Mapping[str, Decimal] = getattr(file, table)
            for symbol, value in given.items():
                _check_symbol(symbol, kind, (table, symbol), symbols, source)
                if symbol in values:
                    raise source.error((table, symbol), "is given a value twice; remove one.")
                values[symbol] = to_si(value)
    return values


def _check_symbol(
    symbol: str,
    kind: MoveKind,
    path: tuple[str, str],
    symbols: Mapping[str, MoveKind],
    source: SourceText,
) -> None:
    if symbol not in symbols:
        raise source.error(path, f"is not a symbol of the description; {nearest(symbol, symbols)}")
    if symbols[symbol] is not kind:
        right = " or ".join(f"[{table}]" for table in _TABLES[symbols[symbol]])
        raise source.error(path, f"stands in the wrong table; the description needs it in {right}.")


def _bodies(file: RobotFile, description: Description, source: SourceText) -> dict[str, Body]:
    known = [f"q{number}" for number in range(1, len(description.joints()) + 1)]
    bodies: dict[str, Body] = {}
    for index, table in enumerate(file.body):
        _check_joint(table.joint, ("body", index, "joint"), known, bodies, source)
        bodies[table.joint] = body_of(table, source, ("body", index))
    return bodies


def _with_drives(mechanism: Mechanism, file: RobotFile, source: SourceText) -> tuple[Joint, ...]:
    """The joints with what ``[[drive]]`` tables say."""
    known = [joint.name for joint in mechanism.movable]
    drives: dict[str, dict[str, Any]] = {}
    for index, table in enumerate(file.drive):
        _check_joint(table.joint, ("drive", index, "joint"), known, drives, source)
        kind = mechanism.joints[mechanism.index(table.joint)].kind
        drives[table.joint] = _drive(table, kind, index, source)
    return tuple(replace(joint, **drives.get(joint.name, {})) for joint in mechanism.joints)


def _drive(
    table: DescribedDriveTable, kind: JointKind, index: int, source: SourceText
) -> dict[str, Any]:
    from robots.core.robot_file.schema import PrismaticDrive, RevoluteDrive

    own = RevoluteDrive if kind is JointKind.REVOLUTE else PrismaticDrive
    for key in sorted(table.model_fields_set - {"joint"} - set(own.model_fields)):
        raise source.error(
            ("drive", index, key),
            f"does not fit {table.joint}, a {kind.value} joint; {', '.join(own.model_fields)} do.",
        )
    return revolute_drive(table) if kind is JointKind.REVOLUTE else prismatic_drive(table)


def _check_joint(
    joint: str,
    path: tuple[str | int, ...],
    known: list[str],
    taken: Mapping[str, object],
    source: SourceText,
) -> None:
    if joint not in known:
        raise source.error(
            path,
            f"is {joint!r}, but the description has no such joint; {nearest(joint, known)}",
        )
    if joint in taken:
        raise source.error(path, f"is {joint!r} a second time; merge the two tables.")


# ---------------------------------------------------------------------------------------- Capsules

PAIRS_KEY: KeyPath = ("robot", "self_collision")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Place:
    """A capsule's table, its carrier, and the frame its points are given in."""

    table: CapsuleTable
    path: KeyPath
    joint: int
    axes: Array  # the joint's axes seen from the points' frame # (3, 3)


def with_capsules(mechanism: Mechanism, file: RobotFile, source: SourceText) -> Mechanism:
    """Add the capsules of a file, and its pairs or the pairs that are watched by default.

    Raises:
        RobotFileError: a name given twice, an unknown joint, a pair that does not exist or whose
            capsules are carried by the same joint.
    """
    places = [*_base_places(file), *_joint_places(mechanism, file)]
    places += _described_places(mechanism, file, source)
    names = _names(mechanism, places, source)
    capsules = [_capsule(place, name) for place, name in zip(places, names, strict=True)]
    mechanism = replace(mechanism, capsules=tuple(capsules))
    if file.robot.self_collision is not None:
        return replace(mechanism, self_pairs=_pairs(mechanism, file, source))
    return replace(mechanism, self_pairs=default_self_pairs(mechanism))


def _base_places(file: RobotFile) -> Iterator[_Place]:
    for index, table in enumerate(file.base_capsule):
        yield _Place(table=table, path=("base_capsule", index), joint=BASE, axes=np.eye(3))


def _joint_places(mechanism: Mechanism, file: RobotFile) -> Iterator[_Place]:
    tables = {table.name: (index, table) for index, table in enumerate(file.joint)}
    for joint, owner in enumerate(mechanism.joints):
        index, table = tables.get(owner.name, (0, None))
        for number, capsule in enumerate(table.capsule if table else ()):
            path = ("joint", index, "capsule", number)
            yield _Place(table=capsule, path=path, joint=joint, axes=np.eye(3))


def _described_places(
    mechanism: Mechanism, file: RobotFile, source: SourceText
) -> Iterator[_Place]:
    if not file.capsule:
        return
    from robots.core.language.conversion import joint_axes
    from robots.core.language.syntax import parse

    moves = parse(file.description or file.robot.description or "").joints()
    axes = {f"q{number}": joint_axes(move.axis) for number, move in enumerate(moves, start=1)}
    for index, table in enumerate(file.capsule):
        path: KeyPath = ("capsule", index)
        if table.joint not in axes:
            raise source.error(
                (*path, "joint"),
                f"is {table.joint!r}, but the description has no such joint; "
                f"{nearest(table.joint, axes)}",
            )
        joint = mechanism.index(table.joint)
        yield _Place(table=table, path=path, joint=joint, axes=axes[table.joint])


def _names(mechanism: Mechanism, places: list[_Place], source: SourceText) -> list[str]:
    """Names as given, the others by default; a given name is never taken from its capsule."""
    taken: set[str] = set()
    for place in places:
        name = place.table.name
        if name is not None and name in taken:
            raise source.error(
                (*place.path, "name"), f"is {name!r}, as is that of another capsule; rename one."
            )
        taken |= set() if name is None else {name}
    return [place.table.name or unique_name(_default(mechanism, place), taken) for place in places]


def _default(mechanism: Mechanism, place: _Place) -> str:
    carrier = None if place.joint == BASE else mechanism.joints[place.joint].name
    return default_capsule_name(carrier)


def _capsule(place: _Place, name: str) -> Capsule:
    table = place.table
    start = vector(table.from_mm, metres)
    end = start if table.to_mm is None else vector(table.to_mm, metres)
    return Capsule(
        name=name,
        joint=place.joint,
        start=place.axes.T @ start,
        end=place.axes.T @ end,
        radius=metres(table.radius_mm),
        corners=np.array([vector(one, metres) for one in table.corners_mm]).reshape(-1, 3)
        @ place.axes,
    )


def _pairs(
    mechanism: Mechanism, file: RobotFile, source: SourceText
) -> tuple[tuple[int, int], ...]:
    names = [capsule.name for capsule in mechanism.capsules]
    carriers = [capsule.joint for capsule in mechanism.capsules]
    found = []
    for number, pair in enumerate(file.robot.self_collision or ()):
        for name in pair:
            if name not in names:
                raise source.error(
                    (*PAIRS_KEY, number),
                    f"names {name!r}, but no capsule has this name; {nearest(name, names)}",
                )
        a, b = (names.index(name) for name in pair)
        if carriers[a] == carriers[b]:
            raise source.error(
                (*PAIRS_KEY, number),
                f"names {pair[0]!r} and {pair[1]!r}, which do not move against each other; remove "
                "the pair.",
            )
        found.append((a, b))
    return tuple(found)


# ------------------------------------------------------------------------- Mechanism to robot file
# Placements that are modified Denavit-Hartenberg rows are written as rows, others as ``pose``. A
# number is rounded to twelve digits where that reproduces the placement as well as all digits do,
# so that files stay readable; masses, limits and drives keep every digit.

# Two units in the last place of 1: what sine, cosine and one product lose.
_CLOSE = 5e-16
REVOLUTE_KEYS = {
    "max_speed": "max_speed_rad_s",
    "max_acceleration": "max_acceleration_rad_s2",
    "max_jerk": "max_jerk_rad_s3",
    "max_effort": "max_torque_nm",
    "coulomb": "coulomb_nm",
    "viscous": "viscous_nm_s",
    "motor_inertia": "motor_inertia_kg_m2",
}
PRISMATIC_KEYS = {
    "max_speed": "max_speed_m_s",
    "max_acceleration": "max_acceleration_m_s2",
    "max_jerk": "max_jerk_m_s3",
    "max_effort": "max_force_n",
    "coulomb": "coulomb_n",
    "viscous": "viscous_n_s_m",
    "motor_inertia": "motor_mass_kg",
}
_ENTRIES = {"xx": (0, 0), "yy": (1, 1), "zz": (2, 2), "xy": (0, 1), "xz": (0, 2), "yz": (1, 2)}


def write_toml(mechanism: Mechanism, comments: Comments | None = None) -> str:
    """Write a robot file that reads back to the same mechanism.

    Args:
        mechanism: any.
        comments: sentences by the path of the key or table that they stand above, as in
            ``("joint", 2, "max_speed_rad_s")``.

    Raises:
        RobotFileError: a joint called "base", which is the base's own name in files.
    """
    document: dict[str, object] = {"format": 1, "robot": _robot(mechanism)}
    if capsules := _capsules(mechanism, BASE):
        document["base_capsule"] = capsules
    if joints := [_joint(mechanism, index) for index in range(len(mechanism.joints))]:
        document["joint"] = joints
    last = len(mechanism.joints) - 1
    tool = _pose(mechanism.tool)
    if mechanism.tool_joint != last:
        tool = {"joint": mechanism.joints[mechanism.tool_joint].name, **tool}
    if tool:
        document["tool"] = tool
    if mechanism.controller is not None:
        document[_CONTROLLER] = _controller(mechanism.controller, mechanism.movable)
    told: dict[KeyPath, Sequence[str]] = dict(comments or {})
    key = ("robot", "self_collision")
    if mechanism.capsules and (about := tuple(_capsule_comments(mechanism))):
        told[key] = (*told.get(key, ()), *about)
    return toml_text(document, told)


def controller_text(mechanism: Mechanism, controller: Controller, comments: Comments) -> str:
    """``[controller]`` of a robot file, or of a job with the robot, as text."""
    return toml_text({_CONTROLLER: _controller(controller, mechanism.movable)}, comments)


def _capsule_comments(mechanism: Mechanism) -> Iterator[str]:
    """What capsules were fitted about, and the pairs of them that nothing watches, with reasons."""
    for shape in mechanism.mesh_shapes:
        percent = f"{100.0 * shape.excess:.0f}" if math.isfinite(shape.excess) else "infinitely"
        yield _comment(
            f"{', '.join(shape.capsules)}: contain the meshes of link {shape.link}, {percent} % "
            f"more than their convex hull ({', '.join(shape.files)})"
        )
    unwatched = unwatched_pairs(mechanism)
    for reason in PairReason:
        pairs = [f"{pair.a} and {pair.b}" for pair in unwatched if pair.reason is reason]
        if pairs:
            yield _comment(f"not watched, {reason.value}: {'; '.join(pairs)}")


def _comment(text: str) -> str:
    """A line of comment; TOML allows no control character in it."""
    return "".join(sign if sign.isprintable() else "?" for sign in text)


def body_table(body: Body) -> dict[str, object]:
    """Table of a body, which robot and platform files share; empty for one without mass."""
    if not (body.mass or np.any(body.com) or np.any(body.inertia)):
        return {}
    table: dict[str, object] = {"mass_kg": printed(number_text(body.mass))}
    if np.any(body.com):
        table["com_mm"] = numbers(body.com, millimetres_text)
    if np.any(body.inertia):
        table["inertia_kg_m2"] = {
            key: printed(number_text(body.inertia[at])) for key, at in _ENTRIES.items()
        }
    return {**table, "at": body.at}


def numbers(values: Array, written: Callable[[float], str]) -> list[int | Decimal]:
    """Values as they are printed in a file."""
    return [printed(written(float(value))) for value in values]


def printed(text: str) -> int | Decimal:
    """The number that prints as this text, so that whole ones need no point."""
    return int(text) if text.lstrip("-").isdigit() else Decimal(text)


def _robot(mechanism: Mechanism) -> dict[str, object]:
    table: dict[str, object] = {"name": mechanism.name}
    if mechanism.source:
        table["source"] = mechanism.source
    table["gravity_m_s2"] = numbers(mechanism.gravity, number_text)
    if not mechanism.masses_known:
        table["masses"] = "unknown"
    if mechanism.capsules:
        names = [capsule.name for capsule in mechanism.capsules]
        table["self_collision"] = [[names[a], names[b]] for a, b in mechanism.self_pairs]
    return table


def _controller(controller: Controller, joints: Sequence[Joint]) -> dict[str, object]:
    """Write ``[controller]``; what it does not say is what it says by default."""
    kinds = [joints[k].kind.angular for k in controller.order]
    table: dict[str, object] = {
        "axes": list(controller.axes),
        "signs": [int(sign) for sign in controller.signs],
    }
    values = {"offsets": controller.offsets}
    if controller.home is not None:
        values["home"] = controller.home[controller.order]
    for key, axis_values in values.items():
        for unit, kind, written in (("deg", True, degrees_text), ("mm", False, millimetres_text)):
            chosen = [
                float(v) for v, turns in zip(axis_values, kinds, strict=True) if turns is kind
            ]
            if chosen and (key == "home" or any(chosen)):
                table[f"{key}_{unit}"] = [printed(written(value)) for value in chosen]
    table |= {
        "tool_number": controller.tool_number,
        "base_number": controller.base_number,
        "speed_override_percent": printed(number_text(controller.speed_override_percent)),
    }
    if controller.probe_input is not None:
        table["probe_input"] = controller.probe_input
    if controller.start_tolerance != START_TOLERANCE:
        table["start_tolerance_deg"] = printed(degrees_text(controller.start_tolerance))
    if controller.start_tolerance_sliding != START_TOLERANCE_SLIDING:
        table["start_tolerance_mm"] = printed(millimetres_text(controller.start_tolerance_sliding))
    if controller.coupled:
        table["coupled"] = [
            {"axis": one.axis, "of": one.of, "factor": printed(number_text(one.factor))}
            for one in controller.coupled
        ]
    return {**table, "cartesian": controller.cartesian}


def _capsules(mechanism: Mechanism, joint: int) -> list[dict[str, object]]:
    """The tables of what one joint carries."""
    tables: list[dict[str, object]] = []
    for capsule in mechanism.capsules:
        if capsule.joint == joint:
            table: dict[str, object] = {"name": capsule.name}
            table["from_mm"] = numbers(capsule.start, millimetres_text)
            if not np.array_equal(capsule.start, capsule.end):
                table["to_mm"] = numbers(capsule.end, millimetres_text)
            table["radius_mm"] = printed(millimetres_text(capsule.radius))
            if len(capsule.corners):
                table["corners_mm"] = [numbers(one, millimetres_text) for one in capsule.corners]
            tables.append(table)
    return tables


def _joint(mechanism: Mechanism, index: int) -> dict[str, object]:
    joint = mechanism.joints[index]
    if joint.name == BASE_NAME:
        raise RobotFileError(
            f"Mechanism {mechanism.name!r}: joint {index} is called {BASE_NAME!r}, which means the "
            "base in robot files; rename it.",
            joint=joint.name,
        )
    table: dict[str, object] = {"name": joint.name, "type": joint.kind.value}
    if joint.parent != index - 1:
        table["parent"] = BASE_NAME if joint.parent == BASE else mechanism.joints[joint.parent].name
    table |= _placement(joint.placement)
    if joint.movable:
        table |= _motion(joint)
    if body := body_table(joint.body):
        table["body"] = body
    if capsules := _capsules(mechanism, index):
        table["capsule"] = capsules
    return table


def _motion(joint: Joint) -> dict[str, object]:
    table: dict[str, object] = {}
    revolute = joint.kind is JointKind.REVOLUTE
    unit, written = ("deg", degrees_text) if revolute else ("mm", millimetres_text)
    for key, limit in (("min", joint.q_min), ("max", joint.q_max)):
        if np.isfinite(limit):
            table[f"{key}_{unit}"] = printed(written(limit))
    for field, key in (REVOLUTE_KEYS if revolute else PRISMATIC_KEYS).items():
        value = getattr(joint, field)
        if value and np.isfinite(value):
            table[key] = printed(number_text(value))
    return table


def _placement(placement: Array) -> dict[str, object]:
    row = _row(placement)
    if row is None:
        return {"pose": _pose(placement)}
    values = {"alpha_deg": row.alpha, "d_mm": row.d, "theta_deg": row.theta, "r_mm": row.r}
    return {
        key: printed((degrees_text if key.endswith("_deg") else millimetres_text)(value))
        for key, value in values.items()
        if value
    }


def _row(placement: Array) -> DhRow | None:
    """The single row that is the placement; None when there is none."""
    row = rows_of(placement).joint
    rounded = DhRow(
        alpha=rounded_angle(row.alpha),
        d=rounded_length(row.d),
        theta=rounded_angle(row.theta),
        r=rounded_length(row.r),
    )
    reach = max(1.0, float(np.abs(placement[:3, 3]).max()))
    for candidate in (rounded, row):
        if np.abs(candidate.pose() - placement).max() <= _CLOSE * reach:
            return candidate
    return None


def _pose(placement: Array) -> dict[str, object]:
    """The keys of a general placement."""
    R, p = placement[:3, :3], placement[:3, 3]
    table: dict[str, object] = {}
    if np.any(p):
        table["translation_mm"] = numbers(p, millimetres_text)
    if np.array_equal(R, np.eye(3)):
        return table
    angles = angles_zyx(R).angles
    rounded = np.array([rounded_angle(float(angle)) for angle in angles])
    if np.abs(rotation_zyx(rounded) - R).max() <= _CLOSE:
        angles = rounded
    return {**table, "rotation_zyx_deg": numbers(angles, degrees_text)}
