"""The job's arm as a calibration has found it."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from planner.errors import JobError
from planner.job import Job
from planner.job.stylus import with_probe
from robots.core.caps import Cap, read_capped, reason_of
from robots.core.errors import RobotError
from robots.core.file_reading import TipRule
from robots.core.mechanism import Mechanism
from robots.core.robot_file import read_robot
from robots.core.robot_file.source_text import toml_document
from robots.core.urdf import read_urdf


def calibrated_mechanism(job: Job, path: Path | str) -> Mechanism:
    """A robot file in place of the job's robot, with the job's probe on it.

    A tool that the job gives itself stays; otherwise the file's tool is the calibrated one.

    Args:
        job: whose robot is replaced.
        path: of the robot file (.toml, .urdf).

    Raises:
        JobError: a file that cannot be read, or a robot with other joints.
    """
    path = Path(path)
    try:
        raw = read_capped(path, Cap.ROBOT_BYTES)
        mechanism = (
            read_urdf(raw, origin=path.name, tip=_given_tip(job.mechanism))
            if path.suffix.lower() == ".urdf"
            else read_robot(raw.decode("utf-8-sig"), origin=path.name)
        )
    except OSError as error:
        raise JobError(
            f"{path}: the calibrated robot cannot be read: {reason_of(error)}."
        ) from error
    except UnicodeDecodeError as error:
        raise JobError(f"{path}: the calibrated robot cannot be read: {error}.") from error
    except RobotError as error:
        raise JobError(
            f"{path}: the calibrated robot has a fault.\n{error.message}", **error.facts
        ) from error
    _check_same(job.mechanism, mechanism, path)
    return with_probe(mechanism, _wrist(job, mechanism), job.probe)


def _given_tip(mechanism: Mechanism) -> str:
    """The link that the job itself gives as tip; a calibrated file has the same links."""
    tip = mechanism.tip
    return tip.link if tip is not None and tip.rule is TipRule.GIVEN else ""


def _wrist(job: Job, mechanism: Mechanism) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """The tool frame before the stylus. # (4, 4)."""
    if "tool" not in toml_document(job.text).get("robot", {}):
        return mechanism.tool
    back = np.eye(4)
    back[2, 3] = -job.probe.stylus_length
    return np.asarray(job.mechanism.tool @ back)


def _check_same(own: Mechanism, other: Mechanism, path: Path) -> None:
    kinds = [[joint.kind.value for joint in robot.movable] for robot in (own, other)]
    if kinds[0] != kinds[1]:
        raise JobError(
            f"{path}: the calibrated robot has the joints {', '.join(kinds[1])}; the job's "
            f"{own.name} has {', '.join(kinds[0])}. Give the calibration of this robot.",
            found=kinds[1],
            expected=kinds[0],
        )
