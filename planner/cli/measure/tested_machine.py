"""``palpeur machine-test``: predicted tests of an arm, as a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from planner.cli.exit_codes import ExitCode
from planner.cli.opening import movable_robot, tip_document
from planner.cli.output import FORMAT, print_json, print_table
from planner.cli.robot_reference import RobotReference
from planner.cli.session import Session
from planner.errors import OptionError

if TYPE_CHECKING:
    from planner.job import Job
    from planner.virtual_measuring.machine_tests import MachineTests, TestBench
    from robots.core.mechanism import Mechanism

_BALL = 0.006  # [m]
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
    from planner.virtual_measuring.machine_tests import machine_tests

    mechanism = movable_robot(request.robot, request.session)
    job = _job(request)
    found = machine_tests(_with_stylus(mechanism, request, job), _bench(request, job))
    if request.json:
        print_json(_document(found) | tip_document(mechanism))
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


def _with_stylus(mechanism: Mechanism, request: MachineRequest, job: Job | None) -> Mechanism:
    from robots.core.pose import make_pose

    length = request.stylus
    if length is None:
        length = 0.0 if job is None else job.probe.stylus_length
    if not 0.0 <= length <= _LONGEST:
        raise OptionError(
            f"--stylus-mm is {1e3 * length:g}; expected 0 to {1e3 * _LONGEST:g}.", value=length
        )
    return replace(mechanism, tool=mechanism.tool @ make_pose(translation=[0.0, 0.0, length]))


def _bench(request: MachineRequest, job: Job | None) -> TestBench:
    from planner.job import UncertaintySettings
    from planner.virtual_measuring.machine_tests import TestBench

    base = UncertaintySettings() if job is None or job.uncertainty is None else job.uncertainty
    settings = replace(base, **request.errors)  # type: ignore[arg-type]
    ball = request.ball_diameter
    if ball is None:
        ball = _BALL if job is None else job.probe.ball_diameter
    return TestBench(
        settings=settings,
        sphere_diameter=request.sphere_diameter,
        ball_diameter=ball,
        places=request.places,
        count=request.runs,
        seed=settings.seed if request.seed is None else request.seed,
    )


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


def _document(found: MachineTests) -> dict[str, object]:
    bench = found.bench
    return {
        "format": FORMAT,
        "robot": found.robot,
        "style": "ISO 10360-12",
        "sphere_diameter_m": bench.sphere_diameter,
        "ball_diameter_m": bench.ball_diameter,
        "coverage": bench.settings.coverage,
        "machines": bench.count,
        "seed": bench.seed,
        "tests": [
            {
                "test": one.test,
                "where": one.where,
                "place_m": list(one.place) or None,
                "length_m": one.length or None,
                "median_m": one.typical,
                "limit_m": one.limit,
            }
            for one in found.lines
        ],
        "limits_m": dict(found.limits),
        "length_error": {"constant_m": found.constant, "slope": found.slope},
        "sentence": found.sentence,
    }
