"""Local search with kicks: what is disturbed at random is settled, and kept where it gained.

Kernels; see ``graph``. A call makes a bounded number of steps, so that the caller can report
progress and be interrupted; how the steps are shared out among calls does not change the result.
"""

from __future__ import annotations

from planner.order.graph import APART, Graph, edge
from planner.order.moves import push_ends, relocate, switch, two_opt
from planner.order.ring import (
    LOGGED,
    WAITING,
    Ring,
    draw,
    pull,
    push,
    stop_at,
    swap_blocks,
    undo,
)

LONGEST = 3  # stops that are moved together
ROOM = 32  # entries of the log that one stop's changes may take
BLOCK = 50  # longest run that a kick moves


def improved(graph: Graph, ring: Ring, s: int) -> bool:
    """Make the first change that gains at a stop."""
    for side in range(2):
        if two_opt(graph, ring, s, side == 0):
            return True
    if switch(graph, ring, s):
        return True
    size = ring.order.size
    for trial in range(2, 2 * min(LONGEST, size - 3) + 2):
        length, first = trial // 2, trial % 2 == 0
        if length == 1 and not first:
            continue
        ahead = ring.place[size - 1] - ring.place[s]
        # A run that holds the rest is none.
        if (ahead if first else -ahead) % size >= length and relocate(
            graph, ring, s, length, first
        ):
            return True
    return False


def settle(graph: Graph, ring: Ring, steps: int, undoable: bool) -> int:
    """Look at waiting stops until none waits, or the steps or the log are used up; steps taken."""
    taken = 0
    while ring.counts[WAITING] > 0 and taken < steps:
        if not undoable:
            ring.counts[LOGGED] = 0
        elif ring.counts[LOGGED] + ROOM > ring.log.shape[0]:
            break
        s = pull(ring)
        taken += 1
        if s < graph.group.size and improved(graph, ring, s):
            push(ring, s)
    return taken


def kick(graph: Graph, ring: Ring) -> bool:
    """Let two neighbouring runs change places (a double bridge nearby), unless it splits groups."""
    size = ring.order.size
    longest = min(BLOCK, (size - 1) // 2)
    start, left, right = draw(ring, size), 1 + draw(ring, longest), 1 + draw(ring, longest)
    middle, end = (start + left) % size, (start + left + right) % size
    a, c, e = (
        stop_at(ring.order, start - 1),
        stop_at(ring.order, middle - 1),
        stop_at(ring.order, end - 1),
    )
    b, d, f = ring.order[start], ring.order[middle], ring.order[end]
    gain = ring.ahead[ring.place[a]] + ring.ahead[ring.place[c]] + ring.ahead[ring.place[e]]
    for k in range(3):
        s = a if k == 0 else (e if k == 1 else c)
        t = d if k == 0 else (b if k == 1 else f)
        gain -= edge(graph, ring.now, s, t)
    if gain < -0.5 * APART:
        return False
    ring.gain[0] += gain
    push_ends(ring, start, left)
    push_ends(ring, middle, right)
    swap_blocks(graph, ring, start, left, right)
    return True


def search(graph: Graph, ring: Ring, steps: int, kicks: int) -> None:
    """Settle waiting stops for good; or kick, settle and keep what is not worse.

    Args:
        graph: of all stops.
        ring: the tour.
        steps: stops to look at before the first kick, at most.
        kicks: how many.
    """
    settled = ring.counts[WAITING] == 0
    for _ in range(kicks if settled else 1):
        ring.gain[0] = 0.0
        if settled and not kick(graph, ring):
            continue
        settle(graph, ring, steps, settled)
        if settled:
            while ring.counts[WAITING] > 0:
                pull(ring)
            if ring.gain[0] < 0.0:
                undo(graph, ring)
        ring.counts[LOGGED] = 0
