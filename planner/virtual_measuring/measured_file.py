"""A virtual measurement → the file that the machine would have written."""

from __future__ import annotations

import csv
import io
from typing import Literal, get_args

import numpy as np

from parts.points import ProbePoints
from parts.sampling import points_csv
from planner.errors import OptionError
from planner.virtual_measuring.measuring import VirtualMeasurement
from robots.core.pose import transform_directions

Content = Literal["joints", "centres", "surface"]
CONTENTS: tuple[str, ...] = get_args(Content)


def measured_csv(measurement: VirtualMeasurement, content: str = "joints") -> str:
    """Text of a CSV file that ``palpeur evaluate`` reads back, in full precision.

    Args:
        measurement: one run.
        content: "joints": readings, ``name,q1_deg,…``; "centres": of the ball, "surface": points
            that the controller has compensated, both in the frame of the job's points.

    Raises:
        OptionError: another content.
    """
    if content not in CONTENTS:
        raise OptionError(
            f"A measured file of {content!r} is not known; choose one of {', '.join(CONTENTS)}.",
            value=content,
        )
    if content == "joints":
        return _joints(measurement)
    job = measurement.job
    measured = measurement.measured(job.frame, compensated=content == "surface")
    normals = measurement.points.normals
    if job.frame == "base":
        normals = transform_directions(job.part.T_base_part, normals)
    return points_csv(
        ProbePoints(
            names=measurement.names,
            positions=measured.xyz,
            normals=normals,
            features=measurement.points.features,
        )
    )


def _joints(measurement: VirtualMeasurement) -> str:
    joints = measurement.job.mechanism.movable
    angular = np.array([joint.kind.angular for joint in joints])
    scales = np.where(angular, 180.0 / np.pi, 1e3)
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    units = ("deg" if turns else "mm" for turns in angular)
    writer.writerow(["name", *(f"q{k}_{unit}" for k, unit in enumerate(units, start=1))])
    rows = zip(measurement.names, (measurement.q * scales).tolist(), strict=True)
    writer.writerows([name, *map(repr, values)] for name, values in rows)
    return stream.getvalue()
