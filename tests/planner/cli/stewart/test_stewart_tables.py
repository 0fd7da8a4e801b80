"""``palpeur stewart forward | inverse | dynamics``: postures, CSV, wrenches, findings."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest

from robots.core.pose import make_pose, rotation_zyx
from robots.stewart.library import load
from robots.stewart.platform import leg_vectors, lengths

HEADS = [f"l{k}_mm" for k in range(1, 7)]
DIETMAIER = [1000, 645.275, 1086.284, 1503.439, 1281.933, 771.071]  # [mm], of the paper
POSES = "x_mm,y_mm,z_mm,rz_deg,ry_deg,rx_deg\n0,0,565.4,5,0,0\n0,0,700,0,0,0\n"


@pytest.fixture
def lengths_file(file):
    """``lengths_file(values)`` → table of one row, in mm."""

    def write(values):
        return file("lengths.csv", f"{','.join(HEADS)}\n{','.join(map(repr, values))}\n")

    return write


def read(text):
    """Rows of printed CSV by head."""
    return list(csv.DictReader(io.StringIO(text)))


def column(row, heads):
    return np.array([float(row[head]) for head in heads])


def test_all_forty_postures_of_dietmaier_s_platform(palpeur, lengths_file):
    table = lengths_file(DIETMAIER)
    ran = palpeur("stewart", "forward", "dietmaier", "--lengths", table, "--all-modes", "--json")
    assert ran.code == 0
    (row,) = ran.rows
    assert (row["count"], len(row["modes"])) == (40, 40)
    assert row["statement"]
    platform = load("dietmaier")
    T = np.array([mode["T"] for mode in row["modes"]])
    # Postures are refined by Newton's method: what is left is rounding at lengths of one metre.
    wanted = np.broadcast_to(1e-3 * np.array(DIETMAIER), (40, 6))
    assert lengths(platform, T) == pytest.approx(wanted, abs=1e-12)
    apart = np.abs(T[:, None] - T[None]).max(axis=(-2, -1)) + np.eye(40)
    assert apart.min() > 1e-3


def test_all_modes_has_no_start(palpeur, lengths_file):
    table = lengths_file(DIETMAIER)
    ran = palpeur("stewart", "forward", "dietmaier", "--lengths", table, "--all-modes", "--along")
    assert ran.code == 2
    assert "--all-modes needs no start" in ran.err


def test_forward_as_csv_is_the_pose(palpeur, lengths_file):
    platform = load("measuring-hexapod")
    table = lengths_file((1e3 * lengths(platform, platform.home)).tolist())
    ran = palpeur("stewart", "forward", "measuring-hexapod", "--lengths", table, "--csv")
    assert ran.code == 0
    (row,) = read(ran.out)
    heads = [f"T{i}{j}" for i in range(1, 4) for j in range(1, 5)]
    assert list(row) == ["row", *heads, "residual_m", "certified"]
    assert (row["row"], row["certified"]) == ("1", "1")
    assert column(row, heads).reshape(3, 4) == pytest.approx(platform.home[:3], abs=1e-9)


def test_inverse_as_csv_judges_every_pose(palpeur, file):
    poses = file("poses.csv", POSES)
    ran = palpeur("stewart", "inverse", "measuring-hexapod", "--poses", poses, "--csv")
    told = palpeur("stewart", "inverse", "measuring-hexapod", "--poses", poses, "--json")
    assert ran.code == told.code == 1
    heads = [f"l{k}_m" for k in range(1, 7)]
    rows = read(ran.out)
    assert list(rows[0]) == [*heads, "within_limits"]
    assert [row["within_limits"] for row in rows] == ["1", "0"]
    for row, same in zip(rows, told.rows, strict=True):
        assert column(row, heads).tolist() == same["lengths_m"]  # full precision in both


def test_a_wrench_is_carried_by_the_legs(palpeur, file):
    """Σ f·(unit vector, moment about the origin) changes by minus the wrench."""
    poses = file("poses.csv", "x_mm,y_mm,z_mm,rz_deg,ry_deg,rx_deg\n10,-20,565.4,5,3,-2\n")
    wrench = np.array([30.0, -20.0, -100.0, 4.0, -3.0, 2.0])
    asked = ("stewart", "dynamics", "measuring-hexapod", "--poses", poses, "--json")
    free, loaded = (
        palpeur(*asked, *more) for more in ((), ("--wrench", ",".join(map(str, wrench))))
    )
    assert free.code == loaded.code == 0
    assert loaded.rows[0]["within_limits"]
    change = np.subtract(loaded.rows[0]["forces_n"], free.rows[0]["forces_n"])
    platform = load("measuring-hexapod")
    R = rotation_zyx(np.radians([5.0, 3.0, -2.0]))
    T = make_pose(R, [0.01, -0.02, 0.5654])
    along = leg_vectors(platform, T)
    along /= np.linalg.norm(along, axis=-1, keepdims=True)
    arms = platform.platform_points @ R.T
    carried = change @ np.hstack([along, np.cross(arms, along)])
    assert carried == pytest.approx(-wrench, abs=1e-7)


def test_a_wrench_in_the_table_is_the_same_as_the_option(palpeur, file):
    pose = "x_mm,y_mm,z_mm"
    bare = file("bare.csv", f"{pose}\n0,0,565.4\n")
    full = file("full.csv", f"{pose},fx_n,fy_n,fz_n,mx_nm,my_nm,mz_nm\n0,0,565.4,1,2,3,4,5,6\n")
    asked = ("stewart", "dynamics", "measuring-hexapod", "--json", "--poses")
    option = palpeur(*asked, bare, "--wrench", "1,2,3,4,5,6")
    assert option.out == palpeur(*asked, full).out
    both = palpeur(*asked, full, "--wrench", "1,2,3,4,5,6")
    assert both.code == 2
    assert "leave out --wrench" in both.err
    short = palpeur(*asked, bare, "--wrench", "1,2,3")
    assert short.code == 2
    assert "--wrench has 3 values" in short.err


def test_a_force_beyond_its_drive_is_a_finding_with_leg_limit_amount_and_pose(palpeur, file):
    heads = "x_mm,y_mm,z_mm,fx_n,fy_n,fz_n,mx_nm,my_nm,mz_nm"
    poses = file("poses.csv", f"{heads}\n0,0,565.4,0,0,0,0,0,0\n0,0,565.4,0,0,-6000,0,0,0\n")
    asked = ("stewart", "dynamics", "measuring-hexapod", "--poses", poses)
    ran = palpeur(*asked, "--json")
    assert ran.code == 1
    good, bad = ran.rows
    assert (good["within_limits"], good["findings"]) == (True, [])
    assert not bad["within_limits"]
    legs = load("measuring-hexapod").legs
    assert [one["where"] for one in bad["findings"]] == [f"leg {leg.name}" for leg in legs]
    assert {one["code"] for one in bad["findings"]} == {"S210"}
    force = bad["forces_n"][0]
    told = (
        f"In pose 2 (poses.csv, line 3) leg {legs[0].name}: force {force:.6g} N exceeds its limit "
        f"±600 N by {abs(force) - 600:.4g} N."
    )
    assert bad["findings"][0]["message"] == told
    assert told in palpeur(*asked).out
    assert [row["within_limits"] for row in read(palpeur(*asked, "--csv").out)] == ["1", "0"]


def test_the_help_of_dynamics_says_its_exit_codes(palpeur):
    assert "1 one is not" in " ".join(palpeur("stewart", "dynamics", "--help").out.split())


@pytest.mark.parametrize("words", [(), ("--along",)])
def test_lengths_that_no_pose_has_are_told_by_line(palpeur, tmp_path, words):
    home = load("measuring-hexapod")
    good = ",".join(map(str, (1e3 * lengths(home, home.home)).tolist()))
    table = tmp_path / "l.csv"
    table.write_text(f"{','.join(f'l{k}_mm' for k in range(1, 7))}\n{good}\n5000{good[3:]}\n")
    ran = palpeur("stewart", "forward", "measuring-hexapod", "--lengths", table, *words)
    assert ran.code == 2
    assert ran.err.startswith(
        "Error: l.csv, line 3: Forward geometry of 'measuring-hexapod': no pose found for 1 of "
    )
    table.write_text(f"{','.join(f'l{k}_mm' for k in range(1, 7))}\n{good}\n1,1,1,-5,1,1\n")
    ran = palpeur("stewart", "forward", "measuring-hexapod", "--lengths", table, *words)
    assert "l.csv, line 3: Leg " in ran.err
    assert " is -5 mm long; a length must be positive and finite.\n" in ran.err
