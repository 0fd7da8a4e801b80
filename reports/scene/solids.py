"""Solids of a cell, made light enough to be drawn."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.job.solids import Cell, Solid
from reports.scene.creases import creased
from reports.scene.decimation import decimated
from reports.scene.labels import label
from reports.scene.model import SceneSolid

TRIANGLES = 60_000  # of all solids together
_FEW = 12  # a solid keeps at least the triangles of a box


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SceneSolids:
    """Solids, and what was simplified."""

    solids: tuple[SceneSolid, ...]
    notes: tuple[str, ...]


def scene_solids(cell: Cell, most: int = TRIANGLES) -> SceneSolids:
    """The solids of a cell with at most so many triangles in all, a box for each at least.

    Args:
        cell: in the base frame.
        most: triangles.
    """
    counts = [len(solid.mesh) for solid in cell.solids]
    shares = fair_shares(counts, most)
    solids = tuple(_drawn(solid, share) for solid, share in zip(cell.solids, shares, strict=True))
    notes = [
        f"{label(solid.name)} is drawn with {len(solid.faces):,} of {solid.triangles:,} "
        f"triangles; no corner of it is moved by more than {1e3 * solid.moved:.2g} mm."
        for solid in solids
        if solid.moved > 0.0
    ]
    return SceneSolids(solids=solids, notes=tuple(notes))


def fair_shares(counts: list[int], most: int) -> list[int]:
    """Triangles that each solid may keep: small ones all, large ones the same part of theirs."""
    if sum(counts) <= most:
        return counts
    shares, left, open_ = (
        [0] * len(counts),
        most,
        sorted(range(len(counts)), key=counts.__getitem__),
    )
    while open_ and counts[open_[0]] <= left // len(open_):
        index = open_.pop(0)
        shares[index] = counts[index]
        left -= counts[index]
    large = sum(counts[index] for index in open_)
    for index in open_:
        shares[index] = max(left * counts[index] // large, _FEW)
    return shares


def _drawn(solid: Solid, most: int) -> SceneSolid:
    coarse = decimated(solid.mesh.vertices, np.asarray(solid.mesh.faces), most)
    mesh = creased(coarse.vertices, coarse.faces)
    return SceneSolid(
        name=solid.name,
        kind=solid.kind,
        closed=solid.closed,
        vertices=mesh.vertices,
        faces=mesh.faces,
        normals=mesh.normals,
        triangles=len(solid.mesh),
        moved=coarse.moved,
    )
