"""Measurements that fit together, and those that do not."""

from __future__ import annotations

import numpy as np
import pytest

from robots.core.errors import IdentificationError
from robots.core.identification.measurements import (
    ArmMeasurements,
    ArmNoise,
    MeasurementKind,
    Prior,
)

Q = np.arange(20.0).reshape(4, 5)


def test_pairs_are_found_in_any_order():
    given = ArmMeasurements(
        kind=MeasurementKind.LENGTH, q=Q, groups=("a", "b", "b", "a"), lengths=[0.1, 0.2]
    )
    assert given.pairs.tolist() == [[0, 3], [1, 2]]
    second = given.only([1])
    assert second.groups == ("b", "b")
    assert second.lengths.tolist() == [0.2]
    assert given.labels() == ("pair a", "pair b")
    with pytest.raises(ValueError, match="read-only"):
        given.q[0, 0] = 1.0


def test_spheres_keep_their_names():
    given = ArmMeasurements(kind=MeasurementKind.SPHERE, q=Q, groups=("s", "t", "s", "t"))
    assert given.names == ("s", "t")
    assert given.only([0, 3]).groups == ("s", "t")
    assert given.labels()[3] == "posture 4 on sphere t"


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"groups": ("a",) * 3}, "3 names of their pair"),
        ({"groups": ("a", "a", "a", "b")}, "Pair 'a' has 3 postures"),
        ({"lengths": [0.1, -0.2]}, "one length above zero"),
        ({"q": np.full((4, 5), np.nan)}, "row 1 that is not finite"),
        ({"q": np.zeros((0, 5))}, r"shape \(0, 5\)"),
    ],
)
def test_what_does_not_fit_is_refused(change, text):
    good = {"q": Q, "groups": ("a", "b", "b", "a"), "lengths": [0.1, 0.2]}
    with pytest.raises(IdentificationError, match=text):
        ArmMeasurements(kind=MeasurementKind.LENGTH, **(good | change))


def test_points_need_coordinates():
    with pytest.raises(IdentificationError, match=r"points of shape \(0, 3\)"):
        ArmMeasurements(kind=MeasurementKind.POINT, q=Q)


def test_noise_and_prior_are_standard_deviations():
    with pytest.raises(IdentificationError, match="zero in both"):
        ArmNoise()
    with pytest.raises(IdentificationError, match="zero or more"):
        ArmNoise(encoder=-1.0)
    with pytest.raises(IdentificationError, match="above zero"):
        Prior(angle=0.0, length=1.0)
