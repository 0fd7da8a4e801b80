"""``palpeur part``: features by number, pictures, health; ``sample --all``."""

from __future__ import annotations

import tomllib

import numpy as np
import pytest

from parts.library import open_part, stl_bytes
from parts.points import read_points
from tests.cases import SOAK


def test_features_in_json_are_those_of_the_contract(palpeur):
    document = palpeur("part", "show", "block", "--json").json
    assert document["format"] == 1
    assert (document["source"], document["unit"], document["watertight"]) == ("block", "m", True)
    faces = {face["index"]: face["feature"] for face in document["faces"]}
    features = {one["name"]: one for one in document["features"]}
    assert all(name in features for name in faces.values())
    assert all(faces[face] == name for name, one in features.items() for face in one["faces"])
    hole = features["hole-20"]
    assert (hole["kind"], hole["through"], hole["opening"]) == ("hole", True, "plain")
    assert hole["diameter_mm"] == pytest.approx(20.0, abs=1e-12)
    assert hole["depth_mm"] == pytest.approx(30.0, abs=1e-12)
    assert hole["axis"] == [0.0, 0.0, 1.0]
    assert hole["point_mm"] == pytest.approx([20.0, 20.0, 30.0], abs=1e-12)
    assert all(0.5 < one["visible"] <= 1.0 for one in features.values())
    assert {"datums", "tolerances", "unread"} <= set(document)


def test_table_has_the_numbers_of_picture_and_page(palpeur, tmp_path, monkeypatch):
    monkeypatch.setattr("reports.part.picture._PIXELS", 200)  # seconds for a million pixels
    page, png = tmp_path / "part.html", tmp_path / "part.png"
    ran = palpeur("part", "show", "block", "--html", page, "--picture", png)
    assert ran.code == 0
    assert f"Page written to {page}." in ran.err
    line = next(row for row in ran.out.splitlines() if "hole-30" in row)
    assert line.split()[0] == "8"
    assert "through" in line
    assert png.read_bytes().startswith(b"\x89PNG")
    assert "hole-30" in page.read_text(encoding="utf-8")
    # written by Palpeur, and replaced by the same command only with --force: a PNG cannot say so
    if SOAK:  # as pages of robots are in the gate, too
        assert palpeur("part", "show", "block", "--html", page).code == 0
    refused = palpeur("part", "show", "block", "--picture", png)
    assert refused.code == 2
    assert "--force" in refused.err


def test_health_decides_the_exit_code_and_repairs_are_said(palpeur, file, tmp_path):
    assert palpeur("part", "audit", "block").code == 0
    mesh = open_part("block").geometry.mesh
    whole = stl_bytes(mesh)
    path = file("open.stl", whole[:80] + (len(mesh) - 1).to_bytes(4, "little") + whole[84:-50])
    ran = palpeur("part", "audit", path, "--unit", "mm", "--json")
    assert ran.code == 1
    assert (ran.json["sound"], ran.json["open_edges"]) == (False, 3)
    doubled = whole[:80] + (len(mesh) + 1).to_bytes(4, "little") + whole[84:] + whole[-50:]
    path, out = file("twice.stl", doubled), tmp_path / "mended.ply"
    assert palpeur("part", "audit", path, "--unit", "mm").code == 1
    mended = palpeur(
        "part", "audit", path, "--unit", "mm", "--repair", "drop-duplicates", "--out", out
    )
    assert mended.code == 0
    assert "Done: 1 triangles that repeat an earlier one were removed, as requested." in mended.out
    assert palpeur("part", "audit", out, "--unit", "m", "--json").json["sound"]


def test_bad_requests_name_what_there_is(palpeur, file):
    path = file("block.stl", stl_bytes(open_part("block").geometry.mesh))
    unknown = palpeur("part", "audit", path, "--unit", "mm", "--repair", "heal")
    assert unknown.code == 2
    needless = palpeur("part", "audit", "block", "--repair", "flip")
    assert needless.code == 2
    assert "needs none" in needless.err
    assert "drop-duplicates, wind, close, flip" in unknown.err
    several = palpeur("sample", "block", "--feature", "hole-*")
    assert several.code == 2
    assert "hole-30 (⌀30 mm)" in several.err


def test_tolerances_of_a_part_without_drawing_are_none(palpeur):
    ran = palpeur("part", "show", "block", "--as", "toml")
    assert ran.code == 0
    assert tomllib.loads(ran.out) == {}
    assert palpeur("part", "show", "block", "--as", "yaml").code == 2


def test_all_samples_every_feature_that_matches(palpeur, tmp_path):
    path = tmp_path / "bores.csv"
    ran = palpeur(
        "sample", "block", "--feature", "hole-*", "--all", "--strategy", "circles",
        "--count", "8", "--out", path, "--json",
    )  # fmt: skip
    assert ran.code == 0
    points = read_points(path).points
    assert len(points) == 24
    assert len(set(points.names)) == 24
    assert [one["feature"]["name"] for one in ran.json["features"]] == list(
        dict.fromkeys(points.features)
    )
    for name, diameter in (("hole-30", 0.030), ("hole-20", 0.020), ("hole-12", 0.012)):
        own = points.positions[[one == name for one in points.features]]
        centre = open_part("block").geometry.face(name).surface.point
        radii = np.linalg.norm((own - centre)[:, :2], axis=1)
        assert np.abs(radii - diameter / 2).max() < 1e-15
