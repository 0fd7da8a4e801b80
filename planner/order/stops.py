"""Stops and their alternatives, from candidates and the rules of the order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from planner.errors import JobError
from planner.order.graph import CandidatePool, Forced, Graph, nothing_known
from robots.core.arrays import Array, Indices, Mask

Way = tuple[tuple[int, ...], float]  # candidates of the points of a stop, seconds


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Stops:
    """What an order is made of.

    Args:
        graph: for the kernels.
        chains: candidates of each alternative, in the order of its points.
        constant: seconds of every order besides those in the graph. [s]
    """

    graph: Graph
    chains: tuple[tuple[int, ...], ...]
    constant: float

    @property
    def count(self) -> int:
        """Number of stops."""
        return int(self.graph.group.size)

    def candidates(self, order: Indices, now: Indices) -> Indices:
        """Candidates in visiting order. Args: order of the stops, alternative of each. # (k,)."""
        chains = [self.chains[now[s]] for s in order]
        return np.array([c for chain in chains for c in chain], dtype=np.int64)

    def order_of(self, points: Indices, point: Indices) -> Indices:
        """Order in which points first come to stops.

        Args:
            points: in the order wanted; one that is not there comes last.
            point: that each candidate serves. # (C,)
        """
        top = max(int(point.max(initial=-1)), int(points.max(initial=-1)))
        place = np.full(top + 1, points.size, dtype=np.int64)
        place[points] = np.arange(points.size)
        entered = self.graph.enter[self.graph.first[:-1]]
        return np.argsort(place[point[entered]], kind="stable")


def stops(pool: CandidatePool, alive: Mask, rules: Rules, forced: Forced) -> Stops:
    """Stops of all points that have a candidate.

    Args:
        pool: candidates.
        alive: those that may be used. # (C,)
        rules: of the order.
        forced: travels that take another time, numbered as the pool's ``with_home`` is.
    """
    made = _StopDraft(pool, forced)
    in_runs = {k for run in rules.runs for k in run}
    layers = _layers(pool, alive, rules.group.size)
    for k, layer in enumerate(layers):
        if k not in in_runs and layer.size:
            made.add([layer], rules.group[k])
    for run in rules.runs:
        chain = [layers[k] for k in run if layers[k].size]
        if chain:
            made.add(chain, rules.group[run[0]])
    return made.stops()


def _layers(pool: CandidatePool, alive: Mask, points: int) -> list[Indices]:
    """Candidates of each point."""
    usable = np.nonzero(alive)[0]
    first = np.searchsorted(pool.point[usable], np.arange(points + 1))
    return [usable[first[k] : first[k + 1]] for k in range(points)]


class _StopDraft:
    """Stops while they are made."""

    def __init__(self, pool: CandidatePool, forced: Forced) -> None:
        self._pool, self._rows = pool, forced.rows(len(pool.with_home.scaled))
        # by the candidate that is left; of a pair that is forced one way only, the other way too
        self._forced: dict[int, dict[int, float]] = {}
        for (a, b), seconds in zip(forced.ends.tolist(), forced.seconds.tolist(), strict=True):
            self._forced.setdefault(b, {})[a] = seconds
        for (a, b), seconds in zip(forced.ends.tolist(), forced.seconds.tolist(), strict=True):
            self._forced.setdefault(a, {})[b] = seconds
        self._chains: list[tuple[int, ...]] = []
        self._weights: list[float] = []
        self._first = [0]
        self._group: list[int] = []
        self._oriented: list[int] = []
        self._constant = 0.0

    def add(self, chain: list[Indices], group: int) -> None:
        """A stop: the candidates of its points."""
        if len(chain) == 1:
            ways: list[Way] = [((int(c),), float(self._pool.weight[c])) for c in chain[0]]
        else:
            ways = self._through(chain)
            self._oriented.append(len(self._group))
        least = min(weight for _, weight in ways)
        self._chains += [candidates for candidates, _ in ways]
        self._weights += [weight - least for _, weight in ways]
        self._first.append(len(self._chains))
        self._group.append(int(group))
        self._constant += least

    def _through(self, chain: list[Indices]) -> list[Way]:
        """The quickest way from every candidate of the first point to every one of the last."""
        weight = self._pool.weight
        cost = self._travel(chain[0], chain[1]) + weight[chain[0]][:, None] + weight[chain[1]]
        steps: list[Indices] = []  # best candidate of the layer before # (entries, layer) each
        for before, layer in pairwise(chain[1:]):
            arrive = cost[:, :, None] + self._travel(before, layer)
            steps.append(np.argmin(arrive, axis=1))
            best = np.take_along_axis(arrive, steps[-1][:, None], axis=1)[:, 0]
            cost = best + weight[layer]
        column = np.broadcast_to(np.arange(chain[-1].size), cost.shape)
        found = [chain[-1][column]]
        for layer, step in zip(reversed(chain[1:-1]), reversed(steps), strict=True):
            column = np.take_along_axis(step, column, axis=1)
            found.append(layer[column])
        found.append(np.broadcast_to(chain[0][:, None], cost.shape))
        ways = np.stack(found[::-1], axis=-1).reshape(-1, len(chain))
        return list(zip(map(tuple, ways.tolist()), cost.ravel().tolist(), strict=True))

    def _travel(self, before: Indices, layer: Indices) -> Array:
        """Seconds from candidates to candidates, forced ones among them."""
        travel = np.asarray(self._pool.times.between(before[:, None], layer))
        place = {b: j for j, b in enumerate(layer.tolist())}
        for i, a in enumerate(before.tolist()):
            for b, seconds in self._forced.get(a, {}).items():
                if b in place:
                    travel[i, place[b]] = seconds
        return travel

    def stops(self) -> Stops:
        """All that were added."""
        pool, near = self._pool, self._pool.near
        enter = np.array([chain[0] for chain in self._chains], dtype=np.int64)
        leave = np.array([chain[-1] for chain in self._chains], dtype=np.int64)
        first = np.array(self._first, dtype=np.int64)
        stop_of = np.full(pool.point.size, -1, dtype=np.int64)
        owner = np.repeat(np.arange(len(self._group)), np.diff(first))
        stop_of[enter] = stop_of[leave] = owner
        graph = Graph(
            pool.with_home.scaled,
            pool.times.law,
            *self._rows,
            enter,
            leave,
            np.array(self._weights),
            first,
            near.candidate,
            near.seconds,
            stop_of,
            _numbers(np.array(self._group, dtype=np.int64)),
            np.array(self._oriented, dtype=np.int64),
            np.arange(pool.point.size, len(pool.with_home.scaled)),
            nothing_known(len(pool.with_home.scaled)),
        )
        return Stops(graph=graph, chains=tuple(self._chains), constant=self._constant)


def _numbers(group: Indices) -> Indices:
    """Groups from 0 on, each free stop a group of its own; one for all where there are none."""
    if not np.any(group >= 0):
        return np.zeros_like(group)
    free = np.nonzero(group < 0)[0]
    own = group.copy()
    own[free] = group.max() + 1 + np.arange(free.size)
    return np.unique(own, return_inverse=True)[1].astype(np.int64).reshape(-1)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Rules:
    """What a free visiting order must keep.

    Args:
        group: number of the group that each point is visited with, without interruption; -1 for
            points that are free. # (points,)
        runs: points that are visited in that very order, without interruption.

    Raises:
        JobError: a run with a point that does not exist, is named twice or is of another group.
    """

    group: Indices
    runs: tuple[tuple[int, ...], ...] = ()

    def __post_init__(self) -> None:
        seen: set[int] = set()
        for run in self.runs:
            for k in run:
                if not 0 <= k < self.group.size:
                    raise JobError(
                        f"A locked run names point {k}; there are {self.group.size}.", point=k
                    )
                if k in seen:
                    raise JobError(f"Point {k} stands in locked runs twice; name it once.", point=k)
                seen.add(k)
            if len({int(self.group[k]) for k in run}) > 1:
                raise JobError(
                    f"The locked run of points {', '.join(map(str, run))} leaves its feature; "
                    'lock points of one feature only, or group = "none".',
                    run=run,
                )

    @classmethod
    def none(cls, points: int) -> Rules:
        """Any order is right."""
        return cls(group=np.full(points, -1, dtype=np.int64))

    @classmethod
    def named(
        cls,
        names: Sequence[str],
        features: Sequence[str] = (),
        locked: Sequence[Sequence[str]] = (),
    ) -> Rules:
        """Rules from names.

        Args:
            names: of all points.
            features: that the points are grouped by, empty for a free one; none for no groups.
            locked: names of the points of each locked run.

        Raises:
            JobError: see the class; a name that does not exist.
        """
        number = {name: k for k, name in enumerate(names)}
        unknown = [name for run in locked for name in run if name not in number]
        if unknown:
            raise JobError(
                f"A locked run names {unknown[0]!r}, and there is no such point.", name=unknown[0]
            )
        groups = {feature: k for k, feature in enumerate(dict.fromkeys(features)) if feature}
        group = [groups.get(feature, -1) for feature in features] or [-1] * len(names)
        return cls(
            group=np.array(group, dtype=np.int64),
            runs=tuple(tuple(number[name] for name in run) for run in locked),
        )

    def kept_by(self, visits: Indices) -> bool:
        """Whether an order keeps them; points that are not visited do not count."""
        place = np.full(self.group.size, -1, dtype=np.int64)
        place[visits] = np.arange(visits.size)
        runs = [place[list(run)] for run in self.runs]
        if any(np.any(np.diff(places[places >= 0]) != 1) for places in runs):
            return False
        group = self.group[visits]
        changes = np.nonzero(np.diff(group, prepend=-2))[0]
        entered = group[changes][group[changes] >= 0]
        return bool(entered.size == np.unique(entered).size)
