"""Collision geometry ⇄ capsules: enclosing, as small as can be, and back again."""

import math
import shutil
import subprocess
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robots.core.capsule import Capsule
from robots.core.errors import RobotFileError
from robots.core.model import Model
from robots.core.self_pairs import segment_distance
from robots.core.shapes.piece_fit import piece_depth, piece_volume
from robots.core.urdf import (
    around_box,
    around_cylinder,
    prism_corners,
    read_urdf,
    write_urdf,
)
from robots.library import load
from tests.cases import some

SIZE = st.floats(1e-3, 10.0)

ARM = """<robot name="arm">
  <link name="ground"><collision><origin xyz="0 0 -0.1"/>
    <geometry><box size="0.2 0.2 0.5"/></geometry></collision></link>
  <link name="upper">
    <collision name="tube"><origin xyz="0.3 0 0" rpy="0 1.5707963267948966 0"/>
      <geometry><cylinder radius="0.05" length="0.6"/></geometry></collision>
    <collision><geometry><sphere radius="0.07"/></geometry></collision>
    <collision><geometry><sphere radius="0.01"/></geometry></collision>
    <collision><geometry><mesh filename="upper.stl"/></geometry></collision>
  </link>
  <link name="lower"/>
  <link name="tool"><collision name="tip"><origin xyz="0 0 0.1"/>
    <geometry><sphere radius="0.004"/></geometry></collision></link>
  <joint name="shoulder" type="continuous">
    <origin xyz="0 0 1" rpy="0.3 0.2 -0.1"/>
    <parent link="ground"/><child link="upper"/><axis xyz="1 2 -2"/>
  </joint>
  <joint name="elbow" type="continuous">
    <origin xyz="0.6 0 0"/><parent link="upper"/><child link="lower"/><axis xyz="0 1 0"/>
  </joint>
  <joint name="mount" type="fixed">
    <origin xyz="0.5 0 0"/><parent link="lower"/><child link="tool"/>
  </joint>
</robot>
"""


def outside(points, capsule):
    """How far points stand out of a capsule along an axis of the points' frame."""
    reach = capsule.half_length * np.eye(3)[capsule.axis]
    return segment_distance(points, points, -reach, reach).max() - capsule.radius


@given(radius=SIZE, length=SIZE)
def test_a_cylinder_is_inside_and_nothing_smaller_holds_it(radius, length):
    capsule = around_cylinder(radius, length)
    rim = np.array([[radius, 0.0, length / 2], [0.0, -radius, -length / 2]])
    assert outside(rim, capsule) <= 1e-14 * (radius + length)
    # Oracle: every capsule that touches the rims, from the thinnest to the ball.
    R = np.linspace(radius, math.hypot(radius, length / 2), 400)
    h = length / 2 - np.sqrt(R**2 - radius**2)
    # The oracle loses half its digits in the square root of R² - radius².
    assert capsule.volume <= np.min(np.pi * R**2 * (2 * h + 4 / 3 * R)) * (1 + 1e-8)


@given(size=st.tuples(SIZE, SIZE, SIZE))
def test_a_box_is_inside_and_touches_with_its_corners(size):
    capsule = around_box(size)
    signs = np.array(np.meshgrid(*[[-0.5, 0.5]] * 3)).reshape(3, 8).T
    assert abs(outside(signs * size, capsule)) <= 1e-13 * sum(size)
    assert capsule.volume >= np.prod(size)
    assert capsule.volume <= 4 / 3 * np.pi * (np.linalg.norm(size) / 2) ** 3 * (1 + 1e-12)


def test_flat_and_thin_shapes():
    disc = around_cylinder(1.0, 0.1)
    assert (disc.half_length, disc.radius) == (0.0, pytest.approx(math.hypot(1.0, 0.05)))
    needle = around_cylinder(0.0, 2.0)
    assert (needle.half_length, needle.radius) == (1.0, 0.0)
    rod = around_cylinder(0.01, 5.0)  # long: as thin as the rod, one radius longer at each end
    assert rod.radius == pytest.approx(0.01, rel=1e-5)
    assert 2 * (rod.half_length + rod.radius) == pytest.approx(5.02, rel=1e-4)


def test_shapes_are_read_in_the_joints_frames():
    arm = read_urdf(ARM)
    base, tube, ball, small, tip = arm.capsules
    names = ["base", "tube", "shoulder link", "shoulder link 2", "tip"]
    assert [capsule.name for capsule in arm.capsules] == names
    assert [capsule.joint for capsule in arm.capsules] == [-1, 0, 0, 0, 1]
    assert 0.5 * (base.start + base.end) == pytest.approx([0, 0, -0.1], abs=1e-16)
    assert (ball.radius, small.radius, tip.radius) == (0.07, 0.01, 0.004)
    # In the link "upper", not in our turned frame, the tube lies along x.
    turned = Model(arm).transforms(np.zeros(2))[0]
    link = np.array(turned)
    from robots.core.pose import rotation_zyx

    link[:3, :3] = rotation_zyx([-0.1, 0.2, 0.3])
    middle = turned @ [*(0.5 * (tube.start + tube.end)), 1.0]
    assert middle == pytest.approx(link @ [0.3, 0, 0, 1], abs=1e-15)
    along = turned[:3, :3] @ (tube.end - tube.start)
    assert np.abs(np.cross(along, link[:3, 0])).max() < 1e-15
    end = Model(arm).forward(np.zeros(2)) @ [0, 0, 0.1, 1]
    assert (Model(arm).transforms(np.zeros(2))[1] @ [*tip.start, 1]) == pytest.approx(end)


def test_a_box_is_its_own_piece_and_a_cylinder_lies_in_a_prism():
    base, tube, ball, *_ = read_urdf(ARM).capsules
    assert piece_volume(base.corners) == pytest.approx(0.2 * 0.2 * 0.5)
    assert np.ptp(base.corners, axis=0) == pytest.approx([0.2, 0.2, 0.5])
    assert base.corners.mean(axis=0) == pytest.approx([0, 0, -0.1])
    assert piece_volume(tube.corners) / (np.pi * 0.05**2 * 0.6) < 1.03
    assert piece_depth(tube.corners, np.stack([tube.start, tube.end])) < 0.0
    assert len(ball.corners) == 0


@given(radius=SIZE, length=SIZE)
def test_a_cylinder_is_inside_its_prism(radius, length):
    angles = np.linspace(0.0, 2.0 * np.pi, 361)  # through the middle of each side
    circle = radius * np.column_stack([np.cos(angles), np.sin(angles)])
    rims = [np.column_stack([circle, np.full(361, end)]) for end in (-length / 2, length / 2)]
    corners = prism_corners(radius, length)
    assert piece_depth(corners, np.concatenate(rims)) <= 1e-14 * (radius + length)


@pytest.mark.parametrize("flat", ['<box size="0.2 0.2 0"/>', '<cylinder radius="0.1" length="0"/>'])
def test_what_is_flat_has_no_piece(flat):
    arm = read_urdf(ARM.replace('<box size="0.2 0.2 0.5"/>', flat))
    assert len(arm.capsules[0].corners) == 0


def test_a_mesh_is_remarked_and_not_read():
    arm = read_urdf(ARM)
    (mesh,) = arm.unread_shapes
    assert (mesh.link, mesh.kind, mesh.line, mesh.count) == ("upper", "mesh", 9, 1)
    assert arm.remarks == ("Link 'upper' has mesh shapes, which are not checked.",)
    (empty,) = read_urdf(ARM.replace('<mesh filename="upper.stl"/>', "")).unread_shapes
    assert empty.kind == "empty geometry"


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('<sphere radius="0.07"/>', '<sphere radius="-1"/>', "needs a radius"),
        ('<sphere radius="0.07"/>', "<sphere/>", "needs a radius"),
        ('radius="0.05" length="0.6"', 'radius="0.05" length="a"', 'length="a"; expected a finite'),
        ('size="0.2 0.2 0.5"', 'size="0.2 0.2"', "3 finite numbers"),
        ('<box size="0.2 0.2 0.5"/>', "<box/>", "needs a size"),
    ],
)
def test_bad_sizes_name_the_line(old, new, words):
    assert ARM.count(old) == 1
    with pytest.raises(RobotFileError, match="line") as caught:
        read_urdf(ARM.replace(old, new))
    assert words in str(caught.value)


@pytest.mark.parametrize("name", ["measuring-arm", "industrial-6r", "anthropomorphic"])
def test_library_capsules_come_back(name):
    robot = load(name)
    found = read_urdf(write_urdf(robot))
    assert found.self_pairs == robot.self_pairs
    for ours, theirs in zip(found.capsules, robot.capsules, strict=True):
        assert (ours.name, ours.joint) == (theirs.name, theirs.joint)
        assert ours.radius == theirs.radius
        assert np.abs(ours.start - theirs.start).max() < 1e-15
        assert np.abs(ours.end - theirs.end).max() < 1e-15


@pytest.mark.parametrize("seed", some(range(10), gate=4))
def test_random_capsules_come_back(seed):
    rng = np.random.default_rng(seed)
    arm = load("measuring-arm")
    ends = rng.normal(size=(5, 2, 3))
    capsules = [
        Capsule(name=f"c{j}", joint=j - 1, start=a, end=b, radius=rng.uniform(0.01, 0.2))
        for j, (a, b) in enumerate(ends)
    ]
    found = read_urdf(write_urdf(replace(arm, capsules=tuple(capsules), self_pairs=())))
    for ours, theirs in zip(found.capsules, capsules, strict=True):
        assert np.abs(ours.start - theirs.start).max() < 1e-14
        assert np.abs(ours.end - theirs.end).max() < 1e-14


def test_yourdfpy_and_check_urdf_read_what_we_write(tmp_path):
    yourdfpy = pytest.importorskip("yourdfpy")
    path = tmp_path / "robot.urdf"
    path.write_text(write_urdf(load("industrial-6r")), encoding="utf-8")
    robot = yourdfpy.URDF.load(str(path), load_meshes=False, build_scene_graph=False)
    forearm = next(link for link in robot.robot.links if link.name == "q3_link").collisions
    assert [shape.name for shape in forearm] == ["forearm", "forearm start", "forearm end"]
    length = forearm[0].geometry.cylinder.length
    assert length == pytest.approx(math.hypot(0.0203, 0.38), rel=1e-15)
    end = forearm[0].origin @ [0, 0, length / 2, 1]
    assert end[:3] == pytest.approx([-0.0203, -0.38, 0], abs=1e-15)
    if shutil.which("check_urdf"):
        done = subprocess.run(["check_urdf", path], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
