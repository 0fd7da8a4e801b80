"""Sampled motions as CSV files."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from planner.errors import OptionError
from planner.result_files import write_result
from robots.core.arrays import Array
from robots.core.caps import Cap

COMMAND = "palpeur motion"


def instants(duration: float, period_ms: float) -> Array:
    """Multiples of the period, and the end of the motion. # (k,) [s].

    Raises:
        OptionError: more samples than are worth writing.
    """
    count = duration * 1000.0 / period_ms
    if count > Cap.SAMPLES.limit:
        raise OptionError(
            f"--period-ms: {count:.3g} samples of {period_ms:g} ms in {duration:g} s; at most "
            f"{Cap.SAMPLES.limit} are written. Give a longer period, or {Cap.SAMPLES.advice}."
        )
    # A last multiple within rounding of the end is the end itself.
    t = period_ms * np.arange(int(np.floor(count * (1.0 - 1e-12))) + 1) / 1000.0
    return np.asarray(np.append(t, duration) if duration > t[-1] else t, dtype=np.float64)


def write_samples(path: str, headers: Sequence[str], table: Array, *, force: bool = False) -> None:
    """Write instants and values; numbers read back to the same doubles.

    Args:
        path: of the file.
        headers: of the values, without the time.
        table: time first. # (k, 1 + len(headers))
        force: whether a file that is there may be replaced.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["t_s", *headers])
    writer.writerows(table.tolist())
    write_result(Path(path), text.getvalue(), COMMAND, force=force)
