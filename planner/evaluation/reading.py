"""Measured files of any known format → measured points of a job."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from parts.evaluation import MeasuredPoints
from parts.evaluation.measured_points import Frame
from parts.points import (
    Compensation,
    RawPoints,
    ball_text,
    calibrated_ball,
    read_raw_points,
    same_ball,
)
from parts.points.file_text import fault, file_bytes
from parts.points.tables import frame_csv
from planner.evaluation.calibrated import calibrated_mechanism
from planner.evaluation.joint_readings import is_joint_readings, joint_points
from planner.job import Job

if TYPE_CHECKING:
    from pandas import DataFrame


def read_measured(
    path: Path | str,
    job: Job,
    *,
    frame: Frame | None = None,
    compensated: bool | None = None,
    unit: str | None = None,
    format: str | None = None,
    robot: Path | str | None = None,
) -> MeasuredPoints:
    """Read what came back from the machine.

    Known are the formats of ``parts.points.FORMATS``, and joint readings (``name,q1_deg,…``), which
    become centres of the ball by the forward model of the job's arm.

    Args:
        path: of the file.
        job: whose points were measured.
        frame: of the coordinates; default that of the job's points. Joint readings give the base.
        compensated: for a file that does not say: True where its points lie on the surface, False
            where they are centres of the ball; default the job's ``[evaluation] compensated``.
        unit: of a file that carries none.
        format: a key of ``parts.points.FORMATS``, where name and content do not tell; "auto" or
            None to ask them.
        robot: file of the calibrated robot, for joint readings; default the job's.

    Raises:
        PointsError: a file that cannot be read, no unit, nobody says whether it is compensated.
        EvaluationError: points that are not finite or named twice.
        JobError: a calibrated robot of another kind, or for points that need none.
    """
    return _read(
        file_bytes(path),
        Path(path).name,
        job,
        frame=frame,
        compensated=compensated,
        unit=unit,
        format=format,
        robot=robot,
    )


def measured_points(
    table: DataFrame,
    job: Job,
    *,
    frame: Frame | None = None,
    compensated: bool | None = None,
    unit: str | None = None,
    format: str | None = None,
    robot: Path | str | None = None,
) -> MeasuredPoints:
    """Take measured points, or joint readings, from a table with the columns of a measured file.

    Arguments and errors are those of ``read_measured``.
    """
    return _read(
        frame_csv(table),
        "table of measured points",
        job,
        frame=frame,
        compensated=compensated,
        unit=unit,
        format=format,
        robot=robot,
    )


def _read(
    raw: bytes,
    origin: str,
    job: Job,
    *,
    frame: Frame | None,
    compensated: bool | None,
    unit: str | None,
    format: str | None,
    robot: Path | str | None,
) -> MeasuredPoints:
    if format in (None, "auto") and is_joint_readings(raw):
        mechanism = job.mechanism if robot is None else calibrated_mechanism(job, robot)
        return joint_points(
            raw, origin=origin, mechanism=mechanism, probe_radius=job.probe.ball_radius
        )
    if robot is not None:
        raise fault(
            origin,
            "a calibrated robot is given, but these are points, not joint readings (name,q1_deg,…);"
            " leave it out.",
        )
    found = read_raw_points(raw, origin=origin, unit=unit, format=format, choice="measured")
    return _measured(found, job, frame or job.frame, compensated)


def _measured(found: RawPoints, job: Job, frame: Frame, compensated: bool | None) -> MeasuredPoints:
    source = found.source
    return MeasuredPoints(
        names=found.names,
        xyz=found.positions,
        frame=frame,
        compensated=_on_surface(found, job, compensated),
        settled=found.settled,
        probe_radius=_radius(found, job),
        directions=np.where(found.has_normal[:, None], found.checked.normals, np.nan),
        features=found.checked.features,
        notes=(*source.told(), *_calibrated(found, job)),
        doubts=found.checked.warnings,
        untaken=source.untaken,
    )


def _calibrated(found: RawPoints, job: Job) -> tuple[str, ...]:
    """That the file's ball is the job's, calibrated."""
    stated, own = found.source.ball_diameter, job.probe.ball_diameter
    centres = found.source.compensation is Compensation.CENTRE
    if not centres or stated is None or own <= 0.0 or same_ball(stated, own):
        return ()
    return (
        f"The ball is the file's, of {ball_text(stated)} mm, as calibrated; the job's is "
        f"{ball_text(own)} mm.",
    )


def _on_surface(found: RawPoints, job: Job, given: bool | None) -> bool:
    """Whether the points lie on the surface, by the file, the caller or the job."""
    state = found.source.compensation
    if state is not Compensation.UNSTATED:
        stated = state is Compensation.SURFACE
        if found.source.contradictable:
            said = job.evaluation.compensated if given is None else given
            return stated if said is None else said
        if given is not None and given != stated:
            raise fault(
                found.source.origin,
                f"{found.source.format} files give {state.value}, but they are said to be "
                f"{'compensated' if given else 'centres of the ball'}; correct what is said.",
                found=stated,
                expected=given,
            )
        return stated
    said = job.evaluation.compensated if given is None else given
    if said is None and job.probe.ball_radius > 0.0:
        raise fault(
            found.source.origin,
            "the file does not say whether its points lie on the surface or are centres of the "
            f"ball of {2e3 * job.probe.ball_radius:g} mm; set compensated = true (surface) or "
            "false (centres) in [evaluation] of the job.",
            choices=(True, False),
        )
    return said is not False


def _radius(found: RawPoints, job: Job) -> float:
    stated = found.source.ball_diameter
    own = job.probe.ball_diameter
    if stated is None:
        return 0.5 * own
    centres = found.source.compensation is Compensation.CENTRE
    one = same_ball(stated, own) or calibrated_ball(stated, own)
    if own > 0.0 and not one and centres:
        raise fault(
            found.source.origin,
            f"it was made with a ball of {ball_text(stated)} mm, but the job's is "
            f"{ball_text(own)} mm; use the same ball, or correct probe.ball_diameter_mm.",
            found=stated,
            expected=own,
        )
    return 0.5 * stated
