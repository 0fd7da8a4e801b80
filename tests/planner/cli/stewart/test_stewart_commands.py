"""``palpeur stewart …``: answers, exit codes, messages."""

from __future__ import annotations

import json

import numpy as np
import pytest

from robots.stewart.library import load
from robots.stewart.platform import lengths

HOME = "x_mm,y_mm,z_mm,rz_deg,ry_deg,rx_deg\n0,0,565.4,5,0,0\n"


@pytest.fixture
def table(tmp_path):
    def write(text):
        path = tmp_path / "table.csv"
        path.write_text(text)
        return path

    return write


def test_the_published_motion_is_infeasible_and_says_which_leg_by_how_much_and_when(palpeur):
    ran = palpeur("stewart", "move", "staicu-stewart", "--published", "--json")
    document = ran.json
    assert ran.code == 1
    assert (document["format"], document["feasible"], document["duration_s"]) == (1, False, 3.0)
    # stewart.md, item 1; printed to 0.01 N
    first = [1068.00, 1047.87, 1200.24, 1083.72, 1079.64, 900.77]
    middle = [1023.60, 807.04, 696.73, 823.33, 1044.07, 1244.81]
    forces = np.array(document["samples"]["forces_n"])
    assert forces[0] == pytest.approx(first, abs=6e-3)
    assert forces[150] == pytest.approx(middle, abs=6e-3)
    found = {f["where"]: f for f in document["findings"]}
    assert set(found) == {"leg B", "leg D", "leg F"}
    assert {f["code"] for f in document["findings"]} == {"S201"}
    assert (
        "1.4891 s leg F: shortest length 2800 mm is missed by 469.9 mm"
        in (found["leg F"]["message"])
    )


def test_the_published_motion_may_have_other_strokes(palpeur, tmp_path):
    """The same joints with a shorter leg: leg F comes down to 2330 mm, and that is allowed."""
    text = palpeur("stewart", "show", "staicu-stewart", "--toml").out
    assert "min_mm = 2800" in text
    path = tmp_path / "shorter.toml"
    path.write_text(text.replace("min_mm = 2800", "min_mm = 2300"))
    ran = palpeur("stewart", "move", path, "--published", "--period-ms", "100")
    assert ran.code == 0, ran.out


def test_inverse_and_forward_are_each_other_s_inverse(palpeur, table):
    ran = palpeur("stewart", "inverse", "measuring-hexapod", "--poses", table(HOME), "--json")
    assert ran.code == 0
    found = ran.rows[0]["lengths_m"]
    header = ",".join(f"l{k}_m" for k in range(1, 7))
    text = f"{header}\n{','.join(map(repr, found))}\n"
    back = palpeur("stewart", "forward", "measuring-hexapod", "--lengths", table(text), "--json")
    assert back.code == 0
    row = back.rows[0]
    assert row["certified"]
    assert np.array(row["T"])[:3, 3] == pytest.approx([0, 0, 0.5654], abs=1e-9)
    assert row["T"][1][0] == pytest.approx(np.sin(np.radians(5.0)), abs=1e-9)


def test_static_forces_are_the_closed_form_s(palpeur, table):
    poses = table("x_m,y_m,z_m\n0,0,1.0770329614269008\n")
    ran = palpeur("stewart", "dynamics", "staicu-stewart", "--poses", poses, "--json")
    assert ran.code == 0
    assert ran.rows[0]["forces_n"] == pytest.approx([1036.7536] * 6, abs=5e-5)


def test_a_pose_outside_names_the_leg(palpeur, table):
    poses = table("x_mm,y_mm,z_mm\n0,0,700\n")
    ran = palpeur("stewart", "inverse", "measuring-hexapod", "--poses", poses, "--json")
    assert ran.code == 1
    assert not ran.rows[0]["within_limits"]
    assert ran.rows[0]["limits"][0]["limit"] == "longest"


def test_the_least_time_is_bound_by_a_leg(palpeur):
    ran = palpeur(
        *("stewart", "move", "measuring-hexapod", "--to", "20,0,560,0,3,0"),
        *("--law", "trapezoid", "--json"),
    )
    assert ran.code == 0
    assert ran.json["binding"].startswith("leg ")
    # Measured 2e-14 J at 0.84 J: dry friction stands in both sums at the same nodes, and what is
    # left is smooth between the law's breaks, where Gauss' rule is exact to rounding.
    kept = ran.json["net_work_j"] - ran.json["friction_j"]
    assert kept == pytest.approx(ran.json["energy_change_j"], abs=1e-12)


def test_calibration_recovers_shifted_points(palpeur, table, tmp_path):
    platform = load("measuring-hexapod")
    rng = np.random.default_rng(7)
    rows = np.hstack([rng.uniform(-30, 30, (12, 3)), rng.uniform(-8, 8, (12, 3))])
    rows[:, 2] += 565.4
    from robots.core.pose import make_pose, rotation_zyx

    T = make_pose(rotation_zyx(np.radians(rows[:, 3:])), 1e-3 * rows[:, :3])
    lines = np.hstack([rows, 1e3 * (lengths(platform, T) - 1e-3)]).tolist()
    header = "x_mm,y_mm,z_mm,rz_deg,ry_deg,rx_deg," + ",".join(f"l{k}_mm" for k in range(1, 7))
    text = "\n".join([header, *(",".join(map(repr, line)) for line in lines)])
    out = tmp_path / "corrected.toml"
    ran = palpeur(
        *("stewart", "calibrate", "measuring-hexapod", "--measured", table(text)),
        *("--out", out, "--json"),
    )
    assert ran.code == 0
    assert [leg["offset_m"] for leg in ran.json["legs"]] == pytest.approx([1e-3] * 6, abs=1e-9)
    assert palpeur("stewart", "show", out, "--json").code == 0


@pytest.mark.soak
def test_a_slice_has_an_area(palpeur):
    ran = palpeur("stewart", "workspace", "measuring-hexapod", "--z", "570", "--json")
    assert ran.code == 0
    assert ran.json["z_m"] == pytest.approx(0.57)
    assert ran.json["position"]["area_m2"] > 0.1


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("move", "staicu-stewart", "--to", "0,0,5000"), "--to is outside the workspace"),
        (("move", "staicu-stewart", "--to", "0,0,1100"), "choose a duration"),
        (
            ("move", "staicu-stewart", "--to", "0,0,1100", "--duration", "-2"),
            "--duration is -2 s; give a finite number above 0, or leave it out for the minimum "
            "that the legs allow.",
        ),
        (("move", "staicu-stewart"), "--to is missing"),
        (("move", "staicu-stewart", "--to", "0,nan,1100"), "value 2 is 'nan'"),
        (("move", "staicu-stewart", "--published", "--to", "home"), "leave out --from"),
        (
            ("move", "measuring-hexapod", "--published"),
            "those of measuring-hexapod stand elsewhere. Give --to a pose, or take staicu-stewart",
        ),
        (("workspace", "measuring-hexapod", "--z", "nan"), "finite height"),
        (("show", "staicu"), "did you mean"),
    ],
)
def test_bad_input_ends_with_one_message(palpeur, arguments, told):
    ran = palpeur("stewart", *arguments)
    assert ran.code == 2
    assert told in ran.err
    assert ran.out == ""


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("x_mm,y_mm,z_mm\n0,nan,1\n", "line 2, column y_mm: found 'nan'; expected a finite number"),
        ("x_mm,y_mm\n0,0\n", "column z_mm is missing beside x_mm, y_mm"),
        ("x_mm,y_mm,z_mm,rz_dge\n0,0,0,0\n", "did you mean rz_deg?"),
        ("vx_m_s,vy_m_s,vz_m_s\n0,0,0\n", "a pose needs the columns x_mm, y_mm, z_mm"),
        ("x_mm,y_mm,z_mm\n0,0\n", "2 cells where the header has 3 columns"),
        ("", "the file is empty"),
    ],
)
def test_a_wrong_table_is_told_with_line_and_column(palpeur, table, text, told):
    ran = palpeur("stewart", "inverse", "measuring-hexapod", "--poses", table(text))
    assert ran.code == 2
    assert told in ran.err


def test_a_stroke_upside_down_is_refused(palpeur, tmp_path):
    text = palpeur("stewart", "show", "staicu-stewart", "--toml").out
    path = tmp_path / "bad.toml"
    path.write_text(text.replace("max_mm = 5500", "max_mm = 2000"))
    ran = palpeur("stewart", "show", path)
    assert ran.code == 2
    assert "is not below" in ran.err or "not below max_mm" in ran.err


def test_every_finding_of_a_motion_has_its_page(palpeur):
    for number in range(201, 212):
        assert palpeur("explain", f"S{number}").code == 0


def test_the_list_is_json(palpeur):
    assert "staicu-stewart" in json.dumps(palpeur("stewart", "list", "--json").json)
