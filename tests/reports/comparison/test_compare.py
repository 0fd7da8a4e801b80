"""Two plans: what is matched with what, what counts as a change, and which way is better."""

from __future__ import annotations

import copy
import json
import math

import pytest

from planner.errors import OptionError
from reports.comparison.change import ChangeVerdict
from reports.comparison.compare import compare, read_plan
from reports.comparison.document import comparison_document
from reports.plan_document import document_text

SAME, BETTER, WORSE, OTHER = (
    ChangeVerdict.SAME,
    ChangeVerdict.BETTER,
    ChangeVerdict.WORSE,
    ChangeVerdict.CHANGED,
)


def section(comparison, key):
    return next(one for one in comparison.sections if one.key == key)


def differing(comparison, key):
    return {pair.names: pair for pair in section(comparison, key).differing}


def changes(pair):
    return {one.quantity.key: one for one in pair.changed}


def test_equal_plans_have_no_difference(document):
    found = compare(document, copy.deepcopy(document))
    assert found.equal
    assert {change.verdict for change in found.summary} == {SAME}
    told = comparison_document(found)
    assert told["equal"] is True
    assert told["failed"] is False
    assert all(not row["changes"] for row in told["points"])
    again = comparison_document(compare(document, document))
    assert document_text(told) == document_text(again)


def test_what_was_not_checked_counts_and_older_plans_do_not_say(document, changed):
    given = changed(lambda d: d.update(unchecked=["torque limits"]))
    change = compare(document, given).change("unchecked")
    assert (change.a, change.b, change.verdict) == (3.0, 1.0, BETTER)
    assert change.where_a == "part geometry, stylus shape, torque limits"
    old = changed(lambda d: d.pop("unchecked"))
    assert compare(old, document).change("unchecked").a is None
    with pytest.raises(OptionError, match="unchecked is 'all'; expected a list of texts"):
        compare(document, changed(lambda d: d.update(unchecked="all")))


def test_rounding_is_no_difference(document, changed):
    other = changed(lambda d: d.update(duration_s=d["duration_s"] * (1 + 1e-12)))
    assert compare(document, other).equal


def test_names_and_versions_are_no_difference(document, changed):
    other = changed(lambda d: d.update(palpeur="9", robot="r", job={"name": "x", "sha256": "y"}))
    assert compare(document, other).equal


@pytest.mark.parametrize(
    ("key", "step", "verdict"),
    [
        ("duration_s", -0.1, BETTER),
        ("duration_s", 0.1, WORSE),
        ("energy_j", 1.0, WORSE),
        ("net_work_j", 1.0, OTHER),
        ("peak_power_w", -5.0, BETTER),
        ("min_power_w", 1.0, OTHER),
    ],
)
def test_totals_know_which_way_is_better(document, changed, key, step, verdict):
    other = changed(lambda d: d.update({key: d[key] + step}))
    found = compare(document, other)
    change = found.change(key)
    assert change.verdict is verdict
    assert change.absolute == pytest.approx(step)
    assert change.relative == pytest.approx(step / abs(document[key]))
    assert [one.quantity.key for one in found.summary if one.verdict is not SAME] == [key]


def test_the_summary_finds_the_worst_margins_and_where_they_are(document, changed):
    def edit(other):
        other["points"][2]["joint_margin_deg"] = 1.0
        other["points"][0]["min_clearance_mm"] = 3.0
        other["segments"][3]["clearance"] = {"certified_mm": 2.0, "pair": "forearm - table"}

    found = compare(document, changed(edit))
    margin = found.change("joint_margin_deg")
    # joint margins of the synthetic plan: 0.2 rad and 0.1 rad
    assert (margin.a, margin.where_a) == (pytest.approx(math.degrees(0.1)), "P3")
    assert (margin.b, margin.where_b, margin.verdict) == (1.0, "P3", WORSE)
    clearance = found.change("clearance_mm")
    assert (clearance.a, clearance.where_a) == (20.0, "P1")
    assert (clearance.b, clearance.where_b) == (2.0, "travel P3: forearm - table")
    assert found.change("points_served").a == 2.0


def test_points_are_matched_by_name(document, changed):
    def edit(other):
        other["points"].reverse()
        lost = next(p for p in other["points"] if p["name"] == "P2")
        lost["name"] = "P9"
        first = next(p for p in other["points"] if p["name"] == "P1")
        first["branch"] = "other"
        first["q_contact_deg"][1] -= 7.0

    points = differing(compare(document, changed(edit)), "points")
    assert {names: pair.presence.value for names, pair in points.items()} == {
        ("P1",): "both",
        ("P2",): "gone",
        ("P9",): "new",
    }
    found = changes(points[("P1",)])
    assert found.keys() == {"branch", "q_contact_deg"}
    assert found["branch"].verdict is OTHER
    assert found["q_contact_deg"].absolute == pytest.approx(7.0)


def test_a_point_that_is_lost_is_worse(document, changed):
    def edit(other):
        nothing = dict.fromkeys(("branch", "q_contact_deg", "joint_margin_deg"))
        other["points"][0].update(nothing, reachable=False)

    found = compare(document, changed(edit))
    lost = changes(differing(found, "points")[("P1",)])
    assert lost["reachable"].verdict is WORSE
    assert lost["joint_margin_deg"].absolute is None
    assert found.change("points_served").verdict is WORSE


def test_the_order_of_visits_is_compared(document, changed):
    def edit(other):
        other["segments"] = other["segments"][4:] + other["segments"][:4]

    found = compare(document, changed(edit))
    points = differing(found, "points")
    assert changes(points[("P1",)])["visit"].absolute == 1.0
    assert changes(points[("P3",)])["visit"].absolute == -1.0
    assert not differing(found, "segments")


def test_motions_are_matched_by_point_kind_and_number(document, changed):
    def edit(other):
        other["segments"][0].update(duration_s=0.3, binding="q1 speed", law="cubic")
        other["segments"].insert(4, dict(other["segments"][3], duration_s=9.0))

    motions = differing(compare(document, changed(edit)), "segments")
    assert motions.keys() == {("P1", "probe", "1"), ("P3", "travel", "2")}
    assert changes(motions[("P1", "probe", "1")]).keys() == {"duration_s", "law", "binding"}
    assert motions[("P3", "travel", "2")].presence.value == "new"


def test_findings_are_new_gone_or_changed(document, changed):
    def edit(other):
        other["findings"][0].update(severity="warning", message="nearer")
        new = {"code": "P103", "severity": "error", "where": "P3", "message": "m", "hint": ""}
        other["findings"] += [new, new]

    found = compare(document, changed(edit))
    findings = differing(found, "findings")
    assert {names: pair.presence.value for names, pair in findings.items()} == {
        ("P101", "P2", "1"): "both",
        ("P103", "P3", "1"): "new",
        ("P103", "P3", "2"): "new",
    }
    assert found.change("findings").absolute == 2.0


def test_residuals_within_their_limit_are_no_news(document, changed):
    checks = document["validation"]["checks"]
    other = changed(lambda d: d["validation"]["checks"][0].update(value=checks[0]["limit"] / 2))
    assert compare(document, other).equal

    def fail(edited):
        edited["validation"]["checks"][0].update(value=1.0, passed=False)
        edited["validation"]["passed"] = False

    found = compare(document, changed(fail))
    (pair,) = differing(found, "validation").values()
    assert changes(pair).keys() == {"passed", "value"}
    assert found.change("validated").verdict is WORSE


def test_plans_of_robots_with_sliding_joints_and_without_are_compared(document, changed):
    def edit(other):
        other["points"][0].update(joint_margin_mm=3.0, joint_margin_deg=None)
        other["joints"][0]["peak_force_n"] = other["joints"][0].pop("peak_torque_nm")

    found = compare(document, changed(edit))
    assert found.change("joint_margin_mm").b == 3.0
    joints = changes(differing(found, "joints")[("q1",)])
    assert joints.keys() == {"peak_torque_nm", "peak_force_n"}


def test_numbers_without_end_in_a_change_stay_json(changed):
    a = changed(lambda d: d.update(net_work_j=-1.7e308, energy_j=5e-324))
    b = changed(lambda d: d.update(net_work_j=1.7e308, energy_j=1.0))
    told = json.loads(document_text(comparison_document(compare(a, b))))
    rows = {row["quantity"]: row for row in told["summary"]}
    assert rows["net_work_j"]["change"] is None
    assert rows["energy_j"]["relative"] is None


@pytest.mark.parametrize(
    ("edit", "told"),
    [
        (lambda d: d.pop("format"), "format is missing"),
        (lambda d: d.update(format=2), "format is 2; this version reads format 1"),
        (lambda d: d.update(job="x"), "job is 'x'; expected an object"),
        (lambda d: d.update(feasible=1), "feasible is 1; expected true or false"),
        (lambda d: d.update(duration_s="2 s"), "duration_s is '2 s'; expected a number or null"),
        (lambda d: d.update(duration_s=math.inf), "duration_s is inf; expected a number"),
        (lambda d: d.update(points=[1]), r"points is \[1\]; expected a list of objects"),
        (lambda d: d["points"][1].update(name=3), r"points\[1\]\.name is 3; expected a text"),
        (lambda d: d["points"][1].update(name="P1"), r"points\[1\]\.name is 'P1' for the second"),
        (lambda d: d["points"][0].update(q_contact_deg=["x"]), "expected a list of numbers"),
        (lambda d: d["segments"][0].update(clearance=3), r"segments\[0\]\.clearance is 3"),
    ],
)
def test_what_is_no_plan_is_refused_with_its_place(document, changed, edit, told):
    with pytest.raises(OptionError, match=f"second.json: .*{told}"):
        compare(document, changed(edit), ("first.json", "second.json"))


def test_a_plan_is_read_from_its_file_or_its_set(document, tmp_path):
    (tmp_path / "plan.json").write_text(document_text(document))
    assert read_plan(tmp_path) == read_plan(tmp_path / "plan.json")
    assert compare(document, read_plan(tmp_path)).equal


@pytest.mark.parametrize(
    ("content", "told"),
    [(b"{", "is not JSON"), (b"[]", "one JSON object"), (b"\xff", "is not JSON"),
     (b"[" * 100_000, "is not JSON")],
)  # fmt: skip
def test_a_file_that_is_no_plan_is_told(tmp_path, content, told):
    (tmp_path / "a.json").write_bytes(content)
    with pytest.raises(OptionError, match=told):
        read_plan(tmp_path / "a.json")


def test_a_folder_without_a_plan_is_told(tmp_path):
    with pytest.raises(OptionError, match=r"holds no plan\.json; give a report set"):
        read_plan(tmp_path)
    with pytest.raises(OptionError, match="cannot be read: No such file"):
        read_plan(tmp_path / "a.json")
