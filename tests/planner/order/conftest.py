"""Made-up candidates: joints at random, margins by decree, so that orders can be counted out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise, permutations

import numpy as np
import pytest

from planner.order import chooser
from planner.order.chooser import SequenceCost
from planner.order.stops import Rules
from planner.reach.margins import Margins
from planner.reach.reach import Candidates
from robots.core.model import Model
from robots.core.motion.joint_limits import JointLimits
from robots.library import load

ARM = load("measuring-arm")
MODEL = Model(ARM)
LIMITS = JointLimits.of(ARM)


@dataclass(frozen=True)
class MadeUpLines:
    """Lines that are nothing but their starts; ``good`` says which keep their margins exactly."""

    q_starts: np.ndarray
    good: np.ndarray
    model: Model = MODEL

    def __len__(self):
        return len(self.q_starts)

    def take(self, chosen):
        return replace(self, q_starts=self.q_starts[chosen], good=self.good[chosen])


def margins_of(good):
    return Margins(limit=np.where(good, 1.0, -1.0)[:, None].repeat(5, 1), singularity=1.0 * good)


@pytest.fixture
def made_up(monkeypatch):
    """``made_up(seed, points, most)``: candidates and costs; up to ``most`` of each point."""
    monkeypatch.setattr(chooser, "exact_margins", lambda lines: margins_of(lines.good))

    def made(seed, points, most, *, spread=1.0, refused=0.0):
        rng = np.random.default_rng(seed)
        counts = rng.integers(1, most + 1, points)
        point = np.repeat(np.arange(points), counts)
        # A place of its own for each point, and branches apart from it.
        q = rng.uniform(-spread, spread, (points, 5))[point]
        q += rng.choice([0.0, 0.0, 0.7], (point.size, 5)) * rng.uniform(0, 1, (point.size, 5))
        good = rng.uniform(size=point.size) >= refused
        good[np.searchsorted(point, np.arange(points))] = True
        found = Candidates(
            lines=MadeUpLines(q, good), point=point, margins=margins_of(np.ones(point.size, bool))
        )
        return found, SequenceCost(lines=rng.uniform(0.1, 0.3, point.size), limits=LIMITS)

    return made


@pytest.fixture
def counted_out():
    """``counted_out(found, costs, rules, travels)``: least cost over all orders and candidates."""

    def least(found, costs, rules=None, travels=()):
        points = int(found.point.max()) + 1
        q = found.lines.q_starts
        travel = costs.travel(q[:, None], q[None])
        for (a, b), seconds in dict(travels).items():
            travel[a, b] = travel[b, a] = seconds
        away = np.zeros(len(q)) if costs.home is None else costs.travel(costs.home, q)
        usable = [np.nonzero((found.point == k) & found.lines.good)[0] for k in range(points)]
        rules, best = rules or Rules.none(points), np.inf
        for order in permutations(range(points)):
            if rules.kept_by(np.array(order)):
                best = min(best, path_cost(travel, costs.lines, away, [usable[k] for k in order]))
        return best

    return least


def path_cost(travel, lines, away, layers):
    """Least cost of layers of candidates, one of each, in order; ``away``: from home and back."""
    total = away[layers[0]] + 2.0 * lines[layers[0]]
    for before, after in pairwise(layers):
        total = np.min(total[:, None] + travel[np.ix_(before, after)], axis=0)
        total = total + 2.0 * lines[after]
    return float((total + away[layers[-1]]).min())
