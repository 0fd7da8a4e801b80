"""Faulty platform files: one error with file, line, key, what was found and what helps."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robots.core.errors import RobotFileError
from robots.stewart.library import text_of
from robots.stewart.platform_file import load_file, read_platform
from tests.cases import cases

GOOD = text_of("measuring-hexapod")


def fault(text: str) -> RobotFileError:
    with pytest.raises(RobotFileError) as caught:
        read_platform(text, origin="p.toml")
    return caught.value


def changed(old: str, new: str, count: int = 1) -> str:
    assert old in GOOD
    return GOOD.replace(old, new, count)


@pytest.mark.parametrize(
    ("old", "new", "key", "words"),
    [
        ("min_mm = 505", "min_cm = 50.5", "leg_defaults.min_cm", "min_mm expected"),
        ("radius_mm = 20", "radus_mm = 20", "leg_defaults.radus_mm", "did you mean 'radius_mm'?"),
        ("max_mm = 705", "max_mm = nan", "leg_defaults.max_mm", "a finite number"),
        ("mass_kg = 8", "mass_kg = -8", "platform.mass_kg", "zero or more"),
        ("mass_kg = 8", 'mass_kg = "8"', "platform.mass_kg", "a number"),
        ("min_mm = 505", "min_mm = 805", "leg_defaults.min_mm", "not below max_mm = 705 mm"),
        ('name = "2"', 'name = "1"', "leg[1].name", "as is that of another leg"),
        ('end = "spherical"', 'end = "ball"', "leg_defaults.end", "'spherical' or 'cardan'"),
        ("home = {", "hom = {", "stewart.hom", "did you mean 'home'?"),
        ("[platform]", "[platfrom]", "platfrom", "did you mean 'platform'?"),
        ("com_mm = [0, 0, 10]", "com_mm = [0, 0]", "platform.com_mm[2]", "is missing"),
        ('at = "com"', "", "platform.at", 'at = "com"'),
    ],
)
def test_a_fault_is_told_with_its_key_and_a_fix(old, new, key, words):
    error = fault(changed(old, new))
    assert error.facts["key"] == key
    assert words in error.message
    assert error.message.startswith("p.toml, line ")


def test_a_stroke_of_one_leg_names_that_leg_and_its_line():
    text = changed('name = "3"\n', 'name = "3"\nmin_mm = 900\n')
    error = fault(text)
    assert error.facts["leg"] == "3"
    assert text.splitlines()[error.facts["line"] - 1] == "min_mm = 900"


def test_another_number_of_legs():
    error = fault(GOOD[: GOOD.rindex("[[leg]]")])
    assert "has 5 tables; a Stewart-Gough platform has 6 legs" in error.message


def legs(base: list[str], platform: list[str]) -> str:
    head = 'format = 1\n[stewart]\nname = "x"\nhome = { translation_mm = [0, 0, 900] }\n'
    tables = (
        f'[[leg]]\nname = "{k}"\nbase_mm = [{a}]\nplatform_mm = [{b}]\n'
        for k, (a, b) in enumerate(zip(base, platform, strict=True))
    )
    return head + "".join(tables)


ROUND = ["1000, 0, 0", "0, 1000, 0", "-1000, 0, 0", "0, -900, 0", "500, 500, 0", "-500, 400, 0"]
LINE = [f"{x}, {2 * x}, 0" for x in (-300, -200, -100, 100, 200, 300)]


def test_points_on_one_line_or_in_one_point_carry_no_platform():
    assert "lie on one line" in fault(legs(LINE, ROUND)).message
    assert fault(legs(ROUND, LINE)).facts["key"] == "leg[0].platform_mm"
    assert "are one point" in fault(legs(ROUND, ["1, 2, 3"] * 6)).message


def test_two_legs_between_the_same_points():
    error = fault(legs([ROUND[0], *ROUND[:5]], [ROUND[1], ROUND[1], *ROUND[2:]]))
    assert error.facts["legs"] == ("0", "1")
    assert "one of them does nothing" in error.message


def test_a_leg_without_length_at_home():
    error = fault(legs(ROUND, ["1000, 0, -900", *ROUND[2:], "100, 200, 0"]))
    assert "leg '0' has no length" in error.message


def test_a_first_axis_along_the_leg():
    text = legs(ROUND, ["1000, 0, 0", *ROUND[2:], "100, 200, 0"])
    error = fault(text.replace('name = "0"\n', 'name = "0"\nfirst_axis = [0, 0, 2]\n'))
    assert "turn it across the leg" in error.message
    error = fault(text.replace('name = "0"\n', 'name = "0"\nfirst_axis = [0, 0, 0]\n'))
    assert "has no direction" in error.message


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(RobotFileError, match="cannot be read"):
        load_file(tmp_path / "none.toml")


@settings(max_examples=cases(gate=10, soak=60), deadline=None)
@given(st.data())
def test_a_damaged_file_is_read_or_refused_but_never_crashes(data):
    at = data.draw(st.integers(0, len(GOOD) - 1))
    piece = data.draw(st.text(max_size=6))
    cut = data.draw(st.integers(0, 30))
    with suppress(RobotFileError):
        assert len(read_platform(GOOD[:at] + piece + GOOD[at + cut :]).legs) == 6
