"""Audit of a mesh: what is good and what is doubtful about it; and the repairs that it may need."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from parts.errors import PartError
from parts.geometry.mesh import (
    EdgeCounts,
    Merged,
    MeshPieces,
    TriangleMesh,
    connected,
    count_edges,
    count_pieces,
    merge_identical,
    merge_near,
    pieces_of,
)
from robots.core.arrays import Array, Indices, Mask

SMALLEST_PART = 1e-4  # [m] a smaller part was given in metres but drawn in larger units
LARGEST_PART = 100.0  # [m] a larger one in millimetres but drawn in smaller ones
_INCLUDED = (
    " The file has sheets beside its solids, which count as part and are open by nature; "
    'sheets = "ignore" leaves them out.'
)
FLAT = 1e-14  # area over longest edge squared, below which rounding alone gives the area


def audit(
    mesh: TriangleMesh,
    *,
    repairs: tuple[str, ...] = (),
    duplicated_vertices: int | None = None,
    sheets: int = 0,
    sheet_faces: int = 0,
    turned: int = 0,
    doubts: tuple[str, ...] = (),
) -> Audit:
    """Examine a mesh.

    Args:
        mesh: as it will be used.
        repairs: what was done to it before, one sentence each.
        duplicated_vertices: found when they were merged, so that neighbours share them; None for
            a mesh where this was not done: identical ones then count as shared.
        sheets: beside the solids of a CAD file.
        sheet_faces: faces of them that were left out of the mesh.
        turned: triangles that were turned round.
        doubts: of the reader, one sentence each.
    """
    places, vertices, removed = mesh.faces, len(mesh.vertices), duplicated_vertices
    if removed is None:
        merged = merge_identical(mesh.vertices)
        places, vertices = merged.places[mesh.faces], len(merged.vertices)
        removed = merged.removed
    # a needle over three vertices still closes the skin; one that names a vertex twice does not
    solid = places[(places != places[:, [1, 2, 0]]).all(axis=1)]
    edges = count_edges(solid, vertices)
    used = np.zeros(vertices, dtype=bool)
    used[places.ravel()] = True
    watertight = len(solid) > 0 and edges.open == edges.non_manifold == 0
    consistent = edges.miswound == 0
    volume = mesh.volume
    found = Audit(
        triangles=len(mesh),
        vertices=int(used.sum()),
        size=mesh.size,
        volume=volume,
        area=float(mesh.areas.sum()),
        watertight=watertight,
        consistent=consistent,
        inverted=watertight and consistent and volume < 0.0,
        open_edges=edges.open,
        non_manifold_edges=edges.non_manifold,
        miswound_edges=edges.miswound,
        duplicated_triangles=_repeated(solid, vertices),
        duplicated_vertices=removed,
        degenerate_triangles=int(degenerate(mesh).sum()),
        pieces=count_pieces(places, vertices),
        sheets=sheets,
        sheet_faces=sheet_faces,
        turned=turned,
        repairs=repairs,
    )
    told = (sentence for doubtful, sentence in _doubts(found, edges) if doubtful)
    return replace(found, warnings=(*doubts, *told))


def degenerate(mesh: TriangleMesh) -> Mask:
    """Triangles without area, but for rounding. # (f,)."""
    t = mesh.triangles
    edges = t - t[:, [1, 2, 0]]
    longest = np.einsum("fij,fij->fi", edges, edges).max(axis=1)
    return np.asarray(mesh.areas <= FLAT * longest)


def _repeated(faces: Indices, vertices: int) -> int:
    """Triangles over the same three vertices as an earlier one, either way round."""
    if not len(faces):
        return 0
    low, high = faces.min(axis=1), faces.max(axis=1)
    middle = faces.sum(axis=1) - low - high
    # two triangles are equal if two keys are; a product of three indices would overflow
    order = np.argsort(low * vertices + high, kind="stable")
    outer, inner = (low * vertices + high)[order], middle[order]
    twins = np.flatnonzero(outer[1:] == outer[:-1])
    if not twins.size:
        return 0
    close = np.unique(np.concatenate([twins, twins + 1]))
    pairs = np.stack([outer[close], inner[close]], axis=1)
    return len(pairs) - len(np.unique(pairs, axis=0))


def _doubts(found: Audit, edges: EdgeCounts) -> list[tuple[bool, str]]:
    largest = float(found.size.max())
    return [
        (largest < SMALLEST_PART, f"The part is only {largest:.3g} m long; is the unit right?"),
        (largest > LARGEST_PART, f"The part is {largest:.4g} m long; is the unit right?"),
        (
            not found.watertight,
            f"The mesh is not watertight: {edges.open} edges belong to one triangle only and "
            f"{edges.non_manifold} to more than two, of {edges.edges}. Normals that point into "
            "the material cannot be detected."
            + (_INCLUDED if found.sheets and not found.sheet_faces else ""),
        ),
        (
            not found.consistent,
            f"At {edges.miswound} edges the neighbours disagree on which side is outside; normals "
            "taken from this mesh may point into the material.",
        ),
        (
            found.inverted,
            f"The mesh is inside out: its signed volume is {found.volume:.6g} m³. All normals "
            "point into the material. Turn it in the CAD system.",
        ),
        (
            found.duplicated_triangles > 0,
            f"{found.duplicated_triangles} triangles repeat an earlier one.",
        ),
        (
            found.degenerate_triangles > 0,
            f"{found.degenerate_triangles} triangles have no area; they are not probed.",
        ),
    ]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Audit:
    """Health of a mesh, as found after the repairs that are named.

    Args:
        triangles: their number.
        vertices: different ones in use.
        size: extents along x, y and z. # (3,) [m]
        volume: signed; without sense unless watertight. # [m³]
        area: of all triangles. # [m²]
        watertight: every edge joins exactly two triangles.
        consistent: neighbours wind the same way round.
        inverted: watertight and consistent, but inside out.
        open_edges: edges of one triangle only.
        non_manifold_edges: edges of more than two triangles.
        miswound_edges: edges whose two triangles disagree on the outside.
        duplicated_triangles: beyond the first of the same three vertices.
        duplicated_vertices: corners at the same place, beyond the first, before any merging.
        degenerate_triangles: without area.
        pieces: groups of triangles that share no vertex.
        sheets: surfaces beside the solids of a CAD file, which have no inside.
        sheet_faces: faces of them that were left out; 0 where they count as part.
        turned: triangles that were turned round, as their closed piece was inside out.
        repairs: what was done to the mesh and how, one sentence each.
        warnings: what is doubtful, one sentence each.
    """

    triangles: int
    vertices: int
    size: Array
    volume: float
    area: float
    watertight: bool
    consistent: bool
    inverted: bool
    open_edges: int
    non_manifold_edges: int
    miswound_edges: int
    duplicated_triangles: int
    duplicated_vertices: int
    degenerate_triangles: int
    pieces: int
    sheets: int = 0
    sheet_faces: int = 0
    turned: int = 0
    repairs: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


# ----------------------------------------------------------------------------------------- Repairs
# Closed pieces that are inside out are turned always, as there is no doubt about their outside; all
# else is done only when somebody asks for it by name.

_ASKED = 9  # triangles of a piece that are asked whether they lie in another one
REPAIRS = ("weld", "drop-degenerate", "drop-duplicates", "wind", "close", "flip")
WELD = (1e-4, 2e-5)  # sizes, and [m] at most, between ends of open edges that are one
HOLE = (64, 0.05)  # edges, and sizes across: a larger hole is no slip of an exporter


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RepairedMesh:
    """A mesh after repairs.

    Args:
        mesh: the new one.
        kept: row of every triangle in the old mesh. # (f,)
        turned: triangles that were turned round. # (f,)
        added: triangles that close a hole; as kept they have a neighbour's row. # (f,)
        told: what was done, one sentence each.
    """

    mesh: TriangleMesh
    kept: Indices
    turned: Mask
    added: Mask
    told: tuple[str, ...] = ()


def repair_mesh(mesh: TriangleMesh, names: tuple[str, ...]) -> RepairedMesh:
    """Carry out repairs in the order of ``REPAIRS``, then turn closed pieces that need it.

    Args:
        mesh: with identical vertices merged.
        names: of the repairs.

    Raises:
        PartError: an unknown name, or nothing would be left.
    """
    for name in names:
        if name not in REPAIRS:
            raise PartError(
                f"The repair {name!r} is not known; expected {', '.join(REPAIRS)}.", found=name
            )
    state = RepairedMesh(
        mesh=mesh,
        kept=np.arange(len(mesh)),
        turned=np.zeros(len(mesh), dtype=bool),
        added=np.zeros(len(mesh), dtype=bool),
    )
    if "weld" in names:
        state = _joined(state)
    if "drop-degenerate" in names:
        state = _without(state, degenerate(mesh), "triangles without area")
    if "drop-duplicates" in names:
        state = _without(state, _repeats(state.mesh), "triangles that repeat an earlier one")
    if "wind" in names:
        state = _wound(state)
    if "close" in names:
        state = _closed(state)
    state = _oriented(state)
    if "flip" in names and state.mesh.volume < 0.0:
        told = "All triangles were turned round, as requested: the mesh was inside out."
        state = _turned(state, np.ones(len(state.mesh), dtype=bool), told)
    return state


def _without(state: RepairedMesh, bad: Mask, what: str) -> RepairedMesh:
    if not bad.any():
        return state
    if bad.all():
        raise PartError(f"Nothing is left of the mesh without its {what}.")
    mesh = TriangleMesh(vertices=state.mesh.vertices, faces=state.mesh.faces[~bad])
    told = (*state.told, f"{int(bad.sum())} {what} were removed, as requested.")
    return replace(
        state,
        mesh=mesh,
        kept=state.kept[~bad],
        turned=state.turned[~bad],
        added=state.added[~bad],
        told=told,
    )


def _joined(state: RepairedMesh) -> RepairedMesh:
    """Ends of open edges that nearly meet as one vertex; every triangle stays."""
    mesh = state.mesh
    same = Merged(vertices=mesh.vertices, places=np.arange(len(mesh.vertices)))
    merged = merge_near(same, mesh.faces, min(WELD[0] * float(mesh.size.max()), WELD[1]))
    if not merged.removed:
        return state
    moved = np.linalg.norm(merged.vertices[merged.places] - mesh.vertices, axis=1).max()
    told = (
        f"{merged.removed} vertices at open edges were welded to others, as requested; the largest "
        f"distance is {1e3 * moved:.3g} mm."
    )
    welded = TriangleMesh(vertices=merged.vertices, faces=merged.places[mesh.faces])
    return replace(state, mesh=welded, told=(*state.told, told))


def _wound(state: RepairedMesh) -> RepairedMesh:
    """Open pieces wound alike: as most of their area is."""
    mesh = state.mesh
    found = pieces_of(mesh.faces, len(mesh.vertices))
    wrong = found.turned & ~found.closed[found.piece]
    areas = np.bincount(found.piece, weights=mesh.areas)
    minor = np.bincount(found.piece, weights=mesh.areas * wrong, minlength=len(areas))
    open_ = (found.sided & ~found.closed)[found.piece]
    wrong ^= (2.0 * minor > areas)[found.piece] & open_
    if not wrong.any():
        return state
    told = f"{int(wrong.sum())} triangles of open pieces were turned as most wind, as requested."
    return _turned(state, wrong, told)


def _closed(state: RepairedMesh) -> RepairedMesh:
    """Small holes filled with triangles over the vertices of their edges."""
    mesh = state.mesh
    size = float(mesh.size.max())
    loops, tangled = _open_loops(mesh)
    fill: list[Indices] = []
    beside: list[Indices] = []
    widest = bent = 0.0
    left = tangled
    for loop, rows in loops:
        points = mesh.vertices[loop]
        across = float(np.linalg.norm(points - points.mean(axis=0), axis=1).max()) * 2.0
        if len(loop) > HOLE[0] or across > HOLE[1] * size:
            left += 1
            continue
        triangles = loop[_least_area(points)]
        fill.append(triangles)
        beside.append(np.full(len(triangles), rows[0]))
        widest = max(widest, across)
        normal = np.linalg.svd(points - points.mean(axis=0), full_matrices=False)[2][-1]
        bent = max(bent, float(np.abs((points - points.mean(axis=0)) @ normal).max()))
    remain = f" {left} other holes stay open: too large, or their edges meet." if left else ""
    if not fill:
        return replace(state, told=(*state.told, f"No hole was closed.{remain}")) if left else state
    added = np.concatenate(fill)
    rows = np.concatenate(beside)
    told = (
        f"{len(fill)} small holes were closed with {len(added)} triangles, as requested; the "
        f"widest is {1e3 * widest:.3g} mm across, and its edge leaves a plane by at most "
        f"{1e3 * bent:.3g} mm. What the skin was there is not known.{remain}"
    )
    return RepairedMesh(
        mesh=TriangleMesh(vertices=mesh.vertices, faces=np.concatenate([mesh.faces, added])),
        kept=np.concatenate([state.kept, state.kept[rows]]),
        turned=np.concatenate([state.turned, np.zeros(len(added), dtype=bool)]),
        added=np.concatenate([state.added, np.ones(len(added), dtype=bool)]),
        told=(*state.told, told),
    )


def _open_loops(mesh: TriangleMesh) -> tuple[list[tuple[Indices, Indices]], int]:
    """Vertices around each hole, as its filling winds, and triangles beside; holes that meet."""
    faces = np.asarray(mesh.faces)
    start, end = faces.ravel(), np.roll(faces, -1, axis=1).ravel()
    keys = np.minimum(start, end) * len(mesh.vertices) + np.maximum(start, end)
    _, place, uses = np.unique(keys, return_inverse=True, return_counts=True)
    lonely = np.flatnonzero((uses[place.reshape(-1)] == 1) & (start != end))
    after: dict[int, list[tuple[int, int]]] = {}
    for edge in lonely.tolist():  # the hole runs against its neighbour
        after.setdefault(int(end[edge]), []).append((int(start[edge]), edge // 3))
    loops: list[tuple[Indices, Indices]] = []
    tangled = 0
    while after:
        first, ways = next(iter(after.items()))
        loop, rows, here = [], [], first
        plain = True
        while here in after:
            ways = after.pop(here)
            plain &= len(ways) == 1
            loop.append(here)
            rows.append(ways[0][1])
            here = ways[0][0]
        if plain and here == first and len(loop) > 2:
            loops.append((np.array(loop), np.array(rows)))
        else:
            tangled += 1
    return loops, tangled


def _least_area(points: Array) -> Indices:
    """Triangles over a closed polygon of the least area. Source: Barequet and Sharir, 1995.

    Args:
        points: in order. # (n, 3) [m]
    """
    n = len(points)
    cost, cut = np.zeros((n, n)), np.zeros((n, n), dtype=np.int64)
    for span in range(2, n):
        for i in range(n - span):
            k = i + span
            j = np.arange(i + 1, k)
            area = np.linalg.norm(np.cross(points[j] - points[i], points[k] - points[i]), axis=1)
            total = cost[i, j] + cost[j, k] + 0.5 * area
            best = int(np.argmin(total))
            cost[i, k], cut[i, k] = total[best], j[best]
    triangles: list[tuple[int, int, int]] = []
    waiting = [(0, n - 1)]
    while waiting:
        i, k = waiting.pop()
        if k - i >= 2:
            middle = int(cut[i, k])
            triangles.append((i, middle, k))
            waiting += [(i, middle), (middle, k)]
    return np.array(triangles)


def _repeats(mesh: TriangleMesh) -> Mask:
    _, first = np.unique(np.sort(mesh.faces, axis=1), axis=0, return_index=True)
    repeats = np.ones(len(mesh), dtype=bool)
    repeats[first] = False
    return repeats


def _turned(state: RepairedMesh, wrong: Mask, told: str) -> RepairedMesh:
    faces = np.where(wrong[:, None], state.mesh.faces[:, ::-1], state.mesh.faces)
    return replace(
        state,
        mesh=TriangleMesh(vertices=state.mesh.vertices, faces=faces),
        turned=state.turned ^ wrong,
        told=(*state.told, told),
    )


def _oriented(state: RepairedMesh) -> RepairedMesh:
    """Every closed piece with its outside outside.

    A piece inside another one is a cavity, or a body that overlaps it, as its file has it: it is
    turned only together with the piece around it. What stands inside a cavity is a body again.
    """
    mesh = state.mesh
    if _sound(mesh):
        return state
    found = pieces_of(mesh.faces, len(mesh.vertices))
    found = replace(found, sided=found.sided & found.closed)
    if not found.sided.any():
        return state
    wound = found.turned & found.sided[found.piece]
    pieces = len(found.sided)
    areas = np.bincount(found.piece, weights=mesh.areas, minlength=pieces)
    minor = np.bincount(found.piece, weights=mesh.areas * wound, minlength=pieces)
    wound = wound ^ ((2.0 * minor > areas) & found.sided)[found.piece]
    faces = np.where(wound[:, None], mesh.faces[:, ::-1], mesh.faces)
    volumes = np.bincount(found.piece, weights=_shares(mesh, faces), minlength=pieces)
    mixed = np.zeros(pieces, dtype=bool)
    mixed[found.piece[wound]] = True
    inverted = found.sided & (volumes < 0.0)
    if inverted.any():
        inverted = _inside_out(mesh, faces, found, inverted)
    wrong = wound ^ inverted[found.piece]
    if not wrong.any():
        return state
    whole = int((inverted & ~mixed).sum())
    several = int((wrong & mixed[found.piece]).sum())
    told = [
        f"{whole} of {int(found.sided.sum())} closed pieces were inside out; turned."
        if whole
        else "",
        f"{several} triangles of closed pieces were wound against the rest; turned."
        if several
        else "",
    ]
    return _turned(state, wrong, " ".join(filter(None, told)))


def _sound(mesh: TriangleMesh) -> bool:
    """Return whether it is closed and all of its pieces have a volume that is not negative.

    Most meshes are, and this is found with much less work than their pieces by edges.
    """
    solid = mesh.faces[(mesh.faces != mesh.faces[:, [1, 2, 0]]).all(axis=1)]
    count = len(mesh.vertices)
    edges = count_edges(solid, count)
    if edges.open or edges.non_manifold or edges.miswound:
        return False
    starts, ends = np.concatenate([solid[:, :2], solid[:, 1:]]).T
    piece = connected(count, starts, ends)
    volumes = np.bincount(piece[mesh.faces[:, 0]], weights=_shares(mesh, mesh.faces))
    return bool((volumes >= 0.0).all())


def _shares(mesh: TriangleMesh, faces: Indices) -> Array:
    """Signed volume between each triangle and the middle of the mesh. # (f,) [m³]."""
    a, b, c = np.moveaxis(mesh.vertices[faces] - mesh.bounds.mean(axis=0), 1, 0)
    return np.asarray(np.einsum("ij,ij->i", a, np.cross(b, c)) / 6.0)


def _inside_out(mesh: TriangleMesh, faces: Indices, found: MeshPieces, negative: Mask) -> Mask:
    """Which of the pieces are to be turned. # (p,)."""
    from parts.geometry.proximity import InsideTest

    order = np.argsort(found.piece, kind="stable")
    rows = np.split(order, np.cumsum(np.bincount(found.piece))[:-1])
    low = np.stack([mesh.vertices[faces[own]].min(axis=(0, 1)) for own in rows])
    high = np.stack([mesh.vertices[faces[own]].max(axis=(0, 1)) for own in rows])
    closed = np.flatnonzero(found.sided).tolist()
    holders: dict[int, list[int]] = {piece: [] for piece in closed}
    for outer in closed:
        boxed = found.sided & (low[outer] <= low).all(axis=1) & (high <= high[outer]).all(axis=1)
        within = [piece for piece in np.flatnonzero(boxed).tolist() if piece != outer]
        if not within:
            continue
        outside = TriangleMesh(vertices=mesh.vertices, faces=faces[rows[outer]])
        test = InsideTest(outside, consistent=True)
        for piece in within:
            spread = np.linspace(0, len(rows[piece]) - 1, _ASKED).astype(int)
            middles = mesh.vertices[faces[rows[piece][spread]]].mean(axis=1)
            if 2 * int(test.inside(middles).sum()) > _ASKED:
                holders[piece].append(outer)
    result = np.zeros(len(found.sided), dtype=bool)
    for piece in sorted(closed, key=lambda piece: len(holders[piece])):
        around = holders[piece]
        nearest = max(around, key=lambda outer: len(holders[outer]), default=-1)
        cavity = nearest < 0 or negative[nearest] != result[nearest]
        result[piece] = negative[piece] if cavity else result[nearest]
    return result
