"""Predicted tests of a machine: closed forms for noise, invariances, and the table."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from planner.errors import OptionError
from planner.job import UncertaintySettings
from planner.virtual_measuring.machine_tests import (
    TESTS,
    TestBench,
    bound,
    hemisphere,
    length_places,
    machine_tests,
    sphere_places,
)
from robots.core.geometric_errors import ErrorModel, geometric_parameters
from robots.core.model import Model
from robots.core.pose import make_pose
from robots.library import open_robot
from tests.cases import cases

UM = 1e-6

pytestmark = pytest.mark.usefixtures("places_sought_once")


@pytest.fixture(scope="module")
def arm():
    plain = open_robot("measuring-arm")
    return replace(plain, tool=plain.tool @ make_pose(translation=[0.0, 0.0, 0.1]))


def predicted(arm, *, count=1000, **errors):
    bench = TestBench(settings=UncertaintySettings(**errors), count=count, places=2)
    return machine_tests(arm, bench)


def test_noise_alone_by_closed_form(arm):
    found = predicted(arm, probe=5 * UM, count=4000)
    n = hemisphere()
    J = np.column_stack([n, np.ones(25)])
    sigma = 2 * 5 * UM * np.sqrt(np.linalg.inv(J.T @ J)[3, 3])
    sizes = [one for one in found.lines if one.test == "PSize"]
    for one in sizes:
        assert one.limit == pytest.approx(1.960 * sigma, rel=0.06)  # 4000 draws, three sigma
        assert one.typical == pytest.approx(0.6745 * sigma, rel=0.06)
    for one in found.lines:
        if one.test == "E":  # the largest of seven: Φ(x) = ½(1 + 0.95^(1/7)), x = 2.686
            assert one.limit == pytest.approx(2.686 * np.sqrt(2) * 5 * UM, rel=0.06)
    assert found.slope * 5.0 < 0.3 * found.constant  # noise knows no length


def test_wrong_scale_is_a_wrong_length(arm):
    """An arm that is hotter by ΔT measures every length by α·ΔT wrong, and nothing else."""
    found = predicted(arm, temperature=2.0, expansion=10 * UM)
    for one in found.lines:
        scale = one.length or 0.025 + 0.006
        if one.test in ("E", "PSize"):
            # a set of lengths is told by its mean: the longest of the seven is near it
            assert one.limit == pytest.approx(1.96 * 20 * UM * scale, rel=0.1)
        else:
            assert one.limit < 1e-9
    assert found.constant < 1 * UM
    assert found.slope == pytest.approx(1.96 * 20 * UM, rel=0.1)


def test_zero_of_the_first_joint_is_no_error(arm):
    """It turns all that is measured about the first axis, and changes no size."""
    spheres, lengths = sphere_places(arm, 0.0155, 1), length_places(arm)
    parameter = next(p for p in geometric_parameters(arm) if p.name == "q1 theta")
    model = ErrorModel(arm, [parameter])
    q = np.concatenate([lengths[0][0].q, spheres[0].q])
    right, wrong = (model.positions(q, [error]) for error in (0.0, 1e-3))
    gaps = [np.linalg.norm(p[:, None] - p, axis=2) for p in (right, wrong)]
    np.testing.assert_allclose(gaps[0], gaps[1], atol=1e-13)
    assert np.abs(right - wrong).max() > 1e-5


def test_wrong_stylus_shows_in_the_location_only(arm):
    """Probed in one direction the ball is off by the same vector at all 25 points."""
    found = predicted(arm, stylus=20 * UM)
    for one in found.lines:
        if one.test in ("PSize", "PForm"):
            # a five-axis arm spins about its probe on the way round the sphere: a little is left
            assert one.limit < 5 * UM
        if one.test == "LDia":
            assert one.limit > 10 * UM


def test_places_are_touched(arm):
    model = Model(arm)
    first, again = (sphere_places(arm, 0.0155, cases(gate=1, soak=3)) for _ in range(2))
    assert [sphere.q.tolist() for sphere in again] == [sphere.q.tolist() for sphere in first]
    for sphere in first:
        T = model.forward(sphere.q)
        np.testing.assert_allclose(T[:, :3, 3], sphere.centre + 0.0155 * sphere.normals, atol=1e-10)
        axes = T[:25, :3, 2]
        np.testing.assert_allclose(axes, np.tile(axes[0], (25, 1)), atol=1e-9)
        assert np.all((sphere.q >= arm.q_min) & (sphere.q <= arm.q_max))
        assert axes[0] @ arm.gravity >= 0.0  # from above, or from the side
    for some in length_places(arm):
        assert len(some) == 7
        for one in some:
            np.testing.assert_allclose(model.forward(one.q)[:, :3, 3], one.ends, atol=1e-12)


def test_table(arm):
    found = predicted(arm, count=200, probe=UM, encoder=1e-5)
    assert {one.test for one in found.lines} == set(TESTS)
    for test, limit in found.limits.items():
        assert limit >= max(one.limit for one in found.lines if one.test == test) * (1 - 1e-12)
    assert found.sentence.startswith("E ≤ ")
    assert "95 %" in found.sentence


def test_seeds_and_threads_of_draws(arm):
    first, again, other = (
        machine_tests(
            arm,
            TestBench(settings=UncertaintySettings(probe=UM), count=200, places=1, seed=seed),
        )
        for seed in (1, 1, 2)
    )
    assert first.lines == again.lines
    assert first.lines != other.lines


def test_errors_of_a_part_do_not_count(arm):
    some = predicted(arm, count=200, probe=UM, alignment=1.0, part_temperature=9, part_expansion=1)
    assert some.lines == predicted(arm, count=200, probe=UM).lines


@pytest.mark.parametrize(
    ("limits", "line"),
    [
        ([(1.0, 2.0), (2.0, 2.0)], (2.0, 0.0)),
        ([(1.0, 2.0), (2.0, 3.0), (3.0, 4.0)], (1.0, 1.0)),
        ([(1.0, 3.0), (2.0, 2.0)], (3.0, 0.0)),  # never falling
        ([(1.0, 1.0), (2.0, 4.0)], (0.0, 2.0)),  # never below zero
    ],
)
def test_bound(limits, line):
    assert bound(limits) == pytest.approx(line, abs=1e-12)


def test_nothing_is_guessed(arm):
    with pytest.raises(OptionError, match="Nothing is said to be wrong with"):
        predicted(arm, alignment=1e-3)


@pytest.mark.parametrize("errors", [{"angle": 1e18}, {"length": 1.0}, {"encoder": 0.1}])
def test_errors_as_large_as_the_sphere(arm, errors):
    with pytest.raises(OptionError, match="Are the units right"):
        predicted(arm, count=200, **errors)


def test_arms_that_cannot():
    with pytest.raises(OptionError, match="touches only 0 of"):
        machine_tests(open_robot("planar-3r"), TestBench(settings=UncertaintySettings(probe=UM)))


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"sphere_diameter": float("nan")}, "A test sphere of nan mm"),
        ({"count": 10}, "10 machines are drawn"),
        ({"places": 0}, "0 places are asked"),
    ],
)
def test_bad_benches(values, words):
    with pytest.raises(OptionError, match=words):
        TestBench(settings=UncertaintySettings(probe=UM), **values)
