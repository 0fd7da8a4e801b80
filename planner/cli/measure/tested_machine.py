"""``palpeur machine-test``: predicted tests of an arm, as a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from planner.cli.exit_codes import ExitCode
from planner.cli.opening import movable_robot, tip_document
from planner.cli.output import print_json, print_table
from planner.cli.robot_reference import RobotReference
from planner.cli.session import Session
from planner.errors import OptionError

if TYPE_CHECKING:
    from planner.job import Job
    from planner.virtual_measuring.machine_tests import MachineTests

_LONGEST = 10.0  # [m]


@dataclass(frozen=True, slots=True, kw_only=True)
class MachineRequest:
    """What was asked, in SI; the meaning of each field is that of its option.

    Args:
        errors: by field of ``UncertaintySettings``; they go before the job's.
    """

    robot: RobotReference
    session: Session
    job: str = ""
    stylus: float | None = None
    ball_diameter: float | None = None
    sphere_diameter: float = 0.025
    places: int = 3
    errors: Mapping[str, float] = field(default_factory=dict)
    runs: int = 1000
    seed: int | None = None
    json: bool = False
    allow_outside: bool = False


def run_machine_test(request: MachineRequest) -> int:
    """Predict and print.

    Raises:
        OptionError: nothing is said to be wrong with the machine, or it does not reach.
        RobotError, JobError: robot or job cannot be read.
    """
    from planner.virtual_measuring.machine_tests import bench_of, machine_tests, with_stylus
    from reports.virtual_measuring import machine_tests_document

    mechanism = movable_robot(request.robot, request.session)
    job = _job(request)
    bench = bench_of(
        job,
        request.errors,
        sphere_diameter=request.sphere_diameter,
        ball_diameter=request.ball_diameter,
        places=request.places,
        count=request.runs,
        seed=request.seed,
    )
    found = machine_tests(with_stylus(mechanism, _stylus(request, job)), bench)
    if request.json:
        print_json(machine_tests_document(found) | tip_document(mechanism))
    else:
        _print(found)
    return ExitCode.DONE


def _job(request: MachineRequest) -> Job | None:
    if not request.job:
        return None
    from planner.job import read_job
    from planner.uncertainty.measuring import settings_of

    job = read_job(request.job, allow_outside=request.allow_outside)
    settings_of(job)  # it is given for this table
    return job


def _stylus(request: MachineRequest, job: Job | None) -> float:
    """Length of the stylus. [m]."""
    length = request.stylus
    if length is None:
        length = 0.0 if job is None else job.probe.stylus_length
    if not 0.0 <= length <= _LONGEST:
        raise OptionError(
            f"--stylus-mm is {1e3 * length:g}; expected 0 to {1e3 * _LONGEST:g}.", value=length
        )
    return length


def _print(found: MachineTests) -> None:
    from planner.virtual_measuring.machine_tests import TESTS

    bench = found.bench
    share = f"{100.0 * bench.settings.coverage:g} %"
    print(f"{found.robot}: predicted tests in the style of ISO 10360-12")
    print(
        f"sphere {1e3 * bench.sphere_diameter:g} mm, ball {1e3 * bench.ball_diameter:g} mm; "
        f"{bench.count} machines, seed {bench.seed}"
    )
    print()
    rows = [
        (one.test, one.where, f"{1e6 * one.typical:.1f}", f"{1e6 * one.limit:.1f}")
        for one in found.lines
    ]
    rows += [(test, "all together", "", f"{1e6 * x:.1f}") for test, x in found.limits.items()]
    print_table(("test", "where", "median um", f"{share} um"), rows)
    print()
    print(found.sentence)
    for test, meaning in TESTS.items():
        print(f"{test}: {meaning}")
