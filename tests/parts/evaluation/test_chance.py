"""The chance that noise alone leaves points out: its distribution, its tails, and its edges."""

from __future__ import annotations

from itertools import combinations

import mpmath
import numpy as np
import pytest
from scipy.stats import binom, kstest

from parts.evaluation import outliers
from parts.evaluation.outliers import Innovations, PutBack, log_beta, put_back, unlikely
from parts.fits.fitting import fit
from tests.cases import some

FAINT = 1e-15


def beta_by_mpmath(log_x, a, b):
    """Logarithm of the regularised incomplete beta function, by quadrature of its integral.

    With t = x exp(-u / a), so that what is integrated is of size one.
    """
    with mpmath.workdps(30):
        x, a, b = mpmath.exp(log_x), mpmath.mpf(a), mpmath.mpf(b)
        whole = mpmath.quad(
            lambda u: mpmath.exp(-u) * (1 - x * mpmath.exp(-u / a)) ** (b - 1),
            [0, 0.01, 0.1, 1, 4, 10, 20, 40, 80, 160],
        )
        scale = mpmath.log(a) + mpmath.loggamma(a) + mpmath.loggamma(b) - mpmath.loggamma(a + b)
        return float(mpmath.log(whole) + a * log_x - scale)


@pytest.mark.parametrize(
    ("log_x", "a", "b"),
    [
        (-0.01, 0.5, 0.5),
        (-3.0, 1.0, 1.0),
        (-40.0, 2.5, 1.5),
        (-700.0, 0.5, 0.5),
        (-1.1, 300.0, 21.0),
        (-0.02, 5e3, 0.5),
        (-0.06, 5e3, 100.0),
    ],
)
def test_the_log_beta_is_that_of_another_engine(log_x, a, b):
    told = float(log_beta(np.array([log_x]), a, np.array([b]))[0])
    assert told == pytest.approx(beta_by_mpmath(log_x, a, b), rel=1e-11)


@pytest.mark.parametrize(
    ("log_x", "a", "b"),
    [
        (-1500.0, 0.5, 0.5),
        (-800.0, 1.0, 30.0),
        (-1.07, 828.0, 0.5),
        (-0.2, 5e3, 12.0),
        (-0.3, 5e3, 250.0),
        (-657.5, 857.0, 25.0),
    ],
)
def test_where_it_underflows_it_is_told_from_above(log_x, a, b):
    told = float(log_beta(np.array([log_x]), a, np.array([b]))[0])
    exact = beta_by_mpmath(log_x, a, b)
    assert exact < np.log(1e-290)
    rounding = 1e-12 * abs(exact)
    assert exact - rounding <= told <= exact + 0.05  # a probability 5 % too large


def test_the_log_beta_has_no_step_where_it_changes_over():
    log_x = np.linspace(-1.4, -0.6, 400)
    told = log_beta(log_x, 828.0, np.full(400, 3.5))
    assert told[0] < np.log(1e-290) < told[-1]
    slopes = np.diff(told)
    assert slopes.min() > 0.0
    assert np.abs(np.diff(slopes)).max() < 1e-2  # of 1.6


def drawn(rng, *, components, dof, left_out, mix=None):
    """What normal noise leaves; ``mix`` correlates the components."""
    mix = np.eye(components) if mix is None else mix
    own = mix @ rng.normal(size=(components, dof))
    return Innovations(mix @ rng.normal(size=(components, left_out)), own @ own.T, dof)


def probability(part):
    """That noise leaves a given set so far away or farther."""
    k = np.array([part.residuals.shape[1]])
    return float(np.exp(outliers._log_chances(part, outliers._grown(part, FAINT, 0.0)[-1:], k))[0])


@pytest.mark.parametrize("dof", [2, 3, 9])
@pytest.mark.parametrize("components", [1, 2])
def test_one_points_probability_is_uniform(components, dof):
    """Wilks' too, whatever the directions' own scatters and their correlation."""
    rng = np.random.default_rng(dof)
    mix = None if components == 1 else np.array([[1.0, 0.0], [30.0, 2.0]])
    chances = [
        probability(drawn(rng, components=components, dof=dof, left_out=1, mix=mix))
        for _ in range(500)
    ]
    assert kstest(chances, "uniform").pvalue > 1e-3


@pytest.mark.parametrize("components", [1, 2])
def test_a_sets_probability_is_uniform(components):
    rng = np.random.default_rng(7)
    chances = [
        probability(drawn(rng, components=components, dof=4, left_out=3)) for _ in range(500)
    ]
    assert kstest(chances, "uniform").pvalue > 1e-3


def worst_sets(residuals, H, size):
    """Rows whose leaving out takes most of the sum of squares, of all sets of a size."""
    sets = np.array(list(combinations(range(len(H)), size)))
    e = residuals[:, sets]  # (draws, sets, size)
    inner = np.linalg.inv(np.eye(size) - H[sets[:, :, None], sets[:, None, :]])
    taken = np.einsum("dsi,sij,dsj->ds", e, inner, e)
    return sets[np.argmax(taken, axis=1)]


@pytest.mark.parametrize("count", some([9, 6, 12], gate=1))
def test_whichever_set_is_tried_clean_noise_is_accused_no_oftener_than_stated(count):
    """All sets of one, two and three points of a plane, the worst of each size tested."""
    rng = np.random.default_rng(count)
    X = np.column_stack([np.ones(count), rng.uniform(-1.0, 1.0, (count, 2))])
    noise = rng.normal(size=(500, count))
    H = X @ np.linalg.pinv(X)
    residuals = noise - noise @ H
    accused = np.zeros(500, dtype=bool)
    for size in range(1, min(3, count - 4) + 1):
        for draw, rows in enumerate(worst_sets(residuals, H, size)):
            accused[draw] |= _unlikely_by_regression(X, noise[draw], rows)
    assert binom.isf(0.999, 500, 0.01) <= accused.sum() <= binom.isf(1e-3, 500, 0.05)


def _unlikely_by_regression(X, y, rows):
    """Innovations one after the other, by ordinary regressions."""
    kept = np.setdiff1d(np.arange(len(y)), rows)
    dof = len(kept) - X.shape[1]
    beta, *_ = np.linalg.lstsq(X[kept], y[kept], rcond=None)
    scatter = float(np.sum((y[kept] - X[kept] @ beta) ** 2))
    told = []
    for row in sorted(rows, key=lambda row: abs(y[row] - X[row] @ beta)):
        own, *_ = np.linalg.lstsq(X[kept], y[kept], rcond=None)
        h = X[row] @ np.linalg.solve(X[kept].T @ X[kept], X[row])
        told.append((y[row] - X[row] @ own) / np.sqrt(1.0 + h))
        kept = np.append(kept, row)
    part = Innovations(np.array([told]), np.array([[scatter]]), dof)
    return unlikely(PutBack([part], 0.0), len(y) - len(rows), chance=0.05, least=FAINT)


def test_a_fits_own_share_of_the_scatter_is_what_is_tested():
    """Of a plane: the innovations of the left out are the rise of the sum of squares."""
    rng = np.random.default_rng(2)
    points = rng.uniform(-0.1, 0.1, (12, 3)) * [1.0, 1.0, 1e-4]
    now = next(put_back(fit("plane", points[:9]), points[:9], points[9:]))
    (part,) = now.innovations
    assert part.dof == 6
    whole = float(part.scatter[0, 0] + np.sum(part.residuals**2))
    assert whole == pytest.approx(fit("plane", points).sum_squares, rel=1e-5)


@pytest.mark.parametrize(("components", "dof"), [(1, 0), (2, 0), (2, 1)])
def test_too_few_others_accuse_nobody(components, dof):
    part = Innovations(np.full((components, 1), 1e6), np.eye(components), dof)
    assert not unlikely(PutBack([part], 0.0), 3, chance=0.05, least=FAINT)


@pytest.mark.parametrize("components", [1, 2])
def test_exact_others_tell_any_error_from_rounding(components):
    part = Innovations(np.full((components, 2), 1e-6), np.zeros((components, components)), 5)
    assert unlikely(PutBack([part], 0.0), 8, chance=0.05, least=1e-13)
    faint = part._replace(residuals=1e-8 * part.residuals)
    assert not unlikely(PutBack([faint], 0.0), 8, chance=0.05, least=1e-13)


def test_a_scatter_without_width_is_no_trouble():
    """Noise along one direction only: across it any error counts, along it only a large one."""
    others = np.array([[0.6], [0.8]]) * np.linspace(-1e-3, 1e-3, 9)
    scatter = others @ others.T
    across = Innovations(np.array([[0.8e-6], [-0.6e-6]]), scatter, 7)
    along = Innovations(np.array([[0.6e-3], [0.8e-3]]), scatter, 7)
    assert unlikely(PutBack([across], 0.0), 9, chance=0.05, least=1e-13)
    assert not unlikely(PutBack([along], 0.0), 9, chance=0.05, least=1e-13)


def test_one_direction_of_a_circle_is_enough():
    quiet = Innovations(np.array([[1e-6]]), np.array([[6e-12]]), 6)
    loud = Innovations(np.array([[1e-4]]), np.array([[6e-12]]), 6)
    assert unlikely(PutBack([quiet, loud], 0.0), 9, chance=0.05, least=FAINT)
    assert not unlikely(PutBack([quiet, quiet], 0.0), 9, chance=0.05, least=FAINT)


def test_a_good_point_does_not_hide_behind_a_bad_one():
    both = Innovations(np.array([[1e-6, 1e-3]]), np.array([[6e-12]]), 6)
    assert not unlikely(PutBack([both], 0.0), 9, chance=0.05, least=FAINT)
    bad = Innovations(np.array([[1e-3]]), np.array([[7e-12]]), 7)
    assert unlikely(PutBack([bad], 0.0), 10, chance=0.05, least=FAINT)


@pytest.mark.parametrize("components", [1, 2])
def test_what_is_unsure_is_only_ever_to_the_points_harm(components):
    """So that a set that may be unlikely is fitted and not skipped."""
    rng = np.random.default_rng(3)
    for _ in range(100):
        part = drawn(rng, components=components, dof=5, left_out=2)
        told = [
            unlikely(PutBack([part], 0.0), 7, chance=20.0, least=FAINT, unsure=unsure)
            for unsure in (0.0, 0.03, 0.1, 1.0, 100.0)
        ]
        assert told == sorted(told)
        assert told[-1]
