"""How a feature can be touched: the probe, where the stylus points, how far it comes from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from parts.errors import FeatureError, SamplingError
from parts.features.feature import Feature, feature_of_form
from parts.features.patch import SurfacePoints
from parts.features.recognition import FormFeature
from parts.geometry.geometry import Geometry
from parts.points import ProbePoints
from parts.probe import ProbeHead, Tip
from parts.sampling.sample import AccessLimits, SamplingArea, sample, stylus_fits
from robots.core.arrays import Array

BALLS = (6e-3, 5e-3, 4e-3, 3e-3, 2e-3, 1e-3)  # diameters that probes are sold with [m]
LENGTHS = (30e-3, 50e-3, 75e-3, 100e-3, 150e-3, 200e-3)  # of styluses, free of the head [m]
HEAD_LENGTH, HEAD_RADIUS = 50e-3, 20e-3  # a usual touch-trigger probe with its shank [m]
_SEARCH_AFTER = 3.5e-3  # past the surface: that of job files, and stopping [m]
_BORE_SHARE = 0.4  # of a bore that the ball fills at most: the rest is for approach and search
_SHANK = 0.6  # of the ball, as job files have it
_SPARE = 5e-3  # that the head stays above the deepest point [m]
_APPROACHES = (30e-3, 20e-3, 12e-3, 8e-3, 5e-3, 3e-3, 2e-3)  # tried from the longest [m]
CLEARANCES = (2e-3, 1e-3, 0.5e-3)  # from part and obstacles, the best first [m]
_CLEARANCE_SHARE = 0.5  # at most, of what a ball in the middle of the narrowest bore leaves
_STEPS = 4  # of the way from the clearance point to the contact that are looked at
_BEHIND = -0.2  # cosine to the upright: a stylus that comes from farther below is tried last
INNER = ("hole", "slot")


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposedProbe:
    """A probe that fits the features of a part.

    Args:
        ball_diameter: [m]
        free_length: of the stylus, between the head and the ball's centre. [m]
        clearance: that it can keep from the part while it does not touch. [m]
    """

    ball_diameter: float
    free_length: float
    clearance: float

    @property
    def length(self) -> float:
        """From the wrist to the ball's centre. [m]."""
        return HEAD_LENGTH + HEAD_RADIUS + self.free_length

    @property
    def tip(self) -> Tip:
        """The stylus."""
        radius = 0.5 * self.ball_diameter
        return Tip(length=self.free_length, ball_radius=radius, shank_radius=_SHANK * radius)

    @property
    def head(self) -> ProbeHead:
        """What carries the stylus; it keeps its clearance to where a search ends."""
        kept = self.clearance + _SEARCH_AFTER
        return ProbeHead(length=HEAD_LENGTH, radius=HEAD_RADIUS, clearance=kept)

    def longer(self) -> Iterator[ProposedProbe]:
        """The same probe with longer styluses, the shortest first."""
        for length in LENGTHS:
            if length > self.free_length:
                yield replace(self, free_length=length)

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
    spare = _CLEARANCE_SHARE * 0.5 * (narrowest - ball)
    clearance = next((length for length in CLEARANCES if length <= spare), 0.0)
    return ProposedProbe(ball_diameter=ball, free_length=free, clearance=clearance)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Touching:
    """Points on a feature and how they are touched.

    Args:
        points: on the surface, in the part frame.
        axis: where the stylus points, wrist to ball, in the part frame; None for against each
            point's normal. # (3,)
        approach: from contact to the clearance point. [m]
        probe: that touches them.
    """

    points: ProbePoints
    axis: Array | None
    approach: float
    probe: ProposedProbe


def touching(
    geometry: Geometry,
    form: FormFeature,
    probes: Sequence[ProposedProbe],
    count: int,
    upright: Array,
) -> Touching:
    """Lay out points on a feature, with a probe that touches the part nowhere else.

    As few directions of the stylus as possible are wanted, so the upright one is tried first; where
    only the head is in its way, a longer stylus before another direction.

    Args:
        geometry: of the part.
        form: one of its features.
        probes: to try, alike but for their styluses, the shortest first.
        count: of points.
        upright: of the cell, in the part frame. # (3,)

    Raises:
        SamplingError: no direction of the stylus leaves room for so many points.
    """
    feature = feature_of_form(geometry, form)
    lengths = _approaches(form, probes[0])
    refusal = "the stylus would touch elsewhere all over it"
    for away in _directions(form, upright):
        if not _open(geometry, feature, probes[0].tip, away, None):
            continue  # a longer one has no room either
        refusal = (
            f"the probe head touches with styluses of up to {_mm(probes[-1].free_length):g} mm"
        )
        for probe in probes:
            if not _open(geometry, feature, probe.tip, away, probe.head):
                continue
            for margin in _margins(probe):
                try:
                    points = _laid_out(geometry, feature, form, probe, count, away, margin)
                except (FeatureError, SamplingError) as error:
                    refusal = error.message
                    continue
                approach = _approach(geometry, points, probe, away, lengths)
                if approach:
                    axis = None if away is None else -away
                    return Touching(points=points, axis=axis, approach=approach, probe=probe)
                refusal = f"there is no room for an approach of {_mm(lengths[-1]):g} mm"
    raise SamplingError(f"no direction of the stylus leaves room for {count} points: {refusal}")


def still_touched(geometry: Geometry, one: Touching, probe: ProposedProbe) -> bool:
    """Return whether another probe touches the same points, from as far, and nothing else."""
    away = None if one.axis is None else -one.axis
    points = SurfacePoints(positions=one.points.positions, normals=one.points.normals)
    fits = stylus_fits(geometry, points, probe.tip, away, head=probe.head)
    same = (one.approach,)
    return bool(fits.all()) and _approach(geometry, one.points, probe, away, same) > 0.0


def _open(
    geometry: Geometry, feature: Feature, tip: Tip, away: Array | None, head: ProbeHead | None
) -> bool:
    """Return whether a stylus stands anywhere on a feature, of many even places."""
    places = SamplingArea(feature=feature, strategy="hammersley", reach=AccessLimits()).everywhere()
    return bool(stylus_fits(geometry, places, tip, away, head=head).any())


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
    reach = AccessLimits(
        edge_margin=margin, geometry=geometry, tip=probe.tip, away=away, head=probe.head
    )
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


def _approaches(form: FormFeature, probe: ProposedProbe) -> tuple[float, ...]:
    """Approaches to try, the best first: from the middle of a bore, else from far. [m]."""
    if form.kind != "hole":
        return _APPROACHES
    middle = 0.5 * (form.diameter - probe.ball_diameter)
    return (min(middle, _APPROACHES[0]), *(one for one in _APPROACHES if one < middle))


def _approach(
    geometry: Geometry,
    points: ProbePoints,
    probe: ProposedProbe,
    away: Array | None,
    lengths: Sequence[float],
) -> float:
    """The first approach along the normals that stays free; zero where none does. [m]."""

    def fits(distance: float, clearance: float = 0.0) -> bool:
        places = points.positions + distance * points.normals
        above = SurfacePoints(positions=places, normals=points.normals)
        tip, head = probe.tip, probe.head
        fit = stylus_fits(geometry, above, tip, away, head=head, clearance=clearance)
        return bool(fit.all())

    for length in lengths:
        way = np.linspace(0.0, length, _STEPS + 1)[1:-1]
        if fits(length, probe.clearance) and all(fits(distance) for distance in way.tolist()):
            return length
    return 0.0


def _mm(length: float) -> float:
    return float(f"{1e3 * length:.12g}")
