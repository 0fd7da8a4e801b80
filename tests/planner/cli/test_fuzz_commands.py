"""Every command with broken arguments and files: a listed exit code, and never a traceback.

Commands come from the application itself, so a new one takes part at once; one that needs more than
the general words below gets a line of its own. A case takes a command that works, damages some of
its words and some of the files of ``house``, and runs it in this process. Seeds are fixed: the
message of a failure holds the command and the number of the case.
"""

from __future__ import annotations

import io
import os
import random
import re
import shutil
import signal
import struct
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
import typer

from planner.cli.app import app
from planner.cli.main import main
from robots.core.urdf import write_urdf
from robots.library import load, text_of
from robots.stewart.library import text_of as platform_text

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="alarms, pipes and limits of POSIX")

HOUSE = Path(__file__).with_name("house")
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
    *("biped composite", "biped squat", "biped tilt", "biped walk", "biped push"),
}
SKIPPED = {"--cluster": "waits for a scheduler; the tests of the cluster give bad addresses"}
WRITES = {"--out", "--html"}
NUMBERS = ["nan", "-inf", "1e999", "1e308", "-1", "0", "-0", "5e-324", "1_0", "٣", "0x10",
           "1e-9", "9" * 20, "1" * 5000, "", " ", "1,2,", ",", "0,0,0,0,0,0,0", "1;2"]  # fmt: skip
EXTREMES = ["0", "-1", "1", "90", "-180", "1e8", "-1e8", "1e-300", "1e300", "1e5", "3", "1e-12"]
TEXTS = ["", " ", "-", "--", "--json", "a\0b", "\udcff", "é/ü\u202e", "x" * 5000, "%s%n{0}", "*",
         "job", "all", "home", "#99", "plane:", "@states.csv", "~", "\n", "\x1b["]  # fmt: skip
PLACES = ["none.csv", "dir", "pipe", "loop", "broken", "empty.toml", "binary.stl", "part.step", ".",
          "job.toml", "robot.urdf", "part.stl", "points.qif", "set", "points.csv/x"]  # fmt: skip
OUTPUTS = ["out", "dir", "states.csv", "out/a/b", "loop", "broken", "pipe", "states.csv/x", ".", "",
           "x" * 300, "a\0b", "\udcff", "é\u202e"]  # fmt: skip
PIECES = [b"", b"\0", b"\xff\xfe", b"nan", b"1e999", b"-1e308", b"[" * 3000, b"\n" * 50, b'"', b"'",
          b"<!ENTITY", b"=", b"99999999999999999999", b",,,", b"true", b"\xe2\x80\xae", b"]]\n[[a",
          b"/", b"..", b"$\n", b"0", b"-"]  # fmt: skip
NUMBER = re.compile(rb"-?\d+(?:\.\d+)?")
CASES, SLOW_CASES = 12, 2


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
            elif path not in self.good or not path.is_file() or path.is_symlink():
                path.unlink()
        for path, content in self.good.items():
            path.parent.mkdir(exist_ok=True)
            if not path.exists() or path.read_bytes() != content:
                path.write_bytes(content)
        (self.folder / "dir").mkdir()
        os.mkfifo(self.folder / "pipe")
        (self.folder / "loop").symlink_to("loop")
        (self.folder / "broken").symlink_to("nowhere")

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


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    import resource

    def ring(*_):
        raise Hang

    before = resource.getrlimit(resource.RLIMIT_AS)
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + ROOM, before[1]))
    handler = signal.signal(signal.SIGALRM, ring)
    made = House(tmp_path_factory.mktemp("house"))
    made.build_set()
    yield made
    signal.signal(signal.SIGALRM, handler)
    resource.setrlimit(resource.RLIMIT_AS, before)


def seeds_of(command: str, *, soak: bool = False) -> list[list[str]]:
    names = {command, f"soak {command}"} if soak else {command}
    seeds = [words for name, words in SEEDS if name in names] or GENERAL
    return [[*command.split(), *words.split()] for words in seeds]


def damaged_words(chance: random.Random, command: str, words: list[str]) -> list[str]:
    """The words with some exchanged, dropped, doubled or added; outputs stay in the house."""
    start, words = len(command.split()), list(words)
    for _ in range(chance.choice([0, 1, 1, 2, 4])):
        place = chance.randint(start, len(words))
        option = chance.choice([o for o in COMMANDS[command] if o not in SKIPPED] + ["--nonsense"])
        before = words[place - 1] if place else ""
        values = (
            OUTPUTS
            if before in WRITES or command == "init"
            else NUMBERS + EXTREMES + TEXTS + PLACES
        )
        match chance.randrange(5):
            case 0 | 1 if place < len(words):
                words[place] = chance.choice(values)
            case 2 if place < len(words):
                del words[place]
            case 3:
                words[place:place] = [chance.choice(values)]
            case _:
                value = chance.choice(
                    OUTPUTS if option in WRITES else NUMBERS + EXTREMES + TEXTS + PLACES
                )
                words += [option, value] if chance.random() < 0.7 else [f"{option}={value}"]
    return safe(words)


def safe(words: list[str]) -> list[str]:
    """Whatever stands behind an option that writes is a place within the house."""
    for place, word in enumerate(words):
        option = word.partition("=")[0]
        if word in WRITES and place + 1 < len(words) and words[place + 1] not in OUTPUTS:
            words[place + 1] = "out"
        elif option in WRITES and "=" in word and word.partition("=")[2] not in OUTPUTS:
            words[place] = f"{option}=out"
        elif option in SKIPPED:
            words[place] = "--json"
    return words


def damaged(chance: random.Random, raw: bytes) -> bytes:
    """Some bytes of a file exchanged, cut away, doubled or replaced by something nasty."""
    content = bytearray(raw)
    for _ in range(chance.choice([1, 1, 2, 5])):
        start = chance.randint(0, len(content))
        end = min(len(content), start + chance.choice([0, 1, 3, 20, 200]))
        match chance.randrange(7):
            case 0:
                content[start:end] = chance.choice(PIECES)
            case 1:
                content[start:end] = bytes(chance.randrange(256) for _ in range(end - start))
            case 2:
                content[start:start] = content[start:end] * chance.choice([1, 3, 50])
            case 3 | 4 | 5 if numbers := list(NUMBER.finditer(content)):
                found = chance.choice(numbers)
                piece = chance.choice(chance.choice([NUMBERS, EXTREMES, EXTREMES]))
                content[found.start() : found.end()] = piece.encode()
            case _:
                del content[chance.choice([start, 0, len(content) // 2]) :]
    return bytes(content)


def case(house: House, command: str, number: int, *, soak: bool = False) -> Ran:
    """One case; the house is whole again afterwards."""
    chance = random.Random(f"{command} {number}")
    words = damaged_words(chance, command, chance.choice(seeds_of(command, soak=soak)))
    named = [path for path in house.good if path.name in words or path.parent.name in words]
    files = [path for path in [*named, *named, *house.good] if path.is_file()]
    for path in chance.sample(files, chance.choice([0, 1, 1, 3])):
        path.write_bytes(damaged(chance, house.good[path]))
    try:
        return house.run(
            words, stdin=chance.choice([b"", b"\xff\0", b"q1_deg\n0\n", b"a,b\n1,2\n"])
        )
    finally:
        house.mend()


def check(ran: Ran, number: int) -> None:
    told = f"case {number}: palpeur {ran.words!r:.500} ended with {ran.code}\n{ran.err[-2000:]}"
    assert ran.code in CODES, told
    assert "Traceback" not in ran.err + ran.out, told
    assert "Internal error" not in ran.err, told
    assert ran.code != 2 or ran.err, told
    assert ran.code != 130, told  # nobody has pressed Ctrl-C


@pytest.mark.parametrize("command", COMMANDS)
def test_the_commands_that_are_damaged_work(house, command):
    """Else only the reading of the command line would be tested."""
    own = {name for name, _ in SEEDS}
    for words in seeds_of(command)[: 1 if command in SLOW else None]:
        ran = house.run(words)
        house.mend()
        check(ran, 0)
        assert ran.code in {0, 1} or command not in own, (words, ran.err)


@pytest.mark.parametrize("command", COMMANDS)
def test_damaged_commands_end_with_a_listed_code(house, command):
    for number in range(SLOW_CASES if command in SLOW else CASES):
        check(case(house, command, number), number)


@pytest.mark.soak
@pytest.mark.parametrize("block", range(10))
@pytest.mark.parametrize("command", COMMANDS)
def test_many_damaged_commands(house, command, block):
    each = 10 if command in SLOW else 100
    for number in range(1000 + each * block, 1000 + each * (block + 1)):
        check(case(house, command, number, soak=True), number)


@pytest.mark.parametrize(
    "command", [c for c in COMMANDS if c not in {"init", "demo", "doctor", "batch"}]
)
@pytest.mark.parametrize("place", ["pipe", "loop", "dir", "broken", "binary.stl", "empty.toml"])
def test_a_place_that_is_no_file_is_not_waited_for(house, command, place):
    """Each word that names a file, one after the other."""
    words = seeds_of(command)[0]
    for position, word in enumerate(words):
        if (house.folder / word).is_file() and "--" not in word:
            ran = house.run([*words[:position], place, *words[position + 1 :]])
            house.mend()
            check(ran, position)
            assert ran.code in {1, 2}, (ran.words, ran.err)


def test_what_the_seeds_leave_out_is_known():
    assert {name.removeprefix("soak ") for name, _ in SEEDS} <= set(COMMANDS)
    options = {option for each in COMMANDS.values() for option in each}
    assert set(SKIPPED) | WRITES <= options
