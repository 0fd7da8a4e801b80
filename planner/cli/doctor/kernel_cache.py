"""The cache of machine code: private, writable, and without entries that are no longer whole."""

from __future__ import annotations

import hashlib
import os
import stat
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from planner.cli.doctor.diagnosis import Diagnosis, Health, listed
from robots.core.kernels.cache import cache_folder

_NAME = "kernel cache"
_DIGEST = 32  # bytes of SHA-256 in front of every entry
_MOST = 64_000_000  # [bytes] that are looked at, the newest first
_OLD = 86_400.0  # [s] a file that is being written for so long was abandoned


def cache_check() -> Diagnosis:
    """Look at the folder and what is in it.

    An entry's name holds the hash of its programme, of the compiler and of the processor, so an
    entry that nobody asks for any longer costs room and does no harm.
    """
    folder = cache_folder()
    try:
        nearest = next(path for path in (folder, *folder.parents) if path.exists())
        if not os.access(nearest, os.W_OK | os.X_OK):
            return _less(f"{folder}: cannot be written; every run compiles anew")
        if nearest != folder:
            return _good(f"{folder} (not yet made)")
        return _good_or_open(folder)
    except OSError as error:
        return _less(f"{folder}: {error.strerror}; every run compiles anew")


def _good_or_open(folder: Path) -> Diagnosis:
    info = folder.stat()
    if sys.platform != "win32":
        if info.st_uid != os.getuid():
            return _risk(f"{folder} belongs to uid {info.st_uid}, so it is not used; remove it")
        if info.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            return _risk(f"{folder}: others may write to it, so it is not used; chmod go-w it")
    sizes = [path.stat().st_size for path in folder.glob("*.o")]
    faulty = [*_damaged(folder), *_abandoned(folder)]
    if faulty:
        told = f"{folder}: {listed(faulty)} damaged or abandoned (never run); remove them"
        return _risk(told)
    return _good(f"{folder}: {len(sizes)} kernels, {sum(sizes) / 1e6:.1f} MB, private")


def _damaged(folder: Path) -> Iterator[str]:
    """Entries whose content is not what their first bytes promise."""
    left = _MOST
    for path in sorted(folder.glob("*.o"), key=lambda path: -path.stat().st_mtime):
        left -= path.stat().st_size
        if left < 0:
            return
        content = path.read_bytes() if path.is_file() else b""  # a pipe may be waited for for ever
        if hashlib.sha256(content[_DIGEST:]).digest() != content[:_DIGEST]:
            yield path.name


def _abandoned(folder: Path) -> Iterator[str]:
    now = time.time()
    for path in folder.glob(".*"):
        if path.is_file() and now - path.stat().st_mtime > _OLD:
            yield path.name


def _good(found: str) -> Diagnosis:
    return Diagnosis(name=_NAME, health=Health.GOOD, found=found)


def _less(found: str) -> Diagnosis:
    return Diagnosis(name=_NAME, health=Health.LESS, found=found)


def _risk(found: str) -> Diagnosis:
    return Diagnosis(name=_NAME, health=Health.RISK, found=found)
