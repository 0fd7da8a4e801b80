"""``palpeur doctor --caps``, and caps that every command refuses."""

from __future__ import annotations

import pytest

from robots.core.caps import Cap


def test_the_doctor_lists_the_caps(palpeur, monkeypatch):
    monkeypatch.setenv("PALPEUR_CAP_POINTS", "12")
    caps = {cap["name"]: cap for cap in palpeur("doctor", "--caps", "--json").json["caps"]}
    assert set(caps) == {cap.name for cap in Cap}
    assert caps["POINTS"]["limit"] == 12
    assert caps["POINTS"]["default"] == Cap.POINTS.default
    text = palpeur("doctor", "--caps").out
    assert all(cap.variable in text for cap in Cap)
    assert "PALPEUR_CAP_POINTS=12 (default 500000)" in palpeur("doctor").out


@pytest.mark.parametrize(
    ("variable", "value"), [("PALPEUR_CAP_POINTS", "many"), ("PALPEUR_CAP_POINT", "12")]
)
def test_every_command_refuses_a_cap_that_is_none(palpeur, monkeypatch, variable, value):
    monkeypatch.setenv(variable, value)
    ran = palpeur("robot", "list")
    assert ran.code == 2
    assert variable in ran.err
