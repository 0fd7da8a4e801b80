"""``palpeur sample``: points on features of files and library parts."""

from __future__ import annotations

import numpy as np
import pytest

from parts.library import open_part, stl_bytes
from parts.points import read_points


def test_nine_points_of_the_plate_as_a_file_that_reads_back(palpeur, tmp_path):
    """Stations of [LAMMARI12] tables VI.7 along x and y: 3 × 3 in the middle of 600 × 450 mm."""
    path = tmp_path / "nine.csv"
    ran = palpeur(
        "sample", "inclined-plate", "--feature", "top", "--strategy", "grid", "--count", "9",
        "--edge-margin-mm", "20", "--out", path, "--json",
    )  # fmt: skip
    assert ran.code == 0
    document = ran.json
    assert document["feature"] == {"name": "top", "kind": "plane"}
    points = read_points(path).points
    assert len(points) == len(document["points"]) == 9
    plane = points.positions @ [0.10, 0.25, 1.0]
    assert np.abs(plane - 0.40).max() < 1e-15
    assert np.abs(points.normals - np.array([0.10, 0.25, 1]) / np.sqrt(1.0725)).max() < 1e-15
    shown = np.array([[row[key] for key in ("x_mm", "y_mm", "z_mm")] for row in document["points"]])
    assert np.abs(shown / 1000 - points.positions).max() < 1e-15
    assert set(points.features) == {"top"}


def test_csv_goes_to_stdout_and_words_to_stderr(palpeur, file):
    ran = palpeur("sample", "block", "--feature", "hole-20", "--strategy", "circles",
                  "--count", "12", "--prefix", "H")  # fmt: skip
    assert ran.code == 0
    assert ran.out.startswith("name,x_mm,y_mm,z_mm,nx,ny,nz,feature\nH1,")
    points = read_points(file("back.csv", ran.out)).points
    radii = np.linalg.norm(points.positions[:, :2] - 0.020, axis=1)
    assert np.abs(radii - 0.010).max() < 1e-15
    assert "12 points (circles) on cylinder 'hole-20'. " in ran.err
    assert "Star discrepancy 0." in ran.err
    assert palpeur("sample", "block", "--feature", "cone", "--quiet").err == ""


def test_an_stl_file_needs_its_unit(palpeur, file):
    path = file("block.stl", stl_bytes(open_part("block").geometry.mesh))
    ran = palpeur("sample", path, "--feature", "nearest:100,20,30", "--unit", "mm", "--json",
                  "--edge-margin-mm", "2", "--count", "16")  # fmt: skip
    assert ran.code == 0
    assert ran.json["feature"]["kind"] == "plane"
    assert all(abs(row["z_mm"] - 30) < 1e-5 and row["nz"] == 1.0 for row in ran.json["points"])
    refused = palpeur("sample", path, "--feature", "facets")
    assert refused.code == 2
    assert "unit" in refused.err


def test_count_from_a_target(palpeur):
    asked = ("sample", "block", "--feature", "hole-20", "--target-um", "1", "--sigma-um", "2")
    document = palpeur(*asked, "--json").json
    assert 20 <= len(document["points"]) <= 80
    assert document["fit"]["parameters"] == 5
    assert 2.0 * document["fit"]["surface_per_sigma"] <= 1.0


def test_a_stylus_that_fits(palpeur):
    stylus = ("--ball-diameter-mm", "4", "--shank-diameter-mm", "3", "--stylus-length-mm", "50")
    hole = ("sample", "block", "--feature", "hole-12", "--count", "8", *stylus)
    assert palpeur(*hole, "--stylus-axis", "0,0,1").code == 0
    refused = palpeur(*hole)
    assert refused.code == 2
    assert "the stylus would touch elsewhere" in refused.err


def test_points_that_determine_nothing_are_told(palpeur):
    ran = palpeur("sample", "block", "--feature", "cone", "--count", "4")
    assert ran.code == 0
    assert "do not determine the 6 parameters" in ran.err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("blok", "--feature", "top"), "did you mean 'block'?"),
        (("nothing.stl", "--feature", "top"), "nothing.stl"),
        (("block", "--feature", "bore"), "has no feature 'bore'"),
        (("block", "--feature", "top", "--strategy", "gird"), "no strategy 'gird'"),
        (("block", "--feature", "top", "--count", "5", "--target-um", "1"), "exclude each other"),
        (("block", "--feature", "top", "--count", "-5"), "--count is -5; it must be above zero."),
        (("block", "--feature", "top", "--edge-margin-mm", "100"), "smaller edge margin"),
        (("block", "--feature", "top", "--shank-diameter-mm", "1"), "needs --ball-diameter-mm"),
        (("block", "--feature", "top", "--ball-diameter-mm", "1", "--stylus-axis", "up"),
         "is no direction"),
        (("block",), "--feature"),
    ],
)  # fmt: skip
def test_faults_end_with_one_message_and_code_2(palpeur, arguments, told):
    ran = palpeur("sample", *arguments)
    assert ran.code == 2
    assert told in ran.err
    assert ran.out == ""
