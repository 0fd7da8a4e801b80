"""One characteristic of a job's nominal part, with the uncertainty that drawn errors give it."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import numpy as np

from parts.errors import PartError
from parts.evaluation import MeasuredPoints, ToleranceSpec, Uncertainty
from parts.evaluation.characteristics import FORM_OF
from parts.evaluation.tolerance import ToleranceKind
from parts.points import ProbePoints
from planner.errors import JobError
from planner.evaluation import evaluate
from planner.job import Job
from planner.virtual_measuring.point_count import PointCountRequest
from robots.core.arrays import Array, Indices

_ROUND = ("cylinder", "sphere", "circle3d")


def completed(wanted: PointCountRequest, job: Job, kind: str) -> PointCountRequest:
    """The question with its characteristic: the first that the job tolerances, or a usual one.

    Args:
        wanted: perhaps without a kind.
        job: with its tolerances.
        kind: of the feature's surface.
    """
    if wanted.kind:
        return wanted
    for spec in job.evaluation.tolerances:
        if spec.feature == wanted.feature:
            return replace(wanted, kind=spec.kind, datum=spec.datum)
    usual = "diameter" if kind in _ROUND else FORM_OF.get(kind, "profile")
    return replace(wanted, kind=usual)


class NotHeldError(JobError):
    """A layout that does not hold the characteristic: too few points, or in a bad place."""


class CharacteristicTrial:
    """Measures the nominal part with drawn errors and looks at one characteristic.

    Args:
        job: for its alignment.
        wanted: feature, characteristic, datum.

    Raises:
        JobError: a characteristic without its datum, or with one too many.
    """

    def __init__(self, job: Job, wanted: PointCountRequest) -> None:
        self.wanted = wanted
        settings = replace(job.evaluation, tolerances=(_spec(wanted),), drop_outliers=False)
        on_skin = settings.alignment == "surface"
        self._job = replace(
            job,
            frame="part",
            probe=replace(job.probe, compensated=True),
            evaluation=settings,
            geometry=job.geometry if on_skin else None,
        )

    def uncertainty(self, points: ProbePoints, errors: Array) -> Uncertainty:
        """Of the characteristic, on the nominal part.

        Args:
            points: all of the job, on the surface, in the part frame.
            errors: of these, base axes. # (draws, k, 3) [m]

        Raises:
            NotHeldError: these points do not hold the characteristic.
        """
        wanted = self.wanted
        if self._job.evaluation.alignment == "none":  # other features have no say
            own = {wanted.feature, wanted.datum} - {""}
            rows = np.flatnonzero([name in own for name in points.features])
            points, errors = _some(points, rows), errors[:, rows]
        found = evaluate(
            replace(self._job, points=points),
            MeasuredPoints(names=points.names, xyz=points.positions, features=points.features),
            errors=errors,
        )
        for item in found.characteristics:
            same = (item.feature, item.kind, item.datum)
            if same == (wanted.feature, wanted.kind, wanted.datum) and item.uncertainty is not None:
                return item.uncertainty
        told = [f.message for f in found.findings if f.subject.feature == wanted.feature]
        raise NotHeldError(
            f"The {wanted.kind} of {wanted.feature!r} cannot be evaluated on {len(points)} points. "
            + " ".join(told),
            feature=wanted.feature,
            kind=wanted.kind,
        )


def _spec(wanted: PointCountRequest) -> ToleranceSpec:
    """The tolerance that asks for the characteristic; how wide it is does not matter."""
    try:
        return ToleranceSpec(
            feature=wanted.feature,
            kind=cast(ToleranceKind, wanted.kind),
            value=1.0,
            datum=wanted.datum,
        )
    except PartError as error:
        raise JobError(error.message, **error.facts) from error


def _some(points: ProbePoints, rows: Indices) -> ProbePoints:
    some = rows.tolist()
    return ProbePoints(
        names=tuple(points.names[k] for k in some),
        positions=points.positions[rows],
        normals=points.normals[rows],
        features=tuple(points.features[k] for k in some),
    )
