"""Text from strangers costs no more than its length: no expression goes over it again and again."""

from __future__ import annotations

import contextlib
import time
import tomllib

import pytest

from parts.errors import PartError
from parts.geometry import part21, step_text
from parts.points import dmis_file as dmis_statements
from parts.points import text_lists
from planner.cli.moves import motion_values
from planner.errors import JobError
from planner.job.job_text import JobText
from planner.tables import _COMMA, _NUMBER
from reports.comparison import rules
from reports.verification import files
from reports.visible_text import UNSEEN
from robots.core.errors import RobotFileError
from robots.core.robot_file import source_text
from robots.core.robot_file.source_text import MOST_PARTS, SourceText, toml_document, toml_slip
from tests.cases import cases

# A search whose cost grows with the square of 64,000 characters is seen in either run.
SHORT, LONG = 64_000, cases(gate=64_000, soak=1_000_000)
# Processor time. Going over a text once takes 0.1 µs to 1 µs for each character; where the cost
# grows with the square 64,000 characters take half a minute and more. What lies between leaves room
# for a machine ten times as slow, and for neighbours that take the caches away.
MOST = {SHORT: 8.0, LONG: 8.0 + 2e-5 * LONG}  # [s]


def grows_with_its_length(work, hostile):
    """The long text is tried only where a short text is no trouble."""
    for size, most in MOST.items():
        text = hostile(size)
        began = time.process_time()
        work(text)
        assert time.process_time() - began < most


def all_of(pattern):
    return lambda text: [*pattern.finditer(text)]


def all_of_bytes(pattern):
    return lambda text: sum(1 for _ in pattern.finditer(text.encode()))


def values_of_a_statement(text):
    with contextlib.suppress(PartError):
        part21.parsed(1, b"X(" + text.encode() + b")")


def every_line(pattern):
    return lambda text: [pattern.match(line) for line in text.splitlines()]


HOSTILE = {
    "a word": lambda n: "a" * n,
    "digits": lambda n: "1" * n + "x",
    "spaces": lambda n: "a" + " " * n + "b",
    "a header of spaces": lambda n: "[" + " " * n,
    "a header of words": lambda n: "[" + "a " * (n // 2),
    "keys": lambda n: "a." * (n // 2),
    "keys apart": lambda n: "a . " * (n // 4),
    "commas": lambda n: "a = " + "1,5=" * (n // 4),
    "numbers with commas": lambda n: "x=1,5 " * (n // 6),
    "long numbers": lambda n: "x = " + "1" * (n // 2) + "," + "2" * (n // 2),
    "quotes": lambda n: '"' * n,
    "single quotes": lambda n: "x='" * (n // 3),
    "backslashes": lambda n: 'file = "' + "\\" * n,
    "files": lambda n: 'file = "' * (n // 8),
    "faces": lambda n: "#1=ADVANCED_FACE('',(" * (n // 21),
    "names of faces": lambda n: "#1=ADVANCED_FACE('''" * (n // 20),
    "shells": lambda n: "#1=CLOSED_SHELL('',(" * (n // 20),
    "units": lambda n: "LENGTH_UNIT()" * (n // 13),
    "conversions": lambda n: "CONVERSION_BASED_UNIT('INCH'" * (n // 28),
    "points": lambda n: "CARTESIAN_POINT('',(" * (n // 20),
    "wide letters": lambda n: "\\X2\\" + "0041" * (n // 4),
    "brackets": lambda n: "(" * n,
    "labels": lambda n: "F " * (n // 2),
    "lines": lambda n: "[ job\n" * (n // 6),
    "unseen": lambda n: "\x1b" * n,
}
EXPRESSIONS = {
    "number of a table": _NUMBER.fullmatch,
    "number with a comma": _COMMA.fullmatch,
    "number of the command line": motion_values._NUMBER.fullmatch,
    "rule": rules._RULE.match,
    "amount of a rule": rules._AMOUNT.match,
    "table of TOML": every_line(source_text._HEADER),
    "key of TOML": every_line(source_text._KEY),
    "parts of a key": all_of(source_text._PART),
    "files of a job": all_of(files._NAMED),
    "statements of a STEP file": all_of_bytes(part21._STATEMENT),
    "comments of a STEP file": all_of_bytes(part21._NOISE),
    "keywords of a STEP file": all_of_bytes(part21._KEYWORD),
    "texts of a STEP file": all_of_bytes(part21._TEXT),
    "references of a STEP file": all_of_bytes(step_text._REFERENCE),
    "strings of a STEP file": all_of_bytes(step_text._STRING),
    "metric unit of a STEP file": all_of_bytes(step_text._METRIC),
    "other unit of a STEP file": all_of_bytes(step_text._CONVERTED),
    "numbers of a STEP file": all_of_bytes(step_text._NUMBER),
    "values of a STEP file": values_of_a_statement,
    "letters of a STEP file": all_of(part21._ESCAPE),
    "name of a PowerInspect point": text_lists._NAME.match,
    "label of DMIS": dmis_statements._LABEL.fullmatch,
    "unseen characters": all_of(UNSEEN),
}


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_no_expression_goes_over_a_text_again_and_again(expression):
    slow = []
    for name, hostile in HOSTILE.items():
        try:
            grows_with_its_length(EXPRESSIONS[expression], hostile)
        except AssertionError as error:
            slow.append((name, str(error)))
    assert slow == []


def refused(text):
    """A robot file and a job of this text, with the whole message."""
    source = SourceText(origin="a.toml", text=text)
    for read, fault in (
        (source.document, RobotFileError),
        (JobText(source=source, raw=b"").document, JobError),
    ):
        with pytest.raises(fault):
            read()


@pytest.mark.parametrize("name", sorted(set(HOSTILE) - {"a header of spaces", "points"}))
def test_a_refused_file_costs_no_more_than_its_length(name):
    grows_with_its_length(refused, lambda n: HOSTILE[name](n - 2000)[: n - 2000] + "\n;")


@pytest.mark.parametrize("name", sorted(HOSTILE))
def test_a_slip_is_sought_at_no_more_than_the_length_of_the_line(name):
    def sought(text):
        source = SourceText(origin="a.toml", text=text)
        for said in ("Unescaped '\\' in a string", "Expected newline"):
            toml_slip(source, f"{said} (at line 1, column 1)")

    grows_with_its_length(sought, HOSTILE[name])


def test_dotted_keys_are_refused_before_the_parser_multiplies_them():
    """Of 50 kB of them tomllib makes 15 s of work and gigabytes of prefixes."""
    for text in ("a." * 300_000 + "a = 1", "[" + "'a' . " * 100_000 + "a]"):
        with pytest.raises(tomllib.TOMLDecodeError, match=f"more than {MOST_PARTS} parts"):
            toml_document(text)
    assert toml_document("a." * (MOST_PARTS - 1) + "a = 1")
    assert toml_document('a = "' + "b." * 1000 + '" # ' + "c." * 20)
    assert toml_document("a = [" + "1.5, " * 1000 + "]")


def test_a_number_without_end_is_told_as_one():
    with pytest.raises(tomllib.TOMLDecodeError, match="A whole number has more than 4300 digits"):
        toml_document("a = " + "1" * 5000)
