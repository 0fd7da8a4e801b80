"""Files of virtual measurements: `evaluate` reads back what was measured."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from planner.errors import OptionError
from planner.evaluation.evaluate import evaluate
from planner.evaluation.reading import read_measured
from planner.virtual_measuring.measuring import CONTENTS, measure_virtually, measured_csv


@pytest.fixture(scope="module")
def measured(uncertain, round_plan, stated):
    """Of the features the ball is evaluated alone: fitting a bore takes most of the time."""
    planned = uncertain(round_plan, stated)
    points = planned.job.points
    ball = tuple(name if name == "ball" else "" for name in points.features)
    job = replace(planned.job, points=replace(points, features=ball))
    return measure_virtually(replace(planned, job=job), seed=2)[0]


@pytest.fixture(scope="module")
def straight(measured):
    """What is found without a file."""
    return evaluate(measured.job, measured.measured())


@pytest.mark.parametrize("content", CONTENTS)
def test_files_read_back(tmp_path, measured, straight, content):
    path = tmp_path / "m.csv"
    path.write_text(measured_csv(measured, content))
    job = measured.job
    said = replace(job.evaluation, compensated={"centres": False, "surface": True}.get(content))
    job = replace(job, evaluation=said)
    read = evaluate(job, read_measured(path, job))
    # Degrees and millimetres are full doubles: a few roundings of a metre are left.
    np.testing.assert_allclose(read.points.measured, straight.points.measured, atol=1e-14)
    assert [c.name for c in read.characteristics] == [c.name for c in straight.characteristics]


def test_joint_readings_carry_their_units(measured):
    lines = measured_csv(measured).splitlines()
    assert lines[0] == "name,q1_deg,q2_deg,q3_deg,q4_deg,q5_deg"
    assert float(lines[1].split(",")[1]) == pytest.approx(np.degrees(measured.q[0, 0]), abs=1e-13)


def test_base_frame(measured):
    """Coordinates in the frame that the job's own points have."""
    T = measured.job.part.T_base_part
    text = measured_csv(replace(measured, job=replace(measured.job, frame="base")), "centres")
    first = [float(cell) * 1e-3 for cell in text.splitlines()[1].split(",")[1:4]]
    np.testing.assert_allclose(first, measured.centres[0], atol=1e-14)
    normal = [float(cell) for cell in text.splitlines()[1].split(",")[4:7]]
    np.testing.assert_allclose(normal, T[:3, :3] @ measured.points.normals[0], atol=1e-14)


def test_unknown_content(measured):
    with pytest.raises(OptionError, match="choose one of joints, centres, surface"):
        measured_csv(measured, "xml")
