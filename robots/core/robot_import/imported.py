"""Robots of other files as robot files of ours: what was read, what was assumed, what is missing.

URDF, xacro, MuJoCo's MJCF, tables of Denavit-Hartenberg rows and robot files come in; a mechanism
comes out, with a note for every choice that the file left open and for everything that a job will
ask for. The robot file that is written says the same in comments, at the keys it concerns.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import Enum
from html import escape
from pathlib import Path
from types import ModuleType

import numpy as np

from robots.core.capsule import Capsule, unique_name
from robots.core.errors import RobotFileError
from robots.core.file_reading import is_package
from robots.core.file_units import rounded_angle, rounded_length
from robots.core.mechanism import BASE, STANDARD_GRAVITY, Joint, JointKind, Mechanism
from robots.core.robot_file import load as load_toml
from robots.core.robot_file import write_toml
from robots.core.robot_file.conversion import PRISMATIC_KEYS, REVOLUTE_KEYS
from robots.core.robot_file.joint_tables import BASE_NAME
from robots.core.robot_file.source_text import read_bytes, read_text
from robots.core.robot_import.dh_table import Convention, read_dh_table
from robots.core.robot_import.mjcf import MujocoModel, is_mjcf, read_mjcf
from robots.core.schema_problems import KeyPath
from robots.core.shapes.link_shapes import shapes_of, urdf_shapes
from robots.core.shapes.mesh_files import MeshFolder
from robots.core.urdf import mechanism_of, read_urdf

ENDINGS = (".urdf", ".xacro", ".xml", ".mjcf", ".csv", ".toml")
_LONGEST = 50.0  # [m] between two joints; larger robots are drawn in millimetres
_MOST_NAMED = 8
_PICOMETRE_DIGITS = 12  # of metres: far below what clearances are proven to


class SourceFormat(Enum):
    """Format of the file that a robot comes from."""

    URDF = "URDF"
    XACRO = "xacro"
    MJCF = "MJCF"
    DH_TABLE = "Denavit-Hartenberg table"
    ROBOT_FILE = "robot file"


class Topic(Enum):
    """What a note is about."""

    TIP = "tip"
    BASE = "base"
    CONVENTION = "convention"
    BRANCHES = "side branches"
    GRAVITY = "gravity"
    NAMES = "names"
    POSITION = "position limits"
    SPEED = "speed limits"
    ACCELERATION = "acceleration limits"
    EFFORT = "torque limits"
    FRICTION = "friction"
    MASSES = "masses"
    SHAPES = "shapes"
    CONTROLLER = "controller"
    OTHERS = "other elements"


class Need(Enum):
    """Whether the user has to do something about a note."""

    NONE = "assumed"
    OPTIONAL = "optional"
    REQUIRED = "required"


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportNote:
    """One thing that the file left open.

    Args:
        topic: what it is about.
        need: whether it was assumed, or is still to be given.
        sentence: what was taken, or what is missing.
        keys: of the robot file that it concerns; its comments stand there.
        joints: that it concerns; empty for the whole robot.
    """

    topic: Topic
    need: Need
    sentence: str
    keys: tuple[KeyPath, ...] = (("robot",),)
    joints: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class ImportedRobot:
    """A robot of another file.

    Args:
        mechanism: what was read.
        origin: name of the file.
        format: of the file.
        notes: every choice, then everything that is missing.
    """

    mechanism: Mechanism
    origin: str
    format: SourceFormat
    notes: tuple[ImportNote, ...]

    @property
    def assumptions(self) -> tuple[ImportNote, ...]:
        """What was taken where the file leaves it open."""
        return tuple(note for note in self.notes if note.need is Need.NONE)

    @property
    def missing(self) -> tuple[ImportNote, ...]:
        """What is still to be given: what jobs require first."""
        return tuple(
            note for need in (Need.REQUIRED, Need.OPTIONAL) for note in self.notes
            if note.need is need
        )  # fmt: skip

    @property
    def text(self) -> str:
        """The robot file, with a comment at every key that was assumed or is missing."""
        comments: dict[KeyPath, list[str]] = {
            ("format",): [f"Imported from {self.origin} ({self.format.value})."]
        }
        for note in self.notes:
            word = {Need.NONE: "", Need.OPTIONAL: "Optional: ", Need.REQUIRED: "To be given: "}
            for key in note.keys:
                told = key[-1] if len(key) > 2 and isinstance(key[-1], str) else note.sentence
                comments.setdefault(key, []).append(f"{word[note.need]}{told}")
        return write_toml(self.mechanism, comments)

    def write(self, path: Path | str) -> Path:
        """Write the robot file. Returns: its path.

        Raises:
            RobotFileError: a file is there already, or the place cannot be written.
        """
        path = Path(path)
        try:
            with path.open("x", encoding="utf-8", newline="\n") as file:
                file.write(self.text)
        except OSError as error:
            raise RobotFileError(
                f"{path}: the robot file cannot be written: {error.strerror}.", file=str(path)
            ) from error
        return path

    def __repr__(self) -> str:
        """What it is, and what is still to be given."""
        return "\n".join(self._lines())

    def _repr_html_(self) -> str:
        """The same for notebooks."""
        return f"<div><p>{'<br>'.join(escape(line) for line in self._lines())}</p></div>"

    def _lines(self) -> Iterator[str]:
        joints = len(self.mechanism.movable)
        yield f"Robot {self.mechanism.name!r} of {joints} joints, {self.format.value} {self.origin}"
        for note in self.missing:
            yield f"  {note.need.value}: {note.sentence}"


def import_robot(
    path: Path | str,
    *,
    tip: str = "",
    base: str = "",
    name: str = "",
    meshes: Path | str | None = None,
    arguments: Mapping[str, str] | None = None,
) -> ImportedRobot:
    """Read a robot of another format, with a note for everything that its file leaves open.

    Args:
        path: of a URDF, xacro or MJCF file, a CSV table of Denavit-Hartenberg rows, or a robot
            file.
        tip: link (of MJCF: body or site) whose frame is the tool frame; empty for the rule of the
            documentation.
        base: link or body whose frame is the base frame; empty for the root.
        name: of the robot; empty for that of the file.
        meshes: folder that meshes are sought in besides that of the file.
        arguments: values of a xacro file's arguments.

    Raises:
        RobotFileError: not such a file; several tips or bases as good; loops of links; what a
            chain of rigid bodies cannot hold; lengths that cannot be metres.
    """
    path = Path(path)
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        what = f"no robot's file ends in {ending}" if ending else "the name has no ending"
        raise RobotFileError(
            f"{path}: {what}, which tells the format; known endings: {', '.join(ENDINGS)}.",
            file=path.name,
        )
    if arguments and ending != ".xacro":
        raise RobotFileError(
            f"{path.name} is no xacro file, so that it takes no arguments; leave them out.",
            file=path.name,
        )
    if (tip or base) and ending in (".csv", ".toml"):
        raise RobotFileError(
            f"{path.name} has no links to choose a tip or base from; leave tip and base out. "
            "Its tool frame stands in [tool] of the robot file.",
            file=path.name,
        )
    if meshes is not None and ending in (".csv", ".toml"):
        raise RobotFileError(
            f"{path.name} names no meshes; leave --meshes out. Shapes stand in [[joint.capsule]] "
            "of the robot file.",
            file=path.name,
        )
    if ending in (".csv", ".toml"):
        mechanism, form, notes = _of_table(path)
    else:
        folder = MeshFolder.beside(path, meshes)
        mechanism, form, notes = _of_xml(path, tip, base, folder, arguments or {})
    if form is SourceFormat.MJCF:
        _check_lengths(mechanism, path.name)
    if name:
        mechanism = replace(mechanism, name=name)
    if ending != ".toml":
        mechanism = replace(
            mechanism,
            joints=tuple(map(_with_plain_limits, mechanism.joints)),
            capsules=tuple(map(_with_plain_lengths, mechanism.capsules)),
        )
    mechanism, renamed = _without_reserved_name(mechanism)
    found = (*notes, *renamed, *_notes(mechanism, form))
    return ImportedRobot(mechanism=mechanism, origin=path.name, format=form, notes=found)


def _with_plain_limits(joint: Joint) -> Joint:
    """A joint whose range has twelve digits: -2.0943951023931953 rad of a source is -120 deg."""
    plain = rounded_angle if joint.kind.angular else rounded_length
    return replace(joint, q_min=plain(joint.q_min), q_max=plain(joint.q_max))


def _with_plain_lengths(capsule: Capsule) -> Capsule:
    """A capsule in whole picometres: 48.992999999999995 mm of a turned frame is 48.993 mm."""
    return replace(
        capsule,
        **{
            what: np.round(getattr(capsule, what), _PICOMETRE_DIGITS)
            for what in ("start", "end", "radius", "corners")
        },
    )


# --- The formats ---------------------------------------------------------------------------------


def _of_xml(
    path: Path, tip: str, base: str, folder: MeshFolder, arguments: Mapping[str, str]
) -> tuple[Mechanism, SourceFormat, list[ImportNote]]:
    """A URDF, xacro or MJCF file."""
    if path.suffix.lower() == ".xacro":
        raw = expand_xacro(path, arguments)
        mechanism = _of_urdf(raw, path, tip, base, folder)
        return replace(mechanism, source=f"xacro {path.name}"), SourceFormat.XACRO, []
    raw = read_bytes(path)
    if path.suffix.lower() == ".urdf" or not is_mjcf(raw, path.name):
        return _of_urdf(raw, path, tip, base, folder), SourceFormat.URDF, []
    model = read_mjcf(raw, origin=path.name)
    mechanism = mechanism_of(
        model.document,
        tip=tip,
        base=base,
        gravity=model.gravity,
        shapes=shapes_of(model.document, folder, partial=True),
    )
    model.check_chain(joint.name for joint in mechanism.joints)
    joints = tuple(
        replace(joint, motor_inertia=model.armatures.get(joint.name, 0.0))
        for joint in mechanism.joints
    )
    mechanism = replace(
        mechanism,
        joints=joints,
        source=f"MJCF {path.name}",
        masses_known=mechanism.masses_known and not model.unweighed,
    )
    return mechanism, SourceFormat.MJCF, list(_mjcf_notes(model))


def _of_urdf(raw: bytes, path: Path, tip: str, base: str, folder: MeshFolder) -> Mechanism:
    """The mechanism first, as it takes no time to refuse; then its shapes."""
    mechanism = read_urdf(raw, origin=path.name, tip=tip, base=base)
    _check_lengths(mechanism, path.name)
    shapes = urdf_shapes(raw, folder, origin=path.name)
    return read_urdf(raw, origin=path.name, tip=tip, base=base, shapes=shapes)


def _mjcf_notes(model: MujocoModel) -> Iterator[ImportNote]:
    if model.unweighed:
        yield ImportNote(
            topic=Topic.MASSES,
            need=Need.OPTIONAL,
            sentence=f"bodies {_named(model.unweighed)} have no <inertial>, and meshes for geoms: "
            "their masses are not known.",
        )
    if model.from_geoms:
        yield ImportNote(
            topic=Topic.MASSES,
            need=Need.NONE,
            sentence=f"Masses and inertias of {_named(model.from_geoms)} follow from their geoms.",
        )
    if model.passed_over:
        yield ImportNote(
            topic=Topic.OTHERS,
            need=Need.NONE,
            sentence=f"Not read: {_named(model.passed_over)}.",
        )


def _of_table(path: Path) -> tuple[Mechanism, SourceFormat, list[ImportNote]]:
    """A table of Denavit-Hartenberg rows, or a robot file; neither has links to choose from."""
    if path.suffix.lower() == ".toml":
        return load_toml(path), SourceFormat.ROBOT_FILE, []
    table = read_dh_table(read_text(path).text, origin=path.name)
    standard = table.convention is Convention.STANDARD
    row = "Rz(theta) Tz(d) Tx(a) Rx(alpha)" if standard else "Rx(alpha) Tx(a) Rz(theta) Tz(d)"
    behind = "behind the last row" if standard else "that of the last row"
    note = ImportNote(
        topic=Topic.CONVENTION,
        need=Need.NONE,
        sentence=f"The table is in the {table.convention.value} convention, as it states: a row is "
        f"{row}; the tool frame is {behind}. Rows here are modified ones, d_mm along x and r_mm "
        "along z.",
    )
    return table.mechanism, SourceFormat.DH_TABLE, [note]


def _check_lengths(mechanism: Mechanism, origin: str) -> None:
    """Refuse a robot of hundreds of metres: its file was written in millimetres."""
    placements = [(joint.name, joint.placement) for joint in mechanism.joints]
    name, length = max(
        ((name, float(np.linalg.norm(T[:3, 3]))) for name, T in placements), key=lambda one: one[1]
    )
    if length > _LONGEST:
        raise RobotFileError(
            f"{origin}: joint {name!r} stands {length:.4g} m from the joint before it, which no "
            "robot has; lengths in the file seem to be millimetres, and such files are in metres. "
            f"Multiply all of them by 0.001, which makes this one {1e-3 * length:.4g} m.",
            file=origin,
            joint=name,
            value=length,
            limit=_LONGEST,
            scale=0.001,
        )


def _without_reserved_name(mechanism: Mechanism) -> tuple[Mechanism, list[ImportNote]]:
    """A joint may not be called as robot files call the base."""
    names = {joint.name for joint in mechanism.joints}
    if BASE_NAME not in names:
        return mechanism, []
    fresh = unique_name(f"{BASE_NAME} joint", names)
    joints = tuple(
        replace(joint, name=fresh) if joint.name == BASE_NAME else joint
        for joint in mechanism.joints
    )
    note = ImportNote(
        topic=Topic.NAMES,
        need=Need.NONE,
        sentence=f"Joint {BASE_NAME!r} is called {fresh!r} here, as {BASE_NAME!r} is the base "
        "itself in robot files.",
    )
    return replace(mechanism, joints=joints), [note]


# --- Notes ---------------------------------------------------------------------------------------


def _notes(mechanism: Mechanism, form: SourceFormat) -> Iterator[ImportNote]:
    """What the file left open: choices first."""
    if mechanism.tip is not None:
        yield ImportNote(
            topic=Topic.TIP, need=Need.NONE, sentence=f"The tool frame is {mechanism.tip}."
        )
    yield from _branch_notes(mechanism)
    if form in (SourceFormat.URDF, SourceFormat.XACRO, SourceFormat.DH_TABLE):
        noise = 1e-9 * float(np.linalg.norm(mechanism.gravity))  # of turned axes
        down = ", ".join(f"{v if abs(v) > noise else 0.0:.4g}" for v in mechanism.gravity.tolist())
        yield ImportNote(
            topic=Topic.GRAVITY,
            need=Need.NONE,
            sentence=f"Gravity is taken as {down} m/s² in the base frame: "
            f"{-STANDARD_GRAVITY[2]:.4g} m/s² down; the source gives none.",
            keys=(("robot", "gravity_m_s2"),),
        )
    yield from _shape_notes(mechanism)
    yield from _friction_note(mechanism)
    yield from _limit_notes(mechanism)
    yield from _mass_notes(mechanism)
    if mechanism.controller is None:
        yield ImportNote(
            topic=Topic.CONTROLLER,
            need=Need.OPTIONAL,
            sentence="[controller]: axes, signs and zeros; programmes in the controller's own "
            "language need it.",
        )


def _branch_notes(mechanism: Mechanism) -> Iterator[ImportNote]:
    side = mechanism.side_branches
    if side.joints:
        yield ImportNote(
            topic=Topic.BRANCHES,
            need=Need.NONE,
            sentence=f"Joints off the chain to the tool frame are held: "
            f"{_named([str(joint) for joint in side.joints])}; what they carry counts with its "
            f"masses ({side.mass:.4g} kg) and shapes.",
        )


def _shape_notes(mechanism: Mechanism) -> Iterator[ImportNote]:
    links = list(dict.fromkeys(shape.link for shape in mechanism.unread_shapes))
    if links:
        kinds = sorted({shape.kind for shape in mechanism.unread_shapes})
        sought = next((shape.sought for shape in mechanism.unread_shapes if shape.sought), ())
        missing = (
            f" The mesh {sought[0]} is not found: name the folder of the meshes." if sought else ""
        )
        yield ImportNote(
            topic=Topic.SHAPES,
            need=Need.OPTIONAL,
            sentence=f"[[joint.capsule]] of links {_named(links)}, whose {' and '.join(kinds)} "
            f"shapes are not read; without capsules their collisions are not checked.{missing}",
        )
    elif not mechanism.capsules:
        yield ImportNote(
            topic=Topic.SHAPES,
            need=Need.OPTIONAL,
            sentence="[[joint.capsule]] and [[base_capsule]]: the source gives no shapes, so that "
            "collisions of the robot are not checked.",
        )
    if mechanism.mesh_shapes:
        worst = max(mechanism.mesh_shapes, key=lambda shape: shape.excess)
        yield ImportNote(
            topic=Topic.SHAPES,
            need=Need.NONE,
            sentence=f"Links {_named(shape.link for shape in mechanism.mesh_shapes)} are shaped by "
            "capsules and convex pieces that contain their meshes; the roomiest, of "
            f"{worst.link}, have {100.0 * worst.excess:.0f} % more volume than its convex hull.",
        )
    if len(mechanism.capsules) > sum(len(shape.capsules) for shape in mechanism.mesh_shapes):
        yield ImportNote(
            topic=Topic.SHAPES,
            need=Need.NONE,
            sentence="Capsules are the smallest about the source's collision shapes; pairs that "
            "touch in every posture are not watched.",
        )


def _friction_note(mechanism: Mechanism) -> Iterator[ImportNote]:
    absent = [
        what
        for what, field in (
            ("dry friction", "coulomb"),
            ("viscous friction", "viscous"),
            ("motor inertia", "motor_inertia"),
        )
        if not any(getattr(joint, field) for joint in mechanism.movable)
    ]
    if absent and mechanism.masses_known:
        yield ImportNote(
            topic=Topic.FRICTION,
            need=Need.NONE,
            sentence=f"The source gives no {' and no '.join(absent)}: taken as zero.",
        )


def _limit_notes(mechanism: Mechanism) -> Iterator[ImportNote]:
    """Limits that are absent, or leave no motion."""
    still = [j.name for j in mechanism.movable if j.q_min == j.q_max]
    if still:
        yield _limit_note(
            mechanism, Topic.POSITION, Need.REQUIRED, still, ("min", "max"),
            "the source has the same lower and upper limit (a limit of 0 that is not known), so "
            "that the joint cannot move",
        )  # fmt: skip
    required: tuple[tuple[Topic, str, tuple[str, ...], str], ...] = (
        (Topic.SPEED, "max_speed", ("max_speed",), "the source gives none, or 0, which is none"),
        (
            Topic.ACCELERATION,
            "max_acceleration",
            ("max_acceleration",),
            "or default_acceleration_rad_s2 (_m_s2) under [robot] of a job",
        ),
    )
    for topic, field, keys, why in required:
        names = [j.name for j in mechanism.movable if math.isinf(getattr(j, field))]
        if names:
            yield _limit_note(mechanism, topic, Need.REQUIRED, names, keys, why)
    optional: tuple[tuple[Topic, tuple[str, ...], tuple[str, ...], str], ...] = (
        (Topic.POSITION, ("q_min", "q_max"), ("min", "max"), "without one the joint turns freely"),
        (
            Topic.EFFORT,
            ("max_effort",),
            ("max_effort",),
            "the source gives none, or 0; without one torques are not limited",
        ),
    )
    for topic, fields, keys, why in optional:
        names = [
            j.name for j in mechanism.movable if any(math.isinf(getattr(j, one)) for one in fields)
        ]
        if names and (topic is not Topic.EFFORT or mechanism.masses_known):
            yield _limit_note(mechanism, topic, Need.OPTIONAL, names, keys, why)


_KEYS = {
    True: {"min": "min_deg", "max": "max_deg", **REVOLUTE_KEYS},
    False: {"min": "min_mm", "max": "max_mm", **PRISMATIC_KEYS},
}


def _limit_note(
    mechanism: Mechanism,
    topic: Topic,
    need: Need,
    names: Sequence[str],
    keys: Sequence[str],
    why: str,
) -> ImportNote:
    places: list[KeyPath] = []
    texts: dict[str, None] = {}
    for name in names:
        index = mechanism.index(name)
        own = [_KEYS[mechanism.joints[index].kind.angular][key] for key in keys]
        texts |= dict.fromkeys(own)
        places += [("joint", index, key) for key in own]
    every = len(names) == mechanism.dof
    return ImportNote(
        topic=topic,
        need=need,
        sentence=f"{', '.join(texts)} of {'every joint' if every else _named(names)}: {why}.",
        keys=tuple(places),
        joints=tuple(names),
    )


def _mass_notes(mechanism: Mechanism) -> Iterator[ImportNote]:
    if not mechanism.masses_known:
        yield ImportNote(
            topic=Topic.MASSES,
            need=Need.OPTIONAL,
            sentence="[joint.body] of every link: the source gives no masses, so that torques, "
            "power and energy are not evaluated.",
        )
        return
    bare = _unweighed_joints(mechanism)
    if bare:
        yield ImportNote(
            topic=Topic.MASSES,
            need=Need.OPTIONAL,
            sentence=f"[joint.body] of {_named(bare)}: the source gives these links neither mass "
            "nor inertia, and torques leave them out.",
            keys=tuple(("joint", mechanism.index(name)) for name in bare),
            joints=tuple(bare),
        )
    for joint in mechanism.joints:
        for reason in joint.body.inconsistencies():
            yield ImportNote(
                topic=Topic.MASSES,
                need=Need.OPTIONAL,
                sentence=f"the body of {joint.name} is not physically consistent: {reason}.",
                keys=(("joint", mechanism.index(joint.name)),),
                joints=(joint.name,),
            )


def _unweighed_joints(mechanism: Mechanism) -> list[str]:
    """Movable joints whose rigid link has neither mass nor inertia."""
    rigid = {BASE: BASE}
    heavy = set()
    for index, joint in enumerate(mechanism.joints):
        rigid[index] = rigid[joint.parent] if joint.kind is JointKind.FIXED else index
        if not joint.body.massless or joint.motor_inertia:
            heavy.add(rigid[index])
    return [
        joint.name
        for index, joint in enumerate(mechanism.joints)
        if joint.movable and index not in heavy
    ]


def _named(names: Iterable[str]) -> str:
    """The first names of a list, and how many more."""
    known = list(names)
    shown = ", ".join(known[:_MOST_NAMED])
    more = len(known) - _MOST_NAMED
    return f"{shown} and {more} more" if more > 0 else shown


# --- xacro ---------------------------------------------------------------------------------------

_NO_PACKAGE = (
    "xacro expands it, and is not installed here: pip install xacro, or expand the file where ROS "
    "is (xacro {name} > robot.urdf) and import robot.urdf"
)
_LEVELS = 4  # of folders above the file that packages are looked for in
_LONGEST_REFUSAL = 300  # characters of the package's own message


def expand_xacro(path: Path, arguments: Mapping[str, str] | None = None) -> bytes:
    """Expand a xacro file to a URDF document, by the PyPI package ``xacro`` where it is installed.

    The package evaluates the file's expressions and reads what it includes. ``$(find PACKAGE)``
    leads to a folder of that name that holds the file or stands beside one that does; without a
    ROS installation there is no other place to look.

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
            said = " ".join(str(error).split())[:_LONGEST_REFUSAL] or type(error).__name__
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
