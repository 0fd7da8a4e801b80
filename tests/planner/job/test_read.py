"""Job files that are right: every key lands where it belongs, in SI."""

import hashlib
import json

import numpy as np
import pytest

from planner.errors import JobError
from planner.job import json_schema, read_job
from planner.job.settings import Touch
from robots.core.model import Model
from robots.library import load, text_of

FULL = """format = 1

[job]
name = "everything said"

[robot]
model = "measuring-arm"
speed_scale = 0.5
acceleration_scale = 0.25
torque_scale = 0.1
limits.q1 = { min_deg = -90, max_deg = 45, max_speed_rad_s = 2, max_torque_nm = 300 }
tool = { translation_mm = [10, 0, 0], rotation_zyx_deg = [0, 0, 90] }

[probe]
stylus_length_mm = 100.5
ball_diameter_mm = 4

[part]
geometry = "plate.stl"
unit = "mm"
pose = { translation_mm = [0, 1500, 840], rotation_zyx_deg = [90, 0, 0] }

[points]
file = "points.csv"
frame = "part"
compensated = false

[approach]
distance_mm = 40
direction = [0, 3, 4]
law = "bang-bang"
dwell_s = 0.5

[touch]
mode = "to-rest"
positioning_speed_mm_s = 250

[travel]
law = "cubic"
order = "fastest"

[checks]
joint_margin_deg = 1.8
clearance_mm = 7
torque_limits_nm = [300, 300, 100, 1, 1]

[sampling]
period_ms = 0.5
"""
PLATE = """solid plate
facet normal 0 0 1
outer loop
vertex -400 -400 0
vertex 400 -400 0
vertex 400 400 0
endloop
endfacet
facet normal 0 0 1
outer loop
vertex -400 -400 0
vertex 400 400 0
vertex -400 400 0
endloop
endfacet
endsolid plate
"""
FILES = {
    "points.csv": "name,x_mm,y_mm,z_mm,nx,ny,nz\nA,100,0,0,0,0,1\n",
    "plate.stl": PLATE,
}


def test_every_key_arrives_in_si(job_of):
    job = job_of(FULL, files=FILES)
    assert (job.name, job.robot_model, job.frame) == ("everything said", "measuring-arm", "part")
    probe, approach = job.probe, job.approach
    assert (probe.stylus_length, probe.ball_radius, probe.compensated) == (0.1005, 0.002, False)
    assert (approach.distance, job.touch.settle, job.touch.mode) == (0.04, 0.5, "to-rest")
    assert job.touch.positioning_speed == 0.25
    assert approach.direction.tolist() == [0.0, 0.6, 0.8]
    assert (approach.law, job.travel.law, job.travel.order) == ("bang-bang", "cubic", "fastest")
    assert (job.checks.joint_margin, job.checks.clearance) == (np.pi / 100, 0.007)
    assert job.checks.torque_limits.tolist() == [300.0, 300.0, 100.0, 1.0, 1.0]
    assert job.sampling_period == 0.0005
    assert (job.part.geometry, job.part.unit) == ("plate.stl", "mm")
    expected = [[0, -1, 0, 0], [1, 0, 0, 1.5], [0, 0, 1, 0.84], [0, 0, 0, 1]]
    assert job.part.T_base_part.tolist() == expected


def test_limits_are_replaced_then_scaled(job_of):
    arm, published = job_of(FULL, files=FILES).mechanism, load("measuring-arm")
    assert np.degrees(arm.q_min).tolist() == [-90.0, *np.degrees(published.q_min)[1:]]
    assert arm.q_max[0] == np.pi / 4
    assert arm.max_speed.tolist() == [1.0, 0.875, 0.875, 0.5, 0.5]
    assert arm.max_acceleration.tolist() == [7.0, 7.0, 7.0, 6.25, 6.25]
    assert arm.max_effort[0] == 30.0
    assert np.isinf(arm.max_effort[1:]).all()


def test_equal_robots_of_many_jobs_are_one(job_of):
    """What is kept by mechanism is kept from job to job; any other number is another mechanism."""
    arm = job_of(FULL, files=FILES).mechanism
    assert job_of(FULL.replace("0, 1500, 840", "0, 1499, 840"), files=FILES).mechanism is arm
    for old, new in {
        "speed_scale = 0.5": "speed_scale = 0.25",
        "max_deg = 45": "max_deg = 44",
        "stylus_length_mm = 100.5": "stylus_length_mm = 100.4",
        'model = "measuring-arm"': 'model = "robot.toml"',
    }.items():
        files = FILES | {"robot.toml": text_of("measuring-arm")}
        other = job_of(FULL.replace(old, new), files=files).mechanism
        assert other is not arm
        assert job_of(FULL.replace(old, new), files=files).mechanism is other


def test_the_tool_is_the_ball(job_of):
    """By forward geometry: a stylus moves the tool along its own z axis, -Y5 of the wrist."""
    q = np.radians([70.0, 60.0, 10.0, 20.0, -80.0])
    wrist = Model(job_of().mechanism).forward(q)
    long = '[probe]\nstylus_length_mm = 250\n[points]\nfile = "points.csv"'
    ball = Model(job_of(change={'[points]\nfile = "points.csv"': long}).mechanism).forward(q)
    assert np.allclose(ball[:3, 3] - wrist[:3, 3], 0.25 * wrist[:3, 2], atol=1e-15)
    fifth = Model(load("measuring-arm")).transforms(q)[-1]
    assert np.allclose(wrist[:3, 2], -fifth[:3, 1], atol=1e-15)
    moved = job_of(FULL, files=FILES).mechanism.tool
    # 10 mm along x5 by the job's tool; then 100.5 mm along z_tool, which is -y5.
    assert np.allclose(moved[:3, 3], [0.01, -0.1005, 0.0], atol=1e-17)


def test_what_is_left_out_has_the_contract_s_values(job_of):
    job = job_of()
    assert (job.approach.distance, job.approach.law) == (0.05, "quintic")
    assert job.touch == Touch()
    assert job.approach.direction is None
    assert job.approach.along_normal
    assert (job.travel.law, job.travel.order) == ("trapezoid", "as-given")
    assert (job.checks.joint_margin, job.checks.clearance) == (0.0, 0.0)
    assert np.isinf(job.checks.torque_limits).all()
    assert (job.sampling_period, job.interpolation_error) == (None, 1e-4)  # 1 ms until issue 22
    assert job.probe.compensated
    assert np.array_equal(job.part.T_base_part, np.eye(4))


def test_points_inline_are_those_of_a_file(job_of):
    tables = """
[points]
frame = "base"
[[points.point]]
name = "A"
x_mm = 400
y_mm = 1500
z_mm = 1200
nx = 0
ny = 0
nz = 1
[[points.point]]
name = "B"
x_mm = 500
y_mm = 1400
z_mm = 1100
nx = 0
ny = 0
nz = 1
feature = "top"
"""
    inline = job_of(change={'[points]\nfile = "points.csv"\nframe = "base"\n': tables}).points
    file = job_of().points
    assert inline.names == file.names
    assert np.array_equal(inline.positions, file.positions)
    assert np.array_equal(inline.normals, file.normals)
    assert inline.features == ("", "top")


def test_hashes_tell_every_input(job_of, tmp_path):
    job = job_of(FULL, files=FILES)
    assert job.sha256 == hashlib.sha256((tmp_path / "job.toml").read_bytes()).hexdigest()
    assert {item.name: item.sha256 for item in job.inputs} == {
        "measuring-arm": hashlib.sha256(text_of("measuring-arm").encode()).hexdigest(),
        "plate.stl": hashlib.sha256(PLATE.encode()).hexdigest(),
        "points.csv": hashlib.sha256(FILES["points.csv"].encode()).hexdigest(),
    }
    changed = job_of(FULL, files=FILES | {"plate.stl": PLATE.replace("plate", "other")})
    assert changed.sha256 == job.sha256
    assert changed.fingerprint != job.fingerprint
    assert job_of(FULL, files=FILES).fingerprint == job.fingerprint


def test_robot_files_beside_the_job(job_of):
    change = {'"measuring-arm"': '"cell.toml"'}
    job = job_of(change=change, files={"cell.toml": text_of("measuring-arm")})
    assert job.robot_model == "cell.toml"
    assert job.mechanism.dof == 5
    with pytest.raises(
        JobError, match=r"(?s)robot.model is 'cell.toml', which has a fault.*line 1"
    ):
        job_of(change=change, files={"cell.toml": "oops = 1"})


def test_paths_stay_in_the_job_s_folder_unless_allowed(job_of, tmp_path):
    outside = tmp_path.parent / f"{tmp_path.name}-outside.csv"
    outside.write_text("name,x_mm,y_mm,z_mm,nx,ny,nz\nA,400,1500,1200,0,0,1\n")
    (tmp_path / "link.csv").symlink_to(outside)
    for name in (f"../{outside.name}", str(outside), "link.csv"):
        change = {"points.csv": name}
        with pytest.raises(JobError, match=r"line 7: points.file is .*leaves the job's folder"):
            job_of(change=change)
        assert job_of(change=change, allow_outside=True).points.names == ("A",)


def test_a_job_file_that_is_none(tmp_path):
    with pytest.raises(JobError, match=r"cannot be read: No such file.*palpeur init"):
        read_job(tmp_path / "none.toml")
    with pytest.raises(JobError, match="cannot be read: Is a directory"):
        read_job(tmp_path)
    path = tmp_path / "job.toml"
    path.write_bytes(b"format = 1\n\xff")
    with pytest.raises(JobError, match=r"job.toml, line 2: byte 12 is not UTF-8"):
        read_job(path)
    path.write_text("format = = 1")
    with pytest.raises(JobError, match=r"not a job file in TOML: Invalid value \(at line 1"):
        read_job(path)
    path.write_text("format = 1\n[approach]\ndistance_mm = 50,0  # far\n")
    with pytest.raises(JobError) as caught:
        read_job(path)
    assert str(caught.value) == (
        "job.toml, line 3: approach.distance_mm is 50,0; decimals have a point: write 50.0."
    )
    (tmp_path / "points.csv").write_text("name,x_mm,y_mm,z_mm\nA,1,2,3\n")
    with pytest.raises(JobError) as caught:
        read_job(tmp_path / "points.csv")
    assert str(caught.value) == (
        "points.csv: this looks like a table, not a job; a job is a TOML file that names it: "
        'file = "points.csv" under [points]. `palpeur init` writes one to start from.'
    )
    path.write_text("#" * 1_000_001)
    with pytest.raises(JobError, match="more than 1000000 bytes"):
        read_job(path)
    path.write_text("a = " + "[" * 5000)
    with pytest.raises(JobError, match="nested too deeply"):
        read_job(path)


def test_the_schema_is_json_and_its_defaults_are_numbers():
    schema = json.loads(json.dumps(json_schema()))
    assert schema["title"] == "Palpeur job file, format 1"
    approach = schema["$defs"]["ApproachTable"]["properties"]
    assert approach["distance_mm"]["default"] == 50.0
    assert approach["distance_mm"]["exclusiveMinimum"] == 0.0
    assert schema["properties"]["approach"]["default"]["direction"] == "normal"
    assert schema["additionalProperties"] is False
