"""How a feature can be touched: the probe, where the stylus points, how far it comes from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from parts.errors import FeatureError, SamplingError
from parts.features.feature import Feature, feature_of_form
from parts.features.patch import SurfacePoints
from parts.features.recognition import FormFeature
from parts.geometry.geometry import Geometry
from parts.points import ProbePoints
from parts.probe import Tip
from parts.sampling.sample import AccessLimits, sample, stylus_fits
from robots.core.arrays import Array

BALLS = (6e-3, 5e-3, 4e-3, 3e-3, 2e-3, 1e-3)  # diameters that probes are sold with [m]
LENGTHS = (30e-3, 50e-3, 75e-3, 100e-3, 150e-3, 200e-3)  # of styluses, free of the head [m]
HEAD_LENGTH, HEAD_RADIUS = 50e-3, 20e-3  # a usual touch-trigger probe with its shank [m]
_BORE_SHARE = 0.4  # of a bore that the ball fills at most: the rest is for approach and search
_SHANK = 0.6  # of the ball, as job files have it
_SPARE = 5e-3  # that the head stays above the deepest point [m]
_APPROACHES = (30e-3, 20e-3, 12e-3, 8e-3, 5e-3, 3e-3)  # tried from the longest [m]
_STEPS = 4  # of the way from the clearance point to the contact that are looked at
_BEHIND = -0.2  # cosine to the upright: a stylus that comes from farther below is tried last
INNER = ("hole", "slot")


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposedProbe:
    """A probe that fits the features of a part.

    Args:
        ball_diameter: [m]
        free_length: of the stylus, between the head and the ball's centre. [m]
    """

    ball_diameter: float
    free_length: float

    @property
    def length(self) -> float:
        """From the wrist to the ball's centre. [m]."""
        return HEAD_LENGTH + HEAD_RADIUS + self.free_length

    @property
    def tip(self) -> Tip:
        """The stylus."""
        radius = 0.5 * self.ball_diameter
        return Tip(length=self.free_length, ball_radius=radius, shank_radius=_SHANK * radius)

    def table(self) -> dict[str, object]:
        """``[probe]`` of a job file."""
        return {
            "stylus_length_mm": _mm(self.length),
            "ball_diameter_mm": _mm(self.ball_diameter),
            "capsule": [
                {
                    "name": "probe head",
                    "from_mm": [0.0, 0.0, 0.0],
                    "to_mm": [0.0, 0.0, _mm(HEAD_LENGTH)],
                    "radius_mm": _mm(HEAD_RADIUS),
                }
            ],
        }


def probe_for(forms: Sequence[FormFeature]) -> ProposedProbe:
    """The thickest ball that its bores leave room for, on the shortest stylus that reaches down.

    Args:
        forms: features that are measured.
    """
    narrowest = min((one.diameter for one in forms if one.kind in INNER), default=np.inf)
    deepest = max((one.depth for one in forms if one.kind == "hole"), default=0.0)
    room = _BORE_SHARE * narrowest
    ball = next((ball for ball in BALLS if ball <= room), BALLS[-1])
    needed = (deepest if np.isfinite(deepest) else 0.0) + _SPARE
    free = next((length for length in LENGTHS if length >= max(needed, 50e-3)), LENGTHS[-1])
    return ProposedProbe(ball_diameter=ball, free_length=free)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Touching:
    """Points on a feature and how they are touched.

    Args:
        points: on the surface, in the part frame.
        axis: where the stylus points, wrist to ball, in the part frame; None for against each
            point's normal. # (3,)
        approach: from contact to the clearance point. [m]
    """

    points: ProbePoints
    axis: Array | None
    approach: float


def touching(
    geometry: Geometry, form: FormFeature, probe: ProposedProbe, count: int, upright: Array
) -> Touching:
    """Lay out points on a feature, with a stylus that touches the part nowhere else.

    As few directions of the stylus as possible are wanted, so the upright one is tried first.

    Args:
        geometry: of the part.
        form: one of its features.
        probe: that touches it.
        count: of points.
        upright: of the cell, in the part frame. # (3,)

    Raises:
        SamplingError: no direction of the stylus leaves room for so many points.
    """
    feature = feature_of_form(geometry, form)
    refusal = ""
    for away in _directions(form, upright):
        for margin in _margins(probe):
            try:
                points = _laid_out(geometry, feature, form, probe, count, away, margin)
            except (FeatureError, SamplingError) as error:
                refusal = error.message
                continue
            approach = _approach(geometry, points, probe, away)
            if approach:
                axis = None if away is None else -away
                return Touching(points=points, axis=axis, approach=approach)
            refusal = f"there is no room for an approach of {_mm(_APPROACHES[-1]):g} mm"
    raise SamplingError(f"no direction of the stylus leaves room for {count} points: {refusal}")


def _laid_out(
    geometry: Geometry,
    feature: Feature,
    form: FormFeature,
    probe: ProposedProbe,
    count: int,
    away: Array | None,
    margin: float,
) -> ProbePoints:
    round_ = form.kind in ("hole", "boss", "cylinder")
    reach = AccessLimits(edge_margin=margin, geometry=geometry, tip=probe.tip, away=away)
    strategy = "circles" if round_ else "hammersley"
    return sample(feature, strategy, count, reach=reach, prefix=f"{form.name}.").points


def _directions(form: FormFeature, upright: Array) -> Iterator[Array | None]:
    """From the ball along the stylus: directions to try, the best first; None: the normals."""
    if form.kind == "hole":
        yield form.axis
        if form.through:
            yield -form.axis
        return
    axes = [sign * axis for axis in np.eye(3) for sign in (1.0, -1.0)]
    if form.kind == "plane":
        axes.append(form.axis)
    axes.sort(key=lambda axis: -float(axis @ upright))
    above = [axis for axis in axes if float(axis @ upright) > _BEHIND]
    below = [axis for axis in axes if float(axis @ upright) <= _BEHIND]
    yield from chain(above, [None], below)


def _margins(probe: ProposedProbe) -> tuple[float, ...]:
    """Distances from edges to try: a ball off them, or less where there is little room."""
    return tuple(share * probe.ball_diameter for share in (1.0, 0.5, 0.25, 0.1))


def _approach(
    geometry: Geometry, points: ProbePoints, probe: ProposedProbe, away: Array | None
) -> float:
    """The longest approach along the normals that stays free; zero where none does. [m]."""
    for length in _APPROACHES:
        shifts = np.repeat(np.linspace(length / _STEPS, length, _STEPS), len(points))
        normals = np.tile(points.normals, (_STEPS, 1))
        places = np.tile(points.positions, (_STEPS, 1)) + shifts[:, None] * normals
        above = SurfacePoints(positions=places, normals=normals)
        if stylus_fits(geometry, above, probe.tip, away).all():
            return length
    return 0.0


def _mm(length: float) -> float:
    return float(f"{1e3 * length:.12g}")
