"""Cards of findings: equal codes together, with the page of the code."""

from __future__ import annotations

from planner.findings import Finding, Severity, page
from planner.findings.finding import Point
from reports.page.page import cards


def finding(code, severity=Severity.ERROR, where="P1"):
    return Finding(code=code, severity=severity, subject=Point(where), message="m", hint="h")


def test_equal_codes_share_a_card_in_the_order_of_their_first():
    made = cards([finding("P102"), finding("P101"), finding("P102", where="P2")])
    assert [(card.code, len(card.findings)) for card in made] == [("P102", 2), ("P101", 1)]
    assert made[0].page == page("P102")


def test_the_same_code_with_another_severity_is_another_card():
    made = cards([finding("P102"), finding("P102", Severity.WARNING)])
    assert [card.severity for card in made] == ["error", "warning"]
    assert len({card.anchor for card in made}) == 2


def test_of_many_the_first_twenty_are_shown_and_the_rest_counted():
    (card,) = cards([finding("P101", where=f"P{k}") for k in range(250)])
    assert [f.where for f in card.findings] == [f"P{k}" for k in range(20)]
    assert card.left_out == 230


def test_a_code_without_a_page_still_has_a_card():
    (card,) = cards([finding("<script>")])
    assert card.page is None
    assert card.anchor == "finding-1"
