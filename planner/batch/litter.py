"""What a process that was killed leaves behind in the folder of a batch."""

from __future__ import annotations

import contextlib
import shutil
from pathlib import Path

from planner.batch.claim import Claims
from planner.processes import abandoned

_PLACES = (".*.partial", "results/??/.*.partial", "claims/.*.partial", "reports/.*.partial")


def clear_litter(folder: Path) -> None:
    """Remove what was half-written, and claims, by processes that are gone.

    Nothing depends on it: nobody reads them.

    Args:
        folder: of a batch; what cannot be removed stays.
    """
    Claims(folder=folder).clear()
    for path in abandoned([path for place in _PLACES for path in folder.glob(place)]):
        with contextlib.suppress(OSError):
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)
