"""Tests of a machine in the style of ISO 10360-12, predicted from its errors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from types import MappingProxyType

import numpy as np

from planner.errors import OptionError
from planner.job import Job, UncertaintySettings
from planner.job.settings import TOUCH_SPEED
from planner.uncertainty.deviations import inputs_of
from planner.uncertainty.measuring import Measuring
from planner.uncertainty.monte_carlo import draws
from planner.virtual_measuring.layout import follow
from robots.core.arrays import Array, Indices
from robots.core.joint_samples import joint_samples
from robots.core.mechanism import Mechanism
from robots.core.model import Model
from robots.core.self_pairs import self_clearances

_OF_PART = ("alignment", "alignment_turn", "part_temperature", "part_expansion")
_HEMISPHERE, _CAP, _ORIENTATIONS = 25, 5, 5
_ROUNDING = 1e-12
_LARGEST = 0.3  # of the sphere's radius: the least-squares sphere is still near
_PER_SPHERE = _HEMISPHERE + _CAP * _ORIENTATIONS
_TRIES = 240  # postures that are looked at
_TILTS = 3  # steps in which the probe is tilted
_SLIDE = 1.0  # [m] of a joint that slides without limits
_TILT = np.radians(30.0)
_SHARES = (0.1, 0.3, 0.5, 0.7, 0.9)  # of the longest length that was found
_EACH = 7  # places of every length
# Angle from the pole, number of points and turn of each ring, each ring turned by 22.5 degrees from
# the one before it, as coordinate measuring machines are usually probed: in the style of ISO 10360.
_RINGS = ((0.0, 1, 0.0), (22.5, 4, 0.0), (45.0, 8, 22.5), (67.5, 4, 45.0), (90.0, 8, 22.5))
_FEW = ((0.0, 1, 0.0), (90.0, 4, 0.0))
_ROUNDS = 6  # Gauss-Newton from the nominal sphere: errors of 1e-3 square to nothing in three
_OUTSIDE = 1e-9  # of the radius: rounding of a point that lies on its sphere
_FLAT = 1e-12  # of the points' spread to the power of the determinant: no sphere through them
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
        velocities=-bench.touch_speed * normals,
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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TestSphere:
    """A sphere with the postures that touch it.

    Args:
        centre: base frame. # (3,) [m]
        normals: of the touched surface; 25 of one probe direction, then five for each of five.
            # (50, 3) unit
        q: # (50, n) [rad or m]
    """

    __test__ = False  # not a test, for pytest

    centre: Array
    normals: Array
    q: Array


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TestLength:
    """A length between two places, each touched once, both from the same side.

    Args:
        q: at its ends. # (2, n) [rad or m]
        ends: base frame. # (2, 3) [m]
    """

    __test__ = False  # not a test, for pytest

    q: Array
    ends: Array

    @property
    def length(self) -> float:
        """Between the ends. [m]."""
        return float(np.linalg.norm(self.ends[1] - self.ends[0]))

    @property
    def direction(self) -> Array:
        """From the first to the second. # (3,) unit."""
        return np.asarray((self.ends[1] - self.ends[0]) / self.length)


def sphere_places(mechanism: Mechanism, radius: float, count: int) -> tuple[TestSphere, ...]:
    """Spheres from near to far that are probed from above, or at least from the side.

    Args:
        mechanism: its tool frame at the ball, z the probe axis.
        radius: of the sphere that the ball's centre moves on: that of test sphere and ball. [m]
        count: of places.

    Raises:
        OptionError: fewer places than that were found.
    """
    model, q = Model(mechanism), postures(mechanism)
    up = -mechanism.gravity
    from_above = -model.forward(q)[:, :3, 2] @ up >= 0.0
    some = q[from_above]
    found = [sphere for start in some if (sphere := _touched(model, start, radius)) is not None]
    if len(found) < count:
        raise OptionError(
            f"{count} places for a sphere of {2e3 * radius:.6g} mm (ball included) are asked, but "
            f"{mechanism.name} touches only {len(found)} of {len(some)} all over, with its probe "
            f"in five directions {np.degrees(_TILT):g} deg apart. Ask for fewer places, a smaller "
            "sphere, or give the arm its stylus; an arm of fewer than five axes cannot do it.",
            found=len(found),
            expected=count,
        )
    found.sort(key=lambda sphere: float(np.linalg.norm(sphere.centre)))
    chosen = np.linspace(0, len(found) - 1, count).round().astype(int)
    return tuple(found[k] for k in chosen.tolist())


def length_places(mechanism: Mechanism) -> tuple[tuple[TestLength, ...], ...]:
    """Five lengths, each at seven places in other directions, the shortest first."""
    q = postures(mechanism)[: _TRIES // 3]
    ends = Model(mechanism, "single-use").forward(q)[:, :3, 3]
    first, second = np.triu_indices(len(q), k=1)
    lengths = np.linalg.norm(ends[first] - ends[second], axis=1)
    longest = float(lengths.max(initial=0.0))
    if longest == 0.0:
        raise OptionError(
            f"{mechanism.name} brings its ball to one place only; there is no length to measure."
        )
    found = []
    for share in _SHARES:
        rows = np.argsort(np.abs(lengths - share * longest), kind="stable")
        pairs = _apart(first[rows], second[rows])
        found.append(tuple(TestLength(q=q[[a, b]], ends=ends[[a, b]]) for a, b in pairs))
    return tuple(found)


def postures(mechanism: Mechanism) -> Array:
    """Postures all over the joint ranges, clear of the arm itself. # (k, n) [rad or m]."""
    q = joint_samples(mechanism, _TRIES, slide=_SLIDE, skip=1)  # mid-range is often singular
    if mechanism.self_pairs:
        gaps = self_clearances(mechanism, mechanism.self_pairs, q)
        q = q[gaps.min(axis=1) > 0.0]
    return q


def _apart(first: Indices, second: Indices) -> list[tuple[int, int]]:
    """The first pairs of which no two share an end."""
    pairs: list[tuple[int, int]] = []
    used: set[int] = set()
    for a, b in zip(first.tolist(), second.tolist(), strict=True):
        if len(pairs) == _EACH:
            break
        if a not in used and b not in used:
            pairs.append((a, b))
            used |= {a, b}
    return pairs


def _touched(model: Model, start: Array, radius: float) -> TestSphere | None:
    """The sphere whose pole a posture touches; None where the rest of it is not reached."""
    T = model.forward(start)
    pole = -T[:3, 2]
    centre = T[:3, 3] - radius * pole
    frame = towards(pole)
    normals = [hemisphere() @ frame.T]
    poles = orientations(_TILT) @ frame.T
    normals += [cap() @ towards(one).T for one in poles]
    starts = _tilted(model, start, centre + radius * pole, poles)
    if starts is None:
        return None
    n = np.concatenate(normals)
    q = np.concatenate([np.repeat(start[None], len(hemisphere()), 0), np.repeat(starts, 5, 0)])
    axes = np.concatenate([np.repeat(-pole[None], len(hemisphere()), 0), np.repeat(-poles, 5, 0)])
    found = follow(model, q, centre + radius * n, axes)
    if not found.there.all():
        return None
    return TestSphere(centre=centre, normals=n, q=found.q)


def _tilted(model: Model, start: Array, place: Array, poles: Array) -> Array | None:
    """Postures at one place with the probe against each of some poles. # (5, n)."""
    q = np.repeat(start[None], len(poles), 0)
    places = np.repeat(place[None], len(poles), 0)
    for share in np.linspace(0.0, 1.0, _TILTS + 1)[1:]:
        axes = -((1.0 - share) * poles[0] + share * poles)
        found = follow(model, q, places, axes / np.linalg.norm(axes, axis=1)[:, None])
        if not found.there.all():
            return None
        q = found.q
    return q


def hemisphere() -> Array:
    """25 directions on a hemisphere. # (25, 3) unit."""
    return _rings(_RINGS)


def cap() -> Array:
    """Five directions: the pole and four on the equator. # (5, 3) unit."""
    return _rings(_FEW)


def orientations(tilt: float) -> Array:
    """Five poles: +z and four tilted from it, a quarter turn apart. # (5, 3) unit. Args: [rad]."""
    return _rings(((0.0, 1, 0.0), (np.degrees(tilt), 4, 45.0)))


def towards(pole: Array) -> Array:
    """A rotation that takes +z to a pole, different for every pole but always the same. # (3, 3).

    Args:
        pole: unit. # (3,)
    """
    x = np.cross(pole, np.eye(3)[int(np.argmin(np.abs(pole)))])
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(pole, x), pole])


def _rings(rings: tuple[tuple[float, int, float], ...]) -> Array:
    found = []
    for polar, count, turn in rings:
        azimuths = np.radians(turn + 360.0 / count * np.arange(count))
        t = np.full(count, np.radians(polar))
        found.append(
            np.column_stack([np.sin(t) * np.cos(azimuths), np.sin(t) * np.sin(azimuths), np.cos(t)])
        )
    return np.concatenate(found)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FittedSpheres:
    """Least-squares spheres, by orthogonal distances.

    Args:
        centres: # (m, 3) [m]
        radii: # (m,) [m]
        residuals: distances of the points, positive outside. # (m, k) [m]
    """

    centres: Array
    radii: Array
    residuals: Array


def fitted_spheres(points: Array, centre: Array, radius: float) -> FittedSpheres:
    """Fit a sphere to every set of points.

    Args:
        points: sets of at least four, not in one plane. # (m, k, 3) [m]
        centre: of the nominal sphere, where the search starts. # (3,) [m]
        radius: of it. [m]
    """
    m, k = points.shape[:2]
    centres, radii = np.tile(centre, (m, 1)), np.full(m, radius)
    for _ in range(_ROUNDS):
        arms = points - centres[:, None]
        away = np.linalg.norm(arms, axis=2)
        J = np.concatenate([arms / away[..., None], np.ones((m, k, 1))], axis=2)
        Jt = np.swapaxes(J, 1, 2)
        gaps = Jt @ (away - radii[:, None])[..., None]
        step = np.linalg.solve(Jt @ J, gaps)[..., 0]
        centres, radii = centres + step[:, :3], radii + step[:, 3]
    residuals = np.linalg.norm(points - centres[:, None], axis=2) - radii[:, None]
    return FittedSpheres(centres=centres, radii=radii, residuals=residuals)


def enclosing_diameters(points: Array) -> Array:
    """Diameters of the smallest spheres that hold every set of a few points.

    The smallest sphere is the smallest of those through two, three or four of its points that
    holds all others: with a few points all of them are tried.

    Args:
        points: # (m, k, 3) [m]

    Returns:
        # (m,) [m]
    """
    best = np.full(len(points), np.inf)
    middle = points.mean(axis=1, keepdims=True)
    scale = float(np.abs(points - middle).max(initial=0.0))
    if scale == 0.0 or points.shape[1] < 2:
        return np.zeros(len(points))
    arms = (points - middle) / scale
    for size in range(2, min(points.shape[1], 4) + 1):
        for chosen in combinations(range(points.shape[1]), size):
            centres, radii = _through(arms[:, list(chosen)])
            farthest = np.linalg.norm(arms - centres[:, None], axis=2).max(axis=1)
            holds = farthest <= radii * (1.0 + _OUTSIDE) + _OUTSIDE
            best = np.where(holds & (radii < best), radii, best)
    return np.asarray(2.0 * scale * best)


def _through(points: Array) -> tuple[Array, Array]:
    """Centres in the span of their points, and radii; not finite where there is none."""
    first = points[:, :1]
    B = points[:, 1:] - first
    gram = B @ np.swapaxes(B, 1, 2)
    lengths = np.einsum("mii->mi", gram)
    product = np.prod(lengths, axis=1)
    flat = np.abs(np.linalg.det(gram)) <= _FLAT * np.maximum(product, _FLAT)
    safe = np.where(flat[:, None, None], np.eye(B.shape[1]), gram)
    shares = np.linalg.solve(safe, 0.5 * lengths[..., None])[..., 0]
    offset = np.einsum("mi,mij->mj", shares, B)
    radii = np.where(flat, np.inf, np.linalg.norm(offset, axis=1))
    return np.where(flat[:, None], 0.0, first[:, 0] + offset), radii


@dataclass(frozen=True, slots=True, kw_only=True)
class TestBench:
    """How a machine is tested.

    Args:
        settings: what is wrong with it; what belongs to a part is left out.
        sphere_diameter: of the test sphere. [m]
        ball_diameter: of the probe. [m]
        touch_speed: at which all is touched, along the normals; 0 for at rest. [m/s]
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
    touch_speed: float = TOUCH_SPEED
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
        touch_speed=TOUCH_SPEED if job is None else job.touch.speed if job.touch.searching else 0.0,
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
