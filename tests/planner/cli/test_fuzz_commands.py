"""Every command with broken arguments and files: a listed exit code, and never a traceback.

A case takes a command that works, damages some of its words and some of the files of the house, and
runs it in this process. Seeds are fixed: the message of a failure holds the command and the number
of the case. Then something that is no file stands where one is expected: a pipe that nobody writes
to, a socket, an endless device, a folder, a link to nowhere or to itself, a path below a file and,
but for root, a file that nobody may read: no command waits for it.
"""

from __future__ import annotations

import os
import random
import re
import sys

import pytest

from tests.cases import cases, some
from tests.planner.cli.command_house import (
    COMMANDS,
    SEEDS,
    SLOW,
    STRANGE,
    WRITES,
    House,
    Ran,
    check,
    guarded_house,
    seeds_of,
)

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="alarms, pipes and limits of POSIX")

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
CASES, SLOW_CASES = cases(gate=1, soak=12), cases(gate=1, soak=2)
# Commands of seconds are damaged in the soak; their words are read by the same code.
QUICK_FIRST = [pytest.param(c, marks=pytest.mark.soak) if c in SLOW else c for c in COMMANDS]

ROOT = sys.platform != "win32" and os.getuid() == 0
UNREADABLE = [kind for kind in STRANGE if kind != "full" and not (kind == "secret" and ROOT)]
READ = [*UNREADABLE, "job.toml/x", "binary.stl", "empty.toml"]
ROWS = {"binary.stl", "empty.toml", "secret"}  # jobs that a batch will refuse
WRITTEN = ["pipe", "full", "socket", "job.toml/x"]
QUICK = ["pipe", "zero"]  # what would be waited for; of commands that work before they look
INNER = {  # commands that read a file because another file names it
    "points.csv": "check job.toml",
    "points.dmi": "check solid.toml",
    "solid.stl": "check solid.toml",
    "job.toml": "batch sweep.toml --out out --dry-run",
    "set/plan.json": "verify set",
    "set/provenance.json": "verify set",
    "set/trajectory.parquet": "verify set",
    "set/inputs/job.toml": "verify set",
}


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    """A folder of good files for every command, see ``command_house``."""
    with guarded_house(tmp_path_factory.mktemp("house")) as made:
        yield made


def damaged_words(chance: random.Random, command: str, words: list[str]) -> list[str]:
    """The words with some exchanged, dropped, doubled or added; outputs stay in the house."""
    start, words = len(command.split()), list(words)
    for _ in range(chance.choice([0, 1, 1, 2, 4])):
        place = chance.randint(start, len(words))
        option = chance.choice([*COMMANDS[command], "--nonsense"])
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


@pytest.mark.parametrize("command", QUICK_FIRST)
def test_the_commands_that_are_damaged_work(house, command):
    """Else only the reading of the command line would be tested.

    Those that take seconds end well in the gate by the tests of their own.
    """
    own = {name for name, _ in SEEDS}
    for words in some(seeds_of(command), gate=1)[: 1 if command in SLOW else None]:
        ran = house.run(words)
        house.mend()
        check(ran, 0)
        assert ran.code in {0, 1} or command not in own, (words, ran.err)


@pytest.mark.parametrize("command", QUICK_FIRST)
def test_damaged_commands_end_with_a_listed_code(house, command):
    for number in range(SLOW_CASES if command in SLOW else CASES):
        check(case(house, command, number), number)


@pytest.mark.soak
@pytest.mark.parametrize("block", range(5))
@pytest.mark.parametrize("command", COMMANDS)
def test_many_damaged_commands(house, command, block):
    each = 10 if command in SLOW else 100
    for number in range(1000 + each * block, 1000 + each * (block + 1)):
        check(case(house, command, number, soak=True), number)


def test_what_the_seeds_leave_out_is_known():
    assert {name.removeprefix("soak ") for name, _ in SEEDS} <= set(COMMANDS)
    options = {option for each in COMMANDS.values() for option in each}
    assert options >= WRITES


def is_written(words: list[str], place: int) -> bool:
    return words[place - 1] in WRITES or words[0] == "init"


def files_of(house: House, command: str) -> list[tuple[list[str], int]]:
    """Commands and the places of the files they read, each option or position once."""
    found = {}
    for words in seeds_of(command):
        for place in range(len(command.split()), len(words)):
            named = words[place]
            if (house.folder / named).is_file() and not is_written(words, place):
                before = words[place - 1]
                kind = before if before.startswith("-") else place
                found.setdefault((kind, named.rpartition(".")[2]), (words, place))
    return list(found.values())


@pytest.mark.parametrize("command", [c for c in COMMANDS if c not in {"init", "demo", "doctor"}])
def test_a_file_that_is_given(house, command):
    for words, place in files_of(house, command):
        for strange in QUICK if command in SLOW else some(READ, gate=2):
            ran = house.run([*words[:place], strange, *words[place + 1 :]])
            house.mend()
            check(ran, place)
            row = command == "batch" and strange in ROWS
            assert ran.code in ({0} if row else {1, 2}), (ran.words, ran.err)


@pytest.mark.parametrize("inner", INNER)
def test_a_file_that_a_file_names(house, inner):
    words = INNER[inner].split()
    for kind in QUICK if words[0] == "verify" else UNREADABLE:
        (house.folder / inner).unlink()
        house.make_strange(kind, house.folder / inner)
        ran = house.run(words)
        house.mend()
        check(ran, 0)
        assert ran.code in ({1, 2} if words[0] == "verify" else {2}), (kind, words, ran.out)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_place_to_write_to(house, command):
    """Dry runs of batches write nothing; what else ended well would have written somewhere."""
    words = next((w for w in seeds_of(command) if WRITES & set(w) or w[0] == "init"), [])
    for place in range(1, len(words)):
        if is_written(words, place):
            for strange in ["full"] if command in SLOW else WRITTEN:
                ran = house.run([*words[:place], strange, *words[place + 1 :]])
                house.mend()
                check(ran, place)
                assert "--dry-run" in words or ran.code in {1, 2}, (ran.words, ran.err)


def test_the_devices_are_what_they_were():
    for name in ("/dev/zero", "/dev/full", "/dev/null"):
        assert not os.path.isfile(name)  # noqa: PTH113
