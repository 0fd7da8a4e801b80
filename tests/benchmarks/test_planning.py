"""A thousand points planned, validated and written beside importing the libraries; and linearly.

Written are the plan, the trajectory and the points; what a report set holds besides (hashes of all
files, pages, programmes) has its own figures.

Ratios of whole processes in one run, on one processor; the machine is shared, so the quickest of
several interleaved runs counts.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from planner.job import read_job
from planner.library import path_of
from planner.planning import plan
from robots.core.robot_file import write_toml
from robots.library import load
from tests.cases import sized

pytestmark = pytest.mark.benchmark

RUNS = 5
COUNT, LARGE = sized(1_000, once=200), sized(10_000, once=400)
IMPORTS = "import numpy, scipy, pandas, matplotlib"
WHOLE = """
import sys
from pathlib import Path
from planner.job import read_job
from planner.planning import plan
from reports.plan_document import document_text, plan_document
from reports.tables import write_points, write_trajectory
from planner.proof import prove

made = plan(read_job(sys.argv[1]))
proof, out = prove(made), Path(sys.argv[2])
document = document_text(plan_document(proof))
out.mkdir(exist_ok=True)
(out / "plan.json").write_text(document, encoding="utf-8")
write_trajectory(made, proof.motion, out)
write_points(made, out)
"""
SIDE = 0.3  # of the square that is probed, on the nine-point job's inclined plane [m]


def serpentine(count: int) -> list[str]:
    """Points on the plane 0.10 x + 0.25 y + z = 0.40 m, row by row to and fro, as CSV lines."""
    rows = int(np.sqrt(count))
    across = int(np.ceil(count / rows))
    normal = np.array([0.10, 0.25, 1.0]) / np.linalg.norm([0.10, 0.25, 1.0])
    direction = ",".join(f"{n:.17g}" for n in normal)
    lines = ["name,x_mm,y_mm,z_mm,nx,ny,nz"]
    for k in range(count):
        row, place = divmod(k, across)
        place = place if row % 2 == 0 else across - 1 - place
        x, y = 1e3 * SIDE * row / (rows - 1), 50.0 + 1e3 * SIDE * place / (across - 1)
        z = 400.0 - 0.10 * x - 0.25 * y
        lines.append(f"P{k},{x:.6f},{y:.6f},{z:.6f},{direction}")
    return lines


def job_of(folder: Path, count: int, period_ms: float) -> Path:
    """A job file with that many points in a folder of its own, and a robot without capsules.

    What it takes to prove clearance has its own benchmark.
    """
    folder = folder / f"points-{count}-{period_ms:g}"
    folder.mkdir()
    (folder / "points.csv").write_text("\n".join(serpentine(count)), encoding="utf-8")
    text = path_of("nine-points-corrected").read_text(encoding="utf-8")
    assert "period_ms = 1.0" in text
    text = text.replace("period_ms = 1.0", f"period_ms = {period_ms:g}")
    assert 'model = "measuring-arm"' in text
    text = text.replace('model = "measuring-arm"', 'model = "arm.toml"')
    arm = replace(load("measuring-arm"), capsules=(), self_pairs=())
    (folder / "arm.toml").write_text(write_toml(arm), encoding="utf-8")
    (folder / "job.toml").write_text(text, encoding="utf-8")
    return folder / "job.toml"


def seconds(*command: str) -> float:
    """Wall time of one Python process on one processor. [s]."""
    processor = {min(os.sched_getaffinity(0))}
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(Path.cwd())}
    start = time.perf_counter()
    subprocess.run(
        [sys.executable, *command],
        check=True,
        capture_output=True,
        env=environment,
        preexec_fn=partial(os.sched_setaffinity, 0, processor),
    )
    return time.perf_counter() - start


def test_a_thousand_points_beside_imports(tmp_path, speed):
    job = job_of(tmp_path, COUNT, 1.0)
    out = tmp_path / "out"
    commands = {"whole": ("-c", WHOLE, str(job), str(out)), "imports": ("-c", IMPORTS)}
    for command in commands.values():
        seconds(*command)  # the first run compiles bytecode and kernels and fills the disk cache
    assert (out / "trajectory.parquet").stat().st_size > 10_000 * COUNT
    samples = [{name: seconds(*c) for name, c in commands.items()} for _ in range(speed.runs(RUNS))]
    best = {name: min(s[name] for s in samples) for name in commands}
    ratio = best["whole"] / best["imports"]
    times = f"{best['whole']:.2f} s against {best['imports']:.2f} s"
    print(f"1,000 points: {times}, ratio {ratio:.2f}")
    speed.ratio("1,000 points planned: imports", 1.0 / ratio)


def test_time_grows_to_ten_thousand_points(tmp_path, speed):
    """Sampled at 10 ms, so that the larger job does not fill the disk."""
    times = {}
    for count in (COUNT, LARGE):
        job = job_of(tmp_path, count, 10.0)
        command = ("-c", WHOLE, str(job), str(tmp_path / f"out-{count}"))
        times[count] = min(seconds(*command) for _ in range(speed.runs(2)))
    growth = times[LARGE] / times[COUNT]
    print(f"{times[COUNT]:.2f} s and {times[LARGE]:.2f} s, growth {growth:.2f}")
    speed.ratio("1,000 points over 10,000, per point", LARGE / COUNT / growth)


def test_the_whole_cycle_beside_coming_to_rest(tmp_path, speed):
    """Planning with search, stop, back-off and miss, beside the cycle without them; interleaved."""
    to_rest = read_job(job_of(tmp_path, COUNT, 10.0))
    searching = to_rest.replace(touch={"mode": "search"})
    assert all(abs(p.touch_speed - 5e-3) < 1e-15 for p in plan(searching).planned_points)
    assert plan(to_rest).miss is None
    ratios = []
    for _ in range(speed.runs(RUNS)):
        spent = []
        for job in (to_rest, searching):
            start = time.process_time()
            plan(job)
            spent.append(time.process_time() - start)
        ratios.append(spent[0] / spent[1])
    print(f"the whole cycle takes {1.0 / max(ratios):.2f} to {1.0 / min(ratios):.2f} of to-rest")
    speed.ratio("planning to rest: planning the whole cycle", ratios)
