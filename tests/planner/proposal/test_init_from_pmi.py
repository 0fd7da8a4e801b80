"""`palpeur init` of a drawing and of points: what is typed, and what is refused in one message."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import palpeur as pp
from parts.library import open_part, stl_bytes
from planner.cli.main import main
from planner.job import read_job, write_template
from planner.proposal import proposal
from tests.parts.drawing.test_qif_pmi import FACTS, document

HEAD = "ISO-10303-21;\nHEADER;\nFILE_NAME('part','',(''),(''),'','','');\nENDSEC;\nDATA;\n"


def refusal(capsys, *words: str) -> str:
    assert main(["init", *words]) == 2
    captured = capsys.readouterr()
    assert "Traceback" not in captured.err
    return captured.err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--part", "x.stp"], "--robot is missing"),
        (["--robot", "ur5e", "--from-pmi"], "--part is missing"),
        (["--part", "x.stp", "--robot", "ur5e"], "--from-pmi is missing"),
        (["--points", "x.csv"], "needs --robot ROBOT"),
        (["--points", "x.csv", "--robot", "ur5e"], "x.csv"),
        (["--points", "x.csv", "--robot", "ur5e", "--from-pmi"], "leave one out"),
        (["--part", "block", "--robot", "ur5e", "--from-pmi", "--pose", "1,2"], "'1,2' is no pose"),
        (["--part", "block", "--robot", "ur5e", "--from-pmi", "--pose", "1,2,inf"], "is no pose"),
        (["--part", "block", "--robot", "ur5x", "--from-pmi"], "ur5e"),
        (["--part", "block", "--robot", "ur5e", "--from-pmi"], "no drawing"),
        (["--part", "block", "--robot", "ur5e", "--from-pmi", "--share", "2"], "at most 1"),
        (["--part", "block", "--robot", "ur5e", "--from-pmi", "--touch-um", "-1"], "scatter of a"),
    ],
)
def test_what_is_refused(tmp_path, capsys, words, told):
    assert told in refusal(capsys, str(tmp_path / "new"), *words)
    assert not (tmp_path / "new").exists()


def test_a_job_that_is_there_stays(tmp_path, capsys):
    first = write_template(tmp_path)[0].read_bytes()
    told = refusal(capsys, str(tmp_path), "--part", "block", "--robot", "ur5e", "--from-pmi")
    assert "exists already" in told
    assert (tmp_path / "job.toml").read_bytes() == first


def test_an_uncertainty_that_is_none(tmp_path, capsys):
    job = write_template(tmp_path)[0]
    words = ["--part", "block", "--robot", "ur5e", "--from-pmi", "--uncertainty", str(job)]
    assert "has no [uncertainty]" in refusal(capsys, str(tmp_path / "new"), *words)


def test_a_job_for_the_drawing_in_a_qif_document(tmp_path, capsys, monkeypatch):
    made, propose = [], proposal.propose

    def once(*asked, **options):  # both forms are of one proposal
        made[:] = made or [propose(*asked, **options)]
        return made[0]

    monkeypatch.setattr(proposal, "propose", once)
    place = tmp_path / "plan.qif"
    place.write_bytes(document(*FACTS))
    words = ["--part", "block", "--robot", "ur5e", "--qif", str(place), "--pose", "450,0,50"]
    assert main(["init", str(tmp_path / "json"), *words, "--json"]) == 0
    document_ = json.loads(capsys.readouterr().out)
    assert main(["init", str(tmp_path / "new"), *words]) == 0
    job = read_job(tmp_path / "new" / "job.toml")
    asked = {(one.feature, one.kind, one.system) for one in job.evaluation.tolerances}
    assert {("hole-30", "diameter", ""), ("top", "flatness", "")} <= asked
    told = capsys.readouterr().out
    assert "hole-20" in told  # datum B
    assert "position of 'hole-30' 0.2 mm: The feature 'hole-20' has no tolerance" in told
    assert "…" not in told  # reasons are whole sentences
    # the same as one document, and in Python
    assert document_["job"] == str(tmp_path / "json" / "job.toml")
    assert document_["points"] == len(job.points)
    bore = next(one for one in document_["features"] if one["name"] == "hole-30")
    assert {one["kind"] for one in bore["tolerances"]} >= {"diameter"}
    assert {one["name"] for one in document_["left_out"]} >= {"position of 'hole-30' 0.2 mm"}
    part = pp.load_part("block")
    assert part.read_drawing(place).datums


def test_a_job_of_points_that_one_has(tmp_path, capsys):
    """The files come along, names with spaces and accents too; without --pose it is a guess."""
    points = tmp_path / "points à mesurer.csv"
    points.write_text("name,x_mm,y_mm,z_mm,nx,ny,nz\nP1,20,20,30,0,0,1\n", encoding="utf-8")
    part = tmp_path / "block.stl"
    part.write_bytes(stl_bytes(open_part("block").geometry.mesh))
    words = ["--points", str(points), "--robot", "measuring-arm", "--part", str(part)]
    assert "--unit mm" in refusal(capsys, str(tmp_path / "new"), *words)
    new = tmp_path / "new"
    assert main(["init", str(new), *words, "--unit", "mm", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert {Path(one).name for one in told["files"]} == {"job.toml", points.name, part.name}
    job = read_job(new / "job.toml")
    assert (job.points.names, job.surface.audit.watertight) == (("P1",), True)
    assert "is a guess" in job.text
    assert np.linalg.norm(job.part.T_base_part[:3, 3]) > 0.3
    assert main(["init", str(tmp_path / "posed"), *words[:4], "--pose", "500,0,100,90"]) == 0
    posed = read_job(tmp_path / "posed" / "job.toml")
    assert posed.part.T_base_part[:3, 3] == pytest.approx([0.5, 0.0, 0.1])
    assert "is a guess" not in posed.text
    assert "limit" not in posed.text


def test_what_a_published_robot_lacks_stands_in_its_job(tmp_path):
    """No time can be planned without accelerations, which URDF has no place for."""
    points = tmp_path / "points.csv"
    points.write_text("name,x_mm,y_mm,z_mm,nx,ny,nz\nP1,20,20,30,0,0,1\n", encoding="utf-8")
    axis = '<axis xyz="0 0 1"/><limit lower="-3" upper="3" velocity="2" effort="9"/>'
    joint = '<joint name="j{0}" type="revolute"><parent link="l{0}"/><child link="l{1}"/>' + axis
    links = "".join(f'<link name="l{k}"/>' for k in range(7))
    joints = "".join(joint.format(k, k + 1) + "</joint>" for k in range(6))
    robot = tmp_path / "arm.urdf"
    robot.write_text(f'<robot name="arm">{links}{joints}</robot>', encoding="utf-8")
    job = proposal.start_job(robot, points, pose=np.eye(4))
    assert "# Joints j0, j1, j2, j3, j4, j5 of arm have no acceleration limit" in job.text
    assert "#     default_acceleration_rad_s2 = 10.0" in job.text


def test_the_template_as_one_document(tmp_path, capsys):
    assert main(["init", str(tmp_path), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["job"] in told["files"]
    assert all(Path(one).is_file() for one in told["files"])


def test_a_file_that_is_no_qif_document(tmp_path, capsys):
    place = tmp_path / "plan.qif"
    place.write_text("<other/>", encoding="utf-8")
    words = ["--part", "block", "--robot", "ur5e", "--qif", str(place)]
    assert "expected QIFDocument" in refusal(capsys, str(tmp_path / "new"), *words)


def test_a_drawing_without_a_shape(tmp_path, capsys):
    """Semantic PMI in a file that has no geometry: one message, of the geometry."""
    place = tmp_path / "part.stp"
    text = "#300=SHAPE_ASPECT('','',#20,.T.);\n#400=FLATNESS_TOLERANCE('F','',#310,#300);\n"
    place.write_text(HEAD + text + "ENDSEC;\nEND-ISO-10303-21;\n", encoding="utf-8")
    words = ["--part", str(place), "--robot", "ur5e", "--from-pmi"]
    assert "it has no shape: not one face" in refusal(capsys, str(tmp_path / "new"), *words)


def test_a_drawing_without_an_end_is_one_message(tmp_path, capsys, monkeypatch):
    """More statements than the cap allows are refused before they are read: what, where, limit."""
    place = tmp_path / "part.stp"
    text = "".join(f"#{n}=FLATNESS_TOLERANCE('','',#310,#300);\n" for n in range(1000, 3000))
    place.write_text(HEAD + text + "ENDSEC;\nEND-ISO-10303-21;\n", encoding="utf-8")
    monkeypatch.setenv("PALPEUR_CAP_STEP_STATEMENTS", "1000")
    words = ["--part", str(place), "--robot", "ur5e", "--from-pmi"]
    told = refusal(capsys, str(tmp_path / "new"), *words)
    assert "part.stp" in told
    assert "1000" in told
    assert "PALPEUR_CAP_STEP_STATEMENTS" in told
    assert told.count("Error") == 1
