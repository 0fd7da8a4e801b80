"""Datums of planes and a hole, and three points, which have no flatness."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pytest

HEAD = """format = 1
job.name = "plate"
robot.model = "measuring-arm"
probe = {{ stylus_length_mm = 120, ball_diameter_mm = 4 }}
part.pose = {{ translation_mm = [300, 1500, 300] }}
points.file = "points.csv"
points.frame = "part"
points.compensated = true
[evaluation]
{evaluation}
{tolerance}
"""


def points():
    """A top plane, a front, a side, and a bore of 20 mm."""
    rows = [("top", p, (0, 0, 1)) for p in ((5, 5, 0), (95, 5, 0), (50, 75, 0))]
    rows += [("front", p, (0, -1, 0)) for p in ((10, 0, -10), (90, 0, -10))]
    rows += [("side", (0, 40, -10), (-1, 0, 0))]
    for k in range(6):
        c, s = np.cos(k * np.pi / 3), np.sin(k * np.pi / 3)
        rows.append(("bore", (50 + 10 * c, 40 + 10 * s, -5 - k), (-c, -s, 0)))
    return [(f"P{k}", *row) for k, row in enumerate(rows)]


@pytest.fixture
def evaluated(palpeur, tmp_path):
    """``evaluated(evaluation, tolerance)``: what the command says of a perfect plate."""
    lines = ["name,x_mm,y_mm,z_mm,nx,ny,nz,feature"]
    for name, feature, p, n in points():
        lines.append(",".join([name, *map(repr, map(float, (*p, *n))), feature]))
    (tmp_path / "points.csv").write_text("\n".join(lines) + "\n")
    measured = ["name,x_mm,y_mm,z_mm", *(",".join(line.split(",")[:4]) for line in lines[1:])]
    (tmp_path / "measured.csv").write_text("\n".join(measured) + "\n")

    def run(evaluation, tolerance="", *options):
        job = tmp_path / "job.toml"
        job.write_text(HEAD.format(evaluation=evaluation, tolerance=tolerance))
        with warnings.catch_warnings():
            warnings.simplefilter("error", RuntimeWarning)
            return palpeur("evaluate", job, tmp_path / "measured.csv", *options)

    return run


FRAME = "compensated = true\n"


@pytest.mark.parametrize("datums", ['["top", "bore", "front"]', '["top", "front", "bore"]'])
def test_a_hole_is_a_datum(evaluated, datums):
    ran = evaluated(f'{FRAME}alignment = "datums"\ndatums = {datums}', "", "--json")
    assert ran.code == 0, ran.err
    alignment = json.loads(ran.out)["alignment"]
    assert alignment["datums"] == json.loads(datums)
    assert alignment["rms_after_m"] < 1e-12
    np.testing.assert_allclose(alignment["T_part_measured"], np.eye(4), atol=1e-12)


@pytest.mark.parametrize(
    ("datums", "motion"),
    [
        ('["bore", "front", "side"]', "it can slide along (0, 0, 1)"),
        # the normal of the one point of the side leads through the axis of the bore
        ('["top", "bore", "side"]', "it can turn about (0, 0, 1)"),
    ],
)
def test_datums_that_leave_the_part_free_are_refused_with_the_motion(evaluated, datums, motion):
    ran = evaluated(f'{FRAME}alignment = "datums"\ndatums = {datums}')
    assert ran.code == 2
    assert f"leave the part free: {motion}" in ran.err
    assert "nan" not in ran.err


def test_flatness_of_three_points_is_not_evaluated(evaluated):
    asked = '[[tolerance]]\nfeature = "top"\nkind = "flatness"\nvalue_mm = 0.1\n'
    ran = evaluated(f'{FRAME}alignment = "none"', asked, "--json")
    document = json.loads(ran.out)
    top = next(one for one in document["features"] if one["name"] == "top")
    assert top["least_squares"]["degrees_of_freedom"] == 0
    assert (top["least_squares"]["form_m"], top["least_squares"]["rms_m"]) == (None, None)
    kinds = {(one["feature"], one["kind"]) for one in document["characteristics"]}
    assert ("top", "flatness") not in kinds
    findings = {one["code"]: one for one in document["findings"] if "top" in one["where"]}
    assert "without one to spare" in findings["E109"]["message"]
    assert findings["E120"]["severity"] == "note"
    assert "flatness" not in evaluated(f'{FRAME}alignment = "none"').out.partition("Findings")[0]
