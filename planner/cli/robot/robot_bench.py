"""``palpeur robot bench``: what the kernels do here, beside Pinocchio where it is installed."""

from __future__ import annotations

import platform
from dataclasses import asdict, dataclass
from importlib.metadata import version

import numpy as np

from planner.cli.doctor import processor
from planner.cli.exit_codes import ExitCode
from planner.cli.opening import movable_robot, tip_document
from planner.cli.output import FORMAT, print_json, print_table
from planner.cli.robot.bench_first_use import FirstUse, first_use
from planner.cli.robot.bench_kernels import (
    MEMORY,
    WARMING,
    bench_states,
    contenders,
    largest_difference,
    measured,
)
from planner.cli.robot.pinocchio_peer import METHODS, PinocchioPeer, pinocchio_version
from planner.cli.robot_reference import RobotReference
from planner.cli.session import Session
from robots.core.kernels.machine import this_machine
from robots.core.mechanism import Mechanism
from robots.core.quantities import quantity

AGREEMENT = 1e-10  # relative; a larger difference from Pinocchio fails the bench
_FRICTION = "Pinocchio is left out: it does not model this robot's friction as we do."


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """All measurements of one robot.

    Args:
        mechanism: what was measured.
        samples: states per run.
        runs: interleaved runs.
        nanoseconds: per sample, by quantity and engine.
        differences: from Pinocchio, relative, by quantity; empty without it.
        first: of the compiled kernels; nothing where none are made.
    """

    mechanism: Mechanism
    samples: int
    runs: int
    nanoseconds: dict[tuple[str, str], float]
    differences: dict[str, float]
    first: FirstUse | None

    @property
    def kernels(self) -> tuple[str, ...]:
        """Names of the quantities measured."""
        return tuple(dict.fromkeys(name for name, _ in self.nanoseconds))

    @property
    def agrees(self) -> bool:
        """Whether every result is Pinocchio's."""
        return all(difference <= AGREEMENT for difference in self.differences.values())


def print_bench(
    robot: RobotReference, *, samples: int, runs: int, as_json: bool, session: Session
) -> int:
    """Measure and print; exit code 1 when results differ from Pinocchio's.

    Args:
        robot: library name or path, and tip.
        samples: states per run.
        runs: interleaved runs.
        as_json: in JSON.
        session: of this run.
    """
    bench = _measure(robot, samples, runs, session)
    if as_json:
        print_json(_document(bench))
    else:
        _print_text(bench)
    return ExitCode.DONE if bench.agrees else ExitCode.FAILED


def _measure(robot: RobotReference, samples: int, runs: int, session: Session) -> Bench:
    mechanism = movable_robot(robot, session)
    states = bench_states(mechanism, samples)
    compiles = this_machine() is not None
    engines = ("compiled", "numpy") if compiles else ("numpy",)
    peer = _peer(mechanism, session)
    field = contenders(mechanism, states, engines, peer)
    passes = session.watched(range(runs), "measuring")
    nanoseconds = measured(passes, field, samples)
    differences = (
        {}
        if peer is None
        else {
            name: largest_difference(mechanism, states, name, engines[0], peer)
            for name in dict.fromkeys(contender.quantity for contender in field)
        }
    )
    return Bench(
        mechanism=mechanism,
        samples=samples,
        runs=runs,
        nanoseconds=nanoseconds,
        differences=differences,
        first=first_use(robot) if compiles else None,
    )


def _peer(mechanism: Mechanism, session: Session) -> PinocchioPeer | None:
    if not pinocchio_version():
        session.say("Pinocchio is not installed (pip install pin): measured alone.")
        return None
    if any(joint.coulomb or joint.viscous for joint in mechanism.movable):
        session.say(_FRICTION)
        return None
    return PinocchioPeer(mechanism)


def _document(bench: Bench) -> dict[str, object]:
    return {
        "format": FORMAT,
        "robot": bench.mechanism.name,
        **tip_document(bench.mechanism),
        "dof": bench.mechanism.dof,
        "samples": bench.samples,
        "runs": bench.runs,
        "warming_runs": WARMING,
        "threads": 1,
        "machine": _machine(),
        "llvmlite_import_s": bench.first.importing if bench.first else None,
        "kernels": [_kernel(bench, name) for name in bench.kernels],
        "agrees": bench.agrees,
    }


def _kernel(bench: Bench, name: str) -> dict[str, object]:
    ns = bench.nanoseconds
    compiled, numpy, peer = (
        ns.get((name, engine)) for engine in ("compiled", "numpy", "pinocchio")
    )
    return {
        "name": name,
        "operations": asdict(quantity(name).record(bench.mechanism).counts),
        "compiled_ns": compiled,
        "numpy_ns": numpy,
        "memory_ns": ns[name, MEMORY],
        "pinocchio_ns": peer,
        "pinocchio_method": METHODS[name] if peer else None,
        "ratio_compiled": _ratio(peer, compiled),
        "ratio_numpy": _ratio(peer, numpy),
        "max_relative_difference": bench.differences.get(name),
        "first_use_s": bench.first.compiling[name] if bench.first else None,
        "from_cache_s": bench.first.cached[name] if bench.first else None,
    }


def _ratio(peer: float | None, own: float | None) -> float | None:
    return peer / own if peer and own else None


def _machine() -> dict[str, object]:
    machine = this_machine()
    return {
        "processor": processor(),
        "system": f"{platform.system()} {platform.machine()}",
        "vector_doubles": machine.lanes if machine else None,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "llvmlite": version("llvmlite"),
        "pinocchio": pinocchio_version() or None,
    }


def _print_text(bench: Bench) -> None:
    machine = _machine()
    print(f"{bench.mechanism.name}, {bench.samples} states, median of {bench.runs} runs, 1 thread")
    print(f"{machine['processor']}, Pinocchio {machine['pinocchio'] or 'not installed'}")
    head = (
        "kernel",
        "compiled ns",
        "NumPy ns",
        "memory ns",
        "Pinocchio ns",
        "ratio",
        "NumPy ratio",
    )
    more = ("difference", "first use s", "cached s", "operations")
    print_table(head + more, [_text_row(bench, name) for name in bench.kernels])
    print("memory: looking through the arguments and filling the results, with nothing computed")
    if bench.differences:
        print("ratios are to Pinocchio: " + "; ".join(f"{k}: {v}" for k, v in METHODS.items()))


def _text_row(bench: Bench, name: str) -> list[str]:
    row = _kernel(bench, name)
    columns = (
        ("compiled_ns", ".2f"),
        ("numpy_ns", ".1f"),
        ("memory_ns", ".2f"),
        ("pinocchio_ns", ".1f"),
        ("ratio_compiled", ".1f"),
        ("ratio_numpy", ".1f"),
        ("max_relative_difference", ".1e"),
        ("first_use_s", ".3f"),
        ("from_cache_s", ".3f"),
    )
    cells = [format(row[key], form) if row[key] is not None else "-" for key, form in columns]
    return [name, *cells, str(quantity(name).record(bench.mechanism).counts)]
