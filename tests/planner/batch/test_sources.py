"""Sources: files, folders, patterns, sweeps; each job once."""

from __future__ import annotations

import os

import pytest

from planner.batch.sources import Kind, gathered, toml_kind
from planner.errors import OptionError

JOB = '[job]\nname = "a"\n'


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """Jobs in folders, among files that are none; the current folder is theirs."""
    monkeypatch.chdir(tmp_path)
    for name, text in {
        "jobs/b.toml": JOB,
        "jobs/deep/er/a.toml": JOB,
        "jobs/robot.toml": "[robot]\n",
        "jobs/.hidden/c.toml": JOB,
        "jobs/.d.toml": JOB,
        "jobs/job.txt": JOB,
        "jobs/a-plan/provenance.json": "{}",
        "jobs/a-plan/inputs/job.toml": JOB,
        "jobs/inputs/mine.toml": JOB,
        "jobs/out/results/x.toml": JOB,
    }.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


def cases_of(sources, **options):
    return gathered(sources, **options).cases


def names(sources, **options):
    return [case.name for case in cases_of(sources, **options)]


def test_a_folder_gives_its_jobs_in_order(tree):
    found = names(["jobs"], leave_out=tree / "jobs/out")
    assert found == ["jobs/b.toml", "jobs/deep/er/a.toml", "jobs/inputs/mine.toml"]


@pytest.mark.usefixtures("tree")
def test_results_and_report_sets_are_no_jobs_of_the_next_run():
    assert "jobs/out/results/x.toml" in names(["jobs"])
    assert "jobs/a-plan/inputs/job.toml" not in names(["jobs"])
    assert names(["jobs/a-plan/inputs/job.toml"]) == ["jobs/a-plan/inputs/job.toml"]


@pytest.mark.usefixtures("tree")
def test_a_hidden_folder_that_is_named_counts():
    assert names(["jobs/.hidden"]) == ["jobs/.hidden/c.toml"]


@pytest.mark.usefixtures("tree")
def test_a_named_file_is_a_case_whatever_it_holds():
    assert names(["jobs/job.txt", "jobs/robot.toml"]) == ["jobs/job.txt", "jobs/robot.toml"]


def test_a_job_counts_once_however_it_is_named(tree):
    twice = ["jobs", str(tree / "jobs/b.toml"), "jobs/../jobs/b.toml", "jobs/*.toml"]
    assert names(twice).count("jobs/b.toml") == 1


def test_patterns(tree):
    assert names(["jobs/*.toml"]) == ["jobs/b.toml", "jobs/robot.toml"]
    assert names(["jobs/**/a.toml"]) == ["jobs/deep/er/a.toml"]
    (tree / "jobs/[x].toml").write_text(JOB)
    assert names(["jobs/[x].toml"]) == ["jobs/[x].toml"]  # a file of that name comes first


def test_elsewhere_names_are_whole(tree, monkeypatch):
    monkeypatch.chdir(tree / "jobs/deep")
    assert names(["../b.toml"]) == [str(tree / "jobs/b.toml")]


def test_a_pipe_in_a_folder_is_passed_over(tree):
    os.mkfifo(tree / "jobs/pipe.toml")
    assert "jobs/pipe.toml" not in names(["jobs"])


def test_a_name_that_is_not_text_can_be_printed(tree):
    raw = os.fsencode(tree / "jobs") + b"/\xff.toml"
    with open(raw, "w") as file:  # noqa: PTH123 a name that is not text
        file.write(JOB)
    case = next(case for case in cases_of(["jobs"]) if "xff" in case.name)
    assert case.name == r"jobs/\xff.toml"
    assert case.job.read_text() == JOB


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("none.toml", "no such file or folder"),
        ("none/*.toml", "no file fits this pattern"),
        ("empty", r"no file in this folder is a job.*palpeur init"),
        ("x" * 5000, "give another source"),
        ("a\0b", "give another source|no such file"),
        ("/dev/null", "no such file or folder"),
    ],
)
def test_a_source_that_leads_to_nothing_is_told(tree, source, told):
    (tree / "empty").mkdir()
    with pytest.raises(OptionError, match=told):
        cases_of([source])


@pytest.mark.usefixtures("tree")
def test_too_many_jobs_are_refused(monkeypatch):
    monkeypatch.setenv("PALPEUR_CAP_BATCH_JOBS", "4")
    assert len(cases_of(["jobs"])) == 4
    monkeypatch.setenv("PALPEUR_CAP_BATCH_JOBS", "3")
    with pytest.raises(OptionError, match=r"at most 3 jobs; .* PALPEUR_CAP_BATCH_JOBS=…\.$"):
        cases_of(["jobs"])


def test_sweeps_that_make_too_much_text_are_refused(tree, monkeypatch):
    """Three sweeps of two short jobs each: what one makes is within the cap, all together not."""
    for name in "abc":
        (tree / f"{name}.toml").write_text(
            "format = 1\n[sweep]\nbase = 'jobs/b.toml'\n[[vary]]\nkey = 'job.name'\n"
            "values = ['one', 'two']\n"
        )
    texts = [case.text for case in cases_of(["*.toml"])]
    assert len(texts) == 6
    total = sum(map(len, texts))
    monkeypatch.setenv("PALPEUR_CAP_SWEEP_CHARACTERS", str(total))
    assert len(cases_of(["*.toml"])) == 6
    monkeypatch.setenv("PALPEUR_CAP_SWEEP_CHARACTERS", str(total - 1))
    told = rf"more than {total - 1} characters together; .* PALPEUR_CAP_SWEEP_CHARACTERS=…\.$"
    with pytest.raises(OptionError, match=told):
        cases_of(["*.toml"])


def test_no_job_is_lost_behind_another_of_the_same_name(tree):
    """A name that is no text is shown with numbers; another name may consist of just these."""
    raw = os.fsencode(tree / "jobs") + b"/\xff.toml"
    with open(raw, "w") as file:  # noqa: PTH123 a name that is not text
        file.write(JOB)
    (tree / r"jobs/\xff.toml").write_text(JOB)
    with pytest.raises(OptionError, match=r"Two jobs are called jobs/\\xff\.toml; rename one"):
        cases_of(["jobs"])


def test_a_sweep_as_long_as_a_job_may_be_is_seen(tree, monkeypatch):
    """The word that makes it a sweep may stand behind a megabyte of remarks."""
    remarks = "# a remark\n" * 100_000
    (tree / "s.toml").write_text(
        f"format = 1\n{remarks}[sweep]\nbase = 'jobs/b.toml'\n[[vary]]\nkey = 'job.name'\n"
        "values = ['one', 'two']\n"
    )
    assert names(["s.toml"]) == ["s.toml"]  # too long: a case that says so
    monkeypatch.setenv("PALPEUR_CAP_JOB_BYTES", "2000000")
    assert names(["s.toml"]) == ["s.toml#1", "s.toml#2"]


SWEEP = "format = 1\n{}\nvary = [{{ key = 'job.name', values = ['one', 'two'] }}]\n"


@pytest.mark.parametrize(
    "text",
    [
        "[ job ]\nname = 'a'\n",
        "\t[\tjob\t] # mine\n",
        "job.name = 'a'\n",
        "job = { name = 'a' }\n",
        '["job"]\nname = "a"\n',
        '["j\\u006fb"]\nname = "a"\n',
        "[job.more]\n",
        "[[job]]\n",
        "\ufeff[job]\n",
        "job.name = '''\n[jbo]'''\n",
    ],
)
def test_a_job_is_seen_however_its_table_is_written(tmp_path, monkeypatch, text):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.toml").write_text(text, encoding="utf-8")
    assert names(["."]) == ["a.toml"]
    assert gathered(["."]).passed_over == ()


@pytest.mark.parametrize(
    "head", ["[sweep]\nbase = 'b.toml'\n[more]", "sweep.base = 'b.toml'", '"\\u0073weep".base = 1']
)
def test_a_sweep_is_seen_however_its_table_is_written(tmp_path, head):
    path = tmp_path / "s.toml"
    path.write_text("\ufeff" + head + "\n# [job]\n[job]\n", encoding="utf-8")
    assert toml_kind(path).kind is Kind.SWEEP


def test_a_sweep_of_dotted_keys_gives_its_jobs(tree):
    (tree / "jobs/s.toml").write_text(SWEEP.format("sweep.base = 'b.toml'"))
    assert names(["jobs/s.toml"]) == ["jobs/s.toml#1", "jobs/s.toml#2"]


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"\n# nothing yet\n",
        b"[job\n",
        b"[robot]\nname = \n",
        "[job]\nname = 'a'\n".encode("utf-16"),
        b"[robot]\nname = 'caf\xe9'\n",
        b"# a remark\n" * 100_000,
        b"a = " + b"[" * 100_000,
    ],
)
def test_a_damaged_file_of_a_folder_is_a_case_that_is_refused(tree, raw):
    (tree / "jobs/x.toml").write_bytes(raw)
    assert "jobs/x.toml" in names(["jobs"])


def test_a_file_that_may_not_be_read_is_a_case(tree, monkeypatch):
    def refused(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("planner.batch.sources.read_capped", refused)
    assert "jobs/robot.toml" in names(["jobs"])
    assert tree.is_dir()


def test_what_is_neither_is_passed_over_and_told_what_may_be_meant_first(tree):
    for name, text in {
        "z": "[jbo]\nname = 'a'\n",
        "y": "[Sweeps]\n",
        "robots": "[robot]\nspeed = 1\n",
        "remarks": "text = '''\n[job]\n'''\n",
    }.items():
        (tree / f"jobs/{name}.toml").write_text(text)
    found = gathered(["jobs", "jobs/deep/..", "jobs/robots.toml"])
    assert [(file.name, file.hint) for file in found.passed_over] == [
        ("jobs/y.toml", '"Sweeps": did you mean "sweep"?'),
        ("jobs/z.toml", '"jbo": did you mean "job"?'),
        ("jobs/remarks.toml", ""),
        ("jobs/robot.toml", ""),
    ]
    assert "jobs/robots.toml" in [case.name for case in found.cases]  # it was named


def test_a_folder_without_jobs_says_what_it_has(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "jobs").mkdir()
    (tmp_path / "jobs/a.toml").write_text("[jbo]\n")
    with pytest.raises(OptionError) as caught:
        gathered(["jobs"])
    assert str(caught.value) == (
        "jobs: no file in this folder is a job; a job is a .toml file with a [job] table. "
        "1 .toml file is neither job nor sweep and was passed over: jobs/a.toml "
        '("jbo": did you mean "job"?). `palpeur init` writes one to start from.'
    )
