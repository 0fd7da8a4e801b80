"""Shapes of a URDF's links: meshes placed and scaled, capsules on the mechanism, pairs, sizes."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
import trimesh

import palpeur as pp
from planner.findings.unchecked import links_without_shape
from reports.models.robot import audit_lines, robot_document, robot_lines
from robots.core.errors import MeshError, MissingMeshError, RobotFileError
from robots.core.kernels import cache
from robots.core.pose import make_pose, rotation_zyx, transform_points
from robots.core.robot_file import read_robot, write_toml
from robots.core.self_pairs import PairReason, default_self_pairs, unwatched_pairs
from robots.core.shapes import link_shapes, shapes_of
from robots.core.shapes.link_shapes import carried
from robots.core.urdf import load_urdf

ORIGIN = 'xyz="0.1 0.2 0.3" rpy="0.4 -0.5 0.6"'
PLACE = make_pose(rotation_zyx([0.6, -0.5, 0.4]), [0.1, 0.2, 0.3])


def link(name, filename="", scale="1 1 1", tag="collision", origin='xyz="0 0 0"'):
    mesh = f'<geometry><mesh filename="{filename}" scale="{scale}"/></geometry>'
    shape = f"<{tag}><origin {origin}/>{mesh}</{tag}>" if filename else ""
    return f'<link name="{name}">{shape}<inertial><mass value="1"/></inertial></link>'


def joint(name, parent, child, xyz="0 0 0.4", axis="0 1 0"):
    return (
        f'<joint name="{name}" type="revolute"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="{xyz}"/><axis xyz="{axis}"/>'
        '<limit lower="-1" upper="1" effort="1" velocity="1"/></joint>'
    )


def write(folder, *links, name="arm.urdf"):
    """An arm of four links, these with shapes in place of their own."""
    parts = {"base": link("base"), "a": link("a"), "b": link("b"), "c": link("c")}
    for text in links:
        parts[text.split('"')[1]] = text
    joints = joint("q1", "base", "a") + joint("q2", "a", "b") + joint("q3", "b", "c")
    path = folder / name
    path.write_text(f'<robot name="arm">{"".join(parts.values())}{joints}</robot>')
    return path


@pytest.fixture
def folder(tmp_path):
    trimesh.creation.box((0.1, 0.2, 0.5)).export(tmp_path / "box.stl")
    trimesh.creation.capsule(height=0.3, radius=0.05).export(tmp_path / "rod.stl")
    return tmp_path


def vertices(folder, name="box.stl"):
    return np.asarray(trimesh.load(folder / name, force="mesh").vertices)


def test_a_mesh_stands_where_the_urdf_puts_it(folder):
    path = write(folder, link("a", "box.stl", "2 -1 0.5", origin=ORIGIN))
    shape = shapes_of(path).links["a"]
    placed = transform_points(PLACE, vertices(folder) * (2, -1, 0.5))
    gaps = np.min([c.distances(placed) - c.radius for c in shape.capsules], axis=0)
    assert -1e-6 < gaps.max() <= 0.0
    assert shape.bound <= 0.0
    assert shape.hull_volume == pytest.approx(0.01)
    assert shape.mesh_volume == pytest.approx(0.01)
    assert shape.excess == pytest.approx(shape.volume / 0.01 - 1.0, abs=1e-6)
    assert shape.files == ("box.stl",)


def test_capsules_of_the_mechanism_contain_the_mesh(folder):
    path = write(folder, link("b", "box.stl", origin=ORIGIN), link("base", "rod.stl"))
    arm = pp.load_robot(path)
    mechanism = arm.mechanism
    assert mechanism.unread_shapes == ()
    assert [shape.link for shape in mechanism.mesh_shapes] == ["base", "b"]
    placed = transform_points(PLACE, vertices(folder))
    own = [capsule for capsule in mechanism.capsules if capsule.joint == mechanism.index("q2")]
    points = transform_points(np.linalg.inv(make_pose(link_axes(mechanism, 1))), placed)
    gaps = []
    for capsule in own:
        along = capsule.end - capsule.start
        share = np.clip((points - capsule.start) @ along / max(along @ along, 1e-300), 0, 1)
        away = points - capsule.start - share[:, None] * along
        gaps.append(np.linalg.norm(away, axis=1) - capsule.radius)
        piece = trimesh.convex.convex_hull(capsule.corners)
        assert piece.contains(points[gaps[-1] <= 0.0]).all()
    assert -4e-6 < np.min(gaps, axis=0).max() <= 0.0


def link_axes(mechanism, index):
    """Axes of a joint's frame in that of its URDF link: the base's, for links do not turn at 0."""
    R = np.eye(3)
    for joint in mechanism.joints[: index + 1]:
        R = R @ joint.placement[:3, :3]
    return R


def test_carried_capsules_contain_and_have_few_digits():
    rng = np.random.default_rng(3)
    shape = link_shapes.Stadium(start=rng.normal(size=3), end=rng.normal(size=3), radius=0.1234567)
    moved = carried(shape, PLACE)
    ends = transform_points(PLACE, np.stack([shape.start, shape.end]))
    for end, own in zip(ends, (moved.start, moved.end), strict=True):
        assert np.linalg.norm(end - own) + shape.radius <= moved.radius <= shape.radius + 3e-6
        assert np.allclose(own * 1e6, np.round(own * 1e6), atol=1e-6)


def test_a_link_that_is_only_drawn_gets_its_drawn_shape(folder):
    path = write(folder, link("a", "box.stl", tag="visual"))
    shape = shapes_of(path).links["a"]
    assert shape.visual
    assert load_urdf(path).mesh_shapes[0].visual


def test_missing_meshes_leave_links_without_shape_or_are_an_error(folder):
    path = write(folder, link("a", "box.stl"), link("b", "package://arm/no.stl"))
    with pytest.raises(MissingMeshError, match=r"arm.urdf, line 1, link 'b': .*no\.stl.*sought as"):
        shapes_of(path)
    mechanism = load_urdf(path)
    (unread,) = mechanism.unread_shapes
    assert (unread.link, unread.kind) == ("b", "mesh")
    assert str(folder / "arm" / "no.stl") in unread.sought
    assert "q2" in links_without_shape(mechanism)
    assert "q1" not in links_without_shape(mechanism)


@pytest.mark.parametrize(
    ("scale", "better"), [("1000 1000 1000", "1 1 1"), ("0.001 0.001 0.001", "1 1 1")]
)
def test_a_wrong_unit_is_told_with_the_scale_that_fits(folder, scale, better):
    path = write(folder, link("a", "box.stl", scale))
    with pytest.raises(MeshError, match=f"link 'a'.*scale=\"{better}\"") as caught:
        load_urdf(path)
    assert caught.value.fact("scale", str) == better


def test_one_mesh_of_another_unit_is_told(folder):
    path = write(folder, link("b", "box.stl"), link("a", "box.stl", "0.001 0.001 0.001"))
    with pytest.raises(MeshError, match=r"link 'a'.*metres taken for millimetres"):
        load_urdf(path)


def test_a_scale_of_zero_is_refused(folder):
    with pytest.raises(RobotFileError, match="scale of zero"):
        load_urdf(write(folder, link("a", "box.stl", "1 0 1")))


def test_a_fit_is_made_once(folder, tmp_path, monkeypatch):
    monkeypatch.setenv("PALPEUR_CACHE_DIR", str(tmp_path / "cache"))
    path = write(folder, link("a", "box.stl"))
    first = shapes_of(path).links["a"]
    monkeypatch.setattr(link_shapes, "fit_capsules", None)  # nothing is fitted any more
    second = shapes_of(path).links["a"]
    assert second.volume == first.volume
    for a, b in zip(first.capsules, second.capsules, strict=True):
        assert (a.start == b.start).all()
        assert (a.end == b.end).all()
        assert a.radius == b.radius
    (entry,) = cache.cache_folder("shapes").iterdir()
    entry.write_bytes(entry.read_bytes()[:-1])
    with pytest.raises(TypeError):  # a damaged entry is made again
        shapes_of(path)


def test_every_pair_is_watched_or_told_with_a_reason(folder):
    path = write(folder, *(link(name, "rod.stl") for name in ("base", "a", "b", "c")))
    mechanism = load_urdf(path)
    names = [capsule.name for capsule in mechanism.capsules]
    told = unwatched_pairs(mechanism)
    watched = {frozenset((names[a], names[b])) for a, b in mechanism.self_pairs}
    unwatched = {frozenset((pair.a, pair.b)) for pair in told}
    assert watched | unwatched == set(map(frozenset, combinations(names, 2)))
    assert not watched & unwatched
    assert {pair.reason for pair in told} == {PairReason.ONE_JOINT}
    none = replace(mechanism, self_pairs=())
    reasons = {frozenset((pair.a, pair.b)): pair.reason for pair in unwatched_pairs(none)}
    assert {reasons[pair] for pair in watched} == {PairReason.NEVER_TOUCHING}


def test_pairs_and_shapes_are_shown_and_written(folder):
    path = write(folder, *(link(name, "rod.stl") for name in ("base", "a", "b", "c")))
    mechanism = load_urdf(path)
    shown = "\n".join(robot_lines(mechanism))
    assert "not watched, a single joint between them: base and a; a and b; b and c" in shown
    assert "rod.stl" in shown
    assert "not watched, a single joint between them" in "\n".join(audit_lines(mechanism, ()))
    document = robot_document(mechanism)
    assert {"a": "base", "b": "a", "reason": "one-joint"} in document["unwatched_pairs"]
    assert document["mesh_shapes"][0]["files"] == ["rod.stl"]
    text = write_toml(mechanism)
    assert "# not watched, a single joint between them: base and a; a and b; b and c" in text
    again = read_robot(text)
    assert again.self_pairs == mechanism.self_pairs == default_self_pairs(mechanism)
    for one, other in zip(again.capsules, mechanism.capsules, strict=True):
        assert np.allclose(one.start, other.start, atol=1e-15)
        assert one.radius == pytest.approx(other.radius, abs=1e-15)


def test_links_are_drawn_by_their_visual_meshes_else_by_those_that_are_checked(folder):
    rod = f'<visual><origin {ORIGIN}/><geometry><mesh filename="rod.stl"/></geometry></visual>'
    both = link("a", "box.stl").replace("</link>", f"{rod}</link>")
    path = write(folder, both, link("b", "box.stl"), link("c", "no.stl", tag="visual"))
    arm = pp.load_robot(path)
    drawn = {one.link: one for one in arm.drawn_links}
    assert set(drawn) == {"a", "b"}
    assert [file.name for file in arm.source.meshes] == ["box.stl", "rod.stl"]
    # where the URDF puts them in the base, the arm at zero
    T = arm.transforms(np.zeros((1, 3)))[0]
    placed = transform_points(PLACE, vertices(folder, "rod.stl")) + np.array([0, 0, 0.4])
    found = transform_points(T[drawn["a"].joint], drawn["a"].vertices)
    corners = placed[trimesh.load(folder / "rod.stl").faces].reshape(-1, 3)  # as the file has them
    assert np.abs(found[drawn["a"].faces].reshape(-1, 3) - corners).max() < 1e-7
    assert pp.load_robot("ur5e").drawn_links == ()


EMPTY = (
    '<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1"><asset><unit/>'
    '<up_axis>Y_UP</up_axis></asset><library_visual_scenes><visual_scene id="s"><node id="n"/>'
    '</visual_scene></library_visual_scenes><scene><instance_visual_scene url="#s"/></scene>'
    "</COLLADA>"
)


def test_a_mesh_without_triangles_leaves_its_link_without_shape(folder):
    (folder / "none.dae").write_text(EMPTY)
    path = write(folder, link("a", "box.stl"), link("b", "none.dae"))
    mechanism = load_urdf(path)
    assert [shape.link for shape in mechanism.mesh_shapes] == ["a"]
    assert [(unread.link, unread.kind) for unread in mechanism.unread_shapes] == [("b", "mesh")]
    with pytest.raises(MeshError, match=r"arm.urdf, line 1, link 'b': .*holds no triangles"):
        shapes_of(path)


@pytest.mark.parametrize("scale", ["1000 1000 1000", "0.00001 0.00001 0.00001"])
def test_a_drawn_mesh_of_an_impossible_size_is_left_out(folder, scale):
    text = link("a", "box.stl").replace(
        "</link>",
        f'<visual><geometry><mesh filename="rod.stl" scale="{scale}"/></geometry></visual></link>',
    )
    arm = pp.load_robot(write(folder, text))
    assert arm.drawn_links == ()
    assert [shape.link for shape in arm.mechanism.mesh_shapes] == ["a"]


@pytest.mark.parametrize(
    ("place", "reason"), [("nowhere", "does not exist"), ("box.stl", "is a file")]
)
def test_a_folder_of_meshes_that_is_none_is_one_clear_error(folder, place, reason):
    path = write(folder, link("a", "box.stl"))
    for opened in (pp.load_robot, load_urdf):
        with pytest.raises(MeshError, match=f"{place}' {reason}; give the folder that holds"):
            opened(path, meshes=folder / place)
