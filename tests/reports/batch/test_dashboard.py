"""The page as text: what it says, how large it is, that texts of jobs stay text."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace

import pytest

from planner.batch.outcome import CaseStatus, Outcome
from planner.findings import page as finding_page
from reports.batch.dashboard import BUDGET, dashboard, href, totals
from reports.batch.reasons import finding_totals, reasons
from tests.cases import cases

html = pytest.importorskip("lxml.html")


def data_of(text):
    block = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    return json.loads(block[1])


def column(data, key):
    index = [one["key"] for one in data["columns"]].index(key)
    words = data["columns"][index]["words"]
    return [words[row[index]] if words else row[index] for row in data["rows"]]


@pytest.fixture(scope="module")
def sweep(generated, before):
    return dashboard(generated, title="sweep", previous=before)


def test_five_thousand_rows_are_small(generated, sweep):
    assert len(sweep.encode()) < 3_000_000
    data = data_of(sweep)
    assert (len(data["rows"]), data["total"]) == (5000, 5000)
    assert column(data, "name") == [row.name for row in generated]
    assert column(data, "status") == [row.outcome.status.value for row in generated]
    told = [row.outcome.figures.get("duration_s", math.nan) for row in generated]
    found = [math.nan if value is None else value for value in column(data, "duration_s")]
    assert found == pytest.approx(told, rel=1e-5, nan_ok=True)


def test_green_is_only_for_jobs_that_are_proven(feasible_rows):
    proven, unproven = feasible_rows
    assert [total.look for total in totals([proven])] == ["good"]
    assert [total.look for total in totals([proven, unproven])] == ["doubtful"]
    assert 'verdict good">The job is feasible.' in dashboard([proven], title="a")
    text = dashboard([proven, unproven], title="a")
    assert (
        'verdict doubtful">All 2 jobs are feasible; not checked: part geometry (1 job), torque '
        "limits (1 job)." in text
    )
    assert column(data_of(text), "unchecked") == ["", "part geometry, torque limits"]


def test_swept_keys_are_columns_of_the_page(swept):
    text = dashboard(swept, title="sweep")
    assert len(text.encode()) < 3_000_000
    data = data_of(text)
    assert len(data["rows"]) == 5000
    heads = [(one["title"], one["kind"]) for one in data["columns"] if one["swept"]]
    order = [one["key"] for one in data["columns"]]
    assert order[1:4] == ["status", "code", "swept0"]  # many keys do not push the reason away
    keys = list(swept[-1].swept)
    assert heads == list(zip(keys, ("word", "number", "number"), strict=True))
    for number, (key, missing) in enumerate(zip(keys, ("", None, None), strict=True)):
        told = [row.swept.get(key, missing) for row in swept]
        found = column(data, f"swept{number}")
        assert found[:100] == [missing] * 100
        assert found[100:] == (told[100:] if number < 2 else pytest.approx(told[100:], rel=1e-5))


def test_more_keys_than_columns_are_told(every_kind):
    rows = [replace(every_kind[0], swept={f"a.k{n}": n for n in range(40)})]
    text = dashboard(rows, title="many")
    assert "columns for 32 of the 40 keys that sweeps vary" in text
    assert sum(one["swept"] for one in data_of(text)["columns"]) == 32
    assert "keys that sweeps vary" not in dashboard(every_kind, title="none")


def test_the_legend_names_what_is_drawn(row_of):
    def page(figure, *values):
        rows = [row_of(f"{value}", figures={figure: value}) for value in values]
        return dashboard(rows, title="t")

    assert "</svg>limit</li>" not in page("duration_s", 1.0, 2.0)
    assert "</svg>limit</li>" not in page("joint_margin_deg", 11.0, 12.0)
    assert "</svg>limit</li>" in page("joint_margin_deg", -1.0, 2.0)


def test_no_names_of_classes_before_a_reader(every_kind):
    text = dashboard(every_kind, title="all", previous=every_kind[::-1])
    assert "refused: job file" in text
    assert "JobError" not in text


def test_hostile_rows_keep_the_budget(hostile):
    count = cases(gate=300, soak=1500)
    long = ["<&\u202e" * 4000, "\U0001f600" * 3000, "\u2028" * 2000]
    rows = [
        replace(
            hostile[0],
            name=f"{k} {long[k % 3]}",
            why=f"{k} {long[k % 3]}",
            cause=f"{k} {long[k % 3]}",
            report=f"{k}{long[k % 3]}"[:300],
            outcome=Outcome(
                status=CaseStatus.INFEASIBLE,
                code=f"{k}{long[k % 3]}",
                where=f"{k}{long[k % 3]}",
                message=f"{k} {long[k % 3]}",
                findings={f"{k}-{n}{long[k % 3]}"[:900]: 1 for n in range(3)},
                figures={f"{k % 90}{long[k % 3]}": 1.0},
            ),
        )
        for k in range(count)
    ]
    budget = BUDGET // 2
    text = dashboard(rows, title=long[0], previous=rows[::-1], budget=budget)
    assert len(text.encode()) <= budget
    data = data_of(text)
    assert data["total"] == count
    assert ("This page holds" in text) is (len(data["rows"]) < count)


def test_where_not_all_rows_have_room_failed_ones_stay(generated):
    text = dashboard(generated, title="sweep", budget=600_000)
    data = data_of(text)
    assert len(data["rows"]) < 5000
    shown = column(data, "status")
    failed = sum(row.outcome.status.failed for row in generated)
    assert sum(status != "feasible" for status in shown) == min(failed, len(shown))


def test_totals_are_shares_of_a_whole(generated, every_kind):
    for rows in (generated, every_kind):
        found = totals(rows)
        assert sum(one.count for one in found) == len(rows)
        assert found[-1].start + found[-1].share == pytest.approx(100.0)
    assert [one.status for one in totals(every_kind)] == [status.value for status in CaseStatus]
    assert totals(()) == ()


def test_reasons_have_the_page_of_their_code(generated):
    found = reasons(generated)
    assert [(one.code, one.count) for one in found[:3]] == [
        ("P101", 600),
        ("P102", 500),
        ("JobError", 300),
    ]
    text = dashboard(generated, title="sweep")
    shown = html.fromstring(text).text_content()
    for word in (finding_page("P101").meaning, finding_page("P102").fix, "600 jobs · 37.5 %"):
        assert word in shown


def test_findings_are_counted_by_jobs_and_altogether(every_kind, generated):
    assert [(one.code, one.jobs, one.count) for one in finding_totals(every_kind)] == [
        ("P101", 1, 1),
        ("P203", 1, 2),
    ]
    wanted = sum(row.outcome.findings.get("P103", 0) for row in generated)
    assert {one.code: one.count for one in finding_totals(generated)}["P103"] == wanted


def test_the_page_says_what_ran_and_why(every_kind):
    text = dashboard(every_kind, title="all")
    assert "This run: 6 new · 1 results were there." in text
    assert "6 of 7 jobs are not feasible or came to no verdict." in text
    fine = dashboard(every_kind[:1], title="one")
    assert "The job is feasible." in fine
    assert "No job has a result yet" in dashboard((), title="none")


def test_changes_are_told(generated, sweep):
    assert "What became worse" in sweep
    assert "25 jobs gone" in sweep
    assert "The 200 gravest of" in sweep
    assert set(column(data_of(sweep), "change")) >= {"worse", "better", "same", "new"}
    few = generated[:100]
    assert "Changes" not in dashboard(few, title="sweep")
    assert "Nothing became worse." in dashboard(few, title="sweep", previous=few)


def test_hostile_texts_are_text(hostile):
    every = "\n".join(row.name for row in hostile)
    text = dashboard(hostile, title=every, previous=hostile)
    root = html.fromstring(text)
    assert len(root.findall(".//script")) == 2
    assert root.findall(".//img") == []
    assert not [name for one in root.iter() for name in one.attrib if name.startswith("on")]
    links = [one.get("href") for one in root.iter("a")]
    kept = ("./", "#", "summary.", "junit.xml")
    assert [link for link in links if not link.startswith(kept)] == []
    assert not set(text) & set("\u202e\u2066\u2028\x00\x07")
    assert [link for link in (row[-1] for row in data_of(text)["rows"]) if link[1:3] != "./"] == []


@pytest.mark.parametrize(
    ("path", "wanted"),
    [
        ("reports/ab/report.html", "./reports/ab/report.html"),
        ("javascript:alert(1)", "./javascript%3Aalert%281%29"),
        ("//example.invalid/x", ".///example.invalid/x"),
        ("a/../../etc/passwd", "./"),
        ("a b#c?d\ud800", "./a%20b%23c%3Fd%5Cud800"),
    ],
)
def test_links_lead_nowhere_else(path, wanted):
    assert href(path) == wanted


def test_the_policy_allows_nothing_from_elsewhere(every_kind):
    text = dashboard(every_kind, title="all")
    rules = html.fromstring(text).find(".//meta[@http-equiv]").get("content")
    assert rules.startswith("default-src 'none'")
    assert "unsafe" not in rules
    assert "http" not in rules
    assert " style=" not in text
