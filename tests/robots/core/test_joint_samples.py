"""Even spreads of postures."""

import numpy as np
import pytest

from robots.core.errors import StateError
from robots.core.joint_samples import joint_ranges, joint_samples, unit_samples
from robots.core.mechanism import Joint, JointKind, Mechanism


def test_one_dimension_is_the_golden_ratio_sequence():
    golden = (np.sqrt(5) - 1) / 2
    assert unit_samples(5, 1)[:, 0] == pytest.approx((0.5 + golden * np.arange(5)) % 1)


@pytest.mark.parametrize("dimension", [1, 2, 3, 6])
def test_prefixes_are_spread_better_than_chance(dimension):
    """Mean of Π x over the cube is 2⁻ᵈ; random points would err by about 1/√N of its spread."""
    for count in (1024, 4096):
        product = np.prod(unit_samples(count, dimension), axis=1)
        random_error = product.std() / np.sqrt(count)
        assert abs(product.mean() - 0.5**dimension) < 0.7 * random_error


def test_skipping_continues_the_sequence():
    assert np.array_equal(unit_samples(7, 3)[4:], unit_samples(3, 3, skip=4))


def test_ranges_are_limits_or_a_turn_or_a_slide():
    shapes = [
        (JointKind.REVOLUTE, -1.0, 2.0),
        (JointKind.REVOLUTE, -np.inf, np.inf),
        (JointKind.REVOLUTE, 1.0, np.inf),
        (JointKind.PRISMATIC, -np.inf, 0.5),
        (JointKind.PRISMATIC, -np.inf, np.inf),
    ]
    joints = tuple(
        Joint(name=f"j{i}", kind=k, parent=i - 1, placement=np.eye(4), q_min=lo, q_max=hi)
        for i, (k, lo, hi) in enumerate(shapes)
    )
    mechanism = Mechanism(name="m", joints=joints)
    low, high = joint_ranges(mechanism, 0.3)
    assert low == pytest.approx([-1.0, -np.pi, 1.0, -0.1, -0.3])
    assert high == pytest.approx([2.0, np.pi, 1.0 + 2 * np.pi, 0.5, 0.3])
    q = joint_samples(mechanism, 100, slide=0.3)
    assert np.all((q >= low) & (q <= high))
    assert q[0] == pytest.approx(0.5 * (low + high))


def test_a_negative_count_is_refused():
    with pytest.raises(StateError, match="zero or more"):
        unit_samples(-1, 2)
