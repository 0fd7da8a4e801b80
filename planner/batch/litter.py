"""What a process that was killed leaves behind in the folder of a batch."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

from planner.batch.claim import Claims

_FILES = (".*.partial", "results/??/.*.partial")
_SETS = "reports/.*.partial"
_LONG_AGO = 86400.0  # [s]


def clear_litter(folder: Path) -> None:
    """Remove what was half-written, and claims, by processes that are gone.

    Nothing depends on it: nobody reads them. What another host may still be writing stays.

    Args:
        folder: of a batch; what cannot be removed stays.
    """
    Claims(folder=folder).clear()
    for path in _half_written(folder):
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)
    for path in folder.glob(_SETS):  # their names do not say on which host they are written
        with contextlib.suppress(OSError):
            if time.time() - path.stat().st_mtime > _LONG_AGO:
                shutil.rmtree(path)


def _half_written(folder: Path) -> Iterator[Path]:
    ours = re.compile(rf"\.{re.escape(os.uname().nodename)}\.(\d{{1,9}})\.partial$")
    for pattern in _FILES:
        for path in list(folder.glob(pattern)):
            found = ours.search(path.name)
            if found is not None and not _running(int(found[1])):
                yield path


def _running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
