"""A report set is what it claims, or what is wrong with it is named."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
import trimesh

from planner.library import path_of
from reports.plan_document import document_text
from reports.verification.document import verified_document, verified_lines
from reports.verification.record import read_record
from reports.verification.verified import VerificationVerdict, verify
from robots.core.urdf import write_urdf
from robots.library import load
from tests.cases import some

GENUINE, CHANGED = VerificationVerdict.GENUINE, VerificationVerdict.CHANGED
DIFFERENT, UNKNOWN = VerificationVerdict.DIFFERENT, VerificationVerdict.UNKNOWN


def told(verified):
    return "\n".join(verified_lines(verified))


def contents(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_set_is_what_it_claims_and_stays_as_it_is(folder):
    before = contents(folder)
    stages = []
    found = verify(folder, lambda stage, done, total: stages.append((stage, done, total)))
    assert found.verdict is GENUINE
    assert found.results.same == 5
    assert told(found).startswith("it is what it claims\n")
    document = verified_document(found)
    assert document["genuine"] is True
    assert document["recomputed"] is True
    assert document["files_changed"] == document["files_not_listed"] == []
    assert contents(folder) == before
    assert {"files", "validation", "comparison"} <= {stage for stage, _, _ in stages}
    assert document_text(document) == document_text(verified_document(verify(folder)))


def test_a_spoiled_file_and_its_numbers_are_named(folder):
    path = folder / "plan.json"
    path.write_text(path.read_text().replace('"duration_s": ', '"duration_s": 1', 1))
    found = verify(folder)
    assert found.verdict is CHANGED
    assert [one.name for one in found.changed] == ["plan.json"]
    assert "files changed: plan.json" in told(found)
    assert "first: plan.json, duration_s: 12.79" in told(found)


def test_a_forged_number_is_found_though_its_hash_agrees(folder, forge):
    text = (folder / "points.csv").read_text().splitlines()
    cells = text[3].split(",")
    cells[2] = "0.5"
    text[3] = ",".join(cells)
    forge("points.csv", "\n".join(text) + "\n")
    found = verify(folder)
    assert found.verdict is DIFFERENT
    assert verified_document(found)["numbers"]["worst"]["where"] == "row 3, x_mm"
    assert told(found).startswith("numbers differ: 1, the worst points.csv, row 3, x_mm: 0.5 is")
    worst = found.results.tally.worst
    assert (
        told(found)
        .splitlines()[0]
        .endswith(
            f"0.5 is claimed, {worst.found} found; they differ by {worst.relative:.2g} times the "
            "largest value of its kind"
        )
    )


def test_a_forged_plan_that_is_no_json_is_told_plainly(folder, forge):
    forge("plan.json", "{\nx")
    assert told(verify(folder)).startswith(
        "numbers differ: 1, the worst plan.json: it cannot be read as JSON: line 2, column 1: "
        "Expecting property name enclosed in double quotes\n"
    )


def test_a_forged_table_that_is_none_is_told_plainly(folder, forge):
    forge("trajectory.csv", "nothing\n")
    assert "trajectory.csv: it cannot be read as a table: " in told(verify(folder))


def test_a_forged_text_is_found_on_the_same_versions(folder, forge):
    forge("README.txt", "All is well.")
    found = verify(folder)
    assert found.verdict is CHANGED
    assert told(found).startswith("files changed: README.txt\n")
    assert "README.txt is not what the inputs give" in told(found)


def test_on_other_versions_the_numbers_decide(folder, change_record, forge):
    change_record(lambda d: d["versions"].update(numpy="1.0", ghost="3"))
    change_record(lambda d: d.update(machine="vax"))
    forge("README.txt", "of another version")
    found = verify(folder)
    assert found.verdict is GENUINE
    assert [other.name for other in found.others] == ["numpy", "machine", "ghost"]
    assert found.results.skipped == ("README.txt",)
    assert "made with other versions: numpy 1.0 then, " in told(found)
    assert "checked by their hash only" in told(found)
    edited = json.loads((folder / "plan.json").read_text())
    edited["energy_j"] *= 1.001
    forge("plan.json", json.dumps(edited))
    found = verify(folder)
    assert found.verdict is DIFFERENT
    assert found.results.tally.first.where == "energy_j"


@pytest.mark.parametrize("name", ["inputs/points.csv", "inputs/job.toml"])
@pytest.mark.parametrize("spoil", [Path.unlink, lambda path: path.write_text("other")])
def test_inputs_that_changed_are_not_used(folder, name, spoil, monkeypatch):
    monkeypatch.setattr("reports.verification.verified.recompute", None)
    spoil(folder / name)
    found = verify(folder)
    assert found.verdict is CHANGED
    assert [one.name for one in found.changed] == [name]
    assert found.reason == f"{name} is not what was written"
    assert f"not recomputed: {name}" in told(found)


def test_other_inputs_with_an_agreeing_hash_give_other_numbers(folder, forge, change_record):
    text = (folder / "inputs/points.csv").read_text()
    forge("inputs/points.csv", text.replace("P1,", "P1x,", 1))
    found = verify(folder)
    assert found.verdict is UNKNOWN
    assert "the set has another 'points.csv'" in found.reason

    def agree(document):
        hashes = {row["name"]: row["sha256"] for row in document["files"]}
        document["inputs"][1]["sha256"] = hashes["inputs/points.csv"]

    change_record(agree)
    assert verify(folder).verdict is DIFFERENT


@pytest.mark.parametrize(
    ("edit", "told"),
    [
        (lambda d: d["job"].update(stored=None), "it holds no job file"),
        (lambda d: d["job"].update(stored="inputs/none.toml"), "inputs/none.toml is missing"),
        (lambda d: d["inputs"][1].update(stored=None), "its job cannot be read: job.toml, line"),
        (lambda d: d["inputs"][1].update(stored="points.txt"), "points.txt is missing"),
        (lambda d: d["inputs"].pop(), "its job cannot be read: job.toml, line"),
        (lambda d: d["inputs"].append(d["inputs"][0]), "its inputs are not those that the job"),
        (lambda d: d["inputs"][0].update(sha256="0" * 64), "this version's library has another"),
    ],
)
def test_inputs_that_do_not_fit_cannot_be_recomputed(folder, change_record, edit, told):
    change_record(edit)
    found = verify(folder)
    assert found.verdict is UNKNOWN
    assert told in found.reason
    assert "/tmp" not in found.reason
    assert verified_document(found)["numbers"] is None


@pytest.mark.parametrize("file", ["/etc/passwd", "../../../../etc/passwd", "link.csv"])
def test_a_job_reads_nothing_outside_the_set(folder, forge, file):
    text = (folder / "inputs/job.toml").read_text().replace('"points.csv"', f'"{file}"')
    (folder / "inputs/link.csv").symlink_to("/etc/passwd")
    forge("inputs/job.toml", text)
    found = verify(folder)
    assert found.verdict is UNKNOWN
    assert "root:" not in told(found)


@pytest.mark.parametrize("name", ["plan.json", "inputs"])
def test_links_are_not_followed(folder, tmp_path, name):
    shutil.move(folder / name, tmp_path / "elsewhere")
    (folder / name).symlink_to(tmp_path / "elsewhere")
    found = verify(folder)
    assert found.verdict is CHANGED
    assert {one.reason for one in found.changed} == {"is a link or no file"}


def test_files_that_are_not_listed_are_told_and_change_nothing(folder):
    (folder / "deep").mkdir()
    (folder / "deep" / "no\x1b[31mtes.txt").write_text("mine")
    found = verify(folder)
    assert found.verdict is GENUINE
    assert "not part of the set: 1 files" in told(found)
    assert "deep/no⟨U+001B⟩[31mtes.txt" in told(found)
    assert verified_document(found)["files_not_listed"] == ["deep/no\x1b[31mtes.txt"]


@pytest.mark.parametrize("absolute", some([True, False], gate=1))
def test_a_set_with_files_from_outside_the_job_s_folder_is_made_again(tmp_path, sealed, absolute):
    source = path_of("nine-points-corrected").parent
    (tmp_path / "job").mkdir()
    (tmp_path / "data").mkdir()
    shutil.copy(source / "points.csv", tmp_path / "data" / "my points.csv")
    name = str(tmp_path / "data" / "my points.csv") if absolute else "../data/my points.csv"
    text = (source / "job.toml").read_text()
    text = text.replace('"points.csv"', f"'{name}'")
    (tmp_path / "job" / "job.toml").write_text(text)
    folder = sealed(tmp_path / "job" / "job.toml", tmp_path / "set", allow_outside=True)
    shutil.rmtree(tmp_path / "data")
    record = read_record(folder)
    assert record.inputs.others[1].name == name
    assert record.inputs.others[1].stored.startswith("inputs/outside/")
    found = verify(folder)
    assert told(found).splitlines()[0] == "it is what it claims"


@pytest.mark.parametrize("named", some([True, False], gate=1))
def test_a_set_with_meshes_from_outside_the_job_s_folder_is_made_again(tmp_path, sealed, named):
    source = path_of("nine-points-corrected").parent
    packages = tmp_path / "packages"
    (packages / "arm" / "meshes").mkdir(parents=True)
    trimesh.creation.box((0.05, 0.05, 0.05)).export(packages / "arm" / "meshes" / "link.stl")
    text = re.sub(
        r"<collision.*?</collision>\s*", "", write_urdf(load("measuring-arm")), flags=re.S
    )
    mesh = '<mesh filename="package://arm/meshes/link.stl"/>'
    shape = f"<collision><geometry>{mesh}</geometry></collision>"
    text = text.replace('<link name="q3_link">', f'<link name="q3_link">{shape}', 1)
    (tmp_path / "job").mkdir()
    shutil.copy(source / "points.csv", tmp_path / "job")
    model = tmp_path / "job" / "arm.urdf" if named else packages / "arm.urdf"
    model.write_text(text)
    robot = (
        'model = "arm.urdf"\nmeshes = "../packages"' if named else 'model = "../packages/arm.urdf"'
    )
    job = (source / "job.toml").read_text()
    job = job.replace('model = "measuring-arm"', f"{robot}\ndefault_acceleration_rad_s2 = 4.0")
    (tmp_path / "job" / "job.toml").write_text(job)
    folder = sealed(tmp_path / "job" / "job.toml", tmp_path / "set", allow_outside=True)
    shutil.rmtree(packages)
    stored = {item.name: item.stored for item in read_record(folder).inputs.others}
    assert stored["../packages/arm/meshes/link.stl"].startswith("inputs/outside/")
    assert told(verify(folder)).splitlines()[0] == "it is what it claims"
