"""``palpeur batch``: what runs, why, what is written, exit codes."""

from __future__ import annotations

import csv
import json
import os

import pytest

from planner.batch.ledger import Ledger
from tests.planner.batch.generated_jobs import FAR

KINDS = {"feasible": "feasible", "infeasible": "infeasible", "corrupt": "refused"}


@pytest.fixture
def whys(palpeur):
    """``whys("jobs")``: what would run and why, by job."""

    def told(*arguments):
        ran = palpeur("batch", *arguments, "--out", "out", "--dry-run", "--json")
        assert ran.code == 0
        return {case["name"]: case["why"] for case in ran.json["cases"] if case["why"]}

    return told


@pytest.mark.usefixtures("here")
def test_every_job_has_one_result_and_a_second_run_does_nothing(
    palpeur, jobs, tmp_path, whole, statuses
):
    ran = palpeur("batch", "jobs/*.toml", "--out", "out")
    assert ran.code == 1
    assert "6 of 6 jobs ran. out/dashboard.html" in ran.out
    found = statuses(tmp_path / "out")
    expected = {
        f"jobs/{path.name}": KINDS[path.stem.partition("-")[2]] for path in jobs.glob("*.toml")
    }
    assert found == expected
    assert len(list(Ledger(folder=tmp_path / "out").digests())) == 6
    assert list((tmp_path / "out/claims").iterdir()) == []
    before = whole(tmp_path / "out")
    again = palpeur("batch", "jobs/*.toml", "--out", "out")
    assert "0 of 6 jobs ran" in again.out
    assert (again.code, again.err) == (1, "")
    assert whole(tmp_path / "out") == before


@pytest.mark.usefixtures("here")
def test_all_feasible_is_zero(palpeur, nine, tmp_path):
    ran = palpeur("batch", "nine", "--out", "out", "--json")
    assert ran.code == 0
    assert ran.json == {
        "format": 1,
        "jobs": 1,
        "ran": 1,
        "by_status": {"feasible": 1},
        "reasons": {},
        "passed_over": [],
        "folder": "out",
    }
    with (tmp_path / "out/summary.csv").open(newline="") as file:
        (row,) = csv.DictReader(file)
    assert nine.name in row["name"] if "name" in row else "nine" in json.dumps(row)


def test_a_dry_run_writes_nothing(palpeur, jobs, tmp_path):
    ran = palpeur("batch", "jobs", "--out", "out", "--dry-run")
    assert ran.code == 0
    assert ran.out.count("new") == 6
    assert ran.out.endswith("6 of 6 jobs would run.\n")
    assert not (tmp_path / "out").exists()
    assert jobs.is_dir()


@pytest.mark.usefixtures("here")
def test_a_changed_input_runs_only_what_depends_on_it(palpeur, judged, whys):
    assert whys("jobs/*.toml") == {}
    points = judged / "points-far.csv"
    points.write_text(points.read_text().replace("far,", "farther,"))
    infeasible = {f"jobs/{path.name}" for path in judged.glob("*-infeasible.toml")}
    assert infeasible
    reasons = whys("jobs/*.toml")
    changed = dict.fromkeys(infeasible, "input changed: points-far.csv")
    assert {name: why for name, why in reasons.items() if name in infeasible} == changed
    assert all("corrupt" in name for name in set(reasons) - infeasible)  # one of them names it too
    ran = palpeur("batch", "jobs/*.toml", "--out", "out", "--json")
    assert ran.json["ran"] == len(reasons)
    assert whys("jobs/*.toml") == {}


@pytest.mark.usefixtures("here")
def test_a_corrupted_result_is_redone(palpeur, judged, tmp_path, whys, whole):
    before = whole(tmp_path / "out")
    files = sorted((tmp_path / "out/results").rglob("*.json"))
    files[0].write_bytes(files[0].read_bytes().replace(b'"status"', b'"stotus"'))
    files[1].write_bytes(b"")
    files[2].unlink()
    reasons = sorted(whys("jobs/*.toml").values())
    assert reasons == ["not finished before", "result corrupted", "result corrupted"]
    assert palpeur("batch", "jobs/*.toml", "--out", "out", "--json").json["ran"] == 3
    assert whole(tmp_path / "out") == before
    assert judged.is_dir()


@pytest.mark.usefixtures("here")
def test_jobs_and_results_may_be_moved_together(palpeur, judged, tmp_path, whole, monkeypatch):
    before = whole(tmp_path / "out")
    (tmp_path / "elsewhere").mkdir()
    judged.rename(tmp_path / "elsewhere/jobs")
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert palpeur("batch", "jobs/*.toml", "--out", "out").code == 1  # judged anew, there
    assert whole(tmp_path / "elsewhere/out") == before
    ran = palpeur("batch", "jobs/*.toml", "--out", tmp_path / "out", "--json")
    assert ran.json["ran"] == 0


@pytest.mark.usefixtures("here")
def test_shares_are_a_partition_and_one_run_sums_them_up(
    palpeur, jobs, judged_once, tmp_path, whole
):
    names = []
    for number in (1, 2, 3):
        listed = palpeur(
            *("batch", "jobs/*.toml", "--out", "out", "--share", f"{number}/3"),
            *("--dry-run", "--json"),
        )
        names += [case["name"] for case in listed.json["cases"]]
        ran = palpeur("batch", "jobs/*.toml", "--out", "out", "--share", f"{number}/3")
        assert "the same command without --share writes the summary" in ran.out
        assert not (tmp_path / "out/summary.csv").exists()
    assert sorted(names) == sorted(f"jobs/{path.name}" for path in jobs.glob("*.toml"))
    assert palpeur("batch", "jobs/*.toml", "--out", "out", "--json").json["ran"] == 0
    assert whole(tmp_path / "out") == whole(judged_once / "out")


@pytest.mark.usefixtures("here")
def test_a_sweep(palpeur, nine, tmp_path, statuses):
    (nine / "sweep.toml").write_text(
        "format = 1\n[sweep]\nbase = 'job.toml'\n[[vary]]\nkey = 'sampling.period_ms'\n"
        "values = [5.0, 10.0, -1.0]\n"
    )
    assert palpeur("batch", "nine/sweep.toml", "--out", "out").code == 1
    assert statuses(tmp_path / "out") == {
        "nine/sweep.toml#1": "feasible",
        "nine/sweep.toml#2": "feasible",
        "nine/sweep.toml#3": "refused",
    }


SWEEP = """format = 1
[sweep]
base = "job.toml"
[[vary]]
key = "{}"
values = [{}]
"""


@pytest.mark.usefixtures("here")
def test_the_values_of_a_sweep_are_told(palpeur, nine, tmp_path):
    (nine / "sweep.toml").write_text(SWEEP.format("sampling.period_ms", "5.0, 10"))
    ran = palpeur("batch", "nine", "--out", "out", "--dry-run")
    assert "sampling.period_ms = 5.0" in ran.out
    cases = palpeur("batch", "nine", "--out", "out", "--dry-run", "--json").json["cases"]
    swept = [{}, {"sampling.period_ms": 5.0}, {"sampling.period_ms": 10}]
    assert [case["swept"] for case in cases] == swept
    assert palpeur("batch", "nine", "--out", "out").code == 0
    with (tmp_path / "out/summary.csv").open(newline="") as file:
        assert [row["sampling.period_ms"] for row in csv.DictReader(file)] == ["", "5.0", "10"]
    rows = json.loads((tmp_path / "out/summary.json").read_text())["rows"]
    assert [row["swept"] for row in rows] == swept
    assert "sampling.period_ms" in (tmp_path / "out/dashboard.html").read_text()


@pytest.mark.usefixtures("here")
def test_a_job_of_a_sweep_as_a_file_is_judged_alike(palpeur, nine, tmp_path):
    (nine / "sweep.toml").write_text(SWEEP.format("part.pose.translation_mm[1]", "1480, 1520"))
    ran = palpeur("batch", "nine/sweep.toml", "--out", "out", "--dry-run", "--write-jobs", "files")
    assert ran.code == 0
    assert ran.out.endswith("2 jobs of sweeps are in files.\n")
    assert not (tmp_path / "out").exists()
    palpeur("batch", "nine/sweep.toml", "--out", "out")
    palpeur("batch", "files", "--out", "again")
    one, two = (
        [json.loads(path.read_text())["rows"] for path in (tmp_path / out).glob("summary.json")]
        for out in ("out", "again")
    )
    assert [row["name"] for row in two[0]] == ["files/nine/sweep-1.toml", "files/nine/sweep-2.toml"]
    assert [row["figures"] for row in one[0]] == [row["figures"] for row in two[0]]
    assert one[0][0]["figures"]["duration_s"] != one[0][1]["figures"]["duration_s"]


def test_a_key_that_no_job_has_is_told_by_the_dry_run(palpeur, nine):
    (nine / "sweep.toml").write_text(SWEEP.format("travel.lw", '"quintic", "cubic"'))
    ran = palpeur("batch", "nine", "--out", "out", "--dry-run")
    told = "nine/sweep.toml#1: travel.lw is not a known key; did you mean 'law'?"
    assert (ran.code, ran.out.splitlines()[-1]) == (0, f"Would be refused: {told}")
    ran = palpeur("batch", "nine", "--out", "out", "--dry-run", "--json")
    assert ran.json["faults"] == [told]


@pytest.mark.usefixtures("here")
def test_twins_are_judged_once(palpeur, nine, tmp_path, statuses):
    import shutil

    shutil.copytree(nine, tmp_path / "twin")
    ran = palpeur("batch", "nine", "twin", "--out", "out")
    assert ran.code == 0
    assert len(list(Ledger(folder=tmp_path / "out").digests())) == 1
    assert len(statuses(tmp_path / "out")) == 2


@pytest.mark.usefixtures("here")
def test_reports_where_they_are_asked_for(palpeur, nine, tmp_path, whys):
    points = nine / "points.csv"  # without motion there is one figure
    points.write_text(points.read_text().splitlines()[0] + "\n" + FAR + "\n")
    assert palpeur("batch", "nine", "--out", "out").code == 1
    assert not (tmp_path / "out/reports").exists()
    assert whys("nine", "--reports", "failed") == {"nine/job.toml": "report missing"}
    assert palpeur("batch", "nine", "--out", "out", "--reports", "failed").code == 1
    (digest,) = Ledger(folder=tmp_path / "out").digests()
    assert (tmp_path / "out/reports" / digest / "report.html").is_file()
    assert whys("nine", "--reports", "all") == {}
    rows = json.loads((tmp_path / "out/summary.json").read_text())["rows"]
    assert rows[0]["report"] == f"reports/{digest}/report.html"
    assert palpeur("batch", ".", "--out", "out", "--dry-run", "--json").json["cases"][1:] == []


@pytest.mark.usefixtures("here")
def test_a_comparison_with_a_batch_before(palpeur, nine, tmp_path):
    palpeur("batch", "nine", "--out", "before")
    points = nine / "points.csv"
    points.write_text(points.read_text() + FAR + "\n")
    ran = palpeur("batch", "nine", "--out", "out", "--compare", "before")
    assert ran.code == 1
    assert "worse" in (tmp_path / "out/dashboard.html").read_text()
    assert (
        "Compared with before: 1 worse, 0 better, 0 changed, 0 same, 0 new, 0 gone.\n"
        "became worse   what    from      to\n"
        "nine/job.toml  status  feasible  infeasible P101\n"
    ) in ran.out
    compared = palpeur("batch", "nine", "--out", "out", "--compare", "before", "--json").json
    assert compared["compared"] == {
        "with": "before",
        **{"worse": 1, "better": 0, "changed": 0, "same": 0, "new": 0, "gone": 0},
        "new_failed": 0,
        "became_worse": [
            {
                "name": "nine/job.toml",
                "what": "status",
                "from": "feasible",
                "to": "infeasible P101",
            }
        ],
    }
    assert "P101: point out of reach" in ran.out
    ran = palpeur("batch", "nine", "--out", "out", "--compare", "nine")
    assert ran.code == 2
    assert "holds no summary.json" in ran.err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["none.toml"], "there is no such file or folder"),
        (["nine", "--workers", "-1"], "--workers is -1; give 1 to 1024"),
        (["nine", "--time-cap", "0"], "--time-cap is 0; give seconds above 0"),
        (["nine", "--time-cap", "nan"], "--time-cap is nan"),
        (["nine", "--memory-cap", "10"], "--memory-cap is 10; give at least 500 MB"),
        (["nine", "--share", "0/3"], "--share is '0/3'; give it as 3/20"),
        (["nine", "--share", "4/3"], "--share is '4/3'"),
        (["nine", "--share", "½/3"], "--share is '½/3'"),
        (["nine", "--reports", "some"], "--reports is 'some'; there are none, failed, all"),
        (["nine", "--compare", "none"], "holds no summary.json"),
        (["nine", "--workers", "1025"], "or 0 for one per processor; raise it with PALPEUR_CAP_"),
        (["nine", "--cluster", "nonsense://x"], "--cluster is 'nonsense://x'"),
        (["nine", "--cluster", ""], "--cluster is ''"),
        (["nine", "--write-jobs", "x"], "judges none; give --dry-run too"),
        ([], "SOURCES"),
    ],
)
@pytest.mark.usefixtures("nine")
def test_options_without_sense(palpeur, tmp_path, arguments, told):
    ran = palpeur("batch", *arguments, "--out", "out")
    assert ran.code == 2
    assert told in ran.err
    assert not (tmp_path / "out/results").exists()


@pytest.mark.usefixtures("nine")
def test_a_folder_of_other_things_is_refused(palpeur, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/letter.txt").touch()
    ran = palpeur("batch", "nine", "--out", "mine")
    assert ran.code == 2
    assert "this folder holds letter.txt, which is not of a batch" in ran.err
    for place in ("mine/letter.txt", "mine/letter.txt/below", "x" * 300, "/proc/none"):
        ran = palpeur("batch", "nine", "--out", place)
        assert (ran.code, ran.out) == (2, "")
        assert "with --out" in ran.err


@pytest.mark.soak
def test_caps_end_the_job_and_not_the_batch(palpeur, tmp_path, monkeypatch, statuses, whys):
    """The real worker: one job that takes too much, one that is fine, one that takes too long.

    Only the last one has little time, so that a busy machine ends no other.
    """
    from tests.planner.batch.generated_jobs import generate

    monkeypatch.chdir(tmp_path)
    generate(tmp_path / "jobs", 3, kinds=("slow", "huge", "feasible"))
    capped = ("jobs/*.toml", "--time-cap", 1, "--memory-cap", 500)
    others = ("jobs/*-huge.toml", "jobs/*-feasible.toml", "--memory-cap", 500)
    assert palpeur("batch", *others, "--out", "out", "--workers", 2).code == 1
    assert palpeur("batch", *capped, "--out", "out", "--workers", 2, "--json").json["ran"] == 1
    assert statuses(tmp_path / "out") == {
        "jobs/00000-slow.toml": "time cap",
        "jobs/00001-huge.toml": "memory cap",
        "jobs/00002-feasible.toml": "feasible",
    }
    assert whys(*capped) == {}
    failed = {
        "jobs/00000-slow.toml": "failed before: took more than 1 s; allow more with --time-cap.",
        "jobs/00001-huge.toml": "failed before: took more than 500 MB of memory; allow more with "
        "--memory-cap.",
    }
    assert whys(*capped, "--retry-failed") == failed
    longer = whys("jobs/*.toml", "--time-cap", 2, "--memory-cap", 500)
    assert longer == {"jobs/00000-slow.toml": failed["jobs/00000-slow.toml"]}


@pytest.mark.usefixtures("here")
def test_a_comparison_has_a_cap_and_waits_for_no_pipe(palpeur, nine, tmp_path, monkeypatch):
    palpeur("batch", "nine", "--out", "before")
    monkeypatch.setenv("PALPEUR_CAP_SUMMARY_BYTES", "100")
    ran = palpeur("batch", "nine", "--out", "out", "--compare", "before")
    assert ran.code == 2
    assert "it has more than 100 bytes; raise it with PALPEUR_CAP_SUMMARY_BYTES=…" in ran.err
    (tmp_path / "before/summary.json").unlink()
    os.mkfifo(tmp_path / "before/summary.json")
    ran = palpeur("batch", "nine", "--out", "out", "--compare", "before")
    assert (ran.code, "holds no summary.json" in ran.err) == (2, True)
    assert nine.is_dir()


@pytest.mark.usefixtures("here")
def test_no_file_of_a_folder_is_left_out_without_a_word(palpeur, nine, tmp_path, statuses):
    """However a job is written it is judged; a damaged one is refused; others are told."""
    text = (nine / "job.toml").read_text()
    (nine / "job.toml").write_text(text.replace("[job]", "[ job ]"))
    (nine / "wide.toml").write_text(text, encoding="utf-16")
    (nine / "empty.toml").touch()
    (nine / "typo.toml").write_text(text.replace("[job]", "[jbo]"))
    (nine / "x\x1b[31m.toml").write_text("[tool.ruff]\n")
    line = (
        "2 .toml files are neither job nor sweep and were passed over: "
        'nine/typo.toml ("jbo": did you mean "job"?), nine/x⟨U+001B⟩[31m.toml.\n'
    )
    ran = palpeur("batch", "nine", "--out", "out", "--dry-run")
    assert ran.out.endswith(f"3 of 3 jobs would run.\n{line}")
    passed = palpeur("batch", "nine", "--out", "out", "--dry-run", "--json").json["passed_over"]
    assert passed[0] == {"name": "nine/typo.toml", "hint": '"jbo": did you mean "job"?'}
    ran = palpeur("batch", "nine", "--out", "out")
    assert ran.code == 1
    assert ran.out == (
        "status    jobs\n"
        "feasible     1\n"
        "refused      2\n"
        "not checked: part geometry (1 job), stylus shape (1 job), torque limits (1 job)\n"
        "\n"
        "reason             jobs  such as\n"
        "refused: job file     2  nine/empty.toml, nine/wide.toml\n"
        f"\n{line}3 of 3 jobs ran. out/dashboard.html\n"
    )
    assert statuses(tmp_path / "out") == {
        "nine/job.toml": "feasible",
        "nine/empty.toml": "refused",
        "nine/wide.toml": "refused",
    }
    assert palpeur("batch", "nine", "--out", "out", "--json").json["passed_over"] == passed
