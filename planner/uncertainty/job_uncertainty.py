"""uncertainty_of(job): how well each point of a job will be measured, before it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from planner.errors import JobError
from planner.findings import Finding, Quantity, Severity
from planner.findings.finding import Point
from planner.job import Job
from planner.plan import Plan
from planner.planning import plan
from planner.progress import Progress, silent
from planner.reach.robot import reach_of
from planner.uncertainty.measuring import (
    Measuring,
    measuring_of,
    measuring_of_presentation,
    settings_of,
)
from planner.uncertainty.monte_carlo import PointDraws, draws, monte_carlo, normal_interval
from planner.uncertainty.types import BranchSigma, PointUncertainty
from robots.core.arrays import Array

if TYPE_CHECKING:
    from planner.presenting.presentation import Presentation


from collections.abc import Iterator

from planner.uncertainty.deviations import Inputs, inputs_of
from planner.uncertainty.types import Budget, Sensitivity
from robots.core.geometric_errors import ErrorModel, GeometricParameter, ParameterKind
from robots.core.pose import skew

_DRAWS = 10_000  # for a job that asks for none
_NUMBERS = 3_000_000  # that are drawn at most: they are all held at once
_FEWEST = 200


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JobUncertainty:
    """Uncertainty of the points of a job.

    Args:
        job: whose points they are.
        measuring: the points that are reached; on a presenter pose by pose.
        points: their uncertainties.
        findings: of the plan and of its branches.
    """

    job: Job
    measuring: Measuring
    points: tuple[PointUncertainty, ...]
    findings: tuple[Finding, ...]

    @property
    def missing(self) -> int:
        """Number of points of the job that the plan does not reach."""
        return len(self.job.points.names) - len(self.measuring)

    @property
    def worst(self) -> int:
        """Index of the point with the largest standard deviation along its normal."""
        return int(np.argmax([point.sigma_normal for point in self.points]))

    def worst_draws(self) -> PointDraws | None:
        """Draws of the worst point; None where the job asks for none."""
        settings = self.measuring.settings
        if not self.points or not (settings.samples or settings.digits):
            return None
        # up to the worst point, so that its draws are those of a run over all points
        return next(islice(monte_carlo(self.measuring), self.worst, None))

    def errors(self, names: Sequence[str]) -> Array:
        """Draw the errors of all points together, as ``planner.evaluation.evaluate`` takes them.

        Args:
            names: of all points of the job, all of which are reached.

        Returns:
            Base axes, the part where the job gives it. # (draws, points, 3) [m]
        """
        most = max(_FEWEST, _NUMBERS // max(3 * len(self.measuring), 1))
        count = min(self.measuring.settings.samples or _DRAWS, most)
        drawn = np.concatenate(list(draws(self.measuring, count=count)))
        place = {name: k for k, name in enumerate(self.measuring.names)}
        return self.measuring.turned_home(drawn)[:, [place[name] for name in names]]


def uncertainty_of(job: Job, progress: Progress = silent) -> JobUncertainty:
    """Plan a job, or present it, and propagate the uncertainty of its points.

    Args:
        job: with its [uncertainty].
        progress: told how far the work is.

    Raises:
        JobError: it has no [uncertainty], or one that says nothing.
        RobotError: the robot cannot do such a job.
    """
    settings = settings_of(job)  # before the work, not after it
    if settings.exact and job.presenter is None:
        raise JobError(
            "[uncertainty] names nothing that is wrong, so every point would be exact; give the "
            "standard deviations that are known, such as encoder_deg, length_mm or probe_mm.",
            key="uncertainty",
        )
    findings: tuple[Finding, ...]
    if job.presenter is not None:
        from planner.presenting.present import present

        presented = present(job, progress)
        measuring, points = measuring_of_presentation(presented), point_uncertainties(presented)
        findings = presented.findings
    else:
        planned = plan(job, progress)
        measuring, points = measuring_of(planned), point_uncertainties(planned)
        findings = planned.finding_list
    findings = (*findings, *branch_findings(points))
    return JobUncertainty(job=job, measuring=measuring, points=points, findings=findings)


# ------------------------------------------------------------------------------------------- Points


def point_uncertainties(
    measured: Plan | Presentation | Measuring, *, branches: bool = True, threads: int = 1
) -> tuple[PointUncertainty, ...]:
    """Uncertainty of the points that are reached, in the job's order; on a presenter by pose.

    Moments and interval are those of ``samples`` Monte Carlo draws, or of as many as ``digits``
    asks for; with neither those of the first order. The budget is always of the first order.

    Args:
        measured: a plan, a presentation, or points with their postures.
        branches: whether the other branches of plans are looked at too.
        threads: processor cores to use; the result does not depend on it.

    Raises:
        JobError: the job has no [uncertainty].
    """
    measuring, plans = _looked_at(measured)
    linear = first_order(measuring)
    found = [_to_first_order(measuring, linear, k) for k in range(len(measuring))]
    settings = measuring.settings
    if settings.samples or settings.digits:
        runs = monte_carlo(measuring, threads=threads)
        found = [_drawn(point, run) for point, run in zip(found, runs, strict=True)]
    if branches and plans:
        told = [branch_sigmas(plan, measuring) for plan in plans]
        by_name = {name: own for names in told for name, own in names.items()}
        found = [replace(point, branches=by_name.get(point.name, ())) for point in found]
    return tuple(found)


def _looked_at(measured: Plan | Presentation | Measuring) -> tuple[Measuring, tuple[Plan, ...]]:
    """The points, and the plans whose branches can be compared."""
    if isinstance(measured, Measuring):
        return measured, ()
    if isinstance(measured, Plan):
        return measuring_of(measured), (measured,)
    return measuring_of_presentation(measured), tuple(pose.plan for pose in measured.poses)


def _to_first_order(measuring: Measuring, linear: FirstOrder, k: int) -> PointUncertainty:
    sigma = float(linear.sigma_normal[k])
    coverage = measuring.settings.coverage
    return PointUncertainty(
        name=measuring.names[k],
        mean=np.zeros(3),
        covariance=linear.covariances[k],
        sigma_normal=sigma,
        interval=normal_interval(sigma, coverage),
        coverage=coverage,
        method="first order",
        samples=0,
        settled=False,
        sigma_first_order=sigma,
        budget=linear.budgets[k],
    )


def _drawn(point: PointUncertainty, run: PointDraws) -> PointUncertainty:
    return replace(
        point,
        mean=run.mean,
        covariance=run.covariance,
        sigma_normal=run.sigma_normal,
        interval=run.interval,
        method="Monte Carlo",
        samples=run.samples,
        settled=run.settled,
    )


def branch_sigmas(plan: Plan, measuring: Measuring) -> dict[str, tuple[BranchSigma, ...]]:
    """Standard deviation along the normal in every branch, by point, the best first.

    Branches that differ by whole turns of a joint only are one; the least of them counts.

    Args:
        plan: whose branches are compared.
        measuring: its points, among others where it is one of a presenter's plans.
    """
    job, placed = plan.job, plan.placed
    index = {name: k for k, name in enumerate(measuring.names)}
    reach = reach_of(job)
    found = reach.candidates(placed)
    rows = np.array([r for r, k in enumerate(found.point) if placed.names[k] in index], np.int64)
    if rows.size == 0:
        return {}
    contact = placed.at_contact()
    point = np.array([index[placed.names[k]] for k in found.point[rows]])
    there = replace(measuring.take(point), q=found.lines.joints(rows, contact[found.point[rows]]))
    allowed = found.margins.keep(job.checks.joint_margin)[rows]
    planned = {p.name: p.branch for p in plan.planned_points}
    result: dict[str, dict[str, BranchSigma]] = {name: {} for name in placed.names if name in index}
    for row, sigma, keeps, k in zip(rows, normal_sigmas(there), allowed, point, strict=True):
        name, branch = measuring.names[k], found.lines.branch(int(row))
        one = BranchSigma(
            branch=branch,
            sigma_normal=float(sigma),
            planned=branch == planned[name],
            allowed=bool(keeps),
        )
        before = result[name].get(branch)
        if before is None or _key(one) < _key(before):
            result[name][branch] = one
    return {name: tuple(sorted(own.values(), key=_key)) for name, own in result.items()}


def branch_findings(uncertainties: Sequence[PointUncertainty]) -> tuple[Finding, ...]:
    """Notes on points that another allowed branch would measure clearly better."""
    return tuple(note for point in uncertainties for note in _notes(point))


def _notes(point: PointUncertainty) -> tuple[Finding, ...]:
    here, best = point.planned, point.better
    if here is None or best is None:
        return ()
    return (
        Finding(
            code="P150",
            severity=Severity.NOTE,
            subject=Point(point.name),
            message=f"is measured with a standard deviation of {_um(here.sigma_normal)} along its "
            f"normal by {here.branch}; {best.branch} would measure with {_um(best.sigma_normal)}",
            quantities=(
                Quantity("sigma", here.sigma_normal, "m"),
                Quantity("better sigma", best.sigma_normal, "m"),
            ),
            hint="turn or move the part so that the better branch is the natural one, or narrow "
            "the limits of the joint that tells them apart in [robot.limits]",
        ),
    )


def _um(sigma: float) -> str:
    return f"{1e6 * sigma:.3g} µm"


def _key(branch: BranchSigma) -> tuple[bool, float]:
    return not branch.allowed, branch.sigma_normal


# -------------------------------------------------------------------------------------- first order
# Sensitivities times standard deviations, source by source.
# Source: JCGM 100:2008 (GUM) §5.1.2, §5.2.2; several outputs as in JCGM 102:2011 §6.2

_POSE = ("x", "y", "z", "turn x", "turn y", "turn z")
_GROUPS = {
    ParameterKind.ANGLE: "angles",
    ParameterKind.LENGTH: "lengths",
    ParameterKind.TOOL: "stylus",
    ParameterKind.EXPANSION: "arm temperature",
}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Input:
    """One input with what it does to every point.

    Args:
        source: entry of the budget.
        name: of the input.
        unit: of the input.
        sigma: standard deviation. [unit]
        effect: deviation of each point per unit. # (k, 3) [m/unit]
        common: whether it is the same draw for all points.
    """

    source: str
    name: str
    unit: str
    sigma: float
    effect: Array
    common: bool


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FirstOrder:
    """Uncertainty of points to first order.

    Args:
        names: of the points.
        covariances: # (k, 3, 3) [m²]
        sigma_normal: along the normals. # (k,) [m]
        budgets: of the variance along the normal.
        tables: sensitivities along the normal, of every input, one table per point.
    """

    names: tuple[str, ...]
    covariances: Array
    sigma_normal: Array
    budgets: tuple[Budget, ...]
    tables: tuple[tuple[Sensitivity, ...], ...]


def first_order(measuring: Measuring) -> FirstOrder:
    """Propagate the standard deviations of all inputs to first order."""
    inputs = list(_inputs(measuring))
    count = len(measuring)
    scaled = [item.sigma * item.effect for item in inputs]
    effects = np.reshape(scaled, (len(inputs), count, 3))
    along = np.einsum("ikj,kj->ik", effects, measuring.normals)
    sources = tuple(dict.fromkeys(item.source for item in inputs))
    members = np.array([[item.source == name for item in inputs] for name in sources])
    variances = members.reshape(len(sources), len(inputs)).astype(np.float64) @ along**2
    return FirstOrder(
        names=measuring.names,
        covariances=np.einsum("ika,ikb->kab", effects, effects),
        sigma_normal=np.sqrt(np.sum(along**2, axis=0)),
        budgets=tuple(Budget(names=sources, variances=variances[:, k]) for k in range(count)),
        tables=tuple(_table(inputs, measuring.normals[k], k) for k in range(count)),
    )


def joint_covariance(measuring: Measuring) -> Array:
    """Covariance of the coordinates of all points, which common inputs correlate.

    Args:
        measuring: not too many points: the matrix has (3k)² entries.

    Returns:
        Coordinates point by point, base axes. # (3k, 3k) [m²]
    """
    count = len(measuring)
    total = np.zeros((count, 3, count, 3))
    each = np.arange(count)
    for item in _inputs(measuring):
        effect = item.sigma * item.effect
        if item.common:
            total += np.einsum("ka,lb->kalb", effect, effect)
        else:
            total[each, :, each, :] += np.einsum("ka,kb->kab", effect, effect)
    return np.asarray(total.reshape(3 * count, 3 * count))


def normal_sigmas(measuring: Measuring) -> Array:
    """Standard deviations along the normals alone: what a choice of posture needs. # (k,) [m]."""
    variance = np.zeros(len(measuring))
    for item in _inputs(measuring):
        variance += (item.sigma * np.sum(item.effect * measuring.normals, axis=1)) ** 2
    return np.asarray(np.sqrt(variance))


def _table(inputs: list[_Input], normal: Array, k: int) -> tuple[Sensitivity, ...]:
    return tuple(
        Sensitivity(
            source=item.source,
            name=item.name,
            unit=item.unit,
            sigma=item.sigma,
            coefficient=float(item.effect[k] @ normal),
        )
        for item in inputs
    )


def _inputs(measuring: Measuring) -> Iterator[_Input]:
    """Every input that is wrong, in the order of the budget."""
    given = inputs_of(measuring)
    yield from _of_arm(measuring, given)
    yield from _of_touch(measuring, given)
    yield from _of_part(measuring, given)
    yield from _of_carriers(measuring, given)


def _of_arm(measuring: Measuring, given: Inputs) -> Iterator[_Input]:
    """Readings and resolution by joint, then zeros by joint, then the groups of parameters."""
    model = ErrorModel(measuring.mechanism, given.parameters, "single-use")
    joints = measuring.mechanism.movable
    rates = -model.reading_sensitivities(measuring.q)
    kinds = [("reading", given.reading, given.reading_sigmas)]
    kinds.append(("resolution", given.stepped, given.step_sigmas))
    for what, indices, sigmas in kinds:
        for j, sigma in zip(indices.tolist(), sigmas.tolist(), strict=True):
            name = f"{what} {joints[j].name}"
            unit = joints[j].kind.unit
            yield _input((name, name, unit), sigma, rates[..., j], common=False)
    effects = -model.sensitivities(measuring.q)
    order = sorted(range(len(given.parameters)), key=lambda i: _rank(given.parameters[i]))
    for i in order:
        parameter = given.parameters[i]
        words = (_source(parameter, measuring), parameter.name, parameter.unit)
        yield _input(words, float(given.sigmas[i]), effects[..., i])


def _rank(parameter: GeometricParameter) -> int:
    return (ParameterKind.OFFSET, *_GROUPS).index(parameter.kind)


def _source(parameter: GeometricParameter, measuring: Measuring) -> str:
    if parameter.kind is ParameterKind.OFFSET:
        return f"offset {measuring.mechanism.joints[parameter.joint].name}"
    return _GROUPS[parameter.kind]


def _of_touch(measuring: Measuring, given: Inputs) -> Iterator[_Input]:
    if given.probe > 0.0:
        for axis, name in enumerate(_POSE[:3]):
            effect = np.broadcast_to(np.eye(3)[axis], measuring.normals.shape)
            yield _input(("probe", f"probe {name}", "m"), given.probe, effect, common=False)
    if given.probe_normal > 0.0:
        words = ("probe", "probe along normal", "m")
        yield _input(words, given.probe_normal, measuring.normals, common=False)
    if given.trigger_jitter > 0.0:
        words = ("trigger", "trigger jitter", "s")
        yield _input(words, given.trigger_jitter, measuring.velocities, common=False)


def _of_part(measuring: Measuring, given: Inputs) -> Iterator[_Input]:
    arms = measuring.at_home - measuring.middle
    twists = measuring.turns @ _twists(arms)
    for column, (name, sigma) in enumerate(zip(_POSE, given.alignment.tolist(), strict=True)):
        if sigma > 0.0:
            words = ("alignment", f"part {name}", "m" if column < 3 else "rad")
            yield _input(words, sigma, twists[..., column])
    if given.growth > 0.0:
        words = ("part temperature", "part growth", "1")
        yield _input(words, given.growth, np.einsum("kij,kj->ki", measuring.turns, arms))


def _of_carriers(measuring: Measuring, given: Inputs) -> Iterator[_Input]:
    """Independent combinations of errors of each pose of a presenter."""
    for place, (carrier, factor) in enumerate(zip(measuring.carriers, given.factors, strict=True)):
        on_it = (measuring.carried == place)[:, None]
        effects = _twists(measuring.surfaces - carrier.origin) @ factor
        for column in range(6):
            words = ("presenter", f"pose {place + 1}, direction {column + 1}", "1")
            yield _input(words, 1.0, np.where(on_it, effects[..., column], 0.0))


def _twists(arms: Array) -> Array:
    """Displacements of points by shifts, then by small turns about the axes. # (k, 3, 6)."""
    shifts = np.broadcast_to(np.eye(3), (len(arms), 3, 3))
    return np.concatenate([shifts, -skew(arms)], axis=2)


def _input(
    words: tuple[str, str, str], sigma: float, effect: Array, *, common: bool = True
) -> _Input:
    source, name, unit = words
    return _Input(
        source=source, name=name, unit=unit, sigma=sigma, effect=np.asarray(effect), common=common
    )
