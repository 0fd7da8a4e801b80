"""What only POSIX has is not needed: every module is imported, and commands run, without it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cases import SOAK

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ("planner", "robots", "parts", "reports")

# Loaded by every Python that starts with this folder on its path, workers of a batch included.
BARE = """
import os, signal, subprocess, sys, tempfile, multiprocessing, platform, shutil, socket
import asyncio, concurrent.futures, ctypes, pathlib, threading
from tests.cases import SOAK

platform.node()
for name in ("resource", "fcntl", "pwd", "grp", "termios", "tty", "pty"):
    sys.modules[name] = None

def _is_ours():
    return sys._getframe(2).f_globals["__name__"].partition(".")[0] in ROOMS

def _for_libraries(name):
    # libraries ask sys.platform, which says Linux here, and rely on what it has
    if name not in SIGNALS or _is_ours():
        raise AttributeError(f"module 'signal' has no attribute {name!r}")
    return SIGNALS[name]

ROOMS = ("planner", "robots", "parts", "reports", "__main__")
NAMES = ("SIGKILL", "SIGHUP", "SIGQUIT", "SIGALRM", "SIGUSR1")
SIGNALS = {name: getattr(signal, name) for name in NAMES}
for name in SIGNALS:
    delattr(signal, name)
signal.__getattr__ = _for_libraries
for name in ("O_NOFOLLOW", "O_NONBLOCK", "sched_getaffinity", "setsid", "killpg", "getloadavg"):
    delattr(os, name)

def _ours_without(name, function):
    def guarded(*arguments, **options):
        if _is_ours():
            raise AttributeError(f"module 'os' has no attribute {name!r}")
        return function(*arguments, **options)
    return guarded

for name in ("uname", "sysconf", "fork", "kill", "set_blocking", "fchmod",
             "statvfs"):
    setattr(os, name, _ours_without(name, getattr(os, name)))
"""


MODULES = [
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    for room in ROOMS
    for path in sorted((ROOT / room).rglob("*.py"))
]
# Figures are matplotlib's own work; what draws them is imported by the test above.
FIGURES = () if SOAK else ("--no-figures",)
COMMANDS = (
    ("init", "jobs"),
    ("plan", "jobs/job.toml", "--out", "set", *FIGURES),
    # a second time, over the first
    *((("plan", "jobs/job.toml", "--out", "set", "--no-figures"),) if SOAK else ()),
    ("verify", "set"),
    ("batch", "jobs", "--out", "results", "--workers", "1"),
    *((("batch", "jobs", "--out", "results", "--workers", "1"),) if SOAK else ()),
    ("doctor", "--json"),
)
# One process imports all modules and runs all commands; each tells its code on a line of stderr.
RUN = f"""
import importlib, json, sys
faults = {{}}
for name in {MODULES!r}:
    try:
        importlib.import_module(name)
    except (ImportError, AttributeError) as error:
        faults[name] = repr(error)
print("faults", json.dumps(faults), file=sys.stderr, flush=True)
from planner.cli.main import main
for arguments in {COMMANDS!r}:
    print("code", main(arguments), arguments[0], file=sys.stderr, flush=True)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("bare")


@pytest.fixture(scope="module")
def ran(folder):
    """What a Python without what only POSIX has makes of it all."""
    (folder / "site").mkdir()
    (folder / "site" / "sitecustomize.py").write_text(BARE)
    return subprocess.run(
        [sys.executable, "-c", RUN],
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(folder / "site"), str(ROOT)])},
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


def told(ran, what):
    """What follows a word on lines of stderr."""
    lines = [line.partition(" ") for line in ran.stderr.splitlines()]
    return [rest for word, _, rest in lines if word == what]


def test_every_module_is_imported_without_posix(ran):
    assert len(MODULES) > 400
    assert [json.loads(faults) for faults in told(ran, "faults")] == [{}], ran.stderr


def test_a_job_is_planned_exported_and_batched_without_posix(ran, folder):
    assert "Traceback" not in ran.stderr, ran.stderr
    assert "Internal error" not in ran.stderr, ran.stderr
    codes = [line.split() for line in told(ran, "code")]
    assert [command for _, command in codes] == [command for command, *_ in COMMANDS], ran.stderr
    failed = [command for code, command in codes if code != "0" and command != "doctor"]
    assert failed == [], (ran.stdout, ran.stderr)
    (row,) = json.loads((folder / "results" / "summary.json").read_text())["rows"]
    assert row["status"] == "feasible"
