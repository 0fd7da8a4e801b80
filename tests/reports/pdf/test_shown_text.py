"""Texts on paper: nothing hidden, nothing missing, nothing endless, nothing wider than its line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reports.pdf.text import advance, known, lines, pieces, shown, width, with_units


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("plain #set $x$ *b* \\ @a [c] <b>", "plain #set $x$ *b* \\ @a [c] <b>"),
        ("äöü ł Ω ± θ̇ ² −", "äöü ł Ω ± θ̇ ² −"),
        ("a\u202eb\u200f\u2066", "a[U+202E]b[U+200F][U+2066]"),
        ("\x00\x1b[31m\x7f", "[U+0000][U+001B][31m[U+007F]"),
        ("one\ntwo\tthree\u00a0four", "one two three four"),
        ("中\U0001f642", "[U+4E2D][U+1F642]"),
        ("\ud800", "[U+D800]"),
        ("e\u0301\u0301\u0301", "e\u0301\u0301[U+0301]"),
        ("", ""),
    ],
)
def test_every_character_is_seen_or_named(text, told):
    assert shown(text, 100) == told


def test_what_is_too_long_is_cut_and_says_so():
    assert shown("a" * 10_000, 20) == "a" * 19 + "…"
    assert shown("a" * 20, 20) == "a" * 20
    assert shown("ab\u202e" * 9, 12) == "ab[U+202E]a…"  # no half of a code point's name


@given(st.text(), st.integers(1, 60))
def test_no_text_is_longer_than_its_limit_or_holds_what_paper_cannot_show(text, limit):
    told = shown(text, limit)
    assert len(told) <= limit
    assert all(map(known, told))


def test_a_word_that_finds_room_is_not_broken():
    assert pieces("three short words", 5.0) == ["three short words"]
    assert pieces("", 5.0) == []


def test_a_long_word_is_broken_where_its_line_ends():
    told = pieces("see " + "W" * 40 + " end", 10.0)
    assert "".join(told) == "see " + "W" * 40 + " end"
    assert told[0] == "see "
    assert max(width(piece.split(" ")[0]) for piece in told) <= 10.0


@given(st.text(alphabet="abW .-1", max_size=60), st.floats(1.0, 20.0))
def test_pieces_are_the_text_and_no_word_in_them_is_wider_than_the_line(text, room):
    told = pieces(text, room)
    assert "".join(told) == text or "".join(told) == text.removesuffix(" ")
    assert all(width(word) <= room for piece in told for word in piece.split(" "))


def test_a_listing_numbers_lines_and_marks_their_continuations():
    told = lines("ab\n\n" + "x" * 25 + "\r\n\tq\n", 10, 4)
    assert told == [(1, "ab"), (2, ""), (3, "x" * 10), (0, "x" * 10), (0, "x" * 5), (4, "    q")]


def test_a_listing_cuts_a_line_without_end():
    told = lines("y" * 10_000, 10, 2)
    assert told == [(1, "y" * 10), (0, "y" * 9 + "…")]


def test_the_typeface_tells_what_it_lacks():
    assert known("A")
    assert not known("中")
    assert 0.5 < advance("a") < advance("W") < 1.1


def test_a_unit_stays_on_the_line_of_its_number():
    told = with_units("adds 0.395 s, at 5 mm/s; 2 points fail")
    assert told == "adds 0.395\u00a0s, at 5\u00a0mm/s; 2 points fail"
    assert all(map(known, told))
