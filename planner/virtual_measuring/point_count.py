"""What is to be known how well, and how many points that takes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from parts.evaluation import TOLERANCE_KINDS
from parts.evaluation.tolerance import FORM_KINDS
from planner.errors import JobError

_MOST = 1_000  # points on one feature: beyond it nobody measures with an arm


@dataclass(frozen=True, slots=True, kw_only=True)
class PointCountRequest:
    """What is to be known how well.

    Args:
        feature: by the name that its points carry.
        target: expanded uncertainty at the job's coverage. [m]
        kind: characteristic, such as "diameter"; empty for the first one that the job tolerances,
            otherwise diameter, form or position, whichever the feature has first.
        datum: of orientation and distance.
        strategy: how points are laid out, or "repeat".
        most: points that are worth a trial.

    Raises:
        JobError: a target that is not above zero, an unknown kind, a most below one.
    """

    feature: str
    target: float
    kind: str = ""
    datum: str = ""
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
                f"At most {self.most} points; expected 1 to {_MOST}.",
                found=self.most,
                limit=_MOST,
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
