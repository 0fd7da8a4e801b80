"""Virtual measurement of a job: the door from a plan to what the machine would have read."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np

from parts.evaluation.measured_points import Frame, MeasuredPoints
from parts.points import ProbePoints
from parts.points.csv_file import points_csv
from planner.errors import JobError, OptionError
from planner.evaluation.task import nominal_points
from planner.job import Job, UncertaintySettings
from planner.plan import PlacedPoints, Plan
from planner.reach.reach import some_points
from planner.uncertainty.deviations import Inputs, inputs_of
from planner.uncertainty.measuring import Measuring, measuring_of
from planner.uncertainty.monte_carlo import CommonStream, TouchStreams
from planner.virtual_measuring.layout import ball_gaps, inverse_rates
from planner.virtual_measuring.true_part import PartErrors, TruePart
from robots.core.arrays import Array
from robots.core.geometric_errors import ErrorModel, GeometricParameter
from robots.core.model import Model
from robots.core.pose import inverse_pose, rotation_exp, transform_directions, transform_points

MOST_RUNS = 10_000
Content = Literal["joints", "centres", "surface"]
CONTENTS: tuple[str, ...] = get_args(Content)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Injected:
    """Errors of one run.

    Args:
        parameters: geometric parameters of the arm that are wrong.
        geometry: true less nominal value of each. # (P,) [rad, m or 1]
        joints: true less read value of each joint at each touch. # (k, n) [rad or m]
        touches: measured less true place of the ball at each touch, base axes. # (k, 3) [m]
        shift: of the part, base axes. # (3,) [m]
        turn: of the part about the middle of its points, a rotation vector, base axes.
            # (3,) [rad]
        growth: relative, of the part about that middle. [1]
        middle: # (3,) [m]
    """

    parameters: tuple[GeometricParameter, ...]
    geometry: Array
    joints: Array
    touches: Array
    shift: Array
    turn: Array
    growth: float
    middle: Array

    def nominal_place(self, places: Array) -> Array:
        """Where places on the true part are on the nominal one, base frame. # (..., 3) [m]."""
        arms = places - self.middle - self.shift
        return np.asarray(self.middle + arms @ rotation_exp(self.turn) / (1.0 + self.growth))


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
        early: names of points that are touched before the search of their line starts: on the
            machine the ball would have met them faster than touch speed.
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
    early: tuple[str, ...]
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
    nominal = nominal_points(job).take(reached)
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
    late = np.flatnonzero(touches.beyond > 0.0) if job.touch.searching else ()
    early = np.flatnonzero(touches.before > _ROUNDING) if job.touch.searching else ()
    return VirtualMeasurement(
        job=job,
        points=truth.points,
        q=touches.q,
        centres=touches.centres,
        heights=truth.heights,
        errors=errors,
        late=tuple(truth.points.names[k] for k in late),
        early=tuple(truth.points.names[k] for k in early),
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


# ----------------------------------------------------------------------------------------- Probing
# The controller moves the ball along the probing line of its own, nominal model. The true arm takes
# it elsewhere; it stops when the true ball touches the true part, and the readings are those of
# that instant. Nothing is linearised: readings are iterated until the touch is exact.

_ROUNDS = 60
_TOUCHED = 2e-14  # of the distance from the base, or of one metre
_LOST = 1.0  # [m]: nothing is touched that far away
_ROUNDING = 1e-12  # [m]
_GRAZING = 0.02  # least cosine between approach and normal: beyond it the ball slides along


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TouchReadings:
    """What came back from one run.

    Args:
        q: readings of the joints. # (k, n) [rad or m]
        centres: of the ball by the controller's nominal model, base frame. # (k, 3) [m]
        beyond: how far past the search end of its line each touch came; negative before. # (k,) [m]
        before: how far before the start of its search each touch came; negative past it. # (k,) [m]
    """

    q: Array
    centres: Array
    beyond: Array
    before: Array


class Prober:
    """The machine that touches the points of a plan.

    Args:
        job: with its probe and the part's nominal pose.
        measuring: the points that are reached, with their postures.
        placed: lines of the same points.
        part: as it truly is.

    Raises:
        JobError: a point that is approached along its surface.
    """

    def __init__(
        self, job: Job, measuring: Measuring, placed: PlacedPoints, part: TruePart
    ) -> None:
        self._job, self._measuring, self._placed, self._part = job, measuring, placed, part
        self._model = Model(measuring.mechanism)
        self._rates = inverse_rates(self._model, measuring.q)
        self._slopes = placed.approach_cosines
        self._to_part = inverse_pose(job.part.T_base_part)
        self._errors: dict[tuple[str, ...], ErrorModel] = {}
        size = float(np.abs(placed.contacts).max(initial=1.0))
        self._touched = _TOUCHED * max(size, 1.0)
        for k in np.flatnonzero(self._slopes < _GRAZING)[:1].tolist():
            raise JobError(
                f"Point {measuring.names[k]!r} is approached at {self._slopes[k]:.3f} of its "
                f"normal (cosine; expected {_GRAZING} or more): the ball would not meet the "
                "surface. Approach it from outside the material.",
                point=measuring.names[k],
                found=float(self._slopes[k]),
                limit=_GRAZING,
            )

    def run(self, errors: Injected) -> TouchReadings:
        """Touch every point once.

        Raises:
            JobError: a point that the ball cannot be brought to touch.
        """
        truth = self._truth(errors)
        q = np.array(self._measuring.q)
        for _ in range(_ROUNDS):
            gaps = self._gaps(q, errors, truth)
            farthest = float(np.abs(gaps[:, :3]).max(initial=0.0))
            if farthest <= self._touched:
                break
            if not farthest <= _LOST:
                self._refuse(gaps)
            q += np.einsum("kni,ki->kn", self._rates, gaps)
        else:
            self._refuse(gaps)
        centres = self._model.forward(q)[:, :3, 3]
        placed = self._placed
        beyond = np.sum((placed.search_ends - centres) * placed.directions, axis=1)
        before = np.sum((centres - placed.search_starts) * placed.directions, axis=1)
        return TouchReadings(q=q, centres=centres, beyond=beyond, before=before)

    def _gaps(self, q: Array, errors: Injected, truth: ErrorModel) -> Array:
        """Back to the line across it, along it to the touch, and back to the axis. # (k, 6)."""
        placed = self._placed
        gaps = ball_gaps(self._model.forward(q), placed.contacts, placed.axes)
        d = placed.directions
        across = gaps[:, :3] - np.sum(gaps[:, :3] * d, axis=1)[:, None] * d
        height = self._heights(q, errors, truth)
        gaps[:, :3] = across - (height / self._slopes)[:, None] * d
        return gaps

    def _heights(self, q: Array, errors: Injected, truth: ErrorModel) -> Array:
        """Gap between the true ball and the true part. # (k,) [m]."""
        ball = truth.positions(q + errors.joints, errors.geometry) - errors.touches
        nominal = transform_points(self._to_part, errors.nominal_place(ball))
        radius = self._job.probe.ball_radius
        return np.asarray(self._part.distances(nominal) * (1.0 + errors.growth) - radius)

    def _truth(self, errors: Injected) -> ErrorModel:
        key = tuple(parameter.name for parameter in errors.parameters)
        if key not in self._errors:
            self._errors[key] = ErrorModel(self._measuring.mechanism, errors.parameters)
        return self._errors[key]

    def _refuse(self, gaps: Array) -> None:
        away = np.abs(gaps[:, :3]).max(axis=1)
        k = int(np.argmax(np.where(np.isfinite(away), away, np.inf)))
        raise JobError(
            f"Point {self._measuring.names[k]!r} cannot be touched with these errors: the ball "
            f"stays {1e3 * away[k]:.3g} mm from the surface. Correct [uncertainty] or the part's "
            "errors: are their units right?",
            point=self._measuring.names[k],
            found=float(away[k]),
        )


# ---------------------------------------------------------------------------------------- Injected
# Draws, streams and signs are those of ``planner.uncertainty``: run r of a seed has the errors of
# draw r. Errors of the arm are true less nominal; the part truly stands where it is measured.


def injected(measuring: Measuring, *, runs: int, seed: int) -> list[Injected]:
    """Draw the errors of every run.

    Args:
        measuring: the points, with what can be wrong.
        runs: their number.
        seed: of everything.
    """
    given = inputs_of(measuring)
    common = CommonStream(given, seed).next(runs)
    touches = TouchStreams(given, np.arange(len(measuring)), seed).next(runs)
    return [
        _of_run(measuring, given, common[run], touches.own[run], touches.steps[run])
        for run in range(runs)
    ]


def _of_run(
    measuring: Measuring, given: Inputs, common: Array, own: Array, steps: Array
) -> Injected:
    count = len(given.parameters)
    reading = len(given.reading)
    joints = np.zeros_like(measuring.q)
    joints[:, given.reading] += own[:, :reading] * given.reading_sigmas
    joints[:, given.stepped] += steps * given.steps
    pose = common[count : count + 6] * given.alignment
    return Injected(
        parameters=given.parameters,
        geometry=common[:count] * given.sigmas,
        joints=joints,
        touches=_touches(measuring, given, own[:, reading:]),
        shift=pose[:3],
        turn=pose[3:],
        growth=float(common[count + 6] * given.growth),
        middle=measuring.middle,
    )


def _touches(measuring: Measuring, given: Inputs, own: Array) -> Array:
    """Errors of the touches. # (k, 3) [m]."""
    total = np.zeros((len(measuring), 3))
    if given.probe > 0.0:
        total += given.probe * own[:, :3]
    if given.probe_normal > 0.0:
        place = 3 * (given.probe > 0.0)
        total += given.probe_normal * own[:, place : place + 1] * measuring.normals
    if given.trigger_jitter > 0.0:
        total += given.trigger_jitter * own[:, -1:] * measuring.velocities
    return total


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
