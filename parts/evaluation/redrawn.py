"""A measured feature measured again, many times: other errors of the same points."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from parts.evaluation.association import Measurable, Subject
from parts.evaluation.nominal_feature import NominalFeature
from parts.fits import FitError
from parts.fits.fitted import Fitted
from parts.fits.near import fits_near
from robots.core.arrays import Array


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Redrawn:
    """One of these measurements.

    Args:
        of: the feature as it was measured.
        errors: of its points, more than it already has. # (n, 3) [m]
        fit: None where the feature has none.
    """

    of: Subject
    errors: Array
    fit: Fitted | None

    def __len__(self) -> int:
        """Points of the feature, those that were dropped included."""
        return len(self.of)

    @property
    def name(self) -> str:
        """Of the feature."""
        return self.of.name

    @property
    def nominal(self) -> NominalFeature:
        """As it should be."""
        return self.of.nominal

    @property
    def refusal(self) -> str:
        """Why there is no fit."""
        return self.of.refusal

    @property
    def points(self) -> Array:
        """That the fit rests on. # (k, 3) [m]."""
        return self.of.points + self.errors[self.of.kept]

    @property
    def targets(self) -> Array:
        """Where these should be. # (k, 3) [m]."""
        return self.of.targets

    @property
    def names(self) -> tuple[str, ...]:
        """Of these points."""
        return self.of.names

    @property
    def profile(self) -> Array:
        """Deviations of these points: their errors count along the normals. # (k,) [m]."""
        kept = self.of.kept
        along = np.einsum("ij,ij->i", self.errors[kept], self.of.deviations.normals[kept])
        return np.asarray(self.of.profile + along)


def redrawn(subject: Subject, errors: Array) -> list[Measurable | None]:
    """Measure a feature again with each draw of its points' errors.

    The fits are made together; where that leaves a doubt, one is made on its own. None stands for
    a draw whose points hold no such feature.

    Args:
        subject: as it was measured.
        errors: more than its points already have. # (d, n, 3) [m]
    """
    if subject.fit is None:
        return [Redrawn(of=subject, errors=some, fit=None) for some in errors]
    sets = subject.points + errors[:, subject.kept]
    normals = subject.deviations.normals[subject.kept]
    found = fits_near(subject.fit.kind, subject.fit.shape, sets, normals)
    return [
        _alone(subject, some) if fit is None else Redrawn(of=subject, errors=some, fit=fit)
        for fit, some in zip(found, errors, strict=True)
    ]


def _alone(subject: Subject, errors: Array) -> Subject | None:
    try:
        return subject.redrawn(subject.deviations.measured + errors)
    except FitError:
        return None
