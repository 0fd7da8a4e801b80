"""Machines of three sliding axes: one posture in closed form, and plans that are proven."""

import numpy as np
import pytest

from planner.job import read_job
from planner.planning import plan
from planner.proof import prove
from planner.reach.closed_form import GantryReach, slides_only
from planner.reach.placement import place
from planner.reach.robot import reach_of
from robots.core.errors import InverseError
from robots.core.model import Model
from robots.library import load
from tests.reports.programmes.gantry import ROBOT, gantry_job


@pytest.fixture(scope="module")
def job(tmp_path_factory):
    return gantry_job(tmp_path_factory.mktemp("gantry"))


def test_the_ball_is_where_the_posture_says(job):
    reach = reach_of(job)
    assert isinstance(reach, GantryReach)
    placed = place(job)
    found = reach.candidates(placed)
    assert found.point.tolist() == list(range(len(placed)))
    rows = np.repeat(np.arange(len(placed)), 5)
    lam = np.tile(np.linspace(0.0, 1.0, 5), len(placed))
    lines, model = found.lines, Model(job.mechanism)
    balls = model.forward(lines.joints(rows, lam))[:, :3, 3]
    wanted = lines.starts[rows] + lam[:, None] * (lines.ends - lines.starts)[rows]
    assert np.abs(balls - wanted).max() < 1e-12
    # Its derivatives are those of a straight line: by finite differences.
    state, step = lines.path(rows, lam), 1e-3
    ahead = lines.joints(rows, lam + step)
    assert np.abs((ahead - state.q) / step - state.dq).max() < 1e-10
    assert not state.ddq.any()


def test_a_plan_of_three_axes_is_proven(job):
    planned = plan(job)
    assert planned.feasible
    assert planned.motion_proven
    assert prove(planned).passed
    assert {point.branch for point in planned.planned_points} == {"only posture"}
    assert not [finding for finding in planned.finding_list if finding.code == "P106"]


def test_axes_at_other_angles_reach_as_well(tmp_path):
    skew = ROBOT.replace("[0, 0, -90]", "[0, 0, -70]").split("[controller]")[0]
    (tmp_path / "robot.toml").write_text(skew)
    job = gantry_job(tmp_path)
    text = (tmp_path / "job.toml").read_text()
    (tmp_path / "robot.toml").write_text(skew)
    job = read_job(tmp_path / "job.toml")
    # The ram hangs on the leaning carriage: the stylus is the machine's own, whatever it is.
    axis = Model(job.mechanism).forward(np.zeros((1, 3)))[0, :3, 2]
    down = np.array(job.part.T_base_part)[:3, :3].T @ axis
    told = ", ".join(f"{value:.16f}" for value in down)
    start = text.index("axis = ")
    (tmp_path / "job.toml").write_text(
        text[:start] + f"axis = [{told}]" + text[text.index("\n", start) :]
    )
    job = read_job(tmp_path / "job.toml")
    reach = reach_of(job)
    assert 0.1 < reach.regularity < 0.99
    found = reach.candidates(place(job))
    starts = Model(job.mechanism).forward(found.lines.q_starts)[:, :3, 3]
    assert np.abs(starts - found.lines.starts).max() < 1e-12


def test_a_stylus_that_the_machine_does_not_hold(tmp_path):
    gantry_job(tmp_path)
    text = (tmp_path / "job.toml").read_text()
    start = text.index("axis = ")
    (tmp_path / "job.toml").write_text(text[:start] + text[text.index("\n", start) :])
    planned = plan(read_job(tmp_path / "job.toml"))
    assert {finding.code for finding in planned.finding_list} == {"P101"}
    told = next(f for f in planned.finding_list if f.subject.name == "R1")
    assert "three sliding axes do not turn it" in told.message
    assert "approach.axis so that the stylus points along [0, 0, -1]" in told.hint


def test_axes_in_one_plane_are_refused(tmp_path):
    flat = ROBOT.replace("rotation_zyx_deg = [0, -90, 0]", "rotation_zyx_deg = [0, 0, 0]", 1)
    gantry_job(tmp_path)
    (tmp_path / "robot.toml").write_text(flat.split("[controller]")[0])
    with pytest.raises(InverseError, match="'gantry-3' has 3 joints"):
        plan(read_job(tmp_path / "job.toml"))


def test_only_chains_of_three_sliding_axes_are_such_machines():
    assert not any(slides_only(load(name)) for name in ("gantry-5", "planar-3r", "stanford"))
