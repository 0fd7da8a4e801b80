"""Robot as users hold it: its models, its inverse, its joints as a table, its picture.

Source: the equations are those of ``robots.core``; the closed form that of ``robots.arm``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from robots.core.arrays import Array
from robots.core.denavit_hartenberg import rows_of
from robots.core.errors import RobotFileError, StateError
from robots.core.file_units import number_text
from robots.core.inverse.limits import limit_breaches, limit_margins
from robots.core.inverse.solver import Answer, Solutions, solve
from robots.core.inverse.task import Target, task_of
from robots.core.kernels import Engine
from robots.core.kernels.direct_call import Function
from robots.core.mechanism import BASE, Joint, Mechanism
from robots.core.model import Model
from robots.core.pose import angles_zyx, as_pose
from robots.core.quantities import quantity
from robots.core.robot_file.conversion import PRISMATIC_KEYS, REVOLUTE_KEYS, read_robot, write_toml
from robots.core.robot_file.source_text import read_bytes, toml_string
from robots.core.schema_problems import nearest
from robots.core.shapes.link_shapes import urdf_shapes
from robots.core.shapes.mesh_files import MeshFile, MeshFolder
from robots.core.views import view
from robots.library.catalogue import names, open_robot

if TYPE_CHECKING:
    from pandas import DataFrame

    from robots.arm.inverse import ArmInverse
    from robots.core.urdf import DrawnLink

_SHOWN = 60  # characters of a value that is refused
_SAME = 1e-9  # [rad] postures nearer than this are one: free joints leave two families equal


@dataclass(frozen=True, slots=True, kw_only=True)
class RobotSource:
    """Source of a robot.

    Args:
        model: library name, or name of a robot file (.toml, .urdf).
        raw: bytes of that file; None for a library robot.
        tip: of a URDF file, link that was asked for as tool frame; empty for the reader's rule.
        meshes: of a URDF file, those that shape its links or draw them.
    """

    model: str
    raw: bytes | None = field(default=None, repr=False)
    tip: str = ""
    meshes: tuple[MeshFile, ...] = field(default=(), repr=False)


class Robot(Model):
    """One robot: forward and inverse geometry, velocities, dynamics.

    Args:
        mechanism: joints, bodies, limits and tool.
        source: where it was read; a mechanism made in Python is its own robot file.
        engine: as for ``Model``.
    """

    def __init__(
        self, mechanism: Mechanism, *, source: RobotSource | None = None, engine: Engine = "auto"
    ) -> None:
        super().__init__(mechanism, engine)
        self._source = source

    def function(self, name: str) -> Function:
        """A quantity as a function of arrays; what is no array of numbers is told with its name."""
        evaluate, arguments = super().function(name), quantity(name).arguments

        def checked(*values: object) -> Array:
            try:
                return evaluate(*values)
            except (TypeError, ValueError) as error:
                raise _no_numbers(self.mechanism, name, arguments, values) from error

        return checked

    @cached_property
    def source(self) -> RobotSource:
        """Where the robot comes from, as a job file names it."""
        if self._source is not None:
            return self._source
        return RobotSource(model="robot.toml", raw=write_toml(self.mechanism).encode())

    @property
    def name(self) -> str:
        """Name of the robot."""
        return self.mechanism.name

    @property
    def joints(self) -> DataFrame:
        """Joints with placement, limits and bodies; columns as in robot files."""
        return joints_frame(self.mechanism)

    def inverse(
        self,
        pose: ArrayLike,
        *,
        near: ArrayLike | None = None,
        locked: Mapping[str, float] | None = None,
    ) -> Solutions:
        """Find the postures that bring the tool to a pose.

        Every branch, by name, of a chain that has no more joints than the task needs. A robot
        with more is searched from many starts, unless ``locked`` holds what is more. A robot of
        five joints, as the measuring arm, holds position and z axis of the pose; one of fewer
        joints its position.

        Args:
            pose: T_base_tool. # (4, 4) [m]
            near: posture that solutions are ordered by. # (n,) [rad or m]
            locked: joints held still, by name. [rad or m]

        Returns:
            Postures within the limits; ``best`` says why there is none.

        Raises:
            PoseError: not a pose.
            InverseError: ``near`` of another length, or not finite; a locked joint that there is
                none, or too few left for the task.
        """
        T = as_pose(pose, "The pose")
        if self._closed_form is not None and not locked:
            return self._branches(self._closed_form, T, near)
        from robots.core.chain_inverse.answers import derived_inverse, solve_branches
        from robots.core.chain_inverse.solver import ChainInverse

        task = task_of(self.dof - len(locked or {}))
        target = Target(task=task, T=T)
        if locked:
            chain = ChainInverse.of(self.mechanism, task, locked, self.engine)
            return solve_branches(self, chain, target, near=near)[0]
        derived = derived_inverse(self, task)
        if derived is None:
            return solve(self, target, start=near)
        return solve_branches(self, derived, target, near=near)[0]

    @cached_property
    def drawn_links(self) -> tuple[DrawnLink, ...]:
        """Meshes of the links, of a URDF file whose meshes were found; else none."""
        source = self.source
        if source.raw is None or not source.meshes:
            return ()
        from robots.core.urdf import drawn_links

        return drawn_links(source.raw, source.meshes, origin=source.model, tip=source.tip)

    @cached_property
    def _closed_form(self) -> ArmInverse | None:
        """Of a measuring arm; None for every other robot."""
        from robots.arm.errors import ArmFamilyError
        from robots.arm.inverse import ArmInverse

        try:
            return ArmInverse(self.mechanism)
        except ArmFamilyError:
            return None

    def _branches(self, inverse: ArmInverse, T: Array, near: ArrayLike | None) -> Solutions:
        from robots.arm.inverse import branch_name

        reference = np.zeros(self.dof) if near is None else np.asarray(near, dtype=np.float64)
        found = inverse.solve(T[:3, 3], T[:3, 2], near=None if near is None else reference)
        answers: list[Answer] = []
        for family in np.flatnonzero(found.solved).tolist():
            answer = self._answer(
                found.q[family],
                reference,
                branch=branch_name(family),
                errors=(float(found.position_error[family]), float(found.axis_error[family])),
            )
            if all(np.max(np.abs(answer.q - other.q)) > _SAME for other in answers):
                answers.append(answer)
        answers.sort(key=lambda one: (not one.success, float(np.linalg.norm(one.q - reference))))
        if answers:
            return Solutions(
                answers=tuple(one for one in answers if one.success), best=answers[0], starts=0
            )
        least = int(np.argmin(found.position_error + found.axis_error))
        missing = 1e3 * float(found.shortfall)
        lost = self._answer(
            np.nan_to_num(found.q[least]),
            reference,
            errors=(float(found.position_error[least]), float(found.axis_error[least])),
            reason=f"Unreachable: the wrist centre would be {missing:.6g} mm out of reach."
            if missing > 0.0
            else "Unreachable: no posture has its ball there in this direction.",
        )
        return Solutions(answers=(), best=lost, starts=0)

    def _answer(
        self,
        q: Array,
        near: Array,
        *,
        errors: tuple[float, float],
        branch: str = "",
        reason: str = "",
    ) -> Answer:
        """A posture of a branch, by whole turns as near to ``near`` as limits allow."""
        from robots.arm.inverse import alternatives, task_jacobian

        ways = alternatives(self.mechanism, q[None])
        nearest = int(np.argmin(np.linalg.norm(ways.q - near, axis=1)))
        chosen, within = ways.q[nearest], bool(ways.within[nearest])
        if not reason and not within:
            reason = f"Out of limits: {limit_breaches(self.mechanism, chosen)}."
        return Answer(
            q=chosen,
            converged=bool(branch),
            within_limits=within,
            position_residual=errors[0],
            angle_residual=errors[1],
            iterations=0,
            rank=int(np.linalg.matrix_rank(task_jacobian(self, chosen))),
            limit_margins=limit_margins(self.mechanism, chosen),
            reason=reason,
            branch=branch,
        )

    def show(self, q: ArrayLike | None = None, *, open_browser: bool = True) -> Any:
        """Show the robot in 3D, in the notebook or the browser.

        Args:
            q: posture; zero, or the nearest to it within limits. # (n,) [rad or m]
            open_browser: whether a page is opened outside a notebook.
        """
        return view("show_robot", self, q, open_browser=open_browser)

    def __repr__(self) -> str:
        """Name, kind of joints, mass."""
        return "\n".join(self._lines())

    def _repr_html_(self) -> str:
        """The same with the table of joints, for notebooks."""
        from html import escape

        head = "<br>".join(escape(line) for line in self._lines())
        return f"<div><p>{head}</p>{self.joints.to_html(index=False, na_rep='')}</div>"

    def _lines(self) -> Iterator[str]:
        kinds = [joint.kind.value for joint in self.mechanism.movable]
        counted = ", ".join(f"{kinds.count(kind)} {kind}" for kind in dict.fromkeys(kinds))
        yield f"Robot {self.name!r}: {self.dof} joints ({counted or 'none moves'})"
        mass = self.mechanism.total_mass
        told = f"mass {mass:.4g} kg" if mass else "without masses"
        if not self.mechanism.masses_known:
            told = "masses unknown: torques, power and energy are not evaluated"
        yield f"  {told}, from {self.source.model}"


def _no_numbers(
    mechanism: Mechanism, name: str, arguments: Sequence[str], values: Sequence[object]
) -> StateError:
    """The first of the values that is no array of numbers."""
    for argument, value in zip(arguments, values, strict=False):
        try:
            np.asarray(value, dtype=np.float64)
        except (TypeError, ValueError):
            shown = repr(value)
            shown = shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}…"
            return StateError(
                f"{name} of {mechanism.name!r}: {argument} is {shown}; expected an array of "
                f"numbers, {mechanism.dof} for each state, in rad and m.",
                argument=argument,
                found=shown,
            )
    return StateError(f"{name} of {mechanism.name!r} takes arrays of numbers: {arguments}.")


def load_robot(
    robot: str | Path | Mechanism | DataFrame | Robot,
    *,
    tip: str = "",
    name: str = "",
    meshes: Path | str | None = None,
) -> Robot:
    """Load a robot from wherever it is described.

    Args:
        robot: library name; path of a robot file (.toml) or a URDF file; a mechanism; or a
            DataFrame with one row per joint and the columns of a robot file (name, type,
            alpha_deg, d_mm, theta_deg, r_mm, min_deg, max_deg, max_speed_rad_s, …); the frame of
            its last joint, which may be of type "fixed", is the tool frame.
        tip: of a URDF file, the link whose frame is the tool frame.
        name: of a robot that comes as a DataFrame; "robot" when empty.
        meshes: of a URDF file, folder that the meshes of its links are sought in besides its own.

    Raises:
        RobotFileError: no such robot, a file or table with a fault, a tip or name that does not go
            with it.
    """
    described = isinstance(robot, str | Path)
    if tip and not described:
        raise RobotFileError(
            f"The tip {tip!r} belongs to a URDF file, but the robot comes as {_kind(robot)}; leave "
            "it out, or give the mechanism its tool frame.",
            tip=tip,
        )
    if isinstance(robot, str | Path):
        text = str(robot)
        if text not in names() and Path(text).suffix.lower() == ".urdf":
            return _urdf_robot(Path(text), tip, meshes)
        mechanism = open_robot(text, tip=tip, meshes=meshes)
        if text in names():
            return Robot(mechanism, source=RobotSource(model=text))
        source = RobotSource(model=Path(text).name, raw=read_bytes(Path(text)), tip=tip)
        return Robot(mechanism, source=source)
    if isinstance(robot, Robot):
        return robot
    if isinstance(robot, Mechanism):
        return Robot(robot)
    if not hasattr(robot, "columns"):
        raise RobotFileError(
            f"A robot is a library name, a path, a Mechanism or a DataFrame of joints; found "
            f"{_kind(robot)}.",
            found=_kind(robot),
        )
    content = robot_text(robot, name or "robot")
    mechanism = read_robot(content, origin="table of joints")
    return Robot(mechanism, source=RobotSource(model="robot.toml", raw=content.encode()))


def _urdf_robot(path: Path, tip: str, meshes: Path | str | None) -> Robot:
    from robots.core.urdf import read_urdf

    raw = read_bytes(path)
    folder = MeshFolder.beside(path, meshes)
    shapes = urdf_shapes(raw, folder, origin=path.name)
    mechanism = read_urdf(raw, origin=path.name, tip=tip, shapes=shapes)
    source = RobotSource(model=path.name, raw=raw, tip=tip, meshes=shapes.files)
    return Robot(mechanism, source=source)


def _kind(value: object) -> str:
    return f"a {type(value).__name__}"


# -------------------------------------------------------------------------------- Robots as tables
# Columns are the keys of a ``[[joint]]`` table; those of the body stand beside them. A cell that is
# empty is a key that is left out.

_DH = ("alpha_deg", "d_mm", "theta_deg", "r_mm")
_NUMBERS = (
    *_DH,
    *("min_deg", "max_deg", "min_mm", "max_mm"),
    *REVOLUTE_KEYS.values(),
    *PRISMATIC_KEYS.values(),
)
_TEXTS = ("name", "type", "parent")
_AXES = ("x", "y", "z")
_POSITION = ("x_mm", "y_mm", "z_mm")  # of a placement that is no DH row
_ANGLES = ("rotation_z_deg", "rotation_y_deg", "rotation_x_deg")
_COM = tuple(f"com_{axis}_mm" for axis in _AXES)
_INERTIA = {f"i{pair}_kg_m2": pair for pair in ("xx", "yy", "zz", "xy", "xz", "yz")}
_COLUMNS = (*_TEXTS, *_NUMBERS, *_POSITION, *_ANGLES, "mass_kg", *_COM, *_INERTIA, "at")


def robot_text(joints: DataFrame, name: str) -> str:
    """Write the robot file of a table of joints.

    Args:
        joints: one row per joint, parents first; columns as in robot files, with ``mass_kg``,
            ``com_x_mm`` …, ``ixx_kg_m2`` … and ``at`` of the body, and ``x_mm`` …,
            ``rotation_z_deg`` … of a placement that is no Denavit-Hartenberg row. Without a column
            of masses they are not known.
        name: of the robot.

    Raises:
        RobotFileError: a column that is not known, or no name or type.
    """
    for column in map(str, joints.columns):
        if column not in _COLUMNS:
            raise RobotFileError(
                f"The table of joints has a column {column!r}, which no robot file has; "
                f"{nearest(column, _COLUMNS)}",
                column=column,
            )
    for column in ("name", "type"):
        if column not in joints.columns:
            raise RobotFileError(
                f"The table of joints has no column {column!r}; give name, type and the "
                f"Denavit-Hartenberg columns {', '.join(_DH)}.",
                column=column,
            )
    blocks = [f"format = 1\n\n[robot]\nname = {toml_string(name)}"]
    if not any(column in joints.columns for column in ("mass_kg", *_INERTIA)):
        blocks[0] += '\nmasses = "unknown"'
    blocks += ["\n".join(_joint_lines(row)) for row in joints.to_dict("records")]
    return "\n\n".join(blocks) + "\n"


def _joint_lines(row: Mapping[str, object]) -> Iterator[str]:
    given = {key: value for key, value in row.items() if not _empty(value)}
    yield "[[joint]]"
    for key in (*_TEXTS, *_NUMBERS):
        if key in given:
            yield f"{key} = {_cell(given[key])}"
    if any(key in given for key in (*_POSITION, *_ANGLES)):
        position = ", ".join(_cell(given.get(key, 0.0)) for key in _POSITION)
        angles = ", ".join(_cell(given.get(key, 0.0)) for key in _ANGLES)
        yield f"pose = {{ translation_mm = [{position}], rotation_zyx_deg = [{angles}] }}"
    if not any(key in given for key in ("mass_kg", "at", *_COM, *_INERTIA)):
        return
    yield "[joint.body]"
    if "mass_kg" in given:
        yield f"mass_kg = {_cell(given['mass_kg'])}"
    if any(key in given for key in _COM):
        yield f"com_mm = [{', '.join(_cell(given.get(key, 0.0)) for key in _COM)}]"
    if any(key in given for key in _INERTIA):
        entries = (f"{pair} = {_cell(given.get(key, 0.0))}" for key, pair in _INERTIA.items())
        yield f"inertia_kg_m2 = {{ {', '.join(entries)} }}"
    if "at" in given:
        yield f"at = {_cell(given['at'])}"


def _empty(value: object) -> bool:
    """Return whether a cell says nothing: pandas writes it as None or NaN."""
    return value is None or (isinstance(value, float) and bool(np.isnan(value)))


def _cell(value: object) -> str:
    if isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool):
        return number_text(float(value)) if np.isfinite(value) else str(float(value))
    return toml_string(str(value))


def joints_frame(mechanism: Mechanism) -> DataFrame:
    """Table of the joints, with the columns that ``robot_text`` reads; missing limits are empty."""
    import pandas as pd

    rows = [dict(_joint_cells(mechanism, index)) for index in range(len(mechanism.joints))]
    used = [column for column in _COLUMNS if any(column in row for row in rows)]
    return pd.DataFrame(rows, columns=used)


def _joint_cells(mechanism: Mechanism, index: int) -> Iterator[tuple[str, object]]:
    joint = mechanism.joints[index]
    yield "name", joint.name
    yield "type", joint.kind.value
    if joint.parent != index - 1:
        yield "parent", "base" if joint.parent == BASE else mechanism.joints[joint.parent].name
    yield from _placement_cells(joint)
    if joint.movable:
        turns = joint.kind.angular
        unit, scale = ("deg", 180.0 / np.pi) if turns else ("mm", 1e3)
        for key, limit in (("min", joint.q_min), ("max", joint.q_max)):
            if np.isfinite(limit):
                yield f"{key}_{unit}", scale * limit
        for field, key in (REVOLUTE_KEYS if turns else PRISMATIC_KEYS).items():
            value = getattr(joint, field)
            if value and np.isfinite(value):
                yield key, value
    body = joint.body
    if body.mass or np.any(body.com) or np.any(body.inertia):
        yield "mass_kg", body.mass
        yield from zip(_COM, (1e3 * body.com).tolist(), strict=True)
        places = {key: tuple("xyz".index(axis) for axis in pair) for key, pair in _INERTIA.items()}
        yield from ((key, float(body.inertia[place])) for key, place in places.items())
        yield "at", body.at


def _placement_cells(joint: Joint) -> Iterator[tuple[str, float]]:
    """One Denavit-Hartenberg row where there is one, else position and angles."""
    pair = rows_of(joint.placement)
    if pair.is_single:
        row = pair.joint
        values = (np.degrees(row.alpha), 1e3 * row.d, np.degrees(row.theta), 1e3 * row.r)
        yield from zip(_DH, map(float, values), strict=True)
        return
    yield from zip(_POSITION, (1e3 * joint.placement[:3, 3]).tolist(), strict=True)
    angles = np.degrees(angles_zyx(joint.placement[:3, :3]).angles)
    yield from zip(_ANGLES, angles.tolist(), strict=True)
