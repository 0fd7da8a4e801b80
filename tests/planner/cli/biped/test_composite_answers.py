"""``palpeur biped composite``: document, table, exit codes, refusals."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest

from planner.cli.biped.biped_app import composite
from planner.cli.session import Session
from robots.core.errors import MechanismError, RobotError

QUIET = SimpleNamespace(obj=Session(quiet=True))  # what a command reads of its context


def test_document_holds_differences_operations_and_times(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert composite(QUIET, "bip-leg", at="q3", as_json=True) == 0
    document = json.loads(capsys.readouterr().out)
    (row,) = document["rows"]
    assert document["format"] == 1
    assert row["composition"] == "cut at q3"
    assert row["difference"]["relative"] < 1e-13
    assert row["operations"]["composite"]["sines_cosines"] == 8
    assert row["us_per_state"]["composite"] > 0.0
    assert row["us_per_state"]["monolithic"] > 0.0


def test_table_has_every_cut_of_a_chain_and_the_far_end(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert composite(QUIET, "planar-4r") == 0
    lines = capsys.readouterr().out.splitlines()
    assert "NumPy, batch of 1000" in lines[0]
    cuts = [line.split("  ")[0] for line in lines[2:]]
    assert cuts == ["cut at q2", "cut at q3", "cut at q4", "cut at q3, standing on q4"]


def test_csv(capsys: pytest.CaptureFixture[str]) -> None:
    composite(QUIET, "planar-4r", at="q2", as_csv=True)
    head, row = capsys.readouterr().out.splitlines()
    assert head.startswith("composition,d_inertia,d_coriolis,d_gravity,operations")
    assert row.startswith("cut at q2,")


def test_refusals() -> None:
    with pytest.raises(MechanismError, match="no joint 'q9'"):
        composite(QUIET, "bip-leg", at="q9")
    with pytest.raises(RobotError, match="bip2001"):
        composite(QUIET, "bip2001")
