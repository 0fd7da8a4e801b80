"""Sets with exactly known answers, the reference sets of NIST, and hard geometries."""

from __future__ import annotations

import numpy as np
import pytest

from parts.fits.fitting import FIT_KINDS, fit
from tests.cases import some

# Data are near 0.1 m from their centroid and up to a few metres from the origin, where doubles are
# 4e-16 m apart; 1e-12 leaves room for conditions near 1e3, and 1e-10 is what is asked for.
TIGHT = 1e-12
ASKED = 1e-10


def test_nist_plane_to_14_digits(reference):
    points, expected = reference("pla7")
    fitted = fit("plane", points)
    assert np.abs(fitted.value("point") - expected[:3]).max() < 1e-14 * 164.0  # its largest number
    axis = fitted.value("axis")
    assert np.abs(axis * np.sign(axis @ expected[3:]) - expected[3:]).max() < 1e-14
    assert fitted.certificate.strict_minimum


def test_nist_cone_to_8_digits(reference):
    points, expected = reference("con17")
    fitted = fit("cone", points)
    assert np.abs(fitted.value("point") - expected[:3]).max() < 1e-8
    assert np.abs(fitted.value("axis") - expected[3:6]).max() < 1e-8
    assert abs(fitted.value("distance")[0] - expected[6]) < 1e-8
    assert abs(np.degrees(fitted.value("apex_angle")[0]) - expected[7]) < 1e-8
    assert fitted.certificate.strict_minimum


@pytest.mark.parametrize("kind", FIT_KINDS)
@pytest.mark.parametrize("seed", range(4))
def test_the_known_answer_is_found(kind, seed, known, misfit):
    case = known(kind, seed=seed)
    fitted = fit(kind, case.points, outward=case.normals)
    assert misfit(fitted, case.values) < ASKED
    assert np.abs(fitted.residuals - case.residuals).max() < ASKED
    assert fitted.certificate.strict_minimum
    assert fitted.certificate.gradient < 1e-8
    assert (
        np.abs(np.abs(fitted.shape.distance(case.points)) - np.abs(fitted.residuals)).max() < TIGHT
    )


HARD = {
    "arc of 30 deg": ("circle2d", {"sweep": np.radians(30)}),
    "arc of 30 deg in space": ("circle3d", {"sweep": np.radians(30)}),
    "cap of 15 deg": ("sphere", {"cap": np.radians(15)}),
    "short cylinder": ("cylinder", {"radius": 0.05, "length": 0.003}),
    "cylinder patch of 30 deg": ("cylinder", {"radius": 0.05, "sweep": np.radians(30)}),
    "short patch of 30 deg": (
        "cylinder",
        {"radius": 0.05, "sweep": np.radians(30), "length": 0.006},
    ),
    "thin rod": ("cylinder", {"radius": 0.002, "length": 0.3}),
    "slender cone": ("cone", {"half": np.radians(0.1), "low": 5.0, "high": 5.1}),
    "flat cone": ("cone", {"half": np.radians(80), "low": 0.05, "high": 0.1}),
    "cone patch of 30 deg": (
        "cone",
        {"half": np.radians(30), "low": 0.05, "high": 0.1, "sweep": np.radians(30)},
    ),
    "fat ring": ("torus", {"tube": 0.045, "low": -np.pi / 2, "width": np.pi}),
    "torus that crosses itself": (
        "torus",
        {"ring": 0.03, "tube": 0.05, "low": -1.0, "width": 2.0},
    ),
    "pipe bend of 30 deg": ("torus", {"sweep": np.radians(30)}),
    "fillet": ("torus", {"sweep": np.radians(90), "width": np.radians(90)}),
    "torus patch of 40 by 60 deg": (
        "torus",
        {"tube": 0.02, "sweep": np.radians(40), "low": 0.35, "width": np.radians(60)},
    ),
}


@pytest.mark.parametrize("name", HARD)
@pytest.mark.parametrize("seed", some(range(2), gate=1))
def test_hard_geometries_are_found_without_a_hint(name, seed, known, misfit):
    kind, sizes = HARD[name]
    case = known(kind, seed=seed, count=60, amplitude=2e-6, **sizes)
    fitted = fit(kind, case.points)
    assert fitted.rms <= np.sqrt(np.mean(case.residuals**2)) * (1.0 + 1e-6)
    # Rounding (4e-16 m at 1 m) grows by the condition, squared where residuals are far from zero:
    # near 1e-9 of sizes for the patches, which 2 µm of noise moves by 1e-3.
    scale = max(1.0, *(float(np.abs(value).max()) for value in case.values.values()))
    assert misfit(fitted, case.values) < 1e-8 * scale
    assert fitted.certificate.strict_minimum


@pytest.mark.parametrize("kind", FIT_KINDS)
def test_exact_points_leave_rounding_only(kind, known, misfit):
    case = known(kind, seed=9, amplitude=0.0)
    fitted = fit(kind, case.points)
    assert fitted.rms < 1e-14
    assert misfit(fitted, case.values) < TIGHT


@pytest.mark.parametrize("kind", FIT_KINDS)
def test_ten_kilometres_away_only_the_points_own_rounding_is_lost(kind, known, misfit):
    case = known(kind, seed=3, offset=1e4)
    fitted = fit(kind, case.points)
    # doubles at 1e4 m are 1.8e-12 m apart; angles over 0.02 m and the apex follow with 1e2 of it
    assert misfit(fitted, case.values) < 1e-9
    assert fitted.certificate.strict_minimum
