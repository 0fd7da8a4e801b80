"""Whole jobs beside the script that an expert would write for them; CPU of whole processes.

The script (``expert_peer.py``) runs with the Python that ``PALPEUR_EXPERT`` names (``pip install
pin coal ruckig scipy``): Pinocchio, collisions every 5 ms with coal, Ruckig; it proves nothing.
Ours are ``palpeur check`` (certificate and proof) and ``plan`` alone, order as given. The part is a
hilly plate of 98,000 triangles. Without the script our side is run for its results.
"""

from __future__ import annotations

import os
import pickle
import resource
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import trimesh

from planner.job import read_job
from planner.library import path_of
from planner.planning import plan
from robots.core.benchmark.pinocchio_peer import PinocchioPeer
from tests.cases import sized

pytestmark = pytest.mark.benchmark

PYTHON = os.environ.get("PALPEUR_EXPERT", "")
RUNS = 3
COUNTS = (sized(100, once=12), sized(1_000, once=24))
CELLS = sized(221, once=40)  # of the plate's grid: 98,000 triangles
CHECK = "from planner.cli.main import run; run()"
PLAN = (
    "import sys; from planner.job import read_job; from planner.planning import plan; "
    "assert plan(read_job(sys.argv[1], fixed_part=True)).feasible"
)
WAVE = 2.0 * np.pi / np.array([0.09, 0.07])  # of the hills [1/m]
HIGH = 2e-3  # [m]


def height(x, y):
    """Of the plate, in its own frame. [m]."""
    return 0.40 - 0.10 * x - 0.25 * y + HIGH * np.sin(WAVE[0] * x) * np.cos(WAVE[1] * y)


def normals(x, y):
    along = -0.10 + HIGH * WAVE[0] * np.cos(WAVE[0] * x) * np.cos(WAVE[1] * y)
    across = -0.25 - HIGH * WAVE[1] * np.sin(WAVE[0] * x) * np.sin(WAVE[1] * y)
    n = np.stack([-along, -across, np.ones_like(x)], axis=-1)
    return n / np.linalg.norm(n, axis=-1, keepdims=True)


def plate() -> trimesh.Trimesh:
    """Hills above, a fan below, closed. [m]."""
    g = np.linspace(-0.02, 0.32, CELLS + 1)
    x, y = np.meshgrid(g, g + 0.05, indexing="ij")
    top = np.stack([x, y, height(x, y)], axis=-1).reshape(-1, 3)
    n, k = CELLS + 1, np.arange(CELLS)
    a = (k[:, None] * n + k).ravel()
    upper = [np.stack([a, a + n, a + n + 1], 1), np.stack([a, a + n + 1, a + 1], 1)]
    edge = np.arange(n)
    ring = np.concatenate(
        [edge * n, (n - 1) * n + edge[1:], edge[-2::-1] * n + n - 1, edge[-2:0:-1]]
    )
    rim = top[ring] - [0.0, 0.0, 0.02]
    low = len(top) + np.arange(len(ring))
    after, below = np.roll(ring, -1), np.roll(low, -1)
    sides = [np.stack([ring, low, below], 1), np.stack([ring, below, after], 1)]
    fan = np.stack([np.full(len(low), len(top) + len(ring)), below, low], 1)
    mesh = trimesh.Trimesh(
        np.concatenate([top, rim, rim.mean(axis=0)[None]]),
        np.concatenate([*upper, *sides, fan]),
        process=False,
    )
    assert mesh.is_watertight
    mesh.fix_normals()
    return mesh


def job_of(folder: Path, count: int, *, part: bool) -> Path:
    """So many points on the hills, row by row to and fro."""
    rows = int(np.sqrt(count))
    across = int(np.ceil(count / rows))
    row, place = np.divmod(np.arange(count), across)
    place = np.where(row % 2 == 0, place, across - 1 - place)
    x, y = 0.30 * row / (rows - 1), 0.05 + 0.30 * place / (across - 1)
    table = np.column_stack([1e3 * x, 1e3 * y, 1e3 * height(x, y), normals(x, y)])
    lines = ["name,x_mm,y_mm,z_mm,nx,ny,nz"]
    lines += [f"P{k}," + ",".join(f"{v:.17g}" for v in values) for k, values in enumerate(table)]
    folder.mkdir()
    (folder / "points.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    text = path_of("nine-points-corrected").read_text(encoding="utf-8")
    geometry = '[part]\ngeometry = "plate.stl"\nunit = "mm"\n' if part else "[part]\n"
    for old, new in {
        "[part]\n": geometry,
        "stylus_length_mm = 0.0": "stylus_length_mm = 150.0",
        "translation_mm = [0, 1500, 840], rotation_zyx_deg = [30, 0, 0]": (
            "translation_mm = [0, 1500, 500]"
        ),
        "[sampling]\nperiod_ms = 1.0\n": "",
    }.items():
        assert text.count(old) == 1
        text = text.replace(old, new)
    if part:
        mesh = plate()
        mesh.apply_scale(1e3)
        mesh.export(folder / "plate.stl")
    (folder / "job.toml").write_text(text, encoding="utf-8")
    return folder / "job.toml"


def cell_of(job_file: Path) -> dict:
    """The job as the script reads it: Pinocchio's model, capsules, points, limits."""
    job = read_job(job_file, fixed_part=True)
    arm, made = job.mechanism, plan(job)
    peer = PinocchioPeer(arm)
    assert peer.order.tolist() == list(range(arm.dof))
    limits = job.joint_limits()
    return {
        "model": peer.model.saveToString(),
        "tool": peer.model.getFrameId("tool"),
        "speed": limits.max_speed,
        "acceleration": limits.max_acceleration,
        "start": made.planned_points[0].q_clearance,
        "contacts": made.placed.contacts,
        "clearances": made.placed.clearances,
        "axes": made.placed.axes,
        "capsules": [
            (one.name, *peer.carried(one.joint, one.start, one.end), one.radius)
            for one in arm.capsules
        ],
        "stylus": [k for k, one in enumerate(arm.capsules) if one.name.startswith("stylus")],
        "self_pairs": arm.self_pairs,
        "part": str(job_file.with_name("plate.stl")) if job.cell.part else "",
        "pose": job.part.T_base_part,
        "duration": made.totals.duration,
    }


def cpu_seconds(*command: str) -> tuple[float, str]:
    """User and system time of one process, and what it prints. [s]."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    if command[0] == sys.executable:
        environment["PYTHONPATH"] = str(Path.cwd())
    else:
        environment.pop("PYTHONPATH", None)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    ran = subprocess.run(
        command, check=True, env=environment, stdout=subprocess.PIPE, text=True, encoding="utf-8"
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return spent, ran.stdout


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("part", [False, True], ids=["bare", "mesh"])
def test_beside_the_expert_script(tmp_path, speed, count, part):
    job = job_of(tmp_path / "job", count, part=part)
    kind = f"{'mesh' if part else 'bare'} {count:,}"
    commands = {
        "check": (sys.executable, "-c", CHECK, "check", str(job)),
        "plan": (sys.executable, "-c", PLAN, str(job)),
    }
    if not PYTHON:
        assert all(cpu_seconds(*command)[0] > 0.0 for command in commands.values())
        pytest.skip("PALPEUR_EXPERT names no Python with pin, coal and ruckig")
    cell = cell_of(job)
    (tmp_path / "cell").write_bytes(pickle.dumps(cell))
    script = Path(__file__).with_name("expert_peer.py")
    commands["script"] = (PYTHON, str(script), str(tmp_path / "cell"))
    for command in commands.values():
        cpu_seconds(*command)  # bytecode, caches
    spent = {name: [] for name in commands}
    for _ in range(speed.runs(RUNS)):
        for name, command in commands.items():
            seconds, printed = cpu_seconds(*command)
            spent[name].append(seconds)
            if name == "script":
                duration, hits, configurations = printed.split()
    assert int(hits) == 0
    assert int(configurations) > 10 * count
    assert float(duration) == pytest.approx(cell["duration"], rel=0.02)
    for name in ("check", "plan"):
        pairs = zip(spent["script"], spent[name], strict=True)
        speed.ratio(f"{kind}: expert script: {name}", [one / own for one, own in pairs])
    told = {name: f"{np.median(times):.2f}" for name, times in spent.items()}
    print(f"\n{kind}: CPU seconds {told}; motion {cell['duration']:.2f} s, script {duration} s")
