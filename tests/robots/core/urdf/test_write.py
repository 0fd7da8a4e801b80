"""Mechanism → URDF: read back by us, by Pinocchio, by yourdfpy and by check_urdf."""

import math
import shutil
import subprocess
from dataclasses import replace

import numpy as np
import pytest

from robots.core.errors import RobotFileError
from robots.core.model import Model
from robots.core.urdf import read_urdf, write_urdf
from tests.cases import some
from tests.robots.core.urdf.pinocchio_chain import check_against_pinocchio

SEEDS = range(12)


def limited(mechanism, seed):
    """The mechanism with limits on every second joint: URDF has a type for each case."""
    rng = np.random.default_rng(seed)
    joints = [
        replace(j, q_min=-rng.uniform(1, 2), q_max=2.5, max_speed=3.0, max_effort=40.0, viscous=0.2)
        if j.movable and index % 2
        else replace(j, motor_inertia=0.0)
        for index, j in enumerate(mechanism.joints)
    ]
    joints = [replace(j, motor_inertia=0.0) for j in joints]
    return replace(mechanism, joints=tuple(joints))


def straight(mechanism):
    """Its joints one behind the other, the tool on the last: what reading takes of a URDF file."""
    joints = [replace(j, parent=index - 1) for index, j in enumerate(mechanism.joints)]
    return replace(mechanism, joints=tuple(joints), tool_joint=len(joints) - 1)


@pytest.fixture(params=some(SEEDS, gate=5))
def mechanism(request, make_mechanism):
    return limited(make_mechanism(request.param), request.param)


def test_a_chain_comes_back_to_us(mechanism):
    mechanism = straight(mechanism)
    found = read_urdf(write_urdf(mechanism))
    ours = {j.name: j for j in mechanism.joints}
    assert {j.name for j in found.joints} == set(ours)
    names = {-1: "base"} | {i: j.name for i, j in enumerate(mechanism.joints)}
    found_names = {-1: "base"} | {i: j.name for i, j in enumerate(found.joints)}
    for joint in found.joints:
        other = ours[joint.name]
        assert found_names[joint.parent] == names[other.parent]
        assert np.abs(joint.placement - other.placement).max() < 1e-15
        assert (joint.kind, joint.q_min, joint.q_max) == (other.kind, other.q_min, other.q_max)
        assert (joint.max_speed, joint.max_effort) == (other.max_speed, other.max_effort)
        assert (joint.viscous, joint.coulomb) == (other.viscous, other.coulomb)
        assert np.array_equal(joint.body.com, other.body.com)
        assert np.allclose(joint.body.inertia, other.body.inertia_at_com, atol=1e-16)
    assert np.abs(found.tool - mechanism.tool).max() < 1e-15
    assert found_names[found.tool_joint] == names[mechanism.tool_joint]


def test_of_a_tree_the_chain_to_the_tool_comes_back(mechanism):
    """What branches off is rigid: Pinocchio, its joints locked, has the same dynamics."""
    last = max(k for k, joint in enumerate(mechanism.joints) if joint.movable)
    tree = replace(mechanism, tool_joint=last)
    text = write_urdf(tree)
    found = read_urdf(text)
    chain = []
    while last >= 0:
        chain.append(tree.joints[last].name)
        last = tree.joints[last].parent
    assert [joint.name for joint in found.joints] == chain[::-1]
    held = {joint.name for joint in tree.movable} - set(chain)
    assert {joint.name for joint in found.side_branches.joints} == held
    check_against_pinocchio(text, found)


def test_pinocchio_moves_it_as_we_do(mechanism):
    pin = pytest.importorskip("pinocchio")
    model = pin.buildModelFromXML(write_urdf(mechanism))
    data = model.createData()
    names = [joint.name for joint in mechanism.movable]
    order = [names.index(name) for name in list(model.names)[1:]]
    ours = Model(mechanism, "numpy")
    q = np.random.default_rng(1).uniform(-1, 1, mechanism.dof)
    theirs = np.zeros(model.nq)
    for index, k in enumerate(order, start=1):
        joint = model.joints[index]
        value = [math.cos(q[k]), math.sin(q[k])] if joint.nq == 2 else [q[k]]
        theirs[joint.idx_q : joint.idx_q + joint.nq] = value
    pin.framesForwardKinematics(model, data, theirs)
    tool = data.oMf[model.getFrameId("tool")].homogeneous
    assert np.abs(tool - ours.forward(q)).max() < 1e-12
    M = pin.crba(model, data, theirs)
    M = np.triu(M) + np.triu(M, 1).T
    found = ours.mass_matrix(q)[np.ix_(order, order)]
    assert np.abs(found - M).max() <= 1e-10 * max(1.0, np.abs(M).max())


def test_yourdfpy_moves_it_as_we_do(mechanism, tmp_path):
    yourdfpy = pytest.importorskip("yourdfpy")
    path = tmp_path / "robot.urdf"
    path.write_text(write_urdf(mechanism), encoding="utf-8")
    robot = yourdfpy.URDF.load(str(path), load_meshes=False, build_scene_graph=True)
    q = np.random.default_rng(2).uniform(-1, 1, mechanism.dof)
    robot.update_cfg(dict(zip([j.name for j in mechanism.movable], q, strict=True)))
    found = robot.get_transform("tool", "base")
    # yourdfpy turns by its own trigonometry; twelve joints of a metre.
    assert np.abs(found - Model(mechanism, "numpy").forward(q)).max() < 1e-12


def test_check_urdf_finds_nothing(mechanism, tmp_path):
    if shutil.which("check_urdf") is None:
        pytest.skip("check_urdf (Debian: liburdfdom-tools) is not installed")
    path = tmp_path / "robot.urdf"
    path.write_text(write_urdf(mechanism), encoding="utf-8")
    done = subprocess.run(["check_urdf", path], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Successfully Parsed XML" in done.stdout
    assert "rror" not in done.stderr


def test_the_comment_says_what_urdf_cannot_hold(make_mechanism):
    base = straight(make_mechanism(1))
    first = replace(base.joints[0], max_acceleration=3.0, motor_inertia=0.2)
    text = write_urdf(replace(base, joints=(first, *base.joints[1:]), source="a -- b --> c"))
    assert "URDF has no place for it: maximum accelerations, motor inertias, gravity." in text
    assert "Source: a - b -> c" in text
    assert read_urdf(text).dof == base.dof


def test_names_are_escaped_or_refused(make_mechanism):
    base = straight(make_mechanism(2))
    odd = replace(base.joints[0], name='tool_mount<&"é')
    named = replace(base, joints=(odd, *base.joints[1:]))
    assert read_urdf(write_urdf(named)).joints[0].name == 'tool_mount<&"é'
    with pytest.raises(RobotFileError, match="cannot be written as URDF"):
        write_urdf(replace(base, name="a\x00b"))


def test_a_joint_named_as_the_tools_mount_is_kept_apart(make_mechanism):
    base = straight(make_mechanism(3))
    joint = replace(base.joints[0], name="tool_mount")
    text = write_urdf(replace(base, joints=(joint, *base.joints[1:])))
    assert 'name="tool_mount_"' in text
    assert read_urdf(text).dof == base.dof
