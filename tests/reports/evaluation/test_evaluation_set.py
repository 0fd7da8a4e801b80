"""The files of a set: whole or not at all, the same bytes again, nobody else's file replaced."""

from __future__ import annotations

import io
from dataclasses import replace

import openpyxl
import pytest

from planner.errors import OutputError
from planner.result_files import result_set
from reports.evaluation import evaluation_set
from reports.evaluation.evaluation_set import write_evaluation_set, write_uncertainty_set
from tests.cases import SOAK

FILES = {
    *("report.html", "report.pdf", "evaluation.json", "evaluation.xlsx", "deviations.csv"),
    *("results.qif", "deviations.png", "deviations.svg", "budget.svg", "draws.svg"),
}


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_all_files_are_there(written):
    assert set(written) >= FILES
    assert written["report.pdf"].startswith(b"%PDF")


def test_the_same_evaluation_gives_the_same_bytes_and_replaces_its_own(
    shown, written, tmp_path, monkeypatch
):
    """Figures, which take most of the time, are drawn again in the soak."""
    if not SOAK:
        drawn = {name: data for name, data in written.items() if name.endswith((".png", ".svg"))}
        monkeypatch.setattr(evaluation_set, "rendered_drawings", lambda _: drawn)
    folder = tmp_path / "evaluation"
    with result_set(folder, evaluation_set.EVALUATION) as larger:
        (larger / "feature-99.svg").write_bytes(b"of an evaluation with more features")
    write_evaluation_set(shown, folder)
    assert contents(folder) == written


def test_a_foreign_file_is_refused_and_kept(shown, tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(OutputError, match=r"notes\.txt, which is of no evaluation"):
        write_evaluation_set(shown, tmp_path)
    assert contents(tmp_path) == {"notes.txt": b"mine"}


@pytest.mark.soak
def test_a_failure_leaves_the_earlier_set(doubtful, tmp_path, monkeypatch):
    folder = tmp_path / "uncertainty"
    write_uncertainty_set(doubtful, folder)
    before = contents(folder)

    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(evaluation_set, "evaluation_page", fail)
    with pytest.raises(OutputError, match="No space left"):
        write_uncertainty_set(doubtful, folder)
    assert contents(folder) == before
    assert [path.name for path in tmp_path.iterdir()] == ["uncertainty"]


def test_a_set_of_the_other_kind_is_not_replaced(doubtful, tmp_path, written):
    (tmp_path / "results.qif").write_bytes(written["results.qif"])
    with pytest.raises(OutputError, match=r"results\.qif, which is of no uncertainty"):
        write_uncertainty_set(doubtful, tmp_path)


def test_a_job_without_a_reached_point_is_written(doubtful, tmp_path):
    nothing = replace(doubtful, points=(), draws=None, measuring=doubtful.measuring.take([]))
    folder = tmp_path / "uncertainty"
    write_uncertainty_set(nothing, folder)
    assert "No 3D view was made" in (folder / "report.html").read_text(encoding="utf-8")


def test_the_workbook_has_the_tables_with_numbers_as_numbers(written, shown):
    book = openpyxl.load_workbook(io.BytesIO(written["evaluation.xlsx"]))
    assert book.sheetnames[:4] == ["summary", "findings", "characteristics", "coordinates"]
    rows = list(book["characteristics"].values)
    assert rows[0][1:5] == ("verdict", "characteristic", "nominal [mm]", "measured [mm]")
    assert rows[1][4] == pytest.approx(1e3 * shown.evaluation.characteristics[0].measured)
