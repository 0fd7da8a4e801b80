"""``diff``: jobs, sets and plans in any mix; rules as exit codes; a page that replaces nothing."""

from __future__ import annotations

import json
import shutil

import pytest

from planner.library import path_of


@pytest.fixture(scope="module")
def plans(tmp_path_factory):
    """A job, its report set, and a plan.json that is 10 % slower."""
    from planner.cli.main import main

    folder = tmp_path_factory.mktemp("plans")
    job = shutil.copytree(path_of("nine-points-corrected").parent, folder / "job") / "job.toml"
    assert main(["plan", str(job), "--data-only", "--quiet", "--out", str(folder / "set")]) == 0
    document = json.loads((folder / "set" / "plan.json").read_text())
    document["duration_s"] *= 1.1
    (folder / "slow.json").write_text(json.dumps(document))
    return folder


def test_a_job_its_set_and_its_plan_are_the_same(palpeur, plans):
    job, folder, plan = plans / "job" / "job.toml", plans / "set", plans / "set" / "plan.json"
    for a, b in ((job, folder), (folder, plan), (plan, job)):
        ran = palpeur("diff", a, b, "--json", "--fail-on", "duration>+0%")
        assert ran.code == 0
        assert ran.json["equal"] is True
        assert ran.json["rules"][0]["fired"] is False
    assert ran.err == f"Planning {job}\n"


def test_differences_are_information_and_a_broken_rule_is_an_exit_code(palpeur, plans):
    both = ("diff", plans / "set", plans / "slow.json")
    ran = palpeur(*both)
    assert (ran.code, ran.err) == (0, "")
    assert "worse" in ran.out
    assert palpeur(*both, "--fail-on", "duration>+11%").code == 0
    ran = palpeur(*both, "--fail-on", "energy>+1%", "--fail-on", "duration>+2%")
    assert ran.code == 1
    assert "BROKEN" in ran.out
    ran = palpeur(*both, "--fail-on", "duration>+2%", "--json")
    assert ran.code == 1
    assert ran.json["failed"] is True
    assert [row["fired"] for row in ran.json["rules"]] == [True]


def test_the_page_is_written_and_written_again(palpeur, plans, tmp_path):
    page = tmp_path / "deep" / "page.html"
    for _ in range(2):
        ran = palpeur("diff", plans / "set", plans / "slow.json", "--html", page)
        assert (ran.code, ran.err) == (0, f"Page written to {page}\n")
        assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert [path.name for path in page.parent.iterdir()] == ["page.html"]


def test_no_other_file_is_overwritten(palpeur, plans, tmp_path):
    job = plans / "job" / "job.toml"
    before = job.read_bytes()
    ran = palpeur("diff", plans / "set", plans / "slow.json", "--html", job)
    assert (ran.code, ran.out) == (2, "")
    assert "is there already, and nothing in it shows that `palpeur diff` wrote it" in ran.err
    assert "give another file with --html, or --force to replace it" in ran.err
    assert job.read_bytes() == before
    ran = palpeur("diff", plans / "set", plans / "slow.json", "--html", tmp_path)
    assert (ran.code, ran.out) == (2, "")
    assert "cannot be written" in ran.err


@pytest.mark.parametrize("name", ["report.html", "new.html", "figures/new.html"])
def test_no_page_goes_into_a_report_set(palpeur, plans, name):
    page = plans / "set" / name
    before = sorted((path, path.stat().st_mtime_ns) for path in (plans / "set").rglob("*"))
    ran = palpeur("diff", plans / "set", plans / "slow.json", "--html", page)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == (
        f"Error: {page}: the page cannot be written: {plans}/set is a report set, whose "
        f"provenance.json lists its files; give a file outside it with --html, such as "
        f"{plans}/diff.html.\n"
    )
    assert before == sorted((path, path.stat().st_mtime_ns) for path in (plans / "set").rglob("*"))


def test_a_page_below_a_file_is_refused_before_the_work(palpeur, plans, tmp_path):
    (tmp_path / "afile").touch()
    ran = palpeur("diff", "no.toml", plans / "slow.json", "--html", tmp_path / "afile" / "x.html")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == (
        f"Error: {tmp_path}/afile/x.html: the file cannot be written: {tmp_path}/afile is a file, "
        "not a folder; give another file with --html.\n"
    )
    ran = palpeur(
        "diff", "no.toml", plans / "slow.json", "--html", ""
    )  # a variable that is not set
    assert (ran.code, ran.out) == (2, "")
    assert "--html" in ran.err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--fail-on", "duratoin>+2%"), "did you mean 'duration'?"),
        (("--fail-on", "duration>2%"), "has no sign"),
    ],
)
def test_rules_are_read_before_the_work(palpeur, tmp_path, arguments, told):
    ran = palpeur("diff", tmp_path / "no.toml", tmp_path / "no.json", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert told in ran.err


def test_what_is_no_plan_is_bad_input(palpeur, plans, tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "other.json").write_text('{"format": 1}')
    for path, told in (
        (tmp_path / "no.toml", "does not exist; give a job file, a report set or a plan.json"),
        (tmp_path / "empty", "holds no plan.json"),
        (tmp_path / "other.json", "other.json: job is missing; this is no plan"),
        (plans / "job" / "points.csv", "points.csv"),
    ):
        ran = palpeur("diff", plans / "set", path)
        assert (ran.code, ran.out) == (2, "")
        assert told in ran.err
