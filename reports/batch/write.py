"""Everything a reader sees of a batch, in the batch's folder."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from planner.result_files import RESULTS_KEPT, whole_file
from reports.batch.dashboard import dashboard
from reports.batch.junit import write_junit
from reports.batch.row import JobRow
from reports.batch.tables import write_csv, write_json, write_parquet

_WRITERS: Mapping[str, Callable[[Sequence[JobRow], Path], None]] = {
    "summary.csv": write_csv,
    "summary.parquet": write_parquet,
    "summary.json": write_json,
    "junit.xml": write_junit,
}
_PAGE = "dashboard.html"


def write_summary(
    rows: Sequence[JobRow], folder: Path, *, title: str, previous: Sequence[JobRow] | None = None
) -> None:
    """Write tables, JUnit and the page of a batch, each whole or not at all.

    Args:
        rows: of all jobs that have a result. Equal results give equal bytes, except in the page,
            which shows what was measured too.
        folder: of the batch.
        title: of the page.
        previous: rows of another batch that the page compares with; None for none.

    Raises:
        OutputError: the folder cannot be written.
    """
    for name, write in _WRITERS.items():
        with whole_file(folder / name, RESULTS_KEPT) as path:
            write(rows, path)
    with whole_file(folder / _PAGE, RESULTS_KEPT) as path:
        path.write_bytes(dashboard(rows, title=title, previous=previous).encode("utf-8"))
