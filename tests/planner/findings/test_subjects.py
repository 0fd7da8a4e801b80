"""Subjects are compared as what they are; their text is composed in one place."""

from __future__ import annotations

import pytest

from planner.findings import Finding, Quantity, Severity
from planner.findings import finding as subjects
from planner.findings.finding import Joint, Joints, Legs, Point, Travel, where_text


@pytest.mark.parametrize(
    ("subject", "text"),
    [
        (Point("P17"), "P17"),
        (Point("P17", of="bore"), "P17"),
        (Travel("P1", "P2"), "P1 to P2"),
        (Travel("P1", "P2", by_goal=True), "P2"),
        (subjects.Segments("probing lines"), "probing lines"),
        (subjects.Motion(), "motion"),
        (subjects.Points(), "points"),
        (subjects.Points("list.csv"), "list.csv"),
        (subjects.PartOfFile("HOLE"), "HOLE"),
        (subjects.Geometry("plate.stl"), "plate.stl"),
        (subjects.Solid("table"), "table"),
        (subjects.Feature("bore"), "bore"),
        (subjects.Requirement("bore diameter", "bore"), "bore diameter"),
        (subjects.Robot(), "robot"),
        (Joint("q3"), "q3"),
        (Joints(("q3", "q4")), "q3, q4"),
        (Joint("q3", titled=True), "joint q3"),
        (subjects.Motor("knee"), "motor knee"),
        (subjects.Motors(), "motors"),
        (subjects.Capsules("base", "q3 link"), "base, q3 link"),
        (subjects.Feet(), "feet"),
        (subjects.SupportEdge(), "support polygon"),
        (subjects.SupportEdge("left toe"), "left toe"),
        (subjects.Platform(), "platform"),
        (Legs(("2",)), "leg 2"),
        (Legs(("2", "5")), "legs 2 and 5"),
        (subjects.PoseChange(1, 2), "pose 1 to 2"),
    ],
)
def test_every_subject_has_its_text(subject, text):
    assert where_text(subject) == text


def test_every_kind_of_subject_has_a_text():
    (mark,) = test_every_subject_has_its_text.pytestmark
    tested = {type(subject).__name__ for subject, _ in mark.args[1]}
    assert tested == {kind.__name__ for kind in subjects.Subject.__subclasses__()}


def test_equal_names_do_not_make_equal_subjects():
    """A point may be called as a joint is, or as a travel reads."""
    assert Point("q1") != Joint("q1")
    assert Point("A to B") != Travel("A", "B")
    assert Travel("A", "B to C") != Travel("A to B", "C")
    assert where_text(Travel("A", "B to C")) == where_text(Travel("A to B", "C"))


def test_what_counts_against_a_point_and_what_is_about_a_feature():
    assert Point("P1").point == Travel("P0", "P1", by_goal=True).point == "P1"
    assert Travel("P0", "P1").point == Joint("P1").point == ""
    assert subjects.Feature("bore").feature == Point("P1", of="bore").feature == "bore"
    assert subjects.Requirement("bore diameter", "bore").feature == "bore"


def test_a_finding_has_its_numbers_beside_its_sentence():
    finding = Finding(
        code="P102",
        severity=Severity.ERROR,
        subject=Point("P1"),
        message="every branch passes a joint limit",
        quantities=(Quantity("beyond limit", 3.5, "deg"),),
    )
    assert finding.value("beyond limit") == 3.5
    assert finding.value("clearance") is None
    assert finding.document() == {
        "code": "P102",
        "severity": "error",
        "where": "P1",
        "message": "every branch passes a joint limit",
        "hint": "",
    }
