"""``palpeur biped … --out``: what stands in the folder, byte by byte."""

from __future__ import annotations

import csv
import json
import re

import pytest

from reports.biped import figures
from tests.cases import SOAK

FIGURES = [
    *("balance", "margin", "chronophotograph", "joint-position", "joint-speed", "joint-torque"),
    *("motor-speed", "motor-torque"),
]
FILES = {"provenance.json", "motion.json", "motion.csv", "page.html"}


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture
def files(first_figures):
    return FILES | first_figures(figures, FIGURES)


def test_a_motion_is_written_whole_and_offline(palpeur, tmp_path, files):
    out = tmp_path / "leg"
    asked = ("biped", "squat", "bip-leg", "--duration", "1", "--knee", "50", "--out", out)
    ran = palpeur(*asked, "--json")
    first = contents(out)
    assert set(first) == files
    assert json.loads(first["motion.json"]) == ran.json
    with (out / "motion.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [float(row["tau3_nm"]) for row in rows] == [
        tau[2] for tau in ran.json["samples"]["tau_nm"]
    ]
    page = first["page.html"].decode()
    assert not re.search(r"""(?:href|src|action)\s*=\s*["']?\s*(?:https?:)?//""", page)
    assert not re.search(r"https?://(?!www\.w3\.org/)", page)  # names of XML are no links
    if SOAK:  # as workspaces of platforms are in the gate, too
        assert palpeur(*asked).code == ran.code  # an earlier motion may be replaced
        assert contents(out) == first
    assert [path.name for path in tmp_path.iterdir()] == ["leg"]  # nothing is left beside it


@pytest.mark.soak
def test_a_fall_is_written_all_the_same(palpeur, tmp_path, files):
    out = tmp_path / "fall"
    asked = ("biped", "tilt", "bip-leg", "--to", "0,20", "--duration", "2", "--frozen")
    ran = palpeur(*asked, "--out", out)
    assert ran.code == 1
    assert set(contents(out)) == files
    assert "written to" in ran.err
    page = (out / "page.html").read_text(encoding="utf-8")
    assert "over the toe" in page
    assert f"palpeur {' '.join(asked)}" in page  # the command that makes the same again


def test_a_folder_of_others_is_refused_before_the_work(palpeur, tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    ran = palpeur("biped", "walk", "bip2000", "--out", tmp_path)
    assert (ran.code, ran.out) == (2, "")
    assert "holds notes.txt" in ran.err
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]
