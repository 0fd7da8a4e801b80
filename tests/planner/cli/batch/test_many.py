"""Five thousand jobs of every kind on two processors: each has exactly one result."""

from __future__ import annotations

import json
import time
from collections import Counter

import pytest

from planner.batch.ledger import Ledger
from tests.planner.batch.generated_jobs import generate

pytestmark = pytest.mark.soak

MANY = 5000
STATUS = {
    "feasible": "feasible",
    "infeasible": "infeasible",
    "corrupt": "refused",
    "huge": "memory cap",
    "slow": "time cap",
}


def test_every_job_has_exactly_one_result(start, tmp_path, monkeypatch, statuses):
    monkeypatch.chdir(tmp_path)
    kinds = generate(tmp_path / "jobs", MANY, seed=7)
    began = time.monotonic()
    capped = ("--time-cap", 20, "--memory-cap", 500, "--workers", 2)
    code, err = start("jobs/*.toml", *capped, out=tmp_path / "out").end(7200.0)
    print(f"\n{MANY} jobs on two workers: {time.monotonic() - began:.0f} s")
    assert code == 1
    assert "Error" not in err
    found = statuses(tmp_path / "out")
    assert found == {f"jobs/{name}": STATUS[kind] for name, kind in kinds.items()}
    print(Counter(found.values()))
    digests = list(Ledger(folder=tmp_path / "out").digests())
    rows = json.loads((tmp_path / "out/summary.json").read_text())["rows"]
    assert sorted({row["digest"] for row in rows}) == digests
    lines = [
        json.loads(line)["digest"]
        for path in (tmp_path / "out/measured").glob("*.jsonl")
        for line in path.read_text().splitlines()
    ]
    assert sorted(lines) == digests  # nothing ran twice
    assert list((tmp_path / "out/claims").iterdir()) == []
    assert (tmp_path / "out/dashboard.html").stat().st_size <= 10_000_000
