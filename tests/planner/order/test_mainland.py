"""Choosing among one island's candidates, where travels between islands have no way."""

import numpy as np

from planner.order.chooser import Chooser
from planner.order.visiting import mainland


def test_the_island_that_serves_most_points_and_the_next_one_for_the_others():
    point = np.array([0, 0, 0, 1, 1, 2, 3, 3, 4])
    island = np.array([5, 5, 7, 5, 7, 7, 5, 9, -1])
    # 5 has most candidates, 7 and 5 serve three points each; a fourth one decides for 7.
    point, island = np.append(point, 5), np.append(island, 7)
    assert np.flatnonzero(mainland(point, island)).tolist() == [2, 4, 5, 6, 9]


def test_a_chooser_among_some_candidates_keeps_what_it_knows(made_up):
    found, costs = made_up(3, 6, 4, refused=0.3)
    chooser, order = Chooser(found, costs), np.arange(6)
    best = chooser.choose(order).chosen
    chooser.force({(int(best[0]), int(best[1])): 9.0})
    before = chooser.usable
    served = found.point[before]
    rows = before[(served != 2) | (before == best[2])]
    fewer = chooser.among(rows)
    assert fewer.usable.tolist() == rows.tolist()
    assert fewer.forced == chooser.forced
    assert fewer.choose(order).chosen[2] == best[2]
    assert fewer.choose(order).cost >= chooser.choose(order).cost
