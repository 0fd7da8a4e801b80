"""Starting the command costs little more than importing the library it is made with."""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys
import sysconfig
import time
from pathlib import Path

import pytest

from planner.job import write_template

RUNS = 9


def seconds(command: list[str | Path]) -> float:
    """Wall time of one process, start to end. # [s]"""
    start = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - start


@pytest.mark.benchmark
@pytest.mark.parametrize("option", ["--help", "--version"])
def test_start_beside_importing_typer(option, speed):
    palpeur = Path(sysconfig.get_path("scripts"), "palpeur")
    assert palpeur.is_file(), "the command is not installed here: run `make bench`"
    commands = {"palpeur": [palpeur, option], "typer": [sys.executable, "-c", "import typer"]}
    for command in commands.values():
        seconds(command)  # the first run compiles bytecode and fills the disk cache
    # interleaved: what slows the machine down for a while slows both
    samples = [{name: seconds(c) for name, c in commands.items()} for _ in range(speed.runs(RUNS))]
    medians = {name: statistics.median(s[name] for s in samples) for name in commands}
    speed.ratio(f"palpeur {option}: import typer", medians["typer"] / medians["palpeur"])


def cpu_seconds(command: list[str | Path]) -> float:
    """Time of the processor for one process, start to end. # [s]"""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


@pytest.mark.benchmark
def test_check_beside_importing_numpy(speed, tmp_path):
    job, _ = write_template(tmp_path)
    code = "from planner.cli.main import run; run()"
    commands = {
        "palpeur": [sys.executable, "-c", code, "check", job],
        "numpy": [sys.executable, "-c", "import numpy"],
    }
    for command in commands.values():
        cpu_seconds(command)  # compiles bytecode and kernels
    runs = range(speed.runs(RUNS))
    samples = [{name: cpu_seconds(c) for name, c in commands.items()} for _ in runs]
    medians = {name: statistics.median(s[name] for s in samples) for name in commands}
    speed.ratio("palpeur check of five points: import numpy", medians["numpy"] / medians["palpeur"])
