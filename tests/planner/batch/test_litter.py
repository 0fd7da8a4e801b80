"""What killed processes leave is removed, what others write stays."""

from __future__ import annotations

import os

from planner.batch.litter import clear_litter

HOST = os.uname().nodename
GONE = 2**22 + 1


def test_only_half_written_files_of_the_dead_go(tmp_path):
    kept = [
        tmp_path / "results/ab/abcd.json",
        tmp_path / f"results/ab/.abcd.{HOST}.{os.getpid()}.partial",
        tmp_path / f"results/ab/.abcd.elsewhere.{GONE}.partial",
        tmp_path / f".summary.csv.{HOST}.1.partial",
        tmp_path / "reports/.abcd.5.partial/report.html",
    ]
    gone = [
        tmp_path / f"results/ab/.abcd.{HOST}.{GONE}.partial",
        tmp_path / f".batch.json.{HOST}.{GONE}.partial",
        tmp_path / "reports/.old.5.partial/report.html",
    ]
    for path in (*kept, *gone):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    os.utime(tmp_path / "reports/.old.5.partial", (1.0, 1.0))
    clear_litter(tmp_path)
    assert [path.exists() for path in kept] == [True] * len(kept)
    assert [path.exists() for path in gone] == [False] * len(gone)
    assert not (tmp_path / "reports/.old.5.partial").exists()


def test_a_folder_that_is_not_there_yet_is_clean(tmp_path):
    clear_litter(tmp_path / "new")
    assert not (tmp_path / "new").exists()
