"""[controller] of robot files and job files: read, written, used, refused."""

import numpy as np
import pytest

from planner.errors import JobError
from planner.job import Job, read_job
from robots.core.errors import RobotFileError
from robots.core.robot_file import read_robot, write_toml
from robots.core.robot_file.controller_table import controller_example
from robots.library import load, text_of

TURNED = """
[controller]
axes = ["q6", "q2", "q1", "q4", "q5", "q3"]
signs = [-1, 1, 1, -1, 1, 1]
offsets_deg = [0, 90, 0, 0, -12.5, 180]
home_deg = [10, 20, 30, 40, 50, -40]
tool_number = 4
base_number = 2
probe_input = 17
speed_override_percent = 50
start_tolerance_deg = 0.25
"""
MIXED = """
[controller]
axes = ["q5", "q1", "q2", "q3", "q4"]
offsets_deg = [1, 2]
offsets_mm = [10, 20, 30]
home_deg = [3, 4]
home_mm = [100, 200, -300]
"""


def with_table(robot, table):
    return read_robot(text_of(robot) + table)


def test_axis_values_are_sign_joint_and_offset():
    c = with_table("industrial-6r", TURNED).controller
    q = np.radians([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    assert np.degrees(c.to_controller(q)) == pytest.approx([-6, 92, 1, -4, -7.5, 183])
    many = np.radians(np.random.default_rng(1).uniform(-90, 90, (7, 6)))
    assert c.from_controller(c.to_controller(many)) == pytest.approx(many, abs=1e-15)
    assert np.degrees(c.home) == pytest.approx([30, 20, -40, 40, 50, 10])
    assert (c.tool_number, c.base_number, c.probe_input) == (4, 2, 17)
    assert (c.speed_override_percent, c.cartesian) == (50.0, True)
    assert np.degrees(c.start_tolerance) == pytest.approx(0.25)


COUPLED = TURNED + "coupled = [{ axis = 3, of = 2, factor = -1 }]\n"


def test_an_axis_may_have_another_one_in_its_value():
    alone, c = (with_table("industrial-6r", table).controller for table in (TURNED, COUPLED))
    many = np.radians(np.random.default_rng(1).uniform(-90, 90, (7, 6)))
    own, values = alone.to_controller(many), c.to_controller(many)
    assert values[:, 2] == pytest.approx(own[:, 2] - own[:, 1])
    assert np.array_equal(np.delete(values, 2, axis=1), np.delete(own, 2, axis=1))
    assert c.from_controller(values) == pytest.approx(many, abs=1e-14)
    assert (
        read_robot(write_toml(with_table("industrial-6r", COUPLED))).controller.coupled == c.coupled
    )


@pytest.mark.parametrize(
    ("coupled", "told"),
    [
        ("[{ axis = 7, of = 2, factor = 1 }]", "is 7; expected an axis from 1 to 6"),
        ("[{ axis = 3, of = 3, factor = 1 }]", "coupled already"),
        (
            "[{ axis = 3, of = 2, factor = 1 }, { axis = 4, of = 3, factor = 1 }]",
            "coupled already",
        ),
    ],
)
def test_axes_that_cannot_be_coupled(coupled, told):
    with pytest.raises(RobotFileError, match=told):
        with_table("industrial-6r", f"{TURNED}coupled = {coupled}\n")


def test_sliding_and_turning_axes_have_lists_of_their_own():
    c = with_table("gantry-5", MIXED).controller
    turning = [joint.kind.angular for joint in load("gantry-5").movable]
    assert turning == [False, False, False, True, True]
    assert c.offsets == pytest.approx([np.radians(1), 0.01, 0.02, 0.03, np.radians(2)])
    assert c.home == pytest.approx([0.1, 0.2, -0.3, np.radians(4), np.radians(3)])
    assert not c.cartesian  # five axes


@pytest.mark.parametrize(("robot", "table"), [("industrial-6r", TURNED), ("gantry-5", MIXED)])
def test_a_robot_file_is_written_without_loss(robot, table):
    mechanism = with_table(robot, table)
    again = read_robot(write_toml(mechanism)).controller
    for name in ("order", "signs", "offsets", "home"):
        assert np.array_equal(getattr(again, name), getattr(mechanism.controller, name))
    for name in ("axes", "tool_number", "probe_input", "start_tolerance", "cartesian"):
        assert getattr(again, name) == getattr(mechanism.controller, name)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (('"q6", "q2"', '"q7", "q2"'), "controller.axes names 'q7', which is no movable joint"),
        (('"q6", "q2"', '"q2", "q2"'), "controller.axes names 'q2' twice"),
        (('"q6", "q2", ', '"q2", '), "controller.axes leaves out q6"),
        (("[-1, 1,", "[-1, 2,"), "expected a whole number from -1 to 1, not 0"),
        (("[-1, 1,", "["), "controller.signs has 4 entries; expected 6"),
        (("[0, 90,", "["), "controller.offsets_deg has 4 entries; expected 6"),
        (("home_deg = [10", "home_deg = [999"), "controller.home_deg has q6 at 999, outside its"),
        (("home_deg", "home_mm"), "controller.home_deg has 0 entries; expected 6"),
        (("tool_number", "tool"), "controller.tool is not a known key"),
        (("= 17", "= 1.5"), "expected a whole number from 0 to 8192"),
        (("= 50", "= 150"), "above 0, at most 100"),
    ],
)
def test_what_is_refused(change, message):
    with pytest.raises(RobotFileError) as told:
        with_table("industrial-6r", TURNED.replace(*change))
    assert message in str(told.value)


def test_an_input_that_is_not_stated_stays_so():
    bare = with_table("industrial-6r", TURNED.replace("probe_input = 17\n", ""))
    assert bare.controller.probe_input is None
    assert read_robot(write_toml(bare)).controller.probe_input is None


def test_the_example_of_a_message_is_read_for_every_robot():
    for robot in ("industrial-6r", "gantry-5", "stanford", "measuring-arm", "industrial-7r"):
        text = text_of(robot).split("[controller]")[0]
        example = controller_example(read_robot(text))
        assert read_robot(f"{text}\n{example}").controller is not None


def test_the_table_of_a_job_replaces_the_robots(tmp_path):
    job = Job(robot="measuring-arm", points=_points(tmp_path), compensated=True)
    assert job.controller.probe_input == 1
    changed = job.replace(controller={"axes": [f"q{k}" for k in (5, 4, 3, 2, 1)], "probe_input": 9})
    assert (changed.controller.probe_input, changed.controller.home) == (9, None)
    changed.write(tmp_path / "copy" / "job.toml")
    again = read_job(tmp_path / "copy" / "job.toml")
    assert again.controller.axes == ("q5", "q4", "q3", "q2", "q1")
    assert again.sha256 == changed.sha256
    with pytest.raises(JobError, match=r"controller\.axes leaves out q2"):
        job.replace(controller={"axes": ["q1"]})


def _points(folder):
    path = folder / "points.csv"
    path.write_text("name,x_mm,y_mm,z_mm,nx,ny,nz\nP1,0,1500,800,0,0,1\n")
    return path
