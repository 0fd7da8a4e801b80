"""The nine-point job, measured in every way."""

from __future__ import annotations

import numpy as np
import pytest

from parts.evaluation.measured_points import MeasuredPoints
from planner.evaluation.task import nominal_points
from planner.job.evaluation import EvaluationSettings


@pytest.fixture(scope="session")
def nine(corrected_job):
    return nominal_points(corrected_job)


@pytest.fixture(scope="session")
def nine_measured(nine):
    """The nine points with deviations along their normals. [m]."""

    def make(deviations=0.0, **changes):
        away = np.broadcast_to(deviations, len(nine))[:, None] * nine.normals
        values = {"names": nine.names, "xyz": nine.positions + away} | changes
        return MeasuredPoints(**values)

    return make


@pytest.fixture(scope="session")
def settings():
    def make(**values):
        return EvaluationSettings(**values)

    return make
