"""What a dry run tells: jobs and why, values of sweeps, faults; where it writes jobs."""

from __future__ import annotations

import pytest

SWEEP = """format = 1
[sweep]
base = "job.toml"
"""
VARY = """[[vary]]
key = "{}"
values = [{}]
"""


@pytest.fixture
def dry(palpeur, nine):
    """``dry(vary, …)``: a dry run of a sweep of the nine-point job."""

    def run(*vary, options=(), source="nine/s.toml"):
        (nine / "s.toml").write_text(SWEEP + "".join(VARY.format(*one) for one in vary))
        ran = palpeur("batch", source, "--out", "out", "--dry-run", *options)
        assert (ran.code, ran.err) == (0, "")
        return ran

    return run


LAW, PERIOD = ("travel.law", '"quintic", "cubic"'), ("sampling.period_ms", "5")


def test_values_stand_beside_their_jobs(dry, tmp_path):
    assert dry(LAW, PERIOD).out == (
        "job            why  varied\n"
        "nine/s.toml#1  new  travel.law = quintic, sampling.period_ms = 5\n"
        "nine/s.toml#2  new  travel.law = cubic, sampling.period_ms = 5\n"
        "2 of 2 jobs would run.\n"
    )
    assert not (tmp_path / "out").exists()


def test_without_sweeps_there_is_no_such_column(dry):
    assert dry(LAW, source="nine/job.toml").out == (
        "job            why\nnine/job.toml  new\n1 of 1 jobs would run.\n"
    )


def test_for_programs(dry):
    document = dry(LAW, ("part.pose.rotation_zyx_deg", "[30, 0, 0]"), options=["--json"]).json
    (first, second) = document["cases"]
    assert first["swept"] == {"travel.law": "quintic", "part.pose.rotation_zyx_deg": "[30, 0, 0]"}
    assert (second["name"], second["why"]) == ("nine/s.toml#2", "new")
    assert (document["faults"], "written" in document) == ([], False)


def test_a_fault_is_told_once_and_is_no_failure_yet(dry):
    lines = dry(("travel.lw", "1, 2")).out.splitlines()
    told = "nine/s.toml#1: travel.lw is not a known key; did you mean 'law'?"
    assert lines[-2:] == ["2 of 2 jobs would run.", f"Would be refused: {told}"]


def test_jobs_are_written_where_that_is_asked_for(dry, tmp_path):
    ran = dry(LAW, options=["--write-jobs", "files", "--json"])
    assert ran.json["written"] == 2
    found = sorted(path.name for path in (tmp_path / "files/nine").iterdir())
    assert found == ["points.csv", "s-1.toml", "s-2.toml"]


def test_long_values_are_cut_and_odd_ones_seen(dry):
    out = dry(("job.name", f'"{"x" * 100}", "a\\u001b[31m\\u202e", "two\\nlines\\tand tab"')).out
    values = [line.partition("job.name = ")[2] for line in out.splitlines()[1:4]]
    assert values == ["x" * 60 + "…", "a⟨U+001B⟩[31m⟨U+202E⟩", "two⏎lines and tab"]


def test_names_of_files_and_keys_write_nothing_on_the_terminal(dry, nine):
    (nine / "job.toml").rename(nine / "j\x1b[31m.toml")
    out = dry(("travel.l\\u001bw", "1"), source="nine/j*").out
    assert "nine/j⟨U+001B⟩[31m.toml  new" in out
    (nine / "j\x1b[31m.toml").rename(nine / "job.toml")
    out = dry(("travel.l\\u001bw", "1")).out
    assert "\x1b" not in out
    assert r'Would be refused: nine/s.toml#1: travel."l\u001bw" is not a known key' in out
