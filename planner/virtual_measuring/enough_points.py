"""How many points on a feature make a characteristic known well enough.

What all points share does not average out: it is the floor, whatever the count. The rest falls as
one over the root of the count, which gives a first guess; then layouts are evaluated one by one,
fits and all, and the smallest count is bracketed. Draws are the same for every count, so that the
answer does not jump; it still carries the scatter of its draws, a few percent of the uncertainty.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

import numpy as np

from parts.evaluation import Uncertainty
from planner.job import UncertaintySettings
from planner.plan_types import Plan
from planner.uncertainty import draws
from planner.uncertainty.measuring import settings_of
from planner.virtual_measuring.judged import CharacteristicTrial, NotHeldError, completed
from planner.virtual_measuring.layout import Layouts
from planner.virtual_measuring.point_count import PointCount, PointCountRequest, PointCountTrial

_DRAWS = 2_000  # a half width of 95 % to about 3 %
_FEWEST_DRAWS = 200
_MANY = 100  # points at which the floor is looked at
_LEAST = {"line3d": 3, "plane": 4, "circle3d": 4, "sphere": 5, "cylinder": 6, "cone": 7, "torus": 8}
_OF_TOUCH = (
    "encoder",
    "encoder_slide",
    "encoder_resolution",
    "encoder_resolution_slide",
    "probe",
    "probe_normal",
)
# What all points share, in the words of the answer.
_SHARED: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "zeros of the joint readings": ("encoder_offset", "encoder_offset_slide"),
        "lengths of the arm": ("length",),
        "angles of the arm": ("angle",),
        "place of the ball on the stylus": ("stylus",),
        "temperature of the arm": ("temperature",),
        "temperature of the part": ("part_temperature",),
        "alignment of the part": ("alignment", "alignment_turn"),
    }
)


def points_for(
    plan: Plan, wanted: PointCountRequest, *, count: int | None = None, seed: int | None = None
) -> PointCount:
    """The smallest number of points on a feature that holds a target uncertainty.

    Args:
        plan: of a job with an [uncertainty], all of whose points are reached.
        wanted: feature, characteristic and target.
        count: virtual measurements per trial, 200 or more; default the job's samples, at most
            2000.
        seed: default the job's.

    Raises:
        JobError: no [uncertainty], no such feature or characteristic, points out of reach.
    """
    settings = settings_of(plan.job)
    drawn = min(settings.samples or _DRAWS, _DRAWS) if count is None else count
    layouts = Layouts(plan, wanted.feature, wanted.strategy)
    judge = CharacteristicTrial(plan.job, completed(wanted, plan.job, layouts.kind))
    chosen = settings.seed if seed is None else seed
    return _Search(layouts, judge, settings, max(drawn, _FEWEST_DRAWS), chosen).answer()


class _Search:
    """Trials of one question, each made once."""

    def __init__(
        self,
        layouts: Layouts,
        judge: CharacteristicTrial,
        settings: UncertaintySettings,
        count: int,
        seed: int,
    ) -> None:
        self._layouts, self._judge, self._wanted = layouts, judge, judge.wanted
        self._settings, self._draws, self._seed = settings, count, seed
        self._trials: dict[int, PointCountTrial] = {}

    def answer(self) -> PointCount:
        """Floor first, then a bracket about the smallest count."""
        fewest = min(_LEAST.get(self._layouts.kind, 2), self._wanted.most)
        many = max(fewest, min(_MANY, self._wanted.most))
        floor = self._uncertainty(many, _without(self._settings, _OF_TOUCH)).expanded
        best = 0 if floor > self._wanted.target else self._smallest(fewest, floor)
        trials = tuple(self._trials.values())
        shown = self._trials[best] if best else min(trials, key=_by_size, default=None)
        return PointCount(
            wanted=self._wanted,
            strategy=self._layouts.strategy,
            coverage=self._settings.coverage,
            count=best,
            expanded=floor if shown is None else shown.expanded,
            systematic=floor,
            sources=self._sources(many),
            trials=trials,
            draws=self._draws,
            seed=self._seed,
        )

    def _smallest(self, fewest: int, floor: float) -> int:
        """Smallest count that holds; 0 where the most does not."""
        if self._holds(fewest):
            return fewest
        low, high = fewest, self._guess(fewest, floor)
        while not self._holds(high):
            if high >= self._wanted.most:
                return 0
            low, high = high, min(max(2 * high, self._guess(high, floor)), self._wanted.most)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self._holds(middle) else (middle, high)
        return high

    def _guess(self, count: int, floor: float) -> int:
        """By the law of the root, from a trial that has been made."""
        if not np.isfinite(self._trials[count].expanded):
            return min(2 * count, self._wanted.most)
        random = max(self._trials[count].expanded ** 2 - floor**2, 0.0)
        left = self._wanted.target**2 - floor**2
        factor = random / left if left > 0.0 else np.inf
        return int(np.clip(np.ceil(min(count * factor, 1e9)), count + 1, self._wanted.most))

    def _holds(self, count: int) -> bool:
        if count not in self._trials:
            self._trials[count] = self._trial(count)
        return self._trials[count].expanded <= self._wanted.target

    def _trial(self, count: int) -> PointCountTrial:
        try:
            found = self._uncertainty(count, self._settings)
        except NotHeldError:  # too few points in this layout: that many do not do
            return PointCountTrial(count=count, expanded=np.inf, shift=0.0)
        return PointCountTrial(count=count, expanded=found.expanded, shift=found.shift)

    def _sources(self, count: int) -> Mapping[str, float]:
        """Floor of each source alone, the largest first."""
        alone = {}
        for source, names in _SHARED.items():
            if any(getattr(self._settings, name) > 0.0 for name in names):
                others = [n for own in _SHARED.values() for n in own if n not in names]
                some = _without(self._settings, (*_OF_TOUCH, *others))
                alone[source] = self._uncertainty(count, some).expanded
        ordered = sorted(alone.items(), key=lambda pair: -pair[1])
        return MappingProxyType(dict(ordered))

    def _uncertainty(self, count: int, settings: UncertaintySettings) -> Uncertainty:
        laid = self._layouts.of(count)
        measuring = replace(laid.measuring, settings=settings)
        errors = np.concatenate(list(draws(measuring, count=self._draws, seed=self._seed)))
        return self._judge.uncertainty(laid.points, errors)


def _by_size(trial: PointCountTrial) -> float:
    return trial.expanded


def _without(settings: UncertaintySettings, names: tuple[str, ...]) -> UncertaintySettings:
    """The same without some of the sources."""
    return replace(settings, **dict.fromkeys(names, 0.0))  # type: ignore[arg-type]
