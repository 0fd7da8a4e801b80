"""A numbered picture of a part: every feature carries its number in the table."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from io import BytesIO

import numpy as np

from parts.features.recognition import FormFeature
from parts.features.visibility import splats, view_of
from parts.geometry import Geometry
from parts.part import Part
from robots.core.arrays import Array, Indices

_SIDES = (
    ("from the front, above", np.array([1.0, -1.4, 1.0])),
    ("from behind, below", np.array([-1.0, 1.4, -1.0])),
)
_PIXELS = 900  # across the part
_LABELS = 150  # numbers in the picture; of more features the smallest have none
_LEAST = 6  # pixels of a feature that can hold its number
_LIGHT = np.array([0.35, -0.45, 0.82])
# Okabe and Ito's colours, lightened, so that black numbers stay legible on them.
COLOURS = {
    "plane": (0.80, 0.84, 0.88),
    "hole": (0.98, 0.62, 0.40),
    "countersink": (0.95, 0.78, 0.42),
    "boss": (0.45, 0.72, 0.92),
    "slot": (0.86, 0.60, 0.78),
    "cylinder": (0.55, 0.80, 0.75),
    "cone": (0.95, 0.84, 0.50),
    "sphere": (0.62, 0.76, 0.55),
    "torus": (0.70, 0.70, 0.90),
    "fillet": (0.70, 0.76, 0.78),
    "round": (0.74, 0.79, 0.74),
    "freeform": (0.88, 0.82, 0.72),
    "facets": (0.82, 0.82, 0.82),
}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PartView:
    """A part seen from one side.

    Args:
        title: from where.
        pixels: red, green, blue; white where there is nothing. # (rows, columns, 3)
        feature: number of the feature in each pixel, from 0; -1 for none. # (rows, columns)
        projection: from a point and 1 to its column and row. # (2, 4)
    """

    title: str
    pixels: Array
    feature: Indices
    projection: Array

    @property
    def towards(self) -> Array:
        """Direction from the part to the eye, unit. # (3,)."""
        across = np.cross(self.projection[0, :3], -self.projection[1, :3])
        return np.asarray(across / np.linalg.norm(across))

    def label_places(self, labelled: Collection[int]) -> dict[int, tuple[int, int]]:
        """Pixel of each feature's number: its own, next to the middle of all that are seen."""
        rows, columns = np.nonzero(self.feature >= 0)
        of = self.feature[rows, columns]
        order = np.argsort(of, kind="stable")
        numbers, starts = np.unique(of[order], return_index=True)
        found: dict[int, tuple[int, int]] = {}
        for number, own in zip(numbers.tolist(), np.split(order, starts[1:]), strict=True):
            if number not in labelled or len(own) < _LEAST:
                continue
            r, c = rows[own], columns[own]
            best = int(np.argmin((r - r.mean()) ** 2 + (c - c.mean()) ** 2))
            found[number] = (int(r[best]), int(c[best]))
        return found


def part_picture(part: Part) -> bytes:
    """A PNG file: two views of the part with numbered features."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.patheffects import withStroke

    features = part.form_features
    views = part_views(part.geometry, features)
    height = max(view.pixels.shape[0] / view.pixels.shape[1] for view in views)
    figure = Figure(figsize=(16.0, 8.0 * min(max(height, 0.4), 1.4) + 0.6), dpi=110)
    FigureCanvasAgg(figure)
    labelled = _labelled(features)
    for place, view in enumerate(views):
        axes = figure.add_axes((0.5 * place + 0.005, 0.0, 0.49, 0.94))
        axes.imshow(view.pixels, interpolation="none")
        axes.set_title(view.title, fontsize=10)
        axes.axis("off")
        for number, (row, column) in view.label_places(labelled).items():
            text = axes.text(
                column, row, str(number + 1), ha="center", va="center", fontsize=8, weight="bold"
            )
            text.set_path_effects([withStroke(linewidth=2.5, foreground="white")])
    output = BytesIO()
    figure.savefig(output, format="png", metadata={"Software": "Palpeur"})
    return output.getvalue()


def part_views(
    geometry: Geometry, features: tuple[FormFeature, ...], colours: Array | None = None
) -> tuple[PartView, ...]:
    """The part from two opposite sides.

    Args:
        geometry: of the part.
        features: of it.
        colours: of each feature; those of its kind where they are left out. # (k, 3)
    """
    mesh = geometry.mesh
    pixel = float(np.linalg.norm(mesh.size)) / _PIXELS
    cloud = splats(mesh, pixel / 1.8)
    owner = np.full(len(mesh), -1)
    for number, feature in enumerate(features):
        owner[feature.triangles] = number
    if colours is None:
        colours = np.array([COLOURS[one.kind] for one in features]).reshape(-1, 3)
    colours = np.vstack([colours, (0.6, 0.6, 0.6)])
    light = _LIGHT / np.linalg.norm(_LIGHT)
    views = []
    for title, direction in _SIDES:
        towards = direction / np.linalg.norm(direction)
        view = view_of(mesh, cloud, towards, pixel)
        order = np.flatnonzero(view.front)
        order = order[np.argsort(view.depth[order], kind="stable")]
        rows, columns = view.row[order], view.column[order]
        of = owner[cloud.triangles[order]]
        normals = mesh.normals[cloud.triangles[order]]
        side = light if towards @ light > 0.0 else -light
        shade = 0.62 + 0.38 * np.clip(normals @ side, 0.0, 1.0)
        pixels = np.ones((*view.shape, 3))
        seen = np.full(view.shape, -1)
        seen[rows, columns] = of  # the nearest comes last
        pixels[rows, columns] = colours[of] * shade[:, None]
        pixels, seen = _filled(pixels, seen)
        views.append(
            PartView(
                title=title,
                pixels=_outlined(pixels, seen),
                feature=seen,
                projection=view.projection,
            )
        )
    return tuple(views)


def _filled(pixels: Array, feature: Indices) -> tuple[Array, Indices]:
    """Pixels that no point fell on, amid others that one did, take the value of the nearest."""
    from scipy.ndimage import binary_closing, distance_transform_edt

    there = feature >= 0
    gaps = binary_closing(there, iterations=2) & ~there
    rows, columns = distance_transform_edt(~there, return_distances=False, return_indices=True)
    near = rows[gaps], columns[gaps]
    pixels[gaps], feature[gaps] = pixels[near], feature[near]
    return pixels, feature


def _outlined(pixels: Array, feature: Indices) -> Array:
    """Dark lines where one feature ends and the next begins."""
    edge = np.zeros(feature.shape, dtype=bool)
    edge[:, 1:] |= feature[:, 1:] != feature[:, :-1]
    edge[1:] |= feature[1:] != feature[:-1]
    return np.where(edge[..., None], 0.55 * pixels, pixels)


def _labelled(features: tuple[FormFeature, ...]) -> set[int]:
    """The largest, without what only joins others where there are many."""
    order = sorted(range(len(features)), key=lambda number: -features[number].area)
    if len(features) > _LABELS // 2:
        order = [n for n in order if features[n].kind not in ("fillet", "round")]
    return set(order[:_LABELS])
