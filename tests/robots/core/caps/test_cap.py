"""The list of caps, and what the environment may do to it."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

import robots.core.caps as leaf
from robots.core.caps import PREFIX, Cap, changed_caps, check_environment
from robots.core.errors import CapError


@pytest.fixture(autouse=True)
def no_caps_in_the_environment(monkeypatch):
    for cap in Cap:
        monkeypatch.delenv(cap.variable, raising=False)


def test_every_cap_says_what_it_is():
    for cap in Cap:
        assert cap.limit == cap.default >= 1
        assert cap.variable == PREFIX + cap.name
        assert cap.unit
        assert cap.meaning
        assert cap.variable in cap.advice


def test_two_caps_are_never_one():
    """Equal members of an enumeration would be one and the same; `unique` refuses them."""
    assert len({cap.variable for cap in Cap}) == len(Cap)


def test_the_environment_changes_a_cap_at_once(monkeypatch):
    monkeypatch.setenv("PALPEUR_CAP_POINTS", "12")
    assert Cap.POINTS.limit == 12
    assert changed_caps() == {"POINTS": 12}
    monkeypatch.setenv("PALPEUR_CAP_POINTS", "2_000_000")
    assert Cap.POINTS.limit == 2_000_000
    monkeypatch.setenv("PALPEUR_CAP_POINTS", str(Cap.POINTS.default))
    assert changed_caps() == {}


@pytest.mark.parametrize("text", ["", "0", "-1", "1.5", "many", "1e6", "inf", "9" * 20, "9" * 9999])
def test_a_bad_value_is_told(monkeypatch, text):
    monkeypatch.setenv("PALPEUR_CAP_POINTS", text)
    with pytest.raises(CapError, match=r"PALPEUR_CAP_POINTS=.*at least 1 .*Without it, 500000"):
        _ = Cap.POINTS.limit
    with pytest.raises(CapError, match="PALPEUR_CAP_POINTS"):
        check_environment()


def test_a_misspelt_cap_is_told(monkeypatch):
    check_environment()
    monkeypatch.setenv("PALPEUR_CAP_POINT", "12")
    with pytest.raises(CapError, match=r"sets PALPEUR_CAP_POINT, .*doctor --caps"):
        check_environment()


def test_the_leaf_imports_nothing_but_the_errors():
    """Every room imports it: what it imports, parts would import too."""
    allowed = ("robots.core.caps", "robots.core.errors")
    for node in ast.walk(ast.parse(Path(leaf.__file__).read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("robots"):
            assert node.module.startswith(allowed), node.module
        elif isinstance(node, ast.ImportFrom):
            assert (node.module or "").partition(".")[0] in sys.stdlib_module_names
        elif isinstance(node, ast.Import):
            assert all(alias.name in sys.stdlib_module_names for alias in node.names)


def test_every_cap_is_used_and_none_is_declared_elsewhere():
    """A cap without a user would promise what nobody keeps."""
    root = Path(leaf.__file__).resolve().parents[2]
    rooms = ("parts", "robots", "planner", "reports")
    files = [file for room in rooms for file in (root / room).rglob("*.py")]
    text = "\n".join(f.read_text(encoding="utf-8") for f in files)
    unused = [cap.name for cap in Cap if f"Cap.{cap.name}" not in text]
    assert unused == []
