"""A folder of good files and all commands: what the fuzz tests run, in this process.

Commands come from the application itself, so a new one takes part at once; one that needs more than
the general words below gets a line of its own in ``house/commands.txt``.
"""

from __future__ import annotations

import io
import os
import shutil
import signal
import stat
import struct
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import typer

from planner.cli.app import app
from planner.cli.main import main
from robots.core.urdf import write_urdf
from robots.library import load, text_of
from robots.stewart.library import text_of as platform_text

HOUSE = Path(__file__).with_name("house")
LINKS = {"loop": "loop", "broken": "nowhere", "zero": "/dev/zero", "full": "/dev/full"}
STRANGE = ("dir", "pipe", "socket", "secret", *LINKS)
CODES = {0, 1, 2, 3, 130}
HANG = 300  # [s] a guard against waiting for ever, not a measure of speed
ROOM = 6_000_000_000  # [bytes] beyond what the process has: what asks for more gets a MemoryError

# "command: words", a line each, some for the soak test only; a command without one gets the general
# words. Paths are those of the house.
SEEDS = [line.split(":", 1) for line in (HOUSE / "commands.txt").read_text().splitlines()]
GENERAL = ("job.toml", "robot.toml --json", "planar-3r --json")
# Seconds of real work each: fewer cases in CI.
SLOW = {
    *("demo", "plan", "place", "diff", "check", "evaluate", "robot calibrate", "robot bench"),
    *("stewart present", "stewart workspace", "stewart move", "machine-test", "uncertainty"),
    *("biped composite", "biped squat", "biped tilt", "biped walk", "biped push", "robot list"),
}
WRITES = {"--out", "--html"}


def walk(command, path=()):
    """Names of all commands, each with its options."""
    below = getattr(command, "commands", None)
    if below is None:
        yield " ".join(path), [p.opts[0] for p in command.params if p.opts[0].startswith("-")]
        return
    for name, item in below.items():
        yield from walk(item, (*path, name))


COMMANDS = dict(walk(typer.main.get_command(app)))


class Hang(BaseException):
    """The guard has rung; no broad ``except`` may swallow it."""


@dataclass(frozen=True)
class Ran:
    words: list[str]
    code: int
    out: str
    err: str


class House:
    """A folder of good files, put right again after each case."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        shutil.copytree(HOUSE, folder, dirs_exist_ok=True)
        (folder / "robot.toml").write_text(text_of("stanford"))
        (folder / "robot.urdf").write_text(write_urdf(load("stanford")))
        (folder / "platform.toml").write_text(platform_text("measuring-hexapod"))
        corners = (0, 0, 1, 0, 0, 0, 9, 0, 0, 0, 9, 0, 0)
        (folder / "part.stl").write_bytes(struct.pack("<80xI12fH", 1, *corners))
        (folder / "binary.stl").write_bytes(bytes(range(256)) * 8)
        (folder / "empty.toml").touch()
        self.good: dict[Path, bytes] = {}

    def build_set(self) -> None:
        """A report set to verify and to compare with; then what is there now is what is good."""
        ran = self.run(["plan", "job.toml", "--out", "set", "--data-only"])
        assert ran.code == 0, ran.err
        self.good = {path: path.read_bytes() for path in self.folder.rglob("*") if path.is_file()}
        self.mend()

    def mend(self) -> None:
        """Away with everything that a case made or changed."""
        folders = {parent for path in self.good for parent in path.parents}
        for path in sorted(self.folder.rglob("*"), reverse=True):
            if path.is_dir() and not path.is_symlink():
                if path not in folders:
                    path.rmdir()
            elif path not in self.good or not self.is_plain(path):
                path.unlink()
        for path, content in self.good.items():
            path.parent.mkdir(exist_ok=True)
            if not path.exists() or path.read_bytes() != content:
                path.write_bytes(content)
        for name in STRANGE:
            self.make_strange(name, self.folder / name)

    @staticmethod
    def is_plain(path: Path) -> bool:
        """Whether this is a file that can be read, and no link to one."""
        return path.is_file() and not path.is_symlink() and os.access(path, os.R_OK)

    def make_strange(self, kind: str, path: Path) -> None:
        """Put something that is no file where one might be."""
        match kind:
            case "dir":
                path.mkdir()
            case "pipe":  # nobody writes to it
                os.mkfifo(path)
            case "socket":  # nobody listens to it
                os.mknod(path, stat.S_IFSOCK | 0o600)
            case "secret":  # nobody but root may read it
                path.touch(mode=0)
            case _:
                path.symlink_to(LINKS[kind])

    def run(self, words: list[str], stdin: bytes = b"") -> Ran:
        """The command with streams as a terminal's user has them: stdout is strict UTF-8."""
        out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", errors=e, write_through=True)
                    for e in ("strict", "backslashreplace"))  # fmt: skip
        streams, folder = (sys.stdin, sys.stdout, sys.stderr), Path.cwd()
        sys.stdin, sys.stdout, sys.stderr = io.TextIOWrapper(io.BytesIO(stdin)), out, err
        os.chdir(self.folder)
        signal.alarm(HANG)
        try:
            code = main(words)
        finally:
            signal.alarm(0)
            os.chdir(folder)
            sys.stdin, sys.stdout, sys.stderr = streams
        told = [stream.buffer.getvalue().decode("utf-8") for stream in (out, err)]
        return Ran(words=words, code=int(code), out=told[0], err=told[1])


@contextmanager
def guarded_house(folder: Path) -> Iterator[House]:
    """A house in a folder; what hangs or wants all memory is ended."""
    import resource

    def ring(*_):
        raise Hang

    before = resource.getrlimit(resource.RLIMIT_AS)
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + ROOM, before[1]))
    handler = signal.signal(signal.SIGALRM, ring)
    try:
        made = House(folder)
        made.build_set()
        yield made
    finally:
        signal.signal(signal.SIGALRM, handler)
        resource.setrlimit(resource.RLIMIT_AS, before)


def seeds_of(command: str, *, soak: bool = False) -> list[list[str]]:
    names = {command, f"soak {command}"} if soak else {command}
    seeds = [words for name, words in SEEDS if name in names] or GENERAL
    return [[*command.split(), *words.split()] for words in seeds]


def check(ran: Ran, number: int) -> None:
    told = f"case {number}: palpeur {ran.words!r:.500} ended with {ran.code}\n{ran.err[-2000:]}"
    assert ran.code in CODES, told
    assert "Traceback" not in ran.err + ran.out, told
    assert "Internal error" not in ran.err, told
    assert ran.code != 2 or ran.err, told
    assert ran.code != 130, told  # nobody has pressed Ctrl-C
