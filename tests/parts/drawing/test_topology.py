"""Facts that hang on edges, curves and sheets: the faces that they stand for, or a reason."""

from __future__ import annotations

from itertools import count

import pytest

from parts.drawing.step_pmi import drawing_of
from tests.parts.drawing.step_texts import (
    aspect,
    datum,
    length,
    nominal,
    reasons,
    source,
    valued,
)


class Shape:
    """Text of faces with their edges; numbers of its statements begin at 5000."""

    def __init__(self) -> None:
        self.rows: list[str] = []
        self._numbers = count(5000)

    def add(self, text: str, number: int = 0) -> int:
        number = number or next(self._numbers)
        self.rows.append(f"#{number}={text};\n")
        return number

    def placement(self, point, axis) -> int:
        p = self.add(f"CARTESIAN_POINT('',({','.join(map(str, point))}))")
        d = self.add(f"DIRECTION('',({','.join(map(str, axis))}))")
        return self.add(f"AXIS2_PLACEMENT_3D('',#{p},#{d},$)")

    def circle(self, centre, axis, radius) -> int:
        return self.add(f"CIRCLE('',#{self.placement(centre, axis)},{float(radius)})")

    def line(self, start, axis) -> int:
        p = self.add(f"CARTESIAN_POINT('',({','.join(map(str, start))}))")
        d = self.add(f"DIRECTION('',({','.join(map(str, axis))}))")
        v = self.add(f"VECTOR('',#{d},1.)")
        return self.add(f"LINE('',#{p},#{v})")

    def trimmed(self, start, axis, first, last) -> int:
        basis = self.line(start, axis)
        ends = (f"(PARAMETER_VALUE({float(end)}))" for end in (first, last))
        return self.add(f"TRIMMED_CURVE('',#{basis},{','.join(ends)},.T.,.PARAMETER.)")

    def edge(self, start, end, curve) -> int:
        ends = []
        for point in (start, end):
            p = self.add(f"CARTESIAN_POINT('',({','.join(map(str, point))}))")
            ends.append(self.add(f"VERTEX_POINT('',#{p})"))
        return self.add(f"EDGE_CURVE('',#{ends[0]},#{ends[1]},#{curve},.T.)")

    def polygon(self, *corners) -> list[int]:
        """Edges of straight lines; their directions do not matter here."""
        ends = (*corners[1:], corners[0])
        return [
            self.edge(a, b, self.line(a, (1, 0, 0))) for a, b in zip(corners, ends, strict=True)
        ]

    def face(self, number, kind, point, axis, sizes, *bounds) -> None:
        at = self.placement(point, axis)
        surface = self.add(f"{kind}('',#{at}{''.join(f',{float(size)}' for size in sizes)})")
        loops = []
        for place, edges in enumerate(bounds):
            uses = [self.add(f"ORIENTED_EDGE('',*,*,#{edge},.T.)") for edge in edges]
            loop = self.add(f"EDGE_LOOP('',({','.join(f'#{use}' for use in uses)}))")
            name = "FACE_BOUND" if place else "FACE_OUTER_BOUND"
            loops.append(self.add(f"{name}('',#{loop},.T.)"))
        listed = ",".join(f"#{loop}" for loop in loops)
        self.add(f"ADVANCED_FACE('',({listed}),#{surface},.T.)", number)


def plate() -> tuple[Shape, dict[str, int]]:
    """A plate with a bore of 8 mm, 10 mm deep, that ends in a cone; its faces are #1001 to #1006.

    Top (z 0), left (x -20), right (x 30), both halves of the bore, and the cone.
    """
    shape = Shape()
    ends = {z: ((4.0, 0.0, z), (-4.0, 0.0, z)) for z in (0.0, -10.0)}
    rims = {
        z: [shape.edge(*ends[z], shape.circle((0.0, 0.0, z), (0, 0, 1), 4)) for _ in range(2)]
        for z in ends
    }
    sides = [
        shape.edge(ends[0.0][k], ends[-10.0][k], shape.line(ends[0.0][k], (0, 0, 1)))
        for k in range(2)
    ]
    top = shape.polygon((-20.0, -9.0, 0.0), (30.0, -9.0, 0.0), (30.0, 9.0, 0.0), (-20.0, 9.0, 0.0))
    left = shape.polygon((-20.0, -9.0, 0.0), (-20.0, 9.0, 0.0), (-20.0, 9.0, -15.0))
    right = shape.polygon((30.0, -9.0, 0.0), (30.0, 9.0, 0.0), (30.0, 9.0, -15.0))
    shape.face(1001, "PLANE", (0.0, 0.0, 0.0), (0, 0, 1), (), top, rims[0.0])
    shape.face(1002, "PLANE", (-20.0, 0.0, 0.0), (1, 0, 0), (), [top[3], *left])
    shape.face(1003, "PLANE", (30.0, 0.0, 0.0), (1, 0, 0), (), [top[1], *right])
    for k in range(2):
        wall = [rims[0.0][k], sides[0], rims[-10.0][k], sides[1]]
        shape.face(1004 + k, "CYLINDRICAL_SURFACE", (0.0, 0.0, -3.0), (0, 0, 1), (4,), wall)
    cone = (4, 1.0)
    shape.face(1006, "CONICAL_SURFACE", (0.0, 0.0, -10.0), (0, 0, 1), cone, rims[-10.0])
    marks = {"upper": rims[0.0][0], "lower": rims[-10.0][0], "left": top[3], "right": top[1]}
    return shape, marks


def read(shape: Shape, text: str):
    """The drawing; the geometry's face n is #1000+n, from 1 to 7."""
    return drawing_of(source("".join(shape.rows) + text), {1000 + n: (n,) for n in range(1, 8)})


def distance(value: float, origin: int, end: int) -> str:
    return (
        aspect(300, origin)
        + aspect(301, end)
        + nominal(310, value)
        + valued(320, 400, 310)
        + "#400=DIMENSIONAL_LOCATION('linear distance','',#300,#301);"
    )


@pytest.mark.parametrize(
    ("rim", "size", "faces"),
    [("upper", 8.0, (4,)), ("upper", 8.1, ()), ("lower", 8.0, ()), ("left", 8.0, ())],
)
def test_a_diameter_at_a_rim_is_that_of_the_one_round_face_there(rim, size, faces):
    shape, marks = plate()
    text = aspect(300, marks[rim]) + nominal(310, size) + valued(320, 400, 310)
    drawing = read(shape, text + "#400=DIMENSIONAL_SIZE(#300,'diameter');")
    assert [one.faces for one in drawing.dimensions] == ([faces] if faces else [])
    assert reasons(drawing) == ([] if faces else ["it is linked to no face but to edge curve"])


@pytest.mark.parametrize(("size", "planes"), [(50.0, (2, 3)), (49.0, ())])
def test_a_distance_of_edges_is_that_of_the_only_planes_so_far_apart(size, planes):
    shape, marks = plate()
    drawing = read(shape, distance(size, marks["left"], marks["right"]))
    found = [(one.kind, *one.origin_faces, *one.faces) for one in drawing.dimensions]
    assert found == ([("distance", *planes)] if planes else [])
    assert len(drawing.unread) == (0 if planes else 1)


@pytest.mark.parametrize(("size", "bore"), [(10.0, 4), (10.1, 0)])
def test_a_distance_from_a_plane_to_a_rim_is_the_depth_of_the_bore(size, bore):
    shape, marks = plate()
    drawing = read(shape, distance(size, 1001, marks["lower"]))
    found = [(one.kind, one.origin_faces, one.faces) for one in drawing.dimensions]
    assert found == ([("depth", (1,), (bore,))] if bore else [])


@pytest.mark.parametrize(
    ("centre", "faces"),
    [((0.0, 0.0, -5.0), (4, 5)), ((0.0, 0.1, -5.0), ()), ((0.0, 0.0, -11.0), ())],
)
def test_the_outline_of_a_thread_is_its_bore(centre, faces):
    shape, _ = plate()
    circle = shape.circle(centre, (0, 0, -1), 4.5)
    line = shape.trimmed(centre, (0, 0, 1), 0, 5)
    outline = shape.add(f"GEOMETRIC_CURVE_SET('Thread',(#{circle},#{line}))")
    text = aspect(300, outline) + length(310, 0.2)
    drawing = read(shape, text + "#400=POSITION_TOLERANCE('','',#310,#300);")
    assert [one.faces for one in drawing.tolerances] == ([faces] if faces else [])
    assert len(drawing.unread) == (0 if faces else 1)


@pytest.mark.parametrize(
    ("start", "first", "last", "faces"),
    [
        ((-15.0, 5.0, 0.0), 0.0, 30.0, (1,)),
        ((-15.0, 5.0, 0.0), 0.0, 80.0, ()),
        ((-15.0, 5.0, 0.1), 0.0, 30.0, ()),
    ],
)
def test_straightness_of_a_line_on_a_face_is_one_of_its_elements(start, first, last, faces):
    shape, _ = plate()
    line = shape.trimmed(start, (1, 0, 0), first, last)
    text = aspect(300, line) + length(310, 0.2)
    drawing = read(shape, text + "#400=STRAIGHTNESS_TOLERANCE('','',#310,#300);")
    assert [one.faces for one in drawing.tolerances] == ([faces] if faces else [])


def test_a_target_beside_the_part_is_its_own_area():
    """As of a vee, which the part only touches along a line."""
    shape, _ = plate()
    corners = ((0.0, 0.0, 50.0), (5.0, 0.0, 50.0), (5.0, 4.0, 53.0), (0.0, 4.0, 53.0))
    shape.face(1010, "PLANE", corners[0], (0, -3, 4), (), shape.polygon(*corners))
    text = "#210=DATUM_TARGET('','area',#20,.T.,'1');#200=DATUM('',$,#20,.F.,'K');"
    text += "#211=SHAPE_ASPECT_RELATIONSHIP('','',#210,#200);"
    drawing = read(
        shape,
        text + "#212=GEOMETRIC_ITEM_SPECIFIC_USAGE('','',#210,$,#1010);" + datum(230, "A", 1001),
    )
    [_, one] = drawing.datums
    [target] = one.targets
    assert (one.label, one.faces, target.name, target.faces) == ("K", (), "K1", ())
    ring = {tuple(round(1e3 * value, 9) for value in corner) for corner in target.outline}
    assert ring == set(corners)
    assert drawing.unread == ()


@pytest.mark.parametrize(("radius", "faces"), [(4.0, (7,)), (4.2, ())])
def test_a_copy_whose_inner_corners_were_computed_again(radius, faces):
    shape, _ = plate()
    for number, apart, size in ((1007, 0.0, 4.0), (1010, 2e-5, radius)):
        outer = shape.polygon((4.0, 0.0, 0.0), (4.0, 0.0, -10.0), (-4.0, 0.0, -10.0))
        inner = shape.polygon((0.0, 4.0 - apart, -4.0), (1.0, 3.9, -5.0), (0.0, 4.0, -6.0))
        shape.face(number, "CYLINDRICAL_SURFACE", (0.0, 0.0, 0.0), (0, 0, 1), (size,), outer, inner)
    text = aspect(300, 1010) + length(310, 0.2)
    drawing = read(shape, text + "#400=CYLINDRICITY_TOLERANCE('','',#310,#300);")
    assert [one.faces for one in drawing.tolerances] == ([faces] if faces else [])
