"""``palpeur biped zmp``: at rest and in motion, forms, exit codes, refusals."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pytest

from planner.cli.biped.biped_app import zmp
from planner.errors import OptionError, StatesError
from robots.biped.errors import BipedError


@pytest.fixture
def table(tmp_path):
    def write(*rows: str, header: str = "q1_deg,q2_deg,q3_deg,q4_deg,qdd2_rad_s2") -> str:
        # A group is complete or absent: the other accelerations are zero columns.
        if "qdd2" in header:
            header += ",qdd1_rad_s2,qdd3_rad_s2,qdd4_rad_s2"
            rows = tuple(f"{row},0,0,0" for row in rows)
        file = tmp_path / "states.csv"
        file.write_text("\n".join([header, *rows]) + "\n")
        return str(file)

    return write


def test_at_rest_it_is_below_the_centre_of_mass(table, capsys):
    states = table("0,0,10,0", "0,-16,85,-70", header="q1_deg,q2_deg,q3_deg,q4_deg")
    assert zmp("bip-leg", states=states, ground="2,3", as_json=True) == 0
    for row in json.loads(capsys.readouterr().out)["rows"]:
        assert row["zmp_m"][:2] == pytest.approx(row["com_m"][:2], abs=1e-13)
        assert row["force_n"] == pytest.approx([0, 0, 23.25 * 9.81], abs=1e-11)
        assert row["zmp_margin_m"] == pytest.approx(row["com_margin_m"], abs=1e-13)


def test_an_acceleration_that_tips_the_leg(table, capsys):
    states = table("0,0,10,0,0", "0,0,10,0,-2")
    assert zmp("bip-leg", states=states, as_json=True) == 1
    still, swung = json.loads(capsys.readouterr().out)["rows"]
    assert (still["stance"], still["edge"]) == ("standing", "")
    assert (swung["stance"], swung["edge"]) == ("tipping", "heel")
    assert swung["com_margin_m"] > 0.0 > swung["zmp_margin_m"]
    assert swung["centroidal_difference_m"] < 1e-10
    # The whole wrench has no moment across the ground about the point.
    moment = np.array(swung["moment_nm"]) - np.cross(swung["zmp_m"], swung["force_n"])
    assert moment[:2] == pytest.approx([0, 0], abs=1e-10)


def test_csv_and_text(table, capsys):
    states = table("0,0,10,0,0", "0,0,10,0,-2")
    zmp("bip-leg", states=states, as_csv=True)
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [row["stance"] for row in rows] == ["standing", "tipping"]
    zmp("bip-leg", states=states)
    said = capsys.readouterr().out
    assert "begins to tip over heel, 13.21 mm beyond it" in said
    assert "the momentum method differs by at most" in said


def test_a_leg_that_pulls_at_the_ground_is_told(table):
    with pytest.raises(BipedError, match="no zero-moment point"):
        zmp("bip-leg", states=table("0,-40,80,-40,-400"))


def test_bad_input(table):
    with pytest.raises(StatesError, match="the zero-moment point needs the columns"):
        zmp("bip-leg", states=table("0,0,0", header="x_m,y_m,z_m"))
    with pytest.raises(OptionError, match="--tilt has 3 values"):
        zmp("bip-leg", states=table("0,0,10,0,0"), ground="1,2,3")
