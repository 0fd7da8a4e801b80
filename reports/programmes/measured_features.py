"""Touches gathered to features: what a measuring machine is asked for, one after another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from reports.programmes.nominals import Nominal, NominalKind, nominal_of
from reports.programmes.safe_text import labels
from reports.programmes.steps import Touch


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MeasuredFeature:
    """A feature and the touches that measure it, in order of time.

    Args:
        name: of the feature, or of the point where it stands alone; untrusted.
        label: safe and unique.
        nominal: what it is.
        touches: at least one, none between them of another feature.
    """

    name: str
    label: str
    nominal: Nominal
    touches: tuple[Touch, ...]


def measured_features(touches: Sequence[Touch]) -> tuple[MeasuredFeature, ...]:
    """Features in order of time.

    Points stay together where they carry a feature's name, are touched one after another, and tell
    what the feature is; every other point is a feature of its own.
    """
    runs = [(name, tuple(run)) for name, run in groupby(touches, key=lambda t: t.feature)]
    visits = Counter(name for name, _ in runs)
    found: list[tuple[str, Nominal, tuple[Touch, ...]]] = []
    for name, run in runs:
        whole = nominal_of(*_columns(run)) if name and visits[name] == 1 else None
        if whole is not None:
            found.append((name, whole, run))
        else:
            found += [(touch.name, _point(touch), (touch,)) for touch in run]
    safe = labels((name for name, _, _ in found), "P")
    return tuple(
        MeasuredFeature(name=name, label=label, nominal=nominal, touches=run)
        for label, (name, nominal, run) in zip(safe, found, strict=True)
    )


def _columns(run: Sequence[Touch]) -> tuple[np.ndarray, np.ndarray]:
    return np.array([t.surface for t in run]), np.array([t.normal for t in run])


def _point(touch: Touch) -> Nominal:
    return Nominal(kind=NominalKind.POINT, location=touch.surface, axis=touch.normal)
