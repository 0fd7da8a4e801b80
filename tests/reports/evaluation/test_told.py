"""Words and tables say what the evaluation says."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from parts.evaluation.results import Characteristic
from parts.evaluation.tolerance import Uncertainty
from planner.evaluation.evaluate import evaluate
from planner.findings import Finding, Severity
from planner.findings.finding import Point
from reports.content.table import ValueStatus
from reports.evaluation import content as words
from reports.evaluation import tables
from reports.evaluation.content import evaluation_content, uncertainty_content
from reports.evaluation.document import evaluation_document
from reports.evaluation.qif import results_qif
from reports.evaluation.tables import budget


def characteristic(measured, *, tolerance=0.1e-3, doubt=0.0, kind="flatness", nominal=0.0):
    known = Uncertainty(standard=doubt / 2, expanded=doubt, coverage=0.95, draws=1000)
    return Characteristic(
        name="F flatness",
        feature="F",
        kind=kind,
        nominal=nominal,
        measured=measured,
        tolerance=tolerance,
        uncertainty=known if doubt else None,
    )


def judged(shown, *items):
    return replace(shown.evaluation, characteristics=items, findings=())


@pytest.mark.parametrize(
    ("size", "sentence", "status"),
    [
        # ISO 14253-1 with U = 10 µm at a tolerance of 100 µm, by hand
        (89e-6, "Within tolerance: the one characteristic.", ValueStatus.GOOD),
        (105e-6, "Undecided: 1 of 1 characteristic, nearer to the limit", ValueStatus.DOUBTFUL),
        (111e-6, "Out of tolerance: 1 of 1 characteristic.", ValueStatus.BAD),
    ],
)
def test_the_verdict_follows_the_decision_rule(shown, size, sentence, status):
    found = judged(shown, characteristic(size, doubt=10e-6))
    assert words.verdict(found).startswith(sentence)
    assert words.status(found) is status


def test_what_passes_without_points_that_nobody_measured_is_in_doubt(shown):
    lost = Finding(code="E101", severity=Severity.WARNING, subject=Point("P9"), message="lost")
    found = replace(judged(shown, characteristic(89e-6)), findings=(lost,))
    assert found.unmeasured == ("P9",)
    assert words.verdict(found).endswith(", without 1 point that is not measured.")
    assert words.status(found) is ValueStatus.DOUBTFUL
    subject = replace(shown, evaluation=replace(shown.evaluation, findings=(lost,)))
    assert evaluation_document(subject)["unmeasured"] == ["P9"]
    assert b"<InspectionStatusEnum>UNKNOWN<" in results_qif(subject)


def test_what_passes_by_points_touched_elsewhere_is_in_doubt(shown):
    astray = Finding(code="E116", severity=Severity.WARNING, subject=Point("P9"), message="off")
    found = replace(judged(shown, characteristic(89e-6)), findings=(astray,))
    assert words.verdict(found).endswith("; 1 point was touched away from its place.")
    assert words.status(found) is ValueStatus.DOUBTFUL


def test_without_a_tolerance_nothing_passes_or_fails(plain):
    assert words.verdict(plain.evaluation).startswith("Evaluated; the job specifies no tolerance")
    assert words.status(plain.evaluation) is ValueStatus.PLAIN


def test_every_characteristic_stands_in_the_table_in_millimetres(shown):
    table = tables.characteristics_table(shown)
    assert len(table.rows) == len(shown.evaluation.characteristics)
    labels = tables.labels_of(shown.evaluation)
    for row, item in zip(table.rows, shown.evaluation.characteristics, strict=True):
        assert (row[0].text, row[2].text) == (labels[item.feature], item.name)
        numbers = [cell.number for cell in row[3:6]]
        assert numbers == pytest.approx(
            [1e3 * item.nominal, 1e3 * item.measured, 1e3 * item.deviation]
        )
        assert row[6].text == tables.tolerance_text(item)
        if item.limit is not None:
            assert row[7].bar == pytest.approx(np.clip(item.deviation / item.limit, -2, 2))
        assert row[8].number == pytest.approx(1e3 * item.uncertainty.expanded)
        assert row[1].text.lower() == ("–" if item.verdict is None else item.verdict.value)
    assert "ISO 14253-1" in table.note
    assert "95 %" in table.note
    assert "U" in [head.header for head in table.columns]


def test_a_table_without_uncertainties_has_no_column_for_them(plain):
    table = tables.characteristics_table(plain)
    bare = plain.evaluation.characteristics
    assert all(item.uncertainty is None for item in bare)
    assert "U" not in [head.header for head in table.columns]
    assert [row[2].text for row in table.rows] == [item.name for item in bare]


def test_sizes_are_toleranced_either_way(shown):
    told = {row[2].text: row[6].text for row in tables.characteristics_table(shown).rows}
    assert told["hole-30 diameter"] == "±0.0800"
    assert told["top flatness"] == "0.0300"


def test_form_stands_by_both_ways_side_by_side_and_the_zone_is_never_wider(shown):
    rows = {row[0].text: row for row in tables.features_table(shown.evaluation).rows}
    assert set(rows) == {one.name for one in shown.evaluation.features}
    for one in shown.evaluation.features:
        squares, zone = rows[one.name][3].number, rows[one.name][4].number
        if one.fit is None:
            assert squares is None
            continue
        assert squares == pytest.approx(1e3 * one.fit.form_error)
        assert zone == pytest.approx(1e3 * one.zone.width)
        assert zone <= squares * (1 + 1e-9)


def test_limits_and_bonus_stand_in_the_tolerance():
    size = replace(characteristic(0.0), kind="diameter", tolerance=1e-4, middle=1e-4)
    assert tables.tolerance_text(size) == "+0.2000 / +0.0000"
    assert tables.used_value(replace(size, nominal=0.01, measured=0.01)).bar == -1.0
    zone = replace(characteristic(8e-5), kind="position", tolerance=1e-4, material="M", bonus=6e-5)
    assert tables.tolerance_text(zone) == "0.1000 M +0.0600"
    assert tables.used_value(zone).text == "50 %"
    none = tables.used_value(replace(zone, tolerance=0.0, bonus=-1e-5))  # smaller than its limit
    assert (none.text, none.bar, none.status) == ("beyond", 2.0, ValueStatus.BAD)


def test_a_feature_has_its_coordinates_and_sizes_row_by_row(shown):
    table = tables.coordinates_table(shown.evaluation)
    rows = {(row[1].text, row[2].text): row for row in table.rows}
    row = rows["hole-30", "D"]
    # 8 points of 2 µm noise on a cylinder: by the fit's own covariance
    fit = shown.evaluation.feature("hole-30").fit
    assert row[8].number == pytest.approx(1e3 * float(fit.deviation_of("diameter")[0]))
    assert row[3].number == pytest.approx(30.0, abs=1e-6)
    assert row[6].text == "±0.0800"
    assert row[7].bar == pytest.approx(60e-6 / 80e-6, abs=0.1)
    axis = fit.shape.axis
    for k, name in enumerate("XYZ"):  # of a bore: across its axis only
        assert (("hole-30", name) in rows) == (abs(axis[k]) < 0.999)
    for name in ("X", "Y", "Z"):
        cells = rows.get(("top", name))
        if cells:  # one axis alone: where the plane stands, with 2 µm of noise on its points
            assert name == "Z"
            assert abs(cells[5].number) < 5e-3
    assert ("top", "D") not in rows


def test_points_outside_their_limit_are_marked(shown):
    table = tables.deviations_table(shown)
    told = {row[0].text: (row[6].number, row[7].text) for row in table.rows}
    assert told["C1"] == (pytest.approx(0.05), "no")
    assert told["T1"] == (None, "–")


def test_the_budget_of_the_table_adds_up_to_the_whole_variance(doubtful):
    names, variances = budget(doubtful)
    totals = [point.sigma_first_order**2 for point in doubtful.points]
    assert np.allclose(variances.sum(axis=0), totals, rtol=1e-12)
    content = uncertainty_content(doubtful)
    table = next(one for one in content.tables if one.key == "budget")
    assert sum(row[2].number for row in table.rows) == pytest.approx(100.0)
    assert {row[0].text for row in table.rows} == set(names)


def test_what_is_not_assumed_is_not_listed(doubtful):
    table = next(t for t in uncertainty_content(doubtful).tables if t.key == "assumptions")
    told = {row[0].text: (row[1].text, row[2].text) for row in table.rows}
    assert told["encoder"] == ("0.000573", "deg")
    assert told["length"] == ("0.01", "mm")
    assert "angle" not in told
    assert told["seed"] == ("3", "")


def test_a_job_without_a_reached_point_tells_that(doubtful):
    nothing = replace(doubtful, points=(), draws=None, measuring=doubtful.measuring.take([]))
    content = uncertainty_content(nothing)
    assert content.verdict.startswith("No point of the job is reached")
    assert content.status is ValueStatus.BAD


def test_the_content_ends_with_where_it_comes_from(shown, source):
    content = evaluation_content(shown)
    rows = {row[0].text: row[1].text for row in content.tables[-1].rows}
    assert rows["command"] == source.command
    assert rows["input measured.csv"] == f"SHA-256 {'ab' * 32}"


def test_extra_measured_points_are_told(shown, measured, job):
    more = replace(
        measured,
        names=(*measured.names, "extra"),
        xyz=np.vstack([measured.xyz, [[0.0, 0.0, 0.0]]]),
        directions=None,
        features=(),
    )
    seen = replace(shown, evaluation=evaluate(job, more))
    assert words.facts(seen)[0].detail.endswith("measured; 1 point beside them not in the job")
