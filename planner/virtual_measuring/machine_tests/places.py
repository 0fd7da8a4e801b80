"""Where an arm can be tested: spheres that it can touch all over, and lengths between places."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.errors import OptionError
from planner.virtual_measuring.machine_tests.patterns import cap, hemisphere, orientations, towards
from planner.virtual_measuring.postures import follow
from robots.core.arrays import Array, Indices
from robots.core.joint_samples import joint_samples
from robots.core.mechanism import Mechanism
from robots.core.model import Model
from robots.core.self_pairs import self_clearances

_TRIES = 240  # postures that are looked at
_TILTS = 3  # steps in which the probe is tilted
_SLIDE = 1.0  # [m] of a joint that slides without limits
_TILT = np.radians(30.0)
_SHARES = (0.1, 0.3, 0.5, 0.7, 0.9)  # of the longest length that was found
_EACH = 7  # places of every length


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
