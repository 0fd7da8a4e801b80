"""A zone solved on few points, grown by those that object, is the zone of all."""

from __future__ import annotations

import numpy as np
import pytest

from parts.fits.fitting import FIT_KINDS, fit
from parts.fits.zone import ENVELOPE_KINDS, circumscribed, inscribed, minimum_zone
from tests.cases import some

SAMPLE = "parts.fits.minimax._SAMPLE"
ALL = 10**9


@pytest.mark.parametrize("kind", some(FIT_KINDS, gate=2))
@pytest.mark.parametrize("sample", some([8, 60], gate=1))
def test_the_zone_of_a_working_set_is_the_zone_of_all(kind, sample, rough, monkeypatch):
    """Eight points to a side are hardly more than hold a zone: others must be called in."""
    case = rough(kind, count=3000, seed=1, noise=1e-4)
    fitted = fit(kind, case.points)
    monkeypatch.setattr(SAMPLE, ALL)
    whole = minimum_zone(kind, case.points, fitted)
    monkeypatch.setattr(SAMPLE, sample)
    few = minimum_zone(kind, case.points, fitted)
    assert few.width == pytest.approx(whole.width, rel=1e-12)
    assert set(few.contacts.tolist()) == set(whole.contacts.tolist())
    np.testing.assert_allclose(few.residuals, whole.residuals, atol=1e-12)
    assert few.certificate.optimal
    assert few.certificate.excess <= 1e-15  # of the points' size: rounding


@pytest.mark.parametrize(
    ("kind", "side"),
    some([(kind, side) for kind in ENVELOPE_KINDS for side in (circumscribed, inscribed)], gate=2),
)
def test_envelopes_likewise(kind, side, rough, monkeypatch):
    sizes = {"cap": np.pi} if kind == "sphere" else {}
    case = rough(kind, count=3000, seed=2, noise=1e-4, **sizes)
    fitted = fit(kind, case.points)
    monkeypatch.setattr(SAMPLE, ALL)
    whole = side(kind, case.points, fitted)
    monkeypatch.setattr(SAMPLE, 24)
    few = side(kind, case.points, fitted)
    assert few.diameter == pytest.approx(whole.diameter, rel=1e-13)
    assert set(few.contacts.tolist()) == set(whole.contacts.tolist())
    assert few.certificate.optimal


def test_few_points_are_solved_at_a_time(rough, monkeypatch):
    """No programme or Newton step sees the 20 000 points."""
    from parts.fits import minimax

    sizes = []

    def watching(goal, start, scale, **limits):
        sizes.append(goal.points.shape[1])
        return minimise(goal, start, scale, **limits)

    minimise = minimax.minimise
    monkeypatch.setattr(minimax, "minimise", watching)
    minimum_zone("cylinder", rough("cylinder", count=20_000).points)
    assert max(sizes) <= 2400
