"""What programmes of all controllers have in common: lines by joints, names, the way from home."""

from dataclasses import replace
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest

from planner.detours.find import proven_way
from planner.job import read_job
from planner.library import path_of
from planner.planning import plan
from reports.programmes.robot_programme import (
    SEARCH_CHORD,
    chord_times,
    home_of,
    line_postures,
    logged_names,
    point_labels,
)
from reports.programmes.source import ProgrammeSource
from reports.programmes.text import floored
from tests.cases import some


@pytest.fixture(scope="module")
def block():
    return plan(read_job(path_of("block-with-holes")))


def along(model, postures):
    """Joints all along straight moves, densely."""
    x = np.linspace(0.0, 1.0, 101)[:, None]
    pieces = [a + x * (b - a) for a, b in pairwise(postures)]
    return model.forward(np.concatenate(pieces))


@pytest.mark.parametrize("tolerance", some([SEARCH_CHORD, 1e-8], gate=1))
def test_joint_moves_keep_to_the_line_of_the_ball(block, tolerance):
    model = block.trajectory.model
    for touch in ProgrammeSource(block).steps.touches[::7]:
        ends = np.vstack([touch.q_search_start, touch.q_search_end])
        postures = np.vstack([ends[:1], line_postures(model, *ends, tolerance=tolerance)])
        assert np.array_equal(postures[-1], touch.q_search_end)
        assert len(postures) % 2 == 0  # an odd number of chords: no corner at contact
        T = along(model, postures)
        arms = T[:, :3, 3] - touch.search_start
        across = arms - np.outer(arms @ touch.direction, touch.direction)
        assert np.linalg.norm(across, axis=1).max() <= 1.01 * tolerance
        assert T[:, :3, 2] == pytest.approx(np.tile(touch.axis, (len(T), 1)), abs=1e-5)
    one = line_postures(model, *ends, tolerance=1.0)
    assert one.shape == (1, 5)


def test_times_of_joint_moves_keep_the_touch_speed(block):
    model, speed = block.trajectory.model, 5e-3
    for touch in ProgrammeSource(block).steps.touches[::7]:
        postures = np.vstack(
            [touch.q_search_start, line_postures(model, touch.q_search_start, touch.q_search_end)]
        )
        times = chord_times(model, postures, speed)
        for a, b, time in zip(postures[:-1], postures[1:], times, strict=True):
            q = a + np.linspace(0.0, 1.0, 1001)[:, None] * (b - a)
            rate = np.tile((b - a) / time, (len(q), 1))
            ball = np.linalg.norm(model.velocity(q, rate)[:, :3], axis=1)
            assert 0.999 * speed < ball.max() <= speed


def test_names_that_no_text_holds_are_logged_by_their_labels():
    touches = [
        SimpleNamespace(name=name)
        for name in ("P1", "p1", "bore 3/a", 'a"b', "50%", "ä", " P9", "x" * 60, "P1")
    ]
    labels = point_labels(touches)
    assert len({label.upper() for label in labels}) == len(labels)
    assert all(label.isidentifier() and len(label) <= 14 for label in labels)
    names = logged_names(touches, labels)
    assert names[:3] == ("P1", "p1", "bore 3/a")
    assert names[3:8] == labels[3:8]


def test_numbers_that_must_not_be_passed_are_rounded_down():
    assert floored(0.005, 9) == "0.005000000"
    rng = np.random.default_rng(2)
    for value in rng.uniform(0.0, 300.0, 500).tolist():
        text = floored(value, 6)
        assert float(text) <= value < float(text) + 1.1e-6


# --- home ----------------------------------------------------------------------------------------


def with_home(plan_, home):
    """The same plan before a controller with another home."""
    controller = plan_.job.controller
    changed = replace(controller, home=home)
    return home_of(ProgrammeSource(plan_), changed), changed


def test_the_way_from_home_is_straight_where_that_is_proven(two_points):
    source = ProgrammeSource(two_points)
    home = home_of(source, two_points.job.controller)
    first, last = source.steps.touches[0], source.steps.touches[-1]
    assert np.array_equal(home.posture, two_points.job.controller.home)
    assert np.array_equal(home.way_in, first.q_clearance[None])
    assert np.array_equal(home.way_out, home.posture[None])
    assert last.name == "P2"


def test_the_way_from_home_goes_around_what_is_in_the_way(block):
    source = ProgrammeSource(block)
    home = home_of(source, block.job.controller)
    assert np.array_equal(home.posture, block.job.controller.home)
    assert len(home.way_in) > 1
    assert np.array_equal(home.way_in[-1], source.steps.touches[0].q_clearance)
    assert np.array_equal(home.way_out[-1], home.posture)


def test_no_way_is_written_that_nobody_proved(block):
    """A home inside the table: the programme starts at its first clearance point, and says so."""
    lowest = np.radians([90.0, -80.0, 100.0, 0.0, 0.0])
    model = block.trajectory.model
    inside = proven_way(block.job, model, lowest, lowest)
    assert inside is None
    home, _ = with_home(block, lowest)
    first = ProgrammeSource(block).steps.touches[0].q_clearance
    assert np.array_equal(home.posture, first)
    assert home.way_out.shape == (0, 5)
    assert "NOT that of [controller]" in " ".join(home.lines)


def test_without_a_home_a_programme_starts_at_its_first_clearance_point(two_points):
    home, _ = with_home(two_points, None)
    assert np.array_equal(home.posture, two_points.planned_points[0].q_clearance)
    assert home.way_out.size == 0
