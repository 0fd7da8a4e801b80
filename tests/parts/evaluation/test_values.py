"""Measured points, tolerances and verdicts: what is refused, and how it is decided."""

from __future__ import annotations

import numpy as np
import pytest

from parts.errors import EvaluationError
from parts.evaluation.measured_points import MeasuredPoints, match_points
from parts.evaluation.tolerance import Conformance, ToleranceSpec, Uncertainty, conformance_of


def _uncertainty(expanded):
    return Uncertainty(standard=expanded / 2, expanded=expanded, coverage=0.95, draws=1000)


def test_without_uncertainty_the_limit_alone_decides():
    assert conformance_of(0.05, 0.05) is Conformance.PASS
    assert conformance_of(np.nextafter(0.05, 1.0), 0.05) is Conformance.FAIL


@pytest.mark.parametrize(
    ("size", "verdict"),
    [
        (0.039, Conformance.PASS),
        (0.041, Conformance.UNDECIDED),
        (0.050, Conformance.UNDECIDED),
        (0.059, Conformance.UNDECIDED),
        (0.061, Conformance.FAIL),
    ],
)
def test_iso_14253_proves_conformance_only_beyond_the_uncertainty(size, verdict):
    assert conformance_of(size, 0.05, _uncertainty(0.01)) is verdict


def test_an_uncertainty_larger_than_the_tolerance_never_passes():
    assert conformance_of(0.0, 0.01, _uncertainty(0.02)) is Conformance.UNDECIDED


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"kind": "flatnes"}, "no tolerance of 'flatnes'"),
        ({"value": 0.0}, "flatness of 'top' is 0.0 m; expected above zero"),
        ({"value": float("nan")}, "expected above zero"),
        ({"kind": "parallelism"}, "has no datum"),
        ({"datum": "left"}, "takes none here"),
        ({"kind": "distance", "datum": "top"}, "its own datum"),
    ],
)
def test_tolerances_without_sense_are_refused(change, text):
    with pytest.raises(EvaluationError, match=text):
        ToleranceSpec(**({"feature": "top", "kind": "flatness", "value": 1e-5} | change))


def test_measured_points_are_checked_and_read_only():
    xyz = np.zeros((2, 3))
    points = MeasuredPoints(names=("A", "B"), xyz=xyz)
    xyz[0] = 1.0
    assert points.xyz[0].tolist() == [0.0, 0.0, 0.0]
    with pytest.raises(ValueError, match="read-only"):
        points.xyz[0, 0] = 1.0


@pytest.mark.parametrize(
    ("names", "xyz", "radius", "text"),
    [
        ((), np.zeros((0, 3)), 0.0, "no measured point"),
        (("A", "A"), np.zeros((2, 3)), 0.0, "'A' is there twice"),
        (("A",), np.array([[np.nan, 0, 0]]), 0.0, "'A' is \\[nan"),
        (("A",), np.zeros((1, 2)), 0.0, "shape \\(1, 2\\); expected \\(1, 3\\)"),
        (("A",), np.zeros((1, 3)), -1.0, "radius of the probe's ball is -1.0 m"),
    ],
)
def test_measured_points_with_a_fault_are_refused(names, xyz, radius, text):
    with pytest.raises(EvaluationError, match=text):
        MeasuredPoints(names=names, xyz=xyz, probe_radius=radius)


def test_points_are_paired_by_name_whatever_their_order():
    measured = MeasuredPoints(names=("C", "X", "A"), xyz=np.arange(9.0).reshape(3, 3))
    pairs = match_points(("A", "B", "C"), ("", "", ""), measured)
    assert pairs.nominal.tolist() == [0, 2]
    assert pairs.measured.tolist() == [2, 0]
    assert (pairs.missing, pairs.extra, pairs.by_place) == (("B",), ("X",), False)


def test_points_without_names_are_paired_by_their_place_in_the_feature():
    measured = MeasuredPoints(
        names=("bore-2", "top-1", "bore-1"), xyz=np.zeros((3, 3)), features=("bore", "top", "bore")
    )
    pairs = match_points(("P1", "P2", "P3", "P4"), ("top", "bore", "bore", "bore"), measured)
    assert pairs.nominal.tolist() == [0, 1, 2]
    assert pairs.measured.tolist() == [1, 2, 0]
    assert (pairs.missing, pairs.by_place) == (("P4",), True)


def test_each_feature_is_matched_by_names_or_by_places():
    """As in QIF results: point features by their names, sets by their places in the feature."""
    measured = MeasuredPoints(
        names=("PT1", "bore-1", "bore-2", "PT2-1", "face-2"),
        xyz=np.zeros((5, 3)),
        features=("PT1", "bore", "bore", "PT2", "face"),
    )
    pairs = match_points(
        ("a", "PT1", "b", "PT2", "face-2", "c"),
        ("bore", "PT1", "bore", "", "face", "face"),
        measured,
    )
    assert pairs.nominal.tolist() == [0, 1, 2, 3, 4]
    assert pairs.measured.tolist() == [1, 0, 2, 3, 4]
    assert (pairs.missing, pairs.extra, pairs.by_place) == (("c",), (), True)


def test_strangers_are_refused_with_the_nearest_name():
    measured = MeasuredPoints(names=("p1",), xyz=np.zeros((1, 3)))
    with pytest.raises(EvaluationError, match="None of the 1 measured points"):
        match_points(("P1", "P2"), ("", ""), measured)
