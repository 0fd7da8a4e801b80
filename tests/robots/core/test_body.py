"""Bodies: where a tensor is given, what no real body has, what is refused."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robots.core.errors import MechanismError
from robots.core.mechanism import Body


def test_the_arms_second_tensor_is_the_published_one_at_the_joint():
    """[LAMMARI12] tables VI.4-VI.6, decision 1: at the centre of mass it is the PUMA 560's."""
    printed = [[1.031, 0.00709, 0.269], [0.00709, 1.505, -0.023], [0.269, -0.023, 0.62]]
    body = Body(mass=17.4, com=[0.068, -0.006, -0.2275], inertia=printed, at="origin")
    # Armstrong, Khatib, Burdick 1986: 0.13, 0.524, 0.539; the thesis prints three to five digits.
    assert np.diag(body.inertia_at_com) == pytest.approx([0.13, 0.524, 0.539], abs=1e-3)
    assert np.abs(body.inertia_at_com - np.diag(np.diag(body.inertia_at_com))).max() < 1e-3
    assert body.inconsistencies() == ()


@given(seed=st.integers(0, 10_000))
def test_both_readings_describe_one_body(seed):
    """Huygens-Steiner: a cloud of points summed at the origin and at the centre of mass."""
    rng = np.random.default_rng(seed)
    masses, points = rng.uniform(0.1, 1.0, 5), rng.normal(size=(5, 3))

    def tensor(about):
        d = points - about
        terms = zip(masses, d, strict=True)
        return sum(m * (r @ r * np.eye(3) - np.outer(r, r)) for m, r in terms)

    mass, com = masses.sum(), masses @ points / masses.sum()
    at_com = Body(mass=mass, com=com, inertia=tensor(com), at="com")
    at_origin = Body(mass=mass, com=com, inertia=tensor(np.zeros(3)), at="origin")
    # Sums of about thirty products of order ten.
    assert np.allclose(at_com.inertia_at_origin, at_origin.inertia_at_origin, atol=1e-12)
    assert np.allclose(at_com.inertia_at_com, at_origin.inertia_at_com, atol=1e-12)
    assert at_com.inconsistencies() == at_origin.inconsistencies() == ()


@pytest.mark.parametrize(
    ("inertia", "mass", "words"),
    [
        (np.diag([1.0, 1.0, 3.0]), 1.0, "triangle rule"),
        (np.diag([1.0, 1.0, -0.1]), 1.0, "below zero"),
        (np.diag([1.0, 1.0, 1.0]), 0.0, "no mass"),
    ],
)
def test_an_impossible_body_says_why(inertia, mass, words):
    (reason,) = Body(mass=mass, inertia=inertia).inconsistencies()
    assert words in reason


def test_a_rod_on_the_edge_of_the_triangle_rule_is_possible():
    assert Body(mass=2.0, inertia=np.diag([0.0, 0.1, 0.1])).inconsistencies() == ()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"mass": -1.0}, "mass is -1.0 kg; it must be a finite number, zero or more"),
        ({"mass": np.nan}, "mass is nan"),
        ({"com": [0, np.inf, 0]}, "not finite"),
        ({"com": [0, 0]}, r"shape \(2,\), expected \(3,\)"),
        ({"inertia": [[0, 1, 0], [0, 0, 0], [0, 0, 0]]}, "not symmetric"),
        ({"at": "com_mm"}, "not at 'com_mm'"),
    ],
)
def test_bad_values_are_refused(given, words):
    with pytest.raises(MechanismError, match=words):
        Body(**given)


def test_arrays_are_copied_and_read_only():
    com = np.array([1.0, 2.0, 3.0])
    body = Body(mass=1.0, com=com)
    com[0] = 9.0
    assert body.com[0] == 1.0
    with pytest.raises(ValueError, match="read-only"):
        body.com[0] = 9.0
