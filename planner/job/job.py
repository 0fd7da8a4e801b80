"""Job: one measuring job with everything resolved, in SI and radians."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from planner.errors import JobError
from planner.job.elements import (
    AssumedAcceleration,
    Frame,
    JobInput,
    PartSurface,
    PlacedPart,
    Presenter,
)
from planner.job.evaluation import EvaluationSettings, evaluation_of
from planner.job.features import renamed
from planner.job.folder import JobFolder
from planner.job.job_text import JobText, job_text, job_vocabulary, read_job_text
from planner.job.part import JobGeometry, examined, job_cell, job_part, job_presenter
from planner.job.points import (
    JobPoints,
    check_surface_unit,
    check_unit,
    job_points,
    part_label,
    points_label,
)
from planner.job.robot import job_robot
from planner.job.settings import (
    INTERPOLATION_ERROR,
    Approach,
    Checks,
    PlaceSettings,
    Probe,
    ReportHeading,
    Touch,
    Travel,
)
from planner.job.settings_of import (
    approach_of,
    checks_of,
    place_of,
    probe_of,
    sampling_of,
    touch_of,
    travel_of,
)
from planner.job.solids import Cell
from planner.job.uncertainty import UncertaintySettings, uncertainty_of
from robots.core.arrays import Array
from robots.core.controller import Controller
from robots.core.mechanism import Mechanism
from robots.core.motion.joint_limits import JointLimits
from robots.core.pose import inverse_pose, transform_points
from robots.core.robot_file.source_text import Comments, SourceText, toml_key
from robots.core.schema_problems import schema_error
from robots.core.views import Shown
from robots.robot import Robot

if TYPE_CHECKING:
    from pandas import DataFrame
    from trimesh import Trimesh

    from parts.geometry import Geometry
    from parts.part import Part
    from parts.points import PointSource, ProbePoints
    from planner.job.document import JobDocument, PointsLike
    from planner.job.schema import JobFile


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, init=False, repr=False)
class Job(Shown):
    """A measuring job, ready to be placed and planned.

    ``Job(robot=…, part=…, points=…, pose=…)`` makes one with every default of the job file; further
    keywords are the tables of the job file. ``read_job`` reads one. Both go through the same text
    and the same checks, so that ``write`` and ``read_job`` lose nothing.

    Attributes:
        name: as the file says it.
        sha256: of the job file's bytes, in hexadecimal.
        inputs: every other file it was read with; library entries too.
        robot: as it was loaded.
        robot_model: its library name or path, as the file says it.
        mechanism: the robot with the job's limits and scales; its tool frame is the ball: z from
            wrist to ball, origin moved by the stylus length. The probe's mass is in its bodies, the
            probe's room in its capsules (``planner.job.stylus``).
        points: in the frame ``frame``.
        frame: "part" or "base".
        part: the workpiece's pose and geometry.
        probe: the touch probe.
        approach: from where and along what a point is touched.
        touch: the probing cycle.
        travel: how the robot goes between points.
        checks: what a plan must keep.
        sampling_period: of trajectories that are written out; None where their rows are so spaced
            that ``interpolation_error`` is kept. [s]
        interpolation_error: what straight lines between rows may miss of the ball's place. [m]
        text: the job file as it was read.
        errata: what a source that the job reproduces says otherwise, a sentence each.
        surface: the part's geometry beside the points; None where the job names none.
        geometry: of the part, in its own frame; None where the job names none.
        cell: the part and the obstacles, in the base frame.
        place: where a better pose of the part is looked for.
        presenter: the hexapod that holds the part, which is given with the hexapod at home; None
            where the part stands still.
        uncertainty: what makes measured points wrong; None where it is not evaluated.
        evaluation: how measured points are compared with the job's, and their tolerances.
        assumed_accelerations: limits that the job gives in place of missing ones.
        point_source: how the point file was read; None for points in the job file.
        report: what the first page of reports says of the part and of who measures it.
        as_written: whether ``text`` and ``inputs`` say all of this; not of a copy that
            ``dataclasses.replace`` made.
    """

    name: str
    sha256: str
    inputs: tuple[JobInput, ...]
    robot: Robot
    robot_model: str
    mechanism: Mechanism
    points: ProbePoints
    frame: Frame
    part: PlacedPart
    probe: Probe
    approach: Approach
    touch: Touch
    travel: Travel
    checks: Checks
    sampling_period: float | None
    interpolation_error: float = INTERPOLATION_ERROR
    text: str = ""
    errata: tuple[str, ...] = ()
    surface: PartSurface | None = None
    geometry: Geometry | None = None
    cell: Cell = field(default_factory=Cell)
    place: PlaceSettings = field(default_factory=PlaceSettings)
    presenter: Presenter | None = None
    uncertainty: UncertaintySettings | None = None
    evaluation: EvaluationSettings = field(default_factory=EvaluationSettings)
    assumed_accelerations: tuple[AssumedAcceleration, ...] = ()
    point_source: PointSource | None = None
    report: ReportHeading = field(default_factory=ReportHeading)
    as_written: bool = field(default=False, init=False)

    def __init__(
        self,
        *,
        robot: Robot | Mechanism | DataFrame | Path | str,
        points: PointsLike,
        part: Part | Trimesh | Path | str | None = None,
        pose: ArrayLike | None = None,
        name: str = "job",
        frame: Frame = "part",
        compensated: bool | None = None,
        robot_settings: Mapping[str, object] | None = None,
        errata: tuple[str, ...] = (),
        **tables: Any,
    ) -> None:
        """Make a job from objects.

        Args:
            robot: as ``load_robot`` takes it.
            points: probe points, a sample, points of a file, a DataFrame with the columns of a
                point file, or the path of one.
            part: as ``load_part`` gives it; a path or mesh that states its unit. None for points
                without a part.
            pose: T_base_part; the robot's base when None. # (4, 4) [m]
            name: of the job.
            frame: of the points: "part" or "base".
            compensated: whether they lie on the surface; with a ball it must be said.
            robot_settings: the other keys of [robot]: tool, limits, speed_scale, …
            errata: what a source that the job reproduces says otherwise.
            **tables: of the job file, by name: controller, probe, approach, touch, travel, checks,
                cell, sampling, place, presenter, uncertainty, feature, evaluation, datum,
                tolerance, report.

        Raises:
            JobError, RobotError, PartError: as for ``read_job``.
        """
        if "mechanism" in tables:  # resolved already: a copy by ``dataclasses.replace``
            given = {"robot": robot, "points": points, "part": part, "name": name}
            self._settle({**given, "frame": frame, "errata": errata, **tables})
            return
        from planner.job.document import JobDocument

        document = JobDocument()
        document.set_job(name=name, errata=errata)
        document.set_robot(robot, robot_settings)
        document.set_part(part, pose)
        document.set_points(points, frame=frame, compensated=compensated)
        document.set_tables(tables)
        self._resolve_document(document)

    def replace(self, **changes: Any) -> Job:
        """Make the same job with some arguments of ``Job(…)`` changed.

        A table that is given is laid over the job's own, key by key; None takes a table away, and
        ``part=None`` the part's geometry.

        Raises:
            JobError, RobotError, PartError: as for ``read_job``; a job that is not as written.
        """
        for name in ("robot", "points"):
            if changes.get(name, self) is None:
                raise JobError(f"A job needs {name}; leave {name} out to keep them.", key=name)
        from planner.job.document import JobDocument

        document = JobDocument(self.document(), self._contents())
        document.set_job(**{key: changes.pop(key) for key in ("name", "errata") if key in changes})
        if "robot" in changes or "robot_settings" in changes:
            document.set_robot(changes.pop("robot", None), changes.pop("robot_settings", None))
        document.geometry = self.geometry  # of a part that stays: not read again
        if changes.get("part", self) is None:
            document.remove_part()
        document.set_part(changes.pop("part", None), changes.pop("pose", None))
        keys = {key: changes.pop(key) for key in ("frame", "compensated") if key in changes}
        if "points" in changes or keys:
            document.set_points(changes.pop("points", None), **keys)
        document.set_tables(changes)
        job = object.__new__(Job)
        job._resolve_document(document)
        return job

    def commented(self, comments: Comments) -> Job:
        """Make the same job with comments in its file.

        Args:
            comments: sentences by the path of the key or table that they stand above.
        """
        from planner.job.document import JobDocument

        document = JobDocument(self.document(), self._contents(), comments)
        document.geometry = self.geometry
        job = object.__new__(Job)
        job._resolve_document(document)
        return job

    def write(self, path: Path | str, *, overwrite: bool = False) -> Path:
        """Write the job file, and the files that it names beside it.

        ``read_job`` of it gives the same job. Files that the job names outside its folder are
        written into the new one, under their own names.

        Args:
            path: of the job file; its folder is made where it is not there.
            overwrite: whether files of another content are replaced.

        Raises:
            OutputError: a file of another content is there, or it cannot be written; an input that
                has changed since the job was read.
            JobError: a job that is not as written.
        """
        from planner.job.document import JobDocument

        document = JobDocument(self.document(), self._contents())
        return document.write(Path(path), self.text, overwrite=overwrite)

    def joint_limits(self) -> JointLimits:
        """What the drives may do.

        Raises:
            JobError: a joint without a speed or acceleration limit; the message says which keys of
                the job give one.
        """
        missing = [
            text
            for limit in ("max_speed", "max_acceleration")
            for text in _missing_limits(self.mechanism, limit)
        ]
        if missing:
            raise JobError("\n".join(missing), robot=self.robot_model)
        return JointLimits.of(self.mechanism)

    @property
    def effort_limits(self) -> Array:
        """Torque limits of the robot, tightened by the job's; inf for none. # (n,) [N m or N].

        Where the masses are not known no torque is, so that none can be limited.
        """
        if not self.mechanism.masses_known:
            return np.full(self.mechanism.dof, np.inf)
        return np.minimum(self.mechanism.max_effort, self.checks.torque_limits)

    @property
    def controller(self) -> Controller | None:
        """The robot's controller, by the job's [controller] or else the robot file's."""
        return self.mechanism.controller

    @property
    def fingerprint(self) -> str:
        """One hash of the job file and all its inputs, in hexadecimal."""
        lines = [self.sha256, *(f"{item.sha256} {item.name}" for item in self.inputs)]
        return hashlib.sha256("\n".join(lines).encode()).hexdigest()

    def _tables(self) -> Iterator[str]:
        yield self.points._repr_html_()

    def _lines(self) -> Iterator[str]:
        yield f"Job {self.name!r}: {len(self.points)} points, robot {self.robot_model}"
        part = self.part.geometry or "without geometry"
        x, y, z = (1e3 * self.part.T_base_part[:3, 3]).tolist()
        yield f"  part {part} at {x:.6g}, {y:.6g}, {z:.6g} mm of the robot's base"
        yield (
            f"  ball {1e3 * self.probe.ball_diameter:g} mm, approach "
            f"{1e3 * self.approach.distance:g} mm ({self.approach.law}), {_touch(self.touch)}, "
            f"travel {self.travel.order} ({self.travel.law})"
        )

    # --- from text to a job ----------------------------------------------------------------------

    def document(self) -> dict[str, Any]:
        """Tables of the job file.

        Raises:
            JobError: a job that is not as written.
        """
        if not self.as_written:
            raise JobError(
                f"The job {self.name!r} was changed by dataclasses.replace after it was read, so "
                "its file does not say what it is; change it by job.replace(…) instead.",
                job=self.name,
            )
        return _text_in_memory(self.text.removeprefix("\ufeff")).document()

    def _contents(self) -> dict[str, JobInput]:
        return {item.name: item for item in self.inputs}

    def _resolve_document(self, document: JobDocument) -> None:
        source = _text_in_memory(document.text())
        folder = JobFolder(root=Path(), source=source, held=document.held())
        self._resolve(source, folder, document.geometry)

    def _resolve(
        self, source: JobText, folder: JobFolder, geometry: Geometry | None = None
    ) -> None:
        """Fill the fields from a job's text and the files that it names.

        Args:
            source: the text.
            folder: of the files.
            geometry: of the part, where it is in memory already.
        """
        file = _validated(source)
        probe = probe_of(file, source)
        robot = job_robot(file, folder, probe)
        part = job_part(file, folder)
        held = job_presenter(file, folder, part.part)
        shape = JobGeometry(file=file, folder=folder, given=geometry)
        points = job_points(file, folder, shape)
        points = replace(
            points, points=_named(points.points, file, probe, held.part, shape, source)
        )
        _check_units(file, (points, shape), held.part, robot.mechanism, source)
        travel = travel_of(file, points.points, source)
        approach = approach_of(file.approach, points.points, source)
        cell = job_cell(file, folder, held.part, shape.loaded)
        self._settle(
            {
                "name": file.job.name,
                "text": source.raw.decode("utf-8"),
                "errata": file.job.errata,
                "sha256": hashlib.sha256(source.raw).hexdigest(),
                "inputs": (
                    *robot.records,
                    *part.records,
                    *points.records,
                    *cell.records,
                    *held.records,
                ),
                "robot": robot.robot,
                "robot_model": file.robot.model,
                "assumed_accelerations": robot.assumed,
                "mechanism": robot.mechanism,
                "points": points.points,
                "point_source": points.source,
                "frame": file.points.frame,
                "part": held.part,
                "probe": probe,
                "approach": approach,
                "touch": touch_of(file, approach, points.points, source),
                "travel": travel,
                "checks": checks_of(file.checks, robot.mechanism, source),
                **sampling_of(file.sampling, source),
                "surface": examined(
                    shape.loaded, points.points, held.part, file.points.frame, probe
                ),
                "geometry": shape.loaded,
                "cell": cell.cell,
                "place": place_of(file.place),
                "presenter": held.presenter,
                "uncertainty": uncertainty_of(file.uncertainty, source),
                "evaluation": evaluation_of(file, points.points, source),
                "report": ReportHeading(**file.report.model_dump()),
                "as_written": True,
            }
        )

    def _settle(self, values: Mapping[str, Any]) -> None:
        """Set every field, once."""
        known = {one.name: one for one in fields(self)}
        for name in values:
            if name not in known:
                raise TypeError(f"Job has no field {name!r}")
        for name, one in known.items():
            if name in values:
                value = values[name]
            elif one.default_factory is not MISSING:
                value = one.default_factory()
            elif one.default is not MISSING:
                value = one.default
            else:
                raise TypeError(f"Job needs {name!r}")
            object.__setattr__(self, name, value)


def read_source(source: JobText, folder: JobFolder) -> Job:
    """Read a job from its text and the files that it names; raises as ``read_job``."""
    job = object.__new__(Job)
    job._resolve(source, folder)
    return job


def _text_in_memory(text: str) -> JobText:
    return JobText(
        source=SourceText(origin="job", text=text), raw=text.encode("utf-8"), written=False
    )


def _validated(source: JobText) -> JobFile:
    document = source.document()
    from pydantic import ValidationError

    from planner.job.schema import JobFile

    try:
        return JobFile.model_validate(document)
    except ValidationError as error:
        raise schema_error(source, error, job_vocabulary()) from None


def _named(
    points: ProbePoints,
    file: JobFile,
    probe: Probe,
    part: PlacedPart,
    geometry: JobGeometry,
    source: JobText,
) -> ProbePoints:
    """Points with the job's own names of features."""
    surface = points.positions
    if not probe.compensated:
        surface = surface - probe.ball_radius * points.normals
    if file.points.frame == "base":
        surface = transform_points(inverse_pose(part.T_base_part), surface)
    return renamed(points, file.feature, geometry, surface, source)


def _check_units(
    file: JobFile,
    measured: tuple[JobPoints, JobGeometry],
    part: PlacedPart,
    mechanism: Mechanism,
    source: JobText,
) -> None:
    """Refuse points in another unit than they are labelled with, by the robot or the surface."""
    (points, geometry), frame = measured, file.points.frame
    label = points_label(source, file, points.source)
    check_unit(points.points, part, frame, mechanism, label)
    of_part = (part, part_label(source, file))
    check_surface_unit(points.points, geometry.loaded, of_part, frame, label)


def _touch(touch: Touch) -> str:
    speed = 1e3 * touch.speed
    return f"touch at {speed:g} mm/s" if touch.searching else "to rest at contact"


def _missing_limits(mechanism: Mechanism, limit: str) -> Iterator[str]:
    """One message per kind of joint without a limit: which joints, which keys, an example."""
    bare = [joint for joint in mechanism.movable if not np.isfinite(getattr(joint, limit))]
    for unit in dict.fromkeys(joint.kind.unit for joint in bare):
        names = [joint.name for joint in bare if joint.kind.unit == unit]
        who = f"Joint {names[0]} of {mechanism.name} has"
        if len(names) > 1:
            who = f"Joints {', '.join(names)} of {mechanism.name} have"
        if limit == "max_speed":
            key, one_for_all, line = f"max_speed_{unit}_s", "", ""
        else:
            key = f"max_acceleration_{unit}_s2"
            default = f"default_acceleration_{unit}_s2"
            one_for_all = f"robot.{default} for all of them, or "
            line = f"{default} = {'10.0' if unit == 'rad' else '1.0'}"
        line = line or f"limits.{toml_key(names[0])}.{key} = 1.0"
        yield (
            f"{who} no {limit.removeprefix('max_')} limit, without which no time can be planned. "
            f"From the drives' data sheets give {one_for_all}robot.limits.{names[0]}.{key}"
            f"{' and so on' if len(names) > 1 else ''}. For example, under [robot]:\n    {line}"
        )


def read_job(
    path: Path | str, *, allow_outside: bool = False, text: str = "", fixed_part: bool = False
) -> Job:
    """Read a job file and what it names.

    Args:
        path: of the job file.
        allow_outside: whether paths in it may leave its folder.
        text: of a variant that is read in place of the file's, as if it stood there.
        fixed_part: refuse a job whose part a presenter moves, for work on one pose of it.

    Raises:
        JobError: a file that cannot be read, or a fault in it; with file, line, key, what was
            found and what was expected.
    """
    path = Path(path)
    source = job_text(path, text, in_file=False) if text else read_job_text(path)
    folder = JobFolder(root=path.parent, source=source, allow_outside=allow_outside)
    job = read_source(source, folder)
    if fixed_part and job.presenter is not None:
        raise JobError(
            f"{path.name} has a [presenter], whose hexapod moves the part between plans; use "
            f"`palpeur stewart present {path.name}`, or remove the table and give [part] its pose "
            "in the robot's base.",
            key="presenter",
        )
    return job


def json_schema() -> dict[str, object]:
    """JSON Schema (draft 2020-12) of job files."""
    from planner.job.schema import JobFile
    from robots.core.schema_numbers import json_schema_of

    return json_schema_of(JobFile)
