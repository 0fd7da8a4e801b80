"""Repairs of a mesh that somebody asked for by name; each tells what it did."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from parts.errors import PartError
from parts.geometry.audit import degenerate
from parts.geometry.mesh import TriangleMesh

Indices = NDArray[np.int64]

REPAIRS = ("drop-degenerate", "drop-duplicates", "flip")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Repaired:
    """A mesh after repairs.

    Args:
        mesh: the new one.
        kept: row of every triangle in the old mesh. # (f,)
        flipped: whether all triangles were turned round.
        told: what was done, one sentence each.
    """

    mesh: TriangleMesh
    kept: Indices
    flipped: bool = False
    told: tuple[str, ...] = ()


def repaired(mesh: TriangleMesh, names: tuple[str, ...]) -> Repaired:
    """Carry out repairs in the order of ``REPAIRS``.

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
    state = Repaired(mesh=mesh, kept=np.arange(len(mesh)))
    if "drop-degenerate" in names:
        state = _without(state, degenerate(mesh), "triangles without area")
    if "drop-duplicates" in names:
        state = _without(state, _repeats(state.mesh), "triangles that repeat an earlier one")
    if "flip" in names:
        state = _flipped(state)
    return state


def _without(state: Repaired, bad: NDArray[np.bool_], what: str) -> Repaired:
    if not bad.any():
        return state
    if bad.all():
        raise PartError(f"Nothing is left of the mesh without its {what}.")
    mesh = TriangleMesh(vertices=state.mesh.vertices, faces=state.mesh.faces[~bad])
    told = (*state.told, f"{int(bad.sum())} {what} were removed, as asked for.")
    return replace(state, mesh=mesh, kept=state.kept[~bad], told=told)


def _repeats(mesh: TriangleMesh) -> NDArray[np.bool_]:
    _, first = np.unique(np.sort(mesh.faces, axis=1), axis=0, return_index=True)
    repeats = np.ones(len(mesh), dtype=bool)
    repeats[first] = False
    return repeats


def _flipped(state: Repaired) -> Repaired:
    if state.mesh.volume >= 0.0:
        return state
    mesh = TriangleMesh(vertices=state.mesh.vertices, faces=state.mesh.faces[:, ::-1])
    told = (*state.told, "All triangles were turned round, as asked for: the mesh was inside out.")
    return replace(state, mesh=mesh, flipped=True, told=told)
