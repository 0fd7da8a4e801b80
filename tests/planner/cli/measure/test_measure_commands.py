"""``palpeur measure`` and ``palpeur machine-test``: files, answers, codes."""

from __future__ import annotations

import shutil

import pytest

from planner.library import path_of

TABLE = """
[uncertainty]
probe_mm = 0.005
encoder_offset_deg = 0.002
samples = 200
"""


@pytest.fixture
def job(tmp_path):
    """The nine points with an [uncertainty], in a folder of their own."""
    shutil.copytree(path_of("nine-points-corrected").parent, tmp_path / "nine")
    path = tmp_path / "nine" / "job.toml"
    path.write_text(path.read_text() + TABLE)
    return path


def test_measured_file_is_evaluated(palpeur, job, tmp_path):
    file = tmp_path / "m.csv"
    ran = palpeur("measure", job, "--out", file, "--offset-um", "plane=500", "--form-um", 1)
    assert (ran.code, ran.out) == (0, "")
    assert "9 points measured, seed 1; written to" in ran.err
    found = palpeur("evaluate", job, file, "--json")
    assert found.code in (0, 1)
    assert '"P9"' in found.out
    before = file.read_text()
    again = ("measure", job, "--out", file, "--force")  # a table cannot say whose it is
    assert palpeur(*again, "--offset-um", "plane=500", "--form-um", 1).code == 0
    assert file.read_text() == before
    assert palpeur(*again, "--seed", 2).code == 0
    assert file.read_text() != before


def test_runs_are_numbered(palpeur, job, tmp_path):
    ran = palpeur("measure", job, "--out", tmp_path / "m.csv", "--runs", 2, "--json")
    document = ran.json
    assert [run["file"] for run in document["runs"]] == [
        str(tmp_path / f"m-{k}.csv") for k in (1, 2)
    ]
    assert document["perfect_machine"] is False
    assert set(document["runs"][0]["arm"]) == {f"q{k} theta" for k in range(1, 6)}
    assert (tmp_path / "m-2.csv").read_text().startswith("name,q1_deg")


def test_perfect_machine_is_told(palpeur):
    ran = palpeur("measure", path_of("nine-points-corrected"), "--as", "surface")
    assert ran.code == 0
    assert ran.out.startswith("name,x_mm,y_mm,z_mm,nx,ny,nz,feature")
    assert "the machine is perfect" in ran.err


def test_points_for_a_target(palpeur, job):
    enough = palpeur("measure", job, "--feature", "plane", "--target-um", 500, "--json")
    assert (enough.code, enough.json["count"]) == (0, 4)
    ran = palpeur(
        *("measure", job, "--feature", "plane", "--target-um", 0.1),
        *("--characteristic", "position", "--strategy", "repeat"),
    )
    assert ran.code == 1
    assert ran.out.startswith("No number of points reaches 0.1 µm for the position of 'plane'")
    assert "zeros of the joint readings" in ran.out


def test_machine_test(palpeur, job):
    words = ("machine-test", "measuring-arm", "--stylus-mm", 100, "--runs", 200, "--places", 1)
    ran = palpeur(*words, "--encoder-deg", 0.002)
    assert ran.code == 0
    assert "in the style of ISO 10360-12" in ran.out
    assert "E ≤" in ran.out
    first = palpeur(*words, "--job", job, "--probe-mm", 0.001, "--json").json
    assert first["ball_diameter_m"] == 0.0
    assert [one["test"] for one in first["tests"]] == ["PSize", "PForm", "LDia", *["E"] * 5]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("measure", "JOB", "--offset-um", "plane"), "expected FEATURE=VALUE"),
        (("measure", "JOB", "--offset-um", "x=1"), "feature 'x' has an offset"),
        (
            ("measure", "JOB", "--offset-um", "plan=1"),
            "no point of the job belongs to it; did you mean 'plane'?",
        ),
        (
            ("measure", "JOB", "--offset-um", "plane=1e9"),
            "Error: --offset-um plane is 1e+09 µm; give at most 100000 µm: a part that is farther "
            "off is another part.\n",
        ),
        (("measure", "JOB", "--offset-um", "plane=nan"), "--offset-um plane is nan µm; give at"),
        (("measure", "JOB", "--form-um", "1e12"), "--form-um is 1e+12 µm; give at most 100000 µm"),
        (("measure", "JOB", "--runs", 10**9), "Error: --runs is 1000000000; give 1 to 10000.\n"),
        (
            ("measure", "JOB", "--feature", "plane", "--target-um", 0),
            "Error: --target-um is 0; give a finite target uncertainty above 0 µm.\n",
        ),
        (("measure", "JOB", "--target-um", 0), "belong together; give both"),
        (
            ("measure", "JOB", "--feature", "plan", "--target-um", 5),
            "has no feature 'plan'; did you mean 'plane'?",
        ),
        (("measure", "JOB", "--as", "xml"), "choose one of joints"),
        (("measure", "JOB", "--runs", 2), "needs --out FILE"),
        (("measure", "JOB", "--feature", "plane"), "belong together"),
        (("measure", "JOB", "--feature", "plane", "--target-um", "inf"), "target uncertainty"),
        (("measure", "JOB", "--feature", "p", "--target-um", 1, "--out", "o"), "only counts"),
        (("machine-test", "measuring-arm"), "nothing is guessed"),
        (("machine-test", "measuring-arm", "--stylus-mm", 1e9), "--stylus-mm is 1e+09"),
    ],
)
def test_bad_words(palpeur, job, words, told):
    ran = palpeur(*(job if word == "JOB" else word for word in words))
    assert ran.code == 2
    assert told in ran.err
