"""Starting the command costs little more than importing the library it is made with."""

from __future__ import annotations

import statistics
import subprocess
import sys
import sysconfig
import time
from pathlib import Path

import pytest

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
