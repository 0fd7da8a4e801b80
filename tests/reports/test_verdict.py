"""One verdict in every medium: what was not checked first, green only for what is proven."""

from __future__ import annotations

import io
import re
from dataclasses import replace

import openpyxl
import pytest

from planner.findings import Finding, Severity
from planner.findings.finding import Aspect, Travel
from planner.findings.unchecked import Unchecked
from planner.motion.sampled_motion import sampled
from planner.plan import SegmentClearance
from reports.content.report import facts, report_content, verdict
from reports.content.table import ValueStatus
from reports.drawn_samples import drawn_samples
from reports.export import read_me
from reports.page.page import page
from reports.pdf.document import document as paper
from reports.provenance import SetOptions, provenance
from reports.verdict import (
    aspect_text,
    clearance_scope,
    listed,
    meaning,
    measured_to,
    not_checked,
    withheld,
)
from reports.workbook import workbook
from robots.core.self_pairs import PairReason

MISSING = "not checked: part geometry, stylus shape, torque limits"


@pytest.fixture(scope="module")
def feasible(plan):
    """Every motion proven, as far as was looked at."""
    return replace(plan, finding_list=())


@pytest.fixture(scope="module")
def report(feasible, proved):
    drawn = drawn_samples(sampled(feasible))
    return report_content(proved(feasible), drawn, provenance(feasible))


def near(plan, certified):
    clearance = SegmentClearance(
        certified=certified,
        seen=certified,
        moving="forearm",
        against="column",
        place=(0, 0, 0),
        at=0.5,
    )
    segments = (replace(plan.timeline[0], clearance=clearance), *plan.timeline[1:])
    return replace(plan, timeline=segments)


def clearance_of(proof):
    return next(f for f in facts(proof) if f.label.startswith("minimum clearance"))


def test_green_is_only_for_what_is_proven(plan, feasible, whole, proved, rejected):
    assert verdict(proved(whole))[1] is ValueStatus.GOOD
    assert verdict(proved(feasible))[1] is ValueStatus.DOUBTFUL
    assert verdict(proved(plan))[1] is ValueStatus.BAD
    assert verdict(rejected(whole))[1] is ValueStatus.BAD
    assert "not checked" not in verdict(proved(whole))[0]
    assert verdict(proved(feasible))[0].startswith(f"Feasible; {MISSING}. ")
    assert verdict(proved(plan))[0].endswith(f" N{MISSING[1:]}.")


def test_a_clearance_says_what_it_is_to(feasible, whole, proved):
    own = clearance_of(proved(near(feasible, 0.78)))
    assert own.value.status is ValueStatus.DOUBTFUL
    assert own.detail.startswith("self-clearance only, part geometry not given, no obstacles given")
    assert "forearm - column" in own.detail
    all_round = clearance_of(proved(near(whole, 0.78)))
    assert all_round.value.status is ValueStatus.GOOD
    assert all_round.detail.startswith("to the part and the robot itself, no obstacles given; ")
    deep = clearance_of(proved(near(whole, -0.001)))
    assert (deep.label, deep.value.status) == ("minimum clearance, found", ValueStatus.BAD)


def test_links_without_shape_are_said_beside_a_clearance(whole):
    some = tuple(c for c in whole.job.mechanism.capsules if c.name != "forearm")
    mechanism = replace(whole.job.mechanism, capsules=some, self_pairs=())
    plan = replace(whole, job=replace(whole.job, mechanism=mechanism))
    assert clearance_scope(plan) == "to the part"
    assert measured_to(plan) == "to the part, no obstacles given, without link shapes (q3)"


def test_the_page_has_it_before_every_figure(report, feasible):
    text = page(report, feasible.timeline, "<!doctype html><p>")
    assert '<p class="verdict doubtful">' in text
    assert text.index(f"Feasible; {MISSING}") < text.index('<ul class="unchecked"')
    block = re.search(r'<ul class="unchecked".*?</ul>', text, re.DOTALL)[0]
    assert re.findall(r"<strong>(.*?)</strong>", block) == [
        one.aspect.value for one in feasible.unchecked
    ]
    assert text.index(block) < text.index('<dl class="facts">')


def test_the_paper_has_it_in_amber(report, feasible):
    told = paper(report, feasible.timeline, {})
    assert told["status"] == "doubtful"
    assert told["verdict"].startswith(f"Feasible; {MISSING}")
    assert [fact["label"] for fact in told["unchecked"]] == [
        one.aspect.value for one in feasible.unchecked
    ]


def test_the_workbook_has_it_behind_the_verdict(report, feasible):
    sheet = openpyxl.load_workbook(io.BytesIO(workbook(report)))["summary"]
    rows = [[cell.value for cell in row] for row in sheet.iter_rows(min_row=2)]
    assert rows[1][1].startswith(f"Feasible; {MISSING}")
    assert [row[:2] for row in rows[2:5]] == [
        [one.aspect.value, "not checked"] for one in feasible.unchecked
    ]


def test_the_read_me_has_it_and_says_why_there_is_no_programme(plan, feasible):
    text = read_me(feasible, SetOptions())
    assert f"feasible; {MISSING}" in " ".join(text.split())
    text = " ".join(read_me(plan, SetOptions()).split())
    assert f"NOT FEASIBLE; {MISSING}" in text
    assert "1 of 3 points (P2) cannot be measured; --partial writes programmes" in text
    text = " ".join(read_me(plan, SetOptions(partial=True)).split())
    assert "The programmes leave out 1 of 3 points: P2" in text


def test_programmes_are_a_fact_of_the_summary_where_they_are_missing(plan, whole, proved):
    def told(plan, **options):
        found = facts(proved(plan), SetOptions(**options))
        return [(f.value.text, f.value.status) for f in found if f.label == "programmes"]

    reached = tuple(point for point in whole.planned_points if point.reachable)
    assert told(replace(whole, planned_points=reached)) == []
    assert told(plan) == [("none", ValueStatus.BAD)]
    assert told(plan, partial=True, withheld="no.") == [("none", ValueStatus.BAD)]
    assert told(plan, partial=True) == [("partial", ValueStatus.DOUBTFUL)]


def test_what_withholds_programmes(plan):
    assert withheld(plan, SetOptions()).startswith("1 of 3 points (P2) cannot be measured")
    assert withheld(plan, SetOptions(partial=True)) == ""
    error = Finding(
        code="P137", severity=Severity.ERROR, subject=Travel("P1", "P3"), message="a wall"
    )
    wall = replace(plan, finding_list=(*plan.finding_list, error))
    assert withheld(wall, SetOptions(partial=True)).startswith(
        "the motion is not proven (P137 at P1 to P3)"
    )
    assert "to keep its clearance" in withheld(near(plan, -0.0687), SetOptions(partial=True))
    assert "no motion" in withheld(replace(plan, timeline=()), SetOptions(partial=True))


def test_texts_name_what_is_concerned_and_count_the_rest():
    links = Unchecked(aspect=Aspect.LINK_SHAPES, of=("base", "q1", "q2", "q3", "q4", "q5"))
    assert aspect_text(links) == "link shapes (base, q1, q2, q3 and 2 more)"
    assert listed(["a"]) == "a"
    assert not_checked(()) == ""
    for aspect in set(Aspect) - {Aspect.SELF_CONTACT}:
        assert meaning(Unchecked(aspect=aspect)).count("; ") == 1


def test_each_reason_for_links_that_nothing_watches_has_words_of_its_own():
    reasons = [reason for reason in PairReason if reason.open]
    texts = [
        meaning(Unchecked(aspect=Aspect.SELF_CONTACT, of=("a with b",), reasons=(reason,)))
        for reason in reasons
    ]
    assert len(set(texts)) == len(reasons) == 3
    every = meaning(Unchecked(aspect=Aspect.SELF_CONTACT, reasons=tuple(reasons)))
    assert all(text.partition("; ")[2] in every for text in texts)
