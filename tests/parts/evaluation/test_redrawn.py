"""A feature measured again many times is each time what measuring it again alone gives."""

from __future__ import annotations

import numpy as np
import pytest

from parts.errors import FitError
from parts.evaluation.characteristics import measurement_of
from parts.evaluation.comparison import rows_of_features
from parts.evaluation.tolerance import ToleranceSpec
from parts.evaluation.uncertainty import RepeatedFeature, repeat_measurement
from tests.cases import cases, some

UM = 1e-6
DRAWS = cases(gate=8, soak=20)


@pytest.fixture(scope="module")
def measured(block, compared):
    rough = block.positions + np.random.default_rng(3).normal(0.0, 2 * UM, block.positions.shape)
    rough[70] += [60 * UM, 60 * UM, 0.0]  # of the bore, and left out
    return compared(block, rough, drop=True)


@pytest.mark.parametrize(
    ("feature", "kind", "datum"),
    some(
        [
            ("bore", "cylindricity", ""),
            ("bore", "diameter", ""),
            ("bore", "profile", ""),
            ("bore", "position", ""),
            ("bore", "perpendicularity", "top"),
            ("top", "flatness", ""),
            ("top", "position", ""),
            ("right", "parallelism", "left"),
            ("right", "distance", "left"),
        ],
        gate=3,
    ),
)
def test_every_characteristic_is_that_of_a_fit_of_its_own(measured, feature, kind, datum):
    subjects, rng = measured.subjects, np.random.default_rng(8)
    errors = {
        name: rng.normal(0.0, 3 * UM, (DRAWS, len(subjects[name]), 3))
        for name in (feature, datum)
        if name
    }
    together = {name: repeat_measurement(subjects[name], some) for name, some in errors.items()}
    assert all(isinstance(one, RepeatedFeature) for some in together.values() for one in some)
    for draw in range(DRAWS):
        alone = {
            name: subjects[name].redrawn(subjects[name].deviations.measured + some[draw])
            for name, some in errors.items()
        }
        quick, slow = (
            measurement_of(
                ToleranceSpec(feature=feature, kind=kind, value=1.0, datum=datum),
                those[feature],
                those[datum] if datum else None,
            )
            for those in ({name: some[draw] for name, some in together.items()}, alone)
        )
        # coordinates of 0.1 m are rounded to 1e-17 m
        assert quick.value == pytest.approx(slow.value, abs=1e-15)
        assert quick.worst == slow.worst


def test_what_was_left_out_stays_out(measured):
    bore = measured.subjects["bore"]
    assert len(bore.kept) == len(bore) - 1
    errors = np.zeros((1, len(bore), 3))
    errors[0, np.setdiff1d(np.arange(len(bore)), bore.kept)] = 1e-3
    again = repeat_measurement(bore, errors)[0]
    np.testing.assert_allclose(again.fit.residuals, bore.fit.residuals, atol=1e-16)
    np.testing.assert_array_equal(again.points, bore.points)
    np.testing.assert_array_equal(again.targets, bore.targets)
    np.testing.assert_array_equal(again.profile, bore.profile)
    assert again.names == bore.names
    assert (again.name, again.nominal, again.refusal) == (bore.name, bore.nominal, bore.refusal)
    assert len(again) == len(bore)


def test_a_draw_without_such_a_feature_has_none(measured):
    bore = measured.subjects["bore"]
    errors = np.zeros((3, len(bore), 3))
    errors[1] = -bore.deviations.measured  # all at one place
    first, none, last = repeat_measurement(bore, errors)
    assert none is None
    assert first is not None
    assert last is not None
    with pytest.raises(FitError):
        bore.redrawn(bore.deviations.measured + errors[1])


def test_rows_of_features_are_in_the_order_of_their_first_point():
    rows = rows_of_features(("b", "", "a", "b", "", "a"))
    assert list(rows) == ["b", "a"]
    assert [some.tolist() for some in rows.values()] == [[0, 3], [2, 5]]
    assert rows_of_features(()) == {}
