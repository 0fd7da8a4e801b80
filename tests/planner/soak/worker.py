"""A child that judges jobs of seeds read from stdin, one JSON line each: memory capped, peak told.

``python -m tests.planner.soak.worker FOLDER MEMORY_MB``
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import sys
from pathlib import Path


def main() -> None:
    """Judge until stdin ends."""
    folder, memory = Path(sys.argv[1]), int(sys.argv[2]) << 20
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    from tests.planner.soak.judging import judged
    from tests.planner.soak.random_jobs import random_job

    resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
    for line in sys.stdin:
        seed = int(line)
        place = folder / str(seed)
        path = random_job(seed).write(place)
        _forget_peak()
        verdict = judged(path, seed)
        verdict.peak = _peak()
        if not verdict.defect:
            shutil.rmtree(place)
        answers.write(json.dumps(verdict.document()) + "\n")
        answers.flush()


def _forget_peak() -> None:
    try:
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    except OSError:
        return  # another system: the peak of the whole process stands for it


def _peak() -> int:
    try:
        text = Path("/proc/self/status").read_text(encoding="ascii")
    except OSError:
        return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return 1024 * int(text.partition("VmHWM:")[2].split(maxsplit=1)[0])


if __name__ == "__main__":
    main()
