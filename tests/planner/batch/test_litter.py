"""What killed processes leave is removed, what others write stays."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from planner.batch.batch import clear_litter
from planner.processes import half_written, host, started

HOST = host()
GONE = f"{2**22 + 1}-7"


def test_only_half_written_files_of_the_dead_go(tmp_path):
    kept = [
        tmp_path / "results/ab/abcd.json",
        tmp_path / f"results/ab/.abcd.{HOST}.{os.getpid()}-{started(os.getpid())}.partial",
        tmp_path / f"results/ab/.abcd.elsewhere.{GONE}.partial",
        tmp_path / f".summary.csv.{HOST}.1-{started(1)}.partial",
        tmp_path / f"reports/.abcd.elsewhere.{GONE}.partial/report.html",
    ]
    gone = [
        tmp_path / f"results/ab/.abcd.{HOST}.{GONE}.partial",
        tmp_path / f".batch.json.{HOST}.{GONE}.partial",
        tmp_path / f".batch.json.{HOST}.{os.getpid()}-1.partial",  # the process id is used again
        tmp_path / f"claims/.abcd.{HOST}.{GONE}.partial",
        tmp_path / f"reports/.abcd.{HOST}.{GONE}.partial/report.html",
    ]
    for path in (*kept, *gone):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    clear_litter(tmp_path)
    assert [path.exists() for path in kept] == [True] * len(kept)
    assert [path.exists() for path in gone] == [False] * len(gone)
    assert not gone[-1].parent.exists()


def test_a_folder_that_is_not_there_yet_is_clean(tmp_path):
    clear_litter(tmp_path / "new")
    assert not (tmp_path / "new").exists()


WRITER = """
import sys
from pathlib import Path
from planner.processes import half_written
half_written(Path(sys.argv[1])).touch()
print("written", flush=True)
sys.stdin.read()
"""


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="only /proc tells such ends")
def test_a_writer_that_ended_and_was_not_asked_about_is_gone(tmp_path):
    command = [sys.executable, "-c", WRITER, str(tmp_path / "batch.json")]
    with subprocess.Popen(command, stdin=-1, stdout=-1) as writer:
        assert writer.stdout.readline() == b"written\n"
        clear_litter(tmp_path)
        assert len(list(tmp_path.iterdir())) == 1
        writer.kill()
        os.waitid(os.P_PID, writer.pid, os.WEXITED | os.WNOWAIT)  # it stays a zombie
        clear_litter(tmp_path)
        assert list(tmp_path.iterdir()) == []


def test_half_written_files_are_hidden_and_of_this_process(tmp_path):
    fresh = half_written(tmp_path / "index.parquet")
    assert fresh.parent == tmp_path
    assert fresh.name == f".index.parquet.{HOST}.{os.getpid()}-{started(os.getpid())}.partial"
