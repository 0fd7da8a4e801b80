"""Form, orientation, position, profile and size against values known by construction."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from parts.evaluation.tolerance import ToleranceSpec
from parts.points import ProbePoints

UM = 1e-6


def _spec(feature, kind, value=1e-4, datum=""):
    return ToleranceSpec(feature=feature, kind=kind, value=value, datum=datum)


def _rows(block, feature):
    return np.flatnonzero([name == feature for name in block.features])


def _value(comparison, feature, kind):
    return next(
        item for item in comparison.characteristics if (item.feature, item.kind) == (feature, kind)
    )


def test_the_nominal_points_have_no_deviation_at_all(block, compared):
    found = compared(block, block.positions)
    assert found.deviations.rms == 0.0
    for item in found.characteristics:
        assert abs(item.deviation) < 1e-15, item.name


def test_a_bump_in_a_plane_is_told_with_its_point(block, compared):
    measured = block.positions.copy()
    row = _rows(block, "top")[5]
    measured[row, 2] += 30 * UM
    found = compared(block, measured, tolerances=[_spec("top", "flatness", 20 * UM)])
    flat = _value(found, "top", "flatness")
    # flat points all around hold the narrowest zone; least squares tilts and is wider
    assert flat.measured == pytest.approx(30 * UM, rel=1e-9)
    assert 30 * UM < flat.least_squares < 33 * UM
    assert flat.verdict.value == "fail"
    profile = _value(found, "top", "profile")
    assert profile.measured == pytest.approx(60 * UM, abs=1e-15)
    assert profile.worst == block.names[row]
    assert found.deviations.names[found.deviations.worst] == block.names[row]


def test_flatness_of_a_saddle_is_known(block, compared):
    """h = c·x·y on a square has the minimum zone of the untilted plane: c·(width²)/2 wide."""
    rows = _rows(block, "left")
    measured = block.positions.copy()
    y, z = measured[rows, 1] - 0.04, measured[rows, 2] - 0.025
    measured[rows, 0] -= 0.01 * y * z  # ±10 µm at the corners
    flat = _value(compared(block, measured), "left", "flatness")
    assert flat.measured == pytest.approx(20 * UM, rel=1e-9)
    assert flat.least_squares == pytest.approx(20 * UM, rel=1e-9)


def test_orientation_of_a_tilted_face(block, compared):
    """A face that leans by a over its height h has the zone h·sin a; a flat one has no more."""
    rows = _rows(block, "right")
    measured = block.positions.copy()
    foot = np.array([0.1, 0.0, 0.0])
    measured[rows] = Rotation.from_euler("y", 1e-4).apply(measured[rows] - foot) + foot
    tolerances = [
        _spec("right", "perpendicularity", datum="top"),
        _spec("right", "parallelism", datum="left"),
        _spec("right", "angularity", datum="top"),
        _spec("right", "perpendicularity", datum="front"),
    ]
    found = compared(block, measured, tolerances=tolerances)
    widths = [item.measured for item in found.characteristics[:4]]
    height = 0.05
    # ten significant digits, the points' own rounding over the tilt
    assert widths[:3] == pytest.approx([height * np.sin(1e-4)] * 3, rel=1e-9)
    assert widths[3] < 1e-12  # it leans about the front's own direction: nothing lost there


def test_orientation_of_an_axis(block, compared):
    rows = _rows(block, "bore")
    middle = np.array([0.05, 0.04, 0.025])
    measured = block.positions.copy()
    measured[rows] = Rotation.from_euler("x", 2e-4).apply(measured[rows] - middle) + middle
    tolerances = [
        _spec("bore", "perpendicularity", datum="top"),
        _spec("bore", "parallelism", datum="left"),
        _spec("bore", "parallelism", datum="front"),
        _spec("bore", "position"),
        _spec("bore", "diameter", 1e-5),
        _spec("bore", "distance", datum="left"),
    ]
    found = compared(block, measured, tolerances=tolerances)
    upright, left, front, position, diameter, distance = found.characteristics[:6]
    length = 0.03  # of the axis beside the points, which lean with it
    assert upright.measured == pytest.approx(length * np.sin(2e-4), rel=1e-9)
    assert left.measured < 1e-12
    assert front.measured == pytest.approx(length * np.sin(2e-4), rel=1e-9)
    assert position.measured == pytest.approx(length * np.sin(2e-4), rel=1e-6)
    assert diameter.measured == pytest.approx(0.02, abs=1e-12)
    assert distance.nominal == pytest.approx(0.05, abs=1e-12)
    assert distance.measured == pytest.approx(0.05, abs=1e-12)


def test_position_and_size_of_a_shifted_wide_bore(block, compared):
    rows = _rows(block, "bore")
    measured = block.positions.copy()
    measured[rows] -= 15 * UM * block.normals[rows]  # the radius grows into the material
    measured[rows] += np.array([30 * UM, -40 * UM, 0.0])
    tolerances = [_spec("bore", "position", 90 * UM), _spec("bore", "diameter", 20 * UM)]
    found = compared(block, measured, tolerances=tolerances)
    position, diameter = found.characteristics[:2]
    assert position.measured == pytest.approx(100 * UM, abs=1e-12)  # 2 × 50 µm
    assert diameter.deviation == pytest.approx(30 * UM, abs=1e-12)
    assert [item.verdict.value for item in (position, diameter)] == ["fail", "fail"]
    assert _value(found, "bore", "cylindricity").measured < 1e-12


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        (_spec("top", "roundness"), "'top', by its 16 points, is a plane, but roundness"),
        (_spec("bore", "roundness"), "measure one section"),
        (_spec("top", "diameter"), "has no diameter"),
        (_spec("top", "parallelism", datum="left"), "90 deg to each other on the drawing"),
        (_spec("left", "perpendicularity", datum="right"), "0 deg to each other"),
        (_spec("lid", "flatness"), "No point of the feature 'lid' was measured"),
    ],
)
def test_tolerances_that_do_not_suit_are_told(block, compared, spec, text):
    found = compared(block, block.positions, tolerances=[spec])
    assert [refusal.tolerance for refusal in found.refusals] == [spec]
    assert text in found.refusals[0].reason


def test_a_feature_with_too_few_points_says_so(block, compared):
    keep = np.sort(np.concatenate([_rows(block, "left"), _rows(block, "top")[:3]]))
    some = ProbePoints(
        names=tuple(block.names[row] for row in keep),
        positions=block.positions[keep],
        normals=block.normals[keep],
        features=tuple(block.features[row] for row in keep),
    )
    # three of a row of four: on one line
    found = compared(some, some.positions, tolerances=[_spec("top", "flatness")])
    assert "flatness is that of a plane" in found.refusals[0].reason
    assert [feature.kind for feature in found.features()] == ["line3d", "plane"]


def test_outliers_stay_unless_they_are_dropped(block, compared):
    rng = np.random.default_rng(2)
    measured = block.positions + rng.normal(0.0, 1 * UM, block.positions.shape)
    row = _rows(block, "top")[6]
    measured[row, 2] += 200 * UM
    kept = compared(block, measured).features()[0]
    dropped = compared(block, measured, drop=True).features()[0]
    assert [stray.index for stray in kept.outliers] == [6]
    assert kept.dropped == ()
    assert dropped.dropped == (block.names[row],)
    assert dropped.form_error < 8 * UM < 100 * UM < kept.form_error
    assert len(dropped.deviations) == len(kept.deviations)  # deviations keep the point
