"""[report] of a job: part, drawing, revision, serial, operator, on the first page of reports."""

from __future__ import annotations

import html
import zipfile

import pytest

from planner.errors import JobError
from planner.job import read_job, write_template
from reports.content.report import heading_line

GIVEN = {"part": "bracket <b>", "drawing": "D-100", "serial": "", "operator": "É. Müller"}
LINE = "part bracket <b> · drawing D-100 · operator É. Müller"


def test_it_stands_on_the_first_page_and_in_the_workbook(palpeur, tmp_path):
    job = read_job(write_template(tmp_path / "house")[0]).replace(report=GIVEN)
    path = job.write(tmp_path / "job.toml")
    assert read_job(path).report == job.report
    assert palpeur("plan", path, "--no-figures").code == 0
    made = tmp_path / "job-plan"
    assert f">{html.escape(LINE)}<" in (made / "report.html").read_text(encoding="utf-8")
    assert (made / "report.pdf").read_bytes().startswith(b"%PDF")
    with zipfile.ZipFile(made / "tables.xlsx") as files:
        assert html.escape(LINE) in files.read("xl/sharedStrings.xml").decode()


def test_a_job_without_it_shows_nothing(tmp_path):
    job = read_job(write_template(tmp_path)[0])
    assert heading_line(job.report) == ""


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("revision = 3", "report.revision is 3; expected a text of at most 200 printable"),
        (f'revision = "{"x" * 201}"', "expected a text of at most 200 printable characters"),
        ('revison = "3"', "report.revison is not a known key; did you mean 'revision'?"),
    ],
)
def test_what_is_no_text_is_refused(tmp_path, line, told):
    path = write_template(tmp_path)[0]
    path.write_text(f"{path.read_text()}[report]\n{line}\n")
    with pytest.raises(JobError, match="line") as refused:
        read_job(path)
    assert told in str(refused.value)
