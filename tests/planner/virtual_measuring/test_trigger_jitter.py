"""A reading that is latched late: what touch speed makes of the trigger's jitter."""

from dataclasses import replace

import numpy as np
import pytest

from planner.job import UncertaintySettings
from planner.planning import plan
from planner.uncertainty.job_uncertainty import first_order
from planner.uncertainty.measuring import measuring_of
from planner.uncertainty.monte_carlo import draws
from planner.virtual_measuring.measuring import measure_virtually
from reports.virtual_measuring import measurement_sentences
from tests.cases import cases
from tests.reports.programmes.gantry import JOB, gantry_job

JITTER = 0.2e-3  # [s]
SPEED = 8e-3  # [m/s]
RUNS = cases(gate=400, soak=4000)


@pytest.fixture(scope="module")
def planned(tmp_path_factory):
    text = JOB.replace("[evaluation]", "[touch]\nspeed_mm_s = 8\n[evaluation]")
    return plan(gantry_job(tmp_path_factory.mktemp("gantry"), text=text))


def with_settings(planned, **settings):
    job = replace(planned.job, uncertainty=UncertaintySettings(**settings))
    return replace(planned, job=job)


def test_a_late_reading_lies_deeper_by_speed_times_jitter(planned):
    """Law: v · sigma along the line of approach, nothing across it, independent at each touch."""
    noisy = with_settings(planned, trigger_jitter=JITTER)
    clean = measure_virtually(planned)[0].centres
    found = np.array([run.centres for run in measure_virtually(noisy, runs=RUNS)]) - clean
    d = planned.placed.directions
    along = np.einsum("rki,ki->rk", found, d)
    across = found - along[..., None] * d
    assert np.abs(across).max() < 1e-12
    sigma = np.std(along, ddof=1)
    assert sigma == pytest.approx(SPEED * JITTER, rel=4.0 / np.sqrt(2 * along.size))
    assert abs(along.mean()) < 4.0 * sigma / np.sqrt(along.size)  # the mean is calibrated out
    correlation = np.corrcoef(along.T) - np.eye(along.shape[1])
    assert np.abs(correlation).max() < 5.0 / np.sqrt(RUNS)


def test_first_order_monte_carlo_and_virtual_machine_agree(planned):
    noisy = with_settings(planned, trigger_jitter=JITTER, probe=1e-6, probe_normal=2e-6)
    measuring = measuring_of(noisy)
    sigma_n = np.sqrt(1e-12 + 4e-12 + (SPEED * JITTER) ** 2)
    exact = first_order(measuring)
    assert exact.sigma_normal == pytest.approx(sigma_n, rel=1e-9)
    for budget in exact.budgets:
        variance = dict(zip(budget.names, budget.variances, strict=True))["trigger"]
        assert np.sqrt(variance) == pytest.approx(SPEED * JITTER, rel=1e-9)
    drawn = np.concatenate(list(draws(measuring, count=20_000, seed=3)))
    along = np.einsum("mki,ki->mk", drawn, measuring.normals)
    assert np.std(along) == pytest.approx(sigma_n, rel=0.01)
    runs = np.array([run.centres for run in measure_virtually(noisy, runs=RUNS)])
    along = np.einsum("rki,ki->rk", runs - measure_virtually(planned)[0].centres, measuring.normals)
    assert np.std(along) == pytest.approx(sigma_n, rel=4.0 / np.sqrt(2 * along.size))


def test_without_jitter_every_draw_stays_what_it_was(planned):
    """A source that is zero takes no draw from the streams of the others."""
    stated = {"probe": 1e-6, "probe_normal": 2e-6, "encoder_slide": 1e-6}
    one = with_settings(planned, **stated)
    still = with_settings(planned, **stated, trigger_jitter=JITTER)
    measuring = measuring_of(still)
    at_rest = replace(measuring, velocities=np.zeros_like(measuring.velocities))
    a, b = (np.concatenate(list(draws(m, count=50))) for m in (measuring_of(one), at_rest))
    assert (a == b).all()


def test_a_reader_is_told_the_model(planned):
    noisy = with_settings(planned, trigger_jitter=JITTER)
    told = " ".join(measurement_sentences(noisy, measure_virtually(noisy), ()))
    assert "0.2 ms (1 sigma)" in told
    assert "at 8 mm/s: 1.6 um along the line" in told
    assert "calibration" in told


@pytest.mark.usefixtures("places_sought_once")
def test_machine_tests_touch_at_the_speed_of_the_job():
    """PForm of a machine with jitter alone is that of one whose probe is as wrong along normals."""
    from planner.virtual_measuring.machine_tests import TestBench, machine_tests
    from robots.library import load

    arm = load("measuring-arm")
    late = UncertaintySettings(trigger_jitter=JITTER)
    same = UncertaintySettings(probe_normal=SPEED * JITTER)
    found = [
        machine_tests(
            arm,
            TestBench(settings=one, count=400, places=1, touch_speed=speed),
        )
        for one, speed in ((late, SPEED), (same, SPEED))
    ]
    lines = [{line.test: line.limit for line in one.lines} for one in found]
    assert lines[0] == pytest.approx(lines[1], rel=0.02)  # the same draws of the other sign
    assert max(lines[0].values()) > 0.0
