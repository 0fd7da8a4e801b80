"""Speed of the arm's kernels beside Pinocchio in one run, as `palpeur robot bench` measures it.

Ratios only; the machine is shared, so the median of a fixed number of runs counts. Arrays of 1e5
results leave the caches, so how long reading and filling them takes alone is told beside.
"""

from __future__ import annotations

import json
import subprocess
import sys
from statistics import median

import pytest

from tests.cases import sized

pytestmark = pytest.mark.benchmark

RUNS = 5
SAMPLES = sized(100_000, once=1_000)
COMPILED = ("forward", "jacobian", "torques", "mass_matrix", "forward_dynamics")
AGREEMENT = 1e-10


def bench() -> dict[str, dict]:
    palpeur = "from planner.cli.main import run; run()"
    command = [sys.executable, "-c", palpeur, "robot", "bench", "measuring-arm", "--json"]
    command += [*("--samples", "1000", "--runs", "3")] if SAMPLES < 100_000 else []
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300)
    return {kernel["name"]: kernel for kernel in json.loads(done.stdout)["kernels"]}


def test_kernels_beside_pinocchio(speed):
    pytest.importorskip("pinocchio", reason="Pinocchio is the peer of this benchmark")
    runs = [bench() for _ in range(speed.runs(RUNS))]
    for kernel in (kernel for found in runs for kernel in found.values()):
        assert kernel["max_relative_difference"] <= AGREEMENT
    for name in COMPILED:
        memory = median(found[name]["compiled_ns"] / found[name]["memory_ns"] for found in runs)
        print(f"{name}: {memory:.2f} times what reading and filling the arrays takes")
        speed.ratio(f"{name}, 1e5 states: Pinocchio", [f[name]["ratio_compiled"] for f in runs])
        speed.ratio(f"{name} on NumPy: Pinocchio", [f[name]["ratio_numpy"] for f in runs])
