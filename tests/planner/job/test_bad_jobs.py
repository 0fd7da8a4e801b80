"""Jobs with one fault each: file, line, key, what was found and what was expected."""

import re

import pytest

from planner.errors import JobError

APPROACH = '[points]\nfile = "points.csv"'


def section(text):
    return {APPROACH: f"{text}\n{APPROACH}"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {'name = "small"': 'name = "small"\ncolour = "red"'},
            "job.toml, line 4: job.colour is not a known key; known here: errata, name.",
        ),
        (section("[aproach]"), "line 6: aproach is not a known key; did you mean 'approach'?"),
        (
            section("[approach]\ndistance_m = 0.05"),
            "line 7: approach.distance_m is not a known key; distance_mm expected: the key's name "
            "carries its unit.",
        ),
        (section("[approach]\ndistance = 50"), "distance_mm expected: the key's name carries"),
        (
            {'model = "measuring-arm"': 'model = "measuring-arm"\nlimits.q1.max_speed_deg_s = 9'},
            "robot.limits.q1.max_speed_deg_s is not a known key; max_speed_rad_s expected: the "
            "key's name carries its unit.",
        ),
        (
            {'model = "measuring-arm"': 'model = "measuring-arm"\nlimits.q1.max_speed_mm_s = 9'},
            "robot.limits.q1.max_speed_mm_s is not a known key; max_speed_m_s expected: the key's "
            "name carries its unit.",
        ),
        (
            {'model = "measuring-arm"': 'model = "measuring-arm"\nlimits.q1.max_speed = 9'},
            "max_speed is not a known key; max_speed_m_s or max_speed_rad_s expected: the key's",
        ),
        (section("[sampling]\nperiod_s = 1"), "is not a known key; did you mean 'period_ms'?"),
        (
            section("[approach]\ndistance_mm = -50.0"),
            "line 7: approach.distance_mm is -50.0; expected a number above 0, at most 100000.",
        ),
        (section("[approach]\ndistance_mm = nan"), "distance_mm is NaN; expected a number above 0"),
        (section("[approach]\ndistance_mm = inf"), "distance_mm is Infinity; expected a number"),
        (section('[approach]\ndistance_mm = "50"'), "distance_mm is '50'; expected a number"),
        (section("[approach]\ndistance_mm = true"), "distance_mm is true; expected a number"),
        (section("[approach]\ndwell_s = -1"), "dwell_s is -1; expected a number from 0 to 3600."),
        (
            section("[sampling]\nperiod_ms = 1\ninterpolation_error_mm = 0.5"),
            "interpolation_error_mm stands beside period_ms = 1, which spaces the rows",
        ),
        (section("[sampling]\nperiod_ms = 0"), "period_ms is 0; expected a number from 0.01 to"),
        (
            section('[approach]\nlaw = "quntic"'),
            "approach.law is 'quntic'; expected 'linear', 'cubic', 'quintic', 'bang-bang' or "
            "'trapezoid'.",
        ),
        (section('[travel]\norder = "best"'), "order is 'best'; expected 'as-given' or 'fastest'."),
        (
            section("[approach]\ndirection = [0, 0, 0]"),
            'direction is [0, 0, 0]; expected "normal", or three numbers in base axes, not all',
        ),
        (section('[approach]\ndirection = "up"'), "direction is 'up'; expected \"normal\""),
        (section("[approach]\ndirection = [0, nan, 1]"), "direction is [0, NaN, 1]; expected"),
        (section("[approach]\ndirection = [0, 0, 1e-300]"), 'expected "normal", or three'),
        (section("[approach]\ndirection = [0, 1]"), "direction is [0, 1]; expected"),
        (section("[part]\npose = { translation_mm = [0, 1] }"), "translation_mm[2] is missing"),
        (section("[part]\npose = { x_mm = 1 }"), "part.pose.x_mm is not a known key; known here:"),
        ({"format = 1": "format = 2"}, "job.toml, line 1: format is 2; expected 1."),
        ({"format = 1\n": ""}, "job.toml: format is missing; give it."),
        (
            {'model = "measuring-arm"\n': ""},
            "job.toml, line 4: robot.model is missing; give it. It is the library name, or path of "
            "a robot file (.toml, .urdf).",
        ),
        (
            {'"measuring-arm"': '"measuring-arn"'},
            "line 5: robot.model is 'measuring-arn', which is neither a library robot nor a path "
            "ending in .toml or .urdf; did you mean 'measuring-arm'?",
        ),
        (
            {'"measuring-arm"': '"my-cell.urdf"'},
            "robot.model is 'my-cell.urdf', but",
        ),
        (
            {'"measuring-arm"': '"measuring-arm"\nspeed_scale = 1.5'},
            "robot.speed_scale is 1.5; expected a number above 0, at most 1.",
        ),
        (
            {'"measuring-arm"': '"measuring-arm"\nlimits.q6 = { min_deg = 1 }'},
            "line 6: robot.limits.q6 is no movable joint of measuring-arm; known here: q1, q2,",
        ),
        (
            {'"measuring-arm"': '"measuring-arm"\nlimits.q9.min_deg = 1'},
            "line 6: robot.limits.q9 is no movable joint of measuring-arm; known here: q1, q2,",
        ),
        (
            {'"measuring-arm"': '"measuring-arm"\nlimits.q1 = { min_mm = 1 }'},
            "robot.limits.q1.min_mm does not fit a revolute joint; min_deg, max_deg,",
        ),
        (
            {'"measuring-arm"': '"measuring-arm"\nlimits.q1 = { min_rad = 1 }'},
            "robot.limits.q1.min_rad is not a known key; min_deg expected",
        ),
        (
            {'"measuring-arm"': '"measuring-arm"\nlimits.q1 = { min_deg = 190 }'},
            "robot.limits.q1 cannot be used: Joint 'q1': lower limit",
        ),
        (
            section("[checks]\ntorque_limits_nm = [1, 2]"),
            "torque_limits_nm has 2 entries; expected 5",
        ),
        (
            section('[part]\ngeometry = "plate.stl"'),
            "part.unit is missing; STL files carry no unit",
        ),
        (
            section('[part]\nunit = "mm"\ngeometry = "plate.stl"'),
            "part.geometry is 'plate.stl', but",
        ),
        (section('[part]\ngeometry = "plate.iges"'), "expected a file ending in one of .stl, .obj"),
        (section('[part]\nunit = "ft"'), "part.unit is 'ft'; expected 'mm', 'cm', 'm' or 'in'."),
        (
            section("[probe]\nball_diameter_mm = 4"),
            "points.compensated is missing; with a ball of 4 mm it must be said",
        ),
        ({'frame = "base"': "frame = 1"}, "points.frame is 1; expected 'part' or 'base'."),
        ({'frame = "base"': "compensated = 1"}, "compensated is 1; expected true or false."),
        ({'"points.csv"': '"none.csv"'}, "line 7: points.file is 'none.csv', but"),
        ({'"points.csv"': '"a\\u0000b"'}, "which is no usable path"),
        (
            {'"points.csv"': r'"D:\temp\new.csv"'},
            "control character and is no file: in double quotes",
        ),
        ({'"points.csv"': '"."'}, "is a folder; give the path of a file"),
        ({'file = "points.csv"\n': ""}, "points.file is missing; give a point file, or points as"),
        (
            {'frame = "base"': 'frame = "base"\n[[points.point]]\nname = "A"'},
            "line 9: points.point[0].x_mm is missing; give it.",
        ),
    ],
)
def test_a_bad_job_names_line_key_found_and_expected(job_of, change, message):
    with pytest.raises(JobError, match=re.escape(message)):
        job_of(change=change)


ENTRY = '[[points.point]]\nname = "{}"\nx_mm = 1\ny_mm = 1\nz_mm = 1\nnx = {}\nny = 0\nnz = {}\n'


def inline(*entries):
    return {'file = "points.csv"\nframe = "base"\n': "".join(entries)}


def test_inline_points_are_named_by_their_table(job_of):
    twice = inline(ENTRY.format("A", 0, 1), ENTRY.format("A", 0, 1))
    with pytest.raises(JobError, match=r"line 15: points.point\[1\] cannot be used: the name 'A'"):
        job_of(change=twice)
    flat = inline(ENTRY.format("A", 0, 0))
    with pytest.raises(JobError, match=r"line 7: points.point\[0\] cannot .* has length 0"):
        job_of(change=flat)
    both = {'frame = "base"\n': 'frame = "base"\n' + ENTRY.format("A", 0, 1)}
    with pytest.raises(JobError, match=r"points.file stands beside \[\[points.point\]\]"):
        job_of(change=both)


def test_faults_of_a_point_file_name_that_file(job_of):
    bad = {"points.csv": "name,x_mm,y_mm,z_mm,nx,ny,nz\nA,1,2,nan,0,0,1\n"}
    with pytest.raises(JobError, match=r"points.csv, line 2, column z_mm: found 'nan'") as caught:
        job_of(files=bad)
    assert (caught.value.facts["line"], caught.value.facts["column"]) == (2, "z_mm")


def test_all_faults_are_told_the_misspelt_keys_first(job_of):
    change = {
        "format = 1": "format = 3",
        'name = "small"': 'nome = "small"',
        'frame = "base"': 'frame = "bass"',
    }
    with pytest.raises(JobError) as caught:
        job_of(change=change)
    lines = caught.value.message.splitlines()
    assert len(lines) == 4
    assert lines[0] == "job.toml, line 3: job.nome is not a known key; did you mean 'name'?"
    assert caught.value.facts["line"] == 3
    assert caught.value.facts["key"] == "job.nome"


def test_long_lists_of_faults_are_cut(job_of):
    keys = "\n".join(f"key{i} = 1" for i in range(9))
    with pytest.raises(JobError, match=r"(?s)job.key4 is.*job.toml: and 4 more faults\.$"):
        job_of(change={'name = "small"': f'name = "small"\n{keys}'})
