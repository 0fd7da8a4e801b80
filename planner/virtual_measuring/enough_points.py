"""How many points on a feature make a characteristic known well enough.

What all points share does not average out: it is the floor, whatever the count. The rest falls as
one over the root of the count, which gives a first guess; then layouts are evaluated one by one,
fits and all, and the smallest count is bracketed. Draws are the same for every count, so that the
answer does not jump; it still carries the scatter of its draws, a few percent of the uncertainty.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import cast

import numpy as np

from parts.drawing.drawing import DatumReference
from parts.errors import PartError
from parts.evaluation.characteristics import FORM_OF
from parts.evaluation.measured_points import MeasuredPoints
from parts.evaluation.tolerance import (
    FORM_KINDS,
    TOLERANCE_KINDS,
    ToleranceKind,
    ToleranceSpec,
    Uncertainty,
)
from parts.points import ProbePoints
from planner.errors import JobError
from planner.evaluation.evaluate import evaluate
from planner.job import Job, UncertaintySettings
from planner.plan import Plan
from planner.uncertainty.measuring import settings_of
from planner.uncertainty.monte_carlo import draws
from planner.virtual_measuring.layout import Layouts
from robots.core.arrays import Array

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
    "trigger_jitter",
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
_MOST = 1_000  # points on one feature: beyond it nobody measures with an arm
_ROUND = ("cylinder", "sphere", "circle3d")


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


@dataclass(frozen=True, slots=True, kw_only=True)
class PointCountRequest:
    """What is to be known how well.

    Args:
        feature: by the name that its points carry.
        target: expanded uncertainty at the job's coverage. [m]
        kind: characteristic, such as "diameter"; empty for the first one that the job tolerances,
            otherwise diameter, form or position, whichever the feature has first.
        datum: of orientation and distance.
        datums: datum system that it stands in; empty for the frame of the alignment.
        projected: length of its projected zone; 0 for none. [m]
        strategy: how points are laid out, or "repeat".
        most: points that are worth a trial.

    Raises:
        JobError: a target that is not above zero, an unknown kind, a most below one.
    """

    feature: str
    target: float
    kind: str = ""
    datum: str = ""
    datums: tuple[DatumReference, ...] = ()
    projected: float = 0.0
    strategy: str = "hammersley"
    most: int = _MOST

    def __post_init__(self) -> None:
        if not (np.isfinite(self.target) and self.target > 0.0):
            raise JobError(
                f"The target uncertainty is {self.target} m; expected above zero.",
                found=self.target,
                limit=0.0,
            )
        if self.kind and self.kind not in TOLERANCE_KINDS:
            raise JobError(
                f"There is no characteristic {self.kind!r}; choose one of "
                f"{', '.join(TOLERANCE_KINDS)}.",
                found=self.kind,
            )
        if not 1 <= self.most <= _MOST:
            raise JobError(
                f"At most {self.most} points; expected 1 to {_MOST}.", found=self.most, limit=_MOST
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class PointCountTrial:
    """One count that was evaluated.

    Args:
        count: of points on the feature.
        expanded: uncertainty of the characteristic; infinite where so few points do not hold it.
            [m]
        shift: what noise adds to it on average: form errors grow with it. [m]
    """

    count: int
    expanded: float
    shift: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PointCount:
    """Points that a target needs.

    Args:
        wanted: what was asked, its kind filled in.
        strategy: how points were laid out.
        coverage: probability of the intervals.
        count: smallest that holds the target; 0 where none does.
        expanded: uncertainty there; where none does, of the best trial. [m]
        systematic: floor that all points share, at many points. [m]
        sources: of the floor, each alone, largest first. [m]
        trials: in the order in which they were made.
        draws: of each trial.
        seed: of all of them.
    """

    wanted: PointCountRequest
    strategy: str
    coverage: float
    count: int
    expanded: float
    systematic: float
    sources: Mapping[str, float]
    trials: tuple[PointCountTrial, ...]
    draws: int
    seed: int

    @property
    def reached(self) -> bool:
        """Whether a number of points reaches the target."""
        return self.count > 0

    @property
    def sentence(self) -> str:
        """The answer in words."""
        asked = f"the {self.wanted.kind} of {self.wanted.feature!r}"
        target = _um(self.wanted.target)
        floor = _um(self.systematic)
        if self.reached:
            return (
                f"{self.count} points ({self.strategy}) know {asked} to "
                f"{_um(self.expanded)} ({100 * self.coverage:g} %); {floor} of it all "
                "points share."
            )
        if self.systematic > self.wanted.target:
            source, size = next(iter(self.sources.items()))
            return (
                f"No number of points reaches {target} for {asked}: {floor} is systematic, the "
                f"largest part from {source} ({_um(size)} alone). Calibrate that, or ask for more "
                f"than {floor}."
            )
        range_ = " A range of deviations hardly gets surer with points." if self._is_range else ""
        return (
            f"Up to {self.wanted.most} points do not reach {target} for {asked}: the best trial "
            f"gives {_um(self.expanded)}, of which {floor} is systematic. Measure with "
            f"less noise, or ask for more.{range_}"
        )

    @property
    def _is_range(self) -> bool:
        return self.wanted.kind in (*FORM_KINDS, "profile")


def _um(length: float) -> str:
    """Micrometres to three digits; less than a picometre is rounding."""
    return f"{1e6 * length:.3g} µm" if length >= 1e-12 else "0 µm"


def completed(wanted: PointCountRequest, job: Job, kind: str) -> PointCountRequest:
    """The question with its characteristic: the first that the job tolerances, or a usual one.

    Args:
        wanted: perhaps without a kind.
        job: with its tolerances.
        kind: of the feature's surface.
    """
    if wanted.kind:
        return wanted
    for spec in job.evaluation.tolerances:
        if spec.feature == wanted.feature:
            return replace(
                wanted,
                kind=spec.kind,
                datum=spec.datum,
                datums=spec.datums,
                projected=spec.projected,
            )
    usual = "diameter" if kind in _ROUND else FORM_OF.get(kind, "profile")
    return replace(wanted, kind=usual)


class NotHeldError(JobError):
    """A layout that does not hold the characteristic: too few points, or in a bad place."""


class CharacteristicTrial:
    """Measures the nominal part with drawn errors and looks at one characteristic.

    Args:
        job: for its alignment.
        wanted: feature, characteristic, datum.

    Raises:
        JobError: a characteristic without its datum, or with one too many.
    """

    def __init__(self, job: Job, wanted: PointCountRequest) -> None:
        self.wanted = wanted
        settings = replace(job.evaluation, tolerances=(_spec(wanted),), drop_outliers=False)
        on_skin = settings.alignment == "surface"
        self._job = replace(
            job,
            frame="part",
            probe=replace(job.probe, compensated=True),
            evaluation=settings,
            geometry=job.geometry if on_skin else None,
        )

    def uncertainty(self, points: ProbePoints, errors: Array) -> Uncertainty:
        """Of the characteristic, on the nominal part.

        Args:
            points: all of the job, on the surface, in the part frame.
            errors: of these, base axes. # (draws, k, 3) [m]

        Raises:
            NotHeldError: these points do not hold the characteristic.
        """
        wanted = self.wanted
        if self._job.evaluation.alignment == "none":  # other features have no say
            labels = {one.label for one in wanted.datums}
            system = [one for one in self._job.evaluation.datum_features if one.label in labels]
            datums = [name for one in system for name in one.features]
            own = {wanted.feature, wanted.datum, *datums} - {""}
            rows = np.flatnonzero([name in own for name in points.features])
            points, errors = points.take(rows), errors[:, rows]
        found = evaluate(
            replace(self._job, points=points),
            MeasuredPoints(names=points.names, xyz=points.positions, features=points.features),
            errors=errors,
        )
        for item in found.characteristics:
            same = (item.feature, item.kind, item.datum, item.datums)
            asked = (wanted.feature, wanted.kind, wanted.datum, wanted.datums)
            if same == asked and item.uncertainty is not None:
                return item.uncertainty
        told = [f.message for f in found.findings if f.subject.feature == wanted.feature]
        raise NotHeldError(
            f"The {wanted.kind} of {wanted.feature!r} cannot be evaluated on {len(points)} points. "
            + " ".join(told),
            feature=wanted.feature,
            kind=wanted.kind,
        )


def _spec(wanted: PointCountRequest) -> ToleranceSpec:
    """The tolerance that asks for the characteristic; how wide it is does not matter."""
    try:
        return ToleranceSpec(
            feature=wanted.feature,
            kind=cast(ToleranceKind, wanted.kind),
            value=1.0,
            datum=wanted.datum,
            datums=wanted.datums,
            projected=wanted.projected,
        )
    except PartError as error:
        raise JobError(error.message, **error.facts) from error
