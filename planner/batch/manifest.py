"""``batch.json``: which result each case of a batch has; a later run says by it what changed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from planner.result_files import whole_file
from robots.core.caps import Cap, read_capped

NAME = "batch.json"
FORMAT = 1


def write_manifest(folder: Path, digests: Mapping[str, str]) -> None:
    """Write the digest of every case's result by the case's name, in order.

    Raises:
        OutputError: the folder cannot be written.
    """
    document = {"format": FORMAT, "cases": dict(sorted(digests.items()))}
    path = folder / NAME
    refusal = "cannot be written: {reason}; the results are kept, run the same command again"
    with whole_file(path, refusal) as fresh, fresh.open("w", encoding="utf-8", newline="") as file:
        json.dump(document, file, indent=0, ensure_ascii=True)
        file.write("\n")


def read_manifest(folder: Path) -> dict[str, str]:
    """Digests of the run before by case name; empty where there was none, or it is torn."""
    try:
        document = json.loads(read_capped(folder / NAME, Cap.SUMMARY_BYTES))
        cases = document["cases"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return {}
    if not isinstance(cases, dict):
        return {}
    return {str(name): str(digest) for name, digest in cases.items()}
