"""`palpeur init --from-pmi`: what is typed, and what is refused in one message."""

from __future__ import annotations

import pytest

from planner.cli.main import main
from planner.job import write_template

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
        (["--part", "block", "--robot", "ur5e", "--from-pmi", "--pose", "1,2"], "'1,2' is no pose"),
        (["--part", "block", "--robot", "ur5e", "--from-pmi", "--pose", "1,2,inf"], "is no pose"),
        (["--part", "block", "--robot", "ur5x", "--from-pmi"], "ur5e"),
        (["--part", "block", "--robot", "ur5e", "--from-pmi"], "no drawing"),
        (["--part", "block", "--robot", "ur5e", "--from-pmi", "--share", "2"], "at most 1"),
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
