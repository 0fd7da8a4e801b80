"""How well the calibrated arm does with measurements that it was not found from."""

from __future__ import annotations

import numpy as np

from robots.core.arrays import Array
from robots.core.identification.equations import start_centres
from robots.core.identification.errors import NotIdentifiableError
from robots.core.identification.fitted import Question, distances, fit, misfit_of
from robots.core.identification.measurements import ArmMeasurements
from robots.core.identification.result import Validation

FOLDS = 5


def validated(question: Question, given: ArmMeasurements) -> Validation | None:
    """Keep out every fifth measurement, five times; absent where the rest would be too few."""
    blocks = np.arange(given.count)
    before, after = [], []
    for fold in range(FOLDS):
        out = blocks % FOLDS == fold
        if not np.any(out) or np.all(out):
            return None
        train, test = given.only(blocks[~out]), given.only(blocks[out])
        if not set(test.names) <= set(train.names) and not len(test.lengths):
            return None
        try:
            found = fit(question, train)
        except NotIdentifiableError:
            return None
        model, none = question.arm.model, np.zeros(len(question.arm.parameters))
        nominal = start_centres(model, train, none)
        before.append(_misfits(question, (train, test), np.zeros_like(found.values), nominal))
        after.append(_misfits(question, (train, test), found.values, found.centres))
    return Validation(
        before=misfit_of(np.concatenate(before)),
        after=misfit_of(np.concatenate(after)),
        folds=FOLDS,
    )


def _misfits(
    question: Question,
    parts: tuple[ArmMeasurements, ArmMeasurements],
    values: Array,
    centres: Array,
) -> Array:
    """Distances in the part kept out, with the centres of the other."""
    train, test = parts
    if len(centres):
        centres = centres[[train.names.index(name) for name in test.names]]
    return distances(question, test, values, centres)
