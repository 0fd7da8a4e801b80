"""Answers about one robot: inverse solutions, workspace, singularities, benchmark."""

from __future__ import annotations

import platform
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from importlib.metadata import version

import numpy as np

from reports.answers import (
    FORMAT,
    Rows,
    StateQuantity,
    number,
    short,
    state_lines,
    state_table,
    table_lines,
    tip_document,
)
from robots.arm.postures import InversePosture, InversePostures
from robots.core.benchmark.kernels import MEMORY, WARMING, Benchmark
from robots.core.benchmark.pinocchio_peer import METHODS
from robots.core.inverse import JointRates, Task
from robots.core.kernels.machine import processor, this_machine
from robots.core.mechanism import Mechanism
from robots.core.quantities import quantity
from robots.core.singularities.analysis import Singularity, SingularPosture
from robots.core.singularities.determinant import Determinant
from robots.core.workspace import Workspace

DIMENSIONS = {0: "point", 1: "line", 2: "area", 3: "volume"}

# --- workspace -----------------------------------------------------------------------------------


def workspace_document(found: Workspace) -> dict[str, object]:
    """A workspace in JSON."""
    mechanism = found.model.mechanism
    unit = {3: "volume_m3", 2: "area_m2", 1: "length_m"}
    return {
        "format": FORMAT,
        "robot": mechanism.name,
        **tip_document(mechanism),
        "samples": found.samples,
        "cell_m": found.cell,
        "low_m": found.low,
        "high_m": found.high,
        "radius_from_first_axis_m": found.axis_radii,
        "distance_from_base_m": found.radii,
        "dimension": found.dimension,
        **({unit[found.dimension]: found.measure} if found.dimension else {}),
        "growth": found.growth,
    }


def workspace_lines(found: Workspace) -> Iterator[str]:
    """A workspace for a terminal."""
    name = found.model.mechanism.name
    yield f"{name}: reach of the tool within the joint limits (sampled)"
    for axis, low, high in zip("xyz", found.low, found.high, strict=True):
        yield f"{axis} from {short(low)} to {short(high)} m"
    for what, (low, high) in (("first axis", found.axis_radii), ("base origin", found.radii)):
        yield f"distance from the {what} {short(low)} to {short(high)} m"
    if found.dimension:
        yield f"{DIMENSIONS[found.dimension]} about {found.measure:.4g} {found.unit}"


# --- singularities -------------------------------------------------------------------------------


def singularity_rows(mechanism: Mechanism, found: Sequence[Singularity], task: Task) -> Rows:
    """Postures of a table, each with its rank and what it loses, in JSON."""
    rows = ({"task": task.value, **_singularity(one)} for one in found)
    return Rows(rows=rows, facts=tip_document(mechanism))


def singularity_lines(found: Sequence[Singularity], task: Task) -> Iterator[str]:
    """The same for a terminal."""
    rows = [
        (
            str(state),
            f"{one.rank} of {one.full_rank}",
            number(one.manipulability),
            number(one.condition),
            one.kind.value,
            "; ".join(map(str, one.lost)) or "-",
        )
        for state, one in enumerate(found, start=1)
    ]
    yield f"task: {task.value}"
    yield from table_lines(("state", "rank", "manipulability", "condition", "kind", "lost"), rows)


def singular_set_document(
    mechanism: Mechanism,
    task: Task,
    closed: Determinant | None,
    examples: Sequence[SingularPosture],
) -> dict[str, object]:
    """The determinant in closed form, if it is known, and singular postures, in JSON."""
    return {
        "format": FORMAT,
        "robot": mechanism.name,
        **tip_document(mechanism),
        "task": task.value,
        "determinant": None if closed is None else _determinant(closed),
        "examples": [
            {"joint": one.joint, "value": one.value, "q": one.q, **_singularity(one.singularity)}
            for one in examples
        ],
    }


def singular_set_lines(
    mechanism: Mechanism,
    task: Task,
    closed: Determinant | None,
    examples: Sequence[SingularPosture],
) -> Iterator[str]:
    """The same for a terminal."""
    yield f"{mechanism.name}, task {task.value}"
    if closed is not None:
        yield from _determinant_lines(closed)
    yield "\nExamples, reached by moving one joint alone"
    if not examples:
        yield "none found"
        return
    angular = {joint.name: joint.kind.angular for joint in mechanism.movable}
    rows = [
        (
            one.joint,
            f"{np.degrees(one.value):.4f} deg" if angular[one.joint] else f"{one.value:.6f} m",
            one.singularity.kind.value,
            "; ".join(map(str, one.singularity.lost)) or "-",
        )
        for one in examples
    ]
    yield from table_lines(("joint", "at", "kind", "lost there"), rows)


def _singularity(found: Singularity) -> dict[str, object]:
    nearest = found.nearest
    return {
        "singular": found.singular,
        "type": found.kind.course_type,
        "kind": found.kind.value,
        "rank": found.rank,
        "full_rank": found.full_rank,
        "chain_ranks": found.chain_ranks,
        "singular_values": found.singular_values,
        "condition": found.condition,
        "manipulability": found.manipulability,
        "lost": [{"covector": lost.covector, "text": str(lost)} for lost in found.lost],
        "nearest": None
        if nearest is None
        else {"joint": nearest.joint, "value": nearest.value, "distance": nearest.distance},
    }


def _determinant(found: Determinant) -> dict[str, object]:
    return {
        "of": found.of,
        "expression": str(found.expression),
        "always_singular": found.always_singular,
        "conditions": [
            {
                "expressions": [str(expression) for expression in condition.expressions],
                "multiplicity": condition.multiplicity,
                "joints": [index + 1 for index in condition.joints],
                "text": condition.text,
            }
            for condition in found.conditions
        ],
        "constants": {str(symbol): value for symbol, value in found.constants.items()},
    }


def _determinant_lines(found: Determinant) -> Iterator[str]:
    yield str(found)
    if found.constants:
        yield "with " + ", ".join(f"{name} = {x:g}" for name, x in found.constants.items())
    if found.always_singular:
        yield "Every posture is singular for this task."
    elif found.conditions:
        yield "Singular where"
        for condition in found.conditions:
            yield f"  {condition}"


# --- measured speed ------------------------------------------------------------------------------


def benchmark_document(found: Benchmark) -> dict[str, object]:
    """Measured speed of the kernels in JSON."""
    return {
        "format": FORMAT,
        "robot": found.mechanism.name,
        **tip_document(found.mechanism),
        "dof": found.mechanism.dof,
        "samples": found.samples,
        "runs": found.runs,
        "warming_runs": WARMING,
        "threads": 1,
        "machine": _machine(found),
        "llvmlite_import_s": found.first.importing if found.first else None,
        "kernels": [_kernel(found, name) for name in found.kernels],
        "agrees": found.agrees,
    }


def benchmark_lines(found: Benchmark) -> Iterator[str]:
    """The same for a terminal."""
    columns = (
        ("compiled ns", "compiled_ns", ".2f"),
        ("NumPy ns", "numpy_ns", ".1f"),
        ("memory ns", "memory_ns", ".2f"),
        ("Pinocchio ns", "pinocchio_ns", ".1f"),
        ("ratio", "ratio_compiled", ".1f"),
        ("NumPy ratio", "ratio_numpy", ".1f"),
        ("difference", "max_relative_difference", ".1e"),
        ("first use s", "first_use_s", ".3f"),
        ("cached s", "from_cache_s", ".3f"),
    )
    yield f"{found.mechanism.name}, {found.samples} states, median of {found.runs} runs, 1 thread"
    yield f"{processor()}, Pinocchio {found.pinocchio or 'not installed'}"
    rows = []
    for name in found.kernels:
        kernel = _kernel(found, name)
        cells = (
            "-" if kernel[key] is None else format(kernel[key], form) for _, key, form in columns
        )
        rows.append([name, *cells, str(quantity(name).record(found.mechanism).counts)])
    yield from table_lines(("kernel", *(head for head, _, _ in columns), "operations"), rows)
    yield "ns: for one state; memory: the arguments read and the results written, nothing computed"
    yield "first use: compilation, in a process of its own; cached: the same from the cache on disk"
    if found.differences:
        yield "ratio: Pinocchio's time over Palpeur's, above 1 where Palpeur is faster; difference:"
        yield "  the largest from Pinocchio's results, over the largest of them; compared are"
        yield from (f"  {k}: {v}" for k, v in METHODS.items())


def _kernel(found: Benchmark, name: str) -> dict[str, object]:
    ns = found.nanoseconds
    compiled, numpy, peer = (
        ns.get((name, engine)) for engine in ("compiled", "numpy", "pinocchio")
    )
    return {
        "name": name,
        "operations": asdict(quantity(name).record(found.mechanism).counts),
        "compiled_ns": compiled,
        "numpy_ns": numpy,
        "memory_ns": ns[name, MEMORY],
        "pinocchio_ns": peer,
        "pinocchio_method": METHODS[name] if peer else None,
        "ratio_compiled": peer / compiled if peer and compiled else None,
        "ratio_numpy": peer / numpy if peer and numpy else None,
        "max_relative_difference": found.differences.get(name),
        "first_use_s": found.first.compiling[name] if found.first else None,
        "from_cache_s": found.first.cached[name] if found.first else None,
    }


def _machine(found: Benchmark) -> dict[str, object]:
    machine = this_machine()
    return {
        "processor": processor(),
        "system": f"{platform.system()} {platform.machine()}",
        "vector_doubles": machine.lanes if machine else None,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "llvmlite": version("llvmlite"),
        "pinocchio": found.pinocchio or None,
    }


_MOST_TOLD = 10  # states without a posture that are told one by one


# --- postures ------------------------------------------------------------------------------------


def posture_rows(mechanism: Mechanism, found: Sequence[InversePostures]) -> Rows:
    """Postures of every state in JSON."""
    return Rows(rows=map(_state, found), facts=tip_document(mechanism))


def posture_table(
    found: Sequence[InversePostures], joints: Sequence[str]
) -> tuple[tuple[str, ...], list[list[object]]]:
    """Headers and one row per posture.

    Args:
        found: of every state.
        joints: headers of the joint values.
    """
    headers = ("state", "solution", "branch", *joints, "residual", "within_limits")
    rows: list[list[object]] = []
    for state, answer in enumerate(found, start=1):
        for place, posture in enumerate(answer.postures, start=1):
            verdict = "yes" if posture.within_limits else "no"
            numbers = [*posture.q.tolist(), posture.residual]
            rows.append([state, place, posture.branch, *numbers, verdict])
    return headers, rows


def posture_lines(found: Sequence[InversePostures], joints: Sequence[str]) -> Iterator[str]:
    """The same for a terminal."""
    headers, rows = posture_table(found, joints)
    cells = [[number(x) if isinstance(x, float) else str(x) for x in row] for row in rows]
    yield from table_lines(headers, cells)


def posture_failures(found: Sequence[InversePostures], lines: Sequence[int]) -> Iterator[str]:
    """Why states have no posture within the limits; the first ones. Args: lines: of the table."""
    failed = [place for place, answer in enumerate(found) if not answer.success]
    for place in failed[:_MOST_TOLD]:
        code = "R202" if found[place].postures else "R201"  # out of limits, or not reached at all
        yield f"{code} error: line {lines[place]}: {found[place].reason}"
    if len(failed) > _MOST_TOLD:
        yield f"and {len(failed) - _MOST_TOLD} more of {len(found)} states."


def _state(answer: InversePostures) -> dict[str, object]:
    row: dict[str, object] = {"solutions": [_posture(posture) for posture in answer.postures]}
    return row if answer.success else row | {"reason": answer.reason}


def _posture(posture: InversePosture) -> dict[str, object]:
    document: dict[str, object] = {
        "q": posture.q,
        "branch": posture.branch,
        "residual": posture.residual,
        "within_limits": posture.within_limits,
        "position_residual_m": posture.position_residual,
        "angle_residual_rad": posture.angle_residual,
    }
    if posture.arm is None:
        return document
    return document | {
        "limit_margins_rad": posture.arm.limit_margins,
        "alternatives": posture.arm.alternatives,
        "singularity_margin": posture.arm.singularity_margin,
        "singular": posture.arm.singular,
    }


# --- joint rates ---------------------------------------------------------------------------------


def rate_rows(mechanism: Mechanism, key: str, found: JointRates) -> Rows:
    """Joint speeds or accelerations of every state in JSON. Args: key: "qd" or "qdd"."""
    rows = zip(found.value, found.residual, found.rank, found.solved, strict=True)
    return Rows(
        rows=(
            {key: value, "residual": residual, "rank": rank, "solved": solved}
            for value, residual, rank, solved in rows
        ),
        facts=tip_document(mechanism),
    )


def rate_table(
    key: str, found: JointRates, joints: tuple[str, ...]
) -> tuple[list[str], list[list[float]]]:
    """Headers and rows of joint rates. Args: joints: headers of the joints' rates."""
    return state_table(_rates(key, found, joints))


def rate_lines(key: str, found: JointRates, joints: tuple[str, ...]) -> Iterator[str]:
    """Joint rates for a terminal."""
    yield from state_lines(_rates(key, found, joints))


def rate_failure(found: JointRates, lines: Sequence[int]) -> str:
    """How many motions cannot be made, and what the first one lacks; empty where all can."""
    if np.all(found.solved):
        return ""
    first = int(np.argmin(found.solved))
    return (
        f"R203 error: {int(np.sum(~found.solved))} of {len(found.solved)} motions cannot be made, "
        f"first in line {lines[first]}: {found.missing[first]:.3g} is missing, rank "
        f"{found.rank[first]} of {found.full_rank}."
    )


def _rates(key: str, found: JointRates, joints: tuple[str, ...]) -> tuple[StateQuantity, ...]:
    rank = found.rank[:, None].astype(float)
    return (
        StateQuantity(key=key, values=found.value, headers=joints),
        StateQuantity(key="residual", values=found.missing[:, None], headers=("residual",)),
        StateQuantity(key="rank", values=rank, headers=("rank",)),
    )
