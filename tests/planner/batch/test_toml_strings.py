"""Strings of a job are found as tomllib finds them, and a fault ends the search."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from planner.batch.toml_strings import names_in
from planner.library import names, path_of

MARKS = st.text("\"'#\\\n\r =a[]{},.é", max_size=14)
QUOTED = st.sampled_from(['"{}"', "'{}'", '"""{}"""', "'''{}'''", "[{}]", "{{ b = {} }}", "{} # '"])
STYLED = st.builds(
    lambda outer, inner, text: outer.format(inner.format(text)), QUOTED, QUOTED, MARKS
)


def strings_in(value, keys):
    """Values of a document that are strings, its keys noted."""
    if isinstance(value, dict):
        keys |= set(value)
        return {text for item in value.values() for text in strings_in(item, keys)}
    if isinstance(value, list):
        return {text for item in value for text in strings_in(item, keys)}
    return {value} if isinstance(value, str) else set()


def assert_as_tomllib(text):
    keys = set()
    wanted = strings_in(tomllib.loads(text), keys) - {""}
    found = set(names_in(text.encode()))
    assert wanted <= found <= wanted | keys


@given(values=st.lists(STYLED, max_size=4), remark=MARKS)
@example(values=['"""a"""""', "'''b'''''", '"""\\\n  c"""', '"\\u00e9\\""', "'\\'"], remark="it's")
@example(values=['""', "''", '""""""', "''''''", '"#"', "'\"'"], remark='"')
@example(values=['"""\n""d"\n"""', "[\"a\", 'b']", '{ "c d" = "e" }'], remark="")
def test_as_tomllib_finds_them(values, remark):
    remark = remark.replace("\n", "").replace("\r", "")
    lines = [f"k{number} = {value} # {remark}" for number, value in enumerate(values)]
    text = "\n".join(lines)
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        assert isinstance(names_in(text.encode()), tuple)
        return
    assert_as_tomllib(text)


@pytest.mark.parametrize("name", names())
def test_jobs_of_the_library(name):
    assert_as_tomllib(path_of(name).read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("raw", "found"),
    [
        (b'a = "b"\nc = "d\ne = "f"', ("b",)),  # the quote that nothing closes
        (b'a = "b"\nc = """d', ("b",)),
        (b'a = "\\q"', ()),
        (b"\xff", ()),
        (b"\xef\xbb\xbfa = 'b'", ("b",)),
        (b"a = '''\r\nb\r\nc'''", ("b\nc",)),
    ],
)
def test_faults_and_marks(raw, found):
    assert names_in(raw) == found


@pytest.mark.parametrize("unit", [b'"', b'\\"', b"'''a'", b'"""\\"', b'""" ', b"#'\n", b'"a'])
def test_no_text_is_gone_over_twice(unit):
    """Looked at anew from every quote, this one would take hours."""
    assert len(names_in(b"a = " + unit * 100_000)) < 3
