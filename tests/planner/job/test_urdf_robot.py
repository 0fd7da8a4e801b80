"""A job whose robot is a URDF file: tip, missing limits, and what the plan says of both."""

import json
import re

import jsonschema
import pytest
import trimesh

import palpeur as pp
from planner.errors import JobError
from planner.evaluation.reading import calibrated_mechanism
from planner.findings.robot_findings import robot_findings
from planner.planning import plan
from planner.proof import prove
from reports.content.report import provenance_table
from reports.plan_document import document_text, plan_document, plan_schema
from reports.provenance import provenance
from robots.core.file_reading import TipRule
from robots.core.urdf import write_urdf
from robots.library import load

JOB = """format = 1
[job]
name = "small"
[robot]
model = "arm.urdf"
default_acceleration_rad_s2 = 4.0
[points]
file = "points.csv"
frame = "base"
"""
SHOWN = "default_acceleration_rad_s2 = 4.0\n"
MESH = '<collision><geometry><mesh filename="package://a/b.stl"/></geometry></collision>'


def urdf(*, speed=True, gripper=False):
    """The measuring arm as others would publish it: no accelerations; a mesh, perhaps fingers."""
    text = write_urdf(load("measuring-arm"))
    text = re.sub(r"<collision.*?</collision>\s*", "", text, flags=re.DOTALL)
    text = text.replace('<link name="q1_link">', f'<link name="q1_link">{MESH}', 1)
    if not speed:
        text = re.sub(r'velocity="[^"]*"', 'velocity="0"', text)
    if gripper:
        fingers = "".join(
            f'<link name="{side}"><inertial><mass value="0.1"/></inertial></link>'
            f'<joint name="{side}_j" type="prismatic"><parent link="q5_link"/>'
            f'<child link="{side}"/><axis xyz="1 0 0"/>{mimic}'
            '<limit lower="0" upper="0.1" effort="1" velocity="1"/></joint>'
            for side, mimic in (("left", ""), ("right", '<mimic joint="left_j"/>'))
        )
        text = text.replace("</robot>", fingers + "</robot>")
        text = text.replace('"tool"', '"end"')  # no usual name any more
    return text


@pytest.fixture
def urdf_job(job_of):
    def read(text=JOB, **published):
        return job_of(text, files={"arm.urdf": urdf(**published)})

    return read


def test_missing_accelerations_name_the_keys_and_the_line_shown_works(urdf_job):
    bare = urdf_job(JOB.replace(SHOWN, ""))
    with pytest.raises(JobError) as caught:
        plan(bare)
    text = str(caught.value)
    assert "Joints q1, q2, q3, q4, q5 of measuring-arm have no acceleration limit" in text
    assert "robot.default_acceleration_rad_s2 for all of them" in text
    assert "robot.limits.q1.max_acceleration_rad_s2 and so on" in text
    line = text.splitlines()[-1].strip()
    mended = urdf_job(JOB.replace(SHOWN, line + "\n"))
    assert mended.joint_limits().max_acceleration.tolist() == [10.0] * 5


def test_missing_speeds_name_the_keys_and_the_line_shown_works(urdf_job):
    job = urdf_job(speed=False)
    for k in range(5):
        with pytest.raises(JobError, match="no speed limit") as caught:
            job.joint_limits()
        line = str(caught.value).splitlines()[-1].strip()
        assert line == f"limits.q{k + 1}.max_speed_rad_s = 1.0"
        text = job.text.replace('"arm.urdf"\n', f'"arm.urdf"\n{line}\n')
        job = urdf_job(text, speed=False)
    assert job.joint_limits().max_speed.tolist() == [1.0] * 5


def test_own_limits_come_before_the_default_and_scales_after_it(urdf_job):
    more = "limits.q2.max_acceleration_rad_s2 = 1.5\nacceleration_scale = 0.5\n"
    job = urdf_job(JOB.replace(SHOWN, SHOWN + more))
    assert job.joint_limits().max_acceleration.tolist() == [2.0, 0.75, 2.0, 2.0, 2.0]
    assert [item.joint for item in job.assumed_accelerations] == ["q1", "q3", "q4", "q5"]
    assert {item.value for item in job.assumed_accelerations} == {4.0}


def test_joints_that_slide_have_a_default_of_their_own(job_of):
    text = JOB.replace(SHOWN, "default_acceleration_rad_s2 = 4.0\n")
    robot = {"arm.urdf": write_urdf(load("gantry-5"))}
    with pytest.raises(JobError, match=r"default_acceleration_m_s2 for all of them") as caught:
        job_of(text, files=robot).joint_limits()
    assert "rad_s2" not in str(caught.value)
    both = text.replace(SHOWN, SHOWN + "default_acceleration_m_s2 = 0.5\n")
    job = job_of(both, files=robot)
    assert set(job.joint_limits().max_acceleration.tolist()) == {4.0, 0.5}
    findings = [f for f in robot_findings(job) if f.code == "R111"]
    assert len(findings) == 2


def test_a_plan_says_what_was_taken_held_unread_and_assumed(urdf_job):
    job = urdf_job(JOB.replace('"arm.urdf"', '"arm.urdf"\ntip = "end"'), gripper=True)
    made = plan(job)
    by_code = {finding.code: finding for finding in made.finding_list}
    assert "link 'end' in the frame of 'base', as given" in by_code["R109"].message
    assert "'left_j' at 0 m, 'right_j' at 0 m" in by_code["R110"].message
    assert "'left', 'right', 0.2 kg" in by_code["R110"].message
    assert by_code["R106"].message == "Link 'q1_link' has mesh shapes, which are not checked."
    assert "q1, q2, q3, q4, q5; the job's default of 4 rad/s²" in by_code["R111"].message
    document = json.loads(document_text(plan_document(prove(made))))
    assert document["tip"] == {"link": "end", "root": "base", "rule": "given"}
    jsonschema.validate(document, plan_schema())
    rows = {row[0].text: row[1].text for row in provenance_table(provenance(made)).rows}
    assert rows["tool frame"] == "link 'end' in the frame of 'base', as given"


def test_a_plan_of_another_robot_says_nothing_of_it(job_of):
    made = plan(job_of())
    assert not {"R106", "R109", "R110", "R111"} & {finding.code for finding in made.finding_list}
    document = plan_document(prove(made))
    assert "tip" not in document
    jsonschema.validate(json.loads(document_text(document)), plan_schema())


def test_a_tie_is_a_fault_of_the_job_with_its_line(urdf_job):
    with pytest.raises(JobError, match=r"job.toml, line 5: robot.model is 'arm.urdf'") as caught:
        urdf_job(gripper=True)
    assert 'tip = "q5_link" under [robot] in a job' in str(caught.value)
    job = urdf_job(JOB.replace('"arm.urdf"', '"arm.urdf"\ntip = "q5_link"'), gripper=True)
    assert job.mechanism.tip is not None
    assert job.mechanism.tip.rule is TipRule.GIVEN


def test_a_tip_of_a_library_robot_is_refused(job_of):
    with pytest.raises(JobError, match=r"robot.tip is 'tool0', but measuring-arm is no URDF file"):
        job_of(change={'"measuring-arm"': '"measuring-arm"\ntip = "tool0"'})


def test_a_calibrated_urdf_has_the_tip_that_the_job_gives(urdf_job, tmp_path):
    job = urdf_job(JOB.replace('"arm.urdf"', '"arm.urdf"\ntip = "end"'), gripper=True)
    path = tmp_path / "calibrated.urdf"
    path.write_text(urdf(gripper=True))  # without the job's tip a tie
    found = calibrated_mechanism(job, path)
    assert found.tip is not None
    assert (found.tip.link, found.dof) == ("end", 5)


SHAPED = MESH.replace("package://a/b.stl", "meshes/link.stl")


@pytest.fixture
def shaped_job(job_of, tmp_path):
    """A job whose robot has a mesh, which lies beside the URDF file."""
    (tmp_path / "meshes").mkdir()
    mesh = trimesh.creation.capsule(height=0.2, radius=0.05)
    mesh.export(tmp_path / "meshes" / "link.stl")
    return job_of(JOB, files={"arm.urdf": urdf().replace(MESH, SHAPED)})


def link_capsules(job):
    (shape,) = job.mechanism.mesh_shapes
    found = [c for c in job.mechanism.capsules if c.name in shape.capsules]
    return [(c.name, *c.start, *c.end, c.radius) for c in found]


def test_meshes_of_the_robot_are_inputs_and_go_with_copies_of_the_job(shaped_job, tmp_path):
    (mesh,) = (item for item in shaped_job.inputs if item.beside)
    assert (mesh.name, mesh.beside) == ("meshes/link.stl", "arm.urdf")
    assert shaped_job.mechanism.mesh_shapes[0].excess < 0.05
    assert shaped_job.mechanism.unread_shapes == ()
    varied = shaped_job.replace(name="other")
    copy = pp.read_job(varied.write(tmp_path / "copy" / "job.toml"))
    other = shaped_job.replace(robot=pp.load_robot(tmp_path / "arm.urdf"))
    rewritten = pp.read_job(other.write(tmp_path / "other" / "job.toml"))
    assert len(link_capsules(shaped_job)) == 1
    for one in (varied, copy, other, rewritten):
        assert link_capsules(one) == link_capsules(shaped_job)


def test_a_changed_mesh_is_another_job_and_one_outside_is_refused(shaped_job, tmp_path):
    path = tmp_path / "meshes" / "link.stl"
    trimesh.creation.box((0.1, 0.1, 0.3)).export(path)
    again = pp.read_job(tmp_path / "job.toml")
    assert again.fingerprint != shaped_job.fingerprint
    assert link_capsules(again) != link_capsules(shaped_job)
    path.unlink()
    secret = tmp_path.parent / f"{tmp_path.name}-secret.stl"
    secret.write_bytes(b"solid\nendsolid\n")
    path.symlink_to(secret)
    with pytest.raises(JobError, match=r"(?s)robot\.model .*meshes/link\.stl.*leads out"):
        pp.read_job(tmp_path / "job.toml")


@pytest.fixture
def packaged_job(job_of, tmp_path):
    """A job that names the folder of its robot's meshes, which lie in packages there."""
    place = tmp_path / "bodies" / "a" / "b.stl"
    place.parent.mkdir(parents=True)
    trimesh.creation.capsule(height=0.2, radius=0.05).export(place)
    text = JOB.replace('"arm.urdf"', '"arm.urdf"\nmeshes = "bodies"')
    return job_of(text, files={"arm.urdf": urdf()})


def test_a_job_names_the_folder_of_meshes(packaged_job, tmp_path):
    (mesh,) = (item for item in packaged_job.inputs if item.beside)
    assert (mesh.name, mesh.beside) == ("bodies/a/b.stl", "bodies/")
    assert packaged_job.mechanism.unread_shapes == ()
    assert len(packaged_job.robot.drawn_links) == 1
    copies = [
        packaged_job.replace(name="other"),
        pp.read_job(packaged_job.replace(name="o").write(tmp_path / "copy" / "job.toml")),
        packaged_job.replace(
            robot=tmp_path / "arm.urdf", robot_settings={"meshes": tmp_path / "bodies"}
        ),
    ]
    copies.append(pp.read_job(copies[-1].write(tmp_path / "third" / "job.toml")))
    for copy in copies:
        assert link_capsules(copy) == link_capsules(packaged_job)


def test_a_folder_of_meshes_outside_is_the_users_to_allow_and_goes_with_copies(
    packaged_job, tmp_path
):
    inner = tmp_path / "inner"
    inner.mkdir()
    for name in ("arm.urdf", "points.csv"):
        (inner / name).write_bytes((tmp_path / name).read_bytes())
    path = inner / "job.toml"
    path.write_text(packaged_job.text.replace('"bodies"', '"../bodies"'))
    with pytest.raises(JobError, match=r"robot\.meshes .*leaves the job's folder.*--allow-outside"):
        pp.read_job(path)
    job = pp.read_job(path, allow_outside=True)
    copy = pp.read_job(job.write(tmp_path / "copy" / "job.toml"))
    assert copy.document()["robot"]["meshes"] == "bodies"
    assert link_capsules(copy) == link_capsules(packaged_job)


@pytest.mark.parametrize(
    ("model", "meshes", "told"),
    [
        ("arm.urdf", "nowhere", "does not exist; give the path of a folder"),
        ("arm.urdf", "arm.urdf", "is a file; give the path of a folder"),
        ("measuring-arm", "bodies", "is no URDF file and has its shapes as capsules"),
    ],
)
def test_a_folder_of_meshes_that_cannot_be_is_told_by_its_key(
    packaged_job, tmp_path, model, meshes, told
):
    text = packaged_job.text.replace('"arm.urdf"', f'"{model}"').replace('"bodies"', f'"{meshes}"')
    (tmp_path / "job.toml").write_text(text)
    with pytest.raises(JobError, match=rf"(?s)robot\.meshes .*{told}"):
        pp.read_job(tmp_path / "job.toml")


def test_meshes_without_their_file_are_told(packaged_job):
    with pytest.raises(JobError, match="without the path of a URDF file"):
        packaged_job.replace(robot_settings={"meshes": "bodies"})
