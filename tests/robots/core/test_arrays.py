"""The house's one freezing function: read-only copies, and what it refuses."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from robots.core.arrays import Array, freeze_directions, freeze_fields, freeze_vectors, frozen
from robots.core.errors import MechanismError, RobotError

ROOT = Path(__file__).resolve().parents[3]


@dataclass(frozen=True, slots=True)
class Axis:
    point: Array
    direction: Array

    def __post_init__(self) -> None:
        freeze_vectors(self, "point", of="axis", error=MechanismError)
        freeze_directions(self, "direction", of="axis", error=MechanismError)


def test_a_frozen_array_is_a_copy_that_nobody_can_write_to():
    source = np.arange(3.0)
    copy = frozen(source)
    source[0] = 9.0
    assert copy.tolist() == [0.0, 1.0, 2.0]
    with pytest.raises(ValueError, match="read-only"):
        copy[0] = 1.0


def test_an_array_keeps_its_type_and_a_list_takes_the_given_one():
    assert frozen(np.array([True, False])).dtype == np.bool_
    assert frozen([1, 2], np.float64).dtype == np.float64


def test_without_a_copy_the_array_itself_is_frozen():
    source = np.arange(3.0)
    assert frozen(source, copy=None) is source
    assert not source.flags.writeable


def test_the_fields_of_a_value_are_copies_too():
    point = np.zeros(3)
    axis = Axis(point, np.array([0.0, 0.0, 1.0]))
    point[0] = 1.0
    assert axis.point.tolist() == [0.0, 0.0, 0.0]
    assert not axis.point.flags.writeable
    freeze_fields(axis, "direction", dtype=np.float32)
    assert axis.direction.dtype == np.float32


def test_only_the_rounding_of_a_direction_is_corrected():
    axis = Axis(np.zeros(3), np.array([0.0, 0.0, 1.0 + 1e-10]))
    assert axis.direction.tolist() == [0.0, 0.0, 1.0]


@pytest.mark.parametrize(
    ("point", "direction", "message", "field"),
    [
        ([0.0, 0.0], [0, 0, 1], "The axis's point is [0.0, 0.0]; expected three finite", "point"),
        ([0, 0, np.nan], [0, 0, 1], "expected three finite numbers", "point"),
        ([0, 0, 0], [0, 0, 2], "has length 2; expected a unit vector", "direction"),
    ],
)
def test_what_is_no_vector_or_no_direction_is_refused(point, direction, message, field):
    with pytest.raises(RobotError) as caught:
        Axis(point, direction)
    assert message in caught.value.message
    assert caught.value.facts["field"] == field


def test_no_other_module_defines_the_aliases_or_freezes_by_hand():
    by_hand = re.compile(r"\.writeable|setflags|^\w+ = NDArray\[np\.(float64|int64|bool_)\]", re.M)
    found = [
        name
        for room in ("planner", "robots", "parts", "reports")
        for file in (ROOT / room).rglob("*.py")
        if (name := file.relative_to(ROOT).as_posix()) != "robots/core/arrays.py"
        and by_hand.search(file.read_text(encoding="utf-8"))
    ]
    assert found == []


@pytest.mark.parametrize("leaf", ["arrays", "catalogue", "errors"])
def test_a_leaf_imports_nothing_of_the_house_but_the_errors(leaf):
    tree = ast.parse((ROOT / f"robots/core/{leaf}.py").read_text(encoding="utf-8"))
    modules = {str(n.module) for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)}
    own = {name for name in modules if name.split(".")[0] in ("planner", "robots", "parts")}
    assert own <= {"robots.core.errors"}
