"""A block that was measured with known errors, and the uncertainty of its points.

The evaluation and the uncertainty are made by the planner's own functions; no plan is made.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from parts.evaluation.measured_points import MeasuredPoints
from parts.evaluation.tolerance import ToleranceSpec
from planner.evaluation.evaluate import evaluate
from planner.evaluation.task import nominal_points
from planner.findings import Finding, Severity
from planner.findings.finding import Requirement
from planner.job import UncertaintySettings, read_job
from planner.library import path_of
from planner.uncertainty.job_uncertainty import point_uncertainties
from planner.uncertainty.measuring import Measuring
from planner.uncertainty.monte_carlo import monte_carlo
from reports.evaluation.evaluation_set import write_evaluation_set
from reports.evaluation.subject import (
    EvaluationSubject,
    InputFile,
    ResultSource,
    UncertaintySubject,
)

EVIL = '</script><script>window.hit=1</script><img src=x onerror="window.hit=1">'
# By hand: the cone is 60 µm too high, so its profile is out; the hole is 0.06 mm too wide.
TOLERANCES = (
    ToleranceSpec(feature="top", kind="flatness", value=30e-6),
    ToleranceSpec(feature="cone", kind="profile", value=100e-6),
    ToleranceSpec(feature="hole-30", kind="cylindricity", value=20e-6),
    ToleranceSpec(feature="hole-30", kind="diameter", value=80e-6),
    ToleranceSpec(feature="hole-20", kind="roundness", value=50e-6),
    ToleranceSpec(feature="front", kind="perpendicularity", value=50e-6, datum="top"),
    ToleranceSpec(feature="back", kind="distance", value=50e-6, datum="front"),
    ToleranceSpec(feature="hole-30", kind="position", value=200e-6),
)
SETTINGS = UncertaintySettings(
    encoder=1e-5, length=1e-5, probe=2e-6, alignment=5e-6, samples=500, seed=3
)


@pytest.fixture(scope="session")
def job():
    read = read_job(path_of("block-with-holes"))
    return replace(read, evaluation=replace(read.evaluation, tolerances=TOLERANCES))


@pytest.fixture(scope="session")
def measured(job):
    """Points of the surface: noise of 2 µm, the cone too high, the hole too wide."""
    nominal, rng = nominal_points(job), np.random.default_rng(7)
    along = 2e-6 * rng.standard_normal(len(nominal.names))
    features = np.array(nominal.features)
    along += np.where(features == "cone", 60e-6, 0.0) - np.where(features == "hole-30", 30e-6, 0.0)
    return MeasuredPoints(
        names=nominal.names,
        xyz=nominal.positions + along[:, None] * nominal.normals,
        probe_radius=job.probe.ball_radius,
    )


@pytest.fixture(scope="session")
def source(job):
    return ResultSource(
        command="palpeur evaluate job.toml measured.csv",
        job=InputFile(name="job.toml", sha256=job.sha256),
        others=(InputFile(name="measured.csv", sha256="ab" * 32),),
    )


@pytest.fixture(scope="session")
def doubtful(job, source):
    """Uncertainty of five points, as if every posture were the arm's zero."""
    placed = nominal_points(job)
    T, count = job.part.T_base_part, 5
    measuring = Measuring(
        mechanism=job.mechanism,
        settings=SETTINGS,
        names=placed.names[:count],
        q=np.tile(np.linspace(0.1, 0.5, job.mechanism.dof), (count, 1)),
        surfaces=placed.positions[:count] @ T[:3, :3].T + T[:3, 3],
        normals=placed.normals[:count] @ T[:3, :3].T,
    )
    points = point_uncertainties(measuring)
    shown = UncertaintySubject(
        job=job, measuring=measuring, points=points, draws=None, findings=(), source=source
    )
    runs = list(monte_carlo(measuring))
    return replace(shown, draws=runs[shown.worst])


@pytest.fixture(scope="session")
def errors(job):
    return 2e-6 * np.random.default_rng(1).standard_normal((200, len(job.points.names), 3))


@pytest.fixture(scope="session")
def shown(job, measured, errors, doubtful, source):
    """Everything is known."""
    return EvaluationSubject(
        job=job,
        evaluation=evaluate(job, measured, errors=errors),
        uncertainty=doubtful,
        source=source,
    )


@pytest.fixture(scope="session")
def plain(job, measured, source):
    """No uncertainty is known, no tolerance is asked for."""
    free = replace(job, evaluation=replace(job.evaluation, tolerances=()))
    return EvaluationSubject(
        job=free, evaluation=evaluate(free, measured), uncertainty=None, source=source
    )


@pytest.fixture(scope="session")
def hostile(shown):
    """Every text that a file can bring in is hostile."""
    found = shown.evaluation
    finding = Finding(
        code="E103",
        severity=Severity.ERROR,
        subject=Requirement(EVIL, EVIL),
        message=EVIL,
        hint=EVIL,
    )
    points = replace(found.points, names=(EVIL, *found.points.names[1:]))
    features = tuple(
        replace(one, name=EVIL + str(k), deviations=_renamed(one.deviations))
        for k, one in enumerate(found.features)
    )
    names = {one.name: EVIL + str(k) for k, one in enumerate(found.features)}
    evaluation = replace(
        found,
        job_name=EVIL,
        points=points,
        features=features,
        characteristics=tuple(
            replace(
                item,
                name=EVIL,
                feature=names[item.feature],
                worst=EVIL,
                datum=names.get(item.datum, ""),
            )
            for item in found.characteristics
        ),
        findings=(finding,),
        compensation=EVIL,
    )
    origin = ResultSource(command=EVIL, job=InputFile(name=EVIL, sha256="00" * 32))
    return replace(shown, job=replace(shown.job, name=EVIL), evaluation=evaluation, source=origin)


def _renamed(deviations):
    return replace(deviations, names=(EVIL, *deviations.names[1:]))


@pytest.fixture(scope="session")
def written(shown, tmp_path_factory):
    """The files of a set, by name."""
    folder = tmp_path_factory.mktemp("sets") / "evaluation"
    write_evaluation_set(shown, folder)
    return {path.name: path.read_bytes() for path in folder.iterdir()}
