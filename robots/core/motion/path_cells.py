"""Division of a path's pieces into cells: to begin with, and finer where they cost time.

Cells are divided where the motion and its bound part.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from robots.core.arrays import Array, Indices
from robots.core.motion.phase_plane import Pieces

# Cells of a piece to begin with: enough for the gap in most paths. Where efforts are limited, of
# a straight one and of a corner: enough to say where finer ones are needed; those at rest, where
# friction may have either sign and x rises from zero, are halved again.
_FIRST_CELLS = 64
_FIRST_STRAIGHT, _FIRST_CURVED = 12, 24
_HALVED = 3
_PARTS = 32  # that a cell is divided into at once
_UNSOLVED = 4  # where cells are too coarse for any motion
_UNEXPLAINED = 2.0  # times that by which motion and bound differ on a cell
_OPEN = 1.1  # times a bound of x at coarse nodes: room for x between them
_MOST_LOST = 0.02  # of the least time: what a cell that is too coarse says of its loss is no number
_HALVINGS = 7  # of the interval in which the fewest parts lie
LEAST = 1e-12  # of x: slower it goes for an instant only


class Nodes(NamedTuple):
    """What is known of x at the nodes, and of the cells between them.

    Args:
        near: x that is near that of the motion. # (nodes,)
        trusted: bound of x that the motion keeps. # (nodes,)
        above: proven bound. # (nodes,)
        x: of the motion. # (nodes,)
        forward: bound of F. # (nodes,)
        backward: bound of B. # (nodes,)
        top: the largest x inside each cell. # (cells,)
        seconds: bound of the time spent on each cell. # (cells,) [s]
        piece: of each cell. # (cells,)
        parts: that a cell is to be divided into. # (cells,)
        losses: what each cell adds to the gap, nearly. # (cells,) [s]
        clock: when the motion passes the nodes, those between pieces once. # (cells + 1,) [s]
        finer: places, near and trusted x of nodes to come. # (3, nodes)
    """

    near: Array
    trusted: Array
    above: Array
    x: Array
    forward: Array
    backward: Array
    top: Array
    seconds: Array
    piece: Indices
    parts: Indices
    losses: Array
    clock: Array
    finer: Array


NODES = "(f8[1] f8[1] f8[1] f8[1] f8[1] f8[1] f8[1] f8[1] i8[1] i8[1] f8[1] f8[1] f8[2])"


def first_cells(pieces: Pieces, panels: Indices, nodes: Nodes) -> int:
    """Divide pieces to begin with; x is known nowhere.

    Args:
        pieces: their cells and places are filled where there is room.
        panels: number of the first panel of each piece and of all: a cell lies in one of them. None
            of any piece where no effort is limited. # (p + 1,)
        nodes: filled.

    Returns:
        Number of nodes; nothing is filled where there is no room for them.
    """
    count = pieces.length.size
    limited = panels[count] > 0
    pieces.cells[0] = 0
    for p in range(count):
        cells = 1 if pieces.straight[p] else _FIRST_CELLS
        if limited:
            cells = _FIRST_STRAIGHT if pieces.straight[p] else _FIRST_CURVED
            # A cell lies in one panel.
            number = panels[p + 1] - panels[p]
            cells = number * ((cells + number - 1) // number)
            cells += _HALVED * (pieces.stops[p] + _stops_after(pieces, p))
        pieces.cells[p + 1] = pieces.cells[p] + cells
    size = pieces.cells[count] + count
    if size > pieces.place.size:
        return int(size)
    for p in range(count):
        first, last = pieces.cells[p] + p, pieces.cells[p + 1] + p
        early = _HALVED * pieces.stops[p] if limited else 0
        late = _HALVED * _stops_after(pieces, p) if limited else 0
        even = last - first - early - late
        for node in range(first, last + 1):
            # Cells before the node and after it, those that were halved at the end counted as none.
            before, after = node - first - early, last - node - late
            place = float(before)
            if node == first:
                place = 0.0
            elif before <= 0:
                place = 0.5 ** (1 - before)
            if after <= 0:
                place = even - 0.5 ** (1 - after)
            pieces.place[node] = place * pieces.length[p] / even
        pieces.place[last] = pieces.length[p]
    nodes.near[:size], nodes.trusted[:size] = math.inf, math.inf
    _number(pieces, nodes)
    return int(size)


def _stops_after(pieces: Pieces, p: int) -> int:
    """1 of a piece that ends at rest."""
    return 1 if p + 1 == pieces.length.size else pieces.stops[p + 1]


def _number(pieces: Pieces, nodes: Nodes) -> None:
    for p in range(pieces.length.size):
        nodes.piece[pieces.cells[p] : pieces.cells[p + 1]] = p


def finer_cells(
    pieces: Pieces, nodes: Nodes, whole: bool, solved: bool, shortest: float, budget: float
) -> int:
    """Divide cells until they lose no more than a budget, with as few parts as that takes.

    Args:
        pieces: their cells and places are filled where there is room.
        nodes: x and bounds of it are read, and taken over.
        whole: straight pieces are exact in one cell.
        solved: there is a motion; where there is none, cells are divided alike.
        shortest: bound of the duration. [s]
        budget: of the losses of all cells. [s]

    Returns:
        Number of nodes; nothing but the parts is filled where there is no room for them.
    """
    parts, count = nodes.parts, pieces.length.size
    cells = pieces.cells[count]
    if solved:
        _losses(pieces, nodes)
        _divide(nodes, cells, _MOST_LOST * shortest, budget)
    size = count
    for cell in range(cells):
        if not solved:
            parts[cell] = _UNSOLVED
        if whole and pieces.straight[nodes.piece[cell]]:
            parts[cell] = 1
        size += parts[cell]
    if size > pieces.place.size:
        return int(size)
    new = 0
    for p in range(count):
        begin = new
        for cell in range(pieces.cells[p], pieces.cells[p + 1]):
            node = cell + p
            for part in range(parts[cell]):
                share = part / parts[cell]
                rest = 1.0 - share
                place, x, above = pieces.place, nodes.x, nodes.above
                nodes.finer[0, new] = rest * place[node] + share * place[node + 1]
                nodes.finer[1, new] = rest * x[node] + share * x[node + 1]
                nodes.finer[2, new] = _OPEN * (rest * above[node] + share * above[node + 1])
                new += 1
        last = pieces.cells[p + 1] + p
        nodes.finer[0, new] = pieces.place[last]
        nodes.finer[1, new], nodes.finer[2, new] = nodes.x[last], _OPEN * nodes.above[last]
        new += 1
        # Where old cells begin is still needed; the parts of the first p + 1 cells no longer are.
        parts[p] = new - begin - 1
    for p in range(count):
        pieces.cells[p + 1] = pieces.cells[p] + parts[p]
    for node in range(size):
        pieces.place[node] = nodes.finer[0, node]
        nodes.near[node] = nodes.finer[1, node] if solved else math.inf
        nodes.trusted[node] = nodes.finer[2, node] if solved else math.inf
    _number(pieces, nodes)
    return int(size)


def _divide(nodes: Nodes, cells: int, most: float, budget: float) -> None:
    """Fill in the fewest parts of the cells with which their losses are within the budget.

    The losses of a motion's parts fall with their number, those of the bounds with its square;
    those of both are taken to fall with its power of 1.5. Then the fewest parts are as the losses'
    powers of 0.4.
    """
    losses, parts = nodes.losses, nodes.parts
    total = 0.0
    for cell in range(cells):
        losses[cell] = min(losses[cell], most)
        nodes.clock[cell] = losses[cell] ** 0.4
        total += nodes.clock[cell]
    # Exact if a cell had parts that are no whole number, or less than one.
    high = 1.5 * (total / budget) ** (2.0 / 3.0)
    low = 0.1 * high
    for _ in range(_HALVINGS):
        middle = math.sqrt(low * high)
        left = 0.0
        for cell in range(cells):
            number = _parts(middle * nodes.clock[cell])
            left += losses[cell] / (number * math.sqrt(number))
        if left > budget:
            low = middle
        else:
            high = middle
    for cell in range(cells):
        parts[cell] = _parts(high * nodes.clock[cell])


def _parts(share: float) -> int:
    return max(1, min(_PARTS, int(share + 0.5)))


def _losses(pieces: Pieces, nodes: Nodes) -> None:
    """Fill in what each cell adds to the gap, nearly."""
    x, cells = nodes.x, pieces.cells[pieces.length.size]
    nodes.clock[0] = 0.0
    for cell in range(cells):
        node = cell + nodes.piece[cell]
        h = pieces.place[node + 1] - pieces.place[node]
        nodes.clock[cell + 1] = nodes.clock[cell] + seconds_of(h, x[node], x[node + 1])
    # Cells one after another on which the bound follows F, or B.
    first = 0
    while first < cells:
        falling, last = _falls(nodes, first), first + 1
        while last < cells and _falls(nodes, last) == falling:
            last += 1
        for cell in range(first, last):
            rest = nodes.clock[cell + 1] - nodes.clock[first]
            if not falling:
                rest = nodes.clock[last] - nodes.clock[cell]
            nodes.losses[cell] = _loss(nodes, cell, falling, rest)
        first = last


def _falls(nodes: Nodes, cell: int) -> bool:
    node = cell + nodes.piece[cell]
    return bool(nodes.forward[node] >= nodes.backward[node])


def _loss(nodes: Nodes, cell: int, falling: bool, rest: float) -> float:
    """What a cell adds to the gap, nearly.

    Args:
        nodes: with x, bounds and clock.
        cell: its number.
        falling: the bound follows B on the cell, else F.
        rest: how long it does before the cell's end, or from its start on. [s]
    """
    node = cell + nodes.piece[cell]
    x0, x1 = nodes.x[node], nodes.x[node + 1]
    above0 = min(nodes.forward[node], nodes.backward[node])
    above1 = min(nodes.forward[node + 1], nodes.backward[node + 1])
    # What x and its bound part by on the cell lasts until the end of F or B, which they follow.
    growth = (above1 / x1 if x1 > 0.0 else 1.0) - (above0 / x0 if x0 > 0.0 else 1.0)
    parting = 0.5 * max(-growth if falling else growth, 0.0) * rest
    own = nodes.clock[cell + 1] - nodes.clock[cell] - nodes.seconds[cell]
    return float(parting + _UNEXPLAINED * max(own, 0.0))


def seconds_of(h: float, x0: float, x1: float) -> float:
    """Time over a cell on which x is linear."""
    return 2.0 * h / max(math.sqrt(x0) + math.sqrt(x1), LEAST)
