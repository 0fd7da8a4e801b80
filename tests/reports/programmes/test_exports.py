"""The door: which formats there are, what is written, and what is refused."""

import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from planner.errors import OutputError
from planner.job import read_job
from planner.job.settings import Touch
from planner.library import path_of
from planner.planning import plan
from reports.programmes import EXPORTS, check_formats, programmes
from reports.provenance import SetOptions
from reports.verdict import withheld
from robots.core.robot_file import read_robot
from robots.library import text_of

MACHINES = ["dmis", "ipp", "qif", "csv", "ros"]
ARMS = ["krl", "rapid", "urscript", "fanuc", "ros2"]
GANTRIES = ["linuxcnc", "fanuc-gcode"]


def paths_of(keys):
    return sorted(path for key in keys for path in EXPORTS[key].files)


def test_each_format_writes_its_files(two_points, six_axes, on_gantry):
    assert sorted(EXPORTS) == sorted([*MACHINES, *ARMS, *GANTRIES])
    paths = paths_of(EXPORTS)
    assert len(set(paths)) == len(paths)
    for key, export in EXPORTS.items():
        made = programmes(on_gantry if key in GANTRIES else six_axes, [key])
        assert tuple(sorted(made)) == tuple(sorted(export.files))
    assert list(programmes(six_axes)) == paths_of([*MACHINES, *ARMS])
    # An arm of five joints is not the six-axis arm that URScript moves.
    assert list(programmes(two_points)) == paths_of([*MACHINES, "krl", "rapid", "fanuc", "ros2"])


def test_the_same_job_gives_the_same_bytes(job, two_points):
    assert programmes(plan(job)) == programmes(two_points)


@pytest.fixture(scope="module")
def with_a_far_point(planned):
    positions = np.array([[0, 0, 0.3], [0, 9.0, 0.3], [0.05, 0, 0.3]])
    return planned(positions, np.tile([0, 0, 1], (3, 1)), names=("A", "far", "B"))


def test_points_are_left_out_only_where_that_is_asked_for(with_a_far_point):
    assert with_a_far_point.motion_proven
    assert with_a_far_point.left_out == ("far",)
    assert list(programmes(with_a_far_point)) == ["plan.qif"]
    assert programmes(with_a_far_point, ["krl", "ros", "csv", "dmis", "ipp"]) == {}


def test_a_partial_programme_names_what_is_missing_before_anything_else(with_a_far_point):
    files = programmes(with_a_far_point, options=SetOptions(partial=True))
    assert b'name="not reached 1" value="far"' in files["plan.qif"]
    heads = {"program.dmi": "$$ ", "robot/palpeur.mod": "! ", "robot/palpeur.src": "; "}
    heads |= {"robot/joints.csv": "# ", "robot/joint_trajectory.yaml": "# "}
    for path, mark in heads.items():
        lines = [line.strip() for line in files[path].decode("ascii").splitlines()]
        comments = [line.removeprefix(mark) for line in lines if line.startswith(mark)]
        assert comments[:2] == ["PARTIAL: 1 of 3 points are NOT MEASURED:", "  far"]
        assert "feasible: NO, points are left out; the motions of the others are proven" in comments
    assert files["program.ipp"].count(b"PtMeas(") == files["program.dmi"].count(b"PTMEAS/") == 2


@pytest.fixture(scope="module")
def through_a_wall():
    """The library's two groups with a wall between, and nobody looks for a way around."""
    job = read_job(path_of("obstructed"))
    straight = replace(job.travel, detour="none", clearance_plane=None, clearance_cube=None)
    return plan(replace(job, travel=straight))


@pytest.mark.parametrize("partial", [False, True])
def test_no_programme_leads_into_a_wall(through_a_wall, partial):
    assert through_a_wall.left_out == ()
    assert not through_a_wall.motion_proven
    files = programmes(through_a_wall, options=SetOptions(partial=partial))
    assert list(files) == ["plan.qif"]
    assert b"feasible: NO, " in files["plan.qif"]
    told = withheld(through_a_wall, SetOptions(partial=partial))
    assert told.startswith("the motion is not proven (P137 at ")


def test_a_clearance_that_is_not_kept_withholds_programmes_whatever_findings_say(through_a_wall):
    silent = replace(through_a_wall, finding_list=())
    assert silent.feasible
    assert not silent.motion_proven
    assert list(programmes(silent)) == ["plan.qif"]


def test_torques_that_no_duration_keeps_withhold_programmes(job):
    limits = np.full(5, 1e-3)
    weak = plan(replace(job, checks=replace(job.checks, torque_limits=limits)))
    assert {finding.code for finding in weak.motion_errors} == {"P105"}
    assert list(programmes(weak, options=SetOptions(partial=True))) == ["plan.qif"]


def test_a_plan_without_motion_has_no_programme(planned):
    none = planned([[0, 9.0, 0.3]], [[0, 0, 1]])
    assert none.timeline == ()
    assert programmes(none) == {}


def test_one_point_needs_no_travel(planned):
    files = programmes(planned([[0, 0, 0.3]], [[0, 0, 1]]))
    assert files["program.dmi"].count(b"PTMEAS/") == 1
    assert len(files) == 11


def test_an_unknown_format(two_points):
    with pytest.raises(OutputError, match="no format 'gcode'; expected one of dmis, ipp, qif"):
        programmes(two_points, ["gcode"])


SLIDING = "joint 'q1' slides, but an arm's six axes turn"
REFUSED = {
    ("measuring-arm", 5, False): {"urscript": "exactly 6 rotary joints, the robot has 5 joints. "},
    ("industrial-7r", 7, True): {"urscript": "the robot has 7 joints. "},
    ("gantry-5", 5, True): {
        "urscript": "the robot has 5 joints, 3 of them sliding",
        "krl": SLIDING,
        "rapid": SLIDING,
    },
    ("gantry-5", 5, False): {"urscript": "the robot has 5 joints, 3 of them sliding"},
    ("industrial-6r", 6, True): {},
}


def robot_job(robot, count, *, cartesian):
    """What refusals look at: a robot, its controller, and a search."""
    text = text_of(robot).split("\n[controller]")[0]
    names = ", ".join(f'"q{k}"' for k in range(1, count + 1))
    table = f"[controller]\naxes = [{names}]\ncartesian = {str(cartesian).lower()}\n"
    table += "probe_input = 3\n"
    mechanism = read_robot(f"{text}\n{table}")
    controller = mechanism.controller
    return SimpleNamespace(mechanism=mechanism, controller=controller, touch=Touch())


@pytest.mark.parametrize(("robot", "count", "cartesian"), REFUSED)
def test_joints_stand_only_in_axes_of_their_kind(robot, count, cartesian):
    job = robot_job(robot, count, cartesian=cartesian)
    expected = REFUSED[robot, count, cartesian]
    refused = {key for key, export in EXPORTS.items() if export.refusal(job)}
    assert refused & {"krl", "rapid", "urscript"} == set(expected)
    for key, reason in expected.items():
        with pytest.raises(OutputError, match=re.escape(reason)) as told:
            check_formats([key], job)
        assert told.value.fact("key", str) == "controller.axes"
    check_formats(set(EXPORTS) - refused, job)


def test_a_robot_without_controller_is_told_how_to_give_one():
    bare = robot_job("industrial-6r", 6, cartesian=True)
    bare.controller = None
    with pytest.raises(OutputError) as told:
        check_formats(["krl"], bare)
    assert told.value.fact("key", str) == "controller"
    example = str(told.value).partition("\n\n")[2]
    assert read_robot(f"{text_of('industrial-6r')}\n{example}").controller is not None
    assert EXPORTS["csv"].refusal(bare) is None


def test_the_number_of_the_probes_input_is_never_assumed():
    mechanism = read_robot(text_of("ur5e"))
    job = SimpleNamespace(mechanism=mechanism, controller=mechanism.controller, touch=Touch())
    for key in ("krl", "rapid", "urscript", "fanuc"):
        with pytest.raises(OutputError, match="which digital input is true while") as told:
            check_formats([key], job)
        assert told.value.fact("key", str) == "controller.probe_input"
    # What is shown is the robot's own table with the one key more.
    example = str(told.value).partition("\n\n")[2]
    corrected = read_robot(text_of("ur5e").split("\n[controller]")[0] + "\n" + example).controller
    for name in ("axes", "tool_number", "base_number", "cartesian"):
        assert getattr(corrected, name) == getattr(mechanism.controller, name)
    check_formats(["dmis", "ipp", "qif", "csv", "ros", "ros2"], job)
    job.controller = corrected
    check_formats(["urscript"], job)


def test_a_plan_that_comes_to_rest_at_contact_has_no_programme_that_measures(job):
    resting = job.replace(touch={"mode": "to-rest"}, approach={"overtravel_mm": 0})
    with pytest.raises(OutputError, match=r'touch\.mode is "to-rest"') as told:
        check_formats(["rapid"], resting)
    assert told.value.fact("key", str) == "touch.mode"
    files = programmes(plan(resting))
    assert {"robot/joints.csv", "robot/joint_trajectory.yaml"} <= set(files)
    assert not {"robot/palpeur.src", "robot/palpeur.mod"} & set(files)
