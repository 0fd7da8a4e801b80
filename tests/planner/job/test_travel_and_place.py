"""How the robot travels, in which order, and where a better pose of the part is looked for."""

import re

import numpy as np
import pytest

from planner.errors import JobError

POINTS = '[points]\nfile = "points.csv"'
FEATURES = {
    "points.csv": "name,x_mm,y_mm,z_mm,nx,ny,nz,feature\n"
    + "".join(
        f"{name},{400 + 10 * k},1500,1200,0,0,1,{feature}\n"
        for k, (name, feature) in enumerate([("A", "f"), ("B", "f"), ("C", "g"), ("D", "g")])
    )
}
FASTEST = '[travel]\norder = "fastest"\n'


def with_text(text):
    return {POINTS: f"{text}\n{POINTS}"}


def test_every_key_of_travel_arrives(job_of):
    text = FASTEST + (
        'law = "double-s"\nclearance_plane_mm = -12.5\ndetour = "plane"\ngroup = "feature"\n'
        'locked = [["B", "A"], ["C", "D"]]\nseed = 7\nsearch = "thorough"'
    )
    travel = job_of(change=with_text(text), files=FEATURES).travel
    assert (travel.law, travel.order, travel.detour) == ("double-s", "fastest", "plane")
    assert (travel.clearance_plane, travel.clearance_cube) == (-0.0125, None)
    assert (travel.group, travel.seed, travel.search) == ("feature", 7, "thorough")
    assert travel.locked == (("B", "A"), ("C", "D"))


def test_what_is_left_out_changes_nothing(job_of):
    job = job_of()
    travel = job.travel
    assert (travel.clearance_plane, travel.clearance_cube, travel.detour) == (None, None, "auto")
    assert (travel.group, travel.locked, travel.seed, travel.search) == ("none", (), 1, "normal")
    assert job.approach.tilt == 0.0
    assert np.array_equal(job.place.shift, [[-0.2, 0.2], [-0.2, 0.2], [0, 0]])
    assert np.array_equal(job.place.yaw, [-np.pi, np.pi])
    assert (job.place.full, job.place.goal, job.place.seed) == (False, "margin", 1)


def test_place_and_tilt_arrive_in_si_and_an_axis_left_out_stays(job_of):
    text = (
        "[approach]\ntilt_deg = 18\n[place]\nrange_mm = { y = [-10, 20.5] }\nyaw_deg = [0, 90]\n"
        'full = true\ngoal = "energy"\nseed = 0'
    )
    job = job_of(change=with_text(text))
    assert job.approach.tilt == np.pi / 10
    assert np.array_equal(job.place.shift, [[0, 0], [-0.01, 0.0205], [0, 0]])
    assert np.array_equal(job.place.yaw, [0, np.pi / 2])
    assert (job.place.full, job.place.goal, job.place.seed) == (True, "energy", 0)


def test_jerk_limits_are_the_joint_s(job_of):
    change = {'"measuring-arm"': '"measuring-arm"\nlimits.q2 = { max_jerk_rad_s3 = 400 }'}
    joints = job_of(change=change).mechanism.joints
    assert [joint.max_jerk for joint in joints[:2]] == [np.inf, 400.0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "[travel]\nclearance_plane_mm = 1\nclearance_cube_mm = 1",
            "line 8: travel.clearance_cube_mm stands beside clearance_plane_mm; give one",
        ),
        (
            "[travel]\nclearance_cube_mm = 1",
            "travel.clearance_cube_mm is the offset of the part's box, but the job has no part",
        ),
        (
            '[travel]\ndetour = "plane"',
            'travel.detour is "plane", but there is none; give clearance_plane_mm or',
        ),
        (
            '[travel]\ngroup = "feature"',
            'line 7: travel.group binds an order that is looked for, but order is "as-given"',
        ),
        ('[travel]\nlocked = [["A", "B"]]', "travel.locked binds an order that is looked for, but"),
        (FASTEST + 'locked = [["A", "AB"]]', "travel.locked names 'AB', which is no point of the"),
        (FASTEST + 'locked = [["A", "B"], ["C", "A"]]', "travel.locked names 'A' twice; each"),
        (FASTEST + 'locked = [["A"]]', "travel.locked has list 0 with 1 names; give two or more"),
        (FASTEST + 'locked = ["A", "B"]', "travel.locked[0] is 'A'; expected a list."),
        (
            FASTEST + 'group = "feature"\nlocked = [["A", "C"]]',
            "travel.locked has list 0 with points of 2 features ('f', 'g'), but group is",
        ),
        (
            FASTEST + "seed = 1.5",
            "travel.seed is 1.5; expected a whole number from 0 to 2147483647",
        ),
        (FASTEST + "seed = -1", "travel.seed is -1; expected a whole number from 0"),
        (FASTEST + 'search = "long"', "expected 'quick', 'normal' or 'thorough'."),
        ('[travel]\nlaw = "double"', "'bang-bang', 'trapezoid', 'double-s' or 'time-optimal'."),
        ('[approach]\nlaw = "double-s"', "approach.law is 'double-s'; expected 'linear', 'cubic',"),
        ("[approach]\ntilt_deg = 91", "approach.tilt_deg is 91; expected a number from 0 to 90."),
        (
            "[place]\nrange_mm = { x = [1, -1] }",
            "place.range_mm.x is [1, -1]; expected [least, greatest], two numbers from -100000 to",
        ),
        ("[place]\nyaw_deg = 90", "place.yaw_deg is 90; expected [least, greatest], two numbers"),
        ("[place]\nyaw_deg = [0, nan]", "place.yaw_deg is [0, NaN]; expected [least, greatest]"),
        (
            "[place]\nrange_mm = { w = [0, 1] }",
            "place.range_mm.w is not a known key; known here: x",
        ),
        ('[place]\ngoal = "speed"', "place.goal is 'speed'; expected 'margin', 'time' or 'energy'"),
        ("[place]\nfull = 1", "place.full is 1; expected true or false."),
    ],
)
def test_bad_settings_are_told_with_line_and_key(job_of, text, message):
    with pytest.raises(JobError, match=re.escape(message)):
        job_of(change=with_text(text), files=FEATURES)


def test_jerk_of_the_wrong_kind_of_joint(job_of):
    change = {'"measuring-arm"': '"measuring-arm"\nlimits.q2 = { max_jerk_m_s3 = 400 }'}
    with pytest.raises(JobError, match=r"limits.q2.max_jerk_m_s3 does not fit a revolute joint"):
        job_of(change=change)
