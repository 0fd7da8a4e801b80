"""Which process wrote something, whether it still runs, and names for what is half-written."""

from __future__ import annotations

import errno
import os
from functools import cache, lru_cache
from pathlib import Path

_BOOT = Path("/proc/sys/kernel/random/boot_id")
GONE = "gone"
PARTIAL = ".partial"
# What a file system without hard links answers.
LINKLESS = frozenset({errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK})


def host() -> str:
    """Name of this host."""
    return os.uname().nodename


@cache
def boot() -> str:
    """What tells this boot of the host from others; "unknown" where nothing does."""
    try:
        return _BOOT.read_text(encoding="ascii").strip()
    except OSError:
        return "unknown"


def started(pid: int) -> str:
    """When a process of this host began, in ticks since boot; ``GONE`` where there is none.

    Process ids are used again; the start time tells two owners of one id apart. A process that has
    ended and that nobody has asked about yet is gone: it writes nothing any more.
    """
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return _alive_without_proc(pid)
    fields = stat.rpartition(")")[2].split()
    return GONE if fields[0] == "Z" else fields[19]


def own_start() -> str:
    """When this process began, as ``started`` says it."""
    return _own_start(os.getpid())


@lru_cache(maxsize=1)  # a fork has a process id of its own
def _own_start(pid: int) -> str:
    return started(pid)


def half_written(path: Path) -> Path:
    """Where this process writes a file before it gives it its name."""
    return path.with_name(f".{path.name}.{host()}.{os.getpid()}-{own_start()}{PARTIAL}")


def _alive_without_proc(pid: int) -> str:
    if Path("/proc/self").exists():
        return GONE
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return GONE
    except PermissionError:
        return "running"
    return "running"
