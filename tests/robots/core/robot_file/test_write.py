"""Mechanism → file → mechanism: the same numbers, on random trees and on every kind of key."""

from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robots.core.denavit_hartenberg import DhRow
from robots.core.errors import RobotFileError
from robots.core.mechanism import Body, Joint, JointKind, Mechanism
from robots.core.robot_file import read_robot, write_toml
from tests.cases import some

SCALARS = [f.name for f in fields(Joint) if f.type == "float"]


def agree(found, expected, *, placement_ulps=4):
    """Every number unchanged; placements to a few units in the last place of their reach."""
    assert (found.name, found.source) == (expected.name, expected.source)
    assert found.gravity.tolist() == expected.gravity.tolist()
    assert found.tool_joint == expected.tool_joint
    pairs = list(zip(found.joints, expected.joints, strict=True))
    poses = [(a.placement, b.placement) for a, b in pairs] + [(found.tool, expected.tool)]
    for ours, theirs in poses:
        reach = max(1.0, np.abs(theirs).max())
        assert np.abs(ours - theirs).max() <= placement_ulps * 2.3e-16 * reach
    for a, b in pairs:
        assert (a.name, a.kind, a.parent) == (b.name, b.kind, b.parent)
        if a.movable:
            assert [getattr(a, k) for k in SCALARS] == [getattr(b, k) for k in SCALARS]
        assert a.body.mass == b.body.mass
        assert np.array_equal(a.body.com, b.body.com)
        assert np.array_equal(a.body.inertia, b.body.inertia)


@pytest.mark.parametrize("seed", some(range(40), gate=7))
def test_random_trees_come_back(seed, make_mechanism):
    mechanism = make_mechanism(seed)
    agree(read_robot(write_toml(mechanism)), mechanism)


@pytest.mark.parametrize("seed", some(range(10), gate=4))
def test_a_file_written_again_is_the_same_text(seed, make_mechanism):
    once = read_robot(write_toml(make_mechanism(seed)))
    twice = read_robot(write_toml(once))
    agree(twice, once)


ROUND = st.integers(-3600, 3600).map(lambda tenths: np.radians(tenths / 10))
LENGTH = st.integers(-20000, 20000).map(lambda tenths: tenths / 10_000)


@given(alpha=ROUND, d=LENGTH, theta=ROUND, r=LENGTH)
def test_round_rows_are_written_as_rows(alpha, d, theta, r):
    row = DhRow(alpha=alpha, d=d, theta=theta, r=r)
    joint = Joint(name="q", kind=JointKind.REVOLUTE, parent=-1, placement=row.pose())
    text = write_toml(Mechanism(name="m", joints=(joint,)))
    assert "pose" not in text
    numbers = [float(line.split("=")[1]) for line in text.split("\n") if "_deg" in line]
    assert all(round(number, 1) == number for number in numbers)
    agree(read_robot(text), Mechanism(name="m", joints=(joint,)))


POSITIVE = st.floats(1e-300, 1e299)
NONE_OR = st.one_of(st.just(np.inf), POSITIVE)
ANY = st.floats(-1e299, 1e299)


@settings(deadline=None)
@given(
    kind=st.sampled_from([JointKind.REVOLUTE, JointKind.PRISMATIC]),
    limits=st.tuples(st.floats(-1e200, 1e200), st.floats(-1e200, 1e200)).map(sorted),
    bounds=st.tuples(NONE_OR, NONE_OR, NONE_OR, NONE_OR),
    losses=st.tuples(*[st.one_of(st.just(0.0), POSITIVE)] * 3),
    body=st.tuples(POSITIVE, *[st.floats(-1e200, 1e200)] * 3, *[ANY] * 6),
    at=st.sampled_from(["origin", "com"]),
)
def test_every_number_of_a_joint_comes_back_unchanged(kind, limits, bounds, losses, body, at):
    mass, x, y, z, xx, yy, zz, xy, xz, yz = body
    joint = Joint(
        name="q",
        kind=kind,
        parent=-1,
        placement=np.eye(4),
        **dict(zip(SCALARS, [*limits, *bounds, *losses], strict=True)),
        body=Body(
            mass=mass, com=[x, y, z], inertia=[[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], at=at
        ),
    )
    mechanism = Mechanism(name="m", joints=(joint,))
    found = read_robot(write_toml(mechanism))
    agree(found, mechanism)
    assert found.joints[0].body.at == at


@given(name=st.text(max_size=30), source=st.text(max_size=60))
def test_any_text_is_escaped(name, source):
    joint = Joint(name="q", kind=JointKind.FIXED, parent=-1, placement=np.eye(4))
    storable = "".join(c for c in source if not 0xD800 <= ord(c) <= 0xDFFF)
    mechanism = Mechanism(name=name, source=storable, joints=(joint,))
    text = write_toml(mechanism)
    if name.isprintable() and name == name.strip() != "":
        assert read_robot(text).name == name
        assert read_robot(text).source == storable
    else:
        with pytest.raises(RobotFileError, match="printable"):
            read_robot(text)


def test_a_joint_called_base_cannot_be_written():
    joint = Joint(name="base", kind=JointKind.FIXED, parent=-1, placement=np.eye(4))
    with pytest.raises(RobotFileError, match="rename it"):
        write_toml(Mechanism(name="m", joints=(joint,)))


def test_nearly_parallel_axes_keep_their_digits(make_mechanism):
    """Rows would need a length of 1e9 m here and lose seven digits; a pose does not."""
    placement = np.eye(4)
    placement[:3, :3] = [[1, 0, 0], [0, 1, -1e-9], [0, 1e-9, 1]]
    placement[:3, 3] = [0.3, 0.2, 0.1]
    mechanism = make_mechanism(0)
    first = replace(mechanism.joints[0], placement=placement)
    mechanism = replace(mechanism, joints=(first, *mechanism.joints[1:]))
    agree(read_robot(write_toml(mechanism)), mechanism)
