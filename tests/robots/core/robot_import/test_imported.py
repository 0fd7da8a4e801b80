"""``import_robot``: the robot file is the robot, with a note for whatever its source left open."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import numpy as np
import pytest
import trimesh

from robots import library
from robots.core.errors import RobotFileError
from robots.core.model import Model
from robots.core.robot_file import load, read_robot, write_toml
from robots.core.robot_import import Need, SourceFormat, Topic, import_robot
from robots.core.urdf import write_urdf
from tests.robots.core.urdf.pinocchio_chain import PinocchioChain

REAL = Path(os.environ.get("PALPEUR_REAL_DATA", "")) if "PALPEUR_REAL_DATA" in os.environ else (
    Path(__file__).resolve().parents[5] / "shared" / "data" / "real"
)  # fmt: skip
INERTIAL = (
    '<inertial><origin xyz="0 0 0.1" rpy="0.1 0.2 0.3"/><mass value="2"/>'
    '<inertia ixx="0.02" ixy="0.001" ixz="0" iyy="0.03" iyz="0" izz="0.02"/></inertial>'
)


def link(name, inside=INERTIAL):
    return f'<link name="{name}">{inside}</link>'


def joint(name, parent, child, *, xyz="0 0 0.3", limit='lower="-2" upper="2" velocity="3"',
          kind="revolute", effort="50"):  # fmt: skip
    return (
        f'<joint name="{name}" type="{kind}"><origin xyz="{xyz}" rpy="0.2 0 0.1"/>'
        f'<parent link="{parent}"/><child link="{child}"/><axis xyz="0 1 0"/>'
        f'<limit effort="{effort}" {limit}/></joint>'
    )


@pytest.fixture
def urdf(tmp_path):
    """``urdf(*elements)`` → path of a file."""

    def write(*elements, name="arm.urdf"):
        path = tmp_path / name
        path.write_text(f'<robot name="arm">{"".join(elements)}</robot>')
        return path

    return write


def arm(**changes):
    return (link("base", ""), link("one"), link("two"), joint("a", "base", "one"),
            joint("b", "one", "two", **changes))  # fmt: skip


def sentences(found, topic):
    return [note.sentence for note in found.notes if note.topic is topic]


# --- the same mechanism --------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["ur5e", "irb2400", "kr6r700", "xarm6"])
def test_published_files_come_back_the_same_and_agree_with_pinocchio(name):
    path = REAL / f"{name}.urdf"
    if not path.exists():
        pytest.skip(f"{path} is not there")
    found = import_robot(path)
    ours, read = Model(read_robot(found.text), "numpy"), Model(found.mechanism, "numpy")
    peer = PinocchioChain(path.read_text(), found.mechanism)
    for q, qd, qdd in np.random.default_rng(3).uniform(-1, 1, (20, 3, found.mechanism.dof)):
        assert np.abs(ours.forward(q) - read.forward(q)).max() <= 1e-12
        assert np.abs(ours.forward(q) - peer.forward(q)).max() <= 1e-12
        if found.mechanism.masses_known:
            tau, expected = ours.torques(q, qd, qdd), read.torques(q, qd, qdd)
            assert np.abs(tau - expected).max() <= 1e-12 * np.abs(expected).max()
    required = [note.topic for note in found.missing if note.need is Need.REQUIRED]
    assert required == [Topic.ACCELERATION]  # what URDF has no place for, and nothing else


def test_a_robot_file_comes_back_byte_for_byte_but_for_comments(tmp_path):
    (tmp_path / "arm.toml").write_text(write_toml(load_library("measuring-arm")))
    found = import_robot(tmp_path / "arm.toml", name="mine")
    assert found.format is SourceFormat.ROBOT_FILE
    texts = (found.text, write_toml(found.mechanism))
    bare = [[line for line in text.splitlines() if line and line[0] != "#"] for text in texts]
    assert bare[0] == bare[1]
    assert found.mechanism.name == "mine"


def load_library(name):
    from robots.library import load as load_named

    return load_named(name)


def test_comments_stand_at_their_keys_and_hide_nothing(urdf):
    found = import_robot(urdf(*arm(effort="0")))
    text = found.text
    assert text.startswith("# Imported from arm.urdf (URDF).\nformat = 1")
    assert text.count("# To be given: max_acceleration_rad_s2") == 2
    second = text.index('name = "b"')
    assert "# Optional: max_torque_nm" in text[second:]
    assert "# Optional: max_torque_nm" not in text[:second]
    assert text.index("# Gravity is taken") < text.index("gravity_m_s2 =")
    hostile = write_toml(found.mechanism, {("robot",): ["one\ntwo = 3\x07"], ("none",): ["x"]})
    assert "# one two = 3" in hostile
    assert read_robot(hostile).name == "arm"


def test_what_is_written_is_read(urdf, tmp_path):
    found = import_robot(urdf(*arm()))
    path = found.write(tmp_path / "arm.toml")
    assert load(path).name == "arm"
    assert "required: max_acceleration_rad_s2" in repr(found)
    with pytest.raises(RobotFileError, match="cannot be written"):
        found.write(path)


# --- tip and base --------------------------------------------------------------------------------


def test_the_base_may_be_a_link_that_is_rigid_with_the_root(urdf):
    stand = (link("world", ""), '<joint name="s" type="fixed"><origin xyz="1 0 2" rpy="0 0 1.2"/>'
             '<parent link="world"/><child link="base"/></joint>')  # fmt: skip
    path = urdf(*stand, *arm())
    whole, moved = import_robot(path).mechanism, import_robot(path, base="base").mechanism
    q = np.array([0.3, -0.4])
    T = np.eye(4)
    c, s = np.cos(1.2), np.sin(1.2)
    T[:2, :2], T[:3, 3] = [[c, -s], [s, c]], [1, 0, 2]
    poses = [Model(mechanism, "numpy").forward(q) for mechanism in (whole, moved)]
    assert np.abs(poses[0] - T @ poses[1]).max() <= 1e-15
    assert moved.tip.root == "base"
    tau = [Model(m, "numpy").torques(q, q, q) for m in (whole, moved)]
    assert np.abs(tau[0] - tau[1]).max() <= 1e-14


def test_gravity_turns_with_the_base(urdf):
    tilt = (link("world", ""), '<joint name="s" type="fixed"><origin rpy="1.5707963267948966 0 0"/>'
            '<parent link="world"/><child link="base"/></joint>')  # fmt: skip
    path = urdf(*tilt, *arm())
    found = import_robot(path, base="base").mechanism
    assert found.gravity == pytest.approx([0, -9.81, 0], abs=1e-15)
    q = np.array([0.3, -0.4])
    tau = [Model(m, "numpy").gravity_torques(q) for m in (import_robot(path).mechanism, found)]
    assert np.abs(tau[0] - tau[1]).max() <= 1e-14


def test_what_moves_before_the_base_is_left_out(urdf):
    cart = (link("rail"), joint("drive", "rail", "base", kind="prismatic"))
    found = import_robot(urdf(*cart, *arm()), base="base")
    assert [one.name for one in found.mechanism.joints] == ["a", "b"]
    assert import_robot(urdf(*cart, *arm())).mechanism.dof == 3


def test_two_roots_are_asked_about(urdf):
    path = urdf(*arm(), link("table"), link("lamp"), joint("l", "table", "lamp"))
    with pytest.raises(RobotFileError, match="the base, 'base' or 'table'") as asked:
        import_robot(path)
    assert asked.value.facts["candidates"] == ("base", "table")
    assert import_robot(path, base="base").mechanism.dof == 2


def test_two_tips_are_asked_about(urdf):
    path = urdf(*arm(), link("three"), joint("c", "one", "three"))
    with pytest.raises(RobotFileError, match="'two', 'three' are each behind 2 moving joints"):
        import_robot(path)
    assert import_robot(path, tip="three").mechanism.tip.link == "three"


@pytest.mark.parametrize(
    ("elements", "options", "words"),
    [
        ((link("a"), link("b"), joint("f", "a", "b", kind="fixed")), {}, "has no moving joint"),
        (arm(), {"base": "bas"}, "the base 'bas' is no link of this file; did you mean 'base'"),
        (arm(), {"tip": "base"}, "no joint moves the tip 'base'"),
        ((*arm(), joint("c", "two", "one")), {}, "carries link 'one', as joint 'a' does"),
        ((*arm(), link("x"), link("y"), joint("c", "x", "y"), joint("d", "y", "x")),
         {"base": "x"}, "belongs to a loop of links"),
        (arm(kind="floating"), {}, "import it with 'two' as its base"),
        ((link("base"), link("one", INERTIAL.replace('"2"', '"-2"')), joint("a", "base", "one")),
         {}, "has mass -2 kg; expected zero or more"),
        (arm(xyz="0 0 425"), {}, "Multiply all of them by 0.001, which makes this one 0.425 m"),
        (arm(), {"arguments": {"a": "b"}}, "is no xacro file"),
    ],
)  # fmt: skip
def test_bad_input_has_one_message(urdf, elements, options, words):
    with pytest.raises(RobotFileError) as refused:
        import_robot(urdf(*elements), **options)
    assert words in str(refused.value)


def test_lengths_in_millimetres_say_the_scale(urdf):
    with pytest.raises(RobotFileError, match="stands 425 m from the joint before it") as refused:
        import_robot(urdf(*arm(xyz="0 0 425")))
    assert refused.value.facts["scale"] == 0.001


# --- what is missing -----------------------------------------------------------------------------


def test_limits_of_zero_are_asked_for(urdf):
    found = import_robot(urdf(*arm(limit='lower="0" upper="0" velocity="0"', effort="0")))
    (speed,), (effort,) = (sentences(found, one) for one in (Topic.SPEED, Topic.EFFORT))
    assert speed == "max_speed_rad_s of b: the source gives none, or 0, which is none."
    assert effort.startswith("max_torque_nm of b: ")
    (still,) = sentences(found, Topic.POSITION)
    assert still.startswith("min_deg, max_deg of b: the source has the same lower and upper limit")
    needs = {note.topic: note.need for note in found.notes if note.joints == ("b",)}
    assert needs[Topic.POSITION] is needs[Topic.SPEED] is Need.REQUIRED


@pytest.mark.parametrize("inside", ["", '<inertial><mass value="0"/></inertial>'])
def test_masses_that_are_not_given_are_unknown(urdf, inside):
    found = import_robot(urdf(link("base"), link("one", inside), joint("a", "base", "one")))
    assert not found.mechanism.masses_known
    assert 'masses = "unknown"' in found.text
    (note,) = sentences(found, Topic.MASSES)
    assert "are not evaluated" in note


def test_a_link_without_mass_among_others_is_named(urdf):
    found = import_robot(urdf(link("base"), link("one", ""), link("two"), joint("a", "base", "one"),
                              joint("b", "one", "two")))  # fmt: skip
    (note,) = [one for one in found.notes if one.topic is Topic.MASSES]
    assert note.joints == ("a",)


def shaped(scale, name="a.stl"):
    mesh = f'<mesh filename="{name}" scale="{scale}"/>'
    return f"{INERTIAL}<collision><geometry>{mesh}</geometry></collision>"


def test_meshes_become_capsules_and_millimetres_are_told(urdf, tmp_path):
    trimesh.creation.box((100.0, 60.0, 300.0)).export(tmp_path / "a.stl")
    elements = (link("base"), joint("a", "base", "one"))
    right = urdf(*elements, link("one", shaped("0.001 0.001 0.001")))
    found = import_robot(right)
    assert [shape.link for shape in found.mechanism.mesh_shapes] == ["one"]
    assert any("pieces that contain their meshes" in s for s in sentences(found, Topic.SHAPES))
    assert read_robot(found.text).capsules
    wrong = urdf(*elements, link("one", shaped("1 1 1")), name="mm.urdf")
    with pytest.raises(RobotFileError, match=r'scale="0\.001 0\.001 0\.001"'):
        import_robot(wrong)


def test_a_mesh_of_another_folder_is_asked_for(urdf, tmp_path):
    (tmp_path / "meshes").mkdir()
    trimesh.creation.box((0.1, 0.06, 0.3)).export(tmp_path / "meshes" / "b.stl")
    path = urdf(link("base"), joint("a", "base", "one"), link("one", shaped("1 1 1", "b.stl")))
    (missing,) = sentences(import_robot(path), Topic.SHAPES)
    assert "b.stl is not found: name the folder of the meshes." in missing
    assert import_robot(path, meshes=tmp_path / "meshes").mechanism.capsules


def test_meshes_are_named_and_the_import_goes_on(urdf):
    mesh = '<collision><geometry><mesh filename="package://nowhere/a.stl"/></geometry></collision>'
    found = import_robot(
        urdf(link("base"), link("one", INERTIAL + mesh), joint("a", "base", "one"))
    )
    assert any("links one, whose mesh shapes are not read" in one
               for one in sentences(found, Topic.SHAPES))  # fmt: skip


def test_a_joint_called_base_is_renamed(urdf):
    found = import_robot(urdf(link("base"), link("one"), joint("base", "base", "one")))
    assert [one.name for one in found.mechanism.joints] == ["base joint"]
    assert read_robot(found.text).joints[0].name == "base joint"
    assert sentences(found, Topic.NAMES)


@pytest.mark.parametrize("name", ["arm.stl", "arm", "arm.zip"])
def test_other_files_are_not_robots(tmp_path, name):
    (tmp_path / name).write_text("x")
    with pytest.raises(RobotFileError, match=r"known endings: \.urdf, \.xacro"):
        import_robot(tmp_path / name)


@pytest.mark.parametrize("option", ["tip", "base"])
def test_a_table_has_no_links(tmp_path, option):
    (tmp_path / "arm.csv").write_text("x")
    with pytest.raises(RobotFileError, match="no links to choose"):
        import_robot(tmp_path / "arm.csv", **{option: "tool0"})


# --- xacro ---------------------------------------------------------------------------------------

XACRO = """<robot name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro">
<xacro:arg name="reach" default="0.3"/>
<xacro:include filename="$(find arm_support)/urdf/links.xacro"/>
<xacro:arm_links/>
<joint name="a" type="revolute"><origin xyz="0 0 ${2*$(arg reach)}"/><parent link="base"/>
<child link="one"/><axis xyz="0 1 0"/><limit lower="-2" upper="2" velocity="3" effort="0"/></joint>
</robot>"""
LINKS = """<robot xmlns:xacro="http://www.ros.org/wiki/xacro">
<xacro:macro name="arm_links" params=""><link name="base"/><link name="one"/></xacro:macro>
</robot>"""


@pytest.fixture
def xacro_file(tmp_path):
    folder = tmp_path / "arm_support" / "urdf"
    folder.mkdir(parents=True)
    (folder.parent / "package.xml").write_text("<package/>")
    (folder / "links.xacro").write_text(LINKS)
    path = folder / "arm.urdf.xacro"
    path.write_text(XACRO)
    return path


def test_xacro_files_are_expanded_where_the_package_is(xacro_file):
    pytest.importorskip("xacro", reason="the PyPI package xacro expands the file")
    found = import_robot(xacro_file, arguments={"reach": "0.25"})
    assert found.format is SourceFormat.XACRO
    assert found.mechanism.joints[0].placement[2, 3] == 0.5
    assert "ament_index_python" not in sys.modules
    xacro_file.write_text(XACRO.replace("arm_support", "elsewhere"))
    with pytest.raises(RobotFileError, match="the package 'elsewhere' is neither"):
        import_robot(xacro_file)


def test_without_the_package_one_message_says_what_to_do(xacro_file, monkeypatch):
    monkeypatch.setitem(sys.modules, "xacro", None)
    with pytest.raises(RobotFileError, match="pip install xacro, or expand the file") as refused:
        import_robot(xacro_file)
    assert refused.value.facts["missing"] == "xacro"


def test_entities_are_never_expanded(xacro_file):
    xacro_file.write_text('<!DOCTYPE robot [<!ENTITY a "b">]>' + XACRO)
    with pytest.raises(RobotFileError, match="document type"):
        import_robot(xacro_file)


def test_shapes_of_turned_frames_are_written_as_the_source_has_them(tmp_path):
    """Turned and turned back, 48.993 mm is 48.992999999999995 mm of the arithmetic."""
    arm = library.load("yaskawa-gp8")
    path = tmp_path / "arm.urdf"
    path.write_text(write_urdf(arm))
    found = import_robot(path)
    assert [one.start.tolist() for one in found.mechanism.capsules] == [
        one.start.tolist() for one in arm.capsules
    ]
    lengths = re.findall(r"(?:from_mm|to_mm|radius_mm) = (\[.*?\]|\S+)", found.text)
    assert max(len(number) for one in lengths for number in re.findall(r"[\d.e-]+", one)) <= 6
