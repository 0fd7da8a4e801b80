"""A job → what its measured points are compared with, in the part frame."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from parts.alignment.reference_points import ReferencePoints
from parts.errors import PartError
from parts.evaluation.comparison import AlignmentTask, ComparisonTask
from parts.evaluation.measured_points import MatchedPoints, MeasuredPoints, check_factor
from parts.points import ProbePoints
from planner.errors import JobError
from planner.job import Job
from planner.job.evaluation import ReferenceTarget
from robots.core.arrays import Array, Indices
from robots.core.pose import inverse_pose, transform_directions, transform_points

_AXES = dict(zip("xyz", np.eye(3), strict=True))
_CLEAR = 1.0 / 3.0  # of the distance between points: a touch that near belongs to its point


def nominal_points(job: Job) -> ProbePoints:
    """The job's points on the surface, in the part frame: what measured points are compared with.

    Points that the job gives as centres of the ball are moved to the surface along their normals.
    """
    points = job.points
    positions = points.positions
    if not job.probe.compensated:
        positions = positions - job.probe.ball_radius * points.normals
    normals = points.normals
    if job.frame == "base":
        T_part_base = inverse_pose(job.part.T_base_part)
        positions = transform_points(T_part_base, positions)
        normals = transform_directions(T_part_base, normals)
    return replace(points, positions=positions, normals=normals, warnings=())


def comparison_task(job: Job, nominal: ProbePoints, matched: MatchedPoints) -> ComparisonTask:
    """The task for the points that were measured.

    Args:
        job: with its settings.
        nominal: all its points, in the part frame.
        matched: which of them were measured.
    """
    rows = matched.nominal
    some = rows.tolist()
    points = ProbePoints(
        names=tuple(nominal.names[row] for row in some),
        positions=nominal.positions[rows],
        normals=nominal.normals[rows],
        features=tuple(nominal.features[row] for row in some),
    )
    settings = job.evaluation
    targets, target_rows = _reference_points(settings.targets, points)
    return ComparisonTask(
        points=points,
        alignment=AlignmentTask(
            method=settings.alignment,
            nominal=points.positions,
            normals=points.normals,
            features=points.features,
            datums=settings.aligning_datums,
            targets=targets,
            target_rows=target_rows,
            geometry=job.geometry,
        ),
        tolerances=settings.tolerances,
        datums=settings.datum_features,
        geometry=job.geometry,
        drop_outliers=settings.drop_outliers,
    )


def _reference_points(
    targets: tuple[ReferenceTarget, ...], points: ProbePoints
) -> tuple[ReferencePoints | None, Indices]:
    """Directions in which targets hold the part, one row each, and the rows of their points.

    Raises:
        JobError: a target that was not measured.
    """
    rows: list[int] = []
    directions: list[Array] = []
    for target in targets:
        if target.point not in points.names:
            raise JobError(
                f"The reference point {target.point!r} ([[evaluation.target]]) is not measured; "
                "measure it, or take the target away.",
                point=target.point,
            )
        row = points.names.index(target.point)
        for lock in target.locks:
            rows.append(row)
            directions.append(points.normals[row] if lock == "normal" else _AXES[lock])
    if not rows:
        return None, np.zeros(0, dtype=np.int64)
    nominal = points.positions[rows]
    return ReferencePoints(nominal=nominal, directions=np.array(directions)), np.array(rows)


def in_part_frame(job: Job, measured: MeasuredPoints, rows: Indices) -> MeasuredPoints:
    """Some measured points, as the job's pose puts them into the part frame.

    Raises:
        JobError: points in the base frame of a part that a presenter moves: whose pose was it?
    """
    some = measured.kept(rows)
    if some.frame == "part":
        return some
    if job.presenter is not None:
        raise JobError(
            "The measured points are in the base frame, but the part stands on a presenter and "
            "has a pose for each of its platform's; give them in the part frame.",
            frame="base",
        )
    T_part_base = inverse_pose(job.part.T_base_part)
    xyz = transform_points(T_part_base, some.xyz)
    return some.moved_to(xyz, frame="part", directions=_turned(T_part_base, some.directions))


def nearest_in_features(
    pairs: MatchedPoints, nominal: ProbePoints, measured: MeasuredPoints, xyz: Array
) -> MatchedPoints:
    """Pair touches that a file calls by feature and place with the nominal points nearest to them.

    Results of DMIS and QIF list the touches of a feature as they were made; a plan may have visited
    its points in another order than the job lists them. Within a feature the touches belong to the
    points that they are nearest to, where that leaves no doubt: each within a third of the least
    distance between two points. A part that still stands elsewhere keeps the order of the file.

    Args:
        pairs: by names, or by place.
        nominal: points of the job, part frame.
        measured: all of them.
        xyz: those of the pairs, part frame. # (k, 3) [m]
    """
    from scipy.spatial import cKDTree

    renamed = np.array(
        [
            nominal.names[n] != measured.names[m]
            for n, m in zip(pairs.nominal, pairs.measured, strict=True)
        ]
    )
    features = np.array([nominal.features[n] for n in pairs.nominal], dtype=object)
    rows = pairs.measured.copy()
    for feature in dict.fromkeys(features[renamed].tolist()):
        own = np.flatnonzero((features == feature) & renamed)
        places = nominal.positions[pairs.nominal[own]]
        tree = cKDTree(places)
        least = float(np.min(tree.query(places, k=2)[0][:, 1]))  # infinite for a single point
        away, nearest = tree.query(xyz[own])
        each_once = np.unique(nearest).size == len(own)
        if each_once and float(np.max(away)) <= _CLEAR * least:
            rows[own[nearest]] = pairs.measured[own]
    return replace(pairs, measured=rows)


def _turned(T: Array, directions: Array | None) -> Array | None:
    # by hand: a direction that the file does not give is NaN and stays so
    return None if directions is None else np.asarray(directions @ T[:3, :3].T)


def check_units(nominal: Array, measured: Array) -> None:
    """Refuse measured points in a wrong unit.

    Raises:
        JobError: they are off by a factor.
    """
    try:
        check_factor(nominal, measured)
    except PartError as error:
        raise JobError(error.message, **error.facts) from error
