"""What a process that was killed leaves behind in the folder of a batch."""

from __future__ import annotations

import contextlib
import re
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

from planner.batch.claim import Claims
from planner.batch.processes import host, started

_FILES = (".*.partial", "results/??/.*.partial", "claims/.*.partial")
_SETS = "reports/.*.partial"
_LONG_AGO = 86400.0  # [s]


def clear_litter(folder: Path) -> None:
    """Remove what was half-written, and claims, by processes that are gone.

    Nothing depends on it: nobody reads them. What another host may still be writing stays.

    Args:
        folder: of a batch; what cannot be removed stays.
    """
    Claims(folder=folder).clear()
    for path in _abandoned(folder):
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)
    for path in folder.glob(_SETS):  # their names do not say on which host they are written
        with contextlib.suppress(OSError):
            if time.time() - path.stat().st_mtime > _LONG_AGO:
                shutil.rmtree(path)


def _abandoned(folder: Path) -> Iterator[Path]:
    ours = re.compile(rf"\.{re.escape(host())}\.([0-9]{{1,9}})-([a-z0-9]+)\.partial$")
    for pattern in _FILES:
        for path in list(folder.glob(pattern)):
            found = ours.search(path.name)
            if found is not None and started(int(found[1])) != found[2]:
                yield path
