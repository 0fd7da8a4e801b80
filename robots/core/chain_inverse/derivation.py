"""Derivation of an inverse: which joint follows from which relation, in what order.

All relations between the features of a loop are listed, and which joints each of them depends on
is measured: every joint is moved in turn in random postures. A dependence below a tolerance does
not count, so that axes which a file's rounding leaves not quite parallel, or not quite meeting, are
taken as meant; the largest one that was ignored is remembered, and Newton steps on the chain as it
is make up for it. A relation of one unknown joint is a step. Of all orders of steps the one with
the fewest branches is taken, then the one best conditioned.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import count

import numpy as np

from robots.core.arrays import Array
from robots.core.chain_inverse.chain import Chain
from robots.core.chain_inverse.relations import Feature, Relation, Step
from robots.core.equations.algebra import Vec3

# Dependences below this are rounding of a file's dimensions, beside a length of the chain.
SNAP = 2e-4
# Ignored dependences below this are rounding of the sums: nothing was snapped.
_EXACT = 1e-9
# A relation that a joint moves less than this in most postures gives the joint badly.
_WEAK = 3e-3
_SAMPLES = 4
_CLOSED = 5
_SEED = 12
_BRANCH_COST = 100.0
_EARLY_COST = 5.0  # of a joint of the task before the robot's own: nobody asks for its value


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Steps that solve a chain.

    Args:
        steps: in order.
        assumed: joints taken as known, by index: those of a polynomial.
        check: relation left over that an assumed joint must satisfy; None without one.
        snap: largest dependence that was ignored. [scale lengths or rad]
        cost: by which orders are compared: joints passed, and badly conditioned relations.
    """

    steps: tuple[Step, ...]
    assumed: tuple[int, ...] = ()
    check: Step | None = None
    snap: float = 0.0
    cost: float = 0.0

    @property
    def branching(self) -> tuple[Step, ...]:
        """Steps whose roots name branches."""
        return tuple(step for step in self.steps if step.roots == 2)

    @property
    def exact(self) -> bool:
        """Whether the steps hold for the chain as it is."""
        return self.snap <= _EXACT


def derive(chain: Chain) -> list[Plan]:
    """Steps that solve every joint of a chain, in orders that begin differently.

    Returns:
        Those of the fewest branches, the one that looks best first; which one is, trial poses tell.
        Empty where no order of steps does.
    """
    derivation = _Derivation(chain)
    orders = [derivation.plan((), (step,)) for step in derivation.first_steps()]
    plans = sorted((plan for plan in orders if plan is not None), key=lambda plan: plan.cost)
    fewest = min((len(plan.branching) for plan in plans), default=0)
    return [plan for plan in plans if len(plan.branching) == fewest]


def derive_with_one_assumed(chain: Chain) -> list[Plan]:
    """Steps that solve every joint but one, and a relation that this one must satisfy.

    Returns:
        The ways there are, those first whose relation needs the fewest roots: its polynomial's
        degree grows with them. Empty where one joint does not suffice.
    """
    derivation = _Derivation(chain)
    plans = [plan for joint in range(chain.own) for plan in derivation.checked_plans(joint)]
    return sorted(plans, key=lambda plan: (sheets(plan), len(plan.branching), len(needed(plan))))


def sheets(plan: Plan) -> int:
    """Sheets of the relation left over: combinations of roots of the steps that it needs."""
    return 1 << sum(step.roots == 2 for step in needed(plan))


def needed(plan: Plan) -> tuple[Step, ...]:
    """Steps that the relation left over depends on, in order."""
    if plan.check is None:
        return ()
    wanted = set(plan.check.arc | plan.check.rest | {plan.check.joint})
    for step in reversed(plan.steps):
        if step.joint in wanted:
            wanted |= step.arc | step.rest
    return tuple(step for step in plan.steps if step.joint in wanted)


class _Derivation:
    """Relations of one chain, and the search among them."""

    def __init__(self, chain: Chain) -> None:
        self._chain = chain
        self._features = list(_features(chain))
        self._measured = _Measured(chain)
        self._relations = list(self._relations_between())
        self._vectors = list(self._vectors_through())

    def plan(self, assumed: tuple[int, ...], begun: tuple[Step, ...] = ()) -> Plan | None:
        """The cheapest order of steps from joints that are taken as known and steps before."""
        for cost, solved, steps in self._orders(assumed, begun):
            if len(solved) == self._chain.size:
                return Plan(steps=steps, assumed=assumed, snap=self._snap(steps), cost=cost)
        return None

    def first_steps(self) -> list[Step]:
        """Steps that need no other, the best conditioned of each joint."""
        best: dict[int, tuple[float, Step]] = {}
        for step, weight in self._candidates(frozenset()):
            cost = self._cost(step, weight, frozenset())
            if step.joint not in best or cost < best[step.joint][0]:
                best[step.joint] = (cost, step)
        return [step for _, step in sorted(best.values(), key=lambda one: one[0])]

    def checked_plans(self, joint: int) -> Iterator[Plan]:
        """Plans from one joint, each with another relation left over."""
        seen: set[tuple[Relation, str, str]] = set()
        for _, solved, steps in self._orders((joint,), ()):
            for relation in self._left_over(solved, steps):
                if relation.key in seen:
                    continue
                seen.add(relation.key)
                plan = self.plan((joint,), steps)
                if plan is not None:
                    at = min(relation.depends)
                    yield replace(plan, check=relation.step(at, self._chain))

    def _orders(
        self, assumed: tuple[int, ...], begun: tuple[Step, ...]
    ) -> Iterator[tuple[float, frozenset[int], tuple[Step, ...]]]:
        """Every set of joints that steps lead to, with the cheapest steps, cheapest set first."""
        start = frozenset(assumed) | {step.joint for step in begun}
        ticket, best = count(), {start: 0.0}
        queue: list[tuple[float, int, frozenset[int], tuple[Step, ...]]] = [
            (0.0, next(ticket), start, begun)
        ]
        while queue:
            cost, _, solved, steps = heapq.heappop(queue)
            if cost > best[solved]:
                continue
            yield cost, solved, steps
            for step, weight in self._candidates(solved):
                reached = solved | {step.joint}
                total = cost + self._cost(step, weight, solved)
                if total < best.get(reached, np.inf):
                    best[reached] = total
                    heapq.heappush(queue, (total, next(ticket), reached, (*steps, step)))

    def _cost(self, step: Step, weight: float, solved: frozenset[int]) -> float:
        own_done = all(k in solved for k in range(self._chain.own))
        of_task = step.joint >= self._chain.own
        branching = step.roots == 2 and not (own_done and of_task)
        length = len(step.arc) + len(step.rest)
        badly = max(0.0, -math.log10(weight))
        early = _EARLY_COST if of_task and not own_done else 0.0
        return (_BRANCH_COST if branching else 0.0) + length + 4.0 * badly + early

    def _candidates(self, solved: frozenset[int]) -> Iterator[tuple[Step, float]]:
        """Steps that hold one joint besides those solved, with how much it moves them."""
        n = self._chain.size
        missing = frozenset(range(n)) - solved
        if not missing:
            return
        if len(missing) == 1:
            (joint,) = missing
            own = Feature(home=joint, name=self._chain.names[joint])
            yield (
                Step(
                    joint=joint,
                    relation=Relation.REST,
                    first=own,
                    second=own,
                    arc=frozenset(),
                    rest=solved,
                    slides=not self._chain.revolute[joint],
                ),
                1.0,
            )
            return
        for step, weight in self._vectors:
            if step.joint in missing and not (step.arc | step.rest) & missing:
                yield step, weight
        for relation in self._relations:
            unknown = relation.depends & missing
            if len(unknown) == 1:
                (joint,) = unknown
                if relation.weights[joint] > _WEAK:
                    yield relation.step(joint, self._chain), relation.weights[joint]

    def _left_over(self, solved: frozenset[int], steps: tuple[Step, ...]) -> list[_Between]:
        """Relations among solved joints that no step has used."""
        used = {_key(step) for step in steps}
        return [
            relation
            for relation in self._relations
            if relation.depends <= solved
            and relation.key not in used
            and min(relation.weights.values()) > _WEAK
        ]

    def _snap(self, steps: Iterable[Step]) -> float:
        """Largest dependence that the steps ignore."""
        ignored = 0.0
        by_key = {relation.key: relation.ignored for relation in self._relations}
        for step in steps:
            ignored = max(ignored, by_key.get(_key(step), 0.0))
        for step, _ in self._vectors:
            if step in steps:
                ignored = max(ignored, self._ignored[step.joint, step.first.home, step.first.name])
        return ignored

    # ------------------------------------------------------------------------ Lists of relations

    def _relations_between(self) -> Iterator[_Between]:
        for i, a in enumerate(self._features):
            for b in self._features[i + 1 :]:
                if a.home != b.home:
                    for relation in _kinds(a, b):
                        between = self._measured.between(relation, a, b)
                        if between is not None:
                            yield between

    def _vectors_through(self) -> Iterator[tuple[Step, float]]:
        self._ignored: dict[tuple[int, int, str], float] = {}
        for joint in range(self._chain.size):
            for feature in self._features:
                if feature.home == joint:
                    continue
                for relation in (Relation.DIRECTION, Relation.POINT):
                    if _of_kind(feature, relation):
                        found = self._measured.through(relation, joint, feature)
                        if found is not None:
                            self._ignored[joint, feature.home, feature.name] = found[2]
                            yield found[0], found[1]


def _of_kind(feature: Feature, relation: Relation) -> bool:
    """Directions only, or points only: lines and planes are both already."""
    if relation is Relation.DIRECTION:
        return feature.point is None
    return feature.direction is None


def _kinds(a: Feature, b: Feature) -> Iterator[Relation]:
    """Relations that two features can have."""
    shapes = (_shape(a), _shape(b))
    if shapes == ("direction", "direction"):
        yield Relation.ANGLE
    elif shapes == ("point", "point"):
        yield Relation.DISTANCE
    elif sorted(shapes) in (["line", "point"], ["plane", "point"]):
        yield Relation.HEIGHT
    elif shapes == ("line", "line"):
        yield Relation.MOMENT


def _shape(feature: Feature) -> str:
    if feature.point is None:
        return "direction"
    if feature.direction is None:
        return "point"
    return "line" if feature.direction[2] == 1.0 else "plane"


def _key(step: Step) -> tuple[Relation, str, str]:
    names = sorted((step.first.name, step.second.name))
    return step.relation, names[0], names[1]


# --------------------------------------------------------------------------------------- Features


def _features(chain: Chain) -> Iterator[Feature]:
    """Everything that a joint does not move: of a revolute one its axis, of a sliding one more."""
    for k, turns in enumerate(chain.revolute):
        axis = _axis_name(chain, k)
        yield Feature(home=k, name=axis, direction=(0.0, 0.0, 1.0))
        if not turns:
            # Sliding leaves all directions as they are, and the planes along it.
            for name, direction in (("x", (1.0, 0.0, 0.0)), ("y", (0.0, 1.0, 0.0))):
                yield Feature(home=k, name=f"{name} of {chain.names[k]}", direction=direction)
                yield Feature(
                    home=k,
                    name=f"plane across {name} of {chain.names[k]}",
                    point=(0.0, 0.0, 0.0),
                    direction=direction,
                )
            continue
        yield Feature(
            home=k, name=f"line {chain.names[k]}", point=(0.0, 0.0, 0.0), direction=(0.0, 0.0, 1.0)
        )
        yield from _points(chain, k)


def _axis_name(chain: Chain, k: int) -> str:
    """Axes that are parallel one after another share a direction, and its name."""
    first, last = k, k
    while first > 0 and _parallel(chain, first - 1):
        first -= 1
    while last < chain.size - 1 and _parallel(chain, last):
        last += 1
    if first == last:
        return f"axis {chain.names[k]}"
    return f"axes {' and '.join(chain.names[first : last + 1])}"


def _parallel(chain: Chain, k: int) -> bool:
    """Whether the axes of a joint and the next one are parallel."""
    return float(np.hypot(*chain.links[k + 1][:2, 2])) < SNAP


def _points(chain: Chain, k: int) -> Iterator[Feature]:
    """Points of an axis: where it meets its neighbours, or its frame's origin."""
    below, above = _meeting(chain, k, k - 1), _meeting(chain, k, k + 1)
    through = below is not None and above is not None and abs(below - above) < SNAP * chain.length
    if below is not None:
        yield _crossing(chain, k, below)
    if above is not None and not through:
        yield _crossing(chain, k, above)
    if below is None and above is None:
        yield Feature(home=k, name=f"origin of {chain.names[k]}", point=(0.0, 0.0, 0.0))


def _crossing(chain: Chain, k: int, height: float) -> Feature:
    """A point where axes meet, under the same name on each of them."""
    first, low = k, height
    while (below := _meeting(chain, first, first - 1)) is not None and _near(chain, below, low):
        first, low = first - 1, float(_meeting(chain, first - 1, first) or 0.0)
    last, high = k, height
    while (above := _meeting(chain, last, last + 1)) is not None and _near(chain, above, high):
        last, high = last + 1, float(_meeting(chain, last + 1, last) or 0.0)
    names = " and ".join(chain.names[first : last + 1])
    return Feature(home=k, name=f"intersection of {names}", point=(0.0, 0.0, height))


def _near(chain: Chain, a: float, b: float) -> bool:
    return abs(a - b) < SNAP * chain.length


def _meeting(chain: Chain, k: int, other: int) -> float | None:
    """Height along an axis where a neighbouring one meets it; None where none does."""
    if not 0 <= other < chain.size or not chain.revolute[other]:
        return None
    T = chain.links[other] if other > k else np.linalg.inv(chain.links[k])
    d, p = T[:3, 2], T[:3, 3]
    square = 1.0 - d[2] ** 2
    if square < 1e-3:
        return None  # parallel
    # Least distance of the lines h·z and p + t·d.
    t = (p[2] * d[2] - p @ d) / square
    nearest = p + t * d
    if float(np.hypot(nearest[0], nearest[1])) > SNAP * chain.length:
        return None
    height = float(nearest[2])
    return 0.0 if abs(height) < 1e-12 * chain.length else height


# --------------------------------------------------------------------------- Measured dependences


@dataclass(frozen=True, slots=True, kw_only=True)
class _Between:
    """A relation of two features, with the joints of each arc that it depends on.

    Args:
        relation: its kind.
        first: the feature of lower home.
        second: the other one.
        inner: joints between them that matter.
        outer: joints beyond them, over the pose, that matter.
        weights: how much each of them moves it.
        ignored: largest dependence below the tolerance.
    """

    relation: Relation
    first: Feature
    second: Feature
    inner: frozenset[int]
    outer: frozenset[int]
    weights: dict[int, float]
    ignored: float

    @property
    def depends(self) -> frozenset[int]:
        """All joints that matter."""
        return self.inner | self.outer

    @property
    def key(self) -> tuple[Relation, str, str]:
        """Which relation it is."""
        names = sorted((self.first.name, self.second.name))
        return self.relation, names[0], names[1]

    def step(self, joint: int, chain: Chain) -> Step:
        """The relation as an equation of one joint."""
        inside = joint in self.inner
        first, second = (self.first, self.second) if inside else (self.second, self.first)
        arc, rest = (self.inner, self.outer) if inside else (self.outer, self.inner)
        return Step(
            joint=joint,
            relation=self.relation,
            first=first,
            second=second,
            arc=arc - {joint},
            rest=rest,
            slides=not chain.revolute[joint],
        )


class _Measured:
    """Random postures of a loop laid out twice, each joint moved in turn."""

    def __init__(self, chain: Chain) -> None:
        self._chain = chain
        n = chain.size
        random = np.random.default_rng(_SEED)
        reach = np.where(chain.revolute, np.pi, chain.length)

        def drawn(samples: int) -> Array:
            return random.uniform(-reach, reach, (samples, n))

        # The first samples are closed loops: what moves a relation in others, but not there, says
        # nothing of a solution.
        closed, apart = drawn(_CLOSED), drawn(_SAMPLES)
        pose = chain.forward(np.concatenate([closed, drawn(_SAMPLES)]))
        q = np.concatenate([np.tile(closed, 2), np.concatenate([apart, drawn(_SAMPLES)], axis=1)])
        moved = drawn(2 * len(q)).reshape(len(q), 2 * n)
        # Variant 0 is the posture; variant 1 + j has joint j of the doubled loop moved.
        variants = np.repeat(q[None], 2 * n + 1, axis=0)
        for j in range(2 * n):
            variants[1 + j, :, j] = moved[:, j]
        self._before, self._after = self._frames(variants, pose)

    def _frames(self, q: Array, pose: Array) -> tuple[list[Array], list[Array]]:
        """Frames before and after each joint of the doubled loop. # (variants, samples, 4, 4)."""
        chain, n = self._chain, self._chain.size
        closing = chain.links[-1] @ np.linalg.inv(pose) @ chain.links[0]
        T = np.broadcast_to(np.eye(4), (*q.shape[:2], 4, 4))
        before, after = [], []
        for j in range(2 * n):
            k = j % n
            if j:
                T = T @ (closing if k == 0 else chain.links[k])
            before.append(T)
            motion = np.zeros((*q.shape[:2], 4, 4))
            motion[..., range(4), range(4)] = 1.0
            if chain.revolute[k]:
                c, s = np.cos(q[..., j]), np.sin(q[..., j])
                motion[..., 0, 0] = motion[..., 1, 1] = c
                motion[..., 1, 0], motion[..., 0, 1] = s, -s
            else:
                motion[..., 2, 3] = q[..., j]
            T = T @ motion
            after.append(T)
        return before, after

    def between(self, relation: Relation, a: Feature, b: Feature) -> _Between | None:
        """A relation with what it depends on; None where nothing of the pose is in it."""
        n = self._chain.size
        inner, ignored = self._dependences(relation, a, b, (a.home, b.home))
        outer, other = self._dependences(relation, b, a, (b.home, a.home + n))
        if not (inner or outer):
            return None
        return _Between(
            relation=relation,
            first=a,
            second=b,
            inner=frozenset(inner),
            outer=frozenset(outer),
            weights={**inner, **outer},
            ignored=max(ignored, other),
        )

    def _dependences(
        self, relation: Relation, a: Feature, b: Feature, places: tuple[int, int]
    ) -> tuple[dict[int, float], float]:
        value = self._value(relation, a, b, places)
        return self._split(value[..., None], range(places[0] + 1, places[1]))

    def _split(self, value: Array, joints: Iterable[int]) -> tuple[dict[int, float], float]:
        """Joints that move a value, with how much in most postures; and the largest ignored."""
        n = self._chain.size
        found, ignored = {}, 0.0
        for j in joints:
            change = np.max(np.abs(value[1 + j] - value[0]), axis=-1)
            largest = float(np.max(change))
            if largest > SNAP:
                found[j % n] = float(np.median(change[:_CLOSED]))
            else:
                ignored = max(ignored, largest)
        return found, ignored

    def _value(self, relation: Relation, a: Feature, b: Feature, places: tuple[int, int]) -> Array:
        """A relation without units, in all variants. # (variants, samples)."""
        (p, d), (q, e) = (
            self._world(feature, place) for feature, place in zip((a, b), places, strict=True)
        )
        if relation is Relation.ANGLE:
            return np.asarray(np.sum(d * e, axis=-1))
        between = (q - p) / self._chain.length
        if relation is Relation.DISTANCE:
            return np.asarray(np.sum(between * between, axis=-1))
        if relation is Relation.MOMENT:
            return np.asarray(np.sum(between * np.cross(d, e), axis=-1))
        normal, sign = (d, 1.0) if a.direction is not None else (e, -1.0)
        return np.asarray(sign * np.sum(between * normal, axis=-1))

    def _world(self, feature: Feature, place: int) -> tuple[Array, Array]:
        """Point and direction of a feature in the frame of the doubled loop's start."""
        T = self._after[place]
        return _moved_point(T, feature.point), _moved_direction(T, feature.direction)

    def through(
        self, relation: Relation, joint: int, feature: Feature
    ) -> tuple[Step, float, float] | None:
        """A feature seen from both sides of a joint; what was ignored comes last."""
        n = self._chain.size
        slides = not self._chain.revolute[joint]
        ahead = feature.home if feature.home > joint else feature.home + n
        behind = joint if feature.home < joint else joint + n
        u = self._seen(relation, feature, ahead, self._after[joint])
        v = self._seen(relation, feature, feature.home, self._before[behind])
        kept = slice(2, 3) if slides else slice(0, 2)
        u, v = u[..., kept], v[..., kept]
        if slides and relation is Relation.DIRECTION:
            return None
        arc, first = self._split(u, range(joint + 1, ahead))
        rest, second = self._split(v, range(feature.home + 1, behind))
        if slides:
            weight = 1.0
        else:
            sizes = [np.median(np.linalg.norm(w[0, :_CLOSED], axis=-1)) for w in (u, v)]
            weight = float(min(sizes))
        if weight < _WEAK:
            return None
        step = Step(
            joint=joint,
            relation=relation,
            first=feature,
            second=feature,
            arc=frozenset(arc),
            rest=frozenset(rest),
            slides=slides,
        )
        return step, weight, max(first, second)

    def _seen(self, relation: Relation, feature: Feature, place: int, frame: Array) -> Array:
        """A feature in a frame, without units. # (variants, samples, 3)."""
        T = np.linalg.inv(frame) @ self._after[place]
        if relation is Relation.DIRECTION:
            return _moved_direction(T, feature.direction)
        return _moved_point(T, feature.point) / self._chain.length


def _moved_point(T: Array, point: Vec3 | None) -> Array:
    local = np.zeros(3) if point is None else np.asarray(point)
    return np.asarray(T[..., :3, :3] @ local + T[..., :3, 3])


def _moved_direction(T: Array, direction: Vec3 | None) -> Array:
    local = np.zeros(3) if direction is None else np.asarray(direction)
    return np.asarray(T[..., :3, :3] @ local)
