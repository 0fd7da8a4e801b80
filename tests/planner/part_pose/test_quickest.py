"""Branches of many visits at once: against trying them all, and against one visit at a time."""

from __future__ import annotations

from itertools import product

import numpy as np

from planner.part_pose.rating import LineCandidates, quickest, tabled


def travel(a, b):
    return np.sqrt(np.max(np.abs(a - b), axis=-1))


def brute(table, q, cost):
    layers = [row[row >= 0] for row in table if np.any(row >= 0)]
    best = (np.inf, ())
    for chosen in product(*layers):
        steps = travel(q[list(chosen[:-1])], q[list(chosen[1:])]).sum() if len(chosen) > 1 else 0.0
        best = min(best, (steps + cost[list(chosen)].sum(), chosen))
    return best


def test_against_all_sequences():
    rng = np.random.default_rng(5)
    for _ in range(20):
        visits, points = 4, 4
        owner = np.sort(rng.integers(0, visits * points, 26))
        q, cost = rng.normal(size=(26, 3)), rng.random(26)
        table = tabled(owner, visits * points).reshape(visits, points, -1)
        found = quickest(LineCandidates(table=table, q=q, cost=cost), travel)
        for k in range(visits):
            time, chosen = brute(table[k], q, cost)
            got = found.chosen[k]
            if chosen:
                np.testing.assert_allclose(found.time[k], time, rtol=1e-14)
                assert tuple(got[got >= 0]) == tuple(chosen)
            else:
                assert found.time[k] == 0.0
                assert np.all(got == -1)


def test_nothing_to_choose_from():
    table = tabled(np.zeros(0, dtype=np.int64), 6).reshape(2, 3, -1)
    found = quickest(LineCandidates(table=table, q=np.zeros((0, 5)), cost=np.zeros(0)), travel)
    assert np.all(found.chosen == -1)
    np.testing.assert_array_equal(found.time, [0.0, 0.0])
