"""Random valid jobs: planned or refused with a reason, never failed by their own validation.

The gate runs three small ones; ``make soak`` runs very many in children with caps. There

- ``PALPEUR_SOAK_JOBS`` is how many (default 2,500: 16 minutes of a core; 20,000 before a release),
- ``PALPEUR_SOAK_SEED`` the first seed (default 100,000),
- ``PALPEUR_SOAK_FOLDER`` keeps what failed; what was done there already is not done again.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from pathlib import Path

import pytest

from tests.cases import cases, some
from tests.planner.soak.judging import FEASIBLE, INFEASIBLE, judged
from tests.planner.soak.random_jobs import JOB, random_job
from tests.planner.soak.soak import SECONDS, soak

BLOCKS = cases(gate=1, soak=8)
EACH = cases(gate=3, soak=25)
FIRST = 0


@pytest.mark.parametrize("block", range(BLOCKS))
def test_no_random_job_fails_its_own_validation(block, tmp_path):
    each = EACH
    kinds: Counter = Counter()
    for seed in range(FIRST + block * each, FIRST + (block + 1) * each):
        verdict = judged(random_job(seed, few=True).write(tmp_path / str(seed)), seed)
        assert not verdict.defect, verdict.document()
        assert verdict.warned == "", verdict.document()
        kinds[verdict.kind] += 1
    # Otherwise the generator has lost what it is for.
    assert kinds[FEASIBLE] >= max(1, each // 5)
    assert kinds[FEASIBLE] + kinds[INFEASIBLE] >= each // 2


@pytest.mark.parametrize("seed", some([102455, 100321, 100062, 100226, 920838], gate=1))
def test_right_plans_that_a_check_refused_once(seed, tmp_path):
    """A sliver of a piece between two equal switches; a retract that takes no time.

    A margin near a singularity at a line's end; the ball's speed in a travel of one piece. Rounding
    in the speed of a joint that hardly moves along an ill-conditioned line.
    """
    verdict = judged(random_job(seed).write(tmp_path), seed)
    assert not verdict.defect, verdict.document()
    assert verdict.kind in (FEASIBLE, INFEASIBLE)


@pytest.mark.parametrize("seed", range(cases(gate=1, soak=100)))
def test_travels_by_the_time_optimal_law(seed, tmp_path):
    job = random_job(seed, few=True).write(tmp_path)
    text, count = re.subn(r'(\[travel\]\nlaw = )"[a-z-]+"', r'\1"time-optimal"', job.read_text())
    assert count == 1
    job.write_text(text)
    verdict = judged(job, seed)
    assert not verdict.defect, verdict.document()
    assert verdict.warned == "", verdict.document()


def test_a_seed_is_a_job():
    assert random_job(5).files == random_job(5).files
    assert random_job(5).files[JOB] != random_job(6).files[JOB]


@pytest.mark.soak
def test_very_many_random_jobs(tmp_path, capsys):
    count = int(os.environ.get("PALPEUR_SOAK_JOBS", "2500"))
    first = int(os.environ.get("PALPEUR_SOAK_SEED", "100000"))
    folder = Path(os.environ.get("PALPEUR_SOAK_FOLDER") or tmp_path / "soak")

    def say(line):
        with capsys.disabled():
            print(line, flush=True)

    # Beside another worker of the tests one child leaves it its core.
    processes = 1 if "PYTEST_XDIST_WORKER" in os.environ else 2
    report = soak(range(first, first + count), folder, processes=processes, say=say)
    (folder / "report.txt").write_text(report.text(), encoding="utf-8")
    say(report.text())
    assert report.jobs == count
    assert report.moving >= count // 2
    assert not report.classes, report.text()
    assert report.slowest[0] < SECONDS
