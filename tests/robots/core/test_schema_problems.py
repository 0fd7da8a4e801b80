"""The one translator of schema errors, on a small format of its own, and the one number rule."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import PydanticCustomError

from robots.core.errors import RobotFileError
from robots.core.robot_file.source_text import SourceText
from robots.core.schema_numbers import Within, decimal_number, json_schema_of
from robots.core.schema_problems import Fault, Vocabulary, one_error, schema_error, shown

Size = Annotated[Decimal, Within(low=Decimal(0), high=Decimal(10), above=True)]


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Screw(Strict):
    kind: Literal["screw"]
    pitch_mm: Size


class Crank(Strict):
    kind: Literal["crank"]
    radius_mm: Size = Field(description="distance of the pin from the axis")
    joints: tuple[str, str] = ("a", "b")


class File(Strict):
    name: str
    drive: tuple[Annotated[Screw | Crank, Field(discriminator="kind")], ...] = ()
    size_mm: Size = Decimal(1)


WORDS = Vocabulary(root=File, wanted={"name": "a name in quotes"}, entries="joint", described=True)
CRANK = '[[drive]]\nkind = "crank"\n'


def fault(text):
    source = SourceText(origin="f.toml", text=text)
    with pytest.raises(ValidationError) as raised:
        File.model_validate(source.document())
    return schema_error(source, raised.value, WORDS)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "name = 'a'\ntolerance_mm = 1",  # size_mm is like it in nothing but the unit
            "line 2: tolerance_mm is not a known key; known here: drive, name, size_mm.",
        ),
        ("nme = 1\nname = 'a'", "line 1: nme is not a known key; did you mean 'name'?"),
        ("", "f.toml: name is missing; give a name in quotes."),
        ("name = 4", "line 1: name is 4; expected a name in quotes."),
        ("name = 'a'\nsize_mm = 0", "size_mm is 0; expected a number above 0, at most 10."),
        ("name = 'a'\nsize_mm = true", "size_mm is true; expected a number above 0, at most 10."),
        (
            f"name = 'a'\n{CRANK}radius_mm = 1\npitch_mm = 2",
            "line 5: drive[0].pitch_mm is not a known key of a crank drive; known here: joints",
        ),
        (
            f"name = 'a'\n{CRANK}",
            "drive[0].radius_mm is missing; give it. It is the distance of the pin from the axis.",
        ),
        (
            f"name = 'a'\n{CRANK}radius_mm = 1\njoints = ['a']",
            "line 5: drive[0].joints has too few entries; give one per joint.",
        ),
        (
            f"name = 'a'\n{CRANK}radius_mm = 1\njoints = ['a', 'b', 'c']",
            "drive[0].joints has 3 entries; 2 expected, one per joint of this kind.",
        ),
        ("name = 'a'\n[[drive]]\na = 1", 'has no kind; give kind = "screw" or "crank".'),
        ("name = 'a'\n[[drive]]\nkind = 'x'", 'has kind \'x\'; expected "screw" or "crank".'),
    ],
)
def test_a_fault_has_its_place_what_is_there_and_what_is_wanted(text, message):
    assert message in fault(text).message


def test_facts_are_those_of_the_first_fault_a_misspelling_before_what_it_leaves_missing():
    error = fault("nme = 'a'")
    assert error.facts == {"file": "f.toml", "key": "nme", "line": 1, "found": "'a'"}
    assert "name is missing" in error.message.splitlines()[1]


def test_five_faults_are_told_and_the_others_counted():
    faults = [Fault(path=(f"k{n}",), sentence="is wrong.") for n in range(7)]
    error = one_error(SourceText(origin="f.toml", text=""), faults)
    assert isinstance(error, RobotFileError)
    assert len(error.message.splitlines()) == 6
    assert error.message.endswith("f.toml: and 2 more faults.")


@pytest.mark.parametrize(
    ("value", "text"),
    [({"a": 1}, "a table"), ([True, Decimal("1.50")], "[true, 1.50]"), ("x" * 80, "'" + "x" * 56)],
)
def test_values_are_shown_as_the_file_writes_them(value, text):
    assert shown(value).startswith(text)
    assert len(shown(value)) <= 60


@pytest.mark.parametrize("value", [True, "1", None, [1], float("nan"), Decimal("1e300")])
def test_what_is_no_finite_number_is_refused(value):
    with pytest.raises(PydanticCustomError):
        decimal_number(value)


def test_a_number_stays_the_decimal_of_the_file_and_what_rounds_to_zero_is_zero():
    assert str(decimal_number(Decimal("409.820"))) == "409.820"
    assert decimal_number(Decimal("-1e-400")).compare_total(Decimal(0)) == 0


def test_json_schema_has_its_decimal_defaults_as_numbers():
    schema = json_schema_of(File)
    assert schema["properties"]["size_mm"]["default"] == 1.0
    assert schema["properties"]["size_mm"]["exclusiveMinimum"] == 0.0
