"""``explain``, ``schema``, ``doctor`` and ``completion``."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import jsonschema
import pytest

from planner.findings import page, pages
from robots.library import text_of

ROOT = Path(__file__).resolve().parents[3]


def test_every_code_has_one_page(palpeur):
    codes = [item.code for item in pages()]
    assert codes == sorted(set(codes))
    for code in codes:
        ran = palpeur("explain", code.lower())
        assert (ran.code, ran.err) == (0, "")
        for word in (code, "Meaning", "Cause", "Fix"):
            assert word in ran.out
        assert palpeur("explain", code, "--json").json["title"] == page(code).title
    listed = palpeur("explain").out
    assert all(code in listed for code in codes)


def test_every_code_in_the_sources_has_a_page_and_is_used():
    rooms = ("planner", "reports")
    modules = [path for room in rooms for path in (ROOT / room).rglob("*.py")]
    sources = [path for path in modules if not path.name.endswith("pages.py")]
    used = {code for p in sources for code in re.findall(r"\b[BEPRS][1-9]\d{2}\b", p.read_text())}
    known = {item.code for item in pages()}
    assert used - {"R632"} == known  # FANUC's option number of KAREL


def test_an_unknown_code_names_the_nearest(palpeur):
    ran = palpeur("explain", "R10")
    assert (ran.code, ran.out) == (2, "")
    assert "R101" in ran.err
    assert palpeur("explain", "nonsense").code == 2


def test_the_robot_schema_is_json_schema(palpeur):
    document = palpeur("schema", "robot").json
    assert document["$schema"].startswith("https://json-schema.org/")
    keys = set(document["properties"])
    assert set(tomllib.loads(text_of("measuring-arm"))) <= keys


@pytest.mark.parametrize("kind", ["job", "plan"])
def test_the_other_schemas_are_json_schemas(palpeur, kind):
    jsonschema.Draft202012Validator.check_schema(palpeur("schema", kind).json)


def test_a_plan_keeps_the_published_schema(palpeur):
    from planner.library import path_of

    ran = palpeur("check", str(path_of("nine-points-corrected")), "--json")
    jsonschema.validate(ran.json, palpeur("schema", "plan").json)


def test_the_doctor_looks_at_everything(palpeur):
    ran = palpeur("doctor", "--json")
    names = {check["name"] for check in ran.json["checks"]}
    assert {"Python", "numpy", "processor", "vector width", "kernel compiler", "kernel cache",
            "pinocchio", "check_urdf", "chromium"} <= names  # fmt: skip
    assert ran.json["fit"] is (ran.code == 0)
    assert "state" in palpeur("doctor").out


def test_the_doctor_fails_for_a_missing_package(palpeur, monkeypatch):
    wanted = ["numpy>=2", "no-such-package>=1"]
    monkeypatch.setattr("planner.doctor.requires", lambda _: wanted)
    ran = palpeur("doctor")
    assert ran.code == 1
    assert "not fit" in ran.out


def test_a_cache_that_others_may_write_is_told(palpeur, monkeypatch, tmp_path):
    monkeypatch.setenv("PALPEUR_CACHE_DIR", str(tmp_path))
    (tmp_path / "kernels").mkdir()
    (tmp_path / "kernels").chmod(0o777)
    assert "others may write" in palpeur("doctor").out


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts(palpeur, shell):
    ran = palpeur("completion", shell)
    assert (ran.code, ran.err) == (0, "")
    assert "palpeur" in ran.out
    assert f"complete_{shell}" in ran.out
