"""Directions in words."""

import pytest

from robots.biped.posture.ground import WAYS, heading


@pytest.mark.parametrize("word", WAYS)
def test_a_way_is_called_by_its_word(word):
    assert heading(WAYS[word]) == word


def test_others_are_told_by_their_numbers():
    assert heading((0.6, -0.8)) == "towards (0.6, -0.8)"
