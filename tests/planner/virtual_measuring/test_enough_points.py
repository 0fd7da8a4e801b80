"""Numbers of points for a target: laws of averaging, floors, and answers in words."""

from __future__ import annotations

import numpy as np
import pytest

from planner.errors import JobError
from planner.job import UncertaintySettings
from planner.virtual_measuring.enough_points import PointCountRequest, points_for

UM = 1e-6
NOISE = UncertaintySettings(probe=10 * UM, seed=3)
DRAWS = 400  # half widths of 95 % to 6 %


def asked(planned, settings, uncertain, draws=DRAWS, **values):
    wanted = PointCountRequest(**({"feature": "ball"} | values))
    return points_for(uncertain(planned, settings), wanted, count=draws)


def test_noise_of_a_diameter_averages_out(round_plan, uncertain):
    """U of a diameter is 1.96·2σ·g/√n, g a factor of the layout: n·U² stays."""
    found = asked(round_plan, NOISE, uncertain, target=15 * UM)
    assert found.reached
    assert found.systematic < 1e-12
    assert found.wanted.kind == "diameter"
    products = [t.count * t.expanded**2 for t in found.trials if t.count >= 15]
    assert max(products) < 1.5 * min(products)


def test_answer_is_the_smallest(round_plan, uncertain):
    found = asked(round_plan, NOISE, uncertain, target=15 * UM)
    by_count = {trial.count: trial.expanded for trial in found.trials}
    assert by_count[found.count] <= 15 * UM < by_count[found.count - 1]
    assert found.expanded == by_count[found.count]


def test_diameter_of_a_bore_by_closed_form(round_plan, uncertain):
    """About a whole circle radius and centre do not mix: sd of the diameter is 2σ/√n."""
    found = asked(round_plan, NOISE, uncertain, draws=4000, feature="bore", target=8 * UM)
    expected = (1.96 * 2 * 10 / 8) ** 2  # = 24
    # Draws hold U to 2 %, so n to 4 %; the layout is not quite even about the axis.
    assert found.count == pytest.approx(expected, rel=0.1)


def test_floor_is_told(round_plan, uncertain):
    settings = UncertaintySettings(probe=5 * UM, encoder_offset=2e-4, length=2e-5)
    found = asked(round_plan, settings, uncertain, kind="position", target=5 * UM)
    assert not found.reached
    assert found.count == 0
    assert found.trials == ()
    assert list(found.sources) == ["zeros of the joint readings", "lengths of the arm"]
    assert found.systematic > 100 * UM
    assert found.sentence.startswith("No number of points reaches 5 µm for the position of 'ball'")
    assert "zeros of the joint readings" in found.sentence


def test_too_much_noise_is_told(round_plan, uncertain):
    found = asked(round_plan, NOISE, uncertain, target=1 * UM, most=50)
    assert not found.reached
    assert found.trials[-1].count == 50
    assert "Up to 50 points do not reach 1 µm" in found.sentence


def test_fewest_points_may_do(round_plan, uncertain):
    found = asked(round_plan, NOISE, uncertain, target=1e-3)
    assert (found.count, len(found.trials)) == (5, 1)  # one more than any four points fit


def test_flatness_of_a_plane(corrected, uncertain):
    """Noise adds to a range, the more the more points there are."""
    found = asked(corrected, NOISE, uncertain, feature="plane", target=15 * UM)
    assert found.wanted.kind == "flatness"
    few = points_for(
        uncertain(corrected, NOISE),
        PointCountRequest(feature="plane", target=1e-9, most=30),
        count=DRAWS,
    )
    assert "hardly gets surer" in few.sentence
    shifts = [trial.shift for trial in sorted(few.trials, key=lambda t: t.count)]
    assert shifts[0] < shifts[-1]


@pytest.mark.soak
def test_seed_decides(round_plan, uncertain):
    first, again = (asked(round_plan, NOISE, uncertain, target=20 * UM) for _ in range(2))
    assert first.trials == again.trials


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"target": 0.0}, "target uncertainty is 0.0 m"),
        ({"target": float("nan")}, "target uncertainty is nan"),
        ({"target": 1.0, "kind": "beauty"}, "no characteristic 'beauty'"),
        ({"target": 1.0, "most": 0}, "At most 0 points"),
    ],
)
def test_bad_wishes(values, words):
    with pytest.raises(JobError, match=words):
        PointCountRequest(feature="ball", **values)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"kind": "parallelism"}, "no datum"),
        ({"kind": "flatness"}, "cannot be evaluated"),
        ({"feature": "cube"}, "no feature 'cube'"),
    ],
)
def test_bad_questions(round_plan, uncertain, values, words):
    with pytest.raises(JobError, match=words):
        asked(round_plan, NOISE, uncertain, target=5 * UM, **values)


def test_nothing_is_guessed(corrected):
    with pytest.raises(JobError, match=r"no \[uncertainty\]"):
        points_for(corrected, PointCountRequest(feature="plane", target=UM))


def test_distance_needs_both_features(round_plan, uncertain):
    found = asked(round_plan, NOISE, uncertain, kind="distance", datum="bore", target=60 * UM)
    assert found.reached
    assert np.isfinite(found.expanded)
