"""Tests of an arm by many drawn machines: one draw is one machine with its own errors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from planner.errors import OptionError
from planner.job import UncertaintySettings
from planner.uncertainty import Measuring, draws
from planner.uncertainty.inputs import inputs_of
from planner.virtual_measuring.machine_tests.places import (
    TestLength,
    TestSphere,
    length_places,
    sphere_places,
)
from planner.virtual_measuring.machine_tests.spheres import enclosing_diameters, fitted_spheres
from planner.virtual_measuring.machine_tests.types import MachineTests, TestBench, TestLine
from robots.core.arrays import Array
from robots.core.mechanism import Mechanism
from robots.core.pose import make_pose

_OF_PART = ("alignment", "alignment_turn", "part_temperature", "part_expansion")
_HEMISPHERE, _CAP, _ORIENTATIONS = 25, 5, 5
_ROUNDING = 1e-12
_LARGEST = 0.3  # of the sphere's radius: the least-squares sphere is still near
_PER_SPHERE = _HEMISPHERE + _CAP * _ORIENTATIONS


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Found:
    """Errors of one test at one place.

    Args:
        test: key of ``TESTS``.
        where: in words.
        sizes: of the errors, by machine and, of a length, by place. # (m,) or (m, places) [m]
        place: of a sphere. [m]
        length: nominal. [m]
    """

    test: str
    where: str
    sizes: Array
    place: tuple[float, ...] = ()
    length: float = 0.0

    @property
    def worst(self) -> Array:
        """Largest of the places, by machine. # (m,) [m]."""
        return self.sizes if self.sizes.ndim == 1 else np.asarray(self.sizes.max(axis=1))


def with_stylus(mechanism: Mechanism, length: float) -> Mechanism:
    """Lengthen a machine's tool along its axis by a stylus. # [m]."""
    return replace(mechanism, tool=mechanism.tool @ make_pose(translation=[0.0, 0.0, length]))


def machine_tests(mechanism: Mechanism, bench: TestBench) -> MachineTests:
    """Predict what tests in the style of ISO 10360-12 would find.

    Many machines are drawn with the stated errors; every one measures all test pieces, and what a
    share of them keeps is the predicted limit. The test pieces are perfect and their places lie
    all over the reach. No standard's acceptance test is replaced by this.

    Args:
        mechanism: the arm, its tool frame at the ball, z the probe axis.
        bench: errors, sphere, places, draws.

    Raises:
        OptionError: nothing is said to be wrong with the machine, or it does not reach.
    """
    settings = _of_machine(bench.settings)
    spheres = sphere_places(mechanism, bench.radius, bench.places)
    lengths = length_places(mechanism)
    measuring = _measuring(mechanism, settings, bench, spheres, lengths)
    if not inputs_of(measuring).own and not len(inputs_of(measuring).sigmas):
        _refuse(mechanism)
    chunks = [
        [*_of_spheres(spheres, bench, errors), *_of_lengths(lengths, errors)]
        for errors in draws(measuring, count=bench.count, seed=bench.seed)
    ]
    found = [_joined(parts) for parts in zip(*chunks, strict=True)]
    lines = tuple(_line(one, settings.coverage) for one in found)
    constant, slope = bound([(one.length, one.limit) for one in lines if one.test == "E"])
    return MachineTests(
        robot=mechanism.name,
        bench=bench,
        lines=lines,
        limits=_limits(found, settings.coverage),
        constant=constant,
        slope=slope,
    )


def bound(limits: list[tuple[float, float]]) -> tuple[float, float]:
    """The lowest line A + B·L, A and B not negative, that lies above some limits.

    Args:
        limits: pairs of length and limit. [m]

    Returns:
        A, B. [m], [1]
    """
    lengths, sizes = np.array(limits).T
    slopes = [0.0]
    for (a, low), (b, high) in combinations(limits, 2):
        if a != b:
            slopes.append((high - low) / (b - a))
    slopes += [low / length for length, low in limits if length > 0.0]
    lines = []
    for slope in slopes:
        constant = float(np.max(sizes - slope * lengths))
        if slope >= 0.0 and constant >= -_ROUNDING * sizes.max():
            lines.append((max(constant, 0.0), slope))
    return min(lines, key=lambda line: float(np.sum(line[0] + line[1] * lengths)))


def _of_machine(settings: UncertaintySettings) -> UncertaintySettings:
    return replace(settings, **dict.fromkeys(_OF_PART, 0.0))  # type: ignore[arg-type]


def _refuse(mechanism: Mechanism) -> None:
    raise OptionError(
        f"Nothing is said to be wrong with {mechanism.name}, and nothing is guessed; give its "
        "errors, such as --encoder-deg, --encoder-offset-deg, --length-mm, --angle-deg, "
        "--probe-mm, or a job with an [uncertainty]."
    )


def _measuring(
    mechanism: Mechanism,
    settings: UncertaintySettings,
    bench: TestBench,
    spheres: tuple[TestSphere, ...],
    lengths: tuple[tuple[TestLength, ...], ...],
) -> Measuring:
    """All touches: those of the spheres, then both ends of every length."""
    every = [one for some in lengths for one in some]
    normals = np.concatenate(
        [one.normals for one in spheres] + [np.repeat(one.direction[None], 2, 0) for one in every]
    )
    surfaces = np.concatenate(
        [one.centre + 0.5 * bench.sphere_diameter * one.normals for one in spheres]
        + [one.ends for one in every]
    )
    return Measuring(
        mechanism=mechanism,
        settings=settings,
        names=tuple(f"T{k}" for k in range(1, len(normals) + 1)),
        q=np.concatenate([*(one.q for one in spheres), *(one.q for one in every)]),
        surfaces=surfaces,
        normals=normals,
    )


def _of_spheres(
    spheres: tuple[TestSphere, ...], bench: TestBench, errors: Array
) -> Iterator[_Found]:
    """PSize, PForm and LDia of every sphere; errors of the touches are # (m, touches, 3)."""
    per_test: dict[str, list[_Found]] = {"PSize": [], "PForm": [], "LDia": []}
    for number, sphere in enumerate(spheres, start=1):
        first = (number - 1) * _PER_SPHERE
        own = errors[:, first : first + _PER_SPHERE]
        _refuse_large(own, bench)
        points = sphere.centre + bench.radius * sphere.normals + own
        whole = fitted_spheres(points[:, :_HEMISPHERE], sphere.centre, bench.radius)
        sizes = {
            "PSize": np.abs(2.0 * (whole.radii - bench.radius)),
            "PForm": np.ptp(whole.residuals, axis=1),
            "LDia": enclosing_diameters(_centres(points[:, _HEMISPHERE:], sphere, bench)),
        }
        x, y, z = sphere.centre.tolist()
        where = f"sphere {number} at ({1e3 * x:.0f}, {1e3 * y:.0f}, {1e3 * z:.0f}) mm"
        for test, values in sizes.items():
            per_test[test].append(_Found(test=test, where=where, sizes=values, place=(x, y, z)))
    for some in per_test.values():
        yield from some


def _refuse_large(errors: Array, bench: TestBench) -> None:
    """A sphere cannot be recognised through errors of its own size.

    Raises:
        OptionError: they are.
    """
    apart = float(np.abs(errors - errors.mean(axis=1, keepdims=True)).max(initial=0.0))
    apart = apart if np.isfinite(apart) else np.inf
    limit = _LARGEST * bench.radius
    if not apart <= limit:
        raise OptionError(
            f"With these errors the touches of one sphere come {1e3 * apart:.3g} mm apart, but it "
            f"has a radius of {1e3 * bench.radius:.3g} mm with the ball; expected at most "
            f"{1e3 * limit:.3g} mm. Are the units right? Or take a larger sphere.",
            found=apart,
            limit=limit,
        )


def _centres(points: Array, sphere: TestSphere, bench: TestBench) -> Array:
    """Centres that the probe's directions find, five points each. # (m, 5, 3) [m]."""
    found = [
        fitted_spheres(points[:, k * _CAP : (k + 1) * _CAP], sphere.centre, bench.radius).centres
        for k in range(_ORIENTATIONS)
    ]
    return np.stack(found, axis=1)


def _of_lengths(lengths: tuple[tuple[TestLength, ...], ...], errors: Array) -> Iterator[_Found]:
    first = errors.shape[1] - 2 * sum(map(len, lengths))
    for some in lengths:
        ends = errors[:, first : first + 2 * len(some)].reshape(len(errors), len(some), 2, 3)
        directions = np.array([one.direction for one in some])
        sizes = np.abs(np.einsum("mki,ki->mk", ends[:, :, 1] - ends[:, :, 0], directions))
        first += 2 * len(some)
        length = float(np.mean([one.length for one in some]))
        where = f"{1e3 * length:.0f} mm, {len(some)} places"
        yield _Found(test="E", where=where, sizes=sizes, length=length)


def _joined(parts: Sequence[_Found]) -> _Found:
    """The same test of some machines, and of others."""
    return replace(parts[0], sizes=np.concatenate([part.sizes for part in parts]))


def _line(found: _Found, coverage: float) -> TestLine:
    return TestLine(
        test=found.test,
        where=found.where,
        place=found.place,
        length=found.length,
        typical=float(np.median(found.sizes)),
        limit=float(np.quantile(found.worst, coverage)),
    )


def _limits(found: list[_Found], coverage: float) -> Mapping[str, float]:
    tests = dict.fromkeys(one.test for one in found)
    return {
        test: float(
            np.quantile(np.max([one.worst for one in found if one.test == test], axis=0), coverage)
        )
        for test in tests
    }
