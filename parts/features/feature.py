"""Features: named, bounded pieces of a part, selected by face, nearest point or dimensions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

import numpy as np

from parts.errors import FeatureError
from parts.features.band import Band, BandSpan, band_span, swept
from parts.features.mesh_patch import RoundSkin, SkinPatch, cylinder_of, region_around
from parts.features.patch import Patch, Rectangle, SlotPatch, SurfaceCircle, SurfaceLine
from parts.features.recognition import FormFeature, canonical, form_features
from parts.features.rim import Owner, Rim, rim_of, whole_part
from parts.geometry.geometry import Face, Geometry
from parts.geometry.surfaces import Cone, Cylinder, Plane, Sphere, Surface, Torus, across
from robots.core.arrays import Array, Mask

KINDS = ("plane", "line", "circle", "cylinder", "cone", "sphere", "torus", "freeform", "facets")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Feature:
    """A feature to measure, in the part frame.

    Args:
        name: that its points carry.
        patch: its extent: exact where ``rim`` is left out, otherwise a box that ``rim`` cuts.
        rim: where the surface really ends; of features that come from a geometry.
    """

    name: str
    patch: Patch
    rim: Rim | None = None

    @property
    def kind(self) -> str:
        """One of ``KINDS``, or "slot"."""
        return self.patch.kind

    def inset(self, margin: float) -> Patch:
        """The piece that points may take: its bounds move inward by a margin.

        A box around a face may shrink like the face: whoever is near its side is near the edge of
        the face, which lies inside. It keeps as much of a distance as the rim does: points that
        the rim would drop near a side would leave the layout to how finely the mesh is divided.

        Raises:
            FeatureError: nothing is left.
        """
        if self.rim is None or margin == 0.0:
            return self.patch.inset(margin)
        return self.patch.inset(self.rim.distance(margin))

    def keeps(self, points: Array, margin: float) -> Mask:
        """Return whether points of ``inset`` lie where there is surface. # (k,)."""
        if self.rim is None:
            return np.ones(len(points), dtype=bool)
        return self.rim.keeps(points, margin)


# --------------------------------------------------------------------------------------- Selection

_WAYS = (
    "a feature's or a face's name, #index of a face, a kind such as hole or cylinder, "
    "nearest:x,y,z in mm, or kind:key=value;…"
)
_LISTED = 8


def choose_feature(geometry: Geometry, text: str) -> Feature:
    """The feature that a text names.

    ``hole-3`` (a feature's name) · ``top`` (a face's name) · ``#3`` (a face's index, from 0) ·
    ``cylinder`` (the only feature of a kind) · ``nearest:10,0,25`` (the face nearest to a point,
    in mm) · ``circle:center=0,0,10;normal=0,0,1;diameter=20;inner`` (by numbers, in mm; points are
    kept only where the part has surface).

    Args:
        geometry: of the part.
        text: the choice.

    Raises:
        FeatureError: no such feature, or several; the message lists what there is.
    """
    text = text.strip()
    head, colon, rest = text.partition(":")
    if any(face.name == text for face in geometry.faces):
        return feature_of_face(geometry, geometry.face(text))
    if head == "nearest" and colon:
        return feature_of_face(geometry, nearest_face(geometry, rest))
    if colon and head in KINDS:
        return replace(feature_of_numbers(text), rim=whole_part(geometry))
    if text.startswith("#"):
        return feature_of_face(geometry, _by_index(geometry, text))
    found = _matching(geometry, text)
    if len(found) == 1:
        return feature_of_form(geometry, found[0])
    if not found:
        raise FeatureError(
            f"{geometry.source} has no feature {text!r}{_near(geometry, text)}; give {_WAYS}. It "
            f"has {_listed(geometry)}.",
            found=text,
        )
    which = ", ".join(_size(form) for form in found[:_LISTED])
    more = ", …" if len(found) > _LISTED else ""
    raise FeatureError(
        f"{geometry.source} has {len(found)} features {text!r}: {which}{more}; choose one of them. "
        f"`palpeur part show {geometry.source}` lists and pictures them.",
        kind=text,
        count=len(found),
    )


def choose_features(geometry: Geometry, pattern: str) -> tuple[Feature, ...]:
    """All features that a name with wildcards or a kind means, such as ``hole-*``; in order.

    Raises:
        FeatureError: none.
    """
    found = _matching(geometry, pattern.strip())
    if not found:
        return (choose_feature(geometry, pattern),)
    return tuple(feature_of_form(geometry, form) for form in found)


def _matching(geometry: Geometry, text: str) -> list[FormFeature]:
    """By name, else by wildcard, else by kind of the feature, else by that of its surface."""
    forms = form_features(geometry)
    ways: tuple[Callable[[FormFeature], bool], ...] = (
        lambda form: form.name == text,
        lambda form: fnmatchcase(form.name, text),
        lambda form: form.kind == text,
        lambda form: form.surface is not None and form.surface.kind == text,
    )
    for way in ways:
        if found := [form for form in forms if way(form)]:
            return found
    return []


def _near(geometry: Geometry, text: str) -> str:
    from difflib import get_close_matches

    names = [form.name for form in form_features(geometry)]
    close = get_close_matches(text, names, n=1, cutoff=0.6)
    return f" (did you mean {close[0]!r}?)" if close else ""


def _size(form: FormFeature) -> str:
    """Name and size: "hole-3 (⌀8 mm)"."""
    round_ = not np.isnan(form.diameter)
    size = f"⌀{1e3 * form.diameter:.4g} mm" if round_ else f"{1e6 * form.area:.4g} mm²"
    return f"{form.name} ({size})"


def nearest_face(geometry: Geometry, text: str) -> Face:
    """The face nearest to a point; on a mesh, the smooth region there. Args: "x,y,z" in mm."""
    feet = geometry.closest(numbers_of(text, "nearest", 3)[None] * 1e-3)
    face = geometry.faces[int(feet.faces[0])]
    if face.kind != "facets":
        return face
    return region_around(geometry, int(feet.triangles[0]), face)


def _by_index(geometry: Geometry, text: str) -> Face:
    if not text[1:].isdecimal() or int(text[1:]) >= len(geometry.faces):
        count = len(geometry.faces)
        raise FeatureError(
            f"{geometry.source} has no face {text}; it has {count} face{'s' * (count != 1)}, "
            "numbered from #0.",
            found=text,
        )
    return geometry.faces[int(text[1:])]


def _listed(geometry: Geometry) -> str:
    """Features by kind: "40 plane, 10 hole"; and faces that none is recognised on."""
    counts = Counter(form.kind for form in form_features(geometry))
    lost = len(geometry.faces_of_kind("unidentified"))
    kinds = [f"{count} {kind}" for kind, count in counts.items()]
    return ", ".join([*kinds, *([f"{lost} faces that were not identified"] if lost else [])])


# ------------------------------------------------------------------------------- Features of faces

_WIDEST_STEP = 0.7  # [rad] between neighbouring corners; a wider gap is an opening


def feature_of_face(geometry: Geometry, face: Face) -> Feature:
    """The whole of a face, with its holes and its true outline, as a feature.

    Args:
        geometry: that has the face.
        face: one of its faces, or a region of a mesh.

    Raises:
        FeatureError: a face that was not identified.
    """
    if face.kind == "unidentified":
        raise FeatureError(
            f"Face #{face.index} ({face.name}) of {geometry.source} was not identified: what "
            "surface it is part of is not known, so nothing is measured on it. Export the part "
            "again, without colours.",
            face=face.index,
        )
    owners = [Owner(one.surface, one.triangles, one.deflection) for one in (*geometry.faces, face)]
    return _bounded(geometry, face, owners)


def feature_of_form(geometry: Geometry, form: FormFeature) -> Feature:
    """The whole of a form feature, over all its faces.

    Args:
        geometry: that has it.
        form: one of its form features.
    """
    surface = form.surface
    whole = Face(
        name=form.name,
        index=form.faces[0],
        kind=surface.kind if surface else "facets" if form.kind == "facets" else "freeform",
        surface=surface,
        triangles=form.triangles,
        deflection=form.deflection,
    )
    owners = [
        Owner(piece.surface, piece.triangles, piece.deflection)
        for one in form_features(geometry)
        for piece in one.pieces or (one,)
    ]
    if form.kind == "slot":
        rim = rim_of(geometry, form.triangles, owners)
        return Feature(name=form.name, patch=_slot(form, rim.corners), rim=rim)
    return _bounded(geometry, whole, owners)


def _bounded(geometry: Geometry, face: Face, owners: Sequence[Owner]) -> Feature:
    """A face, or several of one surface, with its extent and its rim."""
    rim = rim_of(geometry, face.triangles, owners, sharp=face.kind == "facets")
    if face.surface is None:
        patch: Patch = _skin(geometry, face)
    else:
        surface = face.surface
        if isinstance(surface, Cylinder | Torus):
            # whichever way a file or a fit turns the axis: the same layout
            surface = replace(surface, axis=canonical(surface.axis))
        points = surface.project(rim.corners)
        if isinstance(surface, Plane):
            patch = _rectangle(surface, points)
        else:
            middle = _middle(rim, face)
            more = [surface.project(rim.middles)] if len(rim.starts) else []
            if isinstance(surface, Sphere):
                poles = surface.centre + surface.radius * np.array([middle, -middle])
                more.append(poles[rim.keeps(poles, 0.0)])  # of triangles, none may have a corner
            patch = _band(surface, np.vstack([points, *more]), middle)
    return Feature(name=face.name, patch=patch, rim=rim)


def _slot(slot: FormFeature, corners: Array) -> SlotPatch:
    """Its wall. Args: corners of that # (c, 3) [m]."""
    one, other = (piece.point for piece in slot.pieces[:2])
    axis = canonical(slot.axis)
    arm = (other - one) - ((other - one) @ axis) * axis
    straight = float(np.linalg.norm(arm))
    heights = (corners - slot.point) @ axis
    return SlotPatch(
        centre=slot.point,
        axis=axis,
        along=canonical(arm / straight),
        radius=0.5 * slot.diameter,
        straight=straight,
        start=float(heights.min()),
        end=float(heights.max()),
    )


def _skin(geometry: Geometry, face: Face) -> SkinPatch:
    """Triangles, round ones along the cylinder through their corners."""
    cylinder = cylinder_of(geometry, face.triangles) if face.kind == "facets" else None
    if cylinder is None:
        return SkinPatch(geometry=geometry, triangles=face.triangles, name=face.kind)
    corners = np.unique(geometry.mesh.faces[face.triangles])
    points = cylinder.project(geometry.mesh.vertices[corners])
    guide = _band(cylinder, points, cylinder.axis)
    return RoundSkin(geometry=geometry, triangles=face.triangles, name=face.kind, guide=guide)


def _middle(rim: Rim, face: Face) -> Array:
    """Mean direction of a face: axis for a sphere, which has none of its own. # (3,)."""
    mean = rim.vector_area()
    length = float(np.linalg.norm(mean))
    mesh = rim.geometry.mesh
    if length <= 1e-6 * float(mesh.areas[face.triangles].sum()):
        return np.array([0.0, 0.0, 1.0])
    return np.asarray((-mean if face.reversed else mean) / length)


def _rectangle(plane: Plane, points: Array) -> Rectangle:
    """The rectangle along which most of the outline runs.

    Seen from outside, and of equal rectangles always the same: neither the file's sense of an edge,
    nor how a mesh divides its edges, nor rounding turns the layout of points.
    """
    plane = Plane(point=plane.point, axis=-plane.axis if plane.reversed else plane.axis)
    found: list[Rectangle] = []
    for x_axis in _outline_directions(plane, points):
        y_axis = np.cross(plane.axis, x_axis)
        flat = np.column_stack([points @ x_axis, points @ y_axis])
        low, high = flat.min(axis=0), flat.max(axis=0)
        size = (float(high[0] - low[0]), float(high[1] - low[1]))
        x, y = 0.5 * (low + high)
        centre = x * x_axis + y * y_axis + (plane.point @ plane.axis) * plane.axis
        found.append(Rectangle(surface=plane, centre=centre, x_axis=x_axis, size=size))
    least = min(one.measure for one in found)
    equal = [one for one in found if one.measure <= least * (1.0 + _EQUAL)]
    return max(equal, key=lambda one: tuple(np.round(one.x_axis, 3)))


_EQUAL = 1e-3  # ratio of lengths or areas that are equal but for tessellation
_PARALLEL = 1e-3  # [rad] sides of one direction; tessellation tilts tangents of arcs so much
_STRAIGHT = 1.0 / 3.0  # of an outline: chords of one direction, of a circle, are less


def _outline_directions(plane: Plane, points: Array) -> Array:
    """Directions in which most of the convex hull runs, along or across. # (d, 3).

    The hull is the same however an outline is divided, and bores do not count. What is round all
    over has no direction of its own; it takes the plane's.
    """
    from scipy.spatial import ConvexHull, QhullError

    x = across(plane.axis)
    y = np.cross(plane.axis, x)
    flat = np.column_stack([points @ x, points @ y])
    try:
        corners = flat[ConvexHull(flat - flat.mean(axis=0)).vertices]
    except QhullError:  # a sliver: its longest extent
        spread = np.linalg.svd(flat - flat.mean(axis=0), full_matrices=False)[2][0]
        return _both_ways(plane, spread @ np.array([x, y]))
    sides = np.roll(corners, -1, axis=0) - corners
    lengths = np.linalg.norm(sides, axis=1)
    quarter = 0.5 * np.pi
    angles = np.mod(np.arctan2(sides[:, 1], sides[:, 0]), quarter)
    order = np.argsort(angles, kind="stable")
    turned = (angles[order][None] + quarter * np.arange(-1.0, 2.0)[:, None]).ravel()
    weights = np.tile(lengths[order], 3)
    sums = np.concatenate([[0.0], np.cumsum(weights)])
    moments = np.concatenate([[0.0], np.cumsum(weights * turned)])
    first = np.searchsorted(turned, angles - _PARALLEL)
    last = np.searchsorted(turned, angles + _PARALLEL, side="right")
    along = sums[last] - sums[first]
    if along.max() < _STRAIGHT * lengths.sum():
        return _both_ways(plane, x)
    main = along >= along.max() * (1.0 - _EQUAL)
    means = ((moments[last] - moments[first]) / along)[main]
    return np.vstack([_both_ways(plane, np.cos(a) * x + np.sin(a) * y) for a in np.unique(means)])


def _both_ways(plane: Plane, direction: Array) -> Array:
    return np.array([canonical(direction), canonical(np.cross(plane.axis, direction))])


def _band(surface: Surface, points: Array, middle: Array) -> Band:
    seen = band_span(surface, points, middle)
    first, sweep = swept(seen.angles, _WIDEST_STEP)
    start, end = _ends(seen)
    return replace(seen.band, start=start, end=end, first_angle=first, sweep=sweep)


def _ends(seen: BandSpan) -> tuple[float, float]:
    """Range of the corners, widened: triangles of a sphere or tube reach beyond their corners."""
    low, high = seen.band.meridian.bounds
    start, end = seen.ends(opening=_WIDEST_STEP)
    pad = 0.02 * (end - start) if np.isfinite(high) else 0.0
    if start - low <= _AT_POLE * (end - start):
        start = low
    return max(low, start - pad), min(high, end + pad)


_AT_POLE = 1e-4  # of the length: a range that ends so near to an apex ends there


# -------------------------------------------------------------------------- Features by dimensions

_MM = 1e-3


def feature_of_numbers(text: str) -> Feature:
    """The feature that a phrase describes, in the part frame.

    ========  =====================================================================
    plane     center, normal, size=a,b [, x=direction of a] or diameter [, hole]
    line      from, to, normal
    circle    center, normal, diameter [, inner, from-deg, sweep-deg]
    cylinder  base, axis, diameter, height [, inner, from-deg, sweep-deg]
    cone      base, axis, diameter (at the base), top (diameter there), height [, inner]
    sphere    center, diameter [, axis, from-deg, to-deg (latitudes), inner]
    torus     center, axis, major, minor (diameters) [, from-deg, to-deg (tube), inner]
    ========  =====================================================================

    Args:
        text: such as ``cylinder:base=0,0,0;axis=0,0,1;diameter=20;height=30;inner``.

    Raises:
        FeatureError: an unknown kind or key, a key that is missing, numbers that make no feature.
    """
    kind, _, rest = text.strip().partition(":")
    if kind not in _BUILDERS:
        raise FeatureError(
            f"{kind!r} cannot be given by numbers; expected one of {', '.join(_BUILDERS)}.",
            found=kind,
        )
    values = values_of(kind, rest)
    patch = _BUILDERS[kind](values)
    values.require_all_used()
    return Feature(name=kind, patch=patch)


def _plane(v: Values) -> Patch:
    centre, normal = v.point("center"), v.direction("normal")
    plane = Plane(point=centre, axis=normal)
    if v.has("diameter"):
        inner = v.length("hole") / 2 if v.has("hole") else 0.0
        return Band(
            surface=plane,
            origin=centre,
            axis=normal,
            x_axis=across(normal),
            start=inner,
            end=v.length("diameter") / 2,
        )
    size = numbers_of(v.text("size"), "size", 2) * _MM
    x_axis = v.direction("x", across(normal))
    x_axis = x_axis - (x_axis @ normal) * normal
    length = float(np.linalg.norm(x_axis))
    if length < 1e-6:
        raise FeatureError("The plane's x lies along its normal; give a direction in the plane.")
    sides = (float(size[0]), float(size[1]))
    return Rectangle(surface=plane, centre=centre, x_axis=x_axis / length, size=sides)


def _line(v: Values) -> Patch:
    return SurfaceLine(start=v.point("from"), end=v.point("to"), normal=v.direction("normal"))


def _circle(v: Values) -> Patch:
    axis = v.direction("normal")
    return SurfaceCircle(
        centre=v.point("center"),
        axis=axis,
        x_axis=across(axis),
        radius=v.length("diameter") / 2,
        inner=v.has("inner"),
        first_angle=v.angle("from-deg", 0.0),
        sweep=v.angle("sweep-deg", 2.0 * np.pi),
    )


def _cylinder(v: Values) -> Patch:
    base, axis = v.point("base"), v.direction("axis")
    radius = v.length("diameter") / 2
    surface = Cylinder(point=base, axis=axis, radius=radius, reversed=v.has("inner"))
    return _about(v, surface, base, axis, (0.0, v.length("height")))


def _cone(v: Values) -> Patch:
    base, axis = v.point("base"), v.direction("axis")
    lower, height = v.length("diameter") / 2, v.length("height")
    upper = numbers_of(v.text("top"), "top", 1)[0] * _MM / 2
    if upper < 0.0 or abs(upper - lower) < 1e-9:
        raise FeatureError("The cone's top diameter must not be negative, nor that of its base.")
    slope = abs(lower - upper) / height
    inward = -axis if lower > upper else axis  # from the apex into the cone
    apex = base - inward * lower / slope
    half_angle = float(np.arctan(slope))
    surface = Cone(apex=apex, axis=inward, half_angle=half_angle, reversed=v.has("inner"))
    ends = sorted(float(radius / np.sin(half_angle)) for radius in (lower, upper))
    return _about(v, surface, apex, inward, (ends[0], ends[1]))


def _sphere(v: Values) -> Patch:
    centre, radius = v.point("center"), v.length("diameter") / 2
    surface = Sphere(centre=centre, radius=radius, reversed=v.has("inner"))
    return _about(
        v, surface, centre, v.direction("axis", np.array([0, 0, 1.0])), _arc(v, radius, 1)
    )


def _torus(v: Values) -> Patch:
    centre, axis = v.point("center"), v.direction("axis")
    major, minor = v.length("major") / 2, v.length("minor") / 2
    surface = Torus(
        centre=centre,
        axis=axis,
        major_radius=major,
        minor_radius=minor,
        reversed=v.has("inner"),
    )
    return _about(v, surface, centre, axis, _arc(v, minor, 2))


def _arc(v: Values, radius: float, quarters: int) -> tuple[float, float]:
    """Ends of a meridian's arc, given as angles; the whole where they are left out. [m]."""
    whole = quarters * np.pi / 2
    return radius * v.angle("from-deg", -whole), radius * v.angle("to-deg", whole)


def _about(
    v: Values, surface: Surface, origin: Array, axis: Array, ends: tuple[float, float]
) -> Band:
    tube = isinstance(surface, Sphere | Torus)  # their from-deg runs along the meridian
    return Band(
        surface=surface,
        origin=origin,
        axis=axis,
        x_axis=across(axis),
        start=ends[0],
        end=ends[1],
        first_angle=0.0 if tube else v.angle("from-deg", 0.0),
        sweep=v.angle("sweep-deg", 2.0 * np.pi),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Values:
    """Keys of a phrase; those that are read are noted in ``used``."""

    kind: str
    texts: dict[str, str]
    used: set[str]

    def text(self, key: str) -> str:
        """What stands after a key that must be there."""
        self.used.add(key)
        if key not in self.texts:
            raise FeatureError(f"The {self.kind} needs {key}=…; it has {', '.join(self.texts)}.")
        return self.texts[key]

    def has(self, key: str) -> bool:
        """Return whether a key, which may be left out, is there."""
        self.used.add(key)
        return key in self.texts

    def length(self, key: str) -> float:
        """A length above zero. [m]."""
        value = float(numbers_of(self.text(key), key, 1)[0]) * _MM
        if not value >= _SHORTEST:
            raise FeatureError(
                f"The {self.kind}'s {key} is {self.texts[key]} mm; expected above 0."
            )
        return value

    def angle(self, key: str, default: float) -> float:
        """An angle, or the default. [rad]."""
        if not self.has(key):
            return default
        return float(np.radians(numbers_of(self.text(key), key, 1)[0]))

    def point(self, key: str) -> Array:
        """A place. # (3,) [m]."""
        return numbers_of(self.text(key), key, 3) * _MM

    def direction(self, key: str, default: Array | None = None) -> Array:
        """A direction, brought to length one, or the default. # (3,)."""
        if default is not None and not self.has(key):
            return default
        vector = numbers_of(self.text(key), key, 3)
        length = float(np.linalg.norm(vector))
        if not length >= _SHORTEST:
            raise FeatureError(f"The {self.kind}'s {key} has no length; give a direction.")
        return np.asarray(vector / length)

    def require_all_used(self) -> None:
        """Refuse keys that nothing has asked for."""
        for key in self.texts:
            if key not in self.used:
                raise FeatureError(
                    f"The {self.kind} has no key {key!r}; it takes {', '.join(sorted(self.used))}.",
                    key=key,
                )


_BUILDERS: dict[str, Callable[[Values], Patch]] = {
    "plane": _plane,
    "line": _line,
    "circle": _circle,
    "cylinder": _cylinder,
    "cone": _cone,
    "sphere": _sphere,
    "torus": _torus,
}


# --------------------------------------------------------------------------------- Keys and values

_LARGEST = 1e9  # [mm] beyond it no part is meant, and squares keep far from overflow
_SHORTEST = 1e-9  # [m]


def numbers_of(text: str, what: str, count: int) -> Array:
    """Numbers between commas. # (count,).

    Raises:
        FeatureError: another count, or not finite numbers.
    """
    try:
        values = np.array([float(cell) for cell in text.split(",")])
    except ValueError:
        values = np.zeros(0)
    if values.shape != (count,) or not np.all(np.abs(values) <= _LARGEST):
        raise FeatureError(
            f"{what} is {text[:60]!r}; expected {count} finite numbers between commas, none beyond "
            f"{_LARGEST:g}.",
            found=text,
        )
    return values


def values_of(kind: str, text: str) -> Values:
    """Keys and values of what stands after the colon."""
    texts: dict[str, str] = {}
    for piece in filter(None, (piece.strip() for piece in text.split(";"))):
        key, _, value = piece.partition("=")
        if key.strip() in texts:
            raise FeatureError(f"The {kind}'s {key.strip()} is given twice.", key=key.strip())
        texts[key.strip()] = value.strip()
    return Values(kind=kind, texts=texts, used=set())
