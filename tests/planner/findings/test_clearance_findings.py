"""Findings about clearance: what they say of motions that fail, and of those that do not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from parts.geometry import TriangleMesh
from planner.clearance.certify import Clearance, Tolerance
from planner.clearance.surroundings import BodyPair, Nearest
from planner.detours import find as detours
from planner.findings import Severity, page
from planner.findings.clearance_findings import (
    VisitFindings,
    Watch,
    certified_finding,
    line_findings,
    open_solid_findings,
    point_clearance_findings,
    shape_findings,
    stylus_diameters,
    travel_findings,
)
from planner.findings.finding import Aspect
from planner.findings.unchecked import Unchecked
from planner.job import read_job
from planner.job.settings import Probe
from planner.job.solids import Cell, Solid, SolidKind
from planner.library import path_of
from planner.planning import plan
from robots.library import load

MESH = TriangleMesh(
    vertices=np.array([[0, 0, 0.2], [1, 0, 0.2], [0, 1, 0.75]]), faces=np.array([[0, 1, 2]])
)
PART = Solid(name="plate", kind=SolidKind.PART, mesh=MESH, closed=True)
WALL = Solid(name="wall", kind=SolidKind.OBSTACLE, mesh=MESH, closed=False)
PAIRS = (
    BodyPair(moving="forearm", against="plate", touching=False),
    BodyPair(moving="stylus ball", against="plate", touching=True),
    BodyPair(moving="stylus shank", against="plate", touching=True),
    BodyPair(moving="forearm", against="wall", touching=False),
    BodyPair(moving="forearm", against="column", touching=False),
)
WATCH = Watch(pairs=PAIRS, cell=Cell(solids=(PART, WALL)), required=0.005)


def clearance(*rows, lam=0.5):
    """Rows (certified, seen, pair) in metres."""
    certified, seen, pair = (np.array(column, dtype=float) for column in zip(*rows, strict=True))
    return Clearance(
        certified=certified,
        seen=seen,
        pair=pair.astype(np.int64),
        lam=np.full(len(rows), lam),
        place=np.tile([0.1, 1.2, 0.3], (len(rows), 1)),
        judged=np.ones(len(rows), dtype=np.int64),
    )


def test_travels_that_fail_say_by_how_much_and_where():
    found = clearance((0.02, 0.021, 3), (-np.inf, -0.0123, 3), (-np.inf, 0.0031, 0), (0, 0, 4))
    findings = travel_findings(found, WATCH, origins="ABCD", goals="BCDE")
    assert [f.code for f in findings] == ["P130", "P130", "P133"]
    assert [f.where for f in findings] == ["C", "D", "E"]
    assert all(f.severity is Severity.ERROR for f in findings)
    assert findings[0].message == (
        "travel from B: forearm enters wall by 12.30 mm or more, 50.0 % of the way on, at "
        "(100.0, 1200.0, 300.0) mm"
    )
    assert "clearance_plane_mm = 755 or more" in findings[0].hint
    assert "comes to 3.10 mm from plate (required 5.00 mm)" in findings[1].message
    assert "column" in findings[2].message


def test_bodies_without_a_diameter_are_named_as_points_and_lines():
    bare = replace(WATCH, diameters={"stylus ball": 0.0, "stylus shank": 0.0})
    for pair, name in ((1, "stylus tip"), (2, "stylus axis"), (0, "forearm")):
        found = clearance((-1.949, -0.0123, pair))
        [finding] = travel_findings(found, bare, origins="A", goals="B")
        assert f"{name} enters plate by 12.30 mm or more" in finding.message


def test_a_travel_that_is_only_not_proven_says_so():
    findings = travel_findings(clearance((0.0046, 0.00502, 0)), WATCH, origins="A", goals="B")
    assert "comes to 5.02 mm from plate, of which only 4.60 mm are proven" in findings[0].message


@pytest.mark.parametrize(
    ("pair", "hint"),
    [
        (0, "a stylus longer by 4.0 mm"),
        (1, "a ball 8.00 mm smaller"),
        (2, "a shank 8.00 mm thinner"),
    ],
)
def test_lines_that_fail_count_from_contact(pair, hint):
    found = clearance((-np.inf, 0.001, pair), lam=0.8)
    (finding,) = line_findings(found, WATCH, names=["P7"], approach=0.05, depth=0.0)
    assert finding.code == "P131"
    assert finding.where == "P7"
    assert "10.0 mm before contact" in finding.message
    assert hint in finding.hint
    (beyond,) = line_findings(found, WATCH, names=["P7"], approach=0.05, depth=0.05)
    assert "30.0 mm beyond contact" in beyond.message


@pytest.mark.parametrize(
    ("pair", "diameter", "hint"),
    [
        (1, 0.0081, "a ball 8.00 mm smaller, or another approach direction"),
        (1, 0.004, "another approach direction; no ball is small enough"),
        (2, 0.0024, "another approach direction; no shank is small enough"),
    ],
)
def test_nothing_is_advised_to_be_thinner_than_nothing(pair, diameter, hint):
    probe = Probe(stylus_length=0.2, ball_diameter=diameter, shank_diameter=diameter)
    watch = replace(WATCH, diameters=stylus_diameters(probe))
    found = clearance((-np.inf, 0.001, pair))
    (finding,) = line_findings(found, watch, names=["P7"], approach=0.05, depth=0.0)
    assert finding.hint == hint


def test_clearance_points_that_fail():
    near = Nearest(
        value=np.array([0.01, -0.002, 0.004, np.inf]),
        pair=np.array([0, 1, 4, -1]),
        place=np.zeros((4, 3)),
    )
    findings = point_clearance_findings(near, WATCH, names="ABCD")
    assert [(f.code, f.where) for f in findings] == [("P132", "B"), ("P133", "C")]
    assert "7.0 mm are missing" in findings[0].hint


def test_bodies_that_cross_by_an_unknown_depth_are_not_told_one():
    found = Nearest(value=np.array([-1e-12]), pair=np.array([1]), place=np.zeros((1, 3)))
    (finding,) = point_clearance_findings(found, replace(WATCH, required=0.0), names="A")
    assert finding.hint.startswith("change distance_mm or direction of [approach], or move ")
    assert "missing" not in finding.hint


def test_a_shortfall_of_a_nanometre_does_not_vanish():
    """`comes to 1.00 mm from plate (required 1.00 mm): 0.0 mm are missing`, it once said."""
    found = Nearest(value=np.array([0.005 - 1e-9]), pair=np.array([1]), place=np.zeros((1, 3)))
    (finding,) = point_clearance_findings(found, WATCH, names="A")
    assert "comes to 4.999999 mm from plate (required 5.000000 mm)" in finding.message
    assert "0.0000011 mm are missing" in finding.hint
    (line,) = line_findings(
        clearance((-np.inf, 0.005 - 1e-9, 1)), WATCH, names=["P7"], approach=0.05, depth=0.0
    )
    assert "comes to 4.999999 mm from plate (required 5.000000 mm)" in line.message
    assert "0.0000021 mm smaller" in line.hint


def test_solids_that_are_not_closed():
    (finding,) = open_solid_findings(WATCH.cell)
    assert (finding.code, finding.where) == ("P134", "wall")
    assert finding.severity is Severity.WARNING
    assert "obstacle is not closed" in finding.message


def test_the_certified_clearance_of_a_plan():
    travels = clearance((0.02, 0.021, 3), (0.0071, 0.0073, 0))
    lines = clearance((0.0321, 0.033, 1), (np.inf, np.inf, -1))
    motions = [("travel to", "BC", travels), ("probing line of", "AB", lines)]
    (finding,) = certified_finding(motions, WATCH, Tolerance())
    assert (finding.code, finding.severity) == ("P135", Severity.NOTE)
    assert finding.message == (
        "3 motions are certified to keep 7.10 mm (required 5 mm, tolerance 0.5 mm + 2 %); nearest "
        "are forearm and plate on the travel to C"
    )
    failed = [("travel to", "B", clearance((-np.inf, -0.01, 0)))]
    assert certified_finding(failed, WATCH, Tolerance()) == []
    assert certified_finding([], WATCH, Tolerance()) == []


def test_a_robot_whose_links_take_no_room():
    arm = load("measuring-arm")
    assert shape_findings(arm, [Unchecked(aspect=Aspect.TORQUE_LIMITS)]) == []
    (finding,) = shape_findings(arm, [Unchecked(aspect=Aspect.LINK_SHAPES)])
    assert (finding.code, finding.severity) == ("P136", Severity.NOTE)
    assert "for its links; only the probe is kept clear" in finding.message
    (finding,) = shape_findings(arm, [Unchecked(aspect=Aspect.LINK_SHAPES, of=("q2", "q3"))])
    assert "for the links of q2, q3; only the other links and the probe" in finding.message


def test_every_code_has_a_page():
    codes = [f"P13{k}" for k in range(7)]
    assert [page(code).code for code in codes] == codes


def test_what_stands_in_the_way_is_that_of_the_line_that_comes_nearest_to_clear(monkeypatch):
    """Following only what can be nearest finds what following every line does."""
    seen = {}

    def every_line(visit):
        safety, candidates = visit._safety, visit._found
        for point in visit.colliding().tolist():
            rows = np.nonzero((candidates.point == point) & safety.refused)[0]
            lines = candidates.lines.take(rows)
            along = safety.line_clearances(lines, np.full(rows.size, point))
            start = safety.checker.nearest(lines.q_starts).value
            best = int(np.argmax(np.minimum(along.seen, start)))
            gap = start[best] if start[best] < safety.required else along.seen[best]
            [found] = visit._point(point)
            [told] = [one.value for one in found.quantities if one.name == "clearance"]
            seen[found.message] = (told, 1e3 * gap)
        return []

    monkeypatch.setattr(VisitFindings, "points", every_line)
    monkeypatch.setattr(detours, "_EFFORTS", ())  # for the point that no way leads to
    plan(read_job(path_of("unreachable")))
    assert len(seen) == 4
    for told, gap in seen.values():
        assert told == pytest.approx(gap, abs=1e-9)
