"""What holds in every language that searches at an input: hits, misses, speeds, mutants."""

from __future__ import annotations

import pytest

from tests.cases import cases, some
from tests.reports.programmes import test_fanuc, test_ros2, test_urscript
from tests.reports.programmes.programme_judge import (
    alignment_error,
    faults,
    mutants,
    peak_ball_speed,
)
from tests.reports.programmes.search_jobs import six_axis_plan, track_plan, ur5e_plan


@pytest.fixture(scope="module", params=[test_fanuc, test_ros2, test_urscript])
def language(request):
    """How programmes of one language are written and run."""
    return request.param


@pytest.fixture(scope="module")
def runs(language):
    return language.runs_of(six_axis_plan())


@pytest.fixture(scope="module")
def text(language):
    return language.text_of(six_axis_plan())


def test_it_measures_as_a_virtual_machine_does_and_mutants_are_noticed(language, runs, text):
    """And stops without harm where it must."""
    assert runs.all_faults(text) == []
    found = mutants(text, language.OPERATORS, cases(gate=1, soak=100))
    assert [name for name, changed in found if not runs.all_faults(changed)] == []


# URScript moves six rotary joints.
@pytest.mark.parametrize("language", some([test_ros2, test_fanuc], gate=1), indirect=True)
def test_an_arm_on_a_track(language):
    plan = track_plan()
    assert language.runs_of(plan).all_faults(language.text_of(plan)) == []


@pytest.mark.soak  # in the gate it measures by KRL and RAPID
def test_a_published_robot(language):
    plan = ur5e_plan()
    if plan is None:
        pytest.skip("no shared/data/real/ur5e.urdf")
    assert language.runs_of(plan).all_faults(language.text_of(plan)) == []


def test_a_positioning_speed_holds_in_every_move(language):
    plan = six_axis_plan("[touch]\npositioning_speed_mm_s = 40\n")
    record = language.runs_of(plan).run(language.text_of(plan))
    assert faults(plan, record) == []
    assert peak_ball_speed(plan, record) <= 0.04 * (1.0 + 1e-3)


def test_a_displaced_part_is_found_from_the_log(runs, text, tmp_path):
    assert alignment_error(runs.plan, runs.run, text, tmp_path) < 1e-9  # 1e-6 mm
