"""What the tests of a machine say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from planner.errors import OptionError
from planner.job import Job, UncertaintySettings

_BALL = 0.006  # [m] diameter of the probe where nothing says it

TESTS: Mapping[str, str] = MappingProxyType(
    {
        "PSize": "error of the diameter of a test sphere, 25 points, probe in one direction",
        "PForm": "range of the 25 distances from the fitted sphere",
        "LDia": "diameter of the sphere that holds five centres, probe in five directions, five "
        "points each",
        "E": "error of a length, both ends touched once from the same side, any posture",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TestBench:
    """How a machine is tested.

    Args:
        settings: what is wrong with it; what belongs to a part is left out.
        sphere_diameter: of the test sphere. [m]
        ball_diameter: of the probe. [m]
        places: of the sphere, from near the base to far from it.
        count: machines that are drawn.
        seed: of all draws.

    Raises:
        OptionError: a size that is not above zero, fewer than 200 draws, fewer than one place.
    """

    __test__ = False  # not a test, for pytest

    settings: UncertaintySettings
    sphere_diameter: float = 0.025
    ball_diameter: float = _BALL
    places: int = 3
    count: int = 1_000
    seed: int = 1

    def __post_init__(self) -> None:
        if not 0.0 < self.sphere_diameter < 1.0 or not 0.0 <= self.ball_diameter < 0.1:
            raise OptionError(
                f"A test sphere of {1e3 * self.sphere_diameter:g} mm touched by a ball of "
                f"{1e3 * self.ball_diameter:g} mm; expected above 0 and below 1000 mm, and from 0 "
                "to 100 mm.",
                found=(self.sphere_diameter, self.ball_diameter),
            )
        if not 200 <= self.count <= 100_000:
            raise OptionError(
                f"{self.count} machines are drawn; expected 200 to 100000: fewer do not hold a "
                "limit.",
                found=self.count,
            )
        if not 1 <= self.places <= 20:
            raise OptionError(
                f"{self.places} places are asked; expected 1 to 20.", found=self.places
            )

    @property
    def radius(self) -> float:
        """Of the sphere that the ball's centre moves on. [m]."""
        return 0.5 * (self.sphere_diameter + self.ball_diameter)


def bench_of(
    job: Job | None,
    errors: Mapping[str, float],
    *,
    sphere_diameter: float,
    ball_diameter: float | None,
    places: int,
    count: int,
    seed: int | None,
) -> TestBench:
    """Bench for a machine with the errors of a job, or with given ones.

    Args:
        job: whose [uncertainty] and probe are taken; None for none.
        errors: by field of ``UncertaintySettings``; they go before the job's.
        sphere_diameter: of the test sphere. [m]
        ball_diameter: of the probe; the job's, or the usual one, when None. [m]
        places: of the sphere.
        count: machines that are drawn.
        seed: the job's, or the usual one, when None.

    Raises:
        OptionError: see ``TestBench``.
    """
    base = UncertaintySettings() if job is None or job.uncertainty is None else job.uncertainty
    settings = replace(base, **errors)  # type: ignore[arg-type]
    if ball_diameter is None:
        ball_diameter = _BALL if job is None else job.probe.ball_diameter
    return TestBench(
        settings=settings,
        sphere_diameter=sphere_diameter,
        ball_diameter=ball_diameter,
        places=places,
        count=count,
        seed=settings.seed if seed is None else seed,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class TestLine:
    """One line of the table: a test at a place, or for a length.

    Args:
        test: key of ``TESTS``.
        where: in words.
        place: of the sphere, base frame; empty for lengths. [m]
        length: nominal; 0 for spheres. [m]
        typical: median of the size of the error over the machines. [m]
        limit: that the share ``coverage`` of the machines keeps, at all places of a length. [m]
    """

    __test__ = False  # not a test, for pytest

    test: str
    where: str
    place: tuple[float, ...]
    length: float
    typical: float
    limit: float


@dataclass(frozen=True, slots=True, kw_only=True)
class MachineTests:
    """Predicted errors of a machine, in the style of ISO 10360-12.

    Args:
        robot: its name.
        bench: how it is tested.
        lines: test by test.
        limits: of the worst place of each test, by test, over all places together; for "E" over
            all lengths. [m]
        constant: A of a line A + B·L that no limit of a length exceeds. [m]
        slope: B of it. [1]
    """

    robot: str
    bench: TestBench
    lines: tuple[TestLine, ...]
    limits: Mapping[str, float]
    constant: float
    slope: float

    @property
    def sentence(self) -> str:
        """The length error as a maker states it."""
        told = f"{1e6 * self.constant:.1f}"
        if self.slope > 0.0:
            told += f" + L/{1e-3 / self.slope:.0f}"
        share = 100.0 * self.bench.settings.coverage
        return f"E ≤ {told} µm (L in mm), kept by {share:g} % of such machines"
