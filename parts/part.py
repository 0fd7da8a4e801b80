"""A part as users hold it: its mesh, its faces and features as tables, points on them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from parts.drawing.drawing import Drawing
from parts.errors import FeatureError, PartError, SamplingError
from parts.features.feature import Feature, choose_feature
from parts.features.recognition import FormFeature, form_features, neighbouring_faces
from parts.features.visibility import visible_shares
from parts.geometry import Geometry, Sheets, TriangleMesh
from parts.geometry.load import geometry_of
from parts.geometry.source_file import SourceFile, read_source
from parts.library import names, open_part
from parts.probe import Tip
from parts.sampling.sample import (
    AccessLimits,
    Sample,
    count_for,
    practice_count,
    sample,
    usual_margins,
)
from robots.core.arrays import Array
from robots.core.views import Shown, view

if TYPE_CHECKING:
    from pandas import DataFrame
    from trimesh import Trimesh


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
        """One row per face: its kind, feature, size, outward normal in the middle, neighbours."""
        import pandas as pd

        geometry = self.geometry
        areas = geometry.mesh.areas
        owners = {face: one.name for one in self.form_features for face in one.faces}
        beside = neighbouring_faces(geometry)
        rows = []
        for face in geometry.faces:
            weights = areas[face.triangles]
            area = float(weights.sum())
            middle = weights @ geometry.mesh.corners(face.triangles).mean(axis=1) / (area or 1.0)
            mean = weights @ geometry.mesh.normals[face.triangles] / (area or 1.0)
            rows.append(
                {
                    "index": face.index,
                    "name": face.name,
                    "kind": face.kind,
                    "feature": owners.get(face.index, ""),
                    "area_mm2": 1e6 * area,
                    **dict(zip(_PLACE, (1e3 * middle).tolist(), strict=True)),
                    **dict(zip(_NORMAL, (mean + 0.0).tolist(), strict=True)),
                    "neighbours": beside[face.index],
                    "triangles": len(face.triangles),
                    "deflection_mm": 1e3 * face.deflection,
                }
            )
        return pd.DataFrame(rows)

    @property
    def form_features(self) -> tuple[FormFeature, ...]:
        """Its features with their faces, in the order of their names."""
        return form_features(self.geometry)

    @property
    def features(self) -> DataFrame:
        """One row per feature, by which ``sample`` takes it: sizes, place and axis in part axes.

        ``visible`` is the share of its area that is seen from outside from some direction;
        ``residual_um`` how far corners of a mesh lie from the surface fitted to them.
        """
        import pandas as pd

        found = self.form_features
        seen = visible_shares(self.geometry, found).tolist()
        rows = [
            {
                "name": one.name,
                "kind": one.kind,
                "inner": one.inner,
                "diameter_mm": 1e3 * one.diameter,
                "depth_mm": 1e3 * one.depth,
                "through": one.through,
                "opening": one.opening,
                "area_mm2": 1e6 * one.area,
                **dict(zip(_PLACE, (1e3 * one.point).tolist(), strict=True)),
                **dict(zip(_AXIS, one.axis.tolist(), strict=True)),
                "visible": share,
                "residual_um": 1e6 * one.residual,
                "deflection_um": 1e6 * one.deflection,
                "faces": one.faces,
            }
            for one, share in zip(found, seen, strict=True)
        ]
        return pd.DataFrame(rows)

    @property
    def drawing(self) -> Drawing:
        """Datums, dimensions and tolerances in an AP242 file; read from its text at each call."""
        from parts.drawing.step_pmi import read_drawing

        if self.geometry.sha256 != sha256(self.file.raw).hexdigest():
            return Drawing()  # of a part of the library, whose geometry was not read from its file
        return read_drawing(self.file, self.geometry)

    def read_drawing(self, document: Path | str) -> Drawing:
        """Datums, dimensions and tolerances in a QIF 3.0 document, in the axes of this part.

        Raises:
            PartError: not readable, no QIF document, or units that contradict themselves.
        """
        from parts.drawing.qif_pmi import read_qif_drawing

        source = read_source(Path(document))
        return read_qif_drawing(source.raw, source.name, self.geometry)

    def feature(self, name: str) -> Feature:
        """Find a feature by its name or a face's, #index, kind, ``nearest:x,y,z`` in mm, numbers.

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
        edge_margin: float | None = None,
        levels: int = 0,
        pitch: float = 0.0,
        tip: Tip | None = None,
        stylus_axis: ArrayLike | None = None,
        prefix: str = "P",
    ) -> Sample:
        """Lay out probe points on a feature.

        Args:
            feature: as ``feature`` takes it.
            count: of points; where neither count nor target is given, what practice (BS 7172)
                takes at least on such a feature, 25 on free forms.
            strategy: one of ``parts.sampling.STRATEGIES``.
            target: instead of a count: standard deviation of the fitted surface where it is
                worst. [m]
            sigma: standard deviation of one probing, for the target. [m]
            edge_margin: minimum distance from the feature's edges. None: the ball's radius, and 5
                to 20 % of the feature's least extent, less where it is narrow. [m]
            levels: circles along the axis of what is round, with strategy "circles".
            pitch: of the strategy "helix". [m]
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
        away = None if stylus_axis is None else _direction(stylus_axis)

        def within(margin: float) -> Sample:
            reach = AccessLimits(
                edge_margin=margin, geometry=self.geometry if tip else None, tip=tip, away=away
            )
            number = count or practice_count(chosen)
            if target:
                number = count_for(chosen, strategy, sigma=sigma, target=target, reach=reach)
            return sample(
                chosen, strategy, number, reach=reach, levels=levels, pitch=pitch, prefix=prefix
            )

        if edge_margin is not None:
            return within(edge_margin)
        *margins, last = usual_margins(chosen, 0.0 if tip is None else tip.ball_radius)
        for margin in margins:
            try:
                return within(margin)
            except (FeatureError, SamplingError):  # no room: a narrower one; the last one says why
                continue
        return within(last)

    def show(self, *, open_browser: bool = True) -> Any:
        """Show the part in 3D, in the notebook or the browser."""
        return view("show_part", self, open_browser=open_browser)

    def _tables(self) -> Iterator[str]:
        yield self.features.to_html(index=False, max_rows=20)

    def _lines(self) -> Iterator[str]:
        geometry = self.geometry
        size = " × ".join(f"{1e3 * edge:.4g}" for edge in geometry.mesh.size)
        yield f"Part {self.name!r}: {size} mm, {len(geometry.mesh)} triangles"
        kinds = [one.kind for one in self.form_features]
        counted = ", ".join(f"{kinds.count(kind)} {kind}" for kind in dict.fromkeys(kinds))
        closed = "watertight" if geometry.audit.watertight else "not watertight"
        faces = "1 face" if len(geometry.faces) == 1 else f"{len(geometry.faces)} faces"
        yield f"  {faces}; features: {counted or 'none'}; {closed}"


def load_part(
    part: str | Path | Trimesh | Part,
    *,
    unit: str | None = None,
    sheets: Sheets | None = None,
    repair: tuple[str, ...] = (),
) -> Part:
    """Load a part from a geometry file, a mesh, or the library.

    Args:
        part: path of an STL, OBJ, PLY, GLB, glTF, 3MF or STEP file; a ``trimesh.Trimesh``; or the
            name of a library part where there is no such file.
        unit: of its numbers, "mm", "cm", "m" or "in". Required for files and meshes that carry
            none; it is never guessed.
        sheets: of STEP files: "include" makes surfaces beside the solids part.
        repair: of "weld", "drop-degenerate", "drop-duplicates", "wind", "close", "flip"; what was
            done is in ``part.geometry.audit.repairs``.

    Raises:
        PartError: not readable, no unit, damaged, no such part, or no such repair.
    """
    known = isinstance(part, str | Path) and not Path(part).exists()
    library = known and (str(part) in names() or not Path(str(part)).suffix)
    if repair and (library or isinstance(part, Part)):
        raise PartError(
            f"repair = {list(repair)} is for files and meshes; {part if library else 'this part'} "
            "needs none. Leave it out.",
            repair=repair,
        )
    if isinstance(part, Part):
        return part
    if library:
        return _of_library(str(part))
    if isinstance(part, str | Path):
        return part_of(read_source(Path(part)), unit=unit, sheets=sheets, repair=repair)
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
    unit = _mesh_unit(file, getattr(part, "units", None), unit)
    return part_of(file, unit=unit, repair=repair)


def part_of(
    file: SourceFile,
    *,
    unit: str | None = None,
    sheets: Sheets | None = None,
    repair: tuple[str, ...] = (),
) -> Part:
    """Read a part from the bytes of a geometry file; raises as ``load_part``."""
    geometry = geometry_of(file, unit=unit, sheets=sheets, repair=repair)
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
            'The mesh states no unit, and a unit is never guessed; give one, such as unit="mm" '
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
_NORMAL = ("nx", "ny", "nz")
_AXIS = ("ax", "ay", "az")
