"""Repairs of a mesh; each tells what it did.

Closed pieces that are inside out are turned always, as there is no doubt about their outside; all
else is done only when somebody asks for it by name.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from parts.errors import PartError
from parts.geometry.audit import degenerate
from parts.geometry.edges import Pieces, count_edges, pieces_of
from parts.geometry.mesh import TriangleMesh
from robots.core.arrays import Array, Indices, Mask

_ASKED = 9  # triangles of a piece that are asked whether they lie in another one
REPAIRS = ("drop-degenerate", "drop-duplicates", "flip")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Repaired:
    """A mesh after repairs.

    Args:
        mesh: the new one.
        kept: row of every triangle in the old mesh. # (f,)
        turned: triangles that were turned round. # (f,)
        told: what was done, one sentence each.
    """

    mesh: TriangleMesh
    kept: Indices
    turned: Mask
    told: tuple[str, ...] = ()


def repaired(mesh: TriangleMesh, names: tuple[str, ...]) -> Repaired:
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
    state = Repaired(mesh=mesh, kept=np.arange(len(mesh)), turned=np.zeros(len(mesh), dtype=bool))
    if "drop-degenerate" in names:
        state = _without(state, degenerate(mesh), "triangles without area")
    if "drop-duplicates" in names:
        state = _without(state, _repeats(state.mesh), "triangles that repeat an earlier one")
    state = _oriented(state)
    if "flip" in names and state.mesh.volume < 0.0:
        told = "All triangles were turned round, as asked for: the mesh was inside out."
        state = _turned(state, np.ones(len(state.mesh), dtype=bool), told)
    return state


def _without(state: Repaired, bad: Mask, what: str) -> Repaired:
    if not bad.any():
        return state
    if bad.all():
        raise PartError(f"Nothing is left of the mesh without its {what}.")
    mesh = TriangleMesh(vertices=state.mesh.vertices, faces=state.mesh.faces[~bad])
    told = (*state.told, f"{int(bad.sum())} {what} were removed, as asked for.")
    return replace(state, mesh=mesh, kept=state.kept[~bad], turned=state.turned[~bad], told=told)


def _repeats(mesh: TriangleMesh) -> Mask:
    _, first = np.unique(np.sort(mesh.faces, axis=1), axis=0, return_index=True)
    repeats = np.ones(len(mesh), dtype=bool)
    repeats[first] = False
    return repeats


def _turned(state: Repaired, wrong: Mask, told: str) -> Repaired:
    faces = np.where(wrong[:, None], state.mesh.faces[:, ::-1], state.mesh.faces)
    return replace(
        state,
        mesh=TriangleMesh(vertices=state.mesh.vertices, faces=faces),
        turned=state.turned ^ wrong,
        told=(*state.told, told),
    )


def _oriented(state: Repaired) -> Repaired:
    """Every closed piece with its outside outside.

    A piece inside another one is a cavity, or a body that overlaps it, as its file has it: it is
    turned only together with the piece around it. What stands inside a cavity is a body again.
    """
    mesh = state.mesh
    if _sound(mesh):
        return state
    found = pieces_of(mesh.faces, len(mesh.vertices))
    if not found.sided.any():
        return state
    wound = found.turned
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
    """Whether it is closed and all of its pieces have a volume that is not negative.

    Most meshes are, and this is found with much less work than their pieces by edges.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    solid = mesh.faces[(mesh.faces != mesh.faces[:, [1, 2, 0]]).all(axis=1)]
    count = len(mesh.vertices)
    edges = count_edges(solid, count)
    if edges.open or edges.non_manifold or edges.miswound:
        return False
    ends = (np.concatenate([solid[:, 0], solid[:, 1]]), np.concatenate([solid[:, 1], solid[:, 2]]))
    links = coo_array((np.ones(len(ends[0]), dtype=np.int8), ends), shape=(count, count))
    piece = connected_components(links, directed=False)[1]
    volumes = np.bincount(piece[mesh.faces[:, 0]], weights=_shares(mesh, mesh.faces))
    return bool((volumes >= 0.0).all())


def _shares(mesh: TriangleMesh, faces: Indices) -> Array:
    """Signed volume between each triangle and the middle of the mesh. # (f,) [m³]."""
    a, b, c = np.moveaxis(mesh.vertices[faces] - mesh.bounds.mean(axis=0), 1, 0)
    return np.asarray(np.einsum("ij,ij->i", a, np.cross(b, c)) / 6.0)


def _inside_out(mesh: TriangleMesh, faces: Indices, found: Pieces, negative: Mask) -> Mask:
    """Which of the pieces are to be turned. # (p,)."""
    from parts.geometry.inside import InsideTest

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
