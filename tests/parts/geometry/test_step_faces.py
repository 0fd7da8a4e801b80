"""Which faces a STEP file has: colours, layers, sheets, triangles, and what is not identified.

The files are those of ``conftest`` with statements added as CAD systems write them.
"""

from __future__ import annotations

import json
import struct
from pathlib import Path

import numpy as np
import pytest

from parts.errors import FeatureError, PartError
from parts.features.feature import choose_feature
from parts.geometry import load_geometry
from parts.geometry.gltf import GltfData, document_of, placed_meshes
from parts.geometry.load import assemble
from parts.geometry.source_file import FacePatch, GeometryContent, MeshBody, SourceFile
from parts.geometry.step import body_of
from parts.geometry.step_text import step_text as read_text
from tests.cases import some

REAL = Path(__file__).resolve().parents[3].parent / "shared" / "data" / "real"
RING = [
    *[("face-0", "plane"), ("outer wall", "cylinder"), ("face-2", "cone"), ("face-3", "cone")],
    *[("face-4", "plane"), ("BORE Ø14.6", "cylinder")],
]


def ids(text: str, keyword: str) -> list[int]:
    rows = [line for line in text.splitlines() if f"= {keyword}(" in line]
    return [int(row[1:].partition(" ")[0]) for row in rows]


def with_statements(text: str, *statements: str) -> str:
    """Statements added at the end of a file; {0}, {1} … are their own numbers."""
    first = text.count("\n") + 1000
    numbers = [f"#{first + k}" for k in range(len(statements))]
    rows = [f"{n} = {one.format(*numbers)};" for n, one in zip(numbers, statements, strict=True)]
    return text.replace("ENDSEC;\nEND-ISO", "\n".join([*rows, "ENDSEC;\nEND-ISO"]))


def coloured(text: str, *, layers: bool = False, hidden: bool = False) -> str:
    """Every second face red, the whole solid blue; a layer; hidden styles."""
    faces, solids = ids(text, "ADVANCED_FACE"), ids(text, "MANIFOLD_SOLID_BREP")
    statements = []

    def style(red: float) -> str:
        start = len(statements)
        statements.append(f"COLOUR_RGB('',{red},0.2,0.7)")
        for keyword in (
            "FILL_AREA_STYLE_COLOUR('',{{{0}}})",
            "FILL_AREA_STYLE('',({{{0}}}))",
            "SURFACE_STYLE_FILL_AREA({{{0}}})",
            "SURFACE_SIDE_STYLE('',({{{0}}}))",
            "SURFACE_STYLE_USAGE(.BOTH.,{{{0}}})",
            "PRESENTATION_STYLE_ASSIGNMENT(({{{0}}}))",
        ):
            statements.append(keyword.format(start))
            start = len(statements) - 1
        return f"{{{start}}}"

    blue, red = style(0.1), style(0.9)
    items = []
    for solid in solids:
        statements.append(f"STYLED_ITEM('',({blue}),#{solid})")
        items.append(f"{{{len(statements) - 1}}}")
    whole = items[0]
    for face in faces[::2]:
        statements.append(f"OVER_RIDING_STYLED_ITEM('',({red}),#{face},{whole})")
        items.append(f"{{{len(statements) - 1}}}")
    context = text[text.rindex(",#", 0, text.index("= SHAPE_DEFINITION_REPRESENTATION")) + 1 :]
    context = context.partition(")")[0]
    statements.append(
        "MECHANICAL_DESIGN_GEOMETRIC_PRESENTATION_REPRESENTATION('',("
        + ",".join(items)
        + f"),{context})"
    )
    if layers:
        rows = ",".join(f"#{face}" for face in faces[1::2])
        statements.append(f"PRESENTATION_LAYER_ASSIGNMENT('L1','',({rows}))")
    if hidden:
        statements.append(f"INVISIBILITY(({items[-1]}))")
    return with_statements(text, *statements)


@pytest.fixture(scope="module")
def plain(ring, step_text):
    return step_text(ring)


@pytest.fixture(scope="module")
def plain_part(read, plain):
    return read("ring.step", plain)


@pytest.mark.parametrize("more", some([{}, {"layers": True}, {"hidden": True}], gate=2))
def test_coloured_faces_are_those_of_the_plain_file(read, plain, plain_part, more):
    found = read("ring.step", coloured(plain, **more))
    assert [(face.name, face.kind) for face in found.faces] == RING
    assert found.audit.warnings == ()
    assert found.mesh.volume == plain_part.mesh.volume


def test_faces_keep_the_numbers_of_their_statements(plain, plain_part):
    assert [face.identity for face in plain_part.faces] == ids(plain, "ADVANCED_FACE")


def test_faces_of_shells_that_cannot_be_told_apart_have_no_number(read, ring, step_text):
    """Two solids at one place: which of them a face belongs to is not known."""
    assert {face.identity for face in read("a.step", step_text(ring, ring)).faces} == {0}


def test_the_translator_still_merges_colours(plain):
    """Why statements are taken out: without it, only faces of one style are described."""
    import cascadio

    raw = cascadio.load(coloured(plain).encode(), "step", include_brep=True)
    size = struct.unpack("<I", raw[12:16])[0]
    found = json.loads(raw[20 : 20 + size])["meshes"][0]["primitives"]
    described = [one for one in found if "TM_brep_faces" in one.get("extensions", {})]
    assert (len(found), len(described)) == (2, 1)
    assert len(described[0]["extensions"]["TM_brep_faces"]["faces"]) < len(RING)


def test_presentation_is_cut_out_whatever_it_is_written_like(plain):
    text = with_statements(
        plain,
        "( REPRESENTATION_ITEM('') STYLED_ITEM((),#1) )",
        "STYLED_ITEM ( 'a;b ''#2=PLANE(', ( ) ,\n #1 )",
        "/* a comment; */ OVER_RIDING_STYLED_ITEM('',(),#1,#1)",
        "DESCRIPTIVE_REPRESENTATION_ITEM('STYLED_ITEM(','x')",
    )
    found = read_text(SourceFile(name="a.step", raw=text.encode(), folder=None))
    left = found.plain.decode()
    assert left.count("STYLED_ITEM") == left.count("DESCRIPTIVE_REPRESENTATION_ITEM('STYLED_ITEM(")
    assert left.endswith(text[text.index("ENDSEC;\nEND-ISO") :])
    assert [shell.kinds for shell in found.shells] == [tuple(kind for _, kind in RING)]


def test_faces_that_the_translator_does_not_describe_are_never_measured(plain):
    """The former reading: coloured faces as the translator leaves them."""
    import cascadio

    raw = cascadio.load(coloured(plain).encode(), "step", include_brep=True)
    document = document_of(SourceFile(name="ring.step", raw=raw, folder=None))
    (place,) = placed_meshes(document)
    body = body_of(document, GltfData(document), place, 1e-5)
    kinds = [patch.kind for patch in body.patches]
    assert kinds.count("unidentified") == 1
    lump = body.patches[kinds.index("unidentified")]
    assert lump.surface is None
    assert len(lump.triangles) > 0


def test_a_face_off_its_surface_is_not_identified(read, plain, monkeypatch):
    """A translation whose descriptions stand in another order."""
    from parts.geometry import step

    translated = step._translated

    def shuffled(file, text, deflection):
        raw = translated(file, text, deflection)
        size = struct.unpack("<I", raw[12:16])[0]
        tree = json.loads(raw[20 : 20 + size])
        faces = tree["meshes"][0]["primitives"][0]["extensions"]["TM_brep_faces"]["faces"]
        one, other = faces[1], faces[5]  # the outer wall and the bore
        one["radius"], other["radius"] = other["radius"], one["radius"]
        new = json.dumps(tree).encode()
        new += b" " * (-len(new) % 4)
        rest = raw[20 + size :]
        head = struct.pack("<4sIII4s", b"glTF", 2, 20 + len(new) + len(rest), len(new), b"JSON")
        return head + new + rest

    monkeypatch.setattr(step, "_translated", shuffled)
    found = read("ring.step", plain)
    assert [face.kind for face in found.faces].count("unidentified") == 2
    assert "2 of 6 faces could not be identified" in found.audit.warnings[0]
    with pytest.raises(FeatureError, match="was not identified"):
        choose_feature(found, "#1")
    point = ",".join(f"{1e3 * x}" for x in found.mesh.triangles[found.faces[5].triangles[0]][0])
    assert choose_feature(found, "#0").kind == "plane"
    assert found.faces[int(found.closest([[float(x) * 1e-3 for x in point.split(",")]]).faces[0])]


def test_a_skin_folded_through_itself_is_not_measured():
    """A prism over a bow tie: closed and wound alike, but one lobe is inside out.

    So translators leave a solid whose sphere they took for its other half.
    """
    tie = np.array([[0, 0], [4, 3], [4, 0], [0, 1]])
    vertices = np.concatenate([np.insert(tie, 2, z, axis=1) for z in (0, 1)]) * 1e-2
    sides = [[k, (k + 1) % 4, (k + 1) % 4 + 4] for k in range(4)]
    sides += [[k, (k + 1) % 4 + 4, k + 4] for k in range(4)]
    caps = [[0, 2, 1], [0, 3, 2], [4, 5, 6], [4, 6, 7]]
    faces = np.array(sides + caps)
    patches = tuple(
        FacePatch(name="", kind="freeform", surface=None, triangles=np.array([k]))
        for k in range(12)
    )
    body = MeshBody(name="", vertices=vertices.astype(float), faces=faces, patches=patches)
    good = MeshBody(
        name="",
        vertices=np.array([[9, 0, 0], [10, 0, 0], [9, 1, 0], [9, 0, 1]]) * 1e-2,
        faces=np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]),
    )
    file = SourceFile(name="a.step", raw=b"", folder=None)
    found = assemble(file, GeometryContent(bodies=(body, good), in_metres=True), 1.0)
    assert found.audit.watertight
    assert found.audit.consistent
    assert [face.kind for face in found.faces] == ["unidentified"] * 12 + ["facets"]
    assert "folded through itself" in found.audit.warnings[0]


def test_a_missing_face_is_said(read, plain):
    """A face whose edges are cut away: the translator leaves it out."""
    faces = ids(plain, "ADVANCED_FACE")
    rows = plain.splitlines()
    row = next(k for k, line in enumerate(rows) if line.startswith(f"#{faces[2]} = "))
    rows[row] = f"#{faces[2]} = ADVANCED_FACE('',(#999999),{rows[row].rsplit(',', 2)[1]},.T.);"
    found = read("ring.step", "\n".join(rows))
    assert len(found.faces) == len(RING) - 1
    assert any("faces in the shells of the file" in line for line in found.audit.warnings)


@pytest.fixture
def with_sheet(step_writer, ring):
    """The ring as a solid, and its outer wall as a supplementary sheet."""

    def text(*, sheets: int = 1) -> str:
        w = step_writer
        solid = ring.shell(w)
        faces = [line for line in w.lines if line.startswith("ADVANCED_FACE")]
        numbers = [1 + w.lines.index(face) for face in faces]
        whole = w.file([solid])
        shells = [
            (f"OPEN_SHELL('',(#{numbers[k + 1]}))", f"SHELL_BASED_SURFACE_MODEL('',({{{2 * k}}}))")
            for k in range(sheets)
        ]
        rows = [one for shell in shells for one in shell]
        text = with_statements(whole, *rows)
        models = [f"#{whole.count(chr(10)) + 1000 + 2 * k + 1}" for k in range(sheets)]
        place = ids(text, "MANIFOLD_SOLID_BREP")[0]
        return text.replace(f"#{place})", f"#{place},{','.join(models)})")

    return text


@pytest.mark.parametrize("count", some([2, 1], gate=1))
def test_sheets_beside_a_solid_are_left_out_and_said(read, with_sheet, count):
    found = read("a.step", with_sheet(sheets=count))
    assert found.audit.watertight
    assert [(face.name, face.kind) for face in found.faces] == RING
    assert (found.audit.sheets, found.audit.sheet_faces) == (count, count)
    assert f"{count} sheet" in found.notes[-1]
    assert found.audit.warnings == ()


def test_sheets_are_part_when_the_job_says_so(with_sheet, tmp_path):
    (tmp_path / "a.step").write_text(with_sheet())
    found = load_geometry(tmp_path / "a.step", sheets="include")
    assert not found.audit.watertight
    assert len(found.faces) == 7
    assert (found.audit.sheets, found.audit.sheet_faces) == (1, 0)
    (warning,) = found.audit.warnings
    assert "count as part and are open by nature" in warning
    (tmp_path / "a.stl").write_bytes(b"solid")
    with pytest.raises(PartError, match="is for STEP files"):
        load_geometry(tmp_path / "a.stl", unit="mm", sheets="include")


def test_sheets_alone_are_the_part(read, step_writer, ring):
    shell = ring.shell(step_writer)
    found = read("a.step", step_writer.file([shell], solid=False))
    assert found.audit.watertight  # a closed sheet bounds a solid
    assert (len(found.faces), found.audit.sheets) == (6, 0)


def test_units_are_those_of_the_solids(ring, step_text):
    """An inch that only annotations use says nothing of the part."""
    text = with_statements(
        step_text(ring),
        "LENGTH_MEASURE_WITH_UNIT(LENGTH_MEASURE(25.4),#1)",
        "( CONVERSION_BASED_UNIT('INCH',{0}) LENGTH_UNIT() NAMED_UNIT(*) )",
        "( GEOMETRIC_REPRESENTATION_CONTEXT(3) GLOBAL_UNIT_ASSIGNED_CONTEXT(({1})) "
        "REPRESENTATION_CONTEXT('','') )",
    )
    assert read_text(SourceFile(name="a", raw=text.encode(), folder=None)).unit == "mm"


def test_the_deflection_is_that_of_the_part_not_of_its_annotations(ring, step_text):
    text = with_statements(step_text(ring), "CARTESIAN_POINT('',(0.,0.,9000000.))")
    found = read_text(SourceFile(name="a", raw=text.encode(), folder=None))
    assert found.extent < 0.1


def test_parts_of_an_assembly_keep_exact_directions():
    """A placement in single precision is a rotation only to 1e-7."""
    from parts.geometry.step import _rigid

    T = np.eye(4)
    T[:3, :3] = np.linalg.qr(np.random.default_rng(1).normal(size=(3, 3)))[0].astype(np.float32)
    R = _rigid(T)[:3, :3]
    np.testing.assert_allclose(R @ R.T, np.eye(3), atol=1e-15)
    np.testing.assert_allclose(R, T[:3, :3], atol=1e-6)
    T[:3, :3] *= 2.0
    np.testing.assert_array_equal(_rigid(T), T)


def outside(geometry, points, normals, step):
    """Winding numbers on both sides of points: an oracle of its own. # (k,), (k,)."""

    def winding(at):
        result = np.zeros(len(at))
        for row, p in enumerate(at):
            a, b, c = (geometry.mesh.triangles[:, k] - p for k in range(3))
            x, y, z = (np.linalg.norm(v, axis=1) for v in (a, b, c))
            det = np.einsum("ij,ij->i", a, np.cross(b, c))
            share = x * y * z + np.einsum("ij,ij->i", a, b) * z
            share += np.einsum("ij,ij->i", b, c) * x + np.einsum("ij,ij->i", c, a) * y
            result[row] = np.arctan2(det, share).sum() / (2 * np.pi)
        return result

    return winding(points + step * normals), winding(points - step * normals)


def check_normals(geometry, count=6):
    from parts.sampling.sample import sample

    step = 4 * max(face.deflection for face in geometry.faces) + 1e-6
    for face in geometry.faces:
        points = sample(choose_feature(geometry, f"#{face.index}"), count=count).points
        out, into = outside(geometry, points.positions, points.normals, step)
        assert np.abs(out).max() < 0.1, face.name
        assert np.abs(into - 1.0).max() < 0.1, face.name


def test_normals_of_coloured_faces_point_out_of_the_material(read, plain):
    check_normals(read("ring.step", coloured(plain)))


@pytest.mark.parametrize(
    ("name", "faces", "sheets"),
    some([("dcx_ap214.stp", 140, 0), ("nist_ctc_01_asme1_ap242-e1.stp", 117, 0)], gate=1),
)
def test_real_files(name, faces, sheets):
    if not (REAL / name).exists():
        pytest.skip(f"{REAL / name} is not there")
    found = load_geometry(REAL / name)
    assert len(found.faces) == faces
    assert found.audit.watertight
    assert found.audit.sheet_faces == sheets
    assert "unidentified" not in {face.kind for face in found.faces}


def test_a_real_mesh_whose_vertices_differ_by_rounding():
    if not (REAL / "featuretype.STL").exists():
        pytest.skip(f"{REAL / 'featuretype.STL'} is not there")
    assert load_geometry(REAL / "featuretype.STL", unit="in").audit.watertight
