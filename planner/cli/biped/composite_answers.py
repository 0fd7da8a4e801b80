"""``palpeur biped composite``: sub-robots put together, beside the monolithic model."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from planner.cli.exit_codes import ExitCode
from planner.cli.output import Form, print_csv, print_json, print_table
from planner.cli.session import Session
from robots.biped.biped import Biped
from robots.biped.library import open_biped
from robots.core.composite import (
    Comparison,
    Composition,
    by_symmetry,
    compared,
    cut,
    mirror_pairs,
    standing_on,
)
from robots.core.joint_samples import joint_samples
from robots.core.kernels import Kernel
from robots.core.kernels.bound_call import BoundCall
from robots.core.mechanism import BASE, Joint, Mechanism
from robots.core.recording import Programme
from robots.library import load, names

DIFFERENCE_LIMIT = 1e-9  # relative to the largest entry; rounding alone stays 1e5 times below
_BATCH = 1000  # states of one NumPy call
_CALLS = 500  # single calls of machine code that are timed together
_RUNS = 5  # the fastest counts: whatever else the machine does only adds time


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    """One composition: differences from the monolithic model, operations, microseconds."""

    shown: Comparison
    composite_us: float
    monolithic_us: float

    @property
    def document(self) -> dict[str, object]:
        """Keys of the JSON document; numbers SI but for the microseconds."""
        shown = self.shown
        return {
            "composition": shown.title,
            "difference": {
                "inertia": shown.inertia,
                "coriolis": shown.coriolis,
                "gravity": shown.gravity,
                "relative": shown.relative,
            },
            "operations": {
                "composite": _operations(shown.composite),
                "monolithic": _operations(shown.monolithic),
            },
            "us_per_state": {"composite": self.composite_us, "monolithic": self.monolithic_us},
        }


def print_composite(
    robot: str, *, at: str = "", compiled: bool = False, form: Form, session: Session
) -> int:
    """Compare, time and print; exit code 1 when a composite is not the robot's model.

    Args:
        robot: name of a biped or of a robot of the library, or path of a biped file.
        at: joint to cut at; empty for a choice of compositions.
        compiled: time single calls of machine code instead of NumPy batches; compiling takes
            seconds per composition, once per machine.
        form: of the answer.
        session: for messages.

    Raises:
        RobotError: no such robot, or no joint of that name.
    """
    chosen = _compositions(robot, at)
    if compiled:
        session.tell_of_compiling()
    rows = [_row(c, compiled=compiled) for c in session.watched(chosen, "comparing")]
    measure = "compiled, one call" if compiled else f"NumPy, batch of {_BATCH}"
    if form.json:
        print_json({"format": 1, "robot": robot, "measure": measure, "rows": _documents(rows)})
    elif form.csv:
        print_csv(_HEADERS, [_cells(row) for row in rows])
    else:
        print(f"{robot}: composite beside monolithic; microseconds per state ({measure})")
        print_table(_HEADERS, [[_text(cell) for cell in _cells(row)] for row in rows])
    worst = max(row.shown.relative for row in rows)
    return ExitCode.DONE if worst <= DIFFERENCE_LIMIT else ExitCode.FAILED


def _compositions(robot: str, at: str) -> list[Composition]:
    if robot in names():
        whole, feet = load(robot), _feet(robot)
    else:
        biped = open_biped(robot)
        whole, feet = biped.mechanism, _standing_links(biped)
    if at:
        return [cut(whole, at)]
    return list(_choice(whole, feet))


def _feet(robot: str) -> tuple[str, ...]:
    from robots.biped.library import biped_names

    return _standing_links(open_biped(robot)) if robot in biped_names() else ()


def _standing_links(biped: Biped) -> tuple[str, ...]:
    """Links with a sole; a leg whose base is the foot has none."""
    return tuple(foot.link for foot in biped.feet if foot.link)


def _choice(whole: Mechanism, feet: Sequence[str]) -> Iterator[Composition]:
    """Cuts where limbs begin (of a chain: everywhere), limbs by symmetry, the far end as base."""
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


def _cut_here(whole: Mechanism, index: int, joint: Joint) -> bool:
    if not joint.movable or index == 0:
        return False
    siblings = sum(1 for other in whole.joints if other.parent == joint.parent)
    return whole.is_chain or (siblings > 1 and joint.parent != BASE)


def _row(composition: Composition, *, compiled: bool) -> _Row:
    shown = compared(composition)
    measure = _single if compiled else _batch
    composite, monolithic = (
        measure(programme, composition.whole) for programme in (shown.composite, shown.monolithic)
    )
    return _Row(shown=shown, composite_us=composite, monolithic_us=monolithic)


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
    q = joint_samples(whole, _BATCH, slide=1.0)
    out = np.empty((_BATCH, *programme.result.shape))
    return 1e6 * _fastest(lambda: kernel(q, out=out)) / _BATCH


def _fastest(run: Callable[[], object]) -> float:
    """Seconds of the fastest of a few runs, the first of them left out."""
    run()
    spent = []
    for _ in range(_RUNS):
        start = time.perf_counter()
        run()
        spent.append(time.perf_counter() - start)
    return min(spent)


_HEADERS = (
    "composition",
    "d_inertia",
    "d_coriolis",
    "d_gravity",
    "operations",
    "monolithic",
    "us",
    "monolithic_us",
)


def _cells(row: _Row) -> tuple[object, ...]:
    shown = row.shown
    return (
        shown.title,
        shown.inertia,
        shown.coriolis,
        shown.gravity,
        shown.composite.work,
        shown.monolithic.work,
        row.composite_us,
        row.monolithic_us,
    )


def _text(cell: object) -> str:
    return f"{cell:.3g}" if isinstance(cell, float) else str(cell)


def _documents(rows: Sequence[_Row]) -> list[dict[str, object]]:
    return [row.document for row in rows]


def _operations(programme: Programme) -> dict[str, int]:
    counts = programme.counts
    return {
        "multiplications": counts.multiplications,
        "additions": counts.additions,
        "sines_cosines": counts.sines_cosines,
    }
