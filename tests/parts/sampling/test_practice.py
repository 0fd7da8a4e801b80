"""Sampling as practice has it: margins by size and ball, levels, pitch, minimum counts."""

from __future__ import annotations

import numpy as np
import pytest

from parts.errors import SamplingError
from parts.features.feature import feature_of_numbers
from parts.part import load_part
from parts.probe import Tip
from parts.sampling.sample import usual_margins


@pytest.fixture(scope="module")
def block():
    return load_part("block")


def heights(found):
    return found.points.positions[:, 2]


def test_points_of_a_bore_keep_off_its_rims_by_its_size_and_the_ball(block):
    found = block.sample("hole-20", count=8)  # 30 mm deep
    assert found.edge_margin == pytest.approx(1.5e-3)
    assert heights(found).min() > 1.5e-3
    assert heights(found).max() < 28.5e-3
    tip = Tip(length=0.05, ball_radius=2e-3, shank_radius=1e-3)
    wide = block.sample("hole-20", count=8, tip=tip, stylus_axis=[0, 0, 1])
    assert wide.edge_margin == 2e-3
    assert block.sample("hole-20", count=8, edge_margin=0.0).edge_margin == 0.0


def test_a_margin_that_leaves_no_room_is_made_narrower_but_a_given_one_is_not(block):
    top = block.sample("top", count=40)
    assert top.edge_margin == pytest.approx(0.05 * 0.080)
    with pytest.raises(SamplingError, match="smaller edge margin"):
        block.sample("top", count=40, edge_margin=0.0399)


@pytest.mark.parametrize("off", [-0.01, 0.0, 0.01])
def test_a_usual_margin_does_not_hang_on_how_exactly_a_fillet_is_known(off):
    """3 mm off both sides of a fillet that is as wide as that, but for 0.01 degrees."""
    sweep = np.degrees(2.0 * np.arcsin(3.0 / 5.0)) + off
    phrase = f"cylinder:base=0,0,0;axis=0,0,1;diameter=10;height=60;inner;sweep-deg={sweep}"
    assert usual_margins(feature_of_numbers(phrase)) == pytest.approx((1.5e-3, 0.75e-3, 0.0))


@pytest.mark.parametrize("levels", [1, 2, 3, 5])
def test_circles_lie_on_so_many_levels(block, levels):
    found = block.sample("hole-20", count=15, strategy="circles", levels=levels)
    assert len(np.unique(np.round(heights(found), 9))) == levels


def test_a_helix_has_its_pitch(block):
    found = block.sample("hole-20", count=60, strategy="helix", pitch=6e-3)
    arms = found.points.positions[:, :2] - 0.020
    turns = np.unwrap(np.arctan2(arms[:, 1], arms[:, 0])) / (2.0 * np.pi)
    pitch = np.diff(heights(found)) / np.diff(turns)
    assert np.abs(pitch) == pytest.approx(6e-3, rel=1e-9)


def test_counts_of_practice_and_a_warning_below_them(block):
    assert [len(block.sample(name)) for name in ("top", "hole-20", "cone")] == [9, 12, 12]
    assert block.sample("hole-20").warnings == ()
    (few,) = block.sample("hole-20", count=6).warnings
    assert "takes 12 or more" in few
    assert "needed" not in few
    (fewer,) = block.sample("hole-20", count=4).warnings
    assert "5 are needed to determine it" in fewer


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"levels": 2}, "for the strategy circles"),
        ({"pitch": 1e-3}, "for the strategy helix"),
        ({"levels": 9, "strategy": "circles", "count": 8}, "8 points cannot lie on 9 levels"),
        ({"pitch": -1e-3, "strategy": "helix"}, "expected a number above zero"),
    ],
)
def test_levels_and_pitches_that_cannot_be(block, options, told):
    with pytest.raises(SamplingError, match=told):
        block.sample("hole-20", **options)
    with pytest.raises(SamplingError, match="is for round features"):
        block.sample("top", strategy="circles", levels=2)
