"""Names that are no text, shown."""

from __future__ import annotations

import os
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.batch.case import shown


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", ""),
        ("a/é/ü.toml", "a/é/ü.toml"),
        (os.fsdecode(b"caf\xe9/\xff.toml"), r"caf\xe9/\xff.toml"),
        ("half \ud800 of one", r"half \ud800 of one"),
    ],
)
def test_examples(text, told):
    assert shown(text) == told


@given(st.text(st.characters()))
def test_whatever_it_is_it_can_be_written_and_what_is_text_stays(text):
    shown(text).encode("utf-8")
    assert shown(shown(text)) == shown(text)


@given(st.binary())
def test_the_bytes_of_a_name_are_found_again(raw):
    """So two files never look like one, but for names that hold a backslash themselves."""
    if b"\\" not in raw and b"\0" not in raw:
        told = shown(os.fsdecode(raw)).encode("utf-8")
        assert re.sub(rb"\\x(..)", lambda found: bytes.fromhex(found[1].decode()), told) == raw
