"""Processes: which one this is, whether others still run, partial files, memory to give back."""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import re
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from glob import escape
from pathlib import Path

_BOOT = Path("/proc/sys/kernel/random/boot_id")
GONE = "gone"
_QUERY, _DENIED = 0x1000, 5  # of Windows: a limited look at a process, access denied
PARTIAL = ".partial"
_NAME = 100  # bytes of a name, which may have 255 in all
# What a file system without hard links answers.
LINKLESS = frozenset({errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK})


def host() -> str:
    """Name of this host."""
    return platform.node()


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
    """Where this process writes a file or a folder before it gives it its name."""
    return path.with_name(f".{_short(path)}.{host()}.{os.getpid()}-{own_start()}{PARTIAL}")


def left_behind(path: Path) -> list[Path]:
    """What processes of this host that are gone have half-written for a place."""
    return list(abandoned(list(path.parent.glob(f".{escape(_short(path))}.*{PARTIAL}"))))


def abandoned(paths: Iterable[Path]) -> Iterator[Path]:
    """Those that a process of this host was writing, as their names say, and that is gone.

    What another host may still be writing is none of them.
    """
    ours = re.compile(rf"\.{re.escape(host())}\.([0-9]{{1,9}})-([a-z0-9]+){re.escape(PARTIAL)}$")
    for path in paths:
        found = ours.search(path.name)
        if found is not None and started(int(found[1])) != found[2]:
            yield path


def _short(path: Path) -> str:
    """So much of the name that it has room beside what is added to it."""
    return os.fsencode(path.name)[:_NAME].decode("utf-8", errors="ignore")


def _alive_without_proc(pid: int) -> str:
    if Path("/proc/self").exists():
        return GONE
    if os.name == "nt":
        return _started_on_windows(pid)
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return GONE
    except PermissionError:
        return "running"
    return "running"


def _started_on_windows(pid: int) -> str:
    """The time of creation; there ``os.kill(pid, 0)`` would end the process instead of asking."""
    kernel = ctypes.WinDLL("kernel32", use_last_error=True)  # type: ignore[attr-defined]
    handle = kernel.OpenProcess(_QUERY, False, pid)
    if not handle:
        denied = ctypes.get_last_error() == _DENIED  # type: ignore[attr-defined]
        return "running" if denied else GONE
    try:
        created, ended, system, user = (ctypes.c_ulonglong() for _ in range(4))
        times = map(ctypes.byref, (created, ended, system, user))
        if not kernel.GetProcessTimes(handle, *times):
            return "running"
        return GONE if ended.value else str(created.value)
    finally:
        kernel.CloseHandle(handle)


def return_memory() -> None:
    """Give memory that is free back to the system, where its C library keeps it (glibc).

    Between two stages of a large job that is a quarter of all it holds.
    """
    if platform.libc_ver()[0] == "glibc":
        ctypes.CDLL(None).malloc_trim(0)
