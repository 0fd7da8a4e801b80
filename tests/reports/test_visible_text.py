"""Text fit for a page: unseen characters are shown, long texts are cut and say so."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reports.visible_text import cut, visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("P1 - Ø 12 µm", "P1 - Ø 12 µm"),
        ("\u202egnp.exe", "⟨U+202E⟩gnp.exe"),
        ("a\u200bb\ufeff", "a⟨U+200B⟩b⟨U+FEFF⟩"),
        ("nul\x00 esc\x1b", "nul⟨U+0000⟩ esc⟨U+001B⟩"),
        ("half \ud800", "half ⟨U+D800⟩"),
        ("line\n\tnext", "line\n\tnext"),
        ("tag \U000e0041", "tag ⟨U+E0041⟩"),
        ("نقطة", "نقطة"),  # a script that runs from right to left is no mark
    ],
)
def test_unseen_characters_are_written_as_their_code(text, shown):
    assert visible(text) == shown


@given(st.text())
def test_nothing_unseen_is_left_and_the_rest_stays(text):
    shown = visible(text)
    kinds = {unicodedata.bidirectional(sign) for sign in shown}
    assert kinds & {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"} == set()
    shown.encode("utf-8")
    if text.isprintable():
        assert shown == text


def test_a_long_text_says_how_much_is_missing():
    assert cut("x" * 10, 10) == "x" * 10
    assert cut("x" * 10_000, 300) == "x" * 300 + "… (9,700 more characters)"
