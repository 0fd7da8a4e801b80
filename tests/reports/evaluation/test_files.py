"""JSON and CSV: whole, strict, in SI or in millimetres as their names say; safe in spreadsheets."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace

import numpy as np
import pytest

from reports.document_text import document_text, plain
from reports.evaluation.document import (
    evaluation_document,
    uncertainty_document,
)
from reports.evaluation.tables import deviations_csv, uncertainty_csv


def strict(text):
    def refuse(name):
        raise AssertionError(name)

    return json.loads(text, parse_constant=refuse)


def rows(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_the_document_holds_the_evaluation_in_metres(shown):
    document = strict(document_text(evaluation_document(shown)))
    assert document["format"] == 1
    assert document["job"] == {"name": "block with holes", "sha256": shown.job.sha256}
    assert document["conforms"] is False
    found = {item["name"]: item for item in document["characteristics"]}
    hole = found["hole-30 diameter"]
    assert hole["nominal_m"] == pytest.approx(0.03)
    assert hole["deviation_m"] == pytest.approx(60e-6, abs=5e-6)  # 30 µm on the radius, by hand
    assert hole["uncertainty"]["coverage"] == 0.95
    assert found["cone profile"]["verdict"] == "fail"
    assert [point["within"] for point in document["points"]].count(False) == 6
    assert document["uncertainty"]["points"][0]["covariance_m2"]


def test_both_fits_stand_in_the_document(shown):
    document = strict(document_text(evaluation_document(shown)))
    top = next(one for one in document["features"] if one["name"] == "top")
    assert top["minimum_zone"]["width_m"] <= top["least_squares"]["form_m"]
    assert top["least_squares"]["certificate"]["strict_minimum"] is True
    assert len(top["least_squares"]["residuals_m"]) == len(top["points"])


def test_what_is_not_known_is_null(plain):
    document = strict(document_text(evaluation_document(plain)))
    assert document["uncertainty"] is None
    assert {item["tolerance_m"] for item in document["characteristics"]} == {None}
    assert {point["within"] for point in document["points"]} == {None}


def test_numbers_that_json_does_not_have_become_null():
    assert plain({"a": np.array([np.nan, 1.0]), "b": (np.inf, np.int64(2))}) == {
        "a": [None, 1.0],
        "b": [None, 2],
    }


def test_shares_of_every_point_add_up(doubtful):
    document = strict(document_text(uncertainty_document(doubtful)))
    for point in document["points"]:
        assert sum(point["shares"].values()) == pytest.approx(1.0)


def test_deviations_are_exact_in_csv(shown):
    told, points = rows(deviations_csv(shown)), shown.evaluation.points
    assert [row["point"] for row in told] == list(points.names)
    assert np.array([float(row["deviation_mm"]) for row in told]) == pytest.approx(
        1e3 * points.profile, rel=1e-15
    )
    assert {row["within"] for row in told} == {"", "false"}


def test_uncertainties_are_exact_in_csv(doubtful):
    told = rows(uncertainty_csv(doubtful))
    sigmas = [point.sigma_normal for point in doubtful.points]
    assert [float(row["sigma_mm"]) for row in told] == pytest.approx([1e3 * s for s in sigmas])
    variances = [
        sum(float(v) for key, v in row.items() if key.startswith("variance")) for row in told
    ]
    totals = [1e6 * point.budget.total for point in doubtful.points]
    assert variances == pytest.approx(totals)


@pytest.mark.parametrize("name", ["=1+1", "+A1", "-A1", "@SUM(A1)", "\tA1"])
def test_no_name_is_a_formula(shown, name):
    points = shown.evaluation.points
    renamed = replace(points, names=(name, *points.names[1:]))
    text = deviations_csv(replace(shown, evaluation=replace(shown.evaluation, points=renamed)))
    assert rows(text)[0]["point"] == f"'{name}"
