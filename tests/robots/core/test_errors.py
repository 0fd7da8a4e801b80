"""The one base of all errors: what every package raises on purpose carries its facts."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from parts.errors import PartError
from planner.errors import PlannerError
from robots.core.errors import OverloadError, PalpeurError, RobotError

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize("base", [RobotError, PartError, PlannerError])
def test_every_room_stands_on_the_one_base(base):
    error = base("The hole is 3 mm off.", point="P3", row=4)
    assert isinstance(error, PalpeurError)
    assert (error.message, str(error)) == ("The hole is 3 mm off.", "The hole is 3 mm off.")
    assert error.facts == {"point": "P3", "row": 4}


def test_a_fact_is_read_with_its_type():
    error = PalpeurError("Line 4.", row=4, column="x")
    assert error.fact("row", int) == 4
    assert error.fact("column", int) is None
    assert error.fact("line", int) is None


def test_an_overload_keeps_its_numbers_as_fields():
    error = OverloadError("Too heavy.", joint=2, s=0.25, static=81.0, limit=80.0, unit="N")
    assert (error.joint, error.s, error.static, error.limit) == (2, 0.25, 81.0, 80.0)
    assert error.facts["unit"] == "N"


def test_no_class_of_errors_stands_beside_the_base():
    own = re.compile(r"^class (\w+)\((?:Exception|ValueError|RuntimeError|OSError)\):", re.M)
    found = [
        (file.relative_to(ROOT).as_posix(), name)
        for room in ("planner", "robots", "parts", "reports")
        for file in (ROOT / room).rglob("*.py")
        for name in own.findall(file.read_text(encoding="utf-8"))
    ]
    assert found == [("robots/core/errors.py", "PalpeurError")]
