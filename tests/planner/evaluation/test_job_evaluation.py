"""Evaluation of a job with the uncertainty that it gives."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from planner.evaluation.evaluate import evaluate
from planner.evaluation.job_evaluation import evaluate_job
from planner.job import UncertaintySettings


def test_without_uncertainty_it_is_the_evaluation_alone(corrected_job, nine_measured):
    measured = nine_measured(1e-5)
    found = evaluate_job(corrected_job, measured)
    assert found.uncertainty is None
    apart = evaluate(corrected_job, measured)
    assert np.array_equal(found.evaluation.points.along, apart.points.along)
    assert found.passed is (apart.conforms and not apart.undecided)


def test_characteristics_have_the_uncertainty_that_the_job_gives(corrected_job, nine_measured):
    job = replace(corrected_job, uncertainty=UncertaintySettings(probe=2e-6, samples=2000))
    found = evaluate_job(job, nine_measured(1e-5))
    assert found.uncertainty is not None
    assert found.uncertainty.missing == 0
    known = [item.uncertainty for item in found.evaluation.characteristics]
    assert known
    assert all(one is not None and one.expanded > 0.0 for one in known)
