"""Mesh files of a URDF: where they are found, what is refused, what they hold."""

import re
import struct

import numpy as np
import pytest
import trimesh

from robots.core.errors import MeshError, MissingMeshError
from robots.core.shapes import MeshFile, MeshFolder
from robots.core.shapes.mesh_files import read_triangles


@pytest.fixture
def package(tmp_path):
    """A package with a URDF's folder, a mesh, and a secret beside it."""
    root = tmp_path / "arm_support"
    (root / "urdf").mkdir(parents=True)
    (root / "meshes").mkdir()
    (tmp_path / "secret.stl").write_bytes(b"secret")
    trimesh.creation.box((1, 2, 3)).export(root / "meshes" / "link.stl")
    return root


def test_a_package_is_a_parent_of_its_name(package):
    found = MeshFolder(folder=package / "urdf").read("package://arm_support/meshes/link.stl")
    assert found.path == (package / "meshes" / "link.stl").resolve()
    assert found.name == "arm_support/meshes/link.stl"


def test_a_copy_finds_a_mesh_under_its_name(package, tmp_path):
    mesh = MeshFolder(folder=package / "urdf").read("package://arm_support/meshes/link.stl")
    copy = tmp_path / "copy"
    (copy / mesh.name).parent.mkdir(parents=True)
    (copy / mesh.name).write_bytes(mesh.raw)
    assert MeshFolder(folder=copy).read(mesh.reference).raw == mesh.raw
    assert MeshFolder(folder=None, held={mesh.name: mesh.raw}).read(mesh.reference).path is None


@pytest.mark.parametrize("extra", ["arm_support", "."])
@pytest.mark.usefixtures("package")
def test_another_folder_may_hold_packages_or_be_one(tmp_path, extra):
    folder = MeshFolder(folder=tmp_path / "elsewhere", extra=tmp_path / extra)
    assert folder.read("package://arm_support/meshes/link.stl").raw


def test_a_relative_path_starts_from_the_urdf(package):
    assert MeshFolder(folder=package).read("meshes/link.stl").raw
    above = MeshFolder(folder=package / "urdf")
    with pytest.raises(MeshError, match="--meshes FOLDER"):
        above.read("../meshes/link.stl")
    allowed = MeshFolder(folder=package / "urdf", extra=package)
    assert allowed.read("../meshes/link.stl").raw


@pytest.mark.parametrize("extra", [None, "urdf"])  # also named besides, it is one place
def test_a_missing_mesh_names_file_and_places(package, extra):
    besides = None if extra is None else package / extra
    with pytest.raises(MissingMeshError) as caught:
        MeshFolder(folder=package / "urdf", extra=besides).read(
            "package://arm_support/meshes/no.stl"
        )
    assert "package://arm_support/meshes/no.stl" in caught.value.message
    sought = caught.value.fact("sought", tuple)
    assert str(package / "meshes" / "no.stl") in sought
    assert len(set(sought)) == len(sought)
    assert all(place in caught.value.message for place in sought)


@pytest.mark.parametrize(
    "reference",
    [
        "package://../../etc/passwd.stl",
        "package://../secret.stl",
        "package://arm_support/../secret.stl",
        "package://arm_support/%2e%2e/secret.stl",
        "package://arm_support/meshes/../../secret.stl",
        "package:///secret.stl",
        "../../secret.stl",
        "..\\..\\secret.stl",
        "ABSOLUTE",
        "file://ABSOLUTE",
        "http://example.org/link.stl",
        "link\0.stl",
        "/etc/passwd",
        "package://arm_support",
        "",
    ],
)
def test_nothing_outside_is_read(package, tmp_path, reference):
    reference = reference.replace("ABSOLUTE", str(tmp_path / "secret.stl"))
    with pytest.raises(MeshError):
        MeshFolder(folder=package / "urdf").read(reference)


def test_links_are_followed_before_a_place_is_judged(package, tmp_path):
    (package / "meshes" / "leak.stl").symlink_to(tmp_path / "secret.stl")
    (package / "up").symlink_to(tmp_path)
    folder = MeshFolder(folder=package / "urdf")
    for reference in (
        "package://arm_support/meshes/leak.stl",
        "package://arm_support/up/secret.stl",
    ):
        with pytest.raises(MeshError, match="leads out"):
            folder.read(reference)


def test_a_bound_holds_for_parents_too(package):
    folder = MeshFolder(folder=package / "urdf", within=package / "urdf")
    with pytest.raises(MeshError, match="leads out"):
        folder.read("package://arm_support/meshes/link.stl")


@pytest.mark.parametrize("suffix", ["stl", "obj", "dae"])
def test_formats_hold_the_same_triangles(tmp_path, suffix):
    box = trimesh.creation.box((1, 2, 3))
    box.export(tmp_path / f"box.{suffix}")
    file = MeshFolder(folder=tmp_path).read(f"box.{suffix}")
    mesh = read_triangles(file)
    assert len(mesh.faces) == 12
    assert np.allclose(np.ptp(mesh.vertices, axis=0), (1, 2, 3))


def test_a_dae_is_read_in_its_unit(tmp_path):
    trimesh.creation.box((1000, 2000, 3000)).export(tmp_path / "box.dae")
    raw = (tmp_path / "box.dae").read_bytes()
    raw = re.sub(rb"<unit[^>]*/>", b"", raw)
    raw = raw.replace(b"<asset>", b'<asset><unit name="millimeter" meter="0.001"/>')
    mesh = read_triangles(MeshFile(reference="box.dae", name="box.dae", raw=raw))
    assert np.allclose(np.ptp(mesh.vertices, axis=0), (1, 2, 3))


BOMB = b'<!DOCTYPE a [<!ENTITY b "c">]><COLLADA/>'


@pytest.mark.parametrize(
    ("name", "raw"),
    [
        ("a.stl", b""),
        ("a.stl", b"solid nothing\nendsolid"),
        ("a.stl", b"\0" * 80 + struct.pack("<I", 1000) + b"\0" * 50),
        ("a.stl", b"\0" * 80 + struct.pack("<I", 1) + struct.pack("<12fH", *[np.nan] * 12, 0)),
        ("a.obj", b"v 0 0 0\nf 1 2 9\n"),
        ("a.obj", b"f\n"),
        ("a.dae", b"<COLLADA/>"),
        ("a.dae", b"not xml"),
        ("a.dae", BOMB),
        ("a.dae", b'<COLLADA><asset><unit meter="nan"/></asset></COLLADA>'),
    ],
)
def test_what_is_no_mesh_is_refused_by_name(name, raw):
    with pytest.raises(MeshError, match=r"'a\.(stl|obj|dae)'"):
        read_triangles(MeshFile(reference=name, name=name, raw=raw))


def test_caps_hold(tmp_path, monkeypatch):
    trimesh.creation.box((1, 1, 1)).export(tmp_path / "box.stl")
    folder = MeshFolder(folder=tmp_path)
    file = folder.read("box.stl")
    monkeypatch.setenv("PALPEUR_CAP_LINK_TRIANGLES", "20")
    read_triangles(file, spent=8)
    with pytest.raises(MeshError, match="PALPEUR_CAP_LINK_TRIANGLES"):
        read_triangles(file, spent=9)
    monkeypatch.setenv("PALPEUR_CAP_LINK_MESH_BYTES", "100")
    with pytest.raises(MeshError, match="100 bytes"):
        folder.read("box.stl")


def test_other_formats_are_refused(tmp_path):
    (tmp_path / "a.ply").write_bytes(b"ply")
    with pytest.raises(MeshError, match="STL, OBJ and DAE"):
        MeshFolder(folder=tmp_path).read("a.ply")
