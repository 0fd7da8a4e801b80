"""STEP files written by hand: solids of revolution with every analytic surface, and a spline."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest

UNITS = {
    "mm": "( LENGTH_UNIT() NAMED_UNIT(*) SI_UNIT(.MILLI.,.METRE.) )",
    "m": "( LENGTH_UNIT() NAMED_UNIT(*) SI_UNIT($,.METRE.) )",
}


@dataclass
class StepWriter:
    """Entities of an AP214 file; lengths are written in the unit of the file."""

    lines: list[str] = field(default_factory=list)

    def add(self, text: str) -> str:
        self.lines.append(text)
        return f"#{len(self.lines)}"

    def triple(self, kind: str, values) -> str:
        return self.add(f"{kind}('',({','.join(number(v) for v in values)}))")

    def frame(self, origin, axis, across) -> str:
        point = self.triple("CARTESIAN_POINT", origin)
        z, x = self.triple("DIRECTION", axis), self.triple("DIRECTION", across)
        return self.add(f"AXIS2_PLACEMENT_3D('',{point},{z},{x})")

    def _context(self, unit: str) -> str:
        """Units and accuracy."""
        if unit == "inch":
            base = self.add(UNITS["mm"])
            measure = self.add(f"LENGTH_MEASURE_WITH_UNIT(LENGTH_MEASURE(25.4),{base})")
            dimension = self.add("DIMENSIONAL_EXPONENTS(1.,0.,0.,0.,0.,0.,0.)")
            unit = (
                f"( CONVERSION_BASED_UNIT('INCH',{measure}) LENGTH_UNIT() NAMED_UNIT({dimension}) )"
            )
        length = self.add(UNITS.get(unit, unit))
        angle = self.add("( NAMED_UNIT(*) PLANE_ANGLE_UNIT() SI_UNIT($,.RADIAN.) )")
        solid_angle = self.add("( NAMED_UNIT(*) SI_UNIT($,.STERADIAN.) SOLID_ANGLE_UNIT() )")
        uncertainty = self.add(
            f"UNCERTAINTY_MEASURE_WITH_UNIT(LENGTH_MEASURE(1.E-07),{length},"
            "'distance_accuracy_value','')"
        )
        return self.add(
            "( GEOMETRIC_REPRESENTATION_CONTEXT(3) "
            f"GLOBAL_UNCERTAINTY_ASSIGNED_CONTEXT(({uncertainty})) "
            f"GLOBAL_UNIT_ASSIGNED_CONTEXT(({length},{angle},{solid_angle})) "
            "REPRESENTATION_CONTEXT('','') )"
        )

    def _product(self) -> str:
        """What the shape defines."""
        application = self.add("APPLICATION_CONTEXT('automotive design')")
        self.add(
            "APPLICATION_PROTOCOL_DEFINITION('international standard','automotive_design',2000,"
            f"{application})"
        )
        product_context = self.add(f"PRODUCT_CONTEXT('',{application},'mechanical')")
        product = self.add(f"PRODUCT('part','part','',({product_context}))")
        formation = self.add(f"PRODUCT_DEFINITION_FORMATION('','',{product})")
        definition_context = self.add(f"PRODUCT_DEFINITION_CONTEXT('',{application},'design')")
        definition = self.add(f"PRODUCT_DEFINITION('design','',{formation},{definition_context})")
        return self.add(f"PRODUCT_DEFINITION_SHAPE('','',{definition})")

    def file(self, shells: list[str], unit: str = "mm", *, solid: bool = True) -> str:
        """The whole text; every shell is a body of one part."""
        context, shape = self._context(unit), self._product()
        world = self.frame((0, 0, 0), (0, 0, 1), (1, 0, 0))
        if solid:
            items = [self.add(f"MANIFOLD_SOLID_BREP('',{shell})") for shell in shells]
            kind = "ADVANCED_BREP_SHAPE_REPRESENTATION"
        else:
            items = [self.add(f"SHELL_BASED_SURFACE_MODEL('',({','.join(shells)}))")]
            kind = "MANIFOLD_SURFACE_SHAPE_REPRESENTATION"
        model = self.add(f"{kind}('',({','.join([world, *items])}),{context})")
        self.add(f"SHAPE_DEFINITION_REPRESENTATION({shape},{model})")
        body = "\n".join(f"#{row} = {line};" for row, line in enumerate(self.lines, start=1))
        return (
            "ISO-10303-21;\nHEADER;\nFILE_DESCRIPTION((''),'2;1');\n"
            "FILE_NAME('','2026-01-01T00:00:00',(''),(''),'','','');\n"
            "FILE_SCHEMA(('AUTOMOTIVE_DESIGN { 1 0 10303 214 1 1 1 1 }'));\nENDSEC;\nDATA;\n"
            f"{body}\nENDSEC;\nEND-ISO-10303-21;\n"
        )


def number(value: float) -> str:
    text = repr(float(value)).upper()
    return text if "." in text else text.replace("E", ".E") if "E" in text else text + "."


@dataclass
class Revolution:
    """A ring: a closed profile of lines and arcs, counter-clockwise in (radius, height).

    ``arcs[i]`` is the centre (radius, height) of the arc from corner i to i + 1; its radius
    coordinate 0 gives a zone of a sphere, another one a torus.
    """

    corners: list[tuple[float, float]]
    arcs: dict[int, tuple[float, float]] = field(default_factory=dict)
    names: dict[int, str] = field(default_factory=dict)
    origin: tuple = (0.0, 0.0, 0.0)
    R: np.ndarray = field(default_factory=lambda: np.eye(3))

    def at(self, radius: float, height: float) -> np.ndarray:
        return np.asarray(self.origin) + self.R @ [radius, 0.0, height]

    def shell(self, w: StepWriter) -> str:
        self.w, n = w, len(self.corners)
        points = [w.triple("CARTESIAN_POINT", self.at(*c)) for c in self.corners]
        vertices = [w.add(f"VERTEX_POINT('',{p})") for p in points]
        circles = [self._circle(i, vertices[i]) for i in range(n)]
        faces = [self._face(i, (i + 1) % n, points, vertices, circles) for i in range(n)]
        return w.add(f"CLOSED_SHELL('',({','.join(faces)}))")

    def _frame(self, height: float, axis=(0, 0, 1), across=(1, 0, 0), radius: float = 0.0) -> str:
        return self.w.frame(self.at(radius, height), self.R @ axis, self.R @ across)

    def _circle(self, i: int, vertex: str) -> str:
        radius, height = self.corners[i]
        circle = self.w.add(f"CIRCLE('',{self._frame(height)},{number(radius)})")
        return self.w.add(f"EDGE_CURVE('',{vertex},{vertex},{circle},.T.)")

    def _face(self, i, j, points, vertices, circles) -> str:
        w, (r0, z0), (r1, z1) = self.w, self.corners[i], self.corners[j]
        use = lambda edge, sense: w.add(f"ORIENTED_EDGE('',*,*,{edge},.{sense}.)")  # noqa: E731
        surface, same = self._surface(i, r0, z0, r1, z1)
        if i not in self.arcs and z0 == z1:
            loops = [[use(circles[i], "T")], [use(circles[j], "F")]]
            loops = loops if r0 > r1 else loops[::-1]
        else:
            seam = self._seam(i, j, points, vertices)
            up, down = use(seam, "T"), use(seam, "F")
            loops = [[use(circles[i], "T"), up, use(circles[j], "F"), down]]
        bounds = []
        for place, loop in enumerate(loops):
            edges = w.add(f"EDGE_LOOP('',({','.join(loop)}))")
            bounds.append(w.add(f"{'FACE_BOUND' if place else 'FACE_OUTER_BOUND'}('',{edges},.T.)"))
        name = self.names.get(i, "")
        return w.add(f"ADVANCED_FACE('{name}',({','.join(bounds)}),{surface},.{'FT'[int(same)]}.)")

    def _seam(self, i, j, points, vertices) -> str:
        w, (r0, z0), (r1, z1) = self.w, self.corners[i], self.corners[j]
        if i in self.arcs:
            rc, zc = self.arcs[i]
            turn = (r0 - rc) * (z1 - zc) - (z0 - zc) * (r1 - rc)  # in the plane of r and z
            axis = (0, -1, 0) if turn > 0 else (0, 1, 0)
            frame = self._frame(zc, axis, (1, 0, 0), radius=rc)
            curve = w.add(f"CIRCLE('',{frame},{number(np.hypot(r0 - rc, z0 - zc))})")
        else:
            along = np.array([r1 - r0, 0.0, z1 - z0])
            length = float(np.linalg.norm(along))
            direction = w.triple("DIRECTION", self.R @ (along / length))
            vector = w.add(f"VECTOR('',{direction},{number(length)})")
            curve = w.add(f"LINE('',{points[i]},{vector})")
        return w.add(f"EDGE_CURVE('',{vertices[i]},{vertices[j]},{curve},.T.)")

    def _surface(self, i, r0, z0, r1, z1) -> tuple[str, bool]:
        w = self.w
        if i in self.arcs:
            rc, zc = self.arcs[i]
            minor = number(np.hypot(r0 - rc, z0 - zc))
            same = (z1 - z0) * ((r0 + r1) / 2 - rc) - (r1 - r0) * ((z0 + z1) / 2 - zc) > 0
            if rc == 0.0:
                return w.add(f"SPHERICAL_SURFACE('',{self._frame(zc)},{minor})"), same
            return w.add(f"TOROIDAL_SURFACE('',{self._frame(zc)},{number(rc)},{minor})"), same
        if z0 == z1:
            return w.add(f"PLANE('',{self._frame(z0)})"), r1 < r0
        if r0 == r1:
            return w.add(f"CYLINDRICAL_SURFACE('',{self._frame(z0)},{number(r0)})"), z1 > z0
        angle = np.arctan2(r1 - r0, z1 - z0)
        slope = np.arctan(abs((r1 - r0) / (z1 - z0)))
        axis = (0, 0, 1) if np.tan(angle) > 0 else (0, 0, -1)
        frame = self._frame(z0, axis)
        return w.add(f"CONICAL_SURFACE('',{frame},{number(r0)},{number(slope)})"), z1 > z0


@pytest.fixture(scope="session")
def ring():
    """A ring in a general pose with all kinds of faces, and what is true of them. # [mm]."""
    from scipy.spatial.transform import Rotation

    return Revolution(
        corners=[(7.3, 0.0), (20.1, 0.0), (20.1, 10.7), (16.4, 14.9), (12.0, 22.0), (7.3, 22.0)],
        names={1: "outer wall", 5: "BORE Ø14.6"},
        origin=(13.7, -41.3, 8.9),
        R=Rotation.from_euler("zyx", [0.7, -0.4, 1.1]).as_matrix(),
    )


@pytest.fixture
def step_writer():
    return StepWriter()


@pytest.fixture(scope="session")
def revolution():
    return Revolution


def cube_mesh():
    import trimesh

    return trimesh.creation.box(extents=(2.0, 3.0, 4.0))


@pytest.fixture(scope="session")
def cube():
    """A box of 2 × 3 × 4 units around the origin, as trimesh makes it."""
    return cube_mesh()


@pytest.fixture(scope="session")
def exported(cube):
    """The box in every mesh format, as trimesh writes it: bytes by ending."""
    kinds = {".stl": "stl", ".obj": "obj", ".ply": "ply", ".glb": "glb", ".3mf": "3mf"}
    files = {ending: cube.export(file_type=kind) for ending, kind in kinds.items()}
    files["text.stl"] = cube.export(file_type="stl_ascii")
    files["text.ply"] = cube.export(file_type="ply", encoding="ascii")
    return {name: raw.encode() if isinstance(raw, str) else raw for name, raw in files.items()}


@pytest.fixture(scope="session")
def read():
    """Reads a geometry from bytes; the name tells the format."""
    from parts.geometry.load import geometry_of
    from parts.geometry.source_file import SourceFile

    def read(name, raw, unit=None, *, folder=None, repair=()):
        raw = raw.encode() if isinstance(raw, str) else raw
        file = SourceFile(name=name, raw=raw, folder=folder)
        return geometry_of(file, unit=unit, repair=repair)

    return read


@pytest.fixture(scope="session")
def step_text():
    """The text of a file of several solids."""

    def text(*bodies, unit="mm"):
        writer = StepWriter()
        return writer.file([body.shell(writer) for body in bodies], unit)

    return text
