"""Measurements that contradict the others.

A residual is judged against its own standard deviation, which is smaller where the measurement has
drawn the parameters towards itself. The worst is taken out and the rest fitted again, since one
large error makes good neighbours look bad.
"""

from __future__ import annotations

import numpy as np

from robots.core.arrays import Array
from robots.core.identification.equations import start_centres
from robots.core.identification.errors import NotIdentifiableError
from robots.core.identification.fitted import Fit, Question, distances, fit
from robots.core.identification.measurements import ArmMeasurements
from robots.core.identification.result import Outlier

FALSE_ALARMS = 0.01  # probability of one among all measurements, were the noise normal
MOST = 0.1  # of the measurements; beyond it the model is wrong, not the measurements
_UNKNOWN = 1.5  # times the limit where the noise is not known, and so differs between postures
_FREE = 1e-6  # share of a measurement that the parameters do not follow, at least


def outliers(question: Question, given: ArmMeasurements, first: Fit) -> tuple[Outlier, ...]:
    """Contradicting measurements, worst first.

    Args:
        question: what was sought.
        given: all measurements.
        first: the fit to all of them.
    """
    left = np.arange(given.count)
    taken: list[tuple[int, float]] = []
    found, part = first, given
    while len(taken) < max(1, int(MOST * given.count)):
        ratio = _ratios(question, part, found)
        worst = int(np.argmax(ratio))
        if not ratio[worst] > 1.0:
            break
        taken.append((int(left[worst]), float(ratio[worst])))
        left = np.delete(left, worst)
        part = given.only(left)
        try:
            found = fit(question, part)
        except NotIdentifiableError:
            break
    misfit = _misfits(question, given, found, part)
    labels = given.labels()
    listed = [
        Outlier(block=block, label=labels[block], misfit=float(misfit[block]), ratio=ratio)
        for block, ratio in taken
    ]
    return tuple(sorted(listed, key=lambda outlier: -outlier.ratio))


def _ratios(question: Question, given: ArmMeasurements, found: Fit) -> Array:
    """Distance of every measurement in standard deviations, over the limit. # (B,)."""
    k = given.kind.block
    J = found.jacobian.reshape(given.count, k, -1)
    inverse = np.linalg.inv(found.information)
    free = np.eye(k) - J @ inverse @ np.swapaxes(J, -1, -2)
    values, vectors = np.linalg.eigh(free)
    along = (np.swapaxes(vectors, -1, -2) @ found.residual.reshape(-1, k, 1))[..., 0]
    usable = values > _FREE
    squares = np.sum(np.where(usable, along**2 / np.where(usable, values, 1.0), 0.0), axis=1)
    middle = float(np.median(squares)) / _chi_squared(0.5, k)
    # Known noise is not made smaller by a lucky fit, but larger by one that is not.
    variance = _UNKNOWN**2 * middle if question.noise is None else max(1.0, middle)
    limit = variance * _chi_squared(1.0 - FALSE_ALARMS / given.count, k)
    floor = np.finfo(float).eps ** 2 * float(np.abs(found.jacobian).max()) ** 2
    return np.asarray(np.sqrt(squares / (limit + 1e4 * floor)))


def _chi_squared(probability: float, freedom: int) -> float:
    """The value that chi² stays below with a probability."""
    from scipy.special import gammaincinv  # scipy.stats would take seconds to import

    return 2.0 * float(gammaincinv(0.5 * freedom, probability))


def _misfits(
    question: Question, given: ArmMeasurements, found: Fit, part: ArmMeasurements
) -> Array:
    """Distances of all measurements with what the others say."""
    centres = found.centres
    if len(centres):
        model = question.arm.model
        every = start_centres(model, given, question.errors(found.values))
        known = dict(zip(part.names, centres, strict=True))
        centres = np.array(
            [known.get(name, mean) for name, mean in zip(given.names, every, strict=True)]
        )
    return distances(question, given, found.values, centres)
