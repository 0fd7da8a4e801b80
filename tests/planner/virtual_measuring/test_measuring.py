"""The whole chain: part and machine with known errors, measured, read back, evaluated."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from planner.errors import JobError
from planner.evaluation.evaluate import evaluate
from planner.job import UncertaintySettings
from planner.reach.placement import place
from planner.uncertainty.monte_carlo import draws
from planner.virtual_measuring.measuring import measure_virtually
from planner.virtual_measuring.true_part import PartErrors
from reports.virtual_measuring import measurement_sentences
from tests.cases import cases, some
from tests.planner.touching import with_touch

EXACT = 1e-12  # [m]: some thousand roundings of places a metre or two away
UM = 1e-6


def one(planned, **values):
    return measure_virtually(planned, **values)[0]


@pytest.mark.parametrize("frame", some(["base", "part"], gate=1))
@pytest.mark.parametrize("compensated", [False, True])
def test_perfect_machine_and_part_have_no_deviation(round_plan, frame, compensated):
    measured = one(round_plan).measured(frame, compensated=compensated)
    found = evaluate(round_plan.job, measured)
    assert np.abs(found.points.along).max() < EXACT
    assert np.abs(found.points.offsets).max() < EXACT
    for feature, diameter in (("ball", 0.05), ("bore", 0.04)):
        (item,) = [c for c in found.feature(feature).characteristics if c.kind == "diameter"]
        assert item.measured == pytest.approx(diameter, abs=EXACT)


def test_perfect_readings_are_the_plan(corrected):
    measured = one(corrected)
    np.testing.assert_allclose(
        measured.q, [point.q_contact for point in corrected.planned_points], atol=1e-12
    )


@settings(max_examples=cases(gate=4, soak=10), deadline=None)
@given(ball=st.floats(-200, 200), bore=st.floats(-200, 200))
def test_offsets_are_found_as_diameters(round_plan, ball, bore):
    """Out along the normal: a ball gets larger, a bore smaller, by twice the offset."""
    part = PartErrors(offsets={"ball": ball * UM, "bore": bore * UM})
    found = evaluate(round_plan.job, one(round_plan, part=part).measured())
    deviations = {c.feature: c.deviation for c in found.characteristics if c.kind == "diameter"}
    # Centres are moved to the surface along nominal normals: no error for concentric walls.
    assert deviations["ball"] == pytest.approx(2 * ball * UM, abs=1e-10)
    assert deviations["bore"] == pytest.approx(-2 * bore * UM, abs=1e-10)


def test_form_errors_come_back_point_by_point(corrected):
    part = PartErrors(form=10 * UM)
    measured = one(corrected, part=part, seed=4)
    found = evaluate(corrected.job, measured.measured())
    np.testing.assert_allclose(found.points.along, measured.heights, atol=EXACT)
    assert 3 * UM < np.std(measured.heights) < 20 * UM


def test_part_is_the_same_in_every_run(uncertain, corrected, stated):
    planned = uncertain(corrected, stated)
    runs = measure_virtually(planned, part=PartErrors(form=UM), runs=3)
    assert {tuple(run.heights) for run in runs} == {tuple(runs[0].heights)}
    assert len({tuple(run.errors.geometry) for run in runs}) == 3


@pytest.mark.parametrize("which", ["corrected", "round_plan"])
def test_run_is_the_draw_of_the_same_number(request, uncertain, stated, which):
    """Probing to the end and the uncertainty's deviations differ to second order only."""
    planned = uncertain(request.getfixturevalue(which), stated)
    runs = measure_virtually(planned, runs=3, seed=7)
    drawn = np.concatenate(list(draws(planned, count=3, seed=7)))
    normals = planned.placed.normals
    for run, expected in zip(runs, drawn, strict=True):
        away = run.measured("base", compensated=True).xyz - planned.placed.surfaces
        along = np.einsum("ki,ki->k", away, normals)
        wanted = np.einsum("ki,ki->k", expected, normals)
        assert np.abs(wanted).max() > 30 * UM
        # A ball touched 0.5 mm beside its point is lower there by 0.5²/2/28 mm = 4.5 µm.
        curved = np.sum((expected - wanted[:, None] * normals) ** 2, axis=1) / 0.04
        assert np.all(np.abs(along - wanted) < 1 * UM + 2 * curved)


def true_place(errors, places):
    """Where places on the nominal part truly are: grown, turned and shifted about its middle."""
    turn = Rotation.from_rotvec(errors.turn)
    arms = turn.apply((places - errors.middle) * (1.0 + errors.growth))
    return errors.middle + errors.shift + arms


def test_touch_is_exact_on_the_true_part(uncertain, round_plan):
    """Independent of the solver: the true ball is tangent to the true, moved sphere."""
    planned = uncertain(round_plan, UncertaintySettings(alignment=5e-4, alignment_turn=2e-3))
    run = one(planned, seed=3)
    T = planned.job.part.T_base_part
    centre = true_place(run.errors, T[:3, :3] @ [0.25, 0.2, 0.3] + T[:3, 3])
    gaps = np.linalg.norm(run.centres[:11] - centre, axis=1)
    np.testing.assert_allclose(gaps, 0.025 + 0.003, atol=1e-13)


def test_moved_part_is_found_by_alignment(uncertain, corrected):
    planned = uncertain(corrected, UncertaintySettings(alignment=2e-4))
    run = one(planned)
    found = evaluate(planned.job, run.measured())
    n = planned.placed.normals[0]
    np.testing.assert_allclose(found.points.along, run.errors.shift @ n, atol=EXACT)


def test_true_and_nominal_places_are_inverse(uncertain, corrected, stated):
    errors = one(uncertain(corrected, stated)).errors
    places = corrected.placed.surfaces
    np.testing.assert_allclose(errors.nominal_place(true_place(errors, places)), places, atol=1e-14)


def test_seeds(uncertain, corrected, stated):
    planned = uncertain(corrected, stated)
    first, again, other = (one(planned, seed=seed).q for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert np.abs(first - other).max() > 1e-6
    np.testing.assert_array_equal(measure_virtually(planned, runs=2, seed=1)[0].q, first)


def test_points_that_are_not_reached_are_left_out(corrected):
    points = list(corrected.planned_points)
    points[2] = replace(points[2], reachable=False)
    measured = one(replace(corrected, planned_points=tuple(points)))
    assert measured.names == ("P1", "P2", *(f"P{k}" for k in range(4, 10)))


def test_late_touches_are_told(corrected):
    job = with_touch(corrected.job, mode="search", search_after=1e-3)
    planned = replace(corrected, job=job, placed=place(job))
    assert one(planned, part=PartErrors(offsets={"plane": -9e-4})).late == ()
    assert len(one(planned, part=PartErrors(offsets={"plane": -1.1e-3})).late) == 9


def test_touches_before_the_search_are_told(corrected):
    planned = replace(
        corrected,
        job=replace(corrected.job, touch=replace(corrected.job.touch, mode="search")),
        placed=replace(corrected.placed, search_before=np.full(9, 1e-3)),
    )
    assert one(planned, part=PartErrors(offsets={"plane": 9e-4})).early == ()
    found = one(planned, part=PartErrors(offsets={"plane": 1.1e-3}))
    assert len(found.early) == 9
    assert "raise touch.search_before_mm" in measurement_sentences(planned, (found,), ())[-1]
    # A plan that comes to rest at contact has no search that could start too late.
    assert one(corrected, part=PartErrors(offsets={"plane": 1.1e-3})).early == ()


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"runs": 0}, "0 virtual runs"),
        ({"part": PartErrors(offsets={"plan": 1e-6})}, "feature 'plan' has an offset"),
    ],
)
def test_bad_questions(corrected, values, words):
    with pytest.raises(JobError, match=words):
        measure_virtually(corrected, **values)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 1.0])
def test_bad_part_errors(value):
    with pytest.raises(JobError, match="form error"):
        PartErrors(form=value)
    with pytest.raises(JobError, match="offset of 'a'"):
        PartErrors(offsets={"a": -value})


def test_nothing_reached(corrected):
    lost = tuple(replace(point, reachable=False) for point in corrected.planned_points)
    with pytest.raises(JobError, match="no point is reached"):
        measure_virtually(replace(corrected, planned_points=lost))


def test_absurd_errors_are_refused(uncertain, corrected):
    planned = uncertain(corrected, UncertaintySettings(length=100.0))
    with pytest.raises(JobError, match="cannot be touched with these errors"):
        measure_virtually(planned)


def test_grazing_approach_is_refused(corrected):
    directions = np.cross(corrected.placed.normals, [1.0, 0.0, 0.0])
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    with pytest.raises(JobError, match="would not meet"):
        measure_virtually(
            replace(corrected, placed=replace(corrected.placed, directions=directions))
        )


@pytest.mark.soak
@pytest.mark.parametrize("alignment", ["none", "points"])
def test_the_stated_uncertainty_is_that_of_measurements(round_plan, uncertain, alignment):
    """A part that is clamped wrong: what draws say of a characteristic is what machines find.

    A machine touches on its nominal probing lines: it does not see a shift across a normal, which
    an alignment by pairs of points would take out if the draws had it.
    """
    stated = UncertaintySettings(alignment=50 * UM, probe_normal=2 * UM)
    planned = uncertain(round_plan, stated)
    job = replace(planned.job, evaluation=replace(planned.job.evaluation, alignment=alignment))
    errors = np.concatenate(list(draws(planned, count=1000)))
    perfect = one(round_plan).measured("part", compensated=True)
    expected = evaluate(job, perfect, errors=errors)
    runs = measure_virtually(planned, runs=40, seed=8)
    found = [evaluate(job, run.measured("part", compensated=True)) for run in runs]
    for item in expected.characteristics:
        values = [
            other.deviation
            for evaluation in found
            for other in evaluation.characteristics
            if (other.feature, other.kind) == (item.feature, item.kind)
        ]
        told = item.uncertainty
        # forty runs know their mean to a sixth of their spread, and that to a ninth of itself
        assert abs(np.mean(values) - told.shift) < 0.5 * told.standard, item.name
        assert np.std(values) == pytest.approx(told.standard, rel=0.35), item.name
