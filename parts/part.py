"""A part as users hold it: its mesh, its faces and features as tables, points on them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from parts.errors import PartError
from parts.features.feature import Feature, choose_feature
from parts.geometry import Face, Geometry, Sheets, TriangleMesh
from parts.geometry.load import geometry_of
from parts.geometry.source_file import SourceFile, read_source
from parts.library import names, open_part
from parts.probe import Tip
from parts.sampling.sample import AccessLimits, Sample, count_for, sample
from robots.core.arrays import Array
from robots.core.views import Shown, view

if TYPE_CHECKING:
    from pandas import DataFrame
    from trimesh import Trimesh


_USUAL = 25  # points, where nothing is asked
_MESH = "part.ply"
# How trimesh spells units.
_UNITS = {
    **{"mm": "mm", "millimeter": "mm", "millimeters": "mm"},
    **{"cm": "cm", "centimeter": "cm", "centimeters": "cm"},
    **{"m": "m", "meter": "m", "meters": "m"},
    **{"in": "in", "inch": "in", "inches": "in"},
}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Part(Shown):
    """A part to be measured.

    Args:
        geometry: its skin and faces, in metres.
        file: what it was read from; a mesh made in Python is a PLY file.
        unit: of a file that carries none: "mm", "cm", "m" or "in"; empty where the file states it.
        sheets: "include" where surfaces beside the solids of a STEP file are part; empty otherwise.
    """

    geometry: Geometry
    file: SourceFile = field(repr=False)
    unit: str = ""
    sheets: str = ""

    @property
    def name(self) -> str:
        """Name of its file or library entry."""
        return self.geometry.source

    @property
    def mesh(self) -> Trimesh:
        """Its triangles in metres; a copy, as trimesh changes meshes in place."""
        import trimesh

        own = self.geometry.mesh
        mesh = trimesh.Trimesh(vertices=own.vertices.copy(), faces=own.faces.copy(), process=False)
        mesh.units = "meters"
        return mesh

    @property
    def faces(self) -> DataFrame:
        """One row per face: index, name, kind, area, number and deviation of its triangles."""
        import pandas as pd

        areas = self.geometry.mesh.areas
        rows = [
            {
                "index": face.index,
                "name": face.name,
                "kind": face.kind,
                "area_mm2": 1e6 * float(areas[face.triangles].sum()),
                "triangles": len(face.triangles),
                "deflection_mm": 1e3 * face.deflection,
            }
            for face in self.geometry.faces
        ]
        return pd.DataFrame(rows)

    @property
    def features(self) -> DataFrame:
        """What ``sample`` knows by name: faces with their sizes, place and axis in part axes."""
        import pandas as pd

        measurable = [face for face in self.geometry.faces if face.kind != "unidentified"]
        areas = self.geometry.mesh.areas
        rows = [
            {
                "name": face.name,
                "kind": face.kind,
                "inner": face.reversed,
                "face": face.index,
                "area_mm2": 1e6 * float(areas[face.triangles].sum()),
                **_sizes(face),
            }
            for face in measurable
        ]
        columns = ("name", "kind", "inner", "face", "area_mm2", *_SIZES)
        return pd.DataFrame(rows, columns=list(columns))

    def feature(self, name: str) -> Feature:
        """Find a feature: a face's name, #index, a kind, ``nearest:x,y,z`` in mm, or by numbers.

        Raises:
            FeatureError: no such feature, or several; the message lists what there is.
        """
        return choose_feature(self.geometry, name)

    def sample(
        self,
        feature: str | Feature,
        *,
        count: int = 0,
        strategy: str = "hammersley",
        target: float = 0.0,
        sigma: float = 1e-6,
        edge_margin: float = 0.0,
        tip: Tip | None = None,
        stylus_axis: ArrayLike | None = None,
        prefix: str = "P",
    ) -> Sample:
        """Lay out probe points on a feature.

        Args:
            feature: as ``feature`` takes it.
            count: of points; 25 where neither count nor target is given.
            strategy: one of ``parts.sampling.STRATEGIES``.
            target: instead of a count: standard deviation of the fitted surface where it is
                worst. [m]
            sigma: standard deviation of one probing, for the target. [m]
            edge_margin: minimum distance from the feature's edges. [m]
            tip: stylus that must fit at every point; none is checked when None.
            stylus_axis: from ball to wrist, part axes; each point's normal when None. # (3,)
            prefix: of the points' names.

        Raises:
            FeatureError: no such feature, or nothing left within the edge margin.
            SamplingError: count and target together, or no room for so many points.
        """
        chosen = self.feature(feature) if isinstance(feature, str) else feature
        if count and target:
            raise PartError(
                f"count = {count} and target = {target:g} m exclude each other; give one.",
                count=count,
                target=target,
            )
        reach = AccessLimits(edge_margin=edge_margin)
        if tip is not None:
            away = None if stylus_axis is None else _direction(stylus_axis)
            reach = AccessLimits(
                edge_margin=edge_margin, geometry=self.geometry, tip=tip, away=away
            )
        if target:
            count = count_for(chosen, strategy, sigma=sigma, target=target, reach=reach)
        return sample(chosen, strategy, count or _USUAL, reach=reach, prefix=prefix)

    def show(self, *, open_browser: bool = True) -> Any:
        """Show the part in 3D, in the notebook or the browser."""
        return view("show_part", self, open_browser=open_browser)

    def _tables(self) -> Iterator[str]:
        yield self.faces.to_html(index=False, max_rows=20)

    def _lines(self) -> Iterator[str]:
        geometry = self.geometry
        size = " × ".join(f"{1e3 * edge:.4g}" for edge in geometry.mesh.size)
        yield f"Part {self.name!r}: {size} mm, {len(geometry.mesh)} triangles"
        kinds = [face.kind for face in geometry.faces]
        counted = ", ".join(f"{kinds.count(kind)} {kind}" for kind in dict.fromkeys(kinds))
        closed = "watertight" if geometry.audit.watertight else "not watertight"
        yield f"  faces: {counted}; {closed}"


def load_part(
    part: str | Path | Trimesh | Part, *, unit: str | None = None, sheets: Sheets | None = None
) -> Part:
    """Load a part from a geometry file, a mesh, or the library.

    Args:
        part: path of an STL, OBJ, PLY, GLB, glTF, 3MF or STEP file; a ``trimesh.Trimesh``; or the
            name of a library part where there is no such file.
        unit: of its numbers, "mm", "cm", "m" or "in". Required for files and meshes that carry
            none; it is never guessed.
        sheets: of STEP files: "include" makes surfaces beside the solids part.

    Raises:
        PartError: not readable, no unit, damaged, or no such part.
    """
    if isinstance(part, Part):
        return part
    if isinstance(part, str | Path):
        if not Path(part).exists() and (str(part) in names() or not Path(part).suffix):
            return _of_library(str(part))
        return part_of(read_source(Path(part)), unit=unit, sheets=sheets)
    if not (hasattr(part, "vertices") and hasattr(part, "faces")):
        raise PartError(
            f"A part is a path or a trimesh.Trimesh; found a {type(part).__name__}. Of a "
            "trimesh.Scene, give scene.to_mesh().",
            found=type(part).__name__,
        )
    name = str(part.metadata.get("name") or "") if hasattr(part, "metadata") else ""
    file = SourceFile(
        name=f"{name}.ply" if name.isprintable() and name and "/" not in name else _MESH,
        raw=ply_bytes(np.asarray(part.vertices), np.asarray(part.faces)),
        folder=None,
    )
    return part_of(file, unit=_mesh_unit(file, getattr(part, "units", None), unit))


def part_of(file: SourceFile, *, unit: str | None = None, sheets: Sheets | None = None) -> Part:
    """Read a part from the bytes of a geometry file; raises as ``load_part``."""
    geometry = geometry_of(file, unit=unit, sheets=sheets)
    return Part(geometry=geometry, file=file, unit=unit or "", sheets=sheets or "")


def ply_bytes(vertices: NDArray[Any], faces: NDArray[Any]) -> bytes:
    """Write triangles as a binary PLY file that keeps every bit of their corners.

    Raises:
        PartError: other shapes than (v, 3) and (f, 3).
    """
    for what, rows in (("vertices", vertices), ("faces", faces)):
        if rows.ndim != 2 or rows.shape[1] != 3:
            raise PartError(
                f"The mesh has {what} of shape {rows.shape}; expected (n, 3).", found=rows.shape
            )
    head = (
        "ply\nformat binary_little_endian 1.0\n"
        f"element vertex {len(vertices)}\n"
        "property double x\nproperty double y\nproperty double z\n"
        f"element face {len(faces)}\nproperty list uchar int vertex_indices\nend_header\n"
    )
    record = np.dtype([("count", "u1"), ("corners", "<i4", 3)])
    rows = np.zeros(len(faces), dtype=record)
    rows["count"], rows["corners"] = 3, faces
    return head.encode() + vertices.astype("<f8").tobytes() + rows.tobytes()


def _of_library(name: str) -> Part:
    geometry = open_part(name).geometry
    return Part(geometry=geometry, file=_mesh_file(geometry.mesh, f"{name}.ply"), unit="m")


def _mesh_file(mesh: TriangleMesh, name: str) -> SourceFile:
    return SourceFile(name=name, raw=ply_bytes(mesh.vertices, mesh.faces), folder=None)


def _mesh_unit(file: SourceFile, stated: str | None, given: str | None) -> str | None:
    """The unit of a mesh, by its caller or by ``mesh.units``; the two must agree."""
    if stated is None and given is None:
        raise PartError(
            'The mesh states no unit, and a unit is never guessed; give one, such as unit = "mm" '
            "(or cm, m, in)."
        )
    if stated is None:
        return given
    own = _UNITS.get(stated)
    if own is None or (given is not None and given != own):
        raise file.error(
            f"mesh.units is {stated!r}, but the unit is given as {given!r}; correct one."
            if own
            else f"mesh.units is {stated!r}; expected one of mm, cm, m, in.",
            found=stated,
            expected=given,
        )
    return own


def _direction(vector: ArrayLike) -> Array:
    array = np.asarray(vector, dtype=np.float64)
    length = float(np.linalg.norm(array))
    if array.shape != (3,) or not 0.0 < length < np.inf:
        raise PartError(
            f"The stylus axis {array.tolist()} is no direction; expected three numbers, such as "
            "[0, 0, 1].",
            found=array.tolist(),
        )
    return np.asarray(array / length)


_PLACE = ("x_mm", "y_mm", "z_mm")
_AXIS = ("ax", "ay", "az")
_SIZES = ("diameter_mm", "tube_diameter_mm", "half_angle_deg", *_PLACE, *_AXIS)


def _sizes(face: Face) -> dict[str, float]:
    """What the analytic surface of a face says; nothing of a freeform one."""
    surface = face.surface
    if surface is None:
        return {}
    sizes: dict[str, float] = {}
    for key, attribute, scale in (
        ("diameter_mm", "radius", 2e3),
        ("diameter_mm", "major_radius", 2e3),
        ("tube_diameter_mm", "minor_radius", 2e3),
        ("half_angle_deg", "half_angle", 180.0 / np.pi),
    ):
        if hasattr(surface, attribute):
            sizes[key] = scale * getattr(surface, attribute)
    for attribute in ("point", "centre", "apex"):
        if hasattr(surface, attribute):
            sizes |= zip(_PLACE, (1e3 * getattr(surface, attribute)).tolist(), strict=True)
    if hasattr(surface, "axis"):
        axis = (-surface.axis if face.kind == "plane" and face.reversed else surface.axis) + 0.0
        sizes |= zip(_AXIS, axis.tolist(), strict=True)
    return sizes
