"""Robot programmes: times, joints, and the stated error between their points."""

import csv
import io
import re

import numpy as np
import pytest
from scipy.interpolate import BPoly

from reports.programmes import interpolation, programmes
from reports.programmes.interpolation import TOLERANCE, linear_posts, quintic_posts

NUMBER = r"-?\d+\.\d+"
# Seven places of each interval are looked at for its error, so a per cent may escape.
WITHIN = 1.01 * TOLERANCE


@pytest.fixture(scope="module")
def files(two_points):
    made = programmes(two_points, ["csv", "ros", "krl", "rapid"])
    return {path: content.decode("ascii") for path, content in made.items()}


@pytest.fixture(scope="module")
def dense(two_points):
    t = np.linspace(0.0, two_points.trajectory.duration, 20_001)
    return t, two_points.trajectory.state(t).q


def interpolated(t, posts, q):
    return np.column_stack([np.interp(t, posts, column) for column in q.T])


def table(text):
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    return list(csv.DictReader(io.StringIO("\n".join(lines))))


def test_the_table_is_the_motion_within_the_stated_error(files, two_points, dense):
    rows = table(files["robot/joints.csv"])
    t = np.array([float(row["t_s"]) for row in rows])
    q = np.array([[float(row[f"q{k}_deg"]) for k in range(1, 6)] for row in rows])
    assert np.all(np.diff(t) > 0.0)
    assert (t[0], t[-1]) == pytest.approx((0.0, two_points.trajectory.duration), abs=5e-7)
    off = np.abs(interpolated(dense[0], t, q) - np.degrees(dense[1]))
    assert 0.2 * TOLERANCE < off.max() < WITHIN
    ends = [round(segment.end, 6) for segment in two_points.timeline]
    assert set(ends) <= set(np.round(t, 6).tolist())
    kinds = [row["kind"] for row in rows]
    assert kinds.count("dwell") == 2
    rates = np.array([[float(row[f"qd{k}_deg_s"]) for k in range(1, 6)] for row in rows])
    state = two_points.trajectory.state(t)
    assert rates == pytest.approx(np.degrees(state.qd), abs=2e-3)


def ros_points(text):
    block = re.findall(
        r"- positions: \[(.*)\]\n  velocities: \[(.*)\]\n  accelerations: \[(.*)\]\n"
        r"  time_from_start: \{sec: (\d+), nanosec: (\d+)\}",
        text,
    )
    values = np.array([[list(map(float, part.split(", "))) for part in row[:3]] for row in block])
    times = np.array([int(row[3]) + 1e-9 * int(row[4]) for row in block])
    return times, values


def test_ros_controllers_follow_within_the_stated_error(files, dense):
    times, values = ros_points(files["robot/joint_trajectory.yaml"])
    assert 'joint_names: ["q1", "q2", "q3", "q4", "q5"]' in files["robot/joint_trajectory.yaml"]
    assert len(times) == len(values) > 8
    for joint in range(5):
        spline = BPoly.from_derivatives(times, values[:, :, joint])
        t = dense[0][dense[0] <= times[-1]]
        off = np.degrees(np.abs(spline(t) - dense[1][: t.size, joint]))
        assert off.max() < WITHIN


@pytest.mark.parametrize("path", ["robot/joints.csv", "robot/palpeur.src", "robot/palpeur.mod"])
def test_the_head_claims_what_was_proven_and_no_more(files, path, job):
    head = files[path]
    if path == "robot/joints.csv":
        assert "proven is the plan's motion: the joints at these instants" in head
        assert "keeps every joint within 0.01 deg of it" in head
        assert "joint 5 is q5" in head
    else:
        assert "CERTIFIED: the path, misses included" in head
        assert "axis 5 = +q5 +0 deg" in head
        assert "2 touches; searches at 5 mm/s" in head
    assert f"job sha256: {job.sha256}" in head
    assert "feasible: yes, as far as was checked" in head
    assert "proven: positions, speeds, accelerations within the limits" in head  # no torques
    assert re.search(r"proven: clearance of \d+\.\d\d mm, self-clearance only", head)
    assert re.findall(r"NOT CHECKED: (.*?)\r?$", head, flags=re.MULTILINE) == [
        "part geometry",
        "torque limits",
    ]


@pytest.mark.parametrize("posts_of", [linear_posts, quintic_posts])
def test_too_many_points_make_a_larger_error_that_is_stated(two_points, monkeypatch, posts_of):
    fine = posts_of(two_points)
    monkeypatch.setattr(interpolation, "MOST_POSTS", 60 if posts_of is linear_posts else 40)
    coarse = posts_of(two_points)
    if posts_of is quintic_posts:
        assert len(coarse) == len(fine)  # few enough before
    else:
        assert len(coarse) < len(fine)
        assert coarse.error > TOLERANCE == fine.error
