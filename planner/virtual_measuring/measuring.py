"""Virtual measurement of a job: the door from a plan to what the machine would have read."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from parts.evaluation import MeasuredPoints
from parts.evaluation.measured_points import Frame
from parts.points import ProbePoints
from planner.errors import JobError
from planner.evaluation import nominal_points
from planner.job import Job, UncertaintySettings
from planner.plan_types import Plan
from planner.reach.reach import some_points
from planner.uncertainty import Measuring, measuring_of
from planner.virtual_measuring.injected import Injected, injected
from planner.virtual_measuring.probing import Prober, TouchReadings
from planner.virtual_measuring.true_part import PartErrors, TruePart
from robots.core.arrays import Array, Indices
from robots.core.pose import inverse_pose, transform_directions, transform_points

MOST_RUNS = 10_000


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class VirtualMeasurement:
    """One virtual run over all points that a plan reaches.

    Args:
        job: that was measured.
        points: that were touched, nominal, on the surface, in the part frame.
        q: readings of the joints at the touches. # (k, n) [rad or m]
        centres: of the ball by the controller's nominal model, base frame. # (k, 3) [m]
        heights: how much higher than nominal the true surface is at each point. # (k,) [m]
        errors: that were injected.
        late: names of points that are touched past the search end of their line: on the machine
            they would have been missed.
        run: its number, from 0.
        seed: of everything that was drawn.
    """

    job: Job
    points: ProbePoints
    q: Array
    centres: Array
    heights: Array
    errors: Injected
    late: tuple[str, ...]
    run: int
    seed: int

    @property
    def names(self) -> tuple[str, ...]:
        """Of the points, in the job's order."""
        return self.points.names

    def measured(self, frame: Frame = "base", *, compensated: bool = False) -> MeasuredPoints:
        """What the controller makes of its readings.

        Args:
            frame: of the coordinates, by the nominal pose of the part.
            compensated: whether the controller moves the ball's centres to the surface itself,
                against the nominal normals.
        """
        radius = self.job.probe.ball_radius
        T = inverse_pose(self.job.part.T_base_part) if frame == "part" else np.eye(4)
        xyz = transform_points(T, self.centres)
        normals = self.points.normals
        if frame == "base":
            normals = transform_directions(self.job.part.T_base_part, normals)
        return MeasuredPoints(
            names=self.names,
            xyz=xyz - radius * normals if compensated else xyz,
            frame=frame,
            compensated=compensated or radius == 0.0,
            probe_radius=radius,
            features=self.points.features,
            notes=(f"Virtual measurement, seed {self.seed}, run {self.run + 1}.",),
        )


def measure_virtually(
    plan: Plan, *, part: PartErrors | None = None, runs: int = 1, seed: int | None = None
) -> tuple[VirtualMeasurement, ...]:
    """Measure a job as its machine would, errors and all.

    The arm has the errors of the job's [uncertainty], drawn once per run; what belongs to a touch
    is drawn at each. Without that table the machine is perfect. The part is the same in every run.

    Args:
        plan: of which the points that are reached are touched.
        part: what is wrong with the part.
        runs: how often everything is measured.
        seed: of the arm, the touches and the form errors; default that of [uncertainty], or 1.

    Raises:
        JobError: a presenter, a point that cannot be touched, a number of runs out of range.
    """
    job = plan.job
    _check(job, runs)
    chosen = settings(job).seed if seed is None else seed
    reached = np.array(
        [k for k, p in enumerate(plan.planned_points) if p.reachable], dtype=np.int64
    )
    if not reached.size:
        raise JobError(
            f"The job {job.name!r}: no point is reached, so there is nothing to measure; "
            "`palpeur plan` says why."
        )
    nominal = _some(nominal_points(job), reached)
    truth = TruePart(nominal, part or PartErrors(), chosen)
    measuring = _measuring(plan)
    prober = Prober(job, measuring, some_points(plan.placed, reached), truth)
    drawn = injected(measuring, runs=runs, seed=chosen)
    return tuple(
        _result(job, truth, errors, prober.run(errors), (run, chosen))
        for run, errors in enumerate(drawn)
    )


def settings(job: Job) -> UncertaintySettings:
    """What can be wrong in a job; nothing where it does not say."""
    return UncertaintySettings() if job.uncertainty is None else job.uncertainty


def _measuring(plan: Plan) -> Measuring:
    return measuring_of(replace(plan, job=replace(plan.job, uncertainty=settings(plan.job))))


def _result(
    job: Job, truth: TruePart, errors: Injected, touches: TouchReadings, which: tuple[int, int]
) -> VirtualMeasurement:
    late = np.flatnonzero(touches.beyond > 0.0) if job.approach.overtravel > 0.0 else ()
    return VirtualMeasurement(
        job=job,
        points=truth.points,
        q=touches.q,
        centres=touches.centres,
        heights=truth.heights,
        errors=errors,
        late=tuple(truth.points.names[k] for k in late),
        run=which[0],
        seed=which[1],
    )


def _check(job: Job, runs: int) -> None:
    if job.presenter is not None:
        raise JobError(
            f"The job {job.name!r} has a [presenter]; virtual measurement knows a part that stands "
            "still. `palpeur uncertainty` tells the uncertainty of its points; or remove the table "
            "and give [part] one of its poses.",
            key="presenter",
        )
    if not 1 <= runs <= MOST_RUNS:
        raise JobError(
            f"{runs} virtual runs are asked; expected 1 to {MOST_RUNS}.",
            found=runs,
            limit=MOST_RUNS,
        )


def _some(points: ProbePoints, rows: Indices) -> ProbePoints:
    some = rows.tolist()
    return ProbePoints(
        names=tuple(points.names[k] for k in some),
        positions=points.positions[rows],
        normals=points.normals[rows],
        features=tuple(points.features[k] for k in some),
    )
