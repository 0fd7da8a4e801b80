"""Very many random jobs, each in a child with caps on time and memory; what fails is kept.

From the command line, where a test is in the way::

    python -m tests.planner.soak.soak FIRST COUNT FOLDER [PROCESSES]
"""

from __future__ import annotations

import json
import os
import selectors
import subprocess
import sys
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from tests.planner.soak.judging import DEFECTS, HANG, TRACEBACK, Verdict

SECONDS = 75.0  # of one job, with what is compiled for its robot
MEMORY_MB = 4096
_ROOT = Path(__file__).resolve().parents[3]
_ONE_THREAD = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL", "NUMBA")}
_EVERY = 10.0  # [s] between two lines of progress


@dataclass
class Report:
    """What became of the jobs.

    Args:
        kinds: how many of each kind.
        classes: seeds of defects, by kind and cause.
        slowest: seconds and seed.
        largest: bytes and seed.
        seconds: of work of all children.
        moving: jobs that have motion.
    """

    kinds: Counter = field(default_factory=Counter)
    classes: dict = field(default_factory=lambda: defaultdict(list))
    slowest: tuple[float, int] = (0.0, -1)
    largest: tuple[int, int] = (0, -1)
    seconds: float = 0.0
    moving: int = 0

    @property
    def jobs(self) -> int:
        return sum(self.kinds.values())

    @property
    def defects(self) -> int:
        return sum(self.kinds[kind] for kind in DEFECTS)

    def take(self, verdict: Verdict) -> None:
        self.kinds[verdict.kind] += 1
        self.seconds += verdict.seconds
        self.moving += verdict.moves
        if verdict.warned:
            self.classes["warning", verdict.warned].append(verdict)
        self.slowest = max(self.slowest, (verdict.seconds, verdict.seed))
        self.largest = max(self.largest, (verdict.peak, verdict.seed))
        if verdict.defect:
            self.classes[verdict.kind, verdict.where].append(verdict)

    def line(self) -> str:
        told = ", ".join(f"{kind} {count}" for kind, count in sorted(self.kinds.items()))
        return (
            f"{self.jobs} jobs, {self.moving} with motion ({told}); slowest "
            f"{self.slowest[0]:.1f} s (seed {self.slowest[1]}), most memory "
            f"{self.largest[0] / 2**20:.0f} MB (seed {self.largest[1]}), "
            f"{self.jobs / max(self.seconds, 1e-9):.2f} jobs per CPU second"
        )

    def text(self) -> str:
        lines = [self.line(), ""]
        for (kind, where), found in sorted(self.classes.items(), key=lambda item: -len(item[1])):
            seeds = " ".join(str(one.seed) for one in found[:12])
            lines.append(f"- {len(found)} x {kind}: {where} (seeds {seeds})")
            lines.append("    " + (found[0].detail.strip().splitlines() or [""])[-1])
        return "\n".join(lines) + "\n"


class _Child:
    """One worker process."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.seed, self.began = folder, -1, 0.0
        self.process: subprocess.Popen | None = None

    def give(self, seed: int) -> None:
        if self.process is None or self.process.poll() is not None:
            command = [sys.executable, "-m", "tests.planner.soak.worker"]
            self.process = subprocess.Popen(
                [*command, str(self.folder), str(MEMORY_MB)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                cwd=_ROOT,
                env=os.environ | _ONE_THREAD,
            )
        self.seed, self.began = seed, time.monotonic()
        self.process.stdin.write(f"{seed}\n".encode())
        self.process.stdin.flush()

    def end(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process.stdin.close()
            self.process.stdout.close()
            self.process = None


def soak(seeds: range, folder: Path, *, processes: int = 2, say=print) -> Report:
    """Judge the jobs of some seeds; the files of those with a defect stay in the folder.

    ``done.jsonl`` in the folder remembers: what stands there is not done again.
    """
    folder.mkdir(parents=True, exist_ok=True)
    log, report = folder / "done.jsonl", Report()
    known = set()
    if log.exists():
        for line in log.read_text(encoding="utf-8").splitlines():
            verdict = Verdict(**json.loads(line))
            known.add(verdict.seed)
            if verdict.seed in seeds:
                report.take(verdict)
    left = iter([seed for seed in seeds if seed not in known])
    children = [_Child(folder / "jobs") for _ in range(processes)]
    told = time.monotonic()
    with log.open("a", encoding="utf-8") as out:
        try:
            busy = [child for child in children if _next(child, left)]
            while busy:
                for child, verdict in _answers(busy):
                    out.write(json.dumps(verdict.document()) + "\n")
                    out.flush()
                    report.take(verdict)
                    if not _next(child, left):
                        busy.remove(child)
                if time.monotonic() - told > _EVERY:
                    told = time.monotonic()
                    say(report.line())
        finally:
            for child in children:
                child.end()
    return report


def _next(child: _Child, left) -> bool:
    seed = next(left, None)
    if seed is not None:
        child.give(seed)
    return seed is not None


def _answers(busy: list[_Child]) -> list[tuple[_Child, Verdict]]:
    """What children that have finished, or must be ended, have to say."""
    found = []
    with selectors.DefaultSelector() as selector:
        for child in busy:
            selector.register(child.process.stdout, selectors.EVENT_READ, child)
        ready = {key.data for key, _ in selector.select(timeout=1.0)}
    for child in busy:
        seconds = time.monotonic() - child.began
        if child in ready:
            line = child.process.stdout.readline()
            if line:
                found.append((child, Verdict(**json.loads(line))))
            else:
                code = child.process.wait()
                child.end()
                dead = Verdict(seed=child.seed, kind=TRACEBACK, where=f"died with code {code}")
                dead.seconds = seconds
                found.append((child, dead))
        elif seconds > 4.0 * SECONDS:
            child.end()
            found.append((child, Verdict(seed=child.seed, kind=HANG, where="", seconds=seconds)))
    return found


def main() -> None:
    """Soak from the command line."""
    first, count, folder = int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3])
    processes = int(sys.argv[4]) if len(sys.argv) > 4 else 2

    def say(line: str) -> None:
        print(line, flush=True)

    report = soak(range(first, first + count), folder, processes=processes, say=say)
    text = report.text()
    (folder / "report.txt").write_text(text, encoding="utf-8")
    say(text)


if __name__ == "__main__":
    main()
