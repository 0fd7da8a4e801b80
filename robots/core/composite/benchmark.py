"""Composites of a robot beside its monolithic model: agreement, arithmetic and time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from robots.core.composite.composition import (
    CompositeComparison,
    Composition,
    by_symmetry,
    compared,
    cut,
    standing_on,
)
from robots.core.composite.symmetry import mirror_pairs
from robots.core.joint_samples import joint_samples
from robots.core.kernels import Kernel
from robots.core.kernels.cycles import BoundCall
from robots.core.mechanism import BASE, Joint, Mechanism
from robots.core.recording import Programme

DIFFERENCE_LIMIT = 1e-9  # relative to the largest entry; rounding alone stays 1e5 times below
BATCH = 1000  # states of one NumPy call
_CALLS = 500  # single calls of machine code that are timed together
_RUNS = 5  # the fastest counts: whatever else the machine does only adds time


@dataclass(frozen=True, slots=True, kw_only=True)
class CompositeCost:
    """One composition beside the monolithic model.

    Args:
        comparison: differences and operations.
        composite_us: time per state of the composite. [µs]
        monolithic_us: of the robot's own model. [µs]
    """

    comparison: CompositeComparison
    composite_us: float
    monolithic_us: float

    @property
    def agrees(self) -> bool:
        """Whether both models are the same but for rounding."""
        return self.comparison.relative <= DIFFERENCE_LIMIT


def compositions(whole: Mechanism, feet: Sequence[str] = ()) -> Iterator[Composition]:
    """Cuts where limbs begin (of a chain: everywhere), limbs by symmetry, the far end as base.

    Args:
        whole: the robot.
        feet: names of joints that may become the base.
    """
    places = [joint.name for k, joint in enumerate(whole.joints) if _cut_here(whole, k, joint)]
    yield from (cut(whole, name) for name in places)
    moving = [joint.name for joint in whole.movable]
    ends = [name for name in feet if whole.joints[whole.index(name)].movable] or moving[-1:]
    pairs = mirror_pairs(whole)
    for pair in pairs:
        yield by_symmetry(whole, pair)
        yield from (standing_on(by_symmetry(whole, pair, keep=(end,)), end) for end in ends)
    if not pairs and places:
        yield standing_on(cut(whole, places[len(places) // 2], keep=ends[-1:]), ends[-1])


def composite_cost(composition: Composition, *, compiled: bool = False) -> CompositeCost:
    """Compare and time a composition.

    Args:
        composition: what to compare with the robot's own model.
        compiled: time single calls of machine code instead of NumPy batches; compiling takes
            seconds per composition, once per machine.
    """
    comparison = compared(composition)
    measure = _single if compiled else _batch
    return CompositeCost(
        comparison=comparison,
        composite_us=measure(comparison.composite, composition.whole),
        monolithic_us=measure(comparison.monolithic, composition.whole),
    )


def _cut_here(whole: Mechanism, index: int, joint: Joint) -> bool:
    if not joint.movable or index == 0:
        return False
    siblings = sum(1 for other in whole.joints if other.parent == joint.parent)
    return whole.is_chain or (siblings > 1 and joint.parent != BASE)


def _single(programme: Programme, whole: Mechanism) -> float:
    """Microseconds of one call of machine code."""
    call = BoundCall(programme)
    call(joint_samples(whole, 1, slide=1.0)[0])

    def run() -> None:
        for _ in range(_CALLS):
            call.run()

    return 1e6 * _fastest(run) / _CALLS


def _batch(programme: Programme, whole: Mechanism) -> float:
    """Microseconds per state of a NumPy batch."""
    kernel = Kernel(programme, "numpy")
    q = joint_samples(whole, BATCH, slide=1.0)
    out = np.empty((BATCH, *programme.result.shape))
    return 1e6 * _fastest(lambda: kernel(q, out=out)) / BATCH


def _fastest(run: Callable[[], object]) -> float:
    """Seconds of the fastest of a few runs, the first of them left out."""
    run()
    spent = []
    for _ in range(_RUNS):
        start = time.perf_counter()
        run()
        spent.append(time.perf_counter() - start)
    return min(spent)
