"""The door: which formats there are, what is written, and what is refused."""

from types import SimpleNamespace

import numpy as np
import pytest

from planner.errors import OutputError
from planner.planning import plan
from reports.programmes import EXPORTS, programmes


def test_each_format_writes_its_files(two_points):
    assert list(EXPORTS) == ["dmis", "ipp", "qif", "csv", "ros", "krl", "rapid", "urscript"]
    for key, export in EXPORTS.items():
        assert tuple(programmes(two_points, [key])) == export.files
    paths = [path for export in EXPORTS.values() for path in export.files]
    assert len(set(paths)) == len(paths)
    assert list(programmes(two_points)) == sorted(paths)


def test_the_same_job_gives_the_same_bytes(job, two_points):
    assert programmes(plan(job)) == programmes(two_points)


def test_an_infeasible_plan_says_so_and_names_what_is_left_out(planned):
    positions = np.array([[0, 0, 0.3], [0, 9.0, 0.3], [0.05, 0, 0.3]])
    some = planned(positions, np.tile([0, 0, 1], (3, 1)), names=("A", "far", "B"))
    assert not some.feasible
    files = programmes(some)
    assert b"$$ feasible: NO, 1 errors; read the report first" in files["program.dmi"]
    assert b"$$ not reached: far" in files["program.dmi"]
    assert b'name="not reached 1" value="far"' in files["plan.qif"]
    assert b"! feasible: NO" in files["robot/palpeur.mod"]


def test_a_plan_without_motion_has_no_programme(planned):
    none = planned([[0, 9.0, 0.3]], [[0, 0, 1]])
    assert none.segments == ()
    assert programmes(none) == {}


def test_one_point_needs_no_travel(planned):
    files = programmes(planned([[0, 0, 0.3]], [[0, 0, 1]]))
    assert files["program.dmi"].count(b"PTMEAS/") == 1
    assert len(files) == 9


def test_an_unknown_format(two_points):
    with pytest.raises(OutputError, match="no format 'gcode'; expected one of dmis, ipp, qif"):
        programmes(two_points, ["gcode"])


def test_a_robot_of_more_joints_than_the_format_holds():
    seven = SimpleNamespace(job=SimpleNamespace(mechanism=SimpleNamespace(dof=7)), segments=())
    assert [key for key, export in EXPORTS.items() if not export.fits(seven)] == ["urscript"]
    assert programmes(seven) == {}
    with pytest.raises(OutputError, match="URScript holds at most 6 joints, but the robot has 7"):
        programmes(seven, ["urscript"])
